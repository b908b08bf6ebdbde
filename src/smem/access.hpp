// SPDX-License-Identifier: Apache-2.0
// Access: one instruction of a warp that reads or writes shared memory, and the address that each lane gives it.
//
//   require_access("ld.shared.b128")    16 bytes per lane, groups of 8 lanes; a load, so lanes may pair
//   require_access("ldmatrix.x4")       16 bytes per row, lanes 0-31 give the addresses of 32 rows
//   require_access("ldmatrix.x2")       lanes 0-15 give addresses; those of the others are ignored
//
// A group is the set of lanes that the hardware serves together: bank conflicts exist only inside a group.
//
// Invariants (tested): names are unique; group_lanes divides addresses; a group requests at most 128 bytes.
// Source: each row. Lane groups and pairing were measured on H200, by the profiler (2,750 of 2,750 patterns) and, for
// all instructions that sm_90a has except cp.async, by time (swz verify).
//
// Wavefronts are the passes that shared memory needs to serve one instruction of a warp.
//
//   words(group)  = distinct 32-bit words that the active lanes of the group touch
//   passes(group) = the largest number of them in one of the 32 banks; bank = address / 4 % 32
//   wavefronts    = sum of passes over the groups; 1 if no lane is active
//   ideal         = sum of words / 32, rounded up: the same groups without collisions; 1 if no lane is active
//
// An atomic serves the lanes of one word one by one: passes(group) = the number of lanes in the fullest bank, twice as
// many for compare and swap. Its ideal is the largest number of lanes that share one word; no placement of the words is
// better.
//
//   atom.shared.b32, lanes 0-3 at byte 0, lanes 4-7 at byte 128, the others at 32 .. 127:    8 wavefronts, ideal 4
//   atom.shared.b32, all lanes at byte 0: 32 wavefronts, ideal 32, but 1 if the warp combines its lanes first
//
//   ldmatrix.x1, eight rows of 16 B at a pitch of 64 B:  banks 0, 16, 0, 16, …: 4 words in bank 0:  4 wavefronts
//     32 words in total: ideal 1, excess 3
//
// Two lanes that touch the same word never collide. The warp pairs if all active lanes l whose partner is active have
// the address of lane l^1, or all have that of lane l^2; two neighbouring groups are then served as one. Only loads of
// 8 and 16 bytes pair.
//
// Nsight Compute shows these numbers as counters. The rows here are for one warp that executes every instruction once;
// a kernel multiplies them. Only the first counter was compared with the rule:
//
//   32 ldmatrix.x4, 1024 wavefronts, ideal 128
//     l1tex__data_pipe_lsu_wavefronts_mem_shared.sum     1024
//     l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum  896, and any other collisions in the banks
//     smsp__inst_executed_op_ldsm.sum                      32
//
// For atomics the profiler has another ideal: it counts only their words.
//
// Invariants (tested against a counter written another way): wavefronts >= ideal >= 1.
// Source: measured on H200 with Nsight Compute l1tex__data_pipe_lsu_wavefronts_mem_shared: 2,750 of 2,750 patterns, and
// ld.b32, ld.b128, ldmatrix.x1 and .x4 without an active lane. The time of st and stmatrix agrees, and so does that of
// every access with active lanes: 2,200 of 2,200 patterns of swz verify, of all 22 instructions. Atomics: Nsight
// Compute on H100, at the lines of tests/gpu/wavefronts/atomics.cu and atomic_addresses.cu, 97 of 97 sites.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "arch/target.hpp"
#include "base/finding.hpp"
#include "base/units.hpp"

namespace swz {

enum class AccessOp { load, store, ldmatrix, stmatrix, cp_async, atomic };

inline constexpr int warp_lanes = 32;

struct AccessInstruction {
  std::string_view name;  // as PTX writes it, without the parts that do not change the addresses
  AccessOp op = AccessOp::load;
  int bytes = 4;         // at each address
  int addresses = 32;    // lanes that give an address, from lane 0 on
  int group_lanes = 32;  // before pairing
  bool may_pair = false;
  int matrix_rows = 0;  // for ldmatrix and stmatrix: addresses of one matrix
  Availability availability;
  Source source;        // on sm_90a
  int lane_passes = 0;  // for an atomic: passes that every lane takes for itself; 0 if lanes of one word share them

  constexpr int matrices() const { return matrix_rows == 0 ? 0 : addresses / matrix_rows; }
  constexpr bool is_matrix() const { return matrix_rows != 0; }
  // Bits of the elements that .trans transposes: 8 for m16n16 and m16n8, otherwise 16. 0 if nothing is transposed.
  constexpr int transposed_bits() const {
    if (!name.ends_with(".trans")) return 0;
    return name.find(".m16") != std::string_view::npos ? 8 : 16;
  }
};

std::span<const AccessInstruction> access_instructions();

// The instruction with this name, in any case: the table's name, all that PTX writes
// (ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16, ld.shared.v4.f32, red.relaxed.cta.shared.add.u32), or the SASS names
// LDS.128, STS.64, LDSM.16.M88.4 and ATOMS.ADD. Null if unknown.
const AccessInstruction* find_access(std::string_view name);
// As find_access, but throws Error with the nearest name.
const AccessInstruction& require_access(std::string_view name);
// The row of a plain load, store or cp.async with this many bytes per lane. Null if there is none.
const AccessInstruction* find_access(AccessOp op, int bytes);

// The source for the rule on this target, for this instruction.
Source wavefront_source(const AccessInstruction& instruction, const Target& target);

// Addresses are those of the shared window, as __cvta_generic_to_shared returns them. `instruction` is not null.
struct AccessPattern {
  const AccessInstruction* instruction = nullptr;
  std::uint32_t active = 0xffffffff;  // bit l: lane l executes the instruction
  std::array<std::uint32_t, warp_lanes> address = {};

