#include "view/map_figure.hpp"

#include <fmt/format.h>

#include <map>

#include "view/figure.hpp"

namespace swz {

namespace {

std::int64_t chunk_elements(const OperandMap& map) { return chunk.count * 8 / map.element_bits; }

bool differs(const MapAnswer& answer, const ReadChunk& c) {
  if (!answer.comparison || answer.comparison->is_same()) return false;
  const OperandMap& map = answer.report.map;
  const bool is_k = map.major == Major::K;
  for (std::int64_t i = 0; i < chunk_elements(map); ++i) {
    const std::int64_t row = is_k ? c.row : c.row + i, k = is_k ? c.k + i : c.k;
    if (row < map.extents.mn && k < map.extents.k &&
        answer.comparison->differs[static_cast<std::size_t>(row * map.extents.k + k)])
      return true;
  }
  return false;
}

Mark mark_of(const MapAnswer& answer, const ReadChunk& c) {
  if (c.reads > 1) return Mark::colliding;
  return differs(answer, c) ? Mark::highlighted : Mark::none;
}

// "row 9, k 8-15" or "rows 8-15, k 9"
std::string elements_text(const OperandMap& map, const ReadChunk& c) {
  const std::int64_t last = c.size.count * 8 / map.element_bits - 1;
  if (map.major == Major::K) return fmt::format("row {}, k {}-{}", c.row, c.k, c.k + last);
  return fmt::format("rows {}-{}, k {}", c.row, c.row + last, c.k);
}

std::string tip_of(const MapAnswer& answer, const ReadChunk& c) {
  const OperandMap& map = answer.report.map;
  std::string tip = fmt::format("{}\nbyte {:#x} = {}\nline {}, chunk {}, banks {}-{}", elements_text(map, c),
                                c.byte.count, c.byte.count, c.line(), c.position(), c.bank(), c.bank() + 3);
  if (c.reads > 1) tip += fmt::format("\nread {} times", c.reads);
  if (differs(answer, c)) {
    const Comparison& compared = *answer.comparison;
    const std::int64_t place = answer.stored->place(compared.block.row + c.row, compared.block.k + c.k);
    tip += fmt::format("\nlies at {:#x}", place / 8);
  }
  return tip;
}

// Rows downwards; K-major a row is a row of chunks, MN-major a chunk is as many rows high.
Grid operand_grid(const MapAnswer& answer) {
  const OperandMap& map = answer.report.map;
  const std::int64_t elements = chunk_elements(map);
  const bool is_k = map.major == Major::K;
  const std::int64_t down = is_k ? 1 : elements, across = is_k ? elements : 1;
  Grid grid;
  grid.title = "operand: byte address of each 16-byte chunk";
  grid.corner = "row\\k";
  for (std::int64_t k = 0; k < map.extents.k; k += across) grid.column_labels.push_back(std::to_string(k));
  for (std::int64_t row = 0; row < map.extents.mn; row += down) grid.row_labels.push_back(std::to_string(row));
  grid.squares.assign(grid.row_labels.size(), std::vector<Grid::Square>(grid.column_labels.size()));
  for (const ReadChunk& c : answer.report.chunks)
    grid.squares[static_cast<std::size_t>(c.row / down)][static_cast<std::size_t>(c.k / across)] = {
        fmt::format("{:#x}", c.byte.count), {c.position(), 0}, mark_of(answer, c), tip_of(answer, c)};
  if (is_k) grid.row_group = 8;
  else grid.column_group = 8;
  return grid;
}

// The lines of shared memory that are read; a row of its own stands for the lines between them.
Grid smem_grid(const MapAnswer& answer) {
  constexpr std::size_t chunks_per_line = 8;
  std::map<std::int64_t, std::vector<Grid::Square>> lines;
  for (const ReadChunk& c : answer.report.chunks) {
    auto& squares = lines.try_emplace(c.line(), chunks_per_line).first->second;
    Grid::Square& square = squares[static_cast<std::size_t>(c.position())];
    const std::string tip = tip_of(answer, c);
    if (square.text.empty()) square = {fmt::format("{},{}", c.row, c.k), {c.position(), 0}, {}, tip};
    else square.tip += "\n" + tip;
    if (square.mark != Mark::colliding) square.mark = mark_of(answer, c);
  }
  Grid grid;
  grid.title = "shared memory: row,k of the first element of each chunk that is read";
  grid.corner = "line\\bank";
  for (std::size_t i = 0; i < chunks_per_line; ++i)
    grid.column_labels.push_back(fmt::format("{}-{}", 4 * i, 4 * i + 3));
  std::int64_t next = lines.begin()->first;
  for (auto& [line, squares] : lines) {
    if (line != next) {
      grid.row_labels.emplace_back("...");
      grid.squares.emplace_back(chunks_per_line);
    }
    next = line + 1;
    grid.row_labels.push_back(fmt::format("{:#x}", line * bank_row.count));
    grid.squares.push_back(std::move(squares));
  }
  return grid;
}

}  // namespace

Figure map_figure(const MapAnswer& answer) {
  Figure figure;
  figure.title = fmt::format("{} {} {} through {:#018x}", answer.dtype->name, to_string(answer.report.map.extents),
                             to_string(answer.report.map.major), answer.report.word.word());
  figure.panels = {{operand_grid(answer), smem_grid(answer)}};
  figure.caption = "colour: which 16-byte chunk of its 128-byte line, that is which four banks";
  bool has_repeated = false, has_other = false;
  for (const ReadChunk& c : answer.report.chunks) {
    has_repeated = has_repeated || mark_of(answer, c) == Mark::colliding;
    has_other = has_other || mark_of(answer, c) == Mark::highlighted;
  }
  if (has_repeated) figure.legend.push_back({"read more than once", {}, Mark::colliding});
  if (has_other) figure.legend.push_back({"read, but the element lies elsewhere", {}, Mark::highlighted});
  return figure;
}

}  // namespace swz
