// TMA: one box of a tensor map to shared memory, counted on an mbarrier.
#pragma once

#include "probe.cuh"

template <int rank>
__device__ void load(u32 to, const u8* map, u32 barrier, const int* start) {
  if constexpr (rank == 1)
    asm volatile(
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];" ::"r"(
            to),
        "l"(map), "r"(barrier), "r"(start[0])
        : "memory");
  if constexpr (rank == 2)
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::
            "r"(to),
        "l"(map), "r"(barrier), "r"(start[0]), "r"(start[1])
        : "memory");
  if constexpr (rank == 3)
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
        "[%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(start[0]), "r"(start[1]), "r"(start[2])
        : "memory");
  if constexpr (rank == 4)
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], "
        "[%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(start[0]), "r"(start[1]), "r"(start[2]), "r"(start[3])
        : "memory");
  if constexpr (rank == 5)
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, "
        "%7}], [%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(start[0]), "r"(start[1]), "r"(start[2]), "r"(start[3]), "r"(start[4])
        : "memory");
}

__device__ inline void load(u32 rank, u32 to, const u8* map, u32 barrier, const int* start) {
  if (rank == 1) load<1>(to, map, barrier, start);
  if (rank == 2) load<2>(to, map, barrier, start);
  if (rank == 3) load<3>(to, map, barrier, start);
  if (rank == 4) load<4>(to, map, barrier, start);
  if (rank == 5) load<5>(to, map, barrier, start);
}

__device__ inline void begin_barrier(u32 barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
__device__ inline void expect(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
