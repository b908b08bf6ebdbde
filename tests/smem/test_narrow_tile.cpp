// SPDX-License-Identifier: Apache-2.0
// Tiles of 4- and 6-bit elements: every element has bits of its own, none of them in a gap, and its slot is where an 8-bit
// element lies (CuTe: such operands have layouts of uint8).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "smem/placement.hpp"
#include "smem/walk.hpp"

namespace swz {
namespace {

struct Form {
  const char* dtype;
  Packing packing;
  int bits;
  bool has_gaps;
};
constexpr Form forms[] = {{"e2m1", Packing::slots, 4, true},
                          {"e2m3", Packing::slots, 6, true},
                          {"e3m2", Packing::packed, 6, true},  // fp6 is never packed
                          {"e2m1", Packing::packed, 4, false}};

template <class Do>
void for_each_tile(const Form& form, Do act) {
  for (const Major major : {Major::K, Major::MN})
    for (const char* mode : {"none", "32B", "64B", "128B"})
      for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
        for (const std::int64_t base : {0, 0x480}) {
          const TileExtents extents = major == Major::K ? TileExtents{24, 512} : TileExtents{512, 24};
          INFO(form.dtype << " " << mode << " " << to_string(major) << " at " << base);
          act(SmemTile({form.dtype, form.packing, major, extents.mn, extents.k, mode, order, Bytes{base}}));
        }
}

TEST_CASE("every element has bits of its own, in the tile, and no bit of a gap") {
  for (const Form& form : forms)
    for_each_tile(form, [&](const SmemTile& tile) {
      std::vector<char> taken(static_cast<std::size_t>(tile.bytes().count * 8), 0);
      std::int64_t twice = 0, in_gap = 0;
      for (std::int64_t row = 0; row < tile.extents().mn; ++row)
        for (std::int64_t k = 0; k < tile.extents().k; ++k)
          for (int i = 0; i < form.bits; ++i) {
            const std::int64_t bit = tile.bit(row, k).count - tile.base().count * 8 + i;
            // The XOR stays inside lines of its pattern: a base between them moves some chunks before the tile.
            const auto at = static_cast<std::size_t>((bit + tile.bytes().count * 8) % (tile.bytes().count * 8));
            if (taken[at]++ != 0) ++twice;
            if (form.has_gaps && (bit / 8 % 16 + 16) % 16 >= 2 * form.bits) ++in_gap;
          }
      CHECK(twice == 0);
      CHECK(in_gap == 0);
    });
}

TEST_CASE("with gaps: the layout of 8-bit elements, and inside every chunk the order of its 16") {
  for (const Form& form : forms) {
    if (!form.has_gaps) continue;
    for_each_tile(form, [&](const SmemTile& tile) {
      SmemTileValues bytes = tile.values();
      bytes.dtype = "e4m3";
      bytes.packing = Packing::packed;
      const SmemTile of_bytes(bytes);
      CHECK(to_string(tile.layout()) == to_string(of_bytes.layout()));
      std::int64_t wrong = 0;
      for (std::int64_t row = 0; row < tile.extents().mn; ++row)
        for (std::int64_t k = 0; k < tile.extents().k; ++k) {
          const std::int64_t slot = of_bytes.byte(row, k).count;
          const std::int64_t in_chunk = tile.major() == Major::K ? k % 16 : row % 16;
          if (slot % 16 != in_chunk || tile.byte(row, k).count != slot ||
              tile.bit(row, k).count != slot / 16 * 128 + in_chunk * form.bits)
            ++wrong;
        }
      CHECK(wrong == 0);
    });
  }
}

TEST_CASE("packed fp4: half a byte an element, the even one in the low bits") {
  for_each_tile(forms[3], [&](const SmemTile& tile) {
    const bool is_k = tile.major() == Major::K;
    SmemTileValues bytes = tile.values();
    bytes.dtype = "e4m3";
    (is_k ? bytes.k : bytes.mn) /= 2;
    const SmemTile of_bytes(bytes);
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < tile.extents().mn; ++row)
      for (std::int64_t k = 0; k < tile.extents().k; ++k) {
        const std::int64_t byte = is_k ? of_bytes.byte(row, k / 2).count : of_bytes.byte(row / 2, k).count;
        if (tile.bit(row, k).count != byte * 8 + (is_k ? k : row) % 2 * 4) ++wrong;
      }
    CHECK(wrong == 0);
  });
}

TEST_CASE("a placement has the bits of its tile, and those of any layout of slots") {
  for (const Form& form : forms)
    for_each_tile(form, [&](const SmemTile& tile) {
      const Placement placement(tile);
      CHECK(placement.has_gaps() == form.has_gaps);
      CHECK(placement.value_bits() == form.bits);
      std::int64_t wrong = 0;
      for (std::int64_t row = 0; row < tile.extents().mn; ++row)
        for (std::int64_t k = 0; k < tile.extents().k; ++k)
          if (placement.value_bit(row, k) != tile.bit(row, k)) ++wrong;
      CHECK(wrong == 0);
    });
}

TEST_CASE("worked examples: k 37 of a row, and where the swizzle moves its chunk") {
  const SmemTile fp4({.dtype = "e2m1", .packing = Packing::slots, .mn = 8, .k = 128});
  CHECK(fp4.bit(0, 37).count == 34 * 8 + 4);
  CHECK(fp4.byte(0, 37).count == 37);
  CHECK(fp4.bit(1, 37).count == 0xb2 * 8 + 4);  // chunk 2 of line 1 is chunk 3
  const SmemTile fp6({.dtype = "e3m2", .mn = 8, .k = 128});
  CHECK(fp6.bit(0, 37).count == 35 * 8 + 6);
  const SmemTile packed({.dtype = "e2m1", .mn = 8, .k = 256});
  CHECK(packed.bit(0, 37).count == 18 * 8 + 4);
}

TEST_CASE("a wide type has no form, and its bits are those of its byte") {
  for (const char* dtype : {"f16", "e4m3", "tf32", "ue4m3", "s4", "b1"})
    CHECK(narrow_form(require_dtype(dtype), Packing::packed) == nullptr);
  CHECK(narrow_form(require_dtype("e4m3"), Packing::slots) == nullptr);
  const SmemTile tile({.dtype = "f16", .mn = 8, .k = 64});
  CHECK(tile.bit(3, 5).count == tile.byte(3, 5).count * 8);
}

TEST_CASE("accesses of less than a chunk do not find elements beside gaps") {
  const Placement fp6(SmemTile({.dtype = "e3m2", .mn = 64, .k = 128}));
  CHECK(walk(fp6, parse_accesses("ldmatrix.x4").front()).wavefronts == 64);
  CHECK(walk(fp6, parse_accesses("ld.shared.b128").front()).wavefronts == 64);
  std::string message;
  try {
    walk(fp6, parse_accesses("ld.shared.b32").front());
  } catch (const Error& error) {
    message = error.message() + " | " + error.hint;
  }
  CHECK(message ==
        "ld.shared.b32 moves 4 B a lane; 16 elements of 6 bits lie in 12 of every 16 B, with a gap after them | "
        "take an "
        "access of 16 B a lane: ldmatrix, ld.shared.b128, st.shared.b128 or cp.async of 16 B");
}

}  // namespace
}  // namespace swz
