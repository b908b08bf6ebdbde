// SPDX-License-Identifier: Apache-2.0
#include "view/fragment/fragment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "arch/narrow.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/fragment.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {

namespace {

bool is_memory(const Fragment& f) { return f.operand == Operand::memory || f.operand == Operand::tmem; }

// "r1 bits 16-31"
std::string slot_text(const Fragment& f, int value) {
  const RegisterSlot slot = f.value_slot(value);
  if (f.bits == f.register_bits()) return fmt::format("r{}", slot.index);
  if (f.bits == 1) return fmt::format("r{} bit {}", slot.index, slot.first_bit);
  return fmt::format("r{} bits {}", slot.index, range_text(slot.first_bit, f.value_width()));
}

std::string registers_text(const Fragment& f) {
  const int each = f.register_bits() / f.bits;
  std::string text = fmt::format("{} of {} bits", f.registers(), f.register_bits());
  if (f.values() < each) return text + fmt::format(", V0 in {}", slot_text(f, 0));
  if (each > 1) text += fmt::format(", {} values each, low bits first: V1 in {}", each, slot_text(f, 1));
  return text;
}

Json coordinates_of(const Fragment& f) {
  Json list = Json::array();
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      list.push_back(f.is_read(thread) ? Json{at.row, at.column} : Json());
    }
  return list;
}

Json slots_of(const Fragment& f) {
  Json list = Json::array();
  for (int value = 0; value < f.values(); ++value) {
    const RegisterSlot slot = f.value_slot(value);
    list.push_back({slot.index, slot.first_bit});
  }
  return list;
}

Json address_lanes_of(const Fragment& f) {
  if (f.operand != Operand::memory) return nullptr;
  std::vector<int> lanes(static_cast<std::size_t>(f.rows));
  std::iota(lanes.begin(), lanes.end(), 0);
  return lanes;
}

Json targets_of(const Fragment& f) {
  Json list = Json::array();
  for (const Target& target : targets())
    if (runs_on(f.availability, target)) list.push_back(target.name);
  return list;
}

const std::string doc = "PTX ISA 9.1, 9.7.14.5 (documented)";

// Where an element of 4 or 6 bits is in its byte, and whether ldmatrix brings it there.
std::optional<Finding> container_note(const Fragment& f) {
  if (f.value_width() == f.bits) return {};
  const bool is_mma = f.operand == Operand::a || f.operand == Operand::b, is_fp4 = f.value_width() == 4;
  const std::string low = fmt::format("bits 0-{}", f.value_width() - 1);
  const std::string here =
      is_mma ? fmt::format("an element of {} takes bits {} of its byte", f.dtype,
                           range_text(f.value_first_bit, f.value_width()))
             : fmt::format("ldmatrix brings elements of {} bits in {} of their bytes", f.value_width(), low);
  const std::string there = is_mma   ? fmt::format("ldmatrix brings it in {}", low)
                            : is_fp4 ? "mma.sync takes e2m1 from bits 2-5"
                                     : "mma.sync takes e2m3 and e3m2 from there";
  return note("container", fmt::format("{}; {}", here, there),
              is_fp4 ? "shift each register left by 2 between the two" : "no shift is needed between the two", doc);
}

// The ldmatrix that brings A or B of a block-scaled MMA from shared memory, each row along K. Its registers are those
// of the operand in their order.
std::optional<Finding> feed_note(const Fragment& f) {
  if (f.block == 0) return {};
  const NarrowForm* narrow = find_narrow_form(f.dtype, f.bits == 8);
  const std::string form = narrow != nullptr && narrow->has_gaps
                               ? fmt::format("ldmatrix.m8n16.x{}.b8x16.{}", f.registers(), narrow->ptx)
                               : fmt::format("ldmatrix.x{}", f.registers());
  return note("ldmatrix",
              fmt::format("{} brings {} from shared memory, its rows along K: matrix j is register j", form,
                          f.operand == Operand::a ? "A" : "B"),
              "", "PTX ISA 9.3, 9.7.14.5 (ldmatrix); CUTLASS 4.2, SM100_SU4_DU8x16 and SU6_DU8x16 (header)");
}

