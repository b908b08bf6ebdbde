// SPDX-License-Identifier: Apache-2.0
#include "view/map/map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/descriptor/decode.hpp"
#include "view/descriptor/k_loop.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

// ---- the answer

using enum Column::Align;

Json coordinate(TileCoordinate c) { return {{"row", c.row}, {"k", c.k}}; }

// The word that reads the operand as a tile stored it; null if there is none.
Json right_word(const Comparison& c) { return c.right ? Json(hex64(c.right->descriptor.word())) : Json(); }

std::string address_text(Bytes address) { return fmt::format("{0:#x} = {0}", address.count); }

// Adds "1024 B  from one group of 8 rows to the next", and whether this MMA steps over it.
void add_stride(Document& d, const MapAnswer& answer, bool is_leading) {
  const SmemDescriptor& word = answer.report.word;
  const OperandMap& map = answer.report.map;
  const SwizzleMode& mode = *word.swizzle();
  const StrideRoles& roles = stride_roles(map.major, mode.family);
  const AppliedStrides applied = applied_strides(map.extents, map.element_bits, map.major, mode);
  const bool is_past_span = is_leading && roles.leading.empty() && applied.leading;
  const std::string_view role = is_past_span ? roles.past_span : is_leading ? roles.leading : roles.stride;
  const std::string key = is_leading ? "leading" : "stride", label = is_leading ? "LBO" : "SBO";
  if (role.empty()) {
    d.field(key + "_byte_offset", label, nullptr,
            fmt::format("not used {} with mode {}", to_string(map.major), mode.name), Tone::faint);
    d.json(key, nullptr);
    return;
  }
  const std::int64_t bytes = (is_leading ? word.leading_byte_offset() : word.stride_byte_offset()).count;
  const bool is_applied = is_leading ? applied.leading : applied.stride;
  d.field(key + "_byte_offset", label, bytes,
          fmt::format("{} B  {}{}", bytes, role_text(role, mode),
                      is_applied ? "" : fmt::format("; never stepped over by {}", to_string(map.extents))));
  d.json(key, role_text(role, mode));
}

void add_operand(Document& d, const MapAnswer& answer) {
  const OperandReport& r = answer.report;
  d.json("kind", to_string(r.word.kind())).json("arch", r.word.target().name).json("dtype", answer.dtype->name);
  d.json("operand", answer.role ? Json(to_string(*answer.role)) : Json()).json("major", to_string(r.map.major));
  d.json("rows", r.map.extents.mn).json("cols", r.map.extents.k);
}

void add_summary(Document& d, const MapAnswer& answer) {
  const OperandReport& r = answer.report;
  const SwizzleMode& mode = *r.word.swizzle();
  d.json("word", hex64(r.word.word()));
  add_operand(d, answer);
  d.field("start_address", "start", r.word.start_address().count, address_text(r.word.start_address()));
  add_stride(d, answer, true);
  add_stride(d, answer, false);
  d.field("swizzle", "mode", mode.name,
          mode.bits == 0 ? "none" : fmt::format("{}  {} on byte addresses", mode.name, to_string(mode.byte_swizzle())));
  const int base_offset = r.word.base_offset();
  d.field("base_offset", base_offset == 0 ? "" : "base offset", base_offset,
          fmt::format("{}  lines are counted from {} on{}", base_offset, base_offset,
                      mode.bits == 0 ? ", without effect in mode none" : ""));
  d.field("bytes", "reads", r.bytes.count,
          fmt::format("{} B in {} chunks, {:#x} to {:#x}{}", r.bytes.count, r.chunks.size(), r.lowest.count,
                      r.highest.count, r.is_inside() ? "" : ", beyond shared memory"));
  d.json("lowest", r.lowest.count).json("highest", r.highest.count).json("inside", r.is_inside());
  d.json("repeated", r.repeated ? Json{{"count", r.repeated->count},
                                       {"first", coordinate(r.repeated->first)},
                                       {"second", coordinate(r.repeated->second)},
                                       {"byte", r.repeated->byte}}
                                : Json());
}

