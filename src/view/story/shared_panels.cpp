// SPDX-License-Identifier: Apache-2.0
// Panel 3 of a story: the lines of shared memory as the copies write them and, where something breaks, as the MMAs read
// them.
#include <set>
#include <utility>
#include <vector>

#include "view/story/story_panels.hpp"
#include "view/tile/tile_form.hpp"

namespace swz {
namespace {

// ---- 3: shared memory

struct StoredChunk {
  TileCoordinate at;
  std::int64_t byte = 0;
  bool is_wrong = false;  // some element is read from another place
};

std::vector<StoredChunk> chunks_of(const Story& story) {
  const SmemTile& tile = story.tile();
  const TileExtents e = tile.extents();
  const Major major = tile.major();
  const std::int64_t elements = chunk.count * 8 / tile.element_bits();
  std::vector<StoredChunk> chunks;
  for (std::int64_t line = 0; line < e.across(major); ++line)
    for (std::int64_t along = 0; along < e.along(major); along += elements) {
      const TileCoordinate at = TileCoordinate::of(major, line, along);
      StoredChunk& made = chunks.emplace_back(StoredChunk{at, story.copies.place(at) >> 3});
      for (std::int64_t i = 0; i < elements; ++i) {
        const TileCoordinate one = TileCoordinate::of(major, line, along + i);
        made.is_wrong =
            made.is_wrong || story.copies.place(one) != story.read[static_cast<std::size_t>(one.row * e.k + one.k)];
      }
    }
  return chunks;
}

bool holds(const Story& story, const StoredChunk& c, TileCoordinate at) {
  const Major major = story.tile().major();
  const std::int64_t elements = chunk.count * 8 / story.tile().element_bits();
  return c.at.line(major) == at.line(major) && c.at.along(major) / elements == at.along(major) / elements;
}

// Distances from the beginning of the tile, before the XOR.
std::vector<Grid::Arrow> arrows_of(const StoryPicture& p, std::int64_t first_line, std::int64_t lines) {
  const Story& story = p.story;
  const SmemTile& tile = story.tile();
  std::vector<Grid::Arrow> arrows;
  const auto place_of = [&](std::int64_t address) {
    return Grid::Place{address / bank_row.count - first_line, address % bank_row.count / chunk.count};
  };
  const auto add_arrow = [&](std::int64_t bytes, std::string text) {
    const Grid::Place to = place_of(tile.base().count + bytes);
    if (bytes <= 0 || to.row < 0 || to.row >= lines) return;
    arrows.push_back({Grid::Arrow::Kind::distance, place_of(tile.base().count), to, std::move(text)});
  };
  if (story.words.steps.empty() && tile.atoms().mn > 1)
    add_arrow(tile.mn_atom_stride().count, fmt::format("{} rows +{:#x}", tile.atom().mn, tile.mn_atom_stride().count));
  for (const auto& [name, stride] : {std::pair("LBO", &story.words.leading), std::pair("SBO", &story.words.stride)})
    if (stride->is_applied) add_arrow(stride->value.count, fmt::format("{} {:#x}", name, stride->value.count));
  const std::int64_t step = tile.linear_offset(0, std::min(story.step.k, tile.extents().k - 1)).count;
  const bool is_atom_k = tile.atom().k == story.step.k;
  if (story.blocks().k > 1)
    add_arrow(step, is_atom_k ? fmt::format("k step = {} k +{:#x}", tile.atom().k, step)
                              : fmt::format("k step +{:#x}", step));
  if (tile.atoms().k > 1 && tile.major() == Major::K && !is_atom_k)
    add_arrow(tile.k_atom_stride().count, fmt::format("{} k +{:#x}", tile.atom().k, tile.k_atom_stride().count));
  return arrows;
}

// "0x4020 + 4 x SBO 0x400 + 5 x 0x80 + 8 = 0x52a8", the address of the followed element before the exclusive or: by its
// word, if this is a K-major one, whose lines are as long as the mode.
std::string linear_text(const StoryPicture& p, std::int64_t linear) {
  const Story& story = p.story;
  const std::string sum = fmt::format("{:#x}", linear);
  const SmemDescriptor* word = story.word(p.way().mma.row, p.way().mma.k);
  if (word == nullptr || story.tile().major() != Major::K) return sum;
  const std::int64_t start = word->start_address().count, group = word->stride_byte_offset().count,
                     line = story.tile().swizzle().span.count;
  const TileCoordinate at = p.way().in_mma;
  const std::int64_t in_line =
      value_bit(story.tile().form(), Bits{at.k * story.tile().element_bits()}).in_bytes().count;
  if (start + at.row / StoryPicture::group_rows * group + at.row % StoryPicture::group_rows * line + in_line != linear)
    return sum;
  return fmt::format("{:#x} + {} x SBO {:#x} + {} x {:#x} + {} = {}", start, at.row / StoryPicture::group_rows, group,
                     at.row % StoryPicture::group_rows, line, in_line, sum);
}

// "mode 128B: byte XOR 16 x (line & 7), lines of 128 B; by the hardware, not in descriptors", and below it
// the followed element.
std::string swizzle_text(const StoryPicture& p) {
  const SmemTile& tile = p.story.tile();
  const SwizzleMode& mode = tile.swizzle();
  if (mode.bits == 0) return "";
  const Bytes slot{tile.base().count + tile.linear_offset(p.way().at.row, p.way().at.k).count};
  const std::int64_t linear = value_bit(tile.form(), Bits{slot.count * 8}).in_bytes().count;
  const std::int64_t swizzled = mode.byte(linear);
  const std::string_view who =
      p.story.words.steps.empty() ? "by the kernel, in its addresses" : "by the hardware, not in descriptors";
  return fmt::format(
      "\nmode {}: byte XOR {} x (line & {}), lines of 128 B; {}\n"
      "{}: {}, XOR {:#x} = {:#x}",
      mode.name, 1 << mode.base, mode.line_mask(), who, element_name(p.story, p.way().at), linear_text(p, linear),
      linear ^ swizzled, swizzled);
}

// Lines of shared memory that a picture shows: the first group of 8, the ends of arrows, where the followed element was
// written and where it is read.
std::vector<std::size_t> key_lines_of(const StoryPicture& p, const std::vector<Grid::Arrow>& arrows, std::int64_t first,
                                      std::int64_t count) {
  std::set<std::size_t> keys;
  const auto add = [&](std::int64_t line) {
    if (line >= 0 && line < count) keys.insert(static_cast<std::size_t>(line));
  };
  for (std::int64_t line = 0; line < StoryPicture::group_rows; ++line) add(line);
  for (const Grid::Arrow& arrow : arrows) add(arrow.to.row);
  for (const Bits bit : {p.way().written, p.way().read})
    if (bit.count >= 0) add(bit.count / 8 / bank_row.count - first);
  // Inside of a group of 8 a swizzle moves chunks: of two of its lines those between them are drawn, too.
  const std::vector<std::size_t> ends(keys.begin(), keys.end());
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (ends[i - 1] / StoryPicture::group_rows == ends[i] / StoryPicture::group_rows)
      for (std::size_t line = ends[i - 1] + 1; line < ends[i]; ++line) keys.insert(line);
  return {keys.begin(), keys.end()};
}

// What is written to the lines of shared memory, and beside it, where something breaks, what the MMAs read there as which
// element: their chunks, in the place from which they are read.
struct SharedLines {
  std::int64_t first = 0, count = 0;
  std::vector<StoredChunk> chunks;
};

SharedLines shared_lines(const Story& story) {
  std::vector<StoredChunk> chunks = chunks_of(story);
  const auto [low, high] = std::ranges::minmax(chunks, {}, &StoredChunk::byte);
  const std::int64_t first = std::max<std::int64_t>(low.byte, 0) / bank_row.count;
  const std::int64_t count = high.byte / bank_row.count - first + 1;
  require_drawable(count * (bank_row.count / chunk.count), "the figure of shared memory", "take a smaller tile");
  return {first, count, std::move(chunks)};
}

}  // namespace

Grid shared_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const SharedLines lines = shared_lines(story);
  const NarrowForm* gaps = form_with_gaps(story);
  const std::string what = p.is_broken() ? "row,k as written"
                           : gaps != nullptr
                               ? fmt::format("row,k of each {} B and its gap of {}", 2 * gaps->bits, gaps->gap_bytes())
                               : "row,k of each 16 B";
  Grid grid = smem_lines("3 shared memory: " + what, "byte\\bank", lines.first, lines.count);
  for (const StoredChunk& c : lines.chunks) {
    if (c.byte < 0) continue;
    Grid::Square& square = grid.at(c.byte / bank_row.count - lines.first, c.byte % bank_row.count / chunk.count);
    const std::int64_t step = p.k_step(c.at.k);
    square = {fmt::format("{},{}", c.at.row, c.at.k), StoryPicture::tint_of(step, c.at.row),
              holds(story, c, p.way().at) ? Mark::highlighted : Mark::none,
              fmt::format("row {}, k {}\nbyte {:#x}, k step {}{}", c.at.row, c.at.k, c.byte, step,
                          c.is_wrong ? "\nread from another place" : ""),
              static_cast<int>(step)};
  }
  std::vector<Grid::Arrow> arrows = arrows_of(p, lines.first, lines.count);
  grid.key_rows = key_lines_of(p, arrows, lines.first, lines.count);
  if (p.is_broken()) return grid;
  grid.arrows = std::move(arrows);
  grid.below = story_banks(story);
  if (gaps != nullptr) grid.below += "\n" + packing_text(*gaps);
  grid.below += swizzle_text(p);
  return grid;
}

