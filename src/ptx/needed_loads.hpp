// SPDX-License-Identifier: Apache-2.0
// What of a load of shared memory is needed: ptxas leaves out the rest.
//
//   ld.shared.f32 %f1, [%r1];               the lanes whose guard lets them store it: LDS under a predicate
//   @%p1 st.global.f32 [%rd1], %f1;
//   ld.shared.v2.b64 {%rd1, %rd2}, [%r1];   %rd2 is never read, nor what moves, shuffles and loops make of it: LDS.64
//
// Used only inside src/ptx. Source: kernels of XLA and Inductor by ptxas 13.0, counted on an H100.
#pragma once

#include <vector>

#include "ptx/values.hpp"

namespace swz {

struct LoadNeed {
  bool is_whole = true;  // false: some element is never read
  // Each lane that needs the value executes one of these instructions; empty: all lanes may need it.
  std::vector<std::uint32_t> guarded_uses;
};

class NeededLoads {
 public:
  explicit NeededLoads(const PtxValues& values);
  LoadNeed of(std::uint32_t load) const;

 private:
  void find_used();
  // Adds the instructions that use the value, if a lane may leave out each of them; false: all lanes need it.
  bool collect(ValueId value, std::uint32_t load, std::vector<std::uint32_t>& uses) const;

  const PtxValues& v_;
  std::vector<bool> is_used_;                        // of each value: something with an effect depends on it
  std::vector<std::vector<std::uint32_t>> readers_;  // of each value: instructions
  std::vector<bool> is_joined_;                      // a phi reads it
};

}  // namespace swz
