// SPDX-License-Identifier: Apache-2.0
// Plans: replayed copy by copy against the tile, the reference cases, edges, refusals.
#include <doctest/doctest.h>

#include <array>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "smem/choose.hpp"
#include "smem/placement.hpp"
#include "sweep.hpp"
#include "tma/plan.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

const Target& hopper() { return require_target("sm_90a"); }
const Target& blackwell() { return require_target("sm_100a"); }

GmemOperand just_the_tile(const SmemTile& tile, const Target& target) {
  return packed_operand(tile, target, tile.extents());
}

TilePlan planned(const SmemTile& tile, int max_rank, const Target& target = hopper()) {
  const auto result = plan_tile(tile, just_the_tile(tile, target), target, max_rank);
  if (const auto* refusal = std::get_if<Finding>(&result)) FAIL(refusal->message);
  return std::get<TilePlan>(result);
}

// The tile as chunks: where in global memory, in bits, the chunk at each 16 bytes of shared memory comes from.
std::vector<std::int64_t> wanted_chunks(const SmemTile& tile, const GmemOperand& operand, std::int64_t gmem_bits) {
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(tile.bytes().count / 16), -1);
  const Placement placement(tile);
  for (std::int64_t i = 0; i < placement.chunk_count(); ++i) {
    const Chunk chunk = placement.chunk_at(i);
    const std::int64_t line = tile.major() == Major::K ? chunk.row : chunk.k;
    const std::int64_t element = tile.major() == Major::K ? chunk.k : chunk.row;
    wanted[static_cast<std::size_t>((chunk.byte.count - tile.base().count) / 16)] =
        line * operand.line_stride.count * 8 + element * gmem_bits;
  }
  return wanted;
}

// The same from the copies, through the map's own strides and the placement of its boxes. -1: never written,
// -2: written twice.
std::vector<std::int64_t> replayed_chunks(const SmemTile& tile, const TilePlan& plan) {
  const TensorMapDataTypeRow& type = *find_row(plan.map.data_type);
  const std::int64_t elements = 128 / type.smem_bits;
  std::vector<std::int64_t> found(static_cast<std::size_t>(tile.bytes().count / 16), -1);
  for (const TileCopy& copy : plan.copies) {
    const BoxPlacement placement(plan.map, Bytes{tile.base().count + copy.smem_offset.count});
    for (std::int64_t row = 0; row < placement.rows(); ++row) {
      TensorCoordinate at = placement.row_start(row, copy.coordinate);
      std::int64_t from = at[0] * type.gmem_bits;
      for (std::size_t d = 1; d < 5; ++d) from += at[d] * static_cast<std::int64_t>(plan.map.strides[d - 1]) * 8;
      if (placement.is_filled(at)) return {};
      at[0] += placement.sizes()[0] - 1;
      if (placement.is_filled(at)) return {};
      for (std::int64_t b = 0; b < placement.inner().count; b += 16) {
        std::int64_t& chunk = found[static_cast<std::size_t>((placement.byte(row, b).count - tile.base().count) / 16)];
        chunk = chunk == -1 ? from + b / 16 * elements * type.gmem_bits : -2;
      }
    }
  }
  return found;
}

std::int64_t gmem_element_bits(const SmemTile& tile, const TilePlan& plan) {
  const TensorMapDataTypeRow& type = *find_row(plan.map.data_type);
  return tile.element_bits() * type.gmem_bits / type.smem_bits;
}

bool is_exact(const SmemTile& tile, const TilePlan& plan, const GmemOperand& operand) {
  return replayed_chunks(tile, plan) == wanted_chunks(tile, operand, gmem_element_bits(tile, plan));
}

struct Mode {
  Major major;
  const SwizzleMode* swizzle;
  StackingOrder order;
};

std::vector<Mode> modes() {
  std::vector<Mode> out;
  for (const Major major : {Major::K, Major::MN})
    for (const SwizzleMode& swizzle : swizzle_modes())
      for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
        if (swizzle.tma_code && (swizzle.family != SwizzleFamily::chunk_32 || major == Major::MN))
          out.push_back({major, &swizzle, order});
  return out;
}

