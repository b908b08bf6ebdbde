#include "smem/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "smem/wavefront.hpp"

namespace swz {

namespace {

constexpr std::size_t phase_lanes = 8;
constexpr std::int64_t most_read = std::int64_t{1} << 20;  // chunks that may be listed, repeats counted
constexpr std::int64_t ldmatrix_lines = 16;                // of the two matrices that lie above each other in x4

void require_inside(const std::vector<IndexRange>& ranges, std::string_view what, std::int64_t count) {
  for (const IndexRange& r : ranges)
    if (r.first < 0 || r.last < r.first || r.last >= count)
      throw Error(fmt::format("{} {}-{} are not in the operand", what, r.first, r.last),
                  fmt::format("{} go from 0 to {}", what, count - 1));
}

// Without ranges all of them.
std::vector<bool> flags(const std::vector<IndexRange>& ranges, std::int64_t count) {
  std::vector<bool> out(static_cast<std::size_t>(count), ranges.empty());
  for (const IndexRange& r : ranges) std::fill(out.begin() + r.first, out.begin() + r.last + 1, true);
  return out;
}

std::int64_t lane_count(const Placement& p) { return std::min<std::int64_t>(32, p.chunk_count()); }

std::int64_t chunk_of_lane(const Placement& p, std::int64_t lane) {
  const std::int64_t lines = std::min(ldmatrix_lines, p.lines());
  return lane % lines * p.chunks_per_line() + lane / lines;
}

void require_inside(const Selection& s, const Placement& p) {
  require_inside(s.rows, "rows", p.extents().mn);
  require_inside(s.ks, "ks", p.extents().k);
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
  if (p.lines() % static_cast<std::int64_t>(phase_lanes) != 0)
    throw Error(fmt::format("ldmatrix reads 8 lines at a time; the operand has {}", p.lines()), "select chunks");
  const std::int64_t lines = std::min(ldmatrix_lines, p.lines());
  require_inside(s.lanes, "lanes", std::min(lane_count(p), lines * p.chunks_per_line()));
}

// A chunk of the lists; neighbours with one number are read in one phase.
struct Listed {
  std::int64_t chunk = 0, phase = 0;
};

std::vector<Listed> listed(const Selection& s, const Placement& p) {
  constexpr auto lanes = static_cast<std::int64_t>(phase_lanes);
  std::vector<Listed> out;
  for (const IndexRange& r : s.chunks)
    for (std::int64_t c = r.first; c <= r.last; ++c) out.push_back({c, std::ssize(out) / lanes});
  for (const IndexRange& r : s.lanes)
    for (std::int64_t lane = r.first; lane <= r.last; ++lane)
      out.push_back({chunk_of_lane(p, lane), -1 - lane / lanes});
  return out;
}

bool has_rectangle(const Selection& s) { return !s.rows.empty() || !s.ks.empty(); }

// One flag for each element, row by row.
std::vector<bool> rectangle(const Selection& s, const Placement& p) {
  const TileExtents e = p.extents();
  if (!has_rectangle(s)) return std::vector<bool>(static_cast<std::size_t>(e.mn * e.k), false);
  std::vector<bool> out;
  const std::vector<bool> rows = flags(s.rows, e.mn), ks = flags(s.ks, e.k);
  for (const bool row : rows)
    for (const bool k : ks) out.push_back(row && k);
  return out;
}

// The flags of the elements of a chunk, as their places among all.
std::vector<std::size_t> elements_of(const Placement& p, std::int64_t index) {
  const Chunk c = p.chunk_at(index);
  const std::int64_t step = p.major() == Major::K ? 1 : p.extents().k;
  std::vector<std::size_t> out;
  for (std::int64_t i = 0; i < p.chunk_elements(); ++i)
    out.push_back(static_cast<std::size_t>(c.row * p.extents().k + c.k + i * step));
  return out;
}

}  // namespace

std::vector<bool> selected_elements(const Selection& selection, const Placement& placement) {
  require_inside(selection, placement);
  std::vector<bool> out = rectangle(selection, placement);
  for (const Listed& one : listed(selection, placement))
    for (const std::size_t element : elements_of(placement, one.chunk)) out[element] = true;
  return out;
}

std::vector<std::vector<std::int64_t>> phases_of(const Selection& selection, const Placement& placement) {
  require_inside(selection, placement);
  std::vector<std::vector<std::int64_t>> phases;
  if (!placement.has_chunks()) return phases;
  if (has_rectangle(selection)) {
    const std::vector<bool> elements = rectangle(selection, placement);
    const auto is_selected = [&](std::size_t element) { return elements[element]; };
    const auto lanes = static_cast<std::int64_t>(phase_lanes);
    for (std::int64_t column = 0; column < placement.chunks_per_line(); ++column)
      for (std::int64_t top = 0; top < placement.lines(); top += lanes) {
        std::vector<std::int64_t> phase;
        for (std::int64_t line = top; line < std::min(top + lanes, placement.lines()); ++line) {
          const std::int64_t index = line * placement.chunks_per_line() + column;
          if (std::ranges::any_of(elements_of(placement, index), is_selected)) phase.push_back(index);
        }
        if (!phase.empty()) phases.push_back(std::move(phase));
      }
  }
  std::optional<std::int64_t> before;
  for (const Listed& one : listed(selection, placement)) {
    if (one.phase != before) phases.emplace_back();
    phases.back().push_back(one.chunk);
    before = one.phase;
  }
  return phases;
}

Reading read(const std::vector<std::vector<std::int64_t>>& phases, const Placement& placement) {
  Reading reading;
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
