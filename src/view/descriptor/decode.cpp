// SPDX-License-Identifier: Apache-2.0
#include "view/descriptor/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "view/descriptor/field_look.hpp"
#include "view/descriptor/k_loop.hpp"
#include "view/document/headline.hpp"

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

// Whether K-major operands ignore the field: LBO of a swizzled mode.
bool is_ignored(const SmemDescriptor& d, FieldId id) {
  return id == FieldId::leading_byte_offset && d.swizzle() != nullptr && !d.absolute_lbo() &&
         stride_roles(Major::K, d.swizzle()->family).leading.empty();
}
bool is_ignored(const InstructionDescriptor&, FieldId) { return false; }

BitRow::Part part_of(const DecodedField& field, const FieldRow& row, bool is_unknown, bool is_ignored) {
  const auto* number = std::get_if<std::int64_t>(&field.value);
  const bool is_address = field.id == FieldId::start_address && number != nullptr && *number != 0;
  BitRow::Part part{std::string(label(field.id)), field.bits, false, {}};
  part.value = is_unknown ? "?" : is_address ? fmt::format("{:#x}", *number) : value_text(field);
  part.tint = tint_of(field.id);
  if (is_unknown) {
    part.said = part.name + "; ? is not known";
    return part;
  }
  part.said = said_in_picture(field, row);
  if (is_ignored) {
    part.look = BitRow::Look::unused;
    part.said = (part.said.empty() ? part.name + " = " + part.value : part.said) + ", ignored if K-major";
  } else if (field.raw == 0 && row.usual == 0 && !is_essential(field.id)) {
    part.look = BitRow::Look::quiet;
    if (part.said.empty()) part.said = part.name + " " + part.value;
  }
  return part;
}

template <class Word>
BitRow bit_row(const Word& word, const std::vector<DecodedField>& fields, std::string title,
               std::uint64_t unknown = 0) {
  BitRow row{word.word(), word.format().width, {}, std::move(title), unknown};
  for (const DecodedField& field : fields)
    row.parts.push_back(
        part_of(field, *word.format().find(field.id), (field.bits.mask() & unknown) != 0, is_ignored(word, field.id)));
  for (const ReservedRow& reserved : word.format().reserved) row.parts.push_back({"reserved", reserved.bits, true, {}});
  return row;
}

// The fields that lints are about are wrong, and below the bits is how to fix them.
void mark_lints(BitRow& row, const DescriptorFormat& format, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::note) continue;
    const std::string hint = without_options(finding.hint);
    if (!hint.empty()) row.mends.push_back({hint});
    else if (!finding.message.empty()) row.mends.push_back({finding.message, Tone::bad});
    const std::optional<FieldId> id = field_of_rule(finding.rule);
    const FieldRow* field = id ? format.find(*id) : nullptr;
    for (BitRow::Part& part : row.parts)
      if (field != nullptr && part.bits.low == field->bits.low) {
        if (part.look != BitRow::Look::usual) part.said.clear();
        part.look = BitRow::Look::wrong;
      }
  }
}

// What the strides of the word step over: "+1024 B to the next 8 rows".
std::string steps_text(const SmemDescriptor& d, Major major) {
  const SwizzleMode& mode = *d.swizzle();
  const StrideRoles& roles = stride_roles(major, mode.family);
  const auto step = [&](Bytes by, std::string_view role) {
    // "from one group of 8 rows to the next"
    std::string to = role_text(role, mode);
    for (const std::string_view left_out : {"from one ", " to the next", "group of ", "block of "})
      if (const auto at = to.find(left_out); at != std::string::npos) to.erase(at, left_out.size());
    return fmt::format("+{} B to the next {}", by.count, to);
  };
  std::string text = step(d.stride_byte_offset(), roles.stride);
  if (!roles.leading.empty()) text += ", " + step(d.leading_byte_offset(), roles.leading);
  return text;
}

// The word as a sentence; the strides as those of a K-major operand, which is usual. Without a legal mode there is
// none.
std::string sentence_of(const SmemDescriptor& d) {
  if (d.swizzle() == nullptr || d.absolute_lbo()) return {};
  return fmt::format("mode {} from {:#x}; K-major: {}", d.swizzle()->name, d.start_address().count,
                     steps_text(d, Major::K));
}
std::string sentence_of(const InstructionDescriptor& d) { return short_sentence(summary(d)); }

