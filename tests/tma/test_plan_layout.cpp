// SPDX-License-Identifier: Apache-2.0
// Plans of layouts: random nests of loops with gaps, replayed copy by copy against the layout; what no copy makes.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "smem/placement.hpp"
#include "sweep.hpp"
#include "tma/plan.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

const Target& hopper() { return require_target("sm_90a"); }

// Where in global memory, in bytes, the 16 bytes at each address of shared memory come from.
using Image = std::map<std::int64_t, std::int64_t>;

Image wanted(const SmemDestination& to, const GmemOperand& operand) {
  const Placement placement(to.layout, to.element_bits(), to.base, to.major);
  const std::int64_t n = 128 / to.element_bits();
  const bool is_k = to.major == Major::K;
  Image image;
  for (std::int64_t row = 0; row < to.extents().mn; row += is_k ? 1 : n)
    for (std::int64_t k = 0; k < to.extents().k; k += is_k ? n : 1)
      image[placement.byte(row, k).count] =
          (is_k ? row : k) * operand.line_stride.count + (is_k ? k : row) * to.element_bits() / 8;
  return image;
}

Image replayed(const SmemDestination& to, const TilePlan& plan) {
  const TensorMapDataTypeRow& type = *find_row(plan.map.data_type);
  Image image;
  for (const TileCopy& copy : plan.copies) {
    const BoxPlacement placement(plan.map, Bytes{to.base.count + copy.smem_offset.count});
    for (std::int64_t row = 0; row < placement.rows(); ++row) {
      const TensorCoordinate at = placement.row_start(row, copy.coordinate);
      if (placement.is_filled(at)) return {};
      std::int64_t from = at[0] * type.gmem_bits / 8;
      for (std::size_t d = 1; d < 5; ++d) from += at[d] * static_cast<std::int64_t>(plan.map.strides[d - 1]);
      for (std::int64_t b = 0; b < placement.inner().count; b += 16)
        if (!image.emplace(placement.byte(row, b).count, from + b).second) return {};  // written twice
    }
  }
  return image;
}

struct Random {
  std::mt19937_64 engine;
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(n)); }
};

// Rows of some chunks, and up to five loops around them in any order, now and then with a gap before one.
struct Drawn {
  SmemDestination to;
  bool has_gap = false;
};
Drawn draw(Random& random) {
  constexpr const char* types[] = {"u8", "bf16", "f32", "f64"};
  constexpr const char* swizzles[] = {"none", "32B", "64B", "128B"};
  const DType& dtype = require_dtype(types[random.below(4)]);
  const SwizzleMode& mode = require_swizzle_mode(swizzles[random.below(4)]);
  const std::int64_t bits = dtype.memory_bits;
  const std::int64_t span = mode.bits == 0 ? 16 * (1 + random.below(8)) : mode.span.count;
  const bool is_narrow = mode.bits != 0 && random.below(4) == 0;
  const std::int64_t row_bytes = is_narrow ? span / 2 : span;

  struct Factor {
    bool is_contiguous;
    std::int64_t count, stride = 0;
  };
  std::vector<Factor> factors;
  const std::int64_t loops = random.below(5);
  for (std::int64_t i = 0; i < loops; ++i) factors.push_back({random.below(2) == 0, 1 + random.below(5)});
  std::vector<std::size_t> order(factors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random.engine);

  bool has_gap = false;
  std::int64_t at = std::max(row_bytes, mode.bits == 0 ? row_bytes : span);
  for (const std::size_t i : order) {
    if (random.below(5) == 0) at = (at / 128 + 1) * 128, has_gap = true;
    factors[i].stride = at * 8 / bits;
    at *= factors[i].count;
  }
  std::vector<IntTuple> shapes[2], strides[2];  // across the major, along it
  shapes[1].emplace_back(row_bytes * 8 / bits);
  strides[1].emplace_back(1);
  for (const Factor& f : factors) {
    shapes[f.is_contiguous ? 1 : 0].emplace_back(f.count);
    strides[f.is_contiguous ? 1 : 0].emplace_back(f.stride);
  }
  if (shapes[0].empty()) shapes[0].emplace_back(1), strides[0].emplace_back(0);
  const Major major = random.below(2) == 0 ? Major::K : Major::MN;
  const std::size_t first = major == Major::K ? 0 : 1;
  const Layout layout(std::vector<IntTuple>{shapes[first], shapes[1 - first]},
                      std::vector<IntTuple>{strides[first], strides[1 - first]});
  const ComposedLayout composed = mode.bits == 0
                                      ? ComposedLayout(layout)
                                      : ComposedLayout::smem_ptr(mode.byte_swizzle(), static_cast<int>(bits), layout);
  return {SmemDestination(composed, dtype, Packing::packed, major, Bytes{128 * random.below(16)}), has_gap};
}

