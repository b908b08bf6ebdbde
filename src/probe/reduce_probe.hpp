// SPDX-License-Identifier: Apache-2.0
// Probe of TMA stores and reductions: from which byte of shared memory does each element of the tensor come?
//
//   plan: add of u32, rank 2, box (32, 8), 128B, from 0x480 to (0, 4)
//   element 4 * 32 of the tensor is what it was plus the code of the slot at 0x480 ^ 0x10 = 0x490
//
// Each slot of shared memory, as wide as an element, shows its place in three passes, by a number of 1 to 128 that every
// type holds exactly. The tensor holds another number before, by which the operation shows: with add, it is what is
// left once the code is taken off. inc tells only whether the code is above what was there: it takes 21 passes of one bit.
// Some operations are executed twice or three times.
//
//   dec of 255 by the code 77    255 > 77: 77; once more 76
//   inc of 5 by the code 127     6; by the code 3, which 5 is not below, 0
//
// Values of the observation: for each element of the tensor and of the 16 bytes after it the slot, counted from 128
// bytes before the box; untouched_byte or strange_byte.
//
// Source: PTX ISA 9.4, 9.7.10.28.5.3 for the operations and types; the place is that of a load.
#pragma once

#include "probe/tensor_image.hpp"

namespace swz {

enum class ReduceOp { store, add, min, max, band, bor, bxor, inc, dec };
std::string_view to_string(ReduceOp op);

struct ReducePlan {
  TensorMap map;
  ReduceOp op = ReduceOp::store;
  int times = 1;  // how often it is executed
  TensorCoordinate start = {};
  Bytes from;
};

// Every operation in turn.
ReducePlan draw_reduce(std::size_t number, Random& random);

Kernel kernel_of(const ReducePlan& plan);
Launch launch_of(std::span<const ReducePlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const ReducePlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const ReducePlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const ReducePlan& plan);
std::string element_name(const ReducePlan& plan, std::int64_t index);
std::string value_name(const ReducePlan& plan, std::int64_t value);
Json to_json(const ReducePlan& plan);
// Throws Error for a plan that the kernel could not execute.
ReducePlan reduce_plan(const Json& json);

}  // namespace swz
