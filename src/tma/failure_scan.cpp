// SPDX-License-Identifier: Apache-2.0
// Finds the printed arguments in a text, as blocks of words with their values.
#include <algorithm>

#include "arch/cuda_result.hpp"
#include "base/text.hpp"
#include "tma/failure_text.hpp"

namespace swz {

namespace {

constexpr std::size_t longest_list = 400;
constexpr std::size_t longest_shown = 60;
constexpr std::size_t longest_error_line = 400;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool begins_name(char c) { return is_letter(c) || c == '_'; }
bool is_number_char(char c) { return is_hex(c) || c == 'x' || c == 'X'; }

// A position in the text.
struct Reader {
  std::string_view text;
  std::size_t at = 0;

  bool is_done() const { return at >= text.size(); }
  char now() const { return is_done() ? '\n' : text[at]; }
  std::string_view rest() const { return text.substr(std::min(at, text.size())); }
  void skip_blanks() {
    while (is_blank(now())) ++at;
  }
  std::string_view take_word() {
    const std::size_t begin = at;
    if (now() == '-' || now() == '+') ++at;
    while (!is_done() && is_word(now())) ++at;
    return text.substr(begin, at - begin);
  }
  std::string shown() const {
    const std::string_view near = rest().substr(0, longest_shown);
    return std::string(near.substr(0, near.find('\n')));
  }
};

FailureValue unreadable(std::string_view word, const Reader& reader) { return {word, reader.shown(), 0, false}; }

// Reads "715", "9 (CU_TENSOR_MAP_…)", "0x7f00", "(nil)", "CU_TENSOR_MAP_SWIZZLE_128B".
FailureValue read_scalar(std::string_view word, Reader& reader) {
  for (const std::string_view null : {"(nil)", "(null)", "nullptr", "NULL"})
    if (reader.rest().starts_with(null)) return reader.at += null.size(), FailureValue{word, "0"};
  const Reader begin = reader;
  const std::string_view token = reader.take_word();
  const char next = reader.now();
  const char after = reader.at + 1 < reader.text.size() ? reader.text[reader.at + 1] : '\n';
  const bool ends = is_blank(next) || next == '\n' || next == ')' || next == '"' || next == '\'' ||
                    ((next == ',' || next == ';') && is_blank(after));
  const bool is_name = token.starts_with("CU_TENSOR_MAP_");
  if (token.empty() || !ends || (begins_name(token[0]) && !is_name)) return unreadable(word, begin);
  return {word, std::string(token)};
}

char closing(char opens) { return opens == '(' ? ')' : opens == '[' ? ']' : opens == '{' ? '}' : '\0'; }

// Reads "(2,4096,128)", across line ends.
FailureValue read_bracketed(std::string_view word, Reader& reader) {
  const Reader begin = reader;
  FailureValue value{word, "", reader.now()};
  for (++reader.at; !reader.is_done() && value.text.size() < longest_list; ++reader.at) {
    const char c = reader.now();
    if (c == closing(value.opens)) return ++reader.at, value;
    if (c == '\n') continue;
    const bool belongs = is_number_char(c) || is_blank(c) || c == ',' || c == '-' || c == 'u' || c == 'U' || c == 'l' ||
                         c == 'L' || c == '\'';
    if (!belongs) break;
    value.text += c;
  }
  reader.at = begin.at + 1;
  return unreadable(word, begin);
}

// Reads "128 7 2 24 1", up to the end of the line or the next word.
FailureValue read_bare(std::string_view word, Reader& reader) {
  const Reader begin = reader;
  FailureValue value{word, ""};
  while (is_number_char(reader.now()) || reader.now() == '-') {
    const std::size_t at = reader.at;
    const std::string_view token = reader.take_word();
    if (token.find_first_of("0123456789") == std::string_view::npos) {  // a word made of the letters a to f
      reader.at = at;
      break;
    }
    value.text += (value.text.empty() ? "" : " ") + std::string(token);
    if (value.text.size() > longest_list) return unreadable(word, begin);
    if (reader.now() == ',') ++reader.at;
    reader.skip_blanks();
  }
  const char next = reader.now();
  const bool ends = next == '\n' || begins_name(next) || next == '"' || next == '\'';
  return value.text.empty() || !ends ? unreadable(word, begin) : value;
}

FailureValue read_list(std::string_view word, Reader& reader) {
  // ThunderKittens prints the array's address, then its entries.
  Reader ahead = reader;
  ahead.take_word();
  ahead.skip_blanks();
  if (ahead.now() == '[') reader = ahead;
  return closing(reader.now()) != '\0' ? read_bracketed(word, reader) : read_bare(word, reader);
}

// The word of the dialect at this place, if a blank, ':' or '=' follows it.
const FailureKey* key_at(const FailureDialect& dialect, Reader& reader) {
  for (const FailureKey& key : dialect.keys) {
    if (!reader.rest().starts_with(key.word)) continue;
    Reader behind = reader;
    behind.at += key.word.size();
    const std::size_t end = behind.at;
    behind.skip_blanks();
    if (behind.now() == ':' || behind.now() == '=') ++behind.at;
    if (behind.at == end) continue;
    behind.skip_blanks();
    reader = behind;
    return &key;
  }
  return nullptr;
}

// Everyday words count only if a value follows them.
bool is_everyday(const FailureKey& key) {
  constexpr std::string_view words[] = {"dim", "format", "interleave", "swizzle", "base", "gmem", "Shape", "Stride"};
  return std::ranges::find(words, key.word) != std::end(words);
}

bool has_any(const FailureBlock& block, bool (*is_one)(FailurePart)) {
  for (std::size_t i = 0; i < failure_part_count; ++i)
    if (is_one(static_cast<FailurePart>(i)) && block.parts[i]) return true;
  return false;
}
bool has_list(const FailureBlock& block) { return has_any(block, is_list); }

std::optional<int> code_in(std::string_view line) {
  if (const std::size_t name = line.find("CUDA_ERROR_"); name != std::string_view::npos) {
    Reader reader{line, name};
    if (const CudaResultRow* row = find_cuda_result(reader.take_word())) return row->code;
  }
  if (const std::size_t code = line.find("error code "); code != std::string_view::npos) line.remove_prefix(code + 11);
  Reader reader{line};
  reader.skip_blanks();
  for (const std::string_view joint : {"due to ", ". ", ": "})
    if (reader.rest().starts_with(joint)) {
      reader.at += joint.size();
      break;
    }
  reader.skip_blanks();
  line = reader.rest();
  const std::string_view token = reader.take_word();
  const bool is_number = !token.empty() && token.size() <= 4 && std::all_of(token.begin(), token.end(), is_digit);
  if (is_number) return std::stoi(std::string(token));
  const CudaResultRow* row = find_cuda_result(line);
  return row == nullptr ? std::nullopt : std::optional(row->code);
}

using enum FailurePart;

// TileLang took over CUTLASS's words and has since added its own.
constexpr FailureKey cute_keys[] = {
    {"TMA Desc Addr", map_address, false},
    {"format", type},
    {"dim", rank},
    {"gmem_address", address},
    {"globalDim", dims},
    {"globalStrides", strides, false},
    {"globalStridesRaw", strides, false},
    {"cudaGlobalStrides", driver_strides, false},
    {"smem_box_pixel", pixels, false},
    {"smem_box_channel", channels, false},
    {"pixelBoxLowerCorner", lower_corner, false},
    {"pixelBoxUpperCorner", upper_corner, false},
    {"boxDim", box},
    {"elementStrides", element_strides},
    {"interleave", interleave},
    {"swizzle", swizzle},
    {"l2Promotion", l2},
    {"oobFill", oob},
};

constexpr FailureKey trtllm_keys[] = {
    {"tmaFormat", type},
    {"dim", rank},
    {"gmem", address},
    {"Shape", dims},
    {"Stride", strides},
    {"tileShapes", box},
    {"tileStrides", element_strides},
    {"swizzleType", swizzle},
};

constexpr FailureKey kittens_keys[] = {
    {"tma_map", map_address, false},
    {"tma_format", type},
    {"tma_dim", rank},
    {"global_addr", address},
    {"gmem_shape", dims},
    {"gmem_stride", strides},
    {"smem_shape", box},
    {"smem_stride", element_strides},
    {"tma_interleave", interleave},
    {"tma_swizzle", swizzle},
    {"tma_l2Promotion", l2},
    {"tma_oobFill", oob},
};

constexpr FailureKey deep_gemm_keys[] = {
    {"global memory", dims}, {"shared memory", box},        {"outer stride", strides},
    {"swizzle", swizzle},    {"base", swizzle_atom, false}, {"elem size", element_bytes},
};

constexpr TensorMap promotes(TensorMapL2Promotion bytes) { return {.l2_promotion = bytes}; }

constexpr FailureDialect dialects[] = {
    {.program = "CUTLASS",
     .keys = cute_keys,
     .list_opens = '(',
     .strides_begin_with_element = true,
     .code_stands_before = false},
    {.program = "TileLang", .keys = cute_keys, .list_opens = '[', .strides_begin_with_element = true},
    {.program = "FlashInfer/TensorRT-LLM",
     .keys = trtllm_keys,
     .has_rubbish = true,
     .unprinted = promotes(TensorMapL2Promotion::b128),
     .unprinted_in_words = "interleave none, L2 promotion 128B, OOB fill zero"},
    {.program = "ThunderKittens", .keys = kittens_keys, .list_opens = '['},
    {.program = "DeepGEMM",
     .keys = deep_gemm_keys,
     .code_stands_before = false,
     .prints_every_map = true,
     .counts_elements = true,
     .unprinted = promotes(TensorMapL2Promotion::b256),
     .unprinted_in_words = "element strides 1, interleave none, L2 promotion 256B, OOB fill zero"},
};

}  // namespace

std::size_t FailureBlock::part_count() const {
  return static_cast<std::size_t>(std::ranges::count_if(parts, [](const auto& part) { return part.has_value(); }));
}

bool FailureBlock::is_im2col() const { return has_any(*this, swz::is_im2col); }

std::vector<std::string> FailureBlock::missing(const FailureDialect& dialect) const {
  std::vector<std::string> words;
  for (const FailureKey& key : dialect.keys) {
    const bool is_printed = swz::is_im2col(key.part)       ? is_im2col()
                            : key.part == FailurePart::box ? !is_im2col()
                                                           : key.is_always_printed;
    if (is_printed && !at(key.part)) words.emplace_back(key.word);
  }
  if (!at(FailurePart::strides) && !at(FailurePart::driver_strides) && dialect.strides_begin_with_element)
    words.emplace_back("globalStrides");
  return words;
}

bool FailureBlock::is_complete(const FailureDialect& dialect) const {
  const auto can_be_read = [](const auto& part) { return !part || part->is_readable; };
  return std::ranges::all_of(parts, can_be_read) && missing(dialect).empty();
}

bool FailureBlock::says_the_same_as(const FailureBlock& other) const {
  constexpr auto first = static_cast<std::size_t>(FailurePart::map_address) + 1;
  return std::equal(parts.begin() + first, parts.end(), other.parts.begin() + first, [](const auto& a, const auto& b) {
    return a.has_value() == b.has_value() && (!a || a->text == b->text);
  });
}

std::string clean_failure_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (c == '\x1b' && next == '[') {
      for (i += 2; i < text.size() && !begins_name(text[i]);) ++i;
    } else if (c == '\\' && next == 'n') {
      clean += '\n';
      ++i;
    } else if (c == '\r') {
      if (next != '\n') clean += '\n';
    } else {
      clean += c;
    }
  }
  return clean;
}

