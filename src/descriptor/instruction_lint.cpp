// Lints of the instruction descriptor: its table of rules. See instruction_descriptor.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "descriptor/instruction_descriptor.hpp"

namespace swz {

namespace {

using D = InstructionDescriptor;

std::string kind_name(const D& d) { return fmt::format("kind::{}", d.kind_row().name); }

bool has_illegal_type(const D& d, FieldId field) { return d.has(field) && d.type(field) == nullptr; }
bool is_type(const D& d, FieldId field, std::string_view dtype) {
  return d.type(field) != nullptr && d.type(field)->dtype == dtype;
}

Advice tell_type(const D& d, FieldId field, TypeRole role) {
  return {fmt::format("{} code {} is illegal under {}", to_string(field), d.raw(field), kind_name(d)),
          fmt::format("legal: {}", legal_type_codes(d.kind(), role))};
}

bool is_transposed(const D& d) { return d.flag(FieldId::transpose_a) || d.flag(FieldId::transpose_b); }

bool is_k96_sparse(const D& d) { return d.flag(FieldId::k_size) && d.flag(FieldId::sparse); }

bool has_ws_shape(const D& d) {
  const auto shapes = mma_shapes();
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const MmaShape& shape) { return shape.is_ws() && fits(shape, d.shape()); });
}

// Scale ids that no vector size allows. K = 96: 0 to 3 with block32, 0 and 2 with block16, which ue4m3 implies.
bool has_bad_scale_id(const D& d, FieldId field) {
  if (!d.has(field) || d.kind() == MmaKind::mxf8f6f4) return false;
  const auto id = d.raw(field);
  const bool is_block16 = is_type(d, FieldId::scale_type, "ue4m3");
  if (d.flag(FieldId::k_size)) return is_block16 && id % 2 != 0;
  return is_block16 ? id != 0 : id % 2 != 0;
}

Advice tell_reserved(const D& d) {
  return {fmt::format("bits that {} keeps 0 are set: {}", kind_name(d), bit_ranges(d.reserved_set())),
          reserved_hint(d)};
}

Advice tell_shape(const D& d) {
  std::string legal;
  for (const MmaShape& shape : mma_shapes()) {
    const bool same_k = shape.k96 == d.flag(FieldId::k_size);
    const bool same_sparsity =
        shape.sparsity == Sparsity::either || (shape.sparsity == Sparsity::sparse) == d.flag(FieldId::sparse);
    if (!contains(shape.kinds, d.kind()) || !same_k || !same_sparsity) continue;
    legal += fmt::format("{}{}: M {}, N {}", legal.empty() ? "" : "; ", shape.group, to_string(shape.m),
                         to_string(shape.n));
  }
  if (d.shape().transposed_8bit_b) legal += "; with N-major 8-bit B, N in steps of 16 (cta_group::1) or 32";
  return {fmt::format("M {}, N {} is no {} shape of {}", d.m(), d.n(), d.flag(FieldId::sparse) ? "sparse" : "dense",
                      kind_name(d)),
          legal.empty() ? "no shape exists for these flags" : legal};
}

