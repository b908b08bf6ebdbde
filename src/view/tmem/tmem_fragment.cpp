// SPDX-License-Identifier: Apache-2.0
#include "view/tmem/tmem_fragment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
namespace {

constexpr std::string_view ptx = "PTX ISA 9.1, 9.7.16.8 (documented)";

Json pair(Coordinate at) { return {at.row, at.column}; }

Json nullable(const std::optional<Coordinate>& at) { return at ? pair(*at) : Json(); }

// The values of one register, low bits first.
std::vector<int> values_of(const Fragment& f, int index) {
  std::vector<int> values;
  for (int value = 0; value < f.values(); ++value)
    if (f.slot(value).index == index) values.push_back(value);
  return values;
}

// For each thread and each register, what `piece` makes of each of its cells.
template <class Piece>
Json of_registers(const Fragment& f, Piece piece) {
  Json threads = Json::array();
  for (int thread = 0; thread < f.threads(); ++thread) {
    Json registers = Json::array();
    for (int index = 0; index < f.registers(); ++index)
      registers.push_back(json_list(values_of(f, index), [&](int value) { return piece(f.at(thread, value)); }));
    threads.push_back(std::move(registers));
  }
  return threads;
}

void add_map(Document& d, const TmemFragmentView& view, const Fragment& f) {
  // When cells are packed, only the low bits of each are moved.
  d.json("map", view.has_map ? of_registers(f,
                                            [&](Coordinate at) {
                                              return Json{at.row, at.column, 0, f.bits};
                                            })
                             : Json());
}

// ---- D

// "CTA 1, " of a pair.
std::string cta_of(const AccumulatorAccess& of) {
  return of.accumulator().path().cta_group > 1 ? fmt::format("CTA {}, ", of.place().cta) : std::string();
}

std::string cells_text(const AccumulatorAccess& of, const Fragment& f) {
  const TmemCell first = of.first_cell();
  return fmt::format("{}lanes {}, columns {}", cta_of(of), range_text(first.lane, f.rows),
                     range_text(first.column, f.columns));
}

// "rows 16-31, columns 64-95 of D": the part of D in those cells of the window that hold an element.
std::string elements_text(const AccumulatorAccess& of, const Fragment& f) {
  std::optional<Coordinate> first, last;
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const auto element = of.element(f.at(thread, value));
      if (!element) continue;
      if (!first) first = last = element;
      first = {std::min(first->row, element->row), std::min(first->column, element->column)};
      last = {std::max(last->row, element->row), std::max(last->column, element->column)};
    }
  if (!first) return "no element of D";
  return fmt::format("rows {}, columns {} of D", range_text(first->row, last->row - first->row + 1),
                     range_text(first->column, last->column - first->column + 1));
}

void add_accumulator(Document& d, const TmemFragmentView& view, const Fragment& f) {
  if (!view.of) {
    d.json("of", nullptr);
    return;
  }
  const Accumulator& accumulator = view.of->accumulator();
  const DataPath& path = accumulator.path();
  const TmemCell first = view.of->first_cell();
  d.field("of", "D",
          {{"layout", path.name},
           {"m", path.m},
           {"n", accumulator.n()},
           {"cta_group", path.cta_group},
           {"cta", first.cta},
           {"warp", view.of->place().warp},
           {"lane", first.lane},
           {"column", first.column},
           {"address", hex32(tmem_address(first.lane, first.column))}},
          fmt::format("{} x {}, data path {}", path.m, accumulator.n(), path.name));
  d.line("access",
         fmt::format("warp {}, {}: {}", view.of->place().warp, cells_text(*view.of, f), elements_text(*view.of, f)));
}

// ---- notes and lints

