// SPDX-License-Identifier: Apache-2.0
// Pictures of the metadata of sparse MMAs: 128 rows in lanes, columns and bits, and the nibbles of one word.
#include <fmt/format.h>

#include "view/mma/mma_figure.hpp"

namespace swz {
namespace {

constexpr Tint kept_tint{5, 2};

// Which elements of a chunk each nibble keeps:
//
//   0x4   kept kept  -    -
//   0x9    -   kept kept  -
Grid nibbles_panel(const SparseForm& form) {
  constexpr unsigned nibbles = 16;
  std::vector<std::string> labels;
  std::vector<std::vector<Grid::Square>> squares;
  for (unsigned nibble = 0; nibble < nibbles; ++nibble) {
    const std::optional<Kept> kept = kept_by(form, nibble);
    if (!kept) continue;
    labels.push_back(fmt::format("{:#x}", nibble));
    std::vector<Grid::Square>& row = squares.emplace_back(static_cast<std::size_t>(form.chunk));
    for (Grid::Square& square : row) square = {"-", {}, Mark::faint};
    for (int i = 0; i < kept->count; ++i)
      row.at(static_cast<std::size_t>(kept->elements.at(static_cast<std::size_t>(i)))) = {"kept", kept_tint};
  }
  Grid grid = grid_of("what a nibble keeps", "nibble\\k", labels,
                      labels_of(form.chunk, 1, [](std::int64_t i) { return fmt::format("+{}", i); }),
                      [&](std::int64_t row, std::int64_t column) {
                        return squares[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
                      });
  return grid;
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
    square.tint = {2 * (k / half) + (form.halves ? row / 8 % 2 : 0)};
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
  figure.panels = {{std::move(grid), nibbles_panel(form)}};
  const char *const upper = form.halves ? ", rows 0-7 of 16" : "", *const lower = ", rows 8-15 of 16";
  figure.legend.push_back({fmt::format("k 0-{}{}", half - 1, upper), {0}});
  if (form.halves) figure.legend.push_back({fmt::format("k 0-{}{}", half - 1, lower), {1}});
  figure.legend.push_back({fmt::format("k {}-{}{}", half, form.k - 1, upper), {2}});
  if (form.halves) figure.legend.push_back({fmt::format("k {}-{}{}", half, form.k - 1, lower), {3}});
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

BitRow metadata_word(const SparseForm& form, const MetadataWord& word) {
  BitRow row{word.value, word.bits, {}, {}};
  for (int i = 0; i < word.bits / 4; ++i) {
    const std::optional<Kept> kept = kept_by(form, word.value >> (4 * i) & 0xf);
    std::string text;
    for (int e = 0; kept && e < kept->count; ++e)
      text += fmt::format("{}{}", e > 0 ? "," : "", kept->elements[static_cast<std::size_t>(e)]);
    row.parts.push_back({fmt::format("chunk {}{}", i, kept ? "" : " invalid"), {4 * i, 4}, !kept, text});
    if (kept) row.parts.back().said = "keeps " + text;
  }
  return row;
}

Drawing metadata_drawing(const SparseForm& form, int mma, Coordinate at, int rows) {
  return {[&form, mma, at, rows](Medium medium) {
    Document document;
    if (medium == Medium::page) document.add(metadata_figure(form, mma, at, rows));
    return document;
  }};
}

}  // namespace swz
