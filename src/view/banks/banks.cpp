// SPDX-License-Identifier: Apache-2.0
#include "view/banks/banks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/text.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

using enum Column::Align;

Cell excess_cell(std::int64_t excess) { return {excess, "", excess == 0 ? Tone::good : Tone::bad}; }

std::string ways_text(const CountedAccess& a) {
  return a.sums.excess() == 0 || a.ways <= 1 ? "none" : fmt::format("{}-way", a.ways);
}

WavefrontTotal sum_of(const std::vector<CountedAccess>& accesses) {
  WavefrontTotal sum;
  for (const CountedAccess& a : accesses) sum += a.sums;
  return sum;
}

// "up to 32 lanes share a word and take turns, 1 if the warp combines them"
std::string contention_text(const std::vector<CountedAccess>& accesses) {
  int sharing = 0;
  std::int64_t combined = 0, wavefronts = 0;
  for (const CountedAccess& a : accesses) {
    sharing = std::max(sharing, a.sharing);
    wavefronts += a.sums.wavefronts;
    combined += a.has_contention() ? a.combined : a.sums.wavefronts;
  }
  return fmt::format("up to {} lanes share a word and take turns, {}{} if the warp combines them", sharing, combined,
                     combined == wavefronts ? " also" : "");
}

// What takes the wavefronts of one atomic: "lanes 1-3 share a word, and bank 0 has 3 words".
std::string sharing_text(const WavefrontReport& report) {
  const WordUse* shared = nullptr;
  const BankUse* crowded = nullptr;  // it takes as many wavefronts, for other words
  for (const WavefrontGroup& group : report.groups)
    for (const BankUse& bank : group.banks) {
      int lanes = 0;
      for (const WordUse& word : bank.words) {
        lanes += std::popcount(word.lanes);
        if (shared == nullptr || std::popcount(word.lanes) > std::popcount(shared->lanes)) shared = &word;
      }
      const bool is_full = lanes * report.pattern.instruction->lane_passes >= group.passes;
      if (bank.words.size() > 1 && is_full && crowded == nullptr) crowded = &bank;
    }
  const std::string others =
      crowded == nullptr ? "" : fmt::format(", and bank {} has {} words", crowded->bank, crowded->words.size());
  return fmt::format("lanes {} share a word{}", lanes_text(shared->lanes), others);
}

// What the number of wavefronts means, in one line. `linear`: for core matrices, the same accesses line after line.
std::string verdict_text(const WavefrontTotal& sums, const std::vector<CountedAccess>& accesses,
                         const std::optional<WavefrontTotal>& linear) {
  const bool is_ideal = sums.excess() == 0, waits = std::ranges::any_of(accesses, &CountedAccess::has_contention);
  std::string text = fmt::format("{}", sums.wavefronts);
  if (!is_ideal) text += fmt::format(" where {} would do: {} too many", sums.ideal, sums.excess());
  else if (!waits) text += ", the ideal: no bank conflict";
  if (is_ideal && linear)
    text += fmt::format(" in core matrices (mode none); line after line it takes {}", linear->wavefronts);
  return waits ? text + (is_ideal ? ": " : "; ") + contention_text(accesses) : text;
}

// The same as a sentence. Of one access that takes the same number each time: "no bank conflict: 32 ldmatrix.x4 take 4
// wavefronts each".
std::string sentence_of(const std::string& verdict, const WavefrontTotal& sums,
                        const std::vector<CountedAccess>& accesses) {
  const CountedAccess& a = accesses.front();
  const bool is_even = accesses.size() == 1 && a.instructions > 1 && sums.wavefronts % a.instructions == 0;
  if (is_even && sums.excess() == 0 && !a.has_contention())
    return fmt::format("no bank conflict: {} {} take {} each", a.instructions, a.name,
                       plural(sums.wavefronts / a.instructions, "wavefront"));
  return short_sentence(fmt::format("{}{}", plural(sums.wavefronts, "wavefront"),
                                    verdict.substr(verdict.find_first_not_of("0123456789"))));
}

