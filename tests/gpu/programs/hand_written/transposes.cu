// SPDX-License-Identifier: Apache-2.0
// Transpositions of many types, and changes between arrays of structures and structures of arrays.
#include "common.cuh"

enum Layout { plain, padded, swizzled };

template <Layout layout, int tile>
__device__ int place(int row, int column) {
  return layout == padded ? row * (tile + 1) + column
                          : row * tile + (layout == swizzled ? column ^ (row & (tile - 1)) : column);
}

// The classic: a square tile, some rows a thread.
template <class T, int tile, int rows, Layout layout>
__global__ void BLOCK(tile, rows, 1) transpose(const T* in, T* out, int width, int height) {
  __shared__ T s[tile * (tile + 1)];
  const int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * tile, top = blockIdx.y * tile;
#pragma unroll
  for (int i = y; i < tile; i += rows)
    if (left + x < width && top + i < height) s[place<layout, tile>(i, x)] = in[(top + i) * width + left + x];
  __syncthreads();
#pragma unroll
  for (int i = y; i < tile; i += rows)
    if (top + x < height && left + i < width) out[(left + i) * height + top + x] = s[place<layout, tile>(x, i)];
}

// A block of one dimension.
template <class T, Layout layout>
__global__ void __launch_bounds__(256) transpose_1d(const T* in, T* out, int n) {
  __shared__ T s[32 * 33];
  const int x = threadIdx.x & 31, y = threadIdx.x >> 5;
  in += blockIdx.y * 32 * n + blockIdx.x * 32, out += blockIdx.x * 32 * n + blockIdx.y * 32;
#pragma unroll
  for (int i = 0; i < 32; i += 8) s[place<layout, 32>(y + i, x)] = in[(y + i) * n + x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = s[place<layout, 32>(x, y + i)];
}

// 64 x 64 bytes as words: 4 x 4 bytes of a thread are turned in registers.
__global__ void __launch_bounds__(256) transpose_bytes_by_words(const unsigned* in, unsigned* out, int words) {
  __shared__ unsigned s[16][65];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  in += blockIdx.y * 64 * words + blockIdx.x * 16, out += blockIdx.x * 64 * words + blockIdx.y * 16;
  unsigned w[4];
  for (int i = 0; i < 4; ++i) w[i] = in[(y * 4 + i) * words + x];
  const unsigned a = __byte_perm(w[0], w[1], 0x5140), b = __byte_perm(w[2], w[3], 0x5140);
  const unsigned c = __byte_perm(w[0], w[1], 0x7362), d = __byte_perm(w[2], w[3], 0x7362);
  s[y][x * 4] = __byte_perm(a, b, 0x5410), s[y][x * 4 + 1] = __byte_perm(a, b, 0x7632);
  s[y][x * 4 + 2] = __byte_perm(c, d, 0x5410), s[y][x * 4 + 3] = __byte_perm(c, d, 0x7632);
  __syncthreads();
  for (int i = 0; i < 4; ++i) out[(y * 4 + i) * words + x] = s[x][y * 4 + i];
}

// Two halves per word; the halves part only on the way out.
__global__ void BLOCK(32, 8, 1) transpose_pairs_of_halves(const __half2* in, __half* out, int n) {
  __shared__ __half2 s[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  in += blockIdx.y * 32 * n / 2 + blockIdx.x * 32, out += blockIdx.x * 64 * n + blockIdx.y * 32;
  for (int i = y; i < 32; i += 8) s[i][x] = in[i * n / 2 + x];
  __syncthreads();
  for (int i = y; i < 64; i += 8) out[i * n + x] = reinterpret_cast<const __half*>(&s[x][i / 2])[i & 1];
}

// Through ldmatrix.trans and stmatrix: 32 x 32 halves per warp.
__global__ void __launch_bounds__(64) transpose_by_matrices(const uint4* in, uint4* out) {
  __shared__ __align__(16) __half s[2][32][40];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, at = (blockIdx.x * 2 + warp) * 128;
  for (int i = lane; i < 128; i += 32) *reinterpret_cast<uint4*>(&s[warp][i / 4][i % 4 * 8]) = in[at + i];
  __syncwarp();
  unsigned x[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) load_matrices_transposed(x[i], &s[warp][lane][i * 8]);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 4; ++i)
    store_matrices(&s[warp][i * 8 + lane % 8][lane / 8 * 8], x[i][0], x[i][1], x[i][2], x[i][3]);
  __syncwarp();
  for (int i = lane; i < 128; i += 32) out[at + i] = *reinterpret_cast<const uint4*>(&s[warp][i / 4][i % 4 * 8]);
}

// [a][b][c] to [c][b][a], a block of 3 dimensions.
__global__ void BLOCK(8, 4, 8) transpose_3d(const float* in, float* out, int a, int b, int c) {
  __shared__ float s[8][4][9];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, left = blockIdx.x * 8, middle = blockIdx.y * 4,
            top = blockIdx.z * 8;
  s[z][y][x] = in[((top + z) * b + middle + y) * c + left + x];
  __syncthreads();
  out[((left + z) * b + middle + y) * a + top + x] = s[x][y][z];
}

struct Pixel {
  std::uint8_t x, y, z;  // red, green, blue
};
struct Point {
  float x, y, z;
};
struct Particle {
  float4 place;
  float3 speed;
  float mass;
  double energy;
  double spare;
};

// Structures of fields in three arrays; the structures pass through shared memory as they are.
template <class Struct, class Field, bool backwards, int threads>
__global__ void __launch_bounds__(threads) three_fields(const Struct* in, Field* out, int n) {
  __shared__ Struct s[threads];
  const int t = threadIdx.x, at = blockIdx.x * threads;
  constexpr int fields = threads * 3;
  const Field* from = reinterpret_cast<const Field*>(in + at);
  for (int i = t; i < fields; i += threads) reinterpret_cast<Field*>(s)[i] = from[i];
  __syncthreads();
  const Struct one = s[t];
  out[at + t] = backwards ? one.z : one.x, out[n + at + t] = one.y, out[2 * n + at + t] = backwards ? one.x : one.z;
}
template <class Struct, class Field, int threads>
__global__ void __launch_bounds__(threads) three_fields_back(const Field* in, Struct* out, int n) {
  __shared__ Field s[threads * 3];
  const int t = threadIdx.x, at = blockIdx.x * threads;
  for (int i = 0; i < 3; ++i) s[t * 3 + i] = in[i * n + at + t];
  __syncthreads();
  for (int i = t; i < threads * 3; i += threads) reinterpret_cast<Field*>(out + at)[i] = s[i];
}
// 48 bytes each; their vectors come in the order of addresses.
__global__ void __launch_bounds__(64) particles(const float4* in, float* mass, double* energy) {
  __shared__ Particle s[64];
  const int t = threadIdx.x;
  constexpr int vectors = sizeof s / sizeof(float4);
  for (int i = t; i < vectors; i += 64) reinterpret_cast<float4*>(s)[i] = in[blockIdx.x * vectors + i];
  __syncthreads();
  const Particle one = s[t];
  const float speed = one.speed.x * one.speed.x + one.speed.y * one.speed.y + one.speed.z * one.speed.z;
  mass[blockIdx.x * 64 + t] = one.mass + one.place.w;
  energy[blockIdx.x * 64 + t] = one.energy + 0.5 * speed;
}

template <class T>
void transposes_of() {
  constexpr int n = 100;  // not a multiple of the tile
  T *in = numbers<T>(n * n), *out = numbers<T>(n * n);
  transpose<T, 32, 8, plain><<<dim3(4, 4), dim3(32, 8)>>>(in, out, n, n);
  transpose<T, 32, 8, padded><<<dim3(4, 4), dim3(32, 8)>>>(in, out, n, n);
  transpose<T, 16, 16, swizzled><<<dim3(7, 7), dim3(16, 16)>>>(in, out, n, n);
}

extern "C" int run() {
  transposes_of<std::uint8_t>(), transposes_of<std::uint16_t>(), transposes_of<float>(), transposes_of<double>();
  transposes_of<float2>(), transposes_of<float4>();
  float *in = numbers<float>(1 << 16), *out = numbers<float>(1 << 16);
  double *wide_in = numbers<double>(1 << 14), *wide_out = numbers<double>(1 << 14);
  transpose_1d<float, plain><<<dim3(2, 2), 256>>>(in, out, 128);
  transpose_1d<float, padded><<<dim3(2, 2), 256>>>(in, out, 128);
  transpose_1d<float, swizzled><<<dim3(2, 2), 256>>>(in, out, 128);
  transpose_1d<double, swizzled><<<dim3(2, 2), 256>>>(wide_in, wide_out, 128);
  transpose_1d<char, padded><<<dim3(2, 2), 256>>>(reinterpret_cast<char*>(in), reinterpret_cast<char*>(out), 128);
  transpose_bytes_by_words<<<dim3(2, 2), 256>>>(reinterpret_cast<unsigned*>(in), reinterpret_cast<unsigned*>(out), 32);
  transpose_pairs_of_halves<<<dim3(2, 4), dim3(32, 8)>>>(reinterpret_cast<__half2*>(in), reinterpret_cast<__half*>(out),
                                                         128);
  transpose_by_matrices<<<4, 64>>>(reinterpret_cast<uint4*>(in), reinterpret_cast<uint4*>(out));
  transpose_3d<<<dim3(4, 8, 4), dim3(8, 4, 8)>>>(in, out, 32, 32, 32);
  auto* pixels = numbers<Pixel>(1024);
  auto* planes = numbers<std::uint8_t>(3 * 1024);
  auto* points = numbers<Point>(1024);
  three_fields<Pixel, std::uint8_t, false, 256><<<4, 256>>>(pixels, planes, 1024);
  three_fields<Pixel, std::uint8_t, true, 96><<<4, 96>>>(pixels, planes, 1024);
  three_fields<Point, float, false, 128><<<8, 128>>>(points, out, 1024);
  three_fields_back<Pixel, std::uint8_t, 128><<<8, 128>>>(planes, pixels, 1024);
  three_fields_back<Point, float, 256><<<4, 256>>>(in, points, 1024);
  three_fields_back<double3, double, 64><<<4, 64>>>(wide_in, numbers<double3>(256), 256);
  particles<<<4, 64>>>(reinterpret_cast<float4*>(in), out, wide_out);
  return finish();
}
