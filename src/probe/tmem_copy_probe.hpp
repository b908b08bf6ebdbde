// SPDX-License-Identifier: Apache-2.0
// Probe of tcgen05.cp: which bit of shared memory is in each bit of tensor memory afterwards?
//
//   plan: 128x256b.b8x16.b4x16_p64 of cta_group::1, word 0x…, to column 20
//   Byte 2 of lane 3, column 25 (row 3, element 22) has 4 bits of shared memory, from bit 4 * 6 of the second unit of
//   16 bytes of row 3 on, in its bits 5-2; its other bits are 0.
//
// In pass i every bit is bit i of its own number, so nothing about layouts is assumed:
//
//   0x000000 + bit address                                 of shared memory
//   0x200000 + (lane * 512 + column) * 32 + bit            of tensor memory, before the copy
//   0x400000                                               is added in the second CTA of a pair
//
// Values of the observation: for each byte of 16 columns of tensor memory, the 4 before the address and those after it,
// column by column, lane by lane, first of CTA 0 and then of CTA 1: a SourcePiece, cleared_byte, or unreadable if its
// bits are anything else. A copy that does not complete leaves only unreadable bytes.
//
// Open question (arch/open_question.hpp): fp6-container: the model puts 6 bits into bits 5-0, container-elsewhere into
// bits 6-1. tcgen05.cp does not distinguish e2m3 from e3m2; what the MMA reads is another question.
//
// Source: arch/tensor_memory.hpp, arch/narrow.hpp; the words are those of a K-major operand,
// descriptor/operand_map.hpp. Compiled and simulated; no Blackwell GPU was available.
#pragma once

#include "arch/narrow.hpp"
#include "arch/tensor_memory.hpp"
#include "probe/operand_probe.hpp"

namespace swz {

struct TmemCopyPlan {
  const TmemCopy* copy = nullptr;
  const NarrowForm* narrow = nullptr;  // decompressed; null if copied unchanged
  int cta_group = 1;
  std::uint64_t word = 0;
  int lane = 0;  // of the address; 0 to 31 for 4x256b
  int column = 0;
};

// `width` bits from the bit `source` on, in a byte from its bit `first` on; its other bits are 0.
//   {source 17704, first 2, width 4}: 17704 << 6 | 2 << 3 | 3
struct SourcePiece {
  std::int64_t source = 0;
  int first = 0, width = 8;

  constexpr std::int64_t value() const { return source << 6 | first << 3 | (width - 1); }
  static constexpr SourcePiece of(std::int64_t value) {
    return {value >> 6, static_cast<int>(value >> 3 & 7), static_cast<int>(value & 7) + 1};
  }
};
inline constexpr std::int64_t cleared_byte = -2;

// Every form: shape and multicast, decompression, cta_group.
std::vector<TmemCopyPlan> tmem_copies_to_probe();
TmemCopyPlan draw_tmem_copy(const TmemCopyPlan& form, Random& random);

// "64x128b.warpx2::01_23.b8x16.b4x16_p64"
std::string copy_name(const TmemCopyPlan& plan);
std::string tmem_copy_statement(const TmemCopyPlan& plan);

Kernel kernel_of(const TmemCopyPlan& plan);
// Requires that all plans have one kernel.
Launch launch_of(std::span<const TmemCopyPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const TmemCopyPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TmemCopyPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TmemCopyPlan& plan);
std::string element_name(const TmemCopyPlan& plan, std::int64_t index);
std::string value_name(const TmemCopyPlan& plan, std::int64_t value);
Json to_json(const TmemCopyPlan& plan);
// Throws Error if it is not a plan, or reads beyond the probe's shared memory.
TmemCopyPlan tmem_copy_plan(const Json& json);

}  // namespace swz
