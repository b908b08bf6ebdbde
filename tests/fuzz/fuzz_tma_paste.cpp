// SPDX-License-Identifier: Apache-2.0
// Any text as the block that a program printed when cuTensorMapEncodeTiled failed: an Error with a message, or a
// map whose verdict can be shown; what is accepted encodes and decodes to itself.
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
    return;
  }
  if (!is_accepted || target.name != "sm_90a") return;
  const swz::DecodedTensorMap again = swz::decode(swz::encode(pasted.map));
  if (!again.problems.empty() || !again.map || *again.map != swz::without_unused_entries(pasted.map)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const swz::PastedMap pasted = swz::parse_failure_text({reinterpret_cast<const char*>(data), size});
    if (pasted.blocks < 1 || pasted.program.empty()) std::abort();
    for (const char* name : {"sm_90a", "sm_100a"}) judge(pasted, swz::require_target(name));
  } catch (const swz::Error& e) {
    if (e.message().empty() || swz::render_error(e, swz::TextStyle{}).empty()) std::abort();
  }
  return 0;
}
