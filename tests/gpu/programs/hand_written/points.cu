// SPDX-License-Identifier: Apache-2.0
// Particles, clusters and random walks.
#include "common.cuh"

// All bodies on all: tiles of float4, of three arrays, of structures of doubles.
template <int threads>
__global__ void __launch_bounds__(threads) bodies(const float4* in, float3* out, int n) {
  __shared__ float4 tile[threads];
  const int t = threadIdx.x;
  const float4 mine = in[blockIdx.x * threads + t];
  float3 force = {0, 0, 0};
  for (int at = 0; at < n; at += threads) {
    tile[t] = in[at + t];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < threads; ++i) {
      const float4 other = tile[i];
      const float x = other.x - mine.x, y = other.y - mine.y, z = other.z - mine.z;
      const float r = rsqrtf(x * x + y * y + z * z + 1e-4f), w = other.w * r * r * r;
      force.x += x * w, force.y += y * w, force.z += z * w;
    }
    __syncthreads();
  }
  out[blockIdx.x * threads + t] = force;
}
__global__ void __launch_bounds__(128) bodies_by_arrays(const float* in, float* out, int n) {
  __shared__ float x[128], y[128], z[128];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, me = blockIdx.x * 32 + lane;
  const float mx = in[me], my = in[n + me], mz = in[2 * n + me];
  float sum = 0;
  for (int at = 0; at < n; at += 128) {
    x[t] = in[at + t], y[t] = in[n + at + t], z[t] = in[2 * n + at + t];
    __syncthreads();
#pragma unroll 4
    for (int i = warp * 32; i < warp * 32 + 32; ++i) {
      const float u = x[i] - mx, v = y[i] - my, w = z[i] - mz;
      sum += rsqrtf(u * u + v * v + w * w + 1e-4f);
    }
    __syncthreads();
  }
  x[t] = sum;
  __syncthreads();
  if (warp == 0) out[me] = x[lane] + x[lane + 32] + x[lane + 64] + x[lane + 96];
}
// Each pair once: a thread begins at its own place and goes round, so that no two meet.
__global__ void __launch_bounds__(64) pairs_once(const double3* in, double* out) {
  __shared__ double3 place[64];
  __shared__ double energy[64];
  const int t = threadIdx.x;
  place[t] = in[blockIdx.x * 64 + t], energy[t] = 0;
  const double3 mine = in[blockIdx.x * 64 + t];
  double sum = 0;
  for (int i = 1; i < 32; ++i) {
    __syncthreads();
    const int other = (t + i) % 64;
    const double3 p = place[other];
    const double x = p.x - mine.x, y = p.y - mine.y, z = p.z - mine.z, e = 1 / (x * x + y * y + z * z + 1e-6);
    sum += e, energy[other] += e;
  }
  __syncthreads();
  out[blockIdx.x * 64 + t] = sum + energy[t];
}

