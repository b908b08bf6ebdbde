// SPDX-License-Identifier: Apache-2.0
// Probe of the bytes that an mbarrier counts: does a TMA load complete a phase that expects a given number of bytes?
//
//   plan: b4x16_p64, box (128, 4): 256 bytes of global memory, 512 of shared memory
//   Of the loads that expect 8, 12 and 16 bytes per 16 elements, only the first completes its phase.
//
// A load whose phase does not complete within 20 ms is an answer, not a fault: it was counted differently. If the box
// leaves the tensor, three more loads expect the same only for the rows inside. Values of the observation, for each
// load: 1 or 0; 2 if the driver refuses the map; 3 if it accepts one with which the probe does not load: a swizzle of
// 32B or 64B with rows of 128 bytes.
//
// Open questions (arch/open_question.hpp):
//
//   tx-bytes           are the bytes of global memory counted (the model) or those of shared memory with the padding
//                      (padding-counted)?
//   padded-swizzle     does the driver accept the swizzles of cuda.h (the model), or also 128B_ATOM_64B for 4 bits
//                      (ptx-swizzles)?
//   tx-bytes-outside   are the bytes of the whole box counted (the model) or of its part inside the tensor
//                      (outside-not-counted)?
//
// Invariant (tested): no two of these answers expect the same number. (Less than a quarter is outside: 16 bytes for
// the rows inside are more than 12 for all.)
//
// The driver of the device makes the maps: swz has never seen the codes of these types.
// Source: arch/narrow.hpp. Compiled and simulated; no Blackwell GPU was available.
#pragma once

#include "probe/launch.hpp"

namespace swz {

struct TxBytesPlan {
  TensorMapDataType type = TensorMapDataType::u4_align16;
  TensorMapSwizzle swizzle = TensorMapSwizzle::none;
  int rows = 1;     // rows of the box, of 128 elements each; 1 to 64
  int outside = 0;  // how many of these are past the end of the tensor; less than a quarter
};

// Both types, with every swizzle in turn.
TxBytesPlan draw_tx_bytes(std::size_t number, Random& random);

Kernel kernel_of(const TxBytesPlan& plan);
Launch launch_of(std::span<const TxBytesPlan> plans, Hypothesis hypothesis = Hypothesis::none);
// The launch with the maps that a driver makes, if it accepts them.
Launch with_driver_maps(Launch launch, std::span<const TxBytesPlan> plans, ProbeDevice& device);
Observations decode(std::span<const TxBytesPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TxBytesPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TxBytesPlan& plan);
std::string element_name(const TxBytesPlan& plan, std::int64_t index);
std::string value_name(const TxBytesPlan& plan, std::int64_t value);
Json to_json(const TxBytesPlan& plan);
// Throws Error for a type that is not padded, a swizzle that the enum does not have, and rows that are not probed.
TxBytesPlan tx_bytes_plan(const Json& json);

}  // namespace swz
