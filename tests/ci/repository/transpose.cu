// SPDX-License-Identifier: Apache-2.0
// nvcc -ptx -arch=compute_90a -lineinfo -DPITCH=33 transpose.cu -o kernels/transpose.ptx
// A tile of 32 x 32 floats is written by rows and read by columns. In PITCH 32 all lanes of a warp read one bank.
extern "C" __global__ void __block_size__((256, 1, 1)) transpose(float* out, const float* in) {
  __shared__ float tile[32][PITCH];
  const unsigned column = threadIdx.x % 32, first = threadIdx.x / 32;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) tile[first + 8 * i][column] = in[(first + 8 * i) * 32 + column];
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) out[(first + 8 * i) * 32 + column] = tile[column][first + 8 * i];
}
