// SPDX-License-Identifier: Apache-2.0
// Pictures of tensor memory, scale factors, narrow elements, metadata and pairs: what a cell says is where its elements
// lie, every element is in one cell, and what is asked for is marked.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "view/document/highlight.hpp"
#include "view/document/run.hpp"
#include "view/mma/mma_figure.hpp"
#include "view/scale/scale_layout.hpp"
#include "view/tmem/tmem_figure.hpp"

using namespace swz;

namespace {

// "0-31" or "4" after a word: "rows 0-31\ncols 4" has {0, 32} of "row".
Run run_in(const std::string& text, const std::string& word) {
  std::size_t at = text.find(word);
  REQUIRE(at != std::string::npos);
  at = text.find_first_of("0123456789", at);
  std::size_t length = 0;
  const int first = std::stoi(text.substr(at), &length);
  if (at + length >= text.size() || text[at + length] != '-') return {first, 1};
  return {first, std::stoi(text.substr(at + length + 1)) - first + 1};
}

void each_square(const Grid& grid, const std::function<void(std::size_t, std::size_t, const Grid::Square&)>& visit) {
  for (std::size_t r = 0; r < grid.squares.size(); ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c) visit(r, c, grid.squares[r][c]);
}

struct Counted {
  int elements = 0, marked = 0;
  std::set<std::string> tips = {}, marked_tips = {};
};

// Every cell of lanes x columns that a square represents, against Accumulator::element.
Counted check_memory(const Accumulator& d, const Grid& grid, int cta) {
  Counted counted;
  int faults = 0;
  each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
    const Run lanes = run_in(grid.row_labels[r], ": "), columns = run_in(grid.column_labels[c], "");
    const bool is_used = square.outside == 0;
    const Run rows = is_used ? run_in(square.text, "row") : Run{}, cols = is_used ? run_in(square.text, "\nn") : Run{};
    for (int lane = 0; lane < lanes.count; ++lane)
      for (int column = 0; column < columns.count; ++column) {
        const auto at = d.element({cta, lanes.first + lane, columns.first + column});
        faults += at.has_value() != is_used;
        if (is_used && at) faults += *at != Coordinate{rows.first + lane, cols.first + column};
      }
    if (!is_used) return;
    faults += rows.count != lanes.count || cols.count != columns.count;
    faults += square.tint.hue != 4 * cta + lanes.first / 32;
    counted.elements += rows.count * cols.count;
    counted.marked += square.mark == Mark::highlighted ? rows.count * cols.count : 0;
    counted.tips.insert(square.tip);
    if (square.mark == Mark::highlighted) counted.marked_tips.insert(square.tip);
  });
  CHECK(faults == 0);
  return counted;
}

Counted check_matrix(const Accumulator& d, const Grid& grid) {
  Counted counted;
  int faults = 0;
  each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
    const std::string& label = grid.row_labels[r];
    const std::size_t colon = label.find(": ");
    const Run rows = run_in(colon == std::string::npos ? label : label.substr(colon), ""),
              cols = run_in(grid.column_labels[c], ""), lanes = run_in(square.tip, "lane"),
              columns = run_in(square.tip, "column");
    CHECK(square.text == fmt::format("{}\ncol {}", named("lanes", lanes), text_of(columns)));
    for (int row = 0; row < rows.count; ++row)
      for (int col = 0; col < cols.count; ++col) {
        const TmemCell cell = d.place({rows.first + row, cols.first + col});
        faults += cell.lane != lanes.first + row || cell.column != columns.first + col;
        faults += square.tint.hue != 4 * cell.cta + cell.lane / 32;
      }
    counted.elements += rows.count * cols.count;
    counted.marked += square.mark == Mark::highlighted ? rows.count * cols.count : 0;
    counted.tips.insert(square.tip);
    if (square.mark == Mark::highlighted) counted.marked_tips.insert(square.tip);
  });
  CHECK(faults == 0);
  return counted;
}

