// SPDX-License-Identifier: Apache-2.0
// Neighbours in two and three dimensions, with their halos.
#include "common.cuh"

// Five points; the halo by the threads at the edges.
template <class T, int width, int height>
__global__ void BLOCK(width, height, 1) five_points(const T* in, T* out, int pitch) {
  __shared__ T s[height + 2][width + 2];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const int at = (blockIdx.y * height + y) * pitch + blockIdx.x * width + x;
  s[y][x] = in[at];
  if (x == 1) s[y][0] = in[at - 1];
  if (x == width) s[y][width + 1] = in[at + 1];
  if (y == 1) s[0][x] = in[at - pitch];
  if (y == height) s[height + 1][x] = in[at + pitch];
  __syncthreads();
  out[at] = static_cast<T>((s[y][x - 1] + s[y][x + 1] + s[y - 1][x] + s[y + 1][x]) / 4);
}

// The whole tile with its halo by a loop over all threads.
template <class T, int width, int height, int radius>
__global__ void __launch_bounds__(width* height) box_filter(const T* in, T* out, int pitch) {
  constexpr int wide = width + 2 * radius, high = height + 2 * radius;
  __shared__ T s[high][wide];
  const int t = threadIdx.x, x = t % width, y = t / width;
  in += blockIdx.y * height * pitch + blockIdx.x * width;
  for (int i = t; i < wide * high; i += width * height) s[i / wide][i % wide] = in[i / wide * pitch + i % wide];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * radius; ++i)
#pragma unroll
    for (int j = 0; j <= 2 * radius; ++j) sum += static_cast<float>(s[y + i][x + j]);
  out[(blockIdx.y * height + y) * pitch + blockIdx.x * width + x] =
      static_cast<T>(sum / ((2 * radius + 1) * (2 * radius + 1)));
}

// Separable: rows with 4 results a thread, columns with 8.
__constant__ float weights[17];
template <int radius>
__global__ void BLOCK(16, 4, 1) convolve_rows(const float* in, float* out, int pitch) {
  __shared__ float s[4][16 * 6];
  const int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 4 + y) * pitch + blockIdx.x * 64 + x;
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    const int column = blockIdx.x * 64 + x + (i - 1) * 16;
    s[y][x + i * 16] = column >= 0 && column < pitch ? in[at + (i - 1) * 16] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 5; ++i) {
    float sum = 0;
#pragma unroll
    for (int j = -radius; j <= radius; ++j) sum += weights[radius + j] * s[y][x + i * 16 + j];
    out[at + (i - 1) * 16] = sum;
  }
}
template <int radius>
__global__ void BLOCK(16, 8, 1) convolve_columns(const float* in, float* out, int pitch, int height) {
  __shared__ float s[16][8 * 6 + 1];  // turned round, so that a column is a row
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x;
#pragma unroll
  for (int i = 0; i < 6; ++i) {
    const int row = blockIdx.y * 32 + y + (i - 1) * 8;
    s[x][y + i * 8] = row >= 0 && row < height ? in[row * pitch + column] : 0;
  }
  __syncthreads();
#pragma unroll
  for (int i = 1; i < 5; ++i) {
    float sum = 0;
#pragma unroll
    for (int j = -radius; j <= radius; ++j) sum += weights[radius + j] * s[x][y + i * 8 + j];
    out[(blockIdx.y * 32 + y + (i - 1) * 8) * pitch + column] = sum;
  }
}

