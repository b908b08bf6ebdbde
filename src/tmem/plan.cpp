// SPDX-License-Identifier: Apache-2.0
#include "tmem/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "arch/tcgen05.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "tmem/accumulator.hpp"
#include "tmem/metadata.hpp"
#include "tmem/operand_a.hpp"

namespace swz {
namespace {

constexpr int least_columns = 32;   // smallest allocation
constexpr int aligned_columns = 4;  // scales and metadata begin at multiples of it

constexpr int round_up(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

KSize k_size(const TmemRequest& r) { return r.scales != nullptr ? r.scales->k : KSize::usual; }

TmemNeed need_of_d(const TmemRequest& r) {
  const DataPath& path = require_data_path(r.shape);
  const int columns = Accumulator(path, r.n).columns();
  const bool interleaved = is_interleaved(r);
  return {.object = TmemObject::d,
          .stages = r.stages,
          .columns = columns,
          .pitch = columns,
          .lanes = path.is_scattered && !interleaved ? tmem_quarter / 2 : tmem_quarter,
          .side_by_side = interleaved ? 2 : 1};
}

int kept_k(const TmemRequest& r) { return r.shape.sparse ? r.k / 2 : r.k; }

TmemNeed need_of_a(const TmemRequest& r) {
  const DataPath& path = require_data_path(r.shape);
  const Container container = container_of(r.kind, r.dtype);
  operand_a_place(path, container, 0, 0, 0);  // throws if there is no answer
  const int columns = kept_k(r) * container.bits / 32;
  return {.object = TmemObject::a,
          .stages = r.a_stages,
          .columns = columns,
          .pitch = columns,
          .lanes = path.is_scattered ? tmem_quarter / 2 : tmem_quarter};
}

ScalePlacement placement_of(const TmemRequest& r, TmemObject object) {
  const bool is_a = object == TmemObject::sfa;
  return {.kind = r.scales,
          .operand = is_a ? ScaleOperand::a : ScaleOperand::b,
          .m = r.shape.m,
          .n = r.n,
          .cta_group = r.shape.cta_group,
          .in_128_lanes = is_a && r.sfa_in_128_lanes};
}

int factors_of(const TmemRequest& r) { return mmas(r) * r.scales->factors; }

// A need whose stages all begin at a multiple at which the first may begin.
TmemNeed aligned_need(TmemObject object, int stages, int columns) {
  return {.object = object,
          .stages = stages,
          .columns = columns,
          .pitch = round_up(columns, aligned_columns),
          .alignment = aligned_columns};
}

TmemNeed need_of_scales(const TmemRequest& r, TmemObject object) {
  const int words = (factors_of(r) + 3) / 4;
  return aligned_need(object, r.scale_stages, placement_of(r, object).columns_per_word() * words);
}

// The columns of metadata for one MMA. fp4 of sm_107 has twice as many (version 1).
int metadata_columns(const TmemRequest& r) {
  const SparseForm* newer = r.target->has_107_fields ? find_sparse_form(r.kind, 1) : nullptr;
  const SparseForm& form = newer != nullptr ? *newer : require_sparse_form(r.kind);
  return form.columns * mma_k(r) / form.k;
}

TmemNeed need_of_metadata(const TmemRequest& r) {
  return aligned_need(TmemObject::metadata, r.metadata_stages, metadata_columns(r) * mmas(r));
}

bool fits(const TmemRequest& r, int columns, std::optional<int> allocation) {
  return allocation && columns <= *allocation && *allocation * r.ctas_per_sm <= most_columns(r) &&
         (!r.exclusive || r.ctas_per_sm == 1);
}

TmemPlan finished(const TmemRequest& r, std::vector<TmemRegion> regions) {
  TmemPlan plan{std::move(regions), 0, {}, false};
  for (const TmemRegion& region : plan.regions) plan.columns = std::max(plan.columns, region.end());
  plan.allocation = r.allocated ? r.allocated : least_allocation(r, plan.columns);
  plan.fits = fits(r, plan.columns, plan.allocation);
  return plan;
}

// "D1" is stage 1 of D, "SFA" all stages of the scales of A, "P0" is not an object of swz.
struct ObjectName {
  std::optional<TmemObject> object;
  std::optional<int> stage;
};

ObjectName object_of(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  const std::string word = lower_case(name.substr(0, digits));
  for (const TmemObject object : {TmemObject::d, TmemObject::a, TmemObject::sfa, TmemObject::sfb, TmemObject::metadata})
    if (lower_case(to_string(object)) == word) {
      if (digits == name.size()) return {object, {}};
      if (name.size() - digits > 3)
        throw usage_error(fmt::format("--region {}: there is no such stage", name), "for example D1=256+256");
      return {object, std::stoi(name.substr(digits))};
    }
  return {};
}

TmemRegion region_of(const TmemRequest& r, const std::vector<TmemNeed>& needs, const GivenRegion& given) {
  const bool is_scattered = require_data_path(r.shape).is_scattered;
  if (given.lane != 0 && !is_scattered)
    throw usage_error(fmt::format("--region {}: the data path of M {} takes all lanes", given.name, r.shape.m),
                      "@16 is for data paths F and C, which take 16 lanes of each quarter");
  TmemRegion region{.name = given.name, .columns = given.count, .first = given.first, .count = given.count};
  region.lane = given.lane;
  const ObjectName name = object_of(given.name);
  const auto need = std::ranges::find_if(needs, [&](const TmemNeed& n) { return n.object == name.object; });
  if (!name.object || need == needs.end()) {
    if (given.lane != 0) region.lanes = tmem_quarter / 2;
    return region;
  }
  if (name.stage && *name.stage >= need->stages)
    throw usage_error(
        fmt::format("--region {}: there is no stage {} of {}", given.name, *name.stage, to_string(*name.object)),
        fmt::format("this kernel has {}, counted from 0", plural(need->stages, "stage")));
  region.object = name.object;
  region.stages = name.stage ? 1 : need->stages;
  const int side_by_side = std::min(need->side_by_side, region.stages);
  region.columns = given.count / ((region.stages + side_by_side - 1) / side_by_side);
  const bool is_half = need->side_by_side > 1 && region.stages == 1;
  region.lanes = is_half || given.lane != 0 ? tmem_quarter / 2 : need->lanes;
  region.formula = formula_of(r, need->object);
  return region;
}

// ---- the nearest plan that fits

// An option, its present value, and its other values, nearest first.
struct Knob {
  std::string_view option;
  int now = 0;
  std::vector<int> values;
  std::function<void(TmemRequest&, int)> set;
};

std::vector<int> below(int value, int step = 1) {
  std::vector<int> values;
  for (int i = value - step; i >= step; i -= step) values.push_back(i);
  return values;
}

std::vector<Knob> knobs_of(const TmemRequest& r) {
  std::vector<Knob> knobs;
  const auto add = [&](std::string_view option, int now, std::vector<int> values, auto set) {
    if (!values.empty()) knobs.push_back({option, now, std::move(values), set});
  };
  add("--stages", r.stages, below(r.stages), [](TmemRequest& q, int v) { q.stages = v; });
  std::vector<int> n = legal_n(choice_of(r));
  std::erase_if(n, [&](int each) { return each >= r.n; });
  std::ranges::reverse(n);
  add("--n", r.n, n, [](TmemRequest& q, int v) { q.n = v; });
  if (require_data_path(r.shape).is_scattered && !is_interleaved(r) && !r.a_in_tmem)
    add("--stacking", 0, {1}, [](TmemRequest& q, int v) { q.interleaved = v == 1; });
  if (r.a_in_tmem) {
    add("--a-in", 1, {0}, [](TmemRequest& q, int v) { q.a_in_tmem = v == 1; });
    add("--a-stages", r.a_stages, below(r.a_stages), [](TmemRequest& q, int v) { q.a_stages = v; });
  }
  if (r.a_in_tmem || r.scales != nullptr || r.shape.sparse)
    add("--k", r.k, below(r.k, mma_k(r)), [](TmemRequest& q, int v) { q.k = v; });
  if (r.scales != nullptr)
    add("--sf-stages", r.scale_stages, below(r.scale_stages), [](TmemRequest& q, int v) { q.scale_stages = v; });
  if (r.shape.sparse)
    add("--metadata-stages", r.metadata_stages, below(r.metadata_stages),
        [](TmemRequest& q, int v) { q.metadata_stages = v; });
  if (!r.exclusive && r.ctas_per_sm == 1 && r.target->tmem_columns > tmem_columns)
    add("--exclusive", 0, {1}, [](TmemRequest& q, int v) { q.exclusive = v == 1; });
  add("--ctas-per-sm", r.ctas_per_sm, below(r.ctas_per_sm), [](TmemRequest& q, int v) { q.ctas_per_sm = v; });
  if (r.allocated) {
    std::vector<int> larger;
    for (int size = least_columns; size <= most_columns(r); size += least_columns)
      if (size > *r.allocated && least_allocation(r, size) == size) larger.push_back(size);
    add("--allocate", *r.allocated, larger, [](TmemRequest& q, int v) { q.allocated = v; });
  }
  return knobs;
}

// The columns of the plan, computed without its regions.
int planned_columns(const TmemRequest& r) {
  int column = 0;
  for (const TmemNeed& need : tmem_needs(r)) column = round_up(column, need.alignment) + need.total();
  return column;
}

struct Found {
  TmemRequest request;
  std::vector<TmemChange> changes;
  int columns = 0;
};

std::optional<Found> nearest_of(const TmemRequest& request, const Knob& knob) {
  for (const int value : knob.values) {
    TmemRequest changed = request;
    knob.set(changed, value);
    const int columns = planned_columns(changed);
    if (fits(changed, columns, changed.allocated ? changed.allocated : least_allocation(changed, columns)))
      return Found{changed, {{knob.option, knob.now, value}}, columns};
  }
  return {};
}

std::optional<Found> nearest_of(const TmemRequest& request, const Knob& first, const Knob& second) {
  std::optional<Found> best;
  for (const int value : first.values) {
    TmemRequest changed = request;
    first.set(changed, value);
    auto found = nearest_of(changed, second);
    if (!found || (best && best->columns >= found->columns)) continue;
    found->changes.insert(found->changes.begin(), {first.option, first.now, value});
    best = std::move(found);
  }
  return best;
}

}  // namespace

int mma_k(const TmemRequest& r) { return k_of(r.kind, k_size(r), r.shape.sparse); }

int mmas(const TmemRequest& r) { return r.k / mma_k(r); }

bool is_interleaved(const TmemRequest& r) {
  return require_data_path(r.shape).is_scattered && r.interleaved.value_or(!r.a_in_tmem && r.stages % 2 == 0);
}

MmaChoice choice_of(const TmemRequest& r) {
  return {.kinds = kind_set({r.kind}),
          .m = r.shape.m,
          .cta_group = r.shape.cta_group,
          .ws = r.shape.ws,
          .sparse = r.shape.sparse,
          .k = k_size(r),
          .target = r.target};
}

void require_shape(const TmemRequest& r) {
  require_data_path(r.shape);
  if (!runs_on(availability_of(r.kind, k_size(r), r.shape.sparse), *r.target)) require_mma(choice_of(r));
  const std::vector<int> legal = legal_n(choice_of(r));
  const std::string form =
      fmt::format("kind {}, M {}, {}{}{}", row_of(r.kind).name, r.shape.m, group_of(choice_of(r)),
                  r.shape.sparse ? ", sparse" : "", k_size(r) != KSize::usual ? fmt::format(", K {}", mma_k(r)) : "");
  if (legal.empty()) {
    std::string others;
    for (const MmaShape& shape : mma_shapes())
      if (contains(shape.kinds, r.kind) && shape.k == k_size(r))
        others += fmt::format("{}{}{}: M {}", others.empty() ? "" : "; ", shape.group,
                              shape.sparsity == Sparsity::sparse ? " sparse" : "", to_string(shape.m));
    throw usage_error("tcgen05.mma has no " + form, others);
  }
  if (!std::ranges::binary_search(legal, r.n)) {
    const auto nearer = [&](int a, int b) { return std::abs(a - r.n) < std::abs(b - r.n); };
    throw usage_error(fmt::format("{} has no N {}", form, r.n),
                      fmt::format("the nearest is {}", *std::ranges::min_element(legal, nearer)));
  }
  if (r.k <= 0 || r.k % mma_k(r) != 0)
    throw usage_error(fmt::format("--k {} is not a whole number of MMAs of K {}", r.k, mma_k(r)),
                      fmt::format("the nearest is {}", std::max(1, (r.k + mma_k(r) / 2) / mma_k(r)) * mma_k(r)));
}

std::vector<TmemNeed> tmem_needs(const TmemRequest& r) {
  std::vector<TmemNeed> needs{need_of_d(r)};
  if (r.a_in_tmem) needs.push_back(need_of_a(r));
  if (r.scales != nullptr) {
    needs.push_back(need_of_scales(r, TmemObject::sfa));
    needs.push_back(need_of_scales(r, TmemObject::sfb));
  }
  if (r.shape.sparse) needs.push_back(need_of_metadata(r));
  return needs;
}

std::string formula_of(const TmemRequest& r, TmemObject object) {
  switch (object) {
    case TmemObject::d: {
      const int parts = require_data_path(r.shape).parts;
      return (parts == 1 ? "N" : fmt::format("N / {}", parts)) + (is_interleaved(r) ? ", two in the same columns" : "");
    }
    case TmemObject::a: return fmt::format("{} of K x {} bits / 32", kept_k(r), container_of(r.kind, r.dtype).bits);
    case TmemObject::metadata: return fmt::format("{} for each of {}", metadata_columns(r), plural(mmas(r), "MMA"));
    default:
      return fmt::format("{} for every 4 of {} factors", placement_of(r, object).columns_per_word(), factors_of(r));
  }
}

bool share_cells(const TmemRegion& a, const TmemRegion& b) {
  const bool columns = a.first < b.end() && b.first < a.end();
  return columns && a.lane < b.lane + b.lanes && b.lane < a.lane + a.lanes;
}

int most_columns(const TmemRequest& r) { return r.exclusive ? r.target->tmem_columns : tmem_columns; }

std::optional<int> least_allocation(const TmemRequest& r, int columns) {
  for (int size = least_columns; size <= most_columns(r); size += least_columns)
    if (size >= columns && (r.exclusive || is_allocation(size))) return size;
  return {};
}

TmemPlan plan_tmem(const TmemRequest& r) {
  std::vector<TmemRegion> regions;
  int column = 0;
  for (const TmemNeed& need : tmem_needs(r)) {
    TmemRegion region{.name = std::string(to_string(need.object)),
                      .object = need.object,
                      .stages = need.stages,
                      .columns = need.columns,
                      .first = round_up(column, need.alignment),
                      .count = need.total(),
                      .lanes = need.lanes,
                      .formula = formula_of(r, need.object)};
    column = region.end();
    regions.push_back(std::move(region));
  }
  return finished(r, std::move(regions));
}

TmemPlan plan_tmem(const TmemRequest& r, const std::vector<GivenRegion>& given) {
  const std::vector<TmemNeed> needs = tmem_needs(r);
  std::vector<TmemRegion> regions;
  for (const GivenRegion& each : given) {
    for (const TmemRegion& other : regions)
      if (lower_case(other.name) == lower_case(each.name))
        throw usage_error(fmt::format("--region {} is given twice", each.name), "stages have numbers: D0, D1");
    regions.push_back(region_of(r, needs, each));
  }
  return finished(r, std::move(regions));
}

std::vector<TmemAlternative> nearest_plans(const TmemRequest& r) {
  if (plan_tmem(r).fits) return {};
  std::vector<Found> found;
  const auto keep = [&](std::optional<Found> nearest) {
    if (nearest) found.push_back(std::move(*nearest));
  };
  const std::vector<Knob> knobs = knobs_of(r);
  for (const Knob& knob : knobs) keep(nearest_of(r, knob));
  if (found.empty())
    for (auto first = knobs.begin(); first != knobs.end(); ++first)
      for (auto second = first + 1; second != knobs.end(); ++second) keep(nearest_of(r, *first, *second));
  std::ranges::stable_sort(found, std::ranges::greater(), &Found::columns);
  std::vector<TmemAlternative> alternatives;
  for (Found& each : found) alternatives.push_back({std::move(each.changes), plan_tmem(each.request)});
  return alternatives;
}

}  // namespace swz
