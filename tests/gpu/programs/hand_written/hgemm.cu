// SPDX-License-Identifier: Apache-2.0
// Products of half matrices on tensor cores: ldmatrix, mma.sync, cp.async in stages; padded and swizzled tiles.
#include "common.cuh"

// Rows of `columns` halves: padded by 8, or chunks of 16 bytes in XOR order.
template <int columns, bool swizzled>
struct Tile {
  static constexpr int pitch = swizzled ? columns : columns + 8;
  __device__ static int at(int row, int column) {
    if constexpr (!swizzled) return row * pitch + column;
    constexpr int chunks = columns / 8 < 8 ? columns / 8 : 8, rows = 8 / chunks;
    return row * pitch + ((column / 8 ^ (row / rows & (chunks - 1))) * 8 | column % 8);
  }
};

// C[n][n] = A[n][k] Bt[n][k]; a warp has 32 x (bn / 2) of bm x bn.
template <int bm, int bn, int bk, int stages, bool swizzled>
__global__ void __launch_bounds__(bm * 2) hgemm_row_column(const __half* a, const __half* bt, float* c, int n, int k) {
  using Place = Tile<bk, swizzled>;
  constexpr int threads = bm * 2, a_size = bm * Place::pitch, b_size = bn * Place::pitch;
  extern __shared__ __align__(128) __half tiles[];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, row = warp / 2 * 32, column = warp % 2 * (bn / 2);
  a += blockIdx.y * bm * k, bt += blockIdx.x * bn * k;
  const auto fetch = [&](int step) {
    if (step * bk < k) {
      __half *as = tiles + step % stages * (a_size + b_size), *bs = as + a_size;
#pragma unroll
      for (int i = t; i < bm * bk / 8; i += threads) {
        const int r = i / (bk / 8), q = i % (bk / 8) * 8;
        copy_async(&as[Place::at(r, q)], &a[r * k + step * bk + q]);
      }
#pragma unroll
      for (int i = t; i < bn * bk / 8; i += threads) {
        const int r = i / (bk / 8), q = i % (bk / 8) * 8;
        copy_async(&bs[Place::at(r, q)], &bt[r * k + step * bk + q]);
      }
    }
    commit();
  };
  float sums[2][bn / 16][4] = {};
  for (int step = 0; step < stages - 1; ++step) fetch(step);
  for (int step = 0; step * bk < k; ++step) {
    wait_for_all_but<stages - 2>();
    __syncthreads();
    fetch(step + stages - 1);
    const __half *as = tiles + step % stages * (a_size + b_size), *bs = as + a_size;
#pragma unroll
    for (int i = 0; i < bk; i += 16) {
      unsigned x[2][4], y[bn / 32][4];
#pragma unroll
      for (int j = 0; j < 2; ++j) load_matrices(x[j], &as[Place::at(row + j * 16 + lane % 16, i + lane / 16 * 8)]);
#pragma unroll
      for (int j = 0; j < bn / 32; ++j)
        load_matrices(y[j], &bs[Place::at(column + j * 16 + lane / 16 * 8 + lane % 8, i + lane / 8 % 2 * 8)]);
#pragma unroll
      for (int j = 0; j < 2; ++j)
#pragma unroll
        for (int l = 0; l < bn / 16; ++l) multiply_add(sums[j][l], x[j], y[l / 2][l % 2 * 2], y[l / 2][l % 2 * 2 + 1]);
    }
  }
  for (int j = 0; j < 2; ++j)
    for (int l = 0; l < bn / 16; ++l)
      for (int h = 0; h < 2; ++h)
        *reinterpret_cast<float2*>(&c[(blockIdx.y * bm + row + j * 16 + h * 8 + lane / 4) * n + blockIdx.x * bn +
                                      column + l * 8 + lane % 4 * 2]) =
            make_float2(sums[j][l][h * 2], sums[j][l][h * 2 + 1]);
}

