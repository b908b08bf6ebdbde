// SPDX-License-Identifier: Apache-2.0
// The table of a layout: rows are mode 0, columns all other modes, a cell shows the offset of its coordinate.
//
// In a picture of a wide table a cell is a run of offsets that the swizzle keeps whole; --table draws each.
//
//   (4,2,3):(1,4,8)   3 blocks of 2 columns, with the headings (_,0), (_,1), (_,2) above them: modes 1 and 2
//   ((2,2),4):…       a heavier line after 2 rows; nested: also the headings (_,0) and (_,1) before them: mode 0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"
#include "view/layout/layout.hpp"

namespace swz {
namespace {

// A table of at most this many cells is drawn whole; of a larger one, a corner.
constexpr std::int64_t whole_table_cells = 64 * 64;
constexpr std::int64_t corner_rows = 16;
constexpr std::int64_t corner_columns = 16;

// The first extent of a nested mode, which is an atom of a tiled layout; 0 for none.
int first_extent(const IntTuple& shape) {
  if (shape.is_int() || shape.children().size() < 2) return 0;
  const std::int64_t extent = product(shape.children().front());
  return extent > 1 && extent < drawable_squares ? static_cast<int>(extent) : 0;
}

// One direction of the table counts through these extents, the first fastest. `name` is the heading of an outer one at
// an index: "(_,2)".
struct Extent {
  std::int64_t count = 1;
  std::function<std::string(std::int64_t)> name;
};

// A coordinate with `_` everywhere except at leaf `leaf`, which is counted down.
IntTuple only(const IntTuple& shape, int& leaf, std::int64_t index) {
  if (shape.is_int()) return leaf-- == 0 ? IntTuple(index) : IntTuple::underscore();
  std::vector<IntTuple> children;
  for (const IntTuple& child : shape.children()) children.push_back(only(child, leaf, index));
  return children;
}

// The leaves that one direction of the table counts through.
std::vector<Extent> extents_of(const IntTuple& shape) {
  std::vector<Extent> extents;
  for (const std::int64_t count : flat_values(shape)) {
    const int leaf = static_cast<int>(extents.size());
    extents.push_back({count, [shape, leaf](std::int64_t index) {
                         int at = leaf;
                         return to_string(only(shape, at, index));
                       }});
  }
  return extents;
}

// Modes [first, last) of the shape; a mode that is not nested counts as one extent.
IntTuple axis_of(const IntTuple& shape, std::size_t first, std::size_t last, bool nested) {
  std::vector<IntTuple> modes;
  for (std::size_t m = first; m < last; ++m)
    modes.push_back(nested ? mode(shape, m) : IntTuple(product(mode(shape, m))));
  return modes.size() == 1 ? modes.front() : IntTuple(modes);
}

// The headings of the first `count` rows or columns.
struct Headings {
  std::vector<std::string> labels;
  std::vector<Grid::Level> levels;
};
Headings headings_of(const std::vector<Extent>& extents, std::int64_t count) {
  Headings headings;
  std::int64_t size = extents.front().count;
  for (std::int64_t i = 0; i < count; ++i) headings.labels.push_back(std::to_string(i % size));
  for (const Extent& extent : std::vector(extents.begin() + 1, extents.end())) {
    if (extent.count > 1 && size < count) {
      Grid::Level& level = headings.levels.emplace_back(Grid::Level{static_cast<int>(size), {}});
      for (std::int64_t i = 0; i * size < count; ++i) level.labels.push_back(extent.name(i % extent.count));
    }
    size *= extent.count;
  }
  return headings;
}

// The tiles of a layout with nested modes: the cells of one differ only in the first coordinate of each mode.
class NestedTiles {
 public:
  NestedTiles(const Headings& down, const Headings& across, std::int64_t rows, std::int64_t columns)
      : height_(size_in(down, rows)), width_(size_in(across, columns)), below_((rows + height_ - 1) / height_) {
    count_ = below_ * ((columns + width_ - 1) / width_);
  }
  // Of more tiles than there are colours the offsets have them.
  bool have_colours() const { return count_ > 1 && count_ <= 32; }
  Tint tint_at(std::int64_t row, std::int64_t column) const {
    const std::int64_t tile = row / height_ + column / width_ * below_;
    return {static_cast<int>(tile % 8), static_cast<int>(tile / 8 % 4)};
  }