// JSON: arch, wavefronts, ideal, excess.
void add_sums(Document& d, const Target& target, const std::vector<CountedAccess>& accesses,
              const std::optional<WavefrontTotal>& linear = {}) {
  const WavefrontTotal sums = sum_of(accesses);
  const bool is_good = sums.excess() == 0 && std::ranges::none_of(accesses, &CountedAccess::has_contention);
  d.json("arch", target.name);
  const std::string verdict = verdict_text(sums, accesses, linear);
  d.headline = sentence_of(verdict, sums, accesses);
  d.field("wavefronts", "wavefronts", sums.wavefronts, verdict, is_good ? Tone::good : Tone::bad);
  d.json("ideal", sums.ideal).json("excess", sums.excess());
  d.answers = {"wavefronts", "ideal"};
}

// JSON also has `each` instruction, if there is such a cell.
Table access_table(const std::vector<CountedAccess>& accesses, const Target& target,
                   const std::function<Cell(const CountedAccess&)>& each) {
  using Access = CountedAccess;
  const auto ways = [](const Access& a) {
    return Cell(a.ways, a.sums.excess() == 0 ? "none" : ways_text(a) + a.where);
  };
  const auto contention = [](const Access& a) {
    return Cell(a.has_contention() ? Json{{"lanes", a.sharing}, {"combined", a.combined}} : Json());
  };
  const auto evidence = [&](const Access& a) { return to_string(wavefront_source(*a.instruction, target).evidence); };
  std::vector<ColumnOf<Access>> columns{
      {"access", "access", [](const Access& a) { return Cell(a.name, "", Tone::strong); }},
      {"instructions", "instructions", &Access::instructions, right},
      {"wavefronts", "wavefronts", [](const Access& a) { return a.sums.wavefronts; }, right},
      {"ideal", "ideal", [](const Access& a) { return a.sums.ideal; }, right},
      {"excess", "excess", [](const Access& a) { return excess_cell(a.sums.excess()); }, right},
      {"ways", "conflict", ways},
      {"pairing", "", &Access::pairing},
      {"contention", "", contention},
      {"evidence", "", evidence}};
  if (each) columns.push_back({"each", "", each});
  return table_of<Access>("accesses", "", accesses, columns);
}

void add_conflict_lint(Notes& lints, const CountedAccess& a, const Target& target, std::string_view hint) {
  if (a.sums.excess() == 0) return;
  lints.lint("bank-conflict",
             fmt::format("{}: {} wavefronts where {} would do, {}-way{}", a.name, a.sums.wavefronts, a.sums.ideal,
                         a.ways, a.where),
             std::string(hint), to_string(wavefront_source(*a.instruction, target)));
}

// No placement avoids this, so it is not counted as a conflict.
void add_contention_note(Notes& notes, const CountedAccess& a, const Target& target) {
  if (!a.has_contention()) return;
  const bool is_swap = a.instruction->lane_passes == 2 || a.instruction->bytes == 8;
  notes.note(
      "contention",
      fmt::format("{}: up to {} lanes of a warp share one word and are served one at a time{}, in any placement",
                  a.name, a.sharing, a.instruction->lane_passes == 2 ? ", two passes each" : ""),
      is_swap
          ? fmt::format(
                "one lane for each word (match.any finds them): {}; or a copy of the word for each lane or warp",
                plural(a.combined, "wavefront"))
          : fmt::format("add in the warp first (redux.sync, or 5 steps of shfl) and let one lane of each word go: {}; "
                        "for a constant 1 whose result is not read ptxas makes ATOMS.POPC.INC.32, which does that",
                        plural(a.combined, "wavefront")),
      to_string(wavefront_source(*a.instruction, target)));
}