Advice tell_selector(const D& d) {
  return {
      fmt::format("sparsity selector {} under {}, which has none", d.raw(FieldId::sparsity_selector), kind_name(d)),
      "bits 0-1 must be 0"};
}
Advice tell_saturate(const D& d) {
  return {fmt::format("saturate (bit 3) under {}", kind_name(d)), "integer saturation exists in kind::i8 only"};
}
Advice tell_negate(const D& d) {
  return {fmt::format("negate (bits 13, 14) under {}", kind_name(d)), "integer operands cannot be negated"};
}
Advice tell_transpose(const D& d) {
  return {fmt::format("transpose (bits 15, 16) under {}", kind_name(d)), "packed 4-bit operands are K-major only"};
}
Advice tell_d_f16(const D& d) {
  return {fmt::format("D is f16 with {} x {}", d.type(FieldId::a_type)->dtype, d.type(FieldId::b_type)->dtype),
          "D f16 needs f16 inputs; bf16 needs D f32 (code 1 in bits 4-5)"};
}
Advice tell_k96_sparse(const D&) { return {"K = 96 (bit 31) with sparse A (bit 2)", "K = 96 is dense only"}; }
Advice tell_k96_target(const D& d) {
  return {fmt::format("K = 96 (bit 31) on {}", d.target().name), "it exists on sm_103a only: --arch sm_103a"};
}
Advice tell_target(const D& d) {
  const auto& only = d.kind_row().only_on;
  return {fmt::format("{} does not exist on {}", kind_name(d), d.target().name),
          fmt::format("targets that have it: {} and {}", only[0], only[1])};
}
Advice tell_selector_dense(const D& d) {
  return {fmt::format("sparsity selector {} but A is dense (bit 2 is 0)", d.raw(FieldId::sparsity_selector)),
          "the selector is read for sparse A only"};
}
Advice tell_shift(const D& d) {
  return {fmt::format("a shift of {} columns, which only .ws has, with M {}, N {}, which is no .ws shape",
                      d.max_shift(), d.m(), d.n()),
          ".ws: M 32, 64, 128, N 64, 128, 256 (sparse 64, 128)"};
}
Advice tell_scale_id(const D& d) {
  return {fmt::format("scale ids {} (A) and {} (B) are not both legal under {} with scale type {}",
                      d.raw(FieldId::scale_a_id), d.raw(FieldId::scale_b_id), kind_name(d),
                      d.type(FieldId::scale_type) ? d.type(FieldId::scale_type)->dtype : "?"),
          "0 or 2 with scale_vec::2X, 0 with 4X; K = 96: 0 to 3 with block32, 0 or 2 with block16"};
}

Advice tell_groups(const D& d) {
  return {fmt::format("the shape fits {}; the word does not say which is meant", fitting_groups(d.shape())), ""};
}
Advice tell_tf32_major(const D&) {
  return {"an MN-major tf32 operand must lie in SMEM in swizzle mode 128B_32B", "code 1 in bits 61-63 of its word"};
}
Advice tell_n_step(const D& d) {
  return {
      fmt::format("N {} is not a multiple of 16: PTX 9.1 allows it with cta_group::1, CUTLASS before 4.2 did not",
                  d.n()),
      ""};
}

constexpr Source t42{"PTX ISA 9.1, tables 42 to 44"}, t39{"PTX ISA 9.1, tables 39 and 52"};
constexpr Source t51{"PTX ISA 9.1, tables 51 and 54"}, t57{"PTX ISA 9.1, table 57 and 9.7.16.10.7.2"};
constexpr Source selector{"PTX ISA 9.1, 9.7.16.10.8.4"};
constexpr Source ptxas{"ptxas 13.0.88", Evidence::header};
constexpr Source disputed{"PTX ISA 9.1 table 39 against CUTLASS 3.9", Evidence::claimed};

using enum Severity;

