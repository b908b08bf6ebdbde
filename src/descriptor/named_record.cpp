// SPDX-License-Identifier: Apache-2.0
#include "descriptor/named_record.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/swizzle_mode.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using Unit = FieldNameRow::Unit;

bool is_narrow(std::uint64_t value) { return value >> 32 == 0; }

bool has_eight_digits(const TextNumber& n) { return n.text.size() == 8 && std::ranges::all_of(n.text, is_hex); }

// Composes the word of a record, and compares it with everything else in the text.
class Composer {
 public:
  Composer(const NamedRecord& record, std::span<const TextNumber> numbers) : record_(record), numbers_(numbers) {}

  NamedWord word() {
    out_.first = record_.members.front();
    out_.is_idesc = record_.is_idesc();
    for (const std::size_t i : record_.members)
      if (!number(i).changed.empty())
        refuse(fmt::format("'{}' is an expression, and a word is made of numbers", number(i).changed),
               "give the number that it computes");
    if (record_.whole) take_whole();
    join_two(record_.low, record_.high);
    join_list(record_.reg32, 2, 32);
    join_list(record_.reg16, 4, 16);
    if (!value_ && !out_.problem) compose_fields();
    else check_fields();
    out_.word = value_.value_or(0);
    if (out_.text.empty()) out_.text = text_of(numbers_[out_.first]);
    return std::move(out_);
  }

 private:
  const TextNumber& number(std::size_t i) const { return numbers_[i]; }

  void refuse(std::string message, std::string hint) {
    if (!out_.problem) out_.problem = Error(std::move(message), std::move(hint));
  }

  void take_whole() {
    const TextNumber& n = number(*record_.whole);
    const std::string_view name = n.name.empty() ? n.group : n.name;
    std::uint64_t value = n.value;
    if (names_idesc(name)) out_.is_idesc = true;
    if (out_.is_idesc && !is_narrow(value)) {
      out_.how = fmt::format("the upper 32 bits of {} are read as the instruction descriptor", text_of(n));
      value >>= 32;
    }
    out_.spelling = n.spelling;
    out_.text = n.text;
    agree(value, std::string(name));
  }

  void agree(std::uint64_t value, const std::string& by) {
    if (!value_) {
      value_ = value;
      said_by_ = by;
    } else if (*value_ != value) {
      refuse(fmt::format("the text contradicts itself: {} is {}, but {} is {}", said_by_, hex64(*value_), by,
                         hex64(value)),
             "give the one that is right");
    }
  }

  void join_two(const std::optional<std::size_t>& low, const std::optional<std::size_t>& high) {
    if (!low && !high) return;
    if (!low || !high) {
      const TextNumber& one = number(low ? *low : *high);
      return refuse(fmt::format("'{}' is the {} half of a word, and the {} half is missing", text_of(one),
                                low ? "low" : "high", low ? "high" : "low"),
                    "give both, for example {lo = 66, hi = 64}, or the word");
    }
    join({std::min(*low, *high), std::max(*low, *high)}, {*low, *high}, 32);
  }

  void join_list(const std::vector<std::size_t>& list, std::size_t count, int bits) {
    if (list.empty()) return;
    if (list.size() != count)
      return refuse(fmt::format("'{}' begins {} numbers of {} bits, and a word has {}", text_of(number(list[0])),
                                list.size(), bits, count),
                    "give all of one word, the low one first");
    join(list, list, bits);
  }

  // Joins the parts: `parts` in the order of the text, `upwards` from the low one up.
  void join(const std::vector<std::size_t>& parts, const std::vector<std::size_t>& upwards, int bits) {
    std::string texts;
    for (const std::size_t i : parts) texts += (texts.empty() ? "" : " ") + std::string(number(i).text);
    const auto is_bare = [&](std::size_t i) { return number(i).spelling == Spelling::bare_hex; };
    const auto is_decimal = [&](std::size_t i) {
      return number(i).spelling == Spelling::number && std::ranges::all_of(number(i).text, is_digit);
    };
    // A decimal high half of eight digits always sets reserved bits, so two halves of eight digits are %08x.
    const auto has_prefix = [&](std::size_t i) { return number(i).text.starts_with("0x"); };
    const auto is_eight = [&](std::size_t i) { return has_prefix(i) || has_eight_digits(number(i)); };
    const bool are_hexadecimal = std::ranges::any_of(parts, has_prefix);
    const bool are_padded =
        bits == 32 && std::ranges::all_of(parts, is_eight) && !std::ranges::all_of(parts, has_prefix);
    // Next to 0x10042, 64 may be 0x40 or 0x64.
    const auto may_be_both = [&](std::size_t i) {
      const auto other = find_digits(number(i).text, 16);
      return is_decimal(i) && other && *other != number(i).value && *other >> bits == 0;
    };
    if (const auto one = std::ranges::find_if(parts, may_be_both); are_hexadecimal && !are_padded && one != parts.end())
      return refuse(fmt::format("{}: one has 0x, and '{}' may be decimal or hexadecimal", texts, text_of(number(*one))),
                    "write 0x before a hexadecimal number, or both as decimal ones");
    if (!are_padded && std::ranges::any_of(parts, is_bare) && std::ranges::any_of(parts, is_decimal))
      return refuse(fmt::format("{} are a hexadecimal number without 0x and a decimal one", texts),
                    "write 0x before the hexadecimal one");
    std::uint64_t value = 0;
    int shift = 0;
    for (const std::size_t i : upwards) {
      const bool is_bare_hex = are_padded && !has_prefix(i);
      const auto own = is_bare_hex ? find_digits(number(i).text, 16) : part_of_word(number(i), bits);
      if (!own)
        return refuse(fmt::format("'{}' has more than {} bits", text_of(number(i)), bits),
                      fmt::format("a part of the word has {} bits", bits));
      value |= *own << shift;
      shift += bits;
    }
    if (!value_) {
      out_.spelling = Spelling::halves;
      out_.text = texts;
      out_.how = fmt::format("{} are read as the {} of one word{}", texts,
                             bits == 32 ? "two 32-bit halves" : "four 16-bit quarters",
                             are_padded || std::ranges::any_of(parts, is_bare) ? ", hexadecimal" : "");
    }
    agree(value, texts);
  }

