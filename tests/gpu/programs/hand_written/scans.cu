// SPDX-License-Identifier: Apache-2.0
// Prefix sums: of threads, of warps, of several items a thread; with flags; in bytes, halfwords, floats.
#include "common.cuh"

// Hillis and Steele, in one array with two barriers per step, and from one array to the other.
template <class T, int threads>
__global__ void __launch_bounds__(threads) scan_one_array(const T* in, T* out) {
  __shared__ T s[threads];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * threads + t];
  __syncthreads();
  for (int by = 1; by < threads; by *= 2) {
    const T x = t >= by ? s[t - by] : T(0);
    __syncthreads();
    s[t] = static_cast<T>(s[t] + x);
    __syncthreads();
  }
  out[blockIdx.x * threads + t] = s[t];
}
template <class T, int threads>
__global__ void __launch_bounds__(threads) scan_two_arrays(const T* in, T* out) {
  __shared__ T s[2][threads];
  const int t = threadIdx.x;
  s[0][t] = in[blockIdx.x * threads + t];
  __syncthreads();
  int from = 0;
#pragma unroll
  for (int by = 1; by < threads; by *= 2, from ^= 1) {
    s[from ^ 1][t] = static_cast<T>(t >= by ? s[from][t] + s[from][t - by] : s[from][t]);
    __syncthreads();
  }
  out[blockIdx.x * threads + t] = s[from][t];
}
// A row of zeros in front instead of a question.
__global__ void __launch_bounds__(128) scan_behind_zeros(const int* in, int* out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = 0;
  int* mine = &s[128 + t];
  int x = in[blockIdx.x * 128 + t];
  *mine = x;
  __syncthreads();
#pragma unroll
  for (int by = 1; by < 128; by *= 2) {
    const int y = mine[-by];
    __syncthreads();
    *mine = x += y;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = x;
}

// Blelloch's, two items a thread; a word of padding every 32, or none.
template <class T, int threads, bool padded>
__global__ void __launch_bounds__(threads) scan_up_and_down(const T* in, T* out) {
  const auto place = [](int i) { return padded ? i + i / 32 : i; };
  __shared__ T s[2 * threads + 2 * threads / 32];
  const int t = threadIdx.x, n = 2 * threads, first = blockIdx.x * n;
  s[place(t)] = in[first + t], s[place(t + threads)] = in[first + t + threads];
  int apart = 1;
  for (int active = threads; active > 0; active >>= 1, apart *= 2) {
    __syncthreads();
    if (t < active) s[place(apart * (2 * t + 2) - 1)] += s[place(apart * (2 * t + 1) - 1)];
  }
  if (t == 0) s[place(n - 1)] = 0;
  for (int active = 1; active <= threads; active *= 2) {
    apart >>= 1;
    __syncthreads();
    if (t < active) {
      const int a = place(apart * (2 * t + 1) - 1), b = place(apart * (2 * t + 2) - 1);
      const T x = s[a];
      s[a] = s[b], s[b] += x;
    }
  }
  __syncthreads();
  out[first + t] = s[place(t)], out[first + t + threads] = s[place(t + threads)];
}
// The same with all steps written out.
__global__ void __launch_bounds__(256) scan_unrolled(const float* in, float* out) {
  const auto place = [](int i) { return i + (i >> 5); };
  __shared__ float s[512 + 16];
  const int t = threadIdx.x;
  s[place(t)] = in[t], s[place(t + 256)] = in[t + 256];
#pragma unroll
  for (int step = 0; step < 9; ++step) {
    __syncthreads();
    if (t < 256 >> step) s[place(((2 * t + 2) << step) - 1)] += s[place(((2 * t + 1) << step) - 1)];
  }
  if (t == 0) s[place(511)] = 0;
#pragma unroll
  for (int step = 8; step >= 0; --step) {
    __syncthreads();
    if (t < 256 >> step) {
      const int a = place(((2 * t + 1) << step) - 1), b = place(((2 * t + 2) << step) - 1);
      const float x = s[a];
      s[a] = s[b], s[b] += x;
    }
  }
  __syncthreads();
  out[t] = s[place(t)], out[t + 256] = s[place(t + 256)];
}

template <class T>
__device__ T scan_warp(T x) {
  for (int by = 1; by < 32; by *= 2) {
    const T y = __shfl_up_sync(~0u, x, by);
    if (threadIdx.x % 32 >= by) x += y;
  }
  return x;
}

// Shuffles in warps, the warps' sums by the first of them.
template <class T, int threads>
__global__ void __launch_bounds__(threads) scan_warps(const T* in, T* out) {
  __shared__ T sums[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  T x = scan_warp(in[blockIdx.x * threads + t]);
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  if (warp == 0) sums[lane] = scan_warp(lane < threads / 32 ? sums[lane] : T(0));
  __syncthreads();
  if (warp) x += sums[warp - 1];
  out[blockIdx.x * threads + t] = x;
}

// Items of a thread lie side by side: from striped to blocked order and back.
template <class T, int threads, int items>
__global__ void __launch_bounds__(threads) scan_items(const T* in, T* out) {
  __shared__ T s[threads * items], sums[threads / 32];
  const int t = threadIdx.x, first = blockIdx.x * threads * items;
#pragma unroll
  for (int i = 0; i < items; ++i) s[i * threads + t] = in[first + i * threads + t];
  __syncthreads();
  T x[items];
#pragma unroll
  for (int i = 0; i < items; ++i) x[i] = s[t * items + i];
  for (int i = 1; i < items; ++i) x[i] = static_cast<T>(x[i] + x[i - 1]);
  const auto whole = scan_warp(x[items - 1] + 0);  // bytes as int
  if (t % 32 == 31) sums[t / 32] = static_cast<T>(whole);
  __syncthreads();
  T before = static_cast<T>(whole - x[items - 1]);
  for (int i = 0; i < t / 32; ++i) before = static_cast<T>(before + sums[i]);
#pragma unroll
  for (int i = 0; i < items; ++i) s[t * items + i] = static_cast<T>(x[i] + before);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) out[first + i * threads + t] = s[i * threads + t];
}

// Sums that restart at a flag.
__global__ void __launch_bounds__(128) scan_segments(const float* in, const std::uint8_t* begins, float* out) {
  __shared__ float s[128];
  __shared__ std::uint8_t flag[128];
  const int t = threadIdx.x;
  s[t] = in[t], flag[t] = begins[t] & 1;
  __syncthreads();
  for (int by = 1; by < 128; by <<= 1) {
    float x = s[t];
    std::uint8_t f = flag[t];
    if (t >= by) {
      if (!f) x += s[t - by];
      f |= flag[t - by];
    }
    __syncthreads();
    s[t] = x, flag[t] = f;
    __syncthreads();
  }
  out[t] = s[t];
}

// Those that hold move together: ballots, and the counts of warps.
__global__ void __launch_bounds__(256) compact(const int* in, int* out, int* count) {
  __shared__ int counts[8], kept[256];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, x = in[blockIdx.x * 256 + t];
  const unsigned hold = __ballot_sync(~0u, x & 1);
  if (lane == 0) counts[warp] = __popc(hold);
  __syncthreads();
  int before = 0, all = 0;
  for (int i = 0; i < 8; ++i) {
    if (i < warp) before += counts[i];
    all += counts[i];
  }
  if (x & 1) kept[before + __popc(hold & ((1u << lane) - 1))] = x;
  __syncthreads();
  if (t < all) out[blockIdx.x * 256 + t] = kept[t];
  if (t == 0) count[blockIdx.x] = all;
}

// A table of sums over rows and columns of a tile: along x, along y.
template <class T, int tile>
__global__ void BLOCK(tile, tile, 1) summed_area(const T* in, T* out) {
  __shared__ T s[tile][tile + 1];
  const int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * tile * tile + y * tile + x;
  s[y][x] = in[at];
  __syncthreads();
#pragma unroll
  for (int by = 1; by < tile; by *= 2) {
    const T left = x >= by ? s[y][x - by] : T(0);
    __syncthreads();
    s[y][x] += left;
    __syncthreads();
  }
#pragma unroll
  for (int by = 1; by < tile; by *= 2) {
    const T above = y >= by ? s[y - by][x] : T(0);
    __syncthreads();
    s[y][x] += above;
    __syncthreads();
  }
  out[at] = s[y][x];
}

// x[i] = a[i] x[i - 1] + b[i]: pairs are joined.
__global__ void __launch_bounds__(128) linear_recurrence(const float2* in, float* out) {
  __shared__ float2 s[128];
  const int t = threadIdx.x;
  float2 mine = in[blockIdx.x * 128 + t];
  s[t] = mine;
  __syncthreads();
  for (int by = 1; by < 128; by *= 2) {
    if (t >= by) {
      const float2 before = s[t - by];
      mine = make_float2(before.x * mine.x, mine.x * before.y + mine.y);
    }
    __syncthreads();
    s[t] = mine;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = mine.y;
}

template <class T>
void scans_of() {
  T *in = numbers<T>(4096), *out = numbers<T>(4096);
  scan_one_array<T, 128><<<2, 128>>>(in, out);
  scan_two_arrays<T, 256><<<2, 256>>>(in, out);
  scan_items<T, 128, 4><<<2, 128>>>(in, out);
  scan_items<T, 64, 7><<<2, 64>>>(in, out);
}

extern "C" int run() {
  scans_of<std::uint8_t>(), scans_of<std::uint16_t>(), scans_of<int>(), scans_of<float>(), scans_of<double>();
  int *in = numbers<int>(4096), *out = numbers<int>(4096);
  float *floats = numbers<float>(4096), *float_out = numbers<float>(4096);
  double *doubles = numbers<double>(1024), *double_out = numbers<double>(1024);
  scan_behind_zeros<<<2, 128>>>(in, out);
  scan_up_and_down<int, 128, false><<<2, 128>>>(in, out);
  scan_up_and_down<int, 128, true><<<2, 128>>>(in, out);
  scan_up_and_down<double, 64, true><<<2, 64>>>(doubles, double_out);
  scan_unrolled<<<1, 256>>>(floats, float_out);
  scan_warps<int, 96><<<2, 96>>>(in, out);
  scan_warps<float, 1024><<<2, 1024>>>(floats, float_out);
  scan_segments<<<1, 128>>>(floats, numbers<std::uint8_t>(128, 5), float_out);
  compact<<<2, 256>>>(in, out, numbers<int>(2));
  summed_area<float, 16><<<2, dim3(16, 16)>>>(floats, float_out);
  summed_area<int, 32><<<2, dim3(32, 32)>>>(in, out);
  linear_recurrence<<<2, 128>>>(reinterpret_cast<float2*>(floats), float_out);
  return finish();
}
