// SPDX-License-Identifier: Apache-2.0
#include "tmem/plan_lints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "arch/narrow.hpp"
#include "arch/tcgen05.hpp"
#include "base/text.hpp"
#include "tmem/metadata.hpp"
#include "tmem/operand_a.hpp"
#include "tmem/scale_way.hpp"

namespace swz {
namespace {

using Advices = std::vector<Advice>;
using Kernel = PlannedKernel;

std::string columns_text(const TmemRegion& region) {
  return fmt::format("{} (columns {}-{})", region.name, region.first, region.end() - 1);
}

bool is_legal_size(const TmemRequest& r, int columns) {
  return r.exclusive ? is_exclusive_allocation(columns, most_columns(r)) : is_allocation(columns);
}

// ---- the allocation

Advices tell_size(const Kernel& k) {
  Advices said;
  for (const int columns : k.claims.allocations)
    if (!is_legal_size(k.request, columns))
      said.push_back(
          {fmt::format("an allocation of {} columns is not a {} in 32..{}", columns,
                       k.request.exclusive ? "multiple of 32" : "power of two", most_columns(k.request)),
           fmt::format("allocate {}", least_allocation(k.request, columns).value_or(most_columns(k.request)))});
  return said;
}

Advices tell_exclusive(const Kernel& k) {
  if (!k.request.exclusive || (k.claims.allocations.size() < 2 && k.request.ctas_per_sm == 1)) return {};
  return {{"tcgen05.alloc.exclusive has to be the only live allocation",
           "allocate once, in one CTA of an SM; or take tcgen05.alloc"}};
}

Advices tell_small(const Kernel& k) {
  if (k.claims.allocations.empty() || k.plan.columns <= *k.plan.allocation) return {};
  const auto least = least_allocation(k.request, k.plan.columns);
  return {{fmt::format("{} columns are allocated, {} are used", *k.plan.allocation, k.plan.columns),
           least ? fmt::format("allocate {}", *least) : "no allocation holds them: keep less in tensor memory"}};
}

Advices tell_growth(const Kernel& k) {
  Advices said;
  for (std::size_t i = 1; i < k.claims.allocations.size(); ++i)
    if (k.claims.allocations[i] > k.claims.allocations[i - 1])
      said.push_back({fmt::format("an allocation of {} columns follows one of {}", k.claims.allocations[i],
                                  k.claims.allocations[i - 1]),
                      "the columns of a CTA's allocations must not grow: allocate the largest first"});
  return said;
}

Advices tell_shared(const Kernel& k) {
  const int ctas = k.request.ctas_per_sm, most = most_columns(k.request), each = k.plan.allocation.value_or(most);
  if (each * ctas <= most) return {};
  if (ctas == 1)
    return k.claims.allocations.empty()
               ? Advices{}
               : Advices{{fmt::format("the allocations have {} columns together; there are {}", each, most),
                          "tcgen05.alloc blocks until columns are free, here for ever"}};
  return {{fmt::format("{} of one SM allocate {} columns each, {} together; there are {}", plural(ctas, "CTA"), each,
                       each * ctas, most),
           fmt::format("tcgen05.alloc of the last blocks until another CTA frees its columns: at most {} each",
                       most / ctas)}};
}

// ---- the regions

const TmemNeed* need_of(const std::vector<TmemNeed>& needs, const TmemRegion& region) {
  const auto need = std::ranges::find_if(needs, [&](const TmemNeed& n) { return n.object == region.object; });
  return need == needs.end() ? nullptr : &*need;
}

// The columns that the region must have: for all stages, or for the one stage that it is.
int wanted(const TmemNeed& need, const TmemRegion& region) {
  return region.stages == need.stages ? need.total() : need.columns;
}

// Whether 16-bit elements were counted as two per column.
bool is_packed_d(const TmemNeed& need, const TmemRegion& region) {
  return need.object == TmemObject::d && 2 * region.count == wanted(need, region);
}

template <class Tell>  // for each region that has a need, with both
Advices of_regions(const Kernel& k, Tell tell) {
  Advices said;
  if (k.claims.regions.empty()) return said;
  const std::vector<TmemNeed> needs = tmem_needs(k.request);
  for (const TmemRegion& region : k.plan.regions)
    if (const TmemNeed* need = need_of(needs, region)) tell(said, region, *need);
  return said;
}

Advices tell_packed(const Kernel& k) {
  return of_regions(k, [&](Advices& said, const TmemRegion& region, const TmemNeed& need) {
    if (!is_packed_d(need, region) || k.claims.dtype_d == "f32" || k.claims.dtype_d == "s32") return;
    said.push_back({fmt::format("{} has {} columns; D takes {}, with elements of 16 bits as of 32",
                                columns_text(region), region.count, wanted(need, region)),
                    "D is never packed: a 16-bit element lies in bits 0-15 of a column of its own"});
  });
}

Advices tell_too_small(const Kernel& k) {
  return of_regions(k, [&](Advices& said, const TmemRegion& region, const TmemNeed& need) {
    const bool is_packed = is_packed_d(need, region) && k.claims.dtype_d != "f32" && k.claims.dtype_d != "s32";
    if (region.count >= wanted(need, region) || is_packed) return;
    said.push_back({fmt::format("{} has {} columns; {} takes {}", columns_text(region), region.count,
                                to_string(need.object), wanted(need, region)),
                    fmt::format("of one stage {}: {}", need.columns, formula_of(k.request, need.object))});
  });
}

// A plan uses multiples of 4; others ran multiples of 2 (open: scale-columns, metadata-columns).
Advices tell_alignment(const Kernel& k) {
  return of_regions(k, [](Advices& said, const TmemRegion& region, const TmemNeed& need) {
    const int least = std::min(need.alignment, 2);
    if (region.first % least == 0) return;
    said.push_back({fmt::format("{} does not begin at a multiple of {} columns", columns_text(region), least),
                    "multiples of 2 were seen to work, CUTLASS and DeepGEMM take multiples of 4; whether the hardware "
                    "takes others is open"});
  });
}

Advices tell_missing(const Kernel& k) {
  Advices said;
  // A region with a name of the kernel may be any of the objects.
  const bool has_own = std::ranges::any_of(k.plan.regions, [](const TmemRegion& r) { return !r.object; });
  if (k.claims.regions.empty() || has_own) return said;
  for (const TmemNeed& need : tmem_needs(k.request))
    if (std::ranges::none_of(k.plan.regions, [&](const TmemRegion& r) { return r.object == need.object; }))
      said.push_back(
          {fmt::format("{} has no region; it takes {}", to_string(need.object), plural(need.total(), "column")),
           fmt::format("name it: --region {}=FIRST+{}", to_string(need.object), need.total())});
  return said;
}

Advices tell_overlap(const Kernel& k) {
  Advices said;
  const auto& regions = k.plan.regions;
  for (std::size_t i = 0; i < regions.size(); ++i)
    for (std::size_t j = i + 1; j < regions.size(); ++j)
      if (share_cells(regions[i], regions[j]))
        said.push_back({fmt::format("{} and {} share columns {}-{}", regions[i].name, regions[j].name,
                                    std::max(regions[i].first, regions[j].first),
                                    std::min(regions[i].end(), regions[j].end()) - 1),
                        "right only if one is dead before the other is written"});
  return said;
}

// ---- lanes, scales, bytes

Advices tell_lanes(const Kernel& k) {
  Advices said;
  for (const WarpLanes& access : k.claims.accesses) {
    const int first = access.warp % 4 * tmem_quarter, last = first + tmem_quarter - 1;
    if (access.first >= first && access.last <= last) continue;
    const bool is_one_quarter = access.first / tmem_quarter == access.last / tmem_quarter;
    said.push_back(
        {fmt::format("warp {} reaches lanes {}-{}, not {}-{}", access.warp, first, last, access.first, access.last),
         is_one_quarter ? fmt::format("they belong to warp {} of each warpgroup", access.first / tmem_quarter)
                        : "each warp of the warpgroup takes its 32 lanes"});
  }
  return said;
}

ScalePlacement placement_of_b(const Kernel& k) {
  return {k.request.scales, ScaleOperand::b, k.request.shape.m, k.request.n, k.request.shape.cta_group};
}

Advices tell_sfb_copy(const Kernel& k) {
  if (k.claims.sfb_copy == nullptr || k.request.scales == nullptr) return {};
  const ScalePlacement placement = placement_of_b(k);
  const TmemCopy& right = scale_copy(placement);
  if (&right == k.claims.sfb_copy) return {};
  return {{fmt::format("the factors of B are copied with {}; of M {}, cta_group::{} they need {}",
                       full_name(*k.claims.sfb_copy), placement.m, placement.cta_group, full_name(right)),
           placement.is_split() ? "each half of N lies in one half of the lanes, twice"
                                : "all four quarters of the lanes hold all of N"}};
}

Advices tell_sfb_both(const Kernel& k) {
  if (k.claims.sfb_in_both.value_or(true)) return {};
  return {{fmt::format("each CTA of the pair needs the factors of B for all {} columns of N", k.request.n),
           "B is split over the pair, its factors are not: load or multicast them to both"}};
}

Advices tell_scale_layout(const Kernel& k) {
  if (k.claims.scale_layout == nullptr || k.claims.scale_layout->name == "128x4") return {};
  // DeepGEMM's kernels transpose their words themselves.
  if (k.claims.scale_layout->name == "deepgemm_packed" && !k.claims.for_cublas) return {};
  const ScaleExtents extents{k.request.n, mmas(k.request) * k.request.scales->factors};
  const ScaleLayout right("128x4", extents), claimed(*k.claims.scale_layout, extents);
  // The first factor that the two layouts have in different places.
  ScaleCoordinate at;
  while (at.row < extents.rows && right.offset(at) == claimed.offset(at))
    if (++at.kb == extents.factors) at = {at.row + 1, 0};
  if (at.row == extents.rows) return {};
  return {{fmt::format("{} takes factors in 128x4 tiles, not {}: of rows of {} factors, factor {} of row {} would be "
                       "read from byte {}; it lies at {}",
                       k.claims.for_cublas ? "cuBLAS" : "tcgen05.cp", k.claims.scale_layout->name, extents.factors,
                       at.kb, at.row, right.offset(at).count, claimed.offset(at).count),
           "bring them into 128x4 tiles: swz sf place shows both"}};
}

// The byte counts that a barrier may wait for: A, B or everything in the stage; for a pair also those of both CTAs.
std::vector<std::int64_t> sums_of(const StageBytes& s, std::int64_t a, std::int64_t b, int ctas) {
  std::vector<std::int64_t> sums;
  for (int times = 1; times <= ctas; ++times)
    for (const std::int64_t sum :
         {a, b, a + b, a + b + s.scales(), a + b + s.metadata, a + b + s.scales() + s.metadata})
      sums.push_back(times * sum);
  return sums;
}

enum class TxClaim { none, right, padded, unknown };

TxClaim tx_claim(const Kernel& k) {
  if (!k.claims.expect_tx) return TxClaim::none;
  const StageBytes s = stage_bytes(k.request, k.claims.dtype_b);
  const int ctas = k.request.shape.cta_group;
  const auto is_in = [&](const std::vector<std::int64_t>& sums) {
    return std::ranges::find(sums, k.claims.expect_tx->count) != sums.end();
  };
  if (is_in(sums_of(s, s.a, s.b, ctas))) return TxClaim::right;
  const bool is_padded = is_in(sums_of(s, s.padded_a, s.padded_b, ctas)) || is_in(sums_of(s, s.padded_a, s.b, ctas)) ||
                         is_in(sums_of(s, s.a, s.padded_b, ctas));
  return is_padded ? TxClaim::padded : TxClaim::unknown;
}

Advices tell_tx_padding(const Kernel& k) {
  if (tx_claim(k) != TxClaim::padded) return {};
  return {{fmt::format("{} B count the gaps of shared memory; the mbarrier counts the bytes of global memory",
                       k.claims.expect_tx->count),
           to_string(stage_bytes(k.request, k.claims.dtype_b))}};
}

Advices tell_tx_bytes(const Kernel& k) {
  if (tx_claim(k) != TxClaim::unknown) return {};
  return {{fmt::format("{} B are not the bytes of A, of B or of a whole stage", k.claims.expect_tx->count),
           to_string(stage_bytes(k.request, k.claims.dtype_b))}};
}

constexpr Source alloc{"PTX ISA 9.1, 9.7.16.7.1; ptxas 13.5.37"}, alloc_ptx{"PTX ISA 9.1, 9.7.16.7.1"};
constexpr Source alloc_exclusive{"PTX ISA 9.4, 9.7.18.7"};
constexpr Source d_data{"PTX ISA 9.1, 9.7.16.10.4.1; CUTLASS 4.7 tmem_frg"};
constexpr Source formulas{"PTX ISA 9.1, 9.7.16.10; CUTLASS 4.7 tmem_frg, tmem_sf_frg, tmem_e_frg"};
constexpr Source columns{
    "Nymph test_block_scaled_f4_cg2_m128 and JAX test_mma_sparse, on a Blackwell: multiples of 2; no document",
    Evidence::reported};
constexpr Source cells{"each cell holds 32 bits once", Evidence::derived};
constexpr Source quarter{"PTX ISA 9.1, 9.7.16.8.1"};
constexpr Source pair{"NVIDIA's CuTe-DSL example 2cta_mma_blockscale_m128; CUTLASS 4.7 tmem_sf_frg", Evidence::header};
constexpr Source tiles{"cuBLAS 3.1.4.4.2; CUTLASS 4.7 sm100_blockscaled_layout.hpp"};
constexpr Source tx{
    "mjolnir-kernel 0.2.0 on a Jetson AGX Thor; CUTLASS 4.7 TmaTransactionBytes; CuTe-DSL global_tx_bytes",
    Evidence::reported};

constexpr PlanRule rules[] = {
    {"allocation-size", tell_size, alloc},        {"allocation-exclusive", tell_exclusive, alloc_exclusive},
    {"allocation-small", tell_small, alloc_ptx},  {"allocation-grows", tell_growth, alloc_ptx},
    {"allocation-total", tell_shared, alloc_ptx}, {"d-packed", tell_packed, d_data},
    {"region-small", tell_too_small, formulas},   {"region-alignment", tell_alignment, columns},
    {"region-missing", tell_missing, formulas},   {"region-overlap", tell_overlap, cells},
    {"warp-lanes", tell_lanes, quarter},          {"sfb-copy", tell_sfb_copy, pair},
    {"sfb-both", tell_sfb_both, formulas},        {"scale-layout", tell_scale_layout, tiles},
    {"tx-padding", tell_tx_padding, tx},          {"tx-bytes", tell_tx_bytes, tx},
};

}  // namespace

StageBytes stage_bytes(const TmemRequest& r, std::string_view dtype_b) {
  const std::string_view b = dtype_b.empty() ? r.dtype : dtype_b;
  const auto bits = [&](std::string_view dtype) { return container_of(r.kind, dtype).value_bits; };
  // In shared memory an element takes 8 bits if elements have gaps.
  const auto padded = [&](std::string_view dtype) { return row_of(r.kind).has_8bit_slots ? 8 : bits(dtype); };
  const std::int64_t rows = r.shape.m / r.shape.cta_group, columns = r.n / r.shape.cta_group;
  const std::int64_t kept = r.shape.sparse ? r.k / 2 : r.k;
  StageBytes s;
  s.a = rows * kept * bits(r.dtype) / 8;
  s.b = columns * r.k * bits(b) / 8;
  s.padded_a = rows * kept * padded(r.dtype) / 8;
  s.padded_b = columns * r.k * padded(b) / 8;
  if (r.a_in_tmem) s.a = s.padded_a = 0;
  if (r.scales != nullptr) {
    const std::int64_t factors = std::int64_t{mmas(r)} * r.scales->factors;
    s.sfa = ScaleLayout("128x4", {rows, factors}).size().count;
    // With halves of N each half has its own tile.
    const ScalePlacement sfb{r.scales, ScaleOperand::b, r.shape.m, r.n, r.shape.cta_group};
    s.sfb = ScaleLayout("128x4", {sfb.is_split() ? 256 : r.n, factors}).size().count;
  }
  if (r.shape.sparse) s.metadata = rows * mmas(r) * require_sparse_form(r.kind).row_bits() / 8;
  return s;
}

std::string to_string(const StageBytes& s) {
  std::string text = fmt::format("of one stage and CTA: A {} B, B {} B", s.a, s.b);
  if (s.scales() != 0) text += fmt::format(", scale factors {} B", s.scales());
  if (s.metadata != 0) text += fmt::format(", metadata {} B", s.metadata);
  return text;
}

std::span<const PlanRule> plan_rules() { return rules; }

std::vector<Finding> lint(const PlannedKernel& kernel) {
  std::vector<Finding> findings;
  for (const PlanRule& rule : rules)
    for (Advice& advice : rule.tell(kernel))
      findings.push_back(lint(rule.name, std::move(advice.message), std::move(advice.hint), to_string(rule.source)));
  return findings;
}

}  // namespace swz