  // E2M1 is 5, but 1 in the fp4-only kinds, all of which are block-scaled: for these the text must decide.
  std::optional<std::uint64_t> code_of_several(const std::vector<std::uint64_t>& codes,
                                               const DescriptorFormat& format) const {
    if (&format == &plain_idesc_format) return std::ranges::max(codes);
    return std::nullopt;
  }

  // The number of a setting, for the name of a code or for a bit.
  std::optional<std::uint64_t> value_of(const NamedSetting& s, const DescriptorFormat& format) const {
    if (s.symbol.empty()) return s.value;
    const std::string lower = lower_case(s.symbol);
    const auto bits = bits_of(*s.row, format);
    if (lower == "true" || lower == "false")
      return bits && bits->width == 1 ? std::optional<std::uint64_t>(lower == "true") : std::nullopt;
    if (const auto codes = codes_of(*s.row, s.symbol, s.scope); !codes.empty())
      return codes.size() == 1 ? std::optional(codes[0]) : code_of_several(codes, format);
    if (s.row->id != FieldId::swizzle) return std::nullopt;
    const SwizzleMode* mode = s.symbol == "INTERLEAVE" ? find_swizzle_mode("none") : find_swizzle_mode(s.symbol);
    if (mode == nullptr) return std::nullopt;
    const auto code =
        mode->code(&format == &wgmma_smem_format ? SmemDescriptorKind::wgmma : SmemDescriptorKind::tcgen05);
    return code ? std::optional(static_cast<std::uint64_t>(*code)) : std::nullopt;
  }

  static std::vector<FieldId> needed(const DescriptorFormat& format) {
    using enum FieldId;
    if (&format == &plain_idesc_format) return {d_type, a_type, b_type, n, m};
    if (&format == &mxf4_idesc_format) return {a_type, b_type, n, m, scale_type};
    return {start_address, leading_byte_offset, stride_byte_offset, swizzle};
  }

  void compose_fields() {
    const DescriptorFormat& format = record_.format();
    std::vector<std::string> missing, unsaid;
    const std::vector<FieldId> all = needed(format);
    for (const FieldId id : all)
      if (!record_.has(id)) missing.emplace_back(to_string(id));
    const TextNumber& first = number(record_.fields.front().number);
    if (!missing.empty())
      return refuse(fmt::format("'{}' is a field of a descriptor, and the text does not give {}", text_of(first),
                                join_and(missing)),
                    "give the whole word, or all fields by their names");
    std::uint64_t word = 0, said = 0;
    for (const FieldRow& row : format.fields)
      if (!record_.has(row.id)) {
        word = row.bits.write(word, row.usual);
        unsaid.push_back(fmt::format("{} is not given and read as {}", to_string(row.id), row.usual));
      }
    for (const NamedSetting& s : record_.fields) {
      if (s.row->unit == Unit::undecided)
        return refuse(fmt::format("'{}' may count bytes or units of 16 bytes", text_of(number(s.number))),
                      "swz encode smem --start … --lbo … --sbo … takes bytes; the number of the field is named "
                      "start_address_, leading_byte_offset_ or stride_byte_offset_");
      if (const TextNumber& n = number(s.number); !n.unit.empty())
        return refuse(
            fmt::format("'{} {}' has a unit, and {} is the number in the field", text_of(n), n.unit, s.row->name),
            "give the number in the field; swz encode smem takes bytes");
      const auto bits = bits_of(*s.row, format);
      const auto value = value_of(s, format);
      if (bits && !value && codes_of(*s.row, s.symbol, s.scope).size() > 1)
        return refuse(
            fmt::format("'{}' is 5 in kind mxf8f6f4 and 1 in kinds mxf4 and mxf4nvf4", text_of(number(s.number))),
            "give the number that is in the field, or the name with its type: MXF4Format::E2M1");
      if (!bits || !value)
        return refuse(fmt::format("'{}' is not a value of a {} word", text_of(number(s.number)), format.name),
                      "give the number that is in the field, or the word");
      if (*value > bits->max())
        return refuse(fmt::format("'{}' does not fit in the {} bits of {}", text_of(number(s.number)), bits->width,
                                  to_string(s.row->id)),
                      fmt::format("the number in the field is at most {}{}", bits->max(), unit_text(s, format)));
      // Triton and CUTLASS use M >> 4 here too, and the format has M >> 7 in the upper two bits.
      if (s.row->id == FieldId::m && is_scaled_m(s, format) && *value % 8 != 0)
        return refuse(fmt::format("'{}' sets bits that are reserved in a block-scaled word", text_of(number(s.number))),
                      "the number in the field is M >> 4: 8 for M 128, 16 for M 256");
      if ((said & bits->mask()) != 0 && bits->read(word) != *value)
        return refuse(fmt::format("the text contradicts itself: {} is {}, but '{}'", to_string(s.row->id),
                                  bits->read(word), text_of(number(s.number))),
                      "give the one that is right");
      said |= bits->mask();
      word = bits->write(word, *value);
    }
    value_ = word;
    out_.format = &format;
    out_.spelling = Spelling::fields;
    out_.text = fmt::format("{} … {}", record_.fields.front().row->name, record_.fields.back().row->name);
    out_.how = fmt::format("{} fields by name, {} to {}, are read as a {} word{}{}", record_.fields.size(),
                           record_.fields.front().row->name, record_.fields.back().row->name, format.name,
                           unsaid.empty() ? "" : "; ", join_and(unsaid));
  }

