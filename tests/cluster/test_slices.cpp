// SPDX-License-Identifier: Apache-2.0
// Slices: the worked examples, the image of all slices against that of the undivided copies, and what is refused.
#include <doctest/doctest.h>

#include <numeric>

#include "cluster/loads.hpp"
#include "cluster/slices.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

TilePlan plan_of(const SmemTileValues& values) {
  const SmemTile tile(values);
  const auto plan = plan_tile(tile, packed_operand(tile, sm_90a(), tile.extents()), sm_90a(), 2);
  REQUIRE(std::holds_alternative<TilePlan>(plan));
  return std::get<TilePlan>(plan);
}

SlicedPlan sliced(const TilePlan& whole, int sharers) {
  const auto answer = slice_plan(whole, sharers);
  REQUIRE(std::holds_alternative<SlicedPlan>(answer));
  return std::get<SlicedPlan>(answer);
}

using Box = std::array<std::uint64_t, 2>;
Box box_of(const SlicedPlan& plan) { return {plan.map.box[0], plan.map.box[1]}; }

struct Place {
  std::int64_t offset, inner, outer;
  bool operator==(const Place&) const = default;
};
Place place(const SlicedPlan& plan, int cta, std::size_t copy) {
  const TileCopy at = plan.copies_of(cta).at(copy);
  return {at.smem_offset.count, at.coordinate[0], at.coordinate[1]};
}

// What copies leave in shared memory from the base on: for each byte that of the tensor.
void put(std::vector<std::int64_t>& image, Bytes base, const TensorMap& map, const TileCopy& copy) {
  const Bytes to{base.count + copy.smem_offset.count};
  const std::vector<std::int64_t> box = box_image(BoxPlacement(map, to), copy.coordinate);
  for (std::size_t i = 0; i < box.size(); ++i)
    if (box[i] != untouched_byte) image[static_cast<std::size_t>(copy.smem_offset.count) + i] = box[i];
}

// `relative`: the mistake of a swizzle that counts lines from the beginning of each slice.
std::vector<std::int64_t> image_of_slices(const SlicedPlan& plan, Bytes base, std::int64_t bytes,
                                          bool relative = false) {
  std::vector<std::int64_t> image(static_cast<std::size_t>(bytes), untouched_byte);
  for (int cta = 0; cta < plan.sharers; ++cta)
    for (const TileCopy& copy : plan.copies_of(cta)) {
      if (!relative) {
        put(image, base, plan.map, copy);
        continue;
      }
      const std::vector<std::int64_t> box = box_image(BoxPlacement(plan.map, Bytes{0}), copy.coordinate);
      std::copy(box.begin(), box.end(), image.begin() + static_cast<std::ptrdiff_t>(copy.smem_offset.count));
    }
  return image;
}

std::vector<std::int64_t> whole_image(const TilePlan& plan, Bytes base, std::int64_t bytes) {
  std::vector<std::int64_t> image(static_cast<std::size_t>(bytes), untouched_byte);
  for (const TileCopy& copy : plan.copies) put(image, base, plan.map, copy);
  return image;
}

}  // namespace

