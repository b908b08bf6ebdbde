// SPDX-License-Identifier: Apache-2.0
// What every probe kernel shares: its parameters, copying, and waiting with a bound.
#pragma once

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long long;

struct Params {
  const u8* inputs[6];
  u8* output;
  u32* status;
  u32 scalars[8];
};

enum Status : u32 { fine = 0, shared_memory_elsewhere = 1, wait_timed_out = 2 };

__device__ inline u32 shared_address(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

// Descriptors hold absolute addresses, so the plan must be right about where shared memory begins. In a cluster bits
// 31-24 are the rank of the CTA.
__device__ inline bool begins_at(const Params& p, const u8* smem, u32 expected) {
  if ((shared_address(smem) & 0xffffff) == expected) return true;
  if (threadIdx.x == 0) *p.status = shared_memory_elsewhere;
  return false;
}

// All threads; both ends at multiples of 16 bytes.
__device__ inline void copy(u8* to, const u8* from, u32 bytes) {
  for (u32 i = threadIdx.x * 16; i < bytes; i += blockDim.x * 16)
    *reinterpret_cast<uint4*>(to + i) = *reinterpret_cast<const uint4*>(from + i);
}

// What ordinary stores wrote becomes visible to the tensor cores and to TMA.
__device__ inline void publish() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

// Whether the phase of an mbarrier completes within about two seconds. One thread or all.
__device__ inline bool completes(u32 barrier, u32 phase) {
  for (u32 tries = 0; tries < (1u << 24); ++tries) {
    u32 done;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(phase)
                 : "memory");
    if (done) return true;
  }
  return false;
}

// As completes, and says so when it does not.
__device__ inline bool wait(const Params& p, u32 barrier, u32 phase) {
  if (completes(barrier, phase)) return true;
  *p.status = wait_timed_out;
  return false;
}
