// SPDX-License-Identifier: Apache-2.0
// One TMA store or reduction a block: an image goes to shared memory, a box of it into the tensor of the block, which
// then goes out whole.
//
//   inputs   0 blocks (struct Block)   1 tensor maps   2 the tensors, one for each block   3 images
//   scalars  0 where shared memory begins   1 its size   2 bytes of a tensor
//   output   [block]: the tensor afterwards
#include "probe.cuh"

struct Block {
  u32 map, rank, op, times;
  int start[5];
  u32 to;                  // address of the image in shared memory
  u32 image, image_bytes;  // where it is
  u32 box;                 // address of the box
};

#define STORE(head, dimensions, tail, operands, ...)                                             \
  asm volatile(head "." dimensions ".global.shared::cta" tail ".tile.bulk_group [%1, {" operands \
                    "}], [%0];" ::"r"(from),                                                     \
               "l"(map), __VA_ARGS__                                                             \
               : "memory")
#define STORES(head, tail)                                                                                \
  {                                                                                                       \
    if (rank == 1) STORE(head, "1d", tail, "%2", "r"(x));                                                 \
    if (rank == 2) STORE(head, "2d", tail, "%2, %3", "r"(x), "r"(y));                                     \
    if (rank == 3) STORE(head, "3d", tail, "%2, %3, %4", "r"(x), "r"(y), "r"(z));                         \
    if (rank == 4) STORE(head, "4d", tail, "%2, %3, %4, %5", "r"(x), "r"(y), "r"(z), "r"(v));             \
    if (rank == 5) STORE(head, "5d", tail, "%2, %3, %4, %5, %6", "r"(x), "r"(y), "r"(z), "r"(v), "r"(w)); \
  }

__device__ inline void store(u32 op, u32 rank, u32 from, const u8* map, const int* start) {
  const int x = start[0], y = start[1], z = start[2], v = start[3], w = start[4];
  if (op == 0) STORES("cp.async.bulk.tensor", "")
  if (op == 1) STORES("cp.reduce.async.bulk.tensor", ".add")
  if (op == 2) STORES("cp.reduce.async.bulk.tensor", ".min")
  if (op == 3) STORES("cp.reduce.async.bulk.tensor", ".max")
  if (op == 4) STORES("cp.reduce.async.bulk.tensor", ".and")
  if (op == 5) STORES("cp.reduce.async.bulk.tensor", ".or")
  if (op == 6) STORES("cp.reduce.async.bulk.tensor", ".xor")
  if (op == 7) STORES("cp.reduce.async.bulk.tensor", ".inc")
  if (op == 8) STORES("cp.reduce.async.bulk.tensor", ".dec")
}

extern "C" __global__ void __launch_bounds__(128, 1) probe(const __grid_constant__ Params p) {
  extern __shared__ __align__(1024) u8 smem[];
  const u32 begin = p.scalars[0], room = p.scalars[2];
  if (!begins_at(p, smem, begin)) return;
  const Block b = reinterpret_cast<const Block*>(p.inputs[0])[blockIdx.x];
  copy(smem + (b.to - begin), p.inputs[3] + b.image, b.image_bytes);
  publish();
  if (threadIdx.x == 0) {
    for (u32 i = 0; i < b.times; ++i) store(b.op, b.rank, b.box, p.inputs[1] + b.map * 128, b.start);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async.global;" ::: "memory");
    __threadfence();
  }
  __syncthreads();
  const u8* tensor = p.inputs[2] + static_cast<u64>(blockIdx.x) * room;
  u8* out = p.output + static_cast<u64>(blockIdx.x) * room;
  for (u32 i = threadIdx.x * 16; i < room; i += blockDim.x * 16)
    *reinterpret_cast<uint4*>(out + i) = __ldcg(reinterpret_cast<const uint4*>(tensor + i));
}
