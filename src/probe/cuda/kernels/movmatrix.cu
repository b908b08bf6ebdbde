// SPDX-License-Identifier: Apache-2.0
// One movmatrix a block of one warp.
//
//   inputs   0 registers: [block][thread]
//   output   [block][thread]
#include "probe.cuh"
#include "statement.cuh"

extern "C" __global__ void __launch_bounds__(32) probe(const __grid_constant__ Params p) {
  const u64 at = static_cast<u64>(blockIdx.x) * 32 + threadIdx.x;
  const u32 a[1] = {reinterpret_cast<const u32*>(p.inputs[0])[at]};
  u32 d[1];
  matrix(d, a);
  reinterpret_cast<u32*>(p.output)[at] = d[0];
}
