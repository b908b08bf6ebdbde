// SPDX-License-Identifier: Apache-2.0
#include "dialect/layout_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "base/checked.hpp"
#include "base/limits.hpp"

namespace swz {

std::int64_t element_count(const ArrayShape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 1) throw Error(fmt::format("the extent {} of {}", extent, shape_text(shape)), "extents start at 1");
    count = checked_mul(count, extent);
  }
  require_within(limits::known_values, count);
  return count;
}

bool are_powers_of_two(const ArrayShape& shape) { return std::ranges::all_of(shape, is_power_of_two); }

std::string shape_text(const ArrayShape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

std::vector<std::int64_t> coordinate_of(std::int64_t number, const ArrayShape& shape) {
  std::vector<std::int64_t> coordinate(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; number /= shape[d]) coordinate[d] = number % shape[d];
  return coordinate;
}

std::int64_t number_of(const std::vector<std::int64_t>& coordinate, const ArrayShape& shape) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + coordinate[d];
  return number;
}

ElementWidth width_of(const DType& dtype) { return {&dtype, dtype.memory_bits}; }

const ArrayShape& shape_of(const LayoutForm& form) {
  return std::visit([](const auto& f) -> const ArrayShape& { return f.shape; }, form);
}
ElementWidth element_of(const LayoutForm& form) {
  return std::visit([](const auto& f) { return f.element; }, form);
}

std::vector<std::int64_t> column_major_numbers(const ArrayShape& shape) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(element_count(shape)));
  std::vector<std::int64_t> coordinate(shape.size());
  for (std::int64_t& number : numbers) {
    number = number_of(coordinate, shape);
    for (std::size_t d = 0; d < shape.size() && ++coordinate[d] == shape[d]; ++d) coordinate[d] = 0;
  }
  return numbers;
}

Layout array_layout(const std::vector<Layout>& dimensions) {
  const bool is_leaf = dimensions.size() == 1 && rank(dimensions[0]) == 1;
  return is_leaf ? dimensions[0] : make_layout(dimensions);
}

namespace {

int bit_count(const ArrayShape& shape) {
  return std::accumulate(shape.begin(), shape.end(), 0, [](int n, std::int64_t e) { return n + log2_exact(e); });
}

std::int64_t padded(std::int64_t x, const std::vector<Padding>& padding) {
  std::int64_t y = x;
  for (const Padding& p : padding) y += x / p.interval * p.amount;
  return y;
}

// The modes of one dimension, from the offset of each of its steps. None if it is not a layout.
std::optional<std::vector<FlatMode>> modes_of(std::int64_t extent,
                                              const std::function<std::int64_t(std::int64_t)>& offset) {
  std::vector<FlatMode> modes;
  for (std::int64_t span = 1; span < extent;) {
    const std::int64_t stride = offset(span);
    std::int64_t steps = 2;
    while (steps * span < extent && offset(steps * span) == steps * stride) ++steps;
    while (extent % (steps * span) != 0) --steps;
    if (steps == 1) return std::nullopt;
    modes.push_back({steps, stride});
    span *= steps;
  }
  return modes;
}

Layout layout_of(const std::vector<std::vector<FlatMode>>& dimensions) {
  std::vector<Layout> modes;
  for (const std::vector<FlatMode>& leaves : dimensions) modes.emplace_back(coalesce_modes(leaves));
  return array_layout(modes);
}

// The layout with these offsets, which are in the order of the numbers. None if there is none.
std::optional<Layout> fitted_layout(const std::vector<std::int64_t>& offsets, const ArrayShape& shape) {
  std::vector<std::vector<FlatMode>> dimensions;
  std::int64_t step = element_count(shape);
  for (const std::int64_t extent : shape) {
    step /= extent;
    const auto modes = modes_of(extent, [&](std::int64_t i) { return offsets[static_cast<std::size_t>(i * step)]; });
    if (!modes) return std::nullopt;
    dimensions.push_back(*modes);
  }
  Layout layout = layout_of(dimensions);
  const std::vector<std::int64_t> numbers = column_major_numbers(shape);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (layout(static_cast<std::int64_t>(i)) != offsets[static_cast<std::size_t>(numbers[i])]) return std::nullopt;
  return layout;
}

// The linear map with these values. None if they are not linear.
std::optional<LinearMap> fitted_map(const std::vector<std::int64_t>& offsets, const ArrayShape& shape) {
  if (!are_powers_of_two(shape)) return std::nullopt;
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < bit_count(shape); ++i)
    columns.push_back(static_cast<std::uint64_t>(offsets[std::size_t{1} << i]));
  LinearMap map(std::move(columns));
  for (std::size_t x = 0; x < offsets.size(); ++x)
    if (offsets[x] < 0 || map(x) != static_cast<std::uint64_t>(offsets[x])) return std::nullopt;
  return map;
}

