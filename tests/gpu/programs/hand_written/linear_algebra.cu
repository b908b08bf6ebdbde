// SPDX-License-Identifier: Apache-2.0
// Small matrices a block each, triangles, bands.
#include "common.cuh"

// LU without pivots: one matrix per block, one thread per element or per row.
template <class T, int n, int pad>
__global__ void BLOCK(n, n, 1) lu_elements(const T* in, T* out) {
  __shared__ T s[n][n + pad];
  const int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * n * n + y * n + x;
  s[y][x] = in[at] + (x == y ? T(n) : T(0));
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    if (x == k && y > k) s[y][k] /= s[k][k];
    __syncthreads();
    if (x > k && y > k) s[y][x] -= s[y][k] * s[k][x];
    __syncthreads();
  }
  out[at] = s[y][x];
}
template <class T, int n, int pad>
__global__ void __launch_bounds__(n) lu_rows(const T* in, T* out) {
  __shared__ T s[n][n + pad];
  const int t = threadIdx.x;
  for (int i = 0; i < n; ++i) s[i][t] = in[(blockIdx.x * n + i) * n + t] + (i == t ? T(n) : T(0));
  __syncthreads();
#pragma unroll 4
  for (int k = 0; k < n - 1; ++k) {
    if (t > k) {
      const T factor = s[t][k] /= s[k][k];
      for (int j = k + 1; j < n; ++j) s[t][j] -= factor * s[k][j];
    }
    __syncthreads();
  }
  for (int i = 0; i < n; ++i) out[(blockIdx.x * n + i) * n + t] = s[i][t];
}

// Cholesky, several matrices a block: a warp each, and a thread an element.
template <int n>
__global__ void __launch_bounds__(128) cholesky_warps(const float* in, float* out) {
  __shared__ float s[4][n][n + 1];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float(*a)[n + 1] = s[warp];
  in += (blockIdx.x * 4 + warp) * n * n, out += (blockIdx.x * 4 + warp) * n * n;
  for (int i = lane; i < n * n; i += 32) a[i / n][i % n] = in[i] + (i / n == i % n ? n : 0);
  __syncwarp();
  for (int k = 0; k < n; ++k) {
    const float root = sqrtf(a[k][k]);
    __syncwarp();
    if (lane >= k && lane < n) a[lane][k] /= root;
    __syncwarp();
    if (lane > k && lane < n)
      for (int j = k + 1; j <= lane; ++j) a[lane][j] -= a[lane][k] * a[j][k];
    __syncwarp();
  }
  for (int i = lane; i < n * n; i += 32) out[i] = i % n <= i / n ? a[i / n][i % n] : 0;
}
template <class T>
__global__ void BLOCK(16, 16, 1) cholesky_elements(const T* in, T* out) {
  __shared__ T s[16][17];
  const int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 256 + y * 16 + x;
  s[y][x] = in[at] + (x == y ? T(16) : T(0));
#pragma unroll
  for (int k = 0; k < 16; ++k) {
    __syncthreads();
    if (x == k && y == k) s[k][k] = sqrt(s[k][k]);
    __syncthreads();
    if (x == k && y > k) s[y][k] /= s[k][k];
    __syncthreads();
    if (x > k && y >= x) s[y][x] -= s[y][k] * s[x][k];
  }
  __syncthreads();
  out[at] = x <= y ? s[y][x] : T(0);
}

// A lower triangle solved for 32 right sides; a thread a column.
template <int n, int threads>
__global__ void __launch_bounds__(threads) solve_triangle(const float* l, const float* b, float* x) {
  __shared__ float s[n][n], column[n][threads];
  const int t = threadIdx.x;
  for (int i = t; i < n * n; i += threads) s[i / n][i % n] = l[i] + (i / n == i % n ? 1 : 0);
#pragma unroll
  for (int i = 0; i < n; ++i) column[i][t] = b[(blockIdx.x * n + i) * threads + t];
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    float sum = column[i][t];
    for (int j = 0; j < i; ++j) sum -= s[i][j] * column[j][t];
    column[i][t] = sum / s[i][i];
  }
