#include "view/map.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "view/findings.hpp"
#include "view/map_figure.hpp"

namespace swz {

namespace {

using Align = Column::Align;

Json coordinate(TileCoordinate c) { return {{"row", c.row}, {"k", c.k}}; }

std::string_view role_name(OperandRole role) { return role == OperandRole::a ? "a" : "b"; }

std::string address_text(Bytes address) { return fmt::format("{0:#x} = {0}", address.count); }

// "1024 B  from one group of 8 rows to the next", and whether this MMA steps over it.
void add_stride(Document& d, const MapAnswer& answer, bool is_leading) {
  const SmemDescriptor& word = answer.report.word;
  const OperandMap& map = answer.report.map;
  const SwizzleMode& mode = *word.swizzle();
  const StrideRoles& roles = stride_roles(map.major, mode.family);
  const AppliedStrides applied = applied_strides(map.extents, map.element_bits, map.major, mode);
  const bool is_past_span = is_leading && roles.leading.empty() && applied.leading;
  const std::string_view role = is_past_span ? roles.past_span : is_leading ? roles.leading : roles.stride;
  const std::string key = is_leading ? "leading" : "stride";
  const std::string label = is_leading ? "LBO" : "SBO";
  const Bytes value = is_leading ? word.leading_byte_offset() : word.stride_byte_offset();
  if (role.empty()) {
    d.add(Field{key + "_byte_offset", label, nullptr,
                fmt::format("not used {} with mode {}", to_string(map.major), mode.name), Tone::faint});
    d.add(Field{key, "", nullptr});
    return;
  }
  const std::string text = role_text(role, mode);
  const bool is_applied = is_leading ? applied.leading : applied.stride;
  d.add(Field{key + "_byte_offset", label, value.count,
              fmt::format("{} B  {}{}", value.count, text,
                          is_applied ? "" : fmt::format("; never stepped over by {}", to_string(map.extents)))});
  d.add(Field{key, "", text});
}

void add_summary(Document& d, const MapAnswer& answer) {
  const OperandReport& r = answer.report;
  const SwizzleMode& mode = *r.word.swizzle();
  d.add(Field{"word", "", hex64(r.word.word())});
  d.add(Field{"kind", "", std::string(to_string(r.word.kind()))});
  d.add(Field{"arch", "", std::string(r.word.target().name)});
  d.add(Field{"dtype", "", std::string(answer.dtype->name)});
  d.add(Field{"operand", "", answer.role ? Json(role_name(*answer.role)) : Json()});
  d.add(Field{"major", "", std::string(to_string(r.map.major))});
  d.add(Field{"rows", "", r.map.extents.mn});
  d.add(Field{"cols", "", r.map.extents.k});
  d.add(Field{"start_address", "start", r.word.start_address().count, address_text(r.word.start_address())});
  add_stride(d, answer, true);
  add_stride(d, answer, false);
  d.add(Field{"swizzle", "mode", std::string(mode.name),
              mode.bits == 0 ? std::string("none")
                             : fmt::format("{}  {} on byte addresses", mode.name, to_string(mode.byte_swizzle()))});
  const int base_offset = r.word.base_offset();
  d.add(Field{"base_offset", base_offset == 0 ? "" : "base offset", base_offset,
              fmt::format("{}  lines are counted from {} on{}", base_offset, base_offset,
                          mode.bits == 0 ? ", without effect in mode none" : "")});
  d.add(Field{"bytes", "reads", r.bytes.count,
              fmt::format("{} B in {} chunks, {:#x} to {:#x}{}", r.bytes.count, r.chunks.size(), r.lowest.count,
                          r.highest.count, r.is_inside() ? "" : ", beyond shared memory")});
  d.add(Field{"lowest", "", r.lowest.count});
  d.add(Field{"highest", "", r.highest.count});
  d.add(Field{"inside", "", r.is_inside()});
  d.add(Field{"repeated", "",
              r.repeated ? Json{{"count", r.repeated->count},
                                {"first", coordinate(r.repeated->first)},
                                {"second", coordinate(r.repeated->second)},
                                {"byte", r.repeated->byte}}
                         : Json()});
}

Json first_difference(const Comparison& c) {
  if (!c.first) return nullptr;
  return {{"row", c.first->at.row},
          {"k", c.first->at.k},
          {"read", c.first->read},
          {"expected", c.first->expected},
          {"holds", c.first->holds ? coordinate(*c.first->holds) : Json()}};
}

Json explanations(const Comparison& c) {
  Json out = Json::array();
  for (const Explanation& e : c.explanations)
    out.push_back({{"rule", e.rule},
                   {"message", e.message},
                   {"hint", e.hint},
                   {"word", e.word ? Json(hex64(*e.word)) : Json()}});
  return out;
}

std::string first_text(const Comparison& c) {
  const FirstDifference& f = *c.first;
  const std::string holds =
      f.holds ? fmt::format("which holds ({}, {})", f.holds->row, f.holds->k) : "where no element lies";
  return fmt::format("({}, {}) is read from {:#x}, {}; it lies at {:#x}", f.at.row, f.at.k, f.read, holds,
                     f.expected);
}

void add_right_word(Document& d, const Comparison& c) {
  if (!c.right) {
    d.add(Field{"", "right word", nullptr, "no word reads this block", Tone::bad});
    return;
  }
  const SmemDescriptor& right = c.right->descriptor;
  d.add(Field{"", "right word", nullptr,
              fmt::format("{}  start {:#x}, LBO {} B, SBO {} B, base offset {}, mode {}", hex64(right.word()),
                          right.start_address().count, right.leading_byte_offset().count,
                          right.stride_byte_offset().count, right.base_offset(), right.swizzle()->name),
              Tone::good});
}

void add_comparison(Document& d, const MapAnswer& answer) {
  if (!answer.comparison) {
    d.add(Field{"against", "", nullptr});
    return;
  }
  const Comparison& c = *answer.comparison;
  const std::int64_t all = static_cast<std::int64_t>(answer.report.map.bytes.size());
  d.add(Field{"against",
              "",
              {{"same", c.is_same()},
               {"placement", to_string(*answer.stored)},
               {"block", coordinate(c.block)},
               {"differing", c.differing},
               {"elements", all},
               {"first", first_difference(c)},
               {"explanations", explanations(c)},
               {"word", c.right ? Json(hex64(c.right->descriptor.word())) : Json()}}});
  d.add(Field{"", "against", nullptr, to_string(*answer.stored)});
  d.add(Field{
      "", "block", nullptr,
      fmt::format("rows {} to {}, k {} to {}: {}", c.block.row, c.block.row + answer.report.map.extents.mn - 1,
                  c.block.k, c.block.k + answer.report.map.extents.k - 1, c.why_block)});
  if (c.is_same()) {
    d.add(Field{"", "answer", nullptr, fmt::format("the same bytes, all {} elements", all), Tone::good});
    return;
  }
  d.add(Field{"", "answer", nullptr, fmt::format("{} of {} elements are read from other bytes", c.differing, all),
              Tone::bad});
  d.add(Field{"", "first", nullptr, first_text(c)});
  add_right_word(d, c);
  if (c.explanations.empty()) d.add(Paragraph{"no single mistake explains every difference", Tone::accent});
  else
    d.add(Paragraph{c.explanations.size() == 1 ? "what explains every difference:"
                                               : "what explains every difference, each alone:",
                    Tone::strong});
  for (const Explanation& e : c.explanations)
    d.add(Field{"", e.rule, nullptr, e.hint.empty() ? e.message : e.message + "; " + e.hint});
}

// JSON only: text has the figure.
Table chunk_table(const MapAnswer& answer) {
  Table table{"chunks",
              "",
              {{"row", ""}, {"k", ""}, {"byte", ""}, {"line", ""}, {"position", ""}, {"bank", ""}, {"reads", ""}},
              {}};
  table.rows.reserve(answer.report.chunks.size());
  for (const ReadChunk& c : answer.report.chunks)
    table.rows.push_back({{c.row}, {c.k}, {c.byte.count}, {c.line()}, {c.position()}, {c.bank()}, {c.reads}});
  return table;
}

}  // namespace

Document view_map(const MapAnswer& answer) {
  const OperandReport& r = answer.report;
  Document d(fmt::format("{}  {} {} {}{} on {}", hex64(r.word.word()), answer.dtype->name, to_string(r.map.extents),
                         to_string(r.map.major),
                         answer.role ? fmt::format(", operand {}", role_name(*answer.role)) : std::string(),
                         r.word.target().name));
  if (!answer.read_as.empty()) d.add(Field{"read_as", "read as", answer.read_as});
  add_summary(d, answer);
  add_comparison(d, answer);
  d.add(Field{"addresses", "", r.map.bytes});
  d.add(chunk_table(answer));
  d.add(drawing([answer] { return map_figure(answer); }));
  std::vector<Finding> findings = answer.remarks;
  findings.insert(findings.end(), r.findings.begin(), r.findings.end());
  d.add(notes_of(findings)).add(lints_of(findings));
  return d;
}

bool has_lints(const MapAnswer& answer) { return has_lints(answer.report.findings); }

}  // namespace swz
