// A layout through the probes of wgmma and of TMA: the words and the copies that swz gives for it, as plans of
// those probes, and what their observations say about its elements.
//
//   f16 Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1) at 0x800
//     4 plans of wgmma, B of m64n64k16, words from 0x4000004000010080 on
//     1 plan of TMA, a box (64, 64) to 0x800
//   values: for each element, row by row, the bit where it was read or found; unreadable where there is none
#pragma once

#include <span>
#include <vector>

#include "probe/layout_probe.hpp"
#include "probe/tma_probe.hpp"
#include "probe/wgmma_probe.hpp"

namespace swz {

// Throw Error where there are none, or where those probes cannot ask them.
std::vector<WgmmaPlan> word_plans(const LayoutOperand& operand, const Placement& placement);
std::vector<TmaPlan> copy_plans(const LayoutOperand& operand);

// pre: the observations are those of all words, all copies of the plan.
std::vector<std::int64_t> read_by_words(const LayoutProbePlan& plan, std::span<const Observation> seen);
std::vector<std::int64_t> found_by_copies(const LayoutProbePlan& plan, std::span<const Observation> seen);

}  // namespace swz
