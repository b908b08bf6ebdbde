// SPDX-License-Identifier: Apache-2.0
// Gpu: a GPU as it is sold, with what its SMs multiply and receive per cycle.
//
//   find_gpu("rtx 4090")->rate(RateClass::f16)    256 multiply-adds per cycle and SM: f32 accumulators halve it
//   gpu_of(sm_90a).name                           "H100": L2 gives each SM 50 B per cycle if all SMs read, DRAM 12
//
// The first GPU of a target is the one that is meant when none is named. A rate that no source has is absent.
//
// Source: per row. Vendor's figures are TFLOPS of datasheets, divided by SMs and clock.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "arch/dtype.hpp"
#include "arch/target.hpp"
#include "base/finding.hpp"

namespace swz {

// What an MMA multiplies, where the rate depends on it. f16_f16, fp8_f16: with f16 accumulators.
enum class RateClass { f16, f16_f16, tf32, fp8, fp8_f16, mxf8f6f4, mxf4, int8, int4, f64 };

constexpr std::string_view to_string(RateClass rate) {
  return name_in({"f16", "f16_f16", "tf32", "fp8", "fp8_f16", "mxf8f6f4", "mxf4", "int8", "int4", "f64"}, rate);
}

struct Gpu {
  std::string_view name;
  std::string_view target;  // "sm_90a"
  int sms = 0;
  double l2_bytes = 0, dram_bytes = 0;  // per cycle and SM, while all SMs read; 0: not known
  double copy_latency = 0;              // cycles from a copy of 8 KiB out of DRAM to its data; 0: not known
  Source copies = {};

  // Multiply-adds per cycle and SM of mma.sync.
  std::optional<double> rate(RateClass what) const;
  Source rate_source() const;
};

std::span<const Gpu> gpus();
// Null: none of them.
const Gpu* find_gpu(std::string_view name);
// Throws Error with the names.
const Gpu& require_gpu(std::string_view name);
// The first of the target. Null: no source has one.
const Gpu* gpu_of(const Target& target);

// The class of a type, with f32 (s32) accumulators or with f16. nullopt: no source has a rate of the type.
std::optional<RateClass> rate_class(const DType& dtype, bool has_f16_accumulators, bool is_block_scaled);

}  // namespace swz
