// A layout through the probes of wgmma and of TMA: layout_probe.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "probe/layout_probe.hpp"
#include "tma/plan.hpp"

namespace swz {

namespace {

constexpr std::size_t most_copies = 64;

// The TMA and wgmma that are asked swizzle absolute addresses; a layout does so where its base is a multiple of
// all.
void require_aligned(const LayoutOperand& o, Bytes unit) {
  const Bytes needed = o.layout.swizzle().is_identity() ? unit : Bytes{1024};
  if (!o.base.is_multiple_of(needed))
    throw Error(fmt::format("the base {:#x} is not a multiple of {}", o.base.count, needed.count),
                fmt::format("take a base that is a multiple of {}", needed.count));
}

}  // namespace

std::vector<WgmmaPlan> word_plans(const LayoutOperand& operand, const Placement& placement) {
  const Target& target = *operand.target;
  if (target.descriptor != SmemDescriptorKind::wgmma)
    throw Error(fmt::format("{} has no wgmma", target.name), "the probe of tcgen05 is not asked about layouts");
  require_legal(readable_choice(operand));
  element_format(operand.dtype->name);  // throws for a type that no probe carries
  require_aligned(operand, chunk);
  WgmmaInstruction instruction = wgmma_of(*operand.dtype, 0);
  for (const int n : {8, 16, 24, 32, 48, 64})
    if (placement.extents().mn % n == 0) instruction.n = n;
  if (instruction.n == 0)
    throw Error(fmt::format("{} rows are not a multiple of 8", placement.extents().mn),
                "an MMA reads 8 rows or more");
  LayoutOperand asked = operand;
  asked.mma = TileExtents{instruction.n, row_of(instruction).k};
  const LayoutDescriptors answer = layout_descriptors(asked);
  if (!answer.descriptors) throw Error(answer.reason, answer.hint);
  const OperandMemory memory = wgmma_memory();
  if (placement.begin() < memory.begin || placement.end() > memory.identity)
    throw Error(
        fmt::format("the operand does not lie between {:#x} and {:#x}", memory.begin.count, memory.identity.count),
        "above lies the identity operand of the probe: take another base");
  std::vector<WgmmaPlan> out;
  for (const MmaStep& step : answer.descriptors->steps)
    out.push_back({instruction, OperandRole::b, operand.major, step.descriptor.word()});
  return out;
}

// Words go k step by k step, and in each from block to block of rows.
std::vector<std::int64_t> read_by_words(const LayoutProbePlan& plan, std::span<const Observation> seen) {
  const TileExtents whole = plan.placement->extents();
  const TileExtents mma = plan.words.front().extents();
  const std::int64_t blocks = whole.mn / mma.mn;
  std::vector<std::int64_t> out(static_cast<std::size_t>(whole.mn * whole.k), unreadable);
  for (std::int64_t step = 0; step < std::ssize(seen); ++step)
    for (std::int64_t i = 0; i < mma.mn * mma.k; ++i) {
      const std::int64_t row = step % blocks * mma.mn + i / mma.k, k = step / blocks * mma.k + i % mma.k;
      out[static_cast<std::size_t>(row * whole.k + k)] =
          seen[static_cast<std::size_t>(step)].values[static_cast<std::size_t>(i)];
    }
  return out;
}

std::vector<TmaPlan> copy_plans(const LayoutOperand& o) {
  if (o.target->descriptor != SmemDescriptorKind::wgmma)
    throw Error(fmt::format("the probe of TMA is not asked on {}", o.target->name), "it runs on sm_90a");
  require_aligned(o, tma_smem_alignment);
  const SmemDestination to{o.layout, *o.dtype, o.packing, o.major, o.base};
  const auto answer = plan_tile(to, packed_operand(to, *o.target, to.extents()), *o.target, tensor_map_max_rank);
  if (const auto* refusal = std::get_if<Finding>(&answer)) throw Error(refusal->message, refusal->hint);
  const auto& plan = std::get<TilePlan>(answer);
  if (plan.copies.size() > most_copies)
    throw Error(fmt::format("TMA makes it by {} copies", plan.copies.size()),
                fmt::format("up to {} are asked", most_copies));
  std::vector<TmaPlan> out;
  for (const TileCopy& copy : plan.copies) {
    out.push_back({plan.map, copy.coordinate, Bytes{o.base.count + copy.smem_offset.count}});
    require_fine(out.back());
  }
  return out;
}

// The tensor holds the operand line by line without gaps, as packed_operand says.
std::vector<std::int64_t> found_by_copies(const LayoutProbePlan& plan, std::span<const Observation> seen) {
  const Placement& p = *plan.placement;
  const bool is_k_major = plan.operand.major == Major::K;
  const std::int64_t length = (is_k_major ? p.extents().k : p.extents().mn) * p.element_bits() / 8;
  const std::int64_t lines = is_k_major ? p.extents().mn : p.extents().k;
  const SmemDestination to{plan.operand.layout, *plan.operand.dtype, plan.operand.packing, plan.operand.major,
                           plan.operand.base};
  const std::int64_t stride = packed_operand(to, *plan.operand.target, to.extents()).line_stride.count;
  std::vector<std::int64_t> at(static_cast<std::size_t>(lines * stride), unreadable);
  std::vector<bool> is_twice(at.size());
  for (std::size_t copy = 0; copy < seen.size(); ++copy) {
    const std::int64_t begin = window_begin(plan.copies[copy]).count;
    for (std::size_t i = 0; i < seen[copy].values.size(); ++i) {
      const std::int64_t byte = seen[copy].values[i];
      if (byte < 0 || byte >= std::ssize(at)) continue;
      const auto from = static_cast<std::size_t>(byte);
      is_twice[from] = at[from] != unreadable;
      at[from] = begin + static_cast<std::int64_t>(i);
    }
  }
  std::vector<std::int64_t> out;
  for (std::int64_t row = 0; row < p.extents().mn; ++row)
    for (std::int64_t k = 0; k < p.extents().k; ++k) {
      const std::int64_t bit = (is_k_major ? k : row) * p.element_bits();
      const auto first = static_cast<std::size_t>((is_k_major ? row : k) * stride + bit / 8);
      bool is_whole = bit / 8 < length && at[first] != unreadable;
      for (std::size_t b = 0; is_whole && b < static_cast<std::size_t>(std::max(1, p.element_bits() / 8)); ++b)
        is_whole = !is_twice[first + b] && at[first + b] == at[first] + static_cast<std::int64_t>(b);
      out.push_back(is_whole ? at[first] * 8 + bit % 8 : unreadable);
    }
  return out;
}

}  // namespace swz
