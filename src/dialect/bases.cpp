// SPDX-License-Identifier: Apache-2.0
// Bases: a map that is linear over GF(2), given by where each bit goes. The notation is swz's own.
//
//   {offset = [[0, 1], [0, 2], [1, 0]]}       the coordinate (row, col) of each bit of the offset, lowest first: a bijection
//   {row = [4, 9], col = [1, 2]}              the offset of each bit of a coordinate: any linear map. dim0, dim1, … of
//                                             arrays that are not of two dimensions
//   {offset = …, block = [[8, 0]]}            block: the coordinate of each bit of the CTA
//   {register = [[0, 1], [8, 0]], lane = [[0, 2], …], warp = [], block = []}
//                                             the coordinate of each bit of the value, the lane, …; zeros are a copy
//
//   {row = [4, 9], col = [1, 2]} is 4x4: element (2,1) is at 9 ^ 1 = 8
//
// The extents are those that the bits span; for registers --shape may give larger ones. A basis of registers moves one
// bit, and no other basis moves that bit.
//
// Invariant (tested): read(write(x)) is the same function. Source: linear algebra over GF(2); Triton's LinearLayout
// has the first and the last form.
#include "dialect/bases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "base/checked.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/literal.hpp"

namespace swz {
namespace {

using Bases = std::vector<std::vector<std::int64_t>>;

constexpr std::size_t bits_of_lane = 5;
constexpr std::array<std::string_view, 14> bases_keys{"offset", "block", "register", "lane", "warp", "row",  "col",
                                                      "dim0",   "dim1",  "dim2",     "dim3", "dim4", "dim5", "dim6"};

bool recognises_bases(std::string_view text) {
  const std::size_t open = text.find_first_not_of(" \t\n");
  if (open == std::string_view::npos || text[open] != '{') return false;
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n", open + 1), text.size()));
  return std::ranges::any_of(bases_keys, [&](std::string_view key) {
    if (!text.starts_with(key)) return false;
    const std::size_t next = text.find_first_not_of(" \t\n", key.size());
    return next != std::string_view::npos && text[next] == '=';
  });
}

Bases bases_of(const Literal& text, std::string_view key) {
  const Literal* item = text.find(key);
  return item == nullptr ? Bases() : item->integer_lists();
}

// The extents that these bases span. Throws Error for lists of unequal length.
ArrayShape spanned(const std::vector<const Bases*>& lists, const Literal& text) {
  ArrayShape shape;
  for (const Bases* bases : lists)
    for (const std::vector<std::int64_t>& basis : *bases) {
      if (shape.empty()) shape.assign(basis.size(), 1);
      if (basis.empty() || basis.size() != shape.size() || basis.size() > 7)
        throw Error("the bases have different numbers of coordinates", "each has one number a dimension: [0, 1]",
                    text.span);
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (basis[d] < 0 || basis[d] >= std::int64_t{1} << 40)
          throw Error(fmt::format("the coordinate {} of a basis", basis[d]), "coordinates are not negative", text.span);
        shape[d] = std::max(shape[d], std::int64_t{1} << std::bit_width(static_cast<std::uint64_t>(basis[d])));
      }
    }
  if (shape.empty()) shape = {1, 1};
  element_count(shape);
  return shape;
}

// The inverse of the map that sends its bits to these numbers. None if it is not a bijection.
std::optional<LinearMap> inverse_of(const std::vector<std::uint64_t>& moves, int bits) {
  if (static_cast<int>(moves.size()) != bits) return std::nullopt;
  XorBasis basis;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const XorBasis::Sum rest = basis.reduced({moves[i], std::uint64_t{1} << i});
    if (rest.value == 0) return std::nullopt;
    basis.insert(rest);
  }
  std::vector<std::uint64_t> columns;
  for (int b = 0; b < bits; ++b) columns.push_back(basis.reduced({std::uint64_t{1} << b, 0}).from);
  return LinearMap(std::move(columns));
}

int bits_of_shape(const ArrayShape& shape) {
  int bits = 0;
  for (const std::int64_t extent : shape) bits += log2_exact(extent);
  return bits;
}

Reading read_offset_bases(const Literal& text, const Given& given) {
  const Bases offset = bases_of(text, "offset"), block = bases_of(text, "block");
  const ArrayShape shape = spanned({&offset, &block}, text);
  require_same_shape(given, shape);
  std::vector<std::uint64_t> moves;
  for (const Bases* bases : {&offset, &block})
    for (const auto& basis : *bases) moves.push_back(static_cast<std::uint64_t>(number_of(basis, shape)));
  const int bits = bits_of_shape(shape);
  const auto inverse = inverse_of(moves, bits);
  if (!inverse)
    throw Error(fmt::format("{} bases of {}, {} bits: not a bijection", moves.size(), shape_text(shape), bits),
                "each coordinate has one offset; of any other map write row and col", text.span);
  const std::uint64_t mask = (std::uint64_t{1} << offset.size()) - 1;
  std::vector<std::uint64_t> places, ctas;
  for (const std::uint64_t column : inverse->columns()) {
    places.push_back(column & mask);
    ctas.push_back(column >> offset.size());
  }
  SharedForm form = shared_form(shape, element_width(given), LinearMap(std::move(places)));
  if (!block.empty()) form.block = LinearMap(std::move(ctas));
  return {form};
}

