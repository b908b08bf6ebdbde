// Atomics on shared memory: distinct words, one word, words of one bank; with and without the old value.
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
  Word y = fetch_add(base + t * 4, x) ^ fetch_add(base + t * 128, x) ^ fetch_add(base, x) ^ fetch_add(base + (t & 7) * 4, x);
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
