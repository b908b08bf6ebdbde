// SPDX-License-Identifier: Apache-2.0
// Bytes and nibbles: products of int8 and e4m3, quantising, unpacking int4.
#include "common.cuh"

__device__ void multiply(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, std::int8_t) {
  multiply_add(d, a, b0, b1);
}
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, std::uint8_t) {
  multiply_add_e4m3(d, a, b0, b1);
}

// C[n][n] = A[n][k] Bt[n][k] of bytes; 64 x 64, rows of 64 bytes padded by 16 or swizzled.
template <class Byte, class Sum, bool swizzled>
__global__ void __launch_bounds__(128) gemm_bytes(const Byte* a, const Byte* bt, Sum* c, int n, int k) {
  constexpr int pitch = swizzled ? 64 : 80;
  __shared__ __align__(128) Byte as[2][64 * pitch], bs[2][64 * pitch];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, row = warp / 2 * 32, column = warp % 2 * 32;
  const auto place = [](int r, int byte) {
    return swizzled ? r * pitch + (byte ^ (r / 2 & 3) * 16) : r * pitch + byte;
  };
  a += blockIdx.y * 64 * k, bt += blockIdx.x * 64 * k;
  const auto fetch = [&](int to, int at) {
#pragma unroll
    for (int i = t; i < 256; i += 128) {
      const int r = i / 4, q = i % 4 * 16;
      copy_async(&as[to][place(r, q)], &a[r * k + at + q]);
      copy_async(&bs[to][place(r, q)], &bt[r * k + at + q]);
    }
    commit();
  };
  Sum sums[2][4][4] = {};
  fetch(0, 0);
  for (int at = 0, stage = 0; at < k; at += 64, stage ^= 1) {
    if (at + 64 < k) {
      fetch(stage ^ 1, at + 64);
      wait_for_all_but<1>();
    } else {
      wait_for_all_but<0>();
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64; i += 32) {
      unsigned x[2][4], y[2][4];
      for (int j = 0; j < 2; ++j) {
        load_matrices(x[j], &as[stage][place(row + j * 16 + lane % 16, i + lane / 16 * 16)]);
        load_matrices(y[j], &bs[stage][place(column + j * 16 + lane / 16 * 8 + lane % 8, i + lane / 8 % 2 * 16)]);
      }
      for (int j = 0; j < 2; ++j)
        for (int l = 0; l < 4; ++l) multiply(sums[j][l], x[j], y[l / 2][l % 2 * 2], y[l / 2][l % 2 * 2 + 1], Byte{});
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int l = 0; l < 4; ++l)
      for (int h = 0; h < 4; ++h) {
        const int r = row + j * 16 + h / 2 * 8 + lane / 4, q = column + l * 8 + lane % 4 * 2 + h % 2;
        c[(blockIdx.y * 64 + r) * n + blockIdx.x * 64 + q] = sums[j][l][h];
      }
}

// Four products of bytes at a time, the words of B in columns.
__global__ void __launch_bounds__(256) gemm_dp4a(const int* a, const int* bt, int* c, int n, int words) {
  __shared__ int as[32][8 + 1], bs[8][32];
  const int t = threadIdx.x, x = t % 32, y = t / 32;
  int sums[4] = {};
  for (int at = 0; at < words; at += 8) {
    as[t / 8][t % 8] = a[(blockIdx.y * 32 + t / 8) * words + at + t % 8];
    bs[t % 8][t / 8] = bt[(blockIdx.x * 32 + t / 8) * words + at + t % 8];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 4; ++j) sums[j] = __dp4a(as[y * 4 + j][i], bs[i][x], sums[j]);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) c[(blockIdx.y * 32 + y * 4 + j) * n + blockIdx.x * 32 + x] = sums[j];
}

// The scale of a row from its maximum, then its bytes, packed by way of shared memory.
__global__ void __launch_bounds__(128) quantise_rows(const float* in, std::int8_t* out, float* scales) {
  __shared__ float most[4];
  __shared__ __align__(16) std::int8_t row[512];
  const int t = threadIdx.x;
  float x[4], top = 1e-6f;
  for (int i = 0; i < 4; ++i) x[i] = in[blockIdx.x * 512 + t + i * 128], top = fmaxf(top, fabsf(x[i]));
  for (int by = 16; by; by /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, by));
  if (t % 32 == 0) most[t / 32] = top;
  __syncthreads();
  top = fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3]));
  for (int i = 0; i < 4; ++i) row[t + i * 128] = static_cast<std::int8_t>(__float2int_rn(x[i] * 127 / top));
  __syncthreads();
  reinterpret_cast<int*>(out)[blockIdx.x * 128 + t] = reinterpret_cast<const int*>(row)[t];
  if (t == 0) scales[blockIdx.x] = top / 127;
}

