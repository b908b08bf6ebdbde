// SPDX-License-Identifier: Apache-2.0
// What an MMA reads of what copies make: the law over boxes, and the reference's example.
#include <doctest/doctest.h>

#include "descriptor/operand_map.hpp"
#include "expr/evaluate.hpp"
#include "tma/plan.hpp"

using namespace swz;

namespace {

const Target& hopper() { return require_target("sm_90a"); }

MmaReading reading_of(const std::string& layout, std::string_view dtype, Major major = Major::K,
                      std::string_view target = "sm_90a") {
  return mma_reading({parse_layout(layout), require_dtype(dtype), Packing::packed, major, Bytes{}},
                     require_target(target));
}

}  // namespace

// A box K-major of bf16, 64 rows: without a swizzle a descriptor reads it only when its rows are one chunk, and
// then K is too short; with one always, as soon as K is 32 B.
TEST_CASE("every box of 64 rows, by every swizzle") {
  long read = 0, unread = 0;
  for (const TensorMapSwizzle swizzle :
       {TensorMapSwizzle::none, TensorMapSwizzle::b32, TensorMapSwizzle::b64, TensorMapSwizzle::b128}) {
    const TensorMapSwizzleRow& row = *find_row(swizzle);
    for (std::int64_t chunks = 1; chunks <= 8; ++chunks) {
      if (row.bits != 0 && chunks * 16 > row.span.count) continue;
      const std::int64_t pitch = std::max<std::int64_t>(chunks * 16, row.span.count) / 2;
      const Layout linear(std::vector<IntTuple>{64, chunks * 8}, std::vector<IntTuple>{pitch, 1});
      const ComposedLayout layout = row.bits == 0
                                        ? ComposedLayout(linear)
                                        : ComposedLayout::smem_ptr(Swizzle(row.bits, row.base, row.shift), 16, linear);
      const MmaReading reading =
          mma_reading({layout, require_dtype("bf16"), Packing::packed, Major::K, Bytes{}}, hopper());
      CAPTURE(chunks);
      CAPTURE(std::string(row.name));
      CHECK(reading.is_read() == (row.bits != 0 && chunks % 2 == 0));
      CHECK(reading.reason.empty() == reading.is_read());
      (reading.is_read() ? read : unread) += 1;
      if (reading.is_read()) CHECK(reading.mode->tma_code == static_cast<int>(swizzle));
      // Where K is whole MMAs there is a tile to take instead, and it is read.
      if (!reading.is_read() && chunks % 2 == 0) {
        REQUIRE_FALSE(reading.instead.empty());
        for (const ReadableTile& instead : reading.instead) CHECK(mma_reading(instead.tile, hopper()).is_read());
      }
    }
  }
  CHECK(read == 7);
  CHECK(unread == 8 + 1 + 2 + 4);
}

TEST_CASE("8x64 B in one box without a swizzle") {
  const MmaReading reading = reading_of("(8,32):(32,1)", "bf16");
  CHECK_FALSE(reading.is_read());
  CHECK(reading.reason == "rows are 64 B apart; mode none needs 16 B");
  REQUIRE(reading.instead.size() == 2);
  CHECK(reading.instead[0].tile.swizzle().name == "none");
  CHECK(reading.instead[0].plan.copies.size() == 4);
  CHECK(reading.instead[0].plan.map.box == std::array<std::uint64_t, 5>{8, 8, 0, 0, 0});
  CHECK(reading.instead[1].tile.swizzle().name == "64B");
  CHECK(reading.instead[1].plan.copies.size() == 1);
}

TEST_CASE("what no descriptor of the target reads") {
  CHECK(reading_of("(8,32):(32,1)", "f64").reason.find("wgmma") != std::string::npos);
  CHECK(reading_of("(8,32):(32,1)", "f64").instead.empty());
  const MmaReading ampere = reading_of("(8,32):(32,1)", "bf16", Major::K, "sm_80");
  CHECK(ampere.reason == "no instruction of sm_80 takes a shared-memory descriptor");
  CHECK(ampere.hint == "ldmatrix reads any rows of 16 B; swz banks shows how fast");
  CHECK(reading_of("(8,8):(8,1)", "bf16").instead.empty());  // K is half of an MMA, in any mode
}
