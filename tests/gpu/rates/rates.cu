// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of make.py and prints one JSON object a line. Cycles are those of the SM.
//
//   {"what":"wgmma","kind":"f16","n":256,"a":"smem","layout":"k-128B","sparse":0,"groups":1,"interval_x100":12800}
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "rates.hpp"

#define PARTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define DECLARE(i) std::vector<Case> cases_##i();
PARTS(DECLARE)

static void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

static int sms = 0;
static long long* device_cycles = nullptr;

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The median over the SMs and seven launches.
static double cycles_of(void (*kernel)(long long*), int threads) {
  require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_bytes), "attribute");
  std::vector<double> all;
  for (int launch = 0; launch < 8; ++launch) {
    kernel<<<sms, threads, smem_bytes>>>(device_cycles);
    std::vector<long long> cycles(sms);
    require(cudaMemcpy(cycles.data(), device_cycles, sms * 8, cudaMemcpyDeviceToHost), "launch");
    if (launch > 0) all.insert(all.end(), cycles.begin(), cycles.end());
  }
  return median(all);
}

// ---- mma.sync: every warp has eight accumulators, one after another

#define MMA_LOOP(name, registers_of_d, D, A, B, line)                                                   \
  __global__ void __launch_bounds__(512) name(long long* cycles) {                                     \
    D d[8][registers_of_d];                                                                             \
    for (int i = 0; i < 8 * registers_of_d; ++i)                                                        \
      d[i / registers_of_d][i % registers_of_d] = static_cast<D>(i * threadIdx.x);                      \
    const unsigned a0 = threadIdx.x & 0x3b3b, a1 = a0 * 3 & 0x3b3b, a2 = a0, a3 = a1, b0 = a0, b1 = a1; \
    (void)a1;                                                                                           \
    (void)a2;                                                                                           \
    (void)a3;                                                                                           \
    (void)b1;                                                                                           \
    __syncthreads();                                                                                    \
    const long long begin = clock64();                                                                  \
    for (int i = 0; i < 256; ++i) _Pragma("unroll") for (int j = 0; j < 8; ++j) line;                   \
    __syncthreads();                                                                                    \
    const long long end = clock64();                                                                    \
    D sum = 0;                                                                                          \
    for (int j = 0; j < 8; ++j)                                                                         \
      for (int i = 0; i < registers_of_d; ++i) sum += d[j][i];                                          \
    report(cycles, end - begin, sum == static_cast<D>(12345));                                          \
  }

#define WIDE(types, shape, letter)                                                                                  \
  asm volatile("mma.sync.aligned." shape ".row.col." types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : letter(d[j][0]), letter(d[j][1]), letter(d[j][2]), letter(d[j][3])                                 \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
#define HALF(types, shape)                                                                              \
  asm volatile("mma.sync.aligned." shape ".row.col." types " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" \
               : "+r"(d[j][0]), "+r"(d[j][1])                                                           \
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))

MMA_LOOP(mma_f16, 4, float, unsigned, unsigned, WIDE("f32.f16.f16.f32", "m16n8k16", "+f"))
MMA_LOOP(mma_bf16, 4, float, unsigned, unsigned, WIDE("f32.bf16.bf16.f32", "m16n8k16", "+f"))
MMA_LOOP(mma_tf32, 4, float, unsigned, unsigned, WIDE("f32.tf32.tf32.f32", "m16n8k8", "+f"))
MMA_LOOP(mma_s8, 4, int, unsigned, unsigned, WIDE("s32.s8.s8.s32", "m16n8k32", "+r"))
MMA_LOOP(mma_f16_f16, 2, unsigned, unsigned, unsigned, HALF("f16.f16.f16.f16", "m16n8k16"))
MMA_LOOP(mma_f64, 2, double, unsigned, unsigned,
         asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                      : "+d"(d[j][0]), "+d"(d[j][1])
                      : "d"(static_cast<double>(a0)), "d"(static_cast<double>(b0))))
