// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "cluster/arrivals.hpp"
#include "cluster/loads.hpp"

namespace swz {

namespace {

constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

bool is_slotted(const StageQuestion& q) { return q.kind != nullptr && q.kind->has_8bit_slots; }

int smem_bits(const StageQuestion& q, const DType& dtype) { return is_slotted(q) ? 8 : dtype.memory_bits; }
int value_bits(const StageQuestion& q, const DType& dtype) {
  return is_slotted(q) ? dtype.value_bits : dtype.memory_bits;
}

// TMA writes to multiples of 128; an MMA that counts lines from the begin of its tile needs a whole pattern.
std::int64_t alignment_of(const SwizzleMode* mode) {
  constexpr std::int64_t of_tma = 128;
  return mode == nullptr ? of_tma : std::max(of_tma, mode->pattern().count);
}

// Four bits of metadata say which of so many elements are kept.
int elements_of_nibble(const StageQuestion& q) {
  if (is_slotted(q)) return 4;
  return q.a->memory_bits == 32 ? 2 : q.a->memory_bits == 4 ? 8 : 4;
}

std::int64_t divided(std::int64_t bytes, int ctas, std::string_view what) {
  if (bytes % ctas != 0 || bytes / ctas % 128 != 0)
    throw Error(fmt::format("{} CTAs cannot share {} of {} B: a slice is not a multiple of 128 B", ctas, what, bytes),
                "a smaller cluster, or a larger tile (PTX ISA 9.3, 9.7.9.26: shared addresses of TMA)");
  return bytes / ctas;
}

ClusterMma cluster_of(const StageQuestion& q) { return {{q.cluster_x, q.cluster_y}, q.cta_group}; }

std::vector<StageBuffer> buffers_of(const StageQuestion& q) {
  const std::int64_t rows = q.tile.m / q.cta_group, columns = q.tile.n / q.cta_group;
  const std::int64_t a = rows * q.tile.k / (q.sparse ? 2 : 1), b = columns * q.tile.k;
  // Along N lie the CTAs with the same rows of A; along M, in pairs, those with the same columns of B.
  const int share_a = cluster_of(q).sharers_of_a(), share_b = cluster_of(q).sharers_of_b();
  std::vector<StageBuffer> buffers;
  const auto add = [&](StagePart part, std::int64_t bytes, std::int64_t tx_bytes, int share, std::int64_t alignment) {
    buffers.push_back({part, bytes, tx_bytes, divided(bytes, share, to_string(part)), alignment, 0});
  };
  add(StagePart::a, a * smem_bits(q, *q.a) / 8, a * value_bits(q, *q.a) / 8, share_a, alignment_of(q.mode_a));
  add(StagePart::b, b * smem_bits(q, *q.b) / 8, b * value_bits(q, *q.b) / 8, share_b, alignment_of(q.mode_b));
  if (q.vec != 0) {
    const SharedScales scales = shared_scales(cluster_of(q), q.tile, q.vec);
    add(StagePart::sfa, scales.a.count, scales.a.count, share_a, 128);
    add(StagePart::sfb, scales.b.count, scales.b.count, share_b, 128);
  }
  if (q.sparse) {
    const std::int64_t metadata = rows * q.tile.k / elements_of_nibble(q) / 2;
    add(StagePart::metadata, metadata, metadata, share_a, 128);
  }
  return buffers;
}

// Bytes from the begin of a stage to its end.
std::int64_t place(std::vector<StageBuffer>& buffers) {
  std::int64_t at = 0, most = 1;
  for (StageBuffer& buffer : buffers) {
    buffer.offset = rounded_up(at, buffer.alignment);
    at = buffer.offset + buffer.bytes;
    most = std::max(most, buffer.alignment);
  }
  return rounded_up(at, most);
}

// All orders, of at most five buffers.
std::int64_t place_in_best_order(std::vector<StageBuffer>& buffers) {
  std::vector<StageBuffer> best = buffers, order = buffers;
  std::int64_t fewest = place(best);
  std::ranges::sort(order, {}, &StageBuffer::part);
  do {
    std::vector<StageBuffer> placed = order;
    const std::int64_t bytes = place(placed);
    if (bytes < fewest) fewest = bytes, best = placed;
  } while (std::ranges::next_permutation(order, {}, &StageBuffer::part).found);
  buffers = best;
  return fewest;
}

int empty_arrivals_of(const StageQuestion& q) {
  const auto warpgroups = static_cast<int>(std::max<std::int64_t>(1, q.tile.m / 64));
  const PipelineThreads threads{.consumers = q.consumers != 0 ? q.consumers : 128 * warpgroups};
  const std::string_view wanted = q.family == MmaFamily::tcgen05 ? "PipelineTmaUmmaAsync" : "PipelineTmaAsync";
  for (const PipelineArrivals& arrivals : pipeline_arrivals(cluster_of(q), threads))
    if (arrivals.pipeline == wanted) return arrivals.empty;
  return 1;
}

std::int64_t sum_of(const Stage& stage, std::int64_t StageBuffer::*bytes) {
  std::int64_t sum = 0;
  for (const StageBuffer& buffer : stage.buffers) sum += buffer.*bytes;
  return sum;
}

// ---- CUTLASS

// What a kernel of the sm_100 builders has beside mainloop and epilogue: barriers of accumulators, of the scheduler, of
// the order of loads and of the throttle, answers of the scheduler, addresses of tensor memory; two stages of each.
std::int64_t sm100_carveout(const StageQuestion& q) {
  const std::int64_t rows = q.tile.m / q.cta_group;
  std::int64_t accumulators = q.cta_group == 1 && rows == 64 ? 512 / q.tile.n * 2 : 128 * 512 / (rows * q.tile.n);
  accumulators = std::min<std::int64_t>(4, accumulators);
  if (q.vec != 0) accumulators = q.tile.n == 256 ? 1 : 2;
  constexpr std::int64_t others = 16 * 2 + 16 + 8 + 16 * 2 + 16 * 2 + 4 * 2;
  return 16 * accumulators + others;
}

std::optional<std::int64_t> cutlass_count(const StageQuestion& q, const Stage& stage) {
  if (q.sparse) return std::nullopt;
  constexpr std::int64_t step = 128;
  const std::int64_t bytes = sum_of(stage, &StageBuffer::bytes), capacity = q.target->max_smem_per_cta.count;
  if (q.family == MmaFamily::wgmma)
    return (capacity / step * step - rounded_up(q.epilogue, step)) / (rounded_up(bytes, step) + barrier_bytes_of_stage);
  const std::int64_t beside = q.family == MmaFamily::tcgen05 ? sm100_carveout(q) : 0;
  if (q.family == MmaFamily::mma_sync && !is_slotted(q) && q.vec == 0) return std::nullopt;
  return (capacity - beside - q.epilogue) / (bytes + barrier_bytes_of_stage);
}

// The largest half, quarter, … of K whose stage fits.
std::string way_out_of(const StageQuestion& q, std::int64_t bytes, std::int64_t room) {
  std::int64_t k = q.tile.k;
  while (k % 2 == 0 && bytes + barrier_bytes_of_stage > room) k /= 2, bytes /= 2;
  return bytes + barrier_bytes_of_stage > room ? "a smaller tile" : fmt::format("K {} fits", k);
}

void require_possible(const StageQuestion& q) {
  if (q.cluster_x % q.cta_group != 0)
    throw Error(fmt::format("a cluster of {} CTAs along M has no pairs", q.cluster_x), "an even number along M");
  if (q.tile.m % q.cta_group != 0 || q.tile.n % q.cta_group != 0)
    throw Error("each CTA of a pair has half of the rows and half of the columns", "even extents of --tile");
}

}  // namespace

Stage stage_of(const StageQuestion& q) {
  require_possible(q);
  Stage stage;
  stage.buffers = buffers_of(q);
  stage.bytes = place_in_best_order(stage.buffers);
  stage.wasted = stage.bytes - sum_of(stage, &StageBuffer::bytes);
  stage.tx_bytes = q.cta_group * sum_of(stage, &StageBuffer::tx_bytes);
  stage.empty_arrivals = empty_arrivals_of(q);
  const std::int64_t room = q.target->max_smem_per_cta.count - q.epilogue,
                     with_barriers = stage.bytes + barrier_bytes_of_stage;
  if (with_barriers > room)
    throw Error(
        fmt::format(
            "one stage of {} B does not fit into the {} B of shared memory that {} leaves beside the epilogue's {} B",
            stage.bytes, std::max<std::int64_t>(0, room), q.target->name, q.epilogue),
        way_out_of(q, stage.bytes, room));
  stage.count = room / with_barriers;
  stage.left = room - stage.count * with_barriers;
  stage.cutlass_count = cutlass_count(q, stage);
  return stage;
}

std::vector<WrongTotal> wrong_totals(const StageQuestion& q, const Stage& stage) {
  const std::int64_t own = stage.tx_bytes / q.cta_group;
  std::int64_t operands = 0;
  for (const StageBuffer& buffer : stage.buffers)
    if (buffer.part == StagePart::a || buffer.part == StagePart::b) operands += buffer.tx_bytes;
  const WrongTotal all[] = {
      {"slots", q.cta_group * sum_of(stage, &StageBuffer::bytes),
       "the slots of shared memory are counted; the barrier counts the values"},
      {"one-cta", own, "both CTAs of the pair bring their data for the leader's barrier"},
      {"own-slices", q.cta_group * sum_of(stage, &StageBuffer::slice),
       "what other CTAs multicast to this one counts too"},
      {"own-slices-one-cta", sum_of(stage, &StageBuffer::slice),
       "what other CTAs multicast counts, and both CTAs of the pair count"},
      {"no-scales", q.cta_group * operands, "the scale factors or the metadata of the stage are left out"},
      {"stage-stride", q.cta_group * stage.bytes, "the gaps that align buffers are counted"},
      {"twice", 2 * stage.tx_bytes, "each byte counts once, also if two CTAs read it"},
  };
  std::vector<WrongTotal> totals;
  std::set<std::int64_t> seen = {stage.tx_bytes};
  // Without another CTA the total is not counted twice.
  if (q.cluster_x * q.cluster_y == 1) seen.insert(2 * stage.tx_bytes);
  for (const WrongTotal& total : all)
    if (seen.insert(total.bytes).second) totals.push_back(total);
  return totals;
}

std::optional<Finding> lint_of_expected(const StageQuestion& q, const Stage& stage, std::int64_t expected) {
  if (expected == stage.tx_bytes) return std::nullopt;
  constexpr std::string_view source = "PTX ISA 9.3, 9.7.13.15; CUTLASS 4.7 (header)";
  const std::string way_out = fmt::format("mbarrier.arrive.expect_tx {}", stage.tx_bytes);
  const std::string effect =
      expected > stage.tx_bytes ? "the wait never ends" : "the wait may end before the data is there";
  for (const WrongTotal& total : wrong_totals(q, stage))
    if (total.bytes == expected)
      return lint(fmt::format("expect-{}", total.name), fmt::format("{} B: {}; {}", expected, total.why, effect),
                  way_out, std::string(source));
  return lint("expect-tx",
              fmt::format("{} B are expected, {} B come; {}. A box that reaches out of the tensor counts whole",
                          expected, stage.tx_bytes, effect),
              way_out, std::string(source));
}

std::vector<StagesOnTarget> stages_by_target(const StageQuestion& q) {
  std::vector<StagesOnTarget> all;
  for (const Target& target : targets()) {
    const bool has_family = q.family == MmaFamily::wgmma     ? target.descriptor == SmemDescriptorKind::wgmma
                            : q.family == MmaFamily::tcgen05 ? target.descriptor == SmemDescriptorKind::tcgen05
                                                             : target.descriptor == SmemDescriptorKind::none;
    if (!has_family || target.name.ends_with('f')) continue;
    StageQuestion there = q;
    there.target = &target;
    try {
      all.push_back({&target, stage_of(there).count});
    } catch (const Error&) {
      all.push_back({&target, 0});
    }
  }
  return all;
}

}  // namespace swz
