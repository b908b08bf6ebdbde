// SPDX-License-Identifier: Apache-2.0
// A tile of 32 x 32 words is written by rows and read by columns, which lie in one bank unless rows are padded by a word.
constexpr unsigned pitch = MISTAKE ? 32 : 33;

extern "C" __global__ void __launch_bounds__(256) unpadded_transposition(float* out, const float* in) {
  __shared__ float s[32 * pitch];
  const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;
#pragma unroll
  for (unsigned i = 0; i < 32; i += 8) s[(y + i) * pitch + x] = in[(y + i) * 32 + x];
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < 32; i += 8) out[(y + i) * 32 + x] = s[x * pitch + y + i];
}
