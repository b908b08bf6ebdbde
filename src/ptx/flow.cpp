// SPDX-License-Identifier: Apache-2.0
#include "ptx/flow.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/limits.hpp"
#include "ptx/calls.hpp"

namespace swz {

bool ends_lanes(const PtxInstruction& instruction) {
  return instruction.is("ret") || instruction.is("exit") || instruction.is("trap");
}

bool PtxFlow::may_lose(const PtxKernel& kernel, std::uint32_t block) const {
  const auto [first, end] = std::pair(blocks[block].first, blocks[block].end);
  return first < end && (ends_lanes(kernel.instructions[end - 1]) || std::ranges::binary_search(ending_calls, end - 1));
}

namespace {

bool ends_block(const PtxInstruction& instruction) {
  return instruction.is("bra") || instruction.is("brx") || ends_lanes(instruction);
}

// The blocks from `root` on by `next`, each after all blocks that lead to it, except in loops.
template <class Next>
std::vector<std::uint32_t> reverse_postorder(std::size_t count, std::uint32_t root, Next next) {
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(count);
  std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    const std::uint32_t block = stack.back().first;
    const std::vector<std::uint32_t>& all = next(block);
    if (stack.back().second == all.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const std::uint32_t to = all[stack.back().second++];
    if (seen[to]) continue;
    seen[to] = true;
    stack.emplace_back(to, 0);
  }
  std::ranges::reverse(order);
  return order;
}

template <class Previous>
std::vector<std::uint32_t> nearest_dominators(std::size_t count, const std::vector<std::uint32_t>& order,
                                              Previous previous) {
  std::vector<std::uint32_t> position(count, no_block), dominator(count, no_block);
  for (std::uint32_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  dominator[order[0]] = order[0];
  // Each of n nested loops steps through the loops around it.
  std::int64_t steps = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      std::uint32_t nearest = no_block;
      for (std::uint32_t from : previous(order[i])) {
        if (dominator[from] == no_block) continue;
        if (nearest == no_block) {
          nearest = from;
          continue;
        }
        while (from != nearest) {
          for (; position[from] > position[nearest]; ++steps) from = dominator[from];
          for (; position[nearest] > position[from]; ++steps) nearest = dominator[nearest];
        }
        require_within(limits::ptx_dominator_steps, steps);
      }
      if (dominator[order[i]] != nearest) {
        dominator[order[i]] = nearest;
        changed = true;
      }
    }
  }
  return dominator;
}

void find_blocks(const PtxKernel& kernel, PtxFlow& flow) {
  const auto count = static_cast<std::uint32_t>(kernel.instructions.size());
  std::vector<bool> begins(count + 1);
  begins[0] = true;
  for (const std::uint32_t label : kernel.labels) begins[label] = true;
  for (std::uint32_t i = 0; i < count; ++i)
    if (ends_block(kernel.instructions[i])) begins[i + 1] = true;
  for (const std::uint32_t call : flow.ending_calls) begins[call + 1] = true;
  flow.block_of.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (begins[i]) flow.blocks.push_back({i, i, {}, {}});
    flow.blocks.back().end = i + 1;
    flow.block_of[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
  }
  if (flow.blocks.empty()) flow.blocks.push_back({});
}

// The instructions to which a branch goes, if each of them is known.
std::optional<std::vector<std::uint32_t>> branch_targets(const PtxModule& module, const PtxKernel& kernel,
                                                         const PtxInstruction& branch) {
  const auto operands = module.operands_of(branch);
  const auto is_label = [&](std::size_t place) {
    return place < operands.size() && operands[place].kind == PtxOperandKind::label;
  };
  if (branch.is("bra")) return is_label(0) ? std::optional(std::vector{operands[0].id}) : std::nullopt;
  std::vector<std::uint32_t> targets;
  bool is_listed = false;
  for (const PtxKernel::BranchTargets& table : kernel.branch_targets) {
    if (!is_label(1) || operands[1].id != table.label) continue;
    is_listed = true;
    for (const PtxOperand& target : module.parts_of(table.targets)) {
      if (target.kind != PtxOperandKind::label) return std::nullopt;
      targets.push_back(target.id);
    }
  }
  return is_listed ? std::optional(targets) : std::nullopt;
}

void join_blocks(const PtxModule& module, const PtxKernel& kernel, PtxFlow& flow) {
  const auto join = [&](std::uint32_t from, std::uint32_t instruction) {
    if (instruction >= kernel.instructions.size()) return;
    const std::uint32_t to = flow.block_of[instruction];
    std::vector<std::uint32_t>& next = flow.blocks[from].next;
    if (std::ranges::find(next, to) != next.end()) return;
    next.push_back(to);
    flow.blocks[to].previous.push_back(from);
  };
  if (kernel.instructions.empty()) return;
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
    const PtxInstruction& last = kernel.instructions[flow.blocks[block].end - 1];
    if (last.is("bra") || last.is("brx"))
      for (const std::uint32_t target : branch_targets(module, kernel, last).value_or(kernel.labels))
        join(block, target);
    if (!ends_block(last) || last.guard != no_register) join(block, flow.blocks[block].end);
  }
}

