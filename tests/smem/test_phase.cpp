// SPDX-License-Identifier: Apache-2.0
// Phase: every base modulo 2048 in steps of 16, every mode, with operand_map as the judge of the base offsets.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "descriptor/operand_map.hpp"
#include "smem/tile.hpp"
#include "tile_bytes.hpp"

namespace swz {
namespace {

const SwizzleMode& mode_of(std::string_view name) { return require_swizzle_mode(name); }

// An operand of two atoms along both directions, which is at least one pattern.
SmemTileValues values_for(const SwizzleMode& mode, Major major, std::int64_t base) {
  const std::string_view dtype = mode.family == SwizzleFamily::chunk_32 ? "tf32" : "f16";
  const TileExtents atom = atom_extents(major, mode, require_dtype(dtype), Packing::packed);
  // K-major, an operand with a swizzle has one line along K.
  const std::int64_t k = major == Major::K && mode.bits != 0 ? atom.k : 2 * atom.k;
  return {.dtype = dtype, .major = major, .mn = 2 * atom.mn, .k = k, .swizzle = mode.name, .base = Bytes{base}};
}

OperandMap map_of(const SmemTile& tile, int base_offset) {
  const bool plain_or_k = tile.swizzle().bits == 0 || tile.major() == Major::K;
  const Bytes along_mn = tile.mn_atom_stride(), along_k = tile.k_atom_stride();
  const bool mn_leads = tile.major() == Major::MN && !plain_or_k;
  const SmemDescriptor word = SmemDescriptor::encode({.start_address = tile.base(),
                                                      .leading_byte_offset = mn_leads ? along_mn : along_k,
                                                      .stride_byte_offset = mn_leads ? along_k : along_mn,
                                                      .base_offset = base_offset,
                                                      .swizzle = tile.swizzle().name},
                                                     require_target("sm_100a"));
  return operand_map(word, tile.extents(), tile.element_bits(), tile.major());
}

struct Judged {
  std::vector<int> absolute, relative;
};

// Which base offsets read what an absolute and what a tile-relative writer put there: the one by SmemTile at the
// base, the other by SmemTile at 0, moved to the base.
Judged judge(const SwizzleMode& mode, Major major, std::int64_t base) {
  const SmemTile tile(values_for(mode, major, base));
  std::vector<std::int64_t> relative = tile_bytes(SmemTile(values_for(mode, major, 0)));
  for (std::int64_t& byte : relative) byte += base;
  Judged judged;
  for (int base_offset = 0; base_offset < 8; ++base_offset) {
    const OperandMap map = map_of(tile, base_offset);
    if (map.bytes() == tile_bytes(tile)) judged.absolute.push_back(base_offset);
    if (map.bytes() == relative) judged.relative.push_back(base_offset);
  }
  return judged;
}

TEST_CASE("base offsets: exactly those with which the MMA reads the tile, every base and mode, both majors") {
  long cases = 0, repaired = 0;
  for (const SwizzleMode& mode : swizzle_modes()) {
    for (std::int64_t base = 0; base < 2048; base += 16) {
      const Phase p = phase(mode, Bytes{base});
      for (const Major major : {Major::K, Major::MN}) {
        if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
        INFO(mode.name << " " << to_string(major) << " at " << base);
        const Judged judged = judge(mode, major, base);
        REQUIRE(p.absolute_base_offsets == judged.absolute);
        REQUIRE(p.relative_base_offsets == judged.relative);
        ++cases;
        repaired += !judged.relative.empty();
      }
    }
  }
  CHECK(cases == 9 * 128);
  CHECK(repaired > 200);
}

TEST_CASE("the documented base offset repairs tile-relative data whenever one does, and base 0 absolute data") {
  for (const SwizzleMode& mode : swizzle_modes()) {
    for (std::int64_t base = 0; base < 2048; base += 16) {
      const Phase p = phase(mode, Bytes{base});
      INFO(mode.name << " at " << base);
      const auto contains = [](const std::vector<int>& values, int value) {
        return std::find(values.begin(), values.end(), value) != values.end();
      };
      REQUIRE(contains(p.absolute_base_offsets, 0));
      REQUIRE(p.relative_base_offsets.empty() == (mode.bits != 0 && base % 128 != 0));
      if (!p.relative_base_offsets.empty()) {
        REQUIRE(contains(p.relative_base_offsets, p.documented_base_offset));
        REQUIRE(p.relative_base_offsets.size() == static_cast<std::size_t>(8 >> mode.bits));
      }
    }
  }
}

TEST_CASE("wrong bytes: byte by byte, over one pattern and over tiles") {
  for (const SwizzleMode& mode : swizzle_modes()) {
    const std::int64_t pattern = mode.pattern().count;
    for (std::int64_t base = 0; base < 2048; base += 16) {
      // One byte at a time, with the XOR as the vendor writes it.
      const auto swizzled = [&](std::int64_t x) {
        if (mode.name == "32B") return x ^ (x >> 3 & 0x10);
        if (mode.name == "64B") return x ^ (x >> 3 & 0x30);
        if (mode.name == "128B") return x ^ (x >> 3 & 0x70);
        if (mode.name == "128B_32B") return x ^ (x >> 2 & 0x60);
        return x;
      };
      const auto wrong = [&](std::int64_t size) {
        std::int64_t count = 0;
        for (std::int64_t offset = 0; offset < size; ++offset)
          count += swizzled(base + offset) != base + swizzled(offset);
        return count;
      };
      INFO(mode.name << " at " << base);
      const std::int64_t tile = 3 * pattern + 48;
      const Phase p = phase(mode, Bytes{base}, Bytes{tile});
      REQUIRE(p.over_pattern.of.count == pattern);
      REQUIRE(p.over_pattern.wrong.count == wrong(pattern));
      REQUIRE(p.over_tile->of.count == tile);
      REQUIRE(p.over_tile->wrong.count == wrong(tile));
      REQUIRE(p.first_wrong.has_value() == (wrong(tile) != 0));
      REQUIRE(p.bytes.count == base % pattern);
      REQUIRE(p.below.count % pattern == 0);
      REQUIRE(p.above.count % pattern == 0);
      REQUIRE(p.below <= p.base);
      REQUIRE(p.above >= p.base);
      REQUIRE(p.above.count - p.below.count == (base % pattern == 0 ? 0 : pattern));
      std::int64_t lowest = base, end = base + tile;
      for (std::int64_t offset = 0; offset < tile; ++offset) {
        lowest = std::min(lowest, swizzled(base + offset));
        end = std::max(end, swizzled(base + offset) + 1);
      }
      REQUIRE(p.lowest.count == lowest);
      REQUIRE(p.end.count == end);
    }
  }
}

TEST_CASE("the worked example, and whole lines: all bytes are wrong or none") {
  const Phase p = phase(mode_of("64B"), Bytes{0x680});
  CHECK(p.bytes.count == 128);
  CHECK(p.lines() == 1);
  CHECK(p.below.count == 0x600);
  CHECK(p.above.count == 0x800);
  CHECK(p.over_pattern.wrong.count == 512);
  CHECK(p.relative_base_offsets == std::vector<int>{1, 5});
  CHECK(p.documented_base_offset == 5);
  REQUIRE(p.first_wrong);
  CHECK(p.first_wrong->offset.count == 0);
  CHECK(p.first_wrong->lies_at.count == 0x690);
  CHECK(p.first_wrong->looked_for.count == 0x680);
  // A public report: 1024 of 1024 bytes wrong at 128 B past an atom, none at the atom.
  CHECK(phase(mode_of("128B"), Bytes{1024 + 128}).over_pattern.wrong.count == 1024);
  CHECK(phase(mode_of("128B"), Bytes{1024}).over_pattern.wrong.count == 0);
}

TEST_CASE("a base that is not a multiple of the line spills out of the tile") {
  CHECK(phase(mode_of("128B"), Bytes{0x480}).stays_inside());
  CHECK(phase(mode_of("64B"), Bytes{0x440}).stays_inside());
  const Phase p = phase(mode_of("128B"), Bytes{0x490});
  CHECK_FALSE(p.stays_inside());
  CHECK(p.lowest.count == 0x480);
}

TEST_CASE("what is refused") {
  const auto refused = [](std::int64_t base, std::optional<Bytes> tile) {
    try {
      phase(mode_of("128B"), Bytes{base}, tile);
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("accepted");
  };
  CHECK(refused(0x408, {}) == "the base address 0x408 is not a multiple of 16 B");
  CHECK(refused(-16, {}) == "the base address -0x10 is not a multiple of 16 B");
  CHECK(refused(0x38c00, Bytes{2048}) == "2048 B at 0x38c00 run past 0x39000, the end of shared memory");
  CHECK(refused(0x38c00, {}) == "accepted");
  CHECK(refused(0, Bytes{INT64_MAX}).ends_with("the end of shared memory"));
}

}  // namespace
}  // namespace swz
