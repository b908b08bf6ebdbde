// SPDX-License-Identifier: Apache-2.0
// The registers of a LayoutForm: (thread, value) as a layout, and as bases that move a coordinate.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "dialect/layout_form.hpp"

namespace swz {

std::int64_t thread_count(const RegisterForm& form) { return size(mode(form.layout, 0)); }
std::int64_t value_count(const RegisterForm& form) { return size(mode(form.layout, 1)); }

std::vector<std::int64_t> numbers_of(const RegisterForm& form) {
  require_within(limits::known_values, form.layout.size());
  const std::vector<std::int64_t> numbers = column_major_numbers(form.shape);
  const std::int64_t threads = thread_count(form), values = value_count(form);
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(form.layout.size()));
  for (std::int64_t cta = 0; cta < form.layout.size() / (threads * values); ++cta)
    for (std::int64_t t = 0; t < threads; ++t)
      for (std::int64_t v = 0; v < values; ++v)
        result.push_back(numbers[static_cast<std::size_t>(form.layout(t + threads * (v + values * cta)))]);
  return result;
}

RegisterForm register_form(ArrayShape shape, ElementWidth element, const RegisterBases& bases) {
  element_count(shape);
  std::vector<std::int64_t> taken(shape.size());
  const auto mode_of = [&](const std::vector<std::vector<std::int64_t>>& moves) {
    std::vector<FlatMode> leaves;
    for (const std::vector<std::int64_t>& basis : moves) {
      if (basis.size() != shape.size())
        throw Error(fmt::format("the basis [{}] has {} coordinates, the array has {}", fmt::join(basis, ", "),
                                basis.size(), shape.size()),
                    "a basis has one number for each dimension");
      std::int64_t stride = 0, step = 1;
      for (std::size_t d = 0; d < shape.size(); step *= shape[d++]) {
        const std::int64_t by = basis[d];
        if (by < 0 || by >= shape[d])
          throw Error(fmt::format("the basis [{}] leaves the array {}", fmt::join(basis, ", "), shape_text(shape)),
                      fmt::format("dimension {} has the coordinates 0 to {}", d, shape[d] - 1));
        if ((taken[d] & by) != 0)
          throw Error(fmt::format("the basis [{}] moves a bit of dimension {} that another one moves",
                                  fmt::join(basis, ", "), d),
                      "each bit of a coordinate belongs to one bit of register, lane, warp or block");
        taken[d] |= by;
        stride += by * step;
      }
      leaves.push_back({2, stride});
    }
    return Layout(coalesce_modes(leaves));
  };
  const Layout values = mode_of(bases.value), threads = mode_of(bases.thread);
  std::vector<Layout> modes{threads, values};
  if (!bases.block.empty()) modes.push_back(mode_of(bases.block));
  return {std::move(shape), element, make_layout(modes)};
}

std::optional<RegisterBases> as_bases(const RegisterForm& form) {
  if (!are_powers_of_two(form.shape)) return std::nullopt;
  const auto moves = [&](std::size_t m) -> std::optional<std::vector<std::vector<std::int64_t>>> {
    std::vector<std::vector<std::int64_t>> result;
    const Layout part = mode(form.layout, m);
    for (const FlatMode& leaf : part.modes()) {
      if (!is_power_of_two(leaf.extent) || leaf.stride < 0) return std::nullopt;
      for (int b = 0; b < log2_exact(leaf.extent); ++b) {
        std::int64_t index = leaf.stride << b;
        if (index != 0 && !is_power_of_two(index)) return std::nullopt;
        std::vector<std::int64_t> basis;
        for (const std::int64_t extent : form.shape) {
          basis.push_back(index % extent);
          index /= extent;
        }
        if (index != 0) return std::nullopt;
        result.push_back(std::move(basis));
      }
    }
    return result;
  };
  auto threads = moves(0), values = moves(1);
  if (!threads || !values) return std::nullopt;
  RegisterBases bases{std::move(*values), std::move(*threads), {}};
  if (rank(form.layout) > 2) {
    auto blocks = moves(2);
    if (!blocks) return std::nullopt;
    bases.block = std::move(*blocks);
  }
  return bases;
}

bool is_same_function(const RegisterForm& a, const RegisterForm& b) {
  return a.shape == b.shape && thread_count(a) == thread_count(b) && value_count(a) == value_count(b) &&
         rank(a.layout) == rank(b.layout) && (a.layout == b.layout || numbers_of(a) == numbers_of(b));
}

}  // namespace swz
