// SPDX-License-Identifier: Apache-2.0
// Any text as the block that a program printed when cuTensorMapEncodeTiled failed: an Error with a message, or a
// map whose verdict can be shown; what is accepted encodes and decodes to itself. Any 128 bytes as a tiled and as an
// im2col map: its view can be made, and without a problem they are the map's words again.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "tma/failure_text.hpp"
#include "view/tma/tma.hpp"

namespace {

void judge(const swz::PastedMap& pasted, const swz::Target& target) {
  swz::TensorMapVerdict verdict{pasted.map, &target, violations(pasted.map, target), remarks(pasted.map, target),
                                pasted};
  const bool is_accepted = verdict.violations.empty();
  if (is_accepted != swz::is_accepted(pasted.map, target)) std::abort();
  if (pasted.code) verdict.result = swz::explain_result(*pasted.code, pasted.map, is_accepted);
  const swz::Document document = swz::view_verdict(verdict);
  if (swz::render_text(document, {true, 80}).empty() || !swz::Json::parse(swz::json_text(document)).is_object())
    std::abort();
  if (pasted.im2col) {
    const swz::Im2colVerdict im2col{*pasted.im2col, &target, violations(*pasted.im2col, target),
                                    remarks(*pasted.im2col, target), pasted};
    if (!swz::Json::parse(swz::json_text(swz::view_verdict(im2col))).is_object()) std::abort();
    if (im2col.violations.empty() && !pasted.im2col->wide && target.name == "sm_90a") {
      const swz::EncodedTensorMap words = swz::encode_im2col(*pasted.im2col);
      const swz::DecodedIm2colMap again = swz::decode_im2col(words);
      if (!again.problems.empty() || !again.map || swz::encode_im2col(*again.map) != words) std::abort();
    }
    return;
  }
  if (!is_accepted || target.name != "sm_90a") return;
  const swz::DecodedTensorMap again = swz::decode(swz::encode(pasted.map));
  if (!again.problems.empty() || !again.map || *again.map != swz::without_unused_entries(pasted.map)) std::abort();
}

// The words of the map that was decoded are those that were read, unless something was said of them.
template <class Decoded, class Encode>
void show(const swz::EncodedTensorMap& words, const Decoded& decoded, const Encode& encode) {
  const swz::Document d = swz::view_decoded_map(words, decoded, {});
  if (swz::render_text(d, {true, 80}).empty() || !swz::Json::parse(swz::json_text(d)).is_object()) std::abort();
  if (!decoded.map && decoded.problems.empty()) std::abort();
  if (decoded.map && decoded.problems.empty() && encode(*decoded.map) != words) std::abort();
}

void decode_bytes(const std::uint8_t* data, std::size_t size) {
  std::array<std::uint8_t, 128> bytes = {};
  std::copy_n(data, std::min(size, bytes.size()), bytes.begin());
  const swz::EncodedTensorMap words = swz::from_bytes(bytes);
  show(words, swz::decode(words), [](const swz::TensorMap& map) { return swz::encode(map); });
  show(words, swz::decode_im2col(words), [&](const swz::Im2colMap& map) {
    swz::EncodedTensorMap again = swz::encode_im2col(map);
    again.words[1] ^= swz::is_im2col(words) ? 0 : 1;  // the bit was not looked at
    return again;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  decode_bytes(data, size);
  try {
    const swz::PastedMap pasted = swz::parse_failure_text({reinterpret_cast<const char*>(data), size});
    if (pasted.blocks < 1 || pasted.program.empty()) std::abort();
    for (const char* name : {"sm_90a", "sm_100a"}) judge(pasted, swz::require_target(name));
  } catch (const swz::Error& e) {
    if (e.message().empty() || swz::render_error(e, swz::TextStyle{}).empty()) std::abort();
  }
  return 0;
}
