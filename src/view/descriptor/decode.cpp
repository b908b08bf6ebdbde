// SPDX-License-Identifier: Apache-2.0
#include "view/descriptor/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "view/descriptor/k_loop.hpp"

namespace swz {

namespace {

using enum Column::Align;

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
  const auto bits = [](const DecodedField& field) {
    return Cell(Json{field.bits.low, field.bits.high()}, bit_ranges(field.bits.mask()));
  };
  return table_of<DecodedField>("fields", "", fields,
                                {{"name", "field", [](const DecodedField& field) { return to_string(field.id); }},
                                 {"bits", "bits", bits},
                                 {"raw", "raw", &DecodedField::raw, right},
                                 {"value", "value", value_cell},
                                 {"unit", "", [](const DecodedField& field) { return or_null(field.unit); }},
                                 {"meaning", "meaning", &DecodedField::meaning}});
}

BitRow bit_row(const DescriptorWord& word, const std::vector<DecodedField>& fields, std::string title,
               std::uint64_t unknown = 0) {
  BitRow row{word.word(), word.format().width, {}, std::move(title), unknown};
  for (const DecodedField& field : fields) {
    const auto* number = std::get_if<std::int64_t>(&field.value);
    const bool is_address = field.id == FieldId::start_address && number != nullptr && *number != 0;
    row.parts.push_back({std::string(label(field.id)), field.bits, false,
                         (field.bits.mask() & unknown) != 0 ? "?"
                         : is_address                       ? fmt::format("{:#x}", *number)
                                                            : value_text(field)});
  }
  for (const ReservedRow& reserved : word.format().reserved) row.parts.push_back({"reserved", reserved.bits, true, {}});
  return row;
}

// Both readings of LBO and SBO, because the word does not contain the major.
Table major_table(const SmemDescriptor& d, const SwizzleMode& mode) {
  const auto roles = [&](Major major) -> const StrideRoles& { return stride_roles(major, mode.family); };
  // What a stride is and what it steps over: "1024 B from one group of 8 rows to the next".
  const auto stride = [&](Bytes step, std::string_view role) {
    if (role.empty()) return Cell(nullptr, may_pass_span(mode) ? "not used by dense MMAs" : "not used", Tone::faint);
    return Cell(step, fmt::format("{} B {}", step.count, role_text(role, mode)));
  };
  const auto role_cell = [&](std::string_view role) { return role.empty() ? Json() : Json(role_text(role, mode)); };
  return table_of<Major>(
      "majors", "", std::array{Major::K, Major::MN},
      {{"major", "major", [](Major major) { return to_string(major); }},
       {"leading_byte_offset", "LBO",
        [&](Major major) { return stride(d.leading_byte_offset(), roles(major).leading); }},
       {"leading", "", [&](Major major) { return role_cell(roles(major).leading); }},
       {"stride_byte_offset", "SBO", [&](Major major) { return stride(d.stride_byte_offset(), roles(major).stride); }},
       {"stride", "", [&](Major major) { return role_cell(roles(major).stride); }}});
}

// The fields that every reading starts with.
template <class Word>
Document head(const Word& word, const std::string& text, std::string_view kind_qualifier) {
  const DescriptorFormat& format = word.format();
  Document d(fmt::format("{}  {}{}{} on {}", text, format.name,
                         kind_qualifier.empty() ? "" : ", kind::", kind_qualifier, word.target().name));
  d.json("word", text).json("kind", format.name).json("arch", word.target().name);
  if (!kind_qualifier.empty()) d.json("kind_qualifier", kind_qualifier);
  d.add(bit_row(word, decoded_fields(word), d.title));
  d.answers = {"fields.name.value.unit"};
  return d;
}

std::vector<Finding> joined(std::vector<Finding> remarks, const std::vector<Finding>& findings) {
  remarks.insert(remarks.end(), findings.begin(), findings.end());
  return remarks;
}

Document reading_view(const SmemReading& reading, const std::vector<Finding>& remarks) {
  const SmemDescriptor& descriptor = reading.descriptor;
  Document d = head(descriptor, word_text(descriptor), "");
  d.add(field_table(decoded_fields(descriptor)));
  if (descriptor.swizzle() != nullptr && !descriptor.absolute_lbo())
    d.add(major_table(descriptor, *descriptor.swizzle()));
  d.findings(joined(remarks, reading.findings));
  return d;
}

Document reading_view(const InstructionReading& reading, const std::vector<Finding>& remarks) {
  const InstructionDescriptor& descriptor = reading.descriptor;
  Document d = head(descriptor, word_text(descriptor), descriptor.kind_row().name);
  d.field("summary", "reads as", summary(descriptor));
  d.add(field_table(decoded_fields(descriptor)));
  d.findings(joined(remarks, reading.findings));
  return d;
}

std::string way_to_choose(const SmemDecoding&) { return "--arch chooses the format"; }
std::string way_to_choose(const InstructionDecoding&) { return "--kind chooses the kind"; }

template <class Decoding>
Document decoding_view(const Decoding& decoding, std::vector<Finding> remarks) {
  if (decoding.readings.size() == 1) {
    if (!decoding.why.empty()) remarks.insert(remarks.begin(), note("reading", decoding.why, way_to_choose(decoding)));
    return reading_view(decoding.readings.front(), remarks);
  }
  const std::string word = word_text(decoding.readings.front().descriptor);
  Document d(fmt::format("{}  {} readings", word, decoding.readings.size()));
  d.json("word", word);
  d.field("why", "why", fmt::format("{}; {}", decoding.why, way_to_choose(decoding)));
  if (!remarks.empty()) d.add(Notes{"notes", remarks});
  Group readings{"readings", {}};
  for (const auto& reading : decoding.readings) readings.members.push_back(reading_view(reading, {}));
  d.add(std::move(readings));
  return d;
}

std::string name_of(const SmemReading& reading) { return std::string(to_string(reading.descriptor.kind())); }
std::string name_of(const InstructionReading& reading) {
  return fmt::format("kind::{}", reading.descriptor.kind_row().name);
}

bool has_lints(const DecodedWord& word) {
  return std::visit(
      [](const auto& decoding) {
        return std::ranges::all_of(decoding.readings, [](const auto& reading) { return has_lints(reading.findings); });
      },
      word.decoding);
}

// The second line of every answer: "no lints", "lints: stride-zero and start-alignment". For several readings, each.
Field verdict_line(const DecodedWord& word) {
  std::string text;
  std::visit(
      [&](const auto& decoding) {
        const auto& all = decoding.readings;
        for (const auto& reading : all)
          text += fmt::format("{}{}{}", text.empty() ? "" : "; ", all.size() > 1 ? name_of(reading) + ": " : "",
                              lints_text(reading.findings));
      },
      word.decoding);
  return Field{"", "verdict", nullptr, text, has_lints(word) ? Tone::bad : Tone::good};
}

Document word_view(const DecodedWord& word) {
  Document d = std::visit([&](const auto& decoding) { return decoding_view(decoding, word.remarks); }, word.decoding);
  if (!word.read_as.empty()) d.blocks.insert(d.blocks.begin(), Field{"read_as", "read as", word.read_as});
  d.blocks.insert(d.blocks.begin(), verdict_line(word));
  return d;
}

// The readings of two words that are compared: two of the same format if there are such, otherwise the first ones.
template <class Decoding>
std::vector<Difference> differences(const Decoding& a, const Decoding& b) {
  for (const auto& first : a.readings)
    for (const auto& second : b.readings)
      if (first.descriptor.kind() == second.descriptor.kind()) return compare(first.descriptor, second.descriptor);
  return compare(a.readings.front().descriptor, b.readings.front().descriptor);
}

std::string target_of(const DecodedWord& word) {
  return std::visit([](const auto& d) { return std::string(d.readings.front().descriptor.target().name); },
                    word.decoding);
}

Table difference_table(const DecodedWords& decoded) {
  const std::vector<DecodedWord>& words = decoded.words;
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
  const auto append = [&](const auto& from, const auto& to, std::size_t number) {
    for (const Difference& difference : differences(from, to)) {
      const Tone tone = difference.matters == Matters::yes  ? Tone::bad
                        : difference.matters == Matters::no ? Tone::good
                                                            : Tone::accent;
      table.rows.push_back({word_text(from.readings.front().descriptor),
                            Cell(word_text(to.readings.front().descriptor), std::to_string(number)), difference.field,
                            difference.a, difference.b, Cell(to_string(difference.matters), "", tone), difference.why});
    }
  };
  if (decoded.is_one_word) {
    table.columns[3].label = target_of(words[0]);
    table.columns[4].label = target_of(words[1]);
  }
  for (std::size_t i = 1; i < words.size(); ++i)
    std::visit(
        [&](const auto& first) {
          if (const auto* other = std::get_if<std::decay_t<decltype(first)>>(&words[i].decoding))
            append(first, *other, i + 1);
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

std::vector<FoundLoop> loops_of(const DecodedWords& decoded) {
  if (decoded.is_one_word) return {};
  std::vector<std::optional<OperandRole>> operands;
  for (const DecodedWord& word : decoded.words)
    if (std::holds_alternative<SmemDecoding>(word.decoding)) operands.push_back(word.operand);
  return find_loops(descriptors_of(decoded.words), decoded.log.has_value(), operands);
}

void add_loops(Document& d, const std::vector<SmemDescriptor>& all, const std::vector<FoundLoop>& loops) {
  const auto words_of = [&](const FoundLoop& found) {
    std::vector<SmemDescriptor> own;
    for (const std::size_t i : found.words) own.push_back(all[i]);
    return own;
  };
  d.json("loops", json_list(loops, [&](const FoundLoop& f) { return k_loop_json(words_of(f), f.loop); }));
  for (const FoundLoop& found : loops) add_k_loop_text(d, words_of(found), found.loop);
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

Json log_json(const WordLog& log) {
  const auto word = [](const WordText& w) -> Json { return {{"line", w.line}, {"text", w.text}, {"count", w.count}}; };
  const auto address = [](const Address& a) -> Json { return {{"line", a.line}, {"text", a.text}, {"why", a.why}}; };
  return {{"lines", log.lines},
          {"words", json_list(log.words, word)},
          {"addresses", json_list(log.addresses, address)},
          {"others", log.others}};
}

void add_log(Document& d, const std::vector<DecodedWord>& words, const WordLog& log) {
  d.json("log", log_json(log));
  Table table{"", "", {{"", "line", right}, {"", "word"}, {"", "times", right}, {"", "reads as"}, {"", "lints"}}, {}};
  for (std::size_t i = 0; i < words.size(); ++i)
    std::visit(
        [&](const auto& decoding) {
          const auto& reading = decoding.readings.front();
          table.rows.push_back({log.words[i].line, word_text(reading.descriptor), log.words[i].count,
                                brief(reading.descriptor), Cell(lint_names(reading.findings), "", Tone::bad)});
        },
        words[i].decoding);
  d.add(std::move(table));
  constexpr std::size_t shown = 8;
  for (const Address& a : std::span(log.addresses).first(std::min(shown, log.addresses.size())))
    d.line("left out", fmt::format("{} in line {}, {}{}", a.text, a.line, a.is_address ? "an address: " : "", a.why),
           Tone::faint);
  if (log.addresses.size() > shown)
    d.line("left out", fmt::format("{} more addresses", log.addresses.size() - shown), Tone::faint);
  if (log.others > 0)
    d.line("not claimed", fmt::format("{} numbers of more than 32 bits that no format takes", log.others), Tone::faint);
}

bool has_lints(const DecodedWords& decoded, const std::vector<FoundLoop>& loops) {
  return std::ranges::any_of(loops, [](const FoundLoop& found) { return found.loop.is_wrong(); }) ||
         std::ranges::any_of(decoded.words, [](const DecodedWord& word) { return has_lints(word); });
}

// The verdict of several words: the mistakes of their loops, and the lints of any word.
std::string verdict_of(const DecodedWords& decoded, const std::vector<FoundLoop>& loops) {
  std::vector<std::string> mistakes;
  for (const FoundLoop& found : loops)
    for (const Explanation& mistake : found.loop.mistakes)
      if (found.loop.is_wrong()) mistakes.emplace_back(mistake.rule);
  std::vector<Finding> findings;
  for (const DecodedWord& word : decoded.words)
    std::visit(
        [&](const auto& decoding) {
          const std::vector<Finding>& own = decoding.readings.front().findings;
          findings.insert(findings.end(), own.begin(), own.end());
        },
        word.decoding);
  return mistakes.empty() ? lints_text(findings)
                          : fmt::format("k loop: {}; {}", join_and(mistakes), lints_text(findings));
}

}  // namespace

Document view_partly_known(const SmemDescriptor& word, std::uint64_t known, const std::string& title) {
  Document d;
  const std::vector<DecodedField> fields = decoded_fields(word);
  d.add(bit_row(word, fields, title, ~known));
  Table table = field_table(fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if ((fields[i].bits.mask() & ~known) == 0) continue;
    for (Cell& cell : std::span(table.rows[i]).subspan(2)) cell = Cell(nullptr, "?", Tone::faint);
    table.rows[i].back() = Cell("not known");
  }
  d.add(std::move(table));
  return d;
}

Document view_decoded(const DecodedWords& decoded) {
  const std::vector<DecodedWord>& words = decoded.words;
  if (words.size() == 1 && !decoded.log) return word_view(words.front());
  Table table = difference_table(decoded);
  if (decoded.log)
    for (Column& column : table.columns) column.label.clear();
  const bool is_mixed = std::ranges::any_of(
      words, [&](const DecodedWord& word) { return word.decoding.index() != words.front().decoding.index(); });
  Document d;
  d.add(Paragraph{decoded.log ? fmt::format("{} words in {} lines", words.size(), decoded.log->lines)
                  : is_mixed  ? "shared-memory and instruction descriptors, which are not compared"
                  : decoded.is_one_word && table.rows.empty() ? "the word means the same on both targets"
                  : decoded.is_one_word                       ? "what the word means on one target and on the other"
                  : table.rows.empty()                        ? "the words do not differ"
                                                              : "differences from the first word",
                  Tone::strong});
  const std::vector<SmemDescriptor> descriptors = descriptors_of(words);
  const std::vector<FoundLoop> loops = loops_of(decoded);
  d.line("verdict", verdict_of(decoded, loops), has_lints(decoded, loops) ? Tone::bad : Tone::good);
  if (decoded.log) d.answers = {"words.word.kind"};
  else if (!table.rows.empty()) d.answers = {"differences.field.a.b"};
  d.add(std::move(table));
  if (decoded.log) add_log(d, words, *decoded.log);
  add_loops(d, descriptors, loops);
  Group group{"words", {}, !decoded.log || words.size() == 1};
  for (const DecodedWord& word : words) group.members.push_back(word_view(word));
  d.add(std::move(group));
  return d;
}

bool has_lints(const DecodedWords& decoded) { return has_lints(decoded, loops_of(decoded)); }

}  // namespace swz
