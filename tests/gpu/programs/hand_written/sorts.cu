// SPDX-License-Identifier: Apache-2.0
// Sorting in a block: networks, ranks, digits, merges.
#include "common.cuh"

// Bitonic, two items a thread; the bounds of the loops are constants or numbers of the launch.
template <class T, int n>
__global__ void __launch_bounds__(n / 2) bitonic(const T* in, T* out) {
  __shared__ T s[n];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * n + t], s[t + n / 2] = in[blockIdx.x * n + t + n / 2];
  for (int size = 2; size <= n; size *= 2)
    for (int apart = size / 2; apart > 0; apart /= 2) {
      __syncthreads();
      const int a = 2 * t - (t & (apart - 1)), b = a + apart;
      const T x = s[a], y = s[b];
      if ((x > y) == ((a & size) == 0)) s[a] = y, s[b] = x;
    }
  __syncthreads();
  out[blockIdx.x * n + t] = s[t], out[blockIdx.x * n + t + n / 2] = s[t + n / 2];
}
template <class T, int n>
__global__ void __launch_bounds__(n) bitonic_min_max(const T* in, T* out) {
  __shared__ T s[n];
  const int t = threadIdx.x;
  T x = in[blockIdx.x * n + t];
#pragma unroll
  for (int size = 2; size <= n; size *= 2)
#pragma unroll
    for (int apart = size / 2; apart > 0; apart /= 2) {
      s[t] = x;
      __syncthreads();
      const T y = s[t ^ apart];
      const bool takes_least = ((t & apart) == 0) == ((t & size) == 0);
      x = takes_least ? min(x, y) : max(x, y);
      __syncthreads();
    }
  out[blockIdx.x * n + t] = x;
}
// Only steps between warps go through shared memory; those inside are shuffles.
__global__ void __launch_bounds__(256) bitonic_shuffled(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[256];
  const int t = threadIdx.x;
  unsigned x = in[blockIdx.x * 256 + t];
  for (int size = 2; size <= 256; size <<= 1)
    for (int apart = size >> 1; apart; apart >>= 1) {
      unsigned y;
      if (apart >= 32) {
        __syncthreads();
        s[t] = x;
        __syncthreads();
        y = s[t ^ apart];
      } else {
        y = __shfl_xor_sync(~0u, x, apart);
      }
      x = ((t & apart) == 0) == ((t & size) == 0) ? min(x, y) : max(x, y);
    }
  out[blockIdx.x * 256 + t] = x;
}
// Keys with their values, only those threads that are the lower of a pair work.
__global__ void __launch_bounds__(128)
    bitonic_pairs(const float* keys, const short* values, float* out, short* places) {
  __shared__ float key[128];
  __shared__ short value[128];
  const int t = threadIdx.x;
  key[t] = keys[t], value[t] = values[t];
  __syncthreads();
  for (int size = 2; size <= 128; size *= 2)
    for (int apart = size / 2; apart; apart /= 2) {
      const int other = t ^ apart;
      if (other > t && (key[t] > key[other]) == !(t & size)) {
        const float x = key[t];
        const short y = value[t];
        key[t] = key[other], value[t] = value[other];
        key[other] = x, value[other] = y;
      }
      __syncthreads();
    }
  out[t] = key[t], places[t] = value[t];
}

template <class T, int n>
__global__ void __launch_bounds__(n / 2) odd_even(const T* in, T* out) {
  __shared__ T s[n];
  const int t = threadIdx.x;
  s[2 * t] = in[2 * t], s[2 * t + 1] = in[2 * t + 1];
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    const int a = 2 * t + (round & 1);
    if (a + 1 < n) {
      const T x = s[a], y = s[a + 1];
      s[a] = min(x, y), s[a + 1] = max(x, y);
    }
    __syncthreads();
  }
  out[2 * t] = s[2 * t], out[2 * t + 1] = s[2 * t + 1];
}
// Batcher's merging of odd and even.
__global__ void __launch_bounds__(128) odd_even_merge(const int* in, int* out) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  s[t] = in[t], s[t + 128] = in[t + 128];
#pragma unroll
  for (int size = 2; size <= 256; size *= 2) {
    int apart = size / 2;
    const int inside = t & (apart - 1);
    __syncthreads();
    {
      const int a = 2 * t - inside, b = a + apart, x = s[a], y = s[b];
      s[a] = min(x, y), s[b] = max(x, y);
    }
#pragma unroll
    for (apart /= 2; apart > 0; apart /= 2) {
      __syncthreads();
      const int b = 2 * t - (t & (apart - 1));
      if (inside >= apart) {
        const int x = s[b - apart], y = s[b];
        s[b - apart] = min(x, y), s[b] = max(x, y);
      }
    }
  }
  __syncthreads();
  out[t] = s[t], out[t + 128] = s[t + 128];
}

