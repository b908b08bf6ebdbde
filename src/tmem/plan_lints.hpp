// SPDX-License-Identifier: Apache-2.0
// Lints of a plan of tensor memory: what a kernel claims to do, compared with what the hardware and the formulas
// require.
//
//   --allocate 96              allocation-size     an allocation is a power of two in 32..512 columns
//   --region D=0+128, N 256    d-packed            16-bit D takes a column per element, as 32-bit D does
//   --read 1:0-31              warp-lanes          warp 1 of a warpgroup reaches lanes 32-63
//   --copy-sfb 32x128b.warpx4  sfb-copy            for M 128 with two CTAs: 64x128b.warpx2::01_23
//   --expect-tx 32768          tx-padding          an mbarrier counts the bytes of global memory, without the gaps
//
// A rule is a row of a table: when it applies, its message, and its reason. A rule is not applied to a kernel that
// makes no claim about it.
//
// Invariant (tested): each rule is raised by a kernel that breaks only this rule, and not by the same kernel when
// fixed.
// Source: each row. Not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "base/units.hpp"
#include "tmem/plan.hpp"

namespace swz {

// Lanes that a warp reads or writes with tcgen05.ld or st.
struct WarpLanes {
  int warp = 0, first = 0, last = 0;
};

// The claims of a kernel. A claim that is omitted is not checked.
struct KernelClaims {
  std::vector<int> allocations = {};  // in order
  std::vector<GivenRegion> regions = {};
  std::string_view dtype_d = {};  // empty if not given
  std::vector<WarpLanes> accesses = {};
  const TmemCopy* sfb_copy = nullptr;
  std::optional<bool> sfb_in_both = {};
  std::optional<Bytes> expect_tx = {};
  std::string_view dtype_b = {};                 // for expect_tx; empty: as A
  const ScaleLayoutRow* scale_layout = nullptr;  // in global memory
  bool for_cublas = false;
};

// The bytes that TMA brings for one stage and one CTA: as the mbarrier counts them, and as they are in shared memory.
struct StageBytes {
  std::int64_t a = 0, b = 0, sfa = 0, sfb = 0, metadata = 0;
  std::int64_t padded_a = 0, padded_b = 0;

  std::int64_t scales() const { return sfa + sfb; }
  std::int64_t sum() const { return a + b + scales() + metadata; }
};
StageBytes stage_bytes(const TmemRequest& request, std::string_view dtype_b);
std::string to_string(const StageBytes& bytes);  // "of one stage and CTA: A 16384 B, B 8192 B"

struct PlannedKernel {
  const TmemRequest& request;
  const KernelClaims& claims;
  const TmemPlan& plan;
};

struct PlanRule {
  std::string_view name;
  std::vector<Advice> (*tell)(const PlannedKernel&);
  Source source;
};
std::span<const PlanRule> plan_rules();
std::vector<Finding> lint(const PlannedKernel& kernel);

}  // namespace swz