std::string right_text(const SmemDescriptor& right) {
  return fmt::format("{}  start {:#x}, LBO {} B, SBO {} B, base offset {}, mode {}", hex64(right.word()),
                     right.start_address().count, right.leading_byte_offset().count, right.stride_byte_offset().count,
                     right.base_offset(), right.swizzle()->name);
}

Json first_difference(const Comparison& c) {
  if (!c.first) return nullptr;
  return {{"row", c.first->at.row},
          {"k", c.first->at.k},
          {"read", c.first->read},
          {"expected", c.first->expected},
          {"holds", c.first->holds ? coordinate(*c.first->holds) : Json()}};
}

std::string first_text(const Comparison& c) {
  const FirstDifference& f = *c.first;
  const std::string holds =
      f.holds ? fmt::format("which holds ({}, {})", f.holds->row, f.holds->k) : "where no element lies";
  return fmt::format("({}, {}) is read from {:#x}, {}; it lies at {:#x}", f.at.row, f.at.k, f.read, holds, f.expected);
}

void add_comparison(Document& d, const MapAnswer& answer) {
  const Comparison& c = *answer.comparison;
  d.json("against.same", c.is_same()).field("against.placement", "against", to_string(*answer.stored));
  d.field("against.block", "block", coordinate(c.block),
          fmt::format("{} {} to {}, k {} to {}: {}", rows_word(answer.role), c.block.row,
                      c.block.row + answer.report.map.extents.mn - 1, c.block.k,
                      c.block.k + answer.report.map.extents.k - 1, c.why_block));
  d.json("against.differing", c.differing).json("against.elements", answer.report.map.places.size());
  d.known("against.first", "first", first_difference(c), c.first ? first_text(c) : "");
  d.json("against.explanations", explanations_json(c.explanations));
  d.field("against.word", c.is_same() ? "" : "right word", right_word(c),
          c.right ? right_text(c.right->descriptor) : "no word reads this block", c.right ? Tone::good : Tone::bad);
  if (c.is_same()) return;
  d.add(Paragraph{c.explanations.empty()       ? "no single mistake explains every difference"
                  : c.explanations.size() == 1 ? "what explains every difference:"
                                               : "what explains every difference, each alone:",
                  c.explanations.empty() ? Tone::accent : Tone::strong});
  for (const Explanation& e : c.explanations) d.line(e.rule, e.hint.empty() ? e.message : e.message + "; " + e.hint);
}

// JSON only: text has the figure.
Table chunk_table(const MapAnswer& answer) {
  return table_of<ReadChunk>("chunks", "", answer.report.chunks,
                             {{"row", "", &ReadChunk::row},
                              {"k", "", &ReadChunk::k},
                              {"byte", "", &ReadChunk::byte},
                              {"line", "", &ReadChunk::line},
                              {"position", "", &ReadChunk::position},
                              {"bank", "", &ReadChunk::bank},
                              {"reads", "", &ReadChunk::reads}});
}

// ---- several words

std::vector<SmemDescriptor> words_of(const MapLoopAnswer& answer) {
  std::vector<SmemDescriptor> words;
  for (const MapAnswer& step : answer.steps) words.push_back(step.report.word);
  return words;
}

