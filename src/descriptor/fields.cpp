// SPDX-License-Identifier: Apache-2.0
#include "descriptor/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

struct Code {
  std::uint64_t raw = 0;
  std::string name;
};

// The codes of a field whose value is a name; none for numbers. Other fields of the word may determine what a code
// means.
template <class Descriptor>
std::vector<Code> codes_of(const FieldRow& row, const Descriptor& word, auto&& make) {
  std::vector<Code> codes;
  if (row.scale != 0) return codes;
  for (std::uint64_t raw = 0; raw <= row.bits.max(); ++raw) {
    DecodedField field = decoded_field(make(row.bits.write(word.word(), raw)), row);
    field.unit.clear();
    if (!std::holds_alternative<std::monostate>(field.value)) codes.push_back({raw, value_text(field)});
  }
  return codes;
}

std::vector<std::string> names_of(const std::vector<Code>& codes) {
  std::vector<std::string> names;
  for (const Code& code : codes) names.push_back(code.name);
  return names;
}

// The name that decode uses, for any name of a mode or type.
std::string canonical(FieldId id, const std::string& text) {
  if (id == FieldId::swizzle) {
    const SwizzleMode* mode = find_swizzle_mode(text);
    return mode ? std::string(mode->name) : text;
  }
  const DType* dtype = find_dtype(text);
  return dtype ? std::string(dtype->name) : text;
}

// The hint for a name that is not a code: "did you mean 'bf16'?" or, for numbers, "nearest: 8 or 16;", and the codes.
std::string guess(const std::string& name, const std::vector<Code>& codes) {
  const std::string all = join_and(names_of(codes));
  const auto number = find_unsigned(name);
  if (!number || !find_unsigned(codes.front().name)) return did_you_mean(name, names_of(codes), all);
  const auto distance = [&](const Code& code) {
    const std::uint64_t own = find_unsigned(code.name).value_or(0);
    return own > *number ? own - *number : *number - own;
  };
  std::vector<std::string> near;
  for (const Code& code : codes)
    if (distance(code) == distance(*std::ranges::min_element(codes, {}, distance))) near.push_back(code.name);
  return fmt::format("nearest: {}; {}", fmt::join(near, " or "), all);
}

std::string allowed(const FieldRow& row, const std::vector<Code>& codes) {
  return codes.empty() ? range_text(row) : join_and(names_of(codes));
}

std::uint64_t number_of(const FieldRow& row, const std::string& text) {
  const bool is_negative = text.starts_with('-');
  const std::string range = range_text(row);
  const std::uint64_t magnitude = parse_unsigned(text.substr(is_negative ? 1 : 0), 64, {range, range});
  const auto value = static_cast<std::int64_t>(std::min(magnitude, std::uint64_t{INT64_MAX}));
  return raw_of(row, is_negative ? -value : value);
}

std::uint64_t raw_of(const FieldRow& row, const std::vector<Code>& codes, const FieldSetting& setting,
                     const std::string& owner) {
  if (setting.raw) return *setting.raw;
  if (codes.empty() && row.scale == 0)
    throw Error(fmt::format("{} has no {} with the other fields", owner, to_string(row.id)), "leave one of them out");
  if (codes.empty()) return number_of(row, setting.text);
  const std::string name = canonical(row.id, setting.text);
  for (const Code& code : codes)
    if (code.name == name) return code.raw;
  throw Error(fmt::format("{} has no {} {}", owner, to_string(row.id), quoted(setting.text)), guess(name, codes));
}

// `make` binds a word to its format; `owner` names what has the fields: "sm_90a", "kind::f16".
template <class Make>
auto encode(const std::vector<FieldSetting>& settings, const std::string& owner, Make&& make) {
  auto word = make(std::uint64_t{0});
  const DescriptorFormat& format = word.format();
  for (const FieldSetting& setting : settings) {
    if (format.find(setting.id)) continue;
    std::vector<std::string> names;
    for (const FieldRow& row : format.fields) names.emplace_back(to_string(row.id));
    throw Error(fmt::format("{} has no field {}", owner, to_string(setting.id)), "its fields: " + join_and(names));
  }

  std::vector<std::string> missing, ways;
  for (const FieldRow& row : format.fields) {
    const auto codes = codes_of(row, word, make);
    const auto setting = std::ranges::find(settings.rbegin(), settings.rend(), row.id, &FieldSetting::id);
    std::uint64_t raw = codes.size() == 1 ? codes[0].raw : row.usual;
    if (setting != settings.rend()) {
      raw = raw_of(row, codes, *setting, owner);
    } else if (is_essential(row.id) && codes.size() != 1) {
      missing.emplace_back(to_string(row.id));
      ways.push_back(fmt::format("--{}: {}", option_name(row.id), allowed(row, codes)));
    }
    word = make(with_field(word.word(), format, row.id, raw));
  }
  if (!missing.empty())
    throw Error(fmt::format("{} needs {}", owner, join_and(missing)), fmt::format("{}", fmt::join(ways, "; ")));
  return word;
}

// ---- differences

struct Verdict {
  Matters matters;
  std::string why;
};

