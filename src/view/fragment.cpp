#include "view/fragment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/fragment.hpp"

namespace swz {

namespace {

// ---- fragments

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

Notes fragment_notes(const Fragment& f) {
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

Notes fragment_lints(const Fragment& f, const Target* target) {
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
  d.json("name", f.name).json("operand", to_string(f.operand));
  d.field("dtype", "elements", f.dtype, fmt::format("{}, {} bits each in a register", f.dtype, f.bits));
  d.json("bits", f.bits).json("rows", f.rows);
  d.field("columns", "matrix", f.columns, fmt::format("{}, {} x {}", operand_title(f), f.rows, f.columns));
  d.field("threads", "threads", f.threads());
  d.field("values", "values", f.values(), fmt::format("{} in each thread", f.values()));
  d.json("mmas", f.tiles);
  d.field("registers", "registers", f.registers(), registers_text(f));
  d.json("register_bits", f.register_bits());
  d.field("row", "row", row_rule(f));
  d.field("column", "column", column_rule(f));
  const std::string tv = to_string(tv_layout(f)), inverse = to_string(inverse_layout(f));
  const std::string index = tile_index_rule(f);
  d.field("tv_layout", "TV layout", tv, fmt::format("{}  (thread, value) -> {}", tv, index));
  d.json("tile_index", index);
  d.field("inverse_layout", "inverse", inverse,
          fmt::format("{}  {} -> thread + {} * value", inverse, index, f.threads()));
  d.json("coordinates", coordinates_of(f)).json("slots", slots_of(f));
  d.json("address_lanes", address_lanes_of(f));
  d.field("availability", "exists on", to_string(f.availability));
  d.json("targets", targets_of(f)).json("evidence", to_string(f.source.evidence));
  d.field("source", "source", f.source.where);
}

// The title of a panel that shows a part says so; this says how to see the rest.
Drawing drawing_of(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing) {
  return {[fragments, drawing](Medium medium) {
    FragmentDrawing drawn = drawing;
    if (medium == Medium::page) drawn.extent = FragmentDrawing::Extent::whole;
    Document d;
    d.add(fragments.size() == 1 ? fragment_figure(fragments.front(), drawn) : fragment_figure(fragments, drawn));
    if (std::ranges::any_of(fragments, [&](const Fragment& f) { return is_cut(f, drawn); }))
      d.add(Paragraph{"--table draws all of it", Tone::faint});
    return d;
  }};
}

// drawing null: fields and notes only.
Document fragment_view(const Fragment& f, const Target* target, const FragmentDrawing* drawing) {
  const bool in_memory = f.operand == Operand::memory;
  Document d(in_memory ? f.name : fmt::format("{}  operand {}, {}", f.name, to_string(f.operand), f.dtype));
  add_facts(d, f);
  if (drawing != nullptr) d.add(drawing_of({f}, *drawing));
  d.add(fragment_notes(f)).add(fragment_lints(f, target));
  return d;
}

// What the members of the group say, one line each.
void add_operand_tables(Document& d, const std::vector<Fragment>& fragments) {
  const ColumnOf<Fragment> operand{"", "operand",
                                   [](const Fragment& f) { return Cell(to_string(f.operand), "", Tone::strong); }};
  d.add(table_of<Fragment>(
      "", "", fragments,
      {operand,
       {"", "elements", [](const Fragment& f) { return f.dtype; }},
       {"", "matrix", [](const Fragment& f) { return fmt::format("{} x {}", f.rows, f.columns); }},
       {"", "values", &Fragment::values, Column::Align::right},
       {"", "TV layout", [](const Fragment& f) { return to_string(tv_layout(f)); }}}));
  d.add(table_of<Fragment>("", "", fragments, {operand, {"", "row", row_rule}, {"", "column", column_rule}}));
}

// ---- the list

using enum InstructionFamily;

constexpr InstructionFamily families[] = {ldmatrix, stmatrix, movmatrix, mma, wgmma};

struct ListedFragment {
  InstructionFamily family;
  std::string name;
  std::vector<std::string_view> operands;
  Cell types, accumulators, n;
  int bits;
  Availability availability;
  Source source;
};

std::vector<ListedFragment> listed_fragments(InstructionFamily family) {
  using Names = std::vector<std::string_view>;
  std::vector<ListedFragment> rows;
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != family) continue;
    const bool is_wgmma = family == wgmma;
    rows.push_back(
        {family, is_wgmma ? fmt::format("wgmma.m{}nNk{}", row.m, row.k) : shape_name(row, row.n[0].first),
         is_wgmma ? Names{"a", "d"} : Names{"a", "b", "c", "d"}, name_list(row.types), name_list(row.accumulators),
         is_wgmma ? Cell(to_string(row.n)) : Cell(nullptr), row.bits, row.availability, row.source});
  }
  if (!rows.empty()) return rows;
  for (const std::string& name : fragment_names(family)) {
    const Fragment f = find_fragment({.name = name});
    rows.push_back({family, name, family == movmatrix ? Names{"a", "d"} : Names{"memory"},
                    name_list(Names{f.dtype}), name_list(Names{}), nullptr, f.bits, f.availability, f.source});
  }
  return rows;
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
  if (fragments.size() == 1) return fragment_view(fragments.front(), target, &drawing);
  const Fragment& first = fragments.front();
  Document d(fmt::format("{}  {}", first.name, first.dtype));
  d.json("name", first.name);
  add_operand_tables(d, fragments);
  d.line("exists on", to_string(first.availability)).line("source", std::string(first.source.where));
  d.add(drawing_of(fragments, drawing));
  Group operands{"operands", {}, false};
  for (const Fragment& f : fragments) operands.members.push_back(fragment_view(f, target, nullptr));
  d.add(std::move(operands)).add(fragment_lints(first, target));
  if (first.tiles > 1) {
    Notes notes = fragment_notes(first);
    notes.key.clear();
    d.add(std::move(notes));
  }
  return d;
}

Document view_fragment_list(std::string_view family) {
  std::vector<std::string> known;
  for (const InstructionFamily one : families) known.emplace_back(to_string(one));
  if (!family.empty() && std::ranges::find(known, family) == known.end())
    throw Error(fmt::format("{} is not a family of instructions", quoted(family)),
                did_you_mean(family, known, "families: " + join_and(known)));
  std::vector<ListedFragment> rows;
  for (const InstructionFamily one : families)
    if (family.empty() || to_string(one) == family)
      std::ranges::copy(listed_fragments(one), std::back_inserter(rows));
  using Row = ListedFragment;
  return Document().add(
      table_of<Row>("fragments", "", rows,
                    {{"name", "name", [](const Row& row) { return Cell(row.name, "", Tone::strong); }},
                     {"family", "", [](const Row& row) { return to_string(row.family); }},
                     {"operands", "operands", [](const Row& row) { return name_list(row.operands); }},
                     {"dtypes", "elements", &Row::types},
                     {"accumulators", "into", &Row::accumulators},
                     {"n", "N", &Row::n},
                     {"bits", "bits", &Row::bits, Column::Align::right},
                     {"availability", "exists on", [](const Row& row) { return to_string(row.availability); }},
                     {"evidence", "", [](const Row& row) { return to_string(row.source.evidence); }},
                     {"source", "", [](const Row& row) { return row.source.where; }}}));
}

}  // namespace swz
