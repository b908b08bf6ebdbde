// SPDX-License-Identifier: Apache-2.0
// Pictures of the metadata of sparse MMAs: 128 rows in lanes, columns and bits, and the nibbles of one word.
#include <fmt/format.h>

#include <algorithm>

#include "view/mma/mma_figure.hpp"

namespace swz {
namespace {

constexpr Tint kept_tint{5, 2};
constexpr int first_hue = 1;  // the frame of what is asked for is blue
constexpr unsigned nibble_values = 16;

// "0,1": which elements of a chunk are kept.
std::string text_of(const Kept& kept) {
  return fmt::format("{}", fmt::join(kept.elements.begin(), kept.elements.begin() + kept.count, ","));
}

// Which elements of a chunk each nibble keeps:
//
//   nibble  0x4  0x8  0x9  0xc  0xd  0xe
//   keeps   0,1  0,2  1,2  0,3  1,3  2,3
Grid nibbles_panel(const SparseForm& form) {
  std::vector<std::string> labels;
  std::vector<Grid::Square> squares;
  for (unsigned nibble = 0; nibble < nibble_values; ++nibble) {
    const std::optional<Kept> kept = kept_by(form, nibble);
    if (!kept) continue;
    labels.push_back(fmt::format("{:#x}", nibble));
    squares.push_back({text_of(*kept), kept_tint});
  }
  return grid_of(fmt::format("what a nibble keeps of {} k", form.chunk), "nibble", {"keeps"}, labels,
                 [&](std::int64_t, std::int64_t column) { return squares[static_cast<std::size_t>(column)]; });
}

}  // namespace

Figure metadata_figure(const SparseForm& form, int mma, Coordinate at, int rows) {
  constexpr int lanes = 128, nibbles = 8;  // of a column
  const int columns = form.columns, first_column = metadata_place(form, 0, 0, mma).column;
  Grid grid = grid_of(
      "metadata in tensor memory: row,k of each nibble", "lane\\bit", number_labels(lanes),
      labels_of(std::int64_t{columns} * nibbles, 1, [](std::int64_t i) { return range_text(i % nibbles * 4, 4); }),
      [](std::int64_t, std::int64_t) { return Grid::Square(); });
  const int half = form.k / 2;
  const auto put = [&](int row, int k) {
    const MetadataPlace p = metadata_place(form, row, k, mma);
    Grid::Square square;
    square.text = fmt::format("{},{}", row, k);
    square.tint = {first_hue + 2 * (k / half) + (form.halves ? row / 8 % 2 : 0)};
    square.tip = fmt::format("row {}, k {} of MMA {}\nlane {}, column {}, bits {}\naddress column {}, selector {}", row,
                             range_text(k, form.chunk), mma, p.lane, p.column, range_text(p.first_bit, 4),
                             p.address_column, p.selector);
    const bool is_asked = row == at.row && k == at.column / form.chunk * form.chunk;
    square.mark = is_asked ? Mark::highlighted : Mark::none;
    for (int copy = 0; copy < lanes; copy += rows)
      grid.at(p.lane + copy, (p.column - first_column) * nibbles + p.first_bit / 4) = square;
  };
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < form.k; k += form.chunk) put(row, k);
  Grid::Level level{nibbles, {}};
  for (int column = first_column; column < first_column + columns; ++column)
    level.labels.push_back(
        fmt::format("column {}: MMA {}, selector {}", column, mma, metadata_place(form, 0, 0, mma).selector));
  grid.column_levels = {level};
  grid.row_group = form.halves ? 8 : 0;
  Figure figure;
  grid.number = "row,k";
  figure.panels = {{std::move(grid)}, {nibbles_panel(form)}};
  const char *const upper = form.halves ? ", rows 0-7 of 16" : "", *const lower = ", rows 8-15 of 16";
  figure.legend.push_back({fmt::format("k 0-{}{}", half - 1, upper), {first_hue}});
  if (form.halves) figure.legend.push_back({fmt::format("k 0-{}{}", half - 1, lower), {first_hue + 1}});
  figure.legend.push_back({fmt::format("k {}-{}{}", half, form.k - 1, upper), {first_hue + 2}});
  if (form.halves) figure.legend.push_back({fmt::format("k {}-{}{}", half, form.k - 1, lower), {first_hue + 3}});
  figure.legend.push_back(
      {fmt::format("row {}, k {}", at.row, range_text(at.column / form.chunk * form.chunk, form.chunk)),
       {},
       Mark::highlighted});
  figure.caption = fmt::format(
      "A nibble says which of {} elements of K are kept; its cell shows the first of them. MMA {} has the same in the "
      "next columns. Not measured: no Blackwell GPU was available.",
      form.chunk, mma + 1);
  return figure;
}

