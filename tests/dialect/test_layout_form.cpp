// SPDX-License-Identifier: Apache-2.0
// The common form: all ways to ask it for its function agree at every coordinate.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "dialect/layout_form.hpp"
#include "expr/evaluate.hpp"

using namespace swz;

namespace {

SharedForm form_of(ArrayShape shape, const char* layout) {
  return shared_form(std::move(shape), {}, parse_layout(layout));
}

std::vector<std::int64_t> values_of(const SharedForm& form) { return offsets_of(form); }

}  // namespace

TEST_CASE("elements are numbered row by row") {
  const ArrayShape shape{2, 3, 4};
  for (std::int64_t i = 0; i < 24; ++i) CHECK(number_of(coordinate_of(i, shape), shape) == i);
  CHECK(coordinate_of(1 * 12 + 2 * 4 + 3, shape) == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("the worked example of the head") {
  const SharedForm form = form_of({128, 32}, "Sw<2,3,3> o 0 o (128,32):(32,1)");
  const std::vector<std::int64_t> offsets = offsets_of(form);
  CHECK(offsets[1 * 32 + 8] == 40);
  CHECK(offsets[2 * 32 + 8] == 64);
  for (std::int64_t r = 0; r < 128; ++r)
    for (std::int64_t c = 0; c < 32; ++c)
      CHECK(offsets[static_cast<std::size_t>(r * 32 + c)] == r * 32 + (c ^ ((r / 2 % 4) * 8)));
}

TEST_CASE("linear and composed forms are the same function as the offsets, for random linear maps and layouts") {
  std::mt19937_64 random(7);
  int composed = 0;
  for (int round = 0; round < 3000; ++round) {
    const int row_bits = static_cast<int>(random() % 5), column_bits = 1 + static_cast<int>(random() % 5);
    const int bits = row_bits + column_bits;
    std::vector<std::uint64_t> columns(static_cast<std::size_t>(bits));
    for (int i = 0; i < bits; ++i) columns[static_cast<std::size_t>(i)] = std::uint64_t{1} << i;
    std::shuffle(columns.begin(), columns.end(), random);
    if (round % 3 != 0) {
      const int shift = 1 + static_cast<int>(random() % 4);
      const Swizzle swizzle(1 + static_cast<int>(random() % static_cast<unsigned>(shift)),
                            static_cast<int>(random() % 4), round % 2 == 0 ? shift : -shift);
      for (std::uint64_t& c : columns) c = static_cast<std::uint64_t>(swizzle(static_cast<std::int64_t>(c)));
    }
    if (round % 5 == 0) columns[0] ^= columns[random() % columns.size()] ^ 1;
    const ArrayShape shape{std::int64_t{1} << row_bits, std::int64_t{1} << column_bits};
    const LinearMap map(columns);
    const SharedForm form = shared_form(shape, {}, map);
    const auto layout = as_composed(form);
    if (round % 5 != 0) REQUIRE(layout);
    if (!layout) continue;
    ++composed;
    const SharedForm back = shared_form(shape, {}, *layout);
    REQUIRE(values_of(back) == values_of(form));
    const auto linear = as_linear(back);
    REQUIRE(linear);
    CHECK(*linear == map);
  }
  CHECK(composed > 2400);
}

TEST_CASE("an array of one dimension with several strides is one dimension") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 1000; ++round) {
    std::vector<std::int64_t> bits{1, 2, 4, 8, 16, 32};
    std::shuffle(bits.begin(), bits.end(), random);
    std::vector<std::int64_t> offsets;
    for (std::int64_t x = 0; x < 64; ++x) {
      std::int64_t offset = 0;
      for (std::size_t b = 0; b < 6; ++b) offset += (x >> b & 1) * bits[b];
      offsets.push_back(offset);
    }
    const SharedForm form = shared_form({64}, {}, offsets);
    REQUIRE(values_of(form) == offsets);
    const auto linear = as_linear(form);
    REQUIRE(linear);
    REQUIRE(values_of(shared_form({64}, {}, *linear)) == offsets);
    const auto layout = as_composed(form);
    REQUIRE(layout);
    CHECK(rank(layout->layout()) == 1);
    REQUIRE(values_of(shared_form({64}, {}, *layout)) == offsets);
  }
}

