// SPDX-License-Identifier: Apache-2.0
// What of D a register holds: the element of the cell, for every shape, data path, CTA, warp and register; what is refused.
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "tmem/accumulator_access.hpp"

using namespace swz;

namespace {

std::string refusal(const DataPathQuery& query, const AccessPlace& place, const char* name = "tcgen05.ld.32x32b.x8") {
  try {
    AccumulatorAccess(Accumulator(require_data_path(query), 128), place).require_window(find_fragment({.name = name}));
  } catch (const Error& e) {
    return e.message() + "\n" + e.hint;
  }
  return "";
}

}  // namespace

TEST_CASE("the warps of all CTAs together load every element of D once, in every shape") {
  const char* const names[] = {"tcgen05.ld.32x32b.x16", "tcgen05.ld.16x64b.x8",   "tcgen05.ld.16x128b.x4",
                               "tcgen05.ld.16x256b.x2", "tcgen05.ld.16x32bx2.x8", "tcgen05.ld.16x128b.x2.pack::16b",
                               "tcgen05.st.16x256b.x2"};
  for (const DataPath& path : data_paths())
    for (const int n : {64, 128})
      for (const char* name : names) {
        INFO(path.name << " " << n << " " << name);
        const Accumulator d(path, n);
        const Fragment f = find_fragment({.name = name});
        REQUIRE(d.columns() % f.columns == 0);
        std::set<std::pair<int, int>> loaded;
        int faults = 0, held = 0;
        for (int cta = 0; cta < path.cta_group; ++cta)
          for (int warp = 0; warp < 4; ++warp)
            for (int lane = 0; lane + f.rows <= 32; lane += 16)
              for (int column = 0; column < d.columns(); column += f.columns) {
                const AccumulatorAccess access(d, {cta, warp, lane, column});
                access.require_window(f);
                for (int thread = 0; thread < 32; ++thread)
                  for (int value = 0; value < f.values(); ++value) {
                    const Coordinate at = f.at(thread, value);
                    const auto element = access.element(at);
                    if (!element) continue;
                    ++held;
                    loaded.insert({element->row, element->column});
                    faults += d.place(*element) != TmemCell{cta, 32 * warp + lane + at.row, column + at.column};
                  }
              }
        CHECK(faults == 0);
        CHECK(held == path.m * n);
        CHECK(std::ssize(loaded) == held);
      }
}

TEST_CASE("worked examples") {
  const AccumulatorAccess f(Accumulator(require_data_path({.m = 64}), 256), {.warp = 1, .column = 64});
  CHECK(f.element({11, 19}) == Coordinate{27, 83});
  CHECK_FALSE(f.element({16, 0}));
  // D[100][200] of M 128, N 256, cta_group::2 lies in CTA 1, lane 100, column 72
  const AccumulatorAccess b(Accumulator(require_data_path({.m = 128, .cta_group = 2}), 256),
                            {.cta = 1, .warp = 3, .column = 64});
  CHECK(b.element({4, 8}) == Coordinate{100, 200});
}

TEST_CASE("where no access begins") {
  CHECK(refusal({}, {.cta = 1}) == "there is no CTA 1 with cta_group::1\nleave cta out");
  CHECK(refusal({}, {.warp = 4}) ==
        "a warpgroup has no warp 4\nwarps are 0 to 3: warp w of the kernel reaches the lanes of w % 4");
  CHECK(refusal({}, {.lane = 8}) == "no access begins at lane 8 of the warp's quarter\nlane is 0 or 16");
  CHECK(refusal({}, {.lane = 16}) == "tcgen05.ld.32x32b.x8 takes all 32 lanes of the warp\nlane is 0");
  CHECK(refusal({}, {.lane = 16}, "tcgen05.ld.16x64b.x8") == "");
  CHECK(refusal({}, {.column = 128}) == "D has no column 128 in tensor memory\ncolumns are 0 to 127");
  CHECK(refusal({}, {.column = 100}, "tcgen05.ld.16x32bx2.x128") == "");
  CHECK(refusal({}, {.column = 100}, "tcgen05.ld.16x256b.x32") == "");
  CHECK(refusal({}, {.column = 1}, "tcgen05.ld.16x32bx2.x128.pack::16b") ==
        "columns 1 to 512 leave tensor memory, which has 512\nbegin at a lower column, or take a smaller .xN");
}