std::string MetadataWord::text() const { return fmt::format("{:#0{}x}", value, bits / 4 + 2); }

namespace {

// Equal nibbles have one hue: that of their number among those that keep something.
int hue_of(const SparseForm& form, unsigned nibble) {
  int hue = 0;
  for (unsigned before = 0; before < nibble; ++before) hue += kept_by(form, before) ? 1 : 0;
  return hue % 8;
}

BitRow word_row(const SparseForm& form, const MetadataWord& word) {
  BitRow row{word.value, word.bits, {}, {}};
  for (int i = 0; i < word.bits / 4; ++i) {
    const std::optional<Kept> kept = kept_by(form, word.value >> (4 * i) & 0xf);
    row.parts.push_back(
        {fmt::format("chunk {}{}", i, kept ? "" : " invalid"), {4 * i, 4}, !kept, kept ? text_of(*kept) : ""});
  }
  return row;
}

// A nibble: its four bits, and under them the elements of its chunk, of which the kept ones are filled.
void add_nibble(Sketch::Shapes& shapes, const SparseForm& form, const MetadataWord& word, int i, double x, double y,
                double width) {
  constexpr double side = 22, elements_at = 16 + side + 8;
  const unsigned nibble = word.value >> (4 * i) & 0xf;
  const std::optional<Kept> kept = kept_by(form, nibble);
  const Tint tint = kept ? Tint{hue_of(form, nibble)} : Tint{};
  shapes.texts.push_back({x, y + 11, std::to_string(4 * i + 3), Tone::faint});
  shapes.texts.push_back({x + width, y + 11, std::to_string(4 * i), Tone::faint, Sketch::Text::Anchor::end});
  for (int bit = 0; bit < 4; ++bit)
    shapes.boxes.push_back({x + bit * width / 4, y + 16, width / 4, side, std::to_string(nibble >> (3 - bit) & 1), tint,
                            kept ? Mark::none : Mark::colliding});
  const double each = width / form.chunk;
  for (int e = 0; kept && e < form.chunk; ++e) {
    const auto end = kept->elements.begin() + kept->count;
    const bool is_kept = std::find(kept->elements.begin(), end, e) != end;
    shapes.boxes.push_back({x + e * each, y + elements_at, each, side, is_kept ? std::to_string(e) : "",
                            is_kept ? tint : Tint{}, Mark::none,
                            fmt::format("element {} of chunk {}: {}", e, i, is_kept ? "kept" : "0")});
  }
  shapes.texts.push_back({x + width / 2, y + elements_at + (kept ? side + 14 : 14),
                          fmt::format("chunk {}{}", i, kept ? "" : ": invalid"), kept ? Tone::plain : Tone::bad,
                          Sketch::Text::Anchor::middle});
}

Sketch::Shapes word_shapes(const SparseForm& form, const MetadataWord& word, double width) {
  constexpr double narrow_page = 600, gap = 8, row_height = 90, widest = 110;
  const int nibbles = word.bits / 4, in_row = std::min(nibbles, width < narrow_page ? 4 : 8);
  const double each = std::min(widest, (width - gap * (in_row - 1)) / in_row);
  Sketch::Shapes shapes;
  for (int i = 0; i < nibbles; ++i) {
    const int place = nibbles - 1 - i;  // the most significant first
    add_nibble(shapes, form, word, i, place % in_row * (each + gap), place / in_row * row_height, each);
  }
  shapes.width = in_row * (each + gap) - gap;
  shapes.height = (nibbles + in_row - 1) / in_row * row_height - 4;
  return shapes;
}

}  // namespace

Drawing word_drawing(const SparseForm& form, const MetadataWord& word) {
  return {[&form, word](Medium medium) {
    if (medium == Medium::terminal) return Document().add(word_row(form, word));
    Sketch sketch;
    sketch.shapes = [&form, word](double width) { return word_shapes(form, word, width); };
    sketch.caption = fmt::format(
        "Below each nibble are the {} elements of its chunk, in the order of k; the filled "
        "ones are kept. Equal nibbles have one colour.",
        form.chunk);
    return Document().add(std::move(sketch));
  }};
}

Drawing metadata_drawing(const SparseForm& form, int mma, Coordinate at, int rows) {
  return {[&form, mma, at, rows](Medium medium) {
    Document document;
    if (medium == Medium::page) document.add(metadata_figure(form, mma, at, rows));
    return document;
  }};
}

}  // namespace swz
