// SPDX-License-Identifier: Apache-2.0
// The picture of a CTA pair: A, B, D and the scale factors, divided as the CTAs hold them.
#include <fmt/format.h>

#include "view/mma/mma_figure.hpp"

namespace swz {

namespace {

// cta: 0, 1, or 2 for what both hold.
Grid::Square held(const PairView& view, int cta, const std::string& text) {
  const std::string who = cta == 2 ? "both" : fmt::format("CTA {}", cta);
  return {who + "\n" + text,
          {cta},
          cta == 2 || cta == view.cta ? Mark::highlighted : Mark::none,
          fmt::format("{}\nheld by {}", text, cta == 2 ? "both CTAs" : who)};
}

}  // namespace

Figure pair_figure(const PairView& view) {
  const int rows = view.m / 2, half = view.n / 2;
  const auto m_text = [&](std::int64_t v) { return "rows " + range_text(v * rows, rows); };
  const auto n_text = [&](std::int64_t v) { return "cols " + range_text(v * half, half); };
  const auto by_rows = [&](std::int64_t v, std::int64_t) { return held(view, static_cast<int>(v), m_text(v)); };
  // Cells as wide as half of N or as all of it; rows of one height, so that those of A are beside those of D.
  constexpr int half_columns = 18, cell_rows = 6;
  const auto panel = [](std::string title, std::size_t row_count, std::size_t column_count, auto square,
                        int cell_columns) {
    Grid grid = grid_of(std::move(title), "", std::vector<std::string>(row_count),
                        std::vector<std::string>(column_count), square);
    grid.row_labels.clear();
    grid.column_labels.clear();
    grid.cell_columns = cell_columns;
    grid.cell_rows = cell_rows;
    return grid;
  };
  Figure figure;
  figure.panels = {
      {Grid{},
       panel(
           "B (K x N)", 1, 2, [&](auto, auto v) { return held(view, static_cast<int>(v), n_text(v)); }, half_columns)},
      {panel("A (M x K)", 2, 1, by_rows, half_columns),
       panel(
           "D (M x N)", 2, 1,
           [&](auto v, auto) {
             return held(view, static_cast<int>(v), fmt::format("{}, cols {}", m_text(v), range_text(0, view.n)));
           },
           2 * half_columns)}};
  figure.legend = {{"CTA 0", {0}}, {"CTA 1", {1}}};
  figure.caption =
      "A and D are cut along M, B along N. Each tensor core reads both halves of B from the shared memory of the two "
      "CTAs.";
  if (view.stage && view.stage->scales != nullptr) {
    figure.panels.front().insert(figure.panels.front().begin(), Grid{});
    figure.panels.back().insert(figure.panels.back().begin(), panel("SFA", 2, 1, by_rows, half_columns));
    figure.panels.insert(figure.panels.begin(),
                         {Grid{}, Grid{},
                          panel(
                              "SFB", 1, 2, [&](auto, auto v) { return held(view, 2, n_text(v)); }, half_columns)});
    figure.legend.push_back({"both", {2}});
    figure.caption += " SFA and SFB are the scale factors; those of B are in the tensor memory of both.";
  }
  figure.legend.push_back({fmt::format("held by CTA {}", view.cta), {}, Mark::highlighted});
  return figure;
}

Drawing pair_drawing(const PairView& view) {
  return {[view](Medium medium) {
    Document document;
    if (medium == Medium::page) document.add(pair_figure(view));
    return document;
  }};
}

}  // namespace swz
