// SPDX-License-Identifier: Apache-2.0
// composition(A, B), leaf by leaf of B: a leaf N:s takes the first N of every s-th index of A.
//
//   (4,6):(1,8) o 6:2      divide strides: 4:1 / 2 = 2:2, nothing is left to divide 6:8 by: (2,6):(2,8)
//                          mod shape: 6 = 2 * 3 indices: (2,3):(2,8)
//
// If a stride or an extent does not divide, the values decide; see composition.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "layout/step_texts.hpp"
#include "layout/steps.hpp"

namespace swz {
namespace {

// A mode of A after the division: every `step`-th index of it.
struct DividedMode {
  FlatMode mode;
  std::size_t digit = 0;
  std::int64_t step = 1;
};

class LeafComposer {
 public:
  LeafComposer(LayoutSteps& steps, const std::string& operation, const Layout& a)
      : steps_(steps), operation_(operation), a_(a), radix_(coalesce_endless(a.modes())), reach_(radix_.size(), 0) {}

  // The layout of one leaf. None if something does not divide: the last step says what.
  std::optional<Layout> composed(FlatMode leaf) {
    const auto show = [&](const char* rule, std::string message, Layout l, std::int64_t stride) {
      steps_.append({operation_, rule, std::move(message), std::move(l),
                     [a = a_, stride](const ComposedLayout& r, std::int64_t i) { return r(i) == a(i * stride); }});
    };
    if (leaf.stride == 0 || radix_.size() == 1) {
      Layout l(leaf.extent, checked_mul(leaf.stride, radix_[0].stride));
      show("multiply strides",
           leaf.stride == 0
               ? fmt::format("A o {}: index 0{}", mode_text(leaf), leaf.extent > 1 ? " again and again" : "")
               : fmt::format("A o {}: A is one mode of stride {}, so the stride is {} * {}", mode_text(leaf),
                             radix_[0].stride, leaf.stride, radix_[0].stride),
           l, leaf.stride);
      return l;
    }
    if (leaf.extent == 1) {
      Layout l(1, stride_of_one_index(leaf.stride));
      show("mod shape", fmt::format("A o {}: one index", mode_text(leaf)), l, leaf.stride);
      return l;
    }
    std::string how;
    const auto divided = divide(leaf, how);
    if (!divided) return undecided(leaf, how);
    std::vector<FlatMode> modes;
    for (const DividedMode& d : *divided) modes.push_back(d.mode);
    const bool is_divided = !(modes == radix_);
    if (is_divided && leaf.stride == 1) show("extend", fmt::format("A o {}{}", mode_text(leaf), how), Layout(modes), 1);
    else if (is_divided)
      show("divide strides",
           fmt::format("A o {}: A / {}, every index that is a multiple of {}{}", mode_text(leaf), leaf.stride,
                       leaf.stride, how),
           Layout(modes), leaf.stride);
    how.clear();
    const auto taken = take_first(leaf.extent, *divided, how);
    if (!taken) return undecided(leaf, how);
    show(
        "mod shape",
        fmt::format("A o {}: the first {} {}{}", mode_text(leaf), leaf.extent, is_divided ? "of them" : "indices", how),
        Layout(*taken), leaf.stride);
    return Layout(*taken);
  }

  // The first mode of A whose digit overflows when the leaves of B are added; none if they do not meet.
  std::optional<FlatMode> overflowing() const {
    for (std::size_t i = 0; i + 1 < radix_.size(); ++i)
      if (reach_[i] >= radix_[i].extent) return radix_[i];
    return std::nullopt;
  }
  const std::vector<FlatMode>& radix() const { return radix_; }

 private:
  std::optional<Layout> undecided(FlatMode leaf, const std::string& how) {
    steps_.append({operation_, "does not divide", fmt::format("A o {}{}", mode_text(leaf), how)});
    return std::nullopt;
  }

  std::int64_t stride_of_one_index(std::int64_t stride) const {
    for (std::size_t i = 0; i + 1 < radix_.size(); ++i) stride = ceil_div(stride, radix_[i].extent);
    return checked_mul(stride, radix_.back().stride);
  }

  // The modes of A at every stride-th index. Appends one clause per mode to `how`.
  std::optional<std::vector<DividedMode>> divide(FlatMode leaf, std::string& how) const {
    std::vector<DividedMode> divided;
    std::int64_t step = leaf.stride, wanted = leaf.extent;
    for (std::size_t i = 0; i + 1 < radix_.size(); ++i) {
      const FlatMode m = radix_[i];
      if (step >= m.extent) {
        if (step % m.extent != 0) {
          how += fmt::format("; stride {} is not a multiple of the extent of {}", step, mode_text(m));
          return std::nullopt;
        }
        how += fmt::format("; {} / {} = {} steps over {}", step, m.extent, step / m.extent, mode_text(m));
        step /= m.extent;
        continue;
      }
      const std::int64_t count = ceil_div(m.extent, step);
      divided.push_back({{count, checked_mul(step, m.stride)}, i, step});
      if (m.extent % step != 0 && wanted > count) {
        how += fmt::format("; {} does not divide the extent of {}, and the leaf goes on beyond it", step, mode_text(m));
        return std::nullopt;
      }
      if (step > 1) how += fmt::format("; {} / {} = {}", mode_text(m), step, mode_text(divided.back().mode));
      if (m.extent % step != 0) return divided;  // the leaf ends inside this mode
      wanted = ceil_div(wanted, count);
      step = 1;
    }
    const FlatMode last = radix_.back();
    divided.push_back(
        {{std::max(ceil_div(last.extent, step), wanted), checked_mul(step, last.stride)}, radix_.size() - 1, step});
    if (step > 1) how += fmt::format("; {} / {} = {}", mode_text(last), step, mode_text(divided.back().mode));
    if (wanted > ceil_div(last.extent, step)) how += fmt::format("; {} goes on beyond its end", mode_text(last));
    return divided;
  }

