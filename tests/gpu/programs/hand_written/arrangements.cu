// SPDX-License-Identifier: Apache-2.0
// How a block arranges itself: dynamic arrays, unions, strides that are parameters, warps with roles, clusters, odd shapes.
#include <cooperative_groups.h>

#include "common.cuh"

namespace cg = cooperative_groups;

// One dynamic array that three types share.
__global__ void __launch_bounds__(128) three_in_one(const double* a, const int* b, const short* c, double* out) {
  extern __shared__ double doubles[];
  int* ints = reinterpret_cast<int*>(doubles + 128);
  short* shorts = reinterpret_cast<short*>(ints + 128);
  const int t = threadIdx.x, at = blockIdx.x * 128;
  doubles[t] = a[at + t], ints[t] = b[at + t], shorts[t] = c[at + t];
  __syncthreads();
  out[at + t] = doubles[127 - t] + ints[t ^ 5] + shorts[(t * 3) & 127];
}
// The pitch is a parameter; the block may have any number of threads up to 256.
__global__ void __launch_bounds__(256) rows_of_any_pitch(const float* in, float* out, int pitch) {
  extern __shared__ float row[];
  const int t = threadIdx.x, x = t % 16, y = t / 16;
  row[y * pitch + x] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = row[y * pitch + 15 - x];
}
// Blocks of one dimension, two, three; what is launched decides.
__global__ void __launch_bounds__(256) reverse_block(const int* in, int* out) {
  __shared__ int s[256];
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, at = blockIdx.x * threads;
  s[t] = in[at + t];
  __syncthreads();
  out[at + t] = s[threads - 1 - t];
}
template <class T, int x, int y, int z>
__global__ void BLOCK(x, y, z) mirror(const T* in, T* out) {
  __shared__ T s[z][y][x];
  const int i = threadIdx.x, j = threadIdx.y, k = threadIdx.z, at = blockIdx.x * x * y * z + (k * y + j) * x + i;
  s[k][j][i] = in[at];
  __syncthreads();
  T sum = s[k][j][x - 1 - i];
  if constexpr (y > 1) sum += s[k][y - 1 - j][i];
  if constexpr (z > 1) sum += s[z - 1 - k][j][i];
  out[at] = sum;
}
// Rows with columns: an array of structures whose size is no power of two.
struct Record {
  int key;
  short kind, flags;
  float value[3];
};
__global__ void __launch_bounds__(96) records(const int* keys, const float* values, Record* out) {
  __shared__ Record s[96];
  const int t = threadIdx.x, at = blockIdx.x * 96;
  s[t].key = keys[at + t], s[t].kind = static_cast<short>(t), s[t].flags = 1;
  for (int i = 0; i < 3; ++i) s[t].value[i] = values[(at + t) * 3 + i];
  __syncthreads();
  Record one = s[95 - t];
  one.value[1] += s[t].value[2];
  one.flags = static_cast<short>(one.flags + s[t ^ 1].kind);
  out[at + t] = one;
}