void check_accumulator(const Accumulator& d, const AccumulatorView& view, int marked) {
  const Figure figure = accumulator_figure(d, view);
  // Of one element only the CTA that has it is drawn.
  const std::optional<TmemCell> asked = view.at ? std::optional(d.place(*view.at)) : view.cell;
  const int drawn = asked ? 1 : d.path().cta_group;
  REQUIRE(figure.panels.at(0).size() == static_cast<std::size_t>(1 + drawn));
  const Counted matrix = check_matrix(d, figure.panels[0][0]);
  Counted memory;
  for (int i = 0; i < drawn; ++i) {
    const int cta = asked ? asked->cta : i;
    const Counted one = check_memory(d, figure.panels[0][static_cast<std::size_t>(i) + 1], cta);
    memory.elements += one.elements;
    memory.marked += one.marked;
    memory.tips.insert(one.tips.begin(), one.tips.end());
    memory.marked_tips.insert(one.marked_tips.begin(), one.marked_tips.end());
  }
  CHECK(matrix.elements == d.path().m * d.n());
  CHECK(memory.elements == d.path().m * d.n() * drawn / d.path().cta_group);
  CHECK(matrix.marked == marked);
  CHECK(memory.marked == marked);
  // Where both are cut alike, a page lights up both.
  if (!view.at && !view.cell && view.highlight.empty()) CHECK(matrix.tips == memory.tips);
  CHECK(matrix.marked_tips == memory.marked_tips);
}

}  // namespace

TEST_CASE("runs follow each other from 0 to the end, cut where it is asked") {
  CHECK(runs_of(8, {2, 6, 9, -1, 0}) == std::vector<Run>{{0, 2}, {2, 4}, {6, 2}});
  CHECK(runs_of(5, {}) == std::vector<Run>{{0, 5}});
  CHECK(named("lanes", {4, 1}) == "lane 4");
  CHECK(named("columns", {4, 3}) == "columns 4-6");
}

TEST_CASE("D of every data path and N: blocks of the matrix and of tensor memory are the elements that they name") {
  for (const DataPath& path : data_paths())
    for (int n = 8 * path.parts; n <= 256; n += 40 * path.parts) {
      CAPTURE(path.name);
      CAPTURE(n);
      check_accumulator(Accumulator(path, n), {}, 0);
    }
}

TEST_CASE(
    "D: what is highlighted is cut out of its block in the matrix and in tensor memory; an element marks its block") {
  for (const DataPath& path : data_paths()) {
    CAPTURE(path.name);
    const Accumulator d(path, 64);
    const auto highlighted = [&](std::vector<Highlight::Range> ranges, int marked) {
      CAPTURE(ranges.front().plural);
      check_accumulator(d, {.highlight = Highlight(std::move(ranges))}, marked);
    };
    highlighted({{"rows", 3, 17}, {"cols", 0, 6}}, 15 * 7);
    highlighted({{"cols", 5, 5}}, path.m);
    highlighted({{"rows", 0, 0}, {"rows", 2, 2}}, 2 * 64);
    for (const Coordinate at : {Coordinate{0, 0}, Coordinate{path.m - 1, 63}, Coordinate{17, 33}}) {
      const int block = (path.is_scattered ? 16 : 32) * d.columns();
      check_accumulator(d, {.at = at}, block);
      check_accumulator(d, {.cell = d.place(at)}, block);
    }
  }
  // Two quarters of data path B hold the same rows.
  const Accumulator b(require_data_path({.m = 128, .cta_group = 2}), 64);
  check_accumulator(b, {.highlight = Highlight({{"lanes", 0, 3}, {"lanes", 64, 67}, {"columns", 1, 1}})}, 2 * 8);
}

TEST_CASE("D lane by lane: 16 columns a cell, all of them with --full, the ends of each block without") {
  const Accumulator d(require_data_path({.m = 128, .cta_group = 2}), 256);
  const Figure figure = accumulator_figure(d, {.cells = AccumulatorCells::lane});
  REQUIRE(figure.panels.at(0).size() == 2);
  const Grid& grid = figure.panels[0][1];
  CHECK(grid.squares.size() == 128);
  CHECK(grid.squares[0].size() == 8);
  each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
    const Coordinate at = *d.element({1, static_cast<int>(r), static_cast<int>(c) * 16});
    CHECK(square.text == fmt::format("{},{}-{}", at.row, at.column, at.column + 15));
  });
  CHECK(grid.key_rows == std::vector<std::size_t>{0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127});
}

