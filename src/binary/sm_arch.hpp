// SPDX-License-Identifier: Apache-2.0
// SmArch: the architecture that a compiled kernel names: a number and the letter of its variant.
//
//   SmArch{90, 'a'}.name() == "sm_90a"      SmArch{100, 0}.name() == "sm_100"
//
// A cubin does not record the family: one of sm_100f names sm_100 (cubin.md, 1).
#pragma once

#include <cstdint>
#include <string>

namespace swz {

struct SmArch {
  std::uint32_t number = 0;
  char variant = 0;  // 'a', 'f', or 0

  bool operator==(const SmArch&) const = default;
  std::string name() const {
    return "sm_" + std::to_string(number) + (variant == 0 ? std::string() : std::string(1, variant));
  }
  // Of a block's shared memory: reserved for the system, and where static arrays begin.
  std::uint64_t reserved_shared() const { return number >= 90 ? 1024 : 0; }
};

}  // namespace swz
