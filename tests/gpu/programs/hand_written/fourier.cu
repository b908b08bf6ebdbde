// SPDX-License-Identifier: Apache-2.0
// Fourier, Hadamard and Haar transformations, and complex numbers.
#include "common.cuh"

__device__ float2 operator+(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ float2 operator-(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }
__device__ float2 operator*(float2 a, float2 b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ float2 turn(float part) {
  float2 out;
  __sincosf(-6.2831853f * part, &out.y, &out.x);
  return out;
}
__device__ int reversed(int i, int bits) { return static_cast<int>(__brev(i) >> (32 - bits)); }

// Radix 2 in place, after the bits of the places were reversed.
template <int n>
__global__ void __launch_bounds__(n / 2) fft_in_place(const float2* in, float2* out) {
  constexpr int bits = n == 128 ? 7 : n == 256 ? 8 : 9;
  __shared__ float2 s[n];
  const int t = threadIdx.x;
  s[reversed(t, bits)] = in[blockIdx.x * n + t];
  s[reversed(t + n / 2, bits)] = in[blockIdx.x * n + t + n / 2];
#pragma unroll
  for (int half = 1; half < n; half *= 2) {
    __syncthreads();
    const int k = t & (half - 1), a = 2 * t - k, b = a + half;
    const float2 x = s[a], y = s[b] * turn(k / (2.f * half));
    s[a] = x + y, s[b] = x - y;
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[t], out[blockIdx.x * n + t + n / 2] = s[t + n / 2];
}
// Stockham: from one array to the other, in order.
template <class Number2, int n>
__global__ void __launch_bounds__(n / 2) fft_two_arrays(const Number2* in, Number2* out) {
  __shared__ Number2 s[2][n];
  const int t = threadIdx.x;
  s[0][t] = in[blockIdx.x * n + t], s[0][t + n / 2] = in[blockIdx.x * n + t + n / 2];
  int from = 0;
  for (int half = 1; half < n; half *= 2, from ^= 1) {
    __syncthreads();
    const int k = t & (half - 1);
    const float2 w = turn(k / (2.f * half));
    const Number2 x = s[from][t], z = s[from][t + n / 2];
    const Number2 y = {z.x * w.x - z.y * w.y, z.x * w.y + z.y * w.x};
    s[from ^ 1][2 * t - k] = {x.x + y.x, x.y + y.y};
    s[from ^ 1][2 * t - k + half] = {x.x - y.x, x.y - y.y};
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[from][t], out[blockIdx.x * n + t + n / 2] = s[from][t + n / 2];
}

template <int radix>
__device__ void transform(float2 (&v)[radix]) {
  if constexpr (radix == 2) {
    const float2 a = v[0];
    v[0] = a + v[1], v[1] = a - v[1];
  } else {
    float2 even[radix / 2], odd[radix / 2];
    for (int i = 0; i < radix / 2; ++i) even[i] = v[2 * i], odd[i] = v[2 * i + 1];
    transform<radix / 2>(even), transform<radix / 2>(odd);
    for (int i = 0; i < radix / 2; ++i) {
      const float2 y = odd[i] * turn(i / static_cast<float>(radix));
      v[i] = even[i] + y, v[i + radix / 2] = even[i] - y;
    }
  }
}
// In registers, the numbers change hands through shared memory: as pairs, or first x and then y.
template <int radix, int passes, bool pairs, int pad>
__global__ void __launch_bounds__(radix == 2 ? 256 : 64) fft_in_registers(const float2* in, float2* out) {
  constexpr int threads = radix == 2 ? 256 : 64, n = threads * radix;
  const auto place = [](int i) { return pad ? i + i / pad : i; };
  constexpr int room = pad ? n + n / (pad ? pad : 1) : n;
  __shared__ float2 s[pairs ? room : (room + 1) / 2];
  float* words = reinterpret_cast<float*>(s);
  const int t = threadIdx.x;
  float2 v[radix];
#pragma unroll
  for (int i = 0; i < radix; ++i) v[i] = in[blockIdx.x * n + i * threads + t];
  int done = 1;
#pragma unroll
  for (int pass = 0; pass < passes; ++pass, done *= radix) {
    const int k = t % done;
#pragma unroll
    for (int i = 1; i < radix; ++i) v[i] = v[i] * turn(i * k / static_cast<float>(done * radix));
    transform<radix>(v);
    if (pass + 1 == passes) break;
    const int to = (t / done) * done * radix + k;
    if constexpr (pairs) {
      __syncthreads();
#pragma unroll
      for (int i = 0; i < radix; ++i) s[place(to + i * done)] = v[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < radix; ++i) v[i] = s[place(t + i * threads)];
    } else {
      __syncthreads();
#pragma unroll
      for (int i = 0; i < radix; ++i) words[place(to + i * done)] = v[i].x;
      __syncthreads();
#pragma unroll
      for (int i = 0; i < radix; ++i) v[i].x = words[place(t + i * threads)];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < radix; ++i) words[place(to + i * done)] = v[i].y;
      __syncthreads();
#pragma unroll
      for (int i = 0; i < radix; ++i) v[i].y = words[place(t + i * threads)];
    }
  }
#pragma unroll
  for (int i = 0; i < radix; ++i) out[blockIdx.x * n + i * threads + t] = v[i];
}

// 16 x 16 points: rows, a turn, columns; a warp and a half.
__global__ void BLOCK(16, 3, 1) fft_rows_of_16(const float2* in, float2* out) {
  __shared__ float2 s[3][16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  in += (blockIdx.x * 3 + y) * 256, out += (blockIdx.x * 3 + y) * 256;
  float2 v[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = in[i * 16 + x];
  transform<16>(v);
#pragma unroll
  for (int i = 0; i < 16; ++i) s[y][i][x] = v[i] * turn(i * x / 256.f);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = s[y][x][i];
  transform<16>(v);
#pragma unroll
  for (int i = 0; i < 16; ++i) out[i * 16 + x] = v[i];
}

// Walsh and Hadamard: two numbers a thread; of 16 bits and of 32.
template <class T, int n>
__global__ void __launch_bounds__(n / 2) hadamard(const T* in, T* out) {
  __shared__ T s[n];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * n + t], s[t + n / 2] = in[blockIdx.x * n + t + n / 2];
  for (int half = n / 2; half; half >>= 1) {
    __syncthreads();
    const int a = 2 * t - (t & (half - 1));
    const T x = s[a], y = s[a + half];
    s[a] = static_cast<T>(x + y), s[a + half] = static_cast<T>(x - y);
  }
  __syncthreads();
  out[blockIdx.x * n + t] = s[t], out[blockIdx.x * n + t + n / 2] = s[t + n / 2];
}
// Haar's waves: half the threads at each level.
template <class T>
__global__ void __launch_bounds__(128) haar(const T* in, T* out) {
  __shared__ T s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t], s[t + 128] = in[blockIdx.x * 256 + t + 128];
#pragma unroll
  for (int level = 128; level > 0; level >>= 1) {
    __syncthreads();
    T sum = 0, apart = 0;
    if (t < level) sum = (s[2 * t] + s[2 * t + 1]) / 2, apart = (s[2 * t] - s[2 * t + 1]) / 2;
    __syncthreads();
    if (t < level) s[t] = sum, s[level + t] = apart;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[t], out[blockIdx.x * 256 + t + 128] = s[t + 128];
}

// Products of complex matrices, 16 x 16, as pairs and in two planes.
template <class Number2, int tile>
__global__ void BLOCK(tile, tile, 1) complex_product(const Number2* a, const Number2* b, Number2* c, int n) {
  __shared__ Number2 as[tile][tile], bs[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  Number2 sum = {0, 0};
  for (int at = 0; at < n; at += tile) {
    as[y][x] = a[(blockIdx.y * tile + y) * n + at + x], bs[y][x] = b[(at + y) * n + blockIdx.x * tile + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) {
      const Number2 u = as[y][i], v = bs[i][x];
      sum.x += u.x * v.x - u.y * v.y, sum.y += u.x * v.y + u.y * v.x;
    }
    __syncthreads();
  }
  c[(blockIdx.y * tile + y) * n + blockIdx.x * tile + x] = sum;
}
__global__ void __launch_bounds__(96) complex_planes(const float2* in, float2* out) {
  __shared__ float re[96 * 2], im[96 * 2];
  const int t = threadIdx.x;
  for (int i = t; i < 192; i += 96) re[i] = in[blockIdx.x * 192 + i].x, im[i] = in[blockIdx.x * 192 + i].y;
  __syncthreads();
  for (int i = t; i < 192; i += 96) {
    const int back = 191 - i;
    out[blockIdx.x * 192 + i] = float2{re[i], im[i]} * float2{re[back], -im[back]};
  }
}
// Correlation of a signal with a chirp: 8 numbers a thread slide.
__global__ void __launch_bounds__(64) correlate(const float2* in, const float2* chirp, float2* out, int length) {
  __shared__ float2 s[64 * 9], c[64];
  const int t = threadIdx.x;
  for (int i = t; i < 576; i += 64) s[i] = in[blockIdx.x * 512 + i];
  c[t] = chirp[t];
  __syncthreads();
  float2 sums[8] = {};
  for (int i = 0; i < length; ++i) {
    const float2 x = c[i];
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[j] = sums[j] + x * s[t + 64 * j + i];
  }
  for (int j = 0; j < 8; ++j) out[blockIdx.x * 512 + 64 * j + t] = sums[j];
}

extern "C" int run() {
  float *in = numbers<float>(1 << 14), *out = numbers<float>(1 << 14);
  auto *from = reinterpret_cast<float2*>(in), *to = reinterpret_cast<float2*>(out);
  auto *from_wide = numbers<double2>(1 << 12), *to_wide = numbers<double2>(1 << 12);
  fft_in_place<128><<<2, 64>>>(from, to);
  fft_in_place<512><<<2, 256>>>(from, to);
  fft_two_arrays<float2, 256><<<2, 128>>>(from, to);
  fft_two_arrays<double2, 128><<<2, 64>>>(from_wide, to_wide);
  fft_in_registers<2, 9, true, 0><<<2, 256>>>(from, to);
  fft_in_registers<4, 4, true, 0><<<2, 64>>>(from, to);
  fft_in_registers<4, 4, true, 16><<<2, 64>>>(from, to);
  fft_in_registers<4, 4, false, 32><<<2, 64>>>(from, to);
  fft_in_registers<8, 3, true, 0><<<2, 64>>>(from, to);
  fft_in_registers<8, 3, false, 0><<<2, 64>>>(from, to);
  fft_in_registers<8, 3, false, 8><<<2, 64>>>(from, to);
  fft_rows_of_16<<<2, dim3(16, 3)>>>(from, to);
  hadamard<float, 256><<<2, 128>>>(in, out);
  hadamard<short, 512><<<2, 256>>>(numbers<short>(1024), numbers<short>(1024));
  hadamard<double, 64><<<2, 32>>>(numbers<double>(128), numbers<double>(128));
  haar<float><<<2, 128>>>(in, out);
  haar<short><<<2, 128>>>(numbers<short>(512), numbers<short>(512));
  complex_product<float2, 16><<<dim3(2, 2), dim3(16, 16)>>>(from, from, to, 32);
  complex_product<double2, 8><<<dim3(2, 2), dim3(8, 8)>>>(from_wide, from_wide, to_wide, 32);
  complex_planes<<<4, 96>>>(from, to);
  correlate<<<2, 64>>>(from, from, to, 40);
  return finish();
}
