// SPDX-License-Identifier: Apache-2.0
// ClusterAddress: an address of shared::cluster, the shared memory of any CTA of the cluster.
//
//   bits 31-24   rank of the CTA whose memory it is        bits 23-0   the offset in its window
//
//   0x05000400                rank 5, offset 0x400: the first byte that a kernel has (1 KiB below is the system's)
//   mapa(0x00000c10, 3)    == 0x03000c10                   the same offset in rank 3
//   even_of(0x03000c10)    == 0x02000c10                   in the even CTA of the pair: CUTLASS's & 0xfeffffff
//
// A shared::cta address is already the shared::cluster address of its own CTA. mapa.u64 changes the low 32 bits alike
// and keeps the high ones. Source: ptxas 13.0.88 and 13.5.37 (mapa is one byte permute, getctarank a shift); PTX ISA
// 9.3, 5.1.7. Measured on H100 and H200: every address of 2,481 clusters.
#pragma once

#include <cstdint>

#include "base/units.hpp"

namespace swz {

struct ClusterAddress {
  std::uint32_t word = 0;

  constexpr int rank() const { return static_cast<int>(word >> 24); }  // getctarank
  constexpr Bytes offset() const { return Bytes{word & 0x00ffffffU}; }
  bool operator==(const ClusterAddress&) const = default;
};

// The rank is taken modulo 256.
constexpr ClusterAddress mapa(ClusterAddress address, int rank) {
  return {(address.word & 0x00ffffffU) | (static_cast<std::uint32_t>(rank) & 0xffU) << 24};
}
constexpr ClusterAddress even_of(ClusterAddress address) { return {address.word & 0xfeffffffU}; }

}  // namespace swz
