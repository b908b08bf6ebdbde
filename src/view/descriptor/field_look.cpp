// SPDX-License-Identifier: Apache-2.0
#include "view/descriptor/field_look.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swz {

namespace {

using enum FieldId;

struct FieldTint {
  FieldId field;
  Tint tint;
};

constexpr FieldTint tints[] = {{start_address, {0, 0}},
                               {leading_byte_offset, {1, 0}},
                               {stride_byte_offset, {2, 0}},
                               {version, {6, 0}},
                               {base_offset, {5, 0}},
                               {lbo_mode, {3, 0}},
                               {b_segment, {7, 0}},
                               {swizzle, {4, 0}},

                               {a_type, {0, 0}},
                               {negate_a, {0, 1}},
                               {transpose_a, {0, 2}},
                               {scale_a_id, {0, 3}},
                               {m, {4, 0}},
                               {b_type, {2, 0}},
                               {negate_b, {2, 1}},
                               {transpose_b, {2, 2}},
                               {scale_b_id, {2, 3}},
                               {n, {1, 0}},
                               {d_type, {3, 0}},
                               {sparse, {5, 0}},
                               {sparsity_selector, {5, 1}},
                               {sparsity_version, {5, 2}},
                               {saturate, {6, 0}},
                               {max_shift, {6, 1}},
                               {scale_type, {3, 1}},
                               {sfa_layout, {7, 0}},
                               {k_size, {7, 1}},
                               {k_twice, {7, 2}}};

// What a flag says when it is 0 and when it is 1.
struct Flag {
  FieldId field;
  std::string_view off, on;
};

constexpr Flag flags[] = {{transpose_a, "A K-major", "A M-major"}, {transpose_b, "B K-major", "B N-major"},
                          {negate_a, "not negated", "A negated"},  {negate_b, "not negated", "B negated"},
                          {sparse, "A dense", "A sparse"},         {saturate, "no saturation", "saturates"},
                          {sparsity_selector, "A dense", ""},      {max_shift, "no shift", ""},
                          {k_twice, "K not doubled", "K doubled"}};

struct RuleField {
  std::string_view rule;
  FieldId field;
};

constexpr RuleField rule_fields[] = {{"version-missing", version},
                                     {"version-unknown", version},
                                     {"swizzle-code", swizzle},
                                     {"absolute-lbo-target", lbo_mode},
                                     {"absolute-lbo-swizzle", lbo_mode},
                                     {"absolute-lbo-base-offset", base_offset},
                                     {"absolute-lbo-address", leading_byte_offset},
                                     {"start-outside", start_address},
                                     {"start-alignment", start_address},
                                     {"operand-outside", start_address},
                                     {"start-off-pattern", start_address},
                                     {"k-advance-past-span", start_address},
                                     {"base-offset-unused", base_offset},
                                     {"stride-zero", stride_byte_offset},
                                     {"stride-overlap", stride_byte_offset},
                                     {"stride-in-bytes", stride_byte_offset},
                                     {"leading-zero", leading_byte_offset},
                                     {"leading-overlap", leading_byte_offset},
                                     {"leading-in-bytes", leading_byte_offset},
                                     {"a-type", a_type},
                                     {"b-type", b_type},
                                     {"d-type", d_type},
                                     {"scale-type", scale_type},
                                     {"shape", n},
                                     {"selector-kind", sparsity_selector},
                                     {"selector-dense", sparsity_selector},
                                     {"saturate-kind", saturate},
                                     {"k-code", k_size},
                                     {"k-target", k_size},
                                     {"sparsity-version", sparsity_version},
                                     {"shift-without-ws", max_shift}};

}  // namespace

Tint tint_of(FieldId field) { return std::ranges::find(tints, field, &FieldTint::field)->tint; }

std::string said_in_picture(const DecodedField& field, const FieldRow& row) {
  const auto* const flag = std::ranges::find(flags, field.id, &Flag::field);
  if (flag != std::end(flags)) return std::string(field.raw == 0 ? flag->off : flag->on);
  if (field.id == base_offset && field.raw == 0) return "base offset 0";
  const auto* number = std::get_if<std::int64_t>(&field.value);
  if (number == nullptr || row.scale < 2 || field.raw == 0) return {};
  const std::string value = field.id == start_address ? fmt::format("{:#x}", *number) : value_text(field);
  const std::string factors =
      row.unit.empty() ? fmt::format("{} × {}", field.raw, row.scale) : fmt::format("{:#x} × {}", field.raw, row.scale);
  return fmt::format("{} = {} = {}", label(field.id), factors, value);
}

std::optional<FieldId> field_of_rule(std::string_view rule) {
  const auto* const found = std::ranges::find(rule_fields, rule, &RuleField::rule);
  return found == std::end(rule_fields) ? std::nullopt : std::optional(found->field);
}

}  // namespace swz
