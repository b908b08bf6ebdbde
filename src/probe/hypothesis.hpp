// Hypotheses: other models than swz's own, each one mistake away from it.
//
// They serve twice. When an observation differs, the hypothesis that explains every element is named. And a probe
// that cannot fail proves nothing: run with a hypothesis in place of the model (`swz verify --planted NAME`), the
// suite must report mismatches.
//
// Invariant (tested): each is caught, by simulation and on a GPU.
#pragma once

#include <span>
#include <string_view>

namespace swz {

enum class Hypothesis {
  none,  // swz's own model
  strides_swapped,
  base_offset_added,
  mask_off_by_one,
  relative_xor,
  wrong_fragment,
  wrong_identity,
  // Of tensor maps and loads.
  documented_rules,
  rows_packed,
  // Of wavefronts.
  no_pairing,
  stores_pair,
  pairs_at_any_distance,
  pairs_by_group,
  idle_lanes_disagree,
  groups_of_32,
  no_broadcast,
  // Of layouts.
  one_stride_off,
  wrong_swizzle,
};

struct HypothesisRow {
  Hypothesis hypothesis;
  std::string_view name;
  std::string_view what;  // "LBO and SBO are swapped"
};

// All but none.
std::span<const HypothesisRow> hypotheses();
const HypothesisRow& row_of(Hypothesis hypothesis);
// Throws Error with the nearest name and the list.
Hypothesis require_hypothesis(std::string_view name);

}  // namespace swz
