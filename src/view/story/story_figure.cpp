// SPDX-License-Identifier: Apache-2.0
// The picture of a story: global memory, the tile with its boxes and k steps, the lines of shared memory, the words, and
// where the scale factors and the result lie. One hue for each k step; groups of 8 rows are dark and light in turn; chunks
// that are read from another place are marked.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/story/story.hpp"
#include "view/tile/tile_form.hpp"

namespace swz {

namespace {

constexpr std::int64_t group_rows = 8, hues = 8;
// A tile of more k steps leaves no room for shared memory beside it.
constexpr std::int64_t most_k_steps_beside = 8;

Tint tint_of(std::int64_t k_step, std::int64_t row) {
  return {static_cast<int>(k_step % hues), static_cast<int>(row / group_rows % 2) * 2};
}

struct StoryPicture {
  const Story& story;
  StoryElement element;
  std::string result;  // where the result of the followed element lies

  const StoryWay& way() const { return element.way; }
  std::int64_t k_step(std::int64_t k) const { return k / story.step.k; }
  std::string k_text(std::int64_t step) const { return "k " + range_text(step * story.step.k, story.step.k); }
};

// Whether some element is read from another place than written.
bool is_broken(const StoryPicture& p) {
  return std::ranges::any_of(p.story.breaks, [](const StoryBreak& found) { return found.wrong > 0; });
}

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

Grid global_panel(const StoryPicture& p) {
  const GmemOperand& from = p.story.copies.from();
  const TileExtents tile = p.story.tile().extents();
  const Parts rows = parts_of(from.tile_at.mn, tile.mn, from.extents.mn);
  const Parts ks = parts_of(from.tile_at.k, tile.k, from.extents.k);
  const auto square = [&](std::int64_t row, std::int64_t k) -> Grid::Square {
    if (row != rows.tile || k != ks.tile) return {};
    return {"tile\n" + to_string(tile),
            {},
            Mark::highlighted,
            fmt::format("the tile: rows {}, k {}", rows.labels[static_cast<std::size_t>(row)],
                        ks.labels[static_cast<std::size_t>(k)])};
  };
  Grid grid = grid_of("1 global memory", "row\\k", rows.labels, ks.labels, square);
  const std::string what = fmt::format("{} is {}, {} contiguous; a line takes {} B", operand_letter(p.story),
                                       to_string(from.extents), contiguous_letter(p.story), from.line_stride.count);
  grid.below = what + "; not to scale";
  grid.in_words =
      fmt::format("{}; the tile {}: rows {}, k {}", what, to_string(tile),
                  rows.labels[static_cast<std::size_t>(rows.tile)], ks.labels[static_cast<std::size_t>(ks.tile)]);
  return grid;
}

// ---- 2: the tile

// "box 1 → 0x4000"
std::string box_text(const Story& story, std::int64_t i) {
  const TileCopy& copy = story.copies.plan()->copies[static_cast<std::size_t>(i)];
  return fmt::format("box {} → {:#x}", i, story.tile().base().count + copy.smem_offset.count);
}

// "2 boxes of 128x64, at most as wide as a line of mode 128B: 128 B = 64 k; expect_tx 32768 B of A", and below
// it where the boxes are written, unless their headings say it. A narrow picture keeps the first line only.
std::string copies_text(const Story& story, bool has_places) {
  const TileCopies& copies = story.copies;
  if (!copies.is_tensor_copy()) return fmt::format("{} {} of 16 B", copies.count(), copies.instruction());
  if (!copies.plan()) return "the copies are refused";
  constexpr std::int64_t most = 4;
  const Major major = story.tile().major();
  const SwizzleMode& mode = story.tile().swizzle();
  std::string text = fmt::format("{} of {}", plural(copies.count(), "box"), to_string(copies.box()));
  if (mode.bits > 0)
    text += fmt::format(", at most as wide as a line of mode {}: {} B = {} {}", mode.name, mode.span.count,
                        story.tile().atom().along(major), major == Major::K ? "k" : "rows");
  const NarrowForm* form = story.tile().form();
  text += fmt::format("; expect_tx {} B of {}{}", story.ask.expect.value_or(copies.expect_bytes()).count,
                      operand_letter(story), form != nullptr && form->has_gaps ? " as reported" : "");
  if (const std::string fewer = fewer_boxes_text(story); !fewer.empty()) text += "\n" + fewer;
  if (has_places) return text;
  for (std::int64_t i = 0; i < std::min(copies.count(), most); ++i) text += (i > 0 ? ", " : "\n") + box_text(story, i);
  return copies.count() > most ? text + ", …" : text;
}

Grid tile_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const TileExtents tile = story.tile().extents();
  const std::int64_t groups = std::max<std::int64_t>(1, tile.mn / group_rows);
  const auto square = [&](std::int64_t group, std::int64_t step) {
    const std::int64_t row = group * group_rows, k = step * story.step.k;
    const std::optional<BoxEntry> entry = story.copies.copy_of({row, k});
    const bool is_followed = p.way().at.row / group_rows == group && p.way().mma.k == step;
    return Grid::Square{fmt::format("k{}", step), tint_of(step, row), is_followed ? Mark::highlighted : Mark::none,
                        fmt::format("rows {}, {}{}", range_text(row, group_rows), p.k_text(step),
                                    entry ? fmt::format("\ncopy {}", entry->copy) : ""),
                        static_cast<int>(step)};
  };
  Grid grid = grid_of("2 tile", "row\\k",
                      labels_of(tile.mn, group_rows, [](std::int64_t row) { return range_text(row, group_rows); }),
                      labels_of(tile.k, story.step.k, [](std::int64_t k) { return std::to_string(k); }), square);
  const TileExtents box = story.copies.box();
  bool has_places = false;
  if (const auto& plan = story.copies.plan();
      plan && box.k % story.step.k == 0 && box.k < tile.k && box.mn == tile.mn) {
    grid.column_group = static_cast<int>(box.k / story.step.k);
    Grid::Level level{grid.column_group, {}};
    // A box of one k step is as wide as its number, one of four has room for where it is written.
    const bool is_narrow = grid.column_group == 1;
    has_places = grid.column_group >= 4;
    for (std::int64_t i = 0; i < std::ssize(plan->copies); ++i)
      level.labels.push_back(is_narrow    ? std::to_string(i)
                             : has_places ? box_text(story, i)
                                          : fmt::format("box {}", i));
    grid.column_levels = {level};
    if (is_narrow) {
      grid.title += ", boxes " + range_text(0, std::ssize(plan->copies));
      grid.column_group = 0;
    }
  }
  // The first group of rows, and that of the element or the last.
  const std::int64_t followed = p.way().at.row / group_rows, other = followed > 0 ? followed : groups - 1;
  const std::set<std::size_t> keys{0, static_cast<std::size_t>(other)};
  grid.key_rows = {keys.begin(), keys.end()};
  grid.below = copies_text(story, has_places);
  // In a column what is written and what is read, or the scale factors, take its place.
  if (is_broken(p) || p.element.factor) {
    grid.in_words = grid.below;
    if (const std::size_t line = grid.in_words.find('\n'); line != std::string::npos)
      grid.in_words.replace(line, 1, "; ");
  }
  return grid;
}

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
    add_arrow(tile.mn_atom_stride().count, fmt::format("+{:#x}", tile.mn_atom_stride().count));
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
  if (start + at.row / group_rows * group + at.row % group_rows * line + in_line != linear) return sum;
  return fmt::format("{:#x} + {} x SBO {:#x} + {} x {:#x} + {} = {}", start, at.row / group_rows, group,
                     at.row % group_rows, line, in_line, sum);
}

