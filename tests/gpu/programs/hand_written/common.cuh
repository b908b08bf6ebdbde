// SPDX-License-Identifier: Apache-2.0
// What the kernels of this folder have in common: their buffers, and what PTX has and C++ has no word for.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

// A block of this shape: its product is a bound (.maxntid), its shape is that of the launch.
#define BLOCK(x, y, z) __launch_bounds__((x) * (y) * (z))

inline std::vector<void*> buffers;

template <class T>
T* copied(const std::vector<T>& host) {
  void* place = nullptr;
  cudaMalloc(&place, sizeof(T) * host.size());
  cudaMemcpy(place, host.data(), sizeof(T) * host.size(), cudaMemcpyHostToDevice);
  buffers.push_back(place);
  return static_cast<T*>(place);
}

// Whole numbers up to `most`, floats of 0 to 1; of other types the bytes of small numbers.
template <class T>
T* numbers(int n, unsigned most = 100) {
  std::vector<T> host(n);
  unsigned x = 1;
  for (T& one : host) {
    x = x * 1664525 + 1013904223;
    if constexpr (std::is_floating_point_v<T>) one = T(x >> 8) / (1 << 24);
    else if constexpr (std::is_integral_v<T>) one = T((x >> 8) % (most + 1));
    else std::memset(static_cast<void*>(&one), 0x35, sizeof one);
  }
  return copied(host);
}

inline int finish() {
  cudaDeviceSynchronize();
  for (void* place : buffers) cudaFree(place);
  buffers.clear();
  return static_cast<int>(cudaGetLastError());
}

// More than 48 KiB of dynamic shared memory.
template <class Kernel>
void allow(Kernel* kernel, int bytes) {
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

__device__ inline unsigned address_of(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ inline void copy_async(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address_of(to)), "l"(from) : "memory");
}
__device__ inline void copy_async_word(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(from) : "memory");
}
__device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int left>
__device__ void wait_for_all_but() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

// Fragments of 8 x 8 matrices of 16 bits.
__device__ inline void load_matrices(unsigned (&d)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(address_of(row))
               : "memory");
}
__device__ inline void load_matrices(unsigned (&d)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(address_of(row))
               : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&d)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(address_of(row))
               : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&d)[2], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(d[0]), "=r"(d[1])
               : "r"(address_of(row))
               : "memory");
}
__device__ inline void store_matrices(void* row, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address_of(row)), "r"(a),
               "r"(b), "r"(c), "r"(d)
               : "memory");
}
__device__ inline void store_matrices_transposed(void* row, unsigned a, unsigned b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address_of(row)), "r"(a), "r"(b)
               : "memory");
}

// d += a * b of m16n8k16 halves, m16n8k32 bytes.
__device__ inline void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void multiply_add(int (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ inline void multiply_add_e4m3(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
      "%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline unsigned two_halves(float low, float high) {
  const __half2 both = __floats2half2_rn(low, high);
  unsigned word;
  memcpy(&word, &both, sizeof word);
  return word;
}