// The nearest of 16 centres, and the sums of those that chose it.
template <int centres, int width>
__global__ void __launch_bounds__(128) cluster(const float* points, const float* from, float* sums, int* counts) {
  __shared__ float centre[centres][width], sum[centres][width];
  __shared__ int count[centres];
  const int t = threadIdx.x;
  for (int i = t; i < centres * width; i += 128) (&centre[0][0])[i] = from[i], (&sum[0][0])[i] = 0;
  if (t < centres) count[t] = 0;
  __syncthreads();
  float mine[width], least = 1e30f;
  int nearest = 0;
  for (int i = 0; i < width; ++i) mine[i] = points[(blockIdx.x * 128 + t) * width + i];
#pragma unroll 4
  for (int c = 0; c < centres; ++c) {
    float far = 0;
#pragma unroll
    for (int i = 0; i < width; ++i) far += (centre[c][i] - mine[i]) * (centre[c][i] - mine[i]);
    if (far < least) least = far, nearest = c;
  }
  atomicAdd(&count[nearest], 1);
  for (int i = 0; i < width; ++i) atomicAdd(&sum[nearest][i], mine[i]);
  __syncthreads();
  for (int i = t; i < centres * width; i += 128) atomicAdd(&sums[i], (&sum[0][0])[i]);
  if (t < centres) atomicAdd(&counts[t], count[t]);
}
// Distances of 16 to 16, once as they lie, once turned.
template <int width, bool turned>
__global__ void BLOCK(16, 16, 1) distances(const float* a, const float* b, float* out, int n) {
  __shared__ float as[turned ? width : 16][turned ? 16 : width], bs[turned ? width : 16][turned ? 16 : width];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  for (int i = t; i < 16 * width; i += 256) {
    const int point = i / width, axis = i % width;
    const float u = a[blockIdx.y * 16 * width + i], v = b[blockIdx.x * 16 * width + i];
    if constexpr (turned) as[axis][point] = u, bs[axis][point] = v;
    else as[point][axis] = u, bs[point][axis] = v;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    const float far = turned ? as[i][y] - bs[i][x] : as[y][i] - bs[x][i];
    sum += far * far;
  }
  out[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] = sqrtf(sum);
}
// The five nearest, kept in each thread's column.
__global__ void __launch_bounds__(64) nearest_five(const float* in, int* out, int n) {
  __shared__ float far[5][64];
  __shared__ short who[5][64];
  __shared__ float tile[64];
  const int t = threadIdx.x;
  const float mine = in[blockIdx.x * 64 + t];
#pragma unroll
  for (int i = 0; i < 5; ++i) far[i][t] = 1e30f, who[i][t] = -1;
  for (int at = 0; at < n; at += 64) {
    __syncthreads();
    tile[t] = in[at + t];
    __syncthreads();
    for (int i = 0; i < 64; ++i) {
      const float d = fabsf(tile[i] - mine);
      if (d >= far[4][t]) continue;
      int j = 4;
      for (; j > 0 && far[j - 1][t] > d; --j) far[j][t] = far[j - 1][t], who[j][t] = who[j - 1][t];
      far[j][t] = d, who[j][t] = static_cast<short>(at + i);
    }
  }
#pragma unroll
  for (int i = 0; i < 5; ++i) out[(blockIdx.x * 64 + t) * 5 + i] = who[i][t];
}
// Random walks on a ring of cells: a generator of three words for each thread waits in shared memory.
__global__ void __launch_bounds__(96) walks(unsigned* out, int steps) {
  struct Generator {
    unsigned a, b, c;
  };
  __shared__ Generator state[96];
  __shared__ unsigned visits[128];
  const int t = threadIdx.x;
  state[t] = {blockIdx.x * 96u + t + 1, 2u * t + 7, 3u};
  for (int i = t; i < 128; i += 96) visits[i] = 0;
  __syncthreads();
  int place = t;
  for (int i = 0; i < steps; ++i) {
    Generator g = state[t];
    g.a = g.a * 69069 + 1, g.b ^= g.b << 13, g.b ^= g.b >> 17, g.b ^= g.b << 5, g.c += g.a ^ g.b;
    state[t] = g;
    place = (place + (g.c & 1 ? 1 : 127)) & 127;
    atomicAdd(&visits[place], 1u);
  }
  __syncthreads();
  for (int i = t; i < 128; i += 96) out[blockIdx.x * 128 + i] = visits[i];
}
// Paths of prices: many numbers a thread, moments by three sums at once.
__global__ void __launch_bounds__(256) moments(const float* in, float* out, int n) {
  __shared__ float3 s[256];
  const int t = threadIdx.x;
  float3 sum = {0, 0, 0};
  for (int i = t; i < n; i += 256) {
    const float x = in[i];
    sum.x += x, sum.y += x * x, sum.z += x * x * x;
  }
  s[t] = sum;
  __syncthreads();
#pragma unroll
  for (int half = 128; half; half /= 2) {
    if (t < half) s[t].x += s[t + half].x, s[t].y += s[t + half].y, s[t].z += s[t + half].z;
    __syncthreads();
  }
  if (t < 3) out[t] = t == 0 ? s[0].x : t == 1 ? s[0].y : s[0].z;
}
// Charges to a grid of 8 x 8 x 4 by eight weights each, a thread a grid point that gathers.
__global__ void BLOCK(8, 8, 4) gather_charges(const float4* in, float* out, int n) {
  __shared__ float4 tile[64];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, t = (z * 8 + y) * 8 + x;
  float sum = 0;
  for (int at = 0; at < n; at += 64) {
    __syncthreads();
    if (z == 0) tile[t] = in[at + t];
    __syncthreads();
    for (int i = 0; i < 64; ++i) {
      const float4 p = tile[i];
      sum +=
          p.w * fmaxf(0, 1 - fabsf(p.x * 8 - x)) * fmaxf(0, 1 - fabsf(p.y * 8 - y)) * fmaxf(0, 1 - fabsf(p.z * 4 - z));
    }
  }
  out[blockIdx.x * 256 + t] = sum;
}

extern "C" int run() {
  float *in = numbers<float>(1 << 14), *out = numbers<float>(1 << 14);
  int* whole = numbers<int>(1024);
  bodies<128><<<2, 128>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float3*>(out), 512);
  bodies<64><<<2, 64>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float3*>(out), 256);
  bodies_by_arrays<<<4, 128>>>(in, out, 512);
  pairs_once<<<2, 64>>>(numbers<double3>(128), numbers<double>(128));
  cluster<16, 4><<<2, 128>>>(in, in + 2048, out, whole);
  cluster<10, 3><<<2, 128>>>(in, in + 2048, out, whole);
  distances<16, false><<<dim3(2, 2), dim3(16, 16)>>>(in, in, out, 32);
  distances<16, true><<<dim3(2, 2), dim3(16, 16)>>>(in, in, out, 32);
  distances<20, false><<<dim3(2, 2), dim3(16, 16)>>>(in, in, out, 32);
  nearest_five<<<2, 64>>>(in, whole, 256);
  walks<<<2, 96>>>(reinterpret_cast<unsigned*>(out), 20);
  moments<<<1, 256>>>(in, out, 4096);
  gather_charges<<<2, dim3(8, 8, 4)>>>(reinterpret_cast<float4*>(in), out, 128);
  return finish();
}
