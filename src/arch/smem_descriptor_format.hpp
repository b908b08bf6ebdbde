// The two 64-bit SMEM descriptors: wgmma (sm_90a) and tcgen05 (sm_100a and its family).
//
//   0x4000004000010040   wgmma    start 1024 B, LBO 16 B, SBO 1024 B, mode 128B (code 1 in bits 62-63)
//   0x4000404000010040   tcgen05  the same operand: bit 46 set, code 2 in bits 61-63
//
// Addresses and strides are 18-bit byte quantities, stored as byte >> 4. Codes of `swizzle` are in
// arch/swizzle_mode.hpp.
// Source: PTX ISA 9.1, 9.7.15.5.1.2.2 and 9.7.16.4.1 (table 40); CUTLASS mma_sm90_desc.hpp, mma_sm100_desc.hpp.
#pragma once

#include "arch/descriptor_format.hpp"
#include "arch/target.hpp"

namespace swz {

namespace smem_descriptor_tables {

inline constexpr Source wgmma_measured{"H200; PTX ISA 9.1, 9.7.15.5.1.2.2", Evidence::measured};
inline constexpr Source wgmma_ignored{"ignored by the H200 in 1,800 words; 0 in CUTLASS mma_sm90_desc.hpp",
                                      Evidence::measured};
inline constexpr Source tcgen05_doc{"PTX ISA 9.1, 9.7.16.4.1 table 40"};
inline constexpr Source tcgen05_header{"CUTLASS mma_sm100_desc.hpp", Evidence::header};

inline constexpr std::string_view start_overflow =
    "a start address stored without >> 4 spills into these bits; sm_107 has a 15-bit start address";
inline constexpr std::string_view lbo_overflow = "LBO stored without >> 4 spills into these bits";

// clang-format off
inline constexpr FieldRow wgmma_fields[] = {
    {FieldId::start_address, {0, 14}, 16, "B", "where the operand starts in shared memory", wgmma_measured},
    {FieldId::leading_byte_offset, {16, 14}, 16, "B", "leading-dimension byte offset (LBO)", wgmma_measured},
    {FieldId::stride_byte_offset, {32, 14}, 16, "B", "stride-dimension byte offset (SBO)", wgmma_measured},
    {FieldId::base_offset, {49, 3}, 1, "lines", "128-byte lines subtracted from the line number before the XOR",
     wgmma_measured},
    {FieldId::swizzle, {62, 2}, 0, "", "swizzle mode", wgmma_measured},
};
inline constexpr ReservedRow wgmma_reserved[] = {
    {{14, 2}, start_overflow, wgmma_ignored},
    {{30, 2}, lbo_overflow, wgmma_ignored},
    {{46, 3}, "bit 46 is the version bit of tcgen05: this may be a word for sm_100a", wgmma_ignored},
    {{52, 10}, "tcgen05 has the LBO mode in bit 52 and the swizzle from bit 61 on: this may be a word for sm_100a",
     wgmma_ignored},
};

inline constexpr FieldRow tcgen05_fields[] = {
    {FieldId::start_address, {0, 14}, 16, "B", "where the operand starts in shared memory", tcgen05_doc},
    {FieldId::leading_byte_offset, {16, 14}, 16, "B", "leading-dimension byte offset (LBO), or an address",
     tcgen05_doc},
    {FieldId::stride_byte_offset, {32, 14}, 16, "B", "stride-dimension byte offset (SBO)", tcgen05_doc},
    {FieldId::version, {46, 3}, 1, "", "constant 0b001", tcgen05_doc, 1},
    {FieldId::base_offset, {49, 3}, 1, "lines", "matrix base offset, in 128-byte lines", tcgen05_doc},
    {FieldId::lbo_mode, {52, 1}, 0, "", "0 relative, 1 absolute (sm_103a only)", tcgen05_doc},
    {FieldId::swizzle, {61, 3}, 0, "", "swizzle mode", tcgen05_doc},
};
inline constexpr ReservedRow tcgen05_reserved[] = {
    {{14, 2}, start_overflow, tcgen05_header},
    {{30, 2}, lbo_overflow, tcgen05_header},
    {{53, 8}, "PTX table 40 prints this constant as 0xb00000000, meaning 0b00000000; sm_107 uses bit 53",
     tcgen05_doc},
};
// clang-format on

}  // namespace smem_descriptor_tables

inline constexpr DescriptorFormat wgmma_smem_format{
    to_string(SmemDescriptorKind::wgmma), "SMEM descriptor of wgmma (sm_90a)", 64,
    smem_descriptor_tables::wgmma_fields, smem_descriptor_tables::wgmma_reserved};
inline constexpr DescriptorFormat tcgen05_smem_format{
    to_string(SmemDescriptorKind::tcgen05), "SMEM descriptor of tcgen05 (sm_100a, sm_103a, sm_110a)", 64,
    smem_descriptor_tables::tcgen05_fields, smem_descriptor_tables::tcgen05_reserved};

// kind must not be none
constexpr const DescriptorFormat& smem_format(SmemDescriptorKind kind) {
  return kind == SmemDescriptorKind::tcgen05 ? tcgen05_smem_format : wgmma_smem_format;
}

}  // namespace swz