MMA_LOOP(mma_f64_k4, 4, double, unsigned, unsigned,
         asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4}, {%5}, {%0,%1,%2,%3};"
                      : "+d"(d[j][0]), "+d"(d[j][1]), "+d"(d[j][2]), "+d"(d[j][3])
                      : "d"(static_cast<double>(a0)), "d"(static_cast<double>(b0))))
MMA_LOOP(mma_f64_k16, 4, double, unsigned, unsigned,
         asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%4,%4,%4,%4,%4,%4,%4}, "
                      "{%5,%5,%5,%5}, {%0,%1,%2,%3};"
                      : "+d"(d[j][0]), "+d"(d[j][1]), "+d"(d[j][2]), "+d"(d[j][3])
                      : "d"(static_cast<double>(a0)), "d"(static_cast<double>(b0))))

// ptxas makes mma.sync of e4m3 on sm_90 from conversions to f16, two HMMA from 0 and four FADD: with equal operands it
// computes the product once. So A is another one in each iteration, B in each MMA, as in a kernel with several n tiles.
__global__ void __launch_bounds__(512) mma_e4m3(long long* cycles) {
  float d[8][4];
  for (int i = 0; i < 32; ++i) d[i / 4][i % 4] = static_cast<float>(i * threadIdx.x);
  const unsigned base = threadIdx.x & 0x3b3b;
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < 256; ++i) {
    const unsigned a0 = base ^ i, a1 = a0 ^ 0x1010, a2 = a0 ^ 0x101, a3 = a0 ^ 0x1111;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const unsigned b0 = a0 + (j << 8), b1 = b0 ^ 0x2020;
      WIDE("f32.e4m3.e4m3.f32", "m16n8k32", "+f");
    }
  }
  __syncthreads();
  const long long end = clock64();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += d[i / 4][i % 4];
  report(cycles, end - begin, sum == 12345);
}

static void measure_mma_sync() {
  struct Row {
    const char *kind, *shape;
    int macs;
    void (*kernel)(long long*);
  };
  const Row rows[] = {{"f16", "m16n8k16", 16 * 8 * 16, mma_f16},    {"bf16", "m16n8k16", 16 * 8 * 16, mma_bf16},
                      {"tf32", "m16n8k8", 16 * 8 * 8, mma_tf32},    {"e4m3", "m16n8k32", 16 * 8 * 32, mma_e4m3},
                      {"s8", "m16n8k32", 16 * 8 * 32, mma_s8},      {"f16-f16", "m16n8k16", 16 * 8 * 16, mma_f16_f16},
                      {"f64", "m8n8k4", 8 * 8 * 4, mma_f64},        {"f64", "m16n8k4", 16 * 8 * 4, mma_f64_k4},
                      {"f64", "m16n8k16", 16 * 8 * 16, mma_f64_k16}};
  for (const Row& row : rows)
    for (const int warps : {4, 8, 16}) {
      const double cycles = cycles_of(row.kernel, 32 * warps);
      std::printf("{\"what\":\"mma.sync\",\"kind\":\"%s\",\"shape\":\"%s\",\"warps\":%d,\"macs_per_cycle\":%.0f}\n",
                  row.kind, row.shape, warps, 256.0 * 8 * warps * row.macs / cycles);
    }
}

// ---- copies into shared memory, alone and beside wgmmas whose operands are there

struct Copies {
  int bytes, in_flight;    // of one copy; how many
  int threads;             // that issue them, each of its own warp and its own copies
  bool is_tensor;          // a box of 64 bf16 x bytes / 128 rows, 128B swizzle; otherwise a bulk copy of bytes
  long long wrap, stride;  // bytes that a block reads before it begins again; between blocks
  long long count;         // of one thread, at most
};

__device__ inline void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
}

__device__ inline void copy(const Copies& c, const CUtensorMap* map, unsigned to, const unsigned char* from,
                            long long place, unsigned barrier) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(c.bytes) : "memory");
  if (c.is_tensor)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(to),
        "l"(map), "r"(0), "r"(static_cast<int>(place >> 7)), "r"(barrier)
        : "memory");
  else
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from + place), "r"(c.bytes), "r"(barrier)
                 : "memory");
}

