// SPDX-License-Identifier: Apache-2.0
// Pixels: three bytes each, colours, sizes, blocks of 8 x 8.
#include "common.cuh"

struct Pixel {
  std::uint8_t r, g, b;
};

// Bytes come as words; each thread takes its pixel of three bytes.
__global__ void __launch_bounds__(256) grey(const unsigned* in, std::uint8_t* out) {
  __shared__ __align__(4) std::uint8_t s[768];
  const int t = threadIdx.x;
  if (t < 192) reinterpret_cast<unsigned*>(s)[t] = in[blockIdx.x * 192 + t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = static_cast<std::uint8_t>((s[3 * t] * 77 + s[3 * t + 1] * 150 + s[3 * t + 2] * 29) >> 8);
}
// Four pixels a thread, 12 bytes in three words; a table for the light.
__global__ void __launch_bounds__(64) brighten(const unsigned* in, unsigned* out, const std::uint8_t* table) {
  __shared__ std::uint8_t light[256];
  __shared__ unsigned s[192];
  const int t = threadIdx.x;
  reinterpret_cast<unsigned*>(light)[t] = reinterpret_cast<const unsigned*>(table)[t];
#pragma unroll
  for (int i = 0; i < 3; ++i) s[i * 64 + t] = in[blockIdx.x * 192 + i * 64 + t];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    const unsigned x = s[t * 3 + i];
    s[t * 3 + i] =
        light[x & 255] | light[x >> 8 & 255] << 8 | light[x >> 16 & 255] << 16 | unsigned{light[x >> 24]} << 24;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 3; ++i) out[blockIdx.x * 192 + i * 64 + t] = s[i * 64 + t];
}
// Planes to pixels, and a turn by 90 degrees of pixels.
template <int threads>
__global__ void __launch_bounds__(threads) interleave(const std::uint8_t* planes, unsigned* out, int n) {
  __shared__ __align__(4) Pixel s[threads];
  const int t = threadIdx.x, at = blockIdx.x * threads + t;
  s[t] = {planes[at], planes[n + at], planes[2 * n + at]};
  __syncthreads();
  if (t < threads * 3 / 4) out[blockIdx.x * (threads * 3 / 4) + t] = reinterpret_cast<const unsigned*>(s)[t];
}
template <class T, int pad>
__global__ void BLOCK(16, 16, 1) turn(const T* in, T* out, int n) {
  __shared__ T s[16][16 + pad];
  const int x = threadIdx.x, y = threadIdx.y;
  s[y][x] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * n + (gridDim.y - 1 - blockIdx.y) * 16 + x] = s[15 - x][y];
}
// Half the colour: averages of 2 x 2.
__global__ void BLOCK(32, 4, 1) half_size(const std::uint8_t* in, std::uint8_t* out, int pitch) {
  __shared__ std::uint8_t s[8][64];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int i = 0; i < 2; ++i)
    *reinterpret_cast<uchar2*>(&s[y * 2 + i][x * 2]) =
        *reinterpret_cast<const uchar2*>(&in[(blockIdx.y * 8 + y * 2 + i) * pitch + blockIdx.x * 64 + x * 2]);
  __syncthreads();
  const int sum = s[y * 2][x * 2] + s[y * 2][x * 2 + 1] + s[y * 2 + 1][x * 2] + s[y * 2 + 1][x * 2 + 1];
  out[(blockIdx.y * 4 + y) * (pitch / 2) + blockIdx.x * 32 + x] = static_cast<std::uint8_t>((sum + 2) >> 2);
}
// Bilinear, by a factor that is no whole number: 32 x 8 from at most 24 x 8 of float4.
template <class T>
__device__ T mix(T a, T b, float f) {
  return a + (b - a) * f;
}
__device__ float4 mix(float4 a, float4 b, float f) {
  return {mix(a.x, b.x, f), mix(a.y, b.y, f), mix(a.z, b.z, f), mix(a.w, b.w, f)};
}
template <class T>
__global__ void BLOCK(32, 8, 1) resize(const T* in, T* out, int pitch) {
  __shared__ T s[8][25];
  const int x = threadIdx.x, y = threadIdx.y;
  if (x < 25) s[y][x] = in[(blockIdx.y * 6 + y) * pitch + blockIdx.x * 24 + x];
  __syncthreads();
  const int left = x * 3 / 4, top = y * 3 / 4;
  const float u = x * 3 % 4 / 4.f, v = y * 3 % 4 / 4.f;
  out[(blockIdx.y * 8 + y) * pitch + blockIdx.x * 32 + x] =
      mix(mix(s[top][left], s[top][left + 1], u), mix(s[top + 1][left], s[top + 1][left + 1], u), v);
}
// The same with places that a parameter decides.
__global__ void __launch_bounds__(128) resample(const float* in, float* out, float step) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t], s[t + 128] = in[blockIdx.x * 256 + t + 128];
  __syncthreads();
  const float at = fminf(t * step, 254.f);
  const int i = static_cast<int>(at);
  out[blockIdx.x * 128 + t] = s[i] + (s[i + 1] - s[i]) * (at - i);
}

