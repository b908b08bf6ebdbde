// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "layout/analysis.hpp"
#include "smem/tile.hpp"
#include "sweep.hpp"
#include "tile_bytes.hpp"

namespace swz {
namespace {

// Extents are multiples of the atom up to this many elements, and the tile fits into shared memory.
constexpr std::int64_t most = 256;
constexpr std::int64_t smem_bytes = 232448;

struct Form {
  std::string_view dtype;
  Packing packing;
};
// One type of each size an MMA counts in, and fp4 in its two forms.
constexpr Form forms[] = {{"b1", Packing::packed},   {"e2m1", Packing::packed}, {"e2m1", Packing::slots},
                          {"e4m3", Packing::packed}, {"f16", Packing::packed},  {"tf32", Packing::packed}};

// Every atom of every form in both orders, at extents that are all multiples of the atom (`step` thins them out).
template <class Visit>
void for_each_tile(std::int64_t step, Visit visit) {
  for (const Form& form : forms)
    for (const Major major : {Major::K, Major::MN})
      for (const SwizzleMode& mode : swizzle_modes())
        for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
          if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
          const DType& dtype = require_dtype(form.dtype);
          const TileExtents atom = atom_extents(major, mode, dtype, form.packing);
          const std::int64_t limit = std::max(most, std::max(atom.mn, atom.k));
          for (std::int64_t mn = atom.mn; mn <= limit; mn += step * atom.mn)
            for (std::int64_t k = atom.k; k <= limit; k += step * atom.k) {
              if (mn * k * element_bits(dtype, form.packing) / 8 > smem_bytes) continue;
              visit(SmemTile({form.dtype, form.packing, major, mn, k, mode.name, order, Bytes{0x400}}));
            }
        }
}

std::string name(const SmemTile& t) {
  return std::string(t.dtype().name) + " " + to_string(t.extents()) + " " + std::string(to_string(t.major())) + " " +
         std::string(t.swizzle().name) + " " + std::string(to_string(t.order()));
}

std::string refused(const SmemTileValues& values) {
  try {
    const SmemTile tile(values);
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
  return "accepted";
}

TEST_CASE("the worked example of the header, by hand") {
  const SmemTile t({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = "128B", .base = Bytes{0x400}});
  CHECK(t.atoms() == TileExtents{16, 2});
  CHECK(t.linear_offset(9, 64) == Bytes{17536});
  CHECK(t.byte(9, 64) == Bytes{18576});
  CHECK(t.bytes() == Bytes{32768});
}

TEST_CASE("bytes per stage and atom strides: the worked numbers of the vendor's layouts") {
  struct Row {
    const char* dtype;
    Major major;
    std::int64_t mn, k;
    const char* mode;
    std::int64_t mn_stride, k_stride;
  };
  // SBO and LBO; all are 16384 B.
  for (const Row& row :
       {Row{"bf16", Major::K, 128, 64, "128B", 1024, 16384}, Row{"e4m3", Major::K, 128, 128, "128B", 1024, 16384},
        Row{"e2m1", Major::K, 128, 256, "128B", 1024, 16384}, Row{"tf32", Major::K, 128, 32, "128B", 1024, 16384},
        Row{"bf16", Major::MN, 128, 64, "128B", 1024, 2048}, Row{"tf32", Major::MN, 128, 32, "128B_32B", 512, 2048}}) {
    const SmemTile t(
        {.dtype = row.dtype, .major = row.major, .mn = row.mn, .k = row.k, .swizzle = row.mode, .base = Bytes{0}});
    INFO(name(t));
    CHECK(t.bytes() == Bytes{16384});
    CHECK(t.mn_atom_stride() == Bytes{row.mn_stride});
    CHECK(t.k_atom_stride() == Bytes{row.k_stride});
  }
}

TEST_CASE("published CuTe layouts of the eight atoms") {
  const auto layout = [](Major major, const char* mode) {
    return to_string(SmemTile({.dtype = "f16", .major = major, .mn = 128, .k = 64, .swizzle = mode}).layout());
  };
  CHECK(layout(Major::K, "none") == "Sw<0,4,3> o smem_ptr[16b](unset) o ((8,16),(8,8)):((8,64),(1,1024))");
  CHECK(layout(Major::K, "32B") == "Sw<1,4,3> o smem_ptr[16b](unset) o ((8,16),(16,4)):((16,128),(1,2048))");
  CHECK(layout(Major::K, "64B") == "Sw<2,4,3> o smem_ptr[16b](unset) o ((8,16),(32,2)):((32,256),(1,4096))");
  CHECK(layout(Major::K, "128B") == "Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1)):((64,512),(1,0))");
  CHECK(layout(Major::MN, "none") == "Sw<0,4,3> o smem_ptr[16b](unset) o ((8,16),(8,8)):((1,64),(8,1024))");
  CHECK(layout(Major::MN, "32B") == "Sw<1,4,3> o smem_ptr[16b](unset) o ((16,8),(8,8)):((1,128),(16,1024))");
  CHECK(layout(Major::MN, "64B") == "Sw<2,4,3> o smem_ptr[16b](unset) o ((32,4),(8,8)):((1,256),(32,1024))");
  CHECK(layout(Major::MN, "128B") == "Sw<3,4,3> o smem_ptr[16b](unset) o ((64,2),(8,8)):((1,512),(64,1024))");
}

TEST_CASE("the bytes are those of the CuTe layout, every element of every tile") {
  int tiles = 0;
  Sweep every{61, 4};
  std::vector<std::int64_t> offsets, map;
  for_each_tile(1, [&](const SmemTile& t) {
    if (!every.takes()) return;
    const ComposedLayout layout = t.layout();
    offsets.resize(static_cast<std::size_t>(layout.size()));
    tabulate(layout, offsets);  // MN fastest
    map = tile_bytes(t);        // K fastest
    const std::int64_t mn = t.extents().mn, k = t.extents().k, bits = t.element_bits();
    const std::int64_t *offset = offsets.data(), *byte = map.data();
    bool same = true;
    for (std::int64_t r = 0; r < mn; ++r)
      for (std::int64_t c = 0; c < k; ++c, ++byte) same &= *byte == 0x400 + offset[c * mn + r] * bits / 8;
    if (!same) FAIL_CHECK(name(t));
    ++tiles;
  });
  MESSAGE(tiles, " tiles");
  CHECK(tiles > at_least(10000, 61, 4));
}

TEST_CASE("byte and its inverse: every byte of the tile belongs to the element that at() names") {
  int tiles = 0;
  Sweep every{61, 4};
  for_each_tile(7, [&](const SmemTile& t) {
    if (!every.takes()) return;
    bool inverts = true;
    const std::vector<std::int64_t> map = tile_bytes(t);
    std::size_t i = 0;
    std::vector<char> seen(static_cast<std::size_t>(t.bytes().count), 0);
    for (std::int64_t r = 0; r < t.extents().mn; ++r)
      for (std::int64_t c = 0; c < t.extents().k; ++c, ++i) {
        const auto at = t.at(Bytes{map[i]});
        const std::int64_t per_byte = std::max(1, 8 / t.element_bits());
        const std::int64_t row = t.major() == Major::K ? r : r / per_byte * per_byte;
        const std::int64_t k = t.major() == Major::K ? c / per_byte * per_byte : c;
        inverts &= at && at->row == row && at->k == k && t.byte(r, c).count == map[i];
        seen[static_cast<std::size_t>(map[i] - t.base().count)] = 1;
      }
    if (!inverts) FAIL_CHECK(name(t));
    // Elements of more than a byte begin at multiples of their size; all begin somewhere.
    const std::int64_t unit = std::max(1, t.element_bits() / 8);
    if (std::count(seen.begin(), seen.end(), 1) != t.bytes().count / unit) FAIL_CHECK(name(t));
    CHECK(!t.at(Bytes{t.base().count - 1}));
    CHECK(!t.at(Bytes{t.base().count + t.bytes().count}));
    ++tiles;
  });
  CHECK(tiles > at_least(300, 61, 4));
}

TEST_CASE("a base between patterns: the XOR takes the absolute address, and at() still inverts") {
  const SmemTile t({.dtype = "f16", .mn = 64, .k = 64, .swizzle = "128B", .base = Bytes{0x680}});
  CHECK_FALSE(t.is_pattern_aligned());
  // 0x680 is line 13; 13 & 7 = 5, so chunk 0 of the first row is chunk 5.
  CHECK(t.byte(0, 0) == Bytes{0x680 + 5 * 16});
  for (std::int64_t r = 0; r < 64; ++r)
    for (std::int64_t k = 0; k < 64; ++k) REQUIRE(t.at(t.byte(r, k)) == TileCoordinate{r, k});
}

TEST_CASE("tiles that cannot be, with the way out") {
  CHECK(refused({.dtype = "f16", .mn = 100, .k = 64, .swizzle = "128B"}) ==
        "MN 100 is not a multiple of 8: the K-major atom of mode 128B has 8x64 elements of f16 | take MN 96 or 104");
  CHECK(refused({.dtype = "f16", .mn = 64, .k = 48, .swizzle = "128B"}) ==
        "K 48 is not a multiple of 64: the K-major atom of mode 128B has 8x64 elements of f16 | take K 64, or a mode "
        "that divides it: none (8x8) and 32B (8x16)");
  CHECK(refused({.dtype = "f16", .major = Major::MN, .mn = 24, .k = 64, .swizzle = "32B"}) ==
        "MN 24 is not a multiple of 16: the MN-major atom of mode 32B has 16x8 elements of f16 | take MN 16 or 32, "
        "or "
        "a mode that divides it: none (8x8)");
  CHECK(refused({.dtype = "f16", .mn = 128, .k = 64, .base = Bytes{0x408}}) ==
        "the base address 0x408 is not a multiple of 16 B | descriptors count 16-byte chunks; mode 128B repeats "
        "every "
        "1024 B");
  CHECK(refused({.dtype = "f16", .mn = 128, .k = 64, .base = Bytes{-16}}).starts_with("the base address -0x10"));
  CHECK(refused({.dtype = "tf32", .mn = 256, .k = 256}) ==
        "the tile takes 262144 B; a CTA has at most 232448 B (227 KiB) of shared memory | take a smaller tile");
  CHECK(refused({.dtype = "f16", .mn = 128, .k = 64, .base = Bytes{0x39000}}) ==
        "a tile of 16384 B at 0x39000 runs past 0x39000, the end of shared memory | the last base address it fits at "
        "is 0x35000");
  CHECK(refused({.dtype = "f16", .mn = 128, .k = 64, .base = Bytes{0x35000}}) == "accepted");
  CHECK(refused({.dtype = "f16", .mn = 0, .k = 64}) == "a tile of 0x64 elements is empty | both extents are 1 or more");
  CHECK(refused({.dtype = "f16", .mn = INT64_MAX / 64 * 64, .k = INT64_MAX / 64 * 64}).find("64 bits") !=
        std::string::npos);
  CHECK(refused({.dtype = "f16", .packing = Packing::slots, .mn = 64, .k = 64}) ==
        "f16 does not lie in 8-bit slots | kinds f8f6f4 and mxf8f6f4 read fp8, fp6 and fp4 in such slots");
  CHECK(refused({.dtype = "tf32", .mn = 64, .k = 64, .swizzle = "128B_32B"})
            .starts_with("a K-major atom of mode 128B_32B is not defined"));
}

TEST_CASE("stacking orders by name") {
  CHECK(require_stacking_order("mn-first") == StackingOrder::mn_first);
  CHECK(require_stacking_order("k-first") == StackingOrder::k_first);
  CHECK_THROWS_WITH_AS(require_stacking_order("m-first"), "'m-first' is not a stacking order", Error);
}

}  // namespace
}  // namespace swz
