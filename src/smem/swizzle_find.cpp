#include "smem/swizzle_find.hpp"

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

constexpr int word_log2 = 2, most_base = 6;

int widest_of(std::span<const Walk> walks) {
  int widest = 1;
  for (const Walk& walk : walks) widest = std::max(widest, walk.access.instruction->bytes);
  return widest;
}

// Of each walk.
std::vector<WavefrontTotal> count_mapped(std::span<const Walk> walks, const LinearMap& map) {
  std::vector<WavefrontTotal> totals;
  for (const Walk& walk : walks) {
    WavefrontTotal& total = totals.emplace_back();
    for (const WalkStep& step : walk.steps) {
      AccessPattern pattern = step.pattern;
      for (std::uint32_t& address : pattern.address) address = static_cast<std::uint32_t>(map(address));
      total += count_wavefronts(pattern);
    }
  }
  return totals;
}

WavefrontTotal sum(const std::vector<WavefrontTotal>& totals) {
  WavefrontTotal all;
  for (const WavefrontTotal& total : totals) all += total;
  return all;
}

void try_swizzles(SwizzleFind& find, const ConflictGroups& groups) {
  std::int64_t least = -1;
  for (const Swizzle& s : swizzle_candidates(find.log2_piece, groups.word_bits + word_log2)) {
    ++find.candidates;
    const BankMap map = bank_map(s, groups.word_bits);
    if (is_conflict_free(groups, map)) {
      find.swizzle = find.best_swizzle = s;
      return;
    }
    const std::int64_t now = wavefronts(groups, map);
    if (least >= 0 && now >= least) continue;
    least = now;
    find.best_swizzle = s;
  }
}

// Pieces of 16 bytes if possible: they are what TMA and ldmatrix move.
void try_linear_maps(SwizzleFind& find, const ConflictGroups& groups) {
  for (int piece = 4; piece >= find.log2_piece; --piece) {
    find.searches.push_back(search_bank_map(groups, piece));
    if (find.searches.back().map) {
      find.map = address_map(*find.searches.back().map);
      return;
    }
  }
  const BankMap start = bank_map(find.best_swizzle, groups.word_bits);
  const BankMap best = improved(groups, start, find.log2_piece);
  if (wavefronts(groups, best) < wavefronts(groups, start)) find.map = address_map(best);
}

// Accesses are multiples of their width, before and after the map: two that share a bank share the bank of their first
// words.
std::optional<LaneCollision> collision_of(const AccessPattern& pattern, int a, int b, const LinearMap& map) {
  if ((pattern.lanes() >> a & pattern.lanes() >> b & 1) == 0) return std::nullopt;
  const auto word = [&](int lane) {
    return pattern.address[static_cast<std::size_t>(lane)] >> word_log2 << word_log2;
  };
  const std::uint64_t first = map(word(a)), second = map(word(b));
  if (first == second || (first ^ second) % bank_row.count != 0) return std::nullopt;
  return LaneCollision{
      0, 0, a, b, Bytes{word(a)}, Bytes{word(b)}, static_cast<int>((first >> word_log2) % bank_count)};
}

std::optional<LaneCollision> first_collision(std::span<const Walk> walks, const LinearMap& map) {
  for (std::size_t w = 0; w < walks.size(); ++w)
    for (std::size_t s = 0; s < walks[w].steps.size(); ++s) {
      const AccessPattern& pattern = walks[w].steps[s].pattern;
      const int lanes = pattern.instruction->addresses / std::max(1, count_wavefronts(pattern).groups);
      for (int a = 0; a < pattern.instruction->addresses; ++a)
        for (int b = a + 1; b < (a / lanes + 1) * lanes; ++b) {
          auto collision = collision_of(pattern, a, b, map);
          if (!collision) continue;
          collision->walk = w;
          collision->step = s;
          return collision;
        }
    }
  return std::nullopt;
}

bool is_clean(const FindRequest& request, const Layout& layout) {
  const Placement placement(layout, request.element_bits, {}, request.major);
  for (const Access& access : request.accesses)
    for (const WalkStep& step : walk_steps(placement, access).steps)
      if (count_wavefronts(step.pattern).excess() != 0) return false;
  return true;
}

// step_bytes keeps the accesses aligned.
std::optional<Padding> find_padding(const FindRequest& request, const Lines& lines, std::int64_t step_bytes) {
  // Banks repeat after a line of 128 bytes, and so do the paddings.
  for (std::int64_t bytes = step_bytes; bytes < bank_row.count; bytes += step_bytes) {
    try {
      if (is_clean(request, lines.padded(bytes * 8 / request.element_bits)))
        return Padding{Bytes{lines.pitch * request.element_bits / 8}, Bytes{bytes}, Bytes{bytes * lines.count}};
    } catch (const Error&) {
      return std::nullopt;  // beyond the end of shared memory, and more would be too
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Lines> lines_of(const Layout& layout) {
  if (rank(layout) != 2 || layout.modes().size() != 2) return std::nullopt;
  const FlatMode row = layout.modes()[0], k = layout.modes()[1];
  if (k.stride == 1 && row.stride >= k.extent) return Lines{true, row.extent, k.extent, row.stride};
  if (row.stride == 1 && k.stride >= row.extent) return Lines{false, k.extent, row.extent, k.stride};
  return std::nullopt;
}

Layout Lines::padded(std::int64_t padding) const {
  const FlatMode line{count, pitch + padding}, element{elements, 1};
  return Layout(along_k ? std::vector{line, element} : std::vector{element, line});
}

WavefrontTotal SwizzleFind::total_plain() const { return sum(plain); }
WavefrontTotal SwizzleFind::total() const { return sum(mapped); }

std::vector<Swizzle> swizzle_candidates(int log2_piece, int address_bits) {
  std::vector<Swizzle> out{Swizzle()};
  for (int bits = 1; bits <= 7 - log2_piece; ++bits)
    for (int base = std::min(most_base, 7 - bits); base >= log2_piece; --base)
      for (int shift = bits; base + shift < address_bits; ++shift) out.emplace_back(bits, base, shift);
  return out;
}

SwizzleFind find_swizzle(const FindRequest& request) {
  SwizzleFind find{.placement = Placement(request.layout, request.element_bits, {}, request.major)};
  for (const Access& access : request.accesses) find.walks.push_back(walk_steps(find.placement, access));
  const int widest = widest_of(find.walks);
  find.log2_piece = std::max(word_log2, log2_exact(widest));
  const ConflictGroups groups = conflict_groups(find.walks);
  find.bound = counting_bound(groups, find.log2_piece);
  try_swizzles(find, groups);
  find.map = LinearMap::of(find.best_swizzle, groups.word_bits + word_log2);
  if (!find.swizzle) try_linear_maps(find, groups);
  find.plain = count_mapped(find.walks, LinearMap::identity(find.map.bits()));
  find.mapped = count_mapped(find.walks, find.map);
  if (!find.is_found()) find.collision = first_collision(find.walks, find.map);
  const auto lines = lines_of(request.layout);
  find.has_plain_lines = lines.has_value();
  if (lines && find.total_plain().excess() != 0) find.padding = find_padding(request, *lines, widest);
  return find;
}

}  // namespace swz
