#include "view/swizzle_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "view/swizzle_lint_figure.hpp"

namespace swz {

namespace {

std::string name_of(const AddressReference& r) {
  return r.layout.empty() ? fmt::format("mode {}", r.mode->name)
                          : fmt::format("mode {} {}", r.mode->name, r.layout);
}

std::string headline(const SwizzleLint& s, const LintWords& w) {
  const AddressLint& lint = s.lint;
  if (lint.collision)
    return fmt::format("not a permutation: {} go to {}; {} and {} both become {}", w.units(lint.inputs),
                       plural(static_cast<std::int64_t>(lint.values), "place"), w.input(lint.collision->first),
                       w.input(lint.collision->second), w.value(lint.collision->value));
  if (const AddressReference* equal = s.equal())
    return fmt::format("equal to {} {}{}", name_of(*equal),
                       s.is_whole_period ? "at every address" : fmt::format("on these {}", w.units(lint.inputs)),
                       s.value_bytes != 0 ? ", as byte offsets" : "");
  if (lint.outside)
    return fmt::format("no two inputs collide, but it is not a permutation: {} becomes {}", w.input(*lint.outside),
                       w.value(s.value(*lint.outside)));
  return fmt::format("{}a permutation, but no hardware mode",
                     lint.swizzle ? fmt::format("{} on {}s: ", to_string(*lint.swizzle), w.unit()) : "");
}

void add_domain(Document& d, const SwizzleLint& s, const LintWords& w) {
  d.add(Field{"expression", "expression", s.request.expression.text()});
  const std::string unit = s.request.dtype != nullptr ? std::string(s.request.dtype->name) : "byte";
  d.add(Field{"unit", "", unit});
  d.add(Field{"unit_bits", "", s.unit_bits});
  d.add(Field{"value_unit", s.value_bytes != 0 ? "its values" : "", s.value_bytes != 0 ? "byte" : unit,
              fmt::format("byte offsets: judged and shown divided by {}, as elements", s.value_bytes)});
  const auto optional = [](const std::optional<std::uint64_t>& n) { return n ? Json(*n) : Json(nullptr); };
  d.add(Field{"rows", "", optional(s.request.rows)});
  d.add(Field{"cols", "", optional(s.request.cols)});
  std::string why = "as asked";
  if (s.is_whole_period)
    why = *s.period == s.lint.inputs ? "one period" : "the longest hardware pattern, whole periods";
  else if (!w.has_coordinates() && !s.request.inputs)
    why = s.is_by_algebra ? "it does not repeat" : "it does not repeat in them";
  d.add(Field{"inputs", "examined", s.lint.inputs,
              w.has_coordinates()
                  ? fmt::format("{} x {} = {}", *s.request.rows, *s.request.cols, w.units(s.lint.inputs))
                  : fmt::format("{}: {}", w.with_bytes(s.lint.inputs), why)});
  d.add(Field{"period", w.has_coordinates() ? "" : "repeats every", optional(s.period),
              s.period          ? w.units(*s.period)
              : s.is_by_algebra ? "never"
                                : "not seen",
              s.period ? Tone::plain : Tone::faint});
}

Json input_json(const LintWords& w, std::uint64_t x) {
  return w.has_coordinates() ? Json{x / w.cols(), x % w.cols()} : Json(x);
}

void add_permutation(Document& d, const SwizzleLint& s, const LintWords& w) {
  const AddressLint& lint = s.lint;
  d.add(Field{"bijective", "", lint.is_bijective()});
  d.add(Field{"injective", "", lint.is_injective()});
  d.add(Field{"values", "different values", lint.values, fmt::format("{} of {}", lint.values, lint.inputs),
              lint.is_injective() ? Tone::good : Tone::bad});
  Json witness = nullptr;
  if (const auto& c = lint.collision)
    witness = {{"kind", "collision"},
               {"inputs", {input_json(w, c->first), input_json(w, c->second)}},
               {"value", c->value}};
  else if (lint.outside)
    witness = {{"kind", "outside"},
               {"inputs", Json::array({input_json(w, *lint.outside)})},
               {"value", s.value(*lint.outside)}};
  d.add(Field{"witness", "", std::move(witness)});
  // Of an affine map every input and its XOR with this share a value.
  const bool has_vector = lint.collision && lint.affine;
  const std::uint64_t vector = has_vector ? lint.collision->first ^ lint.collision->second : 0;
  d.add(Field{"kernel_vector", has_vector ? "kernel vector" : "", has_vector ? Json(vector) : Json(nullptr),
              fmt::format("{:#x}: every x shares its value with x ^ {:#x}", vector, vector), Tone::bad});
}

void add_shape(Document& d, const SwizzleLint& s, const LintWords& w) {
  const AddressLint& lint = s.lint;
  d.add(Field{"keeps_chunks", "16-byte chunks", !lint.torn,
              lint.torn ? fmt::format("torn: {} becomes {}, its chunk has it at {}", w.input(lint.torn->input),
                                      w.value(lint.torn->value), w.value(lint.torn->expected))
                        : "whole and in order",
              lint.torn ? Tone::bad : Tone::good});
  d.add(Field{"piece", "keeps whole", lint.piece, "pieces of " + w.with_bytes(lint.piece)});
  Json torn = nullptr;
  if (lint.torn)
    torn = {
        {"input", input_json(w, lint.torn->input)}, {"value", lint.torn->value}, {"expected", lint.torn->expected}};
  d.add(Field{"torn", "", std::move(torn)});
  const char* how =
      s.is_by_algebra ? "yes, read off the expression: nothing was enumerated" : "yes, on every input";
  d.add(Field{"linear", "linear over GF(2)", lint.affine && lint.affine->constant == 0,
              !lint.affine                 ? "no"
              : lint.affine->constant == 0 ? how
                                           : fmt::format("but for an XOR with {:#x}", lint.affine->constant)});
  Json columns = nullptr;
  if (lint.affine) columns = lint.affine->linear.columns();
  d.add(Field{"columns", "", std::move(columns)});
  d.add(Field{"constant", "", lint.affine ? Json(lint.affine->constant) : Json(nullptr)});
  const auto bytes = lint.swizzle ? in_units(*lint.swizzle, 3 - log2_exact(s.unit_bits)) : std::nullopt;
  std::string text = "none";
  if (lint.swizzle) {
    text = fmt::format("{} on {}s", to_string(*lint.swizzle), w.unit());
    if (bytes && s.unit_bits != 8) text += fmt::format(", {} on bytes", to_string(*bytes));
    if (w.has_coordinates()) text += ", of the index row by row";
  }
  d.add(Field{"swizzle", "swizzle", lint.swizzle ? Json(to_string(*lint.swizzle)) : Json(nullptr), text});
  d.add(Field{"byte_swizzle", "", bytes ? Json(to_string(*bytes)) : Json(nullptr)});
}

std::string difference_text(const LintWords& w, const AddressComparison& c) {
  if (!c.first) return "equal";
  return fmt::format("at {}: {}, the hardware {}", w.input(c.first->input), w.value(c.first->value),
                     w.value(c.first->expected));
}

void add_modes(Document& d, const SwizzleLint& s, const LintWords& w) {
  const AddressReference* equal = s.equal();
  d.add(Field{"equals", "", equal != nullptr ? Json(equal->mode->name) : Json(nullptr)});
  d.add(Field{"layout", "", equal != nullptr && !equal->layout.empty() ? Json(equal->layout) : Json(nullptr)});
  const auto nearest = s.lint.nearest();
  d.add(Field{"nearest", "", nearest ? Json(s.references[*nearest].mode->name) : Json(nullptr)});
  Table table{"modes",
              "against the hardware",
              {{"mode", "mode"},
               {"layout", w.has_coordinates() ? "layout" : ""},
               {"wrong", "wrong", Column::Align::right},
               {"first", "first difference"}},
              {}};
  for (std::size_t i = 0; i < s.references.size(); ++i) {
    const AddressReference& r = s.references[i];
    const AddressComparison& c = s.lint.comparisons[i];
    const Tone tone = c.wrong == 0 ? Tone::good : nearest == i ? Tone::accent : Tone::plain;
    Json first = nullptr;
    if (c.first)
      first = {
          {"input", input_json(w, c.first->input)}, {"value", c.first->value}, {"expected", c.first->expected}};
    table.rows.push_back({{std::string(r.mode->name), "", tone},
                          {r.layout.empty() ? Json(nullptr) : Json(r.layout)},
                          {c.wrong, fmt::format("{} of {}", c.wrong, s.lint.inputs), tone},
                          {std::move(first), difference_text(w, c)}});
  }
  d.add(std::move(table));
  Json other = nullptr;
  if (s.other_unit) other = {{"mode", s.other_unit->mode->name}, {"unit_bytes", s.other_unit->unit.count}};
  d.add(Field{"other_unit", "", std::move(other)});
}

// What it would break.
Notes lints_of(const SwizzleLint& s, const LintWords& w) {
  Notes notes{"lints"};
  const AddressLint& found = s.lint;
  constexpr const char* evaluated = "the expression itself (derived)";
  if (found.collision)
    notes.add(lint("collision",
                   fmt::format("what is stored at {} is overwritten by what is stored at {}",
                               w.input(found.collision->first), w.input(found.collision->second)),
                   "XOR bits with bits above them that they do not read: addr ^ ((addr >> 3) & 0x70)", evaluated));
  if (found.outside && !w.has_coordinates())
    notes.add(lint("outside",
                   fmt::format("{} leaves the block of {}", w.input(*found.outside), w.bytes_of(found.inputs)),
                   "it writes what lies behind the tile", evaluated));
  if (found.torn)
    notes.add(
        lint("torn-chunk",
             "16-byte accesses (ldmatrix, st.shared.b128, cp.async, TMA) would move bytes that belong elsewhere",
             "leave the low bits that count inside of 16 bytes as they are",
             "PTX ISA 9.1, 9.7.14.5 and 9.7.9.27 (documented)"));
  const auto nearest = found.nearest();
  if (!nearest || s.equal() != nullptr || found.collision) return notes;
  const AddressComparison& c = found.comparisons[*nearest];
  notes.add(
      lint("no-mode",
           fmt::format("nearest is {}: data that TMA writes or an MMA reads in it lies elsewhere for {} of {}: {}",
                       name_of(s.references[*nearest]), c.wrong, w.units(found.inputs), difference_text(w, c)),
           "fine where your own code does all reads and writes", to_string(s.references[*nearest].mode->source)));
  return notes;
}

Notes notes_of(const SwizzleLint& s, const LintWords& w) {
  Notes notes{"notes"};
  if (s.other_unit)
    notes.add(note("other-unit",
                   w.has_coordinates() ? fmt::format("as byte offsets of {}-byte elements it is mode {}",
                                                     s.other_unit->unit.count, s.other_unit->mode->name)
                                       : fmt::format("on units of {} B the same expression is mode {}",
                                                     s.other_unit->unit.count, s.other_unit->mode->name),
                   "--dtype says what is counted"));
  std::vector<std::string> also;
  const AddressReference* equal = s.equal();
  for (std::size_t i = 0; i < s.references.size(); ++i)
    if (equal != nullptr && &s.references[i] != equal && s.lint.comparisons[i].wrong == 0)
      also.push_back(name_of(s.references[i]));
  if (!also.empty())
    notes.add(note("also-equal", fmt::format("on these inputs it is also equal to {}", join_and(also)),
                   "more inputs tell them apart, where anything does"));
  if (!w.has_coordinates() && equal != nullptr && equal->mode->bits != 0)
    notes.add(note("absolute",
                   "the hardware swizzles shared-memory addresses: addr counts from a base that is a multiple of "
                   "the pattern",
                   "swz phase says what happens elsewhere"));
  return notes;
}

}  // namespace

Document view_swizzle_lint(const SwizzleLint& s) {
  const LintWords w{s};
  Document d(headline(s, w));
  add_domain(d, s, w);
  add_permutation(d, s, w);
  add_shape(d, s, w);
  add_modes(d, s, w);
  d.add(Drawing{[s](Medium) {
    Document figure;
    add_lint_figure(figure, s);
    return figure;
  }});
  d.add(lints_of(s, w));
  d.add(notes_of(s, w));
  return d;
}

}  // namespace swz
