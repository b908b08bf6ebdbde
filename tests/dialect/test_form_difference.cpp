// SPDX-License-Identifier: Apache-2.0
// Two layouts of any notation as functions of the array, and which fragment a register layout is.
#include <doctest/doctest.h>

#include <algorithm>

#include "arch/instruction.hpp"
#include "dialect/form_difference.hpp"
#include "dialect/fragment_match.hpp"
#include "expr/evaluate.hpp"
#include "layout/algebra.hpp"

using namespace swz;

namespace {

SharedForm shared_of(const char* text, ArrayShape shape) {
  return shared_form(std::move(shape), {}, parse_layout(text));
}

RegisterForm registers_of(const char* text, ArrayShape shape) {
  return {std::move(shape), {}, parse_layout(text).layout()};
}

}  // namespace

TEST_CASE("the first difference is the first number whose offset differs, and all are counted") {
  const SharedForm plain = shared_of("(8,64):(64,1)", {8, 64});
  const SharedForm swizzled = shared_of("Sw<3,3,3> o 0 o (8,64):(64,1)", {8, 64});
  const FormDifference d = form_difference(plain, swizzled);
  CHECK(!d.same);
  CHECK(d.of == 512);
  // Row 0 stays; in the others all 64 elements move.
  CHECK(d.differing == 7 * 64);
  CHECK(d.index == 64);
  CHECK(d.a == 64);
  CHECK(d.b == 72);
  CHECK(form_difference(swizzled, shared_of("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", {8, 64})).same);
  CHECK(form_difference(plain, shared_of("(64,8):(8,1)", {64, 8})).why == "A is 8x64, B is 64x8");
}

TEST_CASE("a layout that is flat or nested otherwise is counted column by column") {
  for (const char* text : {"512:1", "(2,4,64):(1,2,8)", "(16,32):(1,16)"}) {
    const Layout layout = parse_layout(text).layout();
    ArrayShape own;
    for (std::size_t m = 0; m < rank(layout); ++m) own.push_back(size(mode(layout, m)));
    const auto by_index = with_array_shape(shared_of(text, own), {8, 64});
    REQUIRE(by_index.has_value());
    for (std::int64_t r = 0; r < 8; ++r)
      for (std::int64_t c = 0; c < 64; ++c)
        CHECK(offsets_of(*by_index)[static_cast<std::size_t>(r * 64 + c)] == layout(r + 8 * c));
  }
  CHECK(!with_array_shape(shared_of("511:1", {511}), {8, 64}).has_value());
}

TEST_CASE("registers: the element of every (thread, value), and whether only the order of values differs") {
  const RegisterForm d = registers_of("((4,8),(2,2)):((32,1),(16,8))", {16, 8});
  const FormDifference order = form_difference(d, registers_of("((4,8),(2,2)):((32,1),(8,16))", {16, 8}));
  CHECK(!order.same);
  CHECK(order.index == 1);
  CHECK(order.a == 1);      // (0,1)
  CHECK(order.b == 8 * 8);  // (8,0)
  CHECK(order.same_elements);
  CHECK(!form_difference(d, registers_of("(32,4):(1,32)", {16, 8})).same_elements);
  CHECK(form_difference(d, registers_of("(16,8):(1,16)", {16, 8})).why ==
        "A has 32 threads with 4 values, B 16 with 8");
}

TEST_CASE("the TV layout of every mma and wgmma operand is found as what it is") {
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.is_quad_pair()) continue;
    // B is N x K in its TV layout, and K x N as an array.
    for (const Operand operand : {Operand::d, Operand::a}) {
      const std::string_view type = operand == Operand::d ? row.accumulators[0] : row.types[0];
      const Fragment f = mma_fragment(row, row.n[0].first, operand, require_dtype(type), {});
      const RegisterForm form{{f.rows, f.columns}, {nullptr, operand == Operand::d ? 0 : row.bits}, tv_layout(f)};
      const std::vector<FragmentMatch> found = matching_fragments(form);
      const auto is_it = [&](const FragmentMatch& m) {
        return m.fragment.name == f.name && m.fragment.operand == operand && m.thread_blocks == 1 &&
               m.value_blocks == 1;
      };
      CAPTURE(f.name);
      CHECK(std::ranges::any_of(found, is_it));
    }
  }
  // The first step of lanes has four in every fragment: eight along the rows are none.
  CHECK(matching_fragments(registers_of("((8,4),(2,2)):((1,32),(16,8))", {16, 8})).empty());
}
