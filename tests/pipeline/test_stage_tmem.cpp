// SPDX-License-Identifier: Apache-2.0
// Tensor memory of a stage: by hand for the worked tiles, against the plan of one MMA, against CUTLASS's count.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "base/random.hpp"
#include "pipeline/stage_tmem.hpp"

namespace swz {
namespace {

StageQuestion tile_of(MmaExtents tile, int cta_group, std::string_view kind, std::string_view dtype, int vec = 0) {
  StageQuestion q{.target = &sm_100a(), .family = MmaFamily::tcgen05, .tile = tile, .cta_group = cta_group};
  q.a = q.b = &require_dtype(dtype);
  q.kind = kind.empty() ? nullptr : &require_mma_kind(kind);
  q.vec = vec;
  return q;
}

struct Columns {
  int accumulators, of_one, beside, used;
  bool operator==(const Columns&) const = default;
};
Columns columns(const StageQuestion& q) {
  const std::optional<StageTmem> tmem = tmem_of(q);
  if (!tmem) return {-1, 0, 0, 0};
  return {tmem->accumulators, tmem->columns, tmem->columns_beside, tmem->used};
}

TEST_CASE("tiles worked by hand") {
  CHECK(columns(tile_of({128, 256, 64}, 1, "", "f16")) == Columns{2, 256, 0, 512});
  CHECK(columns(tile_of({256, 256, 64}, 1, "", "f16")) == Columns{1, 512, 0, 512});
  CHECK(columns(tile_of({256, 128, 64}, 2, "", "bf16")) == Columns{4, 128, 0, 512});
  CHECK(columns(tile_of({128, 512, 64}, 1, "", "f16")) == Columns{1, 512, 0, 512});
  // SFA: 16 factors of 128 rows, 4 columns for each 4; SFB: of 256 rows, and of 192 in two tiles of 128.
  CHECK(columns(tile_of({256, 256, 256}, 2, "mxf4nvf4", "e2m1", 16)) == Columns{1, 256, 48, 304});
  CHECK(columns(tile_of({256, 192, 256}, 2, "mxf4nvf4", "e2m1", 16)) == Columns{2, 192, 48, 432});
  // Two MMAs along M have each its factors of A.
  CHECK(columns(tile_of({256, 128, 128}, 1, "mxf8f6f4", "e4m3", 32)) == Columns{1, 256, 12, 268});
  // M 64 fills half of the lanes: two accumulators share columns.
  CHECK(columns(tile_of({64, 256, 64}, 1, "", "f16")) == Columns{4, 256, 0, 512});
}

TEST_CASE("a tile that is not made of MMAs, and other MMAs, have no columns") {
  CHECK(!tmem_of(tile_of({96, 128, 64}, 1, "", "f16")));
  CHECK(!tmem_of(tile_of({128, 12, 64}, 1, "", "f16")));
  CHECK(!tmem_of(tile_of({128, 128, 24}, 1, "", "f16")));
  StageQuestion hopper = tile_of({128, 128, 64}, 1, "", "f16");
  hopper.family = MmaFamily::wgmma;
  CHECK(!tmem_of(hopper));
}

TEST_CASE("one MMA has the columns that its plan has, and one accumulator more does not fit") {
  Random random(33);
  struct Kind {
    std::string_view name, dtype;
    int vec;
  };
  constexpr Kind kinds[] = {{"f16", "bf16", 0},   {"tf32", "tf32", 0},      {"f8f6f4", "e5m2", 0},   {"i8", "s8", 0},
                            {"mxf4", "e2m1", 32}, {"mxf8f6f4", "e3m2", 32}, {"mxf4nvf4", "e2m1", 16}};
  int answered = 0;
  for (int draw = 0; draw < 4000; ++draw) {
    const Kind& kind = kinds[random.below(std::size(kinds))];
    const int cta_group = 1 + static_cast<int>(random.below(2));
    const auto m = static_cast<std::int64_t>(64 << random.below(2)) * cta_group;
    const auto n = static_cast<std::int64_t>(8 * (1 + random.below(32)));
    const auto k = static_cast<std::int64_t>(64 << random.below(3));
    const StageQuestion q = tile_of({m, n, k}, cta_group, kind.name, kind.dtype, kind.vec);
    const std::optional<StageTmem> tmem = tmem_of(q);
    if (!tmem) continue;
    ++answered;
    CAPTURE(kind.name);
    CAPTURE(to_string(q.tile));
    CAPTURE(cta_group);
    TmemRequest request{.kind = require_mma_kind(kind.name).kind,
                        .shape = {.m = tmem->mma_m, .cta_group = cta_group},
                        .n = tmem->mma_n,
                        .k = static_cast<int>(k),
                        .dtype = kind.dtype};
    if (kind.vec != 0) request.scales = &require_scale_kind(request.kind, kind.vec);
    request.stages = tmem->accumulators;
    if (tmem->accumulators > 0) CHECK(plan_tmem(request).columns == tmem->used);
    CHECK(tmem->used <= 512);
    if (tmem->accumulators < 32) {
      request.stages = tmem->accumulators + 1;
      CHECK(plan_tmem(request).columns > 512);
    }
  }
  CHECK(answered > 1500);
}

TEST_CASE("as many accumulators as CUTLASS's builders take, or more") {
  for (const int m : {64, 128, 256})
    for (const int n : {32, 64, 128, 192, 256}) {
      const int cta_group = m == 256 ? 2 : 1, rows = m / cta_group;
      const Columns c = columns(tile_of({m, n, 64}, cta_group, "", "f16"));
      // clusters_tma.md, 5.3; from gemm/collective/builders/sm100_umma_builder.inl
      const int cutlass = std::min(4, rows == 64 ? 512 / n * 2 : 128 * 512 / (rows * n));
      CAPTURE(m);
      CAPTURE(n);
      CHECK(c.accumulators >= cutlass);
      if (cutlass < 4) CHECK(c.accumulators == cutlass);
    }
  for (const int n : {64, 128, 192, 256})
    CHECK(columns(tile_of({256, n, 256}, 2, "mxf4nvf4", "e2m1", 16)).accumulators >= (n == 256 ? 1 : 2));
}

}  // namespace
}  // namespace swz
