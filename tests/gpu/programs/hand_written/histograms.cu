// SPDX-License-Identifier: Apache-2.0
// Counting and looking up: bins, tables, sets and queues in shared memory.
#include "common.cuh"

// One set of bins; one per warp; one per lane.
__global__ void __launch_bounds__(256) histogram_block(const std::uint8_t* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  const int t = threadIdx.x;
  bins[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) atomicAdd(&bins[in[i]], 1);
  __syncthreads();
  atomicAdd(&out[t], bins[t]);
}
template <int bins, int threads>
__global__ void __launch_bounds__(threads) histogram_warps(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[threads / 32][bins];
  const int t = threadIdx.x, warp = t / 32;
  for (int i = t; i < threads / 32 * bins; i += threads) (&s[0][0])[i] = 0;
  __syncthreads();
  for (int i = t; i < n; i += threads) {
    const unsigned word = in[i];
#pragma unroll
    for (int j = 0; j < 4; ++j) atomicAdd(&s[warp][(word >> 8 * j) % bins], 1);
  }
  __syncthreads();
  for (int i = t; i < bins; i += threads) {
    unsigned sum = 0;
#pragma unroll
    for (int j = 0; j < threads / 32; ++j) sum += s[j][i];
    out[i] = sum;
  }
}
__global__ void __launch_bounds__(64) histogram_lanes(const std::uint8_t* in, unsigned* out, int n) {
  __shared__ std::uint16_t s[64][64];  // a bin's row has a counter for each thread
  const int t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 64; i += 2) reinterpret_cast<unsigned*>(s[i])[t] = 0;
  __syncthreads();
  for (int i = t; i < n; i += 64) ++s[in[i] & 63][t];
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) sum += s[t][(i + t) & 63];
  out[t] = sum;
}
// Weights of floats, and 64 bits.
__global__ void __launch_bounds__(128)
    histogram_weights(const std::uint8_t* in, const float* weights, float* out, unsigned long long* counts, int n) {
  __shared__ float sums[32];
  __shared__ unsigned long long numbers[32];
  __shared__ int most[32], least[32];
  const int t = threadIdx.x;
  if (t < 32) sums[t] = 0, numbers[t] = 0, most[t] = 0, least[t] = 1 << 30;
  __syncthreads();
  for (int i = t; i < n; i += 128) {
    const int bin = in[i] & 31;
    atomicAdd(&sums[bin], weights[i]);
    atomicAdd(&numbers[bin], 1ull + i);
    atomicMax(&most[bin], i);
    atomicMin(&least[bin], i);
  }
  __syncthreads();
  if (t < 32) out[t] = sums[t], counts[t] = numbers[t] + most[t] - least[t];
}
// A joint histogram of two images, 16 x 16.
__global__ void BLOCK(16, 16, 1)
    histogram_joint(const std::uint8_t* a, const std::uint8_t* b, unsigned* out, int width) {
  __shared__ unsigned bins[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  bins[y][x] = 0;
  __syncthreads();
  for (int i = x; i < width; i += 16) {
    const int at = (blockIdx.x * 16 + y) * width + i;
    atomicAdd(&bins[a[at] & 15][b[at] & 15], 1);
  }
  __syncthreads();
  atomicAdd(&out[y * 16 + x], bins[y][x]);
}

// A table of 256 bytes, and one that each bank has for itself.
__global__ void __launch_bounds__(128) look_up_bytes(const unsigned* in, const std::uint8_t* table, unsigned* out) {
  __shared__ std::uint8_t s[256];
  const int t = threadIdx.x;
  s[t] = table[t], s[t + 128] = table[t + 128];
  __syncthreads();
  const unsigned x = in[blockIdx.x * 128 + t];
  out[blockIdx.x * 128 + t] = s[x & 255] | s[x >> 8 & 255] << 8 | s[x >> 16 & 255] << 16 | unsigned{s[x >> 24]} << 24;
}
__global__ void __launch_bounds__(128)
    look_up_by_lane(const std::uint8_t* in, const unsigned* table, unsigned* out, int rounds) {
  __shared__ unsigned s[64][32];
  const int t = threadIdx.x, lane = t % 32;
  for (int i = t / 32; i < 64; i += 4) s[i][lane] = table[i];
  __syncthreads();
  unsigned x = in[blockIdx.x * 128 + t];
  for (int i = 0; i < rounds; ++i) x = s[x & 63][lane] ^ x >> 3;
  out[blockIdx.x * 128 + t] = x;
}
// A checksum by four tables of words.
__global__ void __launch_bounds__(64) checksum(const unsigned* in, unsigned* out, int words) {
  __shared__ unsigned table[4][256];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 64) {
    unsigned x = i;
    for (int j = 0; j < 8; ++j) x = x >> 1 ^ (x & 1 ? 0xedb88320u : 0);
    table[0][i] = x;
  }
  __syncthreads();
  for (int i = t; i < 256; i += 64)
    for (int j = 1; j < 4; ++j) {
      unsigned x = table[0][i];
      for (int l = 0; l < j; ++l) x = x >> 8 ^ table[0][x & 255];
      table[j][i] = x;
    }
  __syncthreads();
  unsigned sum = ~0u;
  for (int i = 0; i < words; ++i) {
    const unsigned x = sum ^ in[t * words + i];
    sum = table[3][x & 255] ^ table[2][x >> 8 & 255] ^ table[1][x >> 16 & 255] ^ table[0][x >> 24];
  }
  out[t] = ~sum;
}
// Letters of a text against the pattern, each thread a start; the text with its overhang.
__global__ void __launch_bounds__(128) find_pattern(const char* text, const char* pattern, int* found, int length) {
  __shared__ char part[128 + 32], word[32];
  __shared__ int first;
  const int t = threadIdx.x;
  part[t] = text[blockIdx.x * 128 + t];
  if (t < 32) part[128 + t] = text[blockIdx.x * 128 + 128 + t], word[t] = pattern[t];
  if (t == 0) first = 1 << 30;
  __syncthreads();
  int same = 0;
  for (int i = 0; i < length; ++i) same += part[t + i] == word[i];
  if (same == length) atomicMin(&first, t);
  __syncthreads();
  if (t == 0) found[blockIdx.x] = first;
}
// A set of words by open addressing.
__global__ void __launch_bounds__(128) distinct(const unsigned* in, int* out) {
  __shared__ unsigned slots[512];
  __shared__ int count;
  const int t = threadIdx.x;
#pragma unroll
  for (int i = 0; i < 512; i += 128) slots[i + t] = 0;
  if (t == 0) count = 0;
  __syncthreads();
  const unsigned key = in[blockIdx.x * 128 + t] + 1;
  for (unsigned at = key * 2654435769u >> 23;; at = (at + 1) & 511) {
    const unsigned old = atomicCAS(&slots[at], 0u, key);
    if (old == 0) atomicAdd(&count, 1);
    if (old == 0 || old == key) break;
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = count;
}
// Flags of bits, and a queue of those that were first.
__global__ void __launch_bounds__(96) marks(const unsigned* in, unsigned* out) {
  __shared__ unsigned bits[8], queue[96], end;
  const int t = threadIdx.x;
  if (t < 8) bits[t] = 0;
  if (t == 8) end = 0;
  __syncthreads();
  const unsigned x = in[blockIdx.x * 96 + t] & 255, before = atomicOr(&bits[x >> 5], 1u << (x & 31));
  if (!(before >> (x & 31) & 1)) queue[atomicAdd(&end, 1)] = x;
  __syncthreads();
  if (t < end) out[blockIdx.x * 96 + t] = queue[t];
  if (t < 8) atomicXor(&out[t], bits[t]);
  __syncthreads();
  if (t < 16) atomicAnd(&bits[t & 7], 0xffffu << t), atomicXor(&bits[t / 2], x);
  __syncthreads();
  if (t < 8) atomicAdd(&out[t], atomicExch(&bits[7 - t], t));
}

extern "C" int run() {
  auto* bytes = numbers<std::uint8_t>(1 << 14, 255);
  auto *words = numbers<unsigned>(1 << 13, 1u << 23), *out = numbers<unsigned>(1 << 13);
  histogram_block<<<2, 256>>>(bytes, out, 1 << 13);
  histogram_warps<256, 128><<<1, 128>>>(words, out, 1024);
  histogram_warps<100, 192><<<1, 192>>>(words, out, 1024);
  histogram_lanes<<<1, 64>>>(bytes, out, 4096);
  histogram_weights<<<1, 128>>>(bytes, numbers<float>(1024), numbers<float>(32), numbers<unsigned long long>(32), 1024);
  histogram_joint<<<2, dim3(16, 16)>>>(bytes, bytes + 4096, out, 100);
  look_up_bytes<<<4, 128>>>(words, bytes, out);
  look_up_by_lane<<<4, 128>>>(bytes, words, out, 10);
  checksum<<<1, 64>>>(words, out, 16);
  const auto* text = reinterpret_cast<const char*>(bytes);
  find_pattern<<<4, 128>>>(text, text + 77, numbers<int>(4), 12);
  distinct<<<2, 128>>>(words, numbers<int>(2));
  marks<<<2, 96>>>(words, out);
  return finish();
}
