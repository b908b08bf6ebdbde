// SPDX-License-Identifier: Apache-2.0
// Which loads and stores of shared memory ptxas may join to one.
//
//   ld.shared.f32 %f1, [%r1];       %r1 is a multiple of 16       three of the four words at a multiple of 16 B: LDS.128
//   ld.shared.f32 %f2, [%r1+4];
//   ld.shared.f32 %f3, [%r1+12];
//   st.shared.f32 [%r2+8], %f1;     %r2 is a multiple of 8        both words at a multiple of 8 B: STS.64
//   st.shared.f32 [%r2+12], %f2;
//
// ptxas joins elements of 2, 4 or 8 bytes, up to four of them and 16 B, whose addresses differ by constants, at a place
// that is aligned for the whole. Of four elements a load needs three and a store all; of two, both. Loads may be in
// blocks that ptxas puts together, and in passes of a loop whose number is known; stores must follow each other. A
// barrier, a fence, cp.async, an atomic and an access of the other kind to shared memory keep them apart; accesses to
// global memory do not.
//
// Used only inside src/ptx. Source: what ptxas 13.0 made of 60 kernels for sm_90a (tests/ptx/test_joined_accesses.cpp
// has them).
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

// nullopt: the instruction is not a load or store that may be joined; a volatile one may not.
std::optional<PlainAccess> plain_access(const PtxValues& values, std::uint32_t index, const AccessInstruction& access,
                                        ValueId address);

// For each access, in the order of the instructions, the bytes of the largest access that it may become a part of; 0:
// none.
std::vector<int> joined_bytes(const PtxValues& values, std::span<const PlainAccess> accesses);

}  // namespace swz