// What the counters contain besides, in a short text only with them.
void add_counter_notes(Document& d, bool are_asked) {
  Notes notes{"notes"};
  for (const CounterCaveat& caveat : counter_caveats())
    notes.note(caveat.rule, std::string(caveat.message), "", to_string(caveat.source));
  d.add(are_asked ? Block(std::move(notes)) : in_full(std::move(notes)));
}

// ---- an operand

std::int64_t bytes_of(const Placement& p) { return p.end().count - p.begin().count; }

// Where the first lane of an instruction starts.
TileCoordinate start_of(const WalkStep& step, const WalkedOperand& o) {
  return coordinate(step, std::countr_zero(step.pattern.lanes()), o.operand.placement);
}

std::vector<CountedAccess> accesses_of(const WalkedOperand& o) {
  std::vector<CountedAccess> accesses;
  for (const Walk& w : o.walks) {
    const TileCoordinate at = start_of(w.steps[w.worst], o);
    accesses.push_back({to_string(w.access), w.access.instruction, std::ssize(w.steps), w, w.ways(),
                        fmt::format(" at ({},{})", at.row, at.k), w.pairing_steps});
    for (const WalkStep& step : w.steps) {
      accesses.back().sharing = std::max(accesses.back().sharing, step.count.sharing);
      accesses.back().combined += step.count.combined;
    }
  }
  return accesses;
}

Json each_of(const Walk& w, const WalkedOperand& o) {
  return json_list(w.steps, [&](const WalkStep& step) -> Json {
    const TileCoordinate at = start_of(step, o);
    return {{"row", at.row}, {"k", at.k}, {"wavefronts", step.count.wavefronts}, {"ideal", step.count.ideal}};
  });
}

// The name of a placement with its unit: "pad 16 B" of what is asked for as "pad 16".
std::string name_of(const PlacedOperand& operand) {
  return operand.name.starts_with("pad ") ? operand.name + " B" : operand.name;
}

// The operand and what accesses it; of placements that are compared, what they have in common.
std::string title_of(const BanksReport& report) {
  const WalkedOperand& front = report.variants.front();
  const Placement& p = front.operand.placement;
  const std::string operand =
      report.variants.size() == 1
          ? placement_title(*report.dtype, front.operand, front.operand.name)
          : fmt::format("{} {} {}", report.dtype->name, to_string(p.extents()), to_string(p.major()));
  return fmt::format("{}, {}", operand, accesses_text(front.walks));
}

// Text shows the variants side by side; JSON has them in full.
void add_variants(Document& d, const BanksReport& report) {
  Group variants{"compare", {}, false};
  Table beside{"",
               "side by side",
               {{"", "variant"},
                {"", "access"},
                {"", "wavefronts", right},
                {"", "ideal", right},
                {"", "excess", right},
                {"", "conflict"},
                {"", "bytes", right}},
               {}};
  for (const WalkedOperand& v : report.variants) {
    const std::vector<CountedAccess> accesses = accesses_of(v);
    for (const CountedAccess& a : accesses) {
      const bool is_first = &a == &accesses.front();
      beside.rows.push_back({is_first ? name_of(v.operand) : "", a.name, a.sums.wavefronts, a.sums.ideal,
                             excess_cell(a.sums.excess()), ways_text(a),
                             is_first ? Cell(bytes_of(v.operand.placement)) : Cell(nullptr, " ")});
    }
    if (&v == &report.variants.front()) continue;
    const WavefrontTotal sums = sum_of(accesses);
    Document& member = variants.members.emplace_back();
    member.json("name", v.operand.name).json("layout", to_string(v.operand.layout));
    member.json("bytes", bytes_of(v.operand.placement));
    member.json("wavefronts", sums.wavefronts).json("ideal", sums.ideal).json("excess", sums.excess());
    member.add(access_table(accesses, *report.target, {}));
  }
  if (report.variants.size() > 1) d.add(std::move(beside));
  d.add(std::move(variants));
}

