// SPDX-License-Identifier: Apache-2.0
// Probe of a TMA load: which byte of the tensor is in each byte of shared memory afterwards?
//
//   plan: bf16, rank 2, box (16, 4), 64B, from (0, 0) to 0x400    SMEM byte 0x480 has byte … of the tensor
//
// Every byte of the tensor shows its place, in three passes. A fourth pass is the complement of the first, so that
// bytes that the load fills are distinguished from bytes that it copies. Shared memory is filled before, with another
// byte in each pass, so that untouched bytes show too: the gaps, and 128 bytes on either side of the box.
//
// Values of the observation: for each byte of that window the byte of the tensor, counted from globalAddress, or
// filled_byte, untouched_byte (tma/placement.hpp), nan_byte - b for a byte b of a NaN that was filled in, or
// strange_byte. A load that does not complete leaves only strange bytes.
//
// Types that TMA converts (FTZ, TF32) and interleaved maps are not probed.
#pragma once

#include "probe/tensor_map_probe.hpp"
#include "tma/placement.hpp"

namespace swz {

inline constexpr std::int64_t strange_byte = -3;
inline constexpr std::int64_t nan_byte = -0x1000;

// The codes of every probe that loads by TMA: a tensor for each pass, and what shared memory holds before.
namespace tma_codes {
inline constexpr std::int64_t tensor_bytes = 1 << 20;
inline constexpr int passes = 4;
inline constexpr std::array<std::uint8_t, passes> before{0x11, 0x22, 0x33, 0x44};
// The tensors of all passes, one after another.
ByteBuffer tensors();
// The byte of the tensor that shows these in the four passes, counted from its beginning, or the other meaning.
std::int64_t origin(const std::array<std::uint8_t, passes>& seen);
}  // namespace tma_codes

struct TmaPlan {
  TensorMap map;  // global_address counts from the beginning of the probe's tensor, 1 MiB
  TensorCoordinate start = {};
  Bytes to;  // address in shared memory
};

TmaPlan draw_tma(Random& random);

// Throws Error for a plan that the kernel could not execute.
void require_fine(const TmaPlan& plan);
// The bytes that are examined.
Window window_of(const TmaPlan& plan);

Kernel kernel_of(const TmaPlan& plan);
Launch launch_of(std::span<const TmaPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const TmaPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TmaPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TmaPlan& plan);
std::string element_name(const TmaPlan& plan, std::int64_t index);
std::string value_name(const TmaPlan& plan, std::int64_t value);
Json to_json(const TmaPlan& plan);
// Throws Error as require_fine does.
TmaPlan tma_plan(const Json& json);

}  // namespace swz
