// SPDX-License-Identifier: Apache-2.0
// Shared-memory accesses and their wavefronts, warp by warp.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/limits.hpp"
#include "ptx/joined_accesses.hpp"
#include "ptx/kernel_parts.hpp"
#include "ptx/lane_values.hpp"
#include "ptx/linear_form.hpp"
#include "ptx/loop_passes.hpp"
#include "ptx/needed_loads.hpp"
#include "ptx/shared_access.hpp"
#include "ptx/site_trips.hpp"

namespace swz {

namespace {

// If the block size is unknown, assume one row of 1,024 threads. Which of them a warp has is known if the shape is, and
// if the kernel distinguishes threads only by %tid.x.
constexpr std::array<std::int64_t, 3> most_threads = {1024, 1, 1};

// Several lanes access the same address.
bool is_one_word(const AccessPattern& pattern) {
  const std::uint32_t lanes = pattern.lanes();
  if (std::popcount(lanes) < 2) return false;
  const std::uint32_t first = pattern.address[static_cast<std::size_t>(std::countr_zero(lanes))];
  for (std::size_t l = 0; l < warp_lanes; ++l)
    if ((lanes >> l & 1) != 0 && pattern.address[l] != first) return false;
  return true;
}

// ptxas was seen to know that all lanes share it: made of constants, parameters, the number of the block, loads and
// shuffles. It was not tried with what a loop changes.
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

// What the executions of an access by the warps of a block add up to.
struct AccessTally {
  std::int64_t wavefronts = 0, ideal = 0, executions = 0;
  std::int64_t before = -1, worst = -1;  // wavefronts of the execution before, the largest excess; -1: none
  bool is_sampled = false, differs = false;
  ValueId parts_lanes = no_value;  // it is not known who executes it because of this: all lanes were counted
  bool may_come_later = false;     // some warp executes it in no pass that was looked at
  bool may_leave_lanes = false;    // of a load: ptxas may leave out lanes that do not need it
  // Some warps were counted in each of their passes, some once for all passes.
  bool has_passes = false, has_warps = false;
};

struct CountedAccess : AccessTally {
  SmemSite site;
  SharedAccess access;
  ValueId address = no_value;
  LoadNeed need;

  // If warps differ, none may be counted once for all of its passes while another is counted in each.
  bool is_mixed() const { return has_passes && has_warps && differs && site.why.empty(); }
  void forget_counts() {
    wavefronts = ideal = executions = 0;
    before = worst = -1;
    has_warps = differs = false;
  }
};

// What one warp does in one pass.
struct WarpAccess {
  bool is_sampled = false;
  std::optional<AccessPattern> pattern;  // none: no lane executes it, or it is not known
  WavefrontCount count = {};
  std::string why = {};  // not empty: why it is not known
  ValueId parts_lanes = no_value;
  bool may_leave_lanes = false;
};

void add(CountedAccess& counted, const WarpAccess& access) {
  ++counted.executions;
  counted.wavefronts += access.count.wavefronts;
  counted.ideal += access.count.ideal;
  counted.is_sampled = counted.is_sampled || access.is_sampled;
  counted.may_leave_lanes = counted.may_leave_lanes || access.may_leave_lanes;
  counted.differs = counted.differs || (counted.before >= 0 && counted.before != access.count.wavefronts);
  counted.before = access.count.wavefronts;
  if (access.parts_lanes != no_value) counted.parts_lanes = access.parts_lanes;
  if (access.count.excess() > counted.worst) {
    counted.worst = access.count.excess();
    counted.site.worst = *access.pattern;
  }
}

enum class WhoExecutes { known, all };

bool all_lanes_need(const LoadNeed& need, WarpValues& warp, std::uint32_t lanes) {
  if (need.guarded_uses.empty()) return true;
  std::uint32_t needed = 0;
  for (const std::uint32_t use : need.guarded_uses) {
    const ActiveLanes there = warp.at_instruction(use);
    if (there.why == no_value && !there.is_sampled) needed |= there.lanes;
  }
  return (lanes & ~needed) == 0;
}

// For every place in a word at which the lanes may begin.
WavefrontCount count_of_all(std::span<const AccessPattern> patterns, std::string& why) {
  const WavefrontCount count = count_wavefronts(patterns.front());
  for (const AccessPattern& pattern : patterns.subspan(1))
    if (const int wavefronts = count_wavefronts(pattern).wavefronts; wavefronts != count.wavefronts)
      why = "it depends on where the lanes begin in a word of 4 B: " + std::to_string(count.wavefronts) + " or " +
            std::to_string(wavefronts) + " wavefronts";
  return count;
}

// Counts what one warp does.
class WarpCounter {
 public:
  WarpCounter(const PtxValues& values, const WarpOfBlock& warp, AlignedSums& sums, LoopPasses& loops)
      : v_(values), warp_(warp), loops_(loops), every_pass_(values, warp, {}, &sums) {}

