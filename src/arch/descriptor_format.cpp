// SPDX-License-Identifier: Apache-2.0
#include "arch/descriptor_format.hpp"

#include <algorithm>
#include <array>

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
    {FieldId::b_segment, "b_segment", "B part", "b-segment"},
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
    {FieldId::k_twice, "k_twice", "2K", "k-twice"},
    {FieldId::sparsity_version, "sparsity_version", "E", "sparsity-version"},
    {FieldId::sfa_layout, "sfa_layout", "SFA", "sfa-layout"},
};
// clang-format on

using enum InWords;

// The rows of the words of sm_107, or those of the words before it.
template <class Row, const auto& rows, InWords words>
constexpr auto rows_in = [] {
  constexpr auto is_in = [](const Row& row) { return row.in == all || row.in == words; };
  std::array<Row, static_cast<std::size_t>(std::ranges::count_if(rows, is_in))> out{};
  std::ranges::copy_if(rows, out.begin(), is_in);
  return out;
}();

// The two 64-bit SMEM descriptors.
constexpr Source wgmma_measured{"H200; PTX ISA 9.1, 9.7.15.5.1.2.2", Evidence::measured};
constexpr Source wgmma_ignored{"ignored by the H200 in 1,800 words; 0 in CUTLASS mma_sm90_desc.hpp",
                               Evidence::measured};
constexpr Source tcgen05_doc{"PTX ISA 9.1, 9.7.16.4.1 table 40"};
constexpr Source tcgen05_header{"CUTLASS mma_sm100_desc.hpp", Evidence::header};

constexpr Source t49{"PTX ISA 9.4, table 49; the words that CuTe DSL 4.8.1 compiles for sm_107a"};
constexpr Source t49_mode{"PTX ISA 9.4, table 49; its text names sm_103a only, TVM TIRx and CuTe DSL sm_107 too"};

constexpr std::string_view start_overflow =
    "a start address stored without >> 4 spills into these bits; sm_107 has a 15-bit start address";
constexpr std::string_view lbo_overflow = "LBO stored without >> 4 spills into these bits";
constexpr std::string_view start_of_107 =
    "a start address stored without >> 4 spills into these bits; sm_107 has a 15-bit start address, for memory above "
    "256 KiB: --arch sm_107a";
constexpr std::string_view lbo_of_107 =
    "LBO stored without >> 4 spills into these bits; sm_107 has a 15-bit LBO: --arch sm_107a";
constexpr std::string_view unshifted = "a number stored without >> 4 spills into this bit";
constexpr std::string_view zero_constant = "PTX table 40 prints this constant as 0xb00000000, meaning 0b00000000";

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
    {FieldId::start_address, {0, 14}, 16, "B", "where the operand starts in shared memory", tcgen05_doc, 0, before_107},
    {FieldId::start_address, {0, 15}, 16, "B", "where the operand starts in shared memory", t49, 0, of_107},
    {FieldId::leading_byte_offset, {16, 14}, 16, "B", "leading-dimension byte offset (LBO), or an address",
     tcgen05_doc, 0, before_107},
    {FieldId::leading_byte_offset, {16, 15}, 16, "B", "leading-dimension byte offset (LBO), or an address", t49, 0,
     of_107},
    {FieldId::stride_byte_offset, {32, 14}, 16, "B", "stride-dimension byte offset (SBO)", tcgen05_doc},
    {FieldId::version, {46, 3}, 1, "", "constant 0b001", tcgen05_doc, 1},
    {FieldId::base_offset, {49, 3}, 1, "lines", "matrix base offset, in 128-byte lines", tcgen05_doc},
    {FieldId::lbo_mode, {52, 1}, 0, "", "0 relative, 1 absolute (sm_103a only)", tcgen05_doc, 0, before_107},
    {FieldId::lbo_mode, {52, 1}, 0, "", "0 relative, 1 absolute", t49_mode, 0, of_107},
    {FieldId::b_segment, {53, 1}, 24, "B", "where a packed B (.decompress::lut::b) starts in its row of 48 bytes", t49, 0,
     of_107},
    {FieldId::swizzle, {61, 3}, 0, "", "swizzle mode", tcgen05_doc},
};
constexpr ReservedRow tcgen05_reserved[] = {
    {{14, 2}, start_of_107, tcgen05_header, before_107},
    {{15, 1}, unshifted, t49, of_107},
    {{30, 2}, lbo_of_107, tcgen05_header, before_107},
    {{31, 1}, unshifted, t49, of_107},
    {{53, 8}, "PTX table 40 prints this constant as 0xb00000000, meaning 0b00000000; sm_107 uses bit 53: --arch sm_107a",
     tcgen05_doc, before_107},
    {{54, 7}, zero_constant, t49, of_107},
};
// clang-format on

