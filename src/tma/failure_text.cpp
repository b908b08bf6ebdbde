// SPDX-License-Identifier: Apache-2.0
#include "tma/failure_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/cuda_result.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using Numbers = std::vector<std::uint64_t>;
using Part = FailurePart;

constexpr std::uint64_t tensor_map_alignment = 64;

// The printed block of a text that counts, its program, and the code that the call returned.
//
//   find_failure("format 9 … Error: … descriptor 1 … format 9 … Error: … descriptor 1")
//     CUTLASS, two blocks, the first is chosen, code 1
struct FoundFailure {
  const FailureDialect* dialect = nullptr;
  std::vector<FailureBlock> blocks;
  std::size_t chosen = 0;
  std::optional<int> code;

  const FailureBlock& block() const { return blocks[chosen]; }
};

std::size_t chosen_block(const FailureDialect& dialect, const std::vector<FailureBlock>& blocks,
                         const std::vector<FailureCode>& codes) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (dialect.prints_every_map && i > 0 && !codes.empty() && blocks[i].begin > codes[0].at) break;
    if (blocks[i].is_complete(dialect)) {
      best = i;
      if (!dialect.prints_every_map) return i;
    } else if (!blocks[best].is_complete(dialect) && blocks[i].part_count() > blocks[best].part_count()) {
      best = i;
    }
  }
  return best;
}

[[noreturn]] void throw_nothing(std::string_view clean, const std::vector<FailureCode>& codes) {
  std::vector<std::string> programs;
  for (const FailureDialect& dialect : failure_dialects()) programs.emplace_back(dialect.program);
  if (clean.find_first_not_of(" \t\n") == std::string_view::npos)
    throw Error("nothing was pasted", fmt::format("paste what {} printed", join_and(programs)));
  if (codes.empty())
    throw Error(
        "no arguments of cuTensorMapEncodeTiled are in this text",
        fmt::format(
            "swz knows the blocks of {}: from 'TMA Desc Addr' to 'oobFill', or from 'tmaFormat' to 'swizzleType'",
            join_and(programs)));
  const CudaResultRow* row = find_cuda_result(codes[0].code);
  throw Error(fmt::format("the text has the code {}{} but no arguments", codes[0].code,
                          row == nullptr ? "" : fmt::format(" ({})", full_name(*row))),
              "paste the lines around it as well, from 'TMA Desc Addr' or 'tmaFormat' on");
}

void require_whole(const FoundFailure& found) {
  const FailureBlock& block = found.block();
  for (const FailureKey& key : found.dialect->keys)
    if (const auto& part = block.at(key.part); part && !part->is_readable)
      throw Error(fmt::format("{} cannot be read: {}", part->word, quoted(part->text)),
                  "have the lines of several processes run into each other? print from one");
  const std::vector<std::string> missing = block.missing(*found.dialect);
  if (missing.empty()) return;
  throw Error(fmt::format("the block has no {}: it is half pasted", join_and(missing)),
              fmt::format("paste everything from '{}' to '{}'", found.dialect->keys.front().word,
                          found.dialect->keys.back().word));
}

std::optional<int> code_of(const FoundFailure& found, const std::vector<FailureCode>& codes) {
  const std::size_t begin = found.block().begin, end = found.block().end;
  const std::size_t from = found.chosen == 0 ? 0 : found.blocks[found.chosen - 1].end;
  const std::size_t to = found.chosen + 1 == found.blocks.size() ? SIZE_MAX : found.blocks[found.chosen + 1].begin;
  std::optional<int> before, behind;
  for (const FailureCode& code : codes) {
    if (code.at >= from && code.at < begin) before = code.code;
    if (code.at >= end && code.at < to && !behind) behind = code.code;
  }
  if (found.dialect->code_stands_before) return before ? before : behind;
  return behind ? behind : before;
}

