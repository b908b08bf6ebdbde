// SPDX-License-Identifier: Apache-2.0
// The picture of a story against the rooms: each cell of shared memory has the element that the tile puts there, and the
// distances are those of the words.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "render/picture.hpp"
#include "story/random_story.hpp"
#include "sweep.hpp"
#include "view/story/story.hpp"

namespace swz {
namespace {

const Grid& panel_of(const Figure& figure, std::string_view number) {
  for (const auto& row : figure.panels)
    for (const Grid& grid : row)
      if (grid.title.starts_with(number)) return grid;
  FAIL("no panel " << number);
  return figure.panels[0][0];
}

std::int64_t number_in(const std::string& text, std::size_t from) { return std::stoll(text.substr(from)); }

void check_shared(const Story& story, const Grid& grid) {
  const SmemTile& tile = story.tile();
  std::int64_t named = 0;
  for (std::size_t r = 0; r < grid.squares.size(); ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
      const std::string& text = grid.squares[r][c].text;
      if (text.empty()) continue;
      ++named;
      const TileCoordinate at{number_in(text, 0), number_in(text, text.find(',') + 1)};
      const std::int64_t line = std::stoll(grid.row_labels[r], nullptr, 16);
      CHECK(slot_bit(tile, at).count / 8 / 16 * 16 == line + static_cast<std::int64_t>(c) * 16);
      CHECK(grid.squares[r][c].tint.hue == at.k / story.step.k % 8);
      CHECK(grid.squares[r][c].mark != Mark::colliding);
    }
  CHECK(named == tile.bytes().in_chunks());
}

void check_arrows(const Story& story, const Grid& grid) {
  if (story.words.steps.empty()) return;
  const SmemDescriptor& word = *story.word(0, 0);
  for (const Grid::Arrow& arrow : grid.arrows) {
    const std::int64_t lines = arrow.to.row - arrow.from.row, chunks = arrow.to.column - arrow.from.column;
    const std::int64_t bytes = lines * 128 + chunks * 16;
    if (arrow.text.starts_with("LBO ")) CHECK(word.leading_byte_offset().count == bytes);
    if (arrow.text.starts_with("SBO ")) CHECK(word.stride_byte_offset().count == bytes);
    if (arrow.text.starts_with("k step "))
      CHECK(story.word(0, 1)->start_address().count - word.start_address().count == bytes);
    CHECK(arrow.text.ends_with(fmt::format("{:#x}", bytes)));
  }
}

// The last line under shared memory ends with the byte at which the element is.
void check_address(const Story& story, TileCoordinate at, const Grid& grid) {
  if (story.tile().swizzle().bits == 0) return;
  const StoryWay way = story_way(story, at);
  CHECK(grid.below.ends_with(fmt::format(" = {:#x}", way.written.in_bytes().count)));
}

// The number of the copy that brings a square, as its tooltip says.
std::string copy_in(const Grid::Square& square) {
  const std::size_t at = square.tip.find("copy ");
  return at == std::string::npos ? "" : square.tip.substr(at);
}

// Heavier lines of the tile are where one box ends and the next begins. Returns how many squares have one.
long check_boxes(const Grid& grid) {
  if (grid.row_group == 0 && grid.column_group == 0) return 0;
  const auto has_line = [](int group, std::size_t i) {
    return group > 0 && (i + 1) % static_cast<std::size_t>(group) == 0;
  };
  long seen = 0;
  for (std::size_t r = 0; r < grid.squares.size(); ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
      const std::string copy = copy_in(grid.squares[r][c]);
      if (c + 1 < grid.squares[r].size()) {
        CHECK(has_line(grid.column_group, c) == (copy != copy_in(grid.squares[r][c + 1])));
        seen += has_line(grid.column_group, c);
      }
      if (r + 1 < grid.squares.size()) CHECK(has_line(grid.row_group, r) == (copy != copy_in(grid.squares[r + 1][c])));
    }
  return seen;
}

// At 86 mm a distance that has no room beside the lines is in the words below them.
void check_narrow(const Document& document, const Grid& grid) {
  std::string painted;
  for (const auto& item : picture_of(document, {.width = {325}}).items)
    if (const Label* text = std::get_if<Label>(&item)) painted += text->text + " ";
  for (const Grid::Arrow& arrow : grid.arrows) CHECK_MESSAGE(painted.find(arrow.text) != std::string::npos, arrow.text);
}

void check_words(const Story& story, const Grid& grid) {
  std::size_t words = 0;
  for (const auto& row : grid.squares)
    for (const Grid::Square& square : row) words += square.text.empty() ? 0 : 1;
  CHECK(static_cast<std::int64_t>(words) == story.blocks().mn * story.blocks().k);
}

// The values of the registers are those of the fragment, and the framed one holds the element.
void check_registers(const Story& story, TileCoordinate at, const Grid& grid) {
  const Holder holder = *story_way(story, at).holder;
  const int each = 32 / story.tile().element_bits();
  CHECK(grid.row_labels == std::vector{fmt::format("thread {}", holder.thread)});
  const std::vector<Grid::Square>& registers = grid.squares.front();
  CHECK(std::ssize(registers) * each == story.operand->values());
  for (std::size_t r = 0; r < registers.size(); ++r)
    CHECK((registers[r].mark == Mark::highlighted) == (holder.value / each == static_cast<int>(r)));
}

TEST_CASE("random stories: cells, distances and words of the picture") {
  long boxes = 0;
  for (std::size_t g = 0; g < generations().size(); ++g) {
    Random random(31 + g);
    for (long i = 0; i < 400 / step_of(100, 20); ++i) {
      const StoryAsk ask = right_ask(generations()[g], random);
      const Story story = story_of(ask);
      const TileExtents e = ask.tile.extents();
      const TileCoordinate at{random.below(e.mn), random.below(e.k)};
      const Figure figure = story_figure({story, at}, "");
      check_shared(story, panel_of(figure, "3"));
      check_arrows(story, panel_of(figure, "3"));
      check_address(story, at, panel_of(figure, "3"));
      check_words(story, panel_of(figure, "4"));
      boxes += check_boxes(panel_of(figure, "2 tile"));
      if (i % 10 == 0) check_narrow(view_story({story, at}), panel_of(figure, "3"));
      if (story.operand) check_registers(story, at, panel_of(figure, "5 "));
      for (const auto& row : figure.panels)
        for (const Grid& grid : row) {
          std::int64_t followed = 0;
          for (const auto& squares : grid.squares)
            followed += std::ranges::count(squares, Mark::highlighted, &Grid::Square::mark);
          CHECK_MESSAGE(followed == (grid.squares.empty() ? 0 : 1), grid.title);
        }
    }
  }
  CHECK(boxes > 0);
}

TEST_CASE("at any given width of a page the panels of a row stay beside each other") {
  Random random(91);
  int seen = 0;
  for (int i = 0; i < 24; ++i) {
    StoryAsk ask = right_ask(generations()[static_cast<std::size_t>(i % 4)], random);
    // Wider tiles and tiles of many rows have rows of their own.
    const Story story = story_of(ask);
    if (story.blocks().k > 8 || story.tile().extents().mn > 128) continue;
    const Document document = view_story({story, {}});
    const double usual = picture_of(document).height;
    ++seen;
    for (double width = 840; width <= 1100; width += 20) {
      CAPTURE(width);
      CAPTURE(document.title);
      CHECK(picture_of(document, {.width = {width}}).height < 1.2 * usual);
    }
  }
  CHECK(seen > 6);
}

// In the words' order, so that the values can be put into the fields.
std::vector<FieldRow> differing_fields(std::uint64_t a, std::uint64_t b, const DescriptorFormat& format) {
  std::vector<FieldRow> rows;
  for (const FieldRow& row : format.fields)
    if (row.bits.read(a) != row.bits.read(b)) rows.push_back(row);
  return rows;
}

TEST_CASE("a broken story shows the fields of the followed word that are wrong, and only them") {
  for (const Target* target : {&sm_90a(), &sm_100a()})
    for (const char* written : {"128B", "64B", "32B"})
      for (const char* read : {"128B", "64B", "32B"}) {
        const SmemTile tile({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = written, .target = target});
        StoryAsk ask{.tile = tile, .target = target, .mma = {target == &sm_90a() ? 64 : 128, 128, 16}};
        ask.from = packed_operand(tile, *target, tile.extents());
        ask.read_as = SmemTile({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = read, .target = target});
        const Story story = story_of(ask);
        const TileCoordinate at{70, 20};
        const Figure figure = story_figure({story, at}, "");
        const std::size_t panels = figure.panels.front().size();
        if (std::string_view(written) == read) {
          CHECK(story.breaks.empty());
          CHECK(panels == 1);  // the operand is the tile: in words
          CHECK(figure.panels[1].size() == 2);
          continue;
        }
        const Grid& mistake = panel_of(figure, "mistake: the descriptor of k step 1");
        ask.read_as.reset();
        const Story right = story_of(ask);
        const TileCoordinate mma = story_way(story, at).mma;
        const SmemDescriptor &has = *story.word(mma.row, mma.k), &needs = *right.word(mma.row, mma.k);
        CHECK(mistake.below == fmt::format("it is {}, right is {}", hex64(has.word()), hex64(needs.word())));
        const std::vector<FieldRow> rows = differing_fields(has.word(), needs.word(), has.format());
        REQUIRE(mistake.column_labels.size() == rows.size());
        for (std::size_t i = 0; i < rows.size(); ++i) {
          CHECK(mistake.column_labels[i] == label(rows[i].id));
          CHECK(mistake.squares[0][i].text == value_text(decoded_field(has, rows[i])));
          CHECK(mistake.squares[1][i].text == value_text(decoded_field(needs, rows[i])));
          CHECK(mistake.squares[0][i].mark == Mark::colliding);
        }
      }
}

// A strip of the factors of the followed row: each byte of tensor memory is the one that leads back to its factor.
TEST_CASE("the strip of scale factors") {
  const SmemTile tile({.dtype = "e2m1", .mn = 128, .k = 256, .target = &sm_100a()});
  StoryAsk ask{.tile = tile,
               .target = &sm_100a(),
               .filter = {.kind = &require_mma_kind("mxf4nvf4")},
               .mma = {128, 128, 64},
               .from = packed_operand(tile, sm_100a(), tile.extents())};
  const StoryAnswer answer{story_of(ask), {37, 84}};
  const Figure figure = story_figure(answer, "");
  const Grid& strip = panel_of(figure, "scale factors");
  CHECK(strip.title == "scale factors of the MMA: one ue4m3 for 16 k");
  CHECK(strip.joins_way);
  CHECK(strip.row_labels == std::vector<std::string>{"row 37: byte"});
  REQUIRE(strip.squares.front().size() == 16);
  const ScalePlacement placement = story_element(answer).factors.way->placement();
  for (std::size_t kb = 0; kb < 16; ++kb) {
    const Grid::Square& square = strip.squares.front()[kb];
    const int column = std::stoi(strip.column_levels.front().labels[kb / 4].substr(std::string_view("column ").size()));
    const int byte = std::stoi(square.text);
    CHECK(scale_at(placement, 5, column, byte, 128) == ScaleCoordinate{37, static_cast<std::int64_t>(kb)});
    CHECK(square.tint.hue == static_cast<int>(kb / 4));
    CHECK((square.mark == Mark::highlighted) == (kb == 84 / 16));
  }
  const Grid& result = panel_of(figure, "5 ");
  CHECK(result.title == "5 D in tensor memory");
  CHECK(!result.joins_way);
}

}  // namespace
}  // namespace swz