// The note on the threads that hold lane 0, which differ in bits of their number: "4 threads, xor 1 and 2".
Finding row_note(const Fragment& f) {
  std::set<int> threads;
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value)
      if (f.at(thread, value).row == 0) threads.insert(thread);
  if (threads.size() == 1)
    return note("row-in-a-thread", "a thread holds one row (lane) whole: a row reduction needs no other thread");
  std::vector<std::string> masks;
  for (const int thread : threads)
    if ((thread & (thread - 1)) == 0 && thread != 0) masks.push_back(std::to_string(thread));
  return note("row-in-threads",
              fmt::format("a row (lane) lies in {} threads: a row reduction ends with {} (xor {})", threads.size(),
                          plural(std::ssize(masks), "shuffle"), join_and(masks)),
              "32x32b has one row in each thread");
}

// Adds other instructions that have the same fragment (tested).
void add_matches(Notes& notes, const TmemForm& form) {
  const std::string_view shape = form.shape->name;
  if (shape == "16x256b" && !form.packs)
    notes.note(
        "as-accumulator",
        "registers 4j to 4j+3 are C and D of mma.m16n8 of 32 bits, columns 8j to 8j+7, and together D of wgmma in "
        "one warp: converted in pairs to 16 bits, they are what stmatrix takes");
  if (shape == "16x128b" && form.packs)
    notes.note("as-accumulator",
               "registers 2j and 2j+1 are C and D of mma.m16n8 of 16 bits, columns 8j to 8j+7: what stmatrix takes");
  if (shape == "16x128b" && !form.packs)
    notes.note("as-matrices",
               "registers 2j and 2j+1 are matrices of ldmatrix and stmatrix, 16 rows of 16 bytes from column 4j on: of "
               "elements that lie packed in their columns, as A does");
}

Notes notes_of(const TmemFragmentView& view, const Fragment& f) {
  Notes notes{"notes"};
  add_matches(notes, view.form);
  notes.add(row_note(f));
  const int run = view.form.columns() / 2;
  if (view.form.has_split() && view.form.split() < run && !view.form.stores)
    notes.note("shared-columns", fmt::format("threads 0-15 and 16-31 both hold columns {}",
                                             range_text(view.form.split(), run - view.form.split())));
  if (view.form.packs && view.form.stores)
    notes.note("upper-halves", "bits 16-31 of the columns are unspecified afterwards", "", std::string(ptx));
  if (!view.of) return notes;
  if (view.of->accumulator().path().is_scattered && f.rows == tmem_quarter)
    notes.note(
        "unused-lanes",
        "threads 16-31 hold no element of D, which takes lanes 0-15 of each quarter; lanes 16-31 may hold another",
        "a shape of 16 lanes wastes no register");
  if (view.dtype != nullptr && view.dtype->value_bits == 16 && !view.form.packs)
    notes.note("upper-halves",
               fmt::format("bits 16-31 of each register are undefined: an element of {} takes bits 0-15 of its column",
                           view.dtype->name),
               view.form.stores ? ".unpack::16b stores two to a register" : ".pack::16b loads two to a register",
               std::string(ptx));
  return notes;
}

Notes lints_of(const TmemFragmentView& view, const Fragment& f, const Target* target) {
  Notes lints = fragment_lints(f, target);
  const int run = view.form.columns() / 2;
  if (view.form.has_split() && view.form.split() < run && view.form.stores)
    lints.lint("shared-columns",
               fmt::format("threads 0-15 and 16-31 both store to columns {}",
                           range_text(view.form.split(), run - view.form.split())),
               fmt::format("a split offset of {} keeps them apart", run));
  if (!view.of) return lints;
  const int columns = view.of->accumulator().columns(), first = view.of->place().column;
  if (first + f.columns > columns)
    lints.lint("beyond-d",
               fmt::format("columns {} lie beyond D, which takes {}",
                           range_text(std::max(first, columns), first + f.columns - std::max(first, columns)),
                           plural(columns, "column")),
               "begin at a lower column, or take a smaller .xN");
  if (view.of->accumulator().path().is_scattered && view.of->place().lane != 0)
    lints.lint("no-element", "lanes 16-31 of each quarter hold no element of this D", "lane is 0 for it",
               std::string(ptx));
  if (view.dtype != nullptr && view.dtype->value_bits == 32 && view.form.packs)
    lints.lint("narrowed",
               fmt::format("{} moves bits 0-15 of each column: {} has 32", view.form.name(), view.dtype->name),
               "leave .pack::16b and .unpack::16b to types of 16 bits", std::string(ptx));
  return lints;
}

