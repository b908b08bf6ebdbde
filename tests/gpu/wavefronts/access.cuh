// SPDX-License-Identifier: Apache-2.0
// What the kernels of this folder have in common: accesses to shared memory that the compiler can neither widen, merge nor drop.
//
// A kernel is `BLOCK(x, y, z) name(unsigned* out, const unsigned* in)`: its block is written in the PTX (.reqntid), every address
// follows from the thread's number and constants, and what it loads ends in out[thread].
#pragma once

#define BLOCK(x, y, z) extern "C" __global__ void __block_size__((x, y, z))

using Word = unsigned;

__device__ inline Word address_of(const void* p) { return static_cast<Word>(__cvta_generic_to_shared(p)); }

template <int bits>
__device__ Word load(Word at) {
  Word a = 0, b = 0, c = 0, d = 0;
  if constexpr (bits == 8) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
  if constexpr (bits == 16)
    asm volatile("{ .reg .u16 h; ld.shared.u16 h, [%1]; cvt.u32.u16 %0, h; }" : "=r"(a) : "r"(at) : "memory");
  if constexpr (bits == 32) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
  if constexpr (bits == 64) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at) : "memory");
  if constexpr (bits == 128)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(at) : "memory");
  return a ^ b ^ c ^ d;
}

template <int bits>
__device__ void store(Word at, Word x) {
  if constexpr (bits == 8) asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(x) : "memory");
  if constexpr (bits == 16)
    asm volatile("{ .reg .u16 h; cvt.u16.u32 h, %1; st.shared.u16 [%0], h; }" ::"r"(at), "r"(x) : "memory");
  if constexpr (bits == 32) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
  if constexpr (bits == 64) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(x) : "memory");
  if constexpr (bits == 128) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(x) : "memory");
}

// The number of the thread in its block, x fastest, as warps are made.
__device__ inline Word thread_number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
