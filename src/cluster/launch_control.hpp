// SPDX-License-Identifier: Apache-2.0
// LaunchControlResponse: the 128 bits that clusterlaunchcontrol.try_cancel.async writes.
//
//   bits 31-0 ctaid.x   47-32 ctaid.y   63-48 ctaid.z   64 is_canceled      the rest is not read
//
//   words 0x00000007 0x00020001 0x00000001 0   cancelled: the cluster whose first CTA is (7, 1, 2)
//   all 0                                      none was left; CUTLASS's idle value
//
// A CTA adds its own %cluster_ctaid to it. To ask again after a response without a cluster is undefined. Source: ptxas
// 13.0.88, the same code for sm_100a, 103a, 110a and 120a; not measured.
#pragma once

#include <array>
#include <cstdint>

#include "base/bit_field.hpp"

namespace swz {

struct LaunchControlResponse {
  std::uint64_t low = 0, high = 0;

  static constexpr BitField x_bits{0, 32}, y_bits{32, 16}, z_bits{48, 16};  // of low
  static constexpr BitField canceled_bit{0, 1};                             // of high

  constexpr bool is_canceled() const { return canceled_bit.read(high) != 0; }
  constexpr std::array<std::uint32_t, 3> ctaid() const {
    return {static_cast<std::uint32_t>(x_bits.read(low)), static_cast<std::uint32_t>(y_bits.read(low)),
            static_cast<std::uint32_t>(z_bits.read(low))};
  }
};

}  // namespace swz