// "mode 128B: byte XOR 16 x (line & 7), lines of 128 B; the hardware does it, descriptors do not", and below it
// the followed element.
std::string swizzle_text(const StoryPicture& p) {
  const SmemTile& tile = p.story.tile();
  const SwizzleMode& mode = tile.swizzle();
  if (mode.bits == 0) return "";
  const Bytes slot{tile.base().count + tile.linear_offset(p.way().at.row, p.way().at.k).count};
  const std::int64_t linear = value_bit(tile.form(), Bits{slot.count * 8}).in_bytes().count;
  const std::int64_t swizzled = mode.byte(linear);
  const std::string_view who =
      p.story.words.steps.empty() ? "the kernel does it, in its addresses" : "the hardware does it, descriptors do not";
  return fmt::format(
      "\nmode {}: byte XOR {} x (line & {}), lines of 128 B; {}\n"
      "{}[{}][{}]: {}, XOR {:#x} = {:#x}",
      mode.name, 1 << mode.base, mode.line_mask(), who, operand_letter(p.story), p.way().at.row, p.way().at.k,
      linear_text(p, linear), linear ^ swizzled, swizzled);
}

// Lines of shared memory that a picture shows: the first group of 8, the ends of arrows, where the followed element was
// written and where it is read.
std::vector<std::size_t> key_lines_of(const StoryPicture& p, const std::vector<Grid::Arrow>& arrows, std::int64_t first,
                                      std::int64_t count) {
  std::set<std::size_t> keys;
  const auto add = [&](std::int64_t line) {
    if (line >= 0 && line < count) keys.insert(static_cast<std::size_t>(line));
  };
  for (std::int64_t line = 0; line < group_rows; ++line) add(line);
  for (const Grid::Arrow& arrow : arrows) add(arrow.to.row);
  for (const Bits bit : {p.way().written, p.way().read})
    if (bit.count >= 0) add(bit.count / 8 / bank_row.count - first);
  // Inside of a group of 8 a swizzle moves chunks: of two of its lines those between them are drawn, too.
  const std::vector<std::size_t> ends(keys.begin(), keys.end());
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (ends[i - 1] / group_rows == ends[i] / group_rows)
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

Grid shared_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const SharedLines lines = shared_lines(story);
  Grid grid = smem_lines(is_broken(p) ? "3 shared memory: row,k as written" : "3 shared memory: row,k of each 16 B",
                         "byte\\bank", lines.first, lines.count);
  for (const StoredChunk& c : lines.chunks) {
    if (c.byte < 0) continue;
    Grid::Square& square = grid.at(c.byte / bank_row.count - lines.first, c.byte % bank_row.count / chunk.count);
    const std::int64_t step = p.k_step(c.at.k);
    square = {fmt::format("{},{}", c.at.row, c.at.k), tint_of(step, c.at.row),
              holds(story, c, p.way().at) ? Mark::highlighted : Mark::none,
              fmt::format("row {}, k {}\nbyte {:#x}, k step {}{}", c.at.row, c.at.k, c.byte, step,
                          c.is_wrong ? "\nread from another place" : ""),
              static_cast<int>(step)};
  }
  std::vector<Grid::Arrow> arrows = arrows_of(p, lines.first, lines.count);
  grid.key_rows = key_lines_of(p, arrows, lines.first, lines.count);
  if (is_broken(p)) return grid;
  grid.arrows = std::move(arrows);
  grid.below = story_banks(story);
  if (const NarrowForm* form = story.tile().form(); form != nullptr && form->has_gaps)
    grid.below += "\n" + packing_text(*form);
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
    square = {fmt::format("{},{}", c.at.row, c.at.k), tint_of(step, c.at.row),
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

// ---- 4: the words, or the addresses of ldmatrix

// How many k steps one row of words has: those of one line of an atom.
std::int64_t steps_in_row(const Story& story) {
  constexpr std::int64_t most = 4;
  const SmemTile& tile = story.tile();
  const std::int64_t in_atom = tile.major() == Major::K ? tile.atom().k / story.step.k : most;
  return std::min(story.blocks().k, in_atom > 1 ? std::min(in_atom, most) : most);
}

// The start of an MMA and its word, "+0x20" above "0x4000404000010402", or of a word the half that steps change.
std::string word_text(const Story& story, std::int64_t m, std::int64_t k, bool is_half = false) {
  if (story.words.steps.empty()) {
    const std::int64_t first = m * story.step.mn * story.tile().extents().k + k * story.step.k;
    return fmt::format("{:#x}", story.read[static_cast<std::size_t>(first)] >> 3);
  }
  const SmemDescriptor& word = *story.word(m, k);
  const std::int64_t start = word.start_address().count, first = story.word(0, 0)->start_address().count;
  const std::string text = is_half ? fmt::format("…{:08x}", word.word() & 0xffffffffu) : hex64(word.word());
  return fmt::format("{}\n{}", m == 0 && k == 0 ? fmt::format("{:#x}", start) : fmt::format("{:+#x}", start - first),
                     text);
}

std::string_view mode_name(const SmemDescriptor& word) {
  return word.swizzle() == nullptr ? std::string_view("?") : word.swizzle()->name;
}

// "0x4000404000010402: start 16416 B = 0x4020, SBO 1024 B (to the next 8 rows), LBO not used, mode 128B; fields count 16 B"
std::string fields_text(const Story& story, const SmemDescriptor& word) {
  const auto stride_text = [](std::string_view name, const StrideField& field, Bytes value) {
    return field.is_applied ? fmt::format("{} {} B", name, value.count) : fmt::format("{} not used", name);
  };
  const std::int64_t start = word.start_address().count;
  return fmt::format("{}: start {} B = {:#x}, {}, {}, mode {}; fields count 16 B", hex64(word.word()), start, start,
                     stride_text("SBO", story.words.stride, word.stride_byte_offset()),
                     stride_text("LBO", story.words.leading, word.leading_byte_offset()), mode_name(word));
}

Grid word_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const TileExtents blocks = story.blocks();
  const std::int64_t columns = steps_in_row(story), rows = (blocks.k + columns - 1) / columns;
  const auto square = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t m = row / rows, k = row % rows * columns + column;
    if (k >= blocks.k) return Grid::Square{};
    const bool is_followed = p.way().mma == TileCoordinate{m, k};
    Grid::Square made{word_text(story, m, k), tint_of(k, 0), is_followed ? Mark::highlighted : Mark::none,
                      fmt::format("rows {}, {}", range_text(m * story.step.mn, story.step.mn), p.k_text(k)),
                      static_cast<int>(k)};
    made.brief = word_text(story, m, k, true);
    return made;
  };
  const std::int64_t atom = story.tile().atom().k;
  const bool is_atom = rows > 1 && atom > story.step.k && columns * story.step.k == atom;
  const auto row_label = [&](std::int64_t row) {
    const std::int64_t first = row % rows * columns * story.step.k;
    const std::string ks = (is_atom ? fmt::format("atom {}: k ", first / atom) : "k ") +
                           range_text(first, std::min(columns * story.step.k, story.tile().extents().k - first));
    return blocks.mn == 1 ? ks : fmt::format("rows {}, {}", range_text(row / rows * story.step.mn, story.step.mn), ks);
  };
  Grid grid =
      grid_of(story.words.steps.empty() ? "4 address of lane 0 of each ldmatrix" : "4 start and descriptor of each MMA",
              "k", labels_of(blocks.mn * rows, 1, row_label),
              labels_of(columns, 1, [&](std::int64_t i) { return fmt::format("+{}", i * story.step.k); }), square);
  std::set<std::size_t> keys;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const std::int64_t m : {std::int64_t{0}, p.way().mma.row})
      keys.insert(static_cast<std::size_t>(m * rows + row));
  grid.key_rows = {keys.begin(), keys.end()};
  const std::string steps = fmt::format("{} of {} rows x {} of k {}", plural(blocks.mn, "block"), story.step.mn,
                                        plural(blocks.k, "step"), story.step.k);
  const SmemDescriptor* word = story.word(p.way().mma.row, p.way().mma.k);
  grid.below = word == nullptr ? steps : fields_text(story, *word) + "\n" + steps;
  if (p.element.instruction) grid.below += "; " + instruction_text(story, p.element);
  return grid;
}

