// SPDX-License-Identifier: Apache-2.0
// Which values all lanes of a warp share.
//
//   if (tid & 1) x = 1; else x = 2;      x varies: the lanes come from different blocks
//   if (tid & 1) { … }  x = phi(n, m)    of blocks that part before and meet after it: x does not depend on it
//   while (i < tid) i += 1;              i varies behind the loop; it is called varying in the loop too
//
// A phi is uniform if all that reaches it is (what nobody wrote reaches no use that means anything), and the lanes come to its block from one block. A branch parts the lanes that
// come to a join if it lies between the join's dominator and the join and its own sides do not meet before. The lanes of a
// loop leave it together if the conditions that leave it are uniform, those of an exit in it too.
#include <algorithm>

#include "ptx/values.hpp"

namespace swz {

namespace {

// More than these blocks together are not looked at: the phi counts as varying.
constexpr std::size_t most_region_steps = std::size_t{1} << 24;

class PartingBranches {
 public:
  PartingBranches(const PtxFlow& flow, const PtxKernel& kernel)
      : flow_(flow), kernel_(kernel), seen_(flow.blocks.size(), 0) {}

  // The blocks whose branches decide from where a lane comes to `block`, or in which pass of its loop. nullopt: not known.
  std::optional<std::vector<std::uint32_t>> of(std::uint32_t block) {
    std::vector<std::uint32_t> forward, backward;
    for (const std::uint32_t from : flow_.blocks[block].previous) {
      if (flow_.position[from] == no_block) continue;
      const bool is_back = flow_.position[from] >= flow_.position[block];
      if (is_back && !flow_.dominates(block, from)) return std::nullopt;  // a loop with two entries
      (is_back ? backward : forward).push_back(from);
    }
    std::vector<std::uint32_t> out;
    loop_.clear();
    if (forward.size() > 1 && !add_between(flow_.dominator[block], block, forward, out)) return std::nullopt;
    if (backward.size() > 1 && !add_between(block, block, backward, out)) return std::nullopt;
    exits_ = out.size();
    if (!backward.empty() && !add_exits(block, backward, out)) return std::nullopt;
    return out;
  }
  // After of(block): the blocks of the loop that begins there, and which of the branches leave it.
  const std::vector<std::uint32_t>& loop() const { return loop_; }
  std::size_t first_exit() const { return exits_; }

 private:
  // All blocks behind `top` from which control comes to `ends`; false: too many.
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

  bool add_between(std::uint32_t top, std::uint32_t join, const std::vector<std::uint32_t>& ends,
                   std::vector<std::uint32_t>& out) {
    if (!gather(top, ends)) return false;
    for (const std::uint32_t block : region_) {
      const std::uint32_t meets = flow_.post_dominator[block];
      const bool is_inside = meets != no_block && meets != join && seen_[meets] == stamp_ && meets != top;
      if (flow_.blocks[block].next.size() > 1 && !is_inside) out.push_back(block);
    }
    return true;
  }

  bool add_exits(std::uint32_t header, const std::vector<std::uint32_t>& latches, std::vector<std::uint32_t>& out) {
    if (!gather(header, latches)) return false;
    loop_ = region_;
    for (const std::uint32_t block : region_) {
      const bool leads_out =
          std::ranges::any_of(flow_.blocks[block].next, [&](std::uint32_t next) { return seen_[next] != stamp_; });
      if (leads_out || flow_.may_lose(kernel_, block)) out.push_back(block);
    }
    return true;
  }

  const PtxFlow& flow_;
  const PtxKernel& kernel_;
  std::vector<std::uint32_t> seen_, region_, loop_;
  std::size_t exits_ = 0;
  std::uint32_t stamp_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

void PtxValues::find_uniform() {
  struct Join {
    std::optional<std::vector<std::uint32_t>> parting;
    std::vector<std::uint32_t> loop;
    std::size_t first_exit = 0;
  };
  std::vector<Join> joins(flow_.blocks.size());
  PartingBranches branches(flow_, *kernel_);
  for (const std::uint32_t block : flow_.order) {
    if (flow_.blocks[block].previous.size() < 2 && block != 0) continue;
    joins[block].parting = branches.of(block);
    joins[block].loop = branches.loop();
    joins[block].first_exit = branches.first_exit();
  }
  uniform_.assign(values_.size(), true);
  const auto is_together = [&](std::uint32_t block) { return branch_[block] != no_value && uniform_[branch_[block]]; };
  const auto holds = [&](ValueId id) { return id == no_value || uniform_[id]; };
  const auto is_uniform_now = [&](ValueId id) {
    const PtxValue& value = values_[id];
    if (known_[id].is_constant()) return true;
    if (value.varies) return false;
    // Lanes that left a loop in different passes hold what different passes gave, of a load or of another lane.
    const bool is_of_last_pass = loses_lanes_[flow_.block_of[origin_[id]]];
    if (value.op == ValueOp::unknown && is_of_last_pass) return false;
    if (value.op == ValueOp::lane_of) return holds(value.b) && (holds(value.a) || !is_of_last_pass);
    if (value.op != ValueOp::phi) return holds(value.a) && holds(value.b) && holds(value.c);
    const PtxPhi& phi = phis_[value.number];
    for (const PtxPhi::From& from : phi.from)
      if (from.value != no_value && !uniform_[from.value]) return false;
    const auto& parting = joins[phi.block].parting;
    return parting && std::ranges::all_of(*parting, is_together);
  };
  loses_lanes_.assign(flow_.blocks.size(), false);
  const std::vector<ValueId> ids = in_order();
  for (bool changed = true; changed;) {
    changed = false;
    for (const Join& join : joins) {
      const auto leave_together = [&](const std::vector<std::uint32_t>& all) {
        return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(join.first_exit), all.end(), is_together);
      };
      if (join.parting && leave_together(*join.parting)) continue;
      for (const std::uint32_t inside : join.loop) loses_lanes_[inside] = true;
    }
    for (const ValueId id : ids) {
      if (!uniform_[id] || is_uniform_now(id)) continue;
      uniform_[id] = false;
      changed = true;
    }
  }
  together_.assign(flow_.blocks.size(), false);
  for (std::uint32_t block = 0; block < joins.size(); ++block)
    together_[block] = joins[block].parting && std::ranges::all_of(*joins[block].parting, is_together);
}

}  // namespace swz
