// SPDX-License-Identifier: Apache-2.0
// Finds one lane that is wrong in every store instruction.
//
//   bf16 64x64, lane 3 of each group of 32 stores its 16 bytes one row too low
//     rows 0, 4, 8, … k 24 to 31 contain other data, and rows 1, 5, 9, … contain what belongs to them
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "arch/mistake.hpp"
#include "identify/tile_missing.hpp"

namespace swz {
namespace {

// The numbers from `first` in steps of `step`, all of them below an end.
struct Residue {
  std::int64_t first = 0, step = 1, count = 0;
};
// None if the ascending numbers are not all of a residue.
std::optional<Residue> residue_of(const std::vector<std::int64_t>& numbers, std::int64_t end) {
  std::int64_t step = 0;
  for (const std::int64_t n : numbers) step = std::gcd(step, n - numbers.front());
  if (step == 0) step = end;
  if (numbers.front() >= step || (end - 1 - numbers.front()) / step + 1 != std::ssize(numbers)) return std::nullopt;
  return Residue{numbers.front(), step, std::ssize(numbers)};
}

std::vector<std::int64_t> distinct(std::vector<std::int64_t> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// The tile in pieces of one size: piece number line * per_line() + x.
class Pieces {
 public:
  Pieces(const Missing& m, std::int64_t size) : m_(m), size_(size), per_chunk_(m.d.image.front / size) {}

  std::int64_t per_line() const { return m_.d.image.chunks_per_line * per_chunk_; }
  std::int64_t lines() const { return m_.d.image.lines; }
  std::int64_t count() const { return lines() * per_line(); }
  std::int64_t size() const { return size_; }
  std::int64_t place(std::int64_t piece) const { return m_.place_of(piece / per_chunk_) + piece % per_chunk_ * size_; }
  // Where the piece would be if its lane omitted the XOR.
  std::int64_t plain_place(std::int64_t piece) const {
    const TileCoordinate first = m_.d.image.element(piece / per_chunk_);
    return m_.nearest.base().count + m_.nearest.linear_offset(first.row, first.k).count + piece % per_chunk_ * size_;
  }
  std::string_view wanted(std::int64_t piece) const {
    return text(m_.d.image.chunk(piece / per_chunk_, 0)
                    .subspan(static_cast<std::size_t>(piece % per_chunk_ * size_), static_cast<std::size_t>(size_)));
  }
  // Empty outside of the dump.
  std::string_view at(std::int64_t address) const {
    if (!m_.d.dump.holds(address, size_)) return {};
    return text(m_.d.dump.pass(0).subspan(static_cast<std::size_t>(address - m_.d.dump.address().count),
                                          static_cast<std::size_t>(size_)));
  }

 private:
  static std::string_view text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const Missing& m_;
  std::int64_t size_, per_chunk_;
};

class LaneSearch {
 public:
  LaneSearch(const Missing& m, std::int64_t size) : m_(m), pieces_(m, size) {}

  std::optional<Mistake> find() {
    const std::int64_t per_chunk = m_.d.image.front / pieces_.size();
    for (const std::int64_t chunk_index : m_.chunks)
      for (std::int64_t part = 0; part < per_chunk; ++part)
        if (const std::int64_t piece = chunk_index * per_chunk + part;
            pieces_.at(pieces_.place(piece)) != pieces_.wanted(piece))
          differing_.push_back(piece);
    constexpr std::int64_t least = 2;
    if (std::ssize(differing_) < least || std::ssize(differing_) * 2 > pieces_.count()) return {};
    find_owners();
    if (auto found = wrong_data()) return found;
    return wrong_place();
  }

 private:
  // For each place that differs, the piece that it contains, if there is exactly one.
  void find_owners() {
    std::unordered_map<std::string_view, std::int64_t> owner;
    for (std::int64_t piece = 0; piece < pieces_.count(); ++piece) {
      const auto [known, is_new] = owner.emplace(pieces_.wanted(piece), piece);
      if (!is_new) known->second = -1;
    }
    for (const std::int64_t piece : differing_) {
      const auto found = owner.find(pieces_.at(pieces_.place(piece)));
      owners_.push_back(found == owner.end() ? -1 : found->second);
    }
  }

  // The case that every differing piece contains what belongs equally far away.
  std::optional<Mistake> wrong_data() const {
    for (std::size_t i = 0; i < differing_.size(); ++i)
      if (owners_[i] < 0 || owners_[i] - differing_[i] != owners_[0] - differing_[0]) return {};
    const std::string pattern = pattern_text(differing_);
    if (pattern.empty()) return {};
    return Mistake{mistake::wrong_lane,
                   fmt::format("in every store instruction one lane stored what belongs to another: {}; the first "
                               "holds what belongs to {}",
                               pattern, element(owners_[0])),
                   m_.nearest};
  }

  // The case that pieces are elsewhere: at others' places, which then contain them or their own, or outside.
  std::optional<Mistake> wrong_place() const {
    std::vector<std::int64_t> sources, targets;
    for (std::size_t i = 0; i < differing_.size(); ++i) (owners_[i] < 0 ? sources : targets).push_back(differing_[i]);
    const std::string pattern = pattern_text(sources);
    if (pattern.empty()) return {};
    std::optional<std::int64_t> from, to;
    if (!targets.empty()) {
      const auto first = static_cast<std::size_t>(std::ranges::find_if(owners_, [](std::int64_t o) { return o >= 0; }) -
                                                  owners_.begin());
      from = owners_[first];
      to = pieces_.place(differing_[first]);
    } else {
      from = sources.front();
      to = place_outside(*from);
    }
    if (!to) return {};
    const std::int64_t across = *to - pieces_.place(*from);
    const std::int64_t moved = targets.empty() ? 0 : targets.front() - *from;
    const auto is_at = [&](const auto& place) { return explains(sources, place); };
    std::string where;
    if (!targets.empty() && is_at([&](std::int64_t piece) {
          return piece + moved >= 0 && piece + moved < pieces_.count() ? pieces_.place(piece + moved) : -1;
        }))
      where = fmt::format("the first to the place of {}", element(targets.front()));
    else if (is_at([&](std::int64_t piece) { return pieces_.plain_place(piece); }))
      where = "without the XOR of the swizzle";
    else if (is_at([&](std::int64_t piece) { return pieces_.place(piece) + across; }))
      where = fmt::format("{} B {}", std::abs(across), across < 0 ? "before" : "behind");
    else if (is_at([&](std::int64_t piece) { return pieces_.place(piece) ^ (pieces_.place(*from) ^ *to); }))
      where = fmt::format("to its address XOR {:#x}", pieces_.place(*from) ^ *to);
    if (where.empty()) return {};
    return Mistake{mistake::wrong_lane,
                   fmt::format("in every store instruction one lane stored its {} B elsewhere, {}: {}", pieces_.size(),
                               where, pattern),
                   m_.nearest};
  }

  // The place outside of the tile that has the piece's content.
  std::optional<std::int64_t> place_outside(std::int64_t piece) const {
    for (std::int64_t at = (m_.d.dump.address().count + 3) / 4 * 4; m_.d.dump.holds(at, pieces_.size()); at += 4)
      if (!m_.nearest.at(Bytes{at}) && pieces_.at(at) == pieces_.wanted(piece)) return at;
    return std::nullopt;
  }

  // Whether `place(source)` contains the source, or its own piece, which was stored later; and no other place differs.
  template <class Place>
  bool explains(const std::vector<std::int64_t>& sources, const Place& place) const {
    std::vector<std::int64_t> held;
    for (const std::int64_t source : sources) {
      const std::int64_t at = place(source);
      if (at < 0) continue;  // it is outside of what is known
      if (pieces_.at(at) == pieces_.wanted(source)) held.push_back(at);
      else if (m_.d.dump.holds(at, pieces_.size()) && !is_right(at)) return false;
    }
    if (held.empty()) return false;
    std::ranges::sort(held);
    for (std::size_t i = 0; i < differing_.size(); ++i)
      if (owners_[i] >= 0 && !std::ranges::binary_search(held, pieces_.place(differing_[i]))) return false;
    return true;
  }
  // Whether the piece of the tile at an address is right.
  bool is_right(std::int64_t address) const {
    return std::ranges::none_of(differing_, [&](std::int64_t piece) { return pieces_.place(piece) == address; });
  }

  std::string element(std::int64_t piece) const {
    const std::int64_t per_chunk = m_.d.image.front / pieces_.size();
    return m_.element_text(piece / per_chunk) +
           (piece % per_chunk == 0 ? "" : fmt::format(" + {} B", piece % per_chunk * pieces_.size()));
  }

  // "24 of 768 pieces, from that of (0, 24) on every 4th row". Empty if there is no regular pattern.
  std::string pattern_text(const std::vector<std::int64_t>& pieces) const {
    if (std::ssize(pieces) < 2) return "";
    const std::string count = fmt::format("{} of {} pieces of {} B, from that of {} on", pieces.size(), pieces_.count(),
                                          pieces_.size(), element(pieces.front()));
    if (const auto all = residue_of(pieces, pieces_.count()); all && all->step > 1)
      return fmt::format("{} every {}th", count, all->step);
    std::vector<std::int64_t> lines, xs;
    for (const std::int64_t piece : pieces) {
      lines.push_back(piece / pieces_.per_line());
      xs.push_back(piece % pieces_.per_line());
    }
    const auto line = residue_of(distinct(lines), pieces_.lines()), x = residue_of(distinct(xs), pieces_.per_line());
    if (!line || !x || line->count * x->count != std::ssize(pieces) || line->step * x->step == 1) return "";
    return fmt::format("{} every {}th line and every {}th piece of a line", count, line->step, x->step);
  }

  const Missing& m_;
  Pieces pieces_;
  std::vector<std::int64_t> differing_, owners_;  // owners_: the piece that is there; -1 for none or several
};

}  // namespace

std::optional<Mistake> find_lane(const Missing& m) {
  if (m.d.image.passes.size() != 1) return {};
  for (const std::int64_t size : {16, 8, 4})
    if (m.d.image.front % size == 0)
      if (auto found = LaneSearch(m, size).find()) return found;
  return {};
}

}  // namespace swz
