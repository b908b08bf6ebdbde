// SPDX-License-Identifier: Apache-2.0
// Tensor maps that the kernel writes itself, field by field, with tensormap.replace, against the rules of `swz tma check`.
//
//   box_dim 0 = 128, elemtype 10 (bf16), swizzle_mode 3 (128B)     a row of the box has 256 B: wider than the mode's 128 B
//
// A map is written in shared memory and brought to where copies find it by tensormap.cp_fenceproxy; then the next map may be
// written in the same place. A field is what was written since the map before, or else what every instruction that writes it there
// writes. A field of which that leaves no one number is not known, and taken to be one that breaks no rule.
#include <algorithm>
#include <map>

#include "ptx/kernel_report.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/value_builder.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

constexpr std::size_t most_maps = 256, most_fields = 64;  // of one kernel, of one map; of more nothing is said

// What is written into one place of a field for one map.
struct FieldWrite {
  std::size_t map = 0;  // how many were brought away before
  std::uint32_t line = 0;
  std::optional<std::uint64_t> number;  // nullopt: it is not known, or several
};

struct WrittenField {
  std::vector<FieldWrite> writes;  // one for a map
  bool is_one = true;              // all have the same number

  void append(const FieldWrite& write) {
    is_one = is_one && (writes.empty() || writes.front().number == write.number);
    if (writes.empty() || writes.back().map != write.map) writes.push_back(write);
    else if (writes.back().number != write.number) writes.back().number.reset();
  }
  const FieldWrite* of(std::size_t map) const {
    const auto found = std::ranges::find(writes, map, &FieldWrite::map);
    return found == writes.end() ? nullptr : &*found;
  }
  std::optional<std::uint64_t> number(std::size_t map) const {
    if (const FieldWrite* own = of(map)) return own->number;
    return is_one ? writes.front().number : std::nullopt;
  }
};

// Shared memory in which maps are written, one after the other.
struct Workplace {
  std::string text;
  std::uint32_t line = 0;
  std::map<std::pair<std::string_view, std::size_t>, WrittenField> fields;  // "box_dim", 0
  std::vector<std::string> brought_to;
};

// Whether the field's number is one that swz has a name for.
bool write_field(TensorMap& map, std::string_view field, std::size_t place, std::uint64_t number) {
  const auto at = [&](auto& list) -> bool {
    if (place >= list.size()) return false;
    list[place] = number;
    return true;
  };
  if (field == "global_address") map.global_address = number;
  else if (field == "rank") map.rank = static_cast<int>(std::min<std::uint64_t>(number, 0xffff)) + 1;
  else if (field == "box_dim") return at(map.box);
  else if (field == "global_dim") return at(map.dims);
  else if (field == "global_stride") return at(map.strides);
  else if (field == "element_stride") return at(map.element_strides);
  else if (field == "interleave_layout" && number <= 2) map.interleave = static_cast<TensorMapInterleave>(number);
  else if (field == "swizzle_mode" && number <= 3) map.swizzle = static_cast<TensorMapSwizzle>(number);
  else if (field == "elemtype") {
    for (const TensorMapDataTypeRow& row : tensor_map_data_types()) {
      if (row.replace_code != static_cast<int>(number)) continue;
      map.data_type = row.value;
      return true;
    }
    return false;
  } else {
    return false;
  }
  return true;
}

BuiltTensorMap built_map(const Workplace& at, std::size_t map) {
  BuiltTensorMap out;
  out.written_at = at.text;
  for (const auto& [field, written] : at.fields) {
    const auto number = written.number(map);
    if (number && write_field(out.map, field.first, field.second, *number)) out.fields.insert(field);
    const FieldWrite* own = written.of(map);
    if (own != nullptr && (out.line == 0 || own->line < out.line)) out.line = own->line;
  }
  if (out.line == 0) out.line = at.line;
  return out;
}

