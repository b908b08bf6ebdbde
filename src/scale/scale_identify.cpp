// SPDX-License-Identifier: Apache-2.0
#include "scale/scale_identify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.hpp"

namespace swz {
namespace {

// The coefficients are primes, so that exchanging row and kb, or two digits of either, gives another code.
constexpr std::int64_t code_modulus = 251, of_batch = 131, of_row = 73, of_rows = 29, of_kb = 151, of_kbs = 57;

std::uint32_t code_of(const ScaleCoordinate& c) {
  return static_cast<std::uint32_t>(
      (of_batch * c.batch + of_row * c.row + of_rows * (c.row / 8) + of_kb * c.kb + of_kbs * (c.kb / 4)) %
      code_modulus);
}

std::uint32_t value_at(std::span<const std::byte> dump, Bytes offset, int bytes) {
  std::uint32_t value = 0;
  for (int i = bytes; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint32_t>(dump[static_cast<std::size_t>(offset.count + i)]);
  return value;
}

// The orders of rows that libraries combine: none, one, or those of gated weights.
using Orders = std::vector<std::vector<const RowOrder*>>;
Orders known_orders() {
  Orders all{{}};
  for (const RowOrder& order : row_orders()) all.push_back({&order});
  const auto named = [](std::initializer_list<std::string_view> names) {
    std::vector<const RowOrder*> orders;
    for (const std::string_view name : names) orders.push_back(&require_row_order(name));
    return orders;
  };
  for (const std::string_view shuffle : {"shuffle32", "shuffle16"}) {
    all.push_back(named({"gated", shuffle}));
    all.push_back(named({"swap_halves", shuffle}));
    all.push_back(named({"swap_halves", "gated", shuffle}));
  }
  all.push_back(named({"swap_halves", "gated"}));
  all.push_back(named({"swap_halves", "interleave8"}));
  return all;
}

bool takes(const std::vector<const RowOrder*>& orders, std::int64_t rows) {
  return std::ranges::all_of(orders, [&](const RowOrder* order) { return rows % order->rows_of == 0; });
}

ScaleCoordinate exchanged(const ScaleCoordinate& at) { return {at.kb, at.row, at.batch}; }

// A reading with the tensor that it writes.
struct Candidate {
  ScaleReading reading;
  ScaleTensor tensor;

  // Where the factor of the expected values lies.
  Bytes offset(ScaleCoordinate at) const {
    const std::int64_t batches = tensor.extents().batches;
    at.batch = (at.batch + batches - reading.batch_shift) % batches;
    return tensor.offset(reading.is_exchanged ? exchanged(at) : at);
  }
};

ScalePadding padding_of(std::span<const std::byte> dump, const Candidate& candidate) {
  ScalePadding padding;
  for (Bytes at; at < candidate.tensor.size(); ++at.count) {
    const auto place = candidate.tensor.at(at);
    if (!place || !place->is_padding) continue;
    ++padding.bytes;
    padding.zeros += dump[static_cast<std::size_t>(at.count)] == std::byte{0};
  }
  return padding;
}

// The candidates of a layout, the simplest first.
std::vector<Candidate> candidates_of(const ScaleLayoutRow& row, const Orders& known, const ScaleExtents& extents,
                                     std::size_t size) {
  std::vector<Candidate> all;
  for (const bool is_exchanged : {false, true}) {
    const ScaleExtents of = is_exchanged ? ScaleExtents{extents.factors, extents.rows, extents.batches} : extents;
    if (!row.takes(of) || ScaleLayout(row, of).size().count != static_cast<std::int64_t>(size)) continue;
    for (const auto& orders : known) {
      if (!takes(orders, of.rows) || (is_exchanged && !orders.empty())) continue;
      const std::int64_t shifts = orders.empty() ? std::min<std::int64_t>(extents.batches, 64) : 1;
      for (std::int64_t shift = 0; shift < shifts; ++shift)
        all.push_back({{&row, orders, is_exchanged, shift}, ScaleTensor(row, of, {}, orders)});
    }
  }
  return all;
}

}  // namespace

ScaleValues code_values(const ScaleExtents& extents) {
  ScaleValues filled{extents, {}};
  filled.values.reserve(static_cast<std::size_t>(extents.batches * extents.rows * extents.factors));
  all_factors(extents, [&](const ScaleCoordinate& at) {
    filled.values.push_back(code_of(at));
    return true;
  });
  return filled;
}

std::string code_expression() {
  return fmt::format("({} * batch + {} * row + {} * (row // 8) + {} * kb + {} * (kb // 4)) % {}", of_batch, of_row,
                     of_rows, of_kb, of_kbs, code_modulus);
}

ScaleIdentity identify_scales(std::span<const std::byte> dump, const ScaleValues& expected, int bytes) {
  const ScaleExtents& extents = expected.extents;
  require_within(limits::compared_factors, extents.batches * extents.rows * extents.factors);
  ScaleIdentity identity;
  const Orders known = known_orders();
  std::vector<Candidate> fitting;
  for (const ScaleLayoutRow& row : scale_layouts()) {
    if (row.bytes != bytes) continue;
    std::vector<Candidate> candidates = candidates_of(row, known, extents, dump.size());
    if (!candidates.empty()) identity.sized.push_back(&row);
    for (Candidate& candidate : candidates)
      if (all_factors(extents, [&](const ScaleCoordinate& at) {
            return value_at(dump, candidate.offset(at), bytes) == expected.at(at);
          }))
        fitting.push_back(std::move(candidate));
  }
  if (fitting.empty()) return identity;
  std::ranges::stable_sort(fitting, {}, [](const Candidate& c) {
    return c.reading.orders.size() + (c.reading.is_exchanged ? 4 : 0) + (c.reading.batch_shift != 0 ? 4 : 0);
  });
  identity.padding = padding_of(dump, fitting.front());
  identity.is_decided = std::ranges::all_of(fitting, [&](const Candidate& other) {
    return all_factors(extents,
                       [&](const ScaleCoordinate& at) { return fitting.front().offset(at) == other.offset(at); });
  });
  for (Candidate& candidate : fitting) identity.readings.push_back(std::move(candidate.reading));
  return identity;
}

}  // namespace swz