// The program is the one whose words explain most of the text. The chosen block is complete and can be read. Throws
// Error with what it lacks, or if there is no block.
FoundFailure find_failure(std::string_view text) {
  const std::string clean = clean_failure_text(text);
  const std::vector<FailureCode> codes = find_failure_codes(clean);
  FoundFailure best;
  std::size_t best_score = 0;
  for (const FailureDialect& dialect : failure_dialects()) {
    std::vector<FailureBlock> blocks = find_failure_blocks(clean, dialect);
    if (blocks.empty()) continue;
    const std::size_t chosen = chosen_block(dialect, blocks, codes);
    const auto& dims = blocks[chosen].at(Part::dims);
    const bool opens = dialect.list_opens != 0 && dims && dims->opens == dialect.list_opens;
    const std::size_t score = 2 * blocks[chosen].part_count() + (opens ? 1 : 0);
    if (score <= best_score) continue;
    best_score = score;
    best = {&dialect, std::move(blocks), chosen, {}};
  }
  if (best.dialect == nullptr) throw_nothing(clean, codes);
  require_whole(best);
  best.code = code_of(best, codes);
  return best;
}

std::uint64_t number_of(std::string_view word, std::string_view text) {
  const bool is_negative = text.starts_with('-');
  try {
    const std::uint64_t magnitude = parse_unsigned(is_negative ? text.substr(1) : text, 64,
                                                   {"a number is expected here", "the driver takes 64 bits"});
    if (is_negative && magnitude > 1ULL << 63)
      throw Error(fmt::format("{} does not fit in 64 bits", quoted(text)), "the driver takes 64 bits");
    return is_negative ? 0 - magnitude : magnitude;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", word, error.message()), error.hint);
  }
}

// The entries of "128, 4, 1", between commas or between blanks.
Numbers numbers_of(const FailureValue& value) {
  const bool has_commas = value.text.find(',') != std::string::npos;
  Numbers numbers;
  for (std::string entry : split(value.text, has_commas ? ',' : ' ')) {
    const std::size_t first = entry.find_first_not_of(" \t");
    const bool is_empty = first == std::string::npos;
    if (is_empty && (!has_commas || numbers.empty())) continue;
    if (is_empty)
      throw Error(fmt::format("{}: an entry of {} is empty", value.word, quoted(value.text)),
                  "have the lines of several processes run into each other? print from one");
    entry = entry.substr(first, entry.find_last_not_of(" \t") - first + 1);
    numbers.push_back(number_of(value.word, entry));
  }
  return numbers;
}

std::uint64_t scalar_of(const FailureBlock& block, Part part) {
  const FailureValue& value = *block.at(part);
  return number_of(value.word, value.text);
}

// A number that the driver reads as 32 bits.
int int32_of(const FailureBlock& block, Part part) {
  const std::uint64_t value = scalar_of(block, part);
  const bool is_small_negative = value >= static_cast<std::uint64_t>(std::int64_t{INT32_MIN});
  if (value > UINT32_MAX && !is_small_negative)
    throw Error(fmt::format("{} = {} does not fit in 32 bits", block.at(part)->word, block.at(part)->text),
                "the driver takes 32 bits here");
  return static_cast<int>(static_cast<std::uint32_t>(value));
}

// A value of an enum, by its number, as 32 bits, or by its name.
template <class Enum>
Enum enum_of(const FailureBlock& block, Part part, Enum (*require)(std::string_view), Enum otherwise) {
  if (!block.at(part)) return otherwise;
  const std::string& text = block.at(part)->text;
  if (text.starts_with('-') || (text[0] >= '0' && text[0] <= '9')) return Enum{int32_of(block, part)};
  return require(text);
}

// Refuses a list that was printed as a pointer.
void refuse_pointer(const FailureValue& value, const FailureDialect& dialect) {
  if (dialect.list_opens == 0 || value.opens != 0 || !value.text.starts_with("0x")) return;
  throw Error(
      fmt::format("{} is {}: the program printed where the array lies, not what it holds", value.word, value.text),
      "print the entries, or give the arguments with --dims, --strides and --box");
}

// Copies the first `wanted` entries of a list, for a map of this rank.
template <class Number, std::size_t n>
void fill(std::array<Number, n>& to, const FailureValue& value, const Numbers& from, int wanted, int rank) {
  const std::size_t count = std::min(static_cast<std::size_t>(wanted), n);
  if (from.size() < count)
    throw Error(fmt::format("{} has {}; of rank {} it has {}", value.word, plural(ssize(from), "entry"), rank, wanted),
                "is the block pasted whole?");
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<Number>(from[i]);
}