std::string dimension_key(std::size_t d, std::size_t rank) {
  if (rank == 2) return d == 0 ? "row" : "col";
  return fmt::format("dim{}", d);
}

Reading read_columns(const Literal& text, const Given& given) {
  const bool has_numbers = text.find("dim0") != nullptr;  // instead of row and col
  const std::size_t rank = has_numbers ? text.items.size() : 2;
  std::vector<std::uint64_t> columns;
  ArrayShape shape(rank, 1);
  std::size_t read = 0;
  for (std::size_t d = rank; d-- > 0;) {
    const std::string key = has_numbers ? fmt::format("dim{}", d) : dimension_key(d, rank);
    const Literal* item = text.find(key);
    if (item == nullptr) {
      if (!has_numbers) continue;  // {col = [1, 2]} is 1x4
      throw Error(fmt::format("the bits of {} are not said", key), "dim0 = …, dim1 = …", text.span);
    }
    ++read;
    for (const std::int64_t offset : item->integers()) {
      if (offset < 0 || offset >= std::int64_t{1} << 61)
        throw Error(fmt::format("the offset {}", offset), "offsets are 0 to 2^61", item->span);
      columns.push_back(static_cast<std::uint64_t>(offset));
    }
    if (item->items.size() > 40) throw Error("too many bits", "an extent has at most 40", item->span);
    shape[d] = std::int64_t{1} << item->items.size();
  }
  if (read != text.items.size())
    throw Error("names of dimensions of two kinds", "row and col, or dim0, dim1 and so on", text.span);
  element_count(shape);
  require_same_shape(given, shape);
  return {shared_form(shape, element_width(given), LinearMap(std::move(columns)))};
}

Reading read_register_bases(const Literal& text, const Given& given) {
  RegisterBases bases{bases_of(text, "register"), bases_of(text, "lane"), bases_of(text, "block")};
  const Bases warps = bases_of(text, "warp");
  if (bases.thread.size() > bits_of_lane || (!warps.empty() && bases.thread.size() < bits_of_lane))
    throw Error(fmt::format("{} bases of the lane", bases.thread.size()), "a warp has 32 lanes: 5 bases", text.span);
  bases.thread.insert(bases.thread.end(), warps.begin(), warps.end());
  const ArrayShape shape = spanned({&bases.value, &bases.thread, &bases.block}, text);
  try {
    return {register_form(given.shape.empty() ? shape : given.shape, element_width(given), bases)};
  } catch (const Error& e) {
    throw e.at(text.span);
  }
}

Reading read_bases(std::string_view text, const Given& given) {
  const Literal literal = parse_literal(text);
  const bool is_dictionary = literal.kind == Literal::Kind::list && literal.bracket == '{';
  for (const Literal& item : literal.items)
    if (!is_dictionary || std::ranges::find(bases_keys, item.key) == bases_keys.end() ||
        std::ranges::count(literal.items, item.key, &Literal::key) > 1)
      throw Error("bases are offset and block, or row and col, or register, lane, warp and block, each once",
                  "for example {row = [4, 8], col = [1, 2]}", item.span);
  const bool has_offset = literal.find("offset") != nullptr;
  const bool has_registers = literal.find("register") || literal.find("lane") || literal.find("warp");
  const bool has_columns = literal.find("row") || literal.find("col") || literal.find("dim0");
  if (!is_dictionary || int{has_offset} + int{has_registers} + int{has_columns} != 1 ||
      (has_columns && literal.find("block") != nullptr))
    throw Error("bases are offset and block, or row and col, or register, lane, warp and block",
                "for example {row = [4, 8], col = [1, 2]}", literal.span);
  if (has_offset) return read_offset_bases(literal, given);
  if (has_registers) return read_register_bases(literal, given);
  return read_columns(literal, given);
}

