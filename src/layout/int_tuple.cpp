#include "layout/int_tuple.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

void append_flat(const IntTuple& t, std::vector<std::int64_t>& out) {
  if (!t.is_tuple()) out.push_back(t.value());
  for (const IntTuple& child : t.children()) append_flat(child, out);
}

IntTuple take_leaves(const std::vector<std::int64_t>& values, std::size_t& next, const IntTuple& profile) {
  if (!profile.is_tuple()) return values[next++];
  std::vector<IntTuple> children;
  children.reserve(profile.children().size());
  for (const IntTuple& child : profile.children()) children.push_back(take_leaves(values, next, child));
  return children;
}

// One sort key per leaf of shape: the leaf of order that covers it.
void append_order_keys(const IntTuple& shape, const IntTuple& order, std::vector<std::int64_t>& keys) {
  if (!order.is_tuple()) {
    keys.insert(keys.end(), flat_values(shape).size(), order.value());
    return;
  }
  if (!shape.is_tuple() || shape.children().size() != order.children().size())
    throw Error(fmt::format("order {} does not match shape {}", to_string(order), to_string(shape)),
                "give one number per mode, the smallest is fastest");
  for (std::size_t i = 0; i < shape.children().size(); ++i)
    append_order_keys(shape.children()[i], order.children()[i], keys);
}

void append_text(const IntTuple& t, std::string& out) {
  if (t.is_underscore()) {
    out += '_';
  } else if (t.is_int()) {
    fmt::format_to(std::back_inserter(out), "{}", t.value());
  } else {
    out += '(';
    for (std::size_t i = 0; i < t.children().size(); ++i) {
      if (i > 0) out += ',';
      append_text(t.children()[i], out);
    }
    out += ')';
  }
}

}  // namespace

std::size_t rank(const IntTuple& t) { return t.is_tuple() ? t.children().size() : 1; }

const IntTuple& mode(const IntTuple& t, std::size_t i) {
  if (i >= rank(t))
    throw Error(fmt::format("{} has no mode {}", to_string(t), i),
                fmt::format("modes are numbered 0 to {}", rank(t) - 1));
  return t.is_tuple() ? t.children()[i] : t;
}

int depth(const IntTuple& t) {
  if (!t.is_tuple()) return 0;
  int deepest = 0;
  for (const IntTuple& child : t.children()) deepest = std::max(deepest, depth(child));
  return 1 + deepest;
}

std::int64_t product(const IntTuple& t) {
  if (!t.is_tuple()) return t.value();
  std::int64_t result = 1;
  for (const IntTuple& child : t.children()) result = checked_mul(result, product(child));
  return result;
}

std::vector<std::int64_t> flat_values(const IntTuple& t) {
  std::vector<std::int64_t> out;
  append_flat(t, out);
  return out;
}

IntTuple flatten(const IntTuple& t) {
  if (!t.is_tuple()) return t;
  std::vector<IntTuple> children;
  for (const std::int64_t v : flat_values(t)) children.emplace_back(v);
  return children;
}

IntTuple unflatten(const std::vector<std::int64_t>& values, const IntTuple& profile) {
  std::size_t next = 0;
  return take_leaves(values, next, profile);
}

IntTuple unwrap(const IntTuple& t) {
  return t.is_tuple() && t.children().size() == 1 ? unwrap(t.children()[0]) : t;
}

bool has_underscore(const IntTuple& t) {
  return t.is_underscore() || std::ranges::any_of(t.children(), has_underscore);
}

bool congruent(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple() || !b.is_tuple()) return a.is_tuple() == b.is_tuple();
  return std::ranges::equal(a.children(), b.children(), congruent);
}

bool compatible(const IntTuple& a, const IntTuple& b) {
  if (!a.is_tuple()) return a.value() == product(b);
  if (!b.is_tuple()) return false;
  return std::ranges::equal(a.children(), b.children(), compatible);
}

IntTuple compact_left(const IntTuple& shape) { return compact_order(shape, 0); }

IntTuple compact_order(const IntTuple& shape, const IntTuple& order) {
  const std::vector<std::int64_t> extents = flat_values(shape);
  std::vector<std::int64_t> keys;
  append_order_keys(shape, order, keys);
  std::vector<std::int64_t> places = flat_values(order);
  std::ranges::sort(places);
  if (const auto twice = std::ranges::adjacent_find(places); twice != places.end())
    throw Error(fmt::format("order {} has {} twice", to_string(order), *twice), "every mode needs its own place");

  std::vector<std::size_t> by_key(extents.size());
  std::iota(by_key.begin(), by_key.end(), std::size_t{0});
  std::ranges::stable_sort(by_key, {}, [&](std::size_t i) { return keys[i]; });

  std::vector<std::int64_t> strides(extents.size());
  std::int64_t next = 1;
  for (const std::size_t i : by_key) {
    strides[i] = extents[i] == 1 ? 0 : next;
    next = checked_mul(next, extents[i]);
  }
  return unflatten(strides, shape);
}

std::int64_t crd2idx(const IntTuple& coordinate, const IntTuple& shape) {
  if (!coordinate.is_tuple()) {
    const std::int64_t size = product(shape);
    if (coordinate.value() < 0 || coordinate.value() >= size)
      throw Error(fmt::format("coordinate {} is outside {}", coordinate.value(), to_string(shape)),
                  fmt::format("it must be from 0 to {}", size - 1));
    return coordinate.value();
  }
  if (!shape.is_tuple() || coordinate.children().size() != shape.children().size())
    throw Error(fmt::format("coordinate {} does not fit shape {}", to_string(coordinate), to_string(shape)),
                "give one number per mode, or one linear index for a whole mode");
  std::int64_t index = 0;
  std::int64_t scale = 1;
  for (std::size_t i = 0; i < shape.children().size(); ++i) {
    index += scale * crd2idx(coordinate.children()[i], shape.children()[i]);
    scale *= product(shape.children()[i]);
  }
  return index;
}

IntTuple idx2crd(std::int64_t index, const IntTuple& shape) {
  std::vector<std::int64_t> digits;
  for (const std::int64_t extent : flat_values(shape)) {
    digits.push_back(index % extent);
    index /= extent;
  }
  return unflatten(digits, shape);
}

std::string to_string(const IntTuple& t) {
  std::string out;
  append_text(t, out);
  return out;
}

}  // namespace swz