// The lines as the MMAs read them: each chunk that one takes for (row, k), where it takes it. Red where something else was
// written there.
Grid read_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const SharedLines lines = shared_lines(story);
  const TileExtents e = story.tile().extents();
  Grid grid = smem_lines("as the MMAs read it", "byte\\bank", lines.first, lines.count);
  for (const StoredChunk& c : lines.chunks) {
    const std::int64_t byte = story.read[static_cast<std::size_t>(c.at.row * e.k + c.at.k)] >> 3;
    const std::int64_t line = byte / bank_row.count - lines.first, column = byte % bank_row.count / chunk.count;
    if (byte < 0 || line < 0 || line >= lines.count) continue;
    Grid::Square& square = grid.at(line, column);
    const std::int64_t step = p.k_step(c.at.k);
    square = {fmt::format("{},{}", c.at.row, c.at.k), StoryPicture::tint_of(step, c.at.row),
              holds(story, c, p.way().at) ? Mark::highlighted
              : c.is_wrong                ? Mark::colliding
                                          : Mark::none,
              fmt::format("read as row {}, k {}\nfrom byte {:#x}{}", c.at.row, c.at.k, byte,
                          c.is_wrong ? fmt::format("; it is at {:#x}", c.byte) : ""),
              static_cast<int>(step)};
    square.is_wrong = c.is_wrong;
  }
  const std::vector<Grid::Arrow> arrows = arrows_of(p, lines.first, lines.count);
  grid.key_rows = key_lines_of(p, arrows, lines.first, lines.count);
  return grid;
}

}  // namespace swz
