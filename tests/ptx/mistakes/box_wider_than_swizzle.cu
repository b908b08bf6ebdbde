// SPDX-License-Identifier: Apache-2.0
// A tensor map that the kernel makes: a box of 128 bfloat16, 256 B, a row under the mode 128B, which holds 128 B.
#include "tile.cuh"

constexpr Word box = MISTAKE ? 128 : 64;

#define REPLACE(field, type, ...) \
  asm volatile("tensormap.replace.tile." field ".shared::cta.b1024." type ";" ::__VA_ARGS__ : "memory")

extern "C" __global__ void __launch_bounds__(32) box_wider_than_swizzle(float* out, const void* from, void* scratch) {
  __shared__ alignas(1024) unsigned char s[rows * box * 2];
  __shared__ alignas(128) Word map[32];
  __shared__ alignas(8) Wide barrier;
  const Word at = address_of(map), done = address_of(&barrier);
  map[threadIdx.x] = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    REPLACE("global_address", "b64 [%0], %1", "r"(at), "l"(from));
    REPLACE("rank", "b32 [%0], 1", "r"(at));  // 2 dimensions
    REPLACE("box_dim", "b32 [%0], 0, %1", "r"(at), "r"(box));
    REPLACE("box_dim", "b32 [%0], 1, %1", "r"(at), "r"(rows));
    REPLACE("global_dim", "b32 [%0], 0, %1", "r"(at), "r"(4096));
    REPLACE("global_dim", "b32 [%0], 1, %1", "r"(at), "r"(4096));
    REPLACE("global_stride", "b64 [%0], 0, %1", "r"(at), "l"(Wide{8192}));
    REPLACE("element_stride", "b32 [%0], 0, 1", "r"(at));
    REPLACE("element_stride", "b32 [%0], 1, 1", "r"(at));
    REPLACE("elemtype", "b32 [%0], 10", "r"(at));  // bfloat16
    REPLACE("interleave_layout", "b32 [%0], 0", "r"(at));
    REPLACE("swizzle_mode", "b32 [%0], 3", "r"(at));  // 128B
    REPLACE("fill_mode", "b32 [%0], 0", "r"(at));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(done) : "memory");
  }
  __syncwarp();
  asm volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(
          scratch),
      "r"(at)
      : "memory");
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(scratch) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(done), "r"(rows * box * 2) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(
            address_of(s)),
        "l"(scratch), "r"(0), "r"(done)
        : "memory");
  }
  asm volatile(
      "{ .reg .pred p;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra WAIT; }" ::"r"(done)
      : "memory");
  out[threadIdx.x] = s[threadIdx.x];
}
