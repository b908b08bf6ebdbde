#include "descriptor/smem_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/smem_lint.hpp"

namespace swz {

namespace {

const DescriptorFormat& format_for(const Target& target) {
  if (target.descriptor != SmemDescriptorKind::none) return smem_format(target.descriptor);
  throw Error(fmt::format("{} reads no 64-bit SMEM descriptor", target.name),
              fmt::format("wgmma: {}; tcgen05: {}", join_and(target_names(SmemDescriptorKind::wgmma)),
                          join_and(target_names(SmemDescriptorKind::tcgen05))));
}

std::string swizzle_meaning(const SwizzleMode* mode) {
  if (mode == nullptr) return "an illegal code";
  if (mode->bits == 0) return "no swizzle: core matrices of 8 x 16 B";
  return fmt::format("atom of {} x {} B, {} on byte addresses", mode->lines, mode->span.count,
                     to_string(mode->byte_swizzle()));
}

SmemReading read(std::uint64_t word, const Target& target) {
  const SmemDescriptor descriptor(word, target);
  return {descriptor, lint(descriptor)};
}

std::ptrdiff_t broken(const SmemReading& reading) { return count(reading.findings, Severity::format); }

std::string fit(const SmemReading& reading) {
  std::vector<std::string> names;
  for (const Finding& finding : reading.findings)
    if (finding.severity == Severity::format) names.push_back(finding.rule);
  return names.empty() ? "fits" : "breaks " + join_and(names);
}

}  // namespace

SmemDescriptor::SmemDescriptor(std::uint64_t word, const Target& target)
    : DescriptorWord(word, format_for(target), target) {}

SmemDescriptor SmemDescriptor::encode(const SmemDescriptorValues& values, const Target& target) {
  const DescriptorFormat& format = format_for(target);
  const SwizzleMode& mode = require_swizzle_mode(values.swizzle);
  const std::optional<int> code = mode.code(target.descriptor);
  if (!code)
    throw Error(fmt::format("{} has no swizzle mode {}", target.name, mode.name),
                "128B_32B exists in the tcgen05 descriptor only");
  if (values.absolute_lbo && !target.has_absolute_lbo)
    throw Error(fmt::format("{} has no absolute LBO mode", target.name), "it exists on sm_103a only");

  std::uint64_t word = 0;
  const auto put = [&](FieldId id, std::uint64_t raw) { word = with_field(word, format, id, raw); };
  const auto put_value = [&](FieldId id, std::int64_t value) { put(id, raw_of(*format.find(id), value)); };
  put_value(FieldId::start_address, values.start_address.count);
  put_value(FieldId::leading_byte_offset, values.leading_byte_offset.count);
  put_value(FieldId::stride_byte_offset, values.stride_byte_offset.count);
  put_value(FieldId::base_offset, values.base_offset);
  put(FieldId::swizzle, static_cast<std::uint64_t>(*code));
  if (const FieldRow* version = format.find(FieldId::version)) put(FieldId::version, version->usual);
  if (values.absolute_lbo) put(FieldId::lbo_mode, 1);
  return SmemDescriptor(word, target);
}

std::optional<SmemDescriptorValues> SmemDescriptor::values() const {
  const SwizzleMode* mode = swizzle();
  if (mode == nullptr) return std::nullopt;
  return SmemDescriptorValues{start_address(), leading_byte_offset(), stride_byte_offset(), base_offset(),
                              mode->name,      absolute_lbo()};
}

std::vector<DecodedField> decoded_fields(const SmemDescriptor& descriptor) {
  std::vector<DecodedField> fields;
  for (const FieldRow& row : descriptor.format().fields) {
    DecodedField field{
        row.id, row.bits, descriptor.raw(row.id), {}, std::string(row.unit), std::string(row.meaning)};
    if (row.id == FieldId::swizzle) {
      const SwizzleMode* mode = descriptor.swizzle();
      if (mode) field.value = std::string(mode->name);
      field.meaning = swizzle_meaning(mode);
    } else if (row.id == FieldId::lbo_mode) {
      field.value = std::string(descriptor.absolute_lbo() ? "absolute" : "relative");
    } else {
      field.value = descriptor.value(row.id);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

SmemDecoding decode_smem(std::uint64_t word, const Target* target) {
  if (target) return {word, {read(word, *target)}, ""};

  // Bits that both formats keep 0 speak for neither.
  const std::uint64_t shared = word & wgmma_smem_format.reserved_mask() & tcgen05_smem_format.reserved_mask();
  const auto decisive = [&](const Target& t) { return read(word & ~shared, t); };
  const SmemReading wgmma = decisive(default_target());
  const SmemReading sm_100a = decisive(require_target("sm_100a"));
  const SmemReading sm_103a = decisive(require_target("sm_103a"));
  const SmemReading& tcgen05 = broken(sm_103a) < broken(sm_100a) ? sm_103a : sm_100a;

  SmemDecoding decoding{word, {}, ""};
  decoding.why = fmt::format("bit 46 is {}, bit 61 is {}: as wgmma the word {}, as tcgen05 it {}", (word >> 46) & 1,
                             (word >> 61) & 1, fit(wgmma), fit(tcgen05));
  if (shared != 0) decoding.why += fmt::format("; bits {}, which both keep 0, tell nothing", bit_ranges(shared));
  const bool fits_one = (broken(wgmma) == 0) != (broken(tcgen05) == 0);
  for (const SmemReading& reading : {wgmma, tcgen05})
    if (!fits_one || broken(reading) == 0) decoding.readings.push_back(read(word, reading.descriptor.target()));
  return decoding;
}

}  // namespace swz
