#include "expr/swizzle_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "expr/c_linear.hpp"
#include "smem/tile.hpp"

namespace swz {

namespace {

constexpr std::uint64_t most_enumerated = std::uint64_t{1} << 20;
constexpr int widest_address = 62;
constexpr std::int64_t examined_bits = std::int64_t{8} << 16;  // 64 KiB
constexpr std::int64_t pattern_bits = std::int64_t{8} << 10;   // of mode 128B

int bits_of(std::uint64_t power) { return std::countr_zero(power); }

std::vector<std::uint64_t> table(const CExpression& f, std::uint64_t count) {
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t x = 0; x < count; ++x) values[x] = f(x);
  return values;
}

std::vector<std::uint64_t> table(const CExpression& f, std::uint64_t rows, std::uint64_t cols) {
  std::vector<std::uint64_t> values;
  values.reserve(rows * cols);
  for (std::uint64_t row = 0; row < rows; ++row)
    for (std::uint64_t col = 0; col < cols; ++col) values.push_back(f(row, col));
  return values;
}

[[noreturn]] void throw_too_many(std::uint64_t inputs) {
  throw usage(fmt::format("{} inputs are more than the limit of {}", inputs, most_enumerated),
              "only an expression that is linear over GF(2), with inputs that are a power of two, is answered "
              "without enumeration");
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
  const auto affine = affine_of(f, widest_address);
  if (affine) s.period = xor_period(*affine);
  if (const auto inputs = s.request.inputs) {
    if (affine && std::has_single_bit(*inputs))
      return judge_affine(s, {affine->linear.restricted(bits_of(*inputs)), affine->constant});
    if (*inputs > most_enumerated) throw_too_many(*inputs);
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
  s.is_whole_period = s.period && *s.period <= examined;
  const std::uint64_t domain = s.is_whole_period ? std::max(*s.period, pattern) : examined;
  if (affine) return judge_affine(s, {affine->linear.restricted(bits_of(domain)), affine->constant});
  judge_values(s, std::span(values).first(domain));
}

// Where a tile has the element with row-major index x. None when its atom does not divide the extents.
std::optional<AddressReference> tile_reference(const SwizzleMode& mode, const DType& dtype, TileExtents e,
                                               Major major, StackingOrder order) {
  try {
    const SmemTile tile(
        {.dtype = dtype.name, .major = major, .mn = e.mn, .k = e.k, .swizzle = mode.name, .order = order});
    const bool has_order = tile.atoms().mn > 1 && tile.atoms().k > 1;
    if (!has_order && order == StackingOrder::k_first) return std::nullopt;
    std::string name =
        fmt::format("{}{}", to_string(major), has_order ? fmt::format(", {}", to_string(order)) : "");
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
        if (auto reference = tile_reference(mode, dtype, e, major, order))
          references.push_back(std::move(*reference));
  return references;
}

void lint_coordinates(SwizzleLint& s) {
  if (!s.request.rows || !s.request.cols)
    throw usage("an expression in row and col needs the extents of the tile", "for example --rows 128 --cols 64");
  const std::uint64_t rows = *s.request.rows, cols = *s.request.cols;
  if (rows > most_enumerated || cols > most_enumerated || rows * cols > most_enumerated)
    throw_too_many(rows * cols);
  const DType& dtype = s.request.dtype != nullptr ? *s.request.dtype : require_dtype("u8");
  s.references = tile_references(dtype, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols)});
  if (std::has_single_bit(rows) && std::has_single_bit(cols)) {
    if (const auto affine = affine_of(s.request.expression, bits_of(rows * cols), bits_of(cols)))
      return judge_affine(s, *affine);
  }
  judge_values(s, table(s.request.expression, rows, cols));
}

void find_other_unit(SwizzleLint& s) {
  if (s.equal() != nullptr || !s.lint.affine || s.lint.affine->constant != 0) return;
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
  return request.cols ? request.expression(x / *request.cols, x % *request.cols) : request.expression(x);
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
