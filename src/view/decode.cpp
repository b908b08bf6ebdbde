#include "view/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "view/findings.hpp"
#include "view/k_loop.hpp"

namespace swz {

namespace {

using Align = Column::Align;

std::string word_text(const SmemDescriptor& d) { return hex64(d.word()); }
std::string word_text(const InstructionDescriptor& d) { return hex32(static_cast<std::uint32_t>(d.word())); }

Cell value_cell(const DecodedField& field) {
  const std::string text = value_text(field);
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
    const bool is_address = field.id == FieldId::start_address && *number != 0;
    return {*number, is_address ? fmt::format("{} = {:#x}", text, *number) : text};
  }
  if (const auto* name = std::get_if<std::string>(&field.value)) return {*name, text};
  return {nullptr, text, Tone::bad};
}

Table field_table(const std::vector<DecodedField>& fields) {
  Table table{"fields",
              "",
              {{"name", "field"},
               {"bits", "bits"},
               {"raw", "raw", Align::right},
               {"value", "value"},
               {"unit", ""},
               {"meaning", "meaning"}},
              {}};
  for (const DecodedField& field : fields) {
    const Json unit = field.unit.empty() ? Json() : Json(field.unit);
    table.rows.push_back({{std::string(to_string(field.id))},
                          {Json{field.bits.low, field.bits.high()}, bit_ranges(field.bits.mask())},
                          {field.raw},
                          value_cell(field),
                          {unit},
                          {field.meaning}});
  }
  return table;
}

BitRow bit_row(const DescriptorWord& word) {
  BitRow row{word.word(), word.format().width, {}};
  for (const FieldRow& field : word.format().fields)
    row.parts.push_back({std::string(label(field.id)), field.bits, false});
  for (const ReservedRow& reserved : word.format().reserved) row.parts.push_back({"reserved", reserved.bits, true});
  return row;
}

// Two cells, what the stride is and what it steps over: "1024 B from one group of 8 rows to the next" in text.
void append_stride(std::vector<Cell>& row, Bytes step, std::string_view role, const SwizzleMode& mode) {
  if (role.empty()) {
    row.push_back({nullptr, may_pass_span(mode) ? "not used by dense MMAs" : "not used", Tone::faint});
    row.push_back({nullptr});
    return;
  }
  const std::string text = role_text(role, mode);
  row.push_back({step.count, fmt::format("{} B {}", step.count, text)});
  row.push_back({text});
}

// Both readings of LBO and SBO, for the major is not in the word.
Table major_table(const SmemDescriptor& d) {
  Table table{"majors",
              "",
              {{"major", "major"},
               {"leading_byte_offset", "LBO"},
               {"leading", ""},
               {"stride_byte_offset", "SBO"},
               {"stride", ""}},
              {}};
  const SwizzleMode* mode = d.swizzle();
  if (mode == nullptr || d.absolute_lbo()) return table;
  for (const Major major : {Major::K, Major::MN}) {
    const StrideRoles& roles = stride_roles(major, mode->family);
    std::vector<Cell> row{{std::string(to_string(major))}};
    append_stride(row, d.leading_byte_offset(), roles.leading, *mode);
    append_stride(row, d.stride_byte_offset(), roles.stride, *mode);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What every reading begins with.
Document head(const DescriptorWord& word, const std::string& text, std::string_view kind_qualifier) {
  const DescriptorFormat& format = word.format();
  Document d(kind_qualifier.empty()
                 ? fmt::format("{}  {} on {}", text, format.name, word.target().name)
                 : fmt::format("{}  {}, kind::{} on {}", text, format.name, kind_qualifier, word.target().name));
  d.add(Field{"word", "", text});
  d.add(Field{"kind", "", std::string(format.name)});
  d.add(Field{"arch", "", std::string(word.target().name)});
  if (!kind_qualifier.empty()) d.add(Field{"kind_qualifier", "", std::string(kind_qualifier)});
  d.add(bit_row(word));
  return d;
}

void add_findings(Document& d, const std::vector<Finding>& findings, std::vector<Finding> remarks) {
  remarks.insert(remarks.end(), findings.begin(), findings.end());
  d.add(notes_of(remarks)).add(lints_of(remarks));
  if (!has_lints(findings)) d.add(Paragraph{"no lints", Tone::good});
}

Document view(const SmemReading& reading, const std::vector<Finding>& remarks) {
  const SmemDescriptor& descriptor = reading.descriptor;
  Document d = head(descriptor, word_text(descriptor), "");
  d.add(field_table(decoded_fields(descriptor)));
  const Table majors = major_table(descriptor);
  if (!majors.rows.empty()) d.add(majors);
  add_findings(d, reading.findings, remarks);
  return d;
}

Document view(const InstructionReading& reading, const std::vector<Finding>& remarks) {
  const InstructionDescriptor& descriptor = reading.descriptor;
  Document d = head(descriptor, word_text(descriptor), descriptor.kind_row().name);
  d.add(Field{"summary", "reads as", summary(descriptor)});
  d.add(field_table(decoded_fields(descriptor)));
  add_findings(d, reading.findings, remarks);
  return d;
}

std::string way_to_choose(const SmemDecoding&) { return "--arch chooses the format"; }
std::string way_to_choose(const InstructionDecoding&) { return "--kind chooses the kind"; }

template <class Decoding>
Document view(const Decoding& decoding, std::vector<Finding> remarks) {
  if (decoding.readings.size() == 1) {
    if (!decoding.why.empty())
      remarks.insert(remarks.begin(), note("reading", decoding.why, way_to_choose(decoding)));
    return view(decoding.readings.front(), remarks);
  }
  const std::string word = word_text(decoding.readings.front().descriptor);
  Document d(fmt::format("{}  {} readings", word, decoding.readings.size()));
  d.add(Field{"word", "", word});
  d.add(Field{"why", "why", fmt::format("{}; {}", decoding.why, way_to_choose(decoding))});
  if (!remarks.empty()) d.add(Notes{"notes", remarks});
  Group readings{"readings", {}};
  for (const auto& reading : decoding.readings) readings.members.push_back(view(reading, {}));
  d.add(std::move(readings));
  return d;
}

Document view(const DecodedWord& word) {
  Document d = std::visit([&](const auto& decoding) { return view(decoding, word.remarks); }, word.decoding);
  if (!word.read_as.empty()) d.blocks.insert(d.blocks.begin(), Field{"read_as", "read as", word.read_as});
  return d;
}

// The readings of two words that are compared: two of the same format where there are such, else the first ones.
template <class Decoding>
std::vector<Difference> differences(const Decoding& a, const Decoding& b) {
  for (const auto& first : a.readings)
    for (const auto& second : b.readings)
      if (first.descriptor.kind() == second.descriptor.kind()) return compare(first.descriptor, second.descriptor);
  return compare(a.readings.front().descriptor, b.readings.front().descriptor);
}

template <class Decoding>
void append_differences(Table& table, const Decoding& a, const Decoding& b, std::size_t index) {
  const std::string from = word_text(a.readings.front().descriptor), to = word_text(b.readings.front().descriptor);
  for (const Difference& difference : differences(a, b)) {
    const Tone tone = difference.matters == Matters::yes  ? Tone::bad
                      : difference.matters == Matters::no ? Tone::good
                                                          : Tone::accent;
    table.rows.push_back({{from},
                          {to, fmt::format("{}", index + 1)},
                          {difference.field},
                          {difference.a},
                          {difference.b},
                          {std::string(to_string(difference.matters)), "", tone},
                          {difference.why}});
  }
}

Table difference_table(const std::vector<DecodedWord>& words) {
  Table table{"differences",
              "",
              {{"from", ""},
               {"to", words.size() > 2 ? "word" : ""},
               {"field", "field"},
               {"a", "first word"},
               {"b", words.size() > 2 ? "this word" : "second word"},
               {"matters", "matters"},
               {"why", "why"}},
              {}};
  for (std::size_t i = 1; i < words.size(); ++i)
    std::visit(
        [&](const auto& first) {
          using Decoding = std::decay_t<decltype(first)>;
          append_differences(table, first, std::get<Decoding>(words[i].decoding), i);
        },
        words[0].decoding);
  return table;
}

// ---- k loops and logs

std::vector<SmemDescriptor> descriptors_of(const std::vector<DecodedWord>& words) {
  std::vector<SmemDescriptor> descriptors;
  for (const DecodedWord& word : words)
    if (const auto* smem = std::get_if<SmemDecoding>(&word.decoding))
      descriptors.push_back(smem->readings.front().descriptor);
  return descriptors;
}

void add_loops(Document& d, const std::vector<DecodedWord>& words) {
  const std::vector<SmemDescriptor> all = descriptors_of(words);
  Json json = Json::array();
  Document text;
  for (const FoundLoop& found : find_loops(all)) {
    std::vector<SmemDescriptor> own;
    for (const std::size_t i : found.words) own.push_back(all[i]);
    json.push_back(k_loop_json(own, found.loop));
    add_k_loop_text(text, own, found.loop);
  }
  d.add(Field{"loops", "", json});
  std::ranges::move(text.blocks, std::back_inserter(d.blocks));
}

std::string brief(const SmemDescriptor& word) {
  const std::string_view kind = to_string(word.kind());
  return fmt::format("{} {}, start {:#x}, LBO {} B, SBO {} B", kind.substr(0, kind.find('-')),
                     word.swizzle() ? word.swizzle()->name : "of an illegal mode", word.start_address().count,
                     word.leading_byte_offset().count, word.stride_byte_offset().count);
}
std::string brief(const InstructionDescriptor& word) {
  return fmt::format("kind::{}: {}", word.kind_row().name, summary(word));
}

std::string lint_names(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings)
    if (finding.severity != Severity::note) names.emplace_back(finding.rule);
  return join_and(names);
}

Json log_json(const WordLog& log) {
  Json words = Json::array(), addresses = Json::array();
  for (const WordText& word : log.words)
    words.push_back(Json{{"line", word.line}, {"text", word.text}, {"count", word.count}});
  for (const Address& address : log.addresses)
    addresses.push_back(Json{{"line", address.line}, {"text", address.text}, {"why", address.why}});
  return {{"lines", log.lines}, {"words", words}, {"addresses", addresses}, {"others", log.others}};
}

void add_log(Document& d, const std::vector<DecodedWord>& words, const WordLog& log) {
  d.add(Field{"log", "", log_json(log)});
  Table table{
      "",
      "",
      {{"", "line", Align::right}, {"", "word"}, {"", "times", Align::right}, {"", "reads as"}, {"", "lints"}},
      {}};
  for (std::size_t i = 0; i < words.size(); ++i)
    std::visit(
        [&](const auto& decoding) {
          const auto& reading = decoding.readings.front();
          table.rows.push_back({{log.words[i].line},
                                {word_text(reading.descriptor)},
                                {log.words[i].count},
                                {brief(reading.descriptor)},
                                {lint_names(reading.findings), "", Tone::bad}});
        },
        words[i].decoding);
  d.add(std::move(table));
  constexpr std::size_t shown = 8;
  for (std::size_t i = 0; i < log.addresses.size() && i < shown; ++i)
    d.add(Field{"", "left out", nullptr,
                fmt::format("{} in line {}, an address: {}", log.addresses[i].text, log.addresses[i].line,
                            log.addresses[i].why),
                Tone::faint});
  if (log.addresses.size() > shown)
    d.add(Field{"", "left out", nullptr, fmt::format("{} more addresses", log.addresses.size() - shown),
                Tone::faint});
  if (log.others > 0)
    d.add(Field{"", "not claimed", nullptr,
                fmt::format("{} numbers of more than 32 bits that no format takes", log.others), Tone::faint});
}

}  // namespace

Document view_decoded(const DecodedWords& decoded) {
  const std::vector<DecodedWord>& words = decoded.words;
  if (words.size() == 1 && !decoded.log) return view(words.front());
  Document d;
  Table table = difference_table(words);
  if (decoded.log) {
    for (Column& column : table.columns) column.label.clear();
    d.add(Paragraph{fmt::format("{} words in {} lines", words.size(), decoded.log->lines), Tone::strong});
  } else {
    d.add(Paragraph{table.rows.empty() ? "the words do not differ" : "differences from the first word",
                    Tone::strong});
  }
  d.add(std::move(table));
  if (decoded.log) add_log(d, words, *decoded.log);
  add_loops(d, words);
  Group group{"words", {}, !decoded.log || words.size() == 1};
  for (const DecodedWord& word : words) group.members.push_back(view(word));
  d.add(std::move(group));
  return d;
}

bool has_lints(const DecodedWords& decoded) {
  const std::vector<FoundLoop> loops = find_loops(descriptors_of(decoded.words));
  if (std::ranges::any_of(loops, [](const FoundLoop& found) { return found.loop.is_wrong(); })) return true;
  return std::ranges::any_of(decoded.words, [](const DecodedWord& word) {
    return std::visit(
        [](const auto& decoding) {
          return std::ranges::all_of(decoding.readings,
                                     [](const auto& reading) { return has_lints(reading.findings); });
        },
        word.decoding);
  });
}

}  // namespace swz
