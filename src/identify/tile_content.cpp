// SPDX-License-Identifier: Apache-2.0
#include "identify/tile_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/float_parts.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

using As = TileContent::As;

std::uint64_t low_bits(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

double largest_number(const TileContent& content, TileExtents extents) {
  double largest = 0;
  for (const std::int64_t row : {std::int64_t{0}, extents.mn - 1})
    for (const std::int64_t k : {std::int64_t{0}, extents.k - 1})
      largest = std::max(largest, std::fabs(content.number({row, k}, extents.k)));
  if (content.modulo != 0)
    largest = std::fabs(content.start) + std::fabs(content.k_step) * static_cast<double>(content.modulo - 1);
  return largest;
}

// Adds the same numbers in every form in which the type may store them.
void append_forms(std::vector<TileContent>& all, TileContent content, const DType& dtype, TileExtents extents) {
  content.dtype = dtype;
  if (content.as == As::bits) {
    all.push_back(content);
    return;
  }
  const FloatFormat* format = find_float_format(dtype.name);
  if (format == nullptr) return;
  const double largest = largest_number(content, extents);
  all.push_back(content);
  if (largest > format->largest && format->has_nan) {
    all.push_back(content);
    all.back().beyond = Beyond::largest;
  }
  // A tf32 may still have all bits of the f32 that it was.
  if (dtype.name == "tf32" && largest > format->exact_until()) {
    all.push_back(content);
    all.back().dtype = "f32";
  }
}

// "+ 3 * row" after other terms, "-row" as the first.
void append_term(std::string& text, double factor, std::string_view what) {
  if (factor == 0) return;
  const double size = std::fabs(factor);
  if (text.empty()) text = factor < 0 ? "-" : "";
  else text += factor < 0 ? " - " : " + ";
  text += size == 1 ? std::string(what) : fmt::format("{:.10g} * {}", size, what);
}

}  // namespace

std::optional<std::uint64_t> TileContent::value(const ElementType& type, TileCoordinate at, std::int64_t k) const {
  const double n = number(at, k);
  if (as == As::values) return number_bits(*dtype, n, beyond);
  if (std::fabs(n) >= 0x1p53 || n != nearest_whole(n)) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(n)) & low_bits(type.value_bits());
}

std::optional<LogicalTile> content_tile(const ElementType& type, TileExtents extents, const TileContent& content) {
  LogicalTile tile{type, extents, 1, {}};
  tile.values.reserve(static_cast<std::size_t>(tile.elements()));
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) {
      const auto value = content.value(type, {row, k}, extents.k);
      if (!value) return std::nullopt;
      tile.values.push_back(*value);
    }
  return tile;
}

std::string formula_text(const TileContent& content, std::int64_t k) {
  std::string text;
  if (content.modulo != 0) {
    append_term(text, content.k_step, fmt::format("(i modulo {})", content.modulo));
  } else if (content.is_arange(k)) {
    append_term(text, content.k_step, "i");
  } else {
    append_term(text, content.row_step, "row");
    append_term(text, content.k_step, "k");
  }
  if (content.start == 0) return text;
  return fmt::format("{:.10g}{}{}", content.start, text.starts_with('-') ? " - " : " + ",
                     text.substr(text.starts_with('-') ? 1 : 0));
}

std::int64_t distinct_values(const LogicalTile& tile) {
  return std::ssize(std::unordered_set<std::uint64_t>(tile.values.begin(), tile.values.end()));
}

std::string content_text(const TileContent& content, const LogicalTile& tile) {
  const std::int64_t k = tile.extents.k;
  std::string text = formula_text(content, k);
  const DType& type = *content.dtype;
  if (content.as == As::bits) {
    text += type.is_floating ? " as bits" : "";
  } else {
    text = fmt::format("the value {} as {}", text, type.name);
    const FloatFormat& format = *find_float_format(type.name);
    const double largest = largest_number(content, tile.extents);
    const bool is_whole = content.start == nearest_whole(content.start) &&
                          content.row_step == nearest_whole(content.row_step) &&
                          content.k_step == nearest_whole(content.k_step);
    if (is_whole && largest > format.exact_until() && format.exact_until() < format.largest)
      text += fmt::format(", which rounds numbers above {:.10g}", format.exact_until());
    if (largest > format.largest) text += fmt::format(", whose largest is {:.10g}", format.largest);
  }
  if (const std::int64_t distinct = distinct_values(tile); distinct < tile.elements())
    text += fmt::format("; {} elements have {}", tile.elements(), plural(distinct, "value"));
  return text;
}

