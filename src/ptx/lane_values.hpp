// SPDX-License-Identifier: Apache-2.0
// What a value is in each lane of a warp, as far as lanes differ.
//
//   addr = smem + 4 * tid + 512 * i        smem is a shared array on 16 B, i counts the passes of a loop
//
//   warp 1:  lanes 128, 132, 136, … plus an unknown number that all lanes share, a multiple of 16: `shifted`
//
// Values are worked out one after the other, each behind those that it needs, however long a chain of them is.
//
// Banks do not see what all lanes share: adding it moves every address by the same distance, XOR with it permutes words and
// banks. What remains is the same for every execution, so that wavefronts can be counted.
//
// Invariant (tested by running): for every execution there is one number u for all lanes that are there, such that lane l
// holds value[l] (exact), value[l] + u (shifted) or value[l] ^ u (flipped) modulo 2^bits; of `relabelled`, two lanes hold the same
// word of 2^zeros bytes if and only if value says so, and of different words the same bank if and only if value says so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/found_table.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/values.hpp"
#include "smem/access.hpp"

namespace swz {

enum class LaneKind : std::uint8_t { exact, shifted, flipped, relabelled, uniform, unknown };

struct LaneValue {
  LaneKind kind = LaneKind::unknown;
  std::array<std::uint64_t, warp_lanes> value = {};
  std::uint64_t flips = 0;  // bits of u that may be 1, of flipped
  int zeros = 64;           // u is a multiple of 2^zeros
  int bits = 64;
  bool is_sampled = false;  // of some executions: of lanes that are all there, of the thread that elect names
  ValueId why = no_value;   // what made it unknown
};

// The lanes that are in a block.
struct ActiveLanes {
  std::uint32_t lanes = 0;
  bool is_sampled = false;
  bool all_or_none = false;  // a condition that they share decides, which is not known
  ValueId why = no_value;    // not known, because of this
};

struct WarpOfBlock {
  std::array<std::int64_t, 3> threads = {1, 1, 1};
  std::int64_t warp = 0;
  bool knows_shape = true;  // false: as many threads, in rows that nobody said
};

// What one pass of the loops around a place begins with.
struct PassState {
  std::unordered_map<ValueId, LaneValue> phis;
  std::unordered_map<std::uint32_t, ActiveLanes> firsts;  // of the blocks that begin the loops
};

class WarpValues {
 public:
  // The warp's threads are 32 * warp and on, in the order x, y, z. What is said holds in every pass of the loops, and of those
  // that `pass` has in this pass. `sums`: what several warps ask of one kernel; null: this one alone asks.
  WarpValues(const PtxValues& values, const WarpOfBlock& warp, const PassState& pass = {}, AlignedSums* sums = nullptr);

  const LaneValue& of(ValueId value);
  // That have a thread.
  std::uint32_t lanes() const { return exist_; }
  // On the way to a block for the first time, and from one to the next.
  ActiveLanes in_block(std::uint32_t block);
  ActiveLanes along(std::uint32_t from, std::uint32_t to);
  // Of those, the ones that the instruction's guard lets execute it.
  ActiveLanes at_instruction(std::uint32_t instruction);
  // How many values and blocks were worked out.
  std::int64_t steps() const { return steps_; }

 private:
  // A value or a block, which is known when those are that it needs.
  struct Node {
    bool is_block = false;
    std::uint32_t id = 0;
  };
  void find(Node asked);
  bool is_unseen(const Node& node) const {
    return node.is_block ? blocks_.is_unseen(node.id) : known_.is_unseen(node.id);
  }
  void add_needs(const Node& node, std::vector<Node>& out) const;
  void add_needs_of_phi(ValueId id, std::vector<Node>& out) const;
  // The blocks from whose lanes those of a block follow: its dominator, if whoever passes that passes the block, else those before it.
  std::vector<std::uint32_t> comes_from(std::uint32_t block, bool& passes_all) const;

  // What was found, or unknown.
  LaneValue at(ValueId value) const;
  LaneValue finished(LaneValue out, ValueId value) const;
  LaneValue evaluated(ValueId id);
  LaneValue of_special(const PtxValue& value, ValueId id) const;
  LaneValue of_phi(ValueId id);
  LaneValue joined(ValueId id);
  LaneValue of_unknown(const PtxValue& value, ValueId id);
  LaneValue of_selection(const PtxValue& value, ValueId id);
  LaneValue of_pair(const PtxValue& value, ValueId id);
  std::optional<LaneValue> of_exact(const PtxValue& value, const LaneValue* a, const LaneValue* b, ValueId id) const;
  LaneValue of_choice(const PtxValue& value, const LaneValue& p, ValueId id);
  LaneValue of_shared_choice(const PtxValue& value, ValueId id);
  LaneValue aligned(LaneValue sum, ValueId id);
  ActiveLanes evaluated_block(std::uint32_t block);
  ActiveLanes found_in(std::uint32_t block) const;
  ActiveLanes found_along(std::uint32_t from, std::uint32_t to) const;
  ActiveLanes narrowed(const ActiveLanes& lanes, ValueId condition, bool is_negated) const;
  bool is_loop_phi(const PtxPhi& phi) const;

  const PtxValues& v_;
  WarpOfBlock warp_;
  std::uint32_t exist_ = 0;
  std::int64_t steps_ = 0;
  FoundTable<LaneValue> known_;
  FoundTable<ActiveLanes> blocks_;
  std::optional<AlignedSums> own_sums_;
  AlignedSums* sums_;
  std::unordered_set<std::uint32_t> in_pass_;  // blocks that begin loops of which this is one pass
};

}  // namespace swz
