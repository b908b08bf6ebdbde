// SPDX-License-Identifier: Apache-2.0
#include "identify/fit.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/checked.hpp"
#include "layout/swizzle.hpp"

namespace swz {
namespace {

// The values along one dimension, without the swizzle that is being tried.
struct OffsetLineView {
  const OffsetTable& table;
  const Swizzle& swizzle;
  std::int64_t first = 0, step = 1;

  std::int64_t operator()(std::int64_t i) const {
    return swizzle(table.values[static_cast<std::size_t>(first + i * step)]);
  }
};

// Extents and strides of one dimension; none if it has none.
std::optional<std::vector<FlatMode>> fit_dimension(const OffsetLineView& line, std::int64_t extent) {
  std::vector<FlatMode> modes;
  const std::int64_t origin = line(0);
  for (std::int64_t period = 1; period < extent;) {
    const std::int64_t left = extent / period;
    const std::int64_t stride = step_between(origin, line(period));
    std::int64_t count = 2;
    while (count < left && step_between(line((count - 1) * period), line(count * period)) == stride) ++count;
    if (left % count != 0) return std::nullopt;
    modes.push_back({count, stride});
    period *= count;
  }
  return modes;
}

Layout layout_of_dimensions(const std::vector<std::vector<FlatMode>>& dimensions) {
  std::vector<Layout> modes;
  for (const auto& one : dimensions) modes.emplace_back(std::span<const FlatMode>(one));
  if (modes.size() == 1) return modes[0];
  return make_layout(modes);
}

bool has_values(const ComposedLayout& layout, std::span<const std::int64_t> values) {
  // Most wrong layouts are wrong at a few places far apart.
  constexpr std::size_t samples = 64;
  for (std::size_t i = 0; i < values.size(); i += values.size() / samples + 1)
    if (layout(static_cast<std::int64_t>(i)) != values[i]) return false;
  std::vector<std::int64_t> table(values.size());
  tabulate(layout, table);
  return std::ranges::equal(table, values);
}

// Whether the modes give a few of the values, checked before they become a layout: modulo 2^64, as step_between counts.
bool has_some_values(const std::vector<std::vector<FlatMode>>& dimensions, const OffsetTable& table,
                     const Swizzle& swizzle) {
  constexpr std::size_t samples = 7;
  const std::size_t last = table.values.size() - 1;
  for (std::size_t sample = 1; sample <= samples; ++sample) {
    const std::size_t index = last * sample / samples;
    auto rest = static_cast<std::int64_t>(index);
    auto sum = static_cast<std::uint64_t>(swizzle(table.values[0]));
    for (std::size_t d = 0; d < dimensions.size(); rest /= table.shape[d++]) {
      std::int64_t at = rest % table.shape[d];
      for (const FlatMode& mode : dimensions[d]) {
        sum += static_cast<std::uint64_t>(at % mode.extent) * static_cast<std::uint64_t>(mode.stride);
        at /= mode.extent;
      }
    }
    if (sum != static_cast<std::uint64_t>(swizzle(table.values[index]))) return false;
  }
  return true;
}

std::optional<ComposedLayout> fit_with(const OffsetTable& table, const Swizzle& swizzle) {
  std::vector<std::vector<FlatMode>> dimensions;
  std::int64_t step = 1;
  for (const std::int64_t extent : table.shape) {
    auto modes = fit_dimension({table, swizzle, 0, step}, extent);
    if (!modes) return std::nullopt;
    dimensions.push_back(std::move(*modes));
    step *= extent;
  }
  if (!has_some_values(dimensions, table, swizzle)) return std::nullopt;
  try {
    const std::int64_t offset = swizzle(table.values[0]);
    const Layout layout = layout_of_dimensions(dimensions);
    ComposedLayout found =
        swizzle.is_identity() && offset == 0 ? ComposedLayout(layout) : ComposedLayout(swizzle, offset, layout);
    if (has_values(found, table.values)) return found;
  } catch (const Error&) {
    // With negative offsets below a swizzle, or more than 62 bits, it is not a layout.
  }
  return std::nullopt;
}

// The offset of each bit of each dimension; empty if the values are not linear over GF(2).
std::vector<std::vector<std::uint64_t>> linear_bases(const OffsetTable& table) {
  const auto value = [&](std::int64_t i) {
    return static_cast<std::uint64_t>(table.values[static_cast<std::size_t>(i)]);
  };
  if (value(0) != 0 || !std::ranges::all_of(table.shape, is_power_of_two)) return {};
  std::vector<std::vector<std::uint64_t>> bases;
  std::vector<std::uint64_t> columns;
  for (const std::int64_t extent : table.shape) {
    bases.emplace_back();
    for (std::int64_t bit = 1; bit < extent; bit *= 2) {
      bases.back().push_back(value(std::int64_t{1} << columns.size()));
      columns.push_back(bases.back().back());
    }
  }
  for (std::size_t i = 1; i < table.values.size(); ++i) {
    const std::size_t without_lowest = i & (i - 1);
    if (value(static_cast<std::int64_t>(i)) !=
        (value(static_cast<std::int64_t>(without_lowest)) ^ columns[static_cast<std::size_t>(std::countr_zero(i))]))
      return {};
  }
  return bases;
}

std::vector<FitException> exceptions_of(const ComposedLayout& layout, const KnownOffsets& known) {
  std::vector<FitException> exceptions;
  for (const KnownOffset& point : known.points)
    if (const std::int64_t found = layout(point.index); found != point.offset)
      exceptions.push_back({point.index, point.offset, found});
  return exceptions;
}

std::vector<std::int64_t> offsets_by_index(const KnownOffsets& known) {
  std::vector<std::int64_t> values;
  values.reserve(known.points.size());
  for (const KnownOffset& point : known.points) values.push_back(point.offset);
  return values;
}

Fit fit_table(const OffsetTable& table) {
  Fit fit;
  fit.layout = fit_all(table);
  fit.bases = linear_bases(table);
  fit.is_exact = fit.layout || !fit.bases.empty();
  return fit;
}

}  // namespace

std::uint64_t set_bits_of(std::span<const std::int64_t> offsets) {
  std::uint64_t bits = 0;
  for (const std::int64_t offset : offsets) bits |= static_cast<std::uint64_t>(offset);
  return bits;
}

std::vector<Swizzle> swizzles_on(std::uint64_t bits, int most_bits) {
  std::vector<Swizzle> all;
  const int width = std::min(62, 64 - std::countl_zero(bits));        // a swizzle has its bits below bit 62
  if (width == 0 || static_cast<std::int64_t>(bits) < 0) return all;  // a negative offset is not swizzled
  for (int b = 1; b <= std::min(most_bits, width / 2); ++b)
    for (int base = 0; base + b <= width; ++base)
      for (int shift = b; base + shift + b <= width; ++shift)
        for (const int signed_shift : {shift, -shift}) {
          const int top = base + b - 1 + (signed_shift > 0 ? shift : 0);
          // The highest bit that it reads is set in some offset; otherwise a smaller swizzle is the same.
          if ((bits >> top & 1) != 0) all.emplace_back(b, base, signed_shift);
        }
  return all;
}

std::optional<ComposedLayout> fit_all(const OffsetTable& table) {
  std::optional<ComposedLayout> best = fit_with(table, Swizzle());
  std::size_t length = best ? to_string(*best).size() : SIZE_MAX;
  if (length <= std::string_view("Sw<1,0,1> o 0 o 2:1").size()) return best;
  for (const Swizzle& swizzle : swizzles_on(set_bits_of(table.values), 31)) {
    const auto found = fit_with(table, swizzle);
    if (!found) continue;
    if (const std::size_t size = to_string(*found).size(); size < length) {
      best = found;
      length = size;
    }
  }
  return best;
}

Fit fit_exactly(const KnownOffsets& known) {
  const std::vector<std::int64_t> values = offsets_by_index(known);
  return fit_table({known.shape, values});
}

Fit fit_layout(const KnownOffsets& known) {
  if (!known.is_complete()) return fit_some(known);
  const std::vector<std::int64_t> values = offsets_by_index(known);
  const OffsetTable table{known.shape, values};
  Fit fit = fit_table(table);
  if (fit.is_exact) return fit;
  fit.layout = fit_most(table);
  if (fit.layout) fit.exceptions = exceptions_of(*fit.layout, known);
  if (2 * fit.exceptions.size() > known.points.size()) {
    fit.layout.reset();
    fit.exceptions.clear();
  }
  return fit;
}

}  // namespace swz
