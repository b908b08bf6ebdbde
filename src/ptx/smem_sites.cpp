// SPDX-License-Identifier: Apache-2.0
// Shared-memory accesses and their wavefronts, warp by warp.
#include <algorithm>
#include <bit>

#include "base/limits.hpp"
#include "ptx/joined_accesses.hpp"
#include "ptx/kernel_report.hpp"
#include "ptx/lane_values.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/loop_passes.hpp"
#include "ptx/needed_loads.hpp"
#include "ptx/shared_access.hpp"

namespace swz {

namespace {

// A block whose size nobody says is taken for a row of as many threads as there may be. Which of them are in a warp is known where
// its shape is, and where nothing but %tid.x tells threads apart.
constexpr std::array<std::int64_t, 3> most_threads = {1024, 1, 1};

// Several lanes go to the same address.
bool is_one_word(const AccessPattern& pattern) {
  const std::uint32_t lanes = pattern.lanes();
  if (std::popcount(lanes) < 2) return false;
  const std::uint32_t first = pattern.address[static_cast<std::size_t>(std::countr_zero(lanes))];
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if ((lanes >> l & 1) != 0 && pattern.address[l] != first) return false;
  return true;
}

// Of what ptxas was seen to know that all lanes share it: of constants, parameters, the number of the block, loads and shuffles.
// What a loop changes was not asked.
bool is_seen_as_shared(const PtxValues& values, ValueId id) {
  constexpr std::size_t most_parts = 64;
  std::vector<ValueId> parts = {id};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const PtxValue& value = values[parts[i]];
    if (value.op == ValueOp::phi || parts.size() > most_parts) return false;
    if (value.op == ValueOp::special && !values.name_of(value).starts_with("%ctaid")) return false;
    for (const ValueId part : {value.a, value.b, value.c})
      if (part != no_value && value.op != ValueOp::lane_of) parts.push_back(part);
  }
  return true;
}

struct Counted {
  SmemSite site;
  SharedAccess access;
  ValueId address = no_value;
  std::int64_t wavefronts = 0, ideal = 0, executions = 0, worst = -1;
  bool is_sampled = false, differs = false;
  std::int64_t first = -1;
  ValueId parts_lanes =
      no_value;                 // which lanes execute it depends on this, which is not known: all of them were counted
  bool may_come_later = false;  // some warp that executes it in no pass that was looked at
  LoadNeed need;
  bool may_leave_lanes = false;  // of a load: ptxas may leave out lanes that do not need it
  // Of warps: their passes were counted one by one, or all of them at once, as one.
  bool has_passes = false, has_warps = false;
};

// What one warp does in one pass; the reason where it is not known.
struct WarpAccess {
  std::uint32_t active = 0;
  bool is_sampled = false;
  std::optional<AccessPattern> pattern;  // none: no lane executes it, or it is not known
  WavefrontCount count = {};
  std::string why = {};
  ValueId parts_lanes = no_value;
  bool may_leave_lanes = false;
};

enum class WhoExecutes { known, all };

// Of tid.x / 32 ptxas does not see that a warp shares it, of tid.y in rows of 32 threads it does.
bool one_lane_goes(Counted& one, const AccessPattern& pattern, const PtxValues& values, std::string& why) {
  if (!one.access.adds_up || !is_one_word(pattern)) return false;
  if (values.is_uniform(one.address) && is_seen_as_shared(values, one.address)) return true;
  why = "all lanes share the address, and swz does not know whether ptxas lets one lane go for all";
  return false;
}

bool all_lanes_need(const Counted& one, WarpValues& warp, std::uint32_t lanes) {
  if (one.need.guarded_uses.empty()) return true;
  std::uint32_t needed = 0;
  for (const std::uint32_t use : one.need.guarded_uses) {
    const ActiveLanes there = warp.at_instruction(use);
    if (there.why == no_value && !there.is_sampled) needed |= there.lanes;
  }
  return (lanes & ~needed) == 0;
}

// Of all places in a word at which the lanes may begin.
WavefrontCount count_of_all(std::span<const AccessPattern> patterns, std::string& why) {
  const WavefrontCount count = count_wavefronts(patterns.front());
  for (const AccessPattern& other : patterns.subspan(1))
    if (const int wavefronts = count_wavefronts(other).wavefronts; wavefronts != count.wavefronts)
      why = "it depends on where the lanes begin in a word of 4 B: " + std::to_string(count.wavefronts) + " or " +
            std::to_string(wavefronts) + " wavefronts";
  return count;
}

WarpAccess warp_access(Counted& one, WarpValues& warp, const PtxValues& values, WhoExecutes who) {
  ActiveLanes active = warp.at_instruction(one.site.instruction);
  WarpAccess out;
  if (active.why != no_value && who == WhoExecutes::known) {
    out.why = "which lanes execute it is not known: " + because(values, active.why);
    return out;
  }
  if (active.why != no_value) {
    out.parts_lanes = active.why;
    active = {.lanes = warp.lanes(), .is_sampled = true};
  }
  out.active = active.lanes;
  out.is_sampled = active.is_sampled;
  if (active.lanes == 0) return out;
  LaneValue lanes = warp.of(one.address);
  if (lanes.kind == LaneKind::uniform) {
    lanes = {.kind = LaneKind::shifted,
             .zeros = std::max(proven_zeros(values, one.address), 2),
             .is_sampled = lanes.is_sampled};
  } else if (lanes.kind == LaneKind::unknown || lanes.bits < shared_address_bits) {
    out.why = because(values, lanes.why == no_value ? one.address : lanes.why);
    return out;
  }
  out.is_sampled = out.is_sampled || lanes.is_sampled;
  std::vector<AccessPattern> patterns = patterns_of(one.access, lanes, active.lanes, out.why);
  if (patterns.empty()) return out;
  out.pattern = patterns.front();
  out.may_leave_lanes = !all_lanes_need(one, warp, active.lanes);
  if (one_lane_goes(one, *out.pattern, values, out.why)) {
    one.site.one_lane_goes = true;
    out.pattern->active = std::uint32_t{1} << std::countr_zero(out.pattern->active);
    patterns = {*out.pattern};
  }
  if (out.why.empty()) out.count = count_of_all(patterns, out.why);
  return out;
}

void add(Counted& one, const WarpAccess& access) {
  ++one.executions;
  one.wavefronts += access.count.wavefronts;
  one.ideal += access.count.ideal;
  one.is_sampled = one.is_sampled || access.is_sampled;
  one.may_leave_lanes = one.may_leave_lanes || access.may_leave_lanes;
  one.differs = one.differs || (one.first >= 0 && one.first != access.count.wavefronts);
  one.first = access.count.wavefronts;
  if (access.parts_lanes != no_value) one.parts_lanes = access.parts_lanes;
  if (access.count.excess() > one.worst) {
    one.worst = access.count.excess();
    one.site.worst = *access.pattern;
  }
}

// What a warp does in each pass of the loops around the site, if all passes are known.
struct PassCounts {
  std::vector<WarpAccess> executed;
  bool are_all = false;  // and there are no others
  std::string why;       // not empty: one of them is not known
};

PassCounts count_passes(Counted& one, const WarpOfBlock& warp, const PtxValues& values, LoopPasses& loops,
                        WhoExecutes who) {
  PassCounts out;
  const auto end = loops.walk(one.site.instruction, one.address, warp, [&](WarpValues& pass) {
    WarpAccess access = warp_access(one, pass, values, who);
    access.is_sampled = true;
    out.why = access.why;
    if (access.pattern) out.executed.push_back(std::move(access));
    return out.why.empty();
  });
  out.are_all = end == LoopPasses::End::all;
  if (end == LoopPasses::End::stopped && out.why.empty())
    out.why = "the loops around it have too many passes to follow";
  return out;
}

// Without knowing which passes there are: what all of those that were looked at say.
bool is_one_count(const PassCounts& passes) {
  return std::ranges::all_of(passes.executed, [&](const WarpAccess& access) {
    return access.count.wavefronts == passes.executed[0].count.wavefronts &&
           access.count.ideal == passes.executed[0].count.ideal;
  });
}

// In each pass, or in all of them alike. False: `why` says what is not known.
bool add_passes(Counted& one, const WarpAccess& every, const WarpOfBlock& warp, const PtxValues& values,
                LoopPasses& loops, std::string& why) {
  if (!loops.has_loop(one.site.instruction)) return false;
  const PassCounts passes = count_passes(one, warp, values, loops, WhoExecutes::known);
  if (!passes.why.empty()) {
    why = passes.why;
    return false;
  }
  if (passes.are_all || (!every.why.empty() && is_one_count(passes))) {
    if (passes.are_all)
      for (const WarpAccess& access : passes.executed) add(one, access);
    else if (!passes.executed.empty()) add(one, passes.executed[0]);
    (passes.are_all ? one.has_passes : one.has_warps) = true;
    one.may_come_later = one.may_come_later || (!passes.are_all && passes.executed.empty());
    return true;
  }
  why = "it differs from pass to pass of its loop, and how many there are is not known";
  return false;
}

// Where only the lanes are not known: for all of them, in the pass with the most. False: `why` says what else is not.
bool add_bound(Counted& one, WarpValues& every_pass, const WarpOfBlock& warp, const PtxValues& values,
               LoopPasses& loops, std::string& why) {
  WarpAccess all = warp_access(one, every_pass, values, WhoExecutes::all);
  if (!all.why.empty() && loops.has_loop(one.site.instruction)) {
    PassCounts passes = count_passes(one, warp, values, loops, WhoExecutes::all);
    if (!passes.why.empty() || passes.executed.empty() || (!passes.are_all && !is_one_count(passes))) return false;
    const auto most =
        std::ranges::max_element(passes.executed, {}, [](const WarpAccess& access) { return access.count.wavefronts; });
    all = std::move(*most);
  }
  if (!all.why.empty()) {
    why = all.why;
    return false;
  }
  if (all.pattern) add(one, all);
  return true;
}

void count_warp(Counted& one, WarpValues& every_pass, const WarpOfBlock& warp, const PtxValues& values,
                LoopPasses& loops, bool by_pass = false) {
  if (one.access.instruction == nullptr || !one.site.why.empty()) return;
  const WarpAccess every = warp_access(one, every_pass, values, WhoExecutes::known);
  if (every.why.empty() && !every.is_sampled && !(by_pass && every.pattern)) {
    if (every.pattern) add(one, every);
    one.has_warps = one.has_warps || every.pattern;
    return;
  }
  std::string why = every.why;
  if (add_passes(one, every, warp, values, loops, why)) return;
  if (every.why.empty()) {  // in every pass at most this
    if (every.pattern) add(one, every);
    else one.may_come_later = true;
    one.has_warps = one.has_warps || every.pattern;
  } else if (!add_bound(one, every_pass, warp, values, loops, why)) {
    one.site.why = why;
  }
}

// The mean is over executions: where warps differ, none may stand for all of its passes while another is counted in each.
bool is_mixed(const Counted& one) { return one.has_passes && one.has_warps && one.differs && one.site.why.empty(); }

void count_block(const std::vector<Counted*>& all, const std::array<std::int64_t, 3>& threads,
                 const PtxValues& values) {
  if (all.empty()) return;
  const std::int64_t warps = (threads[0] * threads[1] * threads[2] + warp_lanes - 1) / warp_lanes;
  AlignedSums sums(values);
  LoopPasses loops(values, sums);
  const auto for_each_warp = [&](const auto& visit) {
    for (std::int64_t w = 0; w < std::min<std::int64_t>(warps, 32); ++w) {
      const WarpOfBlock warp{threads, w, values.knows_shape()};
      WarpValues every_pass(values, warp, {}, &sums);
      visit(every_pass, warp);
    }
  };
  for_each_warp([&](WarpValues& every_pass, const WarpOfBlock& warp) {
    for (Counted* one : all) count_warp(*one, every_pass, warp, values, loops);
  });
  std::vector<Counted*> mixed;
  for (Counted* one : all) {
    if (!is_mixed(*one)) continue;
    mixed.push_back(one);
    one->wavefronts = one->ideal = one->executions = 0;
    one->has_warps = one->differs = false;
    one->first = one->worst = -1;
  }
  if (mixed.empty()) return;
  for_each_warp([&](WarpValues& every_pass, const WarpOfBlock& warp) {
    for (Counted* one : mixed) count_warp(*one, every_pass, warp, values, loops, true);
  });
  for (Counted* one : mixed)
    if (is_mixed(*one)) one->site.why = "warps differ, and how many passes of its loops each has is not known";
}

void conclude(Counted& one, const PtxValues& values, bool knows_threads, bool is_exact) {
  SmemSite& site = one.site;
  site.warps = one.executions;
  if (site.why.empty() && site.warps == 0 && one.access.instruction != nullptr)
    site.why = one.may_come_later
                   ? "no warp executes it in the first passes of its loops; what comes later is not known"
                   : "no warp of the block executes it";
  if (site.why.empty() && !knows_threads && one.differs)
    site.why = "it depends on the number of threads: --threads says it";
  if (!site.why.empty() || site.warps == 0) {
    site.worst.reset();
    return;
  }
  site.wavefronts = static_cast<double>(one.wavefronts) / static_cast<double>(site.warps);
  site.ideal = static_cast<double>(one.ideal) / static_cast<double>(site.warps);
  // Measured on an H100: where the lanes of a group read several lines of global memory, or write across two lines of shared
  // memory, there are more.
  if (one.access.instruction->op == AccessOp::cp_async) {
    one.is_sampled = true;
    site.why = "counted of the shared addresses alone; several lines of global memory a group of lanes add more";
  }
  if (one.parts_lanes != no_value) {
    site.counts_all_lanes = true;
    site.why += (site.why.empty() ? "" : "; ") +
                ("counted for all lanes, fewer take at most as many; which of them execute it is not known: " +
                 because(values, one.parts_lanes));
  }
  if (one.may_leave_lanes || !one.need.is_whole) {
    site.may_shrink = true;
    one.is_sampled = true;
    site.why += (site.why.empty() ? "" : "; ") +
                std::string(one.need.is_whole ? "ptxas may leave out the lanes that do not use what it loads"
                                              : "ptxas may leave out an element that nobody uses") +
                ", and then it takes at most as many";
  }
  site.proof = one.is_sampled || !is_exact ? SmemProof::sampled : SmemProof::all;
}

// Of loads and stores that ptxas may join: what it would make of them, counted at one of them.
std::vector<Counted> joined_accesses(const PtxValues& values, const std::vector<Counted>& all,
                                     std::vector<std::size_t>& of) {
  std::vector<PlainAccess> plain;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].access.instruction == nullptr || !all[i].site.why.empty()) continue;
    const auto one = plain_access(values, all[i].site.instruction, *all[i].access.instruction, all[i].address);
    if (!one) continue;
    plain.push_back(*one);
    of.push_back(i);
  }
  std::vector<Counted> out;
  std::size_t kept = 0;
  const std::vector<int> bytes = joined_bytes(values, plain);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (bytes[i] == 0) continue;
    Counted joined;
    joined.site.instruction = plain[i].instruction;
    joined.address = plain[i].address;
    joined.access = {
        .instruction = find_access(plain[i].op, bytes[i]), .address = all[of[i]].access.address, .aligns_down = true};
    out.push_back(std::move(joined));
    of[kept++] = of[i];
  }
  of.resize(kept);
  return out;
}

