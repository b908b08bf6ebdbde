// SPDX-License-Identifier: Apache-2.0
#include "tmem/instruction_layout.hpp"

#include <vector>

#include "layout/algebra.hpp"

namespace swz {
namespace {

constexpr std::int64_t lane = tmem_address(1, 0);

Layout layout_of_steps(const std::vector<Step>& steps) {
  std::vector<FlatMode> modes;
  for (const Step& step : steps) modes.push_back({step.count, step.move.row * lane + step.move.column});
  return coalesce(Layout(modes));
}

}  // namespace

Layout access_layout(const Fragment& fragment) {
  return make_layout(std::vector{layout_of_steps(fragment.thread_steps), layout_of_steps(fragment.value_steps)});
}

Layout copy_layout(const TmemCopy& copy) {
  const FlatMode rows[] = {{copy.run, lane}, {copy.rows / copy.run, copy.stride * lane}};
  std::vector modes{coalesce(Layout(rows)), Layout(copy.columns(), 1)};
  if (copy.times > 1) modes.emplace_back(copy.times, copy.apart * lane);
  return make_layout(modes);
}

}  // namespace swz
