// The 32-bit instruction descriptor of tcgen05.mma: three layouts for seven kinds.
//
//   0x08400490 under kind::f16: D type 1 = f32, A and B type 1 = bf16, N = 32 x 8 = 256, M = 8 x 16 = 128
//
// Codes of types, and which flags a kind allows, are in arch/mma_kind.hpp; shapes in arch/mma_shape.hpp.
// Source: PTX ISA 9.1, tables 42, 43 and 44; CUTLASS mma_sm100_desc.hpp.
#pragma once

#include "arch/descriptor_format.hpp"
#include "arch/mma_kind.hpp"

namespace swz {

namespace instruction_descriptor_tables {

inline constexpr Source t42{"PTX ISA 9.1, table 42"}, t43{"PTX ISA 9.1, table 43"}, t44{"PTX ISA 9.1, table 44"};
inline constexpr std::string_view sm_107 = "sm_107 gives this bit a meaning; sm_100, sm_103 and sm_110 do not";

// clang-format off
inline constexpr FieldRow plain_fields[] = {
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
inline constexpr ReservedRow plain_reserved[] = {{{6, 1}, sm_107, t42}, {{23, 1}, "", t42}, {{29, 1}, sm_107, t42}};

inline constexpr FieldRow mxf8f6f4_fields[] = {
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
inline constexpr ReservedRow mxf8f6f4_reserved[] = {
    {{0, 2}, "", t43}, {{3, 1}, "", t43}, {{6, 1}, "", t43},
    {{24, 3}, "M is stored as M >> 7 here: M 64 and other small M do not exist under this kind", t43},
    {{31, 1}, sm_107, t43},
};

inline constexpr FieldRow mxf4_fields[] = {
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
inline constexpr ReservedRow mxf4_reserved[] = {
    {{0, 2}, "", t44}, {{3, 1}, sm_107, t44}, {{6, 1}, "", t44},
    {{12, 1}, "E2M1 has code 1 under this kind, code 5 under f8f6f4 and mxf8f6f4", t44},
    {{24, 3}, "M is stored as M >> 7 here: M 64 and other small M do not exist under this kind", t44},
};
// clang-format on

}  // namespace instruction_descriptor_tables

inline constexpr std::string_view idesc_name = "tcgen05-idesc";

inline constexpr DescriptorFormat plain_idesc_format{
    idesc_name, "instruction descriptor of kinds tf32, f16, f8f6f4 and i8", 32,
    instruction_descriptor_tables::plain_fields, instruction_descriptor_tables::plain_reserved};
inline constexpr DescriptorFormat mxf8f6f4_idesc_format{idesc_name, "instruction descriptor of kind mxf8f6f4", 32,
                                                        instruction_descriptor_tables::mxf8f6f4_fields,
                                                        instruction_descriptor_tables::mxf8f6f4_reserved};
inline constexpr DescriptorFormat mxf4_idesc_format{idesc_name, "instruction descriptor of kinds mxf4 and mxf4nvf4",
                                                    32, instruction_descriptor_tables::mxf4_fields,
                                                    instruction_descriptor_tables::mxf4_reserved};

constexpr const DescriptorFormat& idesc_format(MmaKind kind) {
  if (kind == MmaKind::mxf8f6f4) return mxf8f6f4_idesc_format;
  if (kind == MmaKind::mxf4 || kind == MmaKind::mxf4nvf4) return mxf4_idesc_format;
  return plain_idesc_format;
}

}  // namespace swz