bool is_even(const Walk& w) {
  return w.steps[w.worst].count.wavefronts * std::ssize(w.steps) == WavefrontTotal(w).wavefronts;
}

// The worst instruction of a walk.
ShownInstruction worst_of(const BanksReport& report, const WalkedOperand& o, const Walk& w) {
  const WalkStep& step = w.steps[w.worst];
  const std::string access = to_string(w.access);
  ShownInstruction shown{access, w.worst, w.steps.size(), wavefront_report(step.pattern, *report.target),
                         "shared memory"};
  shown.placement = name_of(o.operand);
  shown.is_even = is_even(w);
  if (report.variants.size() > 1)
    shown.panel = fmt::format("{}: {}, {}", shown.placement, access, shown.wavefronts_text());
  for (int lane = 0; lane < warp_lanes; ++lane)
    shown.coordinates.push_back(coordinate(step, lane, o.operand.placement));
  return shown;
}

// Of the walk whose worst instruction has the largest excess.
ShownInstruction worst_instruction(const BanksReport& report, const WalkedOperand& o) {
  const auto excess = [](const Walk& one) { return one.steps[one.worst].count.excess(); };
  return worst_of(report, o, *std::ranges::max_element(o.walks, {}, excess));
}

bool is_core_matrices(const WalkedOperand& v) {
  return v.operand.tile && v.operand.tile->swizzle().family == SwizzleFamily::none;
}

// What a page shows besides the instruction that the text has: the worst of each access, and how their wavefronts add up.
//
//   "32 st.shared.b32 rows x 8 + 32 ld.shared.b32 columns x 4 = 384 wavefronts."
struct AllAccesses {
  std::vector<ShownInstruction> shown;
  std::string sum;
};

AllAccesses all_accesses(const BanksReport& report) {
  AllAccesses all;
  const WalkedOperand& o = report.variants.front();
  if (report.variants.size() > 1 || o.walks.size() < 2) return all;
  WavefrontTotal sums;
  for (const Walk& w : o.walks) {
    const WavefrontTotal total = w;
    all.shown.push_back(worst_of(report, o, w));
    const std::int64_t count = std::ssize(w.steps);
    all.sum += fmt::format("{}{} {}", all.sum.empty() ? "" : " + ", count, to_string(w.access));
    const bool is_even = all.shown.back().is_even;
    all.shown.back().panel = is_even ? fmt::format("{} {}: {} each", count, to_string(w.access),
                                                   plural(total.wavefronts / count, "wavefront"))
                                     : instruction_title(all.shown.back());
    all.sum += is_even ? fmt::format(" x {}", total.wavefronts / count) : fmt::format(": {}", total.wavefronts);
    sums += total;
  }
  all.sum += fmt::format(" = {} wavefronts, the ideal {}. ", sums.wavefronts, sums.ideal);
  if (is_core_matrices(o)) all.sum += "Mode none stores core matrices: 8 rows of 16 B in sequence. ";
  return all;
}

Notes findings_of(const BanksReport& report, const std::vector<CountedAccess>& accesses) {
  Notes notes{"", report.impossible};
  const Target& target = *report.target;
  for (const CountedAccess& a : accesses) {
    add_target_lint(notes, *a.instruction, target);
    add_element_lint(notes, *a.instruction, *report.dtype, report.variants.front().operand.placement.element_bits());
    add_conflict_lint(notes, a, target,
                      report.variants.size() > 1 ? "" : "--compare 'linear;Sw<3,4,3>;pad 16' shows other placements");
    add_contention_note(notes, a, target);
    add_evidence_note(notes, *a.instruction, target);
    if (a.pairing != 0)
      notes.note("pairing", fmt::format("{}: {} of {} instructions pair: neighbouring lanes give the same address, "
                                        "and two groups of {} are served as one",
                                        a.name, a.pairing, a.instructions, a.instruction->group_lanes));
  }
  if (std::ranges::any_of(report.variants, is_core_matrices))
    notes.note("mode-none",
               fmt::format("mode none stores core matrices: 8 rows of 16 B in sequence, as MMAs read them{}",
                           report.linear ? fmt::format("; line after line the same accesses take {} wavefronts",
                                                       report.linear->wavefronts)
                                         : ""),
               "--compare linear: line after line, without a swizzle");
  return notes;
}