// B as it comes, B[k][n], by ldmatrix.trans; the result goes through shared memory.
template <bool swizzled, bool by_matrices>
__global__ void __launch_bounds__(128) hgemm_row_row(const __half* a, const __half* b, __half* c, int n, int k) {
  constexpr int bm = 64, bn = 64, bk = 32;
  using A = Tile<bk, swizzled>;
  using B = Tile<bn, swizzled>;
  __shared__ __align__(128) __half as[bm * A::pitch], bs[bk * B::pitch], cs[bm * B::pitch];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, row = warp / 2 * 32, column = warp % 2 * 32;
  a += blockIdx.y * bm * k, b += blockIdx.x * bn;
  float sums[2][4][4] = {};
  for (int at = 0; at < k; at += bk) {
    for (int i = t; i < bm * bk / 8; i += 128)
      *reinterpret_cast<uint4*>(&as[A::at(i / 4, i % 4 * 8)]) =
          *reinterpret_cast<const uint4*>(&a[i / 4 * k + at + i % 4 * 8]);
    for (int i = t; i < bk * bn / 8; i += 128)
      *reinterpret_cast<uint4*>(&bs[B::at(i / 8, i % 8 * 8)]) =
          *reinterpret_cast<const uint4*>(&b[(at + i / 8) * n + i % 8 * 8]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < bk; i += 16) {
      unsigned x[2][4], y[4][2];
      for (int j = 0; j < 2; ++j) load_matrices(x[j], &as[A::at(row + j * 16 + lane % 16, i + lane / 16 * 8)]);
      for (int j = 0; j < 4; ++j) load_matrices_transposed(y[j], &bs[B::at(i + lane % 16, column + j * 8)]);
      for (int j = 0; j < 2; ++j)
        for (int l = 0; l < 4; ++l) multiply_add(sums[j][l], x[j], y[l][0], y[l][1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int l = 0; l < 4; l += 2) {
      const float(*s)[4] = &sums[j][l];
      if constexpr (by_matrices)
        store_matrices(&cs[B::at(row + j * 16 + lane % 16, column + l * 8 + lane / 16 * 8)],
                       two_halves(s[0][0], s[0][1]), two_halves(s[0][2], s[0][3]), two_halves(s[1][0], s[1][1]),
                       two_halves(s[1][2], s[1][3]));
      else
        for (int h = 0; h < 4; ++h)
          *reinterpret_cast<unsigned*>(
              &cs[B::at(row + j * 16 + h % 2 * 8 + lane / 4, column + (l + h / 2) * 8 + lane % 4 * 2)]) =
              two_halves(s[h / 2][h % 2 * 2], s[h / 2][h % 2 * 2 + 1]);
    }
  __syncthreads();
#pragma unroll
  for (int i = t; i < bm * bn / 8; i += 128)
    *reinterpret_cast<uint4*>(&c[(blockIdx.y * bm + i / 8) * n + blockIdx.x * bn + i % 8 * 8]) =
        *reinterpret_cast<const uint4*>(&cs[B::at(i / 8, i % 8 * 8)]);
}

// Fragments by plain loads of words; A padded by 2, 4 or 8 halves.
template <int pad>
__global__ void __launch_bounds__(128)
    hgemm_plain_fragments(const __half* a, const __half* bt, float* c, int n, int k) {
  constexpr int bk = 32;
  __shared__ __align__(16) __half as[32][bk + pad], bs[32][bk + pad];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, row = warp / 2 * 16, column = warp % 2 * 16;
  a += blockIdx.y * 32 * k, bt += blockIdx.x * 32 * k;
  float sums[2][4] = {};
  for (int at = 0; at < k; at += bk) {
    for (int i = t; i < 32 * bk / 2; i += 128) {
      const int r = i / (bk / 2), q = i % (bk / 2) * 2;
      *reinterpret_cast<__half2*>(&as[r][q]) = *reinterpret_cast<const __half2*>(&a[r * k + at + q]);
      *reinterpret_cast<__half2*>(&bs[r][q]) = *reinterpret_cast<const __half2*>(&bt[r * k + at + q]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < bk; i += 16) {
      const auto word = [&](const __half* p) { return *reinterpret_cast<const unsigned*>(p); };
      const int r = lane / 4, q = i + lane % 4 * 2;
      const unsigned x[4] = {word(&as[row + r][q]), word(&as[row + r + 8][q]), word(&as[row + r][q + 8]),
                             word(&as[row + r + 8][q + 8])};
#pragma unroll
      for (int l = 0; l < 2; ++l)
        multiply_add(sums[l], x, word(&bs[column + l * 8 + r][q]), word(&bs[column + l * 8 + r][q + 8]));
    }
    __syncthreads();
  }
  for (int l = 0; l < 2; ++l)
    for (int h = 0; h < 4; ++h)
      c[(blockIdx.y * 32 + row + h / 2 * 8 + lane / 4) * n + blockIdx.x * 32 + column + l * 8 + lane % 4 * 2 + h % 2] =
          sums[l][h];
}

// Split in k over the warps of a block, added up in shared memory.
__global__ void __launch_bounds__(128) hgemm_split_k(const __half* a, const __half* bt, float* c, int n, int k) {
  __shared__ __align__(16) __half as[4][16][24], bs[4][8][24];
  __shared__ float parts[4][16][8];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float sums[4] = {};
  for (int at = warp * 16; at < k; at += 64) {
    *reinterpret_cast<uint4*>(&as[warp][lane / 2][lane % 2 * 8]) =
        *reinterpret_cast<const uint4*>(&a[(blockIdx.y * 16 + lane / 2) * k + at + lane % 2 * 8]);
    if (lane < 16)
      *reinterpret_cast<uint4*>(&bs[warp][lane / 2][lane % 2 * 8]) =
          *reinterpret_cast<const uint4*>(&bt[(blockIdx.x * 8 + lane / 2) * k + at + lane % 2 * 8]);
    __syncwarp();
    unsigned x[4], y[2];
    load_matrices(x, &as[warp][lane % 16][lane / 16 * 8]);
    load_matrices(y, &bs[warp][lane % 8][lane / 8 % 2 * 8]);
    multiply_add(sums, x, y[0], y[1]);
    __syncwarp();
  }
  for (int h = 0; h < 4; ++h) parts[warp][h / 2 * 8 + lane / 4][lane % 4 * 2 + h % 2] = sums[h];
  __syncthreads();
  const int row = threadIdx.x / 8, column = threadIdx.x % 8;
  c[(blockIdx.y * 16 + row) * n + blockIdx.x * 8 + column] =
      parts[0][row][column] + parts[1][row][column] + parts[2][row][column] + parts[3][row][column];
}

template <int bm, int bn, int bk, int stages, bool swizzled>
void launch(const __half* a, const __half* b, float* c, int n, int k) {
  auto* kernel = hgemm_row_column<bm, bn, bk, stages, swizzled>;
  const int bytes = stages * (bm + bn) * Tile<bk, swizzled>::pitch * 2;
  allow(kernel, bytes);
  kernel<<<dim3(n / bn, n / bm), bm * 2, bytes>>>(a, b, c, n, k);
}

extern "C" int run() {
  constexpr int n = 256, k = 128;
  __half *a = numbers<__half>(n * k), *b = numbers<__half>(n * k), *half_c = numbers<__half>(n * n);
  float* c = numbers<float>(n * n);
  launch<128, 128, 32, 2, false>(a, b, c, n, k);
  launch<128, 128, 32, 3, true>(a, b, c, n, k);
  launch<128, 64, 64, 4, true>(a, b, c, n, k);
  launch<64, 64, 64, 3, false>(a, b, c, n, k);
  launch<64, 128, 16, 4, true>(a, b, c, n, k);
  hgemm_row_row<false, false><<<dim3(2, 2), 128>>>(a, b, half_c, n, k);
  hgemm_row_row<true, false><<<dim3(2, 2), 128>>>(a, b, half_c, n, k);
  hgemm_row_row<true, true><<<dim3(2, 2), 128>>>(a, b, half_c, n, k);
  hgemm_plain_fragments<0><<<dim3(2, 2), 128>>>(a, b, c, n, k);
  hgemm_plain_fragments<2><<<dim3(2, 2), 128>>>(a, b, c, n, k);
  hgemm_plain_fragments<8><<<dim3(2, 2), 128>>>(a, b, c, n, k);
  hgemm_split_k<<<dim3(4, 4), 128>>>(a, b, c, n, k);
  return finish();
}