struct Counts {
  long tiles = 0, plans = 0, refused = 0;
};

// Every plan of one tile: exact, accepted by the driver, and with no more copies the higher the rank.
void check_tile(const SmemTile& tile, const Target& target, Counts& counts) {
  ++counts.tiles;
  const GmemOperand operand = just_the_tile(tile, target);
  std::size_t fewest = SIZE_MAX;
  for (int rank = 2; rank <= 5; ++rank) {
    const auto result = plan_tile(tile, operand, target, rank);
    const TilePlan* plan = std::get_if<TilePlan>(&result);
    if (plan == nullptr) {
      REQUIRE(std::get<Finding>(result).rule == "padded-128");
      ++counts.refused;
      return;
    }
    ++counts.plans;
    REQUIRE(plan->map.rank <= rank);
    REQUIRE(plan->copies.size() <= fewest);
    REQUIRE((plan->copies.size() == 1) == plan->limit.empty());
    if (rank == 2) REQUIRE(tma_boxes(tile).count == static_cast<std::int64_t>(plan->copies.size()));
    const bool is_new = plan->copies.size() < fewest;
    fewest = plan->copies.size();
    if (!is_new) break;  // the same map again
    if (!is_exact(tile, *plan, operand))
      FAIL("not exact: " << to_string(tile.extents()) << " rank " << rank << " " << std::string(tile.dtype().name));
  }
  REQUIRE(fewest == 1);
}

SmemTile tile_of(std::string_view dtype, Major major, std::int64_t mn, std::int64_t k, std::string_view swizzle,
                 StackingOrder order, Bytes base = {}) {
  return SmemTile({.dtype = dtype, .major = major, .mn = mn, .k = k, .swizzle = swizzle, .order = order, .base = base});
}

}  // namespace

// Types are placed alike whose elements have the same bits in shared memory and in the map: one of each.
TEST_CASE("every tile up to 256 x 256 is made, byte for byte") {
  Counts counts;
  Sweep every{300, 7};
  std::set<std::array<int, 3>> kinds;
  for (const DType& dtype : dtypes()) {
    for (const Packing packing : {Packing::packed, Packing::slots}) {
      if (packing == Packing::slots && dtype.container_bits == 0) continue;
      const int bits = element_bits(dtype, packing);
      const SmemDestination any(ComposedLayout(Layout(std::vector<IntTuple>{8, 256})), dtype, packing, Major::K,
                                Bytes{});
      const TensorMapDataTypeRow& type = *find_row(tensor_map_type(any, blackwell()));
      if (!kinds.insert({bits, type.smem_bits, type.gmem_bits}).second) continue;
      for (const Mode& mode : modes()) {
        const TileExtents atom = [&] {
          try {
            return atom_extents(mode.major, *mode.swizzle, dtype, packing);
          } catch (const Error&) {
            return TileExtents{};
          }
        }();
        if (atom.mn == 0) continue;
        for (std::int64_t mn = atom.mn; mn <= 256; mn += atom.mn)
          for (std::int64_t k = atom.k; k <= 256; k += atom.k) {
            const std::int64_t bytes = mn * k * bits / 8;
            if (bytes > 227 * 1024 || !every.takes()) continue;
            const SmemTile tile({.dtype = dtype.name,
                                 .packing = packing,
                                 .major = mode.major,
                                 .mn = mn,
                                 .k = k,
                                 .swizzle = mode.swizzle->name,
                                 .order = mode.order,
                                 .base = Bytes{bytes < 200000 ? 128 * (counts.tiles % 16) : 0}});
            check_tile(tile, blackwell(), counts);
          }
      }
    }
  }
  CHECK(kinds.size() >= 7);  // 4, 6 and 8 bits, padded ones, 16, 32, 64, 128
  CHECK(counts.tiles > at_least(50000, 300, 7));
  CHECK(counts.refused < counts.tiles / 10);
  MESSAGE(counts.tiles, " tiles of ", kinds.size(), " kinds, ", counts.plans, " plans, ", counts.refused, " refused");
}

