// SPDX-License-Identifier: Apache-2.0
// Workers: who calls a function for each number below a count, in any order, perhaps several at the same time.
//
//   workers(3, call)      call(0), call(1), call(2); then it returns
//
// The library has no threads: those of the command are in cmd/threads.hpp. An exception of a call is thrown again after
// the others.
#pragma once

#include <cstddef>
#include <functional>

namespace swz {

using Workers = std::function<void(std::size_t count, const std::function<void(std::size_t)>& call)>;

inline void call_in_order(std::size_t count, const std::function<void(std::size_t)>& call) {
  for (std::size_t i = 0; i < count; ++i) call(i);
}

}  // namespace swz