// Children follow their parent in `order`, so two passes number the tree: sizes from the leaves, places from the root.
void number_dominators(PtxFlow& flow) {
  const std::size_t count = flow.blocks.size();
  std::vector<std::uint32_t> size(count, 1), next(count, 0);
  flow.enter.assign(count, 0);
  flow.leave.assign(count, 0);
  for (std::size_t i = flow.order.size(); i-- > 1;) size[flow.dominator[flow.order[i]]] += size[flow.order[i]];
  for (const std::uint32_t block : flow.order) {
    if (block != flow.order[0]) {
      const std::uint32_t parent = flow.dominator[block];
      flow.enter[block] = next[parent];
      next[parent] += size[block];
    }
    flow.leave[block] = flow.enter[block] + size[block];
    next[block] = flow.enter[block] + 1;
  }
}

// From the innermost loop outwards: once found, a loop represents all of its blocks.
void find_loops(PtxFlow& flow) {
  const std::size_t count = flow.blocks.size();
  flow.loop.assign(count, no_block);
  flow.around.assign(count, no_block);
  std::vector<std::uint32_t> outermost(count, no_block);  // by first block: a loop found around it, to shorten searches
  const auto outermost_of = [&](std::uint32_t first) {
    while (outermost[first] != no_block) {
      if (const std::uint32_t next = outermost[outermost[first]]; next != no_block) outermost[first] = next;
      first = outermost[first];
    }
    return first;
  };
  for (std::size_t i = flow.order.size(); i-- > 0;) {
    const std::uint32_t first = flow.order[i];
    std::vector<std::uint32_t> work;
    for (const std::uint32_t from : flow.blocks[first].previous)
      if (flow.position[from] != no_block && flow.dominates(first, from)) work.push_back(from);
    if (work.empty()) continue;
    flow.loop[first] = first;
    while (!work.empty()) {
      std::uint32_t block = work.back();
      work.pop_back();
      if (flow.loop[block] != no_block) block = outermost_of(flow.loop[block]);
      if (block == first || flow.position[block] == no_block) continue;
      if (flow.loop[block] == no_block) flow.loop[block] = first;
      else outermost[block] = flow.around[block] = first;
      for (const std::uint32_t from : flow.blocks[block].previous)
        if (!flow.dominates(block, from)) work.push_back(from);
    }
  }
}

// The same as dominators from the end: one more block follows all that leave the kernel.
void find_post_dominators(const PtxKernel& kernel, PtxFlow& flow) {
  const std::size_t count = flow.blocks.size();
  const auto end = static_cast<std::uint32_t>(count);
  std::vector<std::vector<std::uint32_t>> back(count + 1), forth(count + 1);
  for (std::uint32_t block = 0; block < count; ++block) {
    back[block] = flow.blocks[block].previous;
    forth[block] = flow.blocks[block].next;
    if (!forth[block].empty() && !flow.may_lose(kernel, block)) continue;
    forth[block].push_back(end);
    back[end].push_back(block);
  }
  const auto order = reverse_postorder(
      count + 1, end, [&](std::uint32_t block) -> const auto& { return back[block]; });
  flow.post_dominator = nearest_dominators(
      count + 1, order, [&](std::uint32_t block) -> const auto& { return forth[block]; });
  flow.post_dominator.pop_back();
  std::ranges::replace(flow.post_dominator, end, no_block);
}

}  // namespace

PtxFlow ptx_flow(const PtxModule& module, const PtxKernel& kernel) {
  PtxFlow flow;
  flow.ending_calls = ending_calls(module, kernel);
  find_blocks(kernel, flow);
  join_blocks(module, kernel, flow);
  const std::size_t count = flow.blocks.size();
  flow.order = reverse_postorder(
      count, 0, [&](std::uint32_t b) -> const auto& { return flow.blocks[b].next; });
  flow.position.assign(count, no_block);
  for (std::uint32_t i = 0; i < flow.order.size(); ++i) flow.position[flow.order[i]] = i;
  flow.dominator = nearest_dominators(
      count, flow.order, [&](std::uint32_t b) -> const auto& { return flow.blocks[b].previous; });

  number_dominators(flow);
  find_loops(flow);

  find_post_dominators(kernel, flow);
  return flow;
}

std::vector<std::vector<std::uint32_t>> dominance_frontiers(const PtxFlow& flow) {
  std::vector<std::vector<std::uint32_t>> frontiers(flow.blocks.size());
  std::int64_t entries = 0;  // a nest of n loops has n * n / 2
  for (const std::uint32_t block : flow.order) {
    if (flow.blocks[block].previous.size() < 2 && block != 0) continue;
    for (std::uint32_t from : flow.blocks[block].previous) {
      while (flow.position[from] != no_block && (block == 0 || from != flow.dominator[block])) {
        if (frontiers[from].empty() || frontiers[from].back() != block) {
          frontiers[from].push_back(block);
          require_within(limits::ptx_joins, ++entries);
        }
        if (from == 0) break;
        from = flow.dominator[from];
      }
    }
  }
  return frontiers;
}

}  // namespace swz
