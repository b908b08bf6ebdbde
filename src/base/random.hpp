// SPDX-License-Identifier: Apache-2.0
// Random: a sequence of numbers that a seed repeats, with every compiler and standard library.
//
//   Random random(1234567);
//   random()            6457827717110365317, then 3203168211198807973     SplitMix64's reference values
//   random.below(6)     one of 0 ... 5: the next number modulo 6
//   random.shuffle(v)   Fisher and Yates, from the end: v[i] changes places with v[below(i + 1)]
//
// The standard specifies its engines exactly, but not its distributions and not std::shuffle: another library draws
// other cases from the same seed. The bias of the modulo is below n / 2^64.
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace swz {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // A number in [0, n), for n >= 1.
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(n)); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  // An element of a list, which must not be empty.
  template <class List>
  auto of(const List& list) {
    return *(list.begin() + below(static_cast<std::int64_t>(list.size())));
  }
  template <class List>
  void shuffle(List& list) {
    for (std::size_t i = list.size(); i-- > 1;)
      std::swap(list[i], list[static_cast<std::size_t>(below(static_cast<std::int64_t>(i) + 1))]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace swz