  // The lanes whose addresses count.
  constexpr std::uint32_t lanes() const {
    const int n = instruction->addresses;
    return n == warp_lanes ? active : active & ((std::uint32_t{1} << n) - 1);
  }
};

// Throws Error if a lane that counts would fault: its address is not a multiple of the width, or is beyond the target's
// window of shared memory.
void require_no_fault(const AccessPattern& pattern, const Target& target);

// The pattern of a list of addresses, lane 0 first. Lanes without an address must not be active. Throws Error as
// require_no_fault does, and for more than 32 addresses or an active lane without an address.
AccessPattern access_pattern(const AccessInstruction& instruction, std::span<const std::int64_t> addresses,
                             std::uint32_t active, const Target& target);

inline constexpr int bank_count = 32;
inline constexpr int most_groups = 4;

// Only the numbers, computed without an allocation.
struct WavefrontCount {
  int wavefronts = 0, ideal = 0;
  int pairs = 0;  // distance of the partners, 1 or 2; 0 if the warp does not pair
  int groups = 0;
  std::array<int, most_groups> passes = {}, ideals = {}, words = {};  // of each group
  std::uint32_t colliding = 0;  // lanes that share a bank with another word of their group
  // For an atomic whose lanes wait for each other: the largest number of lanes of one word, and the wavefronts if the
  // warp first combines the lanes of a word, so that one lane goes for each word.
  int sharing = 0, combined = 0;

  constexpr int excess() const { return wavefronts - ideal; }
  constexpr int ways() const { return std::ranges::max(passes); }
};

// The sum over several instructions.
struct WavefrontTotal {
  std::int64_t wavefronts = 0, ideal = 0;
  std::int64_t excess() const { return wavefronts - ideal; }
  WavefrontTotal& operator+=(const auto& more) {  // a count or a total
    wavefronts += more.wavefronts;
    ideal += more.ideal;
    return *this;
  }
};

// Requires that no lane that counts would fault (require_no_fault).
WavefrontCount count_wavefronts(const AccessPattern& pattern);

// A word and the mask of the lanes that touch it.
struct WordUse {
  std::uint32_t word = 0;  // address / 4
  std::uint32_t lanes = 0;
};

struct BankUse {
  int bank = 0;
  std::vector<WordUse> words;  // distinct, in the order of the lanes
};

struct LaneUse {
  int lane = 0;
  Bytes address;
  int bank = 0, banks = 1;          // the first bank, and the number of banks
  int pass = 0;                     // from 0, in one order in which the words of a bank can be served
  std::uint32_t collides_with = 0;  // lanes of the group with another word in these banks
  std::uint32_t waits_with = 0;     // for an atomic: lanes of the group with the same word, which are served one by one
};

struct WavefrontGroup {
  std::uint32_t active = 0;  // the lanes of this group in the warp's mask
  int passes = 0, words = 0, ideal = 0;
  std::vector<LaneUse> lanes;  // the active lanes
  std::vector<BankUse> banks;  // the banks that are touched
};

struct WavefrontReport {
  AccessPattern pattern;
  WavefrontCount count;
  std::vector<WavefrontGroup> groups;  // includes those without an active lane
  std::string pairing;                 // a sentence if the warp pairs
  Source source;
};

// The groups of the warp, lane by lane. Same requirement as count_wavefronts.
std::vector<WavefrontGroup> wavefront_groups(const AccessPattern& pattern);

// Throws Error as require_no_fault does.
WavefrontReport wavefront_report(const AccessPattern& pattern, const Target& target);

// ---- counters

enum class CounterQuantity { wavefronts, ideal, excess, instructions };

struct Counter {
  std::string_view name;
  CounterQuantity quantity = CounterQuantity::wavefronts;
  std::optional<AccessOp> of = {};  // none for all that pass through the LSU
  std::string_view remark;
  Source source;

  // Of an atomic only the wavefronts: the profiler's ideal counts only its words.
  constexpr bool counts(AccessOp op) const {
    return op == AccessOp::atomic ? !of && quantity == CounterQuantity::wavefronts : !of || *of == op;
  }
};

std::span<const Counter> counters();

// What these counters contain in addition, or do not contain.
struct CounterCaveat {
  std::string_view rule, message;
  Source source;
};
std::span<const CounterCaveat> counter_caveats();

}  // namespace swz
