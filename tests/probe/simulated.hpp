// SPDX-License-Identifier: Apache-2.0
// Hardware that does what swz predicts: it reads a launch as the kernels do, computes, and gives the output that they
// would give. Blocks are declared here again, as kernels/*.cu declare them.
#pragma once

#include "probe/suite.hpp"

namespace swz {

// The value of a bit pattern of an accumulator or element type; the pattern of a value that the type can hold.
double number_of(std::uint64_t bits, const ElementFormat& format);
std::uint64_t bits_of(double value, const ElementFormat& format);
inline double number_of(std::uint64_t bits, std::string_view dtype) { return number_of(bits, element_format(dtype)); }
inline std::uint64_t bits_of(double value, std::string_view dtype) { return bits_of(value, element_format(dtype)); }

// Requires that the launch is that of the plans, or of others of the same kernel.
ByteBuffer simulate(std::span<const WavefrontPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const MatrixPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const MmaPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const WgmmaPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const Tcgen05Plan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const TmaPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const Im2colPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const InterleavePlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const ReducePlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const TileProbePlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const AccessPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const LayoutProbePlan> plans, const Launch& launch);
// Tensor memory, written from the formulas of the documents (simulated_tmem.cpp), so that it can also be hardware that
// does what a hypothesis describes.
ByteBuffer simulate(std::span<const TmemAccessPlan> plans, const Launch& launch, Hypothesis is = Hypothesis::none);
ByteBuffer simulate(std::span<const TmemCopyPlan> plans, const Launch& launch, Hypothesis is = Hypothesis::none);
ByteBuffer simulate(std::span<const TmemShiftPlan> plans, const Launch& launch, Hypothesis is = Hypothesis::none);
ByteBuffer simulate(std::span<const TxBytesPlan> plans, const Launch& launch, Hypothesis is = Hypothesis::none);
ByteBuffer simulate(std::span<const TmemMmaPlan> plans, const Launch& launch);
ByteBuffer simulate(std::span<const ClusterPlan> plans, const Launch& launch);
// With a fault in the answers to the plans.
ByteBuffer simulate(std::span<const TmemMmaPlan> plans, const Launch& launch, Hypothesis fault);

// An observer of hardware for which the hypothesis is true.
Observer simulated_observer(Hypothesis hypothesis);

}  // namespace swz
