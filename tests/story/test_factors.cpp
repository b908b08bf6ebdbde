// SPDX-License-Identifier: Apache-2.0
// The scale factors of a story: for random tiles of the block-scaled kinds each place is the formula of 128x4 tiles and of
// tensor memory, and leads back to the factor of the element.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/random.hpp"
#include "base/text.hpp"
#include "story/factors.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

struct ScaledAsk {
  StoryAsk ask;
  int each = 32;  // elements that share a factor
};

ScaledAsk random_scaled(Random& random) {
  constexpr std::string_view kinds[]{"mxf8f6f4", "mxf4", "mxf4nvf4"};
  const MmaKindRow& kind = require_mma_kind(kinds[random.below(3)]);
  const bool is_packed = kind.kind != MmaKind::mxf8f6f4;
  SmemTileValues values{.dtype = is_packed ? "e2m1" : "e4m3"};
  values.target = &sm_100a();
  values.mn = 128 * (1 + random.below(2));
  values.k = (is_packed ? 256 : 128) * (1 + random.below(2));
  const SmemTile tile(values);
  const OperandRole role = random.one_in(2) ? OperandRole::a : OperandRole::b;
  const std::int64_t n = role == OperandRole::b ? 128 : 64 * (1 + random.below(4)), k = is_packed ? 64 : 32;
  const TileExtents first{128 * random.below(3), values.k * random.below(3)};
  GmemOperand from = packed_operand(tile, sm_100a(), {first.mn + values.mn, first.k + values.k});
  from.tile_at = first;
  StoryAsk ask{.tile = tile, .target = &sm_100a(), .role = role, .filter = {.kind = &kind}, .mma = {128, n, k}};
  ask.from = from;
  return {std::move(ask), kind.kind == MmaKind::mxf4nvf4 ? 16 : 32};
}

// Byte of a factor in row-major 128x4 tiles of `along` factors, by the formula of cuBLAS.
std::int64_t tiled_byte(std::int64_t row, std::int64_t kb, std::int64_t along) {
  const std::int64_t tile = row / 128 * ((along + 3) / 4) + kb / 4;
  return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + kb % 4;
}

TEST_CASE("random block-scaled tiles: the factor's places are the formulas, and lead back") {
  Random random(77);
  for (long i = 0; i < 400 / step_of(40, 8); ++i) {
    const ScaledAsk drawn = random_scaled(random);
    const StoryAsk& ask = drawn.ask;
    const int each = drawn.each;
    const Story story = story_of(ask);
    const TileExtents e = ask.tile.extents();
    const TileCoordinate at{random.below(e.mn), random.below(e.k)};
    CAPTURE(fmt::format("{} {} at ({}, {})", to_string(e), to_string(ask.mma), at.row, at.k));
    const StoryWay way = story_way(story, at);
    const StoryFactors factors = story_factors(story, way.mma.row);
    REQUIRE_MESSAGE(factors.way, factors.why_not);
    CHECK(factors.type == (each == 16 ? "ue4m3" : "ue8m0"));
    const StoryFactor factor = story_factor(story, *factors.way, way);
    const std::int64_t row = at.row % 128, kb = at.k / each;
    CHECK(factor.at == ScaleCoordinate{row, kb});
    CHECK(factor.first_k == kb * each);
    CHECK(factor.stop.gmem.count == tiled_byte(ask.from.tile_at.mn + at.row, ask.from.tile_at.k / each + kb,
                                               (ask.from.extents.k + each - 1) / each));
    CHECK(factor.stop.smem.count == tiled_byte(row, kb, e.k / each));
    const ScalePlace& place = factor.stop.place;
    CHECK(place.lanes.front() == row % 32);
    CHECK(place.column == story.tensor_memory->columns() + row / 32 + 4 * (kb / 4));
    CHECK(place.byte == kb % 4);
    CHECK(place.mma == way.mma.k);
    CHECK(factor.back == factor.at);
    // The ids of the word name the first factor of the MMA; nothing else of the word changes.
    const InstructionDescriptor word = *story_instruction(story, way.mma.k);
    CHECK(word.value(FieldId::scale_a_id) == static_cast<std::uint64_t>(place.sf_id));
    CHECK(word.value(FieldId::scale_b_id) == static_cast<std::uint64_t>(place.sf_id));
    CHECK(lint(word).size() == lint(*story.instruction).size());
  }
}

// swz sf way --kind mxf8f6f4 --vec 32 --operand a --m 128 --k 128 --at 37,84
TEST_CASE("the MMA of the third k step names byte 2") {
  const SmemTile tile({.dtype = "e4m3", .mn = 128, .k = 128, .target = &sm_100a()});
  StoryAsk ask{
      .tile = tile, .target = &sm_100a(), .filter = {.kind = &require_mma_kind("mxf8f6f4")}, .mma = {128, 128, 32}};
  ask.from = packed_operand(tile, sm_100a(), tile.extents());
  const Story story = story_of(ask);
  REQUIRE(story_factors(story, 0).way);
  CHECK(story_instruction(story, 2)->word() == 0x48a00020);
  CHECK(story_instruction(story, 0)->word() == story.instruction->word());
  // A word that was given is the kernel's own, whatever the step.
  ask.instruction = 0x08a00000;
  CHECK(story_instruction(story_of(ask), 2)->word() == 0x08a00000);
}

TEST_CASE("kinds without scale factors have none, and a tile inside a 128x4 tile says why they are not followed") {
  const SmemTile tile({.dtype = "e4m3", .mn = 128, .k = 128, .target = &sm_100a()});
  StoryAsk ask{.tile = tile, .target = &sm_100a(), .mma = {128, 128, 32}};
  ask.from = packed_operand(tile, sm_100a(), {512, 512});
  ask.from.tile_at = {64, 0};
  const StoryFactors none = story_factors(story_of(ask), 0);
  CHECK(!none.way);
  CHECK(none.why_not.empty());
  ask.filter.kind = &require_mma_kind("mxf8f6f4");
  const StoryFactors refused = story_factors(story_of(ask), 0);
  CHECK(!refused.way);
  CHECK(refused.why_not.find("128x4") != std::string::npos);
  // The ids do not depend on where the tile lies.
  const Story story = story_of(ask);
  CHECK(story_instruction(story, 2)->value(FieldId::scale_a_id) == 2);
}

}  // namespace
}  // namespace swz