TEST_CASE("slices as clusters_tma.md has them") {
  const SmemTileValues f16{.dtype = "f16", .mn = 128, .k = 64};
  const TilePlan k_128 = plan_of(f16);
  CHECK(box_of(sliced(k_128, 2)) == Box{64, 64});
  CHECK(place(sliced(k_128, 2), 1, 0) == Place{8192, 0, 64});
  CHECK(box_of(sliced(k_128, 16)) == Box{64, 8});
  CHECK(place(sliced(k_128, 16), 5, 0) == Place{5 * 1024, 0, 40});
  CHECK(sliced(k_128, 16).keeps_atoms());

  SmemTileValues values = f16;
  values.mn = 64;
  const SlicedPlan half_atoms = sliced(plan_of(values), 16);
  CHECK(box_of(half_atoms) == Box{64, 4});
  CHECK(place(half_atoms, 3, 0) == Place{3 * 512, 0, 12});
  CHECK_FALSE(half_atoms.keeps_atoms());

  values = f16;
  values.swizzle = "64B";
  const SlicedPlan k_64 = sliced(plan_of(values), 2);
  CHECK(box_of(k_64) == Box{32, 64});
  CHECK(k_64.copies_of(0).size() == 2);
  CHECK(place(k_64, 1, 1) == Place{8192 + 4096, 32, 64});

  values.swizzle = "none";
  const SlicedPlan k_none = sliced(plan_of(values), 2);
  CHECK(box_of(k_none) == Box{8, 64});
  CHECK(k_none.copies_of(0).size() == 8);
  CHECK(place(k_none, 1, 3) == Place{3 * 2048 + 1024, 24, 64});

  values = f16;
  values.k = 128;
  const SlicedPlan m_first = sliced(plan_of(values), 4);
  CHECK(box_of(m_first) == Box{64, 32});
  CHECK(place(m_first, 3, 1) == Place{16384 + 3 * 4096, 64, 96});

  values.order = StackingOrder::k_first;
  const SlicedPlan k_first = sliced(plan_of(values), 2);
  CHECK(box_of(k_first) == Box{64, 4});
  CHECK(k_first.copies_of(0).size() == 32);
  CHECK(place(k_first, 1, 0) == Place{512, 0, 4});
  CHECK(place(k_first, 1, 1) == Place{1024 + 512, 64, 4});

  values = {.dtype = "f16", .major = Major::MN, .mn = 128, .k = 64};
  const SlicedPlan mn_128 = sliced(plan_of(values), 2);
  CHECK(box_of(mn_128) == Box{64, 4});
  CHECK(mn_128.copies_of(0).size() == 16);
  CHECK(place(mn_128, 1, 1) == Place{1024 + 512, 64, 4});

  values.mn = 256;
  const TilePlan wide = plan_of(values);
  CHECK(box_of(sliced(wide, 8)) == Box{64, 1});
  CHECK(place(sliced(wide, 8), 1, 0).offset == 128);
  const auto torn = slice_plan(wide, 16);
  REQUIRE(std::holds_alternative<Finding>(torn));
  CHECK(std::get<Finding>(torn).rule == "slice-128");
  CHECK(std::get<Finding>(torn).message ==
        "16 CTAs would load 64 B each of a box of 1024 B: a slice begins at a multiple of 128 B");
  CHECK(std::get<Finding>(torn).hint == "1, 2, 4 and 8 CTAs can share it; another mode or major has other boxes");
}

TEST_CASE("boxes that the CTAs do not divide are refused") {
  const TilePlan whole = plan_of({.dtype = "f16", .mn = 128, .k = 64});
  const auto answer = slice_plan(whole, 3);
  REQUIRE(std::holds_alternative<Finding>(answer));
  CHECK(std::get<Finding>(answer).rule == "slice-division");
  CHECK(std::get<Finding>(answer).message == "3 CTAs cannot divide a box of (64, 128): neither divides the other");
  CHECK(std::get<Finding>(answer).source == "CuTe, make_tma_copy_desc (header)");
  CHECK(legal_sharers(whole, 16) == std::vector{2, 4, 8, 16});
  CHECK(legal_sharers(plan_of({.dtype = "f16", .mn = 96, .k = 64}), 16) == std::vector{2, 3, 4, 6, 8, 12, 16});
}

