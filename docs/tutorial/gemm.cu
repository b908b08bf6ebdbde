// SPDX-License-Identifier: Apache-2.0
// The product of docs/tutorial.md: D = A * B^T on Hopper, by TMA and wgmma. A is M x K, B is N x K, both bfloat16 with K contiguous;
// D is M x N in float.
//
//   sh build.sh           compiles the product without and with each mistake, and runs them; needs nvcc and an H100
//   sh build.sh --ptx     makes the PTX that the document shows; needs nvcc
//
// MISTAKE  0  none
//          1  the start of an operand moves by 16, the elements of a k step, not by their 32 bytes
//          2  the descriptors get the swizzle of the tensor map's enum, in which 3 is 128B; in a descriptor 3 is 32B
//          3  the barrier expects the bytes of A, and A and B arrive
//
// A block of two warpgroups computes 128 x 128 of D; each warpgroup 64 rows. Three stages of A and B are in shared memory. One
// thread starts the copies. The inputs are whole numbers from -2 to 2, so that the right result has no rounding: the error is 0.
#include <cuda.h>
#include <cuda_bf16.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifndef MISTAKE
#define MISTAKE 0
#endif

constexpr uint32_t tile = 128;   // rows of A, rows of B
constexpr uint32_t tile_k = 64;  // elements: one line of 128 B
constexpr uint32_t stages = 3;
constexpr uint32_t operand_bytes = tile * tile_k * sizeof(__nv_bfloat16);
constexpr uint32_t stage_bytes = 2 * operand_bytes;

constexpr uint32_t k_step = 16;  // elements that one wgmma reads along K
constexpr uint32_t advance = MISTAKE == 1 ? k_step : k_step * sizeof(__nv_bfloat16);
constexpr uint64_t layout_type = MISTAKE == 2 ? CU_TENSOR_MAP_SWIZZLE_128B : 1;
constexpr uint32_t expected_bytes = MISTAKE == 3 ? operand_bytes : stage_bytes;

// The descriptor of a K-major operand that begins at `start`: groups of 8 rows follow each other by 1024 B.
__device__ uint64_t descriptor(uint32_t start) {
  const uint64_t leading = 16, stride = 8 * 128;
  return (start & 0x3ffff) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | layout_type << 62;
}

// d += A * B of 64 x 16 and 128 x 16.
__device__ void wgmma(float (&d)[64], uint64_t a, uint64_t b) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63 "
      "}, %64, %65, add, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(1));
}

__device__ void copy(uint32_t to, const CUtensorMap& map, uint32_t k, uint32_t row, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(to),
      "l"(&map), "r"(k), "r"(row), "r"(barrier)
      : "memory");
}

__device__ uint64_t nanoseconds() {
  uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// Ends the kernel with an error if the barrier is not there after a second.
__device__ void wait(uint32_t barrier, uint32_t parity) {
  const uint64_t begin = nanoseconds();
  for (uint32_t done = 0; done == 0;) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    if (done == 0 && nanoseconds() - begin > 1000000000) __trap();
  }
}

extern "C" __global__ void __launch_bounds__(256)
    gemm(const __grid_constant__ CUtensorMap a_map, const __grid_constant__ CUtensorMap b_map, float* out, uint32_t n,
         uint32_t k_blocks) {
  extern __shared__ __align__(1024) unsigned char buffers[];
  const uint32_t first = static_cast<uint32_t>(__cvta_generic_to_shared(buffers));
  const uint32_t barriers = first + stages * stage_bytes;
  const uint32_t row = blockIdx.y * tile, column = blockIdx.x * tile, warpgroup = threadIdx.x / 128;

  const auto load = [&](uint32_t block) {
    const uint32_t stage = block % stages, to = first + stage * stage_bytes, barrier = barriers + stage * 8;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(expected_bytes)
                 : "memory");
    copy(to, a_map, block * tile_k, row, barrier);
    copy(to + operand_bytes, b_map, block * tile_k, column, barrier);
  };

  if (threadIdx.x == 0) {
    for (uint32_t stage = 0; stage < stages; ++stage)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers + stage * 8) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (uint32_t block = 0; block < stages && block < k_blocks; ++block) load(block);
  }
  __syncthreads();

  float d[64] = {};
  for (uint32_t block = 0; block < k_blocks; ++block) {
    const uint32_t stage = block % stages;
    wait(barriers + stage * 8, block / stages % 2);
    const uint32_t a = first + stage * stage_bytes + warpgroup * 64 * 128,
                   b = first + stage * stage_bytes + operand_bytes;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (uint32_t step = 0; step < tile_k / k_step; ++step)
      wgmma(d, descriptor(a + step * advance), descriptor(b + step * advance));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();  // both warpgroups have read the stage
    if (threadIdx.x == 0 && block + stages < k_blocks) load(block + stages);
  }

  const uint32_t thread = threadIdx.x % 128, lane = thread % 32;
  const uint32_t first_row = row + warpgroup * 64 + thread / 32 * 16 + lane / 4, first_column = column + lane % 4 * 2;
