// SPDX-License-Identifier: Apache-2.0
// Plans of tensor memory: the columns against every place that the formulas give, regions, allocations, and the nearest
// plan that fits against every other value.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "tmem/accumulator.hpp"
#include "tmem/metadata.hpp"
#include "tmem/operand_a.hpp"
#include "tmem/plan.hpp"

using namespace swz;
using enum MmaKind;

namespace {

std::string_view first_type(MmaKind kind) {
  for (const TypeCode& code : type_codes())
    if (code.role == TypeRole::a_b && contains(code.kinds, kind)) return code.dtype;
  return {};
}

TmemRequest request_of(MmaKind kind, DataPathQuery shape, int n, int tile_mmas = 4, KSize k = KSize::usual) {
  TmemRequest r{.kind = kind, .shape = shape, .n = n, .dtype = first_type(kind)};
  if (kind == MmaKind::ti16 || k != KSize::usual) r.target = &require_target("sm_107a");
  for (const ScaleKind& scales : scale_kinds())
    if (scales.kind == kind && scales.k == k) r.scales = &scales;
  r.sfa_in_128_lanes = k == KSize::twice;
  r.k = tile_mmas * mma_k(r);
  return r;
}

// Every kind, K, M, cta_group, .ws, sparse and dense that tcgen05.mma has with known scale factors.
void for_each_shape(const std::function<void(const TmemRequest&)>& tell) {
  const auto has = [](const MmaKindRow& kind, KSize k, bool sparse) {
    return k == KSize::usual || (kind.block_scaled && kind.kind != MmaKind::mxf8f6f4 && k_of(kind.kind, k, sparse) > 0);
  };
  for (const MmaKindRow& kind : mma_kinds())
    for (const KSize k : {KSize::usual, KSize::k96, KSize::twice})
      for (const int m : {32, 64, 128, 256})
        for (const int group : {1, 2})
          for (const bool ws : {false, true})
            for (const bool sparse : {false, true}) {
              if (find_data_path({m, group, ws, sparse}) == nullptr || !has(kind, k, sparse)) continue;
              const TmemRequest r = request_of(kind.kind, {m, group, ws, sparse}, 0, 4, k);
              for (const int n : legal_n(choice_of(r))) {
                TmemRequest each = r;
                each.n = n;
                tell(each);
              }
            }
}

int columns_of_d(const TmemRequest& r) {
  const Accumulator d(require_data_path(r.shape), r.n);
  int columns = 0;
  for (int n = 0; n < r.n; ++n) columns = std::max(columns, d.place({0, n}).column + 1);
  return columns;
}

int columns_of_a(const TmemRequest& r) {
  const Container container = container_of(r.kind, r.dtype);
  const int kept = r.shape.sparse ? r.k / 2 : r.k;
  return static_cast<int>(operand_a_place(require_data_path(r.shape), container, 0, kept - 1, 0).column) + 1;
}

int columns_of_scales(const TmemRequest& r, ScaleOperand operand) {
  ScalePlacement p{r.scales, operand, r.shape.m, r.n, r.shape.cta_group};
  p.in_128_lanes = operand == ScaleOperand::a && r.sfa_in_128_lanes;
  int columns = 0;
  for (int row = 0; row < p.rows(); ++row)
    for (int factor = 0; factor < mmas(r) * r.scales->factors; ++factor)
      columns = std::max(columns, scale_place(p, {row, factor}, 0).column + 1);
  return columns;
}

int columns_of_metadata(const TmemRequest& r) {
  // rubin.md 6.3: fp4 has a nibble for 4 k on sm_107, for 8 before; eight are in a column. K 192 is of sm_107 only.
  if (r.target->name == "sm_107a" && row_of(r.kind).block_scaled && r.kind != MmaKind::mxf8f6f4) return r.k / (8 * 4);
  const SparseForm& form = require_sparse_form(r.kind);
  int columns = 0;
  for (int mma = 0; mma < mmas(r); ++mma)
    for (int k = 0; k < form.k; ++k) columns = std::max(columns, metadata_place(form, 0, k, mma).column + 1);
  return columns;
}

void set(TmemRequest& r, std::string_view option, int value) {
  if (option == "--stages") r.stages = value;
  else if (option == "--n") r.n = value;
  else if (option == "--stacking") r.interleaved = value == 1;
  else if (option == "--a-in") r.a_in_tmem = value == 1;
  else if (option == "--a-stages") r.a_stages = value;
  else if (option == "--k") r.k = value;
  else if (option == "--sf-stages") r.scale_stages = value;
  else if (option == "--metadata-stages") r.metadata_stages = value;
  else if (option == "--ctas-per-sm") r.ctas_per_sm = value;
  else if (option == "--allocate") r.allocated = value;
  else if (option == "--exclusive") r.exclusive = value == 1;
  else FAIL("unknown option ", option);
}

// The other values that the option may have, the nearest first.
std::vector<int> values_of(const TmemRequest& r, std::string_view option, int now) {
  std::vector<int> values;
  if (option == "--allocate") {
    for (int size = 32; size <= 512; size *= 2)
      if (size > now) values.push_back(size);
    return values;
  }
  if (option == "--stacking" || option == "--exclusive") return {1};
  if (option == "--a-in") return {0};
  const std::vector<int> legal = legal_n(choice_of(r));
  for (int value = now - 1; value > 0; --value) {
    if (option == "--n" && std::ranges::find(legal, value) == legal.end()) continue;
    if (option == "--k" && value % mma_k(r) != 0) continue;
    values.push_back(value);
  }
  return values;
}

TmemPlan with(const TmemRequest& r, const std::vector<TmemChange>& changes) {
  TmemRequest changed = r;
  for (const TmemChange& change : changes) set(changed, change.option, change.to);
  return plan_tmem(changed);
}

}  // namespace

