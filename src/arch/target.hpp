// SPDX-License-Identifier: Apache-2.0
// Targets: which 64-bit SMEM descriptor an architecture reads, and how much shared memory a CTA may use.
//
//   require_target("hopper").name               == "sm_90a"
//   require_target("sm_90a").max_smem_per_cta   == Bytes{232448}
//   require_target("sm_90a").smem_window()      == Bytes{233472}   addresses 0 .. 233471; 1024 of them are reserved
//
// A plain name (sm_90) is an alias of its a-variant: wgmma and tcgen05 exist only in the architecture-specific
// variants, and the silicon is the same. An f-variant is a target of its own: it lacks instructions of the
// a-variant.
//
// Invariants (tested): names and aliases are unique; absolute LBO only with the tcgen05 descriptor.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/row_of.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"

namespace swz {

// Which 64-bit word describes an operand in shared memory.
enum class SmemDescriptorKind { none, wgmma, tcgen05 };

// "none", "wgmma-smem", "tcgen05-smem": the names JSON uses.
constexpr std::string_view to_string(SmemDescriptorKind kind) {
  return name_in({"none", "wgmma-smem", "tcgen05-smem"}, kind);
}

struct Target {
  std::string_view name;
  std::array<std::string_view, 4> aliases;
  std::string_view family;
  SmemDescriptorKind descriptor = SmemDescriptorKind::none;
  Bytes max_smem_per_cta;         // what a kernel may ask for
  Bytes reserved_smem;            // what the system keeps at the bottom of the CTA's window
  bool has_absolute_lbo = false;  // LBO mode bit of the tcgen05 descriptor
  bool has_tma = true;            // copies boxes of a tensor map
  std::string_view hardware;      // what of this target was run here
  Source source;                  // of the shared-memory size

  constexpr Bytes smem_window() const { return Bytes{max_smem_per_cta.count + reserved_smem.count}; }
};

std::span<const Target> targets();

// Of wgmma and of tcgen05, where one stands for all of its kind.
const Target& sm_90a();
const Target& sm_100a();
const Target& default_target();  // sm_90a

// The most shared memory of any target.
Bytes largest_smem_per_cta();
Bytes largest_smem_window();

// By name or alias, in any case; "sm_" may be left out. Null: unknown.
const Target* find_target(std::string_view name);

// As find_target; throws Error naming the unknown target, the nearest known one and the list.
const Target& require_target(std::string_view name);

// Names of the targets that read this kind of descriptor.
std::vector<std::string> target_names(SmemDescriptorKind kind);

}  // namespace swz