// The stride of each bit of the number under a layout with one mode per dimension. None if the extent of a leaf is not
// a power of two.
std::optional<std::vector<std::int64_t>> bit_strides(const Layout& layout) {
  std::vector<std::int64_t> strides;
  for (std::size_t d = rank(layout); d-- > 0;) {
    const Layout leaves = mode(layout, d);
    for (const FlatMode& m : leaves.modes()) {
      if (!is_power_of_two(m.extent)) return std::nullopt;
      for (int b = 0; b < log2_exact(m.extent); ++b) strides.push_back(checked_mul(m.stride, std::int64_t{1} << b));
    }
  }
  return strides;
}

std::optional<LinearMap> linear_of(const ComposedLayout& l) {
  if (l.offset() != 0) return std::nullopt;
  const auto strides = bit_strides(l.layout());
  if (!strides || strides->size() > 62) return std::nullopt;
  std::uint64_t taken = 0;
  std::vector<std::uint64_t> columns;
  for (const std::int64_t s : *strides) {
    const auto bits = static_cast<std::uint64_t>(s);
    if (s < 0 || (taken & bits) != 0) return std::nullopt;  // the sums would carry
    taken |= bits;
    columns.push_back(static_cast<std::uint64_t>(l.element_swizzle()(s)));
  }
  return LinearMap(std::move(columns));
}

// Bit j of x contributes 2^j + sum of (2^j / interval) amounts: twice the contribution of bit j-1, and the new amount.
std::optional<PaddedBits> padded_of(const std::vector<std::int64_t>& strides) {
  std::vector<std::size_t> by_stride(strides.size());
  std::iota(by_stride.begin(), by_stride.end(), std::size_t{0});
  std::ranges::sort(by_stride, {}, [&](std::size_t i) { return strides[i]; });
  PaddedBits result{std::vector<std::uint64_t>(strides.size()), {}};
  std::int64_t twice = 1;
  for (std::size_t j = 0; j < by_stride.size(); ++j) {
    const std::int64_t worth = strides[by_stride[j]];
    if (worth < twice) return std::nullopt;
    if (worth > twice) result.padding.push_back({std::int64_t{1} << j, worth - twice});
    result.columns[by_stride[j]] = std::uint64_t{1} << j;
    twice = checked_mul(2, worth);
  }
  return result;
}

// The layout of columns that are powers of two or 0, which become the leaves of the dimensions.
Layout layout_of_bits(const std::vector<std::int64_t>& strides, const ArrayShape& shape) {
  std::vector<std::vector<FlatMode>> dimensions(shape.size());
  std::size_t bit = 0;
  for (std::size_t d = shape.size(); d-- > 0;)
    for (int b = 0; b < log2_exact(shape[d]); ++b) dimensions[d].push_back({2, strides[bit++]});
  return layout_of(dimensions);
}

// Whether no two numbers share a bit, so that every sum is an XOR.
bool are_disjoint(const std::vector<std::int64_t>& numbers) {
  std::int64_t taken = 0;
  for (const std::int64_t n : numbers) {
    if ((taken & n) != 0) return false;
    taken |= n;
  }
  return true;
}

