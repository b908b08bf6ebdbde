// SPDX-License-Identifier: Apache-2.0
// What runs along rows in neural networks: softmax, norms, attention, embeddings, convolutions.
#include <cuda_bf16.h>

#include "common.cuh"

template <int threads>
__device__ float sum_of_block(float x, float* place) {
  for (int by = 16; by; by /= 2) x += __shfl_xor_sync(~0u, x, by);
  __syncthreads();
  if (threadIdx.x % 32 == 0) place[threadIdx.x / 32] = x;
  __syncthreads();
  x = 0;
#pragma unroll
  for (int i = 0; i < threads / 32; ++i) x += place[i];
  return x;
}
template <int threads>
__device__ float most_of_block(float x, float* place) {
  for (int by = 16; by; by /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, by));
  __syncthreads();
  if (threadIdx.x % 32 == 0) place[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x % 32 < threads / 32 ? place[threadIdx.x % 32] : -1e30f;
  for (int by = 16; by; by /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, by));
  return x;
}

// The row waits in dynamic shared memory.
template <int threads>
__global__ void __launch_bounds__(threads) softmax(const float* in, float* out, int columns) {
  extern __shared__ float row[];
  __shared__ float part[32];
  in += blockIdx.x * columns, out += blockIdx.x * columns;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += threads) row[i] = in[i], most = fmaxf(most, row[i]);
  most = most_of_block<threads>(most, part);
  for (int i = threadIdx.x; i < columns; i += threads) sum += row[i] = __expf(row[i] - most);
  sum = sum_of_block<threads>(sum, part);
  for (int i = threadIdx.x; i < columns; i += threads) out[i] = row[i] / sum;
}
// One warp per row, 8 rows per block; the row in vectors of four.
__global__ void BLOCK(32, 8, 1) softmax_warps(const float4* in, float4* out) {
  __shared__ float4 s[8][64];
  const int x = threadIdx.x, y = threadIdx.y;
  in += (blockIdx.x * 8 + y) * 64, out += (blockIdx.x * 8 + y) * 64;
  float most = -1e30f, sum = 0;
#pragma unroll
  for (int i = x; i < 64; i += 32) {
    const float4 v = in[i];
    s[y][i] = v, most = fmaxf(most, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (int by = 16; by; by /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, by));
#pragma unroll
  for (int i = x; i < 64; i += 32) {
    float4 v = s[y][i];
    v = make_float4(__expf(v.x - most), __expf(v.y - most), __expf(v.z - most), __expf(v.w - most));
    s[y][i] = v, sum += v.x + v.y + v.z + v.w;
  }
  for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
#pragma unroll
  for (int i = x; i < 64; i += 32) {
    const float4 v = s[y][i];
    out[i] = make_float4(v.x / sum, v.y / sum, v.z / sum, v.w / sum);
  }
}
__global__ void __launch_bounds__(128) layer_norm(const __half2* in, const float2* scale, __half2* out) {
  __shared__ float part[4];
  __shared__ float2 row[256];
  float sum = 0, square = 0;
  for (int i = threadIdx.x; i < 256; i += 128)
    row[i] = __half22float2(in[blockIdx.x * 256 + i]), sum += row[i].x + row[i].y;
  const float mean = sum_of_block<128>(sum, part) / 512;
  for (int i = threadIdx.x; i < 256; i += 128) {
    const float a = row[i].x - mean, b = row[i].y - mean;
    square += a * a + b * b;
  }
  const float by = rsqrtf(sum_of_block<128>(square, part) / 512 + 1e-5f);
  for (int i = threadIdx.x; i < 256; i += 128)
    out[blockIdx.x * 256 + i] =
        __floats2half2_rn((row[i].x - mean) * by * scale[i].x, (row[i].y - mean) * by * scale[i].y);
}
__global__ void BLOCK(96, 2, 1) rms_norm(const __nv_bfloat16* in, __nv_bfloat16* out) {
  __shared__ __nv_bfloat16 row[2][384];
  __shared__ float part[2][3];
  const int x = threadIdx.x, y = threadIdx.y;
  in += (blockIdx.x * 2 + y) * 384, out += (blockIdx.x * 2 + y) * 384;
  float sum = 0;
  for (int i = x; i < 384; i += 96) {
    row[y][i] = in[i];
    const float v = __bfloat162float(row[y][i]);
    sum += v * v;
  }
  for (int by = 16; by; by /= 2) sum += __shfl_xor_sync(~0u, sum, by);
  if (x % 32 == 0) part[y][x / 32] = sum;
  __syncthreads();
  const float by = rsqrtf((part[y][0] + part[y][1] + part[y][2]) / 384 + 1e-6f);
  for (int i = x; i < 384; i += 96) out[i] = __float2bfloat16(__bfloat162float(row[y][i]) * by);
}
// Positions turn pairs that are half a head apart.
__global__ void BLOCK(32, 4, 1) rotary(const float* in, float* out, const float2* angles) {
  __shared__ float head[4][64];
  __shared__ float2 angle[32];
  const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.x * 4 + y) * 64;
  if (y == 0) angle[x] = angles[blockIdx.x * 32 + x];
  head[y][x] = in[at + x], head[y][x + 32] = in[at + x + 32];
  __syncthreads();
#pragma unroll
  for (int i = x; i < 64; i += 32) {
    const float2 w = angle[i & 31];
    out[at + i] = head[y][i] * w.x + (i < 32 ? -head[y][i + 32] : head[y][i - 32]) * w.y;
  }
}

