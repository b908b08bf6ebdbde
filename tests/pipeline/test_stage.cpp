// SPDX-License-Identifier: Apache-2.0
// The stages of a pipeline: the worked totals of clusters_tma.md by hand, CUTLASS's own counts, all orders of buffers,
// and every wrong total named.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "cluster/loads.hpp"
#include "pipeline/stage.hpp"

namespace swz {
namespace {

struct Given {
  std::string target = "sm_90a";
  std::string_view dtype = "f16", kind = {};
  int cta_group = 1, vec = 0;
  int cluster_x = 1, cluster_y = 1;
  std::int64_t epilogue = 0;
};

StageQuestion question(MmaExtents tile, const Given& given) {
  const Target& target = require_target(given.target);
  StageQuestion q{.target = &target, .tile = tile, .cta_group = given.cta_group, .vec = given.vec};
  q.family = target.descriptor == SmemDescriptorKind::wgmma     ? MmaFamily::wgmma
             : target.descriptor == SmemDescriptorKind::tcgen05 ? MmaFamily::tcgen05
                                                                : MmaFamily::mma_sync;
  q.a = q.b = &require_dtype(given.dtype);
  q.kind = given.kind.empty() ? nullptr : &require_mma_kind(given.kind);
  q.mode_a = q.mode_b = &require_swizzle_mode("128B");
  q.cluster_x = std::max(given.cta_group, given.cluster_x);
  q.cluster_y = given.cluster_y;
  q.epilogue = given.epilogue;
  return q;
}

std::int64_t sum(const Stage& stage) {
  std::int64_t bytes = 0;
  for (const StageBuffer& buffer : stage.buffers) bytes += buffer.bytes;
  return bytes;
}

TEST_CASE("the worked totals of the sheet") {
  struct Row {
    MmaExtents tile;
    Given given;
    std::int64_t bytes, expect;
  };
  const Row rows[] = {
      {{128, 128, 64}, {}, 32768, 32768},
      {{256, 128, 64}, {.target = "sm_100a", .cta_group = 2}, 24576, 49152},
      {{256, 256, 256},
       {.target = "sm_100a", .dtype = "e2m1", .kind = "mxf4nvf4", .cta_group = 2, .vec = 16},
       38912,
       77824},
      {{128, 128, 128}, {.target = "sm_100a", .dtype = "e4m3", .kind = "mxf8f6f4", .vec = 32}, 33792, 33792},
      {{128, 128, 128}, {.target = "sm_100a", .dtype = "e2m1", .kind = "f8f6f4"}, 32768, 16384},
      // Cluster 2 x 2, one CTA an MMA: each barrier receives 2 slices of A and 2 of B.
      {{128, 128, 64}, {.cluster_x = 2, .cluster_y = 2}, 32768, 32768},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes);
    const Stage stage = stage_of(question(row.tile, row.given));
    CHECK(sum(stage) == row.bytes);
    CHECK(stage.tx_bytes == row.expect);
  }
  const Stage shared = stage_of(question({128, 128, 64}, {.cluster_x = 2, .cluster_y = 2}));
  for (const StageBuffer& buffer : shared.buffers) CHECK(buffer.slice == 8192);
}

TEST_CASE("the stages of the sheet's kernels") {
  struct Row {
    MmaExtents tile;
    Given given;
    std::int64_t stages;
  };
  const std::string_view f16 = "f16";
  const Row rows[] = {
      {{128, 128, 64}, {.epilogue = 17408}, 6},
      {{128, 256, 64}, {.epilogue = 33792}, 4},
      {{128, 256, 64}, {.epilogue = 67584}, 3},
      {{64, 64, 64}, {.epilogue = 13312}, 13},
      {{64, 256, 64}, {.epilogue = 9216}, 5},
      {{64, 128, 128}, {.dtype = "e4m3", .epilogue = 26624}, 8},
      {{128, 128, 32}, {.dtype = "tf32", .epilogue = 67584}, 5},
      {{128, 128, 64}, {.target = "sm_100a", .dtype = f16, .epilogue = 33792}, 6},
      {{256, 256, 64}, {.target = "sm_100a", .cta_group = 2, .epilogue = 67584}, 5},
      {{256, 128, 64}, {.target = "sm_100a", .cta_group = 2, .epilogue = 33792}, 8},
      {{128, 128, 128}, {.target = "sm_100a", .dtype = "e4m3", .kind = "mxf8f6f4", .vec = 32, .epilogue = 33792}, 5},
      {{256, 256, 128},
       {.target = "sm_100a", .dtype = "e4m3", .kind = "mxf8f6f4", .cta_group = 2, .vec = 32, .epilogue = 67584},
       4},
      {{256, 128, 256},
       {.target = "sm_100a", .dtype = "e2m1", .kind = "mxf4nvf4", .cta_group = 2, .vec = 16, .epilogue = 33792},
       6},
      {{128, 128, 128}, {.target = "sm_120a", .dtype = "e2m1", .kind = "mxf4nvf4", .vec = 16, .epilogue = 13312}, 4},
      {{128, 128, 256}, {.target = "sm_120a", .dtype = "e2m1", .kind = "mxf4nvf4", .vec = 16, .epilogue = 13312}, 2},
      {{128, 128, 128}, {.target = "sm_120a", .dtype = "e4m3", .kind = "mxf8f6f4", .vec = 32, .epilogue = 13312}, 2},
      {{64, 64, 128}, {.target = "sm_120a", .dtype = "e4m3", .kind = "f8f6f4", .epilogue = 13312}, 5},
  };
  for (const Row& row : rows) {
    CAPTURE(row.given.target);
    CAPTURE(to_string(row.tile));
    CAPTURE(row.given.dtype);
    CHECK(stage_of(question(row.tile, row.given)).cutlass_count == row.stages);
  }
}

TEST_CASE("CUTLASS's own functions give the same count for every recorded tile") {
  std::ifstream in(std::string(SWZ_SOURCE_DIR) + "/tests/data/stage_counts.txt");
  REQUIRE(in);
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    CAPTURE(line);
    std::istringstream words(line);
    std::string family, kind;
    int bits = 0, cta_group = 1, vec = 0;
    std::int64_t carveout = 0, stages = 0;
    MmaExtents tile;
    words >> family >> kind >> bits >> tile.m >> tile.n >> tile.k >> cta_group >> vec >> carveout >> stages;
    REQUIRE(words);
    const std::string_view dtype = bits == 32 ? "tf32" : bits == 16 ? "f16" : bits == 8 ? "e4m3" : "e2m1";
    const StageQuestion q = question(tile, {.target = family == "wgmma"     ? "sm_90a"
                                                      : family == "tcgen05" ? "sm_100a"
                                                                            : "sm_120a",
                                            .dtype = dtype,
                                            .kind = kind == "-" ? std::string_view() : std::string_view(kind),
                                            .cta_group = cta_group,
                                            .vec = vec,
                                            .epilogue = carveout});
    if (stages == 0) CHECK_THROWS_AS(stage_of(q), Error);
    else CHECK(stage_of(q).cutlass_count == stages);
  }
  CHECK(count >= 500);
}

