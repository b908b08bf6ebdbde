#include "descriptor/encode_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "descriptor/compare.hpp"

namespace swz {

namespace {

struct Code {
  std::uint64_t raw = 0;
  std::string name;
};

// The codes of a field whose value is a name; none for numbers. Other fields of the word may decide what a code means.
template <class Descriptor>
std::vector<Code> codes_of(const FieldRow& row, const Descriptor& word, auto&& make) {
  std::vector<Code> codes;
  if (row.scale != 0) return codes;
  for (std::uint64_t raw = 0; raw <= row.bits.max(); ++raw) {
    const std::vector<DecodedField> fields = decoded_fields(make(row.bits.write(word.word(), raw)));
    const DecodedField& field = *std::ranges::find(fields, row.id, &DecodedField::id);
    if (const auto* name = std::get_if<std::string>(&field.value)) codes.push_back({raw, *name});
    if (const auto* number = std::get_if<std::int64_t>(&field.value))
      codes.push_back({raw, fmt::to_string(*number)});
  }
  return codes;
}

std::vector<std::string> names_of(const std::vector<Code>& codes) {
  std::vector<std::string> names;
  for (const Code& code : codes) names.push_back(code.name);
  return names;
}

// The name that decode uses, of any name of a mode or type.
std::string canonical(FieldId id, const std::string& text) {
  if (id == FieldId::swizzle) {
    const SwizzleMode* mode = find_swizzle_mode(text);
    return mode ? std::string(mode->name) : text;
  }
  const DType* dtype = find_dtype(text);
  return dtype ? std::string(dtype->name) : text;
}

// "did you mean 'bf16'? " or, of numbers, "nearest: 8 or 16; "
std::string guess(const std::string& name, const std::vector<Code>& codes) {
  const auto number = find_unsigned(name);
  if (!number || !find_unsigned(codes.front().name)) {
    const std::string near = did_you_mean(name, names_of(codes));
    return near.empty() ? "" : near + " ";
  }
  const auto distance = [&](const Code& code) {
    const std::uint64_t own = find_unsigned(code.name).value_or(0);
    return own > *number ? own - *number : *number - own;
  };
  std::vector<std::string> near;
  for (const Code& code : codes)
    if (distance(code) == distance(*std::ranges::min_element(codes, {}, distance))) near.push_back(code.name);
  return fmt::format("nearest: {}; ", fmt::join(near, " or "));
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
  if (codes.empty()) return number_of(row, setting.text);
  const std::string name = canonical(row.id, setting.text);
  for (const Code& code : codes)
    if (code.name == name) return code.raw;
  throw Error(fmt::format("{} has no {} {}", owner, to_string(row.id), quoted(setting.text)),
              guess(name, codes) + allowed(row, codes));
}

// `make` binds a word to its format; `owner` has the fields: "sm_90a", "kind::f16".
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

}  // namespace

SmemDescriptor encode_smem(const std::vector<FieldSetting>& settings, const Target& target) {
  return encode(settings, std::string(target.name),
                [&](std::uint64_t word) { return SmemDescriptor(word, target); });
}

InstructionDescriptor encode_idesc(const std::vector<FieldSetting>& settings, MmaKind kind, const Target& target) {
  return encode(settings, fmt::format("kind::{}", row_of(kind).name), [&](std::uint64_t word) {
    return InstructionDescriptor(static_cast<std::uint32_t>(word), kind, target);
  });
}

}  // namespace swz