// Attention in float: 32 queries a block, tiles of 32 keys; scores in shared memory.
template <int width, int pad>
__global__ void __launch_bounds__(128) attention(const float* q, const float* k, const float* v, float* out, int keys) {
  __shared__ float qs[32][width + pad], ks[32][width + pad], vs[32][width], scores[32][32 + pad];
  const int t = threadIdx.x, row = t / 4, part = t % 4;
  for (int i = t; i < 32 * width; i += 128) qs[i / width][i % width] = q[blockIdx.x * 32 * width + i];
  float most = -1e30f, sum = 0, result[width / 4] = {};
  for (int at = 0; at < keys; at += 32) {
    __syncthreads();
    for (int i = t; i < 32 * width; i += 128)
      ks[i / width][i % width] = k[at * width + i], vs[i / width][i % width] = v[at * width + i];
    __syncthreads();
    float now = most;
#pragma unroll
    for (int j = part; j < 32; j += 4) {
      float score = 0;
#pragma unroll 8
      for (int i = 0; i < width; ++i) score += qs[row][i] * ks[j][i];
      scores[row][j] = score, now = fmaxf(now, score);
    }
    now = fmaxf(now, __shfl_xor_sync(~0u, now, 1)), now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
    const float fade = __expf(most - now);
    most = now, sum *= fade;
    for (float& one : result) one *= fade;
    __syncwarp();
    for (int j = 0; j < 32; ++j) {
      const float p = __expf(scores[row][j] - most);
      sum += p;
#pragma unroll
      for (int i = 0; i < width / 4; ++i) result[i] += p * vs[j][i * 4 + part];
    }
  }
  for (int i = 0; i < width / 4; ++i) out[(blockIdx.x * 32 + row) * width + i * 4 + part] = result[i] / sum;
}
// On tensor cores: 64 queries, a warp 16 of them, a head of 64; probabilities stay in registers.
template <bool swizzled>
__global__ void __launch_bounds__(128)
    attention_on_tensor_cores(const __half* q, const __half* k, const __half* v, __half* out, int keys) {
  constexpr int pitch = swizzled ? 64 : 72;
  const auto place = [](int row, int column) {
    return swizzled ? row * pitch + (column ^ (row & 7) * 8) : row * pitch + column;
  };
  __shared__ __align__(128) __half qs[64 * pitch], ks[64 * pitch], vs[64 * pitch];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const auto fetch = [&](__half* to, const __half* from) {
#pragma unroll
    for (int i = t; i < 512; i += 128) copy_async(&to[place(i / 8, i % 8 * 8)], from + i * 8);
    commit();
  };
  fetch(qs, q + blockIdx.x * 64 * 64);
  float result[8][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {};
  for (int at = 0; at < keys; at += 64) {
    __syncthreads();
    fetch(ks, k + at * 64), fetch(vs, v + at * 64);
    wait_for_all_but<1>();
    __syncthreads();
    float score[8][4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      unsigned x[4], y[4];
      load_matrices(x, &qs[place(warp * 16 + lane % 16, i * 16 + lane / 16 * 8)]);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        load_matrices(y, &ks[place(j * 16 + lane / 16 * 8 + lane % 8, i * 16 + lane / 8 % 2 * 8)]);
        multiply_add(score[2 * j], x, y[0], y[1]), multiply_add(score[2 * j + 1], x, y[2], y[3]);
      }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float now = most[h];
      for (auto& s : score) now = fmaxf(now, fmaxf(s[2 * h], s[2 * h + 1]));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 1)), now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
      const float fade = __expf(most[h] - now);
      most[h] = now, sum[h] *= fade;
      for (auto& s : score)
        for (int e = 2 * h; e < 2 * h + 2; ++e) s[e] = __expf(s[e] - now), sum[h] += s[e];
      for (auto& r : result) r[2 * h] *= fade, r[2 * h + 1] *= fade;
    }
    wait_for_all_but<0>();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float(*s)[4] = &score[2 * i];
      const unsigned x[4] = {two_halves(s[0][0], s[0][1]), two_halves(s[0][2], s[0][3]), two_halves(s[1][0], s[1][1]),
                             two_halves(s[1][2], s[1][3])};
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        unsigned y[4];
        load_matrices_transposed(y, &vs[place(i * 16 + lane % 16, j * 16 + lane / 16 * 8)]);
        multiply_add(result[2 * j], x, y[0], y[1]), multiply_add(result[2 * j + 1], x, y[2], y[3]);
      }
    }
  }
  __half* mine = out + (blockIdx.x * 64 + warp * 16) * 64;
  for (int h = 0; h < 2; ++h) {
    sum[h] += __shfl_xor_sync(~0u, sum[h], 1), sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
    for (int j = 0; j < 8; ++j)
      *reinterpret_cast<__half2*>(&mine[(h * 8 + lane / 4) * 64 + j * 8 + lane % 4 * 2]) =
          __floats2half2_rn(result[j][2 * h] / sum[h], result[j][2 * h + 1] / sum[h]);
  }
}