// clang-format off
constexpr DescriptorRule<D> rules[] = {
    {"reserved-bits", format, "bits that must be 0 are set",
     [](const D& d) { return d.reserved_set() != 0; }, tell_reserved, t42},
    {"a-type", format, "no A type has this code under this kind",
     [](const D& d) { return has_illegal_type(d, FieldId::a_type); },
     [](const D& d) { return tell_type(d, FieldId::a_type, TypeRole::a_b); }, t42},
    {"b-type", format, "no B type has this code under this kind",
     [](const D& d) { return has_illegal_type(d, FieldId::b_type); },
     [](const D& d) { return tell_type(d, FieldId::b_type, TypeRole::a_b); }, t42},
    {"d-type", format, "no D type has this code under this kind",
     [](const D& d) { return has_illegal_type(d, FieldId::d_type); },
     [](const D& d) { return tell_type(d, FieldId::d_type, TypeRole::d); }, t42},
    {"scale-type", format, "no scale type has this code under this kind",
     [](const D& d) { return has_illegal_type(d, FieldId::scale_type); },
     [](const D& d) { return tell_type(d, FieldId::scale_type, TypeRole::scale); }, t42},
    {"shape", format, "no legal shape has this M and N",
     [](const D& d) { return fitting_groups(d.shape()).empty() && !is_k96_sparse(d); }, tell_shape, t39},
    {"d-f16-inputs", format, "kind::f16 with D f16 and inputs other than f16",
     [](const D& d) {
       return d.kind() == MmaKind::f16 && is_type(d, FieldId::d_type, "f16") &&
              (is_type(d, FieldId::a_type, "bf16") || is_type(d, FieldId::b_type, "bf16")) &&
              d.type(FieldId::a_type) && d.type(FieldId::b_type);
     }, tell_d_f16, t39},
    {"selector-kind", format, "sparsity selector under a kind without one",
     [](const D& d) { return !d.kind_row().may_select && d.flag(FieldId::sparsity_selector); }, tell_selector,
     selector},
    {"saturate-kind", format, "saturate under a kind that is not integer",
     [](const D& d) { return !d.kind_row().may_saturate && d.flag(FieldId::saturate); }, tell_saturate, t42},
    {"negate-kind", format, "negate under an integer kind",
     [](const D& d) {
       return !d.kind_row().may_negate && (d.flag(FieldId::negate_a) || d.flag(FieldId::negate_b));
     }, tell_negate, t51},
    {"transpose-kind", format, "transpose under a packed 4-bit kind",
     [](const D& d) { return !d.kind_row().may_transpose && is_transposed(d); }, tell_transpose, t51},
    {"k96-sparse", format, "K = 96 with sparse A", is_k96_sparse, tell_k96_sparse, t39},
    {"k96-target", format, "K = 96 outside sm_103a",
     [](const D& d) { return d.flag(FieldId::k_size) && d.target().name != "sm_103a"; }, tell_k96_target, t39},
    {"kind-target", lint, "the target does not have this kind",
     [](const D& d) { return !runs_on(d.kind_row(), d.target()); }, tell_target, ptxas},
    {"selector-dense", lint, "sparsity selector with dense A",
     [](const D& d) {
       return d.kind_row().may_select && d.flag(FieldId::sparsity_selector) && !d.flag(FieldId::sparse);
     }, tell_selector_dense, selector},
    {"shift-without-ws", lint, "a shift for the reuse of B, but no .ws shape",
     [](const D& d) { return d.max_shift() != 0 && !has_ws_shape(d); }, tell_shift, t42},
    {"scale-id", format, "a scale id that no vector size allows",
     [](const D& d) { return has_bad_scale_id(d, FieldId::scale_a_id) || has_bad_scale_id(d, FieldId::scale_b_id); },
     tell_scale_id, t57},

    {"shape-groups", note, "which instruction forms have this shape",
     [](const D& d) { return !fitting_groups(d.shape()).empty(); }, tell_groups, t39},
    {"tf32-mn-major", note, "MN-major tf32 needs mode 128B_32B",
     [](const D& d) { return d.kind() == MmaKind::tf32 && is_transposed(d); }, tell_tf32_major, t51},
    {"n-step", note, "N is a multiple of 8 but not of 16",
     [](const D& d) { return d.n() % 16 != 0 && d.m() == 128 && !fitting_groups(d.shape()).empty(); }, tell_n_step,
     disputed},
};
// clang-format on

}  // namespace

std::span<const DescriptorRule<InstructionDescriptor>> instruction_rules() { return rules; }

std::vector<Finding> lint(const InstructionDescriptor& descriptor) {
  return findings(instruction_rules(), descriptor);
}

}  // namespace swz
