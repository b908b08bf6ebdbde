// SPDX-License-Identifier: Apache-2.0
#include "expr/swizzle_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "smem/tile.hpp"

namespace swz {

namespace {

constexpr int widest_address = 62;
constexpr std::int64_t examined_bits = std::int64_t{8} << 16;  // 64 KiB
constexpr std::int64_t pattern_bits = std::int64_t{8} << 10;   // period of mode 128B

int bits_of(std::uint64_t power) { return std::countr_zero(power); }

// An expression of an address has one column.
std::vector<std::uint64_t> table(const CExpression& f, std::uint64_t rows, std::uint64_t cols = 1) {
  std::vector<std::uint64_t> values;
  values.reserve(rows * cols);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t col = 0; col < cols; ++col) values.push_back(f(row, col));
  return values;
}

// Only a function that is linear over GF(2), with a power of two of inputs, is checked without this.
void require_enumerable(std::uint64_t inputs) {
  require_within(limits::c_inputs, static_cast<std::int64_t>(std::min(inputs, std::uint64_t{INT64_MAX})));
}

std::uint64_t chunk_units(const SwizzleLint& s) { return 128 / static_cast<std::uint64_t>(s.unit_bits); }

void judge_values(SwizzleLint& s, std::span<const std::uint64_t> values) {
  s.lint = lint_values(values, chunk_units(s), s.references);
}

void judge_affine(SwizzleLint& s, const AffineMap& f) {
  s.lint = lint_affine(f, chunk_units(s), s.references);
  s.is_by_algebra = true;
}

void lint_address(SwizzleLint& s) {
  const CExpression& f = s.request.expression;
  // In bytes, an address has no more bits.
  const auto affine =
      affine_of(f, std::min(widest_address, f.address_bits()) - std::max(0, log2_exact(s.unit_bits) - 3));
  if (affine) s.period = xor_period(*affine);
  if (const auto inputs = s.request.inputs) {
    if (affine && std::has_single_bit(*inputs) && bits_of(*inputs) <= affine->linear.bits())
      return judge_affine(s, {affine->linear.restricted(bits_of(*inputs)), affine->constant});
    require_enumerable(*inputs);
    const std::vector<std::uint64_t> values = table(f, *inputs);
    if (!affine) s.period = xor_period(values);
    return judge_values(s, values);
  }
  const auto examined = static_cast<std::uint64_t>(examined_bits / s.unit_bits);
  const auto pattern = static_cast<std::uint64_t>(pattern_bits / s.unit_bits);
  std::vector<std::uint64_t> values;
  if (!affine) {
    values = table(f, examined);
    s.period = xor_period(values);
  }
  s.is_whole_period = s.period.has_value();
  const std::uint64_t domain = s.period ? std::max(*s.period, pattern) : examined;
  if (affine) return judge_affine(s, {affine->linear.restricted(bits_of(domain)), affine->constant});
  judge_values(s, std::span(values).first(domain));
}

// The reference of a tile: where the element with row-major index x is. None if its atom does not divide the extents.
std::optional<AddressReference> tile_reference(const SwizzleMode& mode, const DType& dtype, TileExtents e, Major major,
                                               StackingOrder order) {
  try {
    const SmemTile tile({.dtype = dtype, .major = major, .mn = e.mn, .k = e.k, .swizzle = mode, .order = order});
    const bool has_order = tile.atoms().mn > 1 && tile.atoms().k > 1;
    if (!has_order && order == StackingOrder::k_first) return std::nullopt;
    std::string name = fmt::format("{}{}", to_string(major), has_order ? fmt::format(", {}", to_string(order)) : "");
    return AddressReference{&mode, std::move(name), [layout = tile.layout(), e](std::uint64_t x) {
                              const auto index = static_cast<std::int64_t>(x);
                              return static_cast<std::uint64_t>(layout(index / e.k + index % e.k * e.mn));
                            }};
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<AddressReference> tile_references(const DType& dtype, TileExtents e) {
  const SwizzleMode& none = require_swizzle_mode("none");
  std::vector<AddressReference> references;
  references.push_back({&none, "row by row", [](std::uint64_t x) { return x; }});
  references.push_back({&none, "column by column", [e](std::uint64_t x) {
                          const auto index = static_cast<std::int64_t>(x);
                          return static_cast<std::uint64_t>(index / e.k + index % e.k * e.mn);
                        }});
  for (const Major major : {Major::K, Major::MN})
    for (const SwizzleMode& mode : swizzle_modes())
      for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
        if (auto reference = tile_reference(mode, dtype, e, major, order)) references.push_back(std::move(*reference));
  return references;
}

std::optional<AffineMap> affine_of_coordinates(const SwizzleLint& s) {
  const std::uint64_t rows = *s.request.rows, cols = *s.request.cols;
  const auto most = static_cast<std::uint64_t>(limits::tile_extent.most);
  if (rows > most || cols > most || !std::has_single_bit(rows) || !std::has_single_bit(cols)) return std::nullopt;
  return affine_of(s.request.expression, bits_of(rows) + bits_of(cols), bits_of(cols));
}

// Converts the values from bytes to elements if every value is a whole number of elements. Returns false if one is not.
bool divide(std::vector<std::uint64_t>& values, std::uint64_t bytes) {
  if (std::ranges::any_of(values, [bytes](std::uint64_t v) { return v % bytes != 0; })) return false;
  for (std::uint64_t& v : values) v /= bytes;
  return true;
}

std::uint64_t wrong_of(const SwizzleLint& s) { return s.lint.comparisons[*s.lint.nearest()].wrong; }

void lint_coordinates(SwizzleLint& s) {
  if (!s.request.rows || !s.request.cols)
    throw usage_error("an expression in row and col needs the extents of the tile", "for example --rows 128 --cols 64");
  const std::uint64_t rows = *s.request.rows, cols = *s.request.cols;
  const std::optional<AffineMap> affine = affine_of_coordinates(s);
  if (!affine) require_enumerable(cols > INT64_MAX / rows ? INT64_MAX : rows * cols);
  const DType& dtype = s.request.dtype != nullptr ? *s.request.dtype : require_dtype("u8");
  s.references = tile_references(dtype, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols)});
  std::vector<std::uint64_t> values;  // the columns and the constant of an affine map
  if (affine) {
    values = affine->linear.columns();
    values.push_back(affine->constant);
  } else {
    values = table(s.request.expression, rows, cols);
  }
  const auto judge = [&](SwizzleLint& out) {
    if (affine) judge_affine(out, {LinearMap({values.begin(), values.end() - 1}), values.back()});
    else judge_values(out, values);
  };
  judge(s);
  const auto bytes = static_cast<std::uint64_t>(s.unit_bits) / 8;
  if (bytes < 2 || s.equal() != nullptr || !divide(values, bytes)) return;
  SwizzleLint in_bytes = s;
  in_bytes.value_bytes = bytes;
  judge(in_bytes);
  if (wrong_of(in_bytes) < wrong_of(s)) s = std::move(in_bytes);
}

// If no type was given, the values may be byte offsets of wider elements.
void find_wider_elements(SwizzleLint& s) {
  for (const char* wider : {"u16", "u32", "u64"}) {
    SwizzleLintRequest request = s.request;
    request.dtype = &require_dtype(wider);
    const SwizzleLint other = lint_swizzle(std::move(request));
    if (const AddressReference* equal = other.equal(); equal != nullptr && other.value_bytes != 0) {
      s.other_unit = SwizzleLint::OtherUnit{equal->mode, Bytes{other.unit_bits / 8}};
      return;
    }
  }
}

void find_other_unit(SwizzleLint& s) {
  if (s.equal() != nullptr) return;
  if (s.request.cols && s.request.dtype == nullptr) return find_wider_elements(s);
  if (s.request.cols || !s.lint.affine || s.lint.affine->constant != 0) return;
  for (int log2_unit = 0; log2_unit <= 4; ++log2_unit) {
    if (s.unit_bits == 8 << log2_unit) continue;
    for (const SwizzleMode& mode : swizzle_modes()) {
      const auto swizzle = in_units(mode.byte_swizzle(), log2_unit);
      if (mode.bits == 0 || !swizzle || swizzle != s.lint.swizzle) continue;
      s.other_unit = SwizzleLint::OtherUnit{&mode, Bytes{std::int64_t{1} << log2_unit}};
      return;
    }
  }
}

}  // namespace

std::uint64_t SwizzleLint::value(std::uint64_t x) const {
  if (!request.cols) return request.expression(x);
  const std::uint64_t value = request.expression(x / *request.cols, x % *request.cols);
  return value_bytes == 0 ? value : value / value_bytes;
}

const AddressReference* SwizzleLint::equal() const {
  const auto nearest = lint.nearest();
  return nearest && lint.comparisons[*nearest].wrong == 0 ? &references[*nearest] : nullptr;
}

SwizzleLint lint_swizzle(SwizzleLintRequest request) {
  SwizzleLint s{std::move(request), 8, {}, {}};
  if (s.request.dtype != nullptr) s.unit_bits = s.request.dtype->memory_bits;
  if (s.request.expression.has_coordinates()) {
    lint_coordinates(s);
  } else {
    if (s.request.rows || s.request.cols)
      throw Error("--rows and --cols belong to an expression in row and col",
                  fmt::format("this one is in {}: --bytes or --bits", s.request.expression.address()), {},
                  ErrorKind::usage);
    // Negative for elements smaller than a byte.
    s.references = mode_references(log2_exact(s.unit_bits) - 3);
    lint_address(s);
  }
  find_other_unit(s);
  return s;
}

}  // namespace swz
