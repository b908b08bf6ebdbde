// SPDX-License-Identifier: Apache-2.0
#include "smem/bank_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace swz {

namespace {

constexpr int word_log2 = 2, line_bit = 5;  // in the number of a word
constexpr std::uint32_t bank_mask = bank_count - 1;

// The distinct words that lanes [first, first + count) touch, in the order of the lanes.
std::vector<std::uint32_t> words_of(const AccessPattern& pattern, int first, int count) {
  std::vector<std::uint32_t> words;
  for (int lane = first; lane < first + count; ++lane) {
    if ((pattern.lanes() >> lane & 1) == 0) continue;
    const std::uint32_t begin = pattern.address[static_cast<std::size_t>(lane)] >> word_log2;
    const int n = std::max(1, pattern.instruction->bytes >> word_log2);
    for (int i = 0; i < n; ++i) words.push_back(begin + static_cast<std::uint32_t>(i));
  }
  return words;
}

void normalize(std::vector<std::uint32_t>& words) {
  const std::uint32_t first = words.front();
  for (std::uint32_t& word : words) word ^= first;
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

std::vector<std::uint32_t> differences_of(const ConflictGroups& all) {
  std::vector<bool> seen(std::size_t{1} << all.word_bits);
  for (const ConflictGroup& group : all.groups)
    for (std::size_t i = 0; i < group.words.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) seen[group.words[i] ^ group.words[j]] = true;
  std::vector<std::uint32_t> differences;
  for (std::size_t d = 1; d < seen.size(); ++d)
    if (seen[d]) differences.push_back(static_cast<std::uint32_t>(d));
  return differences;
}

// ---- the search

constexpr std::int64_t most_choices = std::int64_t{1} << 21;

// Sorts as 0, 1, 2, 4, ..., 3, 5, ...: maps with few XORs come first.
void sort_by_weight(std::vector<std::uint32_t>& values) {
  std::ranges::stable_sort(values, {}, [](std::uint32_t v) { return std::popcount(v); });
}

class Search {
 public:
  Search(const ConflictGroups& groups, int log2_piece)
      : word_bits_(groups.word_bits),
        piece_bits_(log2_piece - word_log2),
        banks_(std::uint32_t{1} << (line_bit - piece_bits_)) {
    const std::uint32_t place = (std::uint32_t{1} << piece_bits_) - 1;
    for (const std::uint32_t d : groups.differences)
      if ((d & place) == 0) forbidden_[d >> line_bit] |= std::uint32_t{1} << (d >> piece_bits_ & (banks_ - 1));
    choose_basis();
    for (std::uint32_t v = 0; v < banks_; ++v) values_.push_back(v);
    sort_by_weight(values_);
    chosen_.assign(constraints_.size(), 0);
  }

  BankSearch run() {
    BankSearch out;
    out.log2_piece = piece_bits_ + word_log2;
    if (choose(0)) out.map = map();
    out.tried = tried_;
    out.is_complete = tried_ <= most_choices;
    // Every u except 0, which is not a difference.
    const std::uint64_t every = (std::uint64_t{1} << banks_) - 2;
    out.is_every_linear_map = !out.map && out.is_complete && forbidden_[0] == every;
    return out;
  }

 private:
  struct Constraint {
    std::uint64_t lower = 0;      // the chosen lines that l depends on, without the last
    std::uint32_t forbidden = 0;  // bit u: A(l) must not be u
  };

  // Chooses a basis of the lines that matter, single bits first, so that the map has few XORs.
  void choose_basis() {
    std::vector<std::uint32_t> lines;
    for (const auto& [l, mask] : forbidden_)
      if (l != 0) lines.push_back(l);
    sort_by_weight(lines);
    for (const std::uint32_t l : lines) {
      const XorBasis::Sum rest = basis_.reduced({l, std::uint64_t{1} << constraints_.size()});
      if (rest.value == 0) continue;
      basis_.insert(rest);
      constraints_.emplace_back();
    }
    for (const std::uint32_t l : lines) {
      const std::uint64_t from = basis_.reduced({l, 0}).from;
      const std::uint64_t last = std::bit_floor(from);
      constraints_[static_cast<std::size_t>(std::countr_zero(last))].push_back({from ^ last, forbidden_[l]});
    }
  }

  // A at a sum of basis vectors.
  std::uint32_t value(std::uint64_t from) const {
    std::uint32_t sum = 0;
    for (; from != 0; from &= from - 1) sum ^= chosen_[static_cast<std::size_t>(std::countr_zero(from))];
    return sum;
  }

  bool choose(std::size_t level) {
    if (level == constraints_.size()) return true;
    std::uint32_t refused = 0;
    for (const Constraint& c : constraints_[level]) {
      const std::uint32_t rest = value(c.lower);
      for (std::uint32_t mask = c.forbidden; mask != 0; mask &= mask - 1)
        refused |= std::uint32_t{1} << (static_cast<std::uint32_t>(std::countr_zero(mask)) ^ rest);
    }
    for (const std::uint32_t v : values_) {
      if ((refused >> v & 1) != 0) continue;
      if (++tried_ > most_choices) return false;
      chosen_[level] = v;
      if (choose(level + 1)) return true;
    }
    return false;
  }

  // The map with A on each bit of a line; outside of the basis A is 0.
  LinearMap map() const {
    std::vector<std::uint64_t> columns = bank_map(Swizzle(), word_bits_).columns();
    for (std::size_t i = line_bit; i < columns.size(); ++i) {
      const std::uint64_t from = basis_.reduced({std::uint64_t{1} << (i - line_bit), 0}).from;
      columns[i] = std::uint64_t{value(from)} << piece_bits_;
    }
    return LinearMap(std::move(columns));
  }

  int word_bits_, piece_bits_;
  std::uint32_t banks_;                               // in which a piece can begin
  std::map<std::uint32_t, std::uint32_t> forbidden_;  // l -> the u that occur with it, one bit each
  XorBasis basis_;
  std::vector<std::uint32_t> values_, chosen_;
  std::vector<std::vector<Constraint>> constraints_;  // by the last chosen line that they depend on
  std::int64_t tried_ = 0;
};

}  // namespace

LinearMap bank_map(const Swizzle& s, int word_bits) {
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < word_bits; ++i)
    columns.push_back(static_cast<std::uint64_t>(s(std::int64_t{1} << (i + word_log2))) >> word_log2 & bank_mask);
  return LinearMap(std::move(columns));
}

