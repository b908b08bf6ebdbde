// SPDX-License-Identifier: Apache-2.0
// Boxes of 4- and 6-bit elements: what TMA unpacks lies where the tile has it, and the mbarrier counts bytes of global
// memory.
#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "tma/plan.hpp"

namespace swz {
namespace {

struct Form {
  const char* dtype;
  Packing packing;
  int bits;
};
constexpr Form padded[] = {{"e2m1", Packing::slots, 4}, {"e2m3", Packing::slots, 6}, {"e3m2", Packing::slots, 6}};

TilePlan plan_of(const SmemTile& tile, const GmemOperand& operand, int rank = 2) {
  const auto answer = plan_tile(tile, operand, sm_100a(), rank);
  if (const auto* refusal = std::get_if<Finding>(&answer)) FAIL(refusal->message);
  return std::get<TilePlan>(answer);
}

std::string refusal_of(const SmemTile& tile, const GmemOperand& operand) {
  const auto answer = plan_tile(tile, operand, sm_100a(), 2);
  const auto* refusal = std::get_if<Finding>(&answer);
  return refusal == nullptr ? "accepted" : refusal->message;
}

// PTX ISA 9.1, 5.5.1.1 and 5.5.7, written once more: 16 elements of a row become a chunk of 16 bytes, the elements at its
// front from the low bits up; in mode 128B chunk c of line l lies at c ^ (l & 7).
std::int64_t unpacked_bit(std::int64_t address, std::int64_t row, std::int64_t i, int bits) {
  const std::int64_t line = address / 128 + row, chunk_at = (i / 16) ^ (line & 7);
  return (line * 128 + chunk_at * 16) * 8 + i % 16 * bits;
}

TEST_CASE("the copies of a plan put every element where the tile has it") {
  for (const Form& form : padded)
    for (const Major major : {Major::K, Major::MN}) {
      const TileExtents extents = major == Major::K ? TileExtents{64, 384} : TileExtents{256, 64};
      const SmemTile tile({.dtype = form.dtype,
                           .packing = form.packing,
                           .major = major,
                           .mn = extents.mn,
                           .k = extents.k,
                           .base = Bytes{0x480}});
      const TilePlan plan = plan_of(tile, packed_operand(tile, sm_100a(), extents));
      std::int64_t elements = 0, wrong = 0;
      for (const TileCopy& copy : plan.copies) {
        const BoxPlacement box(plan.map, Bytes{tile.base().count + copy.smem_offset.count});
        for (std::int64_t row = 0; row < box.rows(); ++row)
          for (std::int64_t i = 0; i < box.sizes()[0]; ++i, ++elements) {
            const TileCoordinate at = TileCoordinate::of(major, copy.coordinate[1] + row, copy.coordinate[0] + i);
            const std::int64_t bit = unpacked_bit(box.address().count, row, i, form.bits);
            if (box.bit(row, i).count != bit || tile.bit(at.row, at.k).count != bit) ++wrong;
          }
      }
      CHECK(wrong == 0);
      CHECK(elements == extents.mn * extents.k);
    }
}

TEST_CASE("the mbarrier counts global memory: 64 or 96 B of 128; packed fp4 all bytes") {
  const auto box = [](TensorMapDataType type, std::uint64_t width) {
    TensorMap map{.data_type = type, .rank = 2, .swizzle = TensorMapSwizzle::b128};
    map.dims = {width, 8};
    map.strides = {width};
    map.box = {width, 8};
    map.element_strides = {1, 1, 1, 1, 1};
    return BoxPlacement(map, Bytes{0});
  };
  using enum TensorMapDataType;
  CHECK(box(u4_align16, 128).expect_bytes() == Bytes{8 * 64});
  CHECK(box(u6_align16, 128).expect_bytes() == Bytes{8 * 96});
  CHECK(box(u4_align8, 256).expect_bytes() == Bytes{8 * 128});
  CHECK(box(uint8, 128).expect_bytes() == Bytes{8 * 128});
  for (const TensorMapDataType type : {u4_align16, u6_align16}) {
    CHECK(box(type, 128).allocate() == Bytes{8 * 128});
    CHECK(box(type, 128).inner() == Bytes{128});
  }
  CHECK(box(u4_align16, 128).bit(0, 37).count == 34 * 8 + 4);
  CHECK(box(u6_align16, 128).bit(0, 37).count == 35 * 8 + 6);
}

TEST_CASE("a stage of a plan: bytes of shared memory, bytes of the mbarrier") {
  for (const Form& form : padded) {
    const SmemTile tile({.dtype = form.dtype, .packing = form.packing, .mn = 128, .k = 256});
    const TilePlan plan = plan_of(tile, packed_operand(tile, sm_100a(), tile.extents()));
    CHECK(plan.smem_bytes() == tile.bytes());
    CHECK(plan.expect_bytes() == Bytes{128 * 256 * form.bits / 8});
  }
  const SmemTile bf16({.dtype = "bf16", .mn = 128, .k = 128});
  const TilePlan plan = plan_of(bf16, packed_operand(bf16, sm_100a(), bf16.extents()));
  CHECK(plan.smem_bytes() == Bytes{32768});
  CHECK(plan.expect_bytes() == Bytes{32768});
}

TEST_CASE("the second CTA of a pair copies from its rows on, for any rank of the map") {
  for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
    for (const int rank : {2, 3, 4, 5}) {
      const SmemTile half({.dtype = "bf16", .mn = 64, .k = 128, .order = order});
      GmemOperand operand = packed_operand(half, sm_100a(), {128, 128});
      const TilePlan first = plan_of(half, operand, rank);
      operand.tile_at.mn = 64;
      const TilePlan second = plan_of(half, operand, rank);
      REQUIRE(first.copies.size() == second.copies.size());
      for (std::size_t i = 0; i < first.copies.size(); ++i) {
        std::int64_t rows = 0;
        for (std::size_t d = 0; d < first.dimensions.size(); ++d) {
          const std::int64_t moved = second.copies[i].coordinate[d] - first.copies[i].coordinate[d];
          if (first.dimensions[d].direction == Major::MN) rows += moved * first.dimensions[d].step;
          else CHECK(moved == 0);
        }
        CHECK(rows == 64);
        CHECK(first.copies[i].smem_offset == second.copies[i].smem_offset);
      }
    }
}

TEST_CASE("a copy of padded elements is 128 wide and begins at a multiple of 128") {
  const SmemTile narrow({.dtype = "e2m1", .packing = Packing::slots, .mn = 64, .k = 64, .swizzle = "64B"});
  CHECK(refusal_of(narrow, packed_operand(narrow, sm_100a(), {64, 128})) ==
        "a box of 16U4_ALIGN16B is 128 values wide, 128 B; 64 B are contiguous in shared memory");
  const SmemTile mn({.dtype = "e3m2", .major = Major::MN, .mn = 128, .k = 32});
  GmemOperand operand = packed_operand(mn, sm_100a(), {256, 32});
  operand.tile_at.mn = 128;
  CHECK(refusal_of(mn, operand) == "accepted");
  operand.tile_at.mn = 64;
  CHECK(refusal_of(mn, operand) ==
        "a copy of 16U6_ALIGN16B begins at a multiple of 128 values of dimension 0; the tile begins at 64");
}

}  // namespace
}  // namespace swz
