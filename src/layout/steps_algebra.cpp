// SPDX-License-Identifier: Apache-2.0
// coalesce and complement, step by step: mode by mode, as algebra.hpp defines them.
//
//   coalesce((2,3,4):(1,2,9))   merge            2:1 ends at 2 * 1 = 2, where 3:2 goes on: 6:1
//                               keep apart       6:1 ends at 6 * 1 = 6, but 4:9 has stride 9
//   complement(4:2, 24)         sort by stride   4:2
//                               fill the gap     below stride 2 lies 2:1; with 4:2 it covers [0, 8)
//                               fill the rest    24 / 8 = 3 times 8: (2,3):(1,8)
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/step_texts.hpp"
#include "layout/steps.hpp"

namespace swz {
namespace {

std::string mode_list(std::span<const FlatMode> modes) {
  std::string text;
  for (const FlatMode& m : modes) text += (text.empty() ? "" : ", ") + mode_text(m);
  return text.empty() ? "nothing" : text;
}

// ---- coalesce

Layout coalesce_all(LayoutSteps& steps, const std::string& operation, const Layout& l) {
  const auto show = [&](const char* rule, std::string message, std::vector<FlatMode> modes,
                        std::span<const FlatMode> rest) {
    modes.insert(modes.end(), rest.begin(), rest.end());
    steps.append({operation, rule, std::move(message), Layout(modes),
                  [l](const ComposedLayout& r, std::int64_t i) { return r(i) == l(i); }});
  };
  const std::span<const FlatMode> leaves = l.modes();
  std::vector<FlatMode> merged;
  if (depth(l) > 1) show("flatten", "the leaves, left to right", {}, leaves);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const FlatMode m = leaves[i];
    const auto rest = leaves.subspan(i + 1);
    if (m.extent == 1) {
      show("drop", fmt::format("{} has one coordinate, which adds nothing", mode_text(m)), merged, rest);
      continue;
    }
    if (merged.empty()) {
      merged.push_back(m);
      continue;
    }
    const FlatMode before = merged.back();
    std::int64_t end = 0;
    const bool fits = !__builtin_mul_overflow(before.extent, before.stride, &end);
    if (fits && end == m.stride) {
      merged.back().extent = checked_mul(before.extent, m.extent);
      show("merge",
           fmt::format("{} ends at {} * {} = {}, where {} goes on: {}", mode_text(before), before.extent, before.stride,
                       end, mode_text(m), mode_text(merged.back())),
           merged, rest);
    } else {
      merged.push_back(m);
      const std::string where = fits ? fmt::format(" = {}", end) : ", beyond 64 bits";
      show("keep apart",
           fmt::format("{} ends at {} * {}{}, but {} has stride {}", mode_text(before), before.extent, before.stride,
                       where, mode_text(m), m.stride),
           merged, rest);
    }
  }
  return Layout(merged);
}

// ---- complement

enum class Fill { without_holes, with_holes, copies };

Layout filled(LayoutSteps& steps, const std::string& operation, const Layout& l, std::int64_t number, Fill fill,
              const std::function<Layout()>& answer) {
  if (number < 1 || std::ranges::any_of(l.modes(), [](FlatMode m) { return m.stride < 0 && m.extent > 1; }))
    return steps.answer_or_refusal(operation, answer);
  const std::vector<FlatMode> moving = moving_modes(l.modes());
  if (moving.size() != l.modes().size())
    steps.append({operation, "filter", "modes of stride 0 or extent 1 cover nothing", Layout(moving)});
  const std::vector<FlatMode> sorted = sorted_by_stride(moving);
  if (!sorted.empty())
    steps.append({operation, "sort by stride", "the smallest stride first: " + mode_list(sorted), Layout(sorted)});
  std::vector<FlatMode> gaps;
  std::int64_t covered = 1, places = 1;
  for (const FlatMode& m : sorted) {
    if (m.stride < covered || (fill == Fill::without_holes && m.stride % covered != 0))
      return steps.answer_or_refusal(operation, answer);
    const std::int64_t count = m.stride / covered, hole = m.stride % covered, before = covered;
    gaps.push_back({count, covered});
    places = checked_mul(places, count);
    covered = checked_mul(m.stride, m.extent);
    const std::string holes =
        hole == 0 ? ""
                  : fmt::format("; {} below {} stay{} free", plural(hole, "offset"), m.stride, hole == 1 ? "s" : "");
    steps.append(
        {operation, "fill the gap",
         count == 1 ? fmt::format("{} starts where [0, {}) ends: no gap{}; covered is now [0, {})", mode_text(m),
                                  before, holes, covered)
                    : fmt::format("below {} fit {} / {} = {} blocks of {}: {}{}; covered is now [0, {})", mode_text(m),
                                  m.stride, before, count, before, mode_text(gaps.back()), holes, covered),
         Layout(gaps)});
  }
  const std::int64_t by_count = ceil_div(number, fill == Fill::copies ? places : covered);
  const std::int64_t rest =
      fill == Fill::copies ? std::max(by_count, ceil_div(checked_mul(size(l), number), covered)) : by_count;
  gaps.push_back({rest, covered});
  steps.append({operation, "fill the rest",
                fill == Fill::copies ? fmt::format("the gaps are {} for {}: {} of {}", plural(places, "place"),
                                                   number == 1 ? "1 copy" : fmt::format("{} copies", number),
                                                   plural(rest, "block"), covered)
                                     : fmt::format("{} / {}, rounded up, is {}: {}", number, covered,
                                                   plural(rest, "block"), mode_text(gaps.back())),
                Layout(gaps)});
  return coalesced_steps(steps, operation, gaps);
}

}  // namespace