ConflictGroups conflict_groups(std::span<const Walk> walks) {
  ConflictGroups out;
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::uint32_t all = bank_mask;
  for (const Walk& walk : walks) {
    for (const WalkStep& step : walk.steps) {
      out.ideal += step.count.ideal;
      const int lanes = step.pattern.instruction->addresses / std::max(1, step.count.groups);
      for (int group = 0; group < step.count.groups; ++group) {
        std::vector<std::uint32_t> words = words_of(step.pattern, group * lanes, lanes);
        if (words.empty()) continue;
        for (const std::uint32_t word : words) all |= word;
        normalize(words);
        const auto [at, is_new] = known.try_emplace(std::move(words), out.groups.size());
        if (is_new) out.groups.push_back({at->first, 0});
        ++out.groups[at->second].times;
      }
    }
  }
  out.word_bits = static_cast<int>(std::bit_width(all));
  out.differences = differences_of(out);
  return out;
}

std::int64_t wavefronts(const ConflictGroups& groups, const LinearMap& map) {
  std::int64_t sum = 0;
  for (const ConflictGroup& group : groups.groups) {
    std::array<int, bank_count> words{};
    int passes = 0;
    for (const std::uint32_t word : group.words)
      passes = std::max(passes, ++words[static_cast<std::size_t>(map(word))]);
    sum += group.times * passes;
  }
  return sum;
}

bool is_conflict_free(const ConflictGroups& groups, const LinearMap& map) {
  return std::none_of(groups.differences.begin(), groups.differences.end(),
                      [&](std::uint32_t d) { return map(d) == 0; });
}

CountingBound counting_bound(const ConflictGroups& groups, int log2_piece) {
  CountingBound out;
  out.banks = std::int64_t{1} << (word_log2 + line_bit - log2_piece);
  const std::uint32_t place_mask = (std::uint32_t{1} << (log2_piece - word_log2)) - 1;
  std::int64_t worst_passes = 0;
  for (const ConflictGroup& group : groups.groups) {
    std::array<std::int64_t, bank_count> at{};
    std::int64_t most = 0;
    for (const std::uint32_t word : group.words) most = std::max(most, ++at[word & place_mask]);
    const std::int64_t needed = (most + out.banks - 1) / out.banks;
    out.wavefronts += group.times * needed;
    if (needed > worst_passes) out.words = most;
    worst_passes = std::max(worst_passes, needed);
  }
  return out;
}

BankSearch search_bank_map(const ConflictGroups& groups, int log2_piece) { return Search(groups, log2_piece).run(); }

LinearMap improved(const ConflictGroups& groups, const LinearMap& start, int log2_piece) {
  const int piece_bits = log2_piece - word_log2;
  std::vector<std::uint64_t> best = bank_map(Swizzle(), groups.word_bits).columns();
  for (std::size_t i = line_bit; i < best.size(); ++i) best[i] = start.columns()[i] >> piece_bits << piece_bits;
  std::int64_t least = wavefronts(groups, LinearMap(best));
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (std::size_t i = line_bit; i < best.size(); ++i)
      for (std::uint64_t v = 0; v < std::uint64_t{1} << (line_bit - piece_bits); ++v) {
        std::vector<std::uint64_t> changed = best;
        changed[i] = v << piece_bits;
        const std::int64_t now = wavefronts(groups, LinearMap(changed));
        if (now >= least) continue;
        least = now;
        best = std::move(changed);
        is_better = true;
      }
  }
  return LinearMap(std::move(best));
}

LinearMap address_map(const LinearMap& bank_map) {
  std::vector<std::uint64_t> columns = LinearMap::identity(bank_map.bits() + word_log2).columns();
  for (std::size_t i = line_bit; i < bank_map.columns().size(); ++i)
    columns[i + word_log2] |= bank_map.columns()[i] << word_log2;
  return LinearMap(std::move(columns));
}

}  // namespace swz
