// SPDX-License-Identifier: Apache-2.0
// Reasons at their bounds: where shared memory ends, and swizzles that are written in the other form.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <bit>
#include <string>

#include "descriptor/layout_descriptor.hpp"
#include "expr/evaluate.hpp"

namespace swz {
namespace {

TEST_CASE("a swizzle that would be a mode in the other form, of elements or of bytes") {
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (mode.bits == 0 || mode.family == SwizzleFamily::chunk_32) continue;
    // 16 bytes are 2^(7 - log2 bits) elements.
    for (const int bits : {4, 16, 32}) {
      const int log2_bits = std::countr_zero(static_cast<unsigned>(bits));
      const std::string elements = fmt::format("Sw<{},{},3>", mode.bits, 7 - log2_bits),
                        bytes = fmt::format("Sw<{},4,3>", mode.bits);
      CAPTURE(elements);
      const auto told = [&](const std::string& written) {
        const DType& dtype = require_dtype(bits == 4 ? "e2m1" : bits == 16 ? "f16" : "tf32");
        const LayoutDescriptors answer =
            layout_descriptors({parse_layout(written), &require_target("sm_100a"), &dtype, Packing::packed, Major::K});
        return answer.descriptors ? "mode " + std::string(answer.mode->name) : answer.reason;
      };
      // Rows as long as the span of the mode.
      const std::int64_t row = mode.span.count * 8 / bits;
      const std::string layout = fmt::format("(8,{}):({},1)", row, row);
      CHECK(told(fmt::format("{} o 0 o {}", elements, layout)) == fmt::format("mode {}", mode.name));
      CHECK(told(fmt::format("{} o smem_ptr[{}b](unset) o {}", bytes, bits, layout)) ==
            fmt::format("mode {}", mode.name));
      // Elements in the place of bytes.
      CHECK(told(fmt::format("{} o smem_ptr[{}b](unset) o {}", elements, bits, layout)) ==
            fmt::format("{} on bytes is the swizzle of no hardware mode; it is the element form of mode {}, which "
                        "smem_ptr writes {}",
                        elements, mode.name, bytes));
      // Bytes in the place of elements; on bytes they are (bits / 8) times as far.
      CHECK(told(fmt::format("{} o 0 o {}", bytes, layout)) ==
            fmt::format("{} on elements is Sw<{},{},3> on bytes, the swizzle of no hardware mode; it is the byte form "
                        "of mode {}, which elements of {} bits write {}",
                        bytes, mode.bits, 1 + log2_bits, mode.name, bits, elements));
    }
  }
}

TEST_CASE("an operand that ends with shared memory, and one that ends 16 B after it") {
  // Two core matrices of 8 x 8 f16, 256 B.
  LayoutOperand o{parse_layout("(8,(8,2)):(8,(1,64))"), &require_target("sm_90a"), &require_dtype("f16"),
                  Packing::packed, Major::K};
  const auto reason = [&](std::int64_t base) {
    o.base = Bytes{base};
    const LayoutDescriptors answer = layout_descriptors(o);
    return answer.descriptors ? "mode " + std::string(answer.mode->name) : answer.reason;
  };
  CHECK(reason(0) == "mode none");
  CHECK(reason(233472 - 256) == "mode none");
  CHECK(reason(233472 - 240) ==
        "element (7,8) lies 120 elements from the base 0x38f10, outside of the 233472 B of shared memory");
}

TEST_CASE("an operand that begins at address 0, and one that begins an element before it") {
  LayoutOperand o{parse_layout("(8,16):(-7,1)"), &require_target("sm_90a"), &require_dtype("f16"), Packing::packed,
                  Major::K};
  o.base = Bytes{96};  // 48 elements; the last row begins 49 before the base
  CHECK(layout_descriptors(o).reason ==
        "element (7,0) lies -49 elements from the base 0x60, outside of the 233472 B of shared memory");
  o.base = Bytes{112};
  CHECK_FALSE(layout_descriptors(o).reason.starts_with("element "));
}

}  // namespace
}  // namespace swz