 private:
  static std::int64_t size_in(const Headings& headings, std::int64_t count) {
    return std::max<std::int64_t>(1, headings.levels.empty() ? count : headings.levels.front().size);
  }
  std::int64_t height_, width_, below_, count_ = 0;
};

// What the headings count: "mode 0\1"; the columns of a layout of rank 4 are modes 1 to 3.
std::string corner_of(const Layout& layout) {
  if (rank(layout) == 1) return "index";
  return rank(layout) == 2 ? "mode 0\\1" : fmt::format("mode 0\\1-{}", rank(layout) - 1);
}

// One colour is a block of 2^this offsets, which a swizzle keeps whole; without a swizzle it is one offset.
int block_bits(const ComposedLayout& l) {
  return l.swizzle().is_identity() && !l.has_pointer() ? 0 : l.element_swizzle().base();
}

// The first argument, if it is a layout that can be drawn beside the result.
std::optional<ComposedLayout> input_of(const LayoutViewOptions& options) {
  constexpr std::int64_t most = 1024;
  if (!options.operation || options.operation->arguments.empty()) return {};
  const std::string_view name = options.operation->name;
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (!has("divide") && !has("product") && !has("composition")) return {};
  const auto* l = std::get_if<ComposedLayout>(&options.operation->arguments.front());
  return l != nullptr && l->size() <= most ? std::optional(*l) : std::nullopt;
}

std::string caption_of(const ComposedLayout& l) {
  const std::int64_t block = std::int64_t{1} << block_bits(l);
  std::string blocks = fmt::format("a block of {} offsets", block);
  if (l.has_pointer()) blocks += fmt::format(" ({} bytes)", block * l.element_bits() / 8);
  if (!l.swizzle().is_identity()) blocks += ", which the swizzle keeps whole";
  return fmt::format("A cell shows the offset of its coordinate in elements{}{}.",
                     l.has_pointer() ? fmt::format(" of {} bits", l.element_bits()) : "",
                     block == 1 ? "" : fmt::format("; a colour is {}", blocks));
}

// Gives the cells of both panels the colour of the tile that has their offset; without tiles that of their offset.
void colour_tiles(Figure& figure, const ComposedLayout& result, std::int64_t size_of_tile) {
  figure.caption = "A cell shows the offset of its coordinate; the same offset has the same colour in both.";
  if (size_of_tile == 0) return;
  std::map<std::string, std::int64_t> tile_of;  // an offset as its cell shows it
  for (std::int64_t i = 0; i < result.size(); ++i) tile_of.try_emplace(std::to_string(result(i)), i / size_of_tile);
  for (auto& panels : figure.panels)
    for (Grid& grid : panels)
      for (auto& row : grid.squares)
        for (Grid::Square& square : row) {
          const auto tile = tile_of.find(square.text);
          square.tint = tile == tile_of.end() ? Tint{} : Tint{static_cast<int>(tile->second % 8)};
        }
  const std::int64_t tiles = result.size() / size_of_tile;
  figure.legend_title = "colour: tile";
  figure.legend =
      hue_legend(tiles, [&](std::int64_t hue) { return std::to_string(hue) + (hue + 8 < tiles ? ", …" : ""); });
}

// "logical_divide(24:3, 4:2)"; of a long call only the name.
std::string call_text(const RecordedCall& call) {
  constexpr std::size_t longest = 40;
  std::vector<std::string> arguments;
  for (const Value& argument : call.arguments) arguments.push_back(to_string(argument));
  const std::string text = fmt::format("{}({})", call.name, fmt::join(arguments, ", "));
  return text.size() > longest ? std::string(call.name) : text;
}

// The table of the result beside that of its input, or below one of a single long row.
Figure figure_with_input(const ComposedLayout& input, const ComposedLayout& result, const LayoutViewOptions& options,
                         Grid table) {
  Figure figure;
  LayoutViewOptions alone = options;
  alone.operation = {};
  for (Block& block : layout_table(input, alone, Medium::page).blocks)
    if (auto* drawn = std::get_if<Figure>(&block)) figure.panels = std::move(drawn->panels);
  figure.title = to_string(result);
  figure.panels[0][0].title = "input: " + to_string(input);
  table.title = call_text(*options.operation);
  constexpr std::size_t long_row = 12;
  const Grid& first = figure.panels[0][0];
  if (first.squares.size() == 1 && first.column_labels.size() > long_row) figure.panels.push_back({std::move(table)});
  else figure.panels[0].push_back(std::move(table));
  colour_tiles(figure, result, tile_size(result, options));
  return figure;
}

// The columns of a run that a swizzle keeps whole, if a table as wide as this one is all such runs; otherwise 1.
std::int64_t run_columns(const ComposedLayout& l) {
  constexpr std::int64_t widest_of_elements = 32;
  const std::int64_t rows = row_count(l), columns = l.size() / rows, run = std::int64_t{1} << block_bits(l);
  if (run == 1 || columns <= widest_of_elements || columns % run != 0) return 1;
  for (std::int64_t i = 0; i < l.size(); ++i)
    if (const std::int64_t in_run = i / rows % run; l(i) % run != in_run || l(i) - in_run != l(i - in_run * rows))
      return 1;
  return run;
}

// The table with a cell for each run of columns: the first of its offsets, "72" of 72-79 under "8-15".
Figure runs_figure(const ComposedLayout& l, std::int64_t run) {
  const std::int64_t rows = row_count(l), columns = l.size() / rows / run;
  Figure figure;
  figure.panels = {{grid_of("", corner_of(l.layout()), number_labels(rows),
                            labels_of(columns * run, run, [&](std::int64_t c) { return range_text(c, run); }),
                            [&](std::int64_t r, std::int64_t c) {
                              const std::int64_t index = r + c * run * rows, offset = l(index);
                              Grid::Square square{std::to_string(offset), {static_cast<int>(offset / run & 7)}};
                              square.tip = tip_of(point_of(l, index));
                              return square;
                            })}};
  figure.caption = fmt::format(
      "A cell shows the first of {} consecutive offsets in elements{}, which the swizzle keeps whole.", run,
      l.has_pointer() ? fmt::format(" of {} bits ({} bytes)", l.element_bits(), run * l.element_bits() / 8) : "");
  return figure;
}

bool marks_cells(const LayoutViewOptions& options) { return !options.highlight.empty() || !options.query.empty(); }

// The columns of a run that is drawn as one cell; 1 where a cell is an element.
std::int64_t drawn_run(const ComposedLayout& l, const LayoutViewOptions& options) {
  return marks_cells(options) || options.nested || options.whole_table ? 1 : run_columns(l);
}

void name_colours_of_offsets(Figure& figure, const ComposedLayout& l) {
  const std::int64_t block = std::int64_t{1} << block_bits(l);
  const std::int64_t blocks = (analyse(l).cosize.value_or(8 * block) + block - 1) / block;
  figure.legend_title = fmt::format("colour: offset mod {}", 8 * block);
  if (blocks > 1) figure.legend = hue_legend(blocks, [&](std::int64_t hue) { return range_text(hue * block, block); });
}

// The picture of a table: with the input of an algebra's operation, and runs that the swizzle keeps whole as one cell.
// has_tiles: the colours are those of tiles, not of offsets.
Figure table_figure(const ComposedLayout& l, const LayoutViewOptions& options, Grid grid, bool has_tiles) {
  const bool is_marking = marks_cells(options);
  if (const auto input = is_marking ? std::nullopt : input_of(options))
    return figure_with_input(*input, l, options, std::move(grid));
  Figure figure;
  const std::int64_t run = drawn_run(l, options);
  if (run > 1) figure = runs_figure(l, run);
  else figure.caption = caption_of(l);
  if (run == 1 && !(grid.row_levels.empty() && grid.column_levels.empty()))
    figure.caption += " (_,1): cells whose second coordinate in that mode is 1.";
  if (has_tiles) figure.caption += " A colour is a tile: its cells differ only in the first coordinate of each mode.";
  figure.title = to_string(l);
  if (!has_tiles) name_colours_of_offsets(figure, l);
  if (is_marking) figure.legend.push_back({legend_of(options.query), {}, Mark::highlighted});
  if (run == 1) figure.panels.push_back({std::move(grid)});
  return figure;
}

bool is_marked(const ComposedLayout& l, const LayoutViewOptions& options, const std::vector<std::int64_t>& asked,
               std::int64_t index) {
  const Highlight& highlight = options.highlight;
  if (highlight.empty()) return std::ranges::find(asked, index) != asked.end();
  const std::int64_t rows = row_count(l);
  return highlight.contains("rows", index % rows) && highlight.contains("columns", index / rows) &&
         highlight.contains("coordinates", index) && highlight.contains("offsets", l(index));
}

}  // namespace

std::int64_t row_count(const ComposedLayout& l) { return rank(l.layout()) == 1 ? 1 : size(mode(l.layout(), 0)); }

std::int64_t tile_size(const ComposedLayout& l, const LayoutViewOptions& options) {
  if (!options.operation || rank(l.layout()) < 2) return 0;
  const std::string_view name = options.operation->name;
  const bool has_tiles =
      name.find("divide") != std::string_view::npos || name.find("product") != std::string_view::npos;
  return has_tiles ? size(mode(l.layout(), 0)) : 0;
}

std::vector<HighlightKind> highlight_kinds(const ComposedLayout& l) {
  constexpr std::int64_t any = std::int64_t{1} << 62;
  return {{"rows", row_count(l)},
          {"columns", l.size() / row_count(l)},
          {"coordinates", l.size()},
          {"offsets", analyse(l).cosize.value_or(any)}};
}

Point point_of(const ComposedLayout& l, std::int64_t index) {
  Point point{.coordinate = idx2crd(index, l.layout().shape())};
  point.index = index;
  point.offset = l(index);
  if (l.has_pointer()) point.memory = Point::Memory{Bits{*point.offset * l.element_bits()}, Bits{l.element_bits()}};
  return point;
}

Asked<std::int64_t> asked_indices(const ComposedLayout& l, const LayoutViewOptions& options) {
  const IntTuple& shape = l.layout().shape();
  Asked<std::int64_t> asked;
  for (const IntTuple& coordinate : options.query.coordinates) {
    try {
      asked.elements.push_back(crd2idx(coordinate, shape));
    } catch (const Error&) {
      const std::string last = to_string(idx2crd(l.size() - 1, shape));
      throw usage_error(fmt::format("--at {} is not a coordinate of {}", to_string(coordinate), to_string(shape)),
                        fmt::format("{} to {}, or an index from 0 to {}; for example --at '{}'",
                                    to_string(idx2crd(0, shape)), last, l.size() - 1, last));
    }
  }
  if (options.query.bytes.empty()) return asked;
  if (!l.has_pointer())
    throw Error("a layout without an element size has no bytes",
                "give it with smem_ptr[16b], or use swz place --layout with --dtype");
  require_within(limits::known_values, l.size());
  const Bytes end{(analyse(l).cosize.value_or(0) * l.element_bits() + 7) / 8};
  for (const Bytes byte : options.query.bytes) {
    const auto found = elements_in(byte, l.size(), l.element_bits(), Bytes{}, end,
                                   [&](std::int64_t i) { return l(i) * l.element_bits(); });
    asked.elements.insert(asked.elements.end(), found.elements.begin(), found.elements.end());
    asked.notes.insert(asked.notes.end(), found.notes.begin(), found.notes.end());
  }
  return asked;
}

Document layout_table(const ComposedLayout& l, const LayoutViewOptions& options, Medium medium) {
  const Layout& layout = l.layout();
  const bool is_one_row = rank(layout) == 1, is_page = medium == Medium::page;
  const bool is_marking = marks_cells(options);
  const std::int64_t all_rows = row_count(l), all_columns = l.size() / all_rows;
  const bool whole = options.whole_table || is_page || is_marking || l.size() <= whole_table_cells;
  const std::int64_t rows = whole ? all_rows : std::min(all_rows, corner_rows);
  const std::int64_t columns = whole ? all_columns : std::min(all_columns, corner_columns);

  const std::size_t first = is_one_row ? 0 : 1;
  const Headings across =
      headings_of(extents_of(axis_of(layout.shape(), first, rank(layout), options.nested)), columns);
  Headings down;
  if (is_one_row) down.labels = {"offset"};
  else down = headings_of(extents_of(axis_of(layout.shape(), 0, 1, options.nested)), rows);
  const int shift = block_bits(l);
  const std::vector<std::int64_t> asked = asked_indices(l, options).elements;
  const NestedTiles tiles(down, across, rows, columns);
  const bool has_tiles = options.nested && l.swizzle().is_identity() && tiles.have_colours();
  Grid grid = grid_of("", corner_of(layout), down.labels, across.labels, [&](std::int64_t r, std::int64_t c) {
    const std::int64_t index = r + c * all_rows, offset = l(index);
    Grid::Square square{std::to_string(offset),
                        has_tiles ? tiles.tint_at(r, c) : Tint{static_cast<int>((offset >> shift) & 7)}};
    if (is_marking && is_marked(l, options, asked, index)) square.mark = Mark::highlighted;
    if (is_page) square.tip = tip_of(point_of(l, index));
    return square;
  });
  grid.row_levels = down.levels;
  grid.column_levels = across.levels;
  const auto group_of = [](const Headings& headings, int extent) {
    return headings.levels.empty() ? extent : headings.levels.front().size;
  };
  grid.row_group = group_of(down, is_one_row ? 0 : first_extent(mode(layout, 0).shape()));
  grid.column_group = group_of(across, first_extent(mode(layout, first).shape()));

  Document d;
  if (is_page) return d.add(table_figure(l, options, std::move(grid), has_tiles));
  if (is_marking) return d.add(Figure{"", {{std::move(grid)}}, {{legend_of(options.query), {}, Mark::highlighted}}});
  // The input of an operation, as far as both are seen at once.
  constexpr std::int64_t most_beside = 64;
  if (const auto input = input_of(options); input && std::max(input->size(), l.size()) <= most_beside) {
    Figure both = figure_with_input(*input, l, options, std::move(grid));
    both.title.clear();
    both.caption.clear();
    return d.add(std::move(both));
  }
  // As in the picture, runs that the swizzle keeps whole are one cell, unless every element is asked for.
  const std::int64_t run = whole ? drawn_run(l, options) : 1;
  if (run > 1) {
    Figure runs = runs_figure(l, run);
    runs.caption += " --full shows all.";
    return d.add(in_short(std::move(runs))).add(in_full(std::move(grid)));
  }
  d.add(std::move(grid));
  if (!whole)
    d.add(Paragraph{fmt::format("{} of {} rows and {} of {} columns; --table draws all, --map lists all", rows,
                                all_rows, columns, all_columns),
                    Tone::faint});
  return d;
}

}  // namespace swz
