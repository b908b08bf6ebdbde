// SPDX-License-Identifier: Apache-2.0
// Atomics whose address all lanes share, and who sees it; the operations, the operands and the widths that atomics.cu leaves out.
//
// What an H100 counted. Where ptxas 13.0 sees that all lanes share the word (a constant, a parameter, the block, a load, a
// shuffle; not tid.x / 32, but tid.y of a block of 32 x 4, not counted), it adds up the warp and one lane goes: 1 wavefront. Of additions always, of min, max, and, or, xor if
// the old value is not read, of inc, dec, exch and cas never. All operations of 32 bits take what atomics.cu says, those of 64
// that are no loop (exch, cas) the same of each half of the warp. Counting (ATOMS.POPC.INC) is made of adding the unsigned constant
// 1 and of inc up to 0xffffffff, if the old value is not read.
#include "access.cuh"

#define RED(operation, at, x) asm volatile("red.shared." operation " [%0], %1;" ::"r"(at), "r"(x) : "memory")
#define ATOM(operation, old, at, x) \
  asm volatile("atom.shared." operation " %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(x) : "memory")

// One word for all lanes: of a constant, of a parameter, of the block, of memory, of the warp's number, of a shuffle.
BLOCK(64, 1, 1) atomic_shared_address(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[64];
  const Word base = address_of(s), t = threadIdx.x, x = in[t] + t;
  s[t] = 0;
  __syncthreads();
  RED("add.u32", base + (static_cast<Word>(reinterpret_cast<unsigned long long>(in)) & 28), x);
  RED("add.u32", base + (blockIdx.x & 7) * 4, x);
  RED("add.u32", base + (in[0] & 7) * 4, x);
  RED("add.u32", base + (t >> 5) * 4, x);
  RED("add.u32", base + (__shfl_sync(0xffffffff, x, 0) & 7) * 4, x);
  RED("add.u32", base + (in[t] & 7) * 4, x);  // zeros: the same word, but this cannot be known
  if (t & 1) RED("add.u32", base, x);
  if (t == 5) RED("add.u32", base, x);
  RED("add.u32", base, in[0]);
  RED("add.u32", base, 1);
  RED("add.u32", base, 5);
  RED("add.u32", base + (t >> 5) * 4, 1);
  RED("add.s32", base, x);
  __syncthreads();
  out[t] = s[t];
}

BLOCK(64, 1, 1) atomic_shared_address_others(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[64];
  const Word base = address_of(s), t = threadIdx.x, x = in[t] + t;
  s[t] = 0;
  __syncthreads();
  Word old, y = 0;
  RED("min.u32", base, x);
  RED("max.s32", base, x);
  RED("and.b32", base, x);
  RED("or.b32", base, x);
  RED("xor.b32", base, x);
  RED("inc.u32", base, x);
  RED("dec.u32", base, x);
  ATOM("exch.b32", old, base, x);
  y ^= old;
  ATOM("max.u32", old, base, x);
  y ^= old;
  ATOM("or.b32", old, base, x);
  y ^= old;
  ATOM("inc.u32", old, base, x);
  y ^= old;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "r"(base), "r"(0), "r"(x) : "memory");
  y ^= old;
  ATOM("exch.b32", old, base + (t >> 5) * 4, x);
  y ^= old;
  RED("max.u32", base + (t >> 5) * 4, x);
  __syncthreads();
  out[t] = y ^ s[t];
}

// The number that is added, and whether the old value is wanted: what becomes of a count.
BLOCK(32, 1, 1) atomic_counts(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[32 * 32];
  const Word base = address_of(s), t = threadIdx.x, x = in[t] + t;
  for (Word i = t; i < 32 * 32; i += 32) s[i] = 0;
  __syncthreads();
  Word old, y = 0;
  ATOM("add.u32", old, base + t * 4, 1);
  y ^= old;
  ATOM("add.u32", old, base + (t & 3) * 4, 1);
  y ^= old;
  ATOM("add.u32", old, base + (t & 1) * 128, 1);
  y ^= old;
  ATOM("add.u32", old, base, 1);
  y ^= old;
  RED("add.u32", base + (t & 3) * 4, 5);
  RED("add.u32", base + (t & 3) * 4, -1);
  RED("add.u32", base + (t & 3) * 4, in[0] + 1);
  RED("add.s32", base + (t & 3) * 4, 1);
  RED("inc.u32", base + (t & 3) * 4, -1);
  RED("add.u32", base + (t & 15) * 64, 1);
  RED("add.u32", base + (in[t] & 7) * 4, 1);
  if (t & 1) RED("add.u32", base + (t & 3) * 128, 1);
  ATOM("add.u32", old, base + (t & 3) * 128, x);
  y ^= old;
  __syncthreads();
  out[t] = y ^ s[t];
}

