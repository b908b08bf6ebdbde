// SPDX-License-Identifier: Apache-2.0
#include "pipeline/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace swz {

namespace {

constexpr double kib = 1024;

// Without the mathematical library, on which the program does not depend.
constexpr int rounded_up(double value) {
  const int whole = static_cast<int>(value);
  return whole < value ? whole + 1 : whole;
}

// The bits of one element in shared memory: 4- and 6-bit types are in 8-bit slots unless all of K is packed.
int smem_bits(const CostQuestion& q) {
  const bool is_slotted = q.family == MmaFamily::tcgen05 && q.dtype->container_bits > 0 && q.mma.k <= 32;
  return is_slotted ? q.dtype->container_bits : q.dtype->memory_bits;
}

// K of a row of A in bytes, of one dense MMA: a sparse one keeps half.
int row_bytes(const CostQuestion& q) { return static_cast<int>(q.mma.k * smem_bits(q) / 8 / (q.sparse ? 2 : 1)); }

// Of one SM, from global memory, where nothing is padded; sparse A without its metadata.
std::int64_t stage_bytes(const CostQuestion& q) {
  const std::int64_t a = q.is_a_copied ? q.tile.m * q.tile.k / (q.sparse ? 2 : 1) : 0;
  return (a + q.tile.n * q.tile.k) * q.dtype->value_bits / 8 / q.cta_group;
}

std::string rows_text(const CostQuestion& q, const MmaInterval& interval) {
  return fmt::format("A {} + B {} B", interval.a_bytes, interval.b_bytes) + (q.cta_group == 2 ? " of this CTA" : "");
}

void add_shared_mma(const CostQuestion& q, Cost& cost) {
  const SharedMma mma{.is_wgmma = q.family == MmaFamily::wgmma,
                      .m = static_cast<int>(q.mma.m),
                      .n = static_cast<int>(q.mma.n),
                      .cta_group = q.cta_group,
                      .a = q.a,
                      .sparse = q.sparse,
                      .row_bytes = row_bytes(q)};
  const MmaInterval interval = mma_interval(mma);
  const auto count = static_cast<double>(cost.mmas);
  const bool is_start = interval.start > interval.tensor;
  cost.terms.push_back(
      {CostPart::tensor_core, count * std::max(interval.tensor, interval.start),
       fmt::format("{} MMA{} * {:g}{}", cost.mmas, cost.mmas == 1 ? "" : "s", std::max(interval.tensor, interval.start),
                   is_start ? " (the least with A in registers)" : ""),
       interval.source, interval.is_extrapolated});
  cost.terms.push_back({CostPart::smem_read, count * interval.smem_read,
                        fmt::format("{} * ({}) / {} B", cost.mmas, rows_text(q, interval), smem_bytes_per_cycle),
                        interval.source, interval.is_extrapolated});
  cost.interval = interval;
  // One CTA with M 64 has half of the tensor core.
  const double most_rows = q.family == MmaFamily::wgmma ? 64 : 128;
  cost.peak = most_rows * static_cast<double>(q.mma.k) * 2;
}

// Every warp reads its rows of A and its columns of B; the stage is written once.
void add_warp_reads(const CostQuestion& q, Cost& cost) {
  const std::int64_t warps = q.tile.m / q.warp_tile->mn * (q.tile.n / q.warp_tile->k);
  const std::int64_t of_warp = (q.warp_tile->mn + q.warp_tile->k) * q.tile.k * q.dtype->memory_bits / 8;
  const std::int64_t written = (q.tile.m + q.tile.n) * q.tile.k * q.dtype->memory_bits / 8;
  cost.terms.push_back({CostPart::smem_read,
                        static_cast<double>(warps * of_warp + written) / smem_bytes_per_cycle,
                        fmt::format("({} warp{} * {} + {} written) / {} B", warps, warps == 1 ? "" : "s", of_warp,
                                    written, smem_bytes_per_cycle),
                        {"32 banks of 4 B, ldmatrix without conflicts", Evidence::derived}});
}

void add_mma_sync(const CostQuestion& q, Cost& cost) {
  const auto what = rate_class(*q.dtype, q.has_f16_accumulators, q.is_block_scaled);
  if (q.gpu != nullptr && what)
    if (const auto rate = q.gpu->rate(*what)) {
      const double effective = *rate * (q.sparse ? 2 : 1);
      cost.peak = effective;
      cost.terms.push_back({CostPart::tensor_core, static_cast<double>(cost.macs) / effective,
                            fmt::format("{} * {} * {} / {:g}", q.tile.m, q.tile.n, q.tile.k, effective),
                            q.gpu->rate_source()});
    }
  if (q.warp_tile) add_warp_reads(q, cost);
}

void add_copies(const CostQuestion& q, Cost& cost) {
  cost.stage_bytes = stage_bytes(q);
  if (q.gpu == nullptr) return;
  const auto add = [&](CostPart part, double bytes_per_cycle) {
    if (bytes_per_cycle > 0)
      cost.terms.push_back({part, static_cast<double>(cost.stage_bytes) / bytes_per_cycle,
                            fmt::format("{} B / {:g} B", cost.stage_bytes, bytes_per_cycle), q.gpu->copies});
  };
  add(CostPart::l2, q.gpu->l2_bytes);
  add(CostPart::dram, q.gpu->dram_bytes);
}

bool may_bound(const CostTerm& term) { return term.part != CostPart::dram; }

}  // namespace

