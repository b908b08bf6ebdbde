#include "view/banks_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "smem/wavefront.hpp"
#include "view/banks_figure.hpp"

namespace swz {

namespace {

using enum Column::Align;

std::string sums_text(WavefrontTotal sums) {
  if (sums.excess() == 0) return fmt::format("{}, the ideal: no bank conflict", sums.wavefronts);
  return fmt::format("{} where {} would do: {} too many", sums.wavefronts, sums.ideal, sums.excess());
}

Json lane_list(std::uint32_t lanes) {
  Json list = Json::array();
  for (int lane = 0; lane < warp_lanes; ++lane)
    if ((lanes >> lane & 1) != 0) list.push_back(lane);
  return list;
}

Json banks_of(const WavefrontGroup& group) {
  Json banks = Json::array();
  for (const BankUse& bank : group.banks) {
    Json words = Json::array();
    for (const WordUse& word : bank.words)
      words.push_back(Json{{"byte", std::int64_t{word.word} * 4}, {"lanes", lane_list(word.lanes)}});
    banks.push_back(Json{{"bank", bank.bank}, {"words", std::move(words)}});
  }
  return banks;
}

// JSON only; the lanes tell their groups in text.
Json groups_of(const WavefrontReport& report) {
  Json groups = Json::array();
  for (const WavefrontGroup& group : report.groups)
    groups.push_back(Json{{"lanes", lane_list(group.active)},
                          {"passes", group.passes},
                          {"words", group.words},
                          {"ideal", group.ideal},
                          {"banks", banks_of(group)}});
  return groups;
}

std::string bank_text(const LaneUse& use) {
  return use.banks == 1 ? fmt::format("{}", use.bank) : fmt::format("{}-{}", use.bank, use.bank + use.banks - 1);
}

Json lanes_of(const Shown& shown) {
  Json lanes = Json::array();
  for (std::size_t g = 0; g < shown.report.groups.size(); ++g)
    for (const LaneUse& use : shown.report.groups[g].lanes) {
      const auto* at =
          shown.coordinates.empty() ? nullptr : &shown.coordinates.at(static_cast<std::size_t>(use.lane));
      lanes.push_back(Json{{"lane", use.lane},
                           {"row", at != nullptr ? Json(at->row) : Json()},
                           {"k", at != nullptr ? Json(at->k) : Json()},
                           {"byte", use.address.count},
                           {"bank", use.bank},
                           {"banks", use.banks},
                           {"group", g},
                           {"pass", use.pass},
                           {"collides_with", lane_list(use.collides_with)}});
    }
  return lanes;
}

std::string shown_title(const Shown& shown) {
  const WavefrontCount& c = shown.report.count;
  std::string title = shown.access;
  if (shown.count > 1)
    title = fmt::format("{}: {} {} of {}", c.excess() > 0 ? "worst instruction" : "one instruction", shown.access,
                        shown.index, shown.count);
  return fmt::format("{}, {}, ideal {}", title, plural(c.wavefronts, "wavefront"), c.ideal);
}

// Text only.
Table lane_table(const Shown& shown) {
  const bool has_coordinates = !shown.coordinates.empty(), has_groups = shown.report.groups.size() > 1;
  Table table{"", shown_title(shown), {{"", "lane", right}}, {}};
  if (has_coordinates) table.columns.insert(table.columns.end(), {{"", "row", right}, {"", "k", right}});
  table.columns.insert(table.columns.end(), {{"", "byte", right}, {"", "banks", right}});
  if (has_groups) table.columns.push_back({"", "group", right});
  table.columns.insert(table.columns.end(), {{"", "pass", right}, {"", "collides with lanes"}});
  for (std::size_t g = 0; g < shown.report.groups.size(); ++g)
    for (const LaneUse& use : shown.report.groups[g].lanes) {
      const Tone tone = use.collides_with != 0 ? Tone::bad : Tone::plain;
      std::vector<Cell>& row = table.rows.emplace_back();
      row.push_back({use.lane});
      if (has_coordinates) {
        const TileCoordinate at = shown.coordinates.at(static_cast<std::size_t>(use.lane));
        row.insert(row.end(), {{at.row}, {at.k}});
      }
      row.push_back({nullptr, fmt::format("{:#x}", use.address.count)});
      row.push_back({nullptr, bank_text(use), tone});
      if (has_groups) row.push_back({g});
      row.push_back({use.pass});
      row.push_back({lanes_text(use.collides_with), use.collides_with == 0 ? " " : "", tone});
    }
  return table;
}

std::int64_t quantity_of(CounterQuantity quantity, const CountedAccess& a) {
  switch (quantity) {
    case CounterQuantity::wavefronts: return a.sums.wavefronts;
    case CounterQuantity::ideal: return a.sums.ideal;
    case CounterQuantity::excess: return a.sums.excess();
    case CounterQuantity::instructions: return a.instructions;
  }
  return 0;
}

}  // namespace

void add_sums(Document& d, const Target& target, WavefrontTotal sums) {
  d.add(Field{"arch", "", std::string(target.name)});
  d.add(Field{"wavefronts", "wavefronts", sums.wavefronts, sums_text(sums),
              sums.excess() == 0 ? Tone::good : Tone::bad});
  d.add(Field{"ideal", "", sums.ideal});
  d.add(Field{"excess", "", sums.excess()});
}

void add_shown(Document& d, const Shown& shown) {
  const WavefrontReport& r = shown.report;
  d.add(Field{"groups", "", groups_of(r)});
  d.add(Field{"worst", "",
              Json{{"access", shown.access},
                   {"instruction", shown.index},
                   {"wavefronts", r.count.wavefronts},
                   {"ideal", r.count.ideal},
                   {"excess", r.count.excess()},
                   {"ways", r.count.ways()},
                   {"pairs", r.count.pairs},
                   {"pairing", r.pairing.empty() ? Json() : Json(r.pairing)},
                   {"evidence", std::string(to_string(r.source.evidence))},
                   {"source", std::string(r.source.where)},
                   {"lanes", lanes_of(shown)}}});
  d.add(lane_table(shown));
}

void add_counters(Document& d, const std::vector<CountedAccess>& accesses) {
  Table table{"counters",
              "in Nsight Compute, for one warp that executes this once",
              {{"value", "value", right}, {"what", "what"}, {"evidence", "evidence"}, {"counter", "counter"}},
              {}};
  for (const Counter& counter : counters()) {
    std::int64_t value = 0;
    bool counts = false;
    for (const CountedAccess& a : accesses) {
      if (!counter.counts(a.instruction->op)) continue;
      counts = true;
      value += quantity_of(counter.quantity, a);
    }
    if (counts)
      table.rows.push_back({{value},
                            {std::string(counter.remark)},
                            {std::string(to_string(counter.source.evidence)), "", Tone::faint},
                            {std::string(counter.name)}});
  }
  d.add(std::move(table));
}

void add_conflict_lint(Notes& lints, const Conflict& c) {
  lints.add(lint("bank-conflict",
                 fmt::format("{}: {} wavefronts where {} would do, {}-way{}", c.access, c.sums.wavefronts,
                             c.sums.ideal, c.ways, c.where),
                 c.hint, to_string(c.source)));
}

void add_target_lint(Notes& lints, const AccessInstruction& instruction, const Target& target) {
  if (runs_on(instruction.availability, target)) return;
  lints.add(lint("target-lacks-instruction", fmt::format("{} has no {}", target.name, instruction.name),
                 fmt::format("it exists on {}", to_string(instruction.availability)),
                 "PTX ISA 9.1, 9.7 (documented)"));
}

void add_element_lint(Notes& lints, const AccessInstruction& instruction, const DType& dtype, int element_bits) {
  constexpr int register_bits = 32;
  const int unit = instruction.transposed_bits();
  const auto add = [&](std::string message, std::string hint) {
    lints.add(lint("element-size", std::move(message), std::move(hint), "PTX ISA 9.1, 9.7.14.5 (documented)"));
  };
  if (unit != 0 && element_bits != unit)
    add(fmt::format("{} transposes elements of {} bits; {} of {} bits: {}", instruction.name, unit, dtype.name,
                    element_bits, element_bits > unit ? "it tears them apart" : "it moves several of them as one"),
        element_bits == 8
            ? "ldmatrix.m16n16.x1.trans and stmatrix.m16n8.x1.trans transpose 8-bit elements, where the "
              "target has them"
            : "the form without .trans, or ld.shared and st.shared");
  else if (instruction.is_matrix() && element_bits > register_bits)
    add(fmt::format("{} gives each thread 4 B of a row; {} of {} bits is split between threads", instruction.name,
                    dtype.name, element_bits),
        "ld.shared and st.shared move whole elements");
}

void add_evidence_note(Notes& notes, const AccessInstruction& instruction, const Target& target) {
  const Source source = wavefront_source(instruction, target);
  if (source.evidence == Evidence::measured) return;
  notes.add(note("evidence", fmt::format("{} on {}: {}", instruction.name, target.name, to_string(source))));
}

void add_counter_notes(Notes& notes) {
  for (const CounterCaveat& caveat : counter_caveats())
    notes.add(note(caveat.rule, std::string(caveat.message), "", to_string(caveat.source)));
}

}  // namespace swz
