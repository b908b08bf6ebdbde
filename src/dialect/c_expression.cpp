// SPDX-License-Identifier: Apache-2.0
// C expression: the index of an element as a function of its row and column, or the new address of a byte.
//
//   r*64 + (((c>>3) ^ (r&7))<<3 | (c&7))        Sw<3,3,3> o 0 o (R,64):(64,1), of --shape Rx64
//   row*128 + ((col*2) ^ ((row & 7) << 4))      the same for 2-byte elements, in bytes: --dtype decides this
//   a ^ ((a >> 7 & 7) << 4)                     a byte address: plain rows of --shape, then Sw<3,4,3>
//   r*32 + (c + r) % 32                         a rotation: neither strides nor an XOR
//
// Names are row and col, r and c, i and j, or y and x; for an address addr, a, address or byte. Values count bytes if
// --dtype is wider than a byte and all values are multiples of its size. `// bytes` or `// elements` after the
// expression overrides this.
//
// Invariant (tested): read(write(x)) is the same function. Source: C; arithmetic as in src/expr/c_expression.hpp.
#include "expr/c_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "dialect/all.hpp"
#include "dialect/column_blocks.hpp"
#include "dialect/offset_text.hpp"

namespace swz {
namespace {

constexpr std::array<std::string_view, 4> addresses{"addr", "a", "address", "byte"};
constexpr std::uint64_t largest_offset = std::uint64_t{1} << 61;

struct CText {
  std::string_view expression;
  bool says_bytes = false, says_elements = false;
};

CText without_comment(std::string_view text) {
  const std::size_t at = text.find("//");
  if (at == std::string_view::npos) return {text};
  const std::string_view comment = text.substr(at);
  return {text.substr(0, at), comment.find("bytes") != std::string_view::npos,
          comment.find("elements") != std::string_view::npos};
}

// Each identifier in the text, once.
std::vector<std::string_view> identifiers(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    const std::string_view word = text.substr(begin, at - begin);
    if (!is_digit(word[0]) && std::ranges::find(names, word) == names.end()) names.push_back(word);
  }
  return names;
}

struct NamesInText {
  CoordinateNames coordinate = {};
  std::string_view address = "addr";
  bool is_known = false, is_address = false;
};

NamesInText names_in(std::string_view text) {
  const std::vector<std::string_view> names = identifiers(text);
  if (names.empty()) return {};
  for (const CoordinateNames& pair : coordinate_names)
    if (std::ranges::all_of(names, [&](std::string_view n) { return n == pair.row || n == pair.col; }))
      return {pair, "addr", true};
  if (names.size() == 1 && std::ranges::find(addresses, names[0]) != addresses.end()) return {{}, names[0], true, true};
  return {};
}

bool recognises_c(std::string_view text) {
  const std::string_view expression = without_comment(text.substr(0, std::size_t{limits::c_bytes.most})).expression;
  if (expression.find_first_not_of("()+-*/%^&|~<>!?:='_ \t\n\r"
                                   "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") !=
          std::string_view::npos ||
      expression.find("^=") != std::string_view::npos)
    return false;
  // 8:r is a layout; in an expression only ?: has a colon
  if (expression.find(':') != std::string_view::npos && expression.find('?') == std::string_view::npos) return false;
  return names_in(expression).is_known;
}

// The size of an element in bytes if it is wider than a byte, otherwise 1: values then count elements.
std::int64_t whole_bytes(const DType* dtype) {
  return dtype != nullptr && dtype->memory_bits > 8 ? dtype->memory_bits / 8 : 1;
}

[[noreturn]] void refuse_value(std::int64_t number, const ArrayShape& shape) {
  const std::vector<std::int64_t> at = coordinate_of(number, shape);
  throw Error(
      fmt::format("the value at row {}, column {} is negative, or 2^61 and more", at.size() > 1 ? at[0] : 0, at.back()),
      "an offset is a number of elements from the base of the array");
}

// The form of a table of numbers: strides and a swizzle if the table is that, otherwise the numbers.
SharedForm form_of_table(const ArrayShape& shape, ElementWidth element, std::vector<std::int64_t> offsets) {
  SharedForm form{shape, element, std::move(offsets)};
  if (auto composed = as_composed(form)) return shared_form(shape, element, std::move(*composed));
  return form;
}

Finding bytes_note(std::int64_t bytes) {
  return note("bytes", fmt::format("every value is a multiple of {}: read as bytes, {} an element", bytes, bytes),
              "write // elements behind the expression where they are elements");
}

Reading read_coordinates(const CExpression& f, const CText& text, const Given& given) {
  const ArrayShape& shape = required_shape(given);
  if (shape.size() > 2)
    throw usage_error(fmt::format("an array of {} dimensions: an expression has a row and a column", shape.size()),
                      "for example --shape 64x64");
  const std::int64_t columns = shape.back(), count = element_count(shape);
  const std::int64_t bytes = text.says_elements ? 1 : whole_bytes(given.dtype);
  if (text.says_bytes) required_dtype(given);
  const auto in_bytes = [&](const auto& values) {
    const bool fits = std::ranges::all_of(values, [&](auto v) { return static_cast<std::int64_t>(v) % bytes == 0; });
    if (text.says_bytes && !fits)
      throw Error(fmt::format("not every value is a multiple of the {} bytes of an element", bytes),
                  "leave // bytes out, or name the type with --dtype");
    return bytes > 1 && fits && std::ranges::any_of(values, [](auto v) { return v != 0; });
  };
  if (are_powers_of_two(shape)) {
    const int column_bits = log2_exact(columns), bits = column_bits + log2_exact(count / columns);
    if (const auto map = affine_of(f, bits, column_bits); map && map->constant == 0) {
      std::vector<std::uint64_t> moves = map->linear.columns();
      for (std::size_t i = 0; i < moves.size(); ++i)
        if (moves[i] >= largest_offset) refuse_value(std::int64_t{1} << i, shape);
      const bool is_bytes = in_bytes(moves);
      if (is_bytes)
        for (std::uint64_t& m : moves) m /= static_cast<std::uint64_t>(bytes);
      Reading reading{shared_form(shape, element_width(given), LinearMap(std::move(moves)))};
      if (is_bytes) reading.notes.push_back(bytes_note(bytes));
      return reading;
    }
  }
  require_within(limits::c_inputs, count);
  std::vector<std::int64_t> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint64_t value = f(static_cast<std::uint64_t>(n / columns), static_cast<std::uint64_t>(n % columns));
    if (value >= largest_offset) refuse_value(n, shape);
    values.push_back(static_cast<std::int64_t>(value));
  }
  const bool is_bytes = in_bytes(values);
  if (is_bytes)
    for (std::int64_t& v : values) v /= bytes;
  Reading reading{form_of_table(shape, element_width(given), std::move(values))};
  if (is_bytes) reading.notes.push_back(bytes_note(bytes));
  return reading;
}

