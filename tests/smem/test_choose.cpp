// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "smem/choose.hpp"

namespace swz {
namespace {

SmemTileValues shape(std::string_view dtype, std::int64_t mn, std::int64_t k, Major major = Major::K,
                     Packing packing = Packing::packed) {
  return {dtype, packing, major, mn, k};
}

std::string chosen(const SmemTileValues& s, std::string_view target) {
  try {
    return std::string(choose_swizzle(s, require_target(target)).mode->name);
  } catch (const Error& e) {
    return e.message() + " | " + e.hint;
  }
}

const ModeVerdict& verdict(const SwizzleChoice& choice, std::string_view mode) {
  for (const ModeVerdict& v : choice.verdicts)
    if (v.mode->name == mode) return v;
  FAIL("no verdict on " << mode);
  return choice.verdicts.front();
}

// CUTLASS's ss_smem_selector and sm100_smem_selector, written down again: in bits of
// the contiguous extent. Empty: its static_assert.
std::string cutlass_selector(std::int64_t bits, std::int64_t lines, bool is_sm100_mn_32_bit) {
  if (lines % 8 != 0 || bits % 128 != 0) return "";
  if (is_sm100_mn_32_bit) return bits % 1024 == 0 ? "128B_32B" : "";
  if (bits % 1024 == 0) return "128B";
  if (bits % 512 == 0) return "64B";
  if (bits % 256 == 0) return "32B";
  return "none";
}

TEST_CASE("the choice is CUTLASS's, for every type, major and extent that an instruction reads") {
  int choices = 0;
  for (const Target& target : targets()) {
    if (target.descriptor == SmemDescriptorKind::none) continue;
    for (const DType& dtype : dtypes())
      for (const Packing packing : {Packing::packed, Packing::slots}) {
        if (packing == Packing::slots && dtype.container_bits == 0) continue;
        for (const Major major : {Major::K, Major::MN}) {
          const int bits = element_bits(dtype, packing);
          const bool any = nearest_legal({&target, &dtype, packing, major, &swizzle_modes()[0]}).has_value() &&
                           nearest_legal({&target, &dtype, packing, major, &swizzle_modes()[0]})->major == major;
          if (!any) continue;
          for (std::int64_t bytes = 16; bytes <= 512; bytes += 16)
            for (const std::int64_t lines : {8, 16, 64, 120}) {
              const std::int64_t extent = bytes * 8 / bits;
              const bool k_major = major == Major::K;
              const SmemTileValues s{dtype, packing, major, k_major ? lines : extent, k_major ? extent : lines};
              const bool tf32_mn = target.descriptor == SmemDescriptorKind::tcgen05 && major == Major::MN && bits == 32;
              const std::string expected = cutlass_selector(bytes * 8, lines, tf32_mn);
              INFO(target.name << " " << dtype.name << " " << to_string(major) << " " << to_string(s.extents()));
              const std::string mode = chosen(s, target.name);
              if (expected.empty()) CHECK(mode.find("128B_32B only") != std::string::npos);
              else CHECK(mode == expected);
              ++choices;
            }
        }
      }
  }
  CHECK(choices > 5000);
}

TEST_CASE("every verdict: the choice has no reason against it, everything else has one") {
  for (const Target& target : targets())
    for (const DType& dtype : dtypes())
      for (const Major major : {Major::K, Major::MN})
        for (const std::int64_t bytes : {16, 32, 48, 64, 128, 192}) {
          const std::int64_t extent = bytes * 8 / dtype.memory_bits;
          const bool k_major = major == Major::K;
          const SmemTileValues s{dtype, Packing::packed, major, k_major ? 16 : extent, k_major ? extent : 16};
          const bool tf32_mn = target.descriptor == SmemDescriptorKind::tcgen05 && dtype.name == "tf32" &&
                               major == Major::MN && bytes != 128;
          if (tf32_mn) continue;  // refused, see below
          const SwizzleChoice choice = choose_swizzle(s, target);
          INFO(target.name << " " << dtype.name << " " << to_string(major) << " " << bytes);
          REQUIRE(choice.verdicts.size() == swizzle_modes().size());
          for (const ModeVerdict& v : choice.verdicts) {
            CHECK(v.why_not.empty() == (v.mode == choice.mode));
            if (!choice.unreadable) CHECK(v.allowed == is_legal({&target, &dtype, Packing::packed, major, v.mode}));
            CHECK(v.mn_first.has_value() == v.k_first.has_value());
            if (v.mn_first) CHECK((v.fits && v.allowed && target.has_tma));
          }
          CHECK(choice.unreadable.has_value() ==
                (!nearest_legal({&target, &dtype, Packing::packed, major, choice.mode}) ||
                 nearest_legal({&target, &dtype, Packing::packed, major, choice.mode})->major != major));
        }
}

TEST_CASE("requests and copies of published tiles") {
  // Section 5: 8x64 B. Section 9.3: 64 rows of 64 B, mode 32B. Section 9.2: 64x256 B takes two boxes of 64x128 B.
  const Target& hopper = require_target("sm_90a");
  const SwizzleChoice small = choose_swizzle(shape("bf16", 8, 32), hopper);
  CHECK(small.mode->name == "64B");
  for (const auto& [mode, request] : {std::pair{"none", 16}, {"32B", 32}, {"64B", 64}, {"128B", 128}})
    CHECK(verdict(small, mode).request == Bytes{request});
  CHECK(verdict(small, "128B").why_not == "K 32 is 64 B, not a multiple of 128 B");
  CHECK(verdict(small, "none").why_not == "fits, but 64B makes larger requests");

  const SwizzleChoice tile = choose_swizzle(shape("bf16", 64, 32), hopper);
  CHECK(verdict(tile, "32B").k_first->count == 16);
  CHECK(verdict(tile, "32B").k_first->box == TileExtents{8, 16});
  CHECK(verdict(tile, "32B").mn_first->count == 2);
  CHECK(verdict(tile, "32B").mn_first->box == TileExtents{64, 16});
  CHECK(verdict(tile, "64B").k_first->count == 1);  // one atom across: both orders are the same
  CHECK(choose_swizzle(shape("bf16", 64, 128), hopper).verdicts[1].mn_first->count == 2);
}

// The fewest equal boxes, by trying every height: a box holds its lines in sequence from a multiple of
// 128 B on, as TMA writes it before the swizzle of the address.
std::int64_t fewest_boxes(const SmemTile& tile) {
  const bool k_major = tile.major() == Major::K;
  const std::int64_t lines = k_major ? tile.extents().mn : tile.extents().k;
  const std::int64_t columns = k_major ? tile.atoms().k : tile.atoms().mn;
  const std::int64_t width = k_major ? tile.atom().k : tile.atom().mn;
  const auto offset = [&](std::int64_t line, std::int64_t column) {
    return (k_major ? tile.linear_offset(line, column * width) : tile.linear_offset(column * width, line)).count;
  };
  for (std::int64_t height = 256; height >= 1; --height) {
    bool works = lines % height == 0;
    for (std::int64_t column = 0; works && column < columns; ++column)
      for (std::int64_t line = 0; works && line < lines; ++line) {
        const std::int64_t first = offset(line / height * height, column);
        works = first % 128 == 0 && offset(line, column) == first + line % height * tile.swizzle().span.count;
      }
    if (works) return columns * (lines / height);
  }
  return 0;
}

TEST_CASE("copies: as many as trying every box finds") {
  int tiles = 0;
  for (const Major major : {Major::K, Major::MN})
    for (const SwizzleMode& mode : swizzle_modes())
      for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
        for (const char* dtype : {"bf16", "e4m3", "tf32", "e2m1"}) {
          if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
          const TileExtents atom = atom_extents(major, mode, require_dtype(dtype), Packing::packed);
          for (const std::int64_t across : {1, 2, 3})
            for (const std::int64_t down : {1, 2, 7, 8, 16, 32, 33, 37, 40, 48, 64}) {
              const TileExtents e = major == Major::K ? TileExtents{down * atom.mn, across * atom.k}
                                                      : TileExtents{across * atom.mn, down * atom.k};
              if (e.mn * e.k * element_bits(require_dtype(dtype)) / 8 > 232448) continue;
              const SmemTile tile(
                  {.dtype = dtype, .major = major, .mn = e.mn, .k = e.k, .swizzle = mode.name, .order = order});
              INFO(dtype << " " << to_string(major) << " " << mode.name << " " << to_string(e) << " "
                         << to_string(order));
              const TmaBoxes boxes = tma_boxes(tile);
              CHECK(boxes.count == fewest_boxes(tile));
              CHECK(boxes.count * boxes.box.mn * boxes.box.k == e.mn * e.k);
              ++tiles;
            }
        }
  CHECK(tiles > 1500);
}

TEST_CASE("sub-byte types: GMEM holds them packed, and a padded box is 128 elements wide") {
  const Target& blackwell = require_target("sm_100a");
  const SwizzleChoice slots = choose_swizzle(shape("e2m1", 128, 128, Major::K, Packing::slots), blackwell);
  CHECK(slots.mode->name == "128B");
  CHECK(verdict(slots, "128B").request == Bytes{64});
  CHECK(verdict(slots, "32B").request == Bytes{16});
  CHECK_FALSE(verdict(slots, "32B").mn_first);
  CHECK(verdict(slots, "32B").why_no_boxes == "a box of e2m1 in 8-bit slots is 128 elements wide");
  CHECK(verdict(slots, "128B").mn_first->count == 1);
  const SwizzleChoice packed = choose_swizzle(shape("e2m1", 128, 256), blackwell);
  CHECK(verdict(packed, "128B").request == Bytes{128});
  CHECK(verdict(packed, "32B").mn_first->count == 4);
  CHECK(verdict(choose_swizzle(shape("e2m3", 128, 128), blackwell), "64B").request == Bytes{48});
}

TEST_CASE("targets without a descriptor for the tile: only the fit decides, and the reason is kept") {
  const SwizzleChoice ampere = choose_swizzle(shape("bf16", 64, 32), require_target("sm_80"));
  CHECK(ampere.mode->name == "64B");
  REQUIRE(ampere.unreadable);
  CHECK(ampere.unreadable->rule == "no-descriptor");
  CHECK(verdict(ampere, "64B").why_no_boxes == "sm_80 has no TMA");
  CHECK_FALSE(verdict(choose_swizzle(shape("bf16", 64, 64), require_target("sm_120a")), "128B").k_first ==
              std::nullopt);

  const SwizzleChoice fp8 = choose_swizzle(shape("e4m3", 128, 32, Major::MN), require_target("sm_90a"));
  CHECK(fp8.mode->name == "128B");
  REQUIRE(fp8.unreadable);
  CHECK(fp8.unreadable->rule == "wgmma-mn-16-bit");
  CHECK_FALSE(choose_swizzle(shape("e4m3", 128, 32), require_target("sm_90a")).unreadable);
}

TEST_CASE("extents that no mode fits are refused with the rule and the way out") {
  CHECK(chosen(shape("bf16", 12, 64), "sm_90a") ==
        "MN 12 is not a multiple of 8: the K-major atom of mode none has 8x8 elements of bf16 | take MN 8 or 16");
  CHECK(chosen(shape("bf16", 64, 12, Major::MN), "sm_90a") ==
        "K 12 is not a multiple of 8: the MN-major atom of mode none has 8x8 elements of bf16 | take K 8 or 16");
  CHECK(chosen(shape("bf16", 64, 4), "sm_90a") ==
        "K 4 is not a multiple of 8: the K-major atom of mode none has 8x8 elements of bf16 | take K 8");
  CHECK(chosen(shape("tf32", 16, 8, Major::MN), "sm_100a") ==
        "sm_100a reads MN-major tf32 with mode 128B_32B only, and MN 16 is 64 B, not a multiple of 128 B | take a "
        "tile of 32x8");
  CHECK(chosen(shape("bf16", 1024, 1024), "sm_90a") ==
        "the tile takes 2097152 B; a CTA has at most 232448 B (227 KiB) of shared memory | take a smaller tile");
  CHECK(chosen(shape("bf16", 0, 64), "sm_90a") == "a tile of 0x64 elements is empty | both extents are 1 or more");
}

}  // namespace
}  // namespace swz
