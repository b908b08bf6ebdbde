// SPDX-License-Identifier: Apache-2.0
#include "dialect/offset_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstdlib>

#include "base/checked.hpp"

namespace swz {
namespace {

// A digit of a coordinate and its factor; the product is the left operand of an operator.
struct OffsetTerm {
  std::string digit;
  std::int64_t factor = 1;
};

// Writes v / span % extent. The last digit of a coordinate needs no remainder.
std::string digit_text(const OffsetNotation& n, std::string_view name, std::int64_t span, std::int64_t extent,
                       bool is_last) {
  std::string text(name);
  if (span > 1) text += fmt::format("{}{}", n.divided, span);
  if (!is_last) text += fmt::format("{}{}", n.modulo, extent);
  return text;
}

std::string product_text(const OffsetNotation& n, const OffsetTerm& term) {
  const std::int64_t factor = checked_abs(term.factor);
  return factor == 1 ? term.digit : fmt::format("{}{}{}", term.digit, n.times, factor);
}

std::string sum_text(const OffsetNotation& n, const std::vector<OffsetTerm>& terms, std::int64_t constant) {
  std::string text = constant != 0 ? std::to_string(constant) : "";
  for (const OffsetTerm& term : terms) {
    if (term.factor == 0) continue;
    if (!text.empty()) text += term.factor < 0 ? " - " : " + ";
    else if (term.factor < 0) text = "-";
    text += product_text(n, term);
  }
  return text.empty() ? "0" : text;
}

std::string in_brackets(const std::string& text) {
  return text.find_first_of(" /%*") == std::string::npos ? text : fmt::format("({})", text);
}

std::vector<OffsetTerm> stride_terms(const OffsetNotation& n, const Layout& layout) {
  std::vector<OffsetTerm> terms;
  for (std::size_t d = 0; d < n.names.size(); ++d) {
    const Layout dimension = mode(layout, d);
    const std::int64_t extent = dimension.size();
    std::int64_t span = 1;
    for (const FlatMode& leaf : dimension.modes()) {
      const std::int64_t end = span * leaf.extent;
      if (leaf.extent > 1) terms.push_back({digit_text(n, n.names[d], span, leaf.extent, end == extent), leaf.stride});
      span = end;
    }
  }
  return terms;
}

// One term for each run of bits that moves by the same distance.
std::vector<OffsetTerm> xor_terms(const OffsetNotation& n, const std::vector<std::uint64_t>& columns,
                                  const ArrayShape& shape) {
  std::vector<OffsetTerm> terms;
  std::size_t first = columns.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const int bits = log2_exact(shape[d]);
    first -= static_cast<std::size_t>(bits);
    std::vector<std::uint64_t> rest(columns.begin() + static_cast<std::ptrdiff_t>(first),
                                    columns.begin() + static_cast<std::ptrdiff_t>(first) + bits);
    for (int i = 0; i < bits; ++i)
      while (rest[static_cast<std::size_t>(i)] != 0) {
        const int out = static_cast<int>(std::bit_width(rest[static_cast<std::size_t>(i)])) - 1;
        int run = 0;
        for (; i + run < bits && out + run < 63 && (rest[static_cast<std::size_t>(i + run)] >> (out + run) & 1) != 0;
             ++run)
          rest[static_cast<std::size_t>(i + run)] ^= std::uint64_t{1} << (out + run);
        terms.push_back({digit_text(n, n.names[d], std::int64_t{1} << i, std::int64_t{1} << run, i + run == bits),
                         std::int64_t{1} << out});
      }
  }
  return terms;
}

std::string xor_text(const OffsetNotation& n, const std::string& sum, const std::vector<OffsetTerm>& terms) {
  std::string text = sum.empty() || terms.empty() ? sum : in_brackets(sum);
  for (const OffsetTerm& term : terms) {
    if (!text.empty()) text += " ^ ";
    text += in_brackets(product_text(n, term));
  }
  return text.empty() ? "0" : text;
}

std::string linear_text(const OffsetNotation& n, const LinearMap& map, const ArrayShape& shape) {
  if (const auto composed = composed_of(map, shape)) {
    // What the swizzle adds to the strides.
    std::vector<std::uint64_t> added(map.columns());
    for (std::size_t i = 0; i < added.size(); ++i)
      added[i] ^= static_cast<std::uint64_t>(composed->element_swizzle()(static_cast<std::int64_t>(added[i])));
    return xor_text(n, sum_text(n, stride_terms(n, composed->layout()), 0), xor_terms(n, added, shape));
  }
  return xor_text(n, "", xor_terms(n, map.columns(), shape));
}

std::string composed_text(const OffsetNotation& n, const ComposedLayout& composed) {
  const std::string sum = sum_text(n, stride_terms(n, composed.layout()), composed.offset());
  const Swizzle& sw = composed.element_swizzle();
  if (sw.is_identity()) return sum;
  const std::string x = in_brackets(sum);
  if (sw.shift() > 0) return fmt::format("{0} ^ ({0} >> {1} & {2})", x, sw.shift(), sw.written_mask());
  return fmt::format("{0} ^ (({0} & {1}) << {2})", x, sw.read_mask(), -sw.shift());
}

// x from the bits, then padded. None if x is not linear.
std::optional<PaddedBits> bits_before_padding(const SharedForm& form) {
  if (auto padded = as_padded(form)) return padded;
  SharedForm unpadded = form;
  unpadded.padding.clear();
  const auto map = form.padding.empty() ? std::nullopt : as_linear(unpadded);
  return map ? std::optional(PaddedBits{map->columns(), form.padding}) : std::nullopt;
}

std::string padding_text(const OffsetNotation& n, const PaddedBits& padded, const ArrayShape& shape) {
  const std::string x = linear_text(n, LinearMap(padded.columns), shape), in = in_brackets(x);
  std::string text = x.find('^') == std::string::npos ? x : in;
  for (const Padding& p : padded.padding)
    text += fmt::format(" + {}", product_text(n, {fmt::format("{}{}{}", in, n.divided, p.interval), p.amount}));
  return text;
}

// Writes row*C + (col + k*row)%C, with k from the second row; the caller checks the other rows.
std::string rotation_text(const OffsetNotation& n, const SharedForm& form) {
  const std::int64_t columns = form.shape[1], rows = form.shape[0];
  const std::vector<std::int64_t> offsets = offsets_of(form);
  if (rows < 2) return "";
  const std::int64_t by = offsets[static_cast<std::size_t>(columns)] - columns;
  if (by < 1 || by >= columns) return "";
  return fmt::format("{0} + ({1} + {2}){3}{4}", product_text(n, {std::string(n.names[0]), columns}), n.names[1],
                     product_text(n, {std::string(n.names[0]), by}), n.modulo, columns);
}

}  // namespace

OffsetNotation c_notation(std::size_t rank) {
  if (rank == 1) return {{"col"}, "*", "/", "%"};
  return {{"row", "col"}, "*", "/", "%"};
}

OffsetNotation python_notation(std::size_t rank) {
  OffsetNotation notation{{"i", "j", "k", "l", "m", "n"}, " * ", " // ", " % "};
  notation.names.resize(rank);
  return notation;
}

std::vector<std::string> offset_texts(const SharedForm& form, const OffsetNotation& n) {
  std::vector<std::string> texts;
  if (const auto map = as_linear(form)) return {linear_text(n, *map, form.shape)};
  if (const auto composed = as_composed(form)) texts.push_back(composed_text(n, *composed));
  else if (const auto padded = bits_before_padding(form)) texts.push_back(padding_text(n, *padded, form.shape));
  if (form.shape.size() == 2 && texts.empty()) texts.push_back(rotation_text(n, form));
  std::erase(texts, "");
  return texts;
}

}  // namespace swz
