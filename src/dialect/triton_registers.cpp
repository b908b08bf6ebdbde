// SPDX-License-Identifier: Apache-2.0
// Triton's encodings of registers: which thread has which elements, and which encoding a layout is.
//
// Bits are appended, lowest first; each takes the next power of two of its dimension. Lanes and warps for which no
// elements are left have copies. The rest of the array is in further registers.
//
//   blocked       registers sizePerThread, lanes threadsPerWarp, warps warpsPerCTA, each by order; the rest by order
//   nvidia_mma    N x2 register, N x4 lane, M x8 lane, M register up to M of instrShape, N register up to its N; warps:
//                 version 2 N first, version 3 M first; the rest N first
//   dot_op 0      K x kWidth register, K x4 lane, M x8 lane, M register up to M, K x2 register; warps, those along K copies
//   dot_op 1      K x kWidth register, K x4 lane, N x8 lane, K x2 register; warps; the rest K first
//   dot_op of blocked  all of K in registers, the threads along K are copies
//   slice         the bases of the parent without one coordinate; registers that then move nothing are dropped
//   linear        the bases as written; no two move the same bit
//
//   nvidia_mma 3 {16, 64, 16} of 64x64, 4 warps: lane 5 = 1 + 4 * 1 has (1, 2 * 1) in register 0: (row 1, column 2)
//
// thread = 32 * warp + lane. Source: triton 3.9.0 to_linear_layout (run).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "dialect/dialect.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

// Builds the bits of registers, lanes and warps, each appended in turn.
class BasesBuilder {
 public:
  explicit BasesBuilder(const ArrayShape& part) : part_(part), taken_(part.size(), 1) {}

  // Appends `count` times as many along dimension d. Registers beyond the array are dropped unless they belong to an
  // instruction.
  void append_registers(std::size_t d, std::int64_t count, bool keeps_copies = false) {
    append(result_.value, d, count, keeps_copies);
  }
  void append_lanes(std::size_t d, std::int64_t count) { append(result_.thread, d, count, true); }
  void append_copies(std::int64_t count) {
    for (; count > 1; count /= 2) result_.thread.emplace_back(part_.size());
  }
  std::int64_t taken(std::size_t d) const { return taken_[d]; }

  // Puts the rest of the array into registers.
  RegisterBases finished(const TritonNumbers& order, TritonBases block) {
    for (const std::int64_t o : order) {
      const auto d = static_cast<std::size_t>(o);
      if (taken_[d] < part_[d]) append_registers(d, part_[d] / taken_[d]);
    }
    result_.block = std::move(block);
    return std::move(result_);
  }

 private:
  void append(TritonBases& bases, std::size_t d, std::int64_t count, bool keeps_copies) {
    for (; count > 1; count /= 2, taken_[d] *= 2) {
      const bool is_inside = taken_[d] < part_[d];
      if (!is_inside && !keeps_copies) continue;
      bases.emplace_back(part_.size());
      if (is_inside) bases.back()[d] = taken_[d];
    }
  }

  const ArrayShape& part_;
  std::vector<std::int64_t> taken_;
  RegisterBases result_;
};

void require_counts(std::string_view what, const TritonNumbers& counts, std::size_t rank) {
  if (counts.size() != rank)
    throw Error(fmt::format("{} [{}] has {} numbers, order has {}: all have the same rank", what,
                            fmt::join(counts, ", "), counts.size(), rank));
  for (const std::int64_t n : counts)
    if (!is_power_of_two(n) || n > (1 << 16))
      throw Error(
          fmt::format("{} [{}]: every number must be a power of two, at most 65536", what, fmt::join(counts, ", ")));
}

void require_blocked(const Blocked& e) {
  require_order(e.order);
  require_counts("sizePerThread", e.size_per_thread, e.order.size());
  require_counts("threadsPerWarp", e.threads_per_warp, e.order.size());
  require_counts("warpsPerCTA", e.warps_per_cta, e.order.size());
}

// k is a dimension that every thread has whole; the rank for none.
RegisterBases blocked_bases(const Blocked& e, const ArrayShape& shape, std::size_t k) {
  require_blocked(e);
  require_rank(e.order.size(), shape);
  TritonBases cga = e.cga;
  for (TritonNumbers& basis : cga)
    if (k < basis.size()) basis[k] = 0;
  CtaSplit split = split_over_ctas(cga, shape);
  BasesBuilder builder(split.part);
  for (const std::int64_t o : e.order) {
    const auto d = static_cast<std::size_t>(o);
    builder.append_registers(d, d == k ? split.part[d] : e.size_per_thread[d], k < shape.size());
  }
  for (const TritonNumbers* counts : {&e.threads_per_warp, &e.warps_per_cta})
    for (const std::int64_t o : e.order) {
      const auto d = static_cast<std::size_t>(o);
      if (d == k) builder.append_copies((*counts)[d]);
      else builder.append_lanes(d, (*counts)[d]);
    }
  return builder.finished(e.order, std::move(split.block));
}

