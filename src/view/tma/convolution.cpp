// SPDX-License-Identifier: Apache-2.0
#include "view/tma/convolution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "tma/placement.hpp"
#include "view/document/figure.hpp"

namespace swz {

namespace {

constexpr std::string_view op_names[] = {"fprop", "dgrad", "wgrad"};
// What a figure shows; the table has all entries.
constexpr std::int64_t most_rows = 16;
constexpr std::size_t most_panels = 3;

template <class Numbers>
std::string tuple_of(const Numbers& numbers, int count) {
  return tuple_text(first_of(numbers, count));
}

// The pixel of a row, counted through W, H, D and N; none outside of the tensor.
std::optional<std::int64_t> pixel_of(const BoxPlacement& box, const TensorCoordinate& at) {
  std::int64_t pixel = 0;
  for (std::size_t d = static_cast<std::size_t>(box.map().rank); --d > 0;) {
    const auto dim = static_cast<std::int64_t>(box.map().dims[d]);
    if (at[d] < 0 || at[d] >= dim) return {};
    pixel = pixel * dim + at[d];
  }
  return pixel;
}

BoxPlacement placed(const ConvReport& report, const FilterEntry& entry) {
  return {ImageCopy{report.map, entry.offsets}, Bytes{0}};
}

std::int64_t inside_of(const ConvReport& report, const FilterEntry& entry) {
  const BoxPlacement box = placed(report, entry);
  const TensorCoordinate start = start_of_row(report.conv, report.row);
  std::int64_t inside = 0;
  for (std::int64_t row = 0; row < box.rows(); ++row) inside += pixel_of(box, box.row_start(row, start)) ? 1 : 0;
  return inside;
}

std::string entry_text(const ConvReport& report, const FilterEntry& entry) {
  return tuple_of(entry.at, static_cast<int>(report.conv.axes.size()));
}

// Hues are the rows of the filter; of a filter of one dimension its entries.
int hue_of(const ConvReport& report, const FilterEntry& entry) {
  return static_cast<int>((report.conv.axes.size() < 2 ? entry.at[0] : entry.at[1]) % 8);
}

// A panel for the entries of one row of the filter, from `first` on.
Grid panel_of(const ConvReport& report, std::size_t first, std::size_t count, std::int64_t rows, bool is_page) {
  const TensorCoordinate start = start_of_row(report.conv, report.row);
  std::vector<BoxPlacement> boxes;
  for (std::size_t i = first; i < first + count; ++i) boxes.push_back(placed(report, report.entries[i]));
  const int axes = static_cast<int>(report.conv.axes.size());
  const auto entry_at = [&](std::int64_t column) -> const FilterEntry& {
    return report.entries[first + static_cast<std::size_t>(column)];
  };
  const std::string title = axes == 1   ? "copies"
                            : axes == 2 ? fmt::format("r {}", entry_at(0).at[1])
                                        : fmt::format("r {}, t {}", entry_at(0).at[1], entry_at(0).at[2]);
  return grid_of(
      title, "row\\s", labels_of(rows, 1, [&](std::int64_t row) { return std::to_string(report.row + row); }),
      labels_of(static_cast<std::int64_t>(count), 1, [&](std::int64_t i) { return std::to_string(entry_at(i).at[0]); }),
      [&](std::int64_t row, std::int64_t column) -> Grid::Square {
        const BoxPlacement& box = boxes[static_cast<std::size_t>(column)];
        const TensorCoordinate at = box.row_start(row, start);
        const std::optional<std::int64_t> pixel = pixel_of(box, at);
        const std::string tip = fmt::format("row {} of the GEMM, entry {}: {}", report.row + row,
                                            entry_text(report, entry_at(column)), tuple_of(at, box.map().rank));
        if (!pixel) return {.text = is_page ? "" : "·", .mark = Mark::faint, .tip = tip, .outside = 1};
        return {.text = std::to_string(*pixel), .tint = {hue_of(report, entry_at(column))}, .tip = tip};
      });
}

Figure walk_figure(const ConvReport& report, bool is_page) {
  const auto rows = std::min<std::int64_t>(static_cast<std::int64_t>(report.map.pixels_per_column), most_rows);
  require_drawable(rows * report.conv.axes[0].filter * 3, "the figure of the filter", "take --entry, or -f json");
  const int axes = static_cast<int>(report.conv.axes.size());
  const auto width = std::min(static_cast<std::size_t>(report.conv.axes[0].filter), report.entries.size());
  Figure figure;
  figure.panels.emplace_back();
  for (std::size_t first = 0; first < report.entries.size() && figure.panels[0].size() < most_panels; first += width)
    figure.panels[0].push_back(panel_of(report, first, width, rows, is_page));
  const std::size_t shown = std::min(report.entries.size(), width * most_panels);
  std::array<bool, 8> is_shown = {};
  for (std::size_t i = 0; i < shown; ++i) is_shown[static_cast<std::size_t>(hue_of(report, report.entries[i]))] = true;
  for (int hue = 0; hue < 8; ++hue)
    if (is_shown[static_cast<std::size_t>(hue)])
      figure.legend.push_back({fmt::format("{} {}", axes < 2 ? "s" : "r", hue), {hue, 0}});
  figure.legend.push_back({"outside of the tensor, filled", {}, Mark::none, 1});
  figure.legend_title = axes < 2 ? "colour: entry of the filter" : "colour: row of the filter";
  figure.caption = "A cell is a row of a copy and shows its pixel, counted through W, then H, D and N.";
  if (shown < report.entries.size())
    figure.caption += fmt::format(" Shown: {} of {} entries, others with --entry.", shown, report.entries.size());
  return figure;
}

}  // namespace

Document view_convolution(const ConvReport& report) {
  const Convolution& conv = report.conv;
  const TensorMap& tensor = report.map.tensor;
  const int corners = report.map.corner_count();
  const BoxPlacement first = placed(report, report.entries.front());
  Document d(fmt::format("{} {} of {}", find_row(conv.type)->short_name, op_names[static_cast<std::size_t>(conv.op)],
                         tuple_of(tensor.dims, tensor.rank)));
  d.headline = fmt::format("{} of {} pixels and {} channels, {} B each", plural(std::ssize(report.entries), "copy"),
                           report.map.pixels_per_column, report.map.channels_per_pixel, first.expect_bytes().count);
  d.line("verdict", d.headline);
  d.json("op", op_names[static_cast<std::size_t>(conv.op)]).json("dtype", find_row(conv.type)->short_name);
  d.field("dims", "tensor", first_of(tensor.dims, tensor.rank),
          fmt::format("{}, C first{}", tuple_of(tensor.dims, tensor.rank),
                      conv.op == ConvOp::dgrad ? ": the gradient of the output" : ""));
  d.json("strides", first_of(tensor.strides, tensor.stride_count()));
  d.field("element_strides", "strides", first_of(tensor.element_strides, tensor.rank),
          tuple_of(tensor.element_strides, tensor.rank) + " elements from one place to the next");
  d.field("lower", "lower", first_of(report.map.lower_corner, corners), tuple_of(report.map.lower_corner, corners));
  d.field("upper", "upper", first_of(report.map.upper_corner, corners), tuple_of(report.map.upper_corner, corners));
  d.json("channels", report.map.channels_per_pixel).json("pixels", report.map.pixels_per_column);
  d.json("swizzle", short_name(tensor.swizzle));
  std::vector<std::int64_t> places;
  for (const ConvAxis& axis : conv.axes) places.push_back(conv.places(axis));
  d.field("places", "places", Json(places),
          fmt::format("{} in each image, {} rows of the GEMM", tuple_text(Json(places)), conv.gemm_rows()));
  d.json("gemm", {{"rows", conv.gemm_rows()}, {"k", conv.entries() * conv.channels}});
  d.field("expect_bytes", "mbarrier", first.expect_bytes().count,
          fmt::format("expects {} B for each copy", first.expect_bytes().count));
  const TensorCoordinate start = start_of_row(conv, report.row);
  d.field("start", "start", first_of(start, tensor.rank),
          fmt::format("{} for row {} of the GEMM and channel 0", tuple_of(start, tensor.rank), report.row));
  d.json("row", report.row);
  d.answers = {"lower", "upper", "places", "start"};
  const int axes = static_cast<int>(conv.axes.size());
  d.add(table_of<FilterEntry>(
      "entries", "copies of the filter's entries", report.entries,
      {{"at",
        axes == 1   ? "s"
        : axes == 2 ? "(s, r)"
                    : "(s, r, t)",
        [&](const FilterEntry& e) { return Cell(first_of(e.at, axes), tuple_of(e.at, axes)); }},
       {"offsets", "offsets",
        [&](const FilterEntry& e) { return Cell(first_of(e.offsets.filter, axes), tuple_of(e.offsets.filter, axes)); }},
       {"k", "K from", [](const FilterEntry& e) { return Cell(e.k); }, Column::Align::right},
       {"inside", "pixels inside", [&](const FilterEntry& e) { return Cell(inside_of(report, e)); },
        Column::Align::right}}));
  d.add(Drawing{[report](Medium medium) { return Document().add(walk_figure(report, medium == Medium::page)); }});
  return d.add(Notes{"notes", {}});
}

}  // namespace swz