#pragma unroll
  for (int i = 0; i < n; ++i) x[(blockIdx.x * n + i) * threads + t] = column[i][t];
}
// One right side, a column at a time.
__global__ void __launch_bounds__(64) solve_upper(const double* u, const double* b, double* x) {
  __shared__ double right[64];
  const int t = threadIdx.x;
  right[t] = b[blockIdx.x * 64 + t];
  for (int k = 63; k >= 0; --k) {
    __syncthreads();
    if (t == k) right[k] /= 1 + u[k * 64 + k];
    __syncthreads();
    if (t < k) right[t] -= u[t * 64 + k] * right[k];
  }
  __syncthreads();
  x[blockIdx.x * 64 + t] = right[t];
}

// Gauss and Jordan with the largest pivot; the rows change places.
template <int n>
__global__ void BLOCK(n + 1, n, 1) gauss_jordan(const float* in, float* out) {
  __shared__ float s[n][n + 1];
  __shared__ int pivot;
  const int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[(blockIdx.x * n + y) * (n + 1) + x] + (x == y ? 4 : 0);
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (x == 0 && y == 0) {
      int best = k;
      for (int i = k + 1; i < n; ++i)
        if (fabsf(s[i][k]) > fabsf(s[best][k])) best = i;
      pivot = best;
    }
    __syncthreads();
    if (y == k && pivot != k) {
      const float a = s[k][x];
      s[k][x] = s[pivot][x], s[pivot][x] = a;
    }
    __syncthreads();
    const float by = s[k][k], factor = s[y][k], mine = s[k][x];
    __syncthreads();
    if (y == k) s[y][x] = mine / by;
    else s[y][x] -= factor * mine / by;
    __syncthreads();
  }
  if (x == n) out[blockIdx.x * n + y] = s[y][n];
}

// Householder's reflections of 32 columns; a warp a column.
__global__ void __launch_bounds__(256) householder(const float* in, float* out) {
  __shared__ float s[32][33], v[32];
  __shared__ float scale;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = warp; i < 32; i += 8) s[i][lane] = in[(blockIdx.x * 32 + i) * 32 + lane];
  __syncthreads();
  for (int k = 0; k < 31; ++k) {
    if (warp == 0) {
      const float x = lane >= k ? s[lane][k] : 0;
      float norm = x * x;
      for (int by = 16; by; by /= 2) norm += __shfl_xor_sync(~0u, norm, by);
      const float first = __shfl_sync(~0u, x, k), length = copysignf(sqrtf(norm), first) + 1e-6f;
      v[lane] = lane == k ? x + length : x;
      if (lane == 0) scale = 1 / (norm + fabsf(first * length) + 1e-6f);
    }
    __syncthreads();
    for (int j = k + warp; j < 32; j += 8) {
      float dot = v[lane] * s[lane][j];
      for (int by = 16; by; by /= 2) dot += __shfl_xor_sync(~0u, dot, by);
      s[lane][j] -= dot * scale * v[lane];
    }
    __syncthreads();
  }
  for (int i = warp; i < 32; i += 8) out[(blockIdx.x * 32 + i) * 32 + lane] = s[i][lane];
}

