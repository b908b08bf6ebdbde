// SPDX-License-Identifier: Apache-2.0
// The picture of a layout in any notation: the array by row and column.
//
//   shared memory   the chunks of 16 bytes beside the lines of shared memory, as swz place draws them; where they do not
//                   stay together, a cell is the offset of its element, in the colour of its bank
//   registers       a cell is the thread and the value that hold it, "T5 V1", in the colour of the thread
//   tensor memory   a cell is its lane and column, "L5 C1"
//
// Rows are all dimensions except the last, flattened. If several threads hold an element, the first is shown.
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/dialect/translate.hpp"
#include "view/document/figure.hpp"
#include "view/tile/place.hpp"

namespace swz {
namespace {

struct ArrayTable {
  std::int64_t rows = 1, columns = 1;
  explicit ArrayTable(const ArrayShape& shape) : rows(element_count(shape) / shape.back()), columns(shape.back()) {}
};

template <class SquareOf>
Figure array_figure(const ArrayShape& shape, std::string title, SquareOf square_of_number) {
  const ArrayTable table(shape);
  require_drawable(table.rows * table.columns, fmt::format("a picture of {} elements", shape_text(shape)),
                   "take a smaller array: --shape");
  Figure figure;
  figure.title = std::move(title);
  figure.panels = {{grid_of("", "row\\col", number_labels(table.rows), number_labels(table.columns),
                            [&](std::int64_t r, std::int64_t c) { return square_of_number(r * table.columns + c); })}};
  return figure;
}

std::string place_text(std::int64_t number, const ArrayShape& shape) {
  std::string text;
  for (const std::int64_t c : coordinate_of(number, shape)) text += fmt::format("{}{}", text.empty() ? "(" : ",", c);
  return text + ")";
}

// The array and shared memory by chunks of 16 bytes; none if its chunks do not stay together, or its elements are few
// enough to be seen.
std::optional<Figure> chunks_figure(const SharedForm& form) {
  constexpr std::int64_t few_elements = 256;
  if (element_count(form.shape) <= few_elements) return {};
  const std::optional<ComposedLayout> layout = form.element.bits > 0 ? as_composed(form) : std::nullopt;
  if (!layout || form.shape.size() != 2 || !form.padding.empty() || form.block.bits() > 0) return {};
  try {
    const Placement placement(*layout, form.element.bits);
    if (!placement.has_chunks()) return {};
    const PlacedOperand placed{"", *layout, {}, placement};
    Figure figure =
        chunk_figure(placed,
                     {"the array: its chunks in order", fmt::format("a picture of {} elements", shape_text(form.shape)),
                      "take a smaller array: --shape"},
                     true);
    for (Grid& grid : figure.panels.front())
      if (grid.corner == "row\\k") grid.corner = "row\\col";
    const bool is_by_rows = placement.major() == Major::K;
    for (Grid::Arrow& arrow : figure.panels.front().front().arrows)
      if (arrow.text.starts_with("k "))
        arrow.text.replace(0, arrow.text.find(' ', 2), arrow.text.substr(2, arrow.text.find(' ', 2) - 2) + " columns");
    if (is_by_rows) figure.panels.front().front().row_group = 8;
    figure.legend_title = is_by_rows ? "colour: column" : "colour: row";
    figure.caption =
        fmt::format("A cell is a chunk of 16 bytes ({}), numbered.", plural(placement.chunk_elements(), "element"));
    if (figure.about_shades.ends_with(" k are dark and light in turn."))
      figure.about_shades.replace(figure.about_shades.find(" k are"), 6, " columns are");
    // In a column few rows of the array, which are alike, so that shared memory has room.
    constexpr std::size_t few_rows = 8;
    figure.narrow = {figure};
    Grid& array = figure.narrow.front().panels.front().front();
    if (const std::size_t rows = array.squares.size(); rows > few_rows) array.key_rows = {0, 1, 2, rows - 1};
    return figure;
  } catch (const Error&) {
    return {};  // larger than shared memory, or not of rows and columns
  }
}

Figure shared_figure(const SharedForm& form, std::string title) {
  if (std::optional<Figure> figure = chunks_figure(form)) return *figure;
  const std::vector<std::int64_t> offsets = offsets_of(form);
  const int bits = form.element.bits;
  Figure figure = array_figure(form.shape, std::move(title), [&](std::int64_t number) {
    const std::int64_t offset = offsets[static_cast<std::size_t>(number)];
    const std::int64_t bank = offset * (bits == 0 ? 32 : bits) / 32 % 32;
    Grid::Square square{std::to_string(offset), tint_of_bank(bank)};
    square.tip = fmt::format("{} at offset {}", place_text(number, form.shape), offset);
    if (bits != 0) square.tip += fmt::format(", byte {}, bank {}", offset * bits / 8, bank);
    return square;
  });
  figure.caption = "A cell shows the offset of its element, in elements.";
  if (bits != 0) figure.legend = hue_legend(8, [](std::int64_t hue) { return "banks " + range_text(hue * 4, 4); });
  else figure.about_shades = " Four neighbours in memory share a hue.";
  return figure;
}

Figure register_figure(const RegisterForm& form, std::string title) {
  const std::vector<std::int64_t> numbers = numbers_of(form);
  const std::int64_t values = value_count(form);
  std::vector<std::int64_t> holder(static_cast<std::size_t>(element_count(form.shape)), -1);
  for (std::size_t i = numbers.size(); i-- > 0;)
    holder[static_cast<std::size_t>(numbers[i])] = static_cast<std::int64_t>(i);
  Figure figure = array_figure(form.shape, std::move(title), [&](std::int64_t number) {
    const std::int64_t at = holder[static_cast<std::size_t>(number)];
    if (at < 0) return Grid::Square{};
    Grid::Square square{fmt::format("T{} V{}", at / values, at % values), tint_of_thread(at / values)};
    square.tip = fmt::format("{}: thread {}, value {}", place_text(number, form.shape), at / values, at % values);
    return square;
  });
  figure.caption = "A cell shows the thread (T) and the value (V) that hold its element.";
  if (form.layout.size() > element_count(form.shape)) figure.caption += " Others hold copies.";
  return figure;
}

Figure tensor_figure(const TensorForm& form, std::string title) {
  const ArrayTable table(form.shape);
  const int per_column = form.elements_per_column;
  Figure figure = array_figure(form.shape, std::move(title), [&](std::int64_t number) {
    const std::int64_t index = number / table.columns + number % table.columns * table.rows;
    const std::int64_t address = form.layout(index) / per_column;
    const std::int64_t lane = address >> 16, column = address & 0xffff;
    Grid::Square square{fmt::format("L{} C{}", lane, column), tint_of_thread(lane)};
    square.tip = fmt::format("{}: lane {}, column {}", place_text(number, form.shape), lane, column);
    return square;
  });
  figure.caption = "A cell shows the lane (L) and the column (C) of tensor memory that hold its element.";
  return figure;
}

}  // namespace

Figure form_figure(const LayoutForm& form, std::string title) {
  if (const auto* shared = std::get_if<SharedForm>(&form)) return shared_figure(*shared, std::move(title));
  if (const auto* registers = std::get_if<RegisterForm>(&form)) return register_figure(*registers, std::move(title));
  return tensor_figure(std::get<TensorForm>(form), std::move(title));
}

}  // namespace swz