TEST_CASE("64x64 B, K-major, 32B, in both orders") {
  const TilePlan k_first = planned(tile_of("bf16", Major::K, 64, 32, "32B", StackingOrder::k_first), 2);
  CHECK(k_first.copies.size() == 16);
  CHECK(k_first.map.box == std::array<std::uint64_t, 5>{16, 8, 0, 0, 0});
  CHECK(k_first.request == Bytes{32});
  CHECK(k_first.copies[1].coordinate == TensorCoordinate{16, 0});
  CHECK(k_first.copies[1].smem_offset == Bytes{256});
  CHECK(k_first.copies[2].coordinate == TensorCoordinate{0, 8});
  CHECK(k_first.copies[2].smem_offset == Bytes{512});
  CHECK(k_first.limit ==
        "after 256 B shared memory continues with 2 steps along K, for which a map of rank 2 has no dimension: 16 "
        "copies");

  const TilePlan mn_first = planned(tile_of("bf16", Major::K, 64, 32, "32B", StackingOrder::mn_first), 2);
  CHECK(mn_first.copies.size() == 2);
  CHECK(mn_first.map.box == std::array<std::uint64_t, 5>{16, 64, 0, 0, 0});
  CHECK(mn_first.copies[1].coordinate == TensorCoordinate{16, 0});
  CHECK(mn_first.copies[1].smem_offset == Bytes{2048});
}

TEST_CASE("64x256 B with 128B, 8x64 B without a swizzle") {
  const TilePlan wide = planned(tile_of("bf16", Major::K, 64, 128, "128B", StackingOrder::mn_first), 2);
  CHECK(wide.copies.size() == 2);
  CHECK(wide.map.box == std::array<std::uint64_t, 5>{64, 64, 0, 0, 0});

  const TilePlan none = planned(tile_of("bf16", Major::K, 8, 32, "none", StackingOrder::mn_first), 2);
  CHECK(none.copies.size() == 4);
  CHECK(none.map.box == std::array<std::uint64_t, 5>{8, 8, 0, 0, 0});
  CHECK(none.request == Bytes{16});
  CHECK(none.copies[3].coordinate == TensorCoordinate{24, 0});
  CHECK(none.copies[3].smem_offset == Bytes{384});
}

TEST_CASE("folded maps: dimensions, strides and box") {
  const TilePlan mn_first = planned(tile_of("bf16", Major::K, 64, 32, "32B", StackingOrder::mn_first), 5);
  CHECK(mn_first.copies.size() == 1);
  CHECK(mn_first.limit.empty());
  CHECK(mn_first.map == TensorMap{.data_type = TensorMapDataType::bfloat16,
                                  .rank = 3,
                                  .dims = {16, 64, 2},
                                  .strides = {64, 32},
                                  .box = {16, 64, 2},
                                  .swizzle = TensorMapSwizzle::b32});
  REQUIRE(mn_first.dimensions.size() == 3);
  CHECK(mn_first.dimensions[2].direction == Major::K);
  CHECK(mn_first.dimensions[2].step == 16);

  const TilePlan k_first = planned(tile_of("bf16", Major::K, 64, 32, "32B", StackingOrder::k_first), 5);
  CHECK(k_first.copies.size() == 1);
  CHECK(k_first.map == TensorMap{.data_type = TensorMapDataType::bfloat16,
                                 .rank = 4,
                                 .dims = {16, 8, 2, 8},
                                 .strides = {64, 32, 512},
                                 .box = {16, 8, 2, 8},
                                 .swizzle = TensorMapSwizzle::b32});
  const TilePlan rank_3 = planned(tile_of("bf16", Major::K, 64, 32, "32B", StackingOrder::k_first), 3);
  CHECK(rank_3.map.rank == 3);
  CHECK(rank_3.copies.size() == 8);
  CHECK(rank_3.copies[7].coordinate == TensorCoordinate{0, 56, 0});

  // MN-major, 64 k x 128 columns of bf16: one line of the swizzle is 64 columns.
  const TilePlan mn_major = planned(tile_of("bf16", Major::MN, 128, 64, "128B", StackingOrder::k_first), 2);
  CHECK(mn_major.map.dims == std::array<std::uint64_t, 5>{128, 64, 0, 0, 0});
  CHECK(mn_major.map.box == std::array<std::uint64_t, 5>{64, 64, 0, 0, 0});
  CHECK(mn_major.copies.size() == 2);
}

