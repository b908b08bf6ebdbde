// SPDX-License-Identifier: Apache-2.0
// Laws of a story over random tiles of each generation: nothing breaks, each place is that of the room that owns it, and
// each leads back to the element.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "random_story.hpp"
#include "smem/choose.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

std::string text_of(const StoryAsk& ask) {
  const SmemTile& tile = ask.tile;
  return fmt::format("{} {} {} {} mode {} {} at {:#x}, {} {}, operand {} at ({}, {})", ask.target->name,
                     tile.dtype().name, to_string(tile.extents()), to_string(tile.major()), tile.swizzle().name,
                     to_string(tile.order()), tile.base().count, to_string(ask.role), to_string(ask.mma),
                     to_string(ask.from.extents), ask.from.tile_at.mn, ask.from.tile_at.k);
}

// What the documents say of global memory, in numbers of this test.
std::int64_t global_bit(const StoryAsk& ask, TileCoordinate at) {
  const SmemTile& tile = ask.tile;
  const bool is_k_major = tile.major() == Major::K;
  const std::int64_t row = ask.from.tile_at.mn + at.row, k = ask.from.tile_at.k + at.k;
  const bool is_padded = tile.form() != nullptr && tile.form()->has_gaps;
  const std::int64_t bits = is_padded ? tile.form()->bits : tile.element_bits();
  return (is_k_major ? row : k) * ask.from.line_stride.count * 8 + (is_k_major ? k : row) * bits;
}

void check_result(const Story& story, const StoryWay& way) {
  const bool is_row = story.ask.role == OperandRole::a;
  const auto index_of = [&](Coordinate at) { return is_row ? at.row : at.column; };
  CHECK(way.result.index == way.in_mma.row);
  if (story.tensor_memory) {
    const TmemCell cell{0, static_cast<int>(way.result.lanes.first), static_cast<int>(way.result.columns.first)};
    const auto element = story.tensor_memory->element(cell);
    REQUIRE(element);
    CHECK(index_of(*element) == way.result.index);
    return;
  }
  for (const int value : way.result.values)
    CHECK(index_of(story.registers->at(static_cast<int>(way.result.lanes.first), value)) == way.result.index);
}

void check_element(const Story& story, TileCoordinate at) {
  const StoryWay way = story_way(story, at);
  const SmemTile& tile = story.tile();
  CHECK(way.tensor == TileCoordinate{story.ask.from.tile_at.mn + at.row, story.ask.from.tile_at.k + at.k});
  CHECK(way.global.count == global_bit(story.ask, at));
  // Of a padded type 16 elements begin each 16 B of slots.
  const std::int64_t slot = slot_bit(tile, at).count;
  const bool has_gaps = tile.form() != nullptr && tile.form()->has_gaps;
  CHECK(way.written.count == (has_gaps ? slot / 128 * 128 + slot % 128 / 8 * tile.form()->bits : slot));
  CHECK(way.is_right());
  CHECK(way.entry.has_value() == story.ask.target->has_tma);
  CHECK(way.mma.row * story.step.mn + way.in_mma.row == at.row);
  CHECK(way.mma.k * story.step.k + way.in_mma.k == at.k);
  check_result(story, way);
  const StoryWayBack back = story_way_back(story, way);
  CHECK(back.from_global == at);
  CHECK(back.from_shared == at);
  CHECK(back.from_mma == at);
  if (way.entry) CHECK(back.from_copy == at);
  CHECK(way.holder.has_value() == (story.reader == StoryReader::ldmatrix));
  if (way.holder) CHECK(back.from_register == at);
}

TEST_CASE("random tiles of each generation: no break, the places of the rooms, and the way back") {
  for (std::size_t g = 0; g < generations().size(); ++g) {
    Random random(1000 + g);
    std::int64_t seen = 0;
    const long wanted = 2000 / step_of(200, 20);
    while (seen < wanted) {
      const auto ask = random_ask(generations()[g], random);
      if (!ask) continue;
      const Story story = story_of(*ask);
      // What no 2-D map brings is refused with a reason, not followed.
      if (!story.copies.refusals().empty()) {
        for (const StoryBreak& found : story.breaks) CHECK(found.link == StoryLink::global_to_copy);
        continue;
      }
      ++seen;
      CAPTURE(text_of(*ask));
      CHECK(story.breaks.empty());
      CHECK(story.read == story.copies.places());
      const TileExtents e = story.tile().extents();
      for (int i = 0; i < 8; ++i) check_element(story, {random.below(e.mn), random.below(e.k)});
      check_element(story, {});
      check_element(story, telling_element(story));
      check_element(story, {e.mn - 1, e.k - 1});
    }
  }
}

TEST_CASE("boxes of one atom, in the order in which the atoms are stacked, are the tile") {
  Random random(5);
  for (int i = 0; i < 200;) {
    StoryAsk ask = right_ask(generations()[static_cast<std::size_t>(1 + random.below(3))], random);
    const TileExtents atom = ask.tile.atom();
    if (ask.tile.form() != nullptr || ask.tile.swizzle().bits == 0) continue;
    ask.box = atom;
    CAPTURE(text_of(ask));
    const Story story = story_of(ask);
    CHECK(story.breaks.empty());
    CHECK(story.copies.count() == ask.tile.atoms().mn * ask.tile.atoms().k);
    ++i;
  }
}

