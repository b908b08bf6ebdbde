// SPDX-License-Identifier: Apache-2.0
// Targets: which 64-bit SMEM descriptor an architecture reads, and how much shared memory an SM and a CTA have.
//
//   require_target("hopper").name               == "sm_90a"
//   require_target("sm_90a").max_smem_per_cta   == Bytes{232448}
//   require_target("sm_90a").smem_window()      == Bytes{233472}   addresses 0 .. 233471; 1024 of them are reserved
//   sm_107a: 334848 B on request, but .shared arrays have at most 232448 B; addresses need 19 bits
//
// A plain name (sm_90) is an alias of its a-variant: wgmma and tcgen05 exist only in the architecture-specific
// variants, and the silicon is the same. An f-variant is a separate target: it lacks instructions of the a-variant.
//
// Invariants (tested): names and aliases are unique; absolute LBO and the fields of sm_107 only with the tcgen05
// descriptor; what a CTA can request and what is reserved are the SM's shared memory, which is the last carve-out.
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

// The 64-bit word that describes an operand in shared memory.
enum class SmemDescriptorKind { none, wgmma, tcgen05 };

// "none", "wgmma-smem", "tcgen05-smem": the names in JSON.
constexpr std::string_view to_string(SmemDescriptorKind kind) {
  return name_in({"none", "wgmma-smem", "tcgen05-smem"}, kind);
}

// The shared memory of an SM. Of its CTAs it holds smem_per_sm / (what each requests, declares and has reserved,
// rounded up to the granularity), and at most as many as Target::max_ctas.
struct SharedMemory {
  Bytes smem_per_sm;
  Bytes max_smem_per_cta;           // the most that a kernel can request
  Bytes reserved_smem;              // what the system reserves at the bottom of the CTA's window
  Bytes smem_granularity;           // of a CTA's share
  std::span<const int> carve_outs;  // in KiB: how much of the SM's memory the driver can make shared
};

struct Target : SharedMemory {
  std::string_view name;
  std::array<std::string_view, 4> aliases;
  std::string_view family;
  SmemDescriptorKind descriptor = SmemDescriptorKind::none;
  Bytes static_smem;              // the most that ptxas takes as .shared arrays of one kernel
  int max_ctas = 0;               // on one SM
  bool has_absolute_lbo = false;  // whether the tcgen05 descriptor has an LBO mode bit
  bool has_107_fields = false;    // whether its tcgen05 words have the fields that sm_107 adds
  int tmem_columns = 0;           // of tensor memory; 0 if it has none
  bool has_tma = true;            // whether it copies boxes of a tensor map
  std::string_view hardware;      // what was run here on this target
  Source source;                  // of the shared memory

  constexpr Bytes smem_window() const { return Bytes{max_smem_per_cta.count + reserved_smem.count}; }
  constexpr int smem_address_bits() const { return smem_window().count > std::int64_t{1} << 18 ? 19 : 18; }
};

std::span<const Target> targets();

// One target with wgmma and one with tcgen05, for the cases in which one represents all of its kind.
const Target& sm_90a();
const Target& sm_100a();
const Target& default_target();  // sm_90a

// Of the target. Null: the largest window of the targets before sm_107.
Bytes smem_window(const Target* target);

// The target with this name or alias, in any case; "sm_" may be omitted. Null if unknown.
const Target* find_target(std::string_view name);

// As find_target, but throws Error with the unknown name, the nearest known one and the list.
const Target& require_target(std::string_view name);

// Names of the targets that read this kind of descriptor.
std::vector<std::string> target_names(SmemDescriptorKind kind);

}  // namespace swz