// The fields in which the word of the followed MMA differs from the one that reads the tile. Nothing if none does.
std::optional<Grid> mistake_panel(const StoryPicture& p) {
  const TileCoordinate mma = p.way().mma;
  const SmemDescriptor* word = p.story.word(mma.row, mma.k);
  const std::optional<SmemDescriptor> right = right_word(p.story, mma);
  if (word == nullptr || !right || word->word() == right->word()) return {};
  Grid grid;
  grid.title = fmt::format("mistake: the descriptor of k step {}", mma.k);
  grid.row_labels = {"it has", "the tile needs"};
  grid.squares.resize(grid.row_labels.size());
  for (const FieldRow& row : word->format().fields) {
    const DecodedField has = decoded_field(*word, row), needs = decoded_field(*right, row);
    if (has.raw == needs.raw) continue;
    grid.column_labels.emplace_back(label(row.id));
    grid.squares[0].push_back({value_text(has), {}, Mark::colliding});
    grid.squares[1].push_back({value_text(needs)});
  }
  grid.below = fmt::format("it is {}, right is {}", hex64(word->word()), hex64(right->word()));
  grid.in_words = grid.below;
  return grid;
}

// ---- 5: the registers of the thread that has the element, of an operand of mma.sync

// Values in one register of 32 bits.
Grid register_panel(const StoryPicture& p) {
  const Fragment& operand = *p.story.operand;
  const Holder& holder = *p.way().holder;
  const int each = operand.register_bits() / operand.bits;
  const bool is_a = p.story.ask.role == OperandRole::a;
  const auto name = [&](int value) { return fmt::format("{}{}", is_a ? 'a' : 'b', value); };
  const auto square = [&](std::int64_t, std::int64_t r) {
    const int first = static_cast<int>(r) * each;
    std::string text = name(first), tip;
    if (each > 1) text += (each > 2 ? "-" : ",") + name(first + each - 1);
    for (int value = first; value < first + each; ++value) {
      const Coordinate at = operand.at(holder.thread, value);
      tip += fmt::format("{}{}: row {}, k {}", tip.empty() ? "" : "\n", name(value), is_a ? at.row : at.column,
                         is_a ? at.column : at.row);
    }
    return Grid::Square{text, tint_of(p.way().mma.k, 0), holder.value / each == r ? Mark::highlighted : Mark::none, tip,
                        static_cast<int>(p.way().mma.k)};
  };
  return grid_of(fmt::format("5 {} in registers", operand_letter(p.story)), "register",
                 {fmt::format("thread {}", holder.thread)}, number_labels(operand.registers()), square);
}