// ---- open questions

std::vector<std::string_view> open_of(const TmemFragmentView& view) {
  std::vector<std::string_view> open;
  if (view.of) open.push_back("warp-lane-bits");
  if (view.form.stores && view.form.packs) open.push_back("unpack-upper");
  if (view.form.reduction && view.form.has_split()) open.push_back("ld-red-runs");
  if (view.of && view.of->accumulator().path().name == "C") open.push_back("sparse-m128-pair");
  return open;
}

// ---- answers

// "lane 11, column 19"; with an accumulator also "lane 43, column 83 of it: D[27][83]".
std::string cell_text(const TmemFragmentView& view, const Fragment& f, Coordinate at) {
  std::string text = fmt::format("lane {}, column {}{}", at.row, at.column, f.bits == 32 ? "" : ", bits 0-15");
  if (!view.of) return text;
  const auto element = view.of->element(at);
  const TmemCell first = view.of->first_cell();
  return fmt::format("{}; {}lane {}, column {} from D's address: {}", text, cta_of(*view.of), first.lane + at.row,
                     first.column + at.column,
                     element ? fmt::format("D[{}][{}]", element->row, element->column) : "no element of D");
}

// Adds the element of D in the cell `at`; without a cell, as for a register of two halves, it is null.
void add_element(Document& d, const TmemFragmentView& view, const std::optional<Coordinate>& at) {
  const auto element = view.of && at ? view.of->element(*at) : std::nullopt;
  d.json("row", element ? Json(element->row) : Json()).json("col", element ? Json(element->column) : Json());
}

void add_register(Document& d, const TmemFragmentView& view, const Fragment& f) {
  const auto [thread, index] = *view.reg;
  if (thread >= f.threads() || index >= f.registers())
    throw usage_error(fmt::format("{} has no register {} of thread {}", f.name, index, thread),
                      fmt::format("threads are 0 to {}, registers 0 to {}", f.threads() - 1, f.registers() - 1));
  d.answers = {"lane", "column", "low", "high", "row", "col"};
  d.field("thread", "register", thread, fmt::format("r{} of thread {}", index, thread)).json("register", index);
  const std::vector<int> values = values_of(f, index);
  Json elements = Json::array();
  for (const int value : values) {
    const Coordinate at = f.at(thread, value);
    d.line(values.size() == 1 ? "holds" : fmt::format("bits {}", range_text(f.slot(value).first_bit, f.bits)),
           cell_text(view, f, at), Tone::strong);
    if (view.of) elements.push_back(nullable(view.of->element(at)));
  }
  const Coordinate low = f.at(thread, values[0]);
  if (values.size() == 1) d.json("lane", low.row).json("column", low.column);
  else d.json("low", pair(low)).json("high", pair(f.at(thread, values[1])));
  add_element(d, view, values.size() == 1 ? std::optional(low) : std::nullopt);
  d.json("elements", view.of ? elements : Json());
}

void add_cell(Document& d, const TmemFragmentView& view, const Fragment& f) {
  const Coordinate at = *view.cell;
  for (const auto& [word, asked, count] :
       {std::tuple{row_word(f.operand), at.row, f.rows}, {"column", at.column, f.columns}})
    if (asked >= count)
      throw usage_error(fmt::format("{} has no {} {}", f.name, word, asked),
                        fmt::format("{}s are 0 to {}", word, count - 1));
  const std::vector<Holder> holders = require_holders(f, at);
  d.answers = {"thread", "register", "first_bit", "row", "col"};
  d.field("lane", "cell", at.row, cell_text(view, f, at)).json("column", at.column);
  Json all = Json::array();
  for (const Holder& holder : holders) {
    const RegisterSlot slot = f.slot(holder.value);
    if (&holder == &holders.front())
      d.json("thread", holder.thread).json("register", slot.index).json("first_bit", slot.first_bit);
    all.push_back({holder.thread, slot.index, slot.first_bit});
    d.line(&holder == &holders.front() ? "held by" : "and by",
           fmt::format("thread {}, r{}{}", holder.thread, slot.index,
                       f.bits == 32 ? "" : fmt::format(" bits {}", range_text(slot.first_bit, f.bits))),
           Tone::strong);
  }
  d.json("holders", all);
  add_element(d, view, at);
}

