// fit_most: extents and strides by majority, so that a few wrong values do not change them.
#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "identify/fit.hpp"
#include "layout/swizzle.hpp"

namespace swz {
namespace {

constexpr std::size_t all_voters = 256, first_voters = 48;

// What occurs most often. Empty: none.
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

// Steps along one dimension, wherever the others are.
class StepVotes {
 public:
  StepVotes(const OffsetTable& table, const Swizzle& swizzle, std::size_t dimension, std::size_t voters)
      : table_(table), swizzle_(swizzle), extent_(table.shape[dimension]), voters_(voters) {
    for (std::size_t d = 0; d < dimension; ++d) stride_ *= table.shape[d];
  }

  // How far the values of the coordinates move that go on by `step`; is_asked says of which coordinates.
  template <class IsAsked>
  Majority ask(std::int64_t step, IsAsked is_asked, std::size_t& voters) const {
    std::vector<std::int64_t> votes;
    const auto size = static_cast<std::int64_t>(table_.values.size());
    // Steps that share no factor with the extents meet every digit.
    const std::int64_t stride = std::max<std::int64_t>(1, size / static_cast<std::int64_t>(voters_)) | 1;
    for (std::int64_t i = 0; i < size; i += stride) {
      const std::int64_t at = i / stride_ % extent_;
      if (at + step < extent_ && is_asked(at))
        votes.push_back(step_between(swizzle_(table_.values[static_cast<std::size_t>(i)]),
                                     swizzle_(table_.values[static_cast<std::size_t>(i + step * stride_)])));
    }
    voters = votes.size();
    return majority_of(votes);
  }

  // Modes, the fastest first. None: not even a third of the steps agree.
  std::optional<std::vector<FlatMode>> modes() const {
    std::vector<FlatMode> found;
    for (std::int64_t period = 1; period < extent_;) {
      const std::int64_t left = extent_ / period;
      std::int64_t count = 1, stride = 0;
      // An extent grows by a prime factor as long as most steps over the boundary go on as those before.
      for (std::int64_t factor = next_factor(left); factor > 1; factor = next_factor(left / count)) {
        const std::int64_t whole = count * factor;
        std::size_t voters = 0;
        const Majority step = ask(
            period,
            [&](std::int64_t at) {
              const std::int64_t digit = at / period % whole;
              return digit + 1 < whole && (digit + 1) % count == 0;
            },
            voters);
        if (count == 1 && 3 * step.count < voters) return std::nullopt;
        if (count > 1 && (step.value != stride || 2 * step.count <= voters)) break;
        if (voters == 0) break;
        stride = step.value;
        count = whole;
      }
      if (count == 1) count = left;
      found.push_back({count, stride});
      period *= count;
    }
    return found;
  }

 private:
  static std::int64_t next_factor(std::int64_t n) {
    for (std::int64_t p = 2; p * p <= n; ++p)
      if (n % p == 0) return p;
    return n;
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
    for (std::size_t i = 0; i < table.values.size(); i += table.values.size() / all_voters + 1)
      votes.push_back(step_between(layout(static_cast<std::int64_t>(i)), swizzle(table.values[i])));
    const std::int64_t offset = majority_of(votes).value;
    if (swizzle.is_identity() && offset == 0) return ComposedLayout(layout);
    return ComposedLayout(swizzle, offset, layout);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Of about `samples` of the values, how many the layout has.
std::size_t agreeing(const ComposedLayout& layout, std::span<const std::int64_t> values, std::size_t samples) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); i += values.size() / samples + 1)
    count += layout(static_cast<std::int64_t>(i)) == values[i] ? 1 : 0;
  return count * (values.size() / samples + 1);
}

}  // namespace

std::optional<ComposedLayout> fit_most(const OffsetTable& table) {
  constexpr int most_swizzle_bits = 3;
  std::optional<ComposedLayout> best = most_with(table, Swizzle(), all_voters);
  std::size_t most = best ? agreeing(*best, table.values, all_voters) : 0;
  for (const Swizzle& swizzle : swizzles_on(set_bits_of(table.values), most_swizzle_bits)) {
    if (swizzle.shift() < 0 || !most_with(table, swizzle, first_voters)) continue;
    const auto found = most_with(table, swizzle, all_voters);
    // A swizzle has to explain more than a layout without one.
    const std::size_t count = found ? agreeing(*found, table.values, all_voters) : 0;
    if (count <= most) continue;
    best = found;
    most = count;
  }
  return best;
}

}  // namespace swz