// Which k the columns of a sparse A and of its metadata are.
std::optional<Finding> kept_note(const Fragment& f) {
  if (f.kept == 0) return {};
  const std::string columns = f.kept == 1 ? "column c" : fmt::format("columns {0}c to {0}c+{1}", f.kept, f.kept - 1);
  const std::string_view what = f.operand == Operand::a ? "the elements kept"
                                : f.kept_of == 8        ? "the indices of the pairs kept"
                                                        : "the indices of the elements kept";
  return note("kept", fmt::format("{} are {} of k {}c to {}c+{}", columns, what, f.kept_of, f.kept_of, f.kept_of - 1),
              "",
              f.kept_of == 2 ? "PTX ISA 9.1, 9.7.14.6.1: index 0100 keeps the first, 1110 the second (documented)"
                             : "PTX ISA 9.1, 9.7.14.6.1 (documented)");
}

// Which threads a selector makes the instruction read.
std::optional<Finding> part_note(const Fragment& f) {
  if (f.parts == 1) return {};
  const bool is_metadata = f.operand == Operand::e;
  return note(
      "selected",
      fmt::format("only threads with {} are read: {} {}", part_rule(f), is_metadata ? "sparsity selector" : "thread-id",
                  f.part),
      fmt::format("other {} 0 to {} read the other threads", is_metadata ? "selectors" : "thread-ids", f.parts - 1),
      to_string(f.source));
}

Notes fragment_notes(const Fragment& f) {
  Notes notes{"notes"};
  for (auto& found : {kept_note(f), part_note(f), feed_note(f)})
    if (found) notes.add(*found);
  if (f.tiles > 1)
    notes.note("mmas",
               fmt::format("one instruction does {} MMAs: lanes 4q to 4q+3 and 16+4q to 16+4q+3 hold MMA q", f.tiles),
               "", doc);
  if (f.name.starts_with("ldmatrix") && f.rows < 32)
    notes.note("address-lanes",
               fmt::format("lanes 0-{} supply the row addresses; sm_75 wants a valid address from all 32", f.rows - 1),
               "", doc);
  if (const int bits = f.dtype.ends_with("b6x16_p32") ? 6 : f.dtype.ends_with("b4x16_p64") ? 4 : 0; bits != 0)
    notes.note("padding",
               fmt::format("a row in memory is 16 elements of {} bits, {} bytes, and {} bytes of padding", bits,
                           2 * bits, 16 - 2 * bits),
               "", doc);
  if (auto container = container_note(f)) notes.add(std::move(*container));
  return notes;
}

}  // namespace

Notes fragment_lints(const Fragment& f, const Target* target) {
  Notes lints{"lints"};
  if (lacks(target, f))
    lints.lint("target-lacks-instruction",
               fmt::format("{} has no {}{}", target->name, f.name, is_memory(f) ? "" : fmt::format(" of {}", f.dtype)),
               fmt::format("it exists on {}", to_string(f.availability)), to_string(f.source));
  return lints;
}

namespace {

// What only sparse and block-scaled MMAs have.
void add_selection(Document& d, const Fragment& f) {
  if (f.parts > 1)
    d.field("read_if", "read", part_rule(f),
            fmt::format("in {} of {} threads: {}", f.threads() / f.parts, f.threads(), part_rule(f)));
  if (f.kept > 0) d.json("kept", Json{f.kept, f.kept_of});
  if (f.block > 0) d.field("block", "scaled", f.block, fmt::format("each {} k have one scale factor", f.block));
}

}  // namespace

