// SPDX-License-Identifier: Apache-2.0
// Probe of the bytes that an mbarrier counts: does a TMA load complete a phase that expects so many?
//
//   plan: b4x16_p64, box (128, 4): 256 bytes of global memory, 512 of shared memory
//   Of the loads that expect 8, 12 and 16 bytes for each 16 elements the first alone completes its phase.
//
// An answer, not a fault: a load whose phase does not complete within 20 ms was counted otherwise.
// Where the box leaves the tensor, three more loads expect the same of the rows inside alone.
// Values of the observation, for each load: 1 or 0; 2, the driver refuses the map; 3, it accepts one that the probe does
// not load by: a swizzle of 32B or 64B under rows of 128 bytes.
//
// Open questions (arch/open_question.hpp):
//
//   tx-bytes           those of global memory (the model) or those of shared memory with the padding (padding-counted)?
//   padded-swizzle     the driver takes the swizzles of cuda.h (the model), or 128B_ATOM_64B of 4 bits too (ptx-swizzles)?
//   tx-bytes-outside   those of the whole box (the model) or of its part inside the tensor (outside-not-counted)?
//
// Invariant (tested): no two of these answers expect the same number. (Less than a quarter outside: 16 bytes of the rows
// inside are more than 12 of all.)
//
// The driver of the device makes the maps: swz has never seen the codes of these types.
// Source: arch/narrow.hpp. Compiled and simulated; no Blackwell was at hand.
#pragma once

#include "probe/launch.hpp"

namespace swz {

struct TxBytesPlan {
  TensorMapDataType type = TensorMapDataType::u4_align16;
  TensorMapSwizzle swizzle = TensorMapSwizzle::none;
  int rows = 1;     // of the box, of 128 elements; 1 to 64
  int outside = 0;  // of these, rows behind the end of the tensor; less than a quarter
};

// Both types with every swizzle in turn.
TxBytesPlan draw_tx_bytes(std::size_t number, Random& random);

Kernel kernel_of(const TxBytesPlan& plan);
Launch launch_of(std::span<const TxBytesPlan> plans, Hypothesis hypothesis = Hypothesis::none);
// The launch with the maps that a driver makes, as far as it accepts them.
Launch with_driver_maps(Launch launch, std::span<const TxBytesPlan> plans, ProbeDevice& device);
Observations decode(std::span<const TxBytesPlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TxBytesPlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TxBytesPlan& plan);
std::string element_name(const TxBytesPlan& plan, std::int64_t index);
std::string value_name(const TxBytesPlan& plan, std::int64_t value);
Json to_json(const TxBytesPlan& plan);
// Throws Error for a type that is not padded, a swizzle that is not one of the enum, and rows that are not probed.
TxBytesPlan tx_bytes_plan(const Json& json);

}  // namespace swz