// Seven points of a cube: once all in shared memory, once planes that move through registers.
template <class T>
__global__ void BLOCK(8, 8, 4) seven_points(const T* in, T* out, int n) {
  __shared__ T s[6][10][10];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1, z = threadIdx.z + 1;
  const int at = ((blockIdx.z * 4 + z) * n + blockIdx.y * 8 + y) * n + blockIdx.x * 8 + x;
  s[z][y][x] = in[at];
  if (x == 1) s[z][y][0] = in[at - 1], s[z][y][9] = in[at + 8];
  if (y == 1) s[z][0][x] = in[at - n], s[z][9][x] = in[at + 8 * n];
  if (z == 1) s[0][y][x] = in[at - n * n], s[5][y][x] = in[at + 4 * n * n];
  __syncthreads();
  out[at] = s[z][y][x - 1] + s[z][y][x + 1] + s[z][y - 1][x] + s[z][y + 1][x] + s[z - 1][y][x] + s[z + 1][y][x] -
            6 * s[z][y][x];
}
template <int width, int height, int radius>
__global__ void __launch_bounds__(width* height) moving_planes(const float* in, float* out, int n) {
  __shared__ float s[height + 2 * radius][width + 2 * radius];
  const int x = threadIdx.x % width + radius, y = threadIdx.x / width + radius;
  int at = (blockIdx.y * height + y) * n + blockIdx.x * width + x;
  float column[2 * radius + 1];
#pragma unroll
  for (int i = 0; i < 2 * radius; ++i) column[i + 1] = in[at + i * n * n];
  for (int z = 2 * radius; z < n; ++z) {
#pragma unroll
    for (int i = 0; i < 2 * radius; ++i) column[i] = column[i + 1];
    column[2 * radius] = in[at + z * n * n];
    const int here = at + (z - radius) * n * n;
    __syncthreads();
    s[y][x] = column[radius];
    if (y < 2 * radius) s[y - radius][x] = in[here - radius * n], s[y + height][x] = in[here + height * n];
    if (x < 2 * radius) s[y][x - radius] = in[here - radius], s[y][x + width] = in[here + width];
    __syncthreads();
    float sum = -column[radius];
#pragma unroll
    for (int i = 1; i <= radius; ++i)
      sum +=
          (s[y][x - i] + s[y][x + i] + s[y - i][x] + s[y + i][x] + column[radius - i] + column[radius + i]) / (6 * i);
    out[here] = sum;
  }
}

// Several steps in one tile that shrinks by one at each edge.
template <int steps>
__global__ void __launch_bounds__(256) heat_steps(const float* in, float* out) {
  __shared__ float s[2][32][32];
  const int t = threadIdx.x, x = t % 32, y = t / 32;
  for (int i = y; i < 32; i += 8) s[0][i][x] = in[(blockIdx.x * 32 + i) * 32 + x];
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    for (int i = y; i < 32; i += 8) {
      const bool inside = x > step && x < 31 - step && i > step && i < 31 - step;
      const float(*from)[32] = s[step & 1];
      s[~step & 1][i][x] =
          inside
              ? from[i][x] + 0.1f * (from[i][x - 1] + from[i][x + 1] + from[i - 1][x] + from[i + 1][x] - 4 * from[i][x])
              : from[i][x];
    }
  }
  __syncthreads();
  for (int i = y; i < 32; i += 8) out[(blockIdx.x * 32 + i) * 32 + x] = s[steps & 1][i][x];
}

// The game of life: bytes, a torus; a word of four cells a thread in the other.
__global__ void BLOCK(32, 4, 1) life(const std::uint8_t* in, std::uint8_t* out, int generations) {
  __shared__ std::uint8_t s[2][32][32];
  const int x = threadIdx.x, left = (x + 31) & 31, right = (x + 1) & 31;
  for (int y = threadIdx.y; y < 32; y += 4) s[0][y][x] = in[(blockIdx.x * 32 + y) * 32 + x] & 1;
  for (int g = 0; g < generations; ++g) {
    __syncthreads();
    const std::uint8_t(*from)[32] = s[g & 1];
    for (int y = threadIdx.y; y < 32; y += 4) {
      const int up = (y + 31) & 31, down = (y + 1) & 31;
      const int alive = from[up][left] + from[up][x] + from[up][right] + from[y][left] + from[y][right] +
                        from[down][left] + from[down][x] + from[down][right];
      s[~g & 1][y][x] = alive == 3 || (alive == 2 && from[y][x]);
    }
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 4) out[(blockIdx.x * 32 + y) * 32 + x] = s[generations & 1][y][x];
}
__global__ void __launch_bounds__(128) life_by_words(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[18][10];  // 16 rows of 32 cells with their halo
  const int t = threadIdx.x, x = t % 8 + 1, y = t / 8 + 1;
  for (int i = t; i < 180; i += 128) s[i / 10][i % 10] = in[blockIdx.x * 180 + i] & 0x01010101;
  __syncthreads();
  unsigned sum = 0, mine = s[y][x];
#pragma unroll
  for (int i = -1; i <= 1; ++i) {
    const unsigned before = s[y + i][x - 1], here = s[y + i][x], after = s[y + i][x + 1];
    sum += here + __funnelshift_l(before, here, 8) + __funnelshift_r(here, after, 8);
  }
  sum -= mine;
  const unsigned three = __vcmpeq4(sum, 0x03030303), two = __vcmpeq4(sum, 0x02020202);
  out[blockIdx.x * 128 + t] = (three | (two & __vcmpeq4(mine, 0x01010101))) & 0x01010101;
}