TEST_CASE("the columns of an object are those of its places, over every shape") {
  int faults = 0, shapes = 0;
  for_each_shape([&](TmemRequest r) {
    ++shapes;
    r.a_in_tmem = require_data_path(r.shape).name != "C";
    for (const TmemNeed& need : tmem_needs(r)) switch (need.object) {
        case TmemObject::d: faults += need.columns != columns_of_d(r); break;
        case TmemObject::a: faults += need.columns != columns_of_a(r); break;
        case TmemObject::metadata: faults += need.columns != columns_of_metadata(r); break;
        case TmemObject::sfa:
        case TmemObject::sfb: {
          // Of few rows a word takes its columns, too.
          const auto operand = need.object == TmemObject::sfa ? ScaleOperand::a : ScaleOperand::b;
          const int used = columns_of_scales(r, operand);
          faults += need.columns < used || need.columns - used >= 4;
        }
      }
  });
  CHECK(shapes > 1000);
  CHECK(faults == 0);
}

TEST_CASE("planned regions share nothing, and the allocation is the least legal power of two") {
  int faults = 0;
  for_each_shape([&](TmemRequest r) {
    for (const int stages : {1, 2, 3, 4})
      for (const int others : {1, 3}) {
        r.stages = stages;
        r.a_stages = r.scale_stages = r.metadata_stages = others;
        r.a_in_tmem = others == 3 && require_data_path(r.shape).name != "C";
        const TmemPlan plan = plan_tmem(r);
        const std::vector<TmemNeed> needs = tmem_needs(r);
        faults += needs.size() != plan.regions.size();
        int sum = 0, padding = 0;
        for (std::size_t i = 0; i < needs.size(); ++i) {
          const TmemRegion& region = plan.regions[i];
          faults += region.count != needs[i].total() || region.first % needs[i].alignment != 0;
          padding += i > 0 ? region.first - plan.regions[i - 1].end() : 0;
          sum += region.count;
          for (std::size_t j = 0; j < i; ++j) faults += share_cells(region, plan.regions[j]);
        }
        faults += plan.columns != sum + padding || padding < 0 || padding > 12;
        int least = 32;
        while (least < sum + padding) least *= 2;
        faults += least <= 512 ? plan.allocation != least || !plan.fits : plan.allocation.has_value() || plan.fits;
      }
  });
  CHECK(faults == 0);
}

