// SPDX-License-Identifier: Apache-2.0
#include "descriptor/operand_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "descriptor/layout_descriptor.hpp"

namespace swz {
namespace {

bool is_read_by_any(const DType& dtype, const Target& target) {
  for (const Major major : {Major::K, Major::MN})
    for (const SwizzleMode& mode : swizzle_modes())
      if (is_legal({&target, &dtype, Packing::packed, major, &mode})) return true;
  return false;
}

// The type as which MMAs read an array. Null if none reads elements of this width.
const DType* judged_type(const DType* dtype, int bits) {
  if (dtype == nullptr) return readable_dtype(bits);
  for (const char* name : {"sm_90a", "sm_100a"})
    if (is_read_by_any(*dtype, require_target(name))) return dtype;
  return dtype->name == "f32" ? readable_dtype(bits) : nullptr;
}

// The major of an array whose rows are MN.
Major major_of_rows(const Layout& l) {
  const Layout rows = mode(l, 0), columns = mode(l, 1);
  const bool has_contiguous_rows = rows.size() > 1 && rows(1) == 1 && !(columns.size() > 1 && columns(1) == 1);
  return has_contiguous_rows ? Major::MN : Major::K;
}

std::string reason_of(const ComposedLayout& tile, const DType& dtype) {
  if (tile.offset() != 0) return fmt::format("its first element lies at offset {}, before the swizzle", tile.offset());
  const Target& hopper = require_target("sm_90a");
  const Target& target = is_read_by_any(dtype, hopper) ? hopper : require_target("sm_100a");
  try {
    const Major major = rank(tile.layout()) == 2 ? major_of_rows(tile.layout()) : Major::K;
    const LayoutDescriptors words = layout_descriptors(
        {.layout = tile, .target = &target, .dtype = &dtype, .major = major, .role = OperandRole::b});
    if (!words.reason.empty()) return words.reason;
  } catch (const Error& e) {
    return e.message();
  }
  return "it holds an element twice";
}

bool has_repeats(const ComposedLayout& l) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(l.size()));
  tabulate(l.layout(), offsets);
  std::ranges::sort(offsets);
  return std::ranges::adjacent_find(offsets) != offsets.end();
}

}  // namespace

OperandVerdict operand_verdict(const StagedLayout& array, const DType* dtype, int bits) {
  OperandVerdict v;
  const ComposedLayout tile = array.tile.plain();
  if (bits == 0) {
    if (tile.swizzle().is_identity()) v.swizzle = &require_swizzle_mode("none");
    else v.no_mode = "not known: it depends on the element type, --dtype";
    return v;
  }
  const bool has_byte_form = is_power_of_two(bits);
  v.swizzle = has_byte_form ? stated_mode(tile, bits) : nullptr;
  if (v.swizzle == nullptr)
    v.no_mode = has_byte_form ? swizzle_reason(tile, bits) : fmt::format("elements of {} bits have none", bits);
  const DType* judged = judged_type(dtype, bits);
  if (judged == nullptr) {
    v.reason = dtype != nullptr ? fmt::format("none reads {}", dtype->name)
                                : fmt::format("none reads elements of {} bits", bits);
    return v;
  }
  if (judged != dtype && dtype != nullptr) v.read_as = judged;
  if (!has_repeats(tile)) {
    v.readings = readable_modes(tile, *judged);
    v.atoms = modes_of_atom(tile, *judged);
  }
  if (const SwizzleMode* mode = v.mode()) v.swizzle = mode;
  if (v.readings.empty() && !v.atoms.empty())
    v.reason = fmt::format("an atom of mode {}, too small for one MMA: {}", v.atoms[0].mode->name, v.atoms[0].lacks);
  else if (v.readings.empty()) v.reason = reason_of(tile, *judged);
  else v.reason = stage_reason(array, *v.readings[0].mode, bits);
  return v;
}

}  // namespace swz