// The operations that atomics.cu leaves out, at addresses that lanes share in part: words of four lanes, two words a bank.
BLOCK(32, 1, 1) atomic_operations(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[32 * 32];
  const Word base = address_of(s), t = threadIdx.x, x = in[t] + t;
  for (Word i = t; i < 32 * 32; i += 32) s[i] = 0;
  __syncthreads();
  const Word at = base + (t & 3) * 4 + (t & 4) * 32;
  RED("and.b32", at, x);
  RED("or.b32", at, x);
  RED("xor.b32", at, x);
  RED("dec.u32", at, x);
  RED("inc.u32", at, x);
  RED("min.s32", at, x);
  RED("max.s32", at, x);
  RED("min.u32", at, x);
  RED("add.s32", at, x);
  Word old, y = 0;
  ATOM("and.b32", old, at, x);
  y ^= old;
  ATOM("or.b32", old, at, x);
  y ^= old;
  ATOM("dec.u32", old, at, x);
  y ^= old;
  ATOM("max.s32", old, at, x);
  y ^= old;
  ATOM("exch.b32", old, at, x);
  y ^= old;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "r"(at), "r"(0), "r"(x) : "memory");
  y ^= old;
  asm volatile("red.relaxed.cta.shared::cta.add.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
  asm volatile("red.release.cta.shared::cta.add.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
  atomicAdd(&s[(t & 3) + (t & 4) * 8], x);
  y ^= atomicExch(&s[(t & 3) + (t & 4) * 8], x);
  __syncthreads();
  out[t] = y ^ s[t];
}

#define ATOM64(operation, at)                                                                         \
  do {                                                                                                \
    asm volatile("atom.shared." operation " %0, [%1], %2;" : "=l"(old) : "r"(at), "l"(x) : "memory"); \
    y ^= old;                                                                                         \
  } while (false)

BLOCK(32, 1, 1) atomic_wide(Word* out, const Word* in) {
  __shared__ alignas(1024) unsigned long long s[32 * 32];
  const Word base = address_of(s), t = threadIdx.x;
  for (Word i = t; i < 32 * 32; i += 32) s[i] = 0;
  __syncthreads();
  unsigned long long x = in[t] + t, y = 0, old;
  Word narrow;
  ATOM64("exch.b64", base + t * 16);
  ATOM64("exch.b64", base + t * 128);
  ATOM64("exch.b64", base + (t & 7) * 8);
  ATOM64("exch.b64", base + (t >> 2) * 8);
  ATOM64("exch.b64", base + (t < 20 ? 0 : t * 8));
  ATOM64("exch.b64", base);
  if (t & 1) ATOM64("exch.b64", base + t * 8);
  if (t < 5) ATOM64("exch.b64", base + t * 128);
  asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "r"(base + t * 8), "l"(0ull), "l"(x) : "memory");
  y ^= old;
  asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;" : "=l"(old) : "r"(base + t * 128), "l"(0ull), "l"(x) : "memory");
  y ^= old;
  asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
               : "=l"(old)
               : "r"(base + (t & 7) * 8), "l"(0ull), "l"(x)
               : "memory");
  y ^= old;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
               : "=r"(narrow)
               : "r"(base + (t < 20 ? 0 : t * 4)), "r"(0), "r"(t)
               : "memory");
  y ^= narrow;
  __syncthreads();
  out[t] = static_cast<Word>(y ^ s[t]);
}

// Loops that turn until they succeed: their turns depend on time, shown for what becomes of them.
BLOCK(32, 1, 1) atomic_loops(Word* out, const Word* in) {
  __shared__ alignas(1024) unsigned long long s[32];
  const Word base = address_of(s), t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  unsigned long long x = in[t] + t, y = 0, old;
  ATOM64("add.u64", base + t * 8);
  ATOM64("min.u64", base + t * 8);
  ATOM64("and.b64", base + t * 8);
  asm volatile("red.shared.add.noftz.f16x2 [%0], %1;" ::"r"(base + t * 4), "r"(t) : "memory");
  asm volatile("red.shared.add.f64 [%0], %1;" ::"r"(base + t * 8), "d"(1.0 * t) : "memory");
  __syncthreads();
  out[t] = static_cast<Word>(y ^ s[t]);
}
