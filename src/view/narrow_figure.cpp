// Pictures of narrow elements, metadata and CTA pairs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "arch/tensor_memory.hpp"
#include "view/bit_line.hpp"
#include "view/scale_figure.hpp"
#include "view/tmem_figure.hpp"

namespace swz {

// ---- narrow elements

namespace {

constexpr int unit = 16;  // elements that are drawn
constexpr int word_bits = 32;

// The words that hold these 16 elements; place: the first bit of an element. Words are counted in bytes or columns.
template <class Place>
Grid memory_lines(const NarrowForm& form, std::int64_t first, std::int64_t asked, std::string title, const char* word,
                  int word_size, int bits, Place place) {
  const std::int64_t begin = place(first).count / word_bits * word_bits;
  std::map<int, std::int64_t> element_at;
  for (std::int64_t e = first; e < first + unit; ++e)
    for (int bit = 0; bit < form.bits; ++bit) element_at[static_cast<int>(place(e).count - begin) + bit] = e;
  BitLines lines{.title = std::move(title), .asked = asked};
  for (std::int64_t i = 0; i < bits / word_bits; ++i)
    lines.words.push_back(fmt::format("{} {}", word, (begin / word_bits + i) * word_size));
  lines.cell_bits = std::gcd(form.bits, std::gcd(form.tmem_bits, form.tmem_first_bit));
  return bit_lines(lines, [&](int bit) {
    const auto found = element_at.find(bit);
    return found == element_at.end() ? std::nullopt : std::optional(found->second);
  });
}

}  // namespace

Figure narrow_figure(const NarrowForm& form, std::int64_t asked, NarrowPanels panels) {
  const std::int64_t first = std::max<std::int64_t>(asked, 0) / unit * unit;
  const auto lines = [&](std::string title, const char* word, int size, int bits, auto place) {
    return memory_lines(form, first, asked, std::move(title), word, size, bits, place);
  };
  Figure figure;
  std::vector<Grid>& row = figure.panels.emplace_back();
  const int bits = unit * form.bits;
  if (panels == NarrowPanels::all)
    row.push_back(lines("global memory", "byte", 4, bits, [&](auto e) { return form.gmem(e); }));
  row.push_back(
      lines("shared memory", "byte", 4, form.has_gaps ? 128 : bits, [&](auto e) { return form.smem(e); }));
  row.push_back(
      lines("tensor memory", "column", 1, unit * form.tmem_bits, [&](auto e) { return form.tmem(e); }));
  if (form.has_gaps || form.bits < form.tmem_bits) figure.legend.push_back({"no element", {}, Mark::none, 1});
  if (asked >= 0) figure.legend.push_back({fmt::format("element {}", asked), {}, Mark::highlighted});
  const int cell = std::gcd(form.bits, std::gcd(form.tmem_bits, form.tmem_first_bit));
  figure.caption =
      fmt::format("A cell is {} and shows the element that it holds. Bits count from the left. {}{}",
                  cell == 1 ? "a bit" : fmt::format("{} bits", cell),
                  panels == NarrowPanels::all ? fmt::format("An mbarrier counts {} B for 128 elements. ",
                                                            form.transaction_bytes().count)
                                              : "",
                  evidence_text(form.source));
  return figure;
}

Drawing narrow_drawing(const NarrowForm& form, std::int64_t k) {
  return {[&form, k](Medium medium) {
    Document document;
    if (medium == Medium::page) document.add(narrow_figure(form, k, NarrowPanels::all));
    return document;
  }};
}

// ---- metadata

Figure metadata_figure(const MetadataView& view) {
  constexpr int lanes = 128, nibbles = 8;  // of a column
  const SparseForm& form = require_sparse_form(view.kind);
  // Both MMAs that share an address.
  const int first_mma = view.mma / 2 * 2, mmas = 2, columns = mmas * form.columns;
  const int first_column = metadata_place(form, 0, 0, first_mma).column;
  Grid grid = grid_of("metadata in tensor memory: row,k of each chunk", "lane\\bit", number_labels(lanes),
                      labels_of(std::int64_t{columns} * nibbles, 1,
                                [](std::int64_t i) { return range_text(i % nibbles * 4, 4); }),
                      [](std::int64_t, std::int64_t) { return Grid::Square(); });
  const int half = form.k / 2;
  for (int mma = first_mma; mma < first_mma + mmas; ++mma)
    for (int row = 0; row < lanes; ++row)
      for (int k = 0; k < form.k; k += form.chunk) {
        const MetadataPlace p = metadata_place(form, row, k, mma);
        Grid::Square& square = grid.at(p.lane, (p.column - first_column) * nibbles + p.first_bit / 4);
        square.text = fmt::format("{},{}", row, k);
        square.tint = {2 * (k / half) + (form.halves ? row / 8 % 2 : 0), (mma - first_mma) * 2};
        square.tip = fmt::format("row {}, k {} of MMA {}\nlane {}, column {}, bits {}\naddress column {}, selector {}",
                                 row, range_text(k, form.chunk), mma, p.lane, p.column, range_text(p.first_bit, 4),
                                 p.address_column, p.selector);
        const bool is_asked = mma == view.mma && row == view.at.row && k == view.at.column / form.chunk * form.chunk;
        square.mark = is_asked ? Mark::highlighted : Mark::none;
      }
  Grid::Level level{nibbles, {}};
  for (int column = first_column; column < first_column + columns; ++column) {
    const int mma = column / form.columns;
    level.labels.push_back(fmt::format("column {}: MMA {}, selector {}", column, mma,
                                       metadata_place(form, 0, 0, mma).selector));
  }
  grid.column_levels = {level};
  grid.row_group = form.halves ? 8 : 0;
  Figure figure;
  figure.panels = {{std::move(grid)}};
  figure.legend.push_back({fmt::format("k 0-{}{}", half - 1, form.halves ? ", row % 16 < 8" : ""), {0}});
  if (form.halves) figure.legend.push_back({fmt::format("k 0-{}, row % 16 >= 8", half - 1), {1}});
  figure.legend.push_back({fmt::format("k {}-{}{}", half, form.k - 1, form.halves ? ", row % 16 < 8" : ""), {2}});
  if (form.halves) figure.legend.push_back({fmt::format("k {}-{}, row % 16 >= 8", half, form.k - 1), {3}});
  figure.legend.push_back({"the chunk that was asked for", {}, Mark::highlighted});
  figure.caption = fmt::format(
      "A cell is a nibble, which says what is kept of {} elements of K; it shows the first of them. Not measured, no "
      "Blackwell was at hand.",
      form.chunk);
  return figure;
}

BitRow metadata_word(MmaKind kind, std::uint32_t word) {
  const SparseForm& form = require_sparse_form(kind);
  BitRow row{word, 32, {}, {}};
  for (int i = 0; i < 8; ++i) {
    const std::optional<Kept> kept = kept_by(form, word >> (4 * i) & 0xf);
    std::string text;
    for (int e = 0; kept && e < kept->count; ++e)
      text += fmt::format("{}{}", e > 0 ? "," : "", kept->elements[static_cast<std::size_t>(e)]);
    row.parts.push_back({fmt::format("chunk {}{}", i, kept ? "" : " invalid"), {4 * i, 4}, !kept, text});
  }
  return row;
}

Drawing metadata_drawing(const MetadataView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page) document.add(metadata_figure(view));
    return document;
  }};
}

