// SPDX-License-Identifier: Apache-2.0
// Mistakes of a few elements: copies that did not arrive, and one lane of a store that wrote to another place.
#include "identify/tile_missing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "arch/mistake.hpp"
#include "base/text.hpp"
#include "tma/plan.hpp"

namespace swz {

namespace {

using Found = std::optional<Mistake>;

// "(64, 256)": the entries of a box.
std::string tuple_of(const std::vector<PlanDimension>& dimensions) {
  std::string text;
  for (const PlanDimension& dimension : dimensions)
    text += fmt::format("{}{}", text.empty() ? "(" : ", ", dimension.box);
  return text + ")";
}

// One chunk was written to the place of another, or outside; or it contains what another chunk should. The same for its
// pieces of 8 and 4 bytes, if the rest of both chunks is right.
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
        if (!std::ranges::equal(wanted(c, part, pass),
                                m.d.dump.pass(pass).subspan(from, static_cast<std::size_t>(piece))))
          return false;
      return true;
    };
    struct Piece {
      std::int64_t chunk_index, part;
    };
    std::vector<Piece> differing;
    for (const std::int64_t c : m.chunks)
      for (std::int64_t part = 0; part < image.front / piece; ++part)
        if (!lies_at(c, part, m.place_of(c) + part * piece)) differing.push_back({c, part});
    if (differing.empty() || differing.size() > 2) continue;
    const auto place = [&](const Piece& p) { return m.place_of(p.chunk_index) + p.part * piece; };
    const auto where = [&](const Piece& p) {
      return fmt::format("the {} B at {:#x}, of the chunk of element {}", piece, place(p),
                         m.element_text(p.chunk_index));
    };
    if (differing.size() == 2) {
      for (const auto& [from, to] : {std::pair(differing[0], differing[1]), std::pair(differing[1], differing[0])})
        if (lies_at(from.chunk_index, from.part, place(to)))
          return Mistake{mistake::wrong_lane,
                         fmt::format("one lane stored {}, to {:#x} instead", where(from), place(to)), m.nearest};
      continue;
    }
    // It was written outside of the tile, or its place got the piece of another lane.
    const Piece& p = differing.front();
    for (std::int64_t at = m.d.dump.address().count; m.d.dump.holds(at, piece); at += 4)
      if (at != place(p) && !m.nearest.at(Bytes{at}) && lies_at(p.chunk_index, p.part, at))
        return Mistake{mistake::wrong_lane,
                       fmt::format("one lane stored {}, to {:#x} outside of the tile", where(p), at), m.nearest};
    for (std::int64_t c = 0; c < image.chunk_count(); ++c)
      for (std::int64_t part = 0; part < image.front / piece; ++part)
        if (lies_at(c, part, place(p)))
          return Mistake{mistake::wrong_lane,
                         fmt::format("{} hold what belongs to the chunk of element {}", where(p), m.element_text(c)),
                         m.nearest};
  }
  return {};
}

// A block of neighbouring chunks that are all missing: lines, and chunks of a line.
struct Block {
  std::int64_t line = 0, lines = 1, first = 0, chunks = 1;
};

// The blocks that make up the missing chunks; empty if they are not blocks, or are too many.
std::vector<Block> blocks_of(const Missing& m, const std::vector<bool>& is_missing) {
  constexpr std::size_t most_blocks = 8;
  const std::int64_t lines = m.d.image.lines, per_line = m.d.image.chunks_per_line;
  std::vector<bool> left = is_missing;
  const auto at = [&](std::int64_t line, std::int64_t c) {
    return line < lines && c < per_line && left[static_cast<std::size_t>(line * per_line + c)];
  };
  std::vector<Block> blocks;
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t c = 0; c < per_line; ++c) {
      if (!at(line, c)) continue;
      if (blocks.size() == most_blocks) return {};
      Block block{line, 1, c, 1};
      while (at(line, c + block.chunks)) ++block.chunks;
      const auto has_line = [&](std::int64_t next) {
        for (std::int64_t i = 0; i < block.chunks; ++i)
          if (!at(next, c + i)) return false;
        // A line that continues next to the block belongs to another block.
        return !at(next, c + block.chunks) && (c == 0 || !at(next, c - 1));
      };
      while (has_line(line + block.lines)) ++block.lines;
      for (std::int64_t l = 0; l < block.lines; ++l)
        for (std::int64_t i = 0; i < block.chunks; ++i)
          left[static_cast<std::size_t>((line + l) * per_line + c + i)] = false;
      blocks.push_back(block);
    }
  return blocks;
}