// The first warpgroup multiplies, N 32, A and B in shared memory; the first thread of other warps copies. out of each block:
// cycles and number of MMAs, then cycles and bytes of copies.
__global__ void __launch_bounds__(256)
    mix(long long* out, const unsigned char* from, const __grid_constant__ CUtensorMap map, Copies c, int rounds) {
  extern __shared__ __align__(1024) unsigned char smem[];
  __shared__ __align__(8) unsigned long long barriers[64];
  __shared__ volatile int is_over;
  fill(smem);
  if (threadIdx.x == 0) {
    is_over = 0;
    for (int i = 0; i < 64; ++i) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&barriers[i])));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  const long long begin = clock64();
  if (threadIdx.x < 128 && rounds > 0) {
    const unsigned long long flags = 1ULL << 16 | 64ULL << 32 | 1ULL << 62;
    const unsigned long long a = flags | (address(smem) >> 4), b = flags | (address(smem + 16384) >> 4);
    float d[16] = {};
    for (int i = 0; i < rounds; ++i)
      asm volatile(
          "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.fence.sync.aligned;\n"
#define ONE                                                                                                           \
  "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, " \
  "%17, p, 1, 1, 0, 0;\n"
          ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
              ONE ONE ONE ONE ONE "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
            "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
          : "l"(a), "l"(b));
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += d[i];
    const long long end = clock64();
    is_over = 1;
    if (threadIdx.x == 0 || sum == 12345) out[4 * blockIdx.x] = end - begin, out[4 * blockIdx.x + 1] = 32LL * rounds;
  }
  const int issuer = (static_cast<int>(threadIdx.x) - 128) / 32;
  if (threadIdx.x >= 128 && threadIdx.x % 32 == 0 && issuer < c.threads && c.count > 0) {
    const int first = issuer * c.in_flight;
    const unsigned target = address(smem + 32768) + first * c.bytes;
    long long place = blockIdx.x * c.stride % c.wrap + issuer * c.bytes;
    const auto next = [&] {
      const long long at = place;
      place += c.bytes * c.threads;
      if (place >= c.wrap) place = issuer * c.bytes;
      return at;
    };
    int slot = 0, parity = 0;
    for (int i = 0; i < c.in_flight; ++i)
      copy(c, &map, target + i * c.bytes, from, next(), address(&barriers[first + i]));
    const auto wait = [&] {
      wait_for(address(&barriers[first + slot]), parity);
      const int was = slot;
      if (++slot == c.in_flight) slot = 0, parity ^= 1;
      return was;
    };
    long long done = 0;
    for (; done < c.count && !is_over; ++done) {
      const int freed = wait();
      copy(c, &map, target + freed * c.bytes, from, next(), address(&barriers[first + freed]));
    }
    const long long end = clock64();
    if (issuer == 0) out[4 * blockIdx.x + 2] = end - begin, out[4 * blockIdx.x + 3] = done * c.bytes * c.threads;
    for (int i = 0; i < c.in_flight; ++i) wait();
  }
}

static CUtensorMap tensor_map(unsigned char* memory, long long bytes, int box_bytes) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult result;
  require(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &result), "entry point");
  CUtensorMap map;
  const cuuint64_t dims[] = {64, static_cast<cuuint64_t>(bytes / 128)}, strides[] = {128};
  const cuuint32_t box[] = {64, static_cast<cuuint32_t>(box_bytes / 128)}, steps[] = {1, 1};
  const CUresult error = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, memory, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS) std::fprintf(stderr, "map: %d\n", error), std::exit(1);
  return map;
}