// ---- raw addresses

Notes findings_of(const RawBanksReport& r, const CountedAccess& access) {
  Notes notes{""};
  const AccessPattern& p = r.report.pattern;
  const AccessInstruction& i = *p.instruction;
  add_target_lint(notes, i, *r.target);
  if (i.is_matrix() && p.active != 0xffffffff && r.given == warp_lanes)
    notes.lint("aligned-instruction",
               fmt::format("{} is .aligned: the result is undefined unless every lane of the warp executes it", i.name),
               "counted here as if the inactive lanes gave no address");
  add_conflict_lint(notes, access, *r.target, "a swizzle or padding moves the words of one bank apart");
  add_contention_note(notes, access, *r.target);
  add_evidence_note(notes, i, *r.target);
  if (p.lanes() == 0) notes.note("no-active-lane", "no lane is active: the instruction still takes 1 wavefront");
  else if (!r.report.pairing.empty()) notes.note("pairing", r.report.pairing);
  if (r.given > i.addresses)
    notes.note("ignored-lanes",
               fmt::format("{} takes the addresses of lanes 0-{}; the others are ignored", i.name, i.addresses - 1));
  else if (r.given < i.addresses)
    notes.note("inactive-lanes", fmt::format("{} addresses are given; the other lanes are inactive", r.given));
  return notes;
}

// ---- the figure

std::vector<HighlightKind> kinds_of(std::int64_t wavefronts) {
  return {{"lanes", warp_lanes}, {"wavefronts", wavefronts}, {"banks", bank_count}};
}

// The panels one below the other, of many lines the first ones and the last.
std::vector<std::vector<Grid>> short_panels(const std::vector<Grid>& panels) {
  constexpr std::size_t first = 4;
  std::vector<std::vector<Grid>> rows;
  for (Grid grid : panels) {
    if (grid.key_rows.empty())
      for (std::size_t row = 0; row < grid.squares.size(); ++row) grid.key_rows.push_back(row);
    if (grid.key_rows.size() > first + 2) grid.key_rows.erase(grid.key_rows.begin() + first, grid.key_rows.end() - 1);
    rows.push_back({std::move(grid)});
  }
  return rows;
}

// Panels that are compared are named by their placements; the title has the access, the caption which of its instructions
// they show.
void compare_panels(Figure& figure, const std::vector<ShownInstruction>& shown) {
  for (std::size_t i = 0; i < shown.size(); ++i)
    figure.panels.front()[i].title = fmt::format("{}: {}", shown[i].placement, shown[i].wavefronts_text());
  if (shown.front().count > 1)
    figure.caption = fmt::format("Drawn: {} of {} {}. {}",
                                 std::ranges::all_of(shown, &ShownInstruction::is_even) ? "one" : "the worst",
                                 shown.front().count, shown.front().access, figure.caption);
  // In a column an odd panel would be alone in its row.
  if (shown.size() % 2 == 0) return;
  Figure narrow = figure;
  narrow.panels = short_panels(figure.panels.front());
  figure.narrow = {std::move(narrow)};
}

// Among lines of text, the table of lanes already has the title. A short text has the title, but few lines of memory.
// all: what a page has instead.
void add_figure(Document& d, const std::vector<ShownInstruction>& shown, const Highlight& highlight,
                const AllAccesses& all = {}) {
  d.add(in_short(Drawing{[shown, highlight, all](Medium medium) {
    if (medium == Medium::page && !all.shown.empty()) {
      Figure figure = banks_figure(all.shown, highlight, false, true);
      figure.caption = all.sum + figure.caption;
      return Document().add(std::move(figure));
    }
    Figure figure = banks_figure(shown, highlight, medium == Medium::terminal);
    if (medium == Medium::page && shown.size() > 1) compare_panels(figure, shown);
    if (shown.size() == 1) {
      figure.title = instruction_title(shown.front());
      figure.panels.front().front().title = medium == Medium::page ? figure.title : "";
    }
    return Document().add(std::move(figure));
  }}));
  d.add(in_full(drawing([shown, highlight] { return banks_figure(shown, highlight); })));
}

}  // namespace

