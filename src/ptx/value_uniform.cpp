// SPDX-License-Identifier: Apache-2.0
// Which values all lanes of a warp share:
//
//   if (tid & 1) x = 1; else x = 2;      x varies: the lanes come from different blocks
//   if (tid & 1) { … }  x = phi(n, m)    of blocks that part before and meet after the branch: x does not depend on it
//   while (i < tid) i += 1;              i varies after the loop, and is called varying in the loop too
//
// A phi is uniform if all values that reach it are (a register that was never written has no meaningful use), and if
// the lanes come to its block from one block. A branch parts the lanes that come to a join if it is between the join's
// dominator and the join, and its own sides do not meet before the join. The lanes of a loop leave it together if the
// conditions of all its exits are uniform, including those of an exit instruction in it.
#include <algorithm>

#include "ptx/opcode.hpp"
#include "ptx/value_facts.hpp"

namespace swz {

namespace {

// If all regions together have more blocks than this, the remaining phis count as varying and all blocks as losing
// lanes.
constexpr std::size_t most_region_steps = std::size_t{1} << 24;

// The branches that decide how a lane comes to a block to which several ways lead.
struct Join {
  bool is_known = false;
  std::vector<std::uint32_t> parting;  // blocks whose branches decide from which block a lane comes
  std::vector<std::uint32_t> leaving;  // blocks whose branches leave the loop that begins there: they decide the pass
  std::vector<std::uint32_t> loop;     // the blocks of that loop
};

class BranchFinder {
 public:
  explicit BranchFinder(const PtxValues& values)
      : flow_(values.flow()), kernel_(values.kernel()), seen_(flow_.blocks.size(), 0) {}

  Join of(std::uint32_t block) {
    std::vector<std::uint32_t> forward, backward;
    bool has_other_entry = false;  // the loop that begins at the block
    for (const std::uint32_t from : flow_.blocks[block].previous) {
      if (flow_.position[from] == no_block) continue;
      const bool is_back = flow_.position[from] >= flow_.position[block];
      has_other_entry = has_other_entry || (is_back && !flow_.dominates(block, from));
      (is_back ? backward : forward).push_back(from);
    }
    Join join;
    if (has_other_entry) {
      if (gather(flow_.dominator[block], backward)) join.loop = region_;
      return join;
    }
    join.is_known = (forward.size() < 2 || add_parting(flow_.dominator[block], block, forward, join)) &&
                    (backward.size() < 2 || add_parting(block, block, backward, join)) &&
                    (backward.empty() || add_leaving(block, backward, join));
    return join;
  }
  bool is_exhausted() const { return steps_ > most_region_steps; }

 private:
  // All blocks after `top` from which control comes to `ends`; false: too many.
  bool gather(std::uint32_t top, const std::vector<std::uint32_t>& ends) {
    ++stamp_;
    region_.clear();
    const auto visit = [&](std::uint32_t block) {
      if (seen_[block] == stamp_ || flow_.position[block] == no_block) return;
      seen_[block] = stamp_;
      region_.push_back(block);
    };
    visit(top);
    for (const std::uint32_t end : ends) visit(end);
    for (std::size_t i = 1; i < region_.size(); ++i) {
      if (++steps_ > most_region_steps) return false;
      for (const std::uint32_t from : flow_.blocks[region_[i]].previous) visit(from);
    }
    return true;
  }

  bool add_parting(std::uint32_t top, std::uint32_t block, const std::vector<std::uint32_t>& ends, Join& join) {
    if (!gather(top, ends)) return false;
    for (const std::uint32_t branch : region_) {
      const std::uint32_t meets = flow_.post_dominator[branch];
      const bool is_inside = meets != no_block && meets != block && seen_[meets] == stamp_ && meets != top;
      if (flow_.blocks[branch].next.size() > 1 && !is_inside) join.parting.push_back(branch);
    }
    return true;
  }

