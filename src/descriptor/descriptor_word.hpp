// SPDX-License-Identifier: Apache-2.0
// DescriptorWord: a word bound to a format table. Every field is read and written through the table, and the rules
// about a word are rows of a table too.
//
//   DescriptorWord w(0x4000004000010042, wgmma_smem_format, sm_90a());
//   w.raw(FieldId::stride_byte_offset)   == 64
//   w.value(FieldId::stride_byte_offset) == 1024
//
//   {"stride-zero", Severity::lint, "SBO is 0", applies, tell, source}     a rule: a new lint is a new row
//
// Invariant: word() is the word it was made from, reserved bits included.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "arch/target.hpp"
#include "base/finding.hpp"

namespace swz {

// A field with its value. The value is a number, a name ("128B", "bf16"), or nothing if the code is illegal.
struct DecodedField {
  FieldId id;
  BitField bits;
  std::uint64_t raw = 0;
  std::variant<std::monostate, std::int64_t, std::string> value;
  std::string unit;
  std::string meaning;
};
// "1024 B", "128B", "illegal code 3"
std::string value_text(const DecodedField& field);

class DescriptorWord {
 public:
  // format and target must outlive the word; they are rows of tables.
  DescriptorWord(std::uint64_t word, const DescriptorFormat& format, const Target& target)
      : word_(word), format_(&format), target_(&target) {}

  std::uint64_t word() const { return word_; }
  const DescriptorFormat& format() const { return *format_; }
  const Target& target() const { return *target_; }

  bool has(FieldId id) const { return format_->find(id) != nullptr; }
  // The raw number of a field; 0 if the format has no such field.
  std::uint64_t raw(FieldId id) const { return format_->read(word_, id); }
  // The raw number times the field's scale; meaningless for codes.
  std::int64_t value(FieldId id) const {
    const FieldRow* row = format_->find(id);
    return row ? static_cast<std::int64_t>(row->bits.read(word_)) * row->scale : 0;
  }
  bool flag(FieldId id) const { return raw(id) != 0; }
  std::uint64_t reserved_set() const { return word_ & format_->reserved_mask(); }
  // A field of the format as a number; a field that is a code has no value.
  DecodedField number_field(const FieldRow& row) const;

 private:
  std::uint64_t word_;
  const DescriptorFormat* format_;
  const Target* target_;
};

// The bits of a mask as ranges, lowest first: "14, 30-31".
std::string bit_ranges(std::uint64_t mask);
// "bit 14", "bits 14, 30-31"
std::string bits_text(std::uint64_t mask);
// The bits of a word of sm_107 that the targets before it keep 0, if some are set, and what to know of them.
std::uint64_t bits_of_107(const DescriptorWord& d);
Advice tell_bits_of_107(const DescriptorWord& d);

// The usual cause of a 1 in each range of reserved bits that is set, one sentence per range; empty if none is known.
std::string reserved_hint(const DescriptorWord& word);

// The number in a field for `value`: value / scale. Throws Error, with the range and the nearest values, if there is
// none. The field must not be a code.
std::uint64_t raw_of(const FieldRow& row, std::int64_t value);
// "0 to 262128 B in steps of 16 B"
std::string range_text(const FieldRow& row);

// The word with `raw` in the field. Throws Error if the format has no such field or the number does not fit into it.
std::uint64_t with_field(std::uint64_t word, const DescriptorFormat& format, FieldId id, std::uint64_t raw);

// The fields in the order of their bits.
template <class Descriptor>
std::vector<DecodedField> decoded_fields(const Descriptor& descriptor) {
  std::vector<DecodedField> fields;
  for (const FieldRow& row : descriptor.format().fields) fields.push_back(decoded_field(descriptor, row));
  return fields;
}

// When a rule applies to a descriptor, and its advice.
template <class Descriptor>
struct DescriptorRule {
  std::string_view name;
  Severity severity;
  std::string_view what;  // one line, for the table of rules
  bool (*applies)(const Descriptor&);
  Advice (*tell)(const Descriptor&);
  Source source;
};

// The findings of the rules that apply, in the order of the table.
template <class Descriptor>
std::vector<Finding> findings(std::span<const DescriptorRule<Descriptor>> rules, const Descriptor& descriptor) {
  std::vector<Finding> out;
  for (const DescriptorRule<Descriptor>& rule : rules) {
    if (!rule.applies(descriptor)) continue;
    Advice advice = rule.tell(descriptor);
    out.push_back({rule.severity, std::string(rule.name), std::move(advice.message), std::move(advice.hint),
                   to_string(rule.source)});
  }
  return out;
}

// A word in one format, and the findings of the rules of this format.
template <class Descriptor>
struct WordReading {
  Descriptor descriptor;
  std::vector<Finding> findings;
  // The number of rules of the format that it breaks.
  std::ptrdiff_t broken() const { return count(findings, Severity::format); }
};

// One reading, or several if the word by itself does not decide.
template <class Descriptor>
struct WordDecoding {
  std::vector<WordReading<Descriptor>> readings;
  std::string why;  // how the format was chosen; empty if it was given
};

}  // namespace swz