Layout coalesce_steps(LayoutSteps& steps, const Layout& l, const IntTuple& profile) {
  if (!profile.is_tuple()) return coalesce_all(steps, fmt::format("coalesce({})", to_string(l)), l);
  const std::string operation = fmt::format("coalesce({}, {})", to_string(l), to_string(profile));
  if (rank(profile) > rank(l))  // throws
    return steps.answer_or_refusal(operation, [&] { return coalesce(l, profile); });
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(l); ++i)
    modes.push_back(i < rank(profile) ? coalesce_steps(steps, mode(l, i), mode(profile, i)) : mode(l, i));
  const Layout result = make_layout(modes);
  steps.append({operation, "together", "the profile keeps these modes apart", result,
                [l](const ComposedLayout& r, std::int64_t i) { return r(i) == l(i); }});
  return result;
}

Layout coalesced_steps(LayoutSteps& steps, const std::string& operation, const std::vector<FlatMode>& modes) {
  const Layout before(modes), result(coalesce_modes(modes));
  if (!(result == before))
    steps.append({operation, "coalesce", "modes of extent 1 are left out, neighbours that go on as one are merged",
                  result, [before](const ComposedLayout& r, std::int64_t i) { return r(i) == before(i); }});
  return result;
}

Layout complement_steps(LayoutSteps& steps, const Layout& l, std::int64_t cotarget) {
  return filled(steps, fmt::format("complement({}, {})", to_string(l), cotarget), l, cotarget, Fill::without_holes,
                [&] { return complement(l, cotarget); });
}

Layout complement_with_holes_steps(LayoutSteps& steps, const Layout& l, std::int64_t cotarget) {
  return filled(steps, fmt::format("complement({}, {})", to_string(l), cotarget), l, cotarget, Fill::with_holes,
                [&] { return complement_with_holes(l, cotarget); });
}

Layout free_offsets_steps(LayoutSteps& steps, const Layout& l, std::int64_t count) {
  return filled(steps, fmt::format("complement({}, {} * {})", to_string(l), size(l), count), l, count, Fill::copies,
                [&] { return free_offsets(l, count); });
}

}  // namespace swz
