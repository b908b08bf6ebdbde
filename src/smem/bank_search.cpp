#include "smem/bank_search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace swz {

namespace {

constexpr int word_log2 = 2, line_bit = 5;  // of a word's number
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

std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

// 0, 1, 2, 4, ..., 3, 5, ...: maps with few XORs first.
std::vector<std::uint32_t> by_weight(int bits) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t v = 0; v < (std::uint32_t{1} << bits); ++v) values.push_back(v);
  std::stable_sort(values.begin(), values.end(),
                   [](auto a, auto b) { return std::popcount(a) < std::popcount(b); });
  return values;
}

class Search {
 public:
  Search(const ConflictGroups& groups, int log2_piece)
      : piece_bits_(log2_piece - word_log2), bits_(line_bit - piece_bits_) {
    collect(groups);
    choose_basis();
    values_ = by_weight(bits_);
    chosen_.assign(basis_.size(), 0);
  }

  bool run(BankSearch& out) {
    const bool found = choose(0);
    out.tried = tried_;
    out.is_complete = tried_ <= most_choices;
    out.is_every_linear_map =
        !found && out.is_complete && std::all_of(in_line_.begin() + 1, in_line_.end(), [](bool b) { return b; });
    return found;
  }

  // A on the lines' own bits.
  std::vector<std::uint32_t> columns(int line_bits) const {
    std::vector<std::uint32_t> out;
    for (int i = 0; i < line_bits; ++i) out.push_back(value(coordinates(bit(static_cast<std::size_t>(i))).first));
    return out;
  }

 private:
  struct Constraint {
    std::uint64_t lower = 0;      // the chosen ones that l depends on, without the last
    std::uint32_t forbidden = 0;  // bit u: A(l) must not be u
  };
  struct Vector {
    std::uint64_t reduced = 0, from = 0;  // reduced: the sum of the basis vectors in `from`
  };

  void collect(const ConflictGroups& groups) {
    in_line_.assign(bit(static_cast<std::size_t>(bits_)), false);
    const std::uint32_t place = (std::uint32_t{1} << piece_bits_) - 1;
    for (const std::uint32_t d : groups.differences) {
      if ((d & place) != 0) continue;
      const std::uint32_t u = (d >> piece_bits_) & ((std::uint32_t{1} << bits_) - 1);
      const std::uint32_t l = d >> line_bit;
      if (l == 0) in_line_[u] = true;
      else forbidden_[l] |= std::uint32_t{1} << u;
    }
  }

  // The sum of basis vectors that l is, and what is left of it.
  std::pair<std::uint64_t, std::uint64_t> coordinates(std::uint64_t l) const {
    std::uint64_t from = 0;
    for (const Vector& v : rows_)
      if ((l & std::bit_floor(v.reduced)) != 0) {
        l ^= v.reduced;
        from ^= v.from;
      }
    return {from, l};
  }

  // Of the lines that matter, single bits first, so that the map has few XORs.
  void choose_basis() {
    std::vector<std::uint32_t> lines;
    for (const auto& [l, mask] : forbidden_) lines.push_back(l);
    std::stable_sort(lines.begin(), lines.end(),
                     [](auto a, auto b) { return std::popcount(a) < std::popcount(b); });
    for (const std::uint32_t l : lines) {
      const auto [from, rest] = coordinates(l);
      if (rest == 0) continue;
      rows_.push_back({rest, from | bit(basis_.size())});
      std::sort(rows_.begin(), rows_.end(), [](const Vector& a, const Vector& b) { return a.reduced > b.reduced; });
      basis_.push_back(l);
    }
    constraints_.resize(basis_.size());
    for (const auto& [l, mask] : forbidden_) {
      const std::uint64_t from = coordinates(l).first;
      const std::uint64_t last = std::bit_floor(from);
      constraints_[static_cast<std::size_t>(std::countr_zero(last))].push_back({from ^ last, mask});
    }
  }

  std::uint32_t value(std::uint64_t from) const {
    std::uint32_t sum = 0;
    for (; from != 0; from &= from - 1) sum ^= chosen_[static_cast<std::size_t>(std::countr_zero(from))];
    return sum;
  }

  bool choose(std::size_t level) {
    if (level == basis_.size()) return true;
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

  int piece_bits_, bits_;
  std::map<std::uint32_t, std::uint32_t> forbidden_;  // l -> the u it comes with
  std::vector<bool> in_line_;                         // u that come with l = 0
  std::vector<std::uint32_t> basis_, values_, chosen_;
  std::vector<Vector> rows_;
  std::vector<std::vector<Constraint>> constraints_;  // by the last chosen one they depend on
  std::int64_t tried_ = 0;
};

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
  out.banks = std::int64_t{1} << (word_log2 + line_bit - log2_piece);
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

BankSearch search_bank_map(const ConflictGroups& groups, int log2_piece) {
  BankSearch out;
  out.log2_piece = log2_piece;
  Search search(groups, log2_piece);
  if (!search.run(out)) return out;
  BankMap map = bank_map(Swizzle(), groups.word_bits);
  const std::vector<std::uint32_t> columns = search.columns(groups.word_bits - line_bit);
  for (std::size_t i = 0; i < columns.size(); ++i)
    map.columns[i + line_bit] = static_cast<std::uint8_t>(columns[i] << (log2_piece - word_log2));
  out.map = std::move(map);
  return out;
}

BankMap improved(const ConflictGroups& groups, const BankMap& start, int log2_piece) {
  const int piece_bits = log2_piece - word_log2;
  BankMap best = bank_map(Swizzle(), groups.word_bits);
  for (std::size_t i = line_bit; i < best.columns.size(); ++i)
    best.columns[i] = static_cast<std::uint8_t>(start.columns[i] >> piece_bits << piece_bits);
  std::int64_t least = wavefronts(groups, best);
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (std::size_t i = line_bit; i < best.columns.size(); ++i)
      for (std::uint32_t v = 0; v < std::uint32_t{1} << (line_bit - piece_bits); ++v) {
        BankMap changed = best;
        changed.columns[i] = static_cast<std::uint8_t>(v << piece_bits);
        const std::int64_t now = wavefronts(groups, changed);
        if (now >= least) continue;
        least = now;
        best = std::move(changed);
        is_better = true;
      }
  }
  return best;
}

LinearMap address_map(const BankMap& map) {
  std::vector<std::uint64_t> columns =
      LinearMap::identity(static_cast<int>(map.columns.size()) + word_log2).columns();
  for (std::size_t i = line_bit; i < map.columns.size(); ++i)
    columns[i + word_log2] |= static_cast<std::uint64_t>(map.columns[i]) << word_log2;
  return LinearMap(std::move(columns));
}

}  // namespace swz
