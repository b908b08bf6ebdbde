#include "smem/conflict_groups.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace swz {

namespace {

constexpr int word_log2 = 2, bank_bits = 5;
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

}  // namespace

int BankMap::operator()(std::uint32_t word) const {
  std::uint32_t bank = 0;
  for (; word != 0; word &= word - 1) bank ^= columns[static_cast<std::size_t>(std::countr_zero(word))];
  return static_cast<int>(bank);
}

BankMap bank_map(const Swizzle& s, int word_bits) {
  BankMap map;
  for (int i = 0; i < word_bits; ++i) {
    const std::int64_t to = s(std::int64_t{1} << (i + word_log2));
    map.columns.push_back(static_cast<std::uint8_t>(to >> word_log2 & bank_mask));
  }
  return map;
}

ConflictGroups conflict_groups(std::span<const Walk> walks) {
  ConflictGroups out;
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::uint32_t all = bank_mask;
  std::size_t step_index = 0;
  for (const Walk& walk : walks) {
    for (const WalkStep& step : walk.steps) {
      const WavefrontCount count = count_wavefronts(step.pattern);
      out.ideal += count.ideal;
      const int lanes = step.pattern.instruction->addresses / std::max(1, count.groups);
      for (int group = 0; group < count.groups; ++group) {
        std::vector<std::uint32_t> words = words_of(step.pattern, group * lanes, lanes);
        if (words.empty()) continue;
        for (const std::uint32_t word : words) all |= word;
        normalize(words);
        const auto [at, is_new] = known.try_emplace(std::move(words), out.groups.size());
        if (is_new) out.groups.push_back({at->first, 0, step_index, group * lanes, lanes});
        ++out.groups[at->second].times;
      }
      ++step_index;
    }
  }
  out.word_bits = static_cast<int>(std::bit_width(all));
  out.differences = differences_of(out);
  return out;
}

int passes(const ConflictGroup& group, const BankMap& map) {
  std::array<int, bank_count> words{};
  int most = 0;
  for (const std::uint32_t word : group.words) most = std::max(most, ++words[static_cast<std::size_t>(map(word))]);
  return most;
}

std::int64_t wavefronts(const ConflictGroups& groups, const BankMap& map) {
  std::int64_t sum = 0;
  for (const ConflictGroup& group : groups.groups) sum += group.times * passes(group, map);
  return sum;
}

bool is_conflict_free(const ConflictGroups& groups, const BankMap& map) {
  return std::none_of(groups.differences.begin(), groups.differences.end(),
                      [&](std::uint32_t d) { return map(d) == 0; });
}

CountingBound counting_bound(const ConflictGroups& groups, int log2_piece) {
  CountingBound out;
  out.banks = std::int64_t{1} << (word_log2 + bank_bits - log2_piece);
  const std::uint32_t place_mask = (std::uint32_t{1} << (log2_piece - word_log2)) - 1;
  std::int64_t worst_passes = 0;
  for (std::size_t i = 0; i < groups.groups.size(); ++i) {
    std::array<std::int64_t, bank_count> at{};
    std::int64_t most = 0;
    for (const std::uint32_t word : groups.groups[i].words) most = std::max(most, ++at[word & place_mask]);
    const std::int64_t needed = (most + out.banks - 1) / out.banks;
    out.wavefronts += groups.groups[i].times * needed;
    if (needed > worst_passes) {
      worst_passes = needed;
      out.worst = i;
      out.words = most;
    }
  }
  return out;
}

}  // namespace swz
