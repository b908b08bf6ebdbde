// SPDX-License-Identifier: Apache-2.0
// Mistake: what goes wrong when shared memory is written or a word is made for it, one name for each.
//
// The same fault is seen from several sides. LBO and SBO exchanged is a word whose fields are exchanged (swz map), a dump
// whose atoms lie at the steps of the other direction (swz identify), and a model that swz verify plants. All three are
// strides-exchanged. Who finds a mistake says with its numbers what happened; the sentence here is what it means in
// general.
//
// Invariant (tested): every name that an explanation, a k loop or an identification gives is a row.
#pragma once

#include <span>
#include <string_view>

#include "base/finding.hpp"

namespace swz {

struct MistakeRow {
  std::string_view name;
  std::string_view found_by;  // commands, with commas between
  std::string_view sentence;
  Source source = {"tests plant it", Evidence::derived};
};

std::span<const MistakeRow> mistakes();

// The names that several rooms give.
namespace mistake {
inline constexpr std::string_view strides_exchanged = "strides-exchanged";
inline constexpr std::string_view relative_swizzle = "tile-relative-swizzle";
inline constexpr std::string_view element_unit_swizzle = "element-unit-swizzle";
inline constexpr std::string_view other_mode = "other-mode";
inline constexpr std::string_view transposed = "transposed";
inline constexpr std::string_view stale = "stale";
inline constexpr std::string_view wrong_lane = "wrong-lane";
}  // namespace mistake

}  // namespace swz
