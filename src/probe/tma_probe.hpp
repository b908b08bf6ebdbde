// SPDX-License-Identifier: Apache-2.0
// Probe of a TMA load: which byte of the tensor is in each byte of shared memory afterwards?
//
//   plan: bf16, rank 2, box (16, 4), 64B, from (0, 0) to 0x400    SMEM byte 0x480 has byte … of the tensor
//
// Every byte of the tensor shows its place (probe/tensor_image.hpp). Untouched bytes show too: the gaps, and 128 bytes
// on either side of the box.
//
// Values of the observation: for each byte of that window the byte of the tensor, counted from globalAddress, or
// filled_byte, untouched_byte (tma/placement.hpp), nan_byte - b for a byte b of a NaN that was filled in, or
// strange_byte. A load that does not complete leaves only strange bytes.
//
// Types that TMA converts (FTZ, TF32) are not probed; interleaved maps are by probe/copy_probe.hpp.
#pragma once

#include "probe/tensor_image.hpp"
#include "probe/tensor_map_probe.hpp"

namespace swz {

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
