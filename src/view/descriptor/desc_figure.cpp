// SPDX-License-Identifier: Apache-2.0
// The picture of descriptors: lines of shared memory, what LBO, SBO and a k step add to an address, and the words.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "view/descriptor/desc.hpp"

namespace swz {
namespace {

// One picture cannot distinguish more of these; all words are shown beside it.
constexpr std::int64_t most_step_rows = 4, most_block_rows = 2;

std::int64_t line_of(std::int64_t address) { return address / bank_row.count; }

// The steps along K of the first block of rows, and the blocks of the first step.
const MmaStep& step_at(const TileDescriptors& words, std::int64_t m, std::int64_t k) {
  return words.steps[static_cast<std::size_t>(k * words.m_blocks + m)];
}

std::string k_text(const TileDescriptors& words, std::int64_t step) {
  return "k " + range_text(step * words.mma.k, words.mma.k);
}

// One hue for each k step; blocks of rows alternate between dark and light.
Tint tint_of(std::int64_t k_step, std::int64_t m_block) {
  return {static_cast<int>(k_step % 8), static_cast<int>(m_block % 2) * 2};
}

// The first 16 bytes of elements that are consecutive along the major.
struct PlacedChunk {
  TileCoordinate at;
  std::int64_t number = 0;  // in GMEM order
  std::int64_t byte = 0;    // its address, including the XOR of the swizzle
};

std::int64_t chunk_elements(const OperandShape& shape) { return chunk.count * 8 / shape.element_bits; }

std::vector<PlacedChunk> chunks_of(const DescribedOperand& o) {
  const OperandShape& shape = o.shape;
  const std::int64_t elements = chunk_elements(shape);
  std::vector<PlacedChunk> chunks;
  for (std::int64_t line = 0; line < shape.extents.across(shape.major); ++line)
    for (std::int64_t along = 0; along < shape.extents.along(shape.major); along += elements) {
      const TileCoordinate at = shape.major == Major::K ? TileCoordinate{line, along} : TileCoordinate{along, line};
      const std::int64_t offset = o.layout(at.row + at.k * shape.extents.mn) * shape.element_bits / 8;
      chunks.push_back({at, std::ssize(chunks), shape.swizzle->byte(o.base.count + offset)});
    }
  return chunks;
}

// The rows and k of a chunk.
TileExtents extents_of(const OperandShape& shape) { return run_extents(shape.major, chunk_elements(shape)); }

bool is_highlighted(const DescribedOperand& o, const Highlight& highlight, const PlacedChunk& c) {
  if (highlight.empty()) return false;
  const TileExtents size = extents_of(o.shape);
  return highlight.contains_any("rows", c.at.row, size.mn) && highlight.contains_any("ks", c.at.k, size.k) &&
         highlight.contains("chunks", c.number) && highlight.contains_any("bytes", c.byte, chunk.count);
}

// ---- the lines of shared memory

// The square of an address in a picture that begins with line `first_line`.
Grid::Place place_of(std::int64_t address, std::int64_t first_line) {
  return {line_of(address) - first_line, address % bank_row.count / chunk.count};
}

// "+0x400", "-0x20"
std::string distance_text(std::int64_t bytes) {
  return fmt::format("{}{:#x}", bytes < 0 ? "-" : "+", bytes < 0 ? -bytes : bytes);
}

// The arrows from the first word: what an MMA adds to its start address, and what its loop adds.
std::vector<Grid::Arrow> arrows_of(const TileDescriptors& words, std::int64_t first_line, std::int64_t lines) {
  const std::int64_t start = words.steps.front().descriptor.start_address().count;
  std::vector<Grid::Arrow> arrows;
  const auto add = [&](std::int64_t bytes, std::string text) {
    arrows.push_back({Grid::Arrow::Kind::distance, place_of(start, first_line), place_of(start + bytes, first_line),
                      std::move(text)});
  };
  for (const auto& [name, stride] : {std::pair("LBO", &words.leading), std::pair("SBO", &words.stride)})
    if (stride->is_applied) add(stride->value.count, fmt::format("{} {:#x}", name, stride->value.count));
  const auto is_next_atom = [](const MmaStep& step) { return step.k_step > 0 && step.is_next_atom; };
  const auto next_atom = std::ranges::find_if(words.steps, is_next_atom);
  if (words.k_steps > 1) {
    const std::int64_t advance = step_at(words, 0, 1).advance.count;
    add(advance, "k step " + distance_text(advance));
    if (next_atom != words.steps.end() && next_atom->k_step > 1) {
      const std::int64_t bytes = next_atom->byte_offset.count - words.steps.front().byte_offset.count;
      add(bytes, fmt::format("k {} {}", next_atom->k_step * words.mma.k, distance_text(bytes)));
    }
  }
  constexpr std::size_t most_arrows = 3;
  if (words.m_blocks > 1 && arrows.size() < most_arrows) {
    const std::int64_t bytes = step_at(words, 1, 0).byte_offset.count - words.steps.front().byte_offset.count;
    add(bytes, fmt::format("{} rows {}", words.mma.mn, distance_text(bytes)));
  }
  // In a padded layout a step may end in the padding, which is in no line of the picture.
  std::erase_if(arrows, [&](const Grid::Arrow& arrow) { return arrow.to.row < 0 || arrow.to.row >= lines; });
  return arrows;
}

// The first atom, the ends of arrows, and the starts of the first k steps and blocks of rows.
std::vector<std::size_t> key_rows_of(const DescribedOperand& o, const TileDescriptors& words, const Grid& grid,
                                     std::int64_t first_line) {
  std::set<std::size_t> rows;
  const auto add = [&](std::int64_t row) {
    if (row >= 0 && row < std::ssize(grid.squares)) rows.insert(static_cast<std::size_t>(row));
  };
  const std::int64_t start = o.base.count, end = start + o.shape.swizzle->atom().count - 1;
  for (std::int64_t line = line_of(start); line <= line_of(end); ++line) add(line - first_line);
  for (const Grid::Arrow& arrow : grid.arrows) add(arrow.to.row);
  const auto add_step = [&](std::int64_t m, std::int64_t k) {
    add(line_of(step_at(words, m, k).descriptor.start_address().count) - first_line);
  };
  for (std::int64_t k = 0; k < words.k_steps; ++k)
    if (k < most_step_rows || step_at(words, 0, k).is_next_atom) {
      add_step(0, k);
      if (k >= most_step_rows) break;
    }
  for (std::int64_t m = 0; m < std::min(words.m_blocks, most_block_rows); ++m) add_step(m, 0);
  return {rows.begin(), rows.end()};
}

std::string chunk_text(const PlacedChunk& c) { return fmt::format("{},{}", c.at.row, c.at.k); }

// Where the chunks of each line have one k, the heading of the line says it, and a cell only its row.
//
//   MN-major, mode 128B    "0x480, k 1": 8, 0, 24, 16 …
void move_k_to_headings(Grid& grid, const std::vector<PlacedChunk>& chunks, std::int64_t first_line) {
  std::map<std::int64_t, std::int64_t> k_of_line;
  for (const PlacedChunk& c : chunks)
    if (k_of_line.try_emplace(line_of(c.byte) - first_line, c.at.k).first->second != c.at.k) return;
  for (const PlacedChunk& c : chunks) {
    const Grid::Place at = place_of(c.byte, first_line);
    std::string& text = grid.at(at.row, at.column).text;
    if (text == chunk_text(c)) text = std::to_string(c.at.row);
  }
  for (const auto& [line, k] : k_of_line) grid.row_labels[static_cast<std::size_t>(line)] += fmt::format(", k {}", k);
  grid.title = "shared memory: row of each chunk";
}

Grid line_panel(const DescribedOperand& o, const TileDescriptors& words, const Highlight& highlight) {
  const std::vector<PlacedChunk> chunks = chunks_of(o);
  const auto [low, high] = std::ranges::minmax(chunks, {}, &PlacedChunk::byte);
  const std::int64_t first = line_of(std::min(low.byte, o.base.count)), count = line_of(high.byte) - first + 1;
  require_drawable(count * (bank_row.count / chunk.count), "the figure of the lines", "take a smaller operand");
  Grid grid = smem_lines("shared memory: row,k of each chunk", "byte\\bank", first, count);
  const TileExtents size = extents_of(o.shape);
  for (const PlacedChunk& c : chunks) {
    const Grid::Place at = place_of(c.byte, first);
    Grid::Square& square = grid.at(at.row, at.column);
    if (!square.text.empty()) continue;
    const std::int64_t m_block = c.at.row / words.mma.mn, k_step = c.at.k / words.mma.k;
    const bool is_named = is_highlighted(o, highlight, c);
    square = {chunk_text(c), tint_of(k_step, m_block), is_named ? Mark::highlighted : Mark::none,
              fmt::format("row {}, k {}\nbyte {:#x}, chunk {}\nread by the MMA m {}, k step {}",
                          range_text(c.at.row, size.mn), range_text(c.at.k, size.k), c.byte, c.number, m_block, k_step),
              static_cast<int>(k_step)};
  }
  if (o.shape.major == Major::MN) move_k_to_headings(grid, chunks, first);
  grid.arrows = arrows_of(words, first, count);
  grid.key_rows = key_rows_of(o, words, grid, first);
  return grid;
}

// ---- the words

Grid word_panel(const TileDescriptors& words) {
  const TileExtents mma = words.mma;
  const auto square = [&](std::int64_t k, std::int64_t m) {
    const MmaStep& step = step_at(words, m, k);
    const std::string word = hex64(step.descriptor.word());
    return Grid::Square{fmt::format("{}\n{}", distance_text(step.byte_offset.count), word), tint_of(k, m), Mark::none,
                        fmt::format("m {}, k step {}: rows {}, {}\n{} B from the base, address {:#x}\n{}", m, k,
                                    range_text(m * mma.mn, mma.mn), k_text(words, k), step.byte_offset.count,
                                    step.descriptor.start_address().count, word),
                        static_cast<int>(k)};
  };
  const auto k_label = [&](std::int64_t k) { return std::to_string(k * mma.k); };
  const auto row_label = [&](std::int64_t m) { return "rows " + range_text(m * mma.mn, mma.mn); };
  return grid_of("start offset and word", "k", labels_of(words.k_steps, 1, k_label),
                 labels_of(words.m_blocks, 1, row_label), square);
}

// ---- what is shown below

std::string unused_text(const DescribedOperand& o, const TileDescriptors& words, bool is_leading) {
  const StrideField& stride = is_leading ? words.leading : words.stride;
  if (stride.is_applied) return "";
  const StrideRoles& roles = stride_roles(o.shape.major, o.shape.swizzle->family);
  const std::string name = is_leading ? "LBO" : "SBO";
  if (is_leading && roles.leading.empty())
    return fmt::format(" {} is not used: the operand is {} and swizzled.", name, to_string(o.shape.major));
  return fmt::format(" {} {:#x} is not used: an MMA of {} does not step over it.", name, stride.value.count,
                     to_string(words.mma));
}

std::string caption_of(const DescribedOperand& o, const TileDescriptors& words) {
  std::string text = "A cell is 16 bytes.";
  const StrideRoles& roles = stride_roles(o.shape.major, o.shape.swizzle->family);
  if (words.leading.is_applied) text += fmt::format(" LBO steps {}.", role_text(roles.leading, *o.shape.swizzle));
  if (words.stride.is_applied) text += fmt::format(" SBO steps {}.", role_text(roles.stride, *o.shape.swizzle));
  text += unused_text(o, words, true) + unused_text(o, words, false);
  if (o.shape.swizzle->bits > 0) text += " Distances are those of addresses before the XOR.";
  return text;
}

}  // namespace

std::vector<HighlightKind> desc_highlight_kinds(const OperandShape& shape, const Target& target) {
  const std::int64_t chunks = shape.extents.mn * shape.extents.k / chunk_elements(shape);
  return {
      {"rows", shape.extents.mn}, {"ks", shape.extents.k}, {"chunks", chunks}, {"bytes", target.smem_window().count}};
}

Figure desc_figure(const DescribedOperand& operand, const TileDescriptors& words, const Highlight& highlight) {
  Figure figure;
  figure.panels = {{line_panel(operand, words, highlight), word_panel(words)}};
  for (std::int64_t k = 0; k < words.k_steps; ++k) figure.steps.push_back(k_text(words, k));
  // The words are the legend: each is in the hue of its k step and the shade of its rows.
  if (!highlight.empty()) figure.legend.push_back({"highlighted", {}, Mark::highlighted});
  figure.caption = caption_of(operand, words);
  figure.about_shades = " Colour: the word that reads a cell.";
  return figure;
}

std::string highlight_text(const DescribedOperand& operand, const Highlight& highlight) {
  std::vector<PlacedChunk> chunks = chunks_of(operand);
  std::erase_if(chunks, [&](const PlacedChunk& c) { return !is_highlighted(operand, highlight, c); });
  if (chunks.empty()) return "no chunk";
  const auto [low, high] = std::ranges::minmax(chunks, {}, &PlacedChunk::byte);
  return fmt::format("{} in {:#x} to {:#x}; the first in GMEM order, ({}, {}), at {:#x}",
                     plural(std::ssize(chunks), "chunk"), low.byte, high.byte + chunk.count - 1, chunks.front().at.row,
                     chunks.front().at.k, chunks.front().byte);
}

}  // namespace swz
