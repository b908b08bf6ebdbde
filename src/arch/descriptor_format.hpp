// SPDX-License-Identifier: Apache-2.0
// A descriptor format as data: where each field of a word is, and which bits must stay 0.
//
//   row of the wgmma table: {stride_byte_offset, bits 32-45, scale 16, unit "B"}
//   in 0x4000004000010040 the field is 64, which means 64 x 16 = 1024 B
//
//   0x4000004000010040   wgmma    start 1024 B, LBO 16 B, SBO 1024 B, mode 128B (code 1 in bits 62-63)
//   0x4000404000010040   tcgen05  the same operand: bit 46 set, code 2 in bits 61-63
//   0x08400490           the instruction descriptor of kind::f16: D type 1 = f32, A and B type 1 = bf16,
//                        N = 32 x 8 = 256, M = 8 x 16 = 128
//   0x4000404000015000   tcgen05 on sm_107: start 0x50000, one bit more than sm_100 has; there bit 14 must be 0
//
// Addresses and strides are 18-bit byte quantities, stored as byte >> 4; on sm_107 start and LBO have 19 bits. A row
// for the words of sm_107 alone, or for those before it, says so. The codes of `swizzle` are in
// arch/swizzle_mode.hpp; the codes of types, the flags that a kind allows, and the shapes are in arch/instruction.hpp.
//
// Invariants (tested, for every format): fields and reserved ranges cover each bit of the word exactly once.
// Source: PTX ISA 9.1, 9.7.15.5.1.2.2 and 9.7.16.4.1 (table 40); tables 42, 43 and 44; CUTLASS mma_sm90_desc.hpp,
// mma_sm100_desc.hpp. For sm_107 PTX ISA 9.4, tables 49 and 51 to 53, and the words of CuTe DSL 4.8.1.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "arch/instruction.hpp"
#include "arch/target.hpp"
#include "base/bit_field.hpp"
#include "base/finding.hpp"

namespace swz {

// Every field of every descriptor. Each format has some of them.
// clang-format off
enum class FieldId {
  // 64-bit SMEM descriptors
  start_address, leading_byte_offset, stride_byte_offset, version, base_offset, lbo_mode, b_segment, swizzle,
  // 32-bit instruction descriptors
  sparsity_selector, sparse, saturate, d_type, a_type, b_type, negate_a, negate_b, transpose_a, transpose_b,
  n, m, max_shift, scale_b_id, scale_type, scale_a_id, k_size, k_twice, sparsity_version, sfa_layout,
};
// clang-format on

// The name in JSON.
std::string_view to_string(FieldId field);
std::optional<FieldId> find_field(std::string_view name);
// A label that is short enough for the bit row: "LBO".
std::string_view label(FieldId field);
// The option of `swz encode`: "lbo".
std::string_view option_name(FieldId field);
// Whether a descriptor means nothing without this field; the other fields may be omitted.
bool is_essential(FieldId field);

// The words that have a row of a format: all, those of the targets before sm_107, or those of sm_107.
enum class InWords { all, before_107, of_107 };

struct FieldRow {
  FieldId id;
  BitField bits;
  int scale = 0;          // value = raw * scale; 0: the raw value is a code with a name
  std::string_view unit;  // "B", or empty for counts and codes
  std::string_view meaning;
  Source source;
  std::uint64_t usual = 0;  // the raw value if nothing else is requested
  InWords in = InWords::all;
};

// Bits that must be 0. `if_set` gives the usual cause of a 1 there; it is empty if none is known.
struct ReservedRow {
  BitField bits;
  std::string_view if_set;
  Source source;
  InWords in = InWords::all;
};

struct DescriptorFormat {
  std::string_view name;  // "wgmma-smem", "tcgen05-smem", "tcgen05-idesc"
  std::string_view what;
  int width = 64;
  std::span<const FieldRow> fields;
  std::span<const ReservedRow> reserved;

  // The field's row, or null if this format has no such field.
  const FieldRow* find(FieldId id) const {
    for (const FieldRow& row : fields)
      if (row.id == id) return &row;
    return nullptr;
  }
  std::uint64_t reserved_mask() const {
    std::uint64_t mask = 0;
    for (const ReservedRow& row : reserved) mask |= row.bits.mask();
    return mask;
  }
  // The raw value of the field, or 0 if this format has no such field.
  std::uint64_t read(std::uint64_t word, FieldId id) const {
    const FieldRow* row = find(id);
    return row ? row->bits.read(word) : 0;
  }
};

extern const DescriptorFormat wgmma_smem_format, tcgen05_smem_format, tcgen05_smem_format_107;
// The format that the target reads. It must read one.
const DescriptorFormat& smem_format(const Target& target);

// The instruction descriptor of tcgen05.mma: three formats for eight kinds.
inline constexpr std::string_view idesc_name = "tcgen05-idesc";
extern const DescriptorFormat plain_idesc_format, mxf8f6f4_idesc_format, mxf4_idesc_format;
extern const DescriptorFormat plain_idesc_format_107, mxf8f6f4_idesc_format_107, mxf4_idesc_format_107;
const DescriptorFormat& idesc_format(MmaKind kind, const Target& target);
// The bits that must be 0 in the words of tcgen05 before sm_107 and have a meaning on sm_107.
std::uint64_t only_on_107(const DescriptorFormat& format);

}  // namespace swz
