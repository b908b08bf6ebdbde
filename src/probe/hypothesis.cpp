#include "probe/hypothesis.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// In the order of the enum.
constexpr std::array<HypothesisRow, 18> hypothesis_rows{{
    {Hypothesis::none, "none", "the model of swz"},
    {Hypothesis::strides_swapped, "strides-swapped", "LBO and SBO are swapped"},
    {Hypothesis::base_offset_added, "base-offset-added", "the base offset is added instead of subtracted"},
    {Hypothesis::mask_off_by_one, "mask-off-by-one", "the swizzle mask is one too small"},
    {Hypothesis::relative_xor, "relative-xor", "the XOR counts lines from the start address, not from address 0"},
    {Hypothesis::wrong_fragment, "wrong-fragment", "two steps of the fragment are exchanged"},
    {Hypothesis::wrong_identity, "wrong-identity", "one element of the identity operand is wrong"},
    {Hypothesis::documented_rules, "documented-rules",
     "the driver refuses what cuda.h says it refuses, no more and no less"},
    {Hypothesis::rows_packed, "rows-packed", "rows of a box lie without gaps"},
    {Hypothesis::no_pairing, "no-pairing", "lanes never pair"},
    {Hypothesis::stores_pair, "stores-pair", "stores of 8 and 16 bytes pair as loads do"},
    {Hypothesis::pairs_at_any_distance, "pairs-at-any-distance", "lanes pair at the distances 4, 8 and 16 too"},
    {Hypothesis::pairs_by_group, "pairs-by-group", "two groups pair without regard to the others of the warp"},
    {Hypothesis::idle_lanes_disagree, "idle-lanes-disagree", "no lanes pair when one has an inactive partner"},
    {Hypothesis::groups_of_32, "groups-of-32", "the whole warp is one group whatever the width"},
    {Hypothesis::no_broadcast, "no-broadcast", "lanes that touch the same word collide"},
    {Hypothesis::one_stride_off, "one-stride-off", "the largest stride of the layout is one too small"},
    {Hypothesis::wrong_swizzle, "wrong-swizzle",
     "the layout's swizzle has one bit less; a layout without one is swizzled by Sw<1,4,3>"},
}};

}  // namespace

std::span<const HypothesisRow> hypotheses() { return std::span(hypothesis_rows).subspan(1); }

const HypothesisRow& row_of(Hypothesis hypothesis) { return hypothesis_rows[static_cast<std::size_t>(hypothesis)]; }

Hypothesis require_hypothesis(std::string_view name) {
  std::vector<std::string> names;
  for (const HypothesisRow& row : hypotheses()) {
    if (row.name == name) return row.hypothesis;
    names.emplace_back(row.name);
  }
  throw Error(fmt::format("unknown hypothesis {}", quoted(name)),
              did_you_mean(name, names, fmt::format("known: {}", fmt::join(names, ", "))));
}

}  // namespace swz
