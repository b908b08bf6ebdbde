// SPDX-License-Identifier: Apache-2.0
#include "view/layout/swizzle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"

namespace swz {

namespace {

Json bit_range(int low, int count) { return count == 0 ? Json() : Json{low, low + count - 1}; }

std::string bit_text(int low, int count) {
  if (count == 0) return "none";
  return count == 1 ? fmt::format("bit {}", low) : fmt::format("bits {}-{}", low, low + count - 1);
}

Field form_field(const char* key, const std::string& label, const Swizzle& s, int log2_bytes) {
  if (const auto form = in_units(s, log2_bytes)) return {key, label, to_string(*form)};
  return {
      key, label, nullptr,
      fmt::format("none: it moves pieces of {}, smaller than one unit", plural(std::int64_t{1} << s.base(), "byte"))};
}

// Granule c of line r, counted in granules of 2^base bytes, goes here; with a positive shift it stays in its line, so that
// its position there is enough.
std::int64_t chunk_after(const Swizzle& s, std::int64_t r, std::int64_t c) {
  const std::int64_t columns = std::int64_t{1} << std::abs(s.shift()), granule_bytes = std::int64_t{1} << s.base();
  const std::int64_t to = s((r * columns + c) * granule_bytes) / granule_bytes;
  return s.shift() > 0 ? to % columns : to;
}

Json chunk_json(const Swizzle& s) {
  Json chunks = Json::array();
  for (std::int64_t r = 0; r < std::int64_t{1} << s.bits(); ++r) {
    Json line = Json::array();
    for (std::int64_t c = 0; c < std::int64_t{1} << std::abs(s.shift()); ++c) line.push_back(chunk_after(s, r, c));
    chunks.push_back(std::move(line));
  }
  return chunks;
}

// An address that moves: 0x3e0 of the last line that the swizzle distinguishes.
std::int64_t example_address(const Swizzle& s) {
  const int read_low = s.base() + std::max(s.shift(), 0), written_low = s.base() + std::max(-s.shift(), 0);
  return (std::int64_t{1} << (read_low + s.bits())) - (std::int64_t{1} << s.base()) - (std::int64_t{1} << written_low);
}

// Where each granule goes, one line of 2^|shift| of them per row.
Grid chunk_grid(const Swizzle& s, bool is_page) {
  const std::int64_t rows = std::int64_t{1} << s.bits(), columns = std::int64_t{1} << std::abs(s.shift());
  const std::int64_t granule_bytes = std::int64_t{1} << s.base();
  const std::int64_t marked = is_page && s.shift() > 0 ? example_address(s) / granule_bytes : -1;
  const auto square = [&](std::int64_t r, std::int64_t c) {
    const std::int64_t shown = chunk_after(s, r, c);
    return Grid::Square{std::to_string(shown),
                        {static_cast<int>(shown & 7)},
                        r * columns + c == marked ? Mark::highlighted : Mark::none};
  };
  return grid_of(fmt::format("where {} B pieces of a {} B line go", granule_bytes, columns * granule_bytes),
                 "line\\chunk", number_labels(rows), number_labels(columns), square);
}

// What a bit of an address counts: bytes of a chunk, chunks of a line, or lines.
std::string_view name_of_bit(const Swizzle& s, int bit) {
  return bit < s.base() ? "byte" : bit < s.base() + std::abs(s.shift()) ? "chunk" : "line";
}

// Adds the bits of an address that moves, and of the one where it goes, with those framed that change.
void add_example(Grid& grid, const Swizzle& s, int bits) {
  const std::int64_t from = example_address(s), to = s(from);
  for (const std::int64_t address : {from, to}) {
    grid.row_labels.push_back(fmt::format("{}{:#x}", address == to ? "→ " : "", address));
    std::vector<Grid::Square>& row = grid.squares.emplace_back();
    for (int bit = bits - 1; bit >= 0; --bit)
      row.push_back({std::to_string(address >> bit & 1),
                     {},
                     address == to && ((from ^ to) >> bit & 1) != 0 ? Mark::highlighted : Mark::none});
  }
}

// Which bits of an address a swizzle reads and which it changes.
Figure address_bits(const Swizzle& s, const DType* dtype) {
  const int read_low = s.base() + std::max(s.shift(), 0), written_low = s.base() + std::max(-s.shift(), 0);
  const int bits = std::max(read_low, written_low) + s.bits();
  const auto reads = [&](int bit, int low) { return bit >= low && bit < low + s.bits(); };
  Figure figure;
  figure.panels.push_back({grid_of("bits of a byte address", "bit", {"counts", "before", "", "after"},
                                   labels_of(bits, 1, [bits](std::int64_t i) { return std::to_string(bits - 1 - i); }),
                                   [&](std::int64_t row, std::int64_t column) {
                                     const int bit = bits - 1 - static_cast<int>(column);
                                     if (row == 0) return Grid::Square{std::string(name_of_bit(s, bit))};
                                     Grid::Square square{fmt::format("a{}", bit)};
                                     square.tip = fmt::format("address bit {}", bit);
                                     if (row == 1 || !reads(bit, written_low)) return square;
                                     const int source = bit - written_low + read_low;
                                     square.text += fmt::format("\n^ a{}", source);
                                     square.tip += fmt::format(", XORed with bit {}", source);
                                     return square;
                                   })});
  // From each bit that is read to the one that it is XORed into, in the room between the two rows.
  Grid& grid = figure.panels[0][0];
  grid.squares[2].clear();
  for (int i = 0; i < s.bits(); ++i)
    grid.arrows.push_back(
        {Grid::Arrow::Kind::move, {1, bits - 1 - (read_low + i)}, {3, bits - 1 - (written_low + i)}, {}});
  if (s.shift() > 0) add_example(grid, s, bits);
  figure.title = fmt::format("{} on byte addresses: {}", to_string(s), c_expression(s));
  const auto elements = dtype != nullptr ? in_units(s, log2_exact(dtype->memory_bits) - 3) : std::nullopt;
  const std::string on_elements =
      elements ? fmt::format(" On {} elements it is {}.", dtype->name, to_string(*elements)) : "";
  figure.caption = fmt::format("a{} ^ a{}: bit {} is XORed with bit {}. The {} bytes below bit {} stay together.",
                               written_low, read_low, written_low, read_low, std::int64_t{1} << s.base(), s.base()) +
                   on_elements;
  return figure;
}

}  // namespace

const SwizzleMode* hardware_mode(const Swizzle& s) {
  for (const SwizzleMode& m : swizzle_modes())
    if ((s.is_identity() && m.bits == 0) || s == Swizzle(m.bits, m.base, m.shift)) return &m;
  return nullptr;
}

std::string c_expression(const Swizzle& s) {
  if (s.is_identity()) return "addr";
  return fmt::format("addr ^ ((addr & 0x{:x}) {} {})", s.read_mask(), s.shift() > 0 ? ">>" : "<<", std::abs(s.shift()));
}

Document view_swizzle(const Swizzle& s, const DType* dtype) {
  const int read_low = s.base() + (s.shift() > 0 ? s.shift() : 0);
  const int written_low = s.base() - (s.shift() < 0 ? s.shift() : 0);
  Document d;
  const SwizzleMode* named = hardware_mode(s);
  d.headline = s.is_identity() ? std::string("the identity: every byte stays where it is")
                               : fmt::format("{} XORs address {} with {}",
                                             named != nullptr ? fmt::format("mode {}", named->name) : to_string(s),
                                             bit_text(written_low, s.bits()), bit_text(read_low, s.bits()));
  d.field("swizzle", "swizzle", to_string(s), to_string(s) + " on byte addresses", Tone::strong);
  d.answers = {"swizzle", "c_expression", "mode"};
  d.json("bits", s.bits()).json("base", s.base()).json("shift", s.shift());
  d.field("reads", "reads", bit_range(read_low, s.bits()), bit_text(read_low, s.bits()));
  d.field("writes", "writes", bit_range(written_low, s.bits()),
          s.is_identity() ? "none: the identity"
                          : fmt::format("{}, each XORed with the one {} {}", bit_text(written_low, s.bits()),
                                        std::abs(s.shift()), s.shift() > 0 ? "above" : "below"));
  d.field("period_bytes", "period", s.period(), plural(s.period(), "byte"));
  d.field("atomicity_bytes", "keeps whole", s.is_identity() ? Json() : Json(std::int64_t{1} << s.base()),
          s.is_identity() ? "everything" : plural(std::int64_t{1} << s.base(), "byte"));
  if (dtype != nullptr) {
    d.json("dtype", dtype->name);
    d.add(
        form_field("element_form", fmt::format("on {} elements", dtype->name), s, log2_exact(dtype->memory_bits) - 3));
  }
  d.add(form_field("chunk_form", "on 16-byte chunks", s, 4));
  d.field("c_expression", "in C", c_expression(s));
  const auto code = [](std::optional<int> c) { return c ? std::to_string(*c) : std::string("-"); };
  if (const SwizzleMode* mode = hardware_mode(s))
    d.field("mode", "hardware mode", mode->name,
            fmt::format("{}   wgmma code {}, tcgen05 code {}, TMA enum {}", mode->name, code(mode->wgmma_code),
                        code(mode->tcgen05_code), code(mode->tma_code)));
  else d.field("mode", "hardware mode", nullptr, "none: no descriptor or tensor map has this swizzle");
  // A larger table shows nothing new.
  constexpr int most_table_bits = 5;
  const bool is_tabulated = !s.is_identity() && s.bits() <= most_table_bits && std::abs(s.shift()) <= most_table_bits;
  d.json("chunks", is_tabulated ? chunk_json(s) : Json());
  if (s.is_identity()) return d;
  d.add(Drawing{[s, dtype, is_tabulated](Medium medium) {
    Document drawn;
    if (medium == Medium::terminal) return is_tabulated ? drawn.add(chunk_grid(s, false)) : drawn;
    Figure figure = address_bits(s, dtype);
    const std::int64_t from = example_address(s);
    if (is_tabulated) {
      figure.panels.front().push_back(chunk_grid(s, true));
      figure.caption += " A number and its colour: the chunk to which a piece goes.";
    }
    if (is_tabulated && s.shift() > 0)
      figure.legend = {{fmt::format("example: {:#x} goes to {:#x}", from, s(from)), {}, Mark::highlighted}};
    return drawn.add(std::move(figure));
  }});
  return d;
}

}  // namespace swz