  static std::string unit_text(const NamedSetting& s, const DescriptorFormat& format) {
    const FieldRow* row = format.find(s.row->id);
    if (is_scaled_m(s, format)) return ", in units of 16";
    return row != nullptr && row->scale > 1 ? fmt::format(", in units of {}", row->scale) : std::string();
  }

  static bool is_scaled_m(const NamedSetting& s, const DescriptorFormat& format) {
    return s.row->id == FieldId::m && &format != &plain_idesc_format && s.row->block_scaled.width > 0;
  }

  // For a word that is known: each field must agree with the word, in a format that it may have.
  void check_fields() {
    if (!value_ || record_.fields.empty()) return;
    const DescriptorFormat& own = record_.format();
    const bool is_open = &own == &wgmma_smem_format && !record_.names_fields();
    for (const NamedSetting& s : record_.fields) {
      if (agrees(s, own) || (is_open && agrees(s, tcgen05_smem_format))) continue;
      const auto bits = bits_of(*s.row, own);
      refuse(fmt::format("the text contradicts itself: {} is {}, but {}", said_by_, hex64(*value_),
                         bits ? fmt::format("'{}' is {} in this word", text_of(number(s.number)), bits->read(*value_))
                              : fmt::format("a {} word has no '{}'", own.name, s.row->name)),
             "give the one that is right");
    }
    if (record_.names_fields()) out_.format = &own;
  }

  bool agrees(const NamedSetting& s, const DescriptorFormat& format) const {
    const auto bits = bits_of(*s.row, format);
    const auto value = value_of(s, format);
    if (!bits || !value) return false;
    const std::uint64_t own = bits->read(*value_);
    if (s.row->id == FieldId::swizzle && s.row->unit == Unit::common && s.symbol.empty()) {  // swizzle=128
      const SwizzleMode* mode = find_swizzle_mode(number(s.number).text);
      const auto kind = &format == &wgmma_smem_format ? SmemDescriptorKind::wgmma : SmemDescriptorKind::tcgen05;
      if (mode != nullptr && mode->span.count > 16 && mode == swizzle_mode_of_code(kind, own)) return true;
    }
    const FieldRow* row = format.find(s.row->id);
    const bool may_be_bytes = s.row->unit == Unit::undecided && row != nullptr && row->scale > 1;
    return *value == own || (may_be_bytes && *value == own * static_cast<std::uint64_t>(row->scale));
  }

  const NamedRecord& record_;
  std::span<const TextNumber> numbers_;
  NamedWord out_ = {};
  std::optional<std::uint64_t> value_ = {};
  std::string said_by_ = {};
};

}  // namespace

bool names_idesc(std::string_view name) {
  const std::string lower = lower_case(name);
  return lower.find("idesc") != std::string::npos || lower.find("instr_desc") != std::string::npos ||
         lower.find("instrdesc") != std::string::npos || lower.find("instruction_desc") != std::string::npos ||
         lower.find("instructiondesc") != std::string::npos;
}

std::string text_of(const TextNumber& n) {
  const std::string_view name = n.name.empty() ? n.group : n.name;
  const std::string_view value = n.symbol.empty() ? n.text : n.symbol;
  return name.empty() ? std::string(value) : fmt::format("{} = {}", name, value);
}

NamedWord compose(const NamedRecord& record, std::span<const TextNumber> numbers) {
  return Composer(record, numbers).word();
}

}  // namespace swz
