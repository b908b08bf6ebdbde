#include "view/banks_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "view/figure.hpp"

namespace swz {

namespace {

constexpr std::size_t longest_cell = 7;
constexpr std::uint32_t most_lines = 32;  // lines in between that are drawn although nothing touches them

std::string range_text(std::int64_t first, std::int64_t count) {
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

// One cell: the lanes that touch it, and those of them that collide.
struct Use {
  std::uint32_t lanes = 0, colliding = 0;
};

// By the number of the cell in shared memory.
using Uses = std::map<std::uint32_t, Use>;

std::uint32_t cell_bytes(const AccessInstruction& i) { return static_cast<std::uint32_t>(std::max(4, i.bytes)); }

Uses uses_of(const WavefrontReport& report) {
  Uses uses;
  for (const WavefrontGroup& group : report.groups)
    for (const LaneUse& lane : group.lanes) {
      Use& use = uses[static_cast<std::uint32_t>(lane.address.count) / cell_bytes(*report.pattern.instruction)];
      use.lanes |= std::uint32_t{1} << lane.lane;
      if (lane.collides_with != 0) use.colliding |= std::uint32_t{1} << lane.lane;
    }
  return uses;
}

// The 128-byte lines to draw, in order.
std::vector<std::uint32_t> lines_of(const Uses& uses, std::uint32_t cells_in_line) {
  std::vector<std::uint32_t> touched;
  for (const auto& [cell, use] : uses)
    if (touched.empty() || touched.back() != cell / cells_in_line) touched.push_back(cell / cells_in_line);
  if (touched.empty() || touched.back() - touched.front() >= most_lines) return touched;
  std::vector<std::uint32_t> all;
  for (std::uint32_t line = touched.front(); line <= touched.back(); ++line) all.push_back(line);
  return all;
}

std::string cell_text(std::uint32_t lanes) {
  const std::string text = lanes_text(lanes);
  if (text.size() <= longest_cell) return text;
  return fmt::format("{},…", std::countr_zero(lanes));
}

std::string tip_of(const Use& use, std::int64_t byte, std::int64_t bytes) {
  return fmt::format("byte {:#x}, banks {}\nlane {}{}", byte, range_text(byte / 4 % bank_count, bytes / 4),
                     lanes_text(use.lanes), use.colliding != 0 ? "\ncollides" : "");
}

Grid grid_of(const BanksPanel& panel) {
  const std::uint32_t bytes = cell_bytes(*panel.report.pattern.instruction);
  const auto columns = static_cast<std::uint32_t>(bank_row.count) / bytes;
  const Uses uses = uses_of(panel.report);
  Grid grid;
  grid.title = panel.title;
  grid.corner = "line\\bank";
  for (std::uint32_t c = 0; c < columns; ++c) grid.column_labels.push_back(range_text(c * bytes / 4, bytes / 4));
  for (const std::uint32_t line : lines_of(uses, columns)) {
    grid.row_labels.push_back(fmt::format("{:#x}", line * bank_row.count));
    std::vector<Grid::Square>& squares = grid.squares.emplace_back(columns);
    for (std::uint32_t c = 0; c < columns; ++c) {
      const auto found = uses.find(line * columns + c);
      if (found == uses.end()) continue;
      const Use& use = found->second;
      squares[c] = {cell_text(use.lanes), tint_of_thread(std::countr_zero(use.lanes)),
                    use.colliding != 0 ? Mark::colliding : Mark::none,
                    tip_of(use, std::int64_t{line * columns + c} * bytes, bytes)};
    }
  }
  return grid;
}

// Whether lines between the first and the last are missing.
bool skips_lines(const WavefrontReport& report) {
  const Uses uses = uses_of(report);
  const auto columns = static_cast<std::uint32_t>(bank_row.count) / cell_bytes(*report.pattern.instruction);
  const std::vector<std::uint32_t> lines = lines_of(uses, columns);
  return !lines.empty() && lines.back() - lines.front() + 1 != lines.size();
}

}  // namespace

std::string lanes_text(std::uint32_t lanes) {
  std::string text;
  while (lanes != 0) {
    const int first = std::countr_zero(lanes), count = std::countr_one(lanes >> first);
    text += fmt::format("{}{}", text.empty() ? "" : ",", range_text(first, count));
    lanes = first + count == warp_lanes ? 0 : lanes >> (first + count) << (first + count);
  }
  return text;
}

Figure banks_figure(const std::vector<BanksPanel>& panels) {
  Figure figure;
  figure.panels.emplace_back();
  bool collides = false, skips = false;
  for (const BanksPanel& panel : panels) {
    figure.panels.front().push_back(grid_of(panel));
    collides = collides || panel.report.count.colliding != 0;
    skips = skips || skips_lines(panel.report);
  }
  if (collides) figure.legend.push_back({"another word of these banks is wanted too", {}, Mark::colliding});
  figure.caption = "The numbers are lanes; a colour is four of them.";
  if (skips) figure.caption += " Lines that are not touched are left out.";
  return figure;
}

}  // namespace swz
