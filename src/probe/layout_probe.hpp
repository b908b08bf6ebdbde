// SPDX-License-Identifier: Apache-2.0
// Probe of a layout: where does each element lie for every access that reads or writes it, and how many wavefronts
// does the access take? Any layout of rank 2 that fits into shared memory.
//
//   f16 Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1), K-major, at 0x800
//     element (1, 0) lies at 0x800 + 128 ^ 16 = 2192, bit 17536
//     tma             1 copy of a box (64, 64) of a tensor: the byte where each element is found afterwards
//     wgmma           4 words, operand B: the byte that each element is read from
//     ldmatrix.x4     16 instructions of a walk: the same; ld.shared likewise
//     st.shared.b128  the byte where each element is found afterwards; stmatrix and cp.async likewise
//     ldmatrix.x4, timed    4 wavefronts for each instruction, by the clock of the SM
//
// The addresses, words and boxes are those that swz banks, desc --from and tma plan --layout give for the layout.
// They are asked through the probes of TMA, wgmma, accesses and wavefronts. Accesses whose addresses are the same
// but for whole lines of 128 B take the same wavefronts and are timed once.
//
// Values of the observation: for each element, row by row, its first bit in shared memory, unreadable where it is
// read or found nowhere or in several places; timed, the wavefronts of each instruction of the walk.
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
  Access access;  // of access and timing
  std::shared_ptr<const Placement> placement;
  // What the probe of TMA, of wgmma, of accesses or of wavefronts is asked: one plan a copy, one a word, one plan, or
  // one for each access that is like no other; then timed_at is that of each instruction of the walk.
  std::variant<std::vector<TmaPlan>, std::vector<WgmmaPlan>, std::vector<AccessPlan>, std::vector<WavefrontPlan>>
      parts = {};
  std::vector<std::size_t> timed_at = {};

  // "tma", "wgmma", "ldmatrix.x4", "st.shared.b32 rows"
  std::string by() const;
  // Instructions, words or copies.
  std::int64_t steps() const;
};

// Throws Error when the layout cannot be asked so: no words or boxes exist, the walk does not take it, it reaches
// beyond what the probe sees, ….
LayoutProbePlan layout_plan(const LayoutOperand& operand, LayoutWay way, const Access& access = {});

// One way to access a layout, and what can be asked of it; neither: the reason.
struct LayoutQuestion {
  std::string by;
  std::vector<LayoutProbePlan> plans;  // where the elements lie; then the wavefronts, if they can be timed
  std::string reason;
};
// TMA, wgmma, then the accesses.
std::vector<LayoutQuestion> layout_questions(const LayoutOperand& operand, std::span<const Access> accesses);
// Every instruction of the target, plain ones in the order `rows`, cp.async as global memory is read.
std::vector<Access> accesses_on(const Target& target);

// A layout at random and every way to access it: of f16, e4m3, f32 or tf32; a canonical tile, padded lines, any
// swizzle, or nested modes.
std::vector<LayoutProbePlan> draw_layout(const Target& target, Random& random);

Kernel kernel_of(const LayoutProbePlan& plan);
// pre: all plans have one kernel and one target
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
