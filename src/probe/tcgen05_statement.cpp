#include "probe/tcgen05_statement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "descriptor/fields.hpp"

namespace swz {

namespace {

constexpr std::string_view group = "cta_group::1";

bool has_shape(const MmaShapeQuery& query) {
  return std::ranges::any_of(mma_shapes(),
                             [&](const MmaShape& shape) { return shape.group == group && fits(shape, query); });
}

std::vector<std::string_view> types_of(MmaKind kind, TypeRole role) {
  std::vector<std::string_view> out;
  for (const TypeCode& code : type_codes())
    if (code.role == role && contains(code.kinds, kind)) out.push_back(code.dtype);
  return out;
}

bool are_types(MmaKind kind, std::string_view a, std::string_view b, std::string_view d) {
  if (kind != MmaKind::f16) return true;
  return a == b && (d == "f32" || a == "f16");
}

// Every way to give A, B and D their types.
std::vector<Tcgen05Instruction> typed(MmaKind kind) {
  std::vector<Tcgen05Instruction> out;
  for (const std::string_view a : types_of(kind, TypeRole::a_b))
    for (const std::string_view b : types_of(kind, TypeRole::a_b))
      for (const std::string_view d : types_of(kind, TypeRole::d))
        if (are_types(kind, a, b, d)) out.push_back({kind, 0, 0, std::string(a), std::string(b), std::string(d)});
  return out;
}

}  // namespace

std::vector<MmaKind> tcgen05_kinds() {
  std::vector<MmaKind> out;
  for (const MmaKindRow& row : mma_kinds())
    if (!row.block_scaled) out.push_back(row.kind);
  return out;
}

std::vector<Tcgen05Instruction> tcgen05_instructions(MmaKind kind) {
  std::vector<Tcgen05Instruction> out;
  for (const Tcgen05Instruction& types : typed(kind))
    for (int m = 32; m <= 256; m *= 2)
      for (int n = 8; n <= 256; n += 8) {
        if (!has_shape({.kind = kind, .m = m, .n = n})) continue;
        out.push_back(types);
        out.back().m = m;
        out.back().n = n;
      }
  return out;
}

void require_instruction(const Tcgen05Instruction& i) {
  const bool has_types = !row_of(i.kind).block_scaled && std::ranges::any_of(typed(i.kind), [&](const auto& types) {
    return types.a_type == i.a_type && types.b_type == i.b_type && types.d_type == i.d_type;
  });
  if (has_types && has_shape({.kind = i.kind, .m = i.m, .n = i.n})) return;
  throw Error(fmt::format("there is no {} of {}", to_string(i), group),
              "swz arch instructions lists the shapes and types");
}

Packing packing_of(std::string_view dtype) {
  return require_dtype(dtype).value_bits < 8 ? Packing::slots : Packing::packed;
}

bool may_be_n_major(const Tcgen05Instruction& i) {
  return has_shape({.kind = i.kind, .m = i.m, .n = i.n, .transposed_8bit_b = row_of(i.kind).has_8bit_slots});
}

std::uint32_t idesc_of(const Tcgen05Instruction& i, bool transpose_a, bool transpose_b) {
  std::vector<FieldSetting> fields{{FieldId::a_type, std::string(i.a_type)},
                                   {FieldId::b_type, std::string(i.b_type)},
                                   {FieldId::d_type, std::string(i.d_type)},
                                   {FieldId::m, fmt::to_string(i.m)},
                                   {FieldId::n, fmt::to_string(i.n)}};
  if (transpose_a) fields.push_back({FieldId::transpose_a, "1"});
  if (transpose_b) fields.push_back({FieldId::transpose_b, "1"});
  // The word is the same on every target.
  return static_cast<std::uint32_t>(encode_idesc(fields, i.kind, sm_100a()).word());
}

std::string to_string(const Tcgen05Instruction& i) {
  const MmaKindRow& kind = row_of(i.kind);
  return fmt::format("tcgen05.mma kind::{} m{}n{}k{}.{}.{}.{}", kind.name, i.m, i.n, kind.k_dense, i.d_type,
                     i.a_type, i.b_type);
}

std::string tcgen05_statement(MmaKind kind) {
  return fmt::format(
      "__device__ inline void mma(unsigned d, unsigned long long a, unsigned long long b, unsigned idesc) {{\n"
      "  asm volatile(\"{{ .reg .pred p; setp.ne.u32 p, 0, 0;\\n\"\n"
      "      \"tcgen05.mma.{}.kind::{} [%0], %1, %2, %3, p; }}\"\n"
      "      : : \"r\"(d), \"l\"(a), \"l\"(b), \"r\"(idesc) : \"memory\");\n"
      "}}\n",
      group, row_of(kind).name);
}

}  // namespace swz
