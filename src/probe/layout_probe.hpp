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
// wgmma, TMA and the clock are asked through the probes of those names. Accesses whose addresses are the same but
// for whole lines of 128 B take the same wavefronts and are timed once.
//
// Values of the observation: for each element, row by row, its first bit in shared memory, unreadable where it is
// read or found nowhere or in several places; timed, the wavefronts of each instruction of the walk.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "descriptor/layout_descriptor.hpp"
#include "probe/tma_probe.hpp"
#include "probe/wavefront_probe.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/walk.hpp"

namespace swz {

enum class LayoutWay { tma, wgmma, access, timing };

struct LayoutProbePlan {
  LayoutOperand operand;
  LayoutWay way = LayoutWay::access;
  Access access;  // of access and timing
  std::shared_ptr<const Placement> placement;
  // What the probes of wgmma, of TMA and of wavefronts are asked: one plan a word, one a copy, one an access that is
  // like no other; timed_at is that of each instruction of the walk.
  std::vector<WgmmaPlan> words = {};
  std::vector<TmaPlan> copies = {};
  std::vector<WavefrontPlan> timed = {};
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
LayoutOperand draw_layout_operand(const Target& target, Random& random);

// The words and the copies that swz gives for a layout, as plans of those probes (layout_parts.cpp). Throw Error where
// there are none, or where those probes cannot ask them.
std::vector<WgmmaPlan> word_plans(const LayoutOperand& operand, const Placement& placement);
std::vector<TmaPlan> copy_plans(const LayoutOperand& operand);
// What their observations say about the elements. pre: they are those of all words, all copies of the plan.
std::vector<std::int64_t> read_by_words(const LayoutProbePlan& plan, std::span<const Observation> seen);
std::vector<std::int64_t> found_by_copies(const LayoutProbePlan& plan, std::span<const Observation> seen);

Kernel kernel_of(const LayoutProbePlan& plan);
// pre: all plans have one kernel and one target
Launch launch_of(std::span<const LayoutProbePlan> plans, Hypothesis hypothesis = Hypothesis::none);
std::vector<Observation> decode(std::span<const LayoutProbePlan> plans, const ByteBuffer& output,
                                Hypothesis hypothesis = Hypothesis::none);
Observation expected(const LayoutProbePlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const LayoutProbePlan& plan);
std::string element_name(const LayoutProbePlan& plan, std::int64_t index);
std::string value_name(const LayoutProbePlan& plan, std::int64_t value);
Json to_json(const LayoutProbePlan& plan);
LayoutProbePlan layout_probe_plan(const Json& json);

}  // namespace swz
