// SPDX-License-Identifier: Apache-2.0
// The view of `swz swizzle lint`: what it answers for an expression.
#include <fmt/format.h>

#include <algorithm>

#include "arch/mistake.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "dialect/bases.hpp"
#include "view/document/figure.hpp"
#include "view/layout/swizzle.hpp"

namespace swz {
namespace {

// ---- the words of a report

// Names of inputs, values and sizes of one report.
struct LintWords {
  const SwizzleLint& s;

  bool has_coordinates() const { return s.request.expression.has_coordinates(); }
  std::uint64_t cols() const { return s.request.cols.value_or(1); }
  std::uint64_t chunk_units() const { return 128 / static_cast<std::uint64_t>(s.unit_bits); }

  // "byte", "f16 element"
  std::string unit() const {
    if (s.request.dtype != nullptr) return fmt::format("{} element", s.request.dtype->name);
    return has_coordinates() ? "element" : "byte";
  }
  std::string units(std::uint64_t count) const { return plural(static_cast<std::int64_t>(count), unit()); }
  // "0x80", "(1, 0)"
  std::string input(std::uint64_t x) const {
    return has_coordinates() ? fmt::format("({}, {})", x / cols(), x % cols()) : fmt::format("{:#x}", x);
  }
  Json input_json(std::uint64_t x) const { return has_coordinates() ? Json{x / cols(), x % cols()} : Json(x); }
  std::string value(std::uint64_t x) const {
    return has_coordinates() ? fmt::format("{}", x) : fmt::format("{:#x}", x);
  }
  std::string bytes_of(std::uint64_t units) const {
    const auto bits = static_cast<std::uint64_t>(s.unit_bits);
    return fmt::format("{} B", bits < 8 ? units / (8 / bits) : units * (bits / 8));
  }
  // "1024 f16 elements = 2048 B"
  std::string with_bytes(std::uint64_t count) const {
    return units(count) + (s.request.dtype != nullptr ? " = " + bytes_of(count) : "");
  }
  // An input that goes elsewhere than expected.
  template <class Difference>
  Json difference_json(const std::optional<Difference>& d) const {
    if (!d) return nullptr;
    return {{"input", input_json(d->input)}, {"value", d->value}, {"expected", d->expected}};
  }
};

// ---- the figure

std::string name_of(const AddressReference& r) {
  return r.layout.empty() ? fmt::format("mode {}", r.mode->name) : fmt::format("mode {} {}", r.mode->name, r.layout);
}

constexpr std::uint64_t chunks_in_line = 8;
// On a terminal, and there if the expression is a mode, whose longest period they are; in a picture, which shows one.
constexpr std::uint64_t shown_lines = 16, period_lines = 8, most_lines = 512;
constexpr std::uint64_t most_chunks = std::uint64_t{1} << 16;  // that are looked at: 1 MiB

// Puts the chunk that begins at input x in the place that its first unit goes to. Of two in one place, the later is
// shown, marked.
void put(Grid& grid, const LintWords& w, std::uint64_t x, std::uint64_t to, bool is_wrong) {
  const std::uint64_t place = to / w.chunk_units();
  if (place >= grid.squares.size() * chunks_in_line) return;
  Grid::Square& square = grid.squares[place / chunks_in_line][place % chunks_in_line];
  const std::uint64_t index = x / w.chunk_units();
  const bool is_taken = !square.text.empty();
  square.text = w.has_coordinates() ? fmt::format("{},{}", x / w.cols(), x % w.cols())
                                    : fmt::format("{}.{}", index / chunks_in_line, index % chunks_in_line);
  square.tint = {static_cast<int>(index % chunks_in_line), 0};
  square.mark = is_taken || is_wrong ? Mark::colliding : Mark::none;
  square.tip = fmt::format("input {}\nvalue {}", w.input(x), w.value(to));
}

// Empty if a chunk is larger than all inputs.
Document lint_figure(const SwizzleLint& s, Medium medium) {
  const LintWords w{s};
  const std::uint64_t chunks = std::min(most_chunks, s.lint.inputs / w.chunk_units());
  if (chunks < 2) return {};
  const std::uint64_t most = medium == Medium::page ? most_lines : s.equal() != nullptr ? period_lines : shown_lines;
  const auto lines = static_cast<std::int64_t>(std::min(most, (chunks + chunks_in_line - 1) / chunks_in_line));
  const auto nearest = s.lint.nearest();
  const AddressReference* equal = s.equal();
  const AddressReference* reference = equal != nullptr                   ? equal
                                      : nearest && s.lint.is_injective() ? &s.references[*nearest]
                                                                         : nullptr;
  Grid yours = smem_lines("the expression", "byte\\bank", 0, lines);
  Grid theirs;
  if (reference != nullptr) theirs = smem_lines(name_of(*reference), "byte\\bank", 0, lines);
  if (w.has_coordinates()) yours.number = theirs.number = "row,col";
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const std::uint64_t x = i * w.chunk_units(), to = s.value(x);
    const std::uint64_t expected = reference != nullptr ? reference->value(x) : to;
    put(yours, w, x, to, to / w.chunk_units() != expected / w.chunk_units());
    if (reference != nullptr) put(theirs, w, x, expected, false);
  }
  Figure figure;
  if (medium == Medium::page) figure.title = s.request.expression.text();
  const std::uint64_t all_lines = (s.lint.inputs / w.chunk_units() + chunks_in_line - 1) / chunks_in_line;
  // A last line "…" says that there are more.
  for (Grid* grid : {&yours, &theirs})
    if (!grid->squares.empty() && all_lines > most) {
      grid->squares.emplace_back();
      grid->row_labels.emplace_back("…");
    }
  figure.panels = {{std::move(yours)}};
  // Two equal panels are drawn once.
  if (equal != nullptr) {
    figure.panels[0][0].title = fmt::format("the expression, and {}", name_of(*equal));
  } else if (reference != nullptr) {
    figure.panels[0].push_back(std::move(theirs));
    figure.legend.push_back({"not where that mode has it", {}, Mark::colliding});
  } else if (!s.lint.is_injective()) {
    figure.legend.push_back({"several chunks in one place; the last is named", {}, Mark::colliding});
  }
  const std::vector<LegendEntry> hues =
      hue_legend(chunks_in_line, [](std::int64_t hue) { return std::to_string(hue); });
  figure.legend.insert(figure.legend.begin(), hues.begin(), hues.end());
  figure.legend_title = "colour: chunk mod 8";
  figure.caption = w.has_coordinates() ? "3,8 is the chunk of 16 B that begins at row 3, col 8, in the place that the "
                                         "expression gives it"
                                       : "2.5 is chunk 5 of line 2 of the input, in the place that the expression "
                                         "gives it";
  if (all_lines > most) figure.caption += fmt::format("; drawn are {} of {} lines", lines, all_lines);
  if (chunks == most_chunks) figure.caption += fmt::format("; only the first {} chunks are looked at", chunks);
  figure.caption += ".";
  return Document().add(std::move(figure));
}

// ---- the answer

std::string headline(const SwizzleLint& s, const LintWords& w) {
  const AddressLint& lint = s.lint;
  if (lint.collision)
    return fmt::format("not a permutation: {} and {} both become {}", w.input(lint.collision->first),
                       w.input(lint.collision->second), w.value(lint.collision->value));
  if (const AddressReference* equal = s.equal())
    return fmt::format("the expression is {} on {}{}", name_of(*equal),
                       s.is_whole_period ? "every address" : fmt::format("all {}", w.units(lint.inputs)),
                       s.value_bytes != 0 ? ", as byte offsets" : "");
  if (lint.outside)
    return fmt::format("not a permutation: {} becomes {}, which is outside", w.input(*lint.outside),
                       w.value(s.value(*lint.outside)));
  return fmt::format("{}a permutation, but no hardware mode",
                     lint.swizzle ? fmt::format("{} on {}s: ", to_string(*lint.swizzle), w.unit()) : "");
}

void add_domain(Document& d, const SwizzleLint& s, const LintWords& w) {
  d.field("expression", "expression", s.request.expression.text());
  if (const CExpression& f = s.request.expression; f.is_function()) {
    const CNames& names = f.names();
    if (f.has_coordinates())
      d.field("parameters", "parameters", Json{{"row", names.row}, {"col", names.col}},
              fmt::format("{} is the row, {} the column", names.row, names.col));
    else d.field("parameters", "parameters", Json{{"address", names.address}}, names.address + " is an address");
  }
  const std::string unit = s.request.dtype != nullptr ? std::string(s.request.dtype->name) : "byte";
  d.json("unit", unit).json("unit_bits", s.unit_bits);
  d.field("value_unit", s.value_bytes != 0 ? "its values" : "", s.value_bytes != 0 ? "byte" : unit,
          fmt::format("byte offsets: checked and shown divided by {}, as elements", s.value_bytes));
  d.json("rows", s.request.rows).json("cols", s.request.cols);
  std::string why = "as asked";
  if (s.is_whole_period)
    why = *s.period == s.lint.inputs ? "one period" : "the longest hardware pattern, whole periods";
  else if (!w.has_coordinates() && !s.request.inputs)
    why = s.is_by_algebra ? "it does not repeat" : "it does not repeat in them";
  d.field("inputs", "examined", s.lint.inputs,
          w.has_coordinates() ? fmt::format("{} x {} = {}", *s.request.rows, *s.request.cols, w.units(s.lint.inputs))
                              : fmt::format("{}: {}", w.with_bytes(s.lint.inputs), why));
  d.field("period", w.has_coordinates() ? "" : "repeats every", s.period,
          s.period          ? w.units(*s.period)
          : s.is_by_algebra ? "never"
                            : "not seen",
          s.period ? Tone::plain : Tone::faint);
}

void add_permutation(Document& d, const SwizzleLint& s, const LintWords& w) {
  const AddressLint& lint = s.lint;
  d.json("bijective", lint.is_bijective()).json("injective", lint.is_injective());
  d.field("values", "different values", lint.values, fmt::format("{} of {}", lint.values, lint.inputs),
          lint.is_injective() ? Tone::good : Tone::bad);
  Json witness = nullptr;
  if (const auto& c = lint.collision)
    witness = {
        {"kind", "collision"}, {"inputs", {w.input_json(c->first), w.input_json(c->second)}}, {"value", c->value}};
  else if (lint.outside)
    witness = {
        {"kind", "outside"}, {"inputs", Json::array({w.input_json(*lint.outside)})}, {"value", s.value(*lint.outside)}};
  d.json("witness", std::move(witness));
  // In an affine map, every input x and x ^ vector share a value.
  const bool has_vector = lint.collision && lint.affine;
  const std::uint64_t vector = has_vector ? lint.collision->first ^ lint.collision->second : 0;
  d.known("kernel_vector", "kernel vector", has_vector ? Json(vector) : Json(),
          fmt::format("{:#x}: every x shares its value with x ^ {:#x}", vector, vector), Tone::bad);
}

void add_shape(Document& d, const SwizzleLint& s, const LintWords& w) {
  const AddressLint& lint = s.lint;
  d.field("keeps_chunks", "16-byte chunks", !lint.torn,
          lint.torn ? fmt::format("torn: {} becomes {}, its chunk has it at {}", w.input(lint.torn->input),
                                  w.value(lint.torn->value), w.value(lint.torn->expected))
                    : "whole and in order",
          lint.torn ? Tone::bad : Tone::good);
  d.field("piece", "keeps whole", lint.piece, "pieces of " + w.with_bytes(lint.piece));
  d.json("torn", w.difference_json(lint.torn));
  const char* how = s.is_by_algebra ? "yes, read off the expression: nothing was enumerated" : "yes, on every input";
  d.field("linear", "linear over GF(2)", lint.affine && lint.affine->constant == 0,
          !lint.affine                 ? "no"
          : lint.affine->constant == 0 ? how
                                       : fmt::format("but for an XOR with {:#x}", lint.affine->constant));
  d.json("columns", lint.affine ? Json(lint.affine->linear.columns()) : Json());
  d.json("constant", lint.affine ? Json(lint.affine->constant) : Json());
  const auto bytes = lint.swizzle ? in_units(*lint.swizzle, 3 - log2_exact(s.unit_bits)) : std::nullopt;
  std::string text = "none";
  if (lint.swizzle) {
    text = fmt::format("{} on {}s", to_string(*lint.swizzle), w.unit());
    if (bytes && s.unit_bits != 8) text += fmt::format(", {} on bytes", to_string(*bytes));
    if (w.has_coordinates()) text += ", of the index row by row";
  }
  d.field("swizzle", "swizzle", lint.swizzle ? Json(to_string(*lint.swizzle)) : Json(), text);
  d.json("byte_swizzle", bytes ? Json(to_string(*bytes)) : Json());
}

// Adds the layout of the values, in units: of coordinates (row, col), of an address a list.
void add_layout(Document& d, const Fit* fit) {
  const bool has_layout = fit != nullptr && fit->layout;
  const std::string bases = fit != nullptr && !fit->bases.empty() ? dimension_bases(fit->bases) : "";
  const std::string layout = has_layout ? to_string(*fit->layout) : "";
  d.field("cute", fit != nullptr ? "as a layout" : "", or_null(layout),
          layout.empty() ? "none with one swizzle" : layout);
  d.known("bases", "as bases", or_null(bases));
}

std::string difference_text(const LintWords& w, const AddressComparison& c) {
  if (!c.first) return "equal";
  return fmt::format("at {}: {}, the hardware {}", w.input(c.first->input), w.value(c.first->value),
                     w.value(c.first->expected));
}

void add_modes(Document& d, const SwizzleLint& s, const LintWords& w) {
  const AddressReference* equal = s.equal();
  d.json("equals", equal != nullptr ? Json(equal->mode->name) : Json());
  d.json("layout", equal != nullptr && !equal->layout.empty() ? Json(equal->layout) : Json());
  const auto nearest = s.lint.nearest();
  d.json("nearest", nearest ? Json(s.references[*nearest].mode->name) : Json());
  Table table{"modes",
              fmt::format("against the hardware: wrong {}s", w.unit()),
              {{"mode", "mode"},
               {"layout", w.has_coordinates() ? "layout" : ""},
               {"wrong", "wrong", Column::Align::right},
               {"first", "first difference"}},
              {}};
  for (std::size_t i = 0; i < s.references.size(); ++i) {
    const AddressReference& r = s.references[i];
    const AddressComparison& c = s.lint.comparisons[i];
    const Tone tone = c.wrong == 0 ? Tone::good : nearest == i ? Tone::accent : Tone::plain;
    table.rows.push_back({Cell(r.mode->name, "", tone), or_null(r.layout),
                          Cell(c.wrong, fmt::format("{} of {}", c.wrong, s.lint.inputs), tone),
                          Cell(w.difference_json(c.first), difference_text(w, c))});
  }
  // How far the other modes are is a detail if the expression is one of them.
  d.add(equal != nullptr ? in_full(std::move(table)) : Block(std::move(table)));
  if (const auto& other = s.other_unit)
    d.json("other_unit", {{"mode", other->mode->name}, {"unit_bytes", other->unit.count}});
  else d.json("other_unit", nullptr);
}

// What using the expression would break.
Notes swizzle_lints(const SwizzleLint& s, const LintWords& w) {
  Notes notes{"lints"};
  const AddressLint& found = s.lint;
  constexpr const char* evaluated = "the expression itself (derived)";
  if (found.collision)
    notes.lint("collision",
               fmt::format("what is stored at {} is overwritten by what is stored at {}",
                           w.input(found.collision->first), w.input(found.collision->second)),
               "XOR bits with bits above them that they do not read: addr ^ ((addr >> 3) & 0x70)", evaluated);
  if (found.outside && !w.has_coordinates())
    notes.lint("outside", fmt::format("{} leaves the block of {}", w.input(*found.outside), w.bytes_of(found.inputs)),
               "it overwrites what follows the tile", evaluated);
  if (found.torn)
    notes.lint("torn-chunk",
               "16-byte accesses (ldmatrix, st.shared.b128, cp.async, TMA) would move bytes that belong elsewhere",
               "do not change the low bits, which count inside 16-byte chunks",
               "PTX ISA 9.1, 9.7.14.5 and 9.7.9.27 (documented)");
  const auto nearest = found.nearest();
  if (!nearest || s.equal() != nullptr || found.collision) return notes;
  const AddressComparison& c = found.comparisons[*nearest];
  notes.lint("no-mode",
             fmt::format("nearest is {}: TMA and MMAs in that mode place {} of {} elsewhere: {}",
                         name_of(s.references[*nearest]), c.wrong, w.units(found.inputs), difference_text(w, c)),
             "fine if your own code does all reads and writes", to_string(s.references[*nearest].mode->source));
  return notes;
}

Notes swizzle_notes(const SwizzleLint& s, const LintWords& w) {
  Notes notes{"notes"};
  if (s.other_unit)
    notes.note(mistake::element_unit_swizzle,
               w.has_coordinates() ? fmt::format("as byte offsets of {}-byte elements it is mode {}",
                                                 s.other_unit->unit.count, s.other_unit->mode->name)
                                   : fmt::format("on units of {} B the same expression is mode {}",
                                                 s.other_unit->unit.count, s.other_unit->mode->name),
               "--dtype sets what is counted");
  std::vector<std::string> also;
  const AddressReference* equal = s.equal();
  for (std::size_t i = 0; i < s.references.size(); ++i)
    if (equal != nullptr && &s.references[i] != equal && s.lint.comparisons[i].wrong == 0)
      also.push_back(name_of(s.references[i]));
  if (!also.empty())
    notes.note("also-equal", fmt::format("on these inputs it is also equal to {}", join_and(also)),
               "more inputs may distinguish them");
  if (!w.has_coordinates() && equal != nullptr && equal->mode->bits != 0)
    notes.note("absolute",
               "the hardware swizzles shared-memory addresses: addr counts from a base that is a multiple of "
               "the pattern",
               "swz phase shows what happens elsewhere");
  return notes;
}

}  // namespace

Document view_swizzle_lint(const SwizzleLint& s, const Fit* fit) {
  const LintWords w{s};
  Document d(headline(s, w));
  d.headline = d.title;
  d.answers = {"equals", "injective"};
  add_domain(d, s, w);
  add_permutation(d, s, w);
  add_shape(d, s, w);
  add_layout(d, fit);
  add_modes(d, s, w);
  d.add(Drawing{[s](Medium medium) { return lint_figure(s, medium); }});
  return d.add(swizzle_lints(s, w)).add(swizzle_notes(s, w));
}

}  // namespace swz
