// Tensor maps that the kernel writes itself, field by field, with tensormap.replace, against the rules of `swz tma check`.
//
//   box_dim 0 = 128, elemtype 10 (bf16), swizzle_mode 3 (128B)     a row of the box has 256 B: wider than the mode's 128 B
//
// A field that the kernel does not write, or not with a constant, is taken to be one that breaks no rule.
#include <algorithm>
#include <map>
#include <set>

#include "ptx/kernel_report.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/value_builder.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

struct WrittenMap {
  std::uint32_t line = 0;  // of the first field
  TensorMap map;
  std::set<std::string> fields;  // "box_dim 0"
};

// Whether the field's number is one that swz has a name for.
bool write_field(WrittenMap& written, std::string_view field, std::size_t place, std::uint64_t number) {
  TensorMap& map = written.map;
  const auto at = [&](auto& list) -> bool {
    if (place >= list.size()) return false;
    list[place] = number;
    return true;
  };
  if (field == "global_address") map.global_address = number;
  else if (field == "rank") map.rank = static_cast<int>(number) + 1;
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

// What is not written breaks nothing: a tensor of the box, packed.
TensorMap completed(const WrittenMap& written) {
  TensorMap map = written.map;
  const auto has = [&](std::string_view field, int place) { return written.fields.contains(std::string(field) + " " + std::to_string(place)); };
  constexpr std::uint64_t row = 4096;
  if (!written.fields.contains("global_address 0")) map.global_address = 0;
  for (int i = 0; i < map.dim_count(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    if (!has("box_dim", i)) map.box[place] = i == 0 ? 16 : 1;
    if (!has("global_dim", i)) map.dims[place] = std::max<std::uint64_t>(map.box[place], 1024);
    if (!has("element_stride", i)) map.element_strides[place] = 1;
    if (i < map.stride_count() && !has("global_stride", i)) map.strides[place] = (place == 0 ? 1 : map.strides[place - 1]) * row;
  }
  return map;
}

}  // namespace

std::vector<Finding> tensor_map_findings(const PtxValues& values, const Target* target) {
  std::map<std::string, WrittenMap> maps;  // by their address
  const PtxKernel& kernel = values.kernel();
  for (const PtxInstruction& one : kernel.instructions) {
    if (!one.is("tensormap.replace")) continue;
    const OpcodeParts parts(one.opcode);
    const auto operands = values.module().operands_of(one);
    if (parts.count < 4 || operands.size() < 2) continue;
    const auto value = [&](std::size_t k) { return values.of_operand(one, k); };
    if (value(0) == no_value) continue;
    WrittenMap& written = maps[to_string(linear_form(values, value(0), values[value(0)].bits), values)];
    if (written.line == 0) written.line = one.line;
    const bool has_place = operands.size() > 2;
    const auto number = values.number_of(value(operands.size() - 1));
    if (!number) continue;
    const std::size_t place = has_place && value(1) != no_value ? static_cast<std::size_t>(values.known(value(1)).low) : 0;
    if (write_field(written, parts.all[3], place, *number))
      written.fields.insert(std::string(parts.all[3]) + " " + std::to_string(place));
  }
  std::vector<Finding> out;
  for (const auto& [address, written] : maps) {
    if (target == nullptr || !written.fields.contains("rank 0") || !written.fields.contains("elemtype 0")) continue;
    for (const TensorMapViolation& violation : violations(completed(written), *target)) {
      Finding finding = violation;
      finding.severity = Severity::lint;
      finding.message = "the tensor map at " + address + ", written from line " + std::to_string(written.line) + " on: " + finding.message;
      out.push_back(std::move(finding));
    }
  }
  return out;
}

}  // namespace swz