std::string accesses_text(const std::vector<Walk>& walks) {
  std::vector<std::string> texts;
  for (const Walk& w : walks) texts.push_back(fmt::format("{} {}", w.steps.size(), to_string(w.access)));
  return join_and(texts);
}

std::vector<HighlightKind> highlight_kinds(const BanksReport& report) {
  std::int64_t wavefronts = 0;
  for (const WalkedOperand& o : report.variants)
    wavefronts = std::max<std::int64_t>(wavefronts, worst_instruction(report, o).report.count.wavefronts);
  return kinds_of(wavefronts);
}

std::vector<HighlightKind> highlight_kinds(const RawBanksReport& r) { return kinds_of(r.report.count.wavefronts); }

// Of placements that are compared, the best first: "mode 128B and pad 16 B take 64 wavefronts, linear takes 512". Of
// long names only the counts of the best and the worst remain.
std::string comparison_text(const BanksReport& report) {
  std::map<std::int64_t, std::vector<std::string>> by_count;
  for (const WalkedOperand& v : report.variants) {
    WavefrontTotal sums;
    for (const Walk& w : v.walks) sums += w;
    by_count[sums.wavefronts].push_back(name_of(v.operand));
  }
  if (by_count.size() == 1)
    return fmt::format("all {} placements take {}", report.variants.size(),
                       plural(by_count.begin()->first, "wavefront"));
  std::vector<std::string> clauses;
  for (const auto& [count, names] : by_count)
    clauses.push_back(fmt::format("{} {} {}", join_and(names), names.size() == 1 ? "takes" : "take",
                                  clauses.empty() ? plural(count, "wavefront") : std::to_string(count)));
  const std::string all = fmt::format("{}", fmt::join(clauses, ", "));
  if (all.size() <= headline_letters) return all;
  const std::string ends = fmt::format("{}, {}", clauses.front(), clauses.back());
  return ends.size() <= headline_letters ? ends : short_sentence(all);
}

Document view_banks(const BanksReport& report, const Highlight& highlight) {
  const WalkedOperand& front = report.variants.front();
  const Placement& p = front.operand.placement;
  const std::vector<CountedAccess> accesses = accesses_of(front);
  Document d(title_of(report));
  add_sums(d, *report.target, accesses, report.linear);
  if (report.variants.size() > 1) d.headline = comparison_text(report);
  d.json("operand", {{"dtype", report.dtype->name},
                     {"element_bits", p.element_bits()},
                     {"mn", p.extents().mn},
                     {"k", p.extents().k},
                     {"major", to_string(p.major())},
                     {"name", front.operand.name},
                     {"layout", to_string(front.operand.layout)},
                     {"begin", p.begin().count},
                     {"end", p.end().count}});
  Table table = access_table(accesses, *report.target, [&](const CountedAccess& a) {
    return each_of(front.walks[static_cast<std::size_t>(&a - accesses.data())], front);
  });
  // Of one access the verdict says the same.
  d.add(accesses.size() == 1 ? in_full(std::move(table)) : Block(std::move(table)));
  add_variants(d, report);
  std::vector<ShownInstruction> shown;
  for (const WalkedOperand& v : report.variants) shown.push_back(worst_instruction(report, v));
  add_instruction(d, shown.front());
  add_figure(d, shown, highlight, all_accesses(report));
  add_counters(d, accesses, report.asks_counters);
  d.findings(findings_of(report, accesses).findings);
  add_counter_notes(d, report.asks_counters);
  return d;
}

