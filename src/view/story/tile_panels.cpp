// SPDX-License-Identifier: Apache-2.0
// Panels 1 and 2 of a story: the operand in global memory, and the tile with its boxes and k steps.
#include <set>
#include <vector>

#include "view/story/story_panels.hpp"

namespace swz {
namespace {

// ---- 1: the operand, not to scale

// The parts of a direction before the tile, in it and after it: "0-127", "128-255", "… 4095".
struct Parts {
  std::vector<std::string> labels;
  std::int64_t tile = 0;
};

Parts parts_of(std::int64_t first, std::int64_t size, std::int64_t whole) {
  Parts parts;
  if (first > 0) parts.labels.push_back(range_text(0, first));
  parts.tile = std::ssize(parts.labels);
  parts.labels.push_back(range_text(first, size));
  if (first + size < whole) parts.labels.push_back(fmt::format("… {}", whole - 1));
  return parts;
}

// "CTA 0" in the part of the operand that the other CTA of the pair copies, the one beside the tile.
std::string peer_text(const Story& story, const std::vector<std::string>& rows, std::int64_t row) {
  if (!is_pair(story)) return "";
  const std::int64_t mn = story.tile().extents().mn, first = story.copies.from().tile_at.mn;
  const std::int64_t peer = story.ask.cta == 0 ? first + mn : first - mn;
  return rows[static_cast<std::size_t>(row)] == range_text(peer, mn) ? fmt::format("CTA {}", 1 - story.ask.cta) : "";
}

}  // namespace

Grid global_panel(const StoryPicture& p) {
  const GmemOperand& from = p.story.copies.from();
  const TileExtents tile = p.story.tile().extents();
  const Parts rows = parts_of(from.tile_at.mn, tile.mn, from.extents.mn);
  const Parts ks = parts_of(from.tile_at.k, tile.k, from.extents.k);
  const std::string lines =
      fmt::format("{} contiguous; a line takes {} B", contiguous_letter(p.story), from.line_stride.count);
  if (tile == from.extents) {
    // One square would say less.
    Grid words;
    words.title = "1 global memory";
    words.in_words = fmt::format("{} is the tile, {}; {}", operand_letter(p.story), to_string(tile), lines);
    return words;
  }
  const auto square = [&](std::int64_t row, std::int64_t k) -> Grid::Square {
    const bool is_tile = row == rows.tile && k == ks.tile;
    if (!is_tile) return {k == ks.tile ? peer_text(p.story, rows.labels, row) : ""};
    return {(is_pair(p.story) ? fmt::format("CTA {}\n", p.story.ask.cta) : "tile\n") + to_string(tile),
            {},
            Mark::highlighted,
            fmt::format("the tile: {} {}, k {}", rows_word(p.story), rows.labels[static_cast<std::size_t>(row)],
                        ks.labels[static_cast<std::size_t>(k)])};
  };
  Grid grid = grid_of("1 global memory", fmt::format("{}\\k", row_word(p.story)), rows.labels, ks.labels, square);
  grid.below = fmt::format("{} is {}, {}; not to scale", operand_letter(p.story), to_string(from.extents), lines);
  // The title of the figure has the extents.
  grid.in_words =
      fmt::format("{} contiguous, lines of {} B; tile: {} {}, k {}", contiguous_letter(p.story), from.line_stride.count,
                  rows_word(p.story), rows.labels[static_cast<std::size_t>(rows.tile)],
                  ks.labels[static_cast<std::size_t>(ks.tile)]);
  return grid;
}

namespace {

// ---- 2: the tile

// "box 1 → 0x4000"
std::string box_text(const Story& story, std::int64_t i) {
  const TileCopy& copy = story.copies.plan()->copies[static_cast<std::size_t>(i)];
  return fmt::format("box {} → {:#x}", i, story.tile().base().count + copy.smem_offset.count);
}

// "2 boxes of 128x64; expect_tx 32768 B of A"
std::string copies_text(const Story& story) {
  const TileCopies& copies = story.copies;
  if (!copies.is_tensor_copy()) return fmt::format("{} {} of 16 B", copies.count(), copies.instruction());
  if (!copies.plan()) return "the copies are refused";
  return fmt::format("{} of {}; expect_tx {} B of {}{}", plural(copies.count(), "box"), to_string(copies.box()),
                     story.ask.expect.value_or(copies.expect_bytes()).count, operand_letter(story),
                     form_with_gaps(story) != nullptr ? " (reported: no gaps)" : "");
}

// "box 0 → 0x0, box 1 → 0x4000, …"
std::string box_places(const Story& story) {
  constexpr std::int64_t most = 4;
  if (!story.copies.plan()) return "";
  std::string text;
  for (std::int64_t i = 0; i < std::min(story.copies.count(), most); ++i)
    text += (i > 0 ? ", " : "") + box_text(story, i);
  return story.copies.count() > most ? text + ", …" : text;
}

std::string joined_texts(const std::vector<std::string>& texts, std::string_view between) {
  std::string text;
  for (const std::string& part : texts)
    if (!part.empty()) text += fmt::format("{}{}", text.empty() ? "" : between, part);
  return text;
}

// The k of one column: those of a k step, or of a box if some boxes are beside each other in one k step.
std::int64_t column_k(const Story& story) {
  const std::int64_t box_k = story.copies.box().k;
  return story.copies.plan() && story.step.k % box_k == 0 ? box_k : story.step.k;
}

// Heavier lines around the boxes, and above boxes of all rows their numbers. Whether the headings say where each box is
// written.
bool show_boxes(const Story& story, Grid& grid) {
  const auto& plan = story.copies.plan();
  const TileExtents box = story.copies.box(), tile = story.tile().extents();
  const std::int64_t unit = column_k(story);
  if (!plan || box.k % unit != 0) return false;
  if (box.mn < tile.mn && box.mn % StoryPicture::group_rows == 0) {
    grid.row_group = static_cast<int>(box.mn / StoryPicture::group_rows);
    if (box.k < tile.k) grid.column_group = static_cast<int>(box.k / unit);
  }
  if (box.mn != tile.mn || box.k == tile.k) return false;
  const int columns = static_cast<int>(box.k / unit);
  // A box of one column is as wide as its number, one of four has room for where it is written.
  const bool is_narrow = columns == 1, has_places = columns >= 4;
  Grid::Level level{columns, {}};
  for (std::int64_t i = 0; i < std::ssize(plan->copies); ++i)
    level.labels.push_back(is_narrow ? std::to_string(i) : has_places ? box_text(story, i) : fmt::format("box {}", i));
  grid.column_levels = {level};
  if (is_narrow) grid.title += ", boxes " + range_text(0, std::ssize(plan->copies));
  else grid.column_group = columns;
  return has_places;
}

}  // namespace

Grid tile_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const TileExtents tile = story.tile().extents();
  const std::int64_t groups = std::max<std::int64_t>(1, tile.mn / StoryPicture::group_rows), unit = column_k(story);
  const auto square = [&](std::int64_t group, std::int64_t column) {
    const std::int64_t row = group * StoryPicture::group_rows, k = column * unit, step = p.k_step(k);
    const std::optional<BoxEntry> entry = story.copies.copy_of({row, k});
    const bool is_followed = p.way().at.row / StoryPicture::group_rows == group && p.way().at.k / unit == column;
    return Grid::Square{fmt::format("k{}", step), StoryPicture::tint_of(step, row),
                        is_followed ? Mark::highlighted : Mark::none,
                        fmt::format("{} {}, k {}{}", rows_word(story), range_text(row, StoryPicture::group_rows),
                                    range_text(k, unit), entry ? fmt::format("\ncopy {}", entry->copy) : ""),
                        static_cast<int>(step)};
  };
  Grid grid = grid_of("2 tile", fmt::format("{}\\k", row_word(story)),
                      labels_of(tile.mn, StoryPicture::group_rows,
                                [](std::int64_t row) { return range_text(row, StoryPicture::group_rows); }),
                      labels_of(tile.k, unit, [](std::int64_t k) { return std::to_string(k); }), square);
  const bool has_places = show_boxes(story, grid);
  // The first group of rows, and that of the element or the last.
  const std::int64_t followed = p.way().at.row / StoryPicture::group_rows, other = followed > 0 ? followed : groups - 1;
  const std::set<std::size_t> keys{0, static_cast<std::size_t>(other)};
  grid.key_rows = {keys.begin(), keys.end()};
  const std::string places = has_places ? "" : box_places(story);
  grid.below = joined_texts({copies_text(story), box_reason(story), fewer_boxes_text(story), places}, "\n");
  grid.in_words = joined_texts({copies_text(story), fewer_boxes_text(story), box_places(story)}, "; ");
  return grid;
}

}  // namespace swz