// The 32-bit instruction descriptor: three layouts for eight kinds.
constexpr Source t42{"PTX ISA 9.1, table 42"}, t43{"PTX ISA 9.1, table 43"}, t44{"PTX ISA 9.1, table 44"};
constexpr Source t51{"PTX ISA 9.4, table 51"}, t52{"PTX ISA 9.4, table 52"}, t53{"PTX ISA 9.4, table 53"};
constexpr std::string_view sm_107 = "sm_107 gives this bit a meaning, sm_100, sm_103 and sm_110 do not: --arch sm_107a";
constexpr std::string_view bit_6 = "CuTe DSL calls this bit sparse_format on sm_107, PTX 9.4 keeps it 0";
constexpr std::string_view small_m = "M is stored as M >> 7 here: M 64 and other small M do not exist under this kind";
constexpr std::string_view sfa_rows =
    "where the scales of A lie: in 32 lanes, four times, or each in the lane of its row";

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
    {FieldId::k_size, {29, 1}, 0, "", "0: K of the kind; 1: K 64, dense (f8f6f4)", t51, 0, of_107},
    {FieldId::max_shift, {30, 2}, 0, "", ".ws: largest shift for the reuse of B", t42},
};
constexpr ReservedRow plain_reserved[] = {
    {{6, 1}, bit_6, t42}, {{23, 1}, "", t42}, {{29, 1}, sm_107, t42, before_107},
};

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
    {FieldId::sfa_layout, {26, 1}, 0, "", sfa_rows, t52, 0, of_107},
    {FieldId::m, {27, 2}, 128, "", "rows of D", t43},
    {FieldId::scale_a_id, {29, 2}, 1, "", "byte of the TMEM word that holds the scale of A", t43},
    {FieldId::k_size, {31, 1}, 0, "", "0: K 32 dense or 64 sparse; 1: K 64 dense or 128 sparse", t52, 0, of_107},
};
constexpr ReservedRow mxf8f6f4_reserved[] = {
    {{0, 2}, "", t43}, {{3, 1}, "", t43}, {{6, 1}, "", t43},
    {{24, 3}, small_m, t43, before_107}, {{24, 2}, small_m, t52, of_107}, {{31, 1}, sm_107, t43, before_107},
};