TEST_CASE("what is nearest fits, and nothing nearer does") {
  constexpr std::string_view options[] = {"--stages",    "--n",           "--stacking",  "--a-in",
                                          "--a-stages",  "--k",           "--sf-stages", "--metadata-stages",
                                          "--exclusive", "--ctas-per-sm", "--allocate"};
  int faults = 0, singles = 0, pairs = 0, seen = 0;
  for_each_shape([&](TmemRequest r) {
    if (r.n % 128 != 0 && ++seen % 13 != 0) return;
    const bool has_a = require_data_path(r.shape).name != "C";
    for (const int stages : {2, 3, 6})
      for (const int ctas : {1, 3})
        for (const std::optional<int> allocated : {std::optional<int>(), std::optional(128)}) {
          r.stages = stages;
          r.ctas_per_sm = ctas;
          r.allocated = allocated;
          r.a_in_tmem = has_a && stages > 2;
          r.a_stages = r.scale_stages = r.metadata_stages = stages;
          const auto nearest = nearest_plans(r);
          if (plan_tmem(r).fits) {
            faults += !nearest.empty();
            continue;
          }
          const auto now = [&](std::string_view option) {
            const std::pair<std::string_view, int> values[] = {{"--stages", r.stages},
                                                               {"--n", r.n},
                                                               {"--stacking", 0},
                                                               {"--a-in", 1},
                                                               {"--a-stages", r.a_stages},
                                                               {"--k", r.k},
                                                               {"--sf-stages", r.scale_stages},
                                                               {"--metadata-stages", r.metadata_stages},
                                                               {"--exclusive", 0},
                                                               {"--ctas-per-sm", r.ctas_per_sm},
                                                               {"--allocate", r.allocated.value_or(512)}};
            return std::ranges::find(values, option, [](const auto& v) { return v.first; })->second;
          };
          // Interleaving does not help a path that takes all lanes, or that has it.
          const auto may = [&](std::string_view option) {
            if (option == "--stacking")
              return require_data_path(r.shape).is_scattered && !is_interleaved(r) && !r.a_in_tmem;
            // Only sm_107 has more columns than an ordinary allocation.
            if (option == "--exclusive") return r.target->tmem_columns > 512 && !r.exclusive && r.ctas_per_sm == 1;
            return option != "--a-in" || r.a_in_tmem;
          };
          const auto best = [&](std::string_view option) -> std::optional<int> {
            if (!may(option)) return {};
            for (const int value : values_of(r, option, now(option)))
              if (with(r, {{option, 0, value}}).fits) return value;
            return {};
          };
          std::size_t expected = 0;
          for (const std::string_view option : options) {
            const auto value = best(option);
            if (!value) continue;
            ++expected;
            const auto found = std::ranges::find_if(nearest, [&](const TmemAlternative& a) {
              return a.changes.size() == 1 && a.changes[0].option == option;
            });
            faults += found == nearest.end() || found->changes[0].to != *value || found->changes[0].from != now(option);
          }
          singles += static_cast<int>(expected);
          if (expected > 0) faults += nearest.size() != expected;
          for (const TmemAlternative& a : nearest) {
            const TmemPlan plan = with(r, a.changes);
            faults += !plan.fits || plan.columns != a.plan.columns || a.changes.size() != (expected > 0 ? 1 : 2);
            if (a.changes.size() != 2) continue;
            ++pairs;
            int most = 0;
            for (const int first : values_of(r, a.changes[0].option, now(a.changes[0].option)))
              for (const int second : values_of(r, a.changes[1].option, now(a.changes[1].option))) {
                const TmemPlan other = with(r, {{a.changes[0].option, 0, first}, {a.changes[1].option, 0, second}});
                if (!other.fits) continue;
                most = std::max(most, other.columns);
                break;
              }
            faults += most != a.plan.columns;
          }
          faults += !std::ranges::is_sorted(nearest, std::ranges::greater(),
                                            [](const TmemAlternative& a) { return a.plan.columns; });
        }
  });
  CHECK(faults == 0);
  CHECK(singles > 100);
  CHECK(pairs > 10);
}

TEST_CASE("two accumulators of M 128, N 256 leave no room for scales") {
  TmemRequest r = request_of(f16, {.m = 128}, 256);
  r.stages = 2;
  CHECK(plan_tmem(r).columns == 512);
  CHECK(plan_tmem(r).fits);
  r = request_of(mxf8f6f4, {.m = 128}, 256);
  r.stages = 2;
  const TmemPlan plan = plan_tmem(r);
  CHECK(plan.columns == 2 * 256 + 4 + 8);
  CHECK_FALSE(plan.allocation);
  const auto nearest = nearest_plans(r);
  REQUIRE(nearest.size() == 2);
  CHECK(nearest[0].changes[0].option == "--n");
  CHECK(nearest[0].changes[0].to == 248);
  CHECK(nearest[0].plan.columns == 2 * 248 + 4 + 8);
  CHECK(nearest[1].changes[0].option == "--stages");
  CHECK(nearest[1].plan.columns == 256 + 4 + 8);
}

