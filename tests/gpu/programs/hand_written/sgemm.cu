// SPDX-License-Identifier: Apache-2.0
// Products of float matrices, from one result a thread to warp tiles. C[n][n] = A[n][k] B[k][n], row-major.
#include "common.cuh"

// One result a thread.
template <int tile>
__global__ void __launch_bounds__(tile* tile) sgemm_square(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * tile + y, column = blockIdx.x * tile + x;
  float sum = 0;
  for (int at = 0; at < k; at += tile) {
    as[y][x] = a[row * k + at + x];
    bs[y][x] = b[(at + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// B is given transposed: rows of both tiles run along k, B's padded.
template <int tile, int pad>
__global__ void BLOCK(tile, tile, 1) sgemm_b_transposed(const float* a, const float* bt, float* c, int n, int k) {
  __shared__ float as[tile][tile], bs[tile][tile + pad];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * tile + y, column = blockIdx.x * tile;
  float sum = 0;
  for (int at = 0; at < k; at += tile) {
    as[y][x] = a[row * k + at + x];
    bs[y][x] = bt[(column + y) * k + at + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) sum += as[y][i] * bs[x][i];
    __syncthreads();
  }
  c[row * n + column + x] = sum;
}

// A column of results a thread.
template <int bm, int bn, int bk, int tm>
__global__ void __launch_bounds__(bm* bn / tm) sgemm_column(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float as[bm * bk], bs[bk * bn];
  const int t = threadIdx.x, column = t % bn, row = t / bn * tm;
  float sums[tm] = {};
  a += blockIdx.y * bm * k, b += blockIdx.x * bn;
  for (int at = 0; at < k; at += bk) {
    for (int i = t; i < bm * bk; i += bm * bn / tm) as[i] = a[i / bk * k + at + i % bk];
    for (int i = t; i < bk * bn; i += bm * bn / tm) bs[i] = b[(at + i / bn) * n + i % bn];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < bk; ++i) {
      const float y = bs[i * bn + column];
#pragma unroll
      for (int j = 0; j < tm; ++j) sums[j] += as[(row + j) * bk + i] * y;
    }
    __syncthreads();
  }
  for (int j = 0; j < tm; ++j) c[(blockIdx.y * bm + row + j) * n + blockIdx.x * bn + column] = sums[j];
}

// A square of results a thread, A as it comes.
template <int bm, int bn, int bk, int tm, int tn>
__global__ void __launch_bounds__(bm* bn / tm / tn)
    sgemm_square_of_results(const float* a, const float* b, float* c, int n, int k) {
  constexpr int threads = bm * bn / tm / tn;
  __shared__ float as[bm][bk], bs[bk][bn];
  const int t = threadIdx.x, column = t % (bn / tn) * tn, row = t / (bn / tn) * tm;
  float sums[tm][tn] = {};
  a += blockIdx.y * bm * k, b += blockIdx.x * bn;
  for (int at = 0; at < k; at += bk) {
#pragma unroll
    for (int i = t; i < bm * bk; i += threads) as[i / bk][i % bk] = a[i / bk * k + at + i % bk];
#pragma unroll
    for (int i = t; i < bk * bn; i += threads) bs[i / bn][i % bn] = b[(at + i / bn) * n + i % bn];
    __syncthreads();
    for (int i = 0; i < bk; ++i) {
      float x[tm], y[tn];
      for (int j = 0; j < tm; ++j) x[j] = as[row + j][i];
      for (int j = 0; j < tn; ++j) y[j] = bs[i][column + j];
      for (int j = 0; j < tm; ++j)
        for (int l = 0; l < tn; ++l) sums[j][l] += x[j] * y[l];
    }
    __syncthreads();
  }
  for (int j = 0; j < tm; ++j)
    for (int l = 0; l < tn; ++l) c[(blockIdx.y * bm + row + j) * n + blockIdx.x * bn + column + l] = sums[j][l];
}

// float4 everywhere, A transposed on its way in.
template <int bm, int bn, int bk, int pad>
__global__ void __launch_bounds__(256) sgemm_vectors(const float* a, const float* b, float* c, int n, int k) {
  __shared__ __align__(16) float as[bk][bm + pad], bs[bk][bn];
  const int t = threadIdx.x, column = t % 16 * (bn / 16), row = t / 16 * (bm / 16);
  float sums[bm / 16][bn / 16] = {};
  a += blockIdx.y * bm * k, b += blockIdx.x * bn;
  for (int at = 0; at < k; at += bk) {
#pragma unroll
    for (int i = t; i < bm * bk / 4; i += 256) {
      const int r = i / (bk / 4), q = i % (bk / 4) * 4;
      const float4 x = *reinterpret_cast<const float4*>(&a[r * k + at + q]);
      as[q][r] = x.x, as[q + 1][r] = x.y, as[q + 2][r] = x.z, as[q + 3][r] = x.w;
    }
#pragma unroll
    for (int i = t; i < bk * bn / 4; i += 256)
      reinterpret_cast<float4*>(bs)[i] =
          *reinterpret_cast<const float4*>(&b[(at + i / (bn / 4)) * n + i % (bn / 4) * 4]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < bk; ++i) {
      float x[bm / 16], y[bn / 16];
      for (int j = 0; j < bm / 16; j += 4)
        *reinterpret_cast<float4*>(&x[j]) = *reinterpret_cast<const float4*>(&as[i][row + j]);
      for (int j = 0; j < bn / 16; j += 4)
        *reinterpret_cast<float4*>(&y[j]) = *reinterpret_cast<const float4*>(&bs[i][column + j]);
      for (int j = 0; j < bm / 16; ++j)
        for (int l = 0; l < bn / 16; ++l) sums[j][l] += x[j] * y[l];
    }
    __syncthreads();
  }
  for (int j = 0; j < bm / 16; ++j)
    for (int l = 0; l < bn / 16; ++l) c[(blockIdx.y * bm + row + j) * n + blockIdx.x * bn + column + l] = sums[j][l];
}

// The next tile is fetched to registers while this one is used; 64 x 64, 4 x 4 results a thread; A's rows are swizzled.
__global__ void __launch_bounds__(256) sgemm_double_buffered(const float* a, const float* b, float* c, int n, int k) {
  constexpr int bm = 64, bk = 16;
  __shared__ __align__(16) float as[2][bk][bm], bs[2][bk][bm];
  const int t = threadIdx.x, column = t % 16 * 4, row = t / 16 * 4;
  const int a_row = t / 4, a_k = t % 4 * 4, b_row = t / 16, b_column = t % 16 * 4;
  a += (blockIdx.y * bm + a_row) * k + a_k, b += b_row * n + blockIdx.x * bm + b_column;
  float4 next_a = *reinterpret_cast<const float4*>(a), next_b = *reinterpret_cast<const float4*>(b);
  const auto put = [&](int to) {
    const int place = a_row ^ (a_k << 1);
    as[to][a_k][place] = next_a.x, as[to][a_k + 1][place] = next_a.y;
    as[to][a_k + 2][place] = next_a.z, as[to][a_k + 3][place] = next_a.w;
    *reinterpret_cast<float4*>(&bs[to][b_row][b_column]) = next_b;
  };
  float sums[4][4] = {};
  put(0);
  __syncthreads();
  for (int at = 0, stage = 0; at < k; at += bk, stage ^= 1) {
    const bool more = at + bk < k;
    if (more) {
      a += bk, b += bk * n;
      next_a = *reinterpret_cast<const float4*>(a), next_b = *reinterpret_cast<const float4*>(b);
    }
#pragma unroll
    for (int i = 0; i < bk; ++i) {
      float x[4], y[4];
      *reinterpret_cast<float4*>(x) = *reinterpret_cast<const float4*>(&as[stage][i][row ^ ((i & ~3) << 1)]);
      *reinterpret_cast<float4*>(y) = *reinterpret_cast<const float4*>(&bs[stage][i][column]);
      for (int j = 0; j < 4; ++j)
        for (int l = 0; l < 4; ++l) sums[j][l] += x[j] * y[l];
    }
    if (more) put(stage ^ 1);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    *reinterpret_cast<float4*>(&c[(blockIdx.y * bm + row + j) * n + blockIdx.x * bm + column]) =
        make_float4(sums[j][0], sums[j][1], sums[j][2], sums[j][3]);
}

// One tile per warp, and in it 8 x 4 lanes with 4 x 4 results in each quarter; tiles come by cp.async.
template <int stages>
__global__ void __launch_bounds__(128) sgemm_warp_tiles(const float* at, const float* b, float* c, int n, int k) {
  constexpr int bm = 64, bk = 8;  // A is given transposed: At[k][n]
  __shared__ __align__(16) float as[stages][bk][bm], bs[stages][bk][bm];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int row = warp / 2 * 32 + lane / 8 * 4, column = warp % 2 * 32 + lane % 8 * 2;
  const auto fetch = [&](int step) {
    if (step * bk < k) {
      const int i = t / 16, j = t % 16 * 4;
      copy_async(&as[step % stages][i][j], &at[(step * bk + i) * n + blockIdx.y * bm + j]);
      copy_async(&bs[step % stages][i][j], &b[(step * bk + i) * n + blockIdx.x * bm + j]);
    }
    commit();
  };
  float sums[2][2][4][2] = {};
  for (int step = 0; step < stages - 1; ++step) fetch(step);
  for (int step = 0; step * bk < k; ++step) {
    wait_for_all_but<stages - 2>();
    __syncthreads();
    fetch(step + stages - 1);
    const float(*x)[bm] = as[step % stages], (*y)[bm] = bs[step % stages];
#pragma unroll
    for (int i = 0; i < bk; ++i)
      for (int p = 0; p < 2; ++p)
        for (int q = 0; q < 2; ++q) {
          const float4 u = *reinterpret_cast<const float4*>(&x[i][row + p * 16]);
          const float2 v = *reinterpret_cast<const float2*>(&y[i][column + q * 16]);
          sums[p][q][0][0] += u.x * v.x, sums[p][q][0][1] += u.x * v.y, sums[p][q][1][0] += u.y * v.x,
              sums[p][q][1][1] += u.y * v.y;
          sums[p][q][2][0] += u.z * v.x, sums[p][q][2][1] += u.z * v.y, sums[p][q][3][0] += u.w * v.x,
              sums[p][q][3][1] += u.w * v.y;
        }
  }
  for (int p = 0; p < 2; ++p)
    for (int q = 0; q < 2; ++q)
      for (int j = 0; j < 4; ++j)
        for (int l = 0; l < 2; ++l)
          c[(blockIdx.y * bm + row + p * 16 + j) * n + blockIdx.x * bm + column + q * 16 + l] = sums[p][q][j][l];
}

// Doubles, 8 x 8 threads with 4 x 4 results that are 8 apart.
__global__ void BLOCK(8, 8, 1) dgemm_strided(const double* a, const double* b, double* c, int n, int k) {
  __shared__ double as[8][32 + 1], bs[8][32];
  const int x = threadIdx.x, y = threadIdx.y;
  double sums[4][4] = {};
  a += blockIdx.y * 32 * k, b += blockIdx.x * 32;
  for (int at = 0; at < k; at += 8) {
    for (int i = 0; i < 32; i += 8) as[x][y + i] = a[(y + i) * k + at + x], bs[y][x + i] = b[(at + y) * n + x + i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 4; ++j)
        for (int l = 0; l < 4; ++l) sums[j][l] += as[i][y + 8 * j] * bs[i][x + 8 * l];
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int l = 0; l < 4; ++l) c[(blockIdx.y * 32 + y + 8 * j) * n + blockIdx.x * 32 + x + 8 * l] = sums[j][l];
}

extern "C" int run() {
  constexpr int n = 256, k = 64;
  float *a = numbers<float>(n * k), *b = numbers<float>(n * k), *c = numbers<float>(n * n);
  double *da = numbers<double>(n * k), *db = numbers<double>(n * k), *dc = numbers<double>(n * n);
  sgemm_square<16><<<dim3(4, 4), dim3(16, 16)>>>(a, b, c, n, k);
  sgemm_square<32><<<dim3(2, 2), dim3(32, 32)>>>(a, b, c, n, k);
  sgemm_b_transposed<16, 1><<<dim3(4, 4), dim3(16, 16)>>>(a, b, c, n, k);
  sgemm_b_transposed<32, 1><<<dim3(2, 2), dim3(32, 32)>>>(a, b, c, n, k);
  sgemm_b_transposed<32, 0><<<dim3(2, 2), dim3(32, 32)>>>(a, b, c, n, k);
  sgemm_column<64, 64, 8, 8><<<dim3(2, 2), 512>>>(a, b, c, n, k);
  sgemm_column<32, 32, 16, 4><<<dim3(2, 2), 256>>>(a, b, c, n, k);
  sgemm_square_of_results<128, 128, 8, 8, 8><<<dim3(2, 2), 256>>>(a, b, c, n, k);
  sgemm_square_of_results<64, 64, 16, 4, 4><<<dim3(2, 2), 256>>>(a, b, c, n, k);
  sgemm_vectors<128, 128, 8, 4><<<dim3(2, 2), 256>>>(a, b, c, n, k);
  sgemm_vectors<64, 128, 16, 0><<<dim3(2, 2), 256>>>(a, b, c, n, k);
  sgemm_double_buffered<<<dim3(2, 2), 256>>>(a, b, c, n, k);
  sgemm_warp_tiles<2><<<dim3(2, 2), 128>>>(a, b, c, n, k);
  sgemm_warp_tiles<3><<<dim3(2, 2), 128>>>(a, b, c, n, k);
  dgemm_strided<<<dim3(2, 2), dim3(8, 8)>>>(da, db, dc, n, k);
  return finish();
}