StageQuestion drawn(Random& random) {
  const std::string_view kinds[] = {"", "", "mxf8f6f4", "mxf4nvf4", "f8f6f4"};
  const std::string_view kind = kinds[random.below(5)];
  const std::string_view dtypes[] = {"f16", "e4m3", "tf32"};
  Given given{.target = kind.empty() && random.below(2) == 0 ? "sm_90a" : "sm_100a", .kind = kind};
  given.dtype = kind.empty() ? dtypes[random.below(3)] : kind == "mxf4nvf4" || random.below(2) == 0 ? "e2m1" : "e3m2";
  if (given.target == "sm_100a") given.cta_group = 1 + static_cast<int>(random.below(2));
  given.vec = kind == "mxf8f6f4" ? 32 : kind == "mxf4nvf4" ? 16 : 0;
  given.cluster_x = given.cta_group * (1 << random.below(2));
  given.cluster_y = 1 << random.below(3);
  given.epilogue = 1024 * random.below(40);
  StageQuestion q = question({128 * given.cta_group, 64 * given.cta_group * (1 + random.below(3)), 128}, given);
  const char* modes[] = {"128B", "64B", "32B", "none"};
  q.mode_a = &require_swizzle_mode(modes[random.below(4)]);
  q.mode_b = &require_swizzle_mode(modes[random.below(4)]);
  q.sparse = random.below(4) == 0;
  return q;
}

TEST_CASE("buffers are aligned and apart, no order takes fewer bytes, and one more stage does not fit") {
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    const StageQuestion q = drawn(random);
    CAPTURE(i);
    const Stage stage = stage_of(q);
    std::int64_t end = 0, most = 1;
    for (const StageBuffer& buffer : stage.buffers) {
      CHECK(buffer.offset >= end);
      CHECK(buffer.offset % buffer.alignment == 0);
      CHECK(buffer.bytes % buffer.slice == 0);
      end = buffer.offset + buffer.bytes;
      most = std::max(most, buffer.alignment);
    }
    CHECK(stage.bytes >= end);
    CHECK(stage.bytes % most == 0);
    CHECK(stage.bytes - sum(stage) == stage.wasted);
    // No arrangement is smaller than all bytes, rounded up to the largest alignment.
    CHECK(stage.bytes == (sum(stage) + most - 1) / most * most);
    const std::int64_t room = q.target->max_smem_per_cta.count - q.epilogue;
    CHECK(stage.count * (stage.bytes + barrier_bytes_of_stage) + stage.left == room);
    CHECK(stage.left < stage.bytes + barrier_bytes_of_stage);
  }
}