// "rows 4 to 7, k 0 to 63"
std::string block_text(const Missing& m, const Block& block) {
  const std::int64_t first = block.first * m.d.image.chunk_elements,
                     last = (block.first + block.chunks) * m.d.image.chunk_elements - 1;
  const std::string lines = fmt::format("{} to {}", block.line, block.line + block.lines - 1),
                    along = fmt::format("{} to {}", first, last);
  const bool is_k = m.nearest.major() == Major::K;
  return fmt::format("rows {}, k {}", is_k ? lines : along, is_k ? along : lines);
}

// "; copies 1 and 3 of 4 did not arrive", for whole TMA copies. Empty if something else is missing.
std::string copies_text(const Missing& m, const std::vector<bool>& is_missing) {
  if (!m.nearest.base().is_multiple_of(tma_smem_alignment)) return "";
  const Target& target = m.nearest.form() != nullptr ? sm_100a() : default_target();
  const SmemDestination to(m.nearest);
  const auto planned = plan_tile(to, packed_operand(to, target, m.tile.extents), target, 2);
  const auto* plan = std::get_if<TilePlan>(&planned);
  if (plan == nullptr || plan->copies.size() < 2) return "";
  // By linear address: each chunk belongs to the last copy that begins at or before it.
  std::map<std::int64_t, std::size_t> begins;
  for (std::size_t i = 0; i < plan->copies.size(); ++i) begins[plan->copies[i].smem_offset.count] = i;
  std::vector<std::int64_t> chunks(plan->copies.size()), missing(plan->copies.size());
  for (std::int64_t c = 0; c < m.d.image.chunk_count(); ++c) {
    const TileCoordinate at = m.d.image.element(c);
    const auto copy = std::prev(begins.upper_bound(m.nearest.linear_offset(at.row, at.k).count))->second;
    ++chunks[copy];
    missing[copy] += is_missing[static_cast<std::size_t>(c)] ? 1 : 0;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    // Single elements of the previous contents may be right by chance.
    if (missing[i] * 2 > chunks[i]) names.push_back(fmt::format("{}", i));
    else if (missing[i] != 0) return "";
  }
  if (names.empty() || names.size() == chunks.size()) return "";
  const std::size_t count = names.size();
  if (count > 8) names = {fmt::format("{} of them", count)};
  return fmt::format("; {} cop{} of {} did not arrive: {} (box {}, in the order of shared memory)", count,
                     count == 1 ? "y" : "ies", chunks.size(), join_and(names), tuple_of(plan->dimensions));
}

Found stale(const Missing& m) {
  // If less of the tile is in place, it is something else.
  if (m.chunks.empty() || std::ssize(m.chunks) * 4 > m.d.image.chunk_count() * 3) return {};
  std::vector<bool> is_missing(static_cast<std::size_t>(m.d.image.chunk_count()));
  for (const std::int64_t c : m.chunks) is_missing[static_cast<std::size_t>(c)] = true;
  const std::string copies = copies_text(m, is_missing);
  const std::vector<Block> blocks = blocks_of(m, is_missing);
  if (copies.empty() && blocks.empty()) return {};
  // Several differing blocks explain little, unless most of the tile is right.
  if (copies.empty() && blocks.size() > 1 && std::ssize(m.chunks) * 2 > m.d.image.chunk_count()) return {};
  std::string where = "what these copies fill";
  if (!blocks.empty()) {
    std::vector<std::string> texts;
    for (const Block& block : blocks) texts.push_back(block_text(m, block));
    where = fmt::format("{}", fmt::join(texts, "; "));
  }
  return Mistake{mistake::stale,
                 fmt::format("{} hold other data: they were not written, or by an earlier tile{}", where, copies),
                 m.nearest};
}

}  // namespace

std::string Missing::element_text(std::int64_t chunk_index) const {
  const TileCoordinate first = d.image.element(chunk_index);
  return fmt::format("({}, {})", first.row, first.k);
}

std::optional<Mistake> find_missing(const LogicalTile& tile, const std::vector<DumpOfMajor>& majors,
                                    const SmemTile& nearest) {
  for (const DumpOfMajor& d : majors) {
    if (d.image.major != nearest.major()) continue;
    Missing m{tile, d, nearest};
    for (std::int64_t c = 0; c < d.image.chunk_count(); ++c)
      if (!d.dump.has(m.place_of(c), d.image, c)) m.chunks.push_back(c);
    if (Found found = wrong_lane(m)) return found;
    if (Found found = find_lane(m)) return found;
    return stale(m);
  }
  return {};
}

}  // namespace swz
