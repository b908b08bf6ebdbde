// swz decode WORD...: what a descriptor word or a tensor map says.
#include "view/decode.hpp"

#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "descriptor/word.hpp"
#include "tma/tensor_map_text.hpp"
#include "view/tensor_map.hpp"

namespace swz {
namespace {

struct Request {
  std::vector<std::string> words;
  std::string as;    // "smem", "idesc" or empty
  std::string kind;  // of the instruction descriptor, or empty
};

Note remark(std::string rule, std::string message, std::string hint) {
  return {Note::Kind::note, std::move(rule), std::move(message), std::move(hint)};
}

DecodedWord decode_as_smem(const std::string& text, const Request& request, const Target* target) {
  const std::uint64_t word = parse_word64(text);
  DecodedWord decoded{decode_smem(word, target), {}};
  if (looks_like_bare_hex(text))
    decoded.remarks.push_back(
        remark("read-as-decimal", "16 digits without 0x were read as a decimal number", "hexadecimal: 0x" + text));
  if (request.as.empty() && word != 0 && (word >> 32) == 0)
    decoded.remarks.push_back(remark("short-word", "the word fits in 32 bits and was read as a 64-bit descriptor",
                                     "an instruction descriptor is read with --as idesc"));
  return decoded;
}

DecodedWord decode_as_idesc(const std::string& text, const Request& request, const Target* target) {
  const MmaKindRow* kind = request.kind.empty() ? nullptr : &require_mma_kind(request.kind);
  return {decode_idesc(parse_word32(text), kind, target), {}};
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const MmaKindRow& row : mma_kinds()) names.emplace_back(row.name);
  return names;
}

}  // namespace

Action define_decode(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("WORD", request->words,
                 "words, 0x…, 0b… or decimal; or a tensor map: 256 digits, x/16gx")
      ->required();
  app.add_option("--as", request->as, "which word: smem (64 bits, default) or idesc (32 bits)")
      ->check(CLI::IsMember(std::vector<std::string>{"smem", "idesc"}));
  app.add_option("--kind", request->kind, "kind of tcgen05.mma that an instruction descriptor belongs to")
      ->check(CLI::IsMember(kind_names()));
  return [request, &common] {
    if (request->as == "smem" && !request->kind.empty())
      throw Error("--kind belongs to instruction descriptors", "leave it out, or use --as idesc", {},
                  ErrorKind::usage);
    if (request->words.size() == 1 && looks_like_tensor_map(request->words[0])) {
      const EncodedTensorMap encoded = parse_tensor_map(request->words[0]);
      const DecodedTensorMap decoded = decode(encoded);
      return Outcome{view_decoded_map(encoded, decoded), 0, !decoded.problems.empty()};
    }
    const bool is_idesc = request->as == "idesc" || !request->kind.empty();
    const Target* target = common.arch.empty() ? nullptr : &require_target(common.arch);
    std::vector<DecodedWord> words;
    for (const std::string& text : request->words)
      words.push_back(is_idesc ? decode_as_idesc(text, *request, target) : decode_as_smem(text, *request, target));
    return Outcome{view_decoded(words), 0, has_lints(words)};
  };
}

}  // namespace swz