void add_facts(Document& d, const Fragment& f) {
  d.json("name", f.name).json("operand", to_string(f.operand));
  const std::string inside =
      f.value_width() == f.bits ? std::string()
                                : fmt::format(", the value in bits {}", range_text(f.value_first_bit, f.value_width()));
  d.field("dtype", "elements", f.dtype, fmt::format("{}, {} bits each in a register{}", f.dtype, f.bits, inside));
  d.json("bits", f.bits).json("value_bits", Json{f.value_first_bit, f.value_first_bit + f.value_width() - 1});
  d.json("rows", f.rows);
  d.field("columns", f.operand == Operand::tmem ? "window" : "matrix", f.columns,
          fmt::format("{}, {} x {}", operand_title(f), f.rows, f.columns));
  d.field("threads", "threads", f.threads());
  d.field("values", "values", f.values(), fmt::format("{} in each thread", f.values()));
  d.json("mmas", f.tiles);
  d.field("registers", "registers", f.registers(), registers_text(f));
  d.json("register_bits", f.register_bits());
  add_selection(d, f);
  d.field("row", std::string(row_word(f.operand)), row_rule(f));
  d.field("column", "column", column_rule(f));
  const std::string tv = to_string(tv_layout(f));
  const std::string index = tile_index_rule(f);
  d.answers = {"tv_layout"};
  d.field("tv_layout", "TV layout", tv, fmt::format("{}  (thread, value) -> {}", tv, index));
  d.json("tile_index", index);
  if (has_gap(f)) {
    d.field("inverse_layout", "inverse", nullptr, "not a layout: threads 16-31 do not follow threads 0-15");
  } else {
    const std::string inverse = to_string(inverse_layout(f));
    d.field("inverse_layout", "inverse", inverse,
            fmt::format("{}  {} -> thread{} + {} * value", inverse, index,
                        f.part == 0 ? "" : fmt::format(" - {}", f.part * (4 / f.parts)), f.threads()));
  }
  d.json("coordinates", coordinates_of(f)).json("slots", slots_of(f));
  d.json("address_lanes", address_lanes_of(f));
  d.field("availability", "exists on", to_string(f.availability));
  d.json("targets", targets_of(f)).json("evidence", to_string(f.source.evidence));
  d.field("source", "source", f.source.where, f.operand == Operand::tmem ? evidence_text(f.source) : "");
}

