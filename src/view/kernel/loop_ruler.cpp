// SPDX-License-Identifier: Apache-2.0
// The picture of a wrong k loop beside the right one, on one ruler of bytes: which element lies where each MMA reads.
//
//              as is: data in mode 32B      data in mode 128B
//   byte\step  k 0   k 16   k 32   k 48     k 0   k 16   k 32   k 48
//   0x0        0,0                          0,0
//   0x20       1,0   1,0                           0,16
//   0x40       2,0   2,0    2,0                           0,32        red: not the element that the MMA takes it for
//
// What lies at a byte follows from the first word of the half, as far as the lines of its atoms; "?" elsewhere.
// The right one has either the step that the elements of the mode need, or the mode whose groups of rows are as far apart
// as those of the words; it is drawn only if the check of k loops finds its words right.
//
// Invariant (tested): in the right half no two MMAs take the same bytes.
#include "view/kernel/loop_ruler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"

namespace swz {
namespace {

constexpr std::int64_t most_units = 12;

std::int64_t k_bytes(const LoopWords& loop) { return loop.extents.k * loop.element_bits / 8; }

KLoop checked(const LoopWords& loop, const std::vector<SmemDescriptor>& words) {
  return k_loop(words, {.major = Major::K,
                        .element_bits = loop.element_bits,
                        .rows = loop.extents.mn,
                        .k_bytes = k_bytes(loop),
                        .has_words = false});
}

SmemDescriptor with(const SmemDescriptor& word, FieldId field, std::int64_t raw) {
  return SmemDescriptor(word.format().find(field)->bits.write(word.word(), static_cast<std::uint64_t>(raw)),
                        word.target());
}

// ---- the right loop

struct RightLoop {
  std::string wrong, name;  // "data in mode 32B", "data in mode 128B"
  std::vector<SmemDescriptor> words;
};

// The same words in the mode whose atom is the distance of their groups of rows.
std::optional<RightLoop> in_other_mode(const LoopWords& loop) {
  const SmemDescriptor& first = loop.words.front();
  const SwizzleMode& mode = *first.swizzle();
  for (const SwizzleMode& other : swizzle_modes()) {
    const std::optional<int> code = other.code(first.kind());
    const bool is_it = code && other.family == mode.family && &other != &mode && other.bits > 0 &&
                       other.atom() == first.stride_byte_offset();
    if (!is_it) continue;
    RightLoop right{fmt::format("data in mode {}", mode.name), fmt::format("data in mode {}", other.name), {}};
    for (const SmemDescriptor& word : loop.words) right.words.push_back(with(word, FieldId::swizzle, *code));
    return right;
  }
  return {};
}

// The same mode with the step of its elements, while that stays in a line.
std::optional<RightLoop> with_right_step(const LoopWords& loop) {
  const SmemDescriptor& first = loop.words.front();
  const std::int64_t step = k_bytes(loop), count = std::ssize(loop.words);
  if (step * count > first.swizzle()->span.count) return {};
  const std::int64_t start = first.start_address().count;
  RightLoop right{fmt::format("{:+} B a step", loop.words[1].start_address().count - start),
                  fmt::format("{:+} B a step", step),
                  {}};
  for (std::int64_t i = 0; i < count; ++i)
    right.words.push_back(with(first, FieldId::start_address, (start + i * step) / chunk.count));
  return right;
}

std::optional<RightLoop> right_loop(const LoopWords& loop) {
  for (std::optional<RightLoop> right : {with_right_step(loop), in_other_mode(loop)})
    if (right && checked(loop, right->words).is_right()) return right;
  return {};
}

// ---- the ruler

// What lies where each MMA reads, half by half: of the wrong words, then of the right ones.
struct Ruler {
  std::int64_t unit = 0, first = 0;
  std::vector<OperandReport> readings;
  std::array<std::map<std::int64_t, TileCoordinate>, 2> held;  // what lies at the chunk of this address

