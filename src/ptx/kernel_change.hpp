// SPDX-License-Identifier: Apache-2.0
// KernelChange: what differs between two builds of a kernel, and what got worse.
//
//   before  line 78: ld.shared.b32, 32 wavefronts where 1 would do
//   after   line 71: ld.shared.b32, 1 wavefront                      a pair, and better
//
// Lines and registers differ from build to build, and compilers reorder. Accesses are paired by what they have in
// common, most first, and in their order where several have it: instruction, line of the source and form of the
// address (its registers as one); instruction and form; instruction and line of the source; line of the source alone,
// if both load or both store, as one that was made wider; at last the instruction alone.
//
// Worse is: an access with more wavefronts above its ideal than its counterpart, or with a conflict and without a
// counterpart; a finding by a rule that the build before did not break; more stack; more instructions that spill; fewer
// warps on an SM. More registers or wavefronts alone are not: one load of 16 bytes has 4 where each of four loads of 4 bytes had 1.
//
// Invariants (tested): each access is in one pair; a build against itself has only pairs of equals; with before and
// after exchanged, better and worse are exchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "binary/cubin.hpp"
#include "ptx/kernel_report.hpp"

namespace swz {

struct KernelBuild {
  const PtxModule* module = nullptr;
  const KernelReport* report = nullptr;
  const KernelResources* resources = nullptr;  // null: there is only PTX
  std::optional<std::int64_t> spills = {};     // instructions
  std::optional<std::int64_t> warps = {};      // that an SM holds
};

enum class AccessChange { same, better, worse, other, gone, added };

constexpr std::string_view to_string(AccessChange change) {
  return name_in({"same", "better", "worse", "other", "gone", "added"}, change);
}

struct AccessPair {
  const SmemSite *before = nullptr, *after = nullptr;  // null: it has no counterpart
  AccessChange change = AccessChange::same;
};

// Sums over the sites, each executed once.
struct KernelTotals {
  std::int64_t accesses = 0, conflicts = 0, unknown = 0;
  double wavefronts = 0, ideal = 0;  // of the accesses whose count is known
  std::int64_t mmas = 0, copies = 0, findings = 0;
};

struct KernelChange {
  KernelTotals before, after;
  std::vector<AccessPair> accesses;  // in the order of `after`, then those that are gone
  std::vector<Finding> worse;
  bool is_incomplete = false;  // a count that was known, or is, has no known one to compare with

  bool is_none() const;
};

KernelChange kernel_change(const KernelBuild& before, const KernelBuild& after);

}  // namespace swz
