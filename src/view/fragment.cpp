#include "view/fragment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "fragment/fragment.hpp"
#include "view/fragment_figure.hpp"

namespace swz {

namespace {

std::string registers_text(const Fragment& f) {
  const int each = f.register_bits() / f.bits;
  std::string text = fmt::format("{} of {} bits", f.registers(), f.register_bits());
  if (each > 1) text += fmt::format(", {} values each, low bits first: V1 in {}", each, slot_text(f, 1));
  return text;
}

Json coordinates_of(const Fragment& f) {
  Json list = Json::array();
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      list.push_back({at.row, at.column});
    }
  return list;
}

Json slots_of(const Fragment& f) {
  Json list = Json::array();
  for (int value = 0; value < f.values(); ++value) list.push_back({f.slot(value).index, f.slot(value).first_bit});
  return list;
}

Json address_lanes_of(const Fragment& f) {
  if (!has_row_addresses(f)) return nullptr;
  Json list = Json::array();
  for (int row = 0; row < f.rows; ++row) list.push_back(row);
  return list;
}

Json targets_of(const Fragment& f) {
  Json list = Json::array();
  for (const Target& target : targets())
    if (runs_on(f.availability, target)) list.push_back(std::string(target.name));
  return list;
}

Notes notes_of(const Fragment& f) {
  Notes notes{"notes"};
  const std::string doc = "PTX ISA 9.1, 9.7.14.5 (documented)";
  if (f.tiles > 1)
    notes.add(
        note("mmas",
             fmt::format("one instruction does {} MMAs: lanes 4q to 4q+3 and 16+4q to 16+4q+3 hold MMA q", f.tiles),
             "", doc));
  if (f.name.starts_with("ldmatrix") && f.rows < 32)
    notes.add(note(
        "address-lanes",
        fmt::format("lanes 0-{} supply the row addresses; sm_75 wants a valid address from all 32", f.rows - 1), "",
        doc));
  if (f.dtype.ends_with("b6x16_p32"))
    notes.add(
        note("padding", "a row in memory is 16 elements of 6 bits, 12 bytes, and 4 bytes of padding", "", doc));
  if (f.dtype.ends_with("b4x16_p64"))
    notes.add(
        note("padding", "a row in memory is 16 elements of 4 bits, 8 bytes, and 8 bytes of padding", "", doc));
  return notes;
}

Notes lints_of(const Fragment& f, const Target* target) {
  Notes lints{"lints"};
  if (lacks(target, f))
    lints.add(lint("target-lacks-instruction",
                   fmt::format("{} has no {}{}", target->name, f.name,
                               f.operand == Operand::memory ? "" : fmt::format(" of {}", f.dtype)),
                   fmt::format("it exists on {}", to_string(f.availability)), to_string(f.source)));
  return lints;
}

// Of one fragment, without pictures and lints.
void add_facts(Document& d, const Fragment& f) {
  d.add(Field{"name", "", f.name});
  d.add(Field{"operand", "", std::string(to_string(f.operand))});
  d.add(Field{"dtype", "elements", f.dtype, fmt::format("{}, {} bits each in a register", f.dtype, f.bits)});
  d.add(Field{"bits", "", f.bits});
  d.add(Field{"rows", "", f.rows});
  d.add(Field{"columns", "matrix", f.columns, fmt::format("{}, {} x {}", operand_title(f), f.rows, f.columns)});
  d.add(Field{"threads", "threads", f.threads()});
  d.add(Field{"values", "values", f.values(), fmt::format("{} in each thread", f.values())});
  d.add(Field{"mmas", "", f.tiles});
  d.add(Field{"registers", "registers", f.registers(), registers_text(f)});
  d.add(Field{"register_bits", "", f.register_bits()});
  d.add(Field{"row", "row", row_rule(f)});
  d.add(Field{"column", "column", column_rule(f)});
  const std::string tv = to_string(tv_layout(f)), inverse = to_string(inverse_layout(f));
  const std::string index = tile_index_rule(f);
  d.add(Field{"tv_layout", "TV layout", tv, fmt::format("{}  (thread, value) -> {}", tv, index)});
  d.add(Field{"tile_index", "", index});
  d.add(Field{"inverse_layout", "inverse", inverse,
              fmt::format("{}  {} -> thread + {} * value", inverse, index, f.threads())});
  d.add(Field{"coordinates", "", coordinates_of(f)});
  d.add(Field{"slots", "", slots_of(f)});
  d.add(Field{"address_lanes", "", address_lanes_of(f)});
  d.add(Field{"availability", "exists on", to_string(f.availability)});
  d.add(Field{"targets", "", targets_of(f)});
  d.add(Field{"evidence", "", std::string(to_string(f.source.evidence))});
  d.add(Field{"source", "source", std::string(f.source.where)});
}

// The title of a panel that shows a part says so; this says how to see the rest.
Drawing drawing_of(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing) {
  return {[fragments, drawing](Medium medium) {
    FragmentDrawing drawn = drawing;
    if (medium == Medium::page) drawn.extent = FragmentDrawing::Extent::whole;
    Document d;
    d.add(fragments.size() == 1 ? figure_of(fragments.front(), drawn) : figure_of(fragments, drawn));
    if (std::ranges::any_of(fragments, [&](const Fragment& f) { return is_cut(f, drawn); }))
      d.add(Paragraph{"--table draws all of it", Tone::faint});
    return d;
  }};
}

// drawing null: fields and notes only.
Document view(const Fragment& f, const Target* target, const FragmentDrawing* drawing) {
  const bool in_memory = f.operand == Operand::memory;
  Document d(in_memory ? f.name : fmt::format("{}  operand {}, {}", f.name, to_string(f.operand), f.dtype));
  add_facts(d, f);
  if (drawing != nullptr) d.add(drawing_of({f}, *drawing));
  d.add(notes_of(f)).add(lints_of(f, target));
  return d;
}

// What the members of the group say, one line each.
Table operand_table(const std::vector<Fragment>& fragments) {
  Table table{
      "",
      "",
      {{"", "operand"}, {"", "elements"}, {"", "matrix"}, {"", "values", Column::Align::right}, {"", "TV layout"}},
      {}};
  for (const Fragment& f : fragments)
    table.rows.push_back({{std::string(to_string(f.operand)), "", Tone::strong},
                          {f.dtype},
                          {fmt::format("{} x {}", f.rows, f.columns)},
                          {f.values()},
                          {to_string(tv_layout(f))}});
  return table;
}

Table rule_table(const std::vector<Fragment>& fragments) {
  Table table{"", "", {{"", "operand"}, {"", "row"}, {"", "column"}}, {}};
  for (const Fragment& f : fragments)
    table.rows.push_back({{std::string(to_string(f.operand)), "", Tone::strong}, {row_rule(f)}, {column_rule(f)}});
  return table;
}

}  // namespace