std::vector<TileContent> numbered_contents(const DType& dtype, TileExtents extents, As as) {
  std::vector<TileContent> all;
  append_forms(all, {.as = as, .row_step = static_cast<double>(extents.k)}, dtype, extents);
  return all;
}

std::vector<TileContent> usual_contents(const DType& dtype, TileExtents extents, As as) {
  std::vector<TileContent> all;
  const auto append = [&](double start, double row, double k, std::int64_t modulo = 0) {
    append_forms(all, {.as = as, .start = start, .row_step = row, .k_step = k, .modulo = modulo}, dtype, extents);
  };
  const auto rows = static_cast<double>(extents.mn), columns = static_cast<double>(extents.k);
  append(1, columns, 1);
  constexpr std::int64_t moduli[] = {8192, 4096, 2048, 1024, 1000, 512, 256, 251, 128, 100, 64, 32, 16, 10, 8, 7, 6};
  for (const std::int64_t modulo : moduli)
    if (modulo < extents.mn * extents.k && modulo != extents.k) append(0, columns, 1, modulo);
  append(0, 1, 0);
  append(0, 0, 1);
  append(0, 1, rows);
  for (const double factor : {1000.0, 100.0, 256.0, 1.0}) {
    append(0, factor, 1);
    if (factor != 1) append(0, 1, factor);
  }
  return all;
}

std::vector<TileContent> proposed_contents(const DType& dtype, TileExtents extents, As as, Major direction, double step,
                                           double lowest, double highest) {
  std::vector<TileContent> all;
  // No one counts in steps that the type does not have: rows of denormal numbers are not an arange.
  const double smallest = as == As::values ? number_of_bits(dtype, 1).value_or(0) : 0;
  const auto is_lost = [&](double by) { return by != 0 && std::fabs(by) < smallest; };
  const auto append = [&](double row, double k, std::int64_t modulo = 0, std::optional<double> first = std::nullopt) {
    if (is_lost(row) || is_lost(k)) return;
    // The number at (0, 0) is the lowest, unless the numbers decrease along a direction.
    const double below = std::min(0.0, row) * static_cast<double>(extents.mn - 1) +
                         std::min(0.0, k) * static_cast<double>(extents.k - 1);
    const double start = first ? *first : modulo != 0 ? (k < 0 ? highest : lowest) : lowest - below;
    append_forms(all, {.as = as, .start = start, .row_step = row, .k_step = k, .modulo = modulo}, dtype, extents);
  };
  const std::int64_t along = extents.along(direction), across = extents.across(direction);
  const double span = highest - lowest, rest = span - std::fabs(step) * static_cast<double>(along - 1);
  const auto steps = [&](double other) {
    if (direction == Major::K) append(other, step);
    else append(step, other);
  };
  if (across == 1) steps(0);
  else if (rest >= 0)
    for (const double sign : {1.0, -1.0}) steps(sign * rest / static_cast<double>(across - 1));
  if (step == 0) return all;
  // An arange, whatever rounding changed at its end.
  if (direction == Major::K) append(step * static_cast<double>(extents.k), step, 0, step < 0 ? highest : lowest);
  else append(step, step / static_cast<double>(extents.k), 0, step < 0 ? highest : lowest);
  if (direction == Major::K) {
    const double modulo = span / std::fabs(step) + 1;
    if (modulo == nearest_whole(modulo) && modulo > 1 && modulo != static_cast<double>(extents.k) &&
        modulo < static_cast<double>(extents.mn * extents.k))
      append(step * static_cast<double>(extents.k), step, static_cast<std::int64_t>(modulo));
  }
  return all;
}

std::vector<std::vector<TileContent>> by_plausibility(std::vector<TileContent> contents, TileExtents extents) {
  std::vector<std::vector<TileContent>> levels(2);
  for (TileContent& content : contents) {
    if (content.row_step == 0 && content.k_step == 0) continue;  // the same number everywhere shows no place
    const bool is_arange = content.is_arange(extents.k) && content.modulo == 0;
    std::vector<TileContent>& level = levels[is_arange ? 0 : 1];
    if (std::ranges::find(level, content) == level.end()) level.push_back(std::move(content));
  }
  return levels;
}

}  // namespace swz