  // by_pass: in each pass of its loops, if that can be done.
  void count(CountedAccess& counted, bool by_pass) {
    if (counted.access.instruction == nullptr || !counted.site.why.empty()) return;
    const WarpAccess every = access_of(counted, every_pass_, WhoExecutes::known);
    if (every.why.empty() && !every.is_sampled && !(by_pass && every.pattern)) {
      add_once(counted, every);
      return;
    }
    std::string why = every.why;
    if (add_passes(counted, every, why)) return;
    if (every.why.empty()) {  // in every pass at most this
      add_once(counted, every);
      counted.may_come_later = counted.may_come_later || !every.pattern;
    } else if (!add_bound(counted, why)) {
      counted.site.why = why;
    }
  }

 private:
  static void add_once(CountedAccess& counted, const WarpAccess& access) {
    if (!access.pattern) return;
    add(counted, access);
    counted.has_warps = true;
  }

  WarpAccess access_of(CountedAccess& counted, WarpValues& warp, WhoExecutes who) const {
    ActiveLanes active = warp.at_instruction(counted.site.instruction);
    WarpAccess access;
    if (active.why != no_value && who == WhoExecutes::known) {
      access.why = "which lanes execute it is not known: " + because(v_, active.why);
      return access;
    }
    if (active.why != no_value) {
      access.parts_lanes = active.why;
      active = {.lanes = warp.lanes(), .is_sampled = true};
    }
    access.is_sampled = active.is_sampled;
    if (active.lanes == 0) return access;
    LaneValue lanes = warp.of(counted.address);
    if (lanes.kind == LaneKind::uniform) {
      lanes = {.kind = LaneKind::shifted,
               .zeros = std::max(proven_zeros(v_, counted.address), 2),
               .is_sampled = lanes.is_sampled};
    } else if (lanes.kind == LaneKind::unknown || lanes.bits < v_.shared_address_bits()) {
      access.why = because(v_, lanes.why == no_value ? counted.address : lanes.why);
      return access;
    }
    access.is_sampled = access.is_sampled || lanes.is_sampled;
    std::vector<AccessPattern> patterns =
        patterns_of(counted.access, lanes, active.lanes, v_.shared_address_bits(), access.why);
    if (patterns.empty()) return access;
    access.pattern = patterns.front();
    access.may_leave_lanes = !all_lanes_need(counted.need, warp, active.lanes);
    if (one_lane_goes(counted, *access.pattern, access.why)) {
      counted.site.one_lane_goes = true;
      access.pattern->active = std::uint32_t{1} << std::countr_zero(access.pattern->active);
      patterns = {*access.pattern};
    }
    if (access.why.empty()) access.count = count_of_all(patterns, access.why);
    return access;
  }

  // ptxas does not see that a warp shares tid.x / 32; in rows of 32 threads it sees that a warp shares tid.y.
  bool one_lane_goes(const CountedAccess& counted, const AccessPattern& pattern, std::string& why) const {
    if (!counted.access.adds_up || !is_one_word(pattern)) return false;
    if (v_.is_uniform(counted.address) && is_seen_as_shared(v_, counted.address)) return true;
    why = "all lanes share the address, and swz does not know whether ptxas lets one lane do the access for all";
    return false;
  }

  // What the warp does in each pass of the loops around the site, if all passes are known.
  struct Passes {
    std::vector<WarpAccess> executed;
    bool are_all = false;  // and there are no others
    std::string why;       // not empty: one of them is not known

    bool have_one_count() const {
      return std::ranges::all_of(executed, [&](const WarpAccess& access) {
        return access.count.wavefronts == executed[0].count.wavefronts && access.count.ideal == executed[0].count.ideal;
      });
    }
  };
  Passes passes_of(CountedAccess& counted, WhoExecutes who) {
    Passes passes;
    const auto end = loops_.walk(counted.site.instruction, counted.address, warp_, [&](WarpValues& pass) {
      WarpAccess access = access_of(counted, pass, who);
      access.is_sampled = true;
      passes.why = access.why;
      if (access.pattern) passes.executed.push_back(std::move(access));
      return passes.why.empty();
    });
    passes.are_all = end == LoopPasses::End::all;
    if (end == LoopPasses::End::stopped && passes.why.empty())
      passes.why = "the loops around it have too many passes to follow";
    return passes;
  }

