// SPDX-License-Identifier: Apache-2.0
// Any text as a C expression of an address: an Error or a value at every address, never a crash; where it is read
// as an affine map it is one, and its lint can be shown.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "expr/c_expression.hpp"
#include "render/json.hpp"
#include "render/text.hpp"
#include "view/layout/swizzle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const swz::CExpression f(text);
    swz::SwizzleLintRequest request{f};
    if (f.has_coordinates()) {
      request.rows = 8;
      request.cols = 16;
    } else {
      request.inputs = 256;
    }
    const auto map = swz::affine_of(f, f.has_coordinates() ? 7 : 8, f.has_coordinates() ? 4 : 0);
    for (std::uint64_t x = 0; map && x < std::uint64_t{1} << map->linear.bits(); ++x)
      if ((*map)(x) != (f.has_coordinates() ? f(x / 16, x % 16) : f(x))) std::abort();
    const swz::Document d = swz::view_swizzle_lint(swz::lint_swizzle(request), nullptr);
    if (swz::render_text(d, swz::TextStyle{}).empty() || !swz::Json::parse(swz::json_text(d)).is_object()) std::abort();
  } catch (const swz::Error& e) {
    if (e.message().empty() || e.span.begin > size || swz::render_error(e, swz::TextStyle{}).empty()) std::abort();
  }
  return 0;
}
