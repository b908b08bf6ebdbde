// SPDX-License-Identifier: Apache-2.0
// Probes of TMA loads by maps that the driver of the device makes: im2col, and interleaved tiles and images.
//
//   im2col: f16 (64, 4, 4, 1), lower (-1, -1), upper (-1, -1), 64 channels, 16 pixels, 128B, from (0, -1, -1, 0) with
//   offsets (1, 1)    the mbarrier counts 2048 bytes; SMEM byte 0x480 has byte … of the tensor
//
// Values of the observation: the number of bytes that the mbarrier counted, then for each byte of the window what
// tma_probe.hpp says. A number other than the expected one is found by counting, in steps of 16 bytes; a phase that
// completes too early is counted too. 0: the driver refuses the map.
//
// The driver makes the maps: swz has no code of the 128 bytes of an im2col map.
// Source: PTX ISA 9.4, 5.5.3 to 5.5.6.
#pragma once

#include "probe/tensor_image.hpp"

namespace swz {

struct CopyPlan {
  Im2colMap map;          // of a tile its tensor alone
  bool is_image = false;  // by the im2col map
  TensorCoordinate start = {};
  Im2colOffsets offsets = {};
  Bytes to;

  BoxPlacement placement() const {
    return is_image ? BoxPlacement(ImageCopy{map, offsets}, to) : BoxPlacement(map.tensor, to);
  }
};
struct Im2colPlan : CopyPlan {};
struct InterleavePlan : CopyPlan {};

Im2colPlan draw_im2col(Random& random);
InterleavePlan draw_interleave(Random& random);

Kernel kernel_of(const CopyPlan& plan);
Launch launch_of(std::span<const Im2colPlan> plans, Hypothesis hypothesis = Hypothesis::none);
Launch launch_of(std::span<const InterleavePlan> plans, Hypothesis hypothesis = Hypothesis::none);
// The launch with the maps that a driver makes; a plan whose map it refuses loads nothing.
Launch with_driver_maps(Launch launch, std::span<const Im2colPlan> plans, ProbeDevice& device);
Launch with_driver_maps(Launch launch, std::span<const InterleavePlan> plans, ProbeDevice& device);
Observations decode(std::span<const Im2colPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observations decode(std::span<const InterleavePlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const CopyPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const CopyPlan& plan);
std::string element_name(const CopyPlan& plan, std::int64_t index);
std::string value_name(const CopyPlan& plan, std::int64_t value);
Json to_json(const Im2colPlan& plan);
Json to_json(const InterleavePlan& plan);
// Throws Error for a plan that the kernel could not execute.
Im2colPlan im2col_plan(const Json& json);
InterleavePlan interleave_plan(const Json& json);

}  // namespace swz