// ---- 5: the scale factors of the followed row

Grid factor_panel(const StoryPicture& p) {
  const ScaleWay& way = *p.element.factors.way;
  const StoryFactor& followed = *p.element.factor;
  const int block = way.placement().block();
  const std::int64_t factors = way.stage().extents().factors;
  const auto square = [&](std::int64_t, std::int64_t kb) {
    const ScaleWay::Stop stop = way.stop({followed.at.row, kb});
    const std::int64_t step = p.k_step(kb * block);
    return Grid::Square{
        std::to_string(stop.place.byte), tint_of(step, 0), kb == followed.at.kb ? Mark::highlighted : Mark::none,
        fmt::format("k {}\nbyte {:#x} of the stage, copy {}\nlanes {}, column {}, byte {}, sf_id {}",
                    range_text(kb * block, block), stop.smem.count, stop.copy, fmt::join(stop.place.lanes, ", "),
                    stop.place.column, stop.place.byte, stop.place.sf_id),
        static_cast<int>(step)};
  };
  Grid grid = grid_of(fmt::format("5 scale factors: one {} for {} k", p.element.factors.type, block), "k",
                      {fmt::format("row {}: byte", followed.at.row)},
                      labels_of(factors, 1, [&](std::int64_t kb) { return range_text(kb * block, block); }), square);
  constexpr int word = 4;  // the factors in one column
  grid.column_group = word;
  grid.column_levels = {{word, labels_of(factors, word, [&](std::int64_t kb) {
                           return fmt::format("column {}", way.stop({followed.at.row, kb}).place.column);
                         })}};
  grid.below = factor_text(followed) +
               fmt::format("\n{} B of shared memory to columns {} by {} tcgen05.cp.{}", way.stage().size().count,
                           range_text(way.tile().column, way.columns()), way.copies().size(), full_name(way.copy()));
  constexpr std::int64_t most_in_column = 16;
  if (factors > most_in_column) grid.in_words = factor_text(followed);
  return grid;
}