Document view_banks(const RawBanksReport& r, const Highlight& highlight) {
  const AccessInstruction& i = *r.report.pattern.instruction;
  const WavefrontCount& count = r.report.count;
  const std::vector<CountedAccess> accesses{{std::string(i.name),
                                             &i,
                                             1,
                                             {count.wavefronts, count.ideal},
                                             count.ways(),
                                             "",
                                             count.pairs != 0 ? 1 : 0,
                                             count.sharing,
                                             count.combined}};
  const bool is_named = r.asked.empty() || r.asked == i.name;
  Document d(fmt::format("{}, {} active lanes",
                         is_named ? std::string(i.name) : fmt::format("{} (as {})", r.asked, i.name),
                         std::popcount(r.report.pattern.lanes())));
  add_sums(d, *r.target, accesses);
  if (accesses.front().has_contention() && count.excess() == 0)
    d.headline = short_sentence(fmt::format("{}: {}", plural(count.wavefronts, "wavefront"), sharing_text(r.report)));
  d.json("operand", nullptr);
  Table table = access_table(accesses, *r.target, {});
  for (Column& column : table.columns) column.label.clear();
  d.add(std::move(table)).json("compare", Json::array());
  const ShownInstruction shown{std::string(i.name), 0, 1, r.report, "shared memory", {}, r.asked};
  add_instruction(d, shown);
  if (r.report.pattern.lanes() != 0) add_figure(d, {shown}, highlight);
  add_counters(d, accesses, r.asks_counters);
  d.findings(findings_of(r, accesses.front()).findings);
  add_counter_notes(d, r.asks_counters);
  return d;
}

Document view_access_list() {
  using Row = AccessInstruction;
  Document d("accesses to shared memory");
  d.headline = fmt::format("{} accesses have a rule for their wavefronts", access_instructions().size());
  d.answers = {"instructions.name"};
  d.add(table_of<Row>("instructions", "", access_instructions(),
                      {{"name", "access", [](const Row& i) { return Cell(i.name, "", Tone::strong); }},
                       {"bytes", "bytes", &Row::bytes, right},
                       {"addresses", "addresses", &Row::addresses, right},
                       {"group_lanes", "lanes a group", &Row::group_lanes, right},
                       {"may_pair", "pairs", [](const Row& i) { return Cell(i.may_pair, i.may_pair ? "yes" : ""); }},
                       {"lane_passes", "passes a lane",
                        [](const Row& i) { return Cell(i.lane_passes, i.lane_passes == 0 ? " " : ""); }, right},
                       {"exists_on", "exists on", [](const Row& i) { return to_string(i.availability); }},
                       {"evidence", "evidence", [](const Row& i) { return to_string(i.source.evidence); }},
                       {"source", "", [](const Row& i) { return i.source.where; }}}));
  Table orders{"orders",
               "orders of ld.shared, st.shared, cp.async and atomics: 'st.shared.b128 columns'",
               {{"name", "order"}, {"what", "lanes go"}},
               {{Cell("rows", "", Tone::strong), "along k first, then the next row (default)"},
                {Cell("columns", "", Tone::strong), "along the rows first, then the next k"},
                {Cell("gmem", "", Tone::strong),
                 "along 128 contiguous bytes of a line, then the next line (default of cp.async)"},
                {Cell("tv", "", Tone::strong), "as the layout of --tv says: (thread, value) -> row + k * rows"}}};
  d.add(std::move(orders));
  d.add(
      Paragraph{"Without a width (ld.shared, st.shared): the widest that the operand allows. 'transpose' is st.shared "
                "rows and ld.shared columns, one element per lane. ldmatrix and stmatrix walk the operand as a loop of "
                "MMAs: x4 takes 2 x 2 matrices of 8 rows x 16 bytes, down the rows, then along k."});
  return d;
}

}  // namespace swz
