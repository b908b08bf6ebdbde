// SPDX-License-Identifier: Apache-2.0
#include "descriptor/instruction_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "arch/mma_choice.hpp"
#include "arch/tcgen05.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "tmem/scale_factor.hpp"

namespace swz {

namespace {

using D = InstructionDescriptor;

TypeRole role_of(FieldId field) {
  if (field == FieldId::d_type) return TypeRole::d;
  return field == FieldId::scale_type ? TypeRole::scale : TypeRole::a_b;
}

// Columns of B for the codes 0 to 3 of max_shift.
constexpr int shift_columns[] = {0, 8, 16, 32};

std::string flag_meaning(const D& d, const FieldRow& row) {
  const bool set = d.flag(row.id);
  switch (row.id) {
    case FieldId::sparse: return set ? "A is sparse" : "A is dense";
    case FieldId::saturate: return set ? "integer results saturate" : "no saturation";
    case FieldId::negate_a: return set ? "A is negated" : "A as it is";
    case FieldId::negate_b: return set ? "B is negated" : "B as it is";
    case FieldId::transpose_a: return set ? "A is M-major" : "A is K-major";
    case FieldId::transpose_b: return set ? "B is N-major" : "B is K-major";
    default: return std::string(row.meaning);
  }
}

InstructionReading read_on(const Target& target, std::uint32_t word, MmaKind kind) {
  const D descriptor(word, kind, target);
  return {descriptor, lint(descriptor)};
}

InstructionReading read(std::uint32_t word, MmaKind kind, const Target* target) {
  if (target) return read_on(*target, word, kind);
  const Target& sm_107a = require_target("sm_107a");
  if (!runs_on(row_of(kind), swz::sm_100a())) return read_on(sm_107a, word, kind);
  InstructionReading best = read_on(swz::sm_100a(), word, kind);
  const InstructionReading on_103a = read_on(require_target("sm_103a"), word, kind);
  if (on_103a.broken() < best.broken()) best = on_103a;
  if (best.broken() == 0) return best;
  const InstructionReading on_107a = read_on(sm_107a, word, kind);
  return on_107a.broken() == 0 ? on_107a : best;
}

const Target& checked(const Target& target) {
  if (target.descriptor == SmemDescriptorKind::tcgen05) return target;
  throw Error(fmt::format("{} has no tcgen05 instruction descriptor", target.name),
              fmt::format("targets that have it: {}", join_and(target_names(SmemDescriptorKind::tcgen05))));
}

// ---- lints

std::string kind_name(const D& d) { return fmt::format("kind::{}", d.kind_row().name); }

template <FieldId field>
bool has_illegal_type(const D& d) {
  return d.has(field) && d.type(field) == nullptr;
}
bool is_type(const D& d, FieldId field, std::string_view dtype) {
  return d.type(field) != nullptr && d.type(field)->dtype == dtype;
}

template <FieldId field>
Advice tell_type(const D& d) {
  return {fmt::format("{} code {} is illegal under {}", to_string(field), d.raw(field), kind_name(d)),
          fmt::format("legal: {}", legal_type_codes(d.kind(), role_of(field)))};
}

bool is_transposed(const D& d) { return d.flag(FieldId::transpose_a) || d.flag(FieldId::transpose_b); }

bool has_own_k(const D& d) { return d.k() > 0 && d.k_size() != KSize::usual; }

// The targets that have the K of the word.
Availability k_availability(const D& d) {
  return availability_of(d.kind(), d.k_size().value_or(KSize::usual), d.flag(FieldId::sparse));
}

// "bit 31", "bits 3, 31": those that are set of the bits that choose K.
std::string k_bits(const D& d) {
  std::uint64_t mask = 0;
  for (const FieldId field : {FieldId::k_size, FieldId::k_twice})
    if (d.flag(field)) mask |= d.format().find(field)->bits.mask();
  return bits_text(mask);
}

bool has_fp4(const D& d) { return d.kind() == MmaKind::mxf4 || d.kind() == MmaKind::mxf4nvf4; }

// The type of a field, "?" for a code that is not one.
std::string type_text(const D& d, FieldId field) {
  const TypeCode* code = d.type(field);
  return code == nullptr ? "?" : std::string(code->dtype);
}

// Whether the kind has the K, but not with the type of A or B.
bool has_type_without_k(const D& d) {
  const auto is_without = [&](FieldId field) {
    return d.type(field) != nullptr && !takes_type(d.kind_row(), *d.k_size(), require_dtype(d.type(field)->dtype));
  };
  return d.k() > 0 && (is_without(FieldId::a_type) || is_without(FieldId::b_type));
}

bool has_ws_shape(const D& d) {
  return std::ranges::any_of(mma_shapes(),
                             [&](const MmaShape& shape) { return shape.is_ws() && fits(shape, d.shape()); });
}

// Whether a scale id is allowed by no vector size. K = 96: 0 to 3 with block32, 0 and 2 with block16, which ue4m3
// implies before sm_107. K = 128: whole words of four.
bool has_bad_scale_id(const D& d, FieldId field) {
  if (!d.has(field) || d.kind() == MmaKind::mxf8f6f4) return false;
  const auto id = d.raw(field);
  const bool is_block16 = is_type(d, FieldId::scale_type, "ue4m3") && !d.target().has_107_fields;
  if (d.k_size() == KSize::twice) return id != 0;
  if (d.k_size() == KSize::k96) return is_block16 && id % 2 != 0;
  return is_block16 ? id != 0 : id % 2 != 0;
}

// True only for the kinds whose operands are in 8-bit slots.
bool has_narrow_mn_major(const D& d) {
  const auto is_narrow = [&](FieldId transposed, FieldId type) {
    return d.kind_row().has_8bit_slots && d.flag(transposed) && d.type(type) != nullptr &&
           require_dtype(d.type(type)->dtype).value_bits < 8;
  };
  return is_narrow(FieldId::transpose_a, FieldId::a_type) || is_narrow(FieldId::transpose_b, FieldId::b_type);
}

Advice tell_shape(const D& d) {
  std::string legal;
  for (const MmaShape& shape : mma_shapes()) {
    const bool same_k = shape.k == d.k_size();
    const bool same_sparsity =
        shape.sparsity == Sparsity::either || (shape.sparsity == Sparsity::sparse) == d.flag(FieldId::sparse);
    if (!contains(shape.kinds, d.kind()) || !same_k || !same_sparsity) continue;
    legal +=
        fmt::format("{}{}: M {}, N {}", legal.empty() ? "" : "; ", shape.group, to_string(shape.m), to_string(shape.n));
  }
  if (d.shape().transposed_8bit_b) legal += "; with N-major 8-bit B, N in steps of 16 (cta_group::1) or 32";
  if (const auto nearest = nearest_shape(d.shape()))
    legal += fmt::format("; nearest: M {}, N {}", nearest->m, nearest->n);
  return {fmt::format("M {}, N {} is not a {} shape of {}", d.m(), d.n(), d.flag(FieldId::sparse) ? "sparse" : "dense",
                      kind_name(d)),
          legal.empty() ? "no shape exists for these flags" : legal};
}

Availability availability(const D& d) { return availability_of(d.kind_row(), d.flag(FieldId::sparse)); }

Advice tell_target(const D& d) {
  return {fmt::format("{}{} does not exist on {}", kind_name(d), d.flag(FieldId::sparse) ? " with sparse A" : "",
                      d.target().name),
          fmt::format("targets that have it: {}", to_string(availability(d)))};
}
constexpr Source t42{"PTX ISA 9.1, tables 42 to 44"}, t39{"PTX ISA 9.1, tables 39 and 52"};
constexpr Source t51{"PTX ISA 9.1, tables 51 and 54"}, t57{"PTX ISA 9.1, table 57 and 9.7.16.10.7.2"};
constexpr Source selector{"PTX ISA 9.1, 9.7.16.10.8.4"};
constexpr Source ptxas{"ptxas 13.5.37", Evidence::header};
constexpr Source t48{"PTX ISA 9.1, table 39, and 9.4, table 48"};
constexpr Source t51_to_53{"PTX ISA 9.4, tables 51 to 53"};
constexpr Source version{"PTX ISA 9.4, table 53, CuTe DSL 4.8.1; CUTLASS and JAX write 0 for a dense A",
                         Evidence::claimed};
constexpr Source disputed{"PTX ISA 9.1 table 39 against CUTLASS 3.9", Evidence::claimed};
constexpr Source selector_columns{"PTX ISA 9.1, 9.7.16.10.8 against CUTLASS 4.7", Evidence::claimed};
constexpr Source narrow_major{"PTX ISA 9.1, table 54 against CUTLASS 4.7", Evidence::claimed};

using enum Severity;

// clang-format off
constexpr DescriptorRule<D> rules[] = {
    {"reserved-bits", format, "bits that must be 0 are set",
     [](const D& d) { return d.reserved_set() != 0; },
     [](const D& d) { return Advice{fmt::format("bits that {} keeps 0 are set: {}", kind_name(d),
          bit_ranges(d.reserved_set())),
        reserved_hint(d)}; }, t42},
    {"a-type", format, "no A type has this code under this kind",
     has_illegal_type<FieldId::a_type>, tell_type<FieldId::a_type>, t42},
    {"b-type", format, "no B type has this code under this kind",
     has_illegal_type<FieldId::b_type>, tell_type<FieldId::b_type>, t42},
    {"d-type", format, "no D type has this code under this kind",
     has_illegal_type<FieldId::d_type>, tell_type<FieldId::d_type>, t42},
    {"scale-type", format, "no scale type has this code under this kind",
     has_illegal_type<FieldId::scale_type>, tell_type<FieldId::scale_type>, t42},
    {"shape", format, "no legal shape has this M and N",
     [](const D& d) { return fitting_groups(d.shape()).empty() && d.k() > 0; }, tell_shape, t39},
    {"d-f16-inputs", format, "kind::f16 with D f16 and inputs other than f16",
     [](const D& d) {
       return d.kind() == MmaKind::f16 && is_type(d, FieldId::d_type, "f16") &&
              (is_type(d, FieldId::a_type, "bf16") || is_type(d, FieldId::b_type, "bf16")) &&
              d.type(FieldId::a_type) && d.type(FieldId::b_type);
     },
     [](const D& d) { return Advice{fmt::format("D is f16 with {} x {}", d.type(FieldId::a_type)->dtype,
          d.type(FieldId::b_type)->dtype),
        "D f16 needs f16 inputs; bf16 needs D f32 (code 1 in bits 4-5)"}; }, t39},
    {"selector-kind", format, "sparsity selector under a kind without one",
     [](const D& d) { return !d.kind_row().may_select && d.flag(FieldId::sparsity_selector); },
     [](const D& d) { return Advice{fmt::format("sparsity selector {} under {}, which has none",
          d.raw(FieldId::sparsity_selector), kind_name(d)),
        "bits 0-1 must be 0"}; }, selector},
    {"saturate-kind", format, "saturate under a kind that is not integer",
     [](const D& d) { return !d.kind_row().may_saturate && d.flag(FieldId::saturate); },
     [](const D& d) { return Advice{fmt::format("saturate (bit 3) under {}", kind_name(d)),
        "integer saturation exists in kind::i8 only"}; }, t42},
    {"negate-kind", format, "negate under an integer kind",
     [](const D& d) {
       return !d.kind_row().may_negate && (d.flag(FieldId::negate_a) || d.flag(FieldId::negate_b));
     },
     [](const D& d) { return Advice{fmt::format("negate (bits 13, 14) under {}", kind_name(d)),
        "integer operands cannot be negated"}; }, t51},
    {"transpose-kind", format, "transpose under a packed 4-bit kind, or under ti16",
     [](const D& d) { return !d.kind_row().may_transpose && is_transposed(d); },
     [](const D& d) { return Advice{fmt::format("transpose (bits 15, 16) under {}", kind_name(d)),
        d.kind() == MmaKind::ti16 ? "PTX 9.4, table 51, has no transpose there; table 62 has one: unsettled, take K-major"
                                  : "packed 4-bit operands are K-major only"}; }, t51},
    {"k-code", format, "no K has this code under this kind",
     [](const D& d) { return d.k() == 0; },
     [](const D& d) { return Advice{fmt::format("{}, the choice of K, under {}{}", k_bits(d), kind_name(d),
          d.flag(FieldId::sparse) ? " with sparse A" : ""),
        fmt::format("with 0 there K is {}", k_of(d.kind(), KSize::usual, d.flag(FieldId::sparse)))}; }, t51_to_53},
    {"k-target", format, "a K that the target does not have",
     [](const D& d) { return has_own_k(d) && !runs_on(k_availability(d), d.target()); },
     [](const D& d) { return Advice{fmt::format("K = {} ({}) on {}", d.k(), k_bits(d), d.target().name),
        fmt::format("targets that have it: {}", to_string(k_availability(d)))}; }, t48},
    {"k64-types", format, "K = 64 of kind::f8f6f4 with elements of 4 or 6 bits", has_type_without_k,
     [](const D& d) { return Advice{fmt::format("K = 64 (bit 29) with {} x {}", type_text(d, FieldId::a_type),
          type_text(d, FieldId::b_type)),
        "under kind::f8f6f4 it is for e4m3 and e5m2; kind::mxf8f6f4 has it for all"}; }, t48},
    {"sparsity-version", format, "metadata of another version than the target reads",
     [](const D& d) { return d.has(FieldId::sparsity_version) && d.flag(FieldId::sparse) &&
          !d.flag(FieldId::sparsity_version); },
     [](const D& d) { return Advice{fmt::format("sparsity version 0 (bit 12) with sparse A; {} reads version 1",
          d.target().name),
        "set bit 12, and write metadata of 2 of 4 values: two entries for 4 elements of K"}; }, t51_to_53},
    {"kind-target", lint, "the target does not have this kind",
     [](const D& d) { return !runs_on(availability(d), d.target()); }, tell_target, ptxas},
    {"selector-dense", lint, "sparsity selector with dense A",
     [](const D& d) {
       return d.kind_row().may_select && d.flag(FieldId::sparsity_selector) && !d.flag(FieldId::sparse);
     },
     [](const D& d) { return Advice{fmt::format("sparsity selector {} but A is dense (bit 2 is 0)",
          d.raw(FieldId::sparsity_selector)),
        "the selector is read for sparse A only"}; }, selector},
    {"shift-without-ws", lint, "a shift for the reuse of B, but no .ws shape",
     [](const D& d) { return d.max_shift() != 0 && !has_ws_shape(d); },
     [](const D& d) { return Advice{fmt::format("a shift of {} columns, which only .ws has, with M {}, N {}, which "
          "is not a .ws shape", d.max_shift(), d.m(), d.n()),
        ".ws: M 32, 64, 128, N 64, 128, 256 (sparse 64, 128)"}; }, t42},
    {"scale-id", format, "a scale id that no vector size allows",
     [](const D& d) { return has_bad_scale_id(d, FieldId::scale_a_id) || has_bad_scale_id(d, FieldId::scale_b_id); },
     [](const D& d) { return Advice{fmt::format("scale ids {} (A) and {} (B) are not both legal under {} with "
          "scale type {}", d.raw(FieldId::scale_a_id), d.raw(FieldId::scale_b_id), kind_name(d),
          d.type(FieldId::scale_type) ? d.type(FieldId::scale_type)->dtype : "?"),
        "0 or 2 with scale_vec::2X, 0 with 4X; K = 96: 0 to 3 with block32, 0 or 2 with block16"}; }, t57},

    {"bits-of-107", note, "bits that only sm_107 has",
     [](const D& d) { return bits_of_107(d) != 0; }, [](const D& d) { return tell_bits_of_107(d); }, t51_to_53},
    {"sparsity-version-dense", note, "sparsity version 0 with a dense A on sm_107",
     [](const D& d) { return d.has(FieldId::sparsity_version) && !d.flag(FieldId::sparse) &&
          !d.flag(FieldId::sparsity_version); },
     [](const D&) { return Advice{"sparsity version 0 (bit 12) with a dense A: PTX 9.4 wants 1 on sm_107a without saying "
          "whether a dense A needs it", "CuTe DSL writes 1, CUTLASS and JAX write 0"}; }, version},
    {"shape-groups", note, "which instruction forms have this shape",
     [](const D& d) { return !fitting_groups(d.shape()).empty(); },
     [](const D& d) { return Advice{fmt::format("the shape fits {}; the word does not show which one it is",
          fitting_groups(d.shape())), ""}; }, t39},
    {"tf32-mn-major", note, "MN-major tf32 needs mode 128B_32B",
     [](const D& d) { return d.kind() == MmaKind::tf32 && is_transposed(d); },
     [](const D&) { return Advice{"an MN-major tf32 operand must lie in SMEM in swizzle mode 128B_32B",
        "code 1 in bits 61-63 of its word"}; }, t51},
    {"selector-value", note, "sparsity selector 2 or 3",
     [](const D& d) { return d.kind_row().may_select && d.flag(FieldId::sparse) && d.raw(FieldId::sparsity_selector) > 1; },
     [](const D& d) { return Advice{fmt::format("sparsity selector {}: PTX allows 0 to 3, CUTLASS uses only 0 and 1; "
          "which columns it names is open", d.raw(FieldId::sparsity_selector)), ""}; }, selector_columns},
    {"narrow-mn-major", note, "MN-major elements of 4 or 6 bits",
     has_narrow_mn_major,
     [](const D&) { return Advice{"MN-major elements of 4 or 6 bits: CUTLASS has them, PTX 9.1 does not list them", ""}; },
     narrow_major},
    {"n-step", note, "N is a multiple of 8 but not of 16",
     [](const D& d) { return d.n() % 16 != 0 && d.m() == 128 && !fitting_groups(d.shape()).empty(); },
     [](const D& d) { return Advice{fmt::format("N {} is not a multiple of 16: PTX 9.1 allows it with "
          "cta_group::1, CUTLASS before 4.2 did not", d.n()), ""}; }, disputed},
};
// clang-format on

}  // namespace

InstructionDescriptor::InstructionDescriptor(std::uint32_t word, MmaKind kind, const Target& target)
    : DescriptorWord(word, idesc_format(kind, checked(target)), target), kind_(kind) {}

int InstructionDescriptor::max_shift() const { return shift_columns[raw(FieldId::max_shift)]; }

const TypeCode* InstructionDescriptor::type(FieldId field) const {
  return has(field) ? find_type_code(kind_, role_of(field), raw(field)) : nullptr;
}

MmaShapeQuery InstructionDescriptor::shape() const {
  return {kind_,
          m(),
          n(),
          flag(FieldId::sparse),
          k_size().value_or(KSize::usual),
          kind_row().has_8bit_slots && flag(FieldId::transpose_b)};
}

std::optional<KSize> InstructionDescriptor::k_size() const {
  const bool is_twice = flag(FieldId::k_twice);
  if (!flag(FieldId::k_size)) return is_twice ? KSize::twice : KSize::usual;
  if (is_twice) return std::nullopt;
  return has_fp4(*this) ? KSize::k96 : KSize::twice;
}

int InstructionDescriptor::k() const {
  const std::optional<KSize> size = k_size();
  return size ? k_of(kind_, *size, flag(FieldId::sparse)) : 0;
}

DecodedField decoded_field(const InstructionDescriptor& d, const FieldRow& row) {
  DecodedField field = d.number_field(row);
  switch (row.id) {
    case FieldId::d_type:
    case FieldId::a_type:
    case FieldId::b_type:
    case FieldId::scale_type: {
      const TypeCode* type = d.type(row.id);
      if (type) field.value = std::string(type->dtype);
      field.meaning = type ? fmt::format("{} is {}", row.meaning, type->dtype)
                           : fmt::format("code {} is illegal under kind::{}", field.raw, d.kind_row().name);
      break;
    }
    case FieldId::max_shift:
      field.value = std::int64_t{d.max_shift()};
      field.unit = "columns";
      break;
    case FieldId::k_size:
      if (d.k() > 0) field.value = std::int64_t{d.k()};
      else field.meaning = fmt::format("no K of kind::{} has this code", d.kind_row().name);
      break;
    case FieldId::sfa_layout: field.value = std::string(d.flag(row.id) ? "128-lane" : "32-lane"); break;
    default: field.meaning = flag_meaning(d, row);
  }
  return field;
}

std::string summary(const InstructionDescriptor& d) {
  const auto name = [&](FieldId field) { return d.type(field) ? d.type(field)->dtype : std::string_view("?"); };
  return fmt::format("{} x {} -> {}, M {}, N {}, K {}", name(FieldId::a_type), name(FieldId::b_type),
                     d.has(FieldId::d_type) ? name(FieldId::d_type) : "f32", d.m(), d.n(), d.k());
}

InstructionDecoding decode_idesc(std::uint32_t word, const MmaKindRow* kind, const Target* target) {
  if (kind) return {{read(word, kind->kind, target)}, ""};

  std::vector<InstructionReading> all;
  for (const MmaKindRow& row : mma_kinds()) all.push_back(read(word, row.kind, target));
  const auto fewest = std::ranges::min_element(all, {}, &InstructionReading::broken)->broken();

  InstructionDecoding decoding;
  std::ranges::copy_if(all, std::back_inserter(decoding.readings),
                       [&](const InstructionReading& reading) { return reading.broken() == fewest; });
  // Those that only sm_107 has come last.
  const auto is_of_107 = [](const InstructionReading& r) { return r.descriptor.target().has_107_fields; };
  std::stable_partition(decoding.readings.begin(), decoding.readings.end(),
                        [&](const InstructionReading& reading) { return !is_of_107(reading); });
  std::vector<std::string> names;
  for (const InstructionReading& reading : decoding.readings)
    names.push_back(fmt::format("kind::{}{}", reading.descriptor.kind_row().name,
                                target == nullptr && is_of_107(reading) ? " on sm_107a" : ""));
  decoding.why = fmt::format(
      "the kind is in the instruction, not in the word: {} {}", join_and(names),
      fewest == 0 ? (names.size() == 1 ? "alone reads it without breaking a rule" : "read it without breaking a rule")
                  : fmt::format("break{} fewest rules ({})", names.size() == 1 ? "s the" : " the", fewest));
  return decoding;
}

void require_scale_ids(const InstructionDescriptor& d, int vec) {
  if (vec == 32 && is_type(d, FieldId::scale_type, "ue4m3") && !d.target().has_107_fields)
    throw usage_error("scale type ue4m3 does not go with vectors of 32 elements",
                      "ue4m3: --vec 16; with --vec 32 the scale type is ue8m0");
  // The factors of an MMA begin where those of the previous MMA end, in words of four.
  const KSize k = d.k_size() == KSize::twice && !has_fp4(d) ? KSize::usual : d.k_size().value_or(KSize::usual);
  const int step = std::gcd(4, require_scale_kind(d.kind(), vec, k).factors);
  std::vector<std::string> ids;
  for (int id = 0; id < 4; id += step) ids.push_back(std::to_string(id));
  for (const FieldId field : {FieldId::scale_a_id, FieldId::scale_b_id})
    if (const auto id = d.raw(field); id % static_cast<unsigned>(step) != 0)
      throw usage_error(fmt::format("{} {} does not go with vectors of {} elements under {}", to_string(field), id, vec,
                                    kind_name(d)),
                        fmt::format("it is {}; nearest: {}", join_and(ids),
                                    id / static_cast<unsigned>(step) * static_cast<unsigned>(step)));
}

std::span<const DescriptorRule<InstructionDescriptor>> instruction_rules() { return rules; }

std::vector<Finding> lint(const InstructionDescriptor& descriptor) { return findings(instruction_rules(), descriptor); }

}  // namespace swz