bool lacks(const Target* target, const Fragment& fragment) {
  return target != nullptr && !runs_on(fragment.availability, *target);
}

std::vector<HighlightKind> highlight_kinds(const std::vector<Fragment>& fragments) {
  int rows = 0, columns = 0, threads = 0, values = 0, registers = 0;
  for (const Fragment& f : fragments) {
    rows = std::max(rows, f.rows);
    columns = std::max(columns, f.columns);
    threads = std::max(threads, f.threads());
    values = std::max(values, f.values());
    registers = std::max(registers, f.registers());
  }
  return {{"rows", rows},       {"columns", columns}, {"lanes", std::min(threads, 32)},
          {"threads", threads}, {"values", values},   {"registers", registers}};
}

Document view_fragments(const std::vector<Fragment>& fragments, const Target* target,
                        const FragmentDrawing& drawing) {
  if (fragments.size() == 1) return view(fragments.front(), target, &drawing);
  const Fragment& first = fragments.front();
  Document d(fmt::format("{}  {}", first.name, first.dtype));
  d.add(Field{"name", "", first.name});
  d.add(operand_table(fragments)).add(rule_table(fragments));
  d.add(Field{"", "exists on", to_string(first.availability)});
  d.add(Field{"", "source", std::string(first.source.where)});
  d.add(drawing_of(fragments, drawing));
  Group operands{"operands", {}, false};
  for (const Fragment& f : fragments) operands.members.push_back(view(f, target, nullptr));
  d.add(std::move(operands)).add(lints_of(first, target));
  if (first.tiles > 1) {
    Notes notes = notes_of(first);
    notes.key.clear();
    d.add(std::move(notes));
  }
  return d;
}

}  // namespace swz