  // Adds each pass, or all of them as one if they are alike. False: `why` says what is not known.
  bool add_passes(CountedAccess& counted, const WarpAccess& every, std::string& why) {
    if (!loops_.has_loop(counted.site.instruction)) return false;
    const Passes passes = passes_of(counted, WhoExecutes::known);
    if (!passes.why.empty()) {
      why = passes.why;
      return false;
    }
    if (passes.are_all) {
      for (const WarpAccess& access : passes.executed) add(counted, access);
      counted.has_passes = true;
      return true;
    }
    if (!every.why.empty() && passes.have_one_count()) {
      if (passes.executed.empty()) counted.may_come_later = true;
      else add(counted, passes.executed[0]);
      counted.has_warps = true;
      return true;
    }
    why = "it differs from pass to pass of its loop, and how many there are is not known";
    return false;
  }

  // If only the lanes are not known: counts all lanes, in the pass with the most. False: `why` says what else is not
  // known.
  bool add_bound(CountedAccess& counted, std::string& why) {
    WarpAccess all = access_of(counted, every_pass_, WhoExecutes::all);
    if (!all.why.empty() && loops_.has_loop(counted.site.instruction)) {
      Passes passes = passes_of(counted, WhoExecutes::all);
      if (!passes.why.empty()) why = passes.why;
      if (!passes.why.empty() || passes.executed.empty() || (!passes.are_all && !passes.have_one_count())) return false;
      const auto wavefronts = [](const WarpAccess& access) { return access.count.wavefronts; };
      all = std::move(*std::ranges::max_element(passes.executed, {}, wavefronts));
    }
    if (!all.why.empty()) {
      why = all.why;
      return false;
    }
    if (all.pattern) add(counted, all);
    return true;
  }

  const PtxValues& v_;
  const WarpOfBlock& warp_;
  LoopPasses& loops_;
  WarpValues every_pass_;
};

void count_block(const std::vector<CountedAccess*>& accesses, const std::array<std::int64_t, 3>& threads,
                 const PtxValues& values) {
  if (accesses.empty()) return;
  const std::int64_t warps =
      std::min<std::int64_t>((threads[0] * threads[1] * threads[2] + warp_lanes - 1) / warp_lanes, 32);
  AlignedSums sums(values);
  LoopPasses loops(values, sums);
  const auto count = [&](const std::vector<CountedAccess*>& some, bool by_pass) {
    for (std::int64_t w = 0; w < warps; ++w) {
      const WarpOfBlock warp{threads, w, values.knows_shape()};
      WarpCounter counter(values, warp, sums, loops);
      for (CountedAccess* counted : some) counter.count(*counted, by_pass);
    }
  };
  count(accesses, false);
  std::vector<CountedAccess*> mixed;
  for (CountedAccess* counted : accesses) {
    if (!counted->is_mixed()) continue;
    mixed.push_back(counted);
    counted->forget_counts();
  }
  if (mixed.empty()) return;
  count(mixed, true);
  for (CountedAccess* counted : mixed)
    if (counted->is_mixed()) counted->site.why = "warps differ, and how many passes of its loops each has is not known";
}

// ---- accesses with the same counts

// Of accesses by the same lanes whose addresses are a constant multiple of their width apart: the banks are only turned.
// cp.async has a count for whole lines of 128 B.
//
//   ldmatrix.x4 [s + 144*%r1 + 512], [s + 144*%r1 + 4640] in one block       one key; the addresses are 4128 B apart
struct CountKey {
  std::uint32_t block = 0;
  ValueId guard = no_value;
  const AccessInstruction* instruction = nullptr;
  std::uint64_t offset = 0;  // within the width
  std::vector<std::tuple<ValueId, std::uint64_t, bool>> terms;

