// SPDX-License-Identifier: Apache-2.0
// The names of fields in the projects that define descriptors as structs or print them.
#include <algorithm>

#include "arch/dtype.hpp"
#include "arch/instruction.hpp"
#include "base/text.hpp"
#include "descriptor/named_words.hpp"

namespace swz {

namespace {

using enum FieldId;
using enum FieldNameRow::Unit;

// clang-format off
constexpr FieldNameRow rows[] = {
    // GmmaDescriptor and UMMA::SmemDescriptor; TileLang, DeepGEMM and many kernels copy them
    {"start_address_", "CUTLASS", start_address},
    {"leading_byte_offset_", "CUTLASS", leading_byte_offset},
    {"stride_byte_offset_", "CUTLASS", stride_byte_offset},
    {"version_", "CUTLASS", version},
    {"base_offset_", "CUTLASS", base_offset},
    {"lbo_mode_", "CUTLASS", lbo_mode},
    {"layout_type_", "CUTLASS", swizzle},
    // CuTe's print(desc)
    {"start_addr", "CuTe's print", start_address},
    {"leading_off", "CuTe's print", leading_byte_offset},
    {"stride_off", "CuTe's print", stride_byte_offset},
    {"base_offset", "CuTe's print", base_offset, common},
    {"layout_type", "CuTe's print", swizzle, common},
    {"version", "CuTe's print", version, common},
    {"lbo_mode", "CuTe's print", lbo_mode, common},
    // SMEMDescriptor
    {"baseAddress", "Triton", start_address},
    {"leadDimensionBaseOffset", "Triton", leading_byte_offset},
    {"strideDimensionBaseOffset", "Triton", stride_byte_offset},
    {"matrixBaseOffset", "Triton", base_offset},
    {"swizzlingMode", "Triton", swizzle},
    // nvvm.tcgen05.mma_smem_desc, which masks its operands but does not shift them
    {"startAddr", "MLIR", start_address},
    {"leadingDimOffset", "MLIR", leading_byte_offset},
    {"strideDimOffset", "MLIR", stride_byte_offset},
    {"baseOffset", "MLIR", base_offset, common},
    {"leadingDimMode", "MLIR", lbo_mode},
    {"swizzleMode", "MLIR", swizzle, common},
    // MatDesc of XQA; addr, baseOffset and swizzle are also names of other things
    {"addr", "TensorRT-LLM", start_address, common},
    {"dimKOffset", "TensorRT-LLM", leading_byte_offset},
    {"dimMNOffset", "TensorRT-LLM", stride_byte_offset},
    // Names that people write themselves, for bytes or for the number in the field
    {"start_address", "", start_address, undecided},
    {"leading_byte_offset", "", leading_byte_offset, undecided},
    {"leading_dimension_byte_offset", "", leading_byte_offset, undecided},
    {"lbo", "", leading_byte_offset, undecided},
    {"LBO", "", leading_byte_offset, undecided},
    {"stride_byte_offset", "", stride_byte_offset, undecided},
    {"stride_dimension_byte_offset", "", stride_byte_offset, undecided},
    {"sbo", "", stride_byte_offset, undecided},
    {"SBO", "", stride_byte_offset, undecided},
    {"matrix_base_offset", "", base_offset, common},
    {"layout", "", swizzle, common},
    {"swizzle", "", swizzle, common},
    {"swizzle_mode", "", swizzle, common},
    // UMMA::InstrDescriptor and InstrDescriptorBlockScaled, whose m_dim_ is M >> 4 in both
    {"sparse_id2_", "CUTLASS", sparsity_selector, raw, {0, 2}},
    {"sparse_flag_", "CUTLASS", sparse},
    {"saturate_", "CUTLASS", saturate},
    {"c_format_", "CUTLASS", d_type},
    {"a_format_", "CUTLASS", a_type},
    {"b_format_", "CUTLASS", b_type, raw, {10, 3}},
    {"a_negate_", "CUTLASS", negate_a},
    {"b_negate_", "CUTLASS", negate_b},
    {"a_major_", "CUTLASS", transpose_a},
    {"b_major_", "CUTLASS", transpose_b},
    {"n_dim_", "CUTLASS", n},
    {"m_dim_", "CUTLASS", m, raw, {24, 5}},
    {"max_shift_", "CUTLASS", max_shift},
    {"b_sf_id_", "CUTLASS", scale_b_id},
    {"scale_format_", "CUTLASS", scale_type},
    {"a_sf_id_", "CUTLASS", scale_a_id},
    {"k_size_", "CUTLASS", k_size},
    // TCGen5InstructionDescriptor
    {"sparsitySelector", "Triton", sparsity_selector, raw, {0, 2}},
    {"sparsity", "Triton", sparse, common},
    {"dType", "Triton", d_type},
    {"aType", "Triton", a_type},
    {"bType", "Triton", b_type, raw, {10, 3}},
    {"negateA", "Triton", negate_a},
    {"negateB", "Triton", negate_b},
    {"transposeA", "Triton", transpose_a},
    {"transposeB", "Triton", transpose_b},
    {"N", "Triton", n, common},
    {"M", "Triton", m, common, {24, 5}},
    {"shift", "Triton", max_shift, common},
    {"BScaleFactor", "Triton", scale_b_id},
    {"scaleType", "Triton", scale_type},
    {"AScaleFactor", "Triton", scale_a_id},
};

// Enumerators of cute/arch/mma_sm100_umma.hpp and mma_sm100_desc.hpp that are not types.
struct Enumerator {
  std::string_view name;
  FieldId field, other;
  std::uint64_t code;
};
constexpr Enumerator enumerators[] = {
    {"K", transpose_a, transpose_b, 0},        {"MN", transpose_a, transpose_b, 1},
    {"One", negate_a, negate_b, 0},            {"Neg", negate_a, negate_b, 1},
    {"NoShift", max_shift, max_shift, 0},      {"MaxShift8", max_shift, max_shift, 1},
    {"MaxShift16", max_shift, max_shift, 2},   {"MaxShift32", max_shift, max_shift, 3},
};
// clang-format on

}  // namespace

std::span<const FieldNameRow> field_names() { return rows; }

std::vector<std::uint64_t> codes_of(const FieldNameRow& row, std::string_view enumerator, std::string_view scope) {
  for (const Enumerator& e : enumerators)
    if (e.name == enumerator && (e.field == row.id || e.other == row.id)) return {e.code};
  const bool is_type = row.id == d_type || row.id == a_type || row.id == b_type || row.id == scale_type;
  const DType* dtype = is_type ? find_dtype(lower_case(enumerator)) : nullptr;
  if (dtype == nullptr) return {};
  const TypeRole role = row.id == d_type ? TypeRole::d : row.id == scale_type ? TypeRole::scale : TypeRole::a_b;
  std::vector<std::uint64_t> codes;
  for (const TypeCode& code : type_codes()) {
    const bool is_fp4_kind = (code.kinds & (kind_set({MmaKind::mxf4, MmaKind::mxf4nvf4}))) != 0;
    if (code.role != role || code.dtype != dtype->name) continue;
    if (role == TypeRole::a_b && scope.ends_with("Format") && is_fp4_kind != (scope == "MXF4Format")) continue;
    if (const auto own = static_cast<std::uint64_t>(code.code); std::ranges::find(codes, own) == codes.end())
      codes.push_back(own);
  }
  return codes;
}

std::optional<BitField> bits_of(const FieldNameRow& row, const DescriptorFormat& format) {
  const bool is_scaled = format.width == 32 && format.find(FieldId::scale_type) != nullptr;
  if (is_scaled && row.block_scaled.width > 0) return row.block_scaled;
  const FieldRow* field = format.find(row.id);
  return field ? std::optional(field->bits) : std::nullopt;
}

}  // namespace swz