// The map as strides before the swizzle that writes bits [lowest, highest] with this shift. None if it is not that.
std::optional<ComposedLayout> factored(const LinearMap& map, const ArrayShape& shape, int shift, int lowest,
                                       int highest) {
  const int bits = highest - lowest + 1;
  const int base = shift > 0 ? lowest : lowest + shift;
  if (base < 0 || std::abs(shift) < bits || highest + std::abs(shift) > 61) return std::nullopt;
  const Swizzle swizzle(bits, base, shift);
  std::vector<std::int64_t> strides;
  for (const std::uint64_t column : map.columns()) strides.push_back(swizzle(static_cast<std::int64_t>(column)));
  if (!are_disjoint(strides)) return std::nullopt;
  return ComposedLayout(swizzle, 0, layout_of_bits(strides, shape));
}

// The strides before this swizzle, from the offset of element 0 on. None if the offsets before it are not strides.
std::optional<ComposedLayout> strides_before(const Swizzle& swizzle, const std::vector<std::int64_t>& offsets,
                                             const ArrayShape& shape, const std::vector<std::int64_t>& numbers) {
  const std::int64_t first = swizzle(offsets[0]);
  std::vector<std::vector<FlatMode>> dimensions;
  std::int64_t step = element_count(shape);
  for (const std::int64_t extent : shape) {
    step /= extent;
    auto modes =
        modes_of(extent, [&](std::int64_t i) { return swizzle(offsets[static_cast<std::size_t>(i * step)]) - first; });
    if (!modes) return std::nullopt;
    dimensions.push_back(std::move(*modes));
  }
  const Layout layout = layout_of(dimensions);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t before = first + layout(static_cast<std::int64_t>(i));
    if (before < 0 || swizzle(before) != offsets[static_cast<std::size_t>(numbers[i])]) return std::nullopt;
  }
  return ComposedLayout(swizzle, first, layout);
}

// A swizzle over extents that are not powers of two, or with an offset: any swizzle whose bits are in use.
std::optional<ComposedLayout> swizzled_strides(const std::vector<std::int64_t>& offsets, const ArrayShape& shape) {
  const int width = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::ranges::max(offsets))));
  const std::vector<std::int64_t> numbers = column_major_numbers(shape);
  for (int bits = 1; bits <= 5; ++bits)
    for (int base = 0; base + bits <= width; ++base)
      for (int shift = bits; base + shift < width; ++shift)
        for (const int sign : {1, -1})
          if (auto found = strides_before(Swizzle(bits, base, sign * shift), offsets, shape, numbers)) return found;
  return std::nullopt;
}

}  // namespace

std::optional<ComposedLayout> composed_of(const LinearMap& map, const ArrayShape& shape) {
  const std::vector<std::int64_t> columns(map.columns().begin(), map.columns().end());
  if (are_disjoint(columns)) return ComposedLayout(layout_of_bits(columns, shape));
  // A bit that is read and the bit into which it is XORed are in one column, always at the same distance.
  int shift = 0, lowest = 62, highest_low = -1, highest = -1;
  for (const std::uint64_t column : map.columns()) {
    if (std::popcount(column) < 2) continue;
    const int low = std::countr_zero(column), high = static_cast<int>(std::bit_width(column)) - 1;
    if (std::popcount(column) > 2 || (shift != 0 && high - low != shift)) return std::nullopt;
    shift = high - low;
    lowest = std::min(lowest, low);
    highest_low = std::max(highest_low, low);
    highest = std::max(highest, high);
  }
  if (shift == 0) return std::nullopt;
  if (auto found = factored(map, shape, shift, lowest, highest_low)) return found;
  return factored(map, shape, -shift, lowest + shift, highest);
}

SharedForm shared_form(ArrayShape shape, ElementWidth element, ComposedLayout layout) {
  return {std::move(shape), element, layout.plain()};
}
SharedForm shared_form(ArrayShape shape, ElementWidth element, LinearMap map) {
  return {std::move(shape), element, std::move(map)};
}
SharedForm shared_form(ArrayShape shape, ElementWidth element, std::vector<std::int64_t> offsets) {
  if (auto layout = fitted_layout(offsets, shape))
    return {std::move(shape), element, ComposedLayout(std::move(*layout))};
  if (auto map = fitted_map(offsets, shape)) return {std::move(shape), element, std::move(*map)};
  SharedForm form{std::move(shape), element, std::move(offsets)};
  if (auto swizzled = as_composed(form)) form.map = std::move(*swizzled);
  return form;
}

