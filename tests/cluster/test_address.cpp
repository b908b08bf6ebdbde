// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "cluster/address.hpp"
#include "cluster/launch_control.hpp"

using namespace swz;

TEST_CASE("addresses of shared::cluster") {
  CHECK(mapa({0x00000c10}, 3) == ClusterAddress{0x03000c10});
  CHECK(ClusterAddress{0x03000c10}.rank() == 3);
  CHECK(even_of({0x03000c10}) == ClusterAddress{0x02000c10});
  CHECK(mapa({0x05000400}, 0) == ClusterAddress{0x00000400});
  CHECK(ClusterAddress{0x05000400}.offset() == Bytes{0x400});
  for (int rank = 0; rank < 256; ++rank) {
    const ClusterAddress mapped = mapa({0x7b00c0de}, rank);
    CHECK(mapped.rank() == rank);
    CHECK(mapped.offset() == Bytes{0xc0de});
    CHECK(even_of(mapped).rank() == rank / 2 * 2);
    CHECK(mapa(mapped, 0x7b) == ClusterAddress{0x7b00c0de});
  }
}

TEST_CASE("responses of cluster launch control") {
  constexpr LaunchControlResponse cancelled{0x0002000100000007, 1}, none{};
  CHECK(cancelled.is_canceled());
  CHECK(cancelled.ctaid() == std::array<std::uint32_t, 3>{7, 1, 2});
  CHECK_FALSE(none.is_canceled());
  // The bits above 64 are not read.
  CHECK_FALSE(LaunchControlResponse{~0ULL, ~1ULL}.is_canceled());
  CHECK(LaunchControlResponse{~0ULL, 1}.ctaid() == std::array<std::uint32_t, 3>{0xffffffff, 0xffff, 0xffff});
}