// ---- a pair

namespace {

// cta: 0, 1, or 2 of what both hold.
Grid::Square held(const PairView& view, int cta, const std::string& text) {
  return {fmt::format("{}\n{}", cta == 2 ? "both CTAs" : fmt::format("CTA {}", cta), text),
          {cta},
          cta == 2 || cta == view.cta ? Mark::highlighted : Mark::none,
          fmt::format("{}: {}", cta == 2 ? "both CTAs" : fmt::format("CTA {}", cta), text)};
}

}  // namespace

Figure pair_figure(const PairView& view) {
  const int rows = view.m / 2, half = view.n / 2;
  const auto m_text = [&](std::int64_t v) { return "m " + range_text(v * rows, rows); };
  const auto n_text = [&](std::int64_t v) { return "n " + range_text(v * half, half); };
  const auto by_rows = [&](std::int64_t v, std::int64_t) { return held(view, static_cast<int>(v), m_text(v)); };
  const auto panel = [](std::string title, std::size_t row_count, std::size_t column_count, auto square) {
    return grid_of(std::move(title), "", std::vector<std::string>(row_count), std::vector<std::string>(column_count),
                   square);
  };
  Figure figure;
  figure.panels = {
      {Grid{}, Grid{}, panel("scale factors of B", 1, 2, [&](auto, auto v) { return held(view, 2, n_text(v)); })},
      {Grid{}, Grid{}, panel("B (N x K)", 1, 2, [&](auto, auto v) { return held(view, static_cast<int>(v), n_text(v)); })},
      {panel("scale factors of A", 2, 1, by_rows), panel("A (M x K)", 2, 1, by_rows),
       panel("D (M x N)", 2, 2, [&](auto v, auto n) {
         return held(view, static_cast<int>(v), fmt::format("{}\n{}", m_text(v), n_text(n)));
       })}};
  figure.legend = {{"CTA 0", {0}}, {"CTA 1", {1}}, {"both", {2}}, {fmt::format("held by CTA {}", view.cta), {}, Mark::highlighted}};
  figure.caption =
      "A and D are cut along M, B along N. Each tensor core reads both halves of B from the shared memory of the two "
      "CTAs. The scale factors of B are in the tensor memory of both.";
  return figure;
}

Drawing pair_drawing(const PairView& view) {
  return drawing([view] { return pair_figure(view); });
}

}  // namespace swz
