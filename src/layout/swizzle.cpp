// SPDX-License-Identifier: Apache-2.0
#include "layout/swizzle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr int most_bits = 64;

std::uint64_t bit(int i) { return std::uint64_t{1} << i; }

int top_bit(std::uint64_t x) { return most_bits - 1 - std::countl_zero(x); }

// Elimination: each column is reduced by the earlier ones, with a record of which columns went into it.
struct Elimination {
  XorBasis values;
  std::vector<std::uint64_t> kernel;

  explicit Elimination(const LinearMap& f) {
    for (int i = 0; i < f.bits(); ++i) {
      const XorBasis::Sum rest = values.reduced({f.columns()[static_cast<std::size_t>(i)], bit(i)});
      if (rest.value == 0) kernel.push_back(rest.from);
      else values.insert(rest);
    }
  }
};

}  // namespace

Swizzle::Swizzle(int bits, int base, int shift) : bits_(bits), base_(base), shift_(shift) {
  const std::string name = fmt::format("Sw<{},{},{}>", bits, base, shift);
  if (bits < 0 || base < 0) throw Error(name + " has a negative number of bits or base", "write Sw<bits,base,shift>");
  if (std::abs(shift) < bits)
    throw Error(fmt::format("{} reads and writes the same bits", name),
                fmt::format("the shift must be at least the number of bits, here {}", bits));
  if (bits > 62 || base > 62 || std::abs(shift) > 62 || bits + base + std::abs(shift) > 62)
    throw Error(name + " reaches beyond bit 62", "offsets have 63 bits");
  mask_ = (std::int64_t{1} << bits) - 1;
}

std::int64_t Swizzle::period() const { return bits_ == 0 ? 1 : std::int64_t{1} << (bits_ + base_ + std::abs(shift_)); }

std::optional<Swizzle> in_units(const Swizzle& s, int log2_unit) {
  const int base = s.base() - log2_unit;
  if (base >= 0) return Swizzle(s.bits(), base, s.shift());
  if (s.is_identity()) return Swizzle(0, 0, s.shift());
  return std::nullopt;
}

std::optional<Swizzle> composition(const Swizzle& s, const Swizzle& t) {
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < 62; ++i) columns.push_back(static_cast<std::uint64_t>(s(t(std::int64_t{1} << i))));
  return as_swizzle(LinearMap(std::move(columns)));
}

Swizzle swizzle_of_masks(std::int64_t read, std::int64_t written) {
  const auto is_run = [](std::int64_t mask) {
    return mask > 0 && ((mask + (mask & -mask)) & mask) == 0 && mask < std::int64_t{1} << 62;
  };
  const auto y = static_cast<std::uint64_t>(read), z = static_cast<std::uint64_t>(written);
  if (!is_run(read) || !is_run(written) || std::popcount(y) != std::popcount(z))
    throw Error(fmt::format("the masks 0x{:x} and 0x{:x} are not two runs of as many bits", y, z),
                "the first is what is read, the second what is written: make_swizzle(0x380, 0x70) is Sw<3,4,3>");
  const int low_y = std::countr_zero(y), low_z = std::countr_zero(z);
  return {std::popcount(y), std::min(low_y, low_z), low_y - low_z};
}

std::string to_string(const Swizzle& s) { return fmt::format("Sw<{},{},{}>", s.bits(), s.base(), s.shift()); }

LinearMap::LinearMap(std::vector<std::uint64_t> columns) : columns_(std::move(columns)) {
  assert(columns_.size() <= most_bits);
}

LinearMap LinearMap::identity(int bits) { return of(Swizzle(), bits); }

LinearMap LinearMap::of(const Swizzle& swizzle, int bits) {
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < bits; ++i) {
    const std::uint64_t x = bit(i);
    columns.push_back(swizzle.is_identity() ? x : static_cast<std::uint64_t>(swizzle(static_cast<std::int64_t>(x))));
  }
  return LinearMap(std::move(columns));
}

std::uint64_t LinearMap::operator()(std::uint64_t x) const {
  if (bits() < most_bits) x &= bit(bits()) - 1;
  std::uint64_t value = 0;
  for (; x != 0; x &= x - 1) value ^= columns_[static_cast<std::size_t>(std::countr_zero(x))];
  return value;
}

LinearMap LinearMap::restricted(int bits) const {
  assert(bits <= this->bits());
  return LinearMap({columns_.begin(), columns_.begin() + bits});
}

XorBasis::Sum XorBasis::reduced(Sum x) const {
  for (const Sum& row : rows_) {
    if ((x.value & std::bit_floor(row.value)) == 0) continue;
    x.value ^= row.value;
    x.from ^= row.from;
  }
  return x;
}

void XorBasis::insert(Sum rest) {
  const auto smaller = [&](const Sum& row) { return row.value < rest.value; };
  rows_.insert(std::ranges::find_if(rows_, smaller), rest);
}

LinearMap sum(const LinearMap& f, const LinearMap& g) {
  std::vector<std::uint64_t> columns;
  for (std::size_t i = 0; i < std::min(f.columns().size(), g.columns().size()); ++i)
    columns.push_back(f.columns()[i] ^ g.columns()[i]);
  return LinearMap(std::move(columns));
}

int rank(const LinearMap& f) { return f.bits() - static_cast<int>(Elimination(f).kernel.size()); }

std::vector<std::uint64_t> kernel(const LinearMap& f) {
  // Column i joins the kernel only together with columns below i, so its top bit is i.
  return Elimination(f).kernel;
}

bool reaches(const LinearMap& f, std::uint64_t value) { return Elimination(f).values.reduced({value, 0}).value == 0; }

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