  auto operator<=>(const CountKey&) const = default;
};

constexpr int address_bits = 32;

// nullopt: the count depends on more.
std::optional<CountKey> count_key(const CountedAccess& counted, const LinearForm& address, const PtxValues& values) {
  const AccessInstruction* instruction = counted.access.instruction;
  if (instruction->op == AccessOp::atomic || counted.access.aligns_down || !counted.need.guarded_uses.empty() ||
      !counted.need.is_whole)
    return std::nullopt;
  const std::uint32_t index = counted.site.instruction;
  const int width = instruction->op == AccessOp::cp_async ? 128 : std::max(instruction->bytes, 4);
  CountKey key{.block = values.flow().block_of[index],
               .guard = values.of_guard(index),
               .instruction = instruction,
               .offset = address.constant % static_cast<std::uint64_t>(width),
               .terms = {}};
  for (const LinearTerm& term : address.terms) key.terms.emplace_back(term.value, term.factor, term.is_progress);
  return key;
}

// What was counted for an access holds for another one, whose addresses are `apart` bytes further on.
void take_counts(const CountedAccess& from, std::uint32_t apart, CountedAccess& to) {
  static_cast<AccessTally&>(to) = from;
  to.site.why = from.site.why;
  to.site.worst = from.site.worst;
  if (to.site.worst)
    for (std::uint32_t& address : to.site.worst->address) address += apart;
}

// Counts one access of each key.
void count_all(const std::vector<CountedAccess*>& accesses, const std::array<std::int64_t, 3>& threads,
               const PtxValues& values) {
  struct First {
    CountedAccess* access;
    std::uint64_t constant;
  };
  struct Copy {
    CountedAccess* access;
    const CountedAccess* of;
    std::uint32_t apart;
  };
  std::map<CountKey, First> firsts;
  std::vector<CountedAccess*> counted;
  std::vector<Copy> copies;
  for (CountedAccess* access : accesses) {
    if (access->access.instruction == nullptr || !access->site.why.empty()) continue;
    const LinearForm address = linear_form(values, access->address, address_bits);
    const auto key = count_key(*access, address, values);
    if (key) {
      const auto [first, is_new] = firsts.try_emplace(*key, First{access, address.constant});
      if (!is_new) {
        copies.push_back(
            {access, first->second.access, static_cast<std::uint32_t>(address.constant - first->second.constant)});
        continue;
      }
    }
    counted.push_back(access);
  }
  count_block(counted, threads, values);
  for (const Copy& copy : copies) take_counts(*copy.of, copy.apart, *copy.access);
}

void append_reason(SmemSite& site, const std::string& reason) { site.why += (site.why.empty() ? "" : "; ") + reason; }

void conclude(CountedAccess& counted, const PtxValues& values, bool knows_threads) {
  SmemSite& site = counted.site;
  site.warps = counted.executions;
  if (site.why.empty() && site.warps == 0 && counted.access.instruction != nullptr)
    site.why = counted.may_come_later
                   ? "no warp executes it in the first passes of its loops; what comes later is not known"
                   : "no warp of the block executes it";
  if (site.why.empty() && !knows_threads && counted.differs)
    site.why = "it depends on the number of threads: pass it with --threads";
  if (!site.why.empty() || site.warps == 0) {
    site.worst.reset();
    return;
  }
  site.wavefronts = static_cast<double>(counted.wavefronts) / static_cast<double>(site.warps);
  site.ideal = static_cast<double>(counted.ideal) / static_cast<double>(site.warps);
  bool is_sampled = counted.is_sampled || !values.launch().threads;
  // Measured on an H100: it takes more if the lanes of a group read several lines of global memory, or write across two
  // lines of shared memory.
  if (counted.access.instruction->op == AccessOp::cp_async) {
    is_sampled = true;
    site.why =
        "counted from the shared addresses only; a group of lanes that touches several lines of global memory adds "
        "more";
  }
  if (counted.parts_lanes != no_value) {
    site.counts_all_lanes = true;
    append_reason(site, "counted for all lanes, fewer take at most as many; which of them execute it is not known: " +
                            because(values, counted.parts_lanes));
  }
  if (counted.may_leave_lanes || !counted.need.is_whole) {
    site.may_shrink = true;
    is_sampled = true;
    append_reason(site,
                  std::string(counted.need.is_whole ? "ptxas may leave out the lanes that do not use what it loads"
                                                    : "ptxas may leave out an element that is not used") +
                      ", and then it takes at most as many");
  }
  site.proof = is_sampled ? SmemProof::sampled : SmemProof::all;
}

// For loads and stores that ptxas may join: the accesses that it would make of them, each with the place of one of its
// parts.
std::vector<CountedAccess> joined_accesses(const PtxValues& values, const std::vector<CountedAccess>& all,
                                           std::vector<std::size_t>& parts) {
  std::vector<PlainAccess> plain;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].access.instruction == nullptr || !all[i].site.why.empty()) continue;
    const auto access = plain_access(values, all[i].site.instruction, *all[i].access.instruction, all[i].address);
    if (!access) continue;
    plain.push_back(*access);
    places.push_back(i);
  }
  std::vector<CountedAccess> joined;
  const std::vector<int> bytes = joined_bytes(values, plain);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (bytes[i] == 0) continue;
    CountedAccess& counted = joined.emplace_back();
    counted.site.instruction = plain[i].instruction;
    counted.address = plain[i].address;
    counted.access = {.instruction = find_access(plain[i].op, bytes[i]),
                      .address = all[places[i]].access.address,
                      .aligns_down = true};
    parts.push_back(places[i]);
  }
  return joined;
}

