// Wavefronts: how many passes shared memory needs to serve one instruction of a warp.
//
//   words(group)  = distinct 32-bit words that the active lanes of the group touch
//   passes(group) = the most of them that lie in one of the 32 banks; bank = address / 4 % 32
//   wavefronts    = sum of passes over the groups; 1 when no lane is active
//   ideal         = sum of words / 32, rounded up: the same groups without collisions; 1 when no lane is active
//
//   ldmatrix.x1, eight rows of 16 B at a pitch of 64 B:  banks 0, 16, 0, 16, …: 4 words in bank 0:  4 wavefronts
//     32 words in all: ideal 1, excess 3
//
// Two lanes that touch the same word never collide. The warp pairs when all active lanes l whose partner is active
// have the address of lane l^1, or all that of lane l^2; then two neighbouring groups are served as one. Loads of
// 8 and 16 bytes only.
//
// Nsight Compute shows these numbers as counters, of one warp that executes every instruction once; a kernel multiplies
// it. Of the counters only the first was compared with the rule:
//
//   32 ldmatrix.x4, 1024 wavefronts, ideal 128
//     l1tex__data_pipe_lsu_wavefronts_mem_shared.sum     1024
//     l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum  896, and whatever else met in the banks
//     smsp__inst_executed_op_ldsm.sum                      32
//
// Invariants (tested against a counter written another way): wavefronts >= ideal >= 1.
// Source: measured on H200, Nsight Compute l1tex__data_pipe_lsu_wavefronts_mem_shared, 2,750 of 2,750 patterns,
// and ld.b32, ld.b128, ldmatrix.x1 and .x4 without an active lane; the time of st and stmatrix agrees,
// and that of every access with active lanes: 2,200 of 2,200 patterns of swz verify, of all 22 instructions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "smem/access.hpp"

namespace swz {

inline constexpr int bank_count = 32;
inline constexpr int most_groups = 4;

// The numbers alone, without an allocation.
struct WavefrontCount {
  int wavefronts = 0, ideal = 0;
  int pairs = 0;  // 0: no; else the distance of the partners, 1 or 2
  int groups = 0;
  std::array<int, most_groups> passes = {}, words = {};  // of each group
  std::uint32_t colliding = 0;                           // lanes that share a bank with another word of their group

  constexpr int excess() const { return wavefronts - ideal; }
  constexpr int ways() const {
    int most = 0;
    for (const int p : passes) most = p > most ? p : most;
    return most;
  }
};

// Of several instructions.
struct WavefrontTotal {
  std::int64_t wavefronts = 0, ideal = 0;
  std::int64_t excess() const { return wavefronts - ideal; }
  WavefrontTotal& operator+=(const auto& more) {  // a count or a total
    wavefronts += more.wavefronts;
    ideal += more.ideal;
    return *this;
  }
};

// pre: no lane that counts would fault (require_no_fault).
WavefrontCount count_wavefronts(const AccessPattern& pattern);

// A word and the lanes that touch it, as a mask.
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
  int bank = 0, banks = 1;          // the first, and how many
  int pass = 0;                     // from 0: one order in which the words of a bank can be served
  std::uint32_t collides_with = 0;  // lanes of the group with another word in these banks
};

struct WavefrontGroup {
  int first_lane = 0, lane_count = 0;
  std::uint32_t active = 0;  // of the whole warp's mask, those of this group
  int passes = 0, words = 0, ideal = 0;
  std::vector<LaneUse> lanes;  // the active ones
  std::vector<BankUse> banks;  // those that are touched
};

struct WavefrontReport {
  AccessPattern pattern;
  WavefrontCount count;
  std::vector<WavefrontGroup> groups;  // those without an active lane too
  std::string pairing;                 // a sentence when the warp pairs
  Source source;
};

// Throws Error as require_no_fault.
WavefrontReport wavefront_report(const AccessPattern& pattern, const Target& target);

// ---- counters

enum class CounterQuantity { wavefronts, ideal, excess, instructions };

struct Counter {
  std::string_view name;
  CounterQuantity quantity = CounterQuantity::wavefronts;
  std::optional<AccessOp> of = {};  // none: all that pass through the LSU
  std::string_view remark;
  Source source;

  constexpr bool counts(AccessOp op) const { return !of || *of == op; }
};

std::span<const Counter> counters();

// What else is in these counters, or is not.
struct CounterCaveat {
  std::string_view rule, message;
  Source source;
};
std::span<const CounterCaveat> counter_caveats();

}  // namespace swz
