// SPDX-License-Identifier: Apache-2.0
// Composed layouts at their bounds: the highest and the lowest offset of a swizzle, elements of a pointer, both directions
// of a shift.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "layout/composed_layout.hpp"

using namespace swz;

namespace {

Layout mode_of(std::int64_t extent, std::int64_t stride) { return Layout(IntTuple(extent), IntTuple(stride)); }

template <class Make>
std::string error_of(Make make) {
  try {
    make();
  } catch (const Error& error) {
    return error.message();
  }
  return "none";
}

}  // namespace

TEST_CASE("swizzled offsets: from 0 to 2^62 - 1; without a swizzle any that 64 bits hold") {
  constexpr std::int64_t end = std::int64_t{1} << 62;
  const auto made = [](const Swizzle& s, std::int64_t offset, const Layout& l) {
    return error_of([&] { ComposedLayout(s, offset, l); });
  };
  const Swizzle s(3, 4, 3);
  CHECK(made(s, 0, mode_of(2, end - 1)) == "none");
  CHECK(made(s, 0, mode_of(2, end)) == "offset 4611686018427387904 is beyond 2^62");
  CHECK(made(s, 1, mode_of(2, end - 2)) == "none");
  CHECK(made(s, 1, mode_of(2, end - 1)) == "offset 4611686018427387904 is beyond 2^62");
  CHECK(made(s, end - 1, mode_of(2, -(end - 1))) == "none");
  CHECK(made(s, end, mode_of(2, -end)) == "offset 4611686018427387904 is beyond 2^62");
  CHECK(made(s, 5, mode_of(6, -1)) == "none");
  CHECK(made(s, 4, mode_of(6, -1)) == "Sw<3,4,3> would act on the negative offset -1");
  CHECK(made(s, -1, mode_of(6, 1)) == "Sw<3,4,3> would act on the negative offset -1");
  CHECK(made(Swizzle(), 4, mode_of(6, -1)) == "none");
  CHECK(made(Swizzle(), 0, mode_of(2, end)) == "none");
  // One mode up and one down: the span is counted once for each.
  const Layout both(std::vector<IntTuple>{2, 2}, std::vector<IntTuple>{8, -3});
  CHECK(made(s, 3, both) == "none");
  CHECK(made(s, 2, both) == "Sw<3,4,3> would act on the negative offset -1");
  // The span, highest - lowest + 1, is at most 2^63 - 1.
  CHECK(made(Swizzle(), 0, mode_of(2, INT64_MAX - 1)) == "none");
  CHECK(made(Swizzle(), 1, mode_of(2, INT64_MAX - 1)) != "none");
  CHECK(made(Swizzle(), 0, Layout(std::vector<IntTuple>{2, 2}, std::vector<IntTuple>{INT64_MAX - 3, -2})) == "none");
}

TEST_CASE("smem_ptr: elements of a power of two of bits, up to 2^20, that the swizzle keeps whole") {
  const auto made = [](const Swizzle& s, int bits) {
    return error_of([&] { ComposedLayout::smem_ptr(s, bits, mode_of(8, 1)); });
  };
  const Swizzle wide(1, 17, 3);  // moves pieces of 2^17 bytes, 2^20 bits
  CHECK(made(wide, 1 << 20) == "none");
  CHECK(made(Swizzle(1, 18, 3), 1 << 21) == "smem_ptr[2097152b]: an element of 2097152 bits has no address of its own");
  for (const int bits : {3, 6, 24}) CHECK(made(wide, bits) != "none");
  const Swizzle s(3, 4, 3);  // keeps 16 B whole
  for (const int bits : {1, 2, 4, 8, 16, 32, 64, 128}) {
    CHECK(made(s, bits) == "none");
    const ComposedLayout l = ComposedLayout::smem_ptr(s, bits, mode_of(8, 1));
    CHECK(l.swizzle() == s);
    CHECK(l.element_bits() == bits);
    // On elements: the same bits of the address, counted in elements.
    for (std::int64_t byte = 0; byte < 4096; byte += 16)
      CHECK(l.element_swizzle()(byte * 8 / bits) == s(byte) * 8 / bits);
  }
  CHECK(made(s, 256) == "Sw<3,4,3> moves 16-byte pieces and would tear elements of 256 bits apart");
  try {
    ComposedLayout::smem_ptr(s, 256, mode_of(8, 1));
  } catch (const Error& error) {
    CHECK(error.hint == "the widest element it keeps whole is 128 bits");
  }
}

TEST_CASE("all offsets at once are those of each coordinate, for shifts to both sides and any offset") {
  for (const int shift : {-4, -3, 3, 4})
    for (const int bits : {0, 1, 3})
      for (const std::int64_t offset : {0, 1, 7, 100}) {
        const ComposedLayout l(Swizzle(bits, 2, shift), offset,
                               Layout(std::vector<IntTuple>{16, 32}, std::vector<IntTuple>{1, 16}));
        std::vector<std::int64_t> all(512);
        tabulate(l, all);
        for (std::int64_t i = 0; i < 512; ++i) {
          const std::int64_t x = i + offset;
          // Sw<B,M,S>: bits M + S to M + S + B of x onto bits M to M + B, the other way for a negative S.
          const std::int64_t mask = ((std::int64_t{1} << bits) - 1) << (2 + std::max(shift, 0) - std::min(shift, 0));
          const std::int64_t low = ((std::int64_t{1} << bits) - 1) << 2;
          const std::int64_t right = shift > 0 ? x ^ ((x & mask) >> shift) : x ^ ((x & low) << -shift);
          REQUIRE(all[static_cast<std::size_t>(i)] == right);
          REQUIRE(l(i) == right);
        }
      }
}

TEST_CASE("a slice begins where its coordinate lies, under the same swizzle") {
  const ComposedLayout l(Swizzle(2, 2, 3), 4, Layout(std::vector<IntTuple>{8, 16}, std::vector<IntTuple>{16, 1}));
  for (std::int64_t row = 0; row < 8; ++row) {
    const ComposedLayout line = slice(l, std::vector<IntTuple>{row, IntTuple::underscore()});
    REQUIRE(line.size() == 16);
    for (std::int64_t k = 0; k < 16; ++k) REQUIRE(line(k) == l(row + 8 * k));
    CHECK(line.offset() == 4 + 16 * row);
  }
}
