#include "view/desc_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace swz {
namespace {

int ratio(std::int64_t larger, std::int64_t smaller) {
  return larger > smaller ? static_cast<int>(larger / smaller) : 0;
}

// One colour along K: an atom, or an MMA where it is the wider one.
struct Colors {
  std::int64_t width = 1;  // elements along K
  Tint at(std::int64_t k, std::int64_t row_group) const {
    return {static_cast<int>(k / width % 8), static_cast<int>(row_group % 2) * 2};
  }
};

Grid mma_panel(const OperandShape& shape, const TileDescriptors& words, const Colors& colors) {
  const TileExtents mma = words.mma;
  Grid grid;
  grid.title = fmt::format("MMAs of {}: byte offset and word", to_string(mma));
  grid.corner = "row\\k";
  grid.squares.resize(static_cast<std::size_t>(words.m_blocks));
  for (std::int64_t m = 0; m < words.m_blocks; ++m) grid.row_labels.push_back(std::to_string(m * mma.mn));
  for (std::int64_t k = 0; k < words.k_steps; ++k) grid.column_labels.push_back(std::to_string(k * mma.k));
  for (const MmaStep& step : words.steps) {
    const std::int64_t row = step.m_block * mma.mn, k = step.k_step * mma.k;
    const std::string word = hex64(step.descriptor.word());
    grid.squares[static_cast<std::size_t>(step.m_block)].push_back(
        {fmt::format("{} B\n{}", step.byte_offset.count, word), colors.at(k, step.m_block), Mark::none,
         fmt::format("m {}, k {}: rows {}-{}, k {}-{}\nbyte offset {}, address {:#x}\n{}", step.m_block,
                     step.k_step, row, row + mma.mn - 1, k, k + mma.k - 1, step.byte_offset.count,
                     step.descriptor.start_address().count, word)});
  }
  grid.row_group = ratio(shape.atom.mn, mma.mn);
  grid.column_group = ratio(shape.atom.k, mma.k);
  return grid;
}

Grid atom_panel(const OperandShape& shape, const Layout& layout, const TileDescriptors& words,
                const Colors& colors) {
  const TileExtents atom = shape.atom, atoms{shape.extents.mn / atom.mn, shape.extents.k / atom.k};
  const std::int64_t atom_bytes = shape.swizzle->atom().count;
  const auto byte_of = [&](std::int64_t row, std::int64_t k) {
    return layout(row + k * shape.extents.mn) * shape.element_bits / 8;
  };
  Grid grid;
  grid.title = fmt::format("atoms of {}, numbered by address", to_string(atom));
  grid.corner = "row\\k";
  for (std::int64_t k = 0; k < atoms.k; ++k) grid.column_labels.push_back(std::to_string(k * atom.k));
  for (std::int64_t m = 0; m < atoms.mn; ++m) {
    grid.row_labels.push_back(std::to_string(m * atom.mn));
    std::vector<Grid::Square> squares;
    for (std::int64_t k = 0; k < atoms.k; ++k) {
      const std::int64_t byte = byte_of(m * atom.mn, k * atom.k);
      // Atoms that do not lie one after the other have an offset and no number.
      const std::string text =
          byte % atom_bytes == 0 ? std::to_string(byte / atom_bytes) : fmt::format("{} B", byte);
      squares.push_back({text, colors.at(k * atom.k, m * atom.mn / words.mma.mn), Mark::none,
                         fmt::format("rows {}-{}, k {}-{}\n{} B from the base", m * atom.mn, (m + 1) * atom.mn - 1,
                                     k * atom.k, (k + 1) * atom.k - 1, byte)});
    }
    grid.squares.push_back(std::move(squares));
  }
  grid.row_group = ratio(words.mma.mn, atom.mn);
  grid.column_group = ratio(words.mma.k, atom.k);
  return grid;
}

}  // namespace

Figure figure_of(const OperandShape& shape, const Layout& layout, const TileDescriptors& words,
                 const std::string& title) {
  const Colors colors{std::max(shape.atom.k, words.mma.k)};
  Figure figure{title, {}, {}, {}};
  figure.panels.push_back({atom_panel(shape, layout, words, colors), mma_panel(shape, words, colors)});
  const std::int64_t count = shape.extents.k / colors.width;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 8); ++i)
    figure.legend.push_back(
        {fmt::format("k {}-{}", i * colors.width, (i + 1) * colors.width - 1), {static_cast<int>(i)}});
  figure.caption =
      "Heavier lines: in the atoms where another MMA begins, in the MMAs where another atom begins. Blocks of rows "
      "are "
      "dark and light in turn.";
  return figure;
}

}  // namespace swz
