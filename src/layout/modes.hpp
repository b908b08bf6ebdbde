// Flat modes: the leaves of a layout as a list, the form the algebra computes on.
//
//   merge (4,2):(1,4)  =  8:1        4 steps of 1 end where the next step of 4 begins
#pragma once

#include <span>
#include <vector>

#include "layout/layout.hpp"

namespace swz {

// Without extent-1 modes and with neighbours merged. Post: the same values in [0, size).
std::vector<FlatMode> coalesce_modes(std::span<const FlatMode> modes);

// The same, but the last mode is taken as endless: its stride counts even when its extent is 1, because indices
// beyond the size continue along it. Post: at least one mode; the same values for every index >= 0.
std::vector<FlatMode> coalesce_endless(std::span<const FlatMode> modes);

// Without the modes that repeat (stride 0) or do nothing (extent 1), in their order; not merged.
std::vector<FlatMode> moving_modes(std::span<const FlatMode> modes);

// The modes with ascending strides, stable.
std::vector<FlatMode> sorted_by_stride(std::vector<FlatMode> modes);

// Throws Error unless l(i) fits in 64 bits for every index up to `last`; beyond the size the last mode goes on.
void require_reach(const Layout& l, std::int64_t last);

}  // namespace swz