// What is `delta` bytes further, in terms of the word's own strides. Both words have the same mode.
Verdict start_verdict(const SmemDescriptor& a, const SmemDescriptor& b) {
  const std::int64_t delta = b.start_address().count - a.start_address().count;
  const SwizzleMode* mode = a.swizzle();
  const std::string by = fmt::format("{:+} B", delta);
  if (mode == nullptr || mode != b.swizzle()) return {Matters::yes, by};
  const std::int64_t span = mode->span.count;
  const std::int64_t distance = delta < 0 ? -delta : delta;
  if (mode->bits > 0 && distance < span)
    return {Matters::yes, fmt::format("{}: a K-advance inside the {} B line (K-major)", by, span)};

  const std::int64_t atom = mode->atom().count;
  std::vector<std::string> readings;
  const auto append = [&](std::int64_t stride, std::string_view of) {
    if (stride >= atom && distance % stride == 0)
      readings.push_back(fmt::format("{} x {} ({})", delta / stride, of, stride));
  };
  append(a.stride_byte_offset().count, "SBO");
  if (!a.absolute_lbo()) append(a.leading_byte_offset().count, "LBO");
  if (readings.empty()) append(atom, "atom");
  return {Matters::yes, fmt::format("{}{}{}", by, readings.empty() ? "" : ": ", fmt::join(readings, "; "))};
}

Verdict leading_verdict(const SmemDescriptor& a, const SmemDescriptor& b) {
  const SwizzleMode* mode = a.swizzle();
  if (mode == nullptr || mode != b.swizzle() || a.absolute_lbo() || b.absolute_lbo() || mode->bits == 0)
    return {Matters::yes, "LBO is used"};
  return {Matters::depends, fmt::format("ignored when K-major{}; when MN-major used beyond one block of {} B",
                                        may_pass_span(*mode) ? ", but for B of a sparse MMA" : "", mode->span.count)};
}

Verdict base_verdict(const SmemDescriptor& a, const SmemDescriptor& b) {
  const SwizzleMode* mode = a.swizzle();
  const bool is_same_mode = mode != nullptr && mode == b.swizzle();
  if (is_same_mode && mode->bits == 0) return {Matters::no, "mode none has no pattern to move"};
  if (is_same_mode && ((a.base_offset() ^ b.base_offset()) & mode->line_mask()) == 0)
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
    case FieldId::b_segment: return {Matters::depends, "read by .decompress::lut::b only"};
    case FieldId::lbo_mode: return {Matters::yes, "LBO is an address in absolute mode, a distance otherwise"};
    default: return {Matters::yes, ""};
  }
}

Verdict verdict(FieldId field, const InstructionDescriptor& a, const InstructionDescriptor& b) {
  const bool both_dense = !a.flag(FieldId::sparse) && !b.flag(FieldId::sparse);
  if (field == FieldId::sparsity_selector && both_dense) return {Matters::no, "read for sparse A only"};
  if (field == FieldId::sparsity_version)
    return both_dense ? Verdict{Matters::unknown, "PTX 9.4 wants 1 on sm_107a; CUTLASS and JAX write 0 for a dense A"}
                      : Verdict{Matters::yes, "the metadata means other places"};
  if (field == FieldId::sfa_layout) return {Matters::yes, "the scales of A lie in other lanes and columns"};
  if (field == FieldId::max_shift) return {Matters::depends, "read by .ws only"};
  return {Matters::yes, "another instruction"};
}

std::string set_bits(const DescriptorWord& word) {
  return word.reserved_set() == 0 ? "none set" : "bits " + bit_ranges(word.reserved_set());
}

// The format first, then the fields of both formats and those of one of them, in the order of their bits.
template <class Descriptor>
std::vector<Difference> differences(const Descriptor& a, const Descriptor& b, std::string_view own_format,
                                    std::string_view other_format) {
  std::vector<Difference> out;
  if (a.kind() != b.kind())
    out.push_back({"format", std::string(own_format), std::string(other_format), Matters::yes,
                   "words of different instructions"});
  else if (a.target().has_107_fields != b.target().has_107_fields)
    out.push_back({"target", std::string(a.target().name), std::string(b.target().name), Matters::yes,
                   "sm_107 reads bits that the others keep 0"});
  const auto text = [](const Descriptor& d, FieldId id) {
    return d.has(id) ? value_text(decoded_field(d, *d.format().find(id))) : std::string("-");
  };
  const auto append = [&](FieldId id) {
    const std::string own = text(a, id), other = text(b, id);
    if (own == other) return;
    const Verdict v = a.has(id) && b.has(id) ? verdict(id, a, b) : Verdict{Matters::yes, "a field of one format only"};
    out.push_back({std::string(to_string(id)), own, other, v.matters, v.why});
  };
  for (const FieldRow& row : a.format().fields) append(row.id);
  for (const FieldRow& row : b.format().fields)
    if (!a.has(row.id)) append(row.id);
  if (a.reserved_set() != b.reserved_set()) {
    const bool is_ignored = &a.format() == &wgmma_smem_format && &b.format() == &wgmma_smem_format;
    out.push_back({"reserved", set_bits(a), set_bits(b), is_ignored ? Matters::no : Matters::unknown,
                   is_ignored ? "bits that must be 0; the H200 ignores them" : "bits that must be 0"});
  }
  return out;
}

}  // namespace

SmemDescriptor encode_smem(const std::vector<FieldSetting>& settings, const Target& target) {
  return encode(settings, std::string(target.name), [&](std::uint64_t word) { return SmemDescriptor(word, target); });
}

InstructionDescriptor encode_idesc(const std::vector<FieldSetting>& settings, MmaKind kind, const Target& target) {
  return encode(settings, fmt::format("kind::{}", row_of(kind).name), [&](std::uint64_t word) {
    return InstructionDescriptor(static_cast<std::uint32_t>(word), kind, target);
  });
}

std::vector<Difference> compare(const SmemDescriptor& a, const SmemDescriptor& b) {
  return differences(a, b, a.format().name, b.format().name);
}

std::vector<Difference> compare(const InstructionDescriptor& a, const InstructionDescriptor& b) {
  return differences(a, b, a.kind_row().name, b.kind_row().name);
}

}  // namespace swz