  std::optional<std::vector<FlatMode>> take_first(std::int64_t wanted, const std::vector<DividedMode>& divided,
                                                  std::string& how) {
    std::vector<FlatMode> taken;
    for (const DividedMode& d : divided) {
      if (wanted == 1) break;
      const std::int64_t count = std::min(d.mode.extent, wanted);
      if (wanted % count != 0) {
        how += fmt::format("; {} is not a multiple of the extent of {}", wanted, mode_text(d.mode));
        return std::nullopt;
      }
      taken.push_back({count, d.mode.stride});
      reach_[d.digit] = checked_add(reach_[d.digit], checked_mul(count - 1, d.step));
      how += fmt::format("; {} of {}", count, mode_text(d.mode));
      if (wanted > count) how += fmt::format(", {} / {} = {} are left", wanted, count, wanted / count);
      wanted /= count;
    }
    return taken;
  }

  LayoutSteps& steps_;
  const std::string& operation_;
  const Layout& a_;
  std::vector<FlatMode> radix_;
  std::vector<std::int64_t> reach_;
};

// One layout for each leaf of the profile, in its nesting.
Layout nested(const IntTuple& profile, const std::vector<Layout>& leaves, std::size_t& next) {
  if (!profile.is_tuple()) return leaves[next++];
  std::vector<Layout> modes;
  for (const IntTuple& child : profile.children()) modes.push_back(nested(child, leaves, next));
  return make_layout(modes);
}

std::string leaf_list(const Layout& l) {
  std::string text;
  for (const FlatMode& m : l.modes()) text += (text.empty() ? "" : ", ") + fmt::format("A o {}", mode_text(m));
  return text;
}

}  // namespace

Layout composition_steps(LayoutSteps& steps, const Layout& a, const Layout& b) {
  const std::string operation = fmt::format("composition({}, {})", to_string(a), to_string(b));
  const auto is_composition = [a, b](const ComposedLayout& r, std::int64_t i) { return r(i) == a(b(i)); };
  const bool negative = std::ranges::any_of(b.modes(), [](FlatMode m) { return m.stride < 0 && m.extent > 1; });
  LeafComposer leaf(steps, operation, a);
  if (negative && leaf.radix().size() > 1)  // throws
    return steps.answer_or_refusal(operation, [&] { return composition(a, b); });
  const Layout coalesced(leaf.radix());
  if (!(coalesced == a))
    steps.append({operation, "coalesce A", "A is read by its linear index: neighbours that merge count as one mode",
                  coalesced, [a](const ComposedLayout& r, std::int64_t i) { return r(i) == a(i); }});
  if (b.modes().size() > 1)
    steps.append(
        {operation, "distribute", fmt::format("each leaf of B on its own, in the nesting of B: {}", leaf_list(b))});
  std::vector<Layout> leaves;
  bool is_decided = true;
  for (const FlatMode& m : b.modes()) {
    const auto composed = leaf.composed(m);
    if (!(is_decided = composed.has_value())) break;
    leaves.push_back(*composed);
  }
  if (is_decided && !leaf.overflowing()) {
    std::size_t next = 0;
    const Layout result = nested(b.shape(), leaves, next);
    if (b.shape().is_tuple())
      steps.append({operation, "together", "the leaves in the nesting of B", result, is_composition});
    return result;
  }
  if (is_decided)
    steps.append({operation, "carry",
                  fmt::format("added, the leaves of B reach beyond the extent of {}, so one carries into the next",
                              mode_text(*leaf.overflowing()))});
  const Layout result = steps.answer_or_refusal(operation, [&] { return composition(a, b); });
  steps.append({operation, "values", "every value is tried: they have strides all the same", result, is_composition});
  return result;
}

Layout composition_steps(LayoutSteps& steps, const Layout& a, const Tiler& b) {
  if (b.is_underscore()) return a;
  if (b.is_layout()) return composition_steps(steps, a, b.layout());
  const std::string operation = fmt::format("composition({}, {})", to_string(a), to_string(b));
  if (b.modes().size() > rank(a))  // throws
    return steps.answer_or_refusal(operation, [&] { return composition(a, b); });
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < b.modes().size(); ++i) {
    const Layout of_a = mode(a, i);
    steps.append({operation, "by mode",
                  fmt::format("mode {} of A, {}", i,
                              b.modes()[i].is_underscore()
                                  ? "stays: the tiler has _ there"
                                  : "with mode " + std::to_string(i) + " of the tiler, " + to_string(b.modes()[i])),
                  of_a});
    modes.push_back(composition_steps(steps, of_a, b.modes()[i]));
  }
  const Layout result = make_layout(modes);
  steps.append({operation, "together",
                rank(a) > modes.size() ? fmt::format("side by side; A's modes from {} on are dropped", modes.size())
                                       : "side by side",
                result});
  return result;
}

}  // namespace swz