TEST_CASE("A in tensor memory: each cell names the rows and k of its lanes and columns, the word its bits") {
  const DType& f16 = *find_dtype("f16");
  for (const DataPath& path : data_paths()) {
    if (path.name == "C") continue;
    CAPTURE(path.name);
    const Container container = container_of(MmaKind::f16, "f16");
    for (const std::optional<Coordinate> at : {std::optional<Coordinate>(), std::optional(Coordinate{19, 43})}) {
      const Figure figure = operand_a_figure({&path, MmaKind::f16, &f16, 128, at});
      std::map<std::pair<int, int>, int> seen;  // (row, k), how often
      for (int cta = 0; cta < path.cta_group; ++cta) {
        const Grid& grid = figure.panels.at(0).at(static_cast<std::size_t>(cta));
        each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
          if (square.outside > 0) return;
          const Run lanes = run_in(grid.row_labels[r], ""), columns = run_in(grid.column_labels[c], ""),
                    rows = run_in(square.text, "row"), ks = run_in(square.text, "k ");
          CHECK(rows.count == lanes.count);
          CHECK(ks.count == 2 * columns.count);
          for (int row = 0; row < rows.count; ++row)
            for (int k = 0; k < ks.count; ++k) {
              const TmemElement e = operand_a_place(path, container, rows.first + row, ks.first + k, 128);
              CHECK(e.cta == cta);
              CHECK(std::ranges::count(e.lanes, lanes.first + row) == 1);
              CHECK(e.column == columns.first + k / 2);
              ++seen[{rows.first + row, ks.first + k}];
            }
          const bool is_asked = at && rows == Run{19, 1} && ks.first <= 43 && 43 < ks.first + ks.count;
          CHECK((square.mark == Mark::highlighted) == (is_asked && columns.count == 1));
        });
      }
      CHECK(seen.size() == static_cast<std::size_t>(path.m * (at ? 16 : 64)));
      for (const auto& [place, times] : seen) CHECK(times == path.parts);
    }
  }
  const Figure word = word_figure({&require_data_path({}), MmaKind::f8f6f4, find_dtype("e3m2"), 4, Coordinate{0, 9}});
  const Grid& bits = word.panels.at(0).at(0);
  CHECK(bits.row_labels == std::vector<std::string>{"column 6"});
  std::string texts;
  for (const Grid::Square& square : bits.squares[0]) texts += square.outside > 0 ? '.' : square.tip.back();
  CHECK(texts == "888.999.000.111.");  // two bits a cell: 5-0 of each byte
}

TEST_CASE("tcgen05.cp: the rows of every lane, and the lanes of every row") {
  for (const TmemCopy& copy : tmem_copies())
    for (const std::optional<int> row : {std::optional<int>(), std::optional(copy.rows - 1)}) {
      CAPTURE(full_name(copy));
      const Figure figure = tmem_copy_figure({.copy = &copy, .row = row});
      const Grid& target = figure.panels.at(0).at(1);
      std::map<int, int> row_of_lane;
      each_square(target, [&](std::size_t r, std::size_t, const Grid::Square& square) {
        if (square.outside > 0) return;
        const Run lanes = run_in(target.row_labels[r], ": "), rows = run_in(square.text, "");
        CHECK(lanes.count == rows.count);
        for (int i = 0; i < lanes.count; ++i) row_of_lane[lanes.first + i] = rows.first + i;
        CHECK((square.mark == Mark::highlighted) == (row && rows == Run{*row, 1}));
      });
      CHECK(row_of_lane.size() == static_cast<std::size_t>(copy.rows * copy.times));
      for (int source = 0; source < copy.rows; ++source)
        for (int time = 0; time < copy.times; ++time) CHECK(row_of_lane.at(copy.lane(source, time)) == source);
      CHECK(target.squares[0].size() == static_cast<std::size_t>(copy.columns()));
    }
}

TEST_CASE("scale factors in memory: a byte's cell names the factor whose offset it is; all bytes of a tile are there") {
  for (const char* name : {"128x4", "8x4", "linear", "deepgemm_packed", "128x4_k8", "8x16", "hopper_mx_4"}) {
    CAPTURE(name);
    const ScaleLayoutView view{
        .tensor = ScaleTensor(require_scale_layout(name), {200, 6}), .k = 6 * 32, .at = ScaleCoordinate{150, 5}};
    const ScaleLayout layout(name, {200, 6});
    const Figure figure = scale_units_figure(view);
    const Grid& grid = figure.panels.at(0).at(0);
    int marked = 0, named = 0;
    each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
      if (square.text.empty()) return;
      ++named;
      const std::size_t comma = square.text.find(',');
      const ScaleCoordinate at{std::stoi(square.text), std::stoi(square.text.substr(comma + 1))};
      CHECK(layout.offset(at).count == std::stoll(grid.row_labels[r], nullptr, 16) + static_cast<std::int64_t>(c));
      if (square.mark != Mark::highlighted) return;
      ++marked;
      CHECK(at == ScaleCoordinate{150, 5});
    });
    CHECK(marked == 1);
    CHECK(named > 0);
    const Grid tiles = scale_blocks_figure(view).panels.at(0).at(0);
    each_square(tiles, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
      const Run rows = run_in(tiles.row_labels[r], ""), factors = run_in(tiles.column_labels[c], "");
      CHECK(layout.offset({rows.first, factors.first}).count == std::stoll(square.text, nullptr, 16));
      const bool is_asked =
          150 >= rows.first && 150 < rows.first + rows.count && 5 >= factors.first && 5 < factors.first + factors.count;
      CHECK((square.mark == Mark::highlighted) == is_asked);
    });
  }
}

