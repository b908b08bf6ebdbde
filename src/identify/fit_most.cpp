// SPDX-License-Identifier: Apache-2.0
// fit_most: extents and strides by majority, so that a few wrong values do not change them.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/error.hpp"
#include "identify/fit.hpp"
#include "layout/swizzle.hpp"

namespace swz {
namespace {

constexpr std::size_t all_voters = 256, first_voters = 48, most_compared = 4096;

// The step that takes about `samples` of the values. It shares no factor with the extents, so it meets every digit of
// each.
std::size_t sampling_step(std::size_t size, std::size_t samples) {
  std::size_t step = std::max<std::size_t>(1, size / samples);
  while (std::gcd(step, size) != 1) ++step;
  return step;
}

// The divisors except 1, in ascending order.
std::vector<std::int64_t> divisors_of(std::int64_t n) {
  std::vector<std::int64_t> divisors, large{n};
  for (std::int64_t d = 2; d * d <= n; ++d) {
    if (n % d != 0) continue;
    divisors.push_back(d);
    if (d * d != n) large.push_back(n / d);
  }
  divisors.insert(divisors.end(), large.rbegin(), large.rend());
  return divisors;
}

// The most frequent value. The count is 0 if there is no vote.
struct Majority {
  std::int64_t value = 0;
  std::size_t count = 0;
};
Majority majority_of(const std::vector<std::int64_t>& votes) {
  std::unordered_map<std::int64_t, std::size_t> counts;
  Majority best;
  for (const std::int64_t vote : votes)
    if (const std::size_t count = ++counts[vote]; count > best.count) best = {vote, count};
  return best;
}

// The steps along one dimension, at all coordinates of the others.
class StepVotes {
 public:
  StepVotes(const OffsetTable& table, const Swizzle& swizzle, std::size_t dimension, std::size_t voters)
      : table_(table), swizzle_(swizzle), extent_(table.shape[dimension]), voters_(voters) {
    for (std::size_t d = 0; d < dimension; ++d) stride_ *= table.shape[d];
  }

  // The modes, fastest first. None if not even a third of the steps agree.
  std::optional<std::vector<FlatMode>> modes() const {
    std::vector<FlatMode> found;
    for (std::int64_t period = 1; period < extent_;) {
      const std::int64_t left = extent_ / period;
      const std::vector<std::int64_t> extents = divisors_of(left);
      // Most of these steps stay inside the mode, whatever its extent is.
      const std::vector<std::int64_t> inside =
          steps(period, [&](std::int64_t digit) { return digit % extents.front() == 0; });
      const Majority stride = majority_of(inside);
      if (3 * stride.count < inside.size()) return std::nullopt;
      const auto ends = [&](std::int64_t extent) { return extent == left || !goes_on(period, extent, stride.value); };
      const std::int64_t extent = *std::ranges::find_if(extents, ends);
      found.push_back({extent, stride.value});
      period *= extent;
    }
    return found;
  }

 private:
  // The steps of the values from each coordinate to the one `period` further; is_asked selects the multiples of
  // `period` at which they are taken.
  template <class IsAsked>
  std::vector<std::int64_t> steps(std::int64_t period, IsAsked is_asked) const {
    std::vector<std::int64_t> votes;
    const auto size = static_cast<std::int64_t>(table_.values.size());
    const auto every = static_cast<std::int64_t>(sampling_step(table_.values.size(), voters_));
    for (std::int64_t i = 0; i < size; i += every) {
      const std::int64_t at = i / stride_ % extent_;
      if (at + period < extent_ && is_asked(at / period))
        votes.push_back(step_between(swizzle_(table_.values[static_cast<std::size_t>(i)]),
                                     swizzle_(table_.values[static_cast<std::size_t>(i + period * stride_)])));
    }
    return votes;
  }

  // Whether a mode continues past this extent. At its true end at most half of the steps look like those inside: all
  // that carry into the mode after the next, if the next has extent 2. An extent that does not divide the true one
  // meets its end in a third of the steps or less; one that does divide it may be mistaken for it, and is merged with
  // the rest later.
  bool goes_on(std::int64_t period, std::int64_t extent, std::int64_t stride) const {
    const std::vector<std::int64_t> across =
        steps(period, [&](std::int64_t digit) { return (digit + 1) % extent == 0; });
    return 12 * std::ranges::count(across, stride) >= 7 * std::ssize(across) && !across.empty();
  }

  const OffsetTable& table_;
  const Swizzle& swizzle_;
  std::int64_t extent_, stride_ = 1;
  std::size_t voters_;
};

std::optional<ComposedLayout> most_with(const OffsetTable& table, const Swizzle& swizzle, std::size_t voters) {
  std::vector<Layout> dimensions;
  try {
    for (std::size_t d = 0; d < table.shape.size(); ++d) {
      const auto modes = StepVotes(table, swizzle, d, voters).modes();
      if (!modes) return std::nullopt;
      // Layout refuses strides that do not fit, before modes are merged.
      const Layout whole{std::span<const FlatMode>(*modes)};
      dimensions.emplace_back(std::span<const FlatMode>(coalesce_modes(whole.modes())));
    }
    const Layout layout = dimensions.size() == 1 ? dimensions[0] : make_layout(dimensions);
    std::vector<std::int64_t> votes;
    const std::size_t every = sampling_step(table.values.size(), all_voters);
    for (std::size_t i = 0; i < table.values.size(); i += every)
      votes.push_back(step_between(layout(static_cast<std::int64_t>(i)), swizzle(table.values[i])));
    const std::int64_t offset = majority_of(votes).value;
    if (swizzle.is_identity() && offset == 0) return ComposedLayout(layout);
    return ComposedLayout(swizzle, offset, layout);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The number of compared values that the layout has.
std::size_t agreeing(const ComposedLayout& layout, std::span<const std::int64_t> values) {
  std::size_t count = 0;
  const std::size_t every = sampling_step(values.size(), most_compared);
  for (std::size_t i = 0; i < values.size(); i += every)
    count += layout(static_cast<std::int64_t>(i)) == values[i] ? 1 : 0;
  return count;
}

}  // namespace

std::optional<ComposedLayout> fit_most(const OffsetTable& table) {
  constexpr int most_swizzle_bits = 3;
  std::optional<ComposedLayout> best = most_with(table, Swizzle(), all_voters);
  std::size_t most = best ? agreeing(*best, table.values) : 0;
  for (const Swizzle& swizzle : swizzles_on(set_bits_of(table.values), most_swizzle_bits)) {
    if (swizzle.shift() < 0 || !most_with(table, swizzle, first_voters)) continue;
    const auto found = most_with(table, swizzle, all_voters);
    // A swizzle must explain more values than the layout without one.
    const std::size_t count = found ? agreeing(*found, table.values) : 0;
    if (count <= most) continue;
    best = found;
    most = count;
  }
  return best;
}

}  // namespace swz
