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

void check(const std::vector<IndexRange>& ranges, std::string_view what, std::int64_t count) {
  for (const IndexRange& r : ranges)
    if (r.first < 0 || r.last < r.first || r.last >= count)
      throw Error(fmt::format("{} {}-{} are not in the operand", what, r.first, r.last),
                  fmt::format("{} go from 0 to {}", what, count - 1));
}

std::vector<bool> flags(const std::vector<IndexRange>& ranges, std::int64_t count, bool all) {
  std::vector<bool> out(static_cast<std::size_t>(count), all && ranges.empty());
  for (const IndexRange& r : ranges) std::fill(out.begin() + r.first, out.begin() + r.last + 1, true);
  return out;
}

std::int64_t lane_count(const Placement& p) { return std::min<std::int64_t>(32, p.chunk_count()); }

std::int64_t chunk_of_lane(const Placement& p, std::int64_t lane) {
  const std::int64_t lines = std::min(ldmatrix_lines, p.lines());
  return lane % lines * p.chunks_per_line() + lane / lines;
}

void check_all(const Selection& s, const Placement& p) {
  check(s.rows, "rows", p.extents().mn);
  check(s.ks, "ks", p.extents().k);
  if (!p.has_chunks() && (!s.chunks.empty() || !s.lanes.empty()))
    throw Error("the operand has no 16-byte chunks: its elements do not lie together in 16 bytes",
                "select rows and ks");
  check(s.chunks, "chunks", p.chunk_count());
  std::int64_t listed_chunks = 0;
  for (const IndexRange& r : s.chunks) listed_chunks += r.last - r.first + 1;
  if (listed_chunks > most_read)
    throw Error(fmt::format("{} chunks are listed; at most {} are read", listed_chunks, most_read),
                "name every chunk once");
  if (s.lanes.empty()) return;
  if (p.lines() % static_cast<std::int64_t>(phase_lanes) != 0)
    throw Error(fmt::format("ldmatrix reads 8 lines at a time; the operand has {}", p.lines()), "select chunks");
  const std::int64_t lines = std::min(ldmatrix_lines, p.lines());
  check(s.lanes, "lanes", std::min(lane_count(p), lines * p.chunks_per_line()));
}

std::vector<std::int64_t> listed(const Selection& s, const Placement& p) {
  std::vector<std::int64_t> out;
  for (const IndexRange& r : s.chunks)
    for (std::int64_t c = r.first; c <= r.last; ++c) out.push_back(c);
  for (const IndexRange& r : s.lanes)
    for (std::int64_t lane = r.first; lane <= r.last; ++lane) out.push_back(chunk_of_lane(p, lane));
  return out;
}

bool has_rectangle(const Selection& s) { return !s.rows.empty() || !s.ks.empty(); }

}  // namespace

std::vector<bool> selected_elements(const Selection& selection, const Placement& placement) {
  check_all(selection, placement);
  const TileExtents e = placement.extents();
  std::vector<bool> out(static_cast<std::size_t>(e.mn * e.k), false);
  const auto at = [&](std::int64_t row, std::int64_t k) { return static_cast<std::size_t>(row * e.k + k); };
  if (has_rectangle(selection)) {
    const std::vector<bool> rows = flags(selection.rows, e.mn, true), ks = flags(selection.ks, e.k, true);
    for (std::int64_t row = 0; row < e.mn; ++row)
      for (std::int64_t k = 0; k < e.k; ++k)
        out[at(row, k)] = rows[static_cast<std::size_t>(row)] && ks[static_cast<std::size_t>(k)];
  }
  for (const std::int64_t index : listed(selection, placement)) {
    const Chunk c = placement.chunk_at(index);
    for (std::int64_t i = 0; i < placement.chunk_elements(); ++i)
      out[placement.major() == Major::K ? at(c.row, c.k + i) : at(c.row + i, c.k)] = true;
  }
  return out;
}

std::vector<std::vector<std::int64_t>> phases_of(const Selection& selection, const Placement& placement) {
  check_all(selection, placement);
  std::vector<std::vector<std::int64_t>> phases;
  if (!placement.has_chunks()) return phases;
  if (has_rectangle(selection)) {
    const bool k_major = placement.major() == Major::K;
    const TileExtents e = placement.extents();
    const std::vector<bool> lines = k_major ? flags(selection.rows, e.mn, true) : flags(selection.ks, e.k, true);
    const std::vector<bool> along = k_major ? flags(selection.ks, e.k, true) : flags(selection.rows, e.mn, true);
    const auto lanes = static_cast<std::int64_t>(phase_lanes);
    for (std::int64_t column = 0; column < placement.chunks_per_line(); ++column) {
      const auto first = along.begin() + column * placement.chunk_elements();
      if (std::find(first, first + placement.chunk_elements(), true) == first + placement.chunk_elements())
        continue;
      for (std::int64_t top = 0; top < placement.lines(); top += lanes) {
        std::vector<std::int64_t> phase;
        for (std::int64_t line = top; line < std::min(top + lanes, placement.lines()); ++line)
          if (lines[static_cast<std::size_t>(line)]) phase.push_back(line * placement.chunks_per_line() + column);
        if (!phase.empty()) phases.push_back(std::move(phase));
      }
    }
  }
  const auto add = [&](std::int64_t index, bool begins) {
    if (begins) phases.emplace_back();
    phases.back().push_back(index);
  };
  std::size_t read = 0;
  for (const IndexRange& r : selection.chunks)
    for (std::int64_t index = r.first; index <= r.last; ++index) add(index, read++ % phase_lanes == 0);
  std::int64_t phase_before = -1;
  for (const IndexRange& r : selection.lanes)
    for (std::int64_t lane = r.first; lane <= r.last; ++lane) {
      const std::int64_t phase = lane / static_cast<std::int64_t>(phase_lanes);
      add(chunk_of_lane(placement, lane), phase != phase_before);
      phase_before = phase;
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