TEST_CASE("scale factors in tensor memory: on a page rows have a letter, and one word of several columns is drawn") {
  // 256 rows of B take 8 columns of 32 rows a word: two panels, and below them the bytes of the words.
  const ScaleKind& kind = scale_kinds().front();
  const ScalePlaceView view{{&kind, ScaleOperand::b, 128, 256, 1}, 0, std::nullopt};
  const Figure page = scale_place_figure(view, true), text = scale_place_figure(view);
  REQUIRE(page.panels.size() == 2);
  CHECK(page.panels.size() < text.panels.size());
  CHECK(page.panels[0][0].squares[0][0].text == "n 0-31");
  CHECK(page.panels[0][0].row_labels[0] == "0-31");
  CHECK(text.panels[0][0].squares[0][0].text == "0-31");
  CHECK(page.panels[1][0].squares.size() == text.panels.back()[0].squares.size());
}

TEST_CASE("scale factors in tensor memory: every row of a word is in all its lanes; bytes name their MMA") {
  for (const ScaleKind& kind : scale_kinds())
    for (const ScalePlacement& p :
         {ScalePlacement{&kind, ScaleOperand::a, 128, 128, 1}, ScalePlacement{&kind, ScaleOperand::b, 128, 200, 1},
          ScalePlacement{&kind, ScaleOperand::b, 128, 192, 2}, ScalePlacement{&kind, ScaleOperand::b, 256, 64, 2}})
      for (const std::optional<ScaleCoordinate> at :
           {std::optional<ScaleCoordinate>(), std::optional(ScaleCoordinate{45, 9})}) {
        const ScalePlaceView view{p, 16, at};
        std::map<std::pair<int, int>, std::set<int>> rows;  // (lane, column)
        int marked = 0;
        const Figure figure = scale_place_figure(view);
        for (const auto& panels : figure.panels)
          for (const Grid& grid : panels)
            each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
              if (square.outside > 0 || &grid == &figure.panels.back().back()) return;
              const Run lanes = run_in(grid.row_labels[r], ""), held = run_in(square.text, "");
              CHECK(lanes.count == held.count);
              for (int i = 0; i < lanes.count; ++i)
                rows[{lanes.first + i, std::stoi(grid.column_labels[c])}].insert(held.first + i);
              marked += square.mark == Mark::highlighted;
            });
        CHECK(marked == (at ? p.copies() : 0));
        std::size_t cells = 0;
        const std::int64_t words = at ? 1 : kind.factors > 4 ? 3 : 2;
        for (std::int64_t word = 0; word < words; ++word)
          for (int row = 0; row < p.rows(); ++row) {
            const ScalePlace place = scale_place(p, {row, at ? at->kb : 4 * word}, 16);
            for (const int lane : place.lanes) {
              const std::set<int> only{row};
              CHECK(rows[{lane, place.column}] == only);
              ++cells;
            }
          }
        CHECK(rows.size() == cells);
        each_square(figure.panels.back().back(), [&](std::size_t, std::size_t byte, const Grid::Square& square) {
          const int kb = run_in(square.text, "kb").first;
          CHECK(kb % 4 == static_cast<int>(byte));
          CHECK(square.text ==
                fmt::format("kb {}\nMMA {}\nsf_id {}", kb, kb / kind.factors, scale_place(p, {0, kb}, 16).sf_id));
        });
      }
}

TEST_CASE("narrow elements: a bit's cell names the element that has it") {
  for (const NarrowForm& form : narrow_forms()) {
    CAPTURE(form.dtypes[0]);
    const Figure figure = narrow_figure(form, 37, NarrowPanels::all);
    const std::vector<Grid>& panels = figure.panels.at(0);
    REQUIRE(panels.size() == 3);
    const auto check = [&](const Grid& grid, auto place, int word_bits_of_number) {
      const int cell_bits = 32 / static_cast<int>(grid.squares[0].size());
      int found = 0;
      each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
        if (square.outside > 0) return;
        // Of an element in several cells the first names it.
        const int element = run_in(square.tip, "element").first;
        CHECK((square.text.empty() || square.text == std::to_string(element)));
        const std::int64_t bit = std::int64_t{run_in(grid.row_labels[r], "").first} * word_bits_of_number +
                                 static_cast<std::int64_t>(c) * cell_bits;
        CHECK(bit >= place(element).count);
        CHECK(bit + cell_bits <= place(element).count + form.bits);
        CHECK((square.mark == Mark::highlighted) == (element == 37));
        found += cell_bits;
      });
      CHECK(found == 16 * form.bits);
    };
    check(
        panels[0], [&](int e) { return form.gmem(e); }, 8);
    check(
        panels[1], [&](int e) { return form.smem(e); }, 8);
    check(
        panels[2], [&](int e) { return form.tmem(e); }, 32);
  }
}