static void measure_copies() {
  constexpr long long far = 16LL << 30, near = 8LL << 20;
  unsigned char* memory = nullptr;
  require(cudaMalloc(&memory, far + (1 << 20)), "memory");
  require(cudaMemset(memory, 0x3b, far), "memset");
  long long* out = nullptr;
  require(cudaMalloc(&out, sms * 32), "memory");
  require(cudaFuncSetAttribute(mix, cudaFuncAttributeMaxDynamicSharedMemorySize, smem_bytes), "attribute");
  const auto run = [&](const char* from, const Copies& c, int rounds, int blocks) {
    const CUtensorMap map = tensor_map(memory, far, c.is_tensor ? c.bytes : 8192);
    std::vector<double> intervals, copied;
    for (int launch = 0; launch < 4; ++launch) {
      require(cudaMemset(out, 0, sms * 32), "memset");
      mix<<<blocks, 256, smem_bytes>>>(out, memory, map, c, rounds);
      std::vector<long long> got(4 * blocks);
      require(cudaMemcpy(got.data(), out, blocks * 32, cudaMemcpyDeviceToHost), "mix");
      if (launch == 0) continue;
      for (int i = 0; i < blocks; ++i) {
        intervals.push_back(got[4 * i + 1] == 0 ? 0 : 1.0 * got[4 * i] / got[4 * i + 1]);
        copied.push_back(got[4 * i + 3] == 0 ? 0 : 1.0 * got[4 * i + 3] / got[4 * i + 2]);
      }
    }
    std::printf(
        "{\"what\":\"copy\",\"from\":\"%s\",\"form\":\"%s\",\"bytes\":%d,\"in_flight\":%d,\"blocks\":%d,"
        "\"bytes_per_cycle_x100\":%.0f,\"mma_interval_x100\":%.0f}\n",
        from, c.is_tensor ? "tensor" : "bulk", c.bytes, c.in_flight * c.threads, blocks, 100 * median(copied),
        100 * median(intervals));
  };
  const auto copies = [&](bool is_far, bool is_tensor, int bytes, int in_flight, int threads) {
    return Copies{bytes,  in_flight, threads, is_tensor, is_far ? far : near, is_far ? (far / 256) & ~65535LL : 65536,
                  1 << 12};
  };
  for (const int blocks : {1, 66, sms}) {
    for (const bool is_far : {false, true})
      for (const bool is_tensor : {false, true}) {
        const char* from = is_far ? "DRAM" : "L2";
        for (const int bytes : {2048, 4096, 8192, 16384})
          run(from, copies(is_far, is_tensor, bytes, 65536 / bytes, 1), 0, blocks);
        run(from, copies(is_far, is_tensor, 8192, 4, 2), 0, blocks);
        run(from, copies(is_far, is_tensor, 8192, 4, 1), 0, blocks);
        run(from, copies(is_far, is_tensor, 8192, 2, 1), 0, blocks);
        run(from, copies(is_far, is_tensor, 8192, 1, 1), 0, blocks);
      }
    run("", {8192, 8, 1, false, near, 65536, 0}, 2000, blocks);
    Copies beside = copies(false, true, 16384, 4, 1);
    beside.count = 1LL << 40;
    run("L2", beside, 2000, blocks);
    beside.is_tensor = false;
    run("L2", beside, 2000, blocks);
  }
}

int main() {
  cudaDeviceProp properties;
  require(cudaGetDeviceProperties(&properties, 0), "device");
  sms = properties.multiProcessorCount;
  require(cudaMalloc(&device_cycles, sms * 8), "memory");
  std::printf("{\"what\":\"device\",\"name\":\"%s\",\"sms\":%d}\n", properties.name, sms);
  std::vector<Case> all;
#define APPEND(i)                                    \
  {                                                  \
    const std::vector<Case> part = cases_##i();      \
    all.insert(all.end(), part.begin(), part.end()); \
  }
  PARTS(APPEND)
  for (const Case& c : all)
    for (const int groups : {1, 2}) {
      const double few = cycles_of(c.few, 128 * groups), many = cycles_of(c.many, 128 * groups);
      std::printf(
          "{\"what\":\"wgmma\",\"kind\":\"%s\",\"n\":%d,\"a\":\"%s\",\"layout\":\"%s\",\"sparse\":%d,\"groups\":%d,"
          "\"interval_x100\":%.0f}\n",
          c.kind, c.n, c.a, c.layout, c.is_sparse, groups, 100 * (many - few) / 32 / groups);
    }
  measure_mma_sync();
  measure_copies();
}
