// SPDX-License-Identifier: Apache-2.0
// WarpValues: what a value is in each lane of one warp, up to what all lanes share.
//
// The bank conflicts of an access depend only on how its lanes differ. A number that all lanes add moves every address
// by the same distance, and a number that all XOR with permutes words and banks: neither changes the wavefronts. So an
// address need not be known, only its lanes up to such a shared number, and what remains is the same for every
// execution.
//
//   addr = smem + 4 * tid + 512 * i        smem is a shared array on 16 B, i counts the passes of a loop
//
//   warp 1:  lanes 128, 132, 136, … plus an unknown number that all lanes share, a multiple of 16: `shifted`
//
// Values are worked out on demand, each after those that it needs, however long the chain is.
//
// Invariant (tested by running): for every execution there is one number u for all lanes that are there, such that lane
// l holds value[l] (exact), value[l] + u (shifted) or value[l] ^ u (flipped) modulo 2^bits. If it is `relabelled`, two
// lanes hold the same word of 2^zeros bytes if and only if value says so, and words in the same bank if and only if
// value says so.
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
  std::uint64_t flips = 0;  // of flipped: bits of u that may be 1
  int zeros = 64;           // u is a multiple of 2^zeros
  int bits = 64;
  bool is_sampled = false;  // true of some executions: if all lanes are there, if elect names the first
  ValueId why = no_value;   // what made it unknown
};

// The lanes that are in a block.
struct ActiveLanes {
  std::uint32_t lanes = 0;
  bool is_sampled = false;
  bool all_or_none = false;  // a condition decides that they share and that is not known
  ValueId why = no_value;    // why they are not known

  // These lanes come in every execution, and no others.
  bool are_certain() const { return why == no_value && !is_sampled && !all_or_none; }
};

struct WarpOfBlock {
  std::array<std::int64_t, 3> threads = {1, 1, 1};
  std::int64_t warp = 0;
  bool knows_shape = true;  // false: only the number of threads is known
};

// What a pass of the loops around a place begins with.
struct PassState {
  std::unordered_map<ValueId, LaneValue> phis;
  std::unordered_map<std::uint32_t, ActiveLanes> firsts;  // of the blocks that begin the loops
};

class WarpValues {
 public:
  // The warp's threads are 32 * warp and on, in the order x, y, z. Results hold in every pass of the loops, except for
  // the loops of `pass`: there they hold in that pass. `sums` is shared by the warps of a kernel; null: this warp has
  // its own.
  WarpValues(const PtxValues& values, const WarpOfBlock& warp, const PassState& pass = {}, AlignedSums* sums = nullptr);

  const LaneValue& of(ValueId value);
  // The lanes that have a thread.
  std::uint32_t lanes() const { return exist_; }
  // The lanes that are in a block when control comes there first, and those that go from one block to the next.
  ActiveLanes in_block(std::uint32_t block);
  ActiveLanes along(std::uint32_t from, std::uint32_t to);
  // The lanes of the instruction's block that its guard lets execute it.
  ActiveLanes at_instruction(std::uint32_t instruction);
  // What a phi of a loop begins with.
  LaneValue entering(ValueId phi);
  // How many values and blocks were worked out.
  std::int64_t steps() const { return steps_; }

 private:
  // A value or a block: it can be worked out once those that it needs are.
  struct Node {
    bool is_block = false;
    std::uint32_t id = 0;
  };
  void find(Node asked);
  bool is_unseen(const Node& node) const {
    return node.is_block ? blocks_.is_unseen(node.id) : known_.is_unseen(node.id);
  }
  void add_needs(const Node& node, std::vector<Node>& needs) const;
  void add_needs_of_phi(ValueId id, std::vector<Node>& needs) const;
  // The blocks whose lanes decide those of a block: its dominator, if every way from there passes the block, otherwise
  // the blocks before it.
  std::vector<std::uint32_t> comes_from(std::uint32_t block, bool& passes_all) const;

  // What was worked out, or unknown.
  LaneValue at(ValueId value) const;
  LaneValue finished(LaneValue lanes, ValueId value) const;
  LaneValue evaluated(ValueId id);
  LaneValue of_special(const PtxValue& value, ValueId id) const;
  LaneValue of_phi(ValueId id);
  LaneValue joined(ValueId id);
  LaneValue of_ways(ValueId id) const;  // of the ways into a phi that are not the ends of passes
  LaneValue of_parted_ways(ValueId id) const;
  LaneValue of_same_ways(ValueId id) const;
  bool is_kept(ValueId phi, const LaneValue& entering) const;
  LaneValue of_one_way(ValueId id) const;
  LaneValue of_unknown(const PtxValue& value, ValueId id);
  LaneValue of_selection(const PtxValue& value, ValueId id);
  LaneValue of_choice(const PtxValue& value, const LaneValue& condition, ValueId id);
  LaneValue of_shared_choice(const PtxValue& value, ValueId id);
  LaneValue of_other_lane(const PtxValue& value, ValueId id) const;
  LaneValue of_sign_extension(const PtxValue& value, ValueId id) const;
  LaneValue of_address_in_window(const PtxValue& value) const;
  LaneValue of_exact_operands(const PtxValue& value, ValueId id) const;
  LaneValue of_pair(const PtxValue& value, ValueId id);
  std::optional<LaneValue> of_exact(const PtxValue& value, const LaneValue* a, const LaneValue* b, ValueId id) const;
  std::optional<LaneValue> combined(const PtxValue& value, const LaneValue& a, const LaneValue& b, ValueId b_id) const;
  std::optional<LaneValue> sum(const LaneValue& a, const LaneValue& b, ValueId b_id, int bits) const;
  std::optional<LaneValue> lanes_of(const LinearForm& form) const;
  LaneValue aligned(LaneValue sum, ValueId id);
  ActiveLanes evaluated_block(std::uint32_t block);
  ActiveLanes lanes_in(std::uint32_t block) const;
  ActiveLanes lanes_along(std::uint32_t from, std::uint32_t to) const;
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
  std::unordered_set<std::uint32_t> in_pass_;  // blocks that begin the loops of `pass`
};

}  // namespace swz