struct MmaTile {
  std::int64_t m = 0, n = 0;
};

// Throws Error if Triton refuses it or aborts.
MmaTile mma_tile(const NvidiaMma& e) {
  if (e.major != 2 && e.major != 3)
    throw Error(fmt::format("versionMajor = {}: must be 2 (Ampere) or 3 (Hopper)", e.major),
                e.major == 1 ? "Volta's encoding is gone"
                             : "an accumulator of tcgen05 is in tensor memory: #ttng.tensor_memory_encoding");
  const std::size_t rank = e.warps_per_cta.size();
  if (rank < 2 || rank > 3) throw Error("warpsPerCTA of nvidia_mma has 2 or 3 numbers", "for example [4, 1]");
  require_counts("warpsPerCTA", e.warps_per_cta, rank);
  const bool is_wgmma = e.major == 3;
  if (is_wgmma ? rank != 2 || e.instr_shape.size() < 2 || e.instr_shape.size() > 3 : e.instr_shape.size() != rank)
    throw Error(fmt::format("instrShape [{}] does not fit versionMajor = {}", fmt::join(e.instr_shape, ", "), e.major),
                is_wgmma ? "M of a warp, N, K: [16, 64, 16]" : "M and N: [16, 8], before them 1 for a batch");
  const MmaTile tile = is_wgmma ? MmaTile{e.instr_shape[0], e.instr_shape[1]}
                                : MmaTile{e.instr_shape[rank - 2], e.instr_shape[rank - 1]};
  for (const std::int64_t extent : {tile.m, tile.n})
    if (!is_power_of_two(extent) || extent < 8 || extent > 256)
      throw Error(fmt::format("instrShape [{}]: Triton aborts unless M and N are powers of two from 8 on",
                              fmt::join(e.instr_shape, ", ")),
                  "for example [16, 8], of version 3 [16, 64, 16]");
  return tile;
}

// operand is -1 for the accumulator.
RegisterBases mma_bases(const NvidiaMma& e, const ArrayShape& shape, int operand, std::int64_t k_width) {
  const MmaTile tile = mma_tile(e);
  const std::size_t rank = e.warps_per_cta.size();
  require_rank(rank, shape);
  // The rows and columns of this matrix; one of them is K.
  const std::size_t rows = rank - 2, columns = rank - 1;
  const std::size_t k = operand < 0 ? rank : operand == 0 ? columns : rows;
  TritonBases cga = e.cga;
  for (TritonNumbers& basis : cga)
    if (k < basis.size()) basis[k] = 0;
  CtaSplit split = split_over_ctas(cga, shape);
  BasesBuilder builder(split.part);
  const std::size_t fast = operand == 1 ? rows : columns, slow = operand == 1 ? columns : rows;
  builder.append_registers(fast, operand < 0 ? 2 : k_width, true);
  builder.append_lanes(fast, 4);
  builder.append_lanes(slow, 8);
  if (operand != 1) builder.append_registers(slow, tile.m / 8, true);
  builder.append_registers(fast, operand < 0 ? tile.n / 8 : 2, true);
  TritonNumbers warp_order = row_major_order(rank);
  if (e.major == 3) std::ranges::reverse(warp_order);
  for (const std::int64_t o : warp_order) {
    const auto d = static_cast<std::size_t>(o);
    if (d == k) builder.append_copies(e.warps_per_cta[d]);
    else builder.append_lanes(d, e.warps_per_cta[d]);
  }
  TritonNumbers order = row_major_order(rank);
  if (operand == 1) std::swap(order[0], order[1]);
  return builder.finished(order, std::move(split.block));
}

RegisterBases dot_bases(const DotOperand& e, const ArrayShape& shape) {
  if (e.operand != 0 && e.operand != 1)
    throw Error(fmt::format("opIdx = {}: 0 (A) or 1 (B)", e.operand), "the operand of the MMA");
  const int operand = static_cast<int>(e.operand);
  if (const auto* blocked = std::get_if<Blocked>(&e.parent->value)) {
    if (e.k_width != 0) throw Error("kWidth is not for a blocked parent", "leave it out");
    if (shape.size() < 2) throw Error("dot_op has two dimensions or more");
    return blocked_bases(*blocked, shape, operand == 0 ? shape.size() - 1 : shape.size() - 2);
  }
  const auto* mma = std::get_if<NvidiaMma>(&e.parent->value);
  if (mma == nullptr) throw Error("the parent of dot_op is an nvidia_mma or a blocked encoding");
  if (e.k_width == 0) throw Error("kWidth is mandatory for an nvidia_mma parent", "32 / bits: 2 for 16-bit elements");
  if (!is_power_of_two(e.k_width) || e.k_width > 64)
    throw Error(fmt::format("kWidth = {}: Triton aborts unless it is a power of two", e.k_width));
  if (mma->major == 3 && operand == 1)
    throw Error("opIdx must be 0 for a version 3 parent: wgmma takes only A from registers",
                "B lies in shared memory: nvmma_shared");
  return mma_bases(*mma, shape, operand, e.k_width);
}