TEST_CASE("the other order is named exactly if its copies are fewer") {
  Random random(6);
  int named = 0, other_named = 0;
  for (int i = 0; i < 400;) {
    const StoryAsk ask = right_ask(generations()[static_cast<std::size_t>(1 + random.below(3))], random);
    SmemTileValues values = ask.tile.values();
    values.order = other_order(values.order);
    const TileCopies copies(ask.tile, ask.from, *ask.target), other(SmemTile(values), ask.from, *ask.target);
    if (!copies.plan() || !other.plan()) continue;
    CAPTURE(text_of(ask));
    const std::optional<TmaBoxes> fewer = fewer_boxes(ask.tile);
    CHECK(fewer.has_value() == (other.count() < copies.count()));
    if (fewer) CHECK((fewer->count == other.count() && fewer->box == other.box()));
    ++(fewer ? named : other_named), ++i;
  }
  CHECK((named > 20 && other_named > 20));
}

TEST_CASE("without the exclusive or, 8 lines of a mode are as many wavefronts as a line has 16 B") {
  struct Row {
    const char* mode;
    int wavefronts;
  };
  for (const Row& row : {Row{"128B", 8}, {"64B", 4}, {"32B", 2}, {"none", 1}})
    for (const Major major : {Major::K, Major::MN}) {
      const SmemTile tile(
          {.dtype = "bf16", .major = major, .mn = 64, .k = 256, .swizzle = row.mode, .target = &sm_90a()});
      StoryAsk ask{.tile = tile, .target = &sm_90a(), .mma = {64, 128, 16}};
      ask.from = packed_operand(tile, sm_90a(), {8192, 4096});
      CHECK_MESSAGE(story_of(ask).linear_wavefronts == row.wavefronts, row.mode);
    }
}

TEST_CASE("the worked example: A of 8192x4096, sm_100a, element (37, 84)") {
  const SmemTile tile({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = "128B", .target = &sm_100a()});
  StoryAsk ask{.tile = tile, .target = &sm_100a(), .mma = {128, 256, 16}};
  ask.from = packed_operand(tile, sm_100a(), {8192, 4096});
  const Story story = story_of(ask);
  CHECK(story.breaks.empty());
  CHECK(story.copies.count() == 2);
  CHECK(story.copies.expect_bytes() == Bytes{32768});
  CHECK(story.wavefronts == 1);
  CHECK(story.linear_wavefronts == 8);
  CHECK(telling_element(story) == TileCoordinate{37, 84});
  const StoryWay way = story_way(story, {37, 84});
  CHECK(way.global.in_bytes() == Bytes{37 * 8192 + 168});
  CHECK(way.entry == BoxEntry{1, 20, 37});
  // Line 37 of the second half is 0x4000 + 37 * 128; 37 & 7 = 5 moves chunk 2 to chunk 7.
  CHECK(way.written.in_bytes() == Bytes{0x4000 + 37 * 128 + 7 * 16 + 8});
  CHECK(way.mma == TileCoordinate{0, 5});
  CHECK(hex64(story.word(0, 5)->word()) == "0x4000404000010402");
  CHECK(way.result.lanes.first == 37);
  CHECK(way.result.warp == 1);
}

TEST_CASE("without --at, a tile is followed at an element that tells something") {
  for (std::size_t g = 0; g < generations().size(); ++g) {
    Random random(2000 + g);
    for (int i = 0; i < 100; ++i) {
      const Story story = story_of(right_ask(generations()[g], random));
      CAPTURE(text_of(story.ask));
      const StoryWay way = story_way(story, telling_element(story));
      const SmemTile& tile = story.tile();
      CHECK((way.at.row % 8 > 0 || tile.extents().mn == 1));
      CHECK((way.at.row >= 8 || tile.extents().mn <= 37));
      CHECK((way.mma.k > 0 || story.blocks().k == 1));
      // A line of several k steps: of the last box along K.
      if (tile.atom().k > story.step.k) CHECK(way.at.k / tile.atom().k == tile.atoms().k - 1);
    }
  }
}

// Element 40 of row 37 is the ninth of its 16: 4 B into chunk 2. swz place and swz narrow say the same.
TEST_CASE("fp4 with gaps: the byte is that of the element, not of its slot") {
  SmemTileValues values{.dtype = "e2m1", .mn = 128, .k = 128, .swizzle = "128B"};
  values.packing = Packing::slots;
  values.target = &sm_100a();
  const SmemTile tile(values);
  StoryAsk ask{
      .tile = tile, .target = &sm_100a(), .filter = {.kind = &require_mma_kind("f8f6f4")}, .mma = {128, 128, 32}};
  ask.from = packed_operand(tile, sm_100a(), tile.extents());
  const Story story = story_of(ask);
  const StoryWay way = story_way(story, {37, 40});
  CHECK(way.written.in_bytes() == Bytes{37 * 128 + (2 ^ 5) * 16 + 4});
  CHECK(story_way_back(story, way).from_shared == TileCoordinate{37, 40});
}

TEST_CASE("a pair: each CTA has half of the rows, and the second half of D's rows") {
  const SmemTile tile({.dtype = "bf16", .mn = 128, .k = 64, .swizzle = "128B", .target = &sm_100a()});
  StoryAsk ask{.tile = tile, .target = &sm_100a(), .filter = {nullptr, 2}, .cta = 1, .mma = {256, 128, 16}};
  ask.from = packed_operand(tile, sm_100a(), {256, 64});
  ask.from.tile_at = {128, 0};
  const Story story = story_of(ask);
  CHECK(story.breaks.empty());
  const StoryWay way = story_way(story, {5, 0});
  CHECK(way.tensor == TileCoordinate{133, 0});
  CHECK(way.result.index == 133);
  CHECK(way.result.lanes.first == 5);
}

TEST_CASE("an element outside of the tile") {
  Random random(1);
  const Story story = story_of(right_ask(generations()[1], random));
  CHECK_THROWS(story_way(story, {story.tile().extents().mn, 0}));
  CHECK_THROWS(story_way(story, {0, -1}));
}

}  // namespace
}  // namespace swz
