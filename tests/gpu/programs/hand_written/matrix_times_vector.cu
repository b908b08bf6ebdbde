// SPDX-License-Identifier: Apache-2.0
// Matrices times vectors: dense, turned, sparse, many small ones.
#include "common.cuh"

// A matrix times a vector: the vector in shared memory; rows by warps or a row a thread.
__global__ void __launch_bounds__(256) matrix_vector(const float4* a, const float4* x, float* y, int columns) {
  __shared__ float4 s[128];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int i = t; i < columns / 4; i += 256) s[i] = x[i];
  __syncthreads();
  const float4* row = a + (blockIdx.x * 8 + warp) * (columns / 4);
  float sum = 0;
  for (int i = lane; i < columns / 4; i += 32) {
    const float4 u = row[i], v = s[i];
    sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
  if (lane == 0) y[blockIdx.x * 8 + warp] = sum;
}
template <class T, int width, int rows>
__global__ void BLOCK(width, rows, 1) transposed_matrix_vector(const T* a, const T* x, T* y, int n) {
  __shared__ T part[rows][width + 1], xs[rows];
  const int i = threadIdx.x, j = threadIdx.y, column = blockIdx.x * width + i;
  T sum = 0;
  for (int at = 0; at < n; at += rows) {
    if (i == 0) xs[j] = x[at + j];
    __syncthreads();
    sum += a[(at + j) * n + column] * xs[j];
    __syncthreads();
  }
  part[j][i] = sum;
  __syncthreads();
  if (j == 0) {
    for (int k = 1; k < rows; ++k) sum += part[k][i];
    y[column] = sum;
  }
}
// Sparse rows: the ends of the rows of a block, and products that are added up by rows.
__global__ void __launch_bounds__(128)
    sparse_rows(const int* begins, const int* columns, const float* values, const float* x, float* y) {
  __shared__ int begin[129];
  __shared__ float products[512];
  const int t = threadIdx.x, first = blockIdx.x * 128;
  for (int i = t; i < 129; i += 128) begin[i] = begins[first + i];
  __syncthreads();
  const int from = begin[0], to = begin[128];
  float sum = 0;
  for (int at = from; at < to; at += 512) {
    const int end = min(512, to - at);
    for (int i = t; i < end; i += 128) products[i] = values[at + i] * x[columns[at + i]];
    __syncthreads();
    for (int i = max(begin[t] - at, 0); i < min(begin[t + 1] - at, end); ++i) sum += products[i];
    __syncthreads();
  }
  y[first + t] = sum;
}
// Many products of 8 x 8, one thread per row.
__global__ void __launch_bounds__(64) many_products(const double* a, const double* b, double* c) {
  __shared__ double bs[8][64];
  const int t = threadIdx.x, matrix = t / 8, row = t % 8;
#pragma unroll
  for (int i = 0; i < 8; ++i) bs[i][t] = b[(blockIdx.x * 8 + i) * 64 + t];
  __syncthreads();
  double sums[8] = {};
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const double x = a[(blockIdx.x * 8 + matrix) * 64 + row * 8 + k];
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[j] += x * bs[matrix][k * 8 + j];
  }
  for (int j = 0; j < 8; ++j) c[(blockIdx.x * 8 + matrix) * 64 + row * 8 + j] = sums[j];
}

extern "C" int run() {
  float *in = numbers<float>(1 << 15), *out = numbers<float>(1 << 15);
  double *wide_in = numbers<double>(1 << 13), *wide_out = numbers<double>(1 << 13);
  matrix_vector<<<4, 256>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(in), out, 512);
  transposed_matrix_vector<float, 32, 8><<<4, dim3(32, 8)>>>(in, in, out, 128);
  transposed_matrix_vector<double, 16, 4><<<4, dim3(16, 4)>>>(wide_in, wide_in, wide_out, 64);
  std::vector<int> begins(257), columns;
  for (int row = 0; row < 256; ++row) {
    begins[row] = static_cast<int>(columns.size());
    for (int i = 0; i < row * 7 % 13; ++i) columns.push_back((row * 31 + i * 17) % 1000);
  }
  begins[256] = static_cast<int>(columns.size());
  sparse_rows<<<2, 128>>>(copied(begins), copied(columns), in, in, out);
  many_products<<<2, 64>>>(wide_in, wide_in, wide_out);
  return finish();
}
