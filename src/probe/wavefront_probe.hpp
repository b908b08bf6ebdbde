// SPDX-License-Identifier: Apache-2.0
// Probe of wavefronts: how many passes over shared memory does one access of a warp take, measured by the clock of the
// SM?
//
//   plan: ld.shared.b32, lane l at address 1024 + 128 l: every lane in bank 0, 32 wavefronts are predicted
//   Eight warps repeat [the access, a load of 8 wavefronts]. A pair takes 40.05 cycles, so the access takes 32.
//
// One warp by itself cannot distinguish 1 from 2: it waits longer for its next instruction than shared memory needs.
// Eight warps keep shared memory busy, and the load of known cost keeps it busy even if the access takes one pass.
// Then a pair takes 8 + wavefronts cycles, and about 0.05 for the loop. Noise only adds time, so the fastest of 16
// rounds counts. A number of cycles that is far from any number of wavefronts is unreadable.
//
// It covers loads and stores of 1 to 16 bytes per lane, ldmatrix and stmatrix. It does not cover cp.async, which reads
// global memory and whose writes take another path than those of a warp. An access without an active lane can be
// planned, but is not drawn: it still takes a slot of the pipe, so time does not show whether that is a wavefront.
//
// The access is CUDA C++ with inline PTX ("statement.cuh"). wavefront_statement(ld.shared.b64):
//
//     #define IS_STORE 0
//     #define COPIES 8
//     #define COPY_STEP 4096
//     __device__ void access(unsigned address, unsigned (&v)[2], unsigned on) {
//       … "@p ld.volatile.shared.v2.b32 {%0, %1}, [%2];" …
//
// A lane whose `on` is 0 does not execute the access; a load then leaves v unchanged, so that no load is dead.
//
// Invariant (tests/nvrtc): NVRTC compiles the statement of every row for every target that has it.
//
// Values of the observation: one, the wavefronts.
// Source: 2,826 patterns of the 22 instructions of sm_90a on an H200. With the faster of two rounds a pair took 8 +
// wavefronts + 0.03 to 0.25 cycles, and more in two cases (0.40 and 0.50, ldmatrix.x1); therefore 16 rounds. 44
// patterns without an active lane took 9.05 to 9.11 (ld, st, stmatrix) and 9.98 to 10.34 (ldmatrix).
#pragma once

#include "probe/launch.hpp"
#include "smem/access.hpp"

namespace swz {

struct WavefrontPlan {
  AccessPattern pattern;
  const Target* target = &default_target();
};

// The wavefronts of an access under a hypothesis. It is written lane by lane, without smem/access: under
// Hypothesis::none the two must agree (tested).
//   ld.shared.b64, lanes l and l^1 at one address, packed:  the warp pairs, 32 lanes ask for 32 words: 1 wavefront
//   under no-pairing:                                       two groups of 16 lanes, 16 words each:      2
int wavefronts_under(Hypothesis hypothesis, const AccessPattern& pattern);

// The copies of the access in the loop are this far apart, a multiple of the 128 bytes of a line of banks: their
// wavefronts are the same, and no two are the same instruction, which ptxas would merge.
inline constexpr int timed_copies = 8;
inline constexpr Bytes copy_step{4096};

// The rows that can be timed by themselves. cp.async cannot: it also reads global memory and takes another path.
std::vector<const AccessInstruction*> timed_instructions(const Target& target);

// The lanes of an access, as kernels/wavefront.cu and access.cu read them.
struct LaneAddresses {
  std::uint32_t active = 0;
  std::array<std::uint32_t, warp_lanes> address = {};
};

// Whether it goes from shared memory to registers.
constexpr bool is_load(const AccessInstruction& i) { return i.op == AccessOp::load || i.op == AccessOp::ldmatrix; }
// cp.async also reads global memory; an atomic takes more time than its wavefronts.
constexpr bool is_timed(const AccessInstruction& i) { return i.op != AccessOp::cp_async && i.op != AccessOp::atomic; }
// 32-bit registers that one lane loads or stores.
int registers_of(const AccessInstruction& instruction);

std::string wavefront_statement(const AccessInstruction& instruction);

// Addresses of patterns are in [begin, end). The copies of the access are above, then the ballast. It is all the
// memory that a CTA may have, so an SM times one pattern at a time.
struct WavefrontMemory {
  Bytes begin, end;
  Bytes ballast;
  Bytes size;  // of dynamic shared memory
};
WavefrontMemory wavefront_memory(const Target& target = default_target());

// Every lane in one column of banks, with k lines of it in each group, for every k from 1 to the lanes of a group.
// Then 16 consecutive addresses, for partners at each distance, at two distances, and with inactive partners. These
// patterns catch every hypothesis of wavefronts by themselves.
std::vector<WavefrontPlan> fixed_wavefronts(const AccessInstruction& instruction);
// A random, strided, broadcast or masked pattern, or one with partners at a distance; at least one lane is active.
WavefrontPlan draw_wavefront(const AccessInstruction& instruction, Random& random);

Kernel kernel_of(const WavefrontPlan& plan);
// Requires that all plans have one instruction and one target.
Launch launch_of(std::span<const WavefrontPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const WavefrontPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const WavefrontPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const WavefrontPlan& plan);
std::string element_name(const WavefrontPlan& plan, std::int64_t index);
std::string value_name(const WavefrontPlan& plan, std::int64_t value);
// Addresses as hexadecimal digits, equally many per lane, in widths of the access from `base` on.
Json to_json(const WavefrontPlan& plan);
// Throws Error for a plan that the kernel could not execute.
WavefrontPlan wavefront_plan(const Json& json);

}  // namespace swz
