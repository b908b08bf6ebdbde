#include "layout/linear_map.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace swz {

namespace {

constexpr int most_bits = 64;

std::uint64_t bit(int i) { return std::uint64_t{1} << i; }

int top_bit(std::uint64_t x) { return most_bits - 1 - std::countl_zero(x); }

// Elimination: each column is reduced by the earlier ones, with a record of which columns went into it.
struct Elimination {
  struct Row {
    std::uint64_t value = 0, from = 0;  // f(from) = value
  };
  std::vector<Row> by_top = std::vector<Row>(most_bits);  // value 0: none with this top bit
  std::vector<std::uint64_t> kernel;
  int rank = 0;

  explicit Elimination(const LinearMap& f) {
    for (int i = 0; i < f.bits(); ++i) {
      Row row = reduced({f.columns()[static_cast<std::size_t>(i)], bit(i)});
      if (row.value == 0) {
        kernel.push_back(row.from);
        continue;
      }
      by_top[static_cast<std::size_t>(top_bit(row.value))] = row;
      ++rank;
    }
  }

  Row reduced(Row row) const {
    while (row.value != 0) {
      const Row& other = by_top[static_cast<std::size_t>(top_bit(row.value))];
      if (other.value == 0) break;
      row.value ^= other.value;
      row.from ^= other.from;
    }
    return row;
  }
};

}  // namespace

LinearMap::LinearMap(std::vector<std::uint64_t> columns) : columns_(std::move(columns)) {
  assert(columns_.size() <= most_bits);
}

LinearMap LinearMap::identity(int bits) { return of(Swizzle(), bits); }

LinearMap LinearMap::of(const Swizzle& swizzle, int bits) {
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < bits; ++i) {
    const std::uint64_t x = bit(i);
    columns.push_back(swizzle.is_identity() ? x
                                            : static_cast<std::uint64_t>(swizzle(static_cast<std::int64_t>(x))));
  }
  return LinearMap(std::move(columns));
}

std::uint64_t LinearMap::operator()(std::uint64_t x) const {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if ((x >> i & 1) != 0) value ^= columns_[i];
  return value;
}

LinearMap LinearMap::restricted(int bits) const {
  assert(bits <= this->bits());
  return LinearMap({columns_.begin(), columns_.begin() + bits});
}

LinearMap sum(const LinearMap& f, const LinearMap& g) {
  std::vector<std::uint64_t> columns;
  for (std::size_t i = 0; i < std::min(f.columns().size(), g.columns().size()); ++i)
    columns.push_back(f.columns()[i] ^ g.columns()[i]);
  return LinearMap(std::move(columns));
}

int rank(const LinearMap& f) { return Elimination(f).rank; }

std::vector<std::uint64_t> kernel(const LinearMap& f) {
  // Column i joins the kernel with columns below i alone, so its top bit is i.
  return Elimination(f).kernel;
}

bool reaches(const LinearMap& f, std::uint64_t value) { return Elimination(f).reduced({value, 0}).value == 0; }

std::optional<Swizzle> as_swizzle(const LinearMap& f) {
  const LinearMap moved = sum(f, LinearMap::identity(f.bits()));
  int low = most_bits, high = -1, shift = 0;
  for (int i = 0; i < f.bits(); ++i) {
    const std::uint64_t column = moved.columns()[static_cast<std::size_t>(i)];
    if (column == 0) continue;
    if (!std::has_single_bit(column)) return std::nullopt;
    const int to = top_bit(column);
    if (high < 0) shift = i - to;
    if (i - to != shift || (high >= 0 && i != high + 1)) return std::nullopt;
    low = std::min(low, i);
    high = i;
  }
  if (high < 0) return Swizzle();
  const int bits = high - low + 1;
  if (std::abs(shift) < bits || high >= 62 || high - shift >= 62) return std::nullopt;
  return Swizzle(bits, shift > 0 ? low - shift : low, shift);
}

}  // namespace swz