  bool add_leaving(std::uint32_t header, const std::vector<std::uint32_t>& latches, Join& join) {
    if (!gather(header, latches)) return false;
    join.loop = region_;
    for (const std::uint32_t block : region_) {
      const bool leads_out =
          std::ranges::any_of(flow_.blocks[block].next, [&](std::uint32_t next) { return seen_[next] != stamp_; });
      if (leads_out || flow_.may_lose(kernel_, block)) join.leaving.push_back(block);
    }
    return true;
  }

  const PtxFlow& flow_;
  const PtxKernel& kernel_;
  std::vector<std::uint32_t> seen_, region_;
  std::uint32_t stamp_ = 0;
  std::size_t steps_ = 0;
};

class UniformFinder {
 public:
  explicit UniformFinder(const PtxValues& values) : v_(values), joins_(values.flow().blocks.size()) {
    BranchFinder finder(values);
    for (const std::uint32_t block : values.flow().order)
      if (values.flow().blocks[block].previous.size() > 1 || block == 0) joins_[block] = finder.of(block);
    facts_.is_uniform.assign(values.size(), true);
    facts_.loses_lanes.assign(joins_.size(), finder.is_exhausted());
    facts_.is_together.assign(joins_.size(), false);
  }

  // Values are uniform until shown otherwise.
  UniformFacts find(std::span<const ValueId> order) {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      find_lost_lanes();
      for (const ValueId id : order) {
        if (!facts_.is_uniform[id] || is_uniform_now(id)) continue;
        facts_.is_uniform[id] = false;
        has_changed = true;
      }
    }
    for (std::uint32_t block = 0; block < joins_.size(); ++block) facts_.is_together[block] = comes_together(block);
    return std::move(facts_);
  }

 private:
  bool holds(ValueId id) const { return id == no_value || facts_.is_uniform[id]; }
  bool branch_together(const std::vector<std::uint32_t>& blocks) const {
    return std::ranges::all_of(blocks, [&](std::uint32_t block) {
      return v_.branch_of(block) != no_value && facts_.is_uniform[v_.branch_of(block)];
    });
  }
  bool comes_together(std::uint32_t block) const {
    const Join& join = joins_[block];
    return join.is_known && branch_together(join.parting) && branch_together(join.leaving);
  }

  void find_lost_lanes() {
    for (const Join& join : joins_)
      if (!join.is_known || !branch_together(join.leaving))
        for (const std::uint32_t block : join.loop) facts_.loses_lanes[block] = true;
  }

  // From equal operands the same in every pass.
  bool is_function(const PtxValue& unknown) const {
    return is_pure(v_.kernel().instructions[static_cast<std::uint32_t>(unknown.number >> 8)].name());
  }

  bool is_uniform_now(ValueId id) const {
    const PtxValue& value = v_[id];
    if (v_.known(id).is_constant()) return true;
    if (value.varies) return false;
    if (value.op == ValueOp::phi) {
      const PtxPhi& phi = v_.phi(value);
      return std::ranges::all_of(phi.from, [&](const PtxPhi::From& from) { return holds(from.value); }) &&
             comes_together(phi.block);
    }
    // Lanes that left a loop in different passes hold the results of different passes, of a load or from another lane.
    const bool is_of_last_pass = facts_.loses_lanes[v_.block_of(id)];
    if (value.op == ValueOp::unknown && is_of_last_pass && !is_function(value)) return false;
    if (value.op == ValueOp::lane_of) return holds(value.b) && (holds(value.a) || !is_of_last_pass);
    return holds(value.a) && holds(value.b) && holds(value.c);
  }

  const PtxValues& v_;
  std::vector<Join> joins_;
  UniformFacts facts_;
};

}  // namespace

UniformFacts uniform_values(const PtxValues& values, std::span<const ValueId> order) {
  return UniformFinder(values).find(order);
}

}  // namespace swz
