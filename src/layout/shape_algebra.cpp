// SPDX-License-Identifier: Apache-2.0
#include "layout/shape_algebra.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

void require_rank(const IntTuple& a, const IntTuple& b, bool fits) {
  if (!fits)
    throw Error(fmt::format("{} and {} do not have the same rank", to_string(a), to_string(b)),
                "give one number per mode");
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 1) throw Error(fmt::format("{} / {} is not a division of sizes", a, b), "sizes are at least 1");
  return ceil_div(a, b);
}

std::int64_t divided_evenly(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = divided_up(a, b);
  if (a % b != 0 && (a == 0 || b % a != 0))
    throw Error(fmt::format("shape_div: neither of {} and {} divides the other", a, b), "ceil_div rounds up instead");
  return quotient;
}

using Division = std::int64_t (*)(std::int64_t, std::int64_t);

IntTuple divided(const IntTuple& a, const IntTuple& b, Division divide, bool fill) {
  if (!a.is_tuple()) return divide(a.value(), product(b));
  std::vector<IntTuple> children;
  if (b.is_tuple()) {
    require_rank(a, b, fill ? rank(a) >= rank(b) : rank(a) == rank(b));
    for (std::size_t i = 0; i < rank(a); ++i)
      children.push_back(divided(mode(a, i), i < rank(b) ? mode(b, i) : IntTuple(1), divide, fill));
    return children;
  }
  std::int64_t rest = b.value();
  for (const IntTuple& child : a.children()) {
    children.push_back(divided(child, rest, divide, fill));
    rest = divide(rest, product(child));
  }
  return children;
}

void collect(const IntTuple& a, const IntTuple& b, bool underscores, std::vector<IntTuple>& out) {
  if (!a.is_tuple()) {
    if (a.is_underscore() == underscores) out.push_back(b);
    return;
  }
  require_rank(a, b, b.is_tuple() && rank(a) == rank(b));
  for (std::size_t i = 0; i < rank(a); ++i) collect(mode(a, i), mode(b, i), underscores, out);
}

IntTuple selected(const IntTuple& a, const IntTuple& b, bool underscores) {
  std::vector<IntTuple> out;
  collect(a, b, underscores, out);
  if (out.empty())
    throw Error(fmt::format("nothing of {} is left at {}", to_string(b), to_string(a)),
                "slice keeps what stands at _, dice what stands at numbers");
  return a.is_tuple() ? IntTuple(std::move(out)) : out[0];
}

IntTuple compact(const IntTuple& shape, std::int64_t& next, bool row_major) {
  if (!shape.is_tuple()) {
    const std::int64_t stride = shape.value() == 1 ? 0 : next;
    next = checked_mul(next, shape.value());
    return stride;
  }
  std::vector<IntTuple> strides(rank(shape));
  for (std::size_t i = 0; i < rank(shape); ++i) {
    const std::size_t m = row_major ? rank(shape) - 1 - i : i;
    strides[m] = compact(mode(shape, m), next, row_major);
  }
  return strides;
}

IntTuple compact_from(const IntTuple& shape, const IntTuple& first, bool row_major) {
  if (!first.is_tuple()) {
    std::int64_t next = first.value();
    return compact(shape, next, row_major);
  }
  require_rank(shape, first, shape.is_tuple() && rank(shape) == rank(first));
  std::vector<IntTuple> strides;
  for (std::size_t i = 0; i < rank(shape); ++i)
    strides.push_back(compact_from(mode(shape, i), mode(first, i), row_major));
  return strides;
}

}  // namespace

IntTuple ceil_div(const IntTuple& a, const IntTuple& b) { return divided(a, b, divided_up, true); }

IntTuple shape_div(const IntTuple& a, const IntTuple& b) { return divided(a, b, divided_evenly, false); }

IntTuple round_up(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple()) {
    require_rank(a, b, !b.is_tuple());
    return checked_mul(divided_up(a.value(), b.value()), b.value());
  }
  require_rank(a, b, b.is_tuple() && rank(a) >= rank(b));
  std::vector<IntTuple> children;
  for (std::size_t i = 0; i < rank(a); ++i)
    children.push_back(i < rank(b) ? round_up(mode(a, i), mode(b, i)) : mode(a, i));
  return children;
}

bool weakly_congruent(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple()) return true;
  return b.is_tuple() && std::ranges::equal(a.children(), b.children(), weakly_congruent);
}

bool compatible(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple()) return a.value() == product(b);
  return b.is_tuple() && std::ranges::equal(a.children(), b.children(), compatible);
}

IntTuple slice(const IntTuple& a, const IntTuple& b) { return selected(a, b, true); }

IntTuple dice(const IntTuple& a, const IntTuple& b) { return selected(a, b, false); }

IntTuple filter_zeros(const IntTuple& profile, const IntTuple& shape) {
  if (!profile.is_tuple()) {
    if (profile.value() != 0) return shape;
    return unflatten(std::vector<std::int64_t>(flat_values(shape).size(), 1), shape);
  }
  require_rank(profile, shape, shape.is_tuple() && rank(profile) == rank(shape));
  std::vector<IntTuple> children;
  for (std::size_t i = 0; i < rank(shape); ++i) children.push_back(filter_zeros(mode(profile, i), mode(shape, i)));
  return children;
}

IntTuple reverse(const IntTuple& t) {
  if (!t.is_tuple()) return t;
  return std::vector<IntTuple>(t.children().rbegin(), t.children().rend());
}

IntTuple compact_col_major(const IntTuple& shape, const IntTuple& first) { return compact_from(shape, first, false); }

IntTuple compact_row_major(const IntTuple& shape, const IntTuple& first) { return compact_from(shape, first, true); }

}  // namespace swz
