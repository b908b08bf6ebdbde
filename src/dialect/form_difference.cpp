// SPDX-License-Identifier: Apache-2.0
#include "dialect/form_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace swz {
namespace {

// The column-major number of an element, with the first dimension fastest, as CuTe counts.
std::int64_t column_major(std::int64_t number, const ArrayShape& shape) {
  const std::vector<std::int64_t> coordinate = coordinate_of(number, shape);
  std::int64_t index = 0;
  for (std::size_t d = shape.size(); d-- > 0;) index = index * shape[d] + coordinate[d];
  return index;
}

std::int64_t row_major(std::int64_t index, const ArrayShape& shape) {
  std::vector<std::int64_t> coordinate;
  for (const std::int64_t extent : shape) {
    coordinate.push_back(index % extent);
    index /= extent;
  }
  return number_of(coordinate, shape);
}

FormDifference difference_of(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  FormDifference d;
  d.of = std::ssize(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (d.differing++ == 0) d.index = static_cast<std::int64_t>(i), d.a = a[i], d.b = b[i];
  }
  d.same = d.differing == 0;
  return d;
}

FormDifference not_compared(std::string why) {
  FormDifference d;
  d.why = std::move(why);
  return d;
}

// The elements of each thread, sorted.
std::vector<std::int64_t> sorted_by_thread(std::vector<std::int64_t> numbers, std::int64_t values) {
  for (auto at = numbers.begin(); at != numbers.end(); at += values) std::sort(at, at + values);
  return numbers;
}

}  // namespace

std::optional<SharedForm> with_array_shape(const SharedForm& form, const ArrayShape& shape) {
  if (form.shape == shape) return form;
  if (element_count(form.shape) != element_count(shape)) return std::nullopt;
  const std::vector<std::int64_t> by_number = offsets_of(form);
  std::vector<std::int64_t> offsets(by_number.size());
  for (std::size_t n = 0; n < offsets.size(); ++n) {
    const std::int64_t index = column_major(static_cast<std::int64_t>(n), shape);
    offsets[n] = by_number[static_cast<std::size_t>(row_major(index, form.shape))];
  }
  return SharedForm{shape, form.element, std::move(offsets)};
}

FormDifference form_difference(const SharedForm& a, const SharedForm& b) {
  if (a.shape != b.shape)
    return not_compared(fmt::format("A is {}, B is {}", shape_text(a.shape), shape_text(b.shape)));
  if (a.block.columns() != b.block.columns()) return not_compared("the elements lie in different CTAs");
  return difference_of(offsets_of(a), offsets_of(b));
}

FormDifference form_difference(const RegisterForm& a, const RegisterForm& b) {
  if (a.shape != b.shape)
    return not_compared(fmt::format("A is {}, B is {}", shape_text(a.shape), shape_text(b.shape)));
  if (thread_count(a) != thread_count(b) || value_count(a) != value_count(b) || a.layout.size() != b.layout.size())
    return not_compared(fmt::format("A has {} threads with {} values, B {} with {}", thread_count(a), value_count(a),
                                    thread_count(b), value_count(b)));
  const std::vector<std::int64_t> of_a = numbers_of(a), of_b = numbers_of(b);
  FormDifference d = difference_of(of_a, of_b);
  d.same_elements = sorted_by_thread(of_a, value_count(a)) == sorted_by_thread(of_b, value_count(b));
  return d;
}

}  // namespace swz
