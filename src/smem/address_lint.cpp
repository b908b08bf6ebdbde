// SPDX-License-Identifier: Apache-2.0
#include "smem/address_lint.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace swz {

namespace {

using Values = std::span<const std::uint64_t>;

std::uint64_t power(int bit) { return std::uint64_t{1} << bit; }

// The smallest number of bits for every value below n; n >= 1.
int bits_below(std::uint64_t n) { return static_cast<int>(std::bit_width(n - 1)); }

void find_collision(Values values, AddressLint& out) {
  std::unordered_map<std::uint64_t, std::uint64_t> first_of;
  for (std::uint64_t x = 0; x < values.size(); ++x) {
    const auto [at, is_new] = first_of.try_emplace(values[x], x);
    if (!is_new && !out.collision) out.collision = AddressCollision{at->second, x, values[x]};
  }
  out.values = first_of.size();
}

bool keeps(Values values, std::uint64_t piece) {
  for (std::size_t x = 0; x < values.size(); ++x) {
    const std::size_t begin = x & ~(piece - 1);
    if (values[begin] % piece != 0 || values[x] != values[begin] + (x - begin)) return false;
  }
  return true;
}

std::uint64_t piece_of(Values values) {
  std::uint64_t piece = 1;
  while (piece * 2 <= values.size() && values.size() % (piece * 2) == 0 && keeps(values, piece * 2)) piece *= 2;
  return piece;
}

// Input x, if f moves it out of the chunk into which f puts the first input of x's chunk.
template <class Function>
std::optional<WrongAddress> torn_at(const Function& f, std::uint64_t x, std::uint64_t unit) {
  const std::uint64_t begin = x - x % unit, expected = f(begin) / unit * unit + (x - begin);
  if (f(x) == expected) return std::nullopt;
  return WrongAddress{x, f(x), expected};
}

std::optional<WrongAddress> first_torn(Values values, std::uint64_t unit) {
  const auto at = [&](std::uint64_t x) { return values[x]; };
  for (std::uint64_t x = 0; x < values.size(); ++x)
    if (const auto torn = torn_at(at, x, unit)) return torn;
  return std::nullopt;
}

std::optional<AffineMap> affine_of_values(Values values) {
  AffineMap f;
  f.constant = values[0];
  std::vector<std::uint64_t> columns;
  for (int i = 0; i < bits_below(values.size()); ++i) columns.push_back(values[power(i)] ^ f.constant);
  for (std::size_t x = 1; x < values.size(); ++x) {
    const auto low = static_cast<std::size_t>(std::countr_zero(x));
    if (values[x] != (values[x & (x - 1)] ^ columns[low])) return std::nullopt;
  }
  f.linear = LinearMap(std::move(columns));
  return f;
}

AddressComparison compare(Values values, const AddressReference& reference) {
  AddressComparison out;
  for (std::size_t x = 0; x < values.size(); ++x) {
    const std::uint64_t expected = reference.value(x);
    if (values[x] == expected) continue;
    if (!out.first) out.first = WrongAddress{x, values[x], expected};
    ++out.wrong;
  }
  return out;
}

AddressComparison compare(const AffineMap& f, const AddressReference& reference) {
  std::vector<std::uint64_t> columns;
  const std::uint64_t offset = f.constant ^ reference.value(0);
  for (int i = 0; i < f.linear.bits(); ++i) columns.push_back(reference.value(power(i)) ^ reference.value(0));
  const LinearMap difference = sum(f.linear, LinearMap(std::move(columns)));
  const std::uint64_t inputs = power(f.linear.bits());
  const std::uint64_t equal = reaches(difference, offset) ? power(f.linear.bits() - rank(difference)) : 0;
  AddressComparison out{inputs - equal, {}};
  if (out.wrong == 0) return out;
  // Below the first bit that matters, all inputs differ in the same way as 0.
  std::uint64_t x = 0;
  if (offset == 0)
    while (difference(x) == 0) x = x == 0 ? 1 : x << 1;
  out.first = WrongAddress{x, f(x), reference.value(x)};
  return out;
}

std::uint64_t all_bits(const AffineMap& f) {
  return std::accumulate(f.linear.columns().begin(), f.linear.columns().end(), f.constant, std::bit_or<>());
}

std::uint64_t piece_of(const AffineMap& f) {
  int kept = 0;
  for (; kept < f.linear.bits(); ++kept) {
    const std::uint64_t mask = power(kept + 1) - 1;
    if ((f.constant & mask) != 0) break;
    bool whole = true;
    for (int i = 0; i < f.linear.bits(); ++i) {
      const std::uint64_t column = f.linear.columns()[static_cast<std::size_t>(i)];
      whole = whole && (i <= kept ? column == power(i) : (column & mask) == 0);
    }
    if (!whole) break;
  }
  return power(kept);
}

// The first input outside of its chunk, as enumeration would find it. For an affine map it is found early, whatever the
// size.
std::optional<WrongAddress> first_torn(const AffineMap& f, std::uint64_t unit) {
  for (std::uint64_t x = 0; x < std::min(unit, power(f.linear.bits())); ++x)
    if (const auto torn = torn_at(f, x, unit)) return torn;
  // The first chunk is right, so another chunk breaks as a whole: its first input is not aligned.
  for (int i = bits_below(unit); i < f.linear.bits(); ++i)
    if (const auto torn = torn_at(f, power(i), unit)) return torn;
  return std::nullopt;
}

// The checks that a table and an affine map have in common.
template <class Function>
void judge(AddressLint& out, const Function& f, std::uint64_t chunk_units,
           const std::vector<AddressReference>& references) {
  out.piece = piece_of(f);
  out.torn = first_torn(f, chunk_units);
  if (out.affine && out.affine->constant == 0) out.swizzle = as_swizzle(out.affine->linear);
  for (const AddressReference& reference : references) {
    out.comparisons.push_back(compare(f, reference));
    out.comparisons.back().mode_bits = reference.mode->bits;
  }
}

}  // namespace

