// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/error.hpp"
#include "smem/placement.hpp"

namespace swz {
namespace {

Layout layout(std::int64_t mn, std::int64_t k, std::int64_t mn_stride, std::int64_t k_stride) {
  return {std::vector<IntTuple>{mn, k}, std::vector<IntTuple>{mn_stride, k_stride}};
}

std::string refused(const ComposedLayout& l, int bits, Bytes base = {}) {
  try {
    const Placement placement(l, bits, base);
  } catch (const Error& e) {
    return e.message() + " | " + e.hint;
  }
  return "accepted";
}

// Atoms of every mode, size and major, two along MN and three along K, in both orders.
template <class Visit>
void for_each_tile(Bytes base, Visit visit) {
  for (const char* dtype : {"b1", "e2m1", "e4m3", "f16", "tf32", "f64", "u128"})
    for (const Major major : {Major::K, Major::MN})
      for (const SwizzleMode& mode : swizzle_modes())
        for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
          if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
          const TileExtents atom = atom_extents(major, mode, require_dtype(dtype), Packing::packed);
          visit(SmemTile({.dtype = dtype,
                          .major = major,
                          .mn = 2 * atom.mn,
                          .k = 3 * atom.k,
                          .swizzle = mode.name,
                          .order = order,
                          .base = base}));
        }
}

std::string name(const SmemTile& t) {
  return std::string(t.dtype().name) + " " + std::string(to_string(t.major())) + " " + std::string(t.swizzle().name) +
         " " + std::string(to_string(t.order()));
}

TEST_CASE("the worked examples of the header") {
  const Placement linear(layout(8, 16, 16, 1), 16);
  CHECK(linear.byte(1, 8) == Bytes{48});
  CHECK(linear.bank(1, 8) == 12);
  CHECK(linear.chunk_of(1, 8) == 3);
  const Placement swizzled(SmemTile({.dtype = "bf16", .mn = 8, .k = 16, .swizzle = "32B"}));
  CHECK(swizzled.byte(4, 0) == Bytes{144});
}

TEST_CASE("a tile: every element and chunk where SmemTile puts it, every bit used once") {
  for (const std::int64_t base : {0, 0x400, 0x490})
    for_each_tile(Bytes{base}, [&](const SmemTile& tile) {
      INFO(name(tile) << " at " << base);
      const Placement p(tile);
      std::set<std::int64_t> bits;
      bool bytes_agree = true;
      for (std::int64_t row = 0; row < tile.extents().mn; ++row)
        for (std::int64_t k = 0; k < tile.extents().k; ++k) {
          bytes_agree = bytes_agree && p.byte(row, k) == tile.byte(row, k);
          bits.insert(p.bit(row, k).count);
        }
      CHECK(bytes_agree);
      CHECK(static_cast<std::int64_t>(bits.size()) == tile.extents().mn * tile.extents().k);
      CHECK(p.begin().count * 8 == *bits.begin());
      CHECK(p.end().count * 8 == *bits.rbegin() + tile.element_bits());
      REQUIRE(p.has_chunks());
      // Line by line, 16 bytes each, all different, banks by address.
      REQUIRE(p.chunk_count() * 16 == tile.bytes().count);
      std::set<std::int64_t> places;
      const std::int64_t elements = 128 / tile.element_bits(), per_line = p.chunk_count() / p.lines();
      for (std::int64_t i = 0; i < p.chunk_count(); ++i) {
        const std::int64_t line = i / per_line, first = i % per_line * elements;
        const bool is_k = tile.major() == Major::K;
        const TileCoordinate at = is_k ? TileCoordinate{line, first} : TileCoordinate{first, line};
        const Chunk own = p.chunk_at(i);
        const bool same = own.row == at.row && own.k == at.k && own.byte == tile.byte(at.row, at.k) &&
                          own.byte.count % 16 == 0 && own.bank == own.byte.count / 4 % 32 &&
                          p.chunk_of(own.row, own.k) == i;
        if (!same) CHECK(same);
        places.insert(own.byte.count);
      }
      CHECK(static_cast<std::int64_t>(places.size()) == p.chunk_count());
    });
}

TEST_CASE("a chunk by hand") {
  const Placement p(SmemTile({.dtype = "f16", .mn = 8, .k = 64, .swizzle = "128B"}));
  // Row 1, chunk 0 is stored as chunk 1 of its line: bank 4.
  const Chunk c = p.chunk_at(8);
  CHECK(c.row == 1);
  CHECK(c.k == 0);
  CHECK(c.byte == Bytes{128 + 16});
  CHECK(c.bank == 4);
}

TEST_CASE("the tile's CuTe layout is placed as the tile, also where the base is inside the pattern") {
  for (const std::int64_t base : {0, 0x400, 0x490})
    for_each_tile(Bytes{base}, [&](const SmemTile& tile) {
      INFO(name(tile) << " at " << base);
      const Placement of_tile(tile), of_layout(tile.layout(), tile.element_bits(), Bytes{base}, tile.major());
      bool same = of_layout.has_chunks();
      for (std::int64_t row = 0; row < tile.extents().mn; ++row)
        for (std::int64_t k = 0; k < tile.extents().k; ++k) same = same && of_tile.bit(row, k) == of_layout.bit(row, k);
      CHECK(same);
    });
}

TEST_CASE("the plain form swizzles indices from the base, the smem_ptr form addresses") {
  const Layout rows = layout(8, 64, 64, 1);
  const auto pointer = ComposedLayout::smem_ptr(Swizzle(3, 4, 3), 16, rows);
  const Placement by_address(pointer, 16, Bytes{0x80}), by_index(pointer.plain(), 16, Bytes{0x80});
  CHECK(by_address.byte(0, 0) == Bytes{0x90});  // line 1 of the pattern: 0x80 ^ 0x10
  CHECK(by_index.byte(0, 0) == Bytes{0x80});
  CHECK(by_index.byte(1, 0) == Bytes{0x80 + 144});
}

TEST_CASE("chunks: found along the dimension that holds them, none where nothing does") {
  CHECK(Placement(layout(8, 16, 16, 1), 16).major() == Major::K);
  CHECK(Placement(layout(16, 8, 1, 16), 16).major() == Major::MN);
  CHECK(Placement(layout(16, 8, 1, 16), 16, {}, Major::K).has_chunks() == false);
  CHECK(Placement(layout(8, 8, 8, 1), 16).has_chunks());
  CHECK_FALSE(Placement(layout(8, 8, 9, 1), 16).has_chunks());            // rows begin inside chunks
  CHECK_FALSE(Placement(layout(8, 12, 16, 1), 16).has_chunks());          // a row and a half
  CHECK_FALSE(Placement(layout(8, 8, 8, 1), 16, Bytes{8}).has_chunks());  // 8 B into a chunk
  CHECK_FALSE(Placement(layout(4, 8, 16, 2), 16).has_chunks());
  CHECK(Placement(layout(4, 4, 4, 1), 128).chunk_elements() == 1);
  const Placement nibbles(layout(2, 32, 32, 1), 4);
  CHECK(nibbles.byte(0, 3) == Bytes{1});
  CHECK(nibbles.bit(1, 1) == Bits{132});
  CHECK(nibbles.has_chunks());
}

TEST_CASE("what cannot be placed is refused with the rule and the way out") {
  CHECK(refused(Layout(IntTuple(64)), 16) ==
        "an operand has two modes, rows and k; 64:1 has 1 | for example (8,64):(64,1)");
  CHECK(refused(Layout(std::vector<IntTuple>{8, 8, 2}), 16) ==
        "an operand has two modes, rows and k; (8,8,2):(1,8,64) has 3 | slice the others away, for example "
        "(L)(_,_,0)");
  CHECK(refused(ComposedLayout::smem_ptr(Swizzle(3, 4, 3), 16, layout(8, 64, 64, 1)), 32) ==
        "the layout counts elements of 16 bits, the element type has 32 | take a type of 16 bits, or recast(L, 16, "
        "32)");
  CHECK(refused(layout(1024, 1024, 1024, 1), 16) ==
        "index 114 of the layout is element 116736 from 0x0: outside of shared memory, which ends at 0x39000 | take "
        "a part of the layout, or another base");
  CHECK(refused(layout(4096, 4096, 0, 0), 16) ==
        "a layout of 16777216 elements does not fit into 233472 B of shared memory | take a part of it");
  CHECK(refused(layout(8, 8, -8, 1), 16) ==
        "index 1 of the layout is element -8 from 0x0: outside of shared memory, which ends at 0x39000 | take a part "
        "of the layout, or another base");
  CHECK(refused(layout(8, 8, -8, 1), 16, Bytes{0x70}) == "accepted");
  CHECK(refused(layout(2, 2, std::int64_t{1} << 61, 1), 16).find("index 1 of the layout") == 0);
  CHECK(refused(layout(8, 8, 8, 1), 16, Bytes{1}) ==
        "base 0x1 is not a multiple of an element of 16 bits inside shared memory | shared memory ends at 0x39000");
  CHECK(refused(layout(8, 8, 8, 1), 16, Bytes{233472}).find("outside of shared memory") != std::string::npos);
}

}  // namespace
}  // namespace swz
