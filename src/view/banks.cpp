#include "view/banks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "view/banks_figure.hpp"
#include "view/banks_parts.hpp"

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

std::string title_of(const BanksReport& report) {
  const PlacedOperand& o = report.variants.front().operand;
  std::string title = fmt::format("{} {} {}, {}", report.dtype->name, to_string(o.placement.extents()),
                                  to_string(o.placement.major()), o.name);
  if (o.tile && o.tile->atoms() != TileExtents{1, 1}) title += fmt::format(", {}", to_string(o.tile->order()));
  if (o.base.count != 0) title += fmt::format(", at {:#x}", o.base.count);
  return title;
}

// The walk whose worst instruction has the largest excess.
std::size_t worst_walk(const std::vector<Walk>& walks) {
  std::size_t worst = 0;
  const auto excess = [&](std::size_t i) { return walks[i].steps[walks[i].worst].count.excess(); };
  for (std::size_t i = 1; i < walks.size(); ++i)
    if (excess(i) > excess(worst)) worst = i;
  return worst;
}

std::string at_text(TileCoordinate at) { return fmt::format("({},{})", at.row, at.k); }

int first_lane(const WalkStep& step) { return std::countr_zero(step.pattern.lanes()); }

Cell excess_cell(std::int64_t excess) { return {excess, "", excess == 0 ? Tone::good : Tone::bad}; }

std::string ways_text(int ways) { return ways <= 1 ? "none" : fmt::format("{}-way", ways); }

Json each_of(const Walk& w, const Placement& p) {
  Json each = Json::array();
  for (const WalkStep& step : w.steps) {
    const TileCoordinate at = coordinate(step, first_lane(step), p);
    each.push_back(
        Json{{"row", at.row}, {"k", at.k}, {"wavefronts", step.count.wavefronts}, {"ideal", step.count.ideal}});
  }
  return each;
}

// One row for each walk; with_each: JSON has every instruction too.
Table walk_table(const WalkedOperand& o, const Target& target, bool with_each) {
  Table table{"accesses",
              "",
              {{"access", "access"},
               {"instructions", "instructions", right},
               {"wavefronts", "wavefronts", right},
               {"ideal", "ideal", right},
               {"excess", "excess", right},
               {"ways", "conflict"},
               {"pairing", ""},
               {"evidence", ""}},
              {}};
  if (with_each) table.columns.push_back({"each", ""});
  for (const Walk& w : o.walks) {
    const WalkStep& worst = w.steps[w.worst];
    const TileCoordinate at = coordinate(worst, first_lane(worst), o.operand.placement);
    table.rows.push_back(
        {{to_string(w.access), "", Tone::strong},
         {w.steps.size()},
         {w.wavefronts},
         {w.ideal},
         excess_cell(w.excess()),
         {w.ways(), w.excess() == 0 ? "none" : fmt::format("{} at {}", ways_text(w.ways()), at_text(at))},
         {w.pairing_steps},
         {std::string(to_string(wavefront_source(*w.access.instruction, target).evidence))}});
    if (with_each) table.rows.back().push_back({each_of(w, o.operand.placement)});
  }
  return table;
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
      const Placement& p = v.operand.placement;
      table.rows.push_back({{is_first ? v.operand.name : ""},
                            {to_string(w.access)},
                            {w.wavefronts},
                            {w.ideal},
                            excess_cell(w.excess()),
                            {ways_text(w.excess() == 0 ? 1 : w.ways())},
                            {is_first ? Json(p.end().count - p.begin().count) : Json(), is_first ? "" : " "}});
    }
  return table;
}