// What each word reads, and whether a tile put its elements there.
Table step_table(const MapLoopAnswer& answer) {
  const bool is_compared = answer.steps.front().comparison.has_value();
  const auto label = [&](const char* text) { return is_compared ? text : ""; };
  const auto address = [](auto of) {
    return [of](const MapAnswer& step) {
      const Bytes byte = of(step.report);
      return Cell(byte, fmt::format("{:#x}", byte.count));
    };
  };
  // A cell of the comparison, if there is one.
  const auto of_comparison = [](auto cell) {
    return [cell](const MapAnswer& step) { return step.comparison ? cell(*step.comparison) : Cell(nullptr); };
  };
  const auto first_k = [&](const MapAnswer& step) {
    return (&step - answer.steps.data()) * answer.steps.front().report.map.extents.k;
  };
  const auto block = [role = answer.steps.front().role](const Comparison& c) {
    return Cell(coordinate(c.block), fmt::format("{} {}, k {}", row_word(role), c.block.row, c.block.k));
  };
  const auto differing = [](const Comparison& c) {
    return Cell(c.differing, c.is_same() ? "the same bytes" : fmt::format("{} elements differ", c.differing),
                c.is_same() ? Tone::good : Tone::bad);
  };
  const auto right_cell = [](const Comparison& c) { return Cell(right_word(c), "", Tone::good); };
  using Report = OperandReport;
  return table_of<MapAnswer>(
      "steps", "", answer.steps,
      {{"word", "word", [](const MapAnswer& step) { return hex64(step.report.word.word()); }},
       {"k", "k", first_k, right},
       {"start_address", "start", address([](const Report& r) { return r.word.start_address(); }), right},
       {"lowest", "reads", address([](const Report& r) { return r.lowest; }), right},
       {"highest", "to", address([](const Report& r) { return r.highest; }), right},
       {"inside", "", [](const MapAnswer& step) { return step.report.is_inside(); }},
       {"block", label("block"), of_comparison(block)},
       {"differing", label("answer"), of_comparison(differing)},
       {"right_word", label("right word"), of_comparison(right_cell)}});
}

// The lints of all words, each once.
Notes lints_of(const MapLoopAnswer& answer) {
  Notes lints{"lints"};
  for (const MapAnswer& step : answer.steps)
    for (const Finding& finding : step.report.findings) {
      const bool is_known = std::ranges::any_of(lints.findings, [&](const Finding& other) {
        return other.rule == finding.rule && other.message == finding.message;
      });
      if (finding.severity != Severity::note && !is_known) lints.add(finding);
    }
  return lints;
}

// What is wrong with the word, as a sentence; empty for nothing.
std::string first_lint(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings)
    if (finding.severity != Severity::note) return short_sentence(finding.message);
  return {};
}

// "1024 of 1024 elements are wrong; right is 0x8000002000010040": the second line of a text, and the title of a picture.
std::string verdict_text(const MapAnswer& answer) {
  const OperandReport& r = answer.report;
  const auto& compared = answer.comparison;
  const std::size_t all = r.map.places.size();
  if (!compared)
    return has_lints(answer) ? first_lint(r.findings)
                             : fmt::format("one MMA reads {} chunks of 16 B from {:#x} to {:#x}", r.chunks.size(),
                                           r.lowest.count, r.highest.count);
  if (compared->is_same())
    return has_lints(answer) ? first_lint(r.findings) : fmt::format("all {} elements are read from their places", all);
  return fmt::format("{} of {} elements are wrong; {}", compared->differing, all,
                     compared->right ? "right is " + hex64(compared->right->descriptor.word())
                                     : std::string("no word reads this block"));
}

// "(9, 8) is read from byte 0x490, bank 4; it lies at 0x480"
std::string query_headline(const MapAnswer& answer) {
  const AskedElements asked = asked_elements(answer);
  if (asked.elements.empty()) return "no element is read from there";
  const TileCoordinate at = asked.elements.front();
  const std::int64_t byte = answer.report.map.place(at.row, at.k) / 8;
  std::string text =
      fmt::format("({}, {}) is read from byte {:#x}: line {}, bank {}", at.row, at.k, byte, byte / 128, byte / 4 % 32);
  if (const auto lies_at = point_of(answer, at).lies_at) text += fmt::format("; it lies at {:#x}", lies_at->count);
  if (asked.elements.size() > 1) text += fmt::format("; and {} more", asked.elements.size() - 1);
  return short_sentence(text);
}