TEST_CASE("element by element, for one tile of each size of element") {
  for (const std::string_view dtype : {"u8", "bf16", "tf32", "f64"}) {
    for (const Major major : {Major::K, Major::MN}) {
      const std::int64_t k = 1024 / find_dtype(dtype)->memory_bits;
      const SmemTile tile = tile_of(dtype, major, 128, 2 * k, "64B", StackingOrder::k_first, Bytes{0x380});
      for (const int rank : {2, 5}) {
        const TilePlan plan = planned(tile, rank);
        long seen = 0;
        for (const TileCopy& copy : plan.copies) {
          const BoxPlacement placement(plan.map, Bytes{tile.base().count + copy.smem_offset.count});
          const std::vector<std::int64_t> addresses = placement.addresses();
          const std::int64_t width = placement.sizes()[0];
          for (std::size_t i = 0; i < addresses.size(); ++i) {
            const auto element = static_cast<std::int64_t>(i);
            TensorCoordinate at = placement.row_start(element / width, copy.coordinate);
            at[0] += element % width;
            std::int64_t along = 0, line = 0;
            for (std::size_t d = 0; d < plan.dimensions.size(); ++d)
              (plan.dimensions[d].direction == major ? along : line) += at[d] * plan.dimensions[d].step;
            const Bytes byte = major == Major::K ? tile.byte(line, along) : tile.byte(along, line);
            seen += byte.count == addresses[i] ? 1 : 0;
          }
        }
        CHECK(seen == 128 * 2 * k);
      }
    }
  }
}

TEST_CASE("tiles longer than 256 lines") {
  const auto copies = [](std::int64_t mn, std::int64_t k, std::string_view swizzle, int rank) {
    const SmemTile tile = tile_of("u8", Major::K, mn, k, swizzle, StackingOrder::mn_first);
    const TilePlan plan = planned(tile, rank);
    CHECK(is_exact(tile, plan, just_the_tile(tile, hopper())));
    return plan.copies.size();
  };
  CHECK(copies(320, 128, "128B", 2) == 2);  // 160 and 160
  CHECK(copies(320, 256, "128B", 2) == 4);
  CHECK(copies(320, 256, "128B", 4) == 1);    // 160 x 2 lines, 2 atoms
  CHECK(copies(320, 256, "128B", 3) == 2);    // the lines take both dimensions
  CHECK(copies(296, 16, "none", 2) == 37);    // 148 lines of 16 B are no multiple of 128 B, 8 are
  CHECK(copies(2056, 16, "none", 5) == 257);  // 2056 = 8 x 257, 257 is prime
  CHECK(copies(8, 16 * 512, "none", 5) == 1);
}

TEST_CASE("an operand larger than the tile, and one whose edge forbids to fold") {
  const SmemTile tile = tile_of("bf16", Major::K, 128, 128, "128B", StackingOrder::k_first);
  GmemOperand operand = packed_operand(tile, hopper(), {1000, 4096});
  TilePlan plan = std::get<TilePlan>(plan_tile(tile, operand, hopper(), 5));
  CHECK(plan.copies.size() == 1);
  CHECK(plan.map.dims == std::array<std::uint64_t, 5>{64, 8, 64, 125, 0});
  CHECK(is_exact(tile, plan, operand));

  // 1001 rows: groups of 8 rows cannot be a dimension, the 2 atoms along K still are.
  operand = packed_operand(tile, hopper(), {1001, 4096});
  plan = std::get<TilePlan>(plan_tile(tile, operand, hopper(), 5));
  CHECK(plan.map.dims == std::array<std::uint64_t, 5>{64, 1001, 64, 0, 0});
  CHECK(plan.copies.size() == 16);
  CHECK(plan.limit ==
        "the operand's extent along MN, 1001, is not a multiple of 8: at its edge a folded map would read "
        "on in the next line: 16 copies");
  CHECK(is_exact(tile, plan, operand));

  operand = packed_operand(tile, hopper(), {1000, 4088});
  plan = std::get<TilePlan>(plan_tile(tile, operand, hopper(), 5));
  CHECK(plan.map.rank == 2);
  CHECK(plan.copies.size() == 32);
  CHECK(is_exact(tile, plan, operand));
}

