// SPDX-License-Identifier: Apache-2.0
// Which fragments of tcgen05.ld and st are those of other instructions, over every thread and value: what the notes of
// `swz frag tcgen05.…` say. Then fragments with a gap.
#include <doctest/doctest.h>

#include <set>

#include "all_fragments.hpp"
#include "fragment/tmem_access.hpp"

using namespace swz;

namespace {

Fragment window_of(const std::string& name) { return find_fragment({.name = name}); }

Fragment accumulator_of(const std::string& name, const std::string& type) {
  return find_fragment({.name = name, .dtype = "f16", .operand = Operand::d, .accumulator = type});
}

// Calls `check` with thread, value and place of every value of 32 threads.
template <class Check>
int faults_in(const Fragment& f, Check is_right) {
  int faults = 0;
  for (int thread = 0; thread < 32; ++thread)
    for (int value = 0; value < f.values(); ++value) faults += !is_right(thread, value, f.at(thread, value));
  return faults;
}

// The row of stmatrix that takes lane l, column c of 16 lanes of 16-bit elements: matrices of 8 x 8, below each other first.
Coordinate in_matrices(Coordinate at) { return {8 * (at.row / 8 + 2 * (at.column / 8)) + at.row % 8, at.column % 8}; }

}  // namespace

TEST_CASE("16x256b: registers 4j to 4j+3 are D of mma.m16n8, all of them D of one warp of wgmma") {
  const Fragment mma = accumulator_of("mma.m16n8k16", "f32");
  for (int number = 1; number <= 32; number *= 2) {
    const Fragment f = window_of("tcgen05.ld.16x256b.x" + std::to_string(number));
    const Fragment wgmma = accumulator_of("wgmma.m64n" + std::to_string(8 * number) + "k16", "f32");
    CHECK(f.values() == wgmma.values());
    CHECK(faults_in(f, [&](int thread, int value, Coordinate at) {
            const Coordinate in_tile = mma.at(thread, value % 4);
            return at == Coordinate{in_tile.row, in_tile.column + 8 * (value / 4)} && at == wgmma.at(thread, value);
          }) == 0);
  }
}

TEST_CASE("16x256b before stmatrix: registers 2p and 2p+1, converted to 16 bits, are register p") {
  const Fragment f = window_of("tcgen05.ld.16x256b.x2"), stmatrix = window_of("stmatrix.x4");
  REQUIRE(f.registers() == 2 * stmatrix.registers());
  CHECK(faults_in(f, [&](int thread, int value, Coordinate at) {
          return stmatrix.at(thread, value) == in_matrices(at) && stmatrix.slot(value).index == value / 2;
        }) == 0);
}

TEST_CASE("16x128b.pack::16b: D of 16 bits of mma, and stmatrix as it is") {
  const Fragment mma = accumulator_of("mma.m16n8k16", "f16"), stmatrix = window_of("stmatrix.x4");
  CHECK(tv_layout(window_of("tcgen05.ld.16x128b.x1.pack::16b")) == tv_layout(mma));
  CHECK(faults_in(window_of("tcgen05.ld.16x128b.x2.pack::16b"), [&](int thread, int value, Coordinate at) {
          return stmatrix.at(thread, value) == in_matrices(at);
        }) == 0);
}

TEST_CASE("16x128b: matrices of 16-byte rows, as ldmatrix and stmatrix have them, and A of mma") {
  const Fragment f = window_of("tcgen05.ld.16x128b.x2"), ldmatrix = window_of("ldmatrix.x4");
  const Fragment a = find_fragment({.name = "mma.m16n8k16", .dtype = "bf16", .operand = Operand::a});
  REQUIRE(ldmatrix.registers() == f.registers());
  // A register has two neighbours of 16 bits; a column of tensor memory is as wide.
  CHECK(faults_in(f, [&](int thread, int reg, Coordinate at) {
          const Coordinate low{at.row, 2 * at.column}, high{at.row, 2 * at.column + 1};
          return ldmatrix.at(thread, 2 * reg) == in_matrices(low) &&
                 ldmatrix.at(thread, 2 * reg + 1) == in_matrices(high) && a.at(thread, 2 * reg) == low &&
                 a.at(thread, 2 * reg + 1) == high;
        }) == 0);
}

