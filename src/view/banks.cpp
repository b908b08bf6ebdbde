#include "view/banks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "view/banks_lanes.hpp"

namespace swz {

namespace {

using enum Column::Align;

WavefrontTotal sums_of(const std::vector<Walk>& walks) {
  WavefrontTotal sums;
  for (const Walk& w : walks) {
    sums.wavefronts += w.wavefronts;
    sums.ideal += w.ideal;
  }
  return sums;
}
WavefrontTotal sums_of(const RawBanksReport& r) { return {r.report.count.wavefronts, r.report.count.ideal}; }

std::int64_t bytes_of(const Placement& p) { return p.end().count - p.begin().count; }

// The walk whose worst instruction has the largest excess.
const Walk& worst_walk(const WalkedOperand& o) {
  return *std::ranges::max_element(o.walks, {}, [](const Walk& w) { return w.steps[w.worst].count.excess(); });
}

// Where the first lane of an instruction begins.
TileCoordinate start_of(const WalkStep& step, const WalkedOperand& o) {
  return coordinate(step, std::countr_zero(step.pattern.lanes()), o.operand.placement);
}

std::string worst_start(const Walk& w, const WalkedOperand& o) {
  const TileCoordinate at = start_of(w.steps[w.worst], o);
  return fmt::format("({},{})", at.row, at.k);
}

Cell excess_cell(std::int64_t excess) { return {excess, "", excess == 0 ? Tone::good : Tone::bad}; }

std::string ways_text(const Walk& w) {
  return w.excess() == 0 || w.ways() <= 1 ? "none" : fmt::format("{}-way", w.ways());
}

Json each_of(const Walk& w, const WalkedOperand& o) {
  Json each = Json::array();
  for (const WalkStep& step : w.steps) {
    const TileCoordinate at = start_of(step, o);
    each.push_back(
        {{"row", at.row}, {"k", at.k}, {"wavefronts", step.count.wavefronts}, {"ideal", step.count.ideal}});
  }
  return each;
}

// One row for each walk; with_each: JSON has every instruction too.
Table walk_table(const WalkedOperand& o, const Target& target, bool with_each) {
  const auto ways = [&](const Walk& w) {
    return Cell(w.ways(), w.excess() == 0 ? "none" : fmt::format("{} at {}", ways_text(w), worst_start(w, o)));
  };
  const auto evidence = [&](const Walk& w) {
    return to_string(wavefront_source(*w.access.instruction, target).evidence);
  };
  std::vector<ColumnOf<Walk>> columns{
      {"access", "access", [](const Walk& w) { return Cell(to_string(w.access), "", Tone::strong); }},
      {"instructions", "instructions", [](const Walk& w) { return w.steps.size(); }, right},
      {"wavefronts", "wavefronts", &Walk::wavefronts, right},
      {"ideal", "ideal", &Walk::ideal, right},
      {"excess", "excess", [](const Walk& w) { return excess_cell(w.excess()); }, right},
      {"ways", "conflict", ways},
      {"pairing", "", &Walk::pairing_steps},
      {"evidence", "", evidence}};
  if (with_each) columns.push_back({"each", "", [&](const Walk& w) { return each_of(w, o); }});
  return table_of<Walk>("accesses", "", o.walks, columns);
}

// Text only; JSON has the variants in full.
Table comparison(const BanksReport& report) {
  Table table{"",
              "side by side",
              {{"", "variant"},
               {"", "access"},
               {"", "wavefronts", right},
               {"", "ideal", right},
               {"", "excess", right},
               {"", "conflict"},
               {"", "bytes", right}},
              {}};
  for (const WalkedOperand& v : report.variants)
    for (const Walk& w : v.walks) {
      const bool is_first = &w == &v.walks.front();
      table.rows.push_back({is_first ? v.operand.name : "", to_string(w.access), w.wavefronts, w.ideal,
                            excess_cell(w.excess()), ways_text(w),
                            is_first ? Cell(bytes_of(v.operand.placement)) : Cell(nullptr, " ")});
    }
  return table;
}

void add_variants(Document& d, const BanksReport& report) {
  Group variants{"compare", {}, false};
  for (std::size_t i = 1; i < report.variants.size(); ++i) {
    const WalkedOperand& v = report.variants[i];
    const WavefrontTotal sums = sums_of(v.walks);
    Document& member = variants.members.emplace_back();
    member.json("name", v.operand.name).json("layout", to_string(v.operand.layout));
    member.json("bytes", bytes_of(v.operand.placement));
    member.json("wavefronts", sums.wavefronts).json("ideal", sums.ideal).json("excess", sums.excess());
    member.add(walk_table(v, *report.target, false));
  }
  if (report.variants.size() > 1) d.add(comparison(report));
  d.add(std::move(variants));
}

ShownInstruction worst_instruction(const BanksReport& report, const WalkedOperand& o) {
  const Walk& w = worst_walk(o);
  const WalkStep& step = w.steps[w.worst];
  ShownInstruction shown{
      to_string(w.access), w.worst, w.steps.size(), wavefront_report(step.pattern, *report.target), {}};
  for (int lane = 0; lane < warp_lanes; ++lane)
    shown.coordinates.push_back(coordinate(step, lane, o.operand.placement));
  return shown;
}

Notes bank_lints(const BanksReport& report) {
  Notes lints{"lints", report.impossible};
  const WalkedOperand& o = report.variants.front();
  for (const Walk& w : o.walks) {
    add_target_lint(lints, *w.access.instruction, *report.target);
    add_element_lint(lints, *w.access.instruction, *report.dtype, o.operand.placement.element_bits());
    if (w.excess() == 0) continue;
    lints.add(conflict_lint(
        {to_string(w.access),
         {w.wavefronts, w.ideal},
         w.ways(),
         " at " + worst_start(w, o),
         report.variants.size() > 1 ? "" : "--compare 'linear;Sw<3,4,3>;pad 16' shows other placements",
         wavefront_source(*w.access.instruction, *report.target)}));
  }
  return lints;
}

Notes bank_notes(const BanksReport& report) {
  Notes notes{"notes"};
  for (const Walk& w : report.variants.front().walks) {
    const AccessInstruction& i = *w.access.instruction;
    add_evidence_note(notes, i, *report.target);
    if (w.pairing_steps != 0)
      notes.add(
          note("pairing", fmt::format("{}: {} of {} instructions pair: neighbouring lanes give the same address, "
                                      "and two groups of {} are served as one",
                                      to_string(w.access), w.pairing_steps, w.steps.size(), i.group_lanes)));
  }
  const auto is_core_matrices = [](const WalkedOperand& v) {
    return v.operand.tile && v.operand.tile->swizzle().family == SwizzleFamily::none;
  };
  if (std::ranges::any_of(report.variants, is_core_matrices))
    notes.add(note("mode-none",
                   "mode none stores core matrices: 8 rows of 16 B, one after the other, as MMAs read them",
                   "--compare linear: line after line, without a swizzle"));
  add_counter_notes(notes);
  return notes;
}

// ---- raw addresses

Notes bank_lints(const RawBanksReport& r) {
  Notes lints{"lints"};
  const AccessInstruction& i = *r.report.pattern.instruction;
  add_target_lint(lints, i, *r.target);
  if (i.is_matrix() && r.report.pattern.active != 0xffffffff && r.given == warp_lanes)
    lints.add(lint(
        "aligned-instruction",
        fmt::format("{} is .aligned: the result is undefined unless every lane of the warp executes it", i.name),
        "counted here as if the inactive lanes gave no address"));
  if (sums_of(r).excess() > 0)
    lints.add(conflict_lint({std::string(i.name), sums_of(r), r.report.count.ways(), "",
                             "a swizzle or padding moves the words of one bank apart", r.report.source}));
  return lints;
}

Notes bank_notes(const RawBanksReport& r) {
  Notes notes{"notes"};
  const AccessPattern& p = r.report.pattern;
  add_evidence_note(notes, *p.instruction, *r.target);
  if (p.lanes() == 0)
    notes.add(note("no-active-lane", "no lane is active: the instruction takes 1 wavefront all the same"));
  else if (!r.report.pairing.empty()) notes.add(note("pairing", r.report.pairing));
  if (r.given > p.instruction->addresses)
    notes.add(note("ignored-lanes", fmt::format("{} takes the addresses of lanes 0-{}; the others are ignored",
                                                p.instruction->name, p.instruction->addresses - 1)));
  else if (r.given < p.instruction->addresses)
    notes.add(note("inactive-lanes", fmt::format("{} addresses are given; the other lanes are inactive", r.given)));
  add_counter_notes(notes);
  return notes;
}

}  // namespace

Document view_banks(const BanksReport& report) {
  const WalkedOperand& front = report.variants.front();
  const Placement& p = front.operand.placement;
  Document d(placement_title(*report.dtype, front.operand, front.operand.name));
  add_sums(d, *report.target, sums_of(front.walks));
  d.json("operand", {{"dtype", report.dtype->name},
                     {"element_bits", p.element_bits()},
                     {"mn", p.extents().mn},
                     {"k", p.extents().k},
                     {"major", to_string(p.major())},
                     {"name", front.operand.name},
                     {"layout", to_string(front.operand.layout)},
                     {"begin", p.begin().count},
                     {"end", p.end().count}});
  d.add(walk_table(front, *report.target, true));
  add_variants(d, report);
  add_instruction(d, worst_instruction(report, front));
  std::vector<BanksPanel> panels;
  for (const WalkedOperand& v : report.variants) {
    const ShownInstruction s = worst_instruction(report, v);
    const std::string name = report.variants.size() > 1 ? v.operand.name + ": " : "";
    panels.push_back(
        {fmt::format("{}{}, {}", name, s.access, plural(s.report.count.wavefronts, "wavefront")), s.report});
  }
  d.add(drawing([panels = std::move(panels)] { return banks_figure(panels); }));
  std::vector<CountedAccess> counted;
  for (const Walk& w : front.walks)
    counted.push_back({w.access.instruction, std::ssize(w.steps), {w.wavefronts, w.ideal}});
  add_counters(d, counted);
  return d.add(bank_notes(report)).add(bank_lints(report));
}

Document view_banks(const RawBanksReport& report) {
  const AccessInstruction& i = *report.report.pattern.instruction;
  const WavefrontTotal sums = sums_of(report);
  Document d(fmt::format("{}, {} active lanes", i.name, std::popcount(report.report.pattern.lanes())));
  add_sums(d, *report.target, sums);
  d.json("operand", nullptr);
  d.json("accesses", Json::array({Json{{"access", i.name},
                                       {"instructions", 1},
                                       {"wavefronts", sums.wavefronts},
                                       {"ideal", sums.ideal},
                                       {"excess", sums.excess()},
                                       {"ways", report.report.count.ways()},
                                       {"pairing", report.report.count.pairs != 0 ? 1 : 0},
                                       {"evidence", to_string(report.report.source.evidence)}}}));
  d.json("compare", Json::array());
  add_instruction(d, {std::string(i.name), 0, 1, report.report, {}});
  if (report.report.pattern.lanes() != 0)
    d.add(drawing([panel = BanksPanel{"shared memory", report.report}] { return banks_figure({panel}); }));
  add_counters(d, {{&i, 1, sums}});
  return d.add(bank_notes(report)).add(bank_lints(report));
}

Document view_access_list() {
  using Row = AccessInstruction;
  Document d("accesses to shared memory");
  d.add(
      table_of<Row>("instructions", "", access_instructions(),
                    {{"name", "access", [](const Row& i) { return Cell(i.name, "", Tone::strong); }},
                     {"bytes", "bytes", &Row::bytes, right},
                     {"addresses", "addresses", &Row::addresses, right},
                     {"group_lanes", "lanes a group", &Row::group_lanes, right},
                     {"may_pair", "pairs", [](const Row& i) { return Cell(i.may_pair, i.may_pair ? "yes" : ""); }},
                     {"exists_on", "exists on", [](const Row& i) { return to_string(i.availability); }},
                     {"evidence", "evidence", [](const Row& i) { return to_string(i.source.evidence); }},
                     {"source", "", [](const Row& i) { return i.source.where; }}}));
  Table orders{"orders",
               "orders of ld.shared, st.shared and cp.async: 'st.shared.b128 columns'",
               {{"name", "order"}, {"what", "lanes go"}},
               {{Cell("rows", "", Tone::strong), "along k first, then the next row (default)"},
                {Cell("columns", "", Tone::strong), "along the rows first, then the next k"},
                {Cell("gmem", "", Tone::strong),
                 "along 128 contiguous bytes of a line, then the next line (default of cp.async)"},
                {Cell("tv", "", Tone::strong), "as the layout of --tv says: (thread, value) -> row + k * rows"}}};
  d.add(std::move(orders));
  d.add(Paragraph{
      "Without a width (ld.shared, st.shared): the widest that the operand allows. 'transpose' is st.shared "
      "rows and ld.shared columns, an element a lane. ldmatrix and stmatrix walk the operand as a loop of "
      "MMAs: x4 takes 2 x 2 matrices of 8 rows x 16 bytes, down the rows, then along k."});
  return d;
}

}  // namespace swz
