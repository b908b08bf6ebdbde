// SPDX-License-Identifier: Apache-2.0 Tensor maps that the kernel writes itself, field by field, with
// tensormap.replace, against the rules of `swz tma check`.
//
//   box_dim 0 = 128, elemtype 10 (bf16), swizzle_mode 3 (128B)     a row of the box has 256 B: wider than the mode's 128 B
//
// A map is written in shared memory, and tensormap.cp_fenceproxy copies it to where bulk copies use it; then the next
// map may be written in the same place. A field is what was written since the map before; if nothing was, it is the
// number that every instruction that writes this field writes there. Any other field is not known, and is assumed to
// break no rule.
#include <algorithm>
#include <map>

#include "ptx/kernel_parts.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/opcode.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

constexpr std::size_t most_maps = 256, most_fields = 64;  // of a kernel, of a map; with more nothing is reported

// What is written into one place of a field for one map.
struct FieldWrite {
  std::size_t map = 0;  // how many were copied before
  std::uint32_t line = 0;
  std::optional<std::uint64_t> number;  // nullopt: not known, or several
};

struct WrittenField {
  std::vector<FieldWrite> writes;  // one per map
  bool are_equal = true;

  void append(const FieldWrite& write) {
    are_equal = are_equal && (writes.empty() || writes.front().number == write.number);
    if (writes.empty() || writes.back().map != write.map) writes.push_back(write);
    else if (writes.back().number != write.number) writes.back().number.reset();
  }
  const FieldWrite* of(std::size_t map) const {
    const auto write = std::ranges::find(writes, map, &FieldWrite::map);
    return write == writes.end() ? nullptr : &*write;
  }
  std::optional<std::uint64_t> number(std::size_t map) const {
    if (const FieldWrite* own = of(map)) return own->number;
    return are_equal ? writes.front().number : std::nullopt;
  }
};

// A place in shared memory in which the kernel writes maps, each after the map before is copied away.
struct MapBuffer {
  std::string text;
  std::uint32_t line = 0;
  std::map<std::pair<std::string_view, std::size_t>, WrittenField> fields;  // "box_dim", 0
  std::vector<std::string> copied_to;
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

BuiltTensorMap built_map(const MapBuffer& buffer, std::size_t map) {
  BuiltTensorMap built;
  built.written_at = buffer.text;
  for (const auto& [field, written] : buffer.fields) {
    const auto number = written.number(map);
    if (number && write_field(built.map, field.first, field.second, *number)) built.fields.insert(field);
    const FieldWrite* own = written.of(map);
    if (own != nullptr && (built.line == 0 || own->line < built.line)) built.line = own->line;
  }
  if (built.line == 0) built.line = buffer.line;
  return built;
}

// With values that break no rule for what is not known: a packed tensor of the box.
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

namespace {

using MapBuffers = std::map<std::string, MapBuffer>;  // by the key of their address

// nullopt: an instruction that may write any map, or too many maps.
std::optional<MapBuffers> map_buffers(const PtxValues& values) {
  MapBuffers buffers;
  for (const PtxInstruction& instruction : values.kernel().instructions) {
    const bool copies = instruction.is("tensormap.cp_fenceproxy");
    if (!copies && !instruction.is("tensormap.replace")) continue;
    const OpcodeParts parts(instruction.opcode);
    const auto value = [&](std::size_t operand) { return values.of_operand(instruction, operand); };
    const ValueId address = value(copies ? 1 : 0);
    if (address == no_value || instruction.operands < 2 || parts.count < 4) return std::nullopt;
    MapBuffer& buffer = buffers[address_key(values, address)];
    buffer.text = to_string(linear_form(values, address, values[address].bits), values);
    if (buffer.copied_to.size() == most_maps) return std::nullopt;
    if (copies) {
      buffer.copied_to.push_back(value(0) == no_value ? "" : address_key(values, value(0)));
      continue;
    }
    if (buffer.line == 0) buffer.line = instruction.line;
    const FieldWrite write{buffer.copied_to.size(), instruction.line,
                           values.number_of(value(instruction.operands - 1))};
    const auto place = instruction.operands > 2 ? values.number_of(value(1)) : 0;
    for (std::size_t i = 0; i < tensor_map_max_rank; ++i) {
      if (!place) buffer.fields[{parts.all[3], i}].append({write.map, write.line, {}});
      else if (*place == i) buffer.fields[{parts.all[3], i}].append(write);
    }
    if (buffer.fields.size() > most_fields) return std::nullopt;
  }
  return buffers;
}

}  // namespace

std::vector<BuiltTensorMap> built_tensor_maps(const PtxValues& values) {
  const auto buffers = map_buffers(values);
  if (!buffers) return {};
  std::vector<BuiltTensorMap> built;
  for (const auto& [key, buffer] : *buffers) {
    if (buffer.fields.empty()) continue;  // copied from a place that the kernel does not write
    for (std::size_t map = 0; map < std::max<std::size_t>(buffer.copied_to.size(), 1); ++map) {
      if (built.size() == most_maps) return {};
      built.push_back(built_map(buffer, map));
      built.back().used_at = buffer.copied_to.empty() ? key : buffer.copied_to[map];
    }
  }
  std::ranges::stable_sort(built, {}, &BuiltTensorMap::line);
  return built;
}

std::vector<Finding> tensor_map_findings(const std::vector<BuiltTensorMap>& maps, const Target* target) {
  std::vector<Finding> findings;
  for (const BuiltTensorMap& built : maps) {
    if (target == nullptr || !built.knows("rank") || !built.knows("elemtype")) continue;
    for (const TensorMapViolation& violation : violations(completed(built), *target)) {
      Finding finding = violation;
      finding.severity = Severity::lint;
      finding.message = "the tensor map at " + built.written_at + ", written from line " + std::to_string(built.line) +
                        " on: " + finding.message;
      if (std::ranges::find(findings, finding.message, &Finding::message) == findings.end())
        findings.push_back(std::move(finding));
    }
  }
  return findings;
}

}  // namespace swz
