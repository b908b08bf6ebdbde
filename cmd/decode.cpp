// swz decode WORD...: what a descriptor word or a tensor map says.
#include "view/decode.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/split.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "descriptor/word.hpp"
#include "input.hpp"
#include "tma/tensor_map_text.hpp"
#include "view/tensor_map.hpp"

namespace swz {
namespace {

enum class As { smem, idesc };

struct Request {
  Words words;  // a word, a tensor map or @FILE each: its text shows which
  std::optional<As> as;
  const MmaKindRow* kind = nullptr;  // of an instruction descriptor

  bool is_idesc() const { return as == As::idesc || kind != nullptr; }
};

Options options_of(Request& r) {
  std::vector<std::pair<std::string, const MmaKindRow*>> kinds;
  for (const MmaKindRow& row : mma_kinds()) kinds.emplace_back(row.name, &row);
  return {argument("WORD", r.words, "words, 0x… or decimal; a tensor map: 256 digits, x/16gx; or @FILE")
              .required()
              .repeated(limits::words),
          one_of<As>("--as", "WHAT", r.as, {{"smem", As::smem}, {"idesc", As::idesc}},
                     "which word: smem (64 bits) or idesc (32 bits)")
              .by_default_note("smem"),
          one_of<const MmaKindRow*>("--kind", "KIND", r.kind, std::move(kinds),
                                    "kind of tcgen05.mma that an instruction descriptor belongs to")};
}

void validate(const Request& r) {
  if (r.as == As::smem && r.kind != nullptr)
    throw usage_error("--kind belongs to instruction descriptors", "leave it out, or use --as idesc");
}

DecodedWord decode_as_smem(const std::string& text, const Request& request, const Target* target) {
  WordText read;
  read_value(text, read);
  const std::uint64_t word = read.word;
  DecodedWord decoded{decode_smem(word, target), {}, read_as(read)};
  if (!request.as && word != 0 && (word >> 32) == 0)
    decoded.remarks.push_back(note("short-word", "the word fits in 32 bits and was read as a 64-bit descriptor",
                                   "an instruction descriptor is read with --as idesc"));
  return decoded;
}

DecodedWord decode_as_idesc(const std::string& text, const Request& request, const Target* target) {
  return {decode_idesc(parse_word32(text), request.kind, target), {}};
}

// The lines of a file, without comments and blanks around them.
std::vector<std::string> lines_of(const std::string& path, const std::string& text) {
  std::vector<std::string> lines;
  for (std::string line : split(text, '\n')) {
    line.erase(std::min(line.find('#'), line.size()));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string::npos) lines.push_back(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
  }
  if (lines.empty())
    throw Error(fmt::format("{} holds no word", path == "-" ? "standard input" : swz::quoted(path)),
                "a word in each line, or a tensor map");
  return lines;
}

// 16 words of 64 bits are a tensor map; any other number of words, each alone on its line, is not.
bool is_tensor_map(const std::vector<std::string>& lines, const std::string& text) {
  if (!looks_like_tensor_map(text)) return false;
  constexpr std::size_t longest_word = 20;
  const bool are_words = std::all_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.size() <= longest_word && line.find_first_of(" \t:,") == std::string::npos;
  });
  return !are_words || holds_tensor_map(text);
}

// What is to be decoded: words, or one tensor map.
struct Decodable {
  std::vector<std::string> words;
  std::optional<EncodedTensorMap> map;
};

Decodable decodable(const Request& request, const Context& context) {
  const bool may_be_map = !request.as && request.kind == nullptr;
  Decodable out;
  for (const std::string& given : request.words) {
    const bool is_file = given.starts_with('@');
    const std::string path = is_file ? given.substr(1) : "";
    const std::string text = is_file ? read_text(path, context,
                                                 {limits::dump_bytes.most, "a dump",
                                                  "prefix a file name with @, or give @- for standard input"})
                                     : given;
    const std::vector<std::string> lines = is_file ? lines_of(path, text) : std::vector<std::string>{given};
    if (may_be_map && is_tensor_map(lines, text)) {
      if (request.words.size() > 1) throw usage_error("a tensor map is decoded alone", "one command for each");
      out.map = parse_tensor_map(text);
      return out;
    }
    out.words.insert(out.words.end(), lines.begin(), lines.end());
  }
  require_within(limits::words, static_cast<std::int64_t>(out.words.size()));
  return out;
}

Answer answer(const Request& r, const Context& context) {
  const Decodable found = decodable(r, context);
  if (found.map) {
    const DecodedTensorMap decoded = decode(*found.map);
    return {view_decoded_map(*found.map, decoded), 0, !decoded.problems.empty()};
  }
  std::vector<DecodedWord> words;
  for (const std::string& text : found.words)
    words.push_back(r.is_idesc() ? decode_as_idesc(text, r, context.arch) : decode_as_smem(text, r, context.arch));
  return {view_decoded(words), 0, has_lints(words)};
}

}  // namespace

Command decode_command() {
  return {.name = "decode",
          .summary = "what a descriptor word says, and what is wrong with it",
          .details = R"(Reads 64-bit shared-memory descriptors (wgmma, tcgen05) and 32-bit tcgen05
instruction descriptors: every field with its bits, its raw value, its value
with a unit, and lints with a way out.

Without --arch the word itself decides which format it is; where both can be
read, both are shown. Two words are also compared field by field.

A tensor map (CUtensorMap) is read from its 128 bytes: 256 hexadecimal digits in
memory order, or what cuda-gdb prints for x/16gx or x/32wx, as one argument.

@FILE stands for the contents of a file (@- for standard input): a tensor map,
or words, one on each line; # begins a comment.)",
          .examples = {{"swz decode 0x4000004000010042", "the fields and lints of a wgmma descriptor"},
                       {"swz decode 0x4000404000010042 --arch sm_100a", "a tcgen05 descriptor"},
                       {"swz decode --as idesc --kind f16 0x08200490", "a 32-bit instruction descriptor"},
                       {"swz decode @dump.txt", "a tensor map from a file, or words"}},
          .prepare = [] { return prepare(options_of, answer, validate); }};
}

}  // namespace swz
