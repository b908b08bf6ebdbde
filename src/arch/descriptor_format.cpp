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

}  // namespace swz