// Everyone counts how many are less.
template <class T>
__global__ void __launch_bounds__(128) sort_by_rank(const T* in, T* out) {
  __shared__ T s[128], sorted[128];
  const int t = threadIdx.x;
  const T x = in[blockIdx.x * 128 + t];
  s[t] = x;
  __syncthreads();
  int rank = 0;
#pragma unroll 8
  for (int i = 0; i < 128; ++i) rank += s[i] < x || (s[i] == x && i < t);
  sorted[rank] = x;
  __syncthreads();
  out[blockIdx.x * 128 + t] = sorted[t];
}

// A bit at a time: zeros first.
__global__ void __launch_bounds__(256) radix_by_bits(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[256];
  __shared__ int zeros[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  unsigned x = in[blockIdx.x * 256 + t];
  for (int bit = 0; bit < 8; ++bit) {
    const bool one = x >> bit & 1;
    const unsigned votes = __ballot_sync(~0u, !one);
    if (lane == 0) zeros[warp] = __popc(votes);
    __syncthreads();
    int before = 0, all = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int count = zeros[i];
      before += i < warp ? count : 0, all += count;
    }
    before += __popc(votes & ((1u << lane) - 1));
    s[one ? all + t - before : before] = x;
    __syncthreads();
    x = s[t];
  }
  out[blockIdx.x * 256 + t] = x;
}

// Four bits at a time: each thread has a column of 16 counters, of bytes or of halfwords.
template <class Count, int threads, int items>
__global__ void __launch_bounds__(threads) count_digits(const unsigned* in, unsigned* out, int shift) {
  __shared__ Count counts[16][threads];
  __shared__ unsigned sums[16];
  const int t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 16; ++i) counts[i][t] = 0;
  for (int i = 0; i < items; ++i) ++counts[in[(blockIdx.x * items + i) * threads + t] >> shift & 15][t];
  __syncthreads();
  const int digit = t % 16, part = t / 16;
  unsigned sum = 0;
  if (t < 16) sums[t] = 0;
  __syncthreads();
  for (int i = part * 16; i < part * 16 + 16; ++i) sum += counts[digit][i];
  atomicAdd(&sums[digit], sum);
  __syncthreads();
  if (t < 16) out[blockIdx.x * 16 + t] = sums[t];
}

// Runs of 2, 4, 8, ... are merged: each thread looks for its item's rank in the other run.
template <class T, int n>
__global__ void __launch_bounds__(n) merge_runs(const T* in, T* out) {
  __shared__ T s[2][n];
  const int t = threadIdx.x;
  s[0][t] = in[blockIdx.x * n + t];
  __syncthreads();
  int from = 0;
  for (int run = 1; run < n; run *= 2, from ^= 1) {
    const T x = s[from][t];
    const bool second = t & run;
    const int other = (t & ~(2 * run - 1)) + (second ? 0 : run);
    int low = 0, high = run;
    while (low < high) {
      const int middle = (low + high) / 2;
      const T y = s[from][other + middle];
      if (y < x || (second && y == x)) low = middle + 1;
      else high = middle;
    }
    s[from ^ 1][(t & ~(2 * run - 1)) + (t & (run - 1)) + low] = x;
    __syncthreads();
  }
  out[blockIdx.x * n + t] = s[from][t];
}

template <class T>
void sorts_of() {
  T *in = numbers<T>(4096), *out = numbers<T>(4096);
  bitonic<T, 512><<<2, 256>>>(in, out);
  bitonic_min_max<T, 64><<<2, 64>>>(in, out);
  odd_even<T, 128><<<1, 64>>>(in, out);
  sort_by_rank<<<2, 128>>>(in, out);
  merge_runs<T, 256><<<2, 256>>>(in, out);
}

extern "C" int run() {
  sorts_of<int>(), sorts_of<float>(), sorts_of<unsigned short>(), sorts_of<long long>(), sorts_of<unsigned char>();
  auto *in = numbers<unsigned>(4096, 1u << 23), *out = numbers<unsigned>(4096);
  bitonic_min_max<double, 256><<<2, 256>>>(numbers<double>(512), numbers<double>(512));
  bitonic_shuffled<<<2, 256>>>(in, out);
  bitonic_pairs<<<1, 128>>>(numbers<float>(128), numbers<short>(128), numbers<float>(128), numbers<short>(128));
  odd_even_merge<<<1, 128>>>(reinterpret_cast<int*>(in), reinterpret_cast<int*>(out));
  radix_by_bits<<<2, 256>>>(in, out);
  count_digits<std::uint8_t, 128, 8><<<2, 128>>>(in, out, 4);
  count_digits<std::uint16_t, 256, 4><<<2, 256>>>(in, out, 8);
  count_digits<unsigned, 64, 4><<<2, 64>>>(in, out, 0);
  return finish();
}