// Bytes of an element as programs print them; 0 for less than one.
std::uint64_t printed_size(const TensorMapDataTypeRow& type) { return static_cast<std::uint64_t>(type.gmem_bits / 8); }

Numbers driver_strides(const FoundFailure& found, const TensorMap& map, PastedMap& pasted) {
  const FailureBlock& block = found.block();
  if (block.at(Part::driver_strides)) return numbers_of(*block.at(Part::driver_strides));
  refuse_pointer(*block.at(Part::strides), *found.dialect);
  Numbers strides = numbers_of(*block.at(Part::strides));
  if (!found.dialect->strides_begin_with_element || strides.empty()) return strides;

  const std::string_view word = block.at(Part::strides)->word;
  const TensorMapDataTypeRow* type = find_row(map.data_type);
  const bool is_size = type != nullptr && strides[0] == printed_size(*type);
  const bool has_no_size = !is_size && strides.size() == static_cast<std::size_t>(map.stride_count());
  pasted.notes.push_back(
      note("stride-entry-0",
           has_no_size
               ? fmt::format("{} has as many entries as the driver reads: none was taken for the element's size", word)
           : is_size
               ? fmt::format("entry 0 of {} is the element's size in bytes, {}: the driver reads the entries behind it",
                             word, strides[0])
               : fmt::format("entry 0 of {} is {}, which is not the element's size; it was ignored anyway: {} passes "
                             "the entries after it",
                             word, strides[0], found.dialect->program)));
  if (!has_no_size) strides.erase(strides.begin());
  return strides;
}

TensorMapDataType type_of_bytes(std::uint64_t bytes, PastedMap& pasted) {
  using enum TensorMapDataType;
  const TensorMapDataType type = bytes == 1 ? uint8 : bytes == 2 ? bfloat16 : bytes == 4 ? float32 : float64;
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
    throw Error(fmt::format("elem size: no element has {} bytes", bytes), "1, 2, 4 or 8");
  pasted.notes.push_back(note("element-size", fmt::format("{} prints the element's size, {} B, and not its type: "
                                                          "taken as {}, all types of this size have the same rules",
                                                          pasted.program, bytes, find_row(type)->name)));
  return type;
}

TensorMapSwizzle swizzle_of_bytes(std::uint64_t span, std::uint64_t atom) {
  using enum TensorMapSwizzle;
  if (atom != 0 && atom != 16 && !(span == 128 && atom == 32))
    throw Error(fmt::format("swizzle: {} with base {} is not a swizzle of TMA", span, atom), "the base is 0, 16 or 32");
  switch (span) {
    case 0:
    case 16: return none;
    case 32: return b32;
    case 64: return b64;
    case 128: return atom == 32 ? b128_atom_32 : b128;
    default: throw Error(fmt::format("swizzle: {} bytes is not a swizzle of TMA", span), "0, 32, 64 or 128");
  }
}

