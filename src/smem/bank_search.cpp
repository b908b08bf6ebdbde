#include "smem/bank_search.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace swz {

namespace {

constexpr int word_log2 = 2, line_bit = 5;  // of a word's number
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

BankMap plain(int word_bits) { return bank_map(Swizzle(), word_bits); }

}  // namespace

BankSearch search_bank_map(const ConflictGroups& groups, int log2_piece) {
  BankSearch out;
  out.log2_piece = log2_piece;
  Search search(groups, log2_piece);
  if (!search.run(out)) return out;
  BankMap map = plain(groups.word_bits);
  const std::vector<std::uint32_t> columns = search.columns(groups.word_bits - line_bit);
  for (std::size_t i = 0; i < columns.size(); ++i)
    map.columns[i + line_bit] = static_cast<std::uint8_t>(columns[i] << (log2_piece - word_log2));
  out.map = std::move(map);
  return out;
}

BankMap improved(const ConflictGroups& groups, const BankMap& start, int log2_piece) {
  const int piece_bits = log2_piece - word_log2;
  BankMap best = plain(groups.word_bits);
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