std::vector<std::int64_t> offsets_of(const SharedForm& form) {
  const auto count = static_cast<std::size_t>(element_count(form.shape));
  std::vector<std::int64_t> offsets(count);
  if (const auto* layout = std::get_if<ComposedLayout>(&form.map)) {
    std::vector<std::int64_t> values(count);
    tabulate(*layout, values);
    const std::vector<std::int64_t> numbers = column_major_numbers(form.shape);
    for (std::size_t i = 0; i < count; ++i) offsets[static_cast<std::size_t>(numbers[i])] = values[i];
  } else if (const auto* map = std::get_if<LinearMap>(&form.map)) {
    for (std::size_t x = 0; x < count; ++x) offsets[x] = static_cast<std::int64_t>((*map)(x));
  } else {
    offsets = std::get<std::vector<std::int64_t>>(form.map);
  }
  if (!form.padding.empty())
    for (std::int64_t& x : offsets) x = padded(x, form.padding);
  return offsets;
}

std::optional<LinearMap> as_linear(const SharedForm& form) {
  if (!are_powers_of_two(form.shape)) return std::nullopt;
  if (!form.padding.empty() || std::holds_alternative<std::vector<std::int64_t>>(form.map))
    return fitted_map(offsets_of(form), form.shape);
  if (const auto* map = std::get_if<LinearMap>(&form.map)) return *map;
  if (auto map = linear_of(std::get<ComposedLayout>(form.map))) return map;
  return fitted_map(offsets_of(form), form.shape);
}

std::optional<ComposedLayout> as_composed(const SharedForm& form) {
  const auto* layout = std::get_if<ComposedLayout>(&form.map);
  if (layout && form.padding.empty()) return *layout;
  const auto* map = std::get_if<LinearMap>(&form.map);
  if (map && form.padding.empty()) return composed_of(*map, form.shape);
  const std::vector<std::int64_t> offsets = offsets_of(form);
  if (auto plain = fitted_layout(offsets, form.shape)) return ComposedLayout(std::move(*plain));
  if (const auto linear = fitted_map(offsets, form.shape)) return composed_of(*linear, form.shape);
  if (!form.padding.empty() || std::ranges::min(offsets) < 0) return std::nullopt;
  return swizzled_strides(offsets, form.shape);
}

std::optional<PaddedBits> as_padded(const SharedForm& form) {
  if (!are_powers_of_two(form.shape)) return std::nullopt;
  if (const auto* map = std::get_if<LinearMap>(&form.map); map && !form.padding.empty())
    return PaddedBits{map->columns(), form.padding};
  if (const auto composed = as_composed(form); composed && composed->is_layout())
    if (const auto strides = bit_strides(composed->layout()))
      if (auto found = padded_of(*strides)) return found;
  if (const auto map = as_linear(form)) return PaddedBits{map->columns(), {}};
  return std::nullopt;
}

std::optional<std::int64_t> first_difference(const SharedForm& a, const SharedForm& b) {
  if (a.map == b.map && a.padding == b.padding) return std::nullopt;
  const std::vector<std::int64_t> of_a = offsets_of(a), of_b = offsets_of(b);
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i] != of_b[i]) return static_cast<std::int64_t>(i);
  return std::nullopt;
}

bool is_same_function(const SharedForm& a, const SharedForm& b) {
  return a.shape == b.shape && a.block == b.block && !first_difference(a, b);
}

bool is_injective(const SharedForm& form) {
  if (const auto* map = std::get_if<LinearMap>(&form.map)) return rank(*map) == map->bits();
  std::vector<std::int64_t> offsets = offsets_of(form);
  std::ranges::sort(offsets);
  return std::ranges::adjacent_find(offsets) == offsets.end();
}

}  // namespace swz