// 3 x 3 over 8 channels, weights and tile in shared memory; four results a thread.
__global__ void BLOCK(16, 8, 1) convolve_channels(const float* in, const float* weights, float* out, int n) {
  __shared__ float s[8][10][18], w[8][9][4];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  for (int i = t; i < 288; i += 128) (&w[0][0][0])[i] = weights[i];
  for (int c = 0; c < 8; ++c)
    for (int i = t; i < 180; i += 128)
      s[c][i / 18][i % 18] = in[c * n * n + (blockIdx.y * 8 + i / 18) * n + blockIdx.x * 16 + i % 18];
  __syncthreads();
  float sums[4] = {};
  for (int c = 0; c < 8; ++c)
#pragma unroll
    for (int i = 0; i < 9; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sums[j] += s[c][y + i / 3][x + i % 3] * w[c][i][j];
  for (int j = 0; j < 4; ++j) out[j * n * n + (blockIdx.y * 8 + y) * n + blockIdx.x * 16 + x] = sums[j];
}
// Pooling by 2 with the place of the largest.
__global__ void BLOCK(16, 4, 1) pool(const float* in, float* out, std::uint8_t* where) {
  __shared__ float s[8][33];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  for (int i = t; i < 256; i += 64) s[i / 32][i % 32] = in[blockIdx.x * 256 + i];
  __syncthreads();
  float best = s[2 * y][2 * x];
  int at = 0;
#pragma unroll
  for (int i = 1; i < 4; ++i)
    if (const float v = s[2 * y + i / 2][2 * x + i % 2]; v > best) best = v, at = i;
  out[blockIdx.x * 64 + t] = best, where[blockIdx.x * 64 + t] = static_cast<std::uint8_t>(at);
}

extern "C" int run() {
  float *in = numbers<float>(1 << 14), *out = numbers<float>(1 << 14);
  __half *halves = numbers<__half>(1 << 14), *half_out = numbers<__half>(1 << 14);
  softmax<128><<<4, 128, 4000>>>(in, out, 1000);
  softmax<256><<<4, 256, 2048>>>(in, out, 512);
  softmax_warps<<<2, dim3(32, 8)>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
  layer_norm<<<4, 128>>>(reinterpret_cast<__half2*>(halves), reinterpret_cast<float2*>(in),
                         reinterpret_cast<__half2*>(half_out));
  rms_norm<<<4, dim3(96, 2)>>>(reinterpret_cast<__nv_bfloat16*>(halves), reinterpret_cast<__nv_bfloat16*>(half_out));
  rotary<<<4, dim3(32, 4)>>>(in, out, reinterpret_cast<float2*>(in));
  attention<32, 1><<<2, 128>>>(in, in + 4096, in + 8192, out, 64);
  attention<64, 0><<<2, 128>>>(in, in + 4096, in + 8192, out, 64);
  attention_on_tensor_cores<false><<<2, 128>>>(halves, halves, halves, half_out, 128);
  attention_on_tensor_cores<true><<<2, 128>>>(halves, halves, halves, half_out, 128);
  convolve_channels<<<dim3(2, 2), dim3(16, 8)>>>(in, in, out, 40);
  pool<<<4, dim3(16, 4)>>>(in, out, numbers<std::uint8_t>(256));
  return finish();
}
