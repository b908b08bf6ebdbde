#include "descriptor/compare.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"

namespace swz {

namespace {

struct Verdict {
  Matters matters;
  std::string why;
};

// What lies `delta` bytes further, told by the strides of the word itself. The same mode stands in both words.
Verdict start_verdict(const SmemDescriptor& a, const SmemDescriptor& b) {
  const std::int64_t delta = b.start_address().count - a.start_address().count;
  const SwizzleMode* mode = a.swizzle();
  const std::string by = fmt::format("{:+} B", delta);
  if (mode == nullptr || mode != b.swizzle()) return {Matters::yes, by};
  const std::int64_t span = mode->span.count;
  const std::int64_t distance = delta < 0 ? -delta : delta;
  if (mode->bits > 0 && distance < span)
    return {Matters::yes, fmt::format("{}: a K-advance inside the {} B line (K-major)", by, span)};

  std::string readings;
  const auto add = [&](std::int64_t stride, std::string_view of) {
    if (stride < mode->atom().count || distance % stride != 0) return;
    readings += fmt::format("{}{} x {} ({})", readings.empty() ? ": " : "; ", delta / stride, of, stride);
  };
  add(a.stride_byte_offset().count, "SBO");
  if (!a.absolute_lbo()) add(a.leading_byte_offset().count, "LBO");
  if (readings.empty() && distance % mode->atom().count == 0)
    readings = fmt::format(": {} x atom ({})", delta / mode->atom().count, mode->atom().count);
  return {Matters::yes, by + readings};
}

Verdict leading_verdict(const SmemDescriptor& a, const SmemDescriptor& b) {
  const SwizzleMode* mode = a.swizzle();
  if (mode == nullptr || mode != b.swizzle() || a.absolute_lbo() || b.absolute_lbo() || mode->bits == 0)
    return {Matters::yes, "LBO is used"};
  return {Matters::depends,
          fmt::format("ignored when K-major{}; when MN-major used beyond one block of {} B",
                      may_pass_span(*mode) ? ", but for B of a sparse MMA" : "", mode->span.count)};
}

Verdict base_verdict(const SmemDescriptor& a, const SmemDescriptor& b) {
  const SwizzleMode* mode = a.swizzle();
  if (mode == nullptr || mode != b.swizzle()) return {Matters::yes, "moves the pattern by lines of 128 B"};
  if (mode->bits == 0) return {Matters::no, "mode none has no pattern to move"};
  if (((a.base_offset() ^ b.base_offset()) & mode->line_mask()) == 0)
    return {Matters::no, fmt::format("mode {} repeats after {} lines", mode->name, mode->line_mask() + 1)};
  return {Matters::yes, "moves the pattern by lines of 128 B"};
}

Verdict verdict(FieldId field, const SmemDescriptor& a, const SmemDescriptor& b) {
  switch (field) {
    case FieldId::start_address: return start_verdict(a, b);
    case FieldId::leading_byte_offset: return leading_verdict(a, b);
    case FieldId::stride_byte_offset:
      return {Matters::depends, "used unless the operand is a single group (8 rows K-major)"};
    case FieldId::base_offset: return base_verdict(a, b);
    case FieldId::swizzle: return {Matters::yes, "the same element lies on other bytes"};
    case FieldId::version: return {Matters::unknown, "tcgen05 wants 0b001; nothing else is documented"};
    case FieldId::lbo_mode: return {Matters::yes, "LBO is an address in absolute mode, a distance otherwise"};
    default: return {Matters::yes, ""};
  }
}

Verdict verdict(FieldId field, const InstructionDescriptor& a, const InstructionDescriptor& b) {
  const bool both_dense = !a.flag(FieldId::sparse) && !b.flag(FieldId::sparse);
  if (field == FieldId::sparsity_selector && both_dense) return {Matters::no, "read for sparse A only"};
  if (field == FieldId::max_shift) return {Matters::depends, "read by .ws only"};
  return {Matters::yes, "another instruction"};
}

std::string set_bits(const DescriptorWord& word) {
  return word.reserved_set() == 0 ? "none set" : "bits " + bit_ranges(word.reserved_set());
}

// Fields that both formats have, and those of one of them, in the order of their bits.
template <class Descriptor>
std::vector<Difference> differences(const Descriptor& a, const Descriptor& b) {
  std::vector<Difference> out;
  const std::vector<DecodedField> fields_a = decoded_fields(a), fields_b = decoded_fields(b);
  const auto find = [](const std::vector<DecodedField>& fields, FieldId id) -> const DecodedField* {
    for (const DecodedField& field : fields)
      if (field.id == id) return &field;
    return nullptr;
  };
  const auto text = [](const DecodedField* field) { return field ? value_text(*field) : std::string("-"); };
  const auto add = [&](FieldId id) {
    const std::string own = text(find(fields_a, id)), other = text(find(fields_b, id));
    if (own == other) return;
    const bool in_both = a.has(id) && b.has(id);
    const Verdict v = in_both ? verdict(id, a, b) : Verdict{Matters::yes, "a field of one format only"};
    out.push_back({std::string(to_string(id)), own, other, v.matters, v.why});
  };
  for (const DecodedField& field : fields_a) add(field.id);
  for (const DecodedField& field : fields_b)
    if (!a.has(field.id)) add(field.id);
  if (a.reserved_set() != b.reserved_set()) {
    const bool is_ignored = &a.format() == &wgmma_smem_format && &b.format() == &wgmma_smem_format;
    out.push_back({"reserved", set_bits(a), set_bits(b), is_ignored ? Matters::no : Matters::unknown,
                   is_ignored ? "bits that must be 0; the H200 ignores them" : "bits that must be 0"});
  }
  return out;
}

Difference format_difference(std::string_view a, std::string_view b) {
  return {"format", std::string(a), std::string(b), Matters::yes, "words of different instructions"};
}

}  // namespace

std::string value_text(const DecodedField& field) {
  if (std::holds_alternative<std::monostate>(field.value)) return fmt::format("illegal code {}", field.raw);
  if (const auto* name = std::get_if<std::string>(&field.value)) return *name;
  const std::int64_t number = std::get<std::int64_t>(field.value);
  return field.unit.empty() ? fmt::format("{}", number) : fmt::format("{} {}", number, field.unit);
}

std::vector<Difference> compare(const SmemDescriptor& a, const SmemDescriptor& b) {
  std::vector<Difference> out = differences(a, b);
  if (a.kind() != b.kind()) out.insert(out.begin(), format_difference(a.format().name, b.format().name));
  return out;
}

std::vector<Difference> compare(const InstructionDescriptor& a, const InstructionDescriptor& b) {
  std::vector<Difference> out = differences(a, b);
  if (a.kind() != b.kind()) out.insert(out.begin(), format_difference(a.kind_row().name, b.kind_row().name));
  return out;
}

}  // namespace swz
