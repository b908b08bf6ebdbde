// SPDX-License-Identifier: Apache-2.0
#include "identify/number_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/float_parts.hpp"

namespace swz {

void NumberSteps::Range::include(double n) {
  const bool is_first = is_empty();
  lowest = is_first ? n : std::min(lowest, n);
  highest = is_first ? n : std::max(highest, n);
}

void NumberSteps::include(const std::vector<double>& numbers, bool is_whole) {
  for (const double n : numbers) all_.include(n);
  if (!is_whole || numbers.size() < 2) return;
  const double step = numbers[1] - numbers[0];
  for (std::size_t i = 2; i < numbers.size(); ++i)
    if (numbers[i] - numbers[i - 1] != step) return;
  Range& seen = steps_[step];
  ++seen.votes;
  for (const double n : {numbers.front(), numbers.back()}) seen.include(n);
}

std::vector<TileContent> NumberSteps::proposed(const DType& dtype, TileExtents extents, TileContent::As as) const {
  constexpr std::size_t most_steps = 4;
  std::vector<std::pair<double, Range>> most(steps_.begin(), steps_.end());
  std::ranges::stable_sort(most, std::greater{}, [](const auto& s) { return s.second.votes; });
  most.resize(std::min(most.size(), most_steps));
  std::vector<TileContent> out;
  const auto append = [&](double step, double lowest, double highest) {
    for (const Major direction : {Major::K, Major::MN})
      for (const TileContent& content : proposed_contents(dtype, extents, as, direction, step, lowest, highest))
        out.push_back(content);
  };
  for (const auto& [step, seen] : most) {
    append(step, seen.lowest, seen.highest);
    // Rounded numbers are not in lines: the full range of numbers may go further.
    if (all_.highest > seen.highest || all_.lowest < seen.lowest) append(step, all_.lowest, all_.highest);
  }
  // If everything is rounded: an arange whose ends give its step, with a step as people write it.
  const auto last = static_cast<double>(extents.mn * extents.k - 1);
  const double span = (all_.highest - all_.lowest) / last;
  if (as != TileContent::As::values || !(span > 0) || !std::isfinite(span)) return out;
  for (const double digits : {1.0, 10.0, 100.0, 1000.0}) {
    const double unit = power_of_ten_up_to(span) / digits, step = nearest_whole(span / unit) * unit;
    constexpr int most_shift = 8;
    for (int shift = -most_shift; shift <= most_shift; ++shift) {
      const double start = nearest_whole(all_.lowest / step) * step + shift * step;
      append(step, start, start + step * last);
    }
  }
  return out;
}

}  // namespace swz
