// SPDX-License-Identifier: Apache-2.0
// Any text as what people paste: an instruction, an element type, a swizzle mode, a target, a call of
// cuTensorMapEncodeTiled. An Error or a value, never a crash; a fragment that is named exists or is refused.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/error.hpp"
#include "fragment/instruction_text.hpp"
#include "tma/encode_call.hpp"

namespace {

template <class F>
void refuse_or(const F& f) {
  try {
    f();
  } catch (const swz::Error& e) {
    if (e.message().empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  refuse_or([&] {
    const auto said = swz::read_instruction(text);
    if (said && said->written.empty()) std::abort();
    if (said && said->kind == nullptr) swz::find_fragments({.name = said->name});
  });
  refuse_or([&] { swz::require_dtype(text); });
  refuse_or([&] { swz::require_swizzle_mode(text); });
  refuse_or([&] { swz::require_target(text); });
  refuse_or([&] {
    if (swz::holds_encode_call(text)) swz::parse_encode_call(text);
  });
  return 0;
}