// Two numbers of 4 bits per byte: two neighbours join.
__global__ void __launch_bounds__(256) pack_nibbles(const std::int8_t* in, std::uint8_t* out) {
  __shared__ std::int8_t s[512];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  s[t + 256] = in[blockIdx.x * 512 + t + 256];
  __syncthreads();
  out[blockIdx.x * 256 + t] = static_cast<std::uint8_t>((s[2 * t] & 15) | s[2 * t + 1] << 4);
}

// 8 nibbles per word, a scale for each 32 of them; halves go out in order.
__global__ void __launch_bounds__(128) unpack_nibbles(const unsigned* in, const float* scales, __half* out) {
  __shared__ float scale[32];
  __shared__ __half row[128 * 8 + 128];
  const int t = threadIdx.x;
  if (t < 32) scale[t] = scales[blockIdx.x * 32 + t];
  const unsigned word = in[blockIdx.x * 128 + t];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) row[t * 9 + i] = __float2half((static_cast<int>(word >> 4 * i & 15) - 8) * scale[t / 4]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int j = i * 128 + t;
    out[blockIdx.x * 1024 + j] = row[j / 8 * 9 + j % 8];
  }
}

// A vector times a matrix of nibbles: codes are looked up in shared memory.
__global__ void __launch_bounds__(64)
    codebook_times_vector(const unsigned* codes, const float* book, const float* x, float* y, int words) {
  __shared__ float table[16], part[64];
  const int t = threadIdx.x;
  if (t < 16) table[t] = book[t];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < words; i += 64) {
    const unsigned word = codes[blockIdx.x * words + i];
#pragma unroll
    for (int j = 0; j < 8; ++j) sum += table[word >> 4 * j & 15] * x[i * 8 + j];
  }
  part[t] = sum;
  __syncthreads();
  for (int half = 32; half; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}

// Bits: the rows of a 32 x 32 matrix of bits become its columns, a warp a matrix.
__global__ void __launch_bounds__(128) transpose_bits(const unsigned* in, unsigned* out) {
  __shared__ unsigned words[4][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = blockIdx.x * 128 + threadIdx.x;
  words[warp][lane] = in[at];
  __syncwarp();
  unsigned column = 0;
#pragma unroll
  for (int i = 0; i < 32; ++i) column |= (words[warp][i] >> lane & 1) << i;
  out[at] = column;
}

extern "C" int run() {
  constexpr int n = 128, k = 256;
  auto *a = numbers<std::int8_t>(n * k), *b = numbers<std::int8_t>(n * k);
  auto *fa = numbers<std::uint8_t>(n * k), *fb = numbers<std::uint8_t>(n * k);
  int* c = numbers<int>(n * n);
  float *fc = numbers<float>(n * n), *scales = numbers<float>(n * n), *wide = numbers<float>(n * k);
  unsigned* words = numbers<unsigned>(n * k, ~0u >> 8);
  gemm_bytes<std::int8_t, int, false><<<dim3(2, 2), 128>>>(a, b, c, n, k);
  gemm_bytes<std::int8_t, int, true><<<dim3(2, 2), 128>>>(a, b, c, n, k);
  gemm_bytes<std::uint8_t, float, false><<<dim3(2, 2), 128>>>(fa, fb, fc, n, k);
  gemm_bytes<std::uint8_t, float, true><<<dim3(2, 2), 128>>>(fa, fb, fc, n, k);
  gemm_dp4a<<<dim3(4, 4), 256>>>(reinterpret_cast<int*>(a), reinterpret_cast<int*>(b), c, n, k / 4);
  quantise_rows<<<n * k / 512, 128>>>(wide, a, scales);
  pack_nibbles<<<n * k / 512, 256>>>(a, fa);
  unpack_nibbles<<<16, 128>>>(words, scales, numbers<__half>(16 * 1024));
  codebook_times_vector<<<n, 64>>>(words, scales, wide, fc, 128);
  transpose_bits<<<4, 128>>>(words, words + 1024);
  return finish();
}