std::vector<FailureBlock> find_failure_blocks(std::string_view clean, const FailureDialect& dialect) {
  std::vector<FailureBlock> blocks;
  FailureBlock block;
  const auto finish = [&] {
    if (has_list(block)) blocks.push_back(block);
    block = {};
  };
  Reader reader{clean};
  while (!reader.is_done()) {
    const std::size_t begin = reader.at;
    const FailureKey* key = key_at(dialect, reader);
    if (key == nullptr) {
      if (is_word(reader.now()))
        while (!reader.is_done() && is_word(reader.now())) ++reader.at;
      else ++reader.at;
      continue;
    }
    const FailureValue value = is_list(key->part) ? read_list(key->word, reader) : read_scalar(key->word, reader);
    const bool is_prose = !value.text.empty() && begins_name(value.text[0]);
    if (!value.is_readable && (is_everyday(*key) || is_prose)) {
      reader.at = begin + key->word.size();
      continue;
    }
    // Before its first list a block is only words that may occur in any log: the last of each counts.
    const bool is_next = key == dialect.keys.data() || block.at(key->part).has_value();
    if (is_next && has_list(block)) finish();
    if (!has_list(block) && is_list(key->part)) {
      block.begin = begin;
      for (const FailureKey* later = key; later != dialect.keys.data() + dialect.keys.size(); ++later)
        block.at(later->part).reset();  // it was printed before its place
    }
    block.at(key->part) = value;
    block.end = reader.at;
  }
  finish();
  return blocks;
}

std::vector<FailureCode> find_failure_codes(std::string_view clean) {
  std::vector<FailureCode> codes;
  for (const std::string_view phrase :
       {"to initialize the TMA descriptor", "TMA descriptor creation", "CUDA driver error"})
    for (std::size_t at = clean.find(phrase); at != std::string_view::npos; at = clean.find(phrase, at + 1)) {
      const std::string_view behind = clean.substr(at + phrase.size(), longest_error_line);
      if (const std::optional<int> code = code_in(behind.substr(0, behind.find('\n')))) codes.push_back({at, *code});
    }
  std::ranges::sort(codes, {}, &FailureCode::at);
  return codes;
}

std::span<const FailureDialect> failure_dialects() { return dialects; }

}  // namespace swz