#pragma unroll
  for (uint32_t i = 0; i < 64; i += 2) {
    const uint64_t at_row = first_row + i / 2 % 2 * 8, at_column = first_column + i / 4 * 8;
    *reinterpret_cast<float2*>(out + at_row * n + at_column) = make_float2(d[i], d[i + 1]);
  }
}

#ifndef KERNEL_ONLY

constexpr uint32_t shared_bytes = stages * stage_bytes + stages * sizeof(uint64_t);

// The same product, an element a thread.
__global__ void reference(const __nv_bfloat16* a, const __nv_bfloat16* b, float* out, uint32_t n, uint32_t k) {
  const uint64_t row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (uint32_t i = 0; i < k; ++i) sum += __bfloat162float(a[row * k + i]) * __bfloat162float(b[column * k + i]);
  out[row * n + column] = sum;
}

void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("mistake %d: no result, %s: %s\n", MISTAKE, what, cudaGetErrorString(error));
  std::exit(1);
}

// The tensor map of an operand: rows of k elements, in boxes of 64 x 128.
CUtensorMap map_of(void* data, uint64_t rows, uint64_t k) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto encode = driver == nullptr ? nullptr : reinterpret_cast<Encode>(dlsym(driver, "cuTensorMapEncodeTiled"));
  if (encode == nullptr) std::puts("no driver with cuTensorMapEncodeTiled"), std::exit(1);
  CUtensorMap map;
  const cuuint64_t extents[] = {k, rows}, strides[] = {k * sizeof(__nv_bfloat16)};
  const cuuint32_t box[] = {tile_k, tile}, steps[] = {1, 1};
  const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, extents, strides, box, steps,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) std::printf("the driver refuses the map: %d\n", result), std::exit(1);
  return map;
}

__nv_bfloat16* random_matrix(uint64_t count, uint32_t seed) {
  std::vector<__nv_bfloat16> values(count);
  for (__nv_bfloat16& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = __float2bfloat16(static_cast<float>(static_cast<int>(seed >> 16) % 5 - 2));
  }
  void* copy = nullptr;
  require(cudaMalloc(&copy, count * sizeof(__nv_bfloat16)), "memory");
  require(cudaMemcpy(copy, values.data(), count * sizeof(__nv_bfloat16), cudaMemcpyHostToDevice), "copy");
  return static_cast<__nv_bfloat16*>(copy);
}

std::vector<float> result_of(const float* device, uint64_t count) {
  std::vector<float> values(count);
  require(cudaMemcpy(values.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost), "copy");
  return values;
}

int main() {
  constexpr uint32_t m = 4096, n = 4096, k = 4096, runs = 20;
  constexpr uint64_t count = static_cast<uint64_t>(m) * n;
  __nv_bfloat16 *a = random_matrix(static_cast<uint64_t>(m) * k, 1),
                *b = random_matrix(static_cast<uint64_t>(n) * k, 2);
  float *out = nullptr, *right = nullptr;
  require(cudaMalloc(&out, count * sizeof(float)), "memory");
  require(cudaMalloc(&right, count * sizeof(float)), "memory");
  require(cudaMemset(out, 0xff, count * sizeof(float)), "memory");  // what is not written is no number
  const CUtensorMap a_map = map_of(a, m, k), b_map = map_of(b, n, k);
  require(cudaFuncSetAttribute(gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes), "shared memory");
  const auto launch = [&] { gemm<<<dim3(n / tile, m / tile), 256, shared_bytes>>>(a_map, b_map, out, n, k / tile_k); };

  reference<<<dim3(n / 16, m / 16), dim3(16, 16)>>>(a, b, right, n, k);
  require(cudaDeviceSynchronize(), "reference");
  launch();
  require(cudaGetLastError(), "launch");
  require(cudaDeviceSynchronize(), "kernel");
  const std::vector<float> got = result_of(out, count), want = result_of(right, count);
  double error = 0;
  uint64_t wrong = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const double difference = got[i] > want[i] ? got[i] - want[i] : want[i] - got[i];
    if (!(difference == 0)) ++wrong;
    if (!(difference <= error)) error = difference;
  }

  cudaEvent_t begin, end;
  require(cudaEventCreate(&begin), "event");
  require(cudaEventCreate(&end), "event");
  require(cudaEventRecord(begin), "event");
  for (uint32_t i = 0; i < runs; ++i) launch();
  require(cudaEventRecord(end), "event");
  require(cudaEventSynchronize(end), "kernel");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin, end), "event");
  const double each = milliseconds / runs;
  std::printf("mistake %d: max error %g, %llu of %llu elements wrong, %.3f ms per product, %.0f TFLOP/s\n", MISTAKE,
              error, static_cast<unsigned long long>(wrong), static_cast<unsigned long long>(count), each,
              2.0 * m * n * k / each * 1e-9);
}

#endif
