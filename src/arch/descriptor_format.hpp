// A descriptor format as data: which field lies where in a word, and which bits must stay 0.
//
//   row of the wgmma table: {stride_byte_offset, bits 32-45, scale 16, unit "B"}
//   in 0x4000004000010040 it holds 64, which stands for 64 x 16 = 1024 B
//
// Invariants (tested, for every format): fields and reserved ranges cover each bit of the word exactly once.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/bit_field.hpp"
#include "base/finding.hpp"

namespace swz {

// Every field of every descriptor. A format has some of them.
enum class FieldId {
  // 64-bit SMEM descriptors
  start_address,
  leading_byte_offset,
  stride_byte_offset,
  version,
  base_offset,
  lbo_mode,
  swizzle,
  // 32-bit instruction descriptors
  sparsity_selector,
  sparse,
  saturate,
  d_type,
  a_type,
  b_type,
  negate_a,
  negate_b,
  transpose_a,
  transpose_b,
  n,
  m,
  max_shift,
  scale_b_id,
  scale_type,
  scale_a_id,
  k_size,
};

// The name JSON uses.
std::string_view to_string(FieldId field);
std::optional<FieldId> find_field(std::string_view name);
// Short enough to stand under the bits: "LBO".
std::string_view label(FieldId field);
// What `swz encode` calls it: "lbo".
std::string_view option_name(FieldId field);
// Whether a descriptor says nothing without it; other fields may be left out.
bool is_essential(FieldId field);

struct FieldRow {
  FieldId id;
  BitField bits;
  int scale = 0;          // value = raw * scale; 0: the raw value is a code with a name
  std::string_view unit;  // "B", or empty for counts and codes
  std::string_view meaning;
  Source source;
  std::uint64_t usual = 0;  // raw, where nothing else is asked for
};

// Bits that must be 0. `if_set` says what usually put a 1 there; empty: nothing known.
struct ReservedRow {
  BitField bits;
  std::string_view if_set;
  Source source;
};

struct DescriptorFormat {
  std::string_view name;  // "wgmma-smem", "tcgen05-smem", "tcgen05-idesc"
  std::string_view what;
  int width = 64;
  std::span<const FieldRow> fields;
  std::span<const ReservedRow> reserved;

  // Null: this format has no such field.
  constexpr const FieldRow* find(FieldId id) const {
    for (const FieldRow& row : fields)
      if (row.id == id) return &row;
    return nullptr;
  }
  constexpr std::uint64_t reserved_mask() const {
    std::uint64_t mask = 0;
    for (const ReservedRow& row : reserved) mask |= row.bits.mask();
    return mask;
  }
  // 0 when this format has no such field.
  constexpr std::uint64_t read(std::uint64_t word, FieldId id) const {
    const FieldRow* row = find(id);
    return row ? row->bits.read(word) : 0;
  }
};

}  // namespace swz
