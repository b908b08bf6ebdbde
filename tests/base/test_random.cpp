// SPDX-License-Identifier: Apache-2.0
// The same numbers from a seed with every standard library.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/random.hpp"

using namespace swz;

TEST_CASE("the reference values of SplitMix64") {
  // prng.di.unimi.it/splitmix64.c with the state 1234567, as Rosetta Code lists them.
  Random random(1234567);
  for (const std::uint64_t value :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U, 16408922859458223821U})
    CHECK(random() == value);
  CHECK(Random(0)() == 0xe220a8397b1dcdaf);
}

TEST_CASE("below is the next number modulo n") {
  Random random(1234567);
  CHECK(random.below(10) == 7);
  CHECK(random.below(1000) == 973);
  CHECK(random.below(1) == 0);
  CHECK(random.one_in(1));
}

TEST_CASE("a shuffle takes its numbers from the end of the list on") {
  // By hand, with the values above: 3 goes with 6457827717110365317 % 4 = 1, 2 with 3203168211198807973 % 3 = 1,
  // 1 with 9817491932198370423 % 2 = 1.
  std::array<int, 4> list{0, 1, 2, 3};
  Random random(1234567);
  random.shuffle(list);
  CHECK(list == std::array<int, 4>{0, 2, 3, 1});

  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<int> sorted = numbers;
  random.shuffle(numbers);
  CHECK(numbers != sorted);
  std::sort(numbers.begin(), numbers.end());
  CHECK(numbers == sorted);
  std::vector<int> none;
  random.shuffle(none);
  CHECK(none.empty());
}