// Two warps bring, two warps compute; named barriers between them.
__device__ void meet(int barrier) { asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory"); }
__device__ void pass(int barrier) { asm volatile("bar.arrive %0, 128;" ::"r"(barrier) : "memory"); }
__global__ void __launch_bounds__(128) roles(const float* in, float* out, int rounds) {
  __shared__ float tile[2][64][17];
  const int t = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int i = 0; i < rounds; ++i) {
      if (i >= 2) meet(3 + (i & 1));
      for (int j = 0; j < 16; ++j) tile[i & 1][(j * 64 + t) / 16][t % 16] = in[i * 1024 + j * 64 + t];
      __threadfence_block();
      pass(1 + (i & 1));
    }
  } else {
    float sum = 0;
    for (int i = 0; i < rounds; ++i) {
      meet(1 + (i & 1));
#pragma unroll
      for (int j = 0; j < 16; ++j) sum += tile[i & 1][t][j];
      if (i + 2 < rounds) pass(3 + (i & 1));
    }
    out[blockIdx.x * 64 + t] = sum;
  }
}
// Groups of 16 and 8 threads, each with its part of an array.
template <int size>
__global__ void __launch_bounds__(128) groups(const int* in, int* out) {
  __shared__ int s[128 / size][size + 1];
  const auto block = cg::this_thread_block();
  const auto group = cg::tiled_partition<size>(block);
  const int rank = group.thread_rank(), which = threadIdx.x / size;
  s[which][rank] = in[blockIdx.x * 128 + threadIdx.x];
  group.sync();
  int x = s[which][size - 1 - rank];
  for (int by = size / 2; by; by /= 2) x += group.shfl_down(x, by);
  if (rank == 0) s[which][size] = x;
  block.sync();
  out[blockIdx.x * 128 + threadIdx.x] = s[which][size] + s[(which + 1) % (128 / size)][rank];
}
// Blocks of a cluster read each other's sums.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) two_blocks(const float* in, float* out) {
  __shared__ float s[64];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  cluster.sync();
  const float* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  out[blockIdx.x * 64 + t] = s[63 - t] + other[t];
  cluster.sync();
}
// Words of four bytes by cp.async, one tile ahead, into columns.
template <int pad>
__global__ void __launch_bounds__(128) scattered_copies(const float* in, float* out, int tiles) {
  __shared__ float s[2][32][16 + pad];
  const int t = threadIdx.x;
  const auto fetch = [&](int i) {
    if (i < tiles)
#pragma unroll
      for (int j = t; j < 512; j += 128) copy_async_word(&s[i & 1][j % 32][j / 32], &in[i * 512 + j]);
    commit();
  };
  float sums[4] = {};
  fetch(0);
  for (int i = 0; i < tiles; ++i) {
    fetch(i + 1);
    wait_for_all_but<1>();
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; ++j) sums[j] += s[i & 1][t / 16 + j * 8][t % 16];
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) out[blockIdx.x * 512 + j * 128 + t] = sums[j];
}
// Loads of 1, 2, 4, 8 and 16 bytes of one array, with strides.
template <class T, int stride>
__global__ void __launch_bounds__(64) strided(const T* in, T* out) {
  __shared__ __align__(16) T s[64 * stride];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * stride; i += 64) s[i] = in[i];
  __syncthreads();
  const T x = s[t * stride];
  __syncthreads();
  s[(63 - t) * stride] = x;
  __syncthreads();
  for (int i = t; i < 64 * stride; i += 64) out[i] = s[i];
}
// A ring that the last round leaves to the next: the pass of the loop moves all lanes alike.
__global__ void __launch_bounds__(64) moving_average(const float* in, float* out, int rows) {
  __shared__ float ring[5][64];
  const int t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 5; ++i) ring[i][t] = 0;
  float sum = 0;
  for (int i = 0, at = 0; i < rows; ++i, at = at == 4 ? 0 : at + 1) {
    const float x = in[i * 64 + t];
    sum += x - ring[at][t];
    ring[at][t] = x;
    out[i * 64 + t] = sum / 5;
  }
}
// Only some lanes: a lane in four, a warp in two, those below a bound that is a parameter.
__global__ void __launch_bounds__(128) some_lanes(const int* in, int* out, int bound) {
  __shared__ int s[512];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int i = t; i < 512; i += 128) s[i] = in[i];
  __syncthreads();
  int sum = 0;
  if (lane % 4 == 0) sum += s[t * 4];
  if (warp & 1) sum += s[lane * 8 + warp];
  if (t < bound) sum += s[t * 2];
  __syncthreads();
  if (lane < 7 && warp != 2) s[lane * 33 + warp] = sum;
  if ((t & 24) == 8) s[t + 300] = sum;
  __syncthreads();
  out[blockIdx.x * 128 + t] = s[(t * 5) & 511] + sum;
}

extern "C" int run() {
  float *in = numbers<float>(1 << 13), *out = numbers<float>(1 << 13);
  int *whole = numbers<int>(1 << 12), *whole_out = numbers<int>(1 << 12);
  double *wide = numbers<double>(1 << 12), *wide_out = numbers<double>(1 << 12);
  three_in_one<<<2, 128, 128 * 14>>>(wide, whole, numbers<short>(256), wide_out);
  rows_of_any_pitch<<<2, 256, 16 * 17 * 4>>>(in, out, 17);
  rows_of_any_pitch<<<2, 128, 8 * 20 * 4>>>(in, out, 20);
  reverse_block<<<2, 256>>>(whole, whole_out);
  reverse_block<<<2, dim3(24, 10)>>>(whole, whole_out);
  reverse_block<<<2, dim3(4, 8, 4)>>>(whole, whole_out);
  mirror<float, 20, 10, 1><<<2, dim3(20, 10)>>>(in, out);
  mirror<double, 12, 6, 3><<<2, dim3(12, 6, 3)>>>(wide, wide_out);
  mirror<short, 6, 5, 7><<<2, dim3(6, 5, 7)>>>(numbers<short>(420), numbers<short>(420));
  mirror<std::uint8_t, 40, 3, 2><<<2, dim3(40, 3, 2)>>>(numbers<std::uint8_t>(480), numbers<std::uint8_t>(480));
  mirror<int, 100, 1, 1><<<2, 100>>>(whole, whole_out);
  records<<<2, 96>>>(whole, in, numbers<Record>(192));
  roles<<<2, 128>>>(in, out, 6);
  groups<16><<<2, 128>>>(whole, whole_out);
  groups<8><<<2, 128>>>(whole, whole_out);
  two_blocks<<<4, 64>>>(in, out);
  scattered_copies<0><<<2, 128>>>(in, out, 5);
  scattered_copies<1><<<2, 128>>>(in, out, 5);
  strided<char, 3><<<1, 64>>>(numbers<char>(192), numbers<char>(192));
  strided<short, 5><<<1, 64>>>(numbers<short>(320), numbers<short>(320));
  strided<int, 8><<<1, 64>>>(whole, whole_out);
  strided<double, 3><<<1, 64>>>(wide, wide_out);
  strided<float4, 2><<<1, 64>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
  strided<double2, 9><<<1, 64>>>(numbers<double2>(576), numbers<double2>(576));
  moving_average<<<1, 64>>>(in, out, 12);
  some_lanes<<<2, 128>>>(whole, whole_out, 70);
  return finish();
}