  // The element that the cell of this chunk begins with.
  std::optional<TileCoordinate> held_at(std::size_t half, std::int64_t byte) const {
    std::optional<TileCoordinate> first_of_unit;
    for (std::int64_t at = byte / unit * unit; at < (byte / unit + 1) * unit; at += chunk.count)
      if (const auto found = held[half].find(at); found != held[half].end())
        if (!first_of_unit || found->second.k < first_of_unit->k) first_of_unit = found->second;
    return first_of_unit;
  }
  bool has_one_row_a_unit() const {
    for (const OperandReport& reading : readings) {
      std::map<std::int64_t, std::int64_t> rows;
      std::map<std::int64_t, std::int64_t> units;
      for (const ReadChunk& c : reading.chunks) {
        const std::int64_t at = c.byte.count / unit;
        if (rows.try_emplace(at, c.row).first->second != c.row || units.try_emplace(c.row, at).first->second != at)
          return false;
      }
    }
    return true;
  }
};

std::optional<Ruler> ruler_of(const LoopWords& loop, const RightLoop& right) {
  Ruler ruler{k_bytes(loop), loop.words.front().start_address().count, {}, {}};
  const auto read = [&](const SmemDescriptor& word, std::int64_t k) {
    return operand_report(word, operand_map(word, {loop.extents.mn, k}, loop.element_bits, Major::K));
  };
  try {
    for (const std::vector<SmemDescriptor>* words : {&loop.words, &right.words}) {
      for (const SmemDescriptor& word : *words) ruler.readings.push_back(read(word, loop.extents.k));
      const SmemDescriptor& first = words->front();
      for (const ReadChunk& c : read(first, first.swizzle()->span.count * 8 / loop.element_bits).chunks)
        ruler.held[words == &right.words ? 1 : 0][c.byte.count] = {c.row, c.k};
    }
  } catch (const Error&) {
    return {};  // a word that no MMA can read
  }
  for (const OperandReport& reading : ruler.readings) ruler.first = std::min(ruler.first, reading.lowest.count);
  if (!ruler.has_one_row_a_unit()) ruler.unit = chunk.count;
  ruler.first = ruler.first / ruler.unit * ruler.unit;
  return ruler;
}

// What one MMA takes for (row, k) at this byte, and what lies there.
Grid::Square square_of(const std::optional<TileCoordinate>& held, TileCoordinate taken, const LoopWords& loop) {
  Grid::Square square;
  square.text = held ? fmt::format("{},{}", held->row, held->k) : "?";
  if (held) square.tint = {static_cast<int>(held->k / loop.extents.k % 8)};
  square.tip = fmt::format("{}, taken for {} {}, k {}",
                           held ? fmt::format("{} {}, k {}", row_word(loop.role), held->row, held->k) : "not known",
                           row_word(loop.role), taken.row, taken.k);
  return square;
}

Grid ruler_grid(const LoopWords& loop, const RightLoop& right, const Ruler& ruler) {
  const std::int64_t count = std::ssize(loop.words), k = loop.extents.k;
  std::vector<std::string> rows =
      labels_of(most_units, 1, [&](std::int64_t i) { return fmt::format("{:#x}", ruler.first + i * ruler.unit); });
  rows.push_back("…");
  Grid grid = grid_of("", "byte\\step", rows,
                      labels_of(2 * count, 1, [&](std::int64_t i) { return fmt::format("k {}", i % count * k); }),
                      [](std::int64_t, std::int64_t) { return Grid::Square(); });
  for (std::int64_t column = 0; column < std::ssize(ruler.readings); ++column) {
    const std::size_t half = column < count ? 0 : 1;
    const std::int64_t step = column % count;
    for (const ReadChunk& c : ruler.readings[static_cast<std::size_t>(column)].chunks) {
      const std::int64_t row = (c.byte.count - ruler.first) / ruler.unit;
      // The chunk with the first k of a cell says what the cell is taken for.
      if (row >= most_units || (ruler.unit > chunk.count && c.k > 0)) continue;
      Grid::Square& square = grid.at(row, column);
      square = square_of(ruler.held_at(half, c.byte.count), {c.row, step * k + c.k}, loop);
      square.step = static_cast<int>(step);
      square.tip += fmt::format("\nbytes {:#x} to {:#x}", ruler.first + row * ruler.unit,
                                ruler.first + (row + 1) * ruler.unit - 1);
      if (half == 0 && loop.is_wrong[static_cast<std::size_t>(step)]) square.mark = Mark::colliding;
    }
  }
  grid.column_levels = {{static_cast<int>(count), {"as is: " + right.wrong, right.name}}};
  grid.column_group = static_cast<int>(count);
  for (std::size_t row = 0; row < grid.squares.size(); ++row) grid.key_rows.push_back(row);
  return grid;
}

// The lines of the MMAs, and what "?" is.
std::string notation_of(const LoopWords& loop, const Grid& grid) {
  std::vector<std::string> lines;
  for (const std::uint32_t line : loop.lines) lines.push_back(std::to_string(line));
  std::string text = fmt::format("The k steps are the MMAs in lines {}.", join_and(lines));
  for (const auto& row : grid.squares)
    for (const Grid::Square& square : row)
      if (square.text == "?")
        return text +
               fmt::format(" ?: not known, beyond the atom of {} B.", loop.words.front().swizzle()->atom().count);
  return text;
}

}  // namespace

std::optional<Figure> loop_ruler_figure(const LoopWords& loop) {
  if (loop.words.size() < 2 || loop.words.front().swizzle() == nullptr || loop.words.front().swizzle()->bits == 0)
    return {};
  const std::optional<RightLoop> right = right_loop(loop);
  if (!right) return {};
  const std::optional<Ruler> ruler = ruler_of(loop, *right);
  if (!ruler) return {};
  Figure figure;
  Grid grid = ruler_grid(loop, *right, *ruler);
  grid.title = fmt::format("{},k of {} where each k step reads, {} bytes a cell", row_word(loop.role),
                           loop.role == OperandRole::a ? "A" : "B", ruler->unit);
  figure.caption = notation_of(loop, grid);
  figure.panels = {{std::move(grid)}};
  figure.legend = {{"not the element that the MMA takes it for", {}, Mark::colliding}};
  for (const std::uint32_t line : loop.lines) figure.steps.push_back(fmt::format("line {}", line));
  return figure;
}

}  // namespace swz
