// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace swz {

void call_on_threads(std::size_t count, const std::function<void(std::size_t)>& call) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr first;
  std::mutex first_is_set;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) try {
        call(i);
      } catch (...) {
        const std::scoped_lock lock(first_is_set);
        if (!first) first = std::current_exception();
      }
  };
  const std::size_t threads = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count);
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace swz