std::vector<AddressReference> mode_references(int log2_unit) {
  std::vector<AddressReference> references;
  for (const SwizzleMode& mode : swizzle_modes()) {
    const auto swizzle = in_units(mode.byte_swizzle(), log2_unit);
    if (!swizzle) continue;
    references.push_back({&mode, "", [s = *swizzle](std::uint64_t x) {
                            return static_cast<std::uint64_t>(s(static_cast<std::int64_t>(x)));
                          }});
  }
  return references;
}

std::optional<std::size_t> AddressLint::nearest() const {
  if (comparisons.empty()) return std::nullopt;
  const auto best = std::ranges::min_element(
      comparisons, {}, [](const AddressComparison& c) { return std::pair(c.wrong, c.wrong == 0 ? 0 : -c.mode_bits); });
  return static_cast<std::size_t>(best - comparisons.begin());
}

AddressLint lint_values(Values values, std::uint64_t chunk_units, const std::vector<AddressReference>& references) {
  AddressLint out;
  out.inputs = values.size();
  find_collision(values, out);
  const auto outside = std::find_if(values.begin(), values.end(), [&](auto v) { return v >= values.size(); });
  if (outside != values.end()) out.outside = static_cast<std::uint64_t>(outside - values.begin());
  out.affine = affine_of_values(values);
  judge(out, values, chunk_units, references);
  return out;
}

AddressLint lint_affine(const AffineMap& f, std::uint64_t chunk_units,
                        const std::vector<AddressReference>& references) {
  AddressLint out;
  out.inputs = power(f.linear.bits());
  out.values = power(rank(f.linear));
  const std::vector<std::uint64_t> zeros = kernel(f.linear);
  if (!zeros.empty()) {
    const std::uint64_t second = std::bit_floor(zeros.front());
    out.collision = AddressCollision{zeros.front() ^ second, second, f(second)};
  }
  if (all_bits(f) >= out.inputs) {
    // Values below the first wide column are as narrow as the constant.
    std::uint64_t x = 0;
    while (f(x) < out.inputs) x = x == 0 ? 1 : x << 1;
    out.outside = x;
  }
  out.affine = f;
  judge(out, f, chunk_units, references);
  return out;
}

std::optional<std::uint64_t> xor_period(Values values) {
  for (std::uint64_t period = 1; period * 2 <= values.size(); period *= 2) {
    bool repeats = true;
    for (std::size_t x = 0; repeats && x < values.size(); ++x) {
      const std::uint64_t moved = values[x] ^ x;
      repeats = moved < period && (x < period || moved == (values[x & (period - 1)] ^ (x & (period - 1))));
    }
    if (repeats) return period;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> xor_period(const AffineMap& f) {
  std::uint64_t reach = f.constant;  // the bits that are read or written
  for (int i = 0; i < f.linear.bits(); ++i) {
    const std::uint64_t moved = f.linear.columns()[static_cast<std::size_t>(i)] ^ power(i);
    if (moved != 0) reach |= power(i) | moved;
  }
  const int bits = static_cast<int>(std::bit_width(reach));
  if (bits >= f.linear.bits()) return std::nullopt;
  return power(bits);
}

}  // namespace swz
