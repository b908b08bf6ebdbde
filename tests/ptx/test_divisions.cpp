// SPDX-License-Identifier: Apache-2.0
// Divisions that compilers write as multiplications: what is taken for x / d and x % d is that for every x, and what is not
// exactly that is left as it is.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ptx/values.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

struct Found {
  bool is_quotient = false, is_remainder = false;
};

// x of w bits, x * m >> s in `wide` bits, and x - d * that.
Found found_in(int w, int wide, std::uint64_t m, int s, std::uint64_t d) {
  const PtxModule module = read_ptx(
      fmt::format(".version 8.5\n.target sm_90\n.entry k(.param .u64 p)\n{{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                  "ld.param.u{0} %rd1, [p]; mul.lo.u{1} %rd2, %rd1, {2}; shr.u{1} %rd3, %rd2, {3}; mul.lo.u{1} %rd4, "
                  "%rd3, {4}; sub.u{1} %rd5, %rd1, %rd4;\nret;\n}}\n",
                  w, wide, m, s, d));
  const PtxValues values(module, module.kernels[0], {});
  const auto result = [&](std::size_t instruction) -> const PtxValue& {
    return values[values.of_operand(module.kernels[0].instructions[instruction], 0)];
  };
  const auto divides_by_d = [&](const PtxValue& value) { return values.number_of(value.b) == d; };
  return {result(2).op == ValueOp::divide && divides_by_d(result(2)),
          result(4).op == ValueOp::remainder && divides_by_d(result(4))};
}

// Whether the formula is x / d for all x of w bits: each of them, of 32 bits those beside a multiple of d where an error shows
// first, which is at the end.
bool is_division(int w, int wide, std::uint64_t m, int s, std::uint64_t d) {
  const auto holds = [&](std::uint64_t x) { return (x * m & low_mask(wide)) >> s == x / d; };
  const std::uint64_t all = low_mask(w);
  if (w <= 16) {
    for (std::uint64_t x = 0; x <= all; ++x)
      if (!holds(x)) return false;
    return true;
  }
  const std::uint64_t last = all - all % d;
  for (std::uint64_t i = 0; i < 2000; ++i)
    for (const std::uint64_t multiple : {last - i * d, i * d, d * (i * 2654435761 % (all / d))})
      if (multiple <= all && (!holds(multiple) || !holds(multiple - (multiple > 0)))) return false;
  return holds(all);
}

TEST_CASE("a multiplication is taken for a division by a constant only where it is one") {
  Sweep every{5};
  int taken = 0, refused = 0;
  for (const std::pair<int, int>& widths :
       {std::pair(8, 32), std::pair(16, 32), std::pair(16, 64), std::pair(32, 64)}) {
    const int w = widths.first, wide = widths.second;
    for (std::uint64_t d = 3; d < 1000; d = d < 20 ? d + 1 : d * 13 / 9)
      for (int s = w; s < std::min(wide, w + 14); s += 3)
        for (int off = -1; off <= 1; ++off) {
          if (!every.takes()) continue;
          const std::uint64_t m = ((std::uint64_t{1} << s) + d - 1) / d + static_cast<std::uint64_t>(off);
          if (m < 2 || (m & (m - 1)) == 0) continue;
          const Found found = found_in(w, wide, m, s, d);
          CAPTURE(w);
          CAPTURE(wide);
          CAPTURE(d);
          CAPTURE(s);
          CAPTURE(m);
          CHECK(found.is_remainder == found.is_quotient);
          if (found.is_quotient) CHECK(is_division(w, wide, m, s, d));
          ++(found.is_quotient ? taken : refused);
        }
  }
  CHECK(taken > at_least(100, 5));
  CHECK(refused > at_least(100, 5));
}

TEST_CASE("the divisions that nvcc writes are known") {
  CHECK(found_in(16, 32, 43691, 17, 3).is_remainder);  // mul.wide.u16 -21845, shr.u32 17
  CHECK(found_in(32, 64, 2863311531, 33, 3).is_remainder);
  CHECK(found_in(32, 64, 3435973837, 34, 5).is_remainder);
}

TEST_CASE("a product that wraps is not a division") {
  CHECK(!found_in(32, 64, std::uint64_t{1} << 40, 62, std::uint64_t{1} << 22).is_quotient);
  CHECK(!found_in(16, 16, 43691, 15, 3).is_quotient);
}

}  // namespace
}  // namespace swz
