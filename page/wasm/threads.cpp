// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include "base/workers.hpp"

namespace swz {

// A page has one thread.
void call_on_threads(std::size_t count, const std::function<void(std::size_t)>& call) { call_in_order(count, call); }

}  // namespace swz
