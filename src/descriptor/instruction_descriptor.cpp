#include "descriptor/instruction_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

using D = InstructionDescriptor;

TypeRole role_of(FieldId field) {
  if (field == FieldId::d_type) return TypeRole::d;
  return field == FieldId::scale_type ? TypeRole::scale : TypeRole::a_b;
}

// Columns of B for codes 0 to 3 of max_shift.
constexpr int shift_columns[] = {0, 8, 16, 32};

std::uint64_t type_code_of(MmaKind kind, FieldId field, std::string_view dtype) {
  for (const TypeCode& row : type_codes())
    if (row.role == role_of(field) && contains(row.kinds, kind) && row.dtype == dtype)
      return static_cast<std::uint64_t>(row.code);
  throw Error(fmt::format("{} {} has no code under kind::{}", to_string(field), quoted(dtype), row_of(kind).name),
              fmt::format("codes: {}", legal_type_codes(kind, role_of(field))));
}

std::string flag_meaning(const D& d, FieldId field) {
  const bool set = d.flag(field);
  switch (field) {
    case FieldId::sparse: return set ? "A is sparse" : "A is dense";
    case FieldId::saturate: return set ? "integer results saturate" : "no saturation";
    case FieldId::negate_a: return set ? "A is negated" : "A as it is";
    case FieldId::negate_b: return set ? "B is negated" : "B as it is";
    case FieldId::transpose_a: return set ? "A is M-major" : "A is K-major";
    case FieldId::transpose_b: return set ? "B is N-major" : "B is K-major";
    default: return std::string(d.format().find(field)->meaning);
  }
}

void fill_value(const D& d, DecodedField& field) {
  switch (field.id) {
    case FieldId::d_type:
    case FieldId::a_type:
    case FieldId::b_type:
    case FieldId::scale_type: {
      const TypeCode* type = d.type(field.id);
      if (type) field.value = std::string(type->dtype);
      field.meaning = type ? fmt::format("{} is {}", d.format().find(field.id)->meaning, type->dtype)
                           : fmt::format("code {} is illegal under kind::{}", field.raw, d.kind_row().name);
      return;
    }
    case FieldId::max_shift:
      field.value = std::int64_t{d.max_shift()};
      field.unit = "columns";
      return;
    case FieldId::k_size: field.value = std::int64_t{d.k()}; return;
    default: field.value = d.value(field.id); field.meaning = flag_meaning(d, field.id);
  }
}

InstructionReading read(std::uint32_t word, MmaKind kind, const Target* target) {
  const auto on = [&](const Target& t) {
    const D descriptor(word, kind, t);
    return InstructionReading{descriptor, lint(descriptor)};
  };
  if (target) return on(*target);
  const InstructionReading sm_100a = on(require_target("sm_100a"));
  const InstructionReading sm_103a = on(require_target("sm_103a"));
  return count(sm_103a.findings, Severity::format) < count(sm_100a.findings, Severity::format) ? sm_103a : sm_100a;
}

const Target& checked(const Target& target) {
  if (target.descriptor == SmemDescriptorKind::tcgen05) return target;
  throw Error(fmt::format("{} has no tcgen05 instruction descriptor", target.name),
              fmt::format("targets that have it: {}", join_and(target_names(SmemDescriptorKind::tcgen05))));
}

}  // namespace

InstructionDescriptor::InstructionDescriptor(std::uint32_t word, MmaKind kind, const Target& target)
    : DescriptorWord(word, idesc_format(kind), checked(target)), kind_(kind) {}

InstructionDescriptor InstructionDescriptor::encode(const InstructionDescriptorValues& v, const Target& target) {
  const DescriptorFormat& format = idesc_format(v.kind);
  std::uint64_t word = 0;
  const auto put = [&](FieldId id, std::uint64_t raw) {
    if (raw != 0 || format.find(id)) word = with_field(word, format, id, raw);
  };
  const auto put_type = [&](FieldId id, std::string_view dtype) {
    if (format.find(id)) put(id, type_code_of(v.kind, id, dtype));
  };
  const auto* const shift = std::find(std::begin(shift_columns), std::end(shift_columns), v.max_shift);
  if (shift == std::end(shift_columns))
    throw Error(fmt::format("max_shift {} is not 0, 8, 16 or 32 columns", v.max_shift));

  put_type(FieldId::a_type, v.a_type);
  put_type(FieldId::b_type, v.b_type);
  put_type(FieldId::d_type, v.d_type);
  put_type(FieldId::scale_type, v.scale_type);
  put(FieldId::m, raw_of(*format.find(FieldId::m), v.m));
  put(FieldId::n, raw_of(*format.find(FieldId::n), v.n));
  put(FieldId::transpose_a, v.transpose_a);
  put(FieldId::transpose_b, v.transpose_b);
  put(FieldId::negate_a, v.negate_a);
  put(FieldId::negate_b, v.negate_b);
  put(FieldId::sparse, v.sparse);
  put(FieldId::saturate, v.saturate);
  put(FieldId::k_size, v.k96);
  put(FieldId::sparsity_selector, static_cast<std::uint64_t>(v.sparsity_selector));
  put(FieldId::max_shift, static_cast<std::uint64_t>(shift - std::begin(shift_columns)));
  put(FieldId::scale_a_id, static_cast<std::uint64_t>(v.scale_a_id));
  put(FieldId::scale_b_id, static_cast<std::uint64_t>(v.scale_b_id));
  return D(static_cast<std::uint32_t>(word), v.kind, target);
}

