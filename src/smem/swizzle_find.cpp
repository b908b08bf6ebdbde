// SPDX-License-Identifier: Apache-2.0
#include "smem/swizzle_find.hpp"

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

constexpr int word_log2 = 2, most_base = 6;

std::vector<Walk> walks_of(const FindRequest& request, const Placement& placement) {
  std::vector<Walk> walks;
  for (const Access& access : request.accesses) walks.push_back(walk(placement, access));
  return walks;
}

template <class Totals>
WavefrontTotal sum(const Totals& totals) {
  WavefrontTotal all;
  for (const WavefrontTotal& total : totals) all += total;
  return all;
}

AccessPattern mapped(AccessPattern pattern, const LinearMap& map) {
  for (std::uint32_t& address : pattern.address) address = static_cast<std::uint32_t>(map(address));
  return pattern;
}

void try_swizzles(SwizzleFind& find, const ConflictGroups& groups) {
  std::int64_t least = -1;
  for (const Swizzle& s : swizzle_candidates(find.log2_piece, groups.word_bits + word_log2)) {
    ++find.candidates;
    const LinearMap map = bank_map(s, groups.word_bits);
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

// Tries pieces of 16 bytes first: they are what TMA and ldmatrix move.
void try_linear_maps(SwizzleFind& find, const ConflictGroups& groups) {
  for (int piece = 4; piece >= find.log2_piece; --piece) {
    find.searches.push_back(search_bank_map(groups, piece));
    if (find.searches.back().map) {
      find.map = address_map(*find.searches.back().map);
      return;
    }
  }
  const LinearMap start = bank_map(find.best_swizzle, groups.word_bits);
  const LinearMap best = improved(groups, start, find.log2_piece);
  if (wavefronts(groups, best) < wavefronts(groups, start)) find.map = address_map(best);
}

// The first two lanes that share a bank under the map. It is enough to compare their first words: accesses are
// multiples of their width, also under the map.
std::optional<LaneCollision> first_collision(std::span<const Walk> walks, const LinearMap& map) {
  for (std::size_t w = 0; w < walks.size(); ++w)
    for (std::size_t s = 0; s < walks[w].steps.size(); ++s) {
      const AccessPattern& plain = walks[w].steps[s].pattern;
      const auto word = [&](int lane) { return Bytes{plain.address[static_cast<std::size_t>(lane)] / 4 * 4}; };
      for (const WavefrontGroup& group : wavefront_groups(mapped(plain, map)))
        for (const LaneUse& use : group.lanes) {
          if (use.collides_with == 0) continue;
          const int other = std::countr_zero(use.collides_with);
          return LaneCollision{w, s, use.lane, other, word(use.lane), word(other), use.bank};
        }
    }
  return std::nullopt;
}

// The smallest padding of the lines that is conflict free. step_bytes keeps the accesses aligned.
std::optional<LinePadding> find_padding(const FindRequest& request, std::size_t line, std::int64_t step_bytes) {
  const FlatMode plain = request.layout.modes()[line];
  // Banks repeat after a line of 128 bytes, and so do paddings.
  for (std::int64_t bytes = step_bytes; bytes < bank_row.count; bytes += step_bytes) {
    try {
      const Layout layout = padded(request.layout, line, bytes * 8 / request.element_bits);
      const Placement placement(layout, request.element_bits, {}, request.major, request.form);
      if (sum(walks_of(request, placement)).excess() == 0)
        return LinePadding{Bytes{plain.stride * request.element_bits / 8}, Bytes{bytes}, Bytes{bytes * plain.extent}};
    } catch (const Error&) {
      return std::nullopt;  // beyond the end of shared memory, and so would be a larger padding
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> line_mode(const Layout& layout) {
  const std::span<const FlatMode> modes = layout.modes();
  if (rank(layout) != 2 || modes.size() != 2) return std::nullopt;
  for (const std::size_t line : {std::size_t{0}, std::size_t{1}})
    if (modes[1 - line].stride == 1 && modes[line].stride >= modes[1 - line].extent) return line;
  return std::nullopt;
}

Layout padded(const Layout& layout, std::size_t line_mode, std::int64_t elements) {
  std::vector<FlatMode> modes(layout.modes().begin(), layout.modes().end());
  modes[line_mode].stride += elements;
  return Layout(modes);
}

WavefrontTotal SwizzleFind::total_plain() const { return sum(walks); }
WavefrontTotal SwizzleFind::total() const { return sum(mapped); }

std::vector<Swizzle> swizzle_candidates(int log2_piece, int address_bits) {
  std::vector<Swizzle> out{Swizzle()};
  for (int bits = 1; bits <= 7 - log2_piece; ++bits)
    for (int base = std::min(most_base, 7 - bits); base >= log2_piece; --base)
      for (int shift = bits; base + shift < address_bits; ++shift) out.emplace_back(bits, base, shift);
  return out;
}

SwizzleFind find_swizzle(const FindRequest& request) {
  SwizzleFind find{
      .placement = Placement(request.layout, request.element_bits, {}, request.major, request.form, request.target)};
  find.walks = walks_of(request, find.placement);
  int widest = 1;
  for (const Walk& walk : find.walks) widest = std::max(widest, walk.access.instruction->bytes);
  find.log2_piece = std::max(word_log2, log2_exact(widest));
  const ConflictGroups groups = conflict_groups(find.walks);
  find.bound = counting_bound(groups, find.log2_piece);
  try_swizzles(find, groups);
  find.map = LinearMap::of(find.best_swizzle, groups.word_bits + word_log2);
  if (!find.swizzle) try_linear_maps(find, groups);
  for (const Walk& walk : find.walks) {
    WavefrontTotal& total = find.mapped.emplace_back();
    for (const WalkStep& step : walk.steps) total += count_wavefronts(mapped(step.pattern, find.map));
  }
  if (!find.is_found()) find.collision = first_collision(find.walks, find.map);
  const std::optional<std::size_t> line = line_mode(request.layout);
  find.has_plain_lines = line.has_value();
  if (line && find.total_plain().excess() != 0) find.padding = find_padding(request, *line, widest);
  return find;
}

std::optional<Swizzle> find_swizzle(std::span<const AccessPattern> patterns) {
  int widest = 1;
  std::uint32_t addresses = 0;
  for (const AccessPattern& pattern : patterns) {
    widest = std::max(widest, pattern.instruction->bytes);
    for (const std::uint32_t address : pattern.address) addresses |= address;
  }
  const int bits = static_cast<int>(std::bit_width(addresses));
  for (const Swizzle& s : swizzle_candidates(std::max(word_log2, log2_exact(widest)), bits)) {
    const LinearMap map = LinearMap::of(s, bits);
    const auto is_ideal = [&](const AccessPattern& one) { return count_wavefronts(mapped(one, map)).excess() == 0; };
    if (std::ranges::all_of(patterns, is_ideal)) return s;
  }
  return std::nullopt;
}

}  // namespace swz
