// A word bound to a format table: every field is read and written through the table.
//
//   DescriptorWord w(0x4000004000010042, wgmma_smem_format, require_target("sm_90a"));
//   w.raw(FieldId::stride_byte_offset)   == 64
//   w.value(FieldId::stride_byte_offset) == 1024
//
// Invariant: word() is the word it was made from, reserved bits included.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "arch/descriptor_format.hpp"
#include "arch/target.hpp"

namespace swz {

// A field with its value. The value is a number, a name ("128B", "bf16"), or nothing when the code is illegal.
struct DecodedField {
  FieldId id;
  BitField bits;
  std::uint64_t raw = 0;
  std::variant<std::monostate, std::int64_t, std::string> value;
  std::string unit;
  std::string meaning;
};

class DescriptorWord {
 public:
  // format and target must outlive the word: they are rows of tables.
  DescriptorWord(std::uint64_t word, const DescriptorFormat& format, const Target& target)
      : word_(word), format_(&format), target_(&target) {}

  std::uint64_t word() const { return word_; }
  const DescriptorFormat& format() const { return *format_; }
  const Target& target() const { return *target_; }

  bool has(FieldId id) const { return format_->find(id) != nullptr; }
  // 0 when the format has no such field.
  std::uint64_t raw(FieldId id) const { return format_->read(word_, id); }
  // raw times the field's scale; meaningless for codes.
  std::int64_t value(FieldId id) const {
    const FieldRow* row = format_->find(id);
    return row ? static_cast<std::int64_t>(row->bits.read(word_)) * row->scale : 0;
  }
  bool flag(FieldId id) const { return raw(id) != 0; }
  std::uint64_t reserved_set() const { return word_ & format_->reserved_mask(); }

 private:
  std::uint64_t word_;
  const DescriptorFormat* format_;
  const Target* target_;
};

// "14, 30-31": the bits of a mask as ranges, lowest first.
std::string bit_ranges(std::uint64_t mask);

// What usually puts a 1 into the reserved bits that are set, one sentence a range; empty: nothing known.
std::string reserved_hint(const DescriptorWord& word);

// The number that a field holds for `value`: value / scale. Throws Error, with the range and the nearest values, when
// there is none. The field is not a code.
std::uint64_t raw_of(const FieldRow& row, std::int64_t value);
// "0 to 262128 B in steps of 16 B"
std::string range_text(const FieldRow& row);

// The word with `raw` in the field. Throws Error if the format has no such field or it cannot hold the value.
std::uint64_t with_field(std::uint64_t word, const DescriptorFormat& format, FieldId id, std::uint64_t raw);

}  // namespace swz
