// SPDX-License-Identifier: Apache-2.0
// Sums, extremes and their like, of a block.
#include "common.cuh"

struct Add {
  template <class T>
  __device__ static T of(T a, T b) {
    return a + b;
  }
};
struct Most {
  template <class T>
  __device__ static T of(T a, T b) {
    return a > b ? a : b;
  }
};

// The tree as it is taught first: neighbours, by a remainder and by a multiple.
template <class T>
__global__ void __launch_bounds__(256) reduce_neighbours(const T* in, T* out) {
  __shared__ T s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int by = 1; by < 256; by *= 2) {
    if (t % (2 * by) == 0) s[t] += s[t + by];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
template <class T>
__global__ void __launch_bounds__(256) reduce_multiples(const T* in, T* out) {
  __shared__ T s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
#pragma unroll
  for (int by = 1; by < 256; by *= 2) {
    const int at = 2 * by * t;
    if (at < 256) s[at] += s[at + by];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Halves, unrolled; the last warp by itself.
template <class T, class Operation, int threads>
__global__ void __launch_bounds__(threads) reduce_halves(const T* in, T* out, int n) {
  __shared__ T s[threads];
  const int t = threadIdx.x;
  T x = in[t];
  for (int i = t + threads; i < n; i += threads) x = Operation::of(x, in[i]);
  s[t] = x;
  __syncthreads();
#pragma unroll
  for (int half = threads / 2; half >= 32; half /= 2) {
    if (t < half) s[t] = x = Operation::of(x, s[t + half]);
    __syncthreads();
  }
  if (t < 32)
    for (int half = 16; half; half /= 2) x = Operation::of(x, __shfl_down_sync(~0u, x, half));
  if (t == 0) *out = x;
}

// The last warp without barriers of the block, volatile, as in old books.
__global__ void __launch_bounds__(128) reduce_volatile(const float* in, float* out) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t] + in[blockIdx.x * 256 + t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile float* v = s;
#pragma unroll
    for (int half = 32; half; half /= 2) {
      const float sum = v[t] + v[t + half];
      __syncwarp();
      v[t] = sum;
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Shuffles, then the sums of warps; any number of warps.
template <class T, int threads>
__global__ void __launch_bounds__(threads) reduce_warps(const T* in, T* out) {
  __shared__ T sums[threads / 32];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  T x = in[blockIdx.x * threads + t];
  for (int by = 16; by; by /= 2) x += __shfl_xor_sync(~0u, x, by);
  if (lane == 0) sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    x = lane < threads / 32 ? sums[lane] : T(0);
    for (int by = 16; by; by /= 2) x += __shfl_xor_sync(~0u, x, by);
    if (lane == 0) out[blockIdx.x] = x;
  }
}

// The value and its place.
template <class T>
__global__ void __launch_bounds__(128) arg_most(const T* in, int* where, int n) {
  __shared__ T best[128];
  __shared__ int place[128];
  const int t = threadIdx.x;
  T x = in[t];
  int at = t;
  for (int i = t + 128; i < n; i += 128)
    if (in[i] > x) x = in[i], at = i;
  best[t] = x, place[t] = at;
  __syncthreads();
  for (int half = 64; half; half >>= 1) {
    if (t < half && best[t + half] > best[t]) best[t] = best[t + half], place[t] = place[t + half];
    __syncthreads();
  }
  if (t == 0) *where = place[0];
}

// Mean and variance of Welford in three arrays, and in one of structures.
__global__ void __launch_bounds__(128) mean_and_variance(const float* in, float* out) {
  __shared__ float count[128], mean[128], square[128];
  const int t = threadIdx.x;
  count[t] = 1, mean[t] = in[blockIdx.x * 128 + t], square[t] = 0;
  __syncthreads();
#pragma unroll
  for (int half = 64; half; half /= 2) {
    if (t < half) {
      const float n = count[t] + count[t + half], apart = mean[t + half] - mean[t];
      mean[t] += apart * count[t + half] / n;
      square[t] += square[t + half] + apart * apart * count[t] * count[t + half] / n;
      count[t] = n;
    }
    __syncthreads();
  }
  if (t < 2) out[blockIdx.x * 2 + t] = t ? square[0] / 128 : mean[0];
}
__global__ void __launch_bounds__(128) bounding_boxes(const float3* in, float3* out) {
  struct Box {
    float3 low, high;
  };
  __shared__ Box s[128];
  const int t = threadIdx.x;
  s[t] = {in[blockIdx.x * 128 + t], in[blockIdx.x * 128 + t]};
  __syncthreads();
  for (int half = 64; half; half /= 2) {
    if (t < half) {
      const Box a = s[t], b = s[t + half];
      s[t] = {make_float3(fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)),
              make_float3(fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z))};
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x * 2] = s[0].low, out[blockIdx.x * 2 + 1] = s[0].high;
}

// 16 segments of 16 threads; sums of the rows and of the columns of a tile.
__global__ void __launch_bounds__(256) reduce_segments(const int* in, int* out) {
  __shared__ int s[256];
  const int t = threadIdx.x, inside = t % 16;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 8; half; half /= 2) {
    if (inside < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t < 16) out[blockIdx.x * 16 + t] = s[t * 16];
}
template <class T, int width, int height>
__global__ void BLOCK(width, height, 1) rows_and_columns(const T* in, T* rows, T* columns) {
  __shared__ T s[height][width + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[y * width + x];
  __syncthreads();
  T sum = 0;
  if (y == 0) {
    for (int i = 0; i < height; ++i) sum += s[i][x];
    columns[x] = sum;
  } else if (y == 1 && x < height) {
    for (int i = 0; i < width; ++i) sum += s[x][i];
    rows[x] = sum;
  }
}

// Pi by darts: a generator for each thread, counts in the block.
__global__ void __launch_bounds__(192) monte_carlo(unsigned* out, int darts) {
  __shared__ unsigned hits, per_warp[6];
  unsigned x = 747796405u * (blockIdx.x * 192 + threadIdx.x) + 1, mine = 0;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  for (int i = 0; i < darts; ++i) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    const float u = (x & 0xffff) / 65536.f, v = (x >> 16) / 65536.f;
    mine += u * u + v * v < 1;
  }
  const unsigned sum = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) per_warp[threadIdx.x / 32] = sum, atomicAdd(&hits, sum);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = hits + per_warp[blockIdx.x % 6];
}

// The four largest of each thread's, joined pair by pair.
__global__ void __launch_bounds__(64) top_four(const float* in, float* out, int n) {
  __shared__ __align__(16) float s[64][4];
  const int t = threadIdx.x;
  float best[4] = {-1, -1, -1, -1};
  const auto insert = [&](float x) {
    for (float& one : best) {
      const float more = fmaxf(one, x);
      x = fminf(one, x), one = more;
    }
  };
  for (int i = t; i < n; i += 64) insert(in[i]);
  *reinterpret_cast<float4*>(s[t]) = make_float4(best[0], best[1], best[2], best[3]);
  __syncthreads();
  for (int half = 32; half; half /= 2) {
    if (t < half) {
      for (int i = 0; i < 4; ++i) insert(s[t + half][i]);
      for (int i = 0; i < 4; ++i) s[t][i] = best[i];
    }
    __syncthreads();
  }
  if (t < 4) out[t] = s[0][t];
}

template <class T>
void reductions_of() {
  T *in = numbers<T>(4096), *out = numbers<T>(64);
  reduce_neighbours<<<2, 256>>>(in, out);
  reduce_multiples<<<2, 256>>>(in, out);
  reduce_halves<T, Add, 256><<<1, 256>>>(in, out, 4096);
  reduce_halves<T, Most, 128><<<1, 128>>>(in, out, 1000);
  reduce_warps<T, 160><<<2, 160>>>(in, out);
  reduce_warps<T, 1024><<<2, 1024>>>(in, out);
  arg_most<<<1, 128>>>(in, numbers<int>(1), 1000);
}

extern "C" int run() {
  reductions_of<int>(), reductions_of<float>(), reductions_of<double>(), reductions_of<long long>();
  float *in = numbers<float>(4096), *out = numbers<float>(4096);
  int *whole_in = numbers<int>(4096), *whole_out = numbers<int>(4096);
  reduce_volatile<<<4, 128>>>(in, out);
  mean_and_variance<<<4, 128>>>(in, out);
  bounding_boxes<<<2, 128>>>(reinterpret_cast<float3*>(in), reinterpret_cast<float3*>(out));
  reduce_segments<<<4, 256>>>(whole_in, whole_out);
  rows_and_columns<float, 32, 16><<<1, dim3(32, 16)>>>(in, out, out + 64);
  rows_and_columns<int, 20, 12><<<1, dim3(20, 12)>>>(whole_in, whole_out, whole_out + 64);
  rows_and_columns<short, 48, 8><<<1, dim3(48, 8)>>>(numbers<short>(400), numbers<short>(64), numbers<short>(64));
  monte_carlo<<<4, 192>>>(reinterpret_cast<unsigned*>(whole_out), 100);
  top_four<<<1, 64>>>(in, out, 4096);
  return finish();
}