// The answer: what is wrong with the word, otherwise what it says.
template <class Word>
std::string headline_of(const WordReading<Word>& reading) {
  for (const Finding& finding : reading.findings)
    if (finding.severity != Severity::note) return short_sentence(finding.message);
  return sentence_of(reading.descriptor);
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

// What a short text says instead of the tables and notes: of a word without lints what its strides step over.
void add_short_lines(Document& d, const SmemReading& reading) {
  const SmemDescriptor& word = reading.descriptor;
  if (word.swizzle() == nullptr || word.absolute_lbo() || has_lints(reading.findings)) return;
  for (const Major major : {Major::K, Major::MN})
    d.add(in_short(Field{"", std::string(to_string(major)), nullptr, steps_text(word, major)}));
}
void add_short_lines(Document&, const InstructionReading&) {}

// The fields that every reading starts with.
template <class Word>
Document head(const WordReading<Word>& reading, const std::string& text, std::string_view kind_qualifier) {
  const Word& word = reading.descriptor;
  const DescriptorFormat& format = word.format();
  Document d(fmt::format("{}  {}{}{} on {}", text, format.name,
                         kind_qualifier.empty() ? "" : ", kind::", kind_qualifier, word.target().name));
  d.json("word", text).json("kind", format.name).json("arch", word.target().name);
  if (!kind_qualifier.empty()) d.json("kind_qualifier", kind_qualifier);
  d.headline = headline_of(reading);
  add_short_lines(d, reading);
  BitRow row = bit_row(word, decoded_fields(word), d.title);
  mark_lints(row, format, reading.findings);
  d.add(std::move(row));
  d.answers = {"fields.name.value.unit"};
  return d;
}

std::vector<Finding> joined(std::vector<Finding> remarks, const std::vector<Finding>& findings) {
  remarks.insert(remarks.end(), findings.begin(), findings.end());
  return remarks;
}

// Notes in text only if everything is asked for.
void add_findings(Document& d, const std::vector<Finding>& all) {
  Document listed;
  listed.findings(all);
  d.add(in_full(std::move(listed.blocks.front()))).add(std::move(listed.blocks.back()));
}

Document reading_view(const SmemReading& reading, const std::vector<Finding>& remarks) {
  const SmemDescriptor& descriptor = reading.descriptor;
  Document d = head(reading, word_text(descriptor), "");
  const bool has_majors = descriptor.swizzle() != nullptr && !descriptor.absolute_lbo();
  d.add(in_full(field_table(decoded_fields(descriptor))));
  if (has_majors) d.add(in_full(major_table(descriptor, *descriptor.swizzle())));
  add_findings(d, joined(remarks, reading.findings));
  return d;
}

Document reading_view(const InstructionReading& reading, const std::vector<Finding>& remarks) {
  const InstructionDescriptor& descriptor = reading.descriptor;
  Document d = head(reading, word_text(descriptor), descriptor.kind_row().name);
  d.field("summary", "reads as", summary(descriptor));
  d.add(in_full(field_table(decoded_fields(descriptor))));
  add_findings(d, joined(remarks, reading.findings));
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
  d.blocks.insert(d.blocks.begin(),
                  in_short(Field{"", "more", nullptr, "what each field means, notes: --full", Tone::faint}));
  d.blocks.insert(d.blocks.begin(), verdict_line(word));
  if (d.headline.empty())
    d.headline = std::visit(
        [](const auto& decoding) {
          return decoding.readings.size() > 1 ? fmt::format("{} formats have such a word", decoding.readings.size())
                                              : std::string("nothing is wrong with this word");
        },
        word.decoding);
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

std::vector<SmemDescriptor> words_of(const FoundLoop& found, const std::vector<SmemDescriptor>& all) {
  std::vector<SmemDescriptor> own;
  for (const std::size_t i : found.words) own.push_back(all[i]);
  return own;
}

void add_loops(Document& d, const std::vector<SmemDescriptor>& all, const std::vector<FoundLoop>& loops,
               bool has_figure) {
  d.json("loops", json_list(loops, [&](const FoundLoop& f) { return k_loop_json(words_of(f, all), f.loop); }));
  for (const FoundLoop& found : loops) add_k_loop_text(d, words_of(found, all), found.loop, has_figure);
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

// ---- several words as one figure

// Whether the words have one format, so that their bits can be compared.
bool have_one_format(const std::vector<DecodedWord>& words) {
  const auto format_of = [](const DecodedWord& word) {
    return std::visit(
        [](const auto& d) { return d.readings.size() == 1 ? &d.readings.front().descriptor.format() : nullptr; },
        word.decoding);
  };
  const DescriptorFormat* first = format_of(words.front());
  return first != nullptr && std::ranges::all_of(words, [&](const DecodedWord& w) { return format_of(w) == first; });
}

std::uint64_t bits_of(const DecodedWord& word) {
  return std::visit([](const auto& d) { return d.readings.front().descriptor.word(); }, word.decoding);
}

// What to say of word i, in the loop that it belongs to: by how much it advances, and what would be right.
//   "+16 = +256 B, wrong", "right word: 0x4000004000010042"
std::optional<BitRow::Version> in_loop(const std::vector<SmemDescriptor>& words, const std::vector<FoundLoop>& loops,
                                       std::size_t i) {
  const auto advance = [](std::int64_t by) { return fmt::format("{:+} = {:+} B", by / chunk.count, by); };
  for (const FoundLoop& found : loops) {
    const auto place = std::ranges::find(found.words, i);
    if (place == found.words.end() || place == found.words.begin()) continue;
    const std::int64_t number = place - found.words.begin() + 1;
    BitRow::Version version{words[i].word(), {}, {advance(found.loop.advances[static_cast<std::size_t>(number - 2)])}};
    version.tone = found.loop.is_right() ? Tone::good : Tone::plain;
    if (!found.loop.is_wrong()) return version;
    const Explanation& mistake = found.loop.mistakes.front();
    if (number < mistake.word_number) return version;
    version.tone = Tone::bad;
    if (number > mistake.word_number) return version;
    const SmemDescriptor right(*mistake.word, words[i].target());
    version.remarks.front() += ", wrong";
    version.way_out = "right word: " + hex64(right.word());
    return version;
  }
  return std::nullopt;
}

// "SBO 1024 B → 512 B", for each field that differs from the first word.
std::vector<std::string> changes_of(const DecodedWord& first, const DecodedWord& word) {
  std::vector<std::string> changes;
  std::visit(
      [&](const auto& from) {
        const auto& to = std::get<std::decay_t<decltype(from)>>(word.decoding);
        for (const Difference& difference : differences(from, to)) {
          const std::optional<FieldId> id = find_field(difference.field);
          changes.push_back(fmt::format("{} {} → {}", id ? label(*id) : difference.field, difference.a, difference.b));
        }
      },
      first.decoding);
  return changes;
}

constexpr std::size_t most_versions = 24;

// The words as rows of one figure.
BitRow versions_figure(const DecodedWords& decoded, const std::vector<FoundLoop>& loops) {
  const std::vector<DecodedWord>& words = decoded.words;
  BitRow row = std::visit(
      [](const auto& d) {
        const auto& descriptor = d.readings.front().descriptor;
        std::string kind(descriptor.format().name);
        if (kind.ends_with("-smem")) kind.replace(kind.size() - 5, 5, " descriptors");
        return bit_row(descriptor, decoded_fields(descriptor), fmt::format("{} on {}", kind, descriptor.target().name));
      },
      words.front().decoding);
  const std::vector<SmemDescriptor> descriptors = descriptors_of(words);
  for (std::size_t i = 0; i < std::min(most_versions, words.size()); ++i) {
    std::optional<BitRow::Version> version = in_loop(descriptors, loops, i);
    if (!version)
      version =
          BitRow::Version{bits_of(words[i]), {}, i > 0 ? changes_of(words[0], words[i]) : std::vector<std::string>{}};
    version->name = std::to_string(i + 1);
    row.versions.push_back(std::move(*version));
  }
  row.title = fmt::format("{} words, {}", words.size(), row.title);
  if (words.size() > most_versions) row.title += fmt::format("; the first {} are drawn", most_versions);
  const std::uint64_t changed = [&] {
    std::uint64_t bits = 0;
    for (const BitRow::Version& version : row.versions) bits |= version.word ^ row.word;
    return bits;
  }();
  for (BitRow::Part& part : row.parts)
    if ((part.bits.mask() & changed) != 0)
      part.said = part.name + (part.value.empty() ? "" : fmt::format(", first {}", part.value));
  return row;
}

// The answer for several words in one sentence.
std::string headline_of(const DecodedWords& decoded, const std::vector<FoundLoop>& loops) {
  const std::vector<SmemDescriptor> descriptors = descriptors_of(decoded.words);
  for (const FoundLoop& found : loops) {
    if (found.loop.is_wrong() || found.loop.is_right()) return loop_verdict(words_of(found, descriptors), found.loop);
  }
  std::vector<std::string> fields;
  for (std::size_t i = 1; i < decoded.words.size(); ++i)
    for (const std::string& change : changes_of(decoded.words[0], decoded.words[i])) {
      const std::string field = change.substr(0, change.find(' '));
      if (std::ranges::find(fields, field) == fields.end()) fields.push_back(field);
    }
  return fields.empty() ? "the words do not differ" : short_sentence("the words differ in " + join_and(fields));
}

// The verdict of several words: the mistakes of their loops, and the lints of any word.
std::string verdict_of(const DecodedWords& decoded, const std::vector<FoundLoop>& loops) {
  const std::vector<SmemDescriptor> descriptors = descriptors_of(decoded.words);
  std::string mistake;
  for (const FoundLoop& found : loops)
    if (found.loop.is_wrong() && mistake.empty()) mistake = loop_verdict(words_of(found, descriptors), found.loop);
  std::vector<Finding> findings;
  for (const DecodedWord& word : decoded.words)
    std::visit(
        [&](const auto& decoding) {
          const std::vector<Finding>& own = decoding.readings.front().findings;
          findings.insert(findings.end(), own.begin(), own.end());
        },
        word.decoding);
  return mistake.empty() ? lints_text(findings) : fmt::format("{}; {}", mistake, lints_text(findings));
}

}  // namespace

Document view_partly_known(const SmemDescriptor& word, std::uint64_t known, const std::string& title,
                           const std::vector<Finding>& findings) {
  Document d;
  const std::vector<DecodedField> fields = decoded_fields(word);
  BitRow row = bit_row(word, fields, title, ~known);
  mark_lints(row, word.format(), findings);
  d.add(std::move(row));
  Table table = field_table(fields);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if ((fields[i].bits.mask() & ~known) == 0) continue;
    for (Cell& cell : std::span(table.rows[i]).subspan(2)) cell = Cell(nullptr, "?", Tone::faint);
    table.rows[i].back() = Cell("not known");
  }
  d.add(in_full(std::move(table)));
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
  const std::size_t fields_that_differ = table.rows.size();
  d.line("verdict", verdict_of(decoded, loops), has_lints(decoded, loops) ? Tone::bad : Tone::good);
  if (decoded.log) d.answers = {"words.word.kind"};
  else if (!table.rows.empty()) d.answers = {"differences.field.a.b"};
  const bool is_one_figure = !decoded.log && !decoded.is_one_word && !is_mixed && have_one_format(words);
  d.add(is_one_figure ? in_full(std::move(table)) : Block(std::move(table)));
  if (decoded.log) add_log(d, words, *decoded.log);
  add_loops(d, descriptors, loops, is_one_figure);
  if (!is_one_figure) d.headline = std::get<Paragraph>(d.blocks.front()).text;
  if (decoded.is_one_word && fields_that_differ > 0)
    d.headline = fmt::format("{} of this word differ on {} and {}",
                             plural(static_cast<std::int64_t>(fields_that_differ), "field"), target_of(words[0]),
                             target_of(words[1]));
  if (is_one_figure) {
    d.headline = headline_of(decoded, loops);
    d.add(in_short(Field{"", "more", nullptr, "each word, its fields, notes and lints: --full", Tone::faint}));
    d.add(versions_figure(decoded, loops));
  }
  Group group{"words", {}, !decoded.log || words.size() == 1};
  for (const DecodedWord& word : words) group.members.push_back(word_view(word));
  d.add(is_one_figure ? in_full(std::move(group)) : Block(std::move(group)));
  return d;
}

bool has_lints(const DecodedWords& decoded) { return has_lints(decoded, loops_of(decoded)); }

}  // namespace swz
