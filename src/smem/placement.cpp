// SPDX-License-Identifier: Apache-2.0
#include "smem/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "smem/access.hpp"

namespace swz {

namespace {

using Phases = std::vector<std::vector<std::int64_t>>;

constexpr std::int64_t phase_lanes = 8;
constexpr std::int64_t most_read = std::int64_t{1} << 20;  // chunks that may be listed, including repeats

void require_inside(const std::vector<IndexRange>& ranges, std::string_view what, std::int64_t count,
                    std::int64_t first = 0) {
  for (const IndexRange& r : ranges)
    if (r.first < first || r.last < r.first || r.last >= first + count)
      throw Error(fmt::format("{} {}-{} are not in the operand", what, r.first, r.last),
                  fmt::format("{} go from {} to {}", what, first, first + count - 1));
}

// Without ranges all flags are set.
std::vector<bool> flags(const std::vector<IndexRange>& ranges, std::int64_t count) {
  std::vector<bool> out(static_cast<std::size_t>(count), ranges.empty());
  for (const IndexRange& r : ranges) std::fill(out.begin() + r.first, out.begin() + r.last + 1, true);
  return out;
}

// Lines of the two matrices that are one above the other in ldmatrix.x4.
std::int64_t ldmatrix_lines(const Placement& p) { return std::min<std::int64_t>(16, p.lines()); }

void require_inside(const Selection& s, const Placement& p) {
  require_inside(s.rows, "rows", p.extents().mn);
  require_inside(s.ks, "ks", p.extents().k);
  const std::int64_t first_line = p.begin().count / bank_row.count;
  require_inside(s.bytes, "bytes", p.end().count - p.begin().count, p.begin().count);
  require_inside(s.banks, "banks", 32);
  require_inside(s.lines, "lines", (p.end().count - 1) / bank_row.count - first_line + 1, first_line);
  if (!p.has_chunks() && (!s.chunks.empty() || !s.lanes.empty()))
    throw Error("the operand has no 16-byte chunks: its elements do not lie together in 16 bytes",
                "select rows and ks");
  require_inside(s.chunks, "chunks", p.chunk_count());
  std::int64_t listed_chunks = 0;
  for (const IndexRange& r : s.chunks) listed_chunks += r.last - r.first + 1;
  if (listed_chunks > most_read)
    throw Error(fmt::format("{} chunks are listed; at most {} are read", listed_chunks, most_read),
                "name every chunk once");
  if (s.lanes.empty()) return;
  if (p.lines() % phase_lanes != 0)
    throw Error(fmt::format("ldmatrix reads 8 lines at a time; the operand has {}", p.lines()), "select chunks");
  require_inside(s.lanes, "lanes", std::min<std::int64_t>(warp_lanes, ldmatrix_lines(p) * p.chunks_per_line()));
}

// The chunks of the lists, by the phase that reads them.
Phases listed_phases(const Selection& s, const Placement& p) {
  Phases phases;
  std::int64_t listed = 0;
  for (const IndexRange& r : s.chunks)
    for (std::int64_t c = r.first; c <= r.last; ++c) {
      if (listed++ % phase_lanes == 0) phases.emplace_back();
      phases.back().push_back(c);
    }
  std::optional<std::int64_t> before;
  const std::int64_t lines = ldmatrix_lines(p);
  for (const IndexRange& r : s.lanes)
    for (std::int64_t lane = r.first; lane <= r.last; ++lane) {
      if (lane / phase_lanes != before) phases.emplace_back();
      phases.back().push_back(lane % lines * p.chunks_per_line() + lane / lines);
      before = lane / phase_lanes;
    }
  return phases;
}

bool has_rectangle(const Selection& s) { return !s.rows.empty() || !s.ks.empty(); }

// One flag per element, row by row.
std::vector<bool> rectangle(const Selection& s, const Placement& p) {
  const TileExtents e = p.extents();
  if (!has_rectangle(s)) return std::vector<bool>(static_cast<std::size_t>(e.mn * e.k), false);
  std::vector<bool> out;
  const std::vector<bool> rows = flags(s.rows, e.mn), ks = flags(s.ks, e.k);
  for (const bool row : rows)
    for (const bool k : ks) out.push_back(row && k);
  return out;
}

// Whether one of the bytes from `first` to `last` is at a place that the selection names.
bool is_placed(const Selection& s, std::int64_t first, std::int64_t last) {
  const auto is_in = [&](const std::vector<IndexRange>& ranges, std::int64_t unit, std::int64_t period) {
    for (std::int64_t i = first / unit; i <= last / unit; ++i)
      for (const IndexRange& r : ranges)
        if (i % period >= r.first && i % period <= r.last) return true;
    return ranges.empty();
  };
  constexpr std::int64_t never = std::int64_t{1} << 62;
  return is_in(s.bytes, 1, never) && is_in(s.banks, 4, 32) && is_in(s.lines, bank_row.count, never);
}

// The elements of a chunk, as indices into the flags.
std::vector<std::size_t> elements_of(const Placement& p, std::int64_t index) {
  const Chunk c = p.chunk_at(index);
  const std::int64_t step = p.major() == Major::K ? 1 : p.extents().k;
  std::vector<std::size_t> out;
  for (std::int64_t i = 0; i < p.chunk_elements(); ++i)
    out.push_back(static_cast<std::size_t>(c.row * p.extents().k + c.k + i * step));
  return out;
}

}  // namespace

Placement::Placement(const ComposedLayout& layout, int element_bits, Bytes base, std::optional<Major> major,
                     const NarrowForm* form, const Target* target)
    : element_bits_(element_bits), form_(form), target_(target) {
  const IntTuple& shape = layout.layout().shape();
  if (rank(shape) != 2)
    throw Error(fmt::format("an operand has two modes, rows and k; {} has {}", to_string(layout), rank(shape)),
                rank(shape) > 2 ? "slice the others away, for example (L)(_,_,0)" : "for example (8,64):(64,1)");
  if (layout.has_pointer() && layout.element_bits() != element_bits)
    throw Error(fmt::format("the layout counts elements of {} bits, the element type has {}", layout.element_bits(),
                            element_bits),
                fmt::format("take a type of {} bits, or recast(L, {}, {})", layout.element_bits(),
                            layout.element_bits(), element_bits));
  const Bytes window = smem_window(target);
  if (layout.size() > window.count * 8)
    throw Error(
        fmt::format("a layout of {} elements does not fit into {} B of shared memory", layout.size(), window.count),
        "take a part of it");
  if (base.count < 0 || base > window || base.count * 8 % element_bits != 0)
    throw Error(fmt::format("base {:#x} is not a multiple of an element of {} bits inside shared memory", base.count,
                            element_bits),
                fmt::format("shared memory ends at {:#x}", window.count));
  extents_ = {product(mode(shape, 0)), product(mode(shape, 1))};

  // Only in smem_ptr form are the offsets those before the swizzle, which needs the address.
  const bool swizzles_bytes = layout.has_pointer();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(layout.size()));  // rows fastest
  if (swizzles_bytes) tabulate(layout.layout(), offsets);
  else tabulate(layout, offsets);
  bits_.resize(offsets.size());
  auto offset = offsets.begin();
  for (std::int64_t k = 0; k < extents_.k; ++k)
    for (std::int64_t row = 0; row < extents_.mn; ++row, ++offset) {
      const std::int64_t element = *offset + (swizzles_bytes ? layout.offset() : 0), most = window.count * 8;
      // Compared before the multiplication, so that it cannot overflow.
      const bool outside = element > most || element < -most || base.count * 8 + element * element_bits < 0 ||
                           base.count * 8 + (element + 1) * element_bits > most;
      if (outside)
        throw Error(fmt::format("index {} of the layout is element {} from {:#x}: outside of shared memory, which ends "
                                "at {:#x}",
                                offset - offsets.begin(), element, base.count, window.count),
                    "take a part of the layout, or another base");
      const std::int64_t bit = base.count * 8 + element * element_bits;
      bits_[static_cast<std::size_t>(row * extents_.k + k)] =
          swizzles_bytes ? layout.swizzle()(bit / 8) * 8 + bit % 8 : bit;
    }
  const auto [lowest, highest] = std::ranges::minmax(bits_);
  begin_ = Bits{lowest}.in_bytes();
  end_ = Bits{highest + element_bits_ + 7}.in_bytes();
  if (!major) major = !holds_chunks_along(Major::K) && holds_chunks_along(Major::MN) ? Major::MN : Major::K;
  major_ = *major;
  has_chunks_ = holds_chunks_along(major_);
}

