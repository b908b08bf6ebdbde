// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "all_fragments.hpp"
#include "layout/algebra.hpp"

namespace swz {
namespace {

TEST_CASE("the tables hold 30 mma rows and 29 forms of ldmatrix, stmatrix and movmatrix") {
  // mma: 24 rows, wgmma: 6. ldmatrix 6 + 3 x 2 + 2 x 3, stmatrix 6 + 3, movmatrix 1 with two operands.
  CHECK(mma_instructions().size() == 30);
  CHECK(all_matrix_requests().size() == 18 + 9 + 2);
  const std::vector<FragmentRequest> all = all_mma_requests();
  const auto of_wgmma = std::ranges::count_if(all, [](const auto& r) { return r.name.starts_with("wgmma"); });
  // 32 N: tf32 2, f16 3, bf16 2, two fp8 types of 3; 18 N: s8, u8 and b1 of 2
  CHECK(of_wgmma == 32 * (2 + 3 + 2 + 2 * 3) + 18 * 3 * 2);
}

TEST_CASE("every map is one to one onto its tile; in m8n8k4 of f16 each of the four MMAs has its own") {
  for (const FragmentRequest& request : all_requests()) {
    const Fragment f = find_fragment(request);
    CAPTURE(f.name);
    CAPTURE(f.dtype);
    CAPTURE(to_string(f.operand));
    CHECK(f.threads() == (f.name.starts_with("wgmma") ? 128 : 32));
    CHECK(f.threads() * f.values() == f.rows * f.columns * f.tiles);
    CHECK((f.tiles == 4) == (f.name.starts_with("mma.m8n8k4") && f.dtype != "f64"));
    // seen[tile][row][column]; the q-th MMA is that of lanes 4q..4q+3 and 16+4q..16+4q+3
    std::vector<int> seen(static_cast<std::size_t>(f.tiles * f.rows * f.columns));
    for (int thread = 0; thread < f.threads(); ++thread) {
      for (int value = 0; value < f.values(); ++value) {
        const Coordinate at = f.at(thread, value);
        if (at.row < 0 || at.row >= f.rows || at.column < 0 || at.column >= f.columns) {
          FAIL_CHECK("outside of the tile: thread " << thread << ", value " << value);
          continue;
        }
        const int tile = thread / 4 % f.tiles;
        ++seen[static_cast<std::size_t>((tile * f.rows + at.row) * f.columns + at.column)];
      }
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
  }
}

TEST_CASE("the TV layout agrees with at() everywhere, and the inverses invert") {
  for (const FragmentRequest& request : all_requests()) {
    const Fragment f = find_fragment(request);
    CAPTURE(f.name);
    CAPTURE(f.dtype);
    CAPTURE(to_string(f.operand));
    const Layout tv = tv_layout(f), inverse = inverse_layout(f);
    const FragmentInverse holder(f);
    REQUIRE(rank(tv) == 2);
    REQUIRE(mode(tv, 0).size() == f.threads());
    REQUIRE(mode(tv, 1).size() == f.values());
    REQUIRE(inverse.size() == f.rows * f.columns);
    int wrong_layout = 0, wrong_holder = 0, wrong_inverse = 0;
    for (int thread = 0; thread < f.threads(); ++thread) {
      for (int value = 0; value < f.values(); ++value) {
        const Coordinate at = f.at(thread, value);
        // CuTe counts B as N x K, every other tile as it is.
        const int index = f.operand == Operand::b ? at.column + at.row * f.columns : at.row + at.column * f.rows;
        wrong_layout += tv(thread + value * f.threads()) != index;
        // lanes of the first MMA: 0..3 and 16..19
        const int first_thread = f.tiles == 4 ? (thread & ~12) : thread;
        wrong_holder += holder(at) != Holder{first_thread, value};
        wrong_inverse += inverse(index) != first_thread + value * f.threads();
      }
    }
    CHECK(wrong_layout == 0);
    CHECK(wrong_holder == 0);
    CHECK(wrong_inverse == 0);
    for (std::int64_t i = 0; i < inverse.size(); ++i) wrong_inverse += tv(inverse(i)) != i;
    CHECK(wrong_inverse == 0);
  }
}

// Registers for a thread, from the operand lists of PTX ISA 9.1, 9.7.14.5 and 9.7.15.5.1.1.
TEST_CASE("registers for a thread") {
  struct Row {
    FragmentRequest request;
    int registers, values, bits;
  };
  const Row rows[] = {
      {{"mma.m16n8k16", "bf16", Operand::a, ""}, 4, 8, 16},
      {{"mma.m16n8k16", "bf16", Operand::b, ""}, 2, 4, 16},
      {{"mma.m16n8k16", "f16", Operand::d, "f32"}, 4, 4, 32},
      {{"mma.m16n8k16", "f16", Operand::d, "f16"}, 2, 4, 16},
      {{"mma.m16n8k16", "f64", Operand::a, ""}, 8, 8, 64},
      {{"mma.m8n8k4", "f64", Operand::d, ""}, 2, 2, 64},
      {{"mma.m16n8k4", "tf32", Operand::a, ""}, 2, 2, 32},
      {{"mma.m16n8k8", "tf32", Operand::b, ""}, 2, 2, 32},
      {{"mma.m16n8k32", "e2m1", Operand::a, ""}, 4, 16, 8},
      {{"mma.m16n8k32", "s4", Operand::a, ""}, 2, 16, 4},
      {{"mma.m16n8k64", "e2m1", Operand::a, ""}, 4, 32, 4},
      {{"mma.m16n8k256", "b1", Operand::a, ""}, 4, 128, 1},
      {{"mma.m16n8k256", "b1", Operand::b, ""}, 2, 64, 1},
      {{"mma.m8n8k4", "f16", Operand::a, ""}, 2, 4, 16},
      {{"mma.m8n8k4", "f16", Operand::d, "f16"}, 4, 8, 16},
      {{"mma.m8n8k4", "f16", Operand::d, "f32"}, 8, 8, 32},
      {{"wgmma.m64n256k16", "f16", Operand::d, "f32"}, 128, 128, 32},
      {{"wgmma.m64n256k16", "f16", Operand::d, "f16"}, 64, 128, 16},
      {{"wgmma.m64n8k32", "s8", Operand::d, ""}, 4, 4, 32},
      {{"wgmma.m64n64k8", "tf32", Operand::a, ""}, 4, 4, 32},
      {{"wgmma.m64n64k16", "bf16", Operand::a, ""}, 4, 8, 16},
      {{"wgmma.m64n64k32", "e5m2", Operand::a, ""}, 4, 16, 8},
      {{"wgmma.m64n64k256", "b1", Operand::a, ""}, 4, 128, 1},
      {{"ldmatrix.x1", "", std::nullopt, ""}, 1, 2, 16},
      {{"ldmatrix.x4.trans", "", std::nullopt, ""}, 4, 8, 16},
      {{"ldmatrix.m16n16.x1.trans.b8", "", std::nullopt, ""}, 2, 8, 8},
      {{"ldmatrix.m16n16.x2.trans.b8", "", std::nullopt, ""}, 4, 16, 8},
      {{"ldmatrix.m8n16.x4.b8x16.b4x16_p64", "", std::nullopt, ""}, 4, 16, 8},
      {{"stmatrix.x2", "", std::nullopt, ""}, 2, 4, 16},
      {{"stmatrix.m16n8.x4.trans.b8", "", std::nullopt, ""}, 4, 16, 8},
      {{"movmatrix.trans", "", std::nullopt, ""}, 1, 2, 16},
  };
  for (const Row& row : rows) {
    const Fragment f = find_fragment(row.request);
    CAPTURE(f.name);
    CAPTURE(f.dtype);
    CHECK(f.registers() == row.registers);
    CHECK(f.values() == row.values);
    CHECK(f.bits == row.bits);
  }
}

TEST_CASE("register r holds elements r * (32 / bits) and following, low bits first") {
  for (const FragmentRequest& request : all_requests()) {
    const Fragment f = find_fragment(request);
    CAPTURE(f.name);
    CAPTURE(f.dtype);
    const int width = f.bits == 64 ? 64 : 32;
    int bit = 0;  // one element after the other, without a gap
    for (int value = 0; value < f.values(); ++value, bit += f.bits)
      CHECK(f.slot(value) == RegisterSlot{bit / width, bit % width});
    CHECK(bit == f.registers() * width);
  }
  const Fragment a = find_fragment({"mma.m16n8k32", "s8", Operand::a, ""});
  CHECK(a.slot(13) == RegisterSlot{3, 8});  // a3 holds 12 to 15, a byte each
}

}  // namespace
}  // namespace swz
