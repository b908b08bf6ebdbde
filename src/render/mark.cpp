// SPDX-License-Identifier: Apache-2.0
// The marks of cells. Cells that collide and touch each other have one thin frame around all of them, crossed at one corner,
// so that it is not distinguished only by colour; digits keep their ground.
//
//   a row of eight, all wrong      one frame around eight cells
//   one wrong cell in the middle   its own frame
//
// A highlighted cell has its own frame, inside that of a run.
#include <algorithm>
#include <utility>
#include <vector>

#include "render/panel.hpp"

namespace swz {
namespace {

// In small cells a thin frame, which leaves their text its place. Half of its width.
double inset_of(const Frame& cell) {
  return std::min(
      {std::clamp(std::min(cell.width / 32, cell.height / 20), 0.5, 1.25), cell.width / 4, cell.height / 4});
}

void paint_frame(Scene& scene, const Frame& f, double inset, Ink ink, int step) {
  scene.items.push_back(
      Box{f.x + inset, f.y + inset, f.width - 2 * inset, f.height - 2 * inset, {}, {ink}, 2 * inset, false, {}, step});
}

// The upper right corner of a cell, crossed.
void paint_cross(Scene& scene, const Frame& cell, double inset, int step) {
  const double reach = std::min({7.0, cell.width / 4, cell.height / 3}), right = cell.x + cell.width;
  scene.items.push_back(Rule{right - reach, cell.y + 1, right - 1, cell.y + reach, {Ink::alarm}, 2 * inset, step});
}

// The cells that collide, by the run that they belong to.
class Runs {
 public:
  explicit Runs(const Grid& grid) : grid_(grid) {
    for (const auto& row : grid.squares) run_of_.emplace_back(row.size(), -1);
    for (std::size_t r = 0; r < run_of_.size(); ++r)
      for (std::size_t c = 0; c < run_of_[r].size(); ++c)
        if (collides(r, c) && run_of_[r][c] < 0) fill(r, c);
  }

  struct Cell {
    std::size_t row = 0, column = 0;
  };
  const std::vector<std::vector<Cell>>& runs() const { return runs_; }
  bool collides(std::size_t row, std::size_t column) const {
    return row < grid_.squares.size() && column < grid_.squares[row].size() && grid_.squares[row][column].collides();
  }

 private:
  void fill(std::size_t row, std::size_t column) {
    const int number = static_cast<int>(runs_.size());
    std::vector<Cell>& cells = runs_.emplace_back();
    std::vector<Cell> next{{row, column}};
    while (!next.empty()) {
      const Cell at = next.back();
      next.pop_back();
      if (!collides(at.row, at.column) || run_of_[at.row][at.column] >= 0) continue;
      run_of_[at.row][at.column] = number;
      cells.push_back(at);
      next.push_back({at.row + 1, at.column});
      next.push_back({at.row, at.column + 1});
      if (at.row > 0) next.push_back({at.row - 1, at.column});
      if (at.column > 0) next.push_back({at.row, at.column - 1});
    }
  }

  const Grid& grid_;
  std::vector<std::vector<int>> run_of_;
  std::vector<std::vector<Cell>> runs_;
};

// The step that all cells of a run belong to; -1 for several.
int step_of(const Scene& scene, const Grid& grid, const std::vector<Runs::Cell>& run) {
  const int step = grid.squares[run.front().row][run.front().column].step;
  const bool is_one = step >= 0 && step < std::ssize(scene.steps) && std::ranges::all_of(run, [&](const auto& cell) {
                        return grid.squares[cell.row][cell.column].step == step;
                      });
  return is_one ? step : -1;
}

void paint_run(Scene& scene, const PanelShape& shape, const Runs& runs, const std::vector<Runs::Cell>& run, double x,
               double y) {
  const Grid& grid = *shape.grid;
  const auto [top, bottom] = std::ranges::minmax(run, {}, &Runs::Cell::row);
  const auto [left, right] = std::ranges::minmax(run, {}, &Runs::Cell::column);
  const double width = shape.cell_width, height = shape.cell_height;
  const auto frame_of = [&](std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
    return Frame{x + static_cast<double>(column) * width, y + static_cast<double>(row) * height,
                 static_cast<double>(columns) * width, static_cast<double>(rows) * height};
  };
  const double inset = inset_of({0, 0, width, height});
  const int step = step_of(scene, grid, run);
  const std::size_t rows = bottom.row - top.row + 1, columns = right.column - left.column + 1;
  if (rows * columns == run.size()) {
    paint_frame(scene, frame_of(top.row, left.column, rows, columns), inset, Ink::alarm, step);
    paint_cross(scene, frame_of(top.row, right.column, 1, 1), inset, step);
    return;
  }
  const auto edge = [&](double x1, double y1, double x2, double y2) {
    scene.items.push_back(Rule{x1, y1, x2, y2, {Ink::alarm}, 2 * inset, step});
  };
  Runs::Cell corner = run.front();
  for (const Runs::Cell& cell : run) {
    const Frame f = frame_of(cell.row, cell.column, 1, 1);
    const double right_edge = f.x + f.width, bottom_edge = f.y + f.height;
    const auto is_free = [&](std::size_t row, std::size_t column) { return !runs.collides(row, column); };
    if (cell.row == 0 || is_free(cell.row - 1, cell.column)) edge(f.x, f.y + inset, right_edge, f.y + inset);
    if (is_free(cell.row + 1, cell.column)) edge(f.x, bottom_edge - inset, right_edge, bottom_edge - inset);
    if (cell.column == 0 || is_free(cell.row, cell.column - 1)) edge(f.x + inset, f.y, f.x + inset, bottom_edge);
    if (is_free(cell.row, cell.column + 1)) edge(right_edge - inset, f.y, right_edge - inset, bottom_edge);
    if (cell.row < corner.row || (cell.row == corner.row && cell.column > corner.column)) corner = cell;
  }
  paint_cross(scene, frame_of(corner.row, corner.column, 1, 1), inset, step);
}

}  // namespace

void paint_marks(Scene& scene, const PanelShape& shape, double x, double y) {
  const Grid& grid = *shape.grid;
  const Runs runs(grid);
  for (const std::vector<Runs::Cell>& run : runs.runs()) paint_run(scene, shape, runs, run, x, y);
  for (std::size_t r = 0; r < grid.squares.size(); ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
      if (grid.squares[r][c].mark != Mark::highlighted) continue;
      const double inside = grid.squares[r][c].is_wrong ? 1.5 : 0;  // of the frame of the run
      const Frame cell{x + static_cast<double>(c) * shape.cell_width + inside,
                       y + static_cast<double>(r) * shape.cell_height + inside, shape.cell_width - 2 * inside,
                       shape.cell_height - 2 * inside};
      const bool is_step = grid.squares[r][c].step >= 0 && grid.squares[r][c].step < std::ssize(scene.steps);
      paint_frame(scene, cell, inset_of(cell), Ink::accent, is_step ? grid.squares[r][c].step : -1);
    }
}

void paint_mark(Scene& scene, Frame cell, Mark mark) {
  if (mark != Mark::highlighted && mark != Mark::colliding) return;
  paint_frame(scene, cell, inset_of(cell), mark == Mark::colliding ? Ink::alarm : Ink::accent, -1);
  if (mark == Mark::colliding) paint_cross(scene, cell, inset_of(cell), -1);
}

}  // namespace swz
