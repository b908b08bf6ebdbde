#include "arch/descriptor_format.hpp"

namespace swz {

namespace {

struct Name {
  FieldId id;
  std::string_view name, label;
};

// clang-format off
constexpr Name names[] = {
    {FieldId::start_address, "start_address", "start"},
    {FieldId::leading_byte_offset, "leading_byte_offset", "LBO"},
    {FieldId::stride_byte_offset, "stride_byte_offset", "SBO"},
    {FieldId::version, "version", "version"},
    {FieldId::base_offset, "base_offset", "base"},
    {FieldId::lbo_mode, "lbo_mode", "LBO mode"},
    {FieldId::swizzle, "swizzle", "swizzle"},
    {FieldId::sparsity_selector, "sparsity_selector", "selector"},
    {FieldId::sparse, "sparse", "sparse"},
    {FieldId::saturate, "saturate", "saturate"},
    {FieldId::d_type, "d_type", "D"},
    {FieldId::a_type, "a_type", "A"},
    {FieldId::b_type, "b_type", "B"},
    {FieldId::negate_a, "negate_a", "-A"},
    {FieldId::negate_b, "negate_b", "-B"},
    {FieldId::transpose_a, "transpose_a", "A^T"},
    {FieldId::transpose_b, "transpose_b", "B^T"},
    {FieldId::n, "n", "N"},
    {FieldId::m, "m", "M"},
    {FieldId::max_shift, "max_shift", "shift"},
    {FieldId::scale_b_id, "scale_b_id", "SFB id"},
    {FieldId::scale_type, "scale_type", "SF type"},
    {FieldId::scale_a_id, "scale_a_id", "SFA id"},
    {FieldId::k_size, "k_size", "K"},
};
// clang-format on

}  // namespace

std::string_view to_string(FieldId field) {
  for (const Name& row : names)
    if (row.id == field) return row.name;
  return "";
}

std::string_view label(FieldId field) {
  for (const Name& row : names)
    if (row.id == field) return row.label;
  return "";
}

}  // namespace swz