// What is not known breaks nothing: a tensor of the box, packed.
TensorMap completed(const BuiltTensorMap& built) {
  TensorMap map = built.map;
  constexpr std::uint64_t row = 4096;
  if (!built.knows("global_address")) map.global_address = 0;
  for (int i = 0; i < map.dim_count(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (!built.knows("box_dim", place)) map.box[place] = i == 0 ? 16 : 1;
    if (!built.knows("global_dim", place)) map.dims[place] = std::max<std::uint64_t>(map.box[place], 1024);
    if (!built.knows("element_stride", place)) map.element_strides[place] = 1;
    if (i < map.stride_count() && !built.knows("global_stride", place))
      map.strides[place] = (place == 0 ? 1 : map.strides[place - 1]) * row;
  }
  return map;
}

}  // namespace

std::optional<Bytes> BuiltTensorMap::box_bytes() const {
  const TensorMapDataTypeRow* type = knows("elemtype") ? find_row(map.data_type) : nullptr;
  if (type == nullptr || type->is_padded() || !knows("rank")) return std::nullopt;
  std::uint64_t elements = 1;
  for (int i = 0; i < map.dim_count(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (!knows("box_dim", place) || !knows("element_stride", place) || map.element_strides[place] != 1 ||
        map.box[place] > 256)
      return std::nullopt;
    elements *= map.box[place];
  }
  return Bytes{static_cast<std::int64_t>(elements) * type->gmem_bits / 8};
}

std::vector<BuiltTensorMap> built_tensor_maps(const PtxValues& values) {
  std::map<std::string, Workplace> workplaces;  // by the key of their address
  for (const PtxInstruction& one : values.kernel().instructions) {
    const bool replaces = one.is("tensormap.replace"), brings = one.is("tensormap.cp_fenceproxy");
    if (!replaces && !brings) continue;
    const OpcodeParts parts(one.opcode);
    const ValueId where = values.of_operand(one, brings ? 1 : 0);
    if (where == no_value || one.operands < 2 || parts.count < 4) return {};
    Workplace& at = workplaces[address_key(values, where)];
    at.text = to_string(linear_form(values, where, values[where].bits), values);
    if (at.brought_to.size() == most_maps) return {};
    if (brings) {
      const ValueId to = values.of_operand(one, 0);
      at.brought_to.push_back(to == no_value ? "" : address_key(values, to));
      continue;
    }
    if (at.line == 0) at.line = one.line;
    const FieldWrite write{at.brought_to.size(), one.line, values.number_of(values.of_operand(one, one.operands - 1))};
    const auto place = one.operands > 2 ? values.number_of(values.of_operand(one, 1)) : 0;
    for (std::size_t i = 0; i < tensor_map_max_rank; ++i) {
      if (!place) at.fields[{parts.all[3], i}].append({write.map, write.line, {}});
      else if (*place == i) at.fields[{parts.all[3], i}].append(write);
    }
    if (at.fields.size() > most_fields) return {};
  }
  std::vector<BuiltTensorMap> out;
  for (const auto& [key, at] : workplaces) {
    if (at.fields.empty()) continue;  // brought from a place that nothing here wrote
    for (std::size_t maps = 0; maps < std::max<std::size_t>(at.brought_to.size(), 1); ++maps) {
      if (out.size() == most_maps) return {};
      out.push_back(built_map(at, maps));
      out.back().found_at = at.brought_to.empty() ? key : at.brought_to[maps];
    }
  }
  std::ranges::stable_sort(out, {}, &BuiltTensorMap::line);
  return out;
}

std::vector<Finding> tensor_map_findings(const std::vector<BuiltTensorMap>& maps, const Target* target) {
  std::vector<Finding> out;
  for (const BuiltTensorMap& built : maps) {
    if (target == nullptr || !built.knows("rank") || !built.knows("elemtype")) continue;
    for (const TensorMapViolation& violation : violations(completed(built), *target)) {
      Finding finding = violation;
      finding.severity = Severity::lint;
      finding.message = "the tensor map at " + built.written_at + ", written from line " + std::to_string(built.line) +
                        " on: " + finding.message;
      if (std::ranges::find(out, finding.message, &Finding::message) == out.end()) out.push_back(std::move(finding));
    }
  }
  return out;
}

}  // namespace swz
