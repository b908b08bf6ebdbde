// SPDX-License-Identifier: Apache-2.0
// fit_some: the layouts that have the offsets of some coordinates, found by linear equations for the strides.
//
//   0 0 0; 1 0 64; 0 1 1     the offset o, strides r and c:  o = 0, o + r = 64, o + c = 1      (2,2):(64,1)
//   0 0 0; 2 2 130           o = 0, o + 2r + 2c = 130: r and c are not determined, (1,0) or (0,1) would decide
#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "identify/fit.hpp"
#include "layout/swizzle.hpp"

namespace swz {
namespace {

constexpr std::size_t most_fit_candidates = 16;
constexpr int most_fit_swizzle_bits = 3;
constexpr std::size_t most_telling_points = 64;
constexpr int most_attempts = 1 << 17;  // cuts times swizzles: a matrix has some thousands

// Equations over whole numbers, in echelon form: each row begins at a different unknown.
class StrideEquations {
 public:
  explicit StrideEquations(std::size_t unknowns) : rows_(unknowns) {}

  // Adds an equation, whose last number is the right-hand side. Returns false if it contradicts the earlier ones.
  bool include(std::vector<std::int64_t> row) {
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      if (row[at] == 0) continue;
      if (rows_[at].empty()) {
        rows_[at] = std::move(row);
        return true;
      }
      eliminate(row, rows_[at], at);
    }
    return row.back() == 0;
  }

  // Whether the equations determine the value of a sum with these factors.
  bool decides(std::vector<std::int64_t> row) const {
    for (std::size_t at = 0; at < rows_.size(); ++at) {
      if (row[at] == 0) continue;
      if (rows_[at].empty()) return false;
      eliminate(row, rows_[at], at);
    }
    return true;
  }

  // None if an unknown is not determined, or is not whole.
  std::optional<std::vector<std::int64_t>> solution() const {
    std::vector<std::int64_t> values(rows_.size());
    for (std::size_t at = rows_.size(); at-- > 0;) {
      if (rows_[at].empty()) return std::nullopt;
      std::int64_t rest = rows_[at].back();
      for (std::size_t i = at + 1; i < rows_.size(); ++i)
        rest = checked_add(rest, -checked_mul(rows_[at][i], values[i]));
      if (rest % rows_[at][at] != 0) return std::nullopt;
      values[at] = rest / rows_[at][at];
    }
    return values;
  }

 private:
  static void eliminate(std::vector<std::int64_t>& row, const std::vector<std::int64_t>& pivot, std::size_t at) {
    const std::int64_t common = std::gcd(row[at], pivot[at]);
    const std::int64_t by = pivot[at] / common, times = row[at] / common;
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = checked_add(checked_mul(row[i], by), -checked_mul(pivot[i], times));
  }

  std::vector<std::vector<std::int64_t>> rows_;
};

// One way to cut the dimensions: the extent of the inner mode of each, or 0 if it is not cut.
using DimensionCuts = std::vector<std::int64_t>;

// 1 for the offset, one digit per mode, and room for the right-hand side.
std::vector<std::int64_t> digits_of(const std::vector<std::int64_t>& coordinate, const DimensionCuts& cuts) {
  std::vector<std::int64_t> row{1};
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    if (cuts[d] == 0) {
      row.push_back(coordinate[d]);
    } else {
      row.push_back(coordinate[d] % cuts[d]);
      row.push_back(coordinate[d] / cuts[d]);
    }
  }
  row.push_back(0);
  return row;
}

std::vector<std::int64_t> inner_extents(std::int64_t extent) {
  std::vector<std::int64_t> found;
  for (std::int64_t e = 2; e < extent && e <= 1 << 16; ++e)
    if (extent % e == 0 || is_power_of_two(e)) found.push_back(e);
  return found;
}