TEST_CASE("what TMA cannot make, and why") {
  const auto refusal = [](const SmemTile& tile, const GmemOperand& operand, const Target& target) {
    const auto result = plan_tile(tile, operand, target, 5);
    const auto* refused = std::get_if<Finding>(&result);
    return refused == nullptr ? std::string("planned") : std::string(refused->rule) + ": " + refused->message;
  };
  const SmemTile shifted = tile_of("bf16", Major::K, 64, 64, "128B", StackingOrder::mn_first, Bytes{0x410});
  CHECK(refusal(shifted, just_the_tile(shifted, hopper()), hopper()) ==
        "smem-128: the base address 0x410 is not a multiple of 128");
  const SmemTile atoms = tile_of("tf32", Major::MN, 32, 32, "128B_32B", StackingOrder::mn_first);
  CHECK(refusal(atoms, just_the_tile(atoms, blackwell()), blackwell()) == "planned");
  CHECK(refusal(atoms, just_the_tile(atoms, hopper()), hopper()) ==
        "swizzle-arch: swizzle 128B_ATOM_32B is refused on sm_90a: modes 4 to 6 need sm_100");
  const SmemTile tile = tile_of("bf16", Major::K, 64, 64, "128B", StackingOrder::mn_first);
  CHECK(refusal(tile, just_the_tile(tile, hopper()), require_target("sm_80")) == "arch-tma: sm_80 has no TMA");
  CHECK(refusal(tile, packed_operand(tile, hopper(), {64, 100}), hopper()) ==
        "stride-16: globalStrides[0] = 200 B is not a multiple of 16");
  CHECK(refusal(tile, {{0, 64}, Bytes{128}}, hopper()) ==
        "operand: an operand of 0x64 elements with lines 128 B apart");
  const SmemTile fp4 = tile_of("e2m1", Major::K, 64, 64, "32B", StackingOrder::mn_first);
  CHECK(refusal(fp4, packed_operand(fp4, hopper(), {64, 97}), hopper()) ==
        "operand: 97 elements of e2m1 are not a whole number of UINT8");
  const SmemTile slots({.dtype = "e2m1", .packing = Packing::slots, .mn = 64, .k = 128, .swizzle = "64B"});
  CHECK(refusal(slots, just_the_tile(slots, blackwell()), blackwell()) ==
        "padded-128: a box of 16U4_ALIGN16B is 128 values wide, 128 B; 64 B are contiguous in shared memory");
  CHECK(refusal(slots, just_the_tile(slots, hopper()), hopper()) ==
        "data-type-arch: 16U4_ALIGN16B is refused on sm_90a: types 13 to 15 need sm_100");
  CHECK_THROWS_AS(plan_tile(tile, just_the_tile(tile, hopper()), hopper(), 1), Error);
  CHECK_THROWS_AS(plan_tile(tile, just_the_tile(tile, hopper()), hopper(), 6), Error);
}

TEST_CASE("the data type that carries a tile") {
  const auto type = [](std::string_view dtype, const Target& target) {
    const SmemTile tile = tile_of(dtype, Major::K, 8, 256, "none", StackingOrder::mn_first);
    return find_row(tensor_map_type(tile, target))->name;
  };
  CHECK(type("bf16", hopper()) == "BFLOAT16");
  CHECK(type("s16", hopper()) == "UINT16");
  CHECK(type("s4", hopper()) == "UINT8");
  CHECK(type("u128", hopper()) == "UINT64");
  CHECK(type("e2m1", hopper()) == "UINT8");
  CHECK(type("e2m1", blackwell()) == "16U4_ALIGN8B");
  CHECK(type("e2m3", blackwell()) == "16U6_ALIGN16B");
}
