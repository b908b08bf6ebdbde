// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/operand_map.hpp"
#include "descriptor/smem_descriptor.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "smem/mma_operand.hpp"
#include "sweep.hpp"
#include "tile_bytes.hpp"

namespace swz {
namespace {

std::vector<std::string> words(const TileDescriptors& d) {
  std::vector<std::string> out;
  for (const MmaStep& step : d.steps) out.push_back(hex64(step.descriptor.word()));
  return out;
}

struct PrintedTable {
  Major major;
  const char* mode;
  std::uint64_t words[8];
};

// clang-format off Reference 004: f16 128x64 stacked MN first at 0x400, MMA 64x16; k outer, m inner. In the
// last table CuTe has LBO 0, which an MMA of 64 rows does not step over; here it is that of the tile, 1024 B
// (field 0x40).
constexpr PrintedTable printed[] = {
    {Major::K,
     "none",
     {0x0000000800800040, 0x0000000800800080, 0x0000000800800140, 0x0000000800800180, 0x0000000800800240,
      0x0000000800800280, 0x0000000800800340, 0x0000000800800380}},
    {Major::K,
     "32B",
     {0xc000001000010040, 0xc0000010000100c0, 0xc000001000010140, 0xc0000010000101c0, 0xc000001000010240,
      0xc0000010000102c0, 0xc000001000010340, 0xc0000010000103c0}},
    {Major::K,
     "64B",
     {0x8000002000010040, 0x8000002000010140, 0x8000002000010042, 0x8000002000010142, 0x8000002000010240,
      0x8000002000010340, 0x8000002000010242, 0x8000002000010342}},
    {Major::K,
     "128B",
     {0x4000004000010040, 0x4000004000010240, 0x4000004000010042, 0x4000004000010242, 0x4000004000010044,
      0x4000004000010244, 0x4000004000010046, 0x4000004000010246}},
    {Major::MN,
     "none",
     {0x0000000800800040, 0x0000000800800080, 0x0000000800800140, 0x0000000800800180, 0x0000000800800240,
      0x0000000800800280, 0x0000000800800340, 0x0000000800800380}},
    {Major::MN,
     "32B",
     {0xc000008000100040, 0xc000008000100080, 0xc000008000100140, 0xc000008000100180, 0xc000008000100240,
      0xc000008000100280, 0xc000008000100340, 0xc000008000100380}},
    {Major::MN,
     "64B",
     {0x8000008000200040, 0x8000008000200080, 0x8000008000200140, 0x8000008000200180, 0x8000008000200240,
      0x8000008000200280, 0x8000008000200340, 0x8000008000200380}},
    {Major::MN,
     "128B",
     {0x4000008000400040, 0x4000008000400080, 0x4000008000400140, 0x4000008000400180, 0x4000008000400240,
      0x4000008000400280, 0x4000008000400340, 0x4000008000400380}},
};
// clang-format on

TEST_CASE("eight published tables of words, word for word") {
  for (const PrintedTable& table : printed) {
    const SmemTile tile(
        {.dtype = "f16", .major = table.major, .mn = 128, .k = 64, .swizzle = table.mode, .base = Bytes{0x400}});
    const TileDescriptors d = tile_descriptors(tile, sm_90a(), {64, 16});
    INFO(to_string(table.major) << " " << table.mode);
    REQUIRE(d.steps.size() == 8);
    CHECK(d.m_blocks == 2);
    CHECK(d.k_steps == 4);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(hex64(d.steps[i].descriptor.word()) == hex64(table.words[i]));
      CHECK(d.steps[i].m_block == static_cast<std::int64_t>(i % 2));
      CHECK(d.steps[i].k_step == static_cast<std::int64_t>(i / 2));
    }
  }
}

TEST_CASE("tcgen05: bf16 128x128 K-major 128B, steps and jumps") {
  const SmemTile tile({.dtype = "bf16", .mn = 128, .k = 128, .swizzle = "128B", .base = Bytes{0x400}});
  const TileDescriptors d = tile_descriptors(tile, sm_100a(), {64, 16});
  CHECK(words(d).front() == "0x4000404000010040");
  CHECK(words(d).back() == "0x4000404000010646");
  std::vector<std::int64_t> offsets, advances, jumps;
  for (const MmaStep& step : d.steps) {
    if (step.m_block != 0) continue;
    offsets.push_back(step.byte_offset.count);
    advances.push_back(step.advance.count);
    if (step.is_next_atom) jumps.push_back(step.k_step);
  }
  CHECK(offsets == std::vector<std::int64_t>{0, 32, 64, 96, 16384, 16416, 16448, 16480});
  CHECK(advances == std::vector<std::int64_t>{0, 32, 32, 32, 16288, 32, 32, 32});
  CHECK(jumps == std::vector<std::int64_t>{4});
  CHECK(d.steps[1].byte_offset == Bytes{8192});
}

// K 64 of e4m3 reads 64 B of a row: two MMAs in a line of 128 B, 4 x 16 B apart. 0x50000 >> 4 is 0x5000, 15 bits.
TEST_CASE("sm_107: MMAs with twice the K, and a tile above 256 KiB") {
  const Target& sm_107a = require_target("sm_107a");
  SmemTileValues values{.dtype = "e4m3", .mn = 128, .k = 128, .swizzle = "128B", .base = Bytes{0x400}};
  CHECK(words(tile_descriptors(SmemTile(values), sm_107a, {128, 64})) ==
        std::vector<std::string>{"0x4000404000010040", "0x4000404000010044"});
  CHECK(words(tile_descriptors(SmemTile(values), sm_107a, {128, 32})).size() == 4);
  CHECK_THROWS_AS(tile_descriptors(SmemTile(values), sm_100a(), {128, 64}), Error);
  values.base = Bytes{0x50000};
  CHECK_THROWS_AS(SmemTile{values}, Error);
  values.mn = 32;
  values.target = &sm_107a;
  CHECK(words(tile_descriptors(SmemTile(values), sm_107a, {32, 64})) ==
        std::vector<std::string>{"0x4000404000015000", "0x4000404000015004"});
  values.swizzle = "32B";
  CHECK_THROWS_AS(tile_descriptors(SmemTile(values), sm_107a, {32, 64}), Error);
}

TEST_CASE("the strides with their derivation") {
  const auto describe = [](const SmemTileValues& values, TileExtents mma, const Target& target) {
    const TileDescriptors d = tile_descriptors(SmemTile(values), target, mma);
    return std::to_string(d.leading.value.count) + ", " + std::to_string(d.stride.value.count) + "\n" +
           d.leading.derivation + "\n" + d.stride.derivation;
  };
  CHECK(describe({.dtype = "f16", .mn = 128, .k = 128, .swizzle = "64B"}, {64, 16}, sm_90a()) ==
        "16, 512\n"
        "not used by a swizzled K-major operand; 16 B (field 1) as CuTe writes it\n"
        "from one group of 8 rows to the next: an atom is 8 x 64 B = 512 B, and the next one along MN follows it "
        "(mn-first)");
  CHECK(describe({.dtype = "f16", .mn = 128, .k = 128, .swizzle = "64B", .order = StackingOrder::k_first}, {64, 16},
                 sm_90a()) ==
        "16, 2048\n"
        "not used by a swizzled K-major operand; 16 B (field 1) as CuTe writes it\n"
        "from one group of 8 rows to the next: an atom is 8 x 64 B = 512 B, and the 4 atoms along K come first "
        "(k-first): 4 x 512 B = 2048 B");
  CHECK(describe({.dtype = "f16", .major = Major::MN, .mn = 128, .k = 64, .swizzle = "128B"}, {64, 16}, sm_90a()) ==
        "1024, 2048\n"
        "from one block of 128 B along MN to the next: an atom is 8 x 128 B = 1024 B, and the next one along MN "
        "follows "
        "it (mn-first); an MMA of 64x16 stays inside one atom along MN and does not apply it (CuTe writes 0)\n"
        "from one group of 8 k to the next: an atom is 8 x 128 B = 1024 B, and the 2 atoms along MN come first "
        "(mn-first): 2 x 1024 B = 2048 B");
  // tf32 32(k) x 128, LBO 512, SBO 4 atoms of 512 B.
  CHECK(
      describe({.dtype = "tf32", .major = Major::MN, .mn = 128, .k = 32, .swizzle = "128B_32B"}, {128, 8}, sm_100a()) ==
      "512, 2048\n"
      "from one block of 128 B along MN to the next: an atom is 4 x 128 B = 512 B, and the next one along MN "
      "follows "
      "it (mn-first)\n"
      "from one group of 4 k to the next: an atom is 4 x 128 B = 512 B, and the 4 atoms along MN come first "
      "(mn-first): 4 x 512 B = 2048 B");
  // One atom wide: nothing to step to.
  CHECK(describe({.dtype = "f16", .major = Major::MN, .mn = 64, .k = 64, .swizzle = "128B"}, {64, 16}, sm_90a()) ==
        "0, 1024\n"
        "from one block of 128 B along MN to the next: the operand is one atom wide along MN, so no MMA applies "
        "it; 0 as "
        "CuTe writes it\n"
        "from one group of 8 k to the next: an atom is 8 x 128 B = 1024 B, and the next one along K follows it "
        "(mn-first)");
  CHECK(describe({.dtype = "f16", .mn = 8, .k = 64, .swizzle = "128B"}, {8, 16}, sm_90a()) ==
        "16, 1024\n"
        "not used by a swizzled K-major operand; 16 B (field 1) as CuTe writes it\n"
        "from one group of 8 rows to the next: the operand is one atom wide along MN, so no MMA applies it; packed "
        "atoms "
        "have it");
  // Without a swizzle, MN-major: SBO steps over 16-byte MN chunks, LBO over groups of 8 k.
  CHECK(describe({.dtype = "f16", .major = Major::MN, .mn = 24, .k = 64, .swizzle = "none"}, {24, 16}, sm_90a()) ==
        "384, 128\n"
        "from one group of 8 k to the next: an atom is 8 x 16 B = 128 B, and the 3 atoms along MN come first "
        "(mn-first): 3 x 128 B = 384 B\n"
        "from one 16-byte MN chunk to the next: an atom is 8 x 16 B = 128 B, and the next one along MN follows it "
        "(mn-first)");
}

TEST_CASE("f16 16x64 MN-major in mode 32B: SBO 256 and the word at 0") {
  const SmemTile tile({.dtype = "f16", .major = Major::MN, .mn = 16, .k = 64, .swizzle = "32B"});
  // Atoms of (16,8):(1,16) in sequence along K are the plain (16,64):(1,16).
  for (std::int64_t row = 0; row < 16; ++row)
    for (std::int64_t k = 0; k < 64; ++k) REQUIRE(tile.linear_offset(row, k).count == 2 * (row + 16 * k));
  const TileDescriptors d = tile_descriptors(tile, sm_90a(), {16, 16});
  CHECK(d.stride.value == Bytes{256});
  CHECK(words(d).front() == "0xc000001000000000");
}

DefaultMma default_of(const SmemTile& tile, const Target& target, OperandRole role) {
  return default_mma(operand_shape(tile), operand_choice(tile, target), role);
}

TEST_CASE("default MMA: M of A, N of B up to 256, as an instruction of the target has them") {
  using enum OperandRole;
  const auto text = [](const SmemTileValues& values, const Target& target, OperandRole role) {
    const DefaultMma mma = default_of(SmemTile(values), target, role);
    return to_string(mma.extents) + " " + std::string(mma.role ? to_string(*mma.role) : "none");
  };
  const SmemTileValues f16{.dtype = "f16", .mn = 256, .k = 64},
      mn{.dtype = "bf16", .major = Major::MN, .mn = 256, .k = 64};
  CHECK(text(f16, sm_90a(), a) == "64x16 a");
  CHECK(text(f16, sm_90a(), b) == "256x16 b");
  CHECK(text(mn, sm_90a(), b) == "256x16 b");
  CHECK(text(f16, sm_100a(), a) == "128x16 a");
  CHECK(text(f16, sm_100a(), b) == "256x16 b");
  CHECK(text({.dtype = "f16", .mn = 64, .k = 64}, sm_100a(), a) == "64x16 a");
  CHECK(text({.dtype = "f16", .mn = 320, .k = 64}, sm_90a(), b) == "160x16 b");
  // Atoms of 64 rows: no block of 160 begins and ends with one.
  CHECK(text({.dtype = "f16", .major = Major::MN, .mn = 320, .k = 64}, sm_90a(), b) == "64x16 b");
  // A whole line of 128 B.
  CHECK(text({.dtype = "e4m3", .major = Major::MN, .mn = 128, .k = 64}, sm_100a(), a) == "128x32 a");
  // No M divides it: taken for B.
  CHECK(text({.dtype = "e4m3", .mn = 96, .k = 128}, sm_90a(), a) == "96x32 b");
  CHECK(text({.dtype = "e2m1", .mn = 264, .k = 256}, sm_100a(), a) == "88x64 b");
  // Integers have N 8, 16, 24, 32, 48, 64, ...
  CHECK(text({.dtype = "s8", .mn = 80, .k = 128}, sm_90a(), b) == "80x32 b");
  CHECK(text({.dtype = "s8", .mn = 40, .k = 128}, sm_90a(), b) == "8x32 b");
}

std::string refused(const SmemTileValues& values, TileExtents mma, const Target& target = sm_90a()) {
  try {
    tile_descriptors(SmemTile(values), target, mma);
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
  return "accepted";
}

TEST_CASE("what is refused, and the nearest choice that works") {
  const SmemTileValues k_major{.dtype = "f16", .mn = 128, .k = 64};
  CHECK(refused(k_major, {64, 8}) ==
        "no dense MMA of f16 has K 8: it reads 32 B of every row, K 16 | nearest: 64x16; sparse operands and K 96 "
        "are "
        "not covered");
  CHECK(refused(k_major, {100, 16}) == "no MMA reads 100 rows of M or N: 8 to 256 in steps of 8 | nearest: 128x16");
  CHECK(refused(k_major, {512, 16}) == "no MMA reads 512 rows of M or N: 8 to 256 in steps of 8 | nearest: 128x16");
  CHECK(refused(k_major, {-8, INT64_MIN}).starts_with("no dense MMA"));
  CHECK(refused(k_major, {INT64_MIN, 16}).starts_with("no MMA reads"));
  CHECK(refused(k_major, {48, 16}) == "blocks of 48 rows do not divide MN 128 of the tile | nearest: 64x16");
  CHECK(refused({.dtype = "f16", .mn = 64, .k = 24, .swizzle = "none"}, {64, 16}) ==
        "K 24 of the tile is not a multiple of K 16 of the MMA | take a tile with K 32");
  CHECK(refused({.dtype = "f16", .major = Major::MN, .mn = 48, .k = 64, .swizzle = "32B"}, {24, 16}) ==
        "blocks of 24 rows begin inside atoms of 16 along MN and run into the next: one LBO cannot step over that | "
        "nearest: 16x16");
  CHECK(refused({.dtype = "e4m3", .major = Major::MN, .mn = 128, .k = 64, .swizzle = "none"}, {8, 32}, sm_100a()) ==
        "8 rows of MN-major e4m3 are not a multiple of 16 B, which mode none keeps together | nearest: 16x32");
  CHECK(refused({.dtype = "e4m3", .major = Major::MN, .mn = 128, .k = 64}, {64, 32}) ==
        "wgmma cannot read e4m3 MN-major: it transposes 16-bit types only | nearest legal choice: K-major e4m3 with "
        "mode 128B on sm_90a");
  CHECK(refused(k_major, {64, 16}, require_target("sm_80")).starts_with("sm_80 has neither wgmma nor tcgen05"));
}

// ---- every legal operand, every tile up to 256 x 256

constexpr std::int64_t most = 256;

struct Operand {
  const Target* target;
  const DType* dtype;
  Packing packing;
  Major major;
  const SwizzleMode* mode;
  StackingOrder order;
};

template <class Visit>
void for_each_legal_operand(Visit visit) {
  for (const Target& target : targets())
    for (const DType& dtype : dtypes())
      for (const Packing packing : {Packing::packed, Packing::slots}) {
        if (packing == Packing::slots && dtype.container_bits == 0) continue;
        for (const Major major : {Major::K, Major::MN})
          for (const SwizzleMode& mode : swizzle_modes())
            for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
              if (is_legal({&target, &dtype, packing, major, &mode}))
                visit(Operand{&target, &dtype, packing, major, &mode, order});
      }
}

// Every tile that an MMA can read to its end. An atom of more than 256 elements of K gives one tile.
template <class Visit>
void for_each_tile(const Operand& o, Bytes base, Visit visit) {
  const TileExtents atom = atom_extents(o.major, *o.mode, *o.dtype, o.packing);
  const std::int64_t bits = element_bits(*o.dtype, o.packing);
  for (std::int64_t mn = atom.mn; mn <= most; mn += atom.mn)
    for (std::int64_t k = atom.k; k <= std::max(most, atom.k); k += atom.k) {
      if (k % dense_mma_k(static_cast<int>(bits)) != 0 || mn * k * bits / 8 > 232448) continue;
      visit(SmemTile({o.dtype->name, o.packing, o.major, mn, k, o.mode->name, o.order, base}));
    }
}

// Two atoms along MN, and two atoms or two MMAs along K.
SmemTile small_tile(const Operand& o, Bytes base) {
  const TileExtents atom = atom_extents(o.major, *o.mode, *o.dtype, o.packing);
  const std::int64_t k = 2 * std::max(atom.k, dense_mma_k(element_bits(*o.dtype, o.packing)));
  return SmemTile({o.dtype->name, o.packing, o.major, 2 * atom.mn, k, o.mode->name, o.order, base});
}

struct Tally {
  long tiles = 0, descriptors = 0, elements = 0, wrong = 0;
};

// Whether every word reads the bytes where the tile put the elements; with `once`, each byte once over all words.
bool reads_the_tile(const SmemTile& tile, const Target& target, TileExtents mma, bool once, Tally& tally) {
  const std::vector<std::int64_t> placed = tile_bytes(tile);
  const std::int64_t width = tile.extents().k;
  std::vector<std::uint8_t> reads(once ? static_cast<std::size_t>(tile.bytes().count) : 0, 0);
  bool same = true;
  for (const MmaStep& step : tile_descriptors(tile, target, mma).steps) {
    const OperandMap map = operand_map(step.descriptor, mma, tile.element_bits(), tile.major());
    const std::vector<std::int64_t> bytes = map.bytes();
    const std::int64_t* read = bytes.data();
    const std::int64_t* there = placed.data() + step.m_block * mma.mn * width + step.k_step * mma.k;
    for (std::int64_t row = 0; row < mma.mn; ++row, read += mma.k, there += width)
      same &= std::equal(read, read + mma.k, there);
    if (once) {
      const std::int64_t base = tile.base().count;
      for (const std::int64_t byte : bytes) {
        if (byte < base || byte - base >= tile.bytes().count) return false;
        ++reads[static_cast<std::size_t>(byte - base)];
      }
    }
    ++tally.descriptors;
    tally.elements += static_cast<long>(bytes.size());
  }
  if (once) {
    // An element is named by its first byte; elements smaller than a byte share it.
    const auto unit = static_cast<std::size_t>(std::max(1, tile.element_bits() / 8));
    const int sharing = std::max(1, 8 / tile.element_bits());
    for (std::size_t i = 0; i < reads.size(); ++i) same &= reads[i] == (i % unit == 0 ? sharing : 0);
  }
  return same;
}

// Blocks of 8 rows or as few as possible, of 64, of the whole tile.
std::vector<TileExtents> mma_shapes_of(const SmemTile& tile) {
  const std::int64_t k = dense_mma_k(tile.element_bits());
  std::vector<TileExtents> shapes{{tile.extents().mn, k}};
  if (tile.extents().mn > 64 && nearest_mma(operand_shape(tile), 64).mn == 64) shapes.push_back({64, k});
  const std::int64_t few = std::max<std::int64_t>(
      8, tile.major() == Major::MN ? tile.swizzle().atomicity.count * 8 / tile.element_bits() : 8);
  if (few < tile.extents().mn && few != shapes.back().mn) shapes.push_back({few, k});
  return shapes;
}

TEST_CASE("operand_map of a tile's words reads the bytes where the tile put the elements: exhaustively") {
  // What decides the bytes: descriptor format, bits, major, mode, order. One operand of each is read to the last
  // byte; the others must have its words.
  std::map<std::tuple<SmemDescriptorKind, int, Major, const SwizzleMode*, StackingOrder>, Operand> seen;
  Tally full, words_only;
  long operands = 0;
  Sweep every{127, 3};
  for_each_legal_operand([&](const Operand& o) {
    ++operands;
    const auto key = std::tuple(o.target->descriptor, element_bits(*o.dtype, o.packing), o.major, o.mode, o.order);
    const auto entry = seen.try_emplace(key, o);
    const Operand& r = entry.first->second;
    const bool is_new = entry.second;
    for_each_tile(o, Bytes{0x400}, [&](const SmemTile& tile) {
      if (!every.takes()) return;
      if (is_new) {
        bool same = true;
        for (const TileExtents& mma : mma_shapes_of(tile))
          same &= reads_the_tile(tile, *o.target, mma, mma.mn == tile.extents().mn, full);
        full.wrong += same ? 0 : 1;
        if (!same && full.wrong < 10)
          FAIL_CHECK(o.target->name << " " << o.dtype->name << " " << to_string(o.major) << " " << o.mode->name << " "
                                    << to_string(o.order) << " " << to_string(tile.extents()));
        ++full.tiles;
        return;
      }
      const SmemTile same_bytes(
          {r.dtype->name, r.packing, r.major, tile.extents().mn, tile.extents().k, r.mode->name, r.order, tile.base()});
      const TileExtents mma = nearest_mma(operand_shape(tile), 64);
      const TileDescriptors a = tile_descriptors(tile, *o.target, mma);
      const TileDescriptors b = tile_descriptors(same_bytes, *r.target, mma);
      bool same = a.steps.size() == b.steps.size();
      for (std::size_t i = 0; same && i < a.steps.size(); ++i)
        same = a.steps[i].descriptor.word() == b.steps[i].descriptor.word();
      words_only.wrong += same ? 0 : 1;
      words_only.descriptors += static_cast<long>(a.steps.size());
      ++words_only.tiles;
    });
  });
  CHECK(full.wrong == 0);
  CHECK(words_only.wrong == 0);
  MESSAGE(operands, " legal operands (target, type, major, mode, order); ", seen.size(),
          " read to the last byte: ", full.tiles, " tiles, ", full.descriptors, " descriptors, ", full.elements,
          " elements; the words of ", words_only.tiles, " other tiles (", words_only.descriptors,
          " descriptors) compared");
  // sm_90a: 2 types x 2 majors x 4 modes x 2 orders, and 6 types K-major only. Each of 8 tcgen05 targets: 16-bit
  // 32, fp8 in both packings 64, fp6 in both 64, fp4 8 + 16, tf32 8 + 2. 8-bit integers on two of them: 32 each.
  // s1z4m11, K-major only, on the two of sm_107: 8 each.
  CHECK(operands == (32 + 48) + 8 * (32 + 64 + 64 + 24 + 10) + 2 * 32 + 2 * 8);
  // wgmma: 16-bit 16, 8-bit, 32-bit and b1 8 each. tcgen05: 16-bit 16, 8-bit 16, 4-bit 8, 32-bit 8 + 2.
  CHECK(seen.size() == 40 + 50);
  CHECK(full.tiles > at_least(10000, 127, 3));
}

TEST_CASE("tiles between patterns: the words still read the bytes where the tile put the elements") {
  Tally tally;
  for_each_legal_operand([&](const Operand& o) {
    if (o.target->name != "sm_90a" && o.target->name != "sm_100a") return;
    for (const std::int64_t base : {0x0, 0x10, 0x680, 0x7f0}) {
      const SmemTile tile = small_tile(o, Bytes{base});
      CHECK(reads_the_tile(tile, *o.target, {tile.extents().mn, dense_mma_k(tile.element_bits())}, false, tally));
    }
  });
  CHECK(tally.descriptors > 1000);
}

// What desc answers without --mma must also hold for a kernel whose N is larger.
TEST_CASE("the words of the default MMA read the blocks of every larger MMA that begins where they do") {
  long blocks = 0;
  for_each_legal_operand([&](const Operand& o) {
    if (o.target->name != "sm_90a" && o.target->name != "sm_100a") return;
    const TileExtents atom = atom_extents(o.major, *o.mode, *o.dtype, o.packing);
    const std::int64_t k = std::max(atom.k, dense_mma_k(element_bits(*o.dtype, o.packing)));
    for (const std::int64_t mn : {atom.mn, std::max<std::int64_t>(128, 2 * atom.mn), std::int64_t{256}}) {
      const SmemTile tile({o.dtype->name, o.packing, o.major, mn, k, o.mode->name, o.order, Bytes{0x400}});
      const TileDescriptors words = tile_descriptors(tile, *o.target, OperandRole::a);
      const OperandChoice choice = operand_choice(tile, *o.target);
      for (const MmaStep& step : words.steps) {
        const std::int64_t row = step.m_block * words.mma.mn, first_k = step.k_step * words.mma.k;
        for (const std::int64_t rows : mma_rows(OperandRole::b, choice)) {
          if (rows < words.mma.mn || row + rows > mn || nearest_mma(operand_shape(tile), rows).mn != rows) continue;
          const TileExtents mma{rows, words.mma.k};
          const OperandMap map = operand_map(step.descriptor, mma, tile.element_bits(), tile.major());
          bool same = true;
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < mma.k; ++c)
              same = same && map.byte(r, c) == tile.byte(row + r, first_k + c).count;
          if (!same)
            FAIL_CHECK(o.target->name << " " << o.dtype->name << " " << to_string(o.major) << " " << o.mode->name << " "
                                      << to_string(o.order) << " " << mn << " rows, MMA " << to_string(mma));
          ++blocks;
        }
      }
    }
  });
  CHECK(blocks > 3000);
}

// The rules of a word that are not notes, and that apply.
std::string lints_of(const SmemDescriptor& word) {
  std::string names;
  for (const DescriptorRule<SmemDescriptor>& rule : smem_rules())
    if (rule.severity != Severity::note && rule.applies(word)) names += " " + std::string(rule.name);
  return names;
}

// Extents of one to a few atoms, of 16 (where strides look like a forgotten shift), and the largest up to 256.
std::vector<std::int64_t> extents_in(std::int64_t atom, std::int64_t step) {
  std::vector<std::int64_t> out;
  for (const std::int64_t atoms : {1, 2, 3, 4, 8, 16, 32})
    if (atoms * atom % step == 0 && (atoms == 16 || atoms * atom <= most)) out.push_back(atoms * atom);
  return out;
}

// The MMAs by which a tile is read: the defaults, 64 rows, the fewest and the most rows.
std::vector<TileExtents> mmas_of(const SmemTile& tile, const Target& target) {
  const OperandShape shape = operand_shape(tile);
  std::vector<TileExtents> mmas{default_of(tile, target, OperandRole::a).extents,
                                default_of(tile, target, OperandRole::b).extents};
  for (const std::int64_t rows : {mma_mn_step, std::int64_t{64}, mma_mn_most}) mmas.push_back(nearest_mma(shape, rows));
  return mmas;
}

TEST_CASE("no word of a tile that begins where its pattern does has a lint, for any MMA and step") {
  std::map<std::string_view, std::set<std::uint64_t>> seen;  // by target
  long tiles = 0, failures = 0;
  Sweep every{127, 3};
  for_each_legal_operand([&](const Operand& o) {
    const int bits = element_bits(*o.dtype, o.packing);
    const TileExtents atom = atom_extents(o.major, *o.mode, *o.dtype, o.packing);
    for (const std::int64_t mn : extents_in(atom.mn, 1))
      for (const std::int64_t k : extents_in(atom.k, dense_mma_k(bits))) {
        const std::int64_t bytes = mn * k * bits / 8, pattern = std::max<std::int64_t>(16, o.mode->pattern().count);
        if (bytes > o.target->max_smem_per_cta.count || !every.takes()) continue;
        const std::int64_t last = (o.target->smem_window().count - bytes) / pattern * pattern;
        for (const std::int64_t base : {std::int64_t{0}, pattern, last}) {
          const SmemTile tile({o.dtype->name, o.packing, o.major, mn, k, o.mode->name, o.order, Bytes{base}, o.target});
          ++tiles;
          for (const TileExtents& mma : mmas_of(tile, *o.target))
            for (const MmaStep& step : tile_descriptors(tile, *o.target, mma).steps) {
              if (!seen[o.target->name].insert(step.descriptor.word()).second) continue;
              const std::string lints = lints_of(step.descriptor);
              if (lints.empty() || ++failures > 20) continue;
              FAIL_CHECK(hex64(step.descriptor.word())
                         << lints << ": " << o.target->name << " " << o.dtype->name << " " << to_string(tile.extents())
                         << " " << to_string(o.major) << " " << o.mode->name << " " << to_string(o.order) << ", MMA "
                         << to_string(mma));
            }
        }
      }
  });
  CHECK(failures == 0);
  MESSAGE(tiles, " tiles, ", seen["sm_90a"].size(), " words of sm_90a and ", seen["sm_100a"].size(), " of sm_100a");
  CHECK(tiles > at_least(40000, 127, 3));
}

}  // namespace
}  // namespace swz
