// SPDX-License-Identifier: Apache-2.0
// Lanes that read the same place, and wide loads whose lanes pair: lane l reads what lane l^1 or l^2 reads.
#include "access.cuh"

constexpr int bytes = 8192;

BLOCK(64, 1, 1) broadcast(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[bytes / 4];
  const Word base = address_of(s), t = threadIdx.x;
  for (Word i = t; i < bytes / 4; i += 64) s[i] = in[i];
  __syncthreads();
  Word x = load<32>(base) ^ load<64>(base + 8) ^ load<128>(base + 16) ^ load<8>(base + 3);
  x ^= load<32>(base + (t & 1) * 128);  // two words of one bank
  x ^= load<32>(base + (t & 7) * 128);  // eight words of one bank
  x ^= load<32>(base + (t >> 3) * 4);   // eight lanes per word
  x ^= load<16>(base + (t & 3) * 64 + (t >> 4 & 1) * 2);
  store<32>(base + 64, x);  // all lanes store to one word
  store<32>(base + (t & 1) * 128, x);
  store<128>(base + (t & 3) * 16, x);
  __syncthreads();
  out[t] = x ^ load<32>(base + 64);
}

template <int bits>
__device__ Word pairs(Word base, Word t) {
  constexpr Word size = bits / 8;
  return load<bits>(base + (t >> 1) * size)                     // l and l^1 agree
         ^ load<bits>(base + ((t & 1) | (t >> 2) << 1) * size)  // l and l^2 agree
         ^ load<bits>(base + ((t & 3) | (t >> 3) << 2) * size)  // l and l^4 agree: no pair
         ^ load<bits>(base + (t >> 2) * size)                   // four lanes agree
         ^ load<bits>(base + (t >> 1) * size * 16)              // pairs far apart
         ^ load<bits>(base + (t & 15) * 128);                   // the halves of the warp agree, one bank
}

BLOCK(32, 1, 1) paired_loads(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[bytes / 4];
  const Word base = address_of(s), t = threadIdx.x;
  for (Word i = t; i < bytes / 4; i += 32) s[i] = in[i];
  __syncthreads();
  out[t] = pairs<64>(base, t) ^ pairs<128>(base, t);
}

// The same addresses in stores, which never pair.
BLOCK(32, 1, 1) paired_stores(Word* out, const Word* in) {
  __shared__ alignas(16) Word s[bytes / 4];
  const Word base = address_of(s), t = threadIdx.x;
  const Word x = in[t];
  store<64>(base + (t >> 1) * 8, x);
  store<64>(base + (t >> 1) * 128, x);
  store<128>(base + (t >> 1) * 16, x);
  store<128>(base + ((t & 1) | (t >> 2) << 1) * 16, x);
  store<128>(base + (t & 7) * 128, x);
  __syncthreads();
  out[t] = s[t] ^ s[t * 33];
}