std::variant<TilePlan, Finding> plan_of(const std::string& layout, std::string_view dtype, Major major, int rank = 2,
                                        std::int64_t base = 0) {
  const SmemDestination to(parse_layout(layout), require_dtype(dtype), Packing::packed, major, Bytes{base});
  auto answer = plan_tile(to, packed_operand(to, hopper(), to.extents()), hopper(), rank);
  if (const auto* plan = std::get_if<TilePlan>(&answer))
    CHECK(replayed(to, *plan) == wanted(to, packed_operand(to, hopper(), to.extents())));
  return answer;
}

std::string refusal_of(const std::string& layout, std::string_view dtype, Major major, std::int64_t base = 0) {
  const auto answer = plan_of(layout, dtype, major, 5, base);
  const auto* refusal = std::get_if<Finding>(&answer);
  return refusal == nullptr ? "planned" : std::string(refusal->rule) + ": " + refusal->message;
}

TilePlan planned(const std::string& layout, std::string_view dtype, Major major, int rank = 2, std::int64_t base = 0) {
  const auto answer = plan_of(layout, dtype, major, rank, base);
  if (const auto* refusal = std::get_if<Finding>(&answer)) FAIL(refusal->message);
  return std::get<TilePlan>(answer);
}

}  // namespace

TEST_CASE("random layouts: the copies put every byte where the layout says, or none are planned") {
  Random random{std::mt19937_64(20261121)};
  long plans = 0, refused = 0, gaps = 0, single = 0;
  const long count = is_sanitized ? 400 : 12000;
  for (long i = 0; i < count; ++i) {
    const Drawn drawn = draw(random);
    const GmemOperand operand = packed_operand(drawn.to, hopper(), drawn.to.extents());
    CAPTURE(to_string(drawn.to.layout));
    CAPTURE(std::string(drawn.to.dtype->name));
    CAPTURE(to_string(drawn.to.major));
    std::size_t fewest = SIZE_MAX;
    for (int rank = 2; rank <= 5; ++rank) {
      const auto answer = plan_tile(drawn.to, operand, hopper(), rank);
      const auto* plan = std::get_if<TilePlan>(&answer);
      if (plan == nullptr) {
        ++refused;
        continue;
      }
      ++plans;
      REQUIRE(plan->map.rank <= rank);
      REQUIRE(plan->copies.size() <= fewest);
      REQUIRE((plan->copies.size() == 1) == plan->limit.empty());
      REQUIRE(replayed(drawn.to, *plan) == wanted(drawn.to, operand));
      fewest = plan->copies.size();
    }
    if (fewest == SIZE_MAX) continue;
    gaps += drawn.has_gap ? 1 : 0;
    single += fewest == 1 ? 1 : 0;
  }
  CHECK(plans > count);
  CHECK(refused > count / 20);
  CHECK(gaps > count / 20);
  CHECK(single > count / 10);
}

TEST_CASE("the layout of a tile has the plan of the tile") {
  for (const char* swizzle : {"none", "32B", "64B", "128B"})
    for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
      const SmemTile tile({.dtype = "bf16", .mn = 64, .k = 128, .swizzle = swizzle, .order = order});
      const auto of_tile = plan_tile(tile, packed_operand(tile, hopper(), tile.extents()), hopper(), 5);
      const TilePlan of_layout = planned(to_string(tile.layout()), "bf16", Major::K, 5);
      CHECK(std::get<TilePlan>(of_tile).map == of_layout.map);
      CHECK(std::get<TilePlan>(of_tile).copies.size() == of_layout.copies.size());
    }
}

TEST_CASE("the whole 8x64 B box without a swizzle is another layout than the MMA's") {
  const TilePlan box = planned("(8,32):(32,1)", "bf16", Major::K);
  CHECK(box.copies.size() == 1);
  CHECK(box.map.box == std::array<std::uint64_t, 5>{32, 8, 0, 0, 0});
  CHECK(box.map.swizzle == TensorMapSwizzle::none);
  CHECK(box.request == Bytes{64});
}