// The access of the PTX may not be the one that runs.
void add_joined(SmemSite& site, const CountedAccess& joined) {
  const std::string_view name = joined.access.instruction->name;
  site.may_join = JoinedAccess{name, joined.site.wavefronts, joined.site.ideal};
  if (site.proof == SmemProof::all) site.proof = SmemProof::sampled;
  if (site.wavefronts) append_reason(site, "ptxas may join it with its neighbours to one " + std::string(name));
}

CountedAccess counted_access(const PtxValues& values, const NeededLoads& needed, std::uint32_t index,
                             SharedAccess access) {
  CountedAccess counted;
  SmemSite& site = counted.site;
  static_cast<PtxSite&>(site) = site_at(values.kernel(), index);
  site.why = access.why;
  counted.access = std::move(access);
  if (values.module().is_machine_code()) counted.access.adds_up = false;
  counted.address = values.of_operand(counted.access.address);
  const AccessInstruction* rule = counted.access.instruction;
  if (rule != nullptr) site.access = rule->name;
  if (values.flow().position[values.flow().block_of[index]] == no_block) site.why = "no path reaches it";
  else if (counted.address == no_value) site.why = "the address is not known";
  else site.address = site_address(values, counted.address);
  const bool is_own_load = !values.module().is_machine_code() && rule != nullptr && counted.address != no_value &&
                           plain_access(values, index, *rule, counted.address) &&
                           values.kernel().instructions[index].is("ld");
  if (is_own_load) counted.need = needed.of(index);
  return counted;
}

// Wavefronts times trips is what a warp pays, on the mean, only if both means are over the same.
void add_trips(CountedAccess& counted, SiteTrips& trips) {
  if (counted.access.instruction == nullptr || !counted.site.wavefronts) return;
  const auto of = trips.of(counted.site.instruction);
  if (!of) return;
  const bool are_alike = std::ranges::count(*of, of->front()) == std::ssize(*of);
  if (counted.differs && counted.has_warps && !are_alike) return;
  counted.site.trips =
      static_cast<double>(std::accumulate(of->begin(), of->end(), std::int64_t{0})) / static_cast<double>(of->size());
}

void add_shares(std::vector<CountedAccess>& accesses) {
  double sum = 0;
  const auto paid = [](const SmemSite& site) { return *site.wavefronts * *site.trips; };
  for (const CountedAccess& one : accesses)
    if (one.site.trips) sum += paid(one.site);
  if (sum == 0) return;
  for (CountedAccess& one : accesses)
    if (one.site.trips) one.site.share = paid(one.site) / sum;
}

}  // namespace

std::array<std::int64_t, 3> counted_threads(const PtxValues& values) {
  if (values.launch().count) return {*values.launch().count, 1, 1};
  const auto& given = values.launch().threads ? values.launch().threads : values.kernel().threads;
  return given.value_or(most_threads);
}

std::vector<SmemSite> smem_sites(const PtxValues& values) {
  const PtxKernel& kernel = values.kernel();
  const NeededLoads needed(values);
  const std::vector<std::uint32_t> mentions = mentions_of(values);
  std::vector<CountedAccess> accesses;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    auto access = shared_access(values, kernel.instructions[i], mentions);
    if (!access) continue;
    accesses.push_back(counted_access(values, needed, i, std::move(*access)));
    require_within(limits::ptx_sites, std::ssize(accesses));
  }
  std::vector<std::size_t> parts;
  std::vector<CountedAccess> joined;
  if (!values.module().is_machine_code()) joined = joined_accesses(values, accesses, parts);
  std::vector<CountedAccess*> counted;
  for (CountedAccess& access : accesses) counted.push_back(&access);
  for (CountedAccess& access : joined) counted.push_back(&access);

  const auto& given = values.launch().threads ? values.launch().threads : kernel.threads;
  const auto threads = counted_threads(values);
  count_all(counted, threads, values);
  for (CountedAccess* access : counted) conclude(*access, values, given.has_value());
  if (given || values.launch().count) {
    SiteTrips trips(values, threads);
    for (CountedAccess& access : accesses) add_trips(access, trips);
    add_shares(accesses);
  }
  std::vector<SmemSite> sites;
  sites.reserve(accesses.size());
  for (CountedAccess& access : accesses) sites.push_back(std::move(access.site));
  for (std::size_t i = 0; i < joined.size(); ++i) add_joined(sites[parts[i]], joined[i]);
  return sites;
}

}  // namespace swz