RegisterBases slice_bases(const RegisterSlice& e, const ArrayShape& shape) {
  const std::size_t rank = rank_of(*e.parent);
  const auto d = static_cast<std::size_t>(e.dimension);
  if (e.dimension < 0 || d >= rank)
    throw Error(fmt::format("slice dim = {} must be less than the rank {} of its parent", e.dimension, rank));
  require_rank(rank - 1, shape);
  ArrayShape whole = shape;
  whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(d), 1);
  RegisterBases bases = register_bases(*e.parent, whole);
  for (TritonBases* moves : {&bases.value, &bases.thread, &bases.block})
    for (TritonNumbers& basis : *moves) basis.erase(basis.begin() + static_cast<std::ptrdiff_t>(d));
  std::erase_if(bases.value, [](const TritonNumbers& basis) {
    return std::ranges::all_of(basis, [](std::int64_t b) { return b == 0; });
  });
  return bases;
}

RegisterBases linear_bases(const RegisterLinear& e, const ArrayShape& shape) {
  const std::size_t rank = shape.size();
  std::vector<std::int64_t> taken(rank);
  const auto check = [&](const TritonBases& moves) {
    for (const TritonNumbers& basis : moves) {
      require_rank(basis.size(), shape);
      const auto count = std::ranges::count_if(basis, [](std::int64_t b) { return b != 0; });
      for (std::size_t d = 0; d < rank; ++d) {
        if (basis[d] == 0) continue;
        if (count > 1 || !is_power_of_two(basis[d]) || (taken[d] & basis[d]) != 0)
          throw Error(
              fmt::format("the basis [{}]: Triton refuses what is not a permutation after removing the zero bases",
                          fmt::join(basis, ", ")),
              "each basis moves one bit of one dimension, each bit once");
        taken[d] |= basis[d];
      }
    }
  };
  for (const TritonBases* moves : {&e.registers, &e.lane, &e.warp, &e.block}) check(*moves);
  for (std::size_t d = 0; d < rank; ++d)
    if ((taken[d] & (taken[d] + 1)) != 0)
      throw Error(fmt::format("the bases leave out a bit of dimension {}", d), "count 1, 2, 4, …");
  RegisterBases bases{e.registers, e.lane, e.block};
  bases.thread.insert(bases.thread.end(), e.warp.begin(), e.warp.end());
  // A smaller array has copies, and registers are dropped. A larger one has further registers, in the order of the
  // registers.
  TritonNumbers order;
  for (const TritonNumbers& basis : e.registers)
    for (std::size_t d = 0; d < rank; ++d)
      if (basis[d] != 0 && std::ranges::find(order, static_cast<std::int64_t>(d)) == order.end())
        order.push_back(static_cast<std::int64_t>(d));
  for (const std::int64_t d : row_major_order(rank))
    if (std::ranges::find(order, d) == order.end()) order.push_back(d);
  const auto is_outside = [&](const TritonNumbers& basis) {
    for (std::size_t d = 0; d < rank; ++d)
      if (basis[d] >= shape[d]) return true;
    return false;
  };
  std::erase_if(bases.value, is_outside);
  for (TritonBases* moves : {&bases.thread, &bases.block})
    for (TritonNumbers& basis : *moves)
      if (is_outside(basis)) basis.assign(rank, 0);
  for (const std::int64_t o : order) {
    const auto d = static_cast<std::size_t>(o);
    append_bits(bases.value, rank, d, taken[d] + 1, shape[d]);
  }
  return bases;
}

}  // namespace

RegisterBases register_bases(const TritonEncoding& encoding, const ArrayShape& shape) {
  return std::visit(TritonCases{[&](const Blocked& e) { return blocked_bases(e, shape, shape.size()); },
                                [&](const NvidiaMma& e) { return mma_bases(e, shape, -1, 0); },
                                [&](const DotOperand& e) { return dot_bases(e, shape); },
                                [&](const RegisterSlice& e) { return slice_bases(e, shape); },
                                [&](const RegisterLinear& e) { return linear_bases(e, shape); },
                                [](const auto&) -> RegisterBases {
                                  throw Error("an encoding of memory where one of registers is needed",
                                              "a slice or dot_op of registers");
                                }},
                    encoding.value);
}

}  // namespace swz
