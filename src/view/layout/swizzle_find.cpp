// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "arch/swizzle_mode.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "view/banks/banks.hpp"
#include "view/banks/moved_lanes.hpp"
#include "view/document/figure.hpp"
#include "view/layout/swizzle.hpp"

namespace swz {

namespace {

// ---- the figure

// The instruction with the group of lanes that needs the most wavefronts; none without a conflict.
struct WorstStep {
  const Walk* walk = nullptr;
  ServedGroup group;
};

WorstStep worst_step(const SwizzleFind& f) {
  WorstStep worst;
  for (const Walk& walk : f.walks)
    for (const WalkStep& step : walk.steps)
      if (ServedGroup group = worst_group_of(step.pattern); group.passes > worst.group.passes)
        worst = {&walk, std::move(group)};
  return worst;
}

// "Padding each line of 128 B by 16 B also ends them. "
std::string padding_sentence(const SwizzleFind& f) {
  if (!f.padding || f.total_plain().excess() == 0) return "";
  return fmt::format("Padding each line of {} B by {} B also ends them. ", f.padding->line.count,
                     f.padding->bytes.count);
}

// The worst group of lanes, before and after. Empty if no group conflicts before. On a page, with the operand, which a
// text has above the figure.
Document find_figure(const SwizzleFind& f, bool is_whole, const std::string& operand = "") {
  const WorstStep worst = worst_step(f);
  if (worst.walk == nullptr) return {};
  const ServedGroup& group = worst.group;
  MovedLanes lanes{group, group.pattern};
  for (std::uint32_t& address : lanes.moved->address) address = static_cast<std::uint32_t>(f.map(address));
  if (!f.is_found()) lanes.after = "at best";
  Figure figure = moved_lanes_figure(lanes, is_whole);
  if (!operand.empty()) figure.title = fmt::format("{}, {}", operand, accesses_text(f.walks));
  const std::string lanes_of_group = range_text(group.first_lane(), group.lanes),
                    access = to_string(worst.walk->access);
  // The title of a page has the sums.
  if (operand.empty())
    figure.caption += fmt::format(
        " Drawn is the worst of {} {}: lanes {} are served together. All accesses take {} wavefronts before and {} "
        "after.",
        worst.walk->steps.size(), access, lanes_of_group, f.total_plain().wavefronts, f.total().wavefronts);
  else
    figure.caption = fmt::format("{}Drawn: {}the worst of {} {}. {}", padding_sentence(f), part_of_access(group),
                                 worst.walk->steps.size(), access, figure.caption);
  return Document().add(std::move(figure));
}

// ---- the answer

std::int64_t piece_bytes(int log2_piece) { return std::int64_t{1} << log2_piece; }

std::string headline(const SwizzleFind& f) {
  const WavefrontTotal plain = f.total_plain(), now = f.total();
  if (plain.excess() == 0) return fmt::format("no swizzle is needed: {} wavefronts, the ideal", plain.wavefronts);
  const std::string become = fmt::format("{} wavefronts become {}", plain.wavefronts, now.wavefronts);
  if (f.swizzle) {
    const SwizzleMode* mode = hardware_mode(*f.swizzle);
    return fmt::format("{} ends every bank conflict: {}",
                       mode != nullptr ? fmt::format("mode {}", mode->name) : to_string(*f.swizzle), become);
  }
  if (f.is_found()) return fmt::format("no Swizzle ends the conflicts, another XOR does: {}", become);
  if (f.bound.wavefronts > now.ideal)
    return fmt::format("pieces of {} B cannot be free of conflicts: {}, ideal {}", piece_bytes(f.log2_piece), become,
                       now.ideal);
  // The last search allows the smallest pieces, so its answer is valid for all.
  const BankSearch& last = f.searches.back();
  const char* none = !last.is_complete          ? "no swizzle that was tried"
                     : last.is_every_linear_map ? "no linear map of bits"
                                                : "no XOR of address bits";
  if (now.wavefronts == plain.wavefronts)
    return fmt::format("{} ends the conflicts: {} wavefronts, ideal {}", none, plain.wavefronts, now.ideal);
  return fmt::format("{} ends all conflicts: {}, ideal {}", none, become, now.ideal);
}

void add_swizzle(Document& d, const SwizzleFind& f) {
  d.json("found", f.is_found());
  d.field("swizzle", "swizzle", f.swizzle ? Json(to_string(*f.swizzle)) : Json(),
          f.swizzle ? to_string(*f.swizzle) + " on bytes" : fmt::format("none of {}", f.candidates),
          f.swizzle ? Tone::strong : Tone::bad);
  const int bits = f.placement.element_bits();
  const auto elements = f.swizzle ? in_units(*f.swizzle, log2_exact(bits) - 3) : std::nullopt;
  d.known("element_form", "on elements", elements ? Json(to_string(*elements)) : Json(),
          elements ? fmt::format("{} of {} bits", to_string(*elements), bits) : "");
  const SwizzleMode* mode = f.swizzle ? hardware_mode(*f.swizzle) : nullptr;
  d.field("mode", f.swizzle ? "hardware mode" : "", mode != nullptr ? Json(mode->name) : Json(),
          mode != nullptr ? std::string(mode->name) : "none: no descriptor or tensor map has this swizzle");
  const std::string c = f.swizzle ? c_expression(*f.swizzle) : c_expression(f.map);
  d.field("c_expression", f.is_found() ? "in C" : "best in C", c);
  d.field("best_swizzle", f.swizzle ? "" : "best swizzle", to_string(f.best_swizzle));
  d.json("candidates", f.candidates);
  const WavefrontTotal plain = f.total_plain(), now = f.total();
  d.json("wavefronts", now.wavefronts).json("ideal", now.ideal).json("excess", now.excess());
  d.json("without", {{"wavefronts", plain.wavefronts}, {"ideal", plain.ideal}, {"excess", plain.excess()}});
}

Table access_table(const SwizzleFindReport& report) {
  using enum Column::Align;
  const SwizzleFind& f = report.find;
  Table table{"accesses",
              "",
              {{"kind", ""},
               {"access", "access"},
               {"instructions", "instructions", right},
               {"ideal", "ideal", right},
               {"without", "without", right},
               {"wavefronts", f.is_found() ? "with" : "at best", right}},
              {}};
  for (std::size_t i = 0; i < f.walks.size(); ++i) {
    const WavefrontTotal &plain = f.walks[i], &now = f.mapped[i];
    table.rows.push_back({report.kinds[i], to_string(f.walks[i].access), f.walks[i].steps.size(), now.ideal,
                          Cell(plain.wavefronts, "", plain.excess() != 0 ? Tone::bad : Tone::plain),
                          Cell(now.wavefronts, "", now.excess() != 0 ? Tone::bad : Tone::good)});
  }
  return table;
}

// Which address bits make each bank bit, for a linear map that is better than every swizzle.
Field linear_field(const SwizzleFind& f) {
  if (f.swizzle || as_swizzle(f.map)) return {"linear", "", nullptr};
  std::vector<std::string> texts;
  Json bits = Json::array();
  for (int to = 2; to < 7; ++to) {
    std::vector<int> from;
    for (int i = 0; i < f.map.bits(); ++i)
      if ((f.map.columns()[static_cast<std::size_t>(i)] >> to & 1) != 0) from.push_back(i);
    if (from.size() == 1) continue;
    bits.push_back({{"bit", to}, {"xor", from}});
    texts.push_back(fmt::format("bit {} = {}", to, fmt::join(from, " ^ ")));
  }
  return {"linear", "address bits", std::move(bits), fmt::format("{}", fmt::join(texts, ", "))};
}

std::string search_text(const BankSearch& s) {
  if (s.map) return "conflict free";
  if (!s.is_complete) return "not decided: the search was too long";
  return s.is_every_linear_map ? "none, of any linear map" : "none of the form addr ^ X(line bits)";
}

Field collision_field(const SwizzleFind& f) {
  if (!f.collision) return {"collision", "", nullptr};
  const LaneCollision& c = *f.collision;
  return {
      "collision",
      "still collides",
      {{"access", c.walk},
       {"instruction", c.step},
       {"lanes", {c.first, c.second}},
       {"words", {c.first_word.count, c.second_word.count}},
       {"bank", c.bank},
       {"kernel_vector", c.kernel_vector().count}},
      fmt::format("{}, instruction {}: lanes {} and {}, words {:#x} and {:#x}, both in bank {}; kernel vector {:#x}",
                  to_string(f.walks[c.walk].access), c.step, c.first, c.second, c.first_word.count, c.second_word.count,
                  c.bank, c.kernel_vector().count),
      Tone::bad};
}

void add_proof(Document& d, const SwizzleFind& f) {
  const auto piece = [](const BankSearch& s) {
    return Cell(piece_bytes(s.log2_piece), fmt::format("{} B", piece_bytes(s.log2_piece)));
  };
  const auto answer = [](const BankSearch& s) { return Cell(search_text(s), "", s.map ? Tone::good : Tone::plain); };
  d.add(table_of<BankSearch>("searches", f.searches.empty() ? "" : "linear maps over GF(2)", f.searches,
                             {{"piece_bytes", "keeps whole", piece},
                              {"found", "", [](const BankSearch& s) { return s.map.has_value(); }},
                              {"complete", "", &BankSearch::is_complete},
                              {"every_linear_map", "", &BankSearch::is_every_linear_map},
                              {"tried", "choices", &BankSearch::tried, Column::Align::right},
                              {"", "answer", answer}}));
  d.field("bound", f.bound.wavefronts > f.total().ideal ? "why not" : "",
          {{"wavefronts", f.bound.wavefronts},
           {"words", f.bound.words},
           {"banks", f.bound.banks},
           {"piece_bytes", piece_bytes(f.log2_piece)}},
          fmt::format("{} words of one group have the same place in their pieces of {} B: they share {} banks, "
                      "however the pieces are moved. All groups together: at least {} wavefronts",
                      f.bound.words, piece_bytes(f.log2_piece), f.bound.banks, f.bound.wavefronts));
  d.json("is_best", f.is_best());
  d.add(collision_field(f));
}

Field padding_field(const SwizzleFind& f) {
  if (f.total_plain().excess() == 0) return {"padding", "", nullptr};
  if (!f.padding)
    return {
        "padding", "padding", nullptr,
        f.has_plain_lines ? "no padding of a line is conflict free" : "does not apply: the layout has no plain lines"};
  const LinePadding& p = *f.padding;
  return {"padding",
          "padding",
          {{"bytes", p.bytes.count}, {"line_bytes", p.line.count}, {"cost_bytes", p.cost.count}},
          fmt::format("or pad each line of {} B by {} B: conflict free, costs {} B", p.line.count, p.bytes.count,
                      p.cost.count)};
}

Notes find_notes(const SwizzleFindReport& report) {
  const SwizzleFind& f = report.find;
  Notes notes{"notes"};
  if (f.swizzle && f.total_plain().excess() != 0)
    notes.note("order",
               fmt::format("the smallest: fewest bits B, then the largest M, then the smallest S; M is at least "
                           "{} for the widest access",
                           f.log2_piece));
  if (f.swizzle && !f.swizzle->is_identity()) {
    notes.note("alignment",
               fmt::format("addresses are counted from a base that is a multiple of {} B", f.swizzle->period()));
    if (hardware_mode(*f.swizzle) == nullptr)
      notes.note("no-mode", "TMA and MMA descriptors do not have it",
                 "a box or an atom one swizzle span wide makes lines of 32, 64 or 128 B");
  }
  if (f.padding && f.padding->bytes.count % 16 != 0)
    notes.note("padding-alignment", "the padded lines do not begin at multiples of 16 B: no 16-byte accesses, no TMA");
  // Once for each instruction: whether it moves such elements whole, and whether the rule of wavefronts was not
  // measured.
  std::set<std::string_view> said;
  for (const Walk& walk : f.walks) {
    const AccessInstruction& instruction = *walk.access.instruction;
    if (!said.insert(instruction.name).second) continue;
    add_element_lint(notes, instruction, *report.dtype, report.element_bits);
    add_evidence_note(notes, instruction, *report.target);
  }
  return notes;
}

}  // namespace

std::string c_expression(const LinearMap& map) {
  if (const auto s = as_swizzle(map)) return c_expression(*s);
  std::string out = "addr";
  for (int i = 0; i < map.bits(); ++i) {
    const std::uint64_t moved = map.columns()[static_cast<std::size_t>(i)] ^ (std::uint64_t{1} << i);
    if (moved != 0) out += fmt::format(" ^ (addr >> {} & 1) * {:#x}", i, moved);
  }
  return out;
}

Document view_swizzle_find(const SwizzleFindReport& report) {
  const SwizzleFind& f = report.find;
  Document d(headline(f));
  d.headline = d.title;
  d.field("operand", "operand", report.operand);
  d.answers = {"swizzle", "c_expression", "wavefronts", "ideal"};
  add_swizzle(d, f);
  d.add(linear_field(f));
  d.add(access_table(report));
  add_proof(d, f);
  d.add(padding_field(f));
  // The words of 32 lanes are too many for a short text and for a picture.
  d.add(in_short(Drawing{[f](Medium medium) { return medium == Medium::page ? Document() : find_figure(f, false); }}));
  d.add(in_full(Drawing{[f](Medium medium) { return medium == Medium::page ? Document() : find_figure(f, true); }}));
  d.add(Drawing{[f, operand = report.operand](Medium medium) {
    return medium == Medium::terminal ? Document() : find_figure(f, false, operand);
  }});
  return d.add(find_notes(report));
}

}  // namespace swz