namespace {

std::string title_of(const Fragment& f) {
  return is_memory(f) ? f.name : fmt::format("{}  operand {}, {}", f.name, to_string(f.operand), f.dtype);
}

// ": 2 rows x 16 columns": where the values of a thread are, if they fill as many rows and columns.
std::string lines_text(const Fragment& f) {
  std::set<int> rows, columns;
  for (int value = 0; value < f.values(); ++value) {
    const Coordinate at = f.at(0, value);
    rows.insert(at.row);
    columns.insert(at.column);
  }
  if (std::ssize(rows) * std::ssize(columns) != f.values()) return "";
  return fmt::format(": {} x {}", plural(std::ssize(rows), "row"), plural(std::ssize(columns), "column"));
}

// "byte 2 of T2": where the first scale factor is, and those of all blocks of its row or column.
std::string first_factor(const Fragment& scales) {
  const int first = scales.first_bit / 8, count = scales.values();
  return fmt::format("{} {} of T{}", count == 1 ? "byte" : "bytes", range_text(first, count),
                     holders_of(scales, {0, 0}).front().thread);
}

// What a thread has of each operand: "a thread has 8 values of A, 4 of B, 4 of C and D".
// Of an MMA with scale factors, where these are.
std::string headline_of(const std::vector<Fragment>& fragments) {
  const auto sfa = std::ranges::find(fragments, Operand::sfa, &Fragment::operand),
             sfb = std::ranges::find(fragments, Operand::sfb, &Fragment::operand);
  if (fragments.size() > 1 && sfa != fragments.end() && sfb != fragments.end())
    return fmt::format("row 0 of A is scaled by {}, column 0 of B by {}", first_factor(*sfa), first_factor(*sfb));
  const bool has_c = std::ranges::find(fragments, Operand::c, &Fragment::operand) != fragments.end();
  std::string text;
  for (const Fragment& f : fragments) {
    if (f.operand == Operand::c && fragments.size() > 1) continue;
    const std::string what = is_memory(f)                       ? "each matrix row"
                             : f.operand == Operand::d && has_c ? "C and D"
                             : f.operand == Operand::tmem       ? "tensor memory"
                                                          : operand_title(f).substr(0, operand_title(f).find(" ("));
    text += text.empty() ? fmt::format("a thread has {} of {}", plural(f.values(), "value"), what)
                         : fmt::format(", {} of {}", f.values(), what);
  }
  constexpr int rows_of_one = 8;
  if (fragments.size() == 1 && fragments[0].operand == Operand::memory && fragments[0].columns == rows_of_one &&
      fragments[0].rows > rows_of_one && fragments[0].registers() * rows_of_one == fragments[0].rows)
    return "lane 8i + j gives row j of matrix i, which is in register ri";
  if (fragments.size() == 1 && is_memory(fragments[0]))
    return fmt::format("lanes 0-{} give the addresses of rows; each thread has {}", fragments[0].rows - 1,
                       plural(fragments[0].values(), "element"));
  if (fragments.size() == 1 && fragments[0].operand != Operand::tmem && fragments[0].values() > 1)
    text += lines_text(fragments[0]);
  return short_sentence(text);
}

// drawing null: fields and notes only.
Document fragment_view(const Fragment& f, const Target* target, const FragmentDrawing* drawing) {
  Document d(title_of(f));
  d.headline = headline_of({f});
  add_facts(d, f);
  if (drawing != nullptr) d.add(fragment_drawing({f}, *drawing));
  d.add(fragment_notes(f)).add(fragment_lints(f, target));
  return d;
}

// Adds what the members of the group have, one line each.
void add_operand_tables(Document& d, const std::vector<Fragment>& fragments) {
  const ColumnOf<Fragment> operand{"", "operand",
                                   [](const Fragment& f) { return Cell(to_string(f.operand), "", Tone::strong); }};
  d.add(table_of<Fragment>("", "", fragments,
                           {operand,
                            {"", "elements", [](const Fragment& f) { return f.dtype; }},
                            {"", "matrix", [](const Fragment& f) { return fmt::format("{} x {}", f.rows, f.columns); }},
                            {"", "values", &Fragment::values, Column::Align::right},
                            {"", "TV layout", [](const Fragment& f) { return to_string(tv_layout(f)); }}}));
  d.add(in_full(table_of<Fragment>("", "", fragments, {operand, {"", "row", row_rule}, {"", "column", column_rule}})));
}

}  // namespace

bool lacks(const Target* target, const Fragment& fragment) {
  return target != nullptr && !runs_on(fragment.availability, *target);
}

Document view_fragments(const std::vector<Fragment>& fragments, const Target* target, const FragmentDrawing& drawing) {
  const Fragment& first = fragments.front();
  Document d(fragments.size() > 1 ? fmt::format("{}  {}", first.name, first.dtype) : title_of(first));
  if (!drawing.query.empty()) {
    std::vector<Finding> findings = fragment_lints(first, target).findings;
    if (auto container = container_note(first)) findings.push_back(std::move(*container));
    return view_points(std::move(d), asked_points(drawing, fragments), fragment_drawing(fragments, drawing), findings);
  }
  if (fragments.size() == 1) return fragment_view(first, target, &drawing);
  d.json("name", first.name);
  d.headline = headline_of(fragments);
  d.answers = {"operands.operand.tv_layout"};
  add_operand_tables(d, fragments);
  d.add(in_full(Field{"", "exists on", nullptr, to_string(first.availability)}));
  d.add(in_full(Field{"", "source", nullptr, std::string(first.source.where)}));
  if (const auto scales = std::ranges::find(fragments, Operand::sfa, &Fragment::operand); scales != fragments.end())
    d.add(in_full(Field{"", "scale factors", nullptr, evidence_text(scales->source)}));
  d.add(fragment_drawing(fragments, drawing));
  Group operands{"operands", {}, false};
  for (const Fragment& f : fragments) operands.members.push_back(fragment_view(f, target, nullptr));
  d.add(std::move(operands)).add(fragment_lints(first, target));
  Notes notes = fragment_notes(first);
  notes.key.clear();
  return d.add(std::move(notes));
}

}  // namespace swz