std::string bases_text(const Bases& bases) {
  std::vector<std::string> texts;
  for (const auto& basis : bases) texts.push_back(fmt::format("[{}]", fmt::join(basis, ", ")));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

Written write_registers(const RegisterForm& form) {
  const auto bases = as_bases(form);
  if (!bases)
    return refused("a step of the layout moves more than one bit of a coordinate, or an extent is not a power of two");
  if (bases->value.empty() && bases->thread.empty()) return refused("one element: there are no bits");
  const auto lanes = static_cast<std::ptrdiff_t>(std::min(bits_of_lane, bases->thread.size()));
  const Bases lane(bases->thread.begin(), bases->thread.begin() + lanes),
      warp(bases->thread.begin() + lanes, bases->thread.end());
  std::string text = fmt::format("{{register = {}, lane = {}, warp = {}", bases_text(bases->value), bases_text(lane),
                                 bases_text(warp));
  // With several CTAs the block is written even if it has only one.
  if (!bases->block.empty()) text += fmt::format(", block = {}", bases_text(bases->block));
  text += '}';
  return {text};
}

// Writes the coordinates of the bits of (offset, CTA). None if the map is not a bijection.
std::optional<std::string> offset_text(const LinearMap& map, const LinearMap& block, const ArrayShape& shape) {
  std::vector<std::uint64_t> moves;
  const int block_bits = block.bits() == 0 ? 0 : rank(block);
  const int offset_bits = map.bits() - block_bits;
  for (int i = 0; i < map.bits(); ++i) {
    const std::uint64_t place = map.columns()[static_cast<std::size_t>(i)];
    if (place >> offset_bits != 0) return std::nullopt;
    const std::uint64_t cta = block_bits == 0 ? 0 : block.columns()[static_cast<std::size_t>(i)];
    if (cta >> block_bits != 0) return std::nullopt;
    moves.push_back(place | cta << offset_bits);
  }
  const auto inverse = inverse_of(moves, map.bits());
  if (!inverse) return std::nullopt;
  Bases offset, ctas;
  for (int i = 0; i < map.bits(); ++i)
    (i < offset_bits ? offset : ctas)
        .push_back(coordinate_of(static_cast<std::int64_t>(inverse->columns()[static_cast<std::size_t>(i)]), shape));
  if (offset.empty()) return std::nullopt;
  return fmt::format("{{offset = {}{}}}", bases_text(offset), ctas.empty() ? "" : ", block = " + bases_text(ctas));
}

Written write_bases(const LayoutForm& form) {
  if (const auto* registers = std::get_if<RegisterForm>(&form)) return write_registers(*registers);
  const auto* shared = std::get_if<SharedForm>(&form);
  if (shared == nullptr) return refused("tensor memory has rows and columns, not one offset");
  if (std::string why = why_not_linear(*shared); !why.empty()) return refused(std::move(why));
  if (shared->shape.size() > 7) return refused("more than 7 dimensions");
  const LinearMap map = *as_linear(*shared);
  if (auto text = offset_text(map, shared->block, shared->shape)) return {std::move(*text)};
  if (shared->block.bits() > 0) return refused("offset and CTA together are not a bijection");
  std::vector<std::vector<std::uint64_t>> dimensions(shared->shape.size());
  auto begin = map.columns().begin();
  for (std::size_t d = shared->shape.size(); d-- > 0;) {
    const auto end = begin + log2_exact(shared->shape[d]);
    dimensions[d].assign(begin, end);
    begin = end;
  }
  return {dimension_bases(dimensions)};
}

}  // namespace

std::string dimension_bases(const std::vector<std::vector<std::uint64_t>>& bases) {
  std::vector<std::string> dimensions;
  for (std::size_t d = 0; d < bases.size(); ++d)
    dimensions.push_back(fmt::format("{} = [{}]", dimension_key(d, bases.size()), fmt::join(bases[d], ", ")));
  return fmt::format("{{{}}}", fmt::join(dimensions, ", "));
}

Dialect bases_dialect() {
  return {.name = "bases",
          .title = "bases over GF(2)",
          .unit = "elements",
          .needs = "",
          .example = "{row = [72, 144, 288, 512, 1024, 2048], col = [1, 2, 4, 8, 16, 32]}",
          .rules =
              R"(A map that is linear over GF(2), by where each bit goes, the lowest bit first. The text is swz's own.

| text | says |
| --- | --- |
| `{offset = [[0, 1], [0, 2], [1, 0]]}` | the coordinate of each bit of the offset: a bijection, as Triton's `shared_linear` |
| `{row = [4, 9], col = [1, 2]}` | the offset of each bit of row and column: any linear map; `dim0`, `dim1`, … where the array has not two dimensions |
| `{offset = …, block = [[8, 0]]}` | and the coordinate of each bit of the CTA |
| `{register = …, lane = …, warp = …, block = …}` | the coordinate of each bit of value, lane, warp and CTA; zeros are a copy |

`{row = [4, 9], col = [1, 2]}` is 4x4: element (2,1) is at 9 ^ 1 = 8.

The extents are what the bits span. Padding, rotations and extents that are no powers of two have no bases.)",
          .source = "linear algebra over GF(2); Triton's LinearLayout for the names",
          .recognises = recognises_bases,
          .read = read_bases,
          .write = write_bases};
}

}  // namespace swz
