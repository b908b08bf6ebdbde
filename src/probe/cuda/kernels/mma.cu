// SPDX-License-Identifier: Apache-2.0
// One mma.sync a block of one warp: registers come from the inputs, the instruction runs, D goes to the output.
//
//   inputs   0 A   1 B   2 C, each [block][word][thread]
//   output   [block][word][thread]
#include "probe.cuh"
#include "statement.cuh"

template <int words>
__device__ void load(u32 (&registers)[words], const u8* input) {
  const u32* from = reinterpret_cast<const u32*>(input) + static_cast<u64>(blockIdx.x) * (words * 32);
  for (int i = 0; i < words; ++i) registers[i] = from[i * 32 + threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(32) probe(const __grid_constant__ Params p) {
  u32 a[A_WORDS], b[B_WORDS], c[C_WORDS], d[D_WORDS];
  load(a, p.inputs[0]);
  load(b, p.inputs[1]);
  load(c, p.inputs[2]);
  mma(d, a, b, c);

  u32* out = reinterpret_cast<u32*>(p.output) + static_cast<u64>(blockIdx.x) * (D_WORDS * 32);
  for (int i = 0; i < D_WORDS; ++i) out[i * 32 + threadIdx.x] = d[i];
}
