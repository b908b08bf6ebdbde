// SPDX-License-Identifier: Apache-2.0
// What the writers of random PTX share: a text whose parts are drawn in their order, and how they draw.
//
//   Text{"add.s32 {}, {}", of(b32), number(32)}       in braces C++ draws them in this order, as a function's arguments it need not
//   below(3)     0, 1 or 2, the same for one seed with every compiler
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace swz {

struct Text : std::string {
  template <class... Parts>
  Text(fmt::format_string<Parts...> how, Parts&&... parts)
      : std::string(fmt::format(how, std::forward<Parts>(parts)...)) {}
};

class RandomDraws {
 protected:
  explicit RandomDraws(std::uint64_t seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string pick(std::initializer_list<const char*> all) { return *(all.begin() + below(all.size())); }
  template <class T>
  const T& pick(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  std::mt19937_64 random_;
};

}  // namespace swz
