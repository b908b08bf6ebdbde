// SPDX-License-Identifier: Apache-2.0
// Which loads and stores of shared memory ptxas may make one of. Between the files of src/ptx.
//
//   ld.shared.f32 %f1, [%r1];       %r1 is a multiple of 16       three of the four words at a multiple of 16 B: LDS.128
//   ld.shared.f32 %f2, [%r1+4];
//   ld.shared.f32 %f3, [%r1+12];
//   st.shared.f32 [%r2+8], %f1;     %r2 is a multiple of 8        both words at a multiple of 8 B: STS.64
//   st.shared.f32 [%r2+12], %f2;
//
// Elements of 2, 4 or 8 bytes, up to four of them and 16 B, whose addresses differ by constants, at a place that is aligned for the
// whole. Of four elements a load needs three, a store all; of two both. Loads may stand in blocks that ptxas puts together, and in
// passes of a loop of which the number is known; stores follow each other. A barrier, a fence, cp.async, an atomic and an access of
// the other kind to shared memory keep them apart, accesses to global memory do not.
//
// Source: what ptxas 13.0 made of 60 kernels for sm_90a (tests/ptx/test_joined_accesses.cpp has them).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ptx/values.hpp"
#include "smem/access.hpp"

namespace swz {

struct PlainAccess {
  std::uint32_t instruction = 0;
  AccessOp op = AccessOp::load;  // or store
  int bytes = 4;
  ValueId address = no_value;
};

// nullopt: the instruction is no load or store of its own, as one that is volatile.
std::optional<PlainAccess> plain_access(const PtxValues& values, std::uint32_t instruction,
                                        const AccessInstruction& access, ValueId address);

// For each access, in the order of the instructions, the bytes of the largest one that it may become a part of; 0: none.
std::vector<int> joined_bytes(const PtxValues& values, std::span<const PlainAccess> accesses);

}  // namespace swz
