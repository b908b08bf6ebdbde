// SPDX-License-Identifier: Apache-2.0
// Probe of a layout: where is each element for every access that reads or writes it, and how many wavefronts does the
// access take? The layout may be any of rank 2 that fits into shared memory.
//
//   f16 Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1), K-major, at 0x800
//     element (1, 0) is at 0x800 + 128 ^ 16 = 2192, bit 17536
//     tma             1 copy of a box (64, 64) of a tensor: the byte at which each element is found afterwards
//     wgmma           4 words, operand B: the byte from which each element is read
//     ldmatrix.x4     16 instructions of a walk: the same; ld.shared likewise
//     st.shared.b128  the byte at which each element is found afterwards; stmatrix and cp.async likewise
//     ldmatrix.x4, timed    4 wavefronts for each instruction, by the clock of the SM
//
// The addresses, words and boxes are those that swz banks, desc --from and tma plan --layout give for the layout. They
// are run by the probes of TMA, wgmma, accesses and wavefronts. Accesses whose addresses differ only by whole lines of
// 128 B take the same wavefronts and are timed once.
//
// Values of the observation: for each element, row by row, its first bit in shared memory, or unreadable if it is read
// or found nowhere or in several places; for timing, the wavefronts of each instruction of the walk.
#pragma once

#include <variant>

#include "descriptor/layout_descriptor.hpp"
#include "probe/access_probe.hpp"
#include "probe/tma_probe.hpp"
#include "probe/wavefront_probe.hpp"
#include "probe/wgmma_probe.hpp"

namespace swz {

enum class LayoutWay { tma, wgmma, access, timing };

struct LayoutProbePlan {
  LayoutOperand operand;
  LayoutWay way = LayoutWay::access;
  Access access;  // for access and timing
  std::shared_ptr<const Placement> placement;
  // The plans for the probe of TMA, of wgmma, of accesses or of wavefronts: one per copy, one per word, one plan, or
  // one for each access that differs from the others; timed_at then gives the plan of each instruction of the walk.
  std::variant<std::vector<TmaPlan>, std::vector<WgmmaPlan>, std::vector<AccessPlan>, std::vector<WavefrontPlan>>
      parts = {};
  std::vector<std::size_t> timed_at = {};

  // "tma", "wgmma", "ldmatrix.x4", "st.shared.b32 rows"
  std::string by() const;
  // The number of instructions, words or copies.
  std::int64_t steps() const;
};

// Throws Error if the layout cannot be probed in this way: no words or boxes exist, the walk does not accept it, it
// reaches beyond what the probe sees, ….
LayoutProbePlan layout_plan(const LayoutOperand& operand, LayoutWay way, const Access& access = {});

// One way to access a layout, and its plans; if there are none, the reason.
struct LayoutQuestion {
  std::string by;
  std::vector<LayoutProbePlan> plans;  // for the places of the elements; then for the wavefronts, if they can be timed
  std::string reason;
};
// TMA first, then wgmma, then the accesses.
std::vector<LayoutQuestion> layout_questions(const LayoutOperand& operand, std::span<const Access> accesses);
// Every instruction of the target; plain ones in the order `rows`, cp.async in the order of global memory.
std::vector<Access> accesses_on(const Target& target);

// A random layout and every way to access it. It has f16, e4m3, f32 or tf32, and is a canonical tile, padded lines, any
// swizzle, or nested modes.
std::vector<LayoutProbePlan> draw_layout(const Target& target, Random& random);

Kernel kernel_of(const LayoutProbePlan& plan);
// Requires that all plans have one kernel and one target.
Launch launch_of(std::span<const LayoutProbePlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const LayoutProbePlan> plans, const ByteBuffer& output,
                    Hypothesis hypothesis = Hypothesis::none);
Observation expected(const LayoutProbePlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const LayoutProbePlan& plan);
std::string element_name(const LayoutProbePlan& plan, std::int64_t index);
std::string value_name(const LayoutProbePlan& plan, std::int64_t value);
Json to_json(const LayoutProbePlan& plan);
LayoutProbePlan layout_probe_plan(const Json& json);

}  // namespace swz
