// SPDX-License-Identifier: Apache-2.0
#include "arch/descriptor_format.hpp"

#include <algorithm>

namespace swz {

namespace {

struct Name {
  FieldId id;
  std::string_view name, label, option;
  bool is_essential = false;
};

// clang-format off
constexpr Name names[] = {
    {FieldId::start_address, "start_address", "start", "start"},
    {FieldId::leading_byte_offset, "leading_byte_offset", "LBO", "lbo"},
    {FieldId::stride_byte_offset, "stride_byte_offset", "SBO", "sbo"},
    {FieldId::version, "version", "version", "descriptor-version"},
    {FieldId::base_offset, "base_offset", "base", "base-offset"},
    {FieldId::lbo_mode, "lbo_mode", "LBO mode", "lbo-mode"},
    {FieldId::swizzle, "swizzle", "swizzle", "swizzle", true},
    {FieldId::sparsity_selector, "sparsity_selector", "selector", "sparsity-selector"},
    {FieldId::sparse, "sparse", "sparse", "sparse"},
    {FieldId::saturate, "saturate", "saturate", "saturate"},
    {FieldId::d_type, "d_type", "D", "d-type", true},
    {FieldId::a_type, "a_type", "A", "a-type", true},
    {FieldId::b_type, "b_type", "B", "b-type", true},
    {FieldId::negate_a, "negate_a", "-A", "negate-a"},
    {FieldId::negate_b, "negate_b", "-B", "negate-b"},
    {FieldId::transpose_a, "transpose_a", "A^T", "transpose-a"},
    {FieldId::transpose_b, "transpose_b", "B^T", "transpose-b"},
    {FieldId::n, "n", "N", "n", true},
    {FieldId::m, "m", "M", "m", true},
    {FieldId::max_shift, "max_shift", "shift", "max-shift"},
    {FieldId::scale_b_id, "scale_b_id", "SFB id", "scale-b-id"},
    {FieldId::scale_type, "scale_type", "SF type", "scale-type", true},
    {FieldId::scale_a_id, "scale_a_id", "SFA id", "scale-a-id"},
    {FieldId::k_size, "k_size", "K", "k"},
};
// clang-format on

// The two 64-bit SMEM descriptors.
constexpr Source wgmma_measured{"H200; PTX ISA 9.1, 9.7.15.5.1.2.2", Evidence::measured};
constexpr Source wgmma_ignored{"ignored by the H200 in 1,800 words; 0 in CUTLASS mma_sm90_desc.hpp",
                               Evidence::measured};
constexpr Source tcgen05_doc{"PTX ISA 9.1, 9.7.16.4.1 table 40"};
constexpr Source tcgen05_header{"CUTLASS mma_sm100_desc.hpp", Evidence::header};

constexpr std::string_view start_overflow =
    "a start address stored without >> 4 spills into these bits; sm_107 has a 15-bit start address";
constexpr std::string_view lbo_overflow = "LBO stored without >> 4 spills into these bits";

// clang-format off
constexpr FieldRow wgmma_fields[] = {
    {FieldId::start_address, {0, 14}, 16, "B", "where the operand starts in shared memory", wgmma_measured},
    {FieldId::leading_byte_offset, {16, 14}, 16, "B", "leading-dimension byte offset (LBO)", wgmma_measured},
    {FieldId::stride_byte_offset, {32, 14}, 16, "B", "stride-dimension byte offset (SBO)", wgmma_measured},
    {FieldId::base_offset, {49, 3}, 1, "lines", "128-byte lines subtracted from the line number before the XOR",
     wgmma_measured},
    {FieldId::swizzle, {62, 2}, 0, "", "swizzle mode", wgmma_measured},
};
constexpr ReservedRow wgmma_reserved[] = {
    {{14, 2}, start_overflow, wgmma_ignored},
    {{30, 2}, lbo_overflow, wgmma_ignored},
    {{46, 3}, "bit 46 is the version bit of tcgen05: this may be a word for sm_100a", wgmma_ignored},
    {{52, 10}, "tcgen05 has the LBO mode in bit 52 and the swizzle from bit 61 on: this may be a word for sm_100a",
     wgmma_ignored},
};

constexpr FieldRow tcgen05_fields[] = {
    {FieldId::start_address, {0, 14}, 16, "B", "where the operand starts in shared memory", tcgen05_doc},
    {FieldId::leading_byte_offset, {16, 14}, 16, "B", "leading-dimension byte offset (LBO), or an address",
     tcgen05_doc},
    {FieldId::stride_byte_offset, {32, 14}, 16, "B", "stride-dimension byte offset (SBO)", tcgen05_doc},
    {FieldId::version, {46, 3}, 1, "", "constant 0b001", tcgen05_doc, 1},
    {FieldId::base_offset, {49, 3}, 1, "lines", "matrix base offset, in 128-byte lines", tcgen05_doc},
    {FieldId::lbo_mode, {52, 1}, 0, "", "0 relative, 1 absolute (sm_103a only)", tcgen05_doc},
    {FieldId::swizzle, {61, 3}, 0, "", "swizzle mode", tcgen05_doc},
};
constexpr ReservedRow tcgen05_reserved[] = {
    {{14, 2}, start_overflow, tcgen05_header},
    {{30, 2}, lbo_overflow, tcgen05_header},
    {{53, 8}, "PTX table 40 prints this constant as 0xb00000000, meaning 0b00000000; sm_107 uses bit 53",
     tcgen05_doc},
};
// clang-format on

// The 32-bit instruction descriptor: three layouts for seven kinds.
constexpr Source t42{"PTX ISA 9.1, table 42"}, t43{"PTX ISA 9.1, table 43"}, t44{"PTX ISA 9.1, table 44"};
constexpr std::string_view sm_107 = "sm_107 gives this bit a meaning; sm_100, sm_103 and sm_110 do not";

// clang-format off
constexpr FieldRow plain_fields[] = {
    {FieldId::sparsity_selector, {0, 2}, 1, "", "sparsity selector", t42},
    {FieldId::sparse, {2, 1}, 1, "", "A is sparse", t42},
    {FieldId::saturate, {3, 1}, 1, "", "saturate integer results", t42},
    {FieldId::d_type, {4, 2}, 0, "", "type of D", t42},
    {FieldId::a_type, {7, 3}, 0, "", "type of A", t42},
    {FieldId::b_type, {10, 3}, 0, "", "type of B", t42},
    {FieldId::negate_a, {13, 1}, 1, "", "A is negated", t42},
    {FieldId::negate_b, {14, 1}, 1, "", "B is negated", t42},
    {FieldId::transpose_a, {15, 1}, 1, "", "A is M-major", t42},
    {FieldId::transpose_b, {16, 1}, 1, "", "B is N-major", t42},
    {FieldId::n, {17, 6}, 8, "", "columns of D", t42},
    {FieldId::m, {24, 5}, 16, "", "rows of D", t42},
    {FieldId::max_shift, {30, 2}, 0, "", ".ws: largest shift for the reuse of B", t42},
};
constexpr ReservedRow plain_reserved[] = {{{6, 1}, sm_107, t42}, {{23, 1}, "", t42}, {{29, 1}, sm_107, t42}};

constexpr FieldRow mxf8f6f4_fields[] = {
    {FieldId::sparse, {2, 1}, 1, "", "A is sparse", t43},
    {FieldId::scale_b_id, {4, 2}, 1, "", "byte of the TMEM word that holds the scale of B", t43},
    {FieldId::a_type, {7, 3}, 0, "", "type of A", t43},
    {FieldId::b_type, {10, 3}, 0, "", "type of B", t43},
    {FieldId::negate_a, {13, 1}, 1, "", "A is negated", t43},
    {FieldId::negate_b, {14, 1}, 1, "", "B is negated", t43},
    {FieldId::transpose_a, {15, 1}, 1, "", "A is M-major", t43},
    {FieldId::transpose_b, {16, 1}, 1, "", "B is N-major", t43},
    {FieldId::n, {17, 6}, 8, "", "columns of D", t43},
    {FieldId::scale_type, {23, 1}, 0, "", "type of the scale factors", t43},
    {FieldId::m, {27, 2}, 128, "", "rows of D", t43},
    {FieldId::scale_a_id, {29, 2}, 1, "", "byte of the TMEM word that holds the scale of A", t43},
};
constexpr ReservedRow mxf8f6f4_reserved[] = {
    {{0, 2}, "", t43}, {{3, 1}, "", t43}, {{6, 1}, "", t43},
    {{24, 3}, "M is stored as M >> 7 here: M 64 and other small M do not exist under this kind", t43},
    {{31, 1}, sm_107, t43},
};

constexpr FieldRow mxf4_fields[] = {
    {FieldId::sparse, {2, 1}, 1, "", "A is sparse", t44},
    {FieldId::scale_b_id, {4, 2}, 1, "", "byte of the TMEM word where the scales of B start", t44},
    {FieldId::a_type, {7, 3}, 0, "", "type of A", t44},
    {FieldId::b_type, {10, 2}, 0, "", "type of B", t44},
    {FieldId::negate_a, {13, 1}, 1, "", "A is negated", t44},
    {FieldId::negate_b, {14, 1}, 1, "", "B is negated", t44},
    {FieldId::transpose_a, {15, 1}, 1, "", "must be 0: K-major only", t44},
    {FieldId::transpose_b, {16, 1}, 1, "", "must be 0: K-major only", t44},
    {FieldId::n, {17, 6}, 8, "", "columns of D", t44},
    {FieldId::scale_type, {23, 1}, 0, "", "type of the scale factors", t44},
    {FieldId::m, {27, 2}, 128, "", "rows of D", t44},
    {FieldId::scale_a_id, {29, 2}, 1, "", "byte of the TMEM word where the scales of A start", t44},
    {FieldId::k_size, {31, 1}, 0, "", "0: K 64 dense or 128 sparse; 1: K 96 dense (sm_103a)", t44},
};
constexpr ReservedRow mxf4_reserved[] = {
    {{0, 2}, "", t44}, {{3, 1}, sm_107, t44}, {{6, 1}, "", t44},
    {{12, 1}, "E2M1 has code 1 under this kind, code 5 under f8f6f4 and mxf8f6f4", t44},
    {{24, 3}, "M is stored as M >> 7 here: M 64 and other small M do not exist under this kind", t44},
};
// clang-format on

const Name& row_of(FieldId field) { return *std::ranges::find(names, field, &Name::id); }

}  // namespace

std::string_view to_string(FieldId field) { return row_of(field).name; }
std::optional<FieldId> find_field(std::string_view name) {
  const auto* const row = std::ranges::find(names, name, &Name::name);
  if (row == std::end(names)) return std::nullopt;
  return row->id;
}

std::string_view label(FieldId field) { return row_of(field).label; }
std::string_view option_name(FieldId field) { return row_of(field).option; }
bool is_essential(FieldId field) { return row_of(field).is_essential; }

constinit const DescriptorFormat wgmma_smem_format{
    to_string(SmemDescriptorKind::wgmma), "SMEM descriptor of wgmma (sm_90a)", 64, wgmma_fields, wgmma_reserved};
constinit const DescriptorFormat tcgen05_smem_format{to_string(SmemDescriptorKind::tcgen05),
                                                     "SMEM descriptor of tcgen05 (sm_100a, sm_103a, sm_110a)", 64,
                                                     tcgen05_fields, tcgen05_reserved};
constinit const DescriptorFormat plain_idesc_format{
    idesc_name, "instruction descriptor of kinds tf32, f16, f8f6f4 and i8", 32, plain_fields, plain_reserved};
constinit const DescriptorFormat mxf8f6f4_idesc_format{idesc_name, "instruction descriptor of kind mxf8f6f4", 32,
                                                       mxf8f6f4_fields, mxf8f6f4_reserved};
constinit const DescriptorFormat mxf4_idesc_format{idesc_name, "instruction descriptor of kinds mxf4 and mxf4nvf4", 32,
                                                   mxf4_fields, mxf4_reserved};

const DescriptorFormat& smem_format(SmemDescriptorKind kind) {
  return kind == SmemDescriptorKind::tcgen05 ? tcgen05_smem_format : wgmma_smem_format;
}

const DescriptorFormat& idesc_format(MmaKind kind) {
  if (kind == MmaKind::mxf8f6f4) return mxf8f6f4_idesc_format;
  return kind == MmaKind::mxf4 || kind == MmaKind::mxf4nvf4 ? mxf4_idesc_format : plain_idesc_format;
}

}  // namespace swz