TEST_CASE("each wrong total is reported by its name, and the right one is not") {
  Random random(8);
  std::vector<std::string> told;
  for (int i = 0; i < 2000; ++i) {
    const StageQuestion q = drawn(random);
    const Stage stage = stage_of(q);
    CHECK_FALSE(lint_of_expected(q, stage, stage.tx_bytes).has_value());
    for (const WrongTotal& wrong : wrong_totals(q, stage)) {
      const auto finding = lint_of_expected(q, stage, wrong.bytes);
      REQUIRE(finding.has_value());
      CHECK(finding->rule == "expect-" + std::string(wrong.name));
      CHECK(finding->message.find(wrong.bytes > stage.tx_bytes ? "never ends" : "before the data") !=
            std::string::npos);
      told.push_back(finding->rule);
    }
    CHECK(lint_of_expected(q, stage, stage.tx_bytes + 4)->rule == "expect-tx");
  }
  std::ranges::sort(told);
  told.erase(std::unique(told.begin(), told.end()), told.end());
  CHECK(told.size() >= 6);
}

TEST_CASE("arrivals are those of CUTLASS's pipelines") {
  const auto empty = [](MmaExtents tile, const Given& given) { return stage_of(question(tile, given)).empty_arrivals; };
  CHECK(empty({128, 128, 64}, {}) == 256);
  CHECK(empty({128, 128, 64}, {.cluster_x = 2, .cluster_y = 2}) == 6);
  CHECK(empty({128, 128, 64}, {.target = "sm_100a", .cluster_x = 4, .cluster_y = 2}) == 5);
  CHECK(empty({256, 128, 64}, {.target = "sm_100a", .cta_group = 2, .cluster_x = 4, .cluster_y = 2}) == 3);
}

// Two rooms count the bytes of a barrier: the stage by its elements, the cluster by the boxes of its copies.
TEST_CASE("a barrier expects what the copies of the cluster bring, with scale factors and slots") {
  Random random(333);
  struct Kind {
    std::string_view name, dtype;
    int vec;
  };
  constexpr Kind kinds[] = {{"f16", "bf16", 0},       {"f8f6f4", "e2m1", 0},    {"f8f6f4", "e4m3", 0},
                            {"mxf8f6f4", "e3m2", 32}, {"mxf4nvf4", "e2m1", 16}, {"mxf4", "e2m1", 32}};
  int agreed = 0;
  for (int draw = 0; draw < 3000; ++draw) {
    const Kind& kind = kinds[random.below(std::size(kinds))];
    const int a = 1 + static_cast<int>(random.below(2));
    const MmaExtents tile{64 * a * (1 + random.below(4)), 16 * a * (1 + random.below(8)), 128 << random.below(2)};
    const ClusterMma mma{{a << random.below(2), 1 << static_cast<int>(random.below(3))}, a};
    StageQuestion q = question(tile, {.target = "sm_100a",
                                      .dtype = kind.dtype,
                                      .kind = kind.name,
                                      .cta_group = a,
                                      .vec = kind.vec,
                                      .cluster_x = mma.shape.x,
                                      .cluster_y = mma.shape.y});
    const auto operand = [&](OperandRole role) {
      SmemTileValues values{.dtype = *q.a, .swizzle = *q.mode_a, .target = q.target};
      values.packing = packing_of(*q.kind, *q.a);
      return shared_operand(mma, role, tile, values, *q.target);
    };
    CAPTURE(kind.name);
    CAPTURE(to_string(tile));
    CAPTURE(to_string(mma.shape));
    try {
      const SharedOperand of_a = operand(OperandRole::a), of_b = operand(OperandRole::b);
      std::optional<SharedScales> scales;
      if (kind.vec != 0) scales = shared_scales(mma, tile, kind.vec);
      CHECK(barrier_bytes(mma, of_a, of_b, scales).total().count == stage_of(q).tx_bytes);
      ++agreed;
    } catch (const Error&) {
      // TMA does not make the tile, or a stage does not fit: other tests.
    }
  }
  CHECK(agreed > 1000);
}

TEST_CASE("what cannot be is refused with the rule and the way out") {
  const auto message = [](const StageQuestion& q) -> std::string {
    try {
      stage_of(q);
      return "";
    } catch (const Error& e) {
      return e.message() + "; " + e.hint;
    }
  };
  CHECK(message(question({256, 256, 256}, {})) ==
        "one stage of 262144 B does not fit into the 232448 B of shared memory that sm_90a leaves beside the "
        "epilogue's 0 B; "
        "K 128 fits");
  CHECK(message(question({64, 64, 16}, {.cluster_y = 16})) == "");
  CHECK(message(question({64, 8, 16}, {.cluster_x = 4})) ==
        "4 CTAs cannot share B of 256 B: a slice is not a multiple of 128 B; a smaller cluster, or a larger tile (PTX "
        "ISA "
        "9.3, 9.7.9.26: shared addresses of TMA)");
  StageQuestion odd = question({256, 128, 64}, {.target = "sm_100a", .cta_group = 2});
  odd.cluster_x = 3;
  CHECK(message(odd) == "a cluster of 3 CTAs along M has no pairs; an even number along M");
  CHECK(message(question({128, 128, 96}, {.target = "sm_100a", .dtype = "e4m3", .kind = "mxf8f6f4", .vec = 32})) ==
        "K 96 is not a multiple of 4 scale factors of 32 elements; the nearest is 128");
}

}  // namespace
}  // namespace swz