int InstructionDescriptor::max_shift() const { return shift_columns[raw(FieldId::max_shift)]; }

const TypeCode* InstructionDescriptor::type(FieldId field) const {
  return has(field) ? find_type_code(kind_, role_of(field), raw(field)) : nullptr;
}

MmaShapeQuery InstructionDescriptor::shape() const {
  return {kind_,
          m(),
          n(),
          flag(FieldId::sparse),
          flag(FieldId::k_size),
          kind_row().has_8bit_slots && flag(FieldId::transpose_b)};
}

int InstructionDescriptor::k() const {
  if (flag(FieldId::k_size)) return 96;
  return flag(FieldId::sparse) ? kind_row().k_sparse : kind_row().k_dense;
}

InstructionDescriptorValues InstructionDescriptor::values() const {
  const auto dtype = [this](FieldId field) { return type(field) ? type(field)->dtype : std::string_view{}; };
  const auto number = [this](FieldId field) { return static_cast<int>(raw(field)); };
  InstructionDescriptorValues v;
  v.kind = kind_;
  v.a_type = dtype(FieldId::a_type);
  v.b_type = dtype(FieldId::b_type);
  v.d_type = has(FieldId::d_type) ? dtype(FieldId::d_type) : "f32";
  v.scale_type = dtype(FieldId::scale_type);
  v.m = m();
  v.n = n();
  v.transpose_a = flag(FieldId::transpose_a);
  v.transpose_b = flag(FieldId::transpose_b);
  v.negate_a = flag(FieldId::negate_a);
  v.negate_b = flag(FieldId::negate_b);
  v.sparse = flag(FieldId::sparse);
  v.saturate = flag(FieldId::saturate);
  v.k96 = flag(FieldId::k_size);
  v.sparsity_selector = number(FieldId::sparsity_selector);
  v.max_shift = max_shift();
  v.scale_a_id = number(FieldId::scale_a_id);
  v.scale_b_id = number(FieldId::scale_b_id);
  return v;
}

std::vector<DecodedField> decoded_fields(const InstructionDescriptor& descriptor) {
  std::vector<DecodedField> fields;
  for (const FieldRow& row : descriptor.format().fields) {
    DecodedField field{
        row.id, row.bits, descriptor.raw(row.id), {}, std::string(row.unit), std::string(row.meaning)};
    fill_value(descriptor, field);
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string summary(const InstructionDescriptor& d) {
  const auto name = [&](FieldId field) { return d.type(field) ? d.type(field)->dtype : std::string_view("?"); };
  return fmt::format("{} x {} -> {}, M {}, N {}, K {}", name(FieldId::a_type), name(FieldId::b_type),
                     d.has(FieldId::d_type) ? name(FieldId::d_type) : "f32", d.m(), d.n(), d.k());
}

InstructionDecoding decode_idesc(std::uint32_t word, const MmaKindRow* kind, const Target* target) {
  if (kind) return {word, {read(word, kind->kind, target)}, ""};

  std::vector<InstructionReading> all;
  for (const MmaKindRow& row : mma_kinds()) all.push_back(read(word, row.kind, target));
  const auto broken = [](const InstructionReading& r) { return count(r.findings, Severity::format); };
  const auto fewest = broken(*std::min_element(
      all.begin(), all.end(), [&](const auto& a, const auto& b) { return broken(a) < broken(b); }));

  InstructionDecoding decoding{word, {}, ""};
  std::vector<std::string> names;
  for (const InstructionReading& reading : all) {
    if (broken(reading) != fewest) continue;
    names.push_back(fmt::format("kind::{}", reading.descriptor.kind_row().name));
    decoding.readings.push_back(reading);
  }
  decoding.why = fmt::format(
      "the kind is in the instruction, not in the word: {} {}", join_and(names),
      fewest == 0
          ? (names.size() == 1 ? "alone reads it without breaking a rule" : "read it without breaking a rule")
          : fmt::format("break{} fewest rules ({})", names.size() == 1 ? "s the" : " the", fewest));
  return decoding;
}

}  // namespace swz
