// SPDX-License-Identifier: Apache-2.0
// Atomics on shared memory: distinct words, one word, words of one bank; with and without the old value.
//
// What an H100 counted, at all sites that are one instruction: of 32 bits, as many wavefronts as the fullest bank has lanes,
// those of one word too; compare and swap twice that; 64 bits half a warp at a time. Adding the constant 1 (ATOMS.POPC.INC) takes
// what a store takes. An address that ptxas sees to be one for all lanes takes 1 (atomic_addresses.cu). Adding floats or 64 bits is a
// loop, which turns as often as lanes meet.
#include "access.cuh"

__device__ void add(Word at, Word x) { asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory"); }
__device__ Word fetch_add(Word at, Word x) {
  Word old;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(x) : "memory");
  return old;
}

BLOCK(64, 1, 1) atomic_adds(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[64 * 32];
  const Word base = address_of(s), t = threadIdx.x;
  for (Word i = t; i < 64 * 32; i += 64) s[i] = 0;
  __syncthreads();
  const Word x = in[t] + t;
  add(base + t * 4, x);
  add(base + t * 8, x);
  add(base + t * 128, x);
  add(base, x);
  add(base + (t & 3) * 4, x);
  add(base + (t & 1) * 128, x);
  Word y =
      fetch_add(base + t * 4, x) ^ fetch_add(base + t * 128, x) ^ fetch_add(base, x) ^ fetch_add(base + (t & 7) * 4, x);
  __syncthreads();
  out[t] = y ^ s[t] ^ s[t * 32];
}

BLOCK(32, 1, 1) atomic_others(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[64 * 32];
  const Word base = address_of(s), t = threadIdx.x;
  for (Word i = t; i < 64 * 32; i += 32) s[i] = 0;
  __syncthreads();
  Word x = in[t] + t, old;
  asm volatile("red.shared.max.u32 [%0], %1;" ::"r"(base + t * 8), "r"(x) : "memory");
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(base + t * 64), "r"(x) : "memory");
  x ^= old;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "r"(base + t * 4), "r"(0), "r"(x) : "memory");
  x ^= old;
  unsigned long long wide;
  asm volatile("atom.shared.exch.b64 %0, [%1], %2;" : "=l"(wide) : "r"(base + t * 8), "l"(1ull * x) : "memory");
  x ^= static_cast<Word>(wide);
  asm volatile("red.shared.add.u64 [%0], %1;" ::"r"(base + t * 16), "l"(wide) : "memory");
  asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(base + t * 4), "f"(1.0f * t) : "memory");
  __syncthreads();
  out[t] = x ^ s[t] ^ s[t * 4];
}

// Lanes that share a word or a bank, in numbers that differ: what is done at once and what in sequence.
BLOCK(32, 1, 1) atomic_crowds(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[32 * 32];
  const Word base = address_of(s), t = threadIdx.x;
  for (Word i = t; i < 32 * 32; i += 32) s[i] = 0;
  __syncthreads();
  const Word x = in[t] + t;
  add(base + (t & 15) * 4, x);
  add(base + (t >> 1) * 4, x);
  add(base + (t < 20 ? 0 : t * 4), x);
  add(base + (t < 4 ? 0 : t * 4), x);
  add(base + (t & 3) * 128 + (t >> 2) * 4, x);
  add(base + (t & 1) * 128 + (t >> 2) * 4, x);
  if (t & 1) add(base + t * 8, x);
  Word old, y = 0;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "r"(base + t * 8), "r"(0), "r"(x) : "memory");
  y ^= old;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : "r"(base + (t >> 1) * 4), "r"(0), "r"(x)
               : "memory");
  y ^= old;
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(base + (t & 7) * 4), "r"(x) : "memory");
  y ^= old;
  asm volatile("atom.shared.xor.b32 %0, [%1], %2;" : "=r"(old) : "r"(base + (t & 7) * 4), "r"(x) : "memory");
  y ^= old;
  asm volatile("atom.shared.min.u32 %0, [%1], %2;" : "=r"(old) : "r"(base + t * 128), "r"(x) : "memory");
  y ^= old;
  asm volatile("atom.shared.inc.u32 %0, [%1], %2;" : "=r"(old) : "r"(base + t * 4), "r"(x) : "memory");
  y ^= old;
  add(base + t * 4, 1);  // counting has an instruction of its own
  add(base + (t & 3) * 4, 1);
  add(base + (t & 1) * 128, 1);
  __syncthreads();
  out[t] = y ^ s[t];
}
