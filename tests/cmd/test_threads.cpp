// SPDX-License-Identifier: Apache-2.0
// Each call is made once, by whichever thread, and an exception of one does not keep the others from being made.
#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "base/error.hpp"
#include "threads.hpp"

namespace swz {
namespace {

TEST_CASE("threads call each number once") {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<std::atomic<int>> calls(count);
    call_on_threads(count, [&](std::size_t i) { ++calls[i]; });
    for (const std::atomic<int>& n : calls) CHECK(n == 1);
  }
}

TEST_CASE("an exception is thrown again after all calls") {
  std::atomic<int> calls = 0;
  const auto call = [&](std::size_t i) {
    ++calls;
    if (i == 7) throw Error("seven");
  };
  CHECK_THROWS_WITH_AS(call_on_threads(100, call), "seven", Error);
  CHECK(calls == 100);
}

}  // namespace
}  // namespace swz