TEST_CASE("alloc.exclusive: a multiple of 32 up to the columns of the target, once in an SM") {
  TmemRequest r = request_of(mxf8f6f4, {.m = 128}, 256);
  r.stages = 2;
  r.exclusive = true;
  CHECK_FALSE(plan_tmem(r).allocation);
  r.target = &require_target("sm_107a");
  CHECK(plan_tmem(r).allocation == 544);  // 524 columns
  CHECK(plan_tmem(r).fits);
  for (const auto& [columns, allocation] : {std::pair{1, 32}, {32, 32}, {33, 64}, {65, 96}, {512, 512}, {576, 576}})
    CHECK(least_allocation(r, columns) == allocation);
  CHECK_FALSE(least_allocation(r, 577));
  r.ctas_per_sm = 2;
  CHECK_FALSE(plan_tmem(r).fits);
  r.exclusive = false;
  CHECK(most_columns(r) == 512);
  CHECK(least_allocation(r, 65) == 128);
  CHECK_FALSE(least_allocation(r, 513));
}

TEST_CASE("half-used data paths: two accumulators share columns where CuTe lets them") {
  TmemRequest r = request_of(f16, {.m = 64}, 128);
  const auto columns = [&](int stages, std::optional<bool> interleaved, bool a_in_tmem = false) {
    r.stages = stages;
    r.interleaved = interleaved;
    r.a_in_tmem = a_in_tmem;
    return plan_tmem(r).regions[0].count;
  };
  CHECK(columns(1, {}) == 128);
  CHECK(columns(2, {}) == 128);
  CHECK(columns(3, {}) == 384);  // an odd number does not compile
  CHECK(columns(4, {}) == 256);
  CHECK(columns(3, true) == 256);
  CHECK(columns(4, false) == 512);
  CHECK(columns(4, {}, true) == 512);  // A has lanes of its own
}

TEST_CASE("regions as a kernel has them") {
  TmemRequest r = request_of(f16, {.m = 64}, 64);
  r.stages = 2;
  const TmemPlan plan = plan_tmem(r, {{"D0", 0, 64, 0}, {"d1", 0, 64, 16}, {"P", 32, 64, 0}});
  REQUIRE(plan.regions.size() == 3);
  CHECK(plan.columns == 96);
  CHECK(plan.regions[0].lanes == 16);
  CHECK_FALSE(share_cells(plan.regions[0], plan.regions[1]));
  CHECK(share_cells(plan.regions[0], plan.regions[2]));
  CHECK(share_cells(plan.regions[1], plan.regions[2]));
  CHECK_FALSE(plan.regions[2].object);
  CHECK(plan.allocation == 128);
  CHECK_THROWS_WITH(plan_tmem(r, {{"D", 0, 64, 0}, {"d", 64, 64, 0}}), "--region d is given twice");
  CHECK_THROWS_WITH(plan_tmem(r, {{"D2", 0, 64, 0}}), "--region D2: there is no stage 2 of D");
  r.shape.m = 128;
  CHECK_THROWS_WITH(plan_tmem(r, {{"D", 0, 64, 16}}), "--region D: the data path of M 128 takes all lanes");
}

TEST_CASE("a shape that does not exist says what does") {
  TmemRequest r = request_of(mxf8f6f4, {.m = 128}, 252);
  CHECK_THROWS_WITH(require_shape(r), "kind mxf8f6f4, M 128, cta_group::1 has no N 252");
  r.n = 256;
  r.k = 100;
  CHECK_THROWS_WITH(require_shape(r), "--k 100 is not a whole number of MMAs of K 32");
  r.shape = {.m = 64};
  CHECK_THROWS_WITH(require_shape(r), "tcgen05.mma has no kind mxf8f6f4, M 64, cta_group::1");
  r.shape = {.m = 128, .ws = true};
  CHECK_THROWS_WITH(require_shape(r), "tcgen05.mma has no kind mxf8f6f4, M 128, .ws");
}