TEST_CASE("layouts that are no tiles of atoms") {
  // Rows of 256 B after a 128B swizzle: two columns of a box, one line.
  const TilePlan wide = planned("Sw<3,4,3> o smem_ptr[16b](unset) o (8,128):(128,1)", "bf16", Major::K, 3);
  CHECK(wide.copies.size() == 1);
  CHECK(wide.map.box == std::array<std::uint64_t, 5>{64, 2, 8, 0, 0});
  CHECK(wide.map.strides == std::array<std::uint64_t, 4>{128, 256, 0, 0});
  // The same in elements, which counts from the base.
  CHECK(planned("Sw<3,3,3> o 0 o (8,128):(128,1)", "bf16", Major::K, 3, 1024).map == wide.map);
  // Rows that are padded by 128 B: one copy each.
  const TilePlan padded = planned("(16,64):(128,1)", "bf16", Major::K, 5);
  CHECK(padded.copies.size() == 16);
  CHECK(padded.copies[3].coordinate == TensorCoordinate{0, 3});
  CHECK(padded.copies[3].smem_offset == Bytes{768});
  CHECK(padded.limit == "steps along MN lie 256 B apart in shared memory, a box continues after 128 B: 16 copies");
  // Half a row of the swizzle's span, a gap beside it: a box leaves that gap by itself.
  CHECK(planned("Sw<3,4,3> o smem_ptr[16b](unset) o (8,32):(64,1)", "bf16", Major::K).copies.size() == 1);
  // Rows in groups of two, the groups' order reversed in memory with the columns between them.
  CHECK(planned("((2,4),(64,2)):((64,256),(1,128))", "bf16", Major::K, 5).copies.size() == 1);
  // Begins 64 elements after the base.
  CHECK(planned("Sw<0,3,3> o 64 o (8,64):(64,1)", "bf16", Major::K).copies[0].smem_offset == Bytes{128});
  // One row; one chunk.
  CHECK(planned("(1,64):(0,1)", "bf16", Major::K).map.rank == 1);
  CHECK(planned("(8,1):(1,0)", "bf16", Major::MN).copies.size() == 1);
}

TEST_CASE("what no copies make, and why") {
  CHECK(refusal_of("(64,64):(1,64)", "bf16", Major::K) ==
        "inner-16: K is contiguous in global memory, but only 16 of its bits are contiguous in shared memory; a row of "
        "a box "
        "is a multiple of 16 B");
  CHECK(refusal_of("(64,64):(72,1)", "bf16", Major::K) ==
        "smem-128: copies would begin 144 B apart, and a tensor copy writes to multiples of 128 B");
  CHECK(refusal_of("(8,64):(0,1)", "bf16", Major::K) == "own-place: 8 elements of the layout lie in one place");
  CHECK(refusal_of("(8,64):(32,1)", "bf16", Major::K) ==
        "own-place: steps of 32 elements begin inside of what faster modes cover, 64 elements");
  CHECK(refusal_of("(8,64):(-64,1)", "bf16", Major::K) == "ascending: the layout has the stride -64");
  CHECK(refusal_of("Sw<2,3,3> o 0 o (8,64):(64,1)", "bf16", Major::K, 0x80) ==
        "phase: the layout swizzles offsets from the base 0x80, TMA swizzles addresses; 0x80 is not a multiple of "
        "512");
  CHECK(refusal_of("Sw<3,4,4> o smem_ptr[16b](unset) o (8,64):(64,1)", "bf16", Major::K) ==
        "swizzle: no tensor map swizzles as Sw<3,4,4> does");
  CHECK(refusal_of("(8,64):(64,1)", "bf16", Major::K, 64) ==
        "smem-128: the base address 0x40 is not a multiple of 128");
  CHECK(refusal_of("(8,(8,8)):(8,(1,65))", "bf16", Major::K) ==
        "smem-128: 8 of K lie 1040 bits apart in shared memory, not a multiple of 16 B");
  CHECK_THROWS_AS(plan_of("(8,64,2):(64,1,512)", "bf16", Major::K), Error);
  CHECK_THROWS_AS(plan_of("(8,64):(1000000,1)", "bf16", Major::K), Error);
  CHECK_THROWS_AS(plan_of("Sw<3,4,3> o smem_ptr[8b](unset) o (8,64):(64,1)", "bf16", Major::K), Error);
}
