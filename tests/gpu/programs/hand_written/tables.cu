// SPDX-License-Identifier: Apache-2.0
// Tables that fill along diagonals, rounds and paths.
#include "common.cuh"

// Smith and Waterman: one thread per row, three diagonals.
template <class Score, int n>
__global__ void __launch_bounds__(n) align_local(const char* a, const char* b, int* best, int columns) {
  __shared__ Score s[3][n + 1];
  __shared__ int most;
  const int t = threadIdx.x;
  const char mine = a[blockIdx.x * n + t];
  for (int i = 0; i < 3; ++i) s[i][t] = 0;
  if (t < 3) s[t][n] = 0;
  if (t == 0) most = 0;
  int high = 0;
  for (int step = 0; step < n + columns - 1; ++step) {
    __syncthreads();
    const int column = step - t;
    Score *now = s[step % 3], *before = s[(step + 2) % 3], *last = s[(step + 1) % 3];
    if (column >= 0 && column < columns) {
      const int match = last[t] + (mine == b[column] ? 3 : -2);
      const int score = max(max(match, 0), max(before[t], before[t + 1]) - 1);
      now[t + 1] = static_cast<Score>(score), high = max(high, score);
    }
  }
  atomicMax(&most, high);
  __syncthreads();
  if (t == 0) best[blockIdx.x] = most;
}
// Needleman and Wunsch: a tile of 16 x 16 with its edges.
__global__ void __launch_bounds__(16) align_tile(const int* scores, const int* edges, int* out) {
  __shared__ int s[17][17], score[16][16];
  const int t = threadIdx.x;
  for (int i = 0; i < 16; ++i) score[i][t] = scores[blockIdx.x * 256 + i * 16 + t];
  s[t + 1][0] = edges[t], s[0][t + 1] = edges[16 + t];
  if (t == 0) s[0][0] = edges[32];
  __syncwarp(0xffff);
  for (int step = 0; step < 16; ++step) {
    if (t <= step) {
      const int x = t + 1, y = step - t + 1;
      s[y][x] = max(s[y - 1][x - 1] + score[y - 1][x - 1], max(s[y][x - 1], s[y - 1][x]) - 10);
    }
    __syncwarp(0xffff);
  }
  for (int step = 14; step >= 0; --step) {
    if (t <= step) {
      const int x = t + 16 - step, y = 16 - t;
      s[y][x] = max(s[y - 1][x - 1] + score[y - 1][x - 1], max(s[y][x - 1], s[y - 1][x]) - 10);
    }
    __syncwarp(0xffff);
  }
  for (int i = 0; i < 16; ++i) out[blockIdx.x * 256 + i * 16 + t] = s[i + 1][t + 1];
}
// The longest common part of 64 letters, all of the table kept.
__global__ void __launch_bounds__(64) common_letters(const char* a, const char* b, int* out) {
  __shared__ std::uint8_t s[65][68];
  __shared__ char x[64], y[64];
  const int t = threadIdx.x;
  x[t] = a[blockIdx.x * 64 + t], y[t] = b[blockIdx.x * 64 + t];
  s[0][t] = 0, s[t + 1][0] = 0;
  if (t == 0) s[0][64] = 0;
  for (int step = 0; step < 127; ++step) {
    __syncthreads();
    const int j = step - t;
    if (j >= 0 && j < 64)
      s[t + 1][j + 1] = x[t] == y[j] ? static_cast<std::uint8_t>(s[t][j] + 1) : max(s[t][j + 1], s[t + 1][j]);
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = s[64][64];
}
// All shortest paths of 32 places; reachability by bits.
template <class T>
__global__ void BLOCK(32, 16, 1) shortest_paths(const T* in, T* out) {
  __shared__ T s[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < 32; i += 16) s[i][x] = in[blockIdx.x * 1024 + i * 32 + x];
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    T next[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const T way = static_cast<T>(s[y + i * 16][k] + s[k][x]), old = s[y + i * 16][x];
      next[i] = way < old ? way : old;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; ++i) s[y + i * 16][x] = next[i];
    __syncthreads();
  }
  for (int i = y; i < 32; i += 16) out[blockIdx.x * 1024 + i * 32 + x] = s[i][x];
}
__global__ void __launch_bounds__(64) reachable(const unsigned long long* in, unsigned long long* out) {
  __shared__ unsigned long long row[64];
  const int t = threadIdx.x;
  row[t] = in[blockIdx.x * 64 + t] | 1ull << t;
  __syncthreads();
  for (int k = 0; k < 64; ++k) {
    const unsigned long long through = row[k];
    __syncthreads();
    if (row[t] >> k & 1) row[t] |= through;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = row[t];
}
// A knapsack: weights are known, so is how far a thread looks back.
__global__ void __launch_bounds__(256) knapsack(const int* values, int* out) {
  __shared__ int s[2][256];
  const int t = threadIdx.x;
  s[0][t] = 0;
#pragma unroll
  for (int item = 0; item < 8; ++item) {
    __syncthreads();
    const int weight = item * item + 3, without = s[item & 1][t];
    s[~item & 1][t] = t >= weight ? max(without, s[item & 1][t - weight] + values[item]) : without;
  }
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[0][t];
}
// Viterbi's way through 24 states.
__global__ void __launch_bounds__(24) viterbi(const float* ways, const float* seen, std::uint8_t* path, int steps) {
  __shared__ float way[24][25], best[2][24];
  __shared__ std::uint8_t from[32][24];
  const int t = threadIdx.x;
  for (int i = 0; i < 24; ++i) way[i][t] = ways[i * 24 + t];
  best[0][t] = seen[t];
  __syncthreads();
  for (int step = 1; step < steps; ++step) {
    float most = -1e30f;
    int at = 0;
#pragma unroll
    for (int i = 0; i < 24; ++i) {
      const float x = best[~step & 1][i] + way[t][i];
      if (x > most) most = x, at = i;
    }
    best[step & 1][t] = most + seen[step * 24 + t], from[step][t] = static_cast<std::uint8_t>(at);
    __syncthreads();
  }
  if (t == 0) {
    int state = 0;
    for (int i = 1; i < 24; ++i)
      if (best[~steps & 1][i] > best[~steps & 1][state]) state = i;
    for (int step = steps - 1; step > 0; --step)
      path[step] = static_cast<std::uint8_t>(state), state = from[step][state];
    path[0] = static_cast<std::uint8_t>(state);
  }
}
// An option in a tree of prices that shrinks by one per step.
template <class T>
__global__ void __launch_bounds__(128) price_tree(T* out, T strike) {
  __shared__ T s[129];
  const int t = threadIdx.x;
  const auto price = [&](int up) { return max(T(100) + T(2 * up - 128) - strike, T(0)); };
  s[t] = price(t);
  if (t == 0) s[128] = price(128);
  for (int step = 127; step >= 0; --step) {
    __syncthreads();
    const T x = t <= step ? (s[t] + s[t + 1]) / 2 : T(0);
    __syncthreads();
    if (t <= step) s[t] = x;
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
// A list that jumps: everyone's follower's follower.
__global__ void __launch_bounds__(128) list_ranks(const int* next, int* ranks) {
  __shared__ int to[128], rank[128];
  const int t = threadIdx.x;
  to[t] = next[blockIdx.x * 128 + t] & 127, rank[t] = to[t] != t;
  for (int i = 0; i < 7; ++i) {
    __syncthreads();
    const int hop = to[t], more = rank[hop], far = to[hop];
    __syncthreads();
    rank[t] += more, to[t] = far;
  }
  ranks[blockIdx.x * 128 + t] = rank[t];
}

extern "C" int run() {
  char *letters = numbers<char>(4096, 3), *others = numbers<char>(4096, 4);
  int *in = numbers<int>(4096), *out = numbers<int>(4096);
  float* floats = numbers<float>(4096);
  align_local<int, 64><<<2, 64>>>(letters, others, out, 100);
  align_local<short, 128><<<2, 128>>>(letters, others, out, 60);
  align_tile<<<2, 16>>>(in, in, out);
  common_letters<<<2, 64>>>(letters, others, out);
  shortest_paths<<<2, dim3(32, 16)>>>(in, out);
  shortest_paths<<<2, dim3(32, 16)>>>(numbers<std::uint16_t>(2048), numbers<std::uint16_t>(2048));
  reachable<<<2, 64>>>(numbers<unsigned long long>(128), numbers<unsigned long long>(128));
  knapsack<<<2, 256>>>(in, out);
  viterbi<<<1, 24>>>(floats, floats, numbers<std::uint8_t>(32), 30);
  price_tree<<<2, 128>>>(floats, 90.f);
  price_tree<<<2, 128>>>(numbers<double>(2), 95.);
  list_ranks<<<2, 128>>>(in, out);
  return finish();
}