TEST_CASE("metadata: a nibble's cell names the chunk that it is about, every chunk once") {
  for (const SparseForm& form : sparse_forms()) {
    const int asked_k = form.k - form.chunk;
    const Figure figure = metadata_figure(form, 3, {70, asked_k});
    const Grid& grid = figure.panels.at(0).at(0);
    int marked = 0, chunks = 0;
    each_square(grid, [&](std::size_t r, std::size_t c, const Grid::Square& square) {
      REQUIRE(!square.text.empty());
      const int row = std::stoi(square.text), k = std::stoi(square.text.substr(square.text.find(',') + 1));
      const int column = static_cast<int>(c) / 8, mma = 3;
      const MetadataPlace p = metadata_place(form, row, k, mma);
      CHECK(p.lane == static_cast<int>(r));
      CHECK(p.column == mma * form.columns + column);
      CHECK(p.first_bit == static_cast<int>(c) % 8 * 4);
      ++chunks;
      if (square.mark != Mark::highlighted) return;
      ++marked;
      CHECK(row == 70);
      CHECK(k == asked_k);
    });
    CHECK(marked == 1);
    CHECK(chunks == 128 * form.k / form.chunk);
  }
  // M 64 with .ws: the rows again in the other lanes.
  const Figure twice = metadata_figure(require_sparse_form(MmaKind::f16), 0, {13, 20}, 64);
  const auto& lines = twice.panels.at(0).at(0).squares;
  for (std::size_t lane = 0; lane < 64; ++lane) {
    CHECK(lines[lane][0].text == lines[lane + 64][0].text);
    CHECK(lines[lane + 64][5].mark == (lane == 13 ? Mark::highlighted : Mark::none));
  }
  const Drawing drawing = word_drawing(require_sparse_form(MmaKind::f16), {0x44e4900f});
  const Document text = drawing.draw(Medium::terminal), page = drawing.draw(Medium::page);
  const BitRow& word = std::get<BitRow>(text.blocks.at(0));
  REQUIRE(word.parts.size() == 8);
  CHECK(word.parts[3].value == "1,2");
  CHECK_FALSE(word.parts[3].reserved);
  CHECK(word.parts[0].name == "chunk 0 invalid");
  CHECK(word.parts[0].reserved);
  // The picture: under each of the five nibbles that mean something its elements, two of which are kept.
  for (const double width : {850.0, 313.0}) {
    const Sketch::Shapes shapes = std::get<Sketch>(page.blocks.at(0)).shapes(width);
    CHECK(shapes.width <= width);
    std::string kept;
    for (const Sketch::Box& box : shapes.boxes) {
      CHECK((box.x >= 0 && box.x + box.width <= shapes.width + 0.01 && box.y + box.height <= shapes.height));
      if (box.tip.ends_with("of chunk 3: kept")) kept += box.text;
    }
    CHECK(kept == "12");
    CHECK(std::ranges::count_if(shapes.boxes, [](const auto& box) { return box.tip.ends_with(": kept"); }) == 5 * 2);
    CHECK(std::ranges::count(shapes.boxes, Mark::colliding, &Sketch::Box::mark) == 3 * 4);  // their bits
  }
}

TEST_CASE("a pair: what the CTA holds is marked, in each panel a half") {
  for (const int cta : {0, 1}) {
    const Figure figure = pair_figure({256, 192, cta});
    for (const auto& panels : figure.panels)
      for (const Grid& grid : panels) {
        int marked = 0, all = 0;
        each_square(grid, [&](std::size_t, std::size_t, const Grid::Square& square) {
          ++all;
          marked += square.mark == Mark::highlighted;
          CHECK((square.mark == Mark::highlighted) == (square.tint.hue == cta || square.tint.hue == 2));
        });
        CHECK(marked == all / 2);
      }
    CHECK(figure.panels[1][0].squares[1][0].text == "CTA 1\nrows 128-255");
    CHECK(figure.panels[0][1].squares[0][1].text == "CTA 1\ncols 96-191");
  }
}
