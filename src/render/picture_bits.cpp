// The bits of a word as a picture: 32 bits a row, most significant first, each field in its own colour.
#include <fmt/format.h>

#include "render/picture.hpp"

namespace swz {
namespace {

constexpr int bits_per_row = 32;

struct Found {
  const BitRow::Part* part = nullptr;
  int hue = -1;
};

// Which field a bit belongs to. Reserved fields have no colour.
Found field_of(const BitRow& row, int bit) {
  int hue = 0;
  for (const BitRow::Part& part : row.parts) {
    if (bit >= part.bits.low && bit <= part.bits.high()) return {&part, part.reserved ? -1 : hue};
    if (!part.reserved) ++hue;
  }
  return {};
}

std::string tip_of(const BitRow::Part* part, int bit) {
  if (part == nullptr) return fmt::format("bit {}: unused", bit);
  return fmt::format("bit {}: {} [{}:{}]", bit, part->name, part->bits.high(), part->bits.low);
}

}  // namespace

Figure figure_of(const BitRow& row) {
  Grid grid;
  grid.corner = "bit";
  grid.column_group = 8;
  const int rows = row.width > bits_per_row ? 2 : 1;
  for (int c = 0; c < bits_per_row; ++c) grid.column_labels.push_back(std::to_string(bits_per_row - 1 - c));
  for (int r = 0; r < rows; ++r) {
    const int low = (rows - 1 - r) * bits_per_row;
    grid.row_labels.push_back(fmt::format("{}…{}", low + bits_per_row - 1, low));
    std::vector<Grid::Square> squares;
    for (int c = 0; c < bits_per_row; ++c) {
      const int bit = low + bits_per_row - 1 - c;
      const Found found = field_of(row, bit);
      squares.push_back({(row.word >> bit & 1) != 0 ? "1" : "0", {found.hue}, Mark::none, tip_of(found.part, bit)});
    }
    grid.squares.push_back(std::move(squares));
  }
  Figure figure;
  figure.panels.push_back({std::move(grid)});
  int hue = 0;
  for (const BitRow::Part& part : row.parts)
    if (!part.reserved)
      figure.legend.push_back({fmt::format("{} [{}:{}]", part.name, part.bits.high(), part.bits.low), {hue++}});
  return figure;
}

}  // namespace swz
