// swz banks of raw addresses, and its list of accesses.
#include <fmt/format.h>

#include <bit>

#include "view/banks.hpp"
#include "view/banks_figure.hpp"
#include "view/banks_parts.hpp"

namespace swz {

namespace {

using enum Column::Align;

WavefrontTotal sums_of(const RawBanksReport& r) { return {r.report.count.wavefronts, r.report.count.ideal}; }

Notes lints_of(const RawBanksReport& r) {
  Notes lints{"lints"};
  const AccessInstruction& i = *r.report.pattern.instruction;
  add_target_lint(lints, i, *r.target);
  if (i.is_matrix() && r.report.pattern.active != 0xffffffff && r.given == warp_lanes)
    lints.add(lint("aligned-instruction",
                   fmt::format("{} is .aligned: every lane of the warp executes it, or it is undefined", i.name),
                   "counted here as if the inactive lanes gave no address"));
  if (sums_of(r).excess() > 0)
    add_conflict_lint(lints, {std::string(i.name), sums_of(r), r.report.count.ways(), "",
                              "a swizzle or padding moves the words of one bank apart", r.report.source});
  return lints;
}

Notes notes_of(const RawBanksReport& r) {
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

bool has_lints(const RawBanksReport& report) { return !lints_of(report).findings.empty(); }

Document view_banks(const RawBanksReport& report) {
  const AccessInstruction& i = *report.report.pattern.instruction;
  const WavefrontTotal sums = sums_of(report);
  Document d(fmt::format("{}, {} active lanes", i.name, std::popcount(report.report.pattern.lanes())));
  add_sums(d, *report.target, sums);
  d.add(Field{"operand", "", nullptr});
  d.add(Field{"accesses", "",
              Json::array({Json{{"access", std::string(i.name)},
                                {"instructions", 1},
                                {"wavefronts", sums.wavefronts},
                                {"ideal", sums.ideal},
                                {"excess", sums.excess()},
                                {"ways", report.report.count.ways()},
                                {"pairing", report.report.count.pairs != 0 ? 1 : 0},
                                {"evidence", std::string(to_string(report.report.source.evidence))}}})});
  d.add(Field{"compare", "", Json::array()});
  add_shown(d, {std::string(i.name), 0, 1, report.report, {}});
  if (report.report.pattern.lanes() != 0)
    d.add(drawing([panel = BanksPanel{"shared memory", report.report}] { return banks_figure({panel}); }));
  add_counters(d, {{&i, 1, sums}});
  return d.add(notes_of(report)).add(lints_of(report));
}

Document view_access_list() {
  Document d("accesses to shared memory");
  Table table{"instructions",
              "",
              {{"name", "access"},
               {"bytes", "bytes", right},
               {"addresses", "addresses", right},
               {"group_lanes", "lanes a group", right},
               {"may_pair", "pairs"},
               {"exists_on", "exists on"},
               {"evidence", "evidence"},
               {"source", ""}},
              {}};
  for (const AccessInstruction& i : access_instructions())
    table.rows.push_back({{std::string(i.name), "", Tone::strong},
                          {i.bytes},
                          {i.addresses},
                          {i.group_lanes},
                          {i.may_pair, i.may_pair ? "yes" : ""},
                          {to_string(i.availability)},
                          {std::string(to_string(i.source.evidence))},
                          {std::string(i.source.where)}});
  d.add(std::move(table));
  Table orders{"orders",
               "orders of ld.shared, st.shared and cp.async: 'st.shared.b128 columns'",
               {{"name", "order"}, {"what", "lanes go"}},
               {{{"rows", "", Tone::strong}, {"along k first, then the next row (default)"}},
                {{"columns", "", Tone::strong}, {"along the rows first, then the next k"}},
                {{"gmem", "", Tone::strong},
                 {"along 128 contiguous bytes of a line, then the next line (default of cp.async)"}},
                {{"tv", "", Tone::strong}, {"as the layout of --tv says: (thread, value) -> row + k * rows"}}}};
  d.add(std::move(orders));
  d.add(Paragraph{
      "Without a width (ld.shared, st.shared): the widest that the operand allows. 'transpose' is st.shared "
      "rows and ld.shared columns, an element a lane. ldmatrix and stmatrix walk the operand as a loop of "
      "MMAs: x4 takes 2 x 2 matrices of 8 rows x 16 bytes, down the rows, then along k."});
  return d;
}

}  // namespace swz