// Reads an expression of a byte address: the elements are stored row by row, then each byte moves.
Reading read_address(const CExpression& f, const Given& given) {
  const ArrayShape& shape = required_shape(given);
  const DType& dtype = required_dtype(given);
  if (dtype.memory_bits < 8)
    throw usage_error(fmt::format("an address in bytes tears elements of {} bits apart", dtype.memory_bits),
                      "write the expression in row and col");
  const std::int64_t bytes = dtype.memory_bits / 8, count = element_count(shape);
  require_within(limits::c_inputs, checked_mul(count, bytes));
  std::vector<std::int64_t> values;
  for (std::int64_t n = 0; n < count; ++n) {
    const std::uint64_t place = f(static_cast<std::uint64_t>(n * bytes));
    if (place >= largest_offset) refuse_value(n, shape);
    for (std::int64_t b = 0; b < bytes; ++b)
      if (place % static_cast<std::uint64_t>(bytes) != 0 ||
          f(static_cast<std::uint64_t>(n * bytes + b)) != place + static_cast<std::uint64_t>(b))
        throw Error(fmt::format("the bytes of element {} of {} do not stay together", n, dtype.name),
                    "an address of bytes keeps the low bits: name the type that it is of with --dtype");
    values.push_back(static_cast<std::int64_t>(place) / bytes);
  }
  Reading reading{form_of_table(shape, width_of(dtype), std::move(values))};
  reading.notes.push_back(note(
      "byte-address",
      fmt::format("{} counts bytes: rows of {} one after the other, then the expression", f.address(), dtype.name)));
  const auto map = affine_of(f, 40);
  if (const auto swizzle = map && map->constant == 0 ? as_swizzle(map->linear) : std::nullopt;
      swizzle && !swizzle->is_identity())
    reading.notes.push_back(base_alignment_note(*swizzle));
  return reading;
}

