// SPDX-License-Identifier: Apache-2.0
#include "layout/steps.hpp"

#include <type_traits>

#include "base/limits.hpp"

namespace swz {
namespace {

bool show_the_same(const LayoutStep& a, const LayoutStep& b) {
  return std::holds_alternative<ComposedLayout>(a.layout) && to_string(a.layout) == to_string(b.layout);
}

std::string joined(const std::string& a, const std::string& b, const char* between) {
  if (a.empty() || b.empty() || a == b) return a.empty() ? b : a;
  return a + between + b;
}

// Joins two steps that show the same layout: their rules and messages in one step.
void join(LayoutStep& last, LayoutStep step) {
  last.message = joined(last.message, step.message, "; ");
  if (last.holds && step.holds)
    last.holds = [one = std::move(last.holds), other = std::move(step.holds)](const ComposedLayout& l, std::int64_t i) {
      return one(l, i) && other(l, i);
    };
  else if (step.holds) last.holds = std::move(step.holds);
}

}  // namespace

std::string to_string(const LayoutStep::Result& r) {
  return std::visit(
      [](const auto& x) -> std::string {
        if constexpr (std::is_same_v<decltype(x), const std::monostate&>) return "";
        else return to_string(x);
      },
      r);
}

void LayoutSteps::append(LayoutStep step) {
  count(step);
  if (!steps_.empty() && steps_.back().operation == step.operation && show_the_same(steps_.back(), step)) {
    steps_.back().rule = joined(steps_.back().rule, step.rule, ", ");
    join(steps_.back(), std::move(step));
  } else steps_.push_back(std::move(step));
}

void LayoutSteps::conclude(LayoutStep step) {
  if (steps_.empty() || !show_the_same(steps_.back(), step)) return append(std::move(step));
  count(step);
  LayoutStep& last = steps_.back();
  last.operation = step.operation;
  last.rule = step.rule;
  join(last, std::move(step));
}

void LayoutSteps::append_all(const LayoutSteps& others) {
  for (const LayoutStep& step : others.list()) {
    count(step);
    steps_.push_back(step);
  }
}

void LayoutSteps::count(const LayoutStep& step) {
  const auto* l = std::get_if<ComposedLayout>(&step.layout);
  weight_ += 1 + (l ? l->layout().modes().size() : 0) + (step.operation.size() + step.message.size()) / 8;
  require_within(limits::explained_steps, static_cast<std::int64_t>(weight_));
}

}  // namespace swz
