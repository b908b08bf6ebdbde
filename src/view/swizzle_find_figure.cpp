// The worst group of lanes, in lines and banks, before and after.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "view/figure.hpp"
#include "view/swizzle_find.hpp"

namespace swz {

namespace {

// The lanes of one instruction that are served together.
struct WorstGroup {
  const WalkStep* step = nullptr;
  const Walk* walk = nullptr;
  int first_lane = 0, lanes = 0, passes = 1;
};

WorstGroup worst_group(const SwizzleFind& f) {
  WorstGroup worst;
  for (const Walk& walk : f.walks)
    for (const WalkStep& step : walk.steps) {
      const WavefrontCount count = count_wavefronts(step.pattern);
      for (int g = 0; g < count.groups; ++g) {
        const int passes = count.passes[static_cast<std::size_t>(g)];
        if (passes <= worst.passes) continue;
        const int lanes = step.pattern.instruction->addresses / count.groups;
        worst = {&step, &walk, g * lanes, lanes, passes};
      }
    }
  return worst;
}

struct Piece {
  int lane = 0;
  std::int64_t plain = 0, byte = 0;
};

Grid grid_of(const std::string& title, const std::vector<Piece>& pieces, std::int64_t width,
             std::size_t most_lines) {
  std::map<std::int64_t, std::size_t> lines;  // line -> row
  for (const Piece& p : pieces) lines.emplace(p.byte / bank_row.count, 0);
  while (lines.size() > most_lines) lines.erase(std::prev(lines.end()));
  Grid grid;
  grid.title = title;
  grid.corner = "byte\\bank";
  const std::int64_t banks = width / 4;
  for (std::int64_t b = 0; b < bank_count; b += banks)
    grid.column_labels.push_back(banks == 1 ? fmt::format("{}", b) : fmt::format("{}-{}", b, b + banks - 1));
  for (auto& [line, row] : lines) {
    row = grid.row_labels.size();
    grid.row_labels.push_back(fmt::format("{:#x}", line * bank_row.count));
  }
  grid.squares.assign(lines.size(), std::vector<Grid::Square>(grid.column_labels.size()));
  std::map<std::int64_t, std::map<std::int64_t, int>> in_column;
  for (const Piece& p : pieces) ++in_column[p.byte % bank_row.count / width][p.byte / width];
  for (const Piece& p : pieces) {
    const auto line = lines.find(p.byte / bank_row.count);
    if (line == lines.end()) continue;
    const std::int64_t column = p.byte % bank_row.count / width;
    Grid::Square& square = grid.squares[line->second][static_cast<std::size_t>(column)];
    square.text = square.text.empty() ? fmt::format("{}", p.lane) : square.text;
    square.tint = tint_of_thread(p.lane);
    square.mark = in_column[column].size() > 1 ? Mark::colliding : Mark::none;
    square.tip = fmt::format("lane {}\nbyte {:#x}\nbefore {:#x}", p.lane, p.byte, p.plain);
  }
  return grid;
}

}  // namespace

void add_find_figure(Document& d, const SwizzleFind& f, std::size_t lines) {
  const WorstGroup worst = worst_group(f);
  if (worst.step == nullptr) return;
  const AccessPattern& pattern = worst.step->pattern;
  const std::int64_t width = std::max(4, pattern.instruction->bytes);
  std::vector<Piece> before, after;
  for (int lane = worst.first_lane; lane < worst.first_lane + worst.lanes; ++lane) {
    if ((pattern.lanes() >> lane & 1) == 0) continue;
    const std::uint32_t address = pattern.address[static_cast<std::size_t>(lane)];
    before.push_back({lane, address, address});
    after.push_back({lane, address, static_cast<std::int64_t>(f.map(address))});
  }
  Figure figure;
  figure.title = fmt::format("{}, lanes {} to {} of its worst instruction", to_string(worst.walk->access),
                             worst.first_lane, worst.first_lane + worst.lanes - 1);
  figure.panels = {
      {grid_of("before", before, width, lines), grid_of(f.is_found() ? "after" : "at best", after, width, lines)}};
  figure.legend.push_back({"shares its banks with another word", {}, Mark::colliding});
  figure.caption = "a cell names the first lane that touches it; of the lines that are touched the first " +
                   std::to_string(lines);
  d.add(std::move(figure));
}

}  // namespace swz