// The middle of 3 x 3, and of differences the largest.
template <class T>
__global__ void BLOCK(24, 8, 1) median_3x3(const T* in, T* out, int pitch) {
  __shared__ T s[10][26];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 24 + x;
  in += blockIdx.y * 8 * pitch + blockIdx.x * 24;
  for (int i = t; i < 260; i += 192) s[i / 26][i % 26] = in[i / 26 * pitch + i % 26];
  __syncthreads();
  T v[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) v[i] = s[y + i / 3][x + i % 3];
#pragma unroll
  for (int i = 0; i < 5; ++i)
#pragma unroll
    for (int j = i + 1; j < 9; ++j) {
      const T a = v[i], b = v[j];
      v[i] = a < b ? a : b, v[j] = a < b ? b : a;
    }
  out[(blockIdx.y * 8 + y) * pitch + blockIdx.x * 24 + x] = v[4];
}
// Weights of light and distance: a table of 256 weights, and the tile.
__global__ void BLOCK(20, 10, 1) bilateral(const std::uint8_t* in, std::uint8_t* out, int pitch) {
  __shared__ float weight[256];
  __shared__ std::uint8_t s[14][24];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 20 + x;
  for (int i = t; i < 256; i += 200) weight[i] = __expf(i * i / -200.f);
  in += blockIdx.y * 10 * pitch + blockIdx.x * 20;
  for (int i = y; i < 14; i += 10)
    for (int j = x; j < 24; j += 20) s[i][j] = in[i * pitch + j];
  __syncthreads();
  const int middle = s[y + 2][x + 2];
  float sum = 0, all = 0;
#pragma unroll
  for (int i = 0; i < 5; ++i)
#pragma unroll
    for (int j = 0; j < 5; ++j) {
      const int light = s[y + i][x + j];
      const float w = weight[abs(light - middle)];
      sum += w * light, all += w;
    }
  out[(blockIdx.y * 10 + y) * pitch + blockIdx.x * 20 + x] = static_cast<std::uint8_t>(sum / all);
}

extern "C" int run() {
  constexpr int n = 160;
  float *in = numbers<float>(n * n * 2), *out = numbers<float>(n * n * 2);
  auto *bytes = numbers<std::uint8_t>(n * n, 255), *bytes_out = numbers<std::uint8_t>(n * n);
  double* wide = numbers<double>(n * n);
  five_points<float, 32, 8><<<dim3(2, 2), dim3(32, 8)>>>(in, out, n);
  five_points<double, 16, 16><<<dim3(2, 2), dim3(16, 16)>>>(wide, numbers<double>(n * n), n);
  five_points<std::uint8_t, 30, 6><<<dim3(2, 2), dim3(30, 6)>>>(bytes, bytes_out, n);
  box_filter<float, 32, 8, 1><<<dim3(2, 2), 256>>>(in, out, n);
  box_filter<std::uint8_t, 16, 16, 2><<<dim3(2, 2), 256>>>(bytes, bytes_out, n);
  box_filter<short, 28, 5, 1><<<dim3(2, 2), 140>>>(numbers<short>(n * n), numbers<short>(n * n), n);
  convolve_rows<8><<<dim3(2, 4), dim3(16, 4)>>>(in, out, 128);
  convolve_columns<3><<<dim3(4, 2), dim3(16, 8)>>>(in, out, 128, 64);
  seven_points<float><<<dim3(2, 2, 2), dim3(8, 8, 4)>>>(in, out, 20);
  seven_points<double><<<dim3(2, 2, 2), dim3(8, 8, 4)>>>(wide, numbers<double>(8000), 20);
  moving_planes<16, 8, 2><<<dim3(1, 2), 128>>>(in, out, 24);
  moving_planes<32, 4, 1><<<dim3(1, 2), 128>>>(in, out, 36);
  heat_steps<4><<<2, 256>>>(in, out);
  life<<<2, dim3(32, 4)>>>(bytes, bytes_out, 3);
  life_by_words<<<2, 128>>>(reinterpret_cast<unsigned*>(bytes), reinterpret_cast<unsigned*>(bytes_out));
  median_3x3<float><<<dim3(2, 2), dim3(24, 8)>>>(in, out, n);
  median_3x3<std::uint8_t><<<dim3(2, 2), dim3(24, 8)>>>(bytes, bytes_out, n);
  bilateral<<<dim3(2, 2), dim3(20, 10)>>>(bytes, bytes_out, n);
  return finish();
}
