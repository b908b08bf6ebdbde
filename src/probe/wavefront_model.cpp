#include "probe/wavefront_model.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "smem/wavefront.hpp"

namespace swz {

namespace {

struct Rules {
  int group_lanes = warp_lanes;
  bool may_pair = false;
  std::vector<int> distances{1, 2};
  bool pairs_by_group = false;
  bool idle_agrees = true;
  bool is_broadcast = true;
};

Rules rules_under(Hypothesis hypothesis, const AccessInstruction& i) {
  Rules rules{.group_lanes = i.group_lanes, .may_pair = i.may_pair};
  switch (hypothesis) {
    case Hypothesis::no_pairing: rules.may_pair = false; break;
    case Hypothesis::stores_pair: rules.may_pair = i.may_pair || (i.op == AccessOp::store && i.bytes > 4); break;
    case Hypothesis::pairs_at_any_distance: rules.distances = {1, 2, 4, 8, 16}; break;
    case Hypothesis::pairs_by_group: rules.pairs_by_group = true; break;
    case Hypothesis::idle_lanes_disagree: rules.idle_agrees = false; break;
    case Hypothesis::groups_of_32: rules.group_lanes = warp_lanes; break;
    case Hypothesis::no_broadcast: rules.is_broadcast = false; break;
    default: break;
  }
  return rules;
}

bool counts(const AccessPattern& p, int lane) { return (p.lanes() >> lane & 1) != 0; }
std::uint32_t address(const AccessPattern& p, int lane) { return p.address[static_cast<std::size_t>(lane)]; }

// Do the lanes from `first` on pair?
bool pair_up(const AccessPattern& p, const Rules& rules, int first, int count) {
  return rules.may_pair && std::ranges::any_of(rules.distances, [&](int distance) {
           for (int lane = first; lane < first + count; ++lane) {
             if (!counts(p, lane)) continue;
             const int partner = lane ^ distance;
             const bool agrees = counts(p, partner) ? address(p, lane) == address(p, partner) : rules.idle_agrees;
             if (!agrees) return false;
           }
           return true;
         });
}

int passes(const AccessPattern& p, const Rules& rules, int first, int count) {
  std::multiset<std::uint32_t> words;
  for (int lane = first; lane < std::min(first + count, warp_lanes); ++lane) {
    if (!counts(p, lane)) continue;
    const std::uint32_t last = (address(p, lane) + static_cast<std::uint32_t>(p.instruction->bytes) - 1) / 4;
    for (std::uint32_t word = address(p, lane) / 4; word <= last; ++word)
      if (!rules.is_broadcast || !words.contains(word)) words.insert(word);
  }
  std::array<int, bank_count> in_bank = {};
  for (const std::uint32_t word : words) ++in_bank[word % bank_count];
  return std::ranges::max(in_bank);
}

}  // namespace

int wavefronts_under(Hypothesis hypothesis, const AccessPattern& pattern) {
  const Rules rules = rules_under(hypothesis, *pattern.instruction);
  const int group = rules.group_lanes;
  const bool warp_pairs = pair_up(pattern, rules, 0, warp_lanes);
  int sum = 0;
  for (int first = 0; first < warp_lanes; first += 2 * group) {
    const bool is_one =
        rules.pairs_by_group ? pair_up(pattern, rules, first, std::min(2 * group, warp_lanes)) : warp_pairs;
    sum += is_one ? passes(pattern, rules, first, 2 * group)
                  : passes(pattern, rules, first, group) + passes(pattern, rules, first + group, group);
  }
  return std::max(sum, 1);
}

}  // namespace swz