std::string verdict_text(const MapLoopAnswer& answer) {
  const std::string text = loop_verdict(words_of(answer), answer.loop);
  if (answer.loop.is_wrong()) return text;
  std::int64_t differing = 0;
  for (const MapAnswer& step : answer.steps)
    if (step.comparison) differing += step.comparison->differing;
  if (differing > 0) return short_sentence(fmt::format("{} elements are wrong; {}", differing, text));
  const std::string lint = first_lint(lints_of(answer).findings);
  return lint.empty() ? text : lint;
}

bool is_wrong(const MapLoopAnswer& answer) {
  return has_lints(answer) || std::ranges::any_of(answer.steps, [](const MapAnswer& step) {
           return step.comparison && step.comparison->differing > 0;
         });
}

bool is_wrong(const MapAnswer& answer) {
  return has_lints(answer) || (answer.comparison && !answer.comparison->is_same());
}

// Adds the second line.
template <class Answer>
void add_verdict(Document& d, const Answer& answer) {
  d.headline = verdict_text(answer);
  d.line("verdict", d.headline, is_wrong(answer) ? Tone::bad : Tone::good);
}

}  // namespace

std::string operand_text(const MapAnswer& answer) {
  const OperandReport& r = answer.report;
  return fmt::format("{} {} {}{} on {}", answer.dtype->name, to_string(r.map.extents), to_string(r.map.major),
                     answer.role ? fmt::format(", operand {}", to_string(*answer.role)) : "", r.word.target().name);
}

Document view_map(const MapAnswer& answer) {
  const OperandReport& r = answer.report;
  Document d(fmt::format("{}  {}", hex64(r.word.word()), operand_text(answer)));
  const Drawing picture{[answer](Medium medium) {
    Figure figure = map_figure(answer);
    // A terminal has no room for where a block was stored beside what is read.
    std::vector<Grid>& panels = figure.panels.front();
    if (medium == Medium::terminal && panels.size() > 2) panels.pop_back();
    return Document().add(std::move(figure));
  }};
  if (!answer.query.empty()) {
    d.headline = query_headline(answer);
    AskedElements asked = asked_elements(answer);
    std::vector<Point> points;
    for (const TileCoordinate at : asked.elements) points.push_back(point_of(answer, at));
    for (const Finding& finding : r.findings)
      if (finding.severity != Severity::note) asked.notes.push_back(finding);
    return view_points(std::move(d), points, picture, asked.notes);
  }
  add_verdict(d, answer);
  if (!answer.read_as.empty()) d.field("read_as", "read as", answer.read_as);
  add_summary(d, answer);
  d.answers = answer.comparison ? std::vector<std::string>{"against.same"}
                                : std::vector<std::string>{"bytes", "lowest", "highest"};
  if (answer.comparison) add_comparison(d, answer);
  else d.json("against", nullptr);
  d.json("addresses", r.map.bytes());
  d.add(chunk_table(answer));
  d.add(picture);
  std::vector<Finding> findings = answer.remarks;
  findings.insert(findings.end(), r.findings.begin(), r.findings.end());
  return d.findings(findings);
}

Document view_map_loop(const MapLoopAnswer& answer) {
  const MapAnswer& first = answer.steps.front();
  Document d(fmt::format("{} words  {}", answer.steps.size(), operand_text(first)));
  add_verdict(d, answer);
  add_operand(d, first);
  d.known("placement", "against", first.stored ? Json(to_string(*first.stored)) : Json());
  d.json("loop", k_loop_json(words_of(answer), answer.loop));
  d.add(step_table(answer));
  d.answers = {"steps.word.k.lowest.highest"};
  add_k_loop_text(d, words_of(answer), answer.loop);
  d.add(Drawing{[answer](Medium medium) {
    return medium == Medium::page ? Document().add(map_loop_figure(answer)) : Document();
  }});
  return d.add(Notes{"notes", first.remarks}).add(lints_of(answer));
}

bool has_lints(const MapAnswer& answer) { return has_lints(answer.report.findings); }

bool has_lints(const MapLoopAnswer& answer) {
  return answer.loop.is_wrong() ||
         std::ranges::any_of(answer.steps, [](const MapAnswer& step) { return has_lints(step); });
}

}  // namespace swz