TEST_CASE("padding: intervals and amounts come back from the strides") {
  std::mt19937_64 random(8);
  for (int round = 0; round < 2000; ++round) {
    const int bits = 2 + static_cast<int>(random() % 8), row_bits = static_cast<int>(random()) & 1;
    std::vector<std::uint64_t> columns(static_cast<std::size_t>(bits));
    for (int i = 0; i < bits; ++i) columns[static_cast<std::size_t>(i)] = std::uint64_t{1} << i;
    std::shuffle(columns.begin(), columns.end(), random);
    SharedForm form =
        shared_form({std::int64_t{1} << row_bits, std::int64_t{1} << (bits - row_bits)}, {}, LinearMap(columns));
    for (int i = 1; i < bits; ++i)
      if (random() % 3 == 0)
        form.padding.push_back({std::int64_t{1} << i, 1 + static_cast<std::int64_t>(random() % 16)});
    const auto layout = as_composed(form);
    REQUIRE(layout);
    const SharedForm strided = shared_form(form.shape, {}, *layout);
    REQUIRE(values_of(strided) == values_of(form));
    const auto padded = as_padded(strided);
    REQUIRE(padded);
    CHECK(padded->columns == columns);
    CHECK(padded->padding == form.padding);
  }
}

TEST_CASE("what is not one swizzle after strides has no composed form") {
  // A rotation.
  std::vector<std::int64_t> rotated;
  for (std::int64_t r = 0; r < 32; ++r)
    for (std::int64_t c = 0; c < 32; ++c) rotated.push_back(r * 32 + (c + r) % 32);
  SharedForm form{{32, 32}, {}, rotated, {}, {}};
  CHECK_FALSE(as_linear(form));
  CHECK_FALSE(as_composed(form));
  CHECK(is_injective(form));
  // Two XORs of different distance.
  CHECK_FALSE(composed_of(LinearMap({1, 2, 4, 8 ^ 1, 16 ^ 1, 32}), {8, 8}));
  // Padding after a swizzle.
  form = form_of({8, 8}, "Sw<1,1,3> o 0 o (8,8):(8,1)");
  form.padding = {{8, 2}};
  CHECK_FALSE(as_composed(form));
}

TEST_CASE("extents that are no powers of two keep their strides and their swizzle") {
  for (const char* text : {"(48,64):(64,1)", "(48,64):(72,1)", "Sw<3,3,3> o 0 o (48,64):(64,1)",
                           "Sw<2,3,3> o 0 o (24,(32,3)):(32,(1,768))"}) {
    CAPTURE(text);
    const ComposedLayout layout = parse_layout(text);
    const ArrayShape shape{size(mode(layout.layout(), 0)), size(mode(layout.layout(), 1))};
    const SharedForm form = shared_form(shape, {}, layout);
    SharedForm table{shape, {}, offsets_of(form), {}, {}};
    const auto found = as_composed(table);
    REQUIRE(found);
    CHECK(values_of(shared_form(shape, {}, *found)) == values_of(form));
  }
}

TEST_CASE("registers: bases and layout are the same function; numbers are row by row, thread by thread") {
  // mma.m16n8k16 accumulators, as bases (row, column).
  const RegisterBases bases{{{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {}};
  const RegisterForm form = register_form({16, 8}, {}, bases);
  CHECK(to_string(form.layout) == "((4,8),(2,2)):((32,1),(16,8))");
  const std::vector<std::int64_t> numbers = numbers_of(form);
  for (std::int64_t t = 0; t < 32; ++t)
    for (std::int64_t v = 0; v < 4; ++v)
      CHECK(numbers[static_cast<std::size_t>(t * 4 + v)] == (t / 4 + v / 2 * 8) * 8 + t % 4 * 2 + v % 2);
  const auto back = as_bases(form);
  REQUIRE(back);
  CHECK(back->value == bases.value);
  CHECK(back->thread == bases.thread);
  CHECK_THROWS_WITH(register_form({16, 8}, {}, {{{0, 1}, {0, 1}}, {}, {}}),
                    "the basis [0, 1] moves a bit of dimension 1 that another one moves");
  CHECK_THROWS_WITH(register_form({16, 8}, {}, {{{0, 8}}, {}, {}}), "the basis [0, 8] leaves the array 16x8");
}