void read_map(const FoundFailure& found, PastedMap& pasted) {
  const FailureDialect& dialect = *found.dialect;
  const FailureBlock& block = found.block();
  TensorMap& map = pasted.map = dialect.unprinted;
  for (const Part part : {Part::dims, Part::box, Part::element_strides, Part::lower_corner, Part::upper_corner})
    if (block.at(part)) refuse_pointer(*block.at(part), dialect);
  map.rank =
      block.at(Part::rank) ? int32_of(block, Part::rank) : static_cast<int>(numbers_of(*block.at(Part::dims)).size());
  map.data_type = block.at(Part::element_bytes)
                      ? type_of_bytes(scalar_of(block, Part::element_bytes), pasted)
                      : enum_of(block, Part::type, require_tensor_map_data_type, map.data_type);
  const auto read = [&](Part part, auto& to) {
    fill(to, *block.at(part), numbers_of(*block.at(part)), map.dim_count(), map.rank);
  };
  read(Part::dims, map.dims);
  if (!block.is_im2col()) read(Part::box, map.box);
  if (block.at(Part::element_strides)) read(Part::element_strides, map.element_strides);
  const auto& strides = block.at(block.at(Part::driver_strides) ? Part::driver_strides : Part::strides);
  fill(map.strides, *strides, driver_strides(found, map, pasted), map.stride_count(), map.rank);
  pasted.has_address = block.at(Part::address).has_value();
  if (pasted.has_address) map.global_address = scalar_of(block, Part::address);
  map.interleave = enum_of(block, Part::interleave, require_tensor_map_interleave, map.interleave);
  map.l2_promotion = enum_of(block, Part::l2, require_tensor_map_l2_promotion, map.l2_promotion);
  map.oob_fill = enum_of(block, Part::oob, require_tensor_map_oob_fill, map.oob_fill);
  if (!dialect.counts_elements) {
    map.swizzle = enum_of(block, Part::swizzle, require_tensor_map_swizzle, map.swizzle);
    return;
  }
  map.swizzle = swizzle_of_bytes(scalar_of(block, Part::swizzle),
                                 block.at(Part::swizzle_atom) ? scalar_of(block, Part::swizzle_atom) : 0);
  // The program prints elements; the driver was given bytes.
  for (std::uint64_t& stride : map.strides) stride *= printed_size(*find_row(map.data_type));
}

// Reads the arguments that a block of cuTensorMapEncodeIm2col has instead of a box.
void read_im2col(const FoundFailure& found, PastedMap& pasted) {
  const FailureBlock& block = found.block();
  if (!block.is_im2col()) return;
  Im2colMap& map = pasted.im2col.emplace();
  map.tensor = pasted.map;
  for (const auto& [part, to] :
       {std::pair{Part::lower_corner, &map.lower_corner}, {Part::upper_corner, &map.upper_corner}})
    fill(*to, *block.at(part), numbers_of(*block.at(part)), map.corner_count(), map.tensor.rank);
  map.channels_per_pixel = scalar_of(block, Part::channels);
  map.pixels_per_column = scalar_of(block, Part::pixels);
}

void note_rest(const FoundFailure& found, PastedMap& pasted) {
  const FailureDialect& dialect = *found.dialect;
  const auto add = [&](Finding finding) { pasted.notes.push_back(std::move(finding)); };
  if (dialect.has_rubbish && pasted.map.rank >= 0 && pasted.map.rank < tensor_map_max_rank)
    add(note("beyond-rank",
             fmt::format("only the first {} entries were read: what {} prints after them lies beyond its arrays",
                         pasted.map.rank, dialect.program)));
  if (!dialect.unprinted_in_words.empty())
    add(note("not-printed", fmt::format("{} does not print every argument: it passes {}", dialect.program,
                                        dialect.unprinted_in_words)));
  if (const auto& where = found.block().at(Part::map_address)) {
    const std::uint64_t address = number_of(where->word, where->text);
    if (address % tensor_map_alignment != 0)
      add(note("tensor-map-64",
               fmt::format("the tensor map itself lies at {:#x}, which is not a multiple of 64: cuda.h demands "
                           "that, an H200's driver 580 does not check it",
                           address),
               "alignas(64) where it is declared; a copy of a kernel's parameters may lose it"));
  }
  if (found.blocks.size() < 2) return;
  const bool same = std::all_of(found.blocks.begin(), found.blocks.end(),
                                [&](const FailureBlock& other) { return found.block().says_the_same_as(other); });
  const std::string many = fmt::format("the text has {} blocks", found.blocks.size());
  if (same) return add(note("other-blocks", fmt::format("{} with the same arguments", many)));
  const std::string_view which = dialect.prints_every_map ? "the last one before the error" : "the first whole one";
  add(note("other-blocks", fmt::format("{} that differ; this is {}, number {}", many, which, found.chosen + 1),
           "paste only one of the others to check it"));
}

}  // namespace

PastedMap parse_failure_text(std::string_view text) {
  const FoundFailure found = find_failure(text);
  PastedMap pasted;
  pasted.program = found.dialect->program;
  pasted.blocks = static_cast<int>(found.blocks.size());
  pasted.code = found.code;
  read_map(found, pasted);
  read_im2col(found, pasted);
  note_rest(found, pasted);
  return pasted;
}

}  // namespace swz