// What the PTX has may not be what runs.
void tell_joined(SmemSite& site, const Counted& joined, const SmemSite& counted) {
  site.may_join = JoinedAccess{joined.access.instruction->name, counted.wavefronts, counted.ideal};
  if (site.proof == SmemProof::all) site.proof = SmemProof::sampled;
  if (!site.wavefronts) return;
  site.why += (site.why.empty() ? "" : "; ") +
              ("ptxas may join it with its neighbours to one " + std::string(joined.access.instruction->name));
}

}  // namespace

std::vector<SmemSite> smem_sites(const PtxValues& values, const Target*) {
  const PtxKernel& kernel = values.kernel();
  const NeededLoads needed(values);
  const std::vector<std::uint32_t> mentions = mentions_of(values);
  std::vector<Counted> all;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const PtxInstruction& one = kernel.instructions[i];
    auto access = shared_access(values, one, mentions);
    if (!access) continue;
    Counted counted;
    SmemSite& site = counted.site;
    static_cast<PtxSite&>(site) = site_at(kernel, i);
    site.why = access->why;
    counted.access = std::move(*access);
    counted.address = values.of_operand(counted.access.address);
    if (counted.access.instruction != nullptr) site.access = counted.access.instruction->name;
    if (values.flow().position[values.flow().block_of[i]] == no_block) site.why = "no way enters it";
    else if (counted.address == no_value) site.why = "the address is not known";
    else site.address = site_address(values, counted.address);
    const bool is_own_load = counted.access.instruction != nullptr && counted.address != no_value &&
                             plain_access(values, i, *counted.access.instruction, counted.address) && one.is("ld");
    if (is_own_load) counted.need = needed.of(i);
    all.push_back(std::move(counted));
    require_within(limits::ptx_sites, std::ssize(all));
  }
  const auto& said = values.launch().threads ? values.launch().threads : kernel.threads;
  auto threads = said.value_or(most_threads);
  if (values.launch().count) threads = {*values.launch().count, 1, 1};
  std::vector<std::size_t> of_joined;
  std::vector<Counted> joined = joined_accesses(values, all, of_joined);
  std::vector<Counted*> counted;
  for (std::vector<Counted>* some : {&all, &joined})
    for (Counted& one : *some) counted.push_back(&one);
  count_block(counted, threads, values);
  std::vector<SmemSite> sites;
  sites.reserve(all.size());
  for (Counted& one : all) {
    conclude(one, values, said.has_value(), values.launch().threads.has_value());
    sites.push_back(std::move(one.site));
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    conclude(joined[i], values, said.has_value(), values.launch().threads.has_value());
    tell_joined(sites[of_joined[i]], joined[i], joined[i].site);
  }
  return sites;
}

}  // namespace swz
