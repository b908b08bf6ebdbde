// swz decode WORD...: what a descriptor word or a tensor map says.
#include "view/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

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

struct Request {
  std::vector<std::string> words;
  std::string as;    // "smem", "idesc" or empty
  std::string kind;  // of the instruction descriptor, or empty
};

DecodedWord decode_as_smem(const std::string& text, const Request& request, const Target* target) {
  const std::uint64_t word = parse_word64(text);
  DecodedWord decoded{decode_smem(word, target), {}};
  if (looks_like_bare_hex(text))
    decoded.remarks.push_back(
        note("read-as-decimal", "16 digits without 0x were read as a decimal number", "hexadecimal: 0x" + text));
  if (request.as.empty() && word != 0 && (word >> 32) == 0)
    decoded.remarks.push_back(note("short-word", "the word fits in 32 bits and was read as a 64-bit descriptor",
                                   "an instruction descriptor is read with --as idesc"));
  return decoded;
}

DecodedWord decode_as_idesc(const std::string& text, const Request& request, const Target* target) {
  const MmaKindRow* kind = request.kind.empty() ? nullptr : &require_mma_kind(request.kind);
  return {decode_idesc(parse_word32(text), kind, target), {}};
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

// 16 words of 64 bits are a tensor map; another number of words that stand alone in their lines is none.
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

Decodable decodable(const Request& request, const Common& common) {
  constexpr std::size_t largest_dump = 1 << 16;
  const bool may_be_map = request.as.empty() && request.kind.empty();
  Decodable out;
  for (const std::string& given : request.words) {
    const bool is_file = given.starts_with('@');
    const std::string path = is_file ? given.substr(1) : "";
    const std::string text =
        is_file ? read_text(path, common,
                            {largest_dump, "a dump", "@ stands before the name of a file, or - for standard input"})
                : given;
    const std::vector<std::string> lines = is_file ? lines_of(path, text) : std::vector<std::string>{given};
    if (may_be_map && is_tensor_map(lines, text)) {
      if (request.words.size() > 1)
        throw Error("a tensor map is decoded alone", "one command for each", {}, ErrorKind::usage);
      out.map = parse_tensor_map(text);
      return out;
    }
    out.words.insert(out.words.end(), lines.begin(), lines.end());
  }
  return out;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const MmaKindRow& row : mma_kinds()) names.emplace_back(row.name);
  return names;
}

}  // namespace

Action define_decode(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("WORD", request->words, "words, 0x… or decimal; a tensor map: 256 digits, x/16gx; or @FILE")
      ->required();
  app.add_option("--as", request->as, "which word: smem (64 bits, default) or idesc (32 bits)")
      ->check(CLI::IsMember(std::vector<std::string>{"smem", "idesc"}));
  app.add_option("--kind", request->kind, "kind of tcgen05.mma that an instruction descriptor belongs to")
      ->check(CLI::IsMember(kind_names()));
  return [request, &common] {
    if (request->as == "smem" && !request->kind.empty())
      throw Error("--kind belongs to instruction descriptors", "leave it out, or use --as idesc", {},
                  ErrorKind::usage);
    const Decodable found = decodable(*request, common);
    if (found.map) {
      const DecodedTensorMap decoded = decode(*found.map);
      return Outcome{view_decoded_map(*found.map, decoded), 0, !decoded.problems.empty()};
    }
    const bool is_idesc = request->as == "idesc" || !request->kind.empty();
    const Target* target = common.arch.empty() ? nullptr : &require_target(common.arch);
    std::vector<DecodedWord> words;
    for (const std::string& text : found.words)
      words.push_back(is_idesc ? decode_as_idesc(text, *request, target) : decode_as_smem(text, *request, target));
    return Outcome{view_decoded(words), 0, has_lints(words)};
  };
}

}  // namespace swz