std::optional<TileCoordinate> Placement::first_torn(Major along, int bytes) const {
  const std::int64_t elements = bytes * 8 / element_bits_;
  for (std::int64_t row = 0; row < extents_.mn; ++row)
    for (std::int64_t k = 0; k < extents_.k; ++k) {
      const std::int64_t inside = TileCoordinate{row, k}.along(along) % elements;
      const std::int64_t first = (along == Major::K ? bit(row, k - inside) : bit(row - inside, k)).count;
      const bool is_together = bit(row, k).count == first + inside * element_bits_;
      if (!is_together || first % (bytes * 8) != 0) return TileCoordinate{row, k};
    }
  return std::nullopt;
}

bool Placement::holds_chunks_along(Major major) const {
  return extents_.along(major) % chunk_elements() == 0 && !first_torn(major, static_cast<int>(chunk.count));
}

Chunk Placement::chunk_at(std::int64_t index) const {
  const std::int64_t line = index / chunks_per_line();
  const std::int64_t along = index % chunks_per_line() * chunk_elements();
  const TileCoordinate c = TileCoordinate::of(major_, line, along);
  return {c.row, c.k, byte(c.row, c.k), bank(c.row, c.k)};
}

Layout linear_layout(TileExtents extents, Major major, std::int64_t padding) {
  const bool k_major = major == Major::K;
  return {std::vector<IntTuple>{extents.mn, extents.k},
          std::vector<IntTuple>{k_major ? extents.k + padding : std::int64_t{1},
                                k_major ? std::int64_t{1} : extents.mn + padding}};
}

