// SPDX-License-Identifier: Apache-2.0
// What the kernels of this folder have in common: a tile filled from global memory, descriptors, wgmma.
//
// A kernel is compiled twice: MISTAKE is 1 with its mistake, 0 without. The tile is 64 rows of 64 bfloat16, K contiguous, 128 bytes
// a row, in the mode 128B unless stated otherwise: a row's 16-byte chunk c is at c XOR (row mod 8).
#pragma once

using Word = unsigned;
using Wide = unsigned long long;

struct alignas(16) Chunk {
  Word words[4];
};

constexpr Word rows = 64, row_bytes = 128, tile_bytes = rows * row_bytes, atom_bytes = 8 * row_bytes;

// A wgmma descriptor's mode, bits 62-63.
enum Mode : Wide { none = 0, mode_128b = 1, mode_64b = 2, mode_32b = 3 };

__device__ inline Word address_of(const void* p) { return static_cast<Word>(__cvta_generic_to_shared(p)); }

__device__ inline Wide encode(Word bytes) { return (bytes & 0x3ffff) >> 4; }

__device__ inline Wide descriptor(Word start, Word leading, Word stride, Mode mode) {
  return encode(start) | encode(leading) << 16 | encode(stride) << 32 | mode << 62;
}

// The block of 128 threads copies a tile of `count` rows to shared memory.
__device__ inline void fill(Word to, const Chunk* from, Word count = rows) {
  for (Word i = threadIdx.x; i < count * 8; i += 128) {
    const Chunk x = from[i];
    const Word row = i / 8, chunk = i % 8;
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to + row * row_bytes + ((chunk ^ row % 8) * 16)),
                 "r"(x.words[0]), "r"(x.words[1]), "r"(x.words[2]), "r"(x.words[3])
                 : "memory");
  }
}

__device__ inline void begin_wgmma() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void end_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

template <int trans_a, int trans_b>
__device__ void wgmma_n64(float (&d)[32], Wide a, Wide b, int add) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, %35, %36; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(add), "n"(trans_a), "n"(trans_b));
}

template <int trans_a, int trans_b>
__device__ void wgmma_n128(float (&d)[64], Wide a, Wide b, int add) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, p, 1, 1, %67, %68; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(add), "n"(trans_a), "n"(trans_b));
}

template <int count>
__device__ void give(float* out, const float (&d)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) out[i * 128 + threadIdx.x] = d[i];
}