TEST_CASE("all slices together leave the image of the undivided copies, wherever the tile begins") {
  int cases = 0, torn_atoms = 0, told = 0;
  Sweep some{5, 20};
  for (const char* dtype : {"f16", "tf32", "e4m3"})
    for (const char* mode : {"none", "32B", "64B", "128B"})
      for (const Major major : {Major::K, Major::MN})
        for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
          for (const std::int64_t mn : {64, 96, 128, 256})
            for (const std::int64_t k : {32, 64, 128}) {
              if (!some.takes()) continue;
              SmemTileValues values{.dtype = dtype, .major = major, .mn = mn, .k = k, .swizzle = mode, .order = order};
              const TileExtents atom = atom_extents(major, *values.swizzle, *values.dtype, Packing::packed);
              if (mn % atom.mn != 0 || k % atom.k != 0) continue;
              const TilePlan whole = plan_of(values);
              const std::int64_t bytes = SmemTile(values).bytes().count;
              for (const int sharers : legal_sharers(whole, 16)) {
                const SlicedPlan plan = sliced(whole, sharers);
                for (const Bytes base : {Bytes{0x400}, Bytes{0x480}})
                  CHECK(image_of_slices(plan, base, bytes) == whole_image(whole, base, bytes));
                ++cases;
                // The wrong model is right where slices keep atoms, and wrong where they do not.
                const bool is_right =
                    image_of_slices(plan, Bytes{0}, bytes, true) == whole_image(whole, Bytes{0}, bytes);
                CHECK(is_right == plan.keeps_atoms());
                torn_atoms += plan.keeps_atoms() ? 0 : 1;
                told += is_right ? 0 : 1;
              }
            }
  CHECK(cases > 50);
  CHECK(torn_atoms > 0);
  CHECK(told == torn_atoms);
}

TEST_CASE("loads of a cluster: one CTA and pairs") {
  const ClusterMma one{{2, 2}, 1};
  const SmemTileValues f16{.dtype = "f16"};
  const SharedOperand a = shared_operand(one, OperandRole::a, {128, 128, 64}, f16, sm_90a());
  const SharedOperand b = shared_operand(one, OperandRole::b, {128, 128, 64}, f16, sm_90a());
  const RankLoad load_a = load_of(one, a, 1), load_b = load_of(one, b, 1);
  CHECK(load_a.index == 0);
  CHECK(load_a.mask == 0xa);
  CHECK(place(*a.sliced(), load_a.index, 0) == Place{0, 0, 0});
  CHECK(load_b.index == 1);
  CHECK(load_b.mask == 0x3);
  CHECK(place(*b.sliced(), load_b.index, 0) == Place{8192, 0, 64});
  CHECK(a.sliced()->slice() == Bytes{8192});
  CHECK(barrier_bytes(one, a, b).total() == Bytes{32768});

  const ClusterMma pair{{4, 2}, 2};
  const SharedOperand pair_a = shared_operand(pair, OperandRole::a, {256, 128, 64}, f16, sm_100a());
  const SharedOperand pair_b = shared_operand(pair, OperandRole::b, {256, 128, 64}, f16, sm_100a());
  const RankLoad of_5 = load_of(pair, pair_a, 5);
  CHECK(box_of(*pair_a.sliced()) == Box{64, 64});
  CHECK(of_5.row == 128);
  CHECK(place(*pair_a.sliced(), of_5.index, 0) == Place{8192, 0, 64});  // row 192 of the pair's tile
  CHECK(box_of(*pair_b.sliced()) == Box{64, 32});
  CHECK(pair_b.tile.extents().mn == 64);
  CHECK(barrier_bytes(pair, pair_a, pair_b).total() == Bytes{2 * (16384 + 8192)});
}

TEST_CASE("the bytes of the slices that reach a CTA are the bytes of its tile, in every cluster") {
  int clusters = 0;
  for (int x = 1; x <= 16; ++x)
    for (int y = 1; x * y <= 16; ++y)
      for (const int group : {1, 2}) {
        if (x % group != 0) continue;
        const ClusterMma mma{{x, y}, group};
        for (const OperandRole role : {OperandRole::a, OperandRole::b}) {
          const SharedOperand operand = shared_operand(mma, role, {256, 256, 64}, {.dtype = "f16"}, sm_100a());
          if (operand.sliced() == nullptr) continue;
          for (int to = 0; to < mma.shape.size(); ++to) {
            std::int64_t bytes = 0;
            for (int from = 0; from < mma.shape.size(); ++from)
              if ((load_of(mma, operand, from).mask >> to & 1U) != 0)
                bytes += operand.sliced()->slice().count * std::ssize(operand.whole.copies);
            CHECK(bytes == operand.bytes().count);
          }
          ++clusters;
        }
      }
  CHECK(clusters > 60);
}