constexpr FieldRow mxf4_fields[] = {
    {FieldId::sparse, {2, 1}, 1, "", "A is sparse", t44},
    {FieldId::k_twice, {3, 1}, 1, "", "K 128 dense; then bit 31 is 0", t53, 0, of_107},
    {FieldId::scale_b_id, {4, 2}, 1, "", "byte of the TMEM word where the scales of B start", t44},
    {FieldId::a_type, {7, 3}, 0, "", "type of A", t44},
    {FieldId::b_type, {10, 2}, 0, "", "type of B", t44},
    {FieldId::sparsity_version, {12, 1}, 1, "", "metadata of a sparse A: 0 of pairs, 4 of 8; 1 of values, 2 of 4", t53, 1,
     of_107},
    {FieldId::negate_a, {13, 1}, 1, "", "A is negated", t44},
    {FieldId::negate_b, {14, 1}, 1, "", "B is negated", t44},
    {FieldId::transpose_a, {15, 1}, 1, "", "must be 0: K-major only", t44},
    {FieldId::transpose_b, {16, 1}, 1, "", "must be 0: K-major only", t44},
    {FieldId::n, {17, 6}, 8, "", "columns of D", t44},
    {FieldId::scale_type, {23, 1}, 0, "", "type of the scale factors", t44, 0, before_107},
    {FieldId::scale_type, {23, 2}, 0, "", "type of the scale factors", t53, 0, of_107},
    {FieldId::sfa_layout, {26, 1}, 0, "", sfa_rows, t53, 0, of_107},
    {FieldId::m, {27, 2}, 128, "", "rows of D", t44},
    {FieldId::scale_a_id, {29, 2}, 1, "", "byte of the TMEM word where the scales of A start", t44},
    {FieldId::k_size, {31, 1}, 0, "", "0: K 64 dense or 128 sparse; 1: K 96 dense (sm_103a)", t44, 0, before_107},
    {FieldId::k_size, {31, 1}, 0, "", "0: K 64 dense or 128 sparse; 1: K 96 dense or 192 sparse", t53, 0, of_107},
};
constexpr ReservedRow mxf4_reserved[] = {
    {{0, 2}, "", t44}, {{3, 1}, sm_107, t44, before_107}, {{6, 1}, "", t44},
    {{12, 1}, "E2M1 has code 1 under this kind, code 5 under f8f6f4 and mxf8f6f4; on sm_107 bit 12 is the version of the metadata",
     t44, before_107},
    {{24, 3}, small_m, t44, before_107}, {{25, 1}, small_m, t53, of_107},
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
constinit const DescriptorFormat tcgen05_smem_format{
    to_string(SmemDescriptorKind::tcgen05), "SMEM descriptor of tcgen05 (sm_100a, sm_103a, sm_110a)", 64,
    rows_in<FieldRow, tcgen05_fields, before_107>, rows_in<ReservedRow, tcgen05_reserved, before_107>};
constinit const DescriptorFormat tcgen05_smem_format_107{
    to_string(SmemDescriptorKind::tcgen05), "SMEM descriptor of tcgen05 (sm_107a)", 64,
    rows_in<FieldRow, tcgen05_fields, of_107>, rows_in<ReservedRow, tcgen05_reserved, of_107>};
constinit const DescriptorFormat plain_idesc_format{
    idesc_name, "instruction descriptor of kinds tf32, f16, f8f6f4 and i8", 32,
    rows_in<FieldRow, plain_fields, before_107>, rows_in<ReservedRow, plain_reserved, before_107>};
constinit const DescriptorFormat plain_idesc_format_107{
    idesc_name, "instruction descriptor of kinds tf32, f16, f8f6f4 and ti16 (sm_107a)", 32,
    rows_in<FieldRow, plain_fields, of_107>, rows_in<ReservedRow, plain_reserved, of_107>};
constinit const DescriptorFormat mxf8f6f4_idesc_format{idesc_name, "instruction descriptor of kind mxf8f6f4", 32,
                                                       rows_in<FieldRow, mxf8f6f4_fields, before_107>,
                                                       rows_in<ReservedRow, mxf8f6f4_reserved, before_107>};
constinit const DescriptorFormat mxf8f6f4_idesc_format_107{
    idesc_name, "instruction descriptor of kind mxf8f6f4 (sm_107a)", 32, rows_in<FieldRow, mxf8f6f4_fields, of_107>,
    rows_in<ReservedRow, mxf8f6f4_reserved, of_107>};
constinit const DescriptorFormat mxf4_idesc_format{idesc_name, "instruction descriptor of kinds mxf4 and mxf4nvf4", 32,
                                                   rows_in<FieldRow, mxf4_fields, before_107>,
                                                   rows_in<ReservedRow, mxf4_reserved, before_107>};
constinit const DescriptorFormat mxf4_idesc_format_107{
    idesc_name, "instruction descriptor of kinds mxf4 and mxf4nvf4 (sm_107a)", 32,
    rows_in<FieldRow, mxf4_fields, of_107>, rows_in<ReservedRow, mxf4_reserved, of_107>};

namespace {

// The formats of tcgen05: before sm_107, and on it.
struct Formats {
  const DescriptorFormat *before, *of_107;
  const DescriptorFormat& on(const Target& target) const { return target.has_107_fields ? *of_107 : *before; }
};
constexpr Formats smem{&tcgen05_smem_format, &tcgen05_smem_format_107},
    plain{&plain_idesc_format, &plain_idesc_format_107}, mxf8f6f4{&mxf8f6f4_idesc_format, &mxf8f6f4_idesc_format_107},
    mxf4{&mxf4_idesc_format, &mxf4_idesc_format_107};

}  // namespace

const DescriptorFormat& smem_format(const Target& target) {
  return target.descriptor == SmemDescriptorKind::tcgen05 ? smem.on(target) : wgmma_smem_format;
}

const DescriptorFormat& idesc_format(MmaKind kind, const Target& target) {
  if (kind == MmaKind::mxf8f6f4) return mxf8f6f4.on(target);
  return (kind == MmaKind::mxf4 || kind == MmaKind::mxf4nvf4 ? mxf4 : plain).on(target);
}

std::uint64_t only_on_107(const DescriptorFormat& format) {
  for (const Formats& formats : {smem, plain, mxf8f6f4, mxf4})
    if (&format == formats.before || &format == formats.of_107)
      return formats.before->reserved_mask() & ~formats.of_107->reserved_mask();
  return 0;
}

}  // namespace swz