// All ways with this many cuts; each dimension is cut at most once.
std::vector<DimensionCuts> all_cuts(const std::vector<std::int64_t>& shape, std::size_t count) {
  std::vector<DimensionCuts> all{DimensionCuts(shape.size(), 0)};
  for (std::size_t round = 0; round < count; ++round) {
    std::vector<DimensionCuts> next;
    for (const DimensionCuts& before : all)
      for (std::size_t d = 0; d < shape.size(); ++d) {
        // Dimensions are cut from left to right, so that no way occurs twice.
        if (std::any_of(before.begin() + static_cast<std::ptrdiff_t>(d), before.end(),
                        [](std::int64_t e) { return e != 0; }))
          continue;
        for (const std::int64_t e : inner_extents(shape[d])) {
          next.push_back(before);
          next.back()[d] = e;
        }
      }
    all = std::move(next);
  }
  return all;
}

ComposedLayout layout_of_cuts(const std::vector<std::int64_t>& shape, const DimensionCuts& cuts,
                              const std::vector<std::int64_t>& solved, const Swizzle& swizzle) {
  std::vector<IntTuple> extents, strides;
  std::size_t at = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (cuts[d] == 0) {
      extents.emplace_back(shape[d]);
      strides.emplace_back(shape[d] == 1 ? 0 : solved[at]);
      at += 1;
    } else {
      extents.emplace_back(std::vector<IntTuple>{cuts[d], ceil_div(shape[d], cuts[d])});
      strides.emplace_back(std::vector<IntTuple>{solved[at], solved[at + 1]});
      at += 2;
    }
  }
  const Layout layout =
      shape.size() == 1 ? Layout(extents[0], strides[0]) : Layout(IntTuple(extents), IntTuple(strides));
  if (swizzle.is_identity() && solved[0] == 0) return ComposedLayout(layout);
  return ComposedLayout(swizzle, solved[0], layout);
}

class SomeOffsets {
 public:
  explicit SomeOffsets(const KnownOffsets& known) : known_(known) {
    for (const KnownOffset& point : known.points) coordinates_.push_back(known.coordinate(point.index));
  }

  void attempt(const DimensionCuts& cuts, const Swizzle& swizzle) try {
    if (++attempts_ > most_attempts) return;
    StrideEquations equations = equations_of(cuts);
    const auto agrees = [&](std::size_t i) {
      std::vector<std::int64_t> row = digits_of(coordinates_[i], cuts);
      row.back() = swizzle(known_.points[i].offset);
      return equations.include(std::move(row));
    };
    if (!std::ranges::all_of(telling_, agrees)) return;
    for (std::size_t i = 0; i < coordinates_.size(); ++i) {
      if (agrees(i)) continue;
      if (telling_.size() < most_telling_points) telling_.push_back(i);
      return;
    }
    const auto solved = equations.solution();
    if (solved) {
      const ComposedLayout layout = layout_of_cuts(known_.shape, cuts, *solved, swizzle);
      if (has_all(layout) && candidates_.size() < most_fit_candidates) candidates_.push_back(layout);
    } else if (!open_) {
      open_ = first_open(equations, cuts);
    }
  } catch (const Error&) {
    // Numbers beyond 64 bits, or a swizzle below negative offsets: not a candidate.
  }

  bool has_answer() const { return !candidates_.empty() || open_; }
  Fit answer() const;

 private:
  // The equations before any point is known: an extent of 1 has no stride.
  StrideEquations equations_of(const DimensionCuts& cuts) const {
    const std::size_t width = digits_of(coordinates_[0], cuts).size();
    StrideEquations equations(width - 1);
    std::size_t unknown = 1;
    for (std::size_t d = 0; d < cuts.size(); ++d) {
      if (known_.shape[d] == 1) {
        std::vector<std::int64_t> row(width, 0);
        row[unknown] = 1;
        equations.include(std::move(row));
      }
      unknown += cuts[d] == 0 ? 1 : 2;
    }
    return equations;
  }

