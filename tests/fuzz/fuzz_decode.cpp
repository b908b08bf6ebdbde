// Any text as a descriptor word, and any 8 bytes as a word: an Error or a decoding, never a crash; what is decoded
// encodes to the same word again wherever the word is a proper one, and its views can be made.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "descriptor/word.hpp"
#include "render/error.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "view/decode.hpp"

namespace {

void show(swz::DecodedWord word) {
  const swz::Document d = swz::view_decoded({word, word});
  if (swz::render_text(d, swz::TextStyle{}).empty() || !swz::Json::parse(swz::json_text(d)).is_object()) std::abort();
}

void decode(std::uint64_t word) {
  show({swz::decode_smem(word), {}});
  show({swz::decode_idesc(static_cast<std::uint32_t>(word)), {}});
  for (const char* name : {"sm_90a", "sm_100a", "sm_103a", "sm_110a"}) {
    const swz::Target& target = swz::require_target(name);
    const swz::SmemDescriptor d(word, target);
    if (d.word() != word) std::abort();
    const auto values = d.values();
    if (!values || d.reserved_set() != 0) continue;
    if (values->absolute_lbo && !target.has_absolute_lbo) continue;  // decoded and linted, but not to be made
    // Everything but a wrong version survives the round trip.
    const swz::SmemDescriptor again = swz::SmemDescriptor::encode(*values, target);
    const std::uint64_t version = std::uint64_t{7} << 46;
    if (((again.word() ^ word) & ~version) != 0) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    decode(swz::parse_word64(text));
  } catch (const swz::Error& e) {
    if (e.message().empty() || swz::render_error(e, swz::TextStyle{}).empty()) std::abort();
  }
  if (size >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, 8);
    decode(word);
  }
  return 0;
}
