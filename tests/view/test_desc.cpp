// The figure of descriptors: every atom has its number by address, every MMA its word, and the lines part them.
#include <doctest/doctest.h>

#include "base/text.hpp"
#include "view/desc.hpp"

using namespace swz;

namespace {

struct Case {
  SmemTileValues values;
  const char* target;
  TileExtents mma;
  int atom_rows, atom_columns;  // lines between MMAs in the panel of atoms
  int mma_rows, mma_columns;    // lines between atoms in the panel of MMAs
};

}  // namespace

TEST_CASE("atoms are numbered as they lie, MMAs show their words") {
  const std::vector<Case> cases{
      {{.dtype = "f16", .mn = 128, .k = 128, .swizzle = "128B"}, "sm_90a", {64, 16}, 8, 0, 0, 4},
      {{.dtype = "f16", .mn = 256, .k = 64, .swizzle = "none", .order = StackingOrder::k_first},
       "sm_100a",
       {128, 16},
       16,
       2,
       0,
       0},
      {{.dtype = "f16", .major = Major::MN, .mn = 256, .k = 64, .swizzle = "128B"},
       "sm_100a",
       {128, 16},
       2,
       2,
       0,
       0},
      {{.dtype = "bf16", .major = Major::MN, .mn = 128, .k = 32, .swizzle = "64B", .order = StackingOrder::k_first},
       "sm_90a",
       {64, 16},
       2,
       2,
       0,
       0},
      {{.dtype = "tf32", .mn = 64, .k = 64, .swizzle = "64B"}, "sm_90a", {64, 8}, 8, 0, 0, 2},
  };
  for (const Case& c : cases) {
    const SmemTile tile(c.values);
    const TileDescriptors words = tile_descriptors(tile, require_target(c.target), c.mma);
    const Figure figure = desc_figure(operand_shape(tile), tile.layout().layout(), words, "title");
    REQUIRE(figure.panels.size() == 1);
    REQUIRE(figure.panels[0].size() == 2);
    const Grid &atoms = figure.panels[0][0], &mmas = figure.panels[0][1];
    REQUIRE(static_cast<std::int64_t>(atoms.squares.size()) == tile.atoms().mn);
    for (std::int64_t m = 0; m < tile.atoms().mn; ++m) {
      const auto& row = atoms.squares[static_cast<std::size_t>(m)];
      REQUIRE(static_cast<std::int64_t>(row.size()) == tile.atoms().k);
      for (std::int64_t k = 0; k < tile.atoms().k; ++k) {
        const std::int64_t byte = tile.linear_offset(m * tile.atom().mn, k * tile.atom().k).count;
        CHECK(row[static_cast<std::size_t>(k)].text == std::to_string(byte / tile.swizzle().atom().count));
      }
    }
    for (const MmaStep& step : words.steps) {
      const std::string& text =
          mmas.squares[static_cast<std::size_t>(step.m_block)][static_cast<std::size_t>(step.k_step)].text;
      CHECK(text == std::to_string(step.byte_offset.count) + " B\n" + hex64(step.descriptor.word()));
    }
    CHECK(atoms.row_group == c.atom_rows);
    CHECK(atoms.column_group == c.atom_columns);
    CHECK(mmas.row_group == c.mma_rows);
    CHECK(mmas.column_group == c.mma_columns);
  }
}

TEST_CASE("an atom and the MMAs inside it have one colour") {
  const SmemTile tile({.dtype = "f16", .mn = 64, .k = 128, .swizzle = "128B"});
  const TileDescriptors words = tile_descriptors(tile, require_target("sm_90a"), {64, 16});
  const Figure figure = desc_figure(operand_shape(tile), tile.layout().layout(), words, "");
  for (std::size_t k = 0; k < 8; ++k)
    CHECK(figure.panels[0][1].squares[0][k].tint.hue == figure.panels[0][0].squares[0][k / 4].tint.hue);
  CHECK(figure.panels[0][0].squares[0][0].tint.hue != figure.panels[0][0].squares[0][1].tint.hue);
  REQUIRE(figure.legend.size() == 2);
  CHECK(figure.legend[1].text == "k 64-127");
}