// ---- 6: the result

// The number of the last panel and its name: "5 D in registers (block 0)".
std::string result_name(const StoryPicture& p, std::string_view where) {
  const std::string block = p.story.blocks().mn > 1 ? fmt::format(" (block {})", p.way().mma.row) : "";
  return fmt::format("{} D {}{}", p.element.factor || p.way().holder ? 6 : 5, where, block);
}

Grid::Square result_square(std::string text, bool is_followed, std::string tip) {
  return {std::move(text), {}, is_followed ? Mark::highlighted : Mark::none, std::move(tip)};
}

// Columns of D, at most eight groups of eight or more.
Grid column_panel(const StoryPicture& p) {
  const std::int64_t n = p.story.ask.mma.n, size = (n + 63) / 64 * 8;
  const auto square = [&](std::int64_t, std::int64_t i) {
    return result_square("", p.way().result.index / size == i, "columns " + range_text(i * size, size));
  };
  return grid_of(result_name(p, "by columns"), "n", {"D"}, number_labels(n, size), square);
}

// Rows of D that lie together: in a quarter of tensor memory, or in a warp.
Grid row_panel(const StoryPicture& p) {
  const Story& story = p.story;
  const bool is_tmem = story.tensor_memory.has_value();
  const std::string word = is_tmem ? "lane" : "thread";
  const auto square = [&](std::int64_t quarter, std::int64_t) {
    const bool is_followed = p.way().result.warp == quarter;
    const std::string text =
        is_followed ? fmt::format("warp {}: row {}", quarter, p.way().result.index) : fmt::format("warp {}", quarter);
    return result_square(text, is_followed, fmt::format("{}s {}", word, range_text(quarter * warp_lanes, warp_lanes)));
  };
  const std::string columns = is_tmem ? fmt::format("columns 0-{}", story.tensor_memory->columns() - 1)
                                      : fmt::format("n 0-{}", story.ask.mma.n - 1);
  const auto label = [](std::int64_t lane) { return range_text(lane, warp_lanes); };
  return grid_of(result_name(p, is_tmem ? "in tensor memory" : "in registers"), word,
                 labels_of(is_tmem ? tmem_lanes : story.registers->threads(), warp_lanes, label), {columns}, square);
}

