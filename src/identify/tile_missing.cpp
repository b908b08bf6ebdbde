// Mistakes of a few elements: copies that did not arrive, and one lane of a store that wrote elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "base/text.hpp"
#include "identify/tile_mistakes.hpp"
#include "tma/plan.hpp"

namespace swz {

namespace {

using Found = std::optional<Mistake>;

struct Missing {
  const LogicalTile& tile;
  const DumpOfMajor& d;
  const SmemTile& nearest;
  std::vector<std::int64_t> chunks = {};  // those with an element that differs
};

std::int64_t place_of(const Missing& m, std::int64_t chunk_index) {
  const TileCoordinate first = m.d.image.element(chunk_index);
  return m.nearest.byte(first.row, first.k).count;
}

std::string element_text(const Missing& m, std::int64_t chunk_index) {
  const TileCoordinate first = m.d.image.element(chunk_index);
  return fmt::format("({}, {})", first.row, first.k);
}

// "(64, 256)": the entries of a box.
std::string tuple_of(const std::vector<PlanDimension>& dimensions) {
  std::string text;
  for (const PlanDimension& dimension : dimensions)
    text += fmt::format("{}{}", text.empty() ? "(" : ", ", dimension.box);
  return text + ")";
}

// One chunk went to where another belongs, or outside; or it holds what another chunk holds. Pieces of 8 and 4 bytes of it
// are the same: the rest of both chunks is as it should be.
Found wrong_lane(const Missing& m) {
  if (m.chunks.empty() || m.chunks.size() > 2) return {};
  const LineImage& image = m.d.image;
  for (const std::int64_t piece : {16, 8, 4}) {
    if (image.front % piece != 0) continue;
    const auto wanted = [&](std::int64_t c, std::int64_t part, std::size_t pass) {
      return image.chunk(c, pass).subspan(static_cast<std::size_t>(part * piece), static_cast<std::size_t>(piece));
    };
    const auto lies_at = [&](std::int64_t c, std::int64_t part, std::int64_t at) {
      if (!m.d.dump.holds(at, piece)) return false;
      const auto from = static_cast<std::size_t>(at - m.d.dump.address().count);
      for (std::size_t pass = 0; pass < image.passes.size(); ++pass)
        if (!std::ranges::equal(wanted(c, part, pass), m.d.dump.pass(pass).subspan(from, static_cast<std::size_t>(piece))))
          return false;
      return true;
    };
    struct Piece {
      std::int64_t chunk_index, part;
    };
    std::vector<Piece> differing;
    for (const std::int64_t c : m.chunks)
      for (std::int64_t part = 0; part < image.front / piece; ++part)
        if (!lies_at(c, part, place_of(m, c) + part * piece)) differing.push_back({c, part});
    if (differing.empty() || differing.size() > 2) continue;
    const auto place = [&](const Piece& p) { return place_of(m, p.chunk_index) + p.part * piece; };
    const auto where = [&](const Piece& p) {
      return fmt::format("the {} B at {:#x}, of the chunk of element {}", piece, place(p), element_text(m, p.chunk_index));
    };
    if (differing.size() == 2) {
      for (const auto& [from, to] : {std::pair(differing[0], differing[1]), std::pair(differing[1], differing[0])})
        if (lies_at(from.chunk_index, from.part, place(to)))
          return Mistake{"wrong-lane", fmt::format("one lane stored {}, to {:#x} instead", where(from), place(to)),
                         m.nearest};
      continue;
    }
    // It went outside of the tile, or its place got the piece of another lane.
    const Piece& p = differing.front();
    for (std::int64_t at = m.d.dump.address().count; m.d.dump.holds(at, piece); at += 4)
      if (at != place(p) && !m.nearest.at(Bytes{at}) && lies_at(p.chunk_index, p.part, at))
        return Mistake{"wrong-lane", fmt::format("one lane stored {}, to {:#x} outside of the tile", where(p), at),
                       m.nearest};
    for (std::int64_t c = 0; c < image.chunk_count(); ++c)
      for (std::int64_t part = 0; part < image.front / piece; ++part)
        if (lies_at(c, part, place(p)))
          return Mistake{"wrong-lane",
                         fmt::format("{} hold what belongs to the chunk of element {}", where(p), element_text(m, c)),
                         m.nearest};
  }
  return {};
}

// The chunks of a copy: those between its place and the next one's.
Found stale(const Missing& m) {
  const TileExtents extents = m.tile.extents;
  std::vector<std::int64_t> ks, rows;
  for (const std::int64_t c : m.chunks) {
    const TileCoordinate at = m.d.image.element(c);
    rows.push_back(at.row);
    ks.push_back(at.k);
  }
  if (m.chunks.empty() || std::ssize(m.chunks) == m.d.image.chunk_count()) return {};
  const std::int64_t wide = m.nearest.major() == Major::K ? m.d.image.chunk_elements : 1;
  const std::int64_t high = m.nearest.major() == Major::K ? 1 : m.d.image.chunk_elements;
  const auto [row_low, row_high] = std::ranges::minmax(rows);
  const auto [k_low, k_high] = std::ranges::minmax(ks);
  std::string copies;
  std::vector<bool> is_missing_chunk(static_cast<std::size_t>(m.d.image.chunk_count()));
  for (const std::int64_t c : m.chunks) is_missing_chunk[static_cast<std::size_t>(c)] = true;
  if (m.nearest.base().is_multiple_of(tma_smem_alignment)) {
    const Target& target = m.nearest.form() != nullptr ? sm_100a() : default_target();
    const SmemDestination to(m.nearest);
    const auto planned = plan_tile(to, packed_operand(to, target, extents), target, 2);
    if (const auto* plan = std::get_if<TilePlan>(&planned); plan != nullptr && plan->copies.size() > 1) {
      // By linear address: each chunk belongs to the last copy that begins at or before it.
      std::map<std::int64_t, std::size_t> begins;
      for (std::size_t i = 0; i < plan->copies.size(); ++i) begins[plan->copies[i].smem_offset.count] = i;
      std::vector<std::int64_t> chunks(plan->copies.size()), missing(plan->copies.size());
      for (std::int64_t c = 0; c < m.d.image.chunk_count(); ++c) {
        const TileCoordinate at = m.d.image.element(c);
        const auto copy = std::prev(begins.upper_bound(m.nearest.linear_offset(at.row, at.k).count))->second;
        ++chunks[copy];
        missing[copy] += is_missing_chunk[static_cast<std::size_t>(c)] ? 1 : 0;
      }
      std::vector<std::string> names;
      bool is_whole = true;
      for (std::size_t i = 0; i < chunks.size(); ++i) {
        // Of what lay there before, single elements may be as expected.
        if (missing[i] * 2 > chunks[i]) names.push_back(fmt::format("{}", i));
        else is_whole = is_whole && missing[i] == 0;
      }
      if (is_whole && !names.empty() && names.size() < chunks.size()) {
        if (names.size() > 8) names = {fmt::format("{} of them", names.size())};
        copies = fmt::format("; {} cop{} of {} did not arrive: {} (box {}, in the order of shared memory)", names.size(),
                             names.size() == 1 ? "y" : "ies", chunks.size(), join_and(names),
                             tuple_of(plan->dimensions));
      }
    }
  }
  const std::int64_t rectangle = (row_high - row_low + high) / high * ((k_high - k_low + wide) / wide);
  if (copies.empty() && rectangle != std::ssize(m.chunks)) return {};
  return Mistake{"stale",
                 fmt::format("rows {} to {}, k {} to {} hold other data: they were not written, or by an earlier tile{}",
                             row_low, row_high + high - 1, k_low, k_high + wide - 1, copies),
                 m.nearest};
}

}  // namespace

std::optional<Mistake> find_missing(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors,
                                    const SmemTile& nearest) {
  for (const DumpOfMajor& d : majors) {
    if (d.image.major != nearest.major()) continue;
    Missing m{tile, d, nearest};
    for (std::int64_t c = 0; c < d.image.chunk_count(); ++c)
      if (!d.dump.has(place_of(m, c), d.image, c)) m.chunks.push_back(c);
    if (Found found = wrong_lane(m)) return found;
    return stale(m);
  }
  return {};
}

}  // namespace swz
