// SPDX-License-Identifier: Apache-2.0
#include "descriptor/descriptor_word.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/error.hpp"

namespace swz {

namespace {

std::string with_unit(std::int64_t number, std::string_view unit) {
  return fmt::format("{}{}{}", number, unit.empty() ? "" : " ", unit);
}

}  // namespace

std::string value_text(const DecodedField& field) {
  if (std::holds_alternative<std::monostate>(field.value)) return fmt::format("illegal code {}", field.raw);
  if (const auto* name = std::get_if<std::string>(&field.value)) return *name;
  return with_unit(std::get<std::int64_t>(field.value), field.unit);
}

DecodedField DescriptorWord::number_field(const FieldRow& row) const {
  DecodedField field{row.id, row.bits, raw(row.id), {}, std::string(row.unit), std::string(row.meaning)};
  if (row.scale != 0) field.value = value(row.id);
  return field;
}

std::string bit_ranges(std::uint64_t mask) {
  std::string out;
  for (int low = 0; low < 64; ++low) {
    if (((mask >> low) & 1) == 0) continue;
    int high = low;
    while (high < 63 && ((mask >> (high + 1)) & 1) != 0) ++high;
    if (!out.empty()) out += ", ";
    out += low == high ? fmt::format("{}", low) : fmt::format("{}-{}", low, high);
    low = high;
  }
  return out;
}

std::string bits_text(std::uint64_t mask) {
  return fmt::format("{} {}", std::popcount(mask) == 1 ? "bit" : "bits", bit_ranges(mask));
}

std::string reserved_hint(const DescriptorWord& word) {
  std::string hint;
  for (const ReservedRow& row : word.format().reserved) {
    if (row.bits.read(word.word()) == 0 || row.if_set.empty()) continue;
    hint += fmt::format("{}bits {}: {}", hint.empty() ? "" : "; ", bit_ranges(row.bits.mask()), row.if_set);
  }
  return hint;
}

std::string range_text(const FieldRow& row) {
  const auto most = static_cast<std::int64_t>(row.bits.max()) * row.scale;
  const std::string steps = row.scale == 1 ? "" : " in steps of " + with_unit(row.scale, row.unit);
  return fmt::format("0 to {}{}", with_unit(most, row.unit), steps);
}

std::uint64_t raw_of(const FieldRow& row, std::int64_t value) {
  const auto most = static_cast<std::int64_t>(row.bits.max()) * row.scale;
  const bool is_inside = value >= 0 && value <= most;
  if (is_inside && value % row.scale == 0) return static_cast<std::uint64_t>(value / row.scale);
  const std::int64_t below = value / row.scale * row.scale;
  throw Error(fmt::format("{} {} {}", to_string(row.id), with_unit(value, row.unit),
                          is_inside ? "is not a multiple of " + with_unit(row.scale, row.unit)
                                    : fmt::format("does not fit in bits {}", bit_ranges(row.bits.mask()))),
              fmt::format("{}; nearest: {}", range_text(row),
                          is_inside ? fmt::format("{} or {}", below, below + row.scale)
                                    : fmt::to_string(value < 0 ? 0 : most)));
}

std::uint64_t with_field(std::uint64_t word, const DescriptorFormat& format, FieldId id, std::uint64_t raw) {
  const FieldRow* row = format.find(id);
  if (row == nullptr)
    throw Error(fmt::format("{} has no field {}", format.what, to_string(id)), "leave it out or choose another target");
  if (raw > row->bits.max())
    throw Error(fmt::format("{} {} does not fit in bits {}", to_string(id), raw, bit_ranges(row->bits.mask())),
                fmt::format("the largest value is {}", row->bits.max()));
  return row->bits.write(word, raw);
}

std::uint64_t bits_of_107(const DescriptorWord& d) {
  return d.target().has_107_fields ? d.word() & only_on_107(d.format()) : 0;
}

Advice tell_bits_of_107(const DescriptorWord& d) {
  return {
      fmt::format("sm_100, sm_103 and sm_110 keep {} 0: the word means this on sm_107 only", bits_text(bits_of_107(d))),
      ""};
}

}  // namespace swz