TEST_CASE("a row in a thread, and in how many others") {
  const auto holders_of_lane_0 = [](const std::string& name) {
    const Fragment f = window_of(name);
    std::set<int> threads;
    for (int thread = 0; thread < 32; ++thread)
      for (int value = 0; value < f.values(); ++value)
        if (f.at(thread, value).row == 0) threads.insert(thread);
    return threads;
  };
  const Fragment f = window_of("tcgen05.ld.32x32b.x128");
  CHECK(faults_in(f, [](int thread, int value, Coordinate at) { return at == Coordinate{thread, value}; }) == 0);
  CHECK(holders_of_lane_0("tcgen05.ld.32x32b.x8") == std::set{0});
  CHECK(holders_of_lane_0("tcgen05.ld.16x64b.x8") == std::set{0, 2});
  CHECK(holders_of_lane_0("tcgen05.ld.16x128b.x8") == std::set{0, 1, 2, 3});
  CHECK(holders_of_lane_0("tcgen05.ld.16x256b.x8") == std::set{0, 1, 2, 3});
  CHECK(holders_of_lane_0("tcgen05.ld.16x32bx2.x8") == std::set{0, 16});
}

TEST_CASE("a gap between the halves, or columns that both hold: holders are those who hold, and no one else") {
  for (const bool packs : {false, true})
    for (const int split : {0, 1, 3, 8, 16, 17, 100, 490}) {
      TmemForm form = find_tmem_form(packs ? "tcgen05.ld.16x32bx2.x8.pack::16b" : "tcgen05.ld.16x32bx2.x8");
      form.split_offset = split;
      const Fragment f = tmem_fragment(form);
      INFO(f.name << " " << split);
      const int run = form.columns() / 2;
      CHECK(has_gap(f) == (split != run));
      CHECK(f.columns == split + run);
      std::set<std::pair<int, int>> held;
      int faults = 0, asked = 0;
      for (int lane = 0; lane < f.rows; ++lane)
        for (int column = 0; column < f.columns; ++column)
          for (const Holder holder : holders_of(f, {lane, column})) {
            faults += f.at(holder.thread, holder.value) != Coordinate{lane, column};
            held.insert({holder.thread, holder.value});
            ++asked;
          }
      CHECK(faults == 0);
      CHECK(asked == f.threads() * f.values());
      CHECK(std::ssize(held) == asked);
    }
  for (const FragmentRequest& request : all_requests()) CHECK_FALSE(has_gap(find_fragment(request)));
  for (const std::string& name : tmem_form_names()) CHECK_FALSE(has_gap(window_of(name)));
}

TEST_CASE("names of .red: the map of ld, one register more, fewer targets") {
  const TmemForm form = find_tmem_form("tcgen05.ld.red.sync.aligned.16x32bx2.x8.u32.max");
  REQUIRE(form.reduction);
  CHECK(form.name() == "tcgen05.ld.red.16x32bx2.x8.max.u32");
  CHECK(find_tmem_form("TCGEN05.LD.RED.SYNC.ALIGNED.32x32b.x2.min.abs.NaN.f32").name() ==
        "tcgen05.ld.red.32x32b.x2.min.abs.nan.f32");
  CHECK(find_tmem_form(form.name()).name() == form.name());
  CHECK(tv_layout(tmem_fragment(form)) == tv_layout(window_of("tcgen05.ld.16x32bx2.x8")));
  CHECK_FALSE(runs_on(form.availability(), sm_100a()));
  CHECK(runs_on(form.availability(), require_target("sm_103f")));
}