// Three diagonals: cyclic reduction, and every equation at each step.
template <class T, int n>
__global__ void __launch_bounds__(n / 2) cyclic_reduction(const T* right, T* out) {
  __shared__ T a[n], b[n], c[n], d[n];
  const int t = threadIdx.x;
#pragma unroll
  for (int i = t; i < n; i += n / 2)
    a[i] = i ? -1 : 0, b[i] = 4, c[i] = i < n - 1 ? -1 : 0, d[i] = right[blockIdx.x * n + i];
  int apart = 1;
  for (int active = n / 2; active > 1; active /= 2, apart *= 2) {
    __syncthreads();
    if (t < active) {
      const int i = 2 * apart * (t + 1) - 1, left = i - apart, next = min(i + apart, n - 1);
      const T u = a[i] / b[left], w = i == n - 1 ? T(0) : c[i] / b[next];
      b[i] -= c[left] * u + a[next] * w, d[i] -= d[left] * u + d[next] * w;
      a[i] = -a[left] * u, c[i] = -c[next] * w;
    }
  }
  __syncthreads();
  if (t == 0) {
    const int i = n / 2 - 1, j = n - 1;
    const T determinant = b[i] * b[j] - c[i] * a[j];
    const T x = (b[j] * d[i] - c[i] * d[j]) / determinant, y = (b[i] * d[j] - a[j] * d[i]) / determinant;
    d[i] = x, d[j] = y;
  }
  for (int active = 2; active < n; active *= 2) {
    apart = n / active / 2;
    __syncthreads();
    if (t < active) {
      const int i = 2 * apart * t + apart - 1;
      const T before = t ? a[i] * d[i - apart] : T(0);
      d[i] = (d[i] - before - c[i] * d[i + apart]) / b[i];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = t; i < n; i += n / 2) out[blockIdx.x * n + i] = d[i];
}
__global__ void __launch_bounds__(128) parallel_cyclic_reduction(const float* right, float* out) {
  __shared__ float4 s[128];
  const int t = threadIdx.x;
  s[t] = make_float4(t ? -1 : 0, 4, t < 127 ? -1 : 0, right[blockIdx.x * 128 + t]);
#pragma unroll
  for (int by = 1; by < 128; by *= 2) {
    __syncthreads();
    float4 mine = s[t];
    const float4 left = t >= by ? s[t - by] : make_float4(0, 1, 0, 0),
                 next = t + by < 128 ? s[t + by] : make_float4(0, 1, 0, 0);
    __syncthreads();
    const float u = mine.x / left.y, w = mine.z / next.y;
    mine.y -= left.z * u + next.x * w, mine.w -= left.w * u + next.w * w, mine.x = -left.x * u, mine.z = -next.z * w;
    s[t] = mine;
  }
  out[blockIdx.x * 128 + t] = s[t].w / s[t].y;
}

extern "C" int run() {
  float *in = numbers<float>(1 << 15), *out = numbers<float>(1 << 15);
  double *wide_in = numbers<double>(1 << 13), *wide_out = numbers<double>(1 << 13);
  lu_elements<float, 16, 0><<<2, dim3(16, 16)>>>(in, out);
  lu_elements<float, 32, 1><<<2, dim3(32, 32)>>>(in, out);
  lu_elements<double, 12, 0><<<2, dim3(12, 12)>>>(wide_in, wide_out);
  lu_rows<float, 32, 0><<<2, 32>>>(in, out);
  lu_rows<double, 32, 1><<<2, 32>>>(wide_in, wide_out);
  cholesky_warps<16><<<2, 128>>>(in, out);
  cholesky_warps<32><<<2, 128>>>(in, out);
  cholesky_elements<float><<<2, dim3(16, 16)>>>(in, out);
  cholesky_elements<double><<<2, dim3(16, 16)>>>(wide_in, wide_out);
  solve_triangle<16, 96><<<2, 96>>>(in, in, out);
  solve_triangle<32, 64><<<2, 64>>>(in, in, out);
  solve_upper<<<2, 64>>>(wide_in, wide_in, wide_out);
  gauss_jordan<8><<<2, dim3(9, 8)>>>(in, out);
  gauss_jordan<24><<<2, dim3(25, 24)>>>(in, out);
  householder<<<2, 256>>>(in, out);
  cyclic_reduction<float, 256><<<2, 128>>>(in, out);
  cyclic_reduction<double, 128><<<2, 64>>>(wide_in, wide_out);
  parallel_cyclic_reduction<<<2, 128>>>(in, out);
  return finish();
}