Grid result_panel(const StoryPicture& p) {
  const bool is_row = p.story.ask.role == OperandRole::a;
  Grid grid = is_row ? row_panel(p) : column_panel(p);
  grid.in_words = p.result;
  return grid;
}

std::string caption_of(const StoryPicture& p, const std::string& way) {
  std::string text = "Colour: the k step";
  if (p.story.blocks().k > hues) text += fmt::format(", and so again from k{} on", hues);
  if (!is_broken(p)) return text + fmt::format("; groups of {} rows are dark and light in turn. {}", group_rows, way);
  text += '.';
  if (p.way().written.count >= 0)
    text += fmt::format(" {}[{}][{}] is written to byte {:#x} and read from byte {:#x}.", operand_letter(p.story),
                        p.way().at.row, p.way().at.k, p.way().written.count / 8, p.way().read.count / 8);
  return text + " Red: something else was written there.";
}

std::vector<std::vector<Grid>> panels_of_story(const StoryPicture& p) {
  if (is_broken(p)) {
    std::vector<Grid> first{global_panel(p), tile_panel(p)};
    if (auto mistake = mistake_panel(p)) first.push_back(std::move(*mistake));
    return {std::move(first), {shared_panel(p), read_panel(p)}, {word_panel(p), result_panel(p)}};
  }
  if (p.story.blocks().k > most_k_steps_beside)
    return {{global_panel(p), tile_panel(p)}, {shared_panel(p)}, {word_panel(p), result_panel(p)}};
  return {{global_panel(p), tile_panel(p), shared_panel(p)}, {word_panel(p), result_panel(p)}};
}

}  // namespace

Figure story_figure(const StoryAnswer& answer, const std::string& way) {
  constexpr std::string_view to = " → ";
  const std::size_t last = way.rfind(to);
  std::string result = last == std::string::npos ? way : way.substr(last + to.size());
  if (result.ends_with('.')) result.pop_back();
  const StoryPicture picture{answer.story, story_element(answer), std::move(result)};
  Figure figure;
  figure.has_stages = true;
  figure.panels = panels_of_story(picture);
  std::vector<Grid>& last_row = figure.panels.back();
  if (picture.way().holder) last_row.insert(last_row.begin() + 1, register_panel(picture));
  if (picture.element.factor) {
    Grid result_grid = std::move(last_row.back());
    last_row.pop_back();
    figure.panels.push_back({factor_panel(picture), std::move(result_grid)});
  }
  for (std::int64_t k = 0; k < answer.story.blocks().k; ++k) figure.steps.push_back(picture.k_text(k));
  figure.caption = caption_of(picture, way);
  return figure;
}

}  // namespace swz