void add_variants(Document& d, const BanksReport& report) {
  Group variants{"compare", {}, false};
  for (std::size_t i = 1; i < report.variants.size(); ++i) {
    const WalkedOperand& v = report.variants[i];
    Document& member = variants.members.emplace_back();
    const WavefrontTotal sums = sums_of(v.walks);
    member.add(Field{"name", "", v.operand.name});
    member.add(Field{"layout", "", to_string(v.operand.layout)});
    member.add(Field{"bytes", "", v.operand.placement.end().count - v.operand.placement.begin().count});
    member.add(Field{"wavefronts", "", sums.wavefronts});
    member.add(Field{"ideal", "", sums.ideal});
    member.add(Field{"excess", "", sums.excess()});
    member.add(walk_table(v, *report.target, false));
  }
  if (report.variants.size() > 1) d.add(comparison(report));
  d.add(std::move(variants));
}

Shown shown_of(const BanksReport& report, const WalkedOperand& o) {
  const Walk& w = o.walks[worst_walk(o.walks)];
  const WalkStep& step = w.steps[w.worst];
  Shown shown{to_string(w.access), w.worst, w.steps.size(), wavefront_report(step.pattern, *report.target), {}};
  for (int lane = 0; lane < warp_lanes; ++lane)
    shown.coordinates.push_back(coordinate(step, lane, o.operand.placement));
  return shown;
}

std::vector<CountedAccess> counted(const std::vector<Walk>& walks) {
  std::vector<CountedAccess> out;
  for (const Walk& w : walks)
    out.push_back({w.access.instruction, static_cast<std::int64_t>(w.steps.size()), {w.wavefronts, w.ideal}});
  return out;
}

Notes lints_of(const BanksReport& report) {
  Notes lints{"lints"};
  const WalkedOperand& o = report.variants.front();
  for (const BanksReport::Impossible& i : report.impossible)
    lints.add(lint("impossible-variant", fmt::format("{}: {}", i.name, i.message), i.hint));
  for (const Walk& w : o.walks) {
    add_target_lint(lints, *w.access.instruction, *report.target);
    add_element_lint(lints, *w.access.instruction, *report.dtype, o.operand.placement.element_bits());
    if (w.excess() == 0) continue;
    const WalkStep& worst = w.steps[w.worst];
    add_conflict_lint(
        lints, {to_string(w.access),
                {w.wavefronts, w.ideal},
                w.ways(),
                fmt::format(" at {}", at_text(coordinate(worst, first_lane(worst), o.operand.placement))),
                report.variants.size() > 1 ? "" : "--compare 'linear;Sw<3,4,3>;pad 16' shows other placements",
                wavefront_source(*w.access.instruction, *report.target)});
  }
  return lints;
}

Notes notes_of(const BanksReport& report) {
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

}  // namespace

bool has_lints(const BanksReport& report) { return !lints_of(report).findings.empty(); }

Document view_banks(const BanksReport& report) {
  const WalkedOperand& front = report.variants.front();
  const Placement& p = front.operand.placement;
  Document d(title_of(report));
  add_sums(d, *report.target, sums_of(front.walks));
  d.add(Field{"operand", "",
              Json{{"dtype", std::string(report.dtype->name)},
                   {"element_bits", p.element_bits()},
                   {"mn", p.extents().mn},
                   {"k", p.extents().k},
                   {"major", std::string(to_string(p.major()))},
                   {"name", front.operand.name},
                   {"layout", to_string(front.operand.layout)},
                   {"begin", p.begin().count},
                   {"end", p.end().count}}});
  d.add(walk_table(front, *report.target, true));
  add_variants(d, report);
  const Shown shown = shown_of(report, front);
  add_shown(d, shown);
  std::vector<BanksPanel> panels;
  for (const WalkedOperand& v : report.variants) {
    const Shown s = shown_of(report, v);
    const std::string name = report.variants.size() > 1 ? v.operand.name + ": " : "";
    panels.push_back(
        {fmt::format("{}{}, {}", name, s.access, plural(s.report.count.wavefronts, "wavefront")), s.report});
  }
  d.add(drawing([panels = std::move(panels)] { return banks_figure(panels); }));
  add_counters(d, counted(front.walks));
  return d.add(notes_of(report)).add(lints_of(report));
}

}  // namespace swz