std::vector<bool> selected_elements(const Selection& selection, const Placement& placement) {
  require_inside(selection, placement);
  std::vector<bool> out = rectangle(selection, placement);
  for (const std::vector<std::int64_t>& phase : listed_phases(selection, placement))
    for (const std::int64_t index : phase)
      for (const std::size_t element : elements_of(placement, index)) out[element] = true;
  if (!selection.has_places()) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t bit = value_bit(placement.form(), Bits{placement.bits()[i]}).count;
    out[i] =
        (out[i] || !selection.has_elements()) && is_placed(selection, bit / 8, (bit + placement.value_bits() - 1) / 8);
  }
  return out;
}

std::vector<std::vector<std::int64_t>> phases_of(const Selection& selection, const Placement& placement) {
  require_inside(selection, placement);
  Phases phases;
  if (!placement.has_chunks() || selection.has_places()) return phases;
  if (has_rectangle(selection)) {
    const std::vector<bool> elements = rectangle(selection, placement);
    const auto is_selected = [&](std::size_t element) { return elements[element]; };
    for (std::int64_t column = 0; column < placement.chunks_per_line(); ++column)
      for (std::int64_t top = 0; top < placement.lines(); top += phase_lanes) {
        std::vector<std::int64_t> phase;
        for (std::int64_t line = top; line < std::min(top + phase_lanes, placement.lines()); ++line) {
          const std::int64_t index = line * placement.chunks_per_line() + column;
          if (std::ranges::any_of(elements_of(placement, index), is_selected)) phase.push_back(index);
        }
        if (!phase.empty()) phases.push_back(std::move(phase));
      }
  }
  std::ranges::move(listed_phases(selection, placement), std::back_inserter(phases));
  return phases;
}

PhaseReading read(const std::vector<std::vector<std::int64_t>>& phases, const Placement& placement) {
  PhaseReading reading;
  reading.colliding.assign(static_cast<std::size_t>(placement.chunk_count()), false);
  const AccessInstruction& instruction = require_access("ldmatrix.x1");
  for (const std::vector<std::int64_t>& phase : phases) {
    AccessPattern pattern{&instruction, (std::uint32_t{1} << phase.size()) - 1, {}};
    for (std::size_t lane = 0; lane < phase.size(); ++lane)
      pattern.address[lane] = static_cast<std::uint32_t>(placement.chunk_at(phase[lane]).byte.count);
    const WavefrontCount count = count_wavefronts(pattern);
    for (std::size_t lane = 0; lane < phase.size(); ++lane)
      if ((count.colliding >> lane & 1) != 0) reading.colliding[static_cast<std::size_t>(phase[lane])] = true;
    reading.chunks += static_cast<std::int64_t>(phase.size());
    reading.phases += 1;
    reading.wavefronts += count.wavefronts;
    reading.ways = std::max<std::int64_t>(reading.ways, count.ways());
  }
  return reading;
}

}  // namespace swz