  // The offset at a coordinate of the box. An inner mode may leave the last outer step incomplete.
  std::int64_t offset_in(const ComposedLayout& layout, std::int64_t index) const {
    return offset_at(layout, IntTuple([&] {
                       std::vector<IntTuple> all;
                       for (const std::int64_t c : known_.coordinate(index)) all.emplace_back(c);
                       return all.size() == 1 ? all[0] : IntTuple(all);
                     }()));
  }
  bool has_all(const ComposedLayout& layout) const {
    return std::ranges::all_of(known_.points,
                               [&](const KnownOffset& p) { return offset_in(layout, p.index) == p.offset; });
  }
  // A coordinate whose offset the equations do not determine. If the offset and one coordinate per digit are
  // determined, all are.
  std::optional<std::int64_t> first_open(const StrideEquations& equations, const DimensionCuts& cuts) const {
    std::int64_t step = 1;
    for (std::size_t d = 0; d < known_.shape.size(); ++d) {
      for (const std::int64_t c : {std::int64_t{1}, cuts[d]})
        if (c < known_.shape[d] && !equations.decides(digits_of(known_.coordinate(c * step), cuts))) return c * step;
      step *= known_.shape[d];
    }
    return equations.decides(digits_of(known_.coordinate(0), cuts)) ? std::nullopt : std::optional<std::int64_t>(0);
  }

  const KnownOffsets& known_;
  std::vector<std::vector<std::int64_t>> coordinates_;
  std::vector<std::size_t> telling_;  // points that contradicted a way: they are tried first with the next one
  int attempts_ = 0;
  std::vector<ComposedLayout> candidates_;
  std::optional<std::int64_t> open_;
};

Fit SomeOffsets::answer() const {
  Fit fit;
  fit.deciding = open_;
  if (candidates_.empty()) return fit;
  fit.layout = *std::ranges::min_element(candidates_, {}, [](const ComposedLayout& l) { return to_string(l).size(); });
  fit.is_exact = true;
  // Candidates that differ, each once; the first place where one differs decides.
  constexpr std::int64_t most_places = 1 << 16;
  std::vector<ComposedLayout> different{*fit.layout};
  for (const ComposedLayout& one : candidates_) {
    const auto differs_at = [&](const ComposedLayout& other) -> std::optional<std::int64_t> {
      for (std::int64_t i = 0; i < std::min(known_.size(), most_places); ++i)
        if (offset_in(one, i) != offset_in(other, i)) return i;
      return std::nullopt;
    };
    if (!std::ranges::all_of(different, [&](const ComposedLayout& other) { return differs_at(other).has_value(); }))
      continue;
    if (!fit.deciding) fit.deciding = differs_at(*fit.layout);
    different.push_back(one);
  }
  if (different.size() > 1) fit.candidates = std::move(different);
  return fit;
}

}  // namespace

Fit fit_some(const KnownOffsets& known) {
  SomeOffsets offsets(known);
  std::vector<std::int64_t> values;
  for (const KnownOffset& point : known.points) values.push_back(point.offset);
  std::vector<Swizzle> swizzles = swizzles_on(set_bits_of(values), most_fit_swizzle_bits);
  std::erase_if(swizzles, [](const Swizzle& swizzle) { return swizzle.shift() < 0; });
  // Fewer modes come before more modes; layouts without a swizzle before those with one.
  for (std::size_t count = 0; count <= std::min<std::size_t>(known.shape.size(), 2) && !offsets.has_answer(); ++count) {
    const std::vector<DimensionCuts> ways = all_cuts(known.shape, count);
    for (const DimensionCuts& cuts : ways) offsets.attempt(cuts, Swizzle());
    if (offsets.has_answer() || count > 1) continue;
    for (const Swizzle& swizzle : swizzles)
      for (const DimensionCuts& cuts : ways) offsets.attempt(cuts, swizzle);
  }
  return offsets.answer();
}

}  // namespace swz
