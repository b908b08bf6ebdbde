// cp.async of 4, 8 and 16 bytes to rows, columns, padded and swizzled places.
#include "access.cuh"

template <int size>
__device__ void copy(Word to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(size) : "memory");
}
__device__ void copy_past_l1(Word to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ void wait() {
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  __syncthreads();
}

BLOCK(64, 1, 1) cp_async_rows(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[4 * 64];
  const Word base = address_of(s), t = threadIdx.x;
  copy<4>(base + t * 4, in + t);
  wait();
  copy<8>(base + t * 8, in + t * 2);
  wait();
  copy<16>(base + t * 16, in + t * 4);
  wait();
  copy_past_l1(base + t * 16, in + t * 4);
  wait();
  out[t] = s[t * 4];
}

BLOCK(64, 1, 1) cp_async_columns(Word* out, const Word* in) {
  __shared__ alignas(128) Word s[32 * 64];
  const Word base = address_of(s), t = threadIdx.x;
  copy<4>(base + t * 128, in + t);
  wait();
  copy<8>(base + t * 128, in + t * 2);
  wait();
  copy<16>(base + t * 128, in + t * 4);
  wait();
  copy_past_l1(base + t * 128, in + t * 4);
  wait();
  out[t] = s[t * 32];
}

// The tile of a GEMM: 8 threads a row of 128 bytes, swizzled or not, and padded to 144.
BLOCK(128, 1, 1) cp_async_tile(Word* out, const Word* in) {
  __shared__ alignas(1024) Word s[16 * 36];
  const Word base = address_of(s), t = threadIdx.x, row = t >> 3, chunk = t & 7;
  copy_past_l1(base + row * 128 + chunk * 16, in + t * 4);
  wait();
  copy_past_l1(base + row * 128 + ((chunk ^ (row & 7)) * 16), in + t * 4);
  wait();
  copy_past_l1(base + row * 144 + chunk * 16, in + t * 4);
  wait();
  copy_past_l1(base + chunk * 256 + row * 16, in + t * 4);
  wait();
  out[t] = s[t];
}
