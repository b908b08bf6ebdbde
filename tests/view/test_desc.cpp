// SPDX-License-Identifier: Apache-2.0
// The figure of descriptors: its arrows span what the words say, its cells lie where the tile puts them, and a picture
// of a part keeps all that it is about.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/layout_descriptor.hpp"
#include "descriptor/operand_map.hpp"
#include "expr/evaluate.hpp"
#include "render/part.hpp"
#include "view/descriptor/desc.hpp"
#include "view/document/highlight.hpp"

using namespace swz;

namespace {

struct Drawn {
  SmemTile tile;
  TileDescriptors words;
  Figure figure;
  const Grid& lines() const { return figure.panels.at(0).at(0); }
  const Grid& word_panel() const { return figure.panels.at(0).at(1); }
};

Drawn drawn(const SmemTile& tile, const TileDescriptors& words, const Highlight& highlight = {}) {
  return {tile, words,
          desc_figure(
              {operand_shape(tile), words.steps.front().descriptor.start_address(), tile.layout().layout(), "title"},
              words, highlight)};
}

// Every legal tile of these extents, with each MMA of a few rows that reads it.
template <class Check>
int each_tile(Check check) {
  int tiles = 0;
  for (const char* arch : {"sm_90a", "sm_100a"})
    for (const char* dtype : {"f16", "e4m3", "tf32", "e2m1"})
      for (const Major major : {Major::K, Major::MN})
        for (const SwizzleMode& mode : swizzle_modes())
          for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
            for (const TileExtents extents : {TileExtents{8, 64}, {64, 64}, {128, 128}, {256, 64}, {64, 256}})
              for (const std::int64_t rows : {8, 64, 128}) {
                const Target& target = require_target(arch);
                try {
                  const SmemTile tile({.dtype = require_dtype(dtype),
                                       .major = major,
                                       .mn = extents.mn,
                                       .k = extents.k,
                                       .swizzle = mode,
                                       .order = order,
                                       .base = Bytes{0x400}});
                  const TileDescriptors words =
                      tile_descriptors(tile, target, TileExtents{rows, dense_mma_k(tile.element_bits())});
                  CAPTURE(arch);
                  CAPTURE(describe_operand(tile));
                  CAPTURE(rows);
                  check(drawn(tile, words));
                  ++tiles;
                } catch (const Error&) {
                  // Not a tile, or no MMA reads it.
                }
              }
  return tiles;
}

std::int64_t address_of(const Grid& grid, Grid::Place place) {
  return std::stoll(grid.row_labels.at(static_cast<std::size_t>(place.row)), nullptr, 16) + place.column * 16;
}

const Grid::Arrow* arrow_named(const Grid& grid, const std::string& name) {
  const auto found = std::ranges::find_if(grid.arrows, [&](const auto& a) { return a.text.starts_with(name); });
  return found == grid.arrows.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("an arrow spans the LBO, the SBO or the advance of the words, and is there where an MMA steps over it") {
  const int tiles = each_tile([](const Drawn& d) {
    const SmemDescriptor& first = d.words.steps.front().descriptor;
    const MmaStep* next_atom = nullptr;
    for (const MmaStep& step : d.words.steps)
      if (step.m_block == 0 && step.is_next_atom && next_atom == nullptr) next_atom = &step;
    const std::string to_next_atom = next_atom ? fmt::format("k {} ", next_atom->k_step * d.words.mma.k) : "k ?";
    const struct {
      std::string name;
      std::int64_t bytes;
      bool is_drawn;
    } expected[] = {
        {"LBO", first.leading_byte_offset().count, d.words.leading.is_applied},
        {"SBO", first.stride_byte_offset().count, d.words.stride.is_applied},
        {"k step", d.words.k_steps > 1 ? d.words.steps[static_cast<std::size_t>(d.words.m_blocks)].advance.count : 0,
         d.words.k_steps > 1},
        {to_next_atom, next_atom ? next_atom->byte_offset.count : 0, next_atom && next_atom->k_step > 1}};
    for (const auto& e : expected) {
      CAPTURE(e.name);
      const Grid::Arrow* arrow = arrow_named(d.lines(), e.name);
      REQUIRE((arrow != nullptr) == e.is_drawn);
      if (arrow == nullptr) continue;
      CHECK(arrow->kind == Grid::Arrow::Kind::distance);
      CHECK(address_of(d.lines(), arrow->from) == first.start_address().count);
      CHECK(address_of(d.lines(), arrow->to) - address_of(d.lines(), arrow->from) == e.bytes);
      CHECK(arrow->text.ends_with(fmt::format("{:#x}", e.bytes < 0 ? -e.bytes : e.bytes)));
    }
  });
  CHECK(tiles > 200);
}

TEST_CASE("an MMA reads another element when an arrow's stride is changed, and none when it is not drawn") {
  const int tiles = each_tile([](const Drawn& d) {
    const SmemDescriptor& word = d.words.steps.front().descriptor;
    const auto map_with = [&](Bytes leading, Bytes stride) {
      return operand_map(SmemDescriptor::encode({.start_address = word.start_address(),
                                                 .leading_byte_offset = leading,
                                                 .stride_byte_offset = stride,
                                                 .swizzle = *word.swizzle()},
                                                word.target()),
                         d.words.mma, d.tile.element_bits(), d.tile.major());
    };
    const Bytes leading = word.leading_byte_offset(), stride = word.stride_byte_offset();
    const OperandMap map = map_with(leading, stride);
    const bool uses_leading = map != map_with(Bytes{leading.count + 16}, stride);
    const bool uses_stride = map != map_with(leading, Bytes{stride.count + 16});
    CHECK(uses_leading == (arrow_named(d.lines(), "LBO") != nullptr));
    CHECK(uses_stride == (arrow_named(d.lines(), "SBO") != nullptr));
    CHECK(uses_leading == (d.figure.caption.find("LBO steps") != std::string::npos));
    CHECK(uses_stride == (d.figure.caption.find("SBO steps") != std::string::npos));
    const auto says_unused = [&](const std::string& name) {
      const auto at = d.figure.caption.find(" " + name);
      return at != std::string::npos &&
             d.figure.caption.substr(at, d.figure.caption.find('.', at) - at).find("not used") != std::string::npos;
    };
    CHECK(says_unused("LBO") == !uses_leading);
    CHECK(says_unused("SBO") == !uses_stride);
  });
  CHECK(tiles > 200);
}

TEST_CASE("every chunk lies where the tile puts its element, in the colour and the step of the MMA that reads it") {
  each_tile([](const Drawn& d) {
    const Grid& grid = d.lines();
    std::int64_t cells = 0;
    for (std::size_t row = 0; row < grid.squares.size(); ++row)
      for (std::size_t column = 0; column < 8; ++column) {
        const Grid::Square& square = grid.squares[row][column];
        if (square.text.empty()) continue;
        ++cells;
        // MN-major, the heading of a line has its k, if all of its chunks have one: "0x480, k 1".
        const std::string& text = square.text.find(',') != std::string::npos ? square.text : grid.row_labels[row];
        const auto number = text.find_last_of(", ") + 1;
        const std::int64_t r = std::stoll(square.text), k = std::stoll(text.substr(number));
        const Grid::Place at{static_cast<std::int64_t>(row), static_cast<std::int64_t>(column)};
        REQUIRE(d.tile.byte(r, k).count == address_of(grid, at));
        REQUIRE(square.step == k / d.words.mma.k);
        REQUIRE(square.tint ==
                Tint{static_cast<int>(k / d.words.mma.k % 8), static_cast<int>(r / d.words.mma.mn % 2) * 2});
      }
    CHECK(cells * 16 == d.tile.bytes().count);
    CHECK(static_cast<std::int64_t>(d.figure.steps.size()) == d.words.k_steps);
  });
}

TEST_CASE("what is drawn unless all is asked for holds the arrows and the start of the first k steps") {
  each_tile([](const Drawn& d) {
    const Figure part = part_of(d.figure, {});
    const Grid& grid = part.panels[0][0];
    CHECK(grid.arrows.size() == d.lines().arrows.size());
    for (std::size_t i = 0; i < grid.arrows.size(); ++i) {
      CHECK(address_of(grid, grid.arrows[i].from) == address_of(d.lines(), d.lines().arrows[i].from));
      CHECK(address_of(grid, grid.arrows[i].to) == address_of(d.lines(), d.lines().arrows[i].to));
    }
    CHECK(grid.squares.size() <= 32);
    for (std::int64_t k = 0; k < std::min<std::int64_t>(d.words.k_steps, 4); ++k) {
      const std::int64_t start =
          d.words.steps[static_cast<std::size_t>(k * d.words.m_blocks)].descriptor.start_address().count;
      const std::string line = fmt::format("{:#x}", start / 128 * 128);
      CHECK(std::ranges::count_if(grid.row_labels, [&](const std::string& label) {
              return label == line || label.starts_with(line + ", k ");
            }) == 1);
    }
    CHECK(part_of(d.figure, {.is_whole = true}).panels[0][0].squares.size() == d.lines().squares.size());
  });
}

TEST_CASE("the other panel shows every word and where it starts, in the colours of the lines") {
  each_tile([](const Drawn& d) {
    const Grid& grid = d.word_panel();
    for (const MmaStep& step : d.words.steps) {
      const Grid::Square& square =
          grid.squares[static_cast<std::size_t>(step.k_step)][static_cast<std::size_t>(step.m_block)];
      CHECK(square.text == fmt::format("+{:#x}\n{}", step.byte_offset.count, hex64(step.descriptor.word())));
      CHECK(square.step == step.k_step);
      CHECK(square.tint.hue == step.k_step % 8);
    }
  });
}

TEST_CASE("--highlight of desc marks the chunks that hold what is named") {
  const SmemTile tile({.dtype = "f16", .mn = 128, .k = 64, .swizzle = "128B", .base = Bytes{0x400}});
  const Target& target = require_target("sm_90a");
  const TileDescriptors words = tile_descriptors(tile, target, {64, 16});
  const auto marked = [&](std::vector<Highlight::Range> ranges) {
    std::string found;
    const Drawn d = drawn(tile, words, Highlight(std::move(ranges)));
    for (const auto& row : d.lines().squares)
      for (const Grid::Square& square : row)
        if (square.mark == Mark::highlighted) found += square.text + " ";
    return found;
  };
  CHECK(marked({{"rows", 9, 9}, {"ks", 16, 31}}) == "9,24 9,16 ");
  CHECK(marked({{"bytes", 0x400, 0x40f}}) == "0,0 ");
  CHECK(marked({{"bytes", 0x480, 0x480}}) == "1,8 ");
  CHECK(marked({{"chunks", 8, 8}}) == "1,0 ");
  CHECK(marked({{"bytes", 0x480, 0x480}, {"ks", 0, 7}}) == "");
  CHECK(marked({}) == "");
  for (const HighlightKind& kind : desc_highlight_kinds(operand_shape(tile), target))
    if (kind.plural == "ks") CHECK(kind.count == 64);
}

TEST_CASE("a padded layout is drawn where its words point") {
  // Groups of 8 rows 272 B apart, k chunks 128 B apart.
  const LayoutOperand operand{.layout = parse_layout("((8,2),(8,2)):((8,136),(1,64))"),
                              .target = &require_target("sm_90a"),
                              .dtype = &require_dtype("f16"),
                              .mma = TileExtents{16, 16},
                              .base = Bytes{0x400}};
  const LayoutDescriptors found = layout_descriptors(operand);
  REQUIRE(found.descriptors);
  const Figure figure =
      desc_figure({operand_shape(operand, found), operand.base, operand.layout.layout(), ""}, *found.descriptors);
  std::string text;
  for (const Grid::Arrow& arrow : figure.panels[0][0].arrows)
    text += fmt::format("{} {:#x} {:#x}; ", arrow.text, address_of(figure.panels[0][0], arrow.from),
                        address_of(figure.panels[0][0], arrow.to));
  CHECK(text == "LBO 0x80 0x400 0x480; SBO 0x110 0x400 0x510; ");
}