void add_form(Document& d, const TmemFragmentView& view, const Fragment& f) {
  const TmemForm& form = view.form;
  const int run = form.columns() / 2;
  d.known("split_offset", "halves", form.has_split() ? Json(form.split()) : Json(),
          fmt::format("threads 0-15 columns {}, threads 16-31 columns {}", range_text(0, run),
                      range_text(form.split(), run)));
  if (!form.reduction) {
    d.json("reduction", nullptr);
    return;
  }
  const TmemReduction& r = *form.reduction;
  d.field("reduction", "reduction",
          {{"operation", r.is_max ? "max" : "min"},
           {"abs", r.takes_abs},
           {"nan", r.keeps_nan},
           {"type", r.type},
           {"columns", form.columns() / (form.has_split() ? 2 : 1)}},
          fmt::format("one register more: the {} {}of registers 0-{} as {}", r.is_max ? "largest" : "least",
                      r.takes_abs ? "magnitude " : "", f.registers() - 1, r.type));
}

std::string title_of(const TmemFragmentView& view, const Fragment& f) {
  if (!view.of) return f.name;
  const Accumulator& d = view.of->accumulator();
  return fmt::format("{}  {}warp {} of D of {} x {}, data path {}", f.name, cta_of(*view.of), view.of->place().warp,
                     d.path().m, d.n(), d.path().name);
}

}  // namespace

Document view_tmem_fragment(const TmemFragmentView& view, const Target* target, const FragmentDrawing& asked) {
  const Fragment f = tmem_fragment(view.form);
  FragmentDrawing drawing = asked;
  if (view.of) {
    view.of->require_window(f);
    drawing.element_of_d = [of = *view.of](Coordinate at) { return of.element(at); };
  }
  const Notes notes = notes_of(view, f), lints = lints_of(view, f, target);
  Document d(title_of(view, f));
  if (!drawing.query.empty())
    return view_points(std::move(d), asked_points(drawing, {f}), fragment_drawing({f}, drawing), lints.findings);
  const bool is_single = view.reg || view.cell;
  if (is_single) {
    d.json("name", f.name);
    if (view.reg) add_register(d, view, f);
    else add_cell(d, view, f);
    d.json("registers", f.registers()).json("columns", f.columns);
  } else {
    add_facts(d, f);
    add_form(d, view, f);
    d.json("elements", view.of && view.has_map
                           ? of_registers(f, [&](Coordinate at) { return nullable(view.of->element(at)); })
                           : Json());
  }
  d.headline = is_single ? headline_of(d, {"register", "holds", "cell", "held by"})
                         : fmt::format("a thread gets {} of {} lanes x {} columns", plural(f.registers(), "register"),
                                       f.rows, f.columns);
  add_accumulator(d, view, f);
  add_map(d, view, f);
  if (is_single) {
    add_open(d, open_of(view));
    add_evidence(d, f.source);
    FragmentDrawing marked = drawing;
    if (view.reg) marked.query.registers.push_back({view.reg->thread, std::int64_t{view.reg->index}});
    else marked.query.coordinates.push_back(IntTuple(std::vector<IntTuple>{view.cell->row, view.cell->column}));
    d.add(Drawing{[picture = fragment_drawing({f}, marked)](Medium medium) {
      return medium == Medium::page ? picture.draw(medium) : Document();
    }});
  } else {
    add_open(d, open_of(view));
    d.add(fragment_drawing({f}, drawing));
  }
  return d.add(notes).add(lints);
}

}  // namespace swz
