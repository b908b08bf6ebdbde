// SPDX-License-Identifier: Apache-2.0
// Stage: the buffers of one k block in shared memory, what their barrier waits for, and how many stages fit.
//
//   sm_100a, f16, tile 256 x 128 x 64 of a pair, mode 128B
//     A   128 rows of this CTA * 64 * 2 B    16384 B, aligned to 1024 B
//     B    64 columns of this CTA * 64 * 2   8192 B
//     stage 24576 B; both CTAs bring data for the leader's barrier: it expects 2 * 24576 = 49152 B
//     (232448 B - epilogue) / (24576 + 16 of two barriers): 9 stages beside nothing, 8 beside 33792 B
//
// A buffer has two sizes: what it takes in shared memory, and what the barrier counts. They differ for 4- and 6-bit types
// in 8-bit slots, of which only the values count.
//
// Invariants (tested): the order of the buffers takes the fewest bytes of all orders; no two buffers overlap and each is
// aligned; one more stage does not fit; every worked total of clusters_tma.md, section 5; the count that CUTLASS takes,
// as its own functions give it for 500 tiles (tests/data/stage_counts.txt).
// Source: PTX ISA 9.3, 9.7.13.15 (expect_tx); CUTLASS 4.7 gemm/collective/builders; clusters_tma.md, 1.6, 1.7 and 5.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/instruction.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "base/finding.hpp"
#include "pipeline/cost.hpp"

namespace swz {

enum class StagePart { a, b, sfa, sfb, metadata };

constexpr std::string_view to_string(StagePart part) { return name_in({"A", "B", "SFA", "SFB", "metadata"}, part); }

struct StageQuestion {
  const Target* target = nullptr;
  MmaFamily family = MmaFamily::wgmma;
  MmaExtents tile;  // of the CTA, or of the pair
  int cta_group = 1;
  const DType *a = nullptr, *b = nullptr;
  const MmaKindRow* kind = nullptr;  // of tcgen05.mma, or of the same kinds of mma.sync; null: the types are packed
  int vec = 0;                       // elements that share a scale factor; 0: no scale factors
  bool sparse = false;
  const SwizzleMode *mode_a = nullptr, *mode_b = nullptr;
  int cluster_x = 1, cluster_y = 1;  // CTAs along M and along N, which multicast to each other
  int consumers = 0;                 // threads that release a stage of wgmma; 0: a warpgroup for each 64 rows
  std::int64_t epilogue = 0;         // bytes of shared memory that the stages do not get
};

struct StageBuffer {
  StagePart part = StagePart::a;
  std::int64_t bytes = 0;     // in shared memory, of this CTA
  std::int64_t tx_bytes = 0;  // that the barrier counts of them
  std::int64_t slice = 0;     // of them this CTA copies itself; the rest is multicast to it
  std::int64_t alignment = 1;
  std::int64_t offset = 0;  // in the stage
};

struct Stage {
  std::vector<StageBuffer> buffers;                // in the order of their offsets
  std::int64_t bytes = 0;                          // from one stage to the next
  std::int64_t wasted = 0;                         // of them between buffers
  std::int64_t tx_bytes = 0;                       // that the barrier which the MMA waits for expects
  int full_arrivals = 1;                           // mbarrier.init of the barrier for data, besides the bytes
  int empty_arrivals = 1;                          // and of the barrier for room
  std::int64_t count = 0;                          // stages that fit beside the epilogue
  std::int64_t left = 0;                           // bytes that are then free
  std::optional<std::int64_t> cutlass_count = {};  // StageCountAutoCarveout with the epilogue as its carveout
};

inline constexpr std::int64_t barrier_bytes_of_stage = 16;
// PTX ISA 9.3, 9.7.13.15: the tx-count of one phase.
inline constexpr std::int64_t most_tx_bytes = (1 << 20) - 1;

// Throws Error for types that the kind does not have, a tile that its cluster does not divide, and a stage that is larger
// than the shared memory of the target.
Stage stage_of(const StageQuestion& question);

// A total that people write in place of the right one.
struct WrongTotal {
  std::string_view name;  // "one-cta"
  std::int64_t bytes = 0;
  std::string_view why;
};
// Those that differ from the right one, each of another number of bytes.
std::vector<WrongTotal> wrong_totals(const StageQuestion& question, const Stage& stage);

// What is wrong with a kernel that expects so many bytes; nullopt: it is right.
std::optional<Finding> lint_of_expected(const StageQuestion& question, const Stage& stage, std::int64_t expected);

// Targets with the same question: how many stages fit there. Only those that have the MMA's family.
struct StagesOnTarget {
  const Target* target = nullptr;
  std::int64_t count = 0;
};
std::vector<StagesOnTarget> stages_by_target(const StageQuestion& question);

}  // namespace swz