// Cosine transformation of 8 x 8: one thread per number, by a table; and one thread per row, then per column.
__global__ void BLOCK(8, 8, 2) dct_by_table(const float* in, float* out) {
  __shared__ float s[2][8][8], half[2][8][8], table[8][8];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, at = (blockIdx.x * 2 + z) * 64 + y * 8 + x;
  if (z == 0) table[y][x] = (y ? 0.5f : 0.35355339f) * __cosf((2 * x + 1) * y * 0.19634954f);
  s[z][y][x] = in[at];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += table[x][i] * s[z][y][i];
  half[z][y][x] = sum;
  __syncthreads();
  sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += table[y][i] * half[z][i][x];
  out[at] = sum;
}
__device__ void cosines(float (&v)[8]) {
  for (int i = 0; i < 4; ++i) {
    const float a = v[i], b = v[7 - i];
    v[i] = a + b, v[7 - i] = a - b;
  }
  for (int i = 0; i < 2; ++i) {
    const float a = v[i], b = v[3 - i], c = v[4 + i], d = v[7 - i];
    v[i] = a + b, v[3 - i] = a - b, v[4 + i] = 0.98f * c + 0.19f * d, v[7 - i] = 0.83f * d - 0.55f * c;
  }
}
template <int pad>
__global__ void __launch_bounds__(64) dct_by_rows(const float* in, float* out) {
  __shared__ float s[8][8 * (8 + pad)];  // 8 blocks of 8 x 8
  const int block = threadIdx.x / 8, i = threadIdx.x % 8;
  in += blockIdx.x * 512, out += blockIdx.x * 512;
  for (int j = 0; j < 8; ++j) s[block][j * (8 + pad) + i] = in[j * 64 + threadIdx.x];
  __syncwarp();
  float v[8];
#pragma unroll
  for (int j = 0; j < 8; ++j) v[j] = s[block][i * (8 + pad) + j];
  cosines(v);
#pragma unroll
  for (int j = 0; j < 8; ++j) s[block][i * (8 + pad) + j] = v[j];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < 8; ++j) v[j] = s[block][j * (8 + pad) + i];
  cosines(v);
  for (int j = 0; j < 8; ++j) out[j * 64 + threadIdx.x] = v[j];
}
// Zigzag, by a table in shared memory.
__global__ void __launch_bounds__(64) zigzag(const short* in, const std::uint8_t* order, short* out) {
  __shared__ std::uint8_t place[64];
  __shared__ short s[64];
  const int t = threadIdx.x;
  place[t] = order[t] & 63;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[place[t]];
}
// The sum of absolute differences of a block of 8 x 8 bytes at 16 x 16 places.
__global__ void BLOCK(16, 16, 1)
    block_matching(const std::uint8_t* image, const std::uint8_t* block, int* out, int pitch) {
  __shared__ std::uint8_t s[24][24], b[8][8];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < 24; i += 16)
    for (int j = x; j < 24; j += 16) s[i][j] = image[i * pitch + blockIdx.x * 16 + j];
  if (x < 8 && y < 8) b[y][x] = block[y * 8 + x];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) sum = __sad(s[y + i][x + j], b[i][j], sum);
  out[(blockIdx.x * 16 + y) * 16 + x] = sum;
}
// Halves: two per word, a pitch of 17 words.
__global__ void BLOCK(16, 8, 1) blend_halves(const __half2* a, const __half2* b, __half2* out) {
  __shared__ __half2 s[8][17], w[8][17];
  const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.x * 8 + y) * 16 + x;
  s[y][x] = a[at], w[y][x] = b[at];
  __syncthreads();
  out[at] = __hfma2(s[y][15 - x], w[7 - y][x], s[7 - y][x]);
}

extern "C" int run() {
  constexpr int n = 128;
  auto *bytes = numbers<std::uint8_t>(4 * n * n, 255), *bytes_out = numbers<std::uint8_t>(4 * n * n);
  auto *words = reinterpret_cast<unsigned*>(bytes), *words_out = reinterpret_cast<unsigned*>(bytes_out);
  float *in = numbers<float>(4 * n * n), *out = numbers<float>(4 * n * n);
  grey<<<4, 256>>>(words, bytes_out);
  brighten<<<4, 64>>>(words, words_out, bytes);
  interleave<128><<<4, 128>>>(bytes, words_out, 512);
  interleave<96><<<4, 96>>>(bytes, words_out, 512);
  turn<std::uint8_t, 0><<<dim3(2, 2), dim3(16, 16)>>>(bytes, bytes_out, 32);
  turn<Pixel, 0>
      <<<dim3(2, 2), dim3(16, 16)>>>(reinterpret_cast<Pixel*>(bytes), reinterpret_cast<Pixel*>(bytes_out), 32);
  turn<float, 1><<<dim3(2, 2), dim3(16, 16)>>>(in, out, 32);
  turn<uchar4, 0>
      <<<dim3(2, 2), dim3(16, 16)>>>(reinterpret_cast<uchar4*>(bytes), reinterpret_cast<uchar4*>(bytes_out), 32);
  half_size<<<dim3(2, 2), dim3(32, 4)>>>(bytes, bytes_out, n);
  resize<float><<<dim3(2, 2), dim3(32, 8)>>>(in, out, n);
  resize<float4><<<dim3(2, 2), dim3(32, 8)>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out), n);
  resample<<<4, 128>>>(in, out, 1.7f);
  dct_by_table<<<4, dim3(8, 8, 2)>>>(in, out);
  dct_by_rows<0><<<4, 64>>>(in, out);
  dct_by_rows<1><<<4, 64>>>(in, out);
  zigzag<<<4, 64>>>(reinterpret_cast<short*>(bytes), bytes, reinterpret_cast<short*>(bytes_out));
  block_matching<<<2, dim3(16, 16)>>>(bytes, bytes + 4096, numbers<int>(512), n);
  __half2* halves = numbers<__half2>(1024);
  blend_halves<<<4, dim3(16, 8)>>>(halves, halves + 512, numbers<__half2>(512));
  return finish();
}