const CostTerm& Cost::bound() const {
  const CostTerm* most = nullptr;
  for (const CostTerm& term : terms)
    if (may_bound(term) && (most == nullptr || term.cycles > most->cycles)) most = &term;
  return *most;
}

const CostTerm* Cost::next() const {
  const CostTerm *most = &bound(), *second = nullptr;
  for (const CostTerm& term : terms)
    if (may_bound(term) && &term != most && (second == nullptr || term.cycles > second->cycles)) second = &term;
  return second;
}

const CostTerm* Cost::term(CostPart part) const {
  const auto found = std::ranges::find(terms, part, &CostTerm::part);
  return found == terms.end() ? nullptr : &*found;
}

Cost cost_of(const CostQuestion& q) {
  Cost cost;
  cost.mmas = MmaTiling(q.tile, q.mma).count();
  cost.macs = q.tile.m * q.tile.n * q.tile.k / q.cta_group;
  if (q.family == MmaFamily::mma_sync) add_mma_sync(q, cost);
  else add_shared_mma(q, cost);
  add_copies(q, cost);
  const CostTerm* l2 = cost.term(CostPart::l2);
  if (l2 != nullptr && q.gpu->copy_latency > 0)
    cost.stages = rounded_up((q.gpu->copy_latency + l2->cycles) / cost.bound().cycles) + 1;
  return cost;
}

// ---- changes

namespace {

// Accumulators of f32 of one CTA: half of what an SM has, which is 256 KiB of registers or of tensor memory, may be used
// by a tile in registers.
bool has_room(const CostQuestion& q) {
  const double accumulators = static_cast<double>(q.tile.m * q.tile.n) * 4 / q.cta_group;
  const double most = (q.family == MmaFamily::tcgen05 ? 256 : 128) * kib;
  const std::int64_t stage = (q.tile.m + q.tile.n) * q.tile.k * smem_bits(q) / 8 / q.cta_group;
  return accumulators <= most && 2 * stage <= q.target->max_smem_per_cta.count;
}

// The MMA, or the same in a pair, exists for the type on the target.
bool exists(const CostQuestion& q) {
  MmaExtents dense = q.mma;
  if (q.sparse) dense.k /= 2;
  const std::string group = fmt::format("cta_group::{}", q.cta_group);
  return std::ranges::any_of(mma_forms(dense, *q.dtype), [&](const MmaForm& form) {
    if (!form.runs_on(*q.target) || !form.instruction.starts_with(to_string(q.family))) return false;
    return q.family != MmaFamily::tcgen05 || form.groups.find(group) != std::string::npos;
  });
}

std::string tile_text(const CostQuestion& q) { return fmt::format("a tile of {} x {}", q.tile.m, q.tile.n); }

struct Candidate {
  std::string what;
  CostQuestion question;
};

std::vector<Candidate> candidates(const CostQuestion& q) {
  std::vector<Candidate> all;
  const auto add = [&](const CostQuestion& changed, std::string what) { all.push_back({std::move(what), changed}); };
  const auto with_n = [&](std::int64_t n) {
    CostQuestion changed = q;
    changed.mma.n = n;
    return changed;
  };
  if (q.family == MmaFamily::mma_sync) {
    CostQuestion wide = q, high = q;
    wide.tile.n *= 2;
    high.tile.m *= 2;
    add(wide, tile_text(wide));
    add(high, tile_text(high));
    return all;
  }
  for (std::int64_t n = q.mma.n * 2; n <= 256 && q.tile.n % n == 0; n *= 2)
    add(with_n(n), fmt::format("MMAs of N {}", n));
  const bool is_widest = q.tile.n != q.mma.n || q.mma.n > 128;
  CostQuestion wide = with_n(is_widest ? q.mma.n : q.mma.n * 2), high = q;
  wide.tile.n *= 2;
  high.tile.m *= 2;
  add(wide, is_widest ? tile_text(wide) : fmt::format("{}, MMAs of N {}", tile_text(wide), wide.mma.n));
  add(high, tile_text(high));
  if (q.a == OperandSource::smem) {
    CostQuestion on_chip = q;
    on_chip.a = q.family == MmaFamily::wgmma ? OperandSource::registers : OperandSource::tmem;
    add(on_chip, q.family == MmaFamily::wgmma ? "A from registers" : "A from tensor memory");
  }
  if (q.family == MmaFamily::tcgen05 && q.cta_group == 1) {
    CostQuestion pair = q;
    pair.cta_group = 2;
    pair.mma.m *= 2;
    pair.tile.m *= 2;
    add(pair, fmt::format("a pair of CTAs with {}", tile_text(pair)));
  }
  if (q.family == MmaFamily::tcgen05 && q.mma.m == 64 && q.cta_group == 1 && q.tile.m % 128 == 0) {
    CostQuestion full = q;
    full.mma.m = 128;
    add(full, "MMAs of M 128");
  }
  return all;
}

}  // namespace

std::vector<CostChange> faster_changes(const CostQuestion& q) {
  constexpr double least = 1.02;
  const Cost now = cost_of(q);
  if (now.term(CostPart::tensor_core) == nullptr) return {};
  std::vector<CostChange> changes;
  for (Candidate& candidate : candidates(q)) {
    if (!has_room(candidate.question) || !exists(candidate.question)) continue;
    CostChange change{std::move(candidate.what), candidate.question, cost_of(candidate.question)};
    change.faster = change.cost.macs_per_cycle() / now.macs_per_cycle();
    if (change.faster >= least) changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes, std::greater(), &CostChange::faster);
  return changes;
}

}  // namespace swz
