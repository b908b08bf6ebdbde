// SPDX-License-Identifier: Apache-2.0
// What of a load of shared memory somebody needs: ptxas leaves out the rest. Between the files of src/ptx.
//
//   ld.shared.f32 %f1, [%r1];               the lanes whose guard lets them store it: LDS under a predicate
//   @%p1 st.global.f32 [%rd1], %f1;
//   ld.shared.v2.b64 {%rd1, %rd2}, [%r1];   nobody reads %rd2, or what is made of it by moves, shuffles and loops: LDS.64
//
// Source: kernels of XLA and Inductor by ptxas 13.0, counted on an H100.
#pragma once

#include <vector>

#include "ptx/values.hpp"

namespace swz {

struct LoadNeed {
  bool is_whole = true;  // false: an element that nobody reads
  std::vector<std::uint32_t>
      guarded_uses;  // instructions of which each lane that needs the value executes one; empty: all lanes may
};

class NeededLoads {
 public:
  explicit NeededLoads(const PtxValues& values);
  LoadNeed of(std::uint32_t load) const;

 private:
  // Adds the uses to `need`; false: all lanes need it.
  bool collect(ValueId value, std::uint32_t load, std::vector<std::uint32_t>& uses) const;

  void find_used();

  const PtxValues& v_;
  std::vector<bool> is_used_;                        // of each value: something that is seen outside depends on it
  std::vector<std::vector<std::uint32_t>> readers_;  // of each value: instructions
  std::vector<bool> is_joined_;                      // a phi reads it
};

}  // namespace swz