Reading read_c(std::string_view text, const Given& given) {
  const CText c = without_comment(text);
  const NamesInText names = names_in(c.expression);
  const CExpression f(text, CNames{.address = std::string(names.address),
                                   .row = std::string(names.coordinate.row),
                                   .col = std::string(names.coordinate.col)});
  return names.is_address ? read_address(f, given) : read_coordinates(f, c, given);
}

Written write_c(const LayoutForm& form) {
  std::string why;
  const SharedForm* shared = plain_shared(form, why);
  if (shared == nullptr) return refused(std::move(why));
  if (shared->shape.empty() || shared->shape.size() > 2) return refused("an expression has a row and a column");
  std::vector<std::string> texts;
  for (const std::string& text : offset_texts(*shared, c_notation(shared->shape.size()))) {
    texts.push_back(text);
    // If all values are multiples of the size of an element, they would be read as bytes.
    texts.push_back(text + " // elements");
  }
  std::string text = first_equal(*shared, texts, read_c);
  if (!text.empty()) return {std::move(text)};
  return refused("neither strides, XORs, padding nor a rotation of rows: no short expression; a table is nearest");
}

}  // namespace

Dialect c_dialect() {
  return {
      .name = "c",
      .title = "C expression",
      .unit = "elements",
      .needs = "shape",
      .example = "r*64 + (((c>>3) ^ (r&7))<<3 | (c&7))",
      .rules =
          R"(The offset of element (row, col), with C's operators and precedence, unsigned with 64 bits. Names: row and col, r and
c, i and j, y and x. With addr, a, address or byte it is what becomes of a byte address: the rows of `--shape` one
after the other first (`--dtype`).

| expression | CuTe |
| --- | --- |
| `r*64 + (((c>>3) ^ (r&7))<<3 \| (c&7))` | `Sw<3,3,3> o 0 o (R,64):(64,1)`: mode 128B of 2-byte elements |
| `r*32 + (c ^ r)` | `Sw<5,0,5> o 0 o (32,32):(32,1)`: a transpose without conflicts, no hardware mode |
| `r*33 + c` | `(R,32):(33,1)`: padding |
| `a ^ ((a >> 7 & 7) << 4)` | `Sw<3,4,3>` on bytes |
| `r*32 + (c + r) % 32` | none: a rotation is neither strides nor an XOR |

Of `r*64 + (((c>>3) ^ (r&7))<<3 | (c&7))` element (1,8) is at 64 + ((1 ^ 1) << 3) = 64.

Trap: values may count bytes. Where `--dtype` is wider than a byte and every value is a multiple of its size they are
read as bytes, and the answer says so; `// bytes` or `// elements` behind the expression decides. What swz writes
counts elements: strides, XORs, padding and rotations of rows; of any other table it writes nothing.)",
      .source = "C; src/expr/c_expression.hpp",
      .recognises = recognises_c,
      .read = read_c,
      .write = write_c};
}

}  // namespace swz
