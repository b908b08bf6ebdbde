// SPDX-License-Identifier: Apache-2.0
#include "layout/algebra.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

// Applies f to the parts of l that the terminals of profile cover. Modes beyond profile's rank are unchanged.
template <class F>
Layout by_profile(const Layout& l, const IntTuple& profile, const F& f) {
  if (!profile.is_tuple()) return f(l);
  if (rank(profile) > rank(l))
    throw Error(fmt::format("profile {} has more modes than {}", to_string(profile), to_string(l)),
                fmt::format("give at most {}", rank(l)));
  std::vector<Layout> modes;
  for (std::size_t i = 0; i < rank(l); ++i)
    modes.push_back(i < rank(profile) ? by_profile(mode(l, i), mode(profile, i), f) : mode(l, i));
  return make_layout(modes);
}

void require_non_negative_strides(const Layout& l, const char* operation) {
  if (std::ranges::any_of(l.modes(), [](FlatMode m) { return m.stride < 0 && m.extent > 1; }))
    throw Error(fmt::format("{}: {} has a negative stride", operation, to_string(l)),
                "it is defined for non-negative strides");
}

// A coalesced mode together with the linear index at which its coordinate is 1.
struct IndexedMode {
  FlatMode mode;
  std::int64_t index;
};

std::vector<IndexedMode> coalesced_by_stride(const Layout& l) {
  std::vector<IndexedMode> out;
  std::int64_t index = 1;
  for (const FlatMode& m : coalesce_modes(l.modes())) {
    out.push_back({m, index});
    index *= m.extent;
  }
  std::ranges::stable_sort(out, {}, [](const IndexedMode& m) { return m.mode.stride; });
  return out;
}

Layout coalesced(std::span<const FlatMode> modes) { return Layout(coalesce_modes(modes)); }

// The number of indices before the first one whose offset is at least `end`. Strides are not negative, end is positive.
std::int64_t indices_below(std::span<const FlatMode> modes, std::int64_t end) {
  std::int64_t count = 1, reach = 0;  // of the modes so far: the number of indices, and the largest offset
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const FlatMode& m = modes[i];
    if (reach + (m.extent - 1) * m.stride >= end) {
      const std::int64_t digit = ceil_div(end - reach, m.stride), rest = end - digit * m.stride;
      return digit * count + (rest > 0 ? indices_below(modes.first(i), rest) : 0);
    }
    reach += (m.extent - 1) * m.stride;
    count *= m.extent;
  }
  return count;
}

// The longest part of the right inverse R of b that a follows: a(R(i)) == i, and R(i) is an index of a. The modes of R
// are tried one by one from the first: the run is at the start, so a later mode that does not compose cannot matter.
std::vector<FlatMode> common_prefix(const Layout& a, const Layout& b) {
  const Layout inverse = right_inverse(b);
  std::vector<FlatMode> prefix;
  std::int64_t whole = 1;  // number of indices of the modes that a follows
  for (const FlatMode& m : inverse.modes()) {
    prefix.push_back(m);
    std::int64_t run = whole;
    try {
      const std::vector<FlatMode> common = coalesce_modes(composition(a, Layout(prefix)).modes());
      if (!common.empty() && common[0].stride == 1) run = std::max(run, common[0].extent);
    } catch (const Error&) {
      // Not a layout: the values leave those of b inside this mode.
    }
    run = std::min(run, indices_below(prefix, size(a)));
    prefix.back().extent = run / whole;
    if (prefix.back().extent < m.extent) break;
    whole *= m.extent;
  }
  return prefix;
}

}  // namespace

Tiler Tiler::from_shape(const IntTuple& shape) {
  if (shape.is_underscore()) return underscore();
  if (shape.is_int()) return Layout(shape, IntTuple(1));
  std::vector<Tiler> modes;
  for (const IntTuple& child : shape.children()) modes.push_back(from_shape(child));
  return modes;
}

std::string to_string(const Tiler& t) {
  if (t.is_underscore()) return "_";
  if (t.is_layout()) return to_string(t.layout());
  std::string text = "<";
  for (std::size_t i = 0; i < t.modes().size(); ++i) text += (i > 0 ? "," : "") + to_string(t.modes()[i]);
  return text + ">";
}

std::int64_t cosize(const Tiler& t) {
  if (t.is_layout()) return cosize(t.layout());
  std::int64_t largest = 1;
  for (const Tiler& part : t.modes()) largest = std::max(largest, cosize(part));
  return largest;
}

Layout coalesce(const Layout& l, const IntTuple& profile) {
  return by_profile(l, profile, [](const Layout& part) { return coalesced(part.modes()); });
}

Layout filter(const Layout& l, const IntTuple& profile) {
  return by_profile(l, profile, [](const Layout& part) { return coalesced(moving_modes(part.modes())); });
}

Layout complement(const Layout& l, std::int64_t cotarget) {
  require_non_negative_strides(l, "complement");
  if (cotarget < 1)
    throw Error(fmt::format("complement: cotarget {} is not positive", cotarget), "it is the size to be covered");
  std::vector<FlatMode> gaps;
  std::int64_t covered = 1;  // l and the gaps so far cover [0, covered)
  for (const FlatMode& m : sorted_by_stride(moving_modes(l.modes()))) {
    if (m.stride % covered != 0)
      throw Error(fmt::format("{} has no complement: stride {} is not a multiple of {}, the block that its smaller "
                              "strides cover, so copies overlap or leave holes",
                              to_string(l), m.stride, covered),
                  "sorted by stride, every stride must be a multiple of the extent times stride before it");
    gaps.push_back({m.stride / covered, covered});
    covered = checked_mul(m.stride, m.extent);
  }
  gaps.push_back({ceil_div(cotarget, covered), covered});
  return coalesced(gaps);
}

namespace {

// What fits between the modes of l without collision. All of it is below `covered`.
struct Gaps {
  std::vector<FlatMode> modes;
  std::int64_t covered = 1;
};

Gaps gaps_of(const Layout& l) {
  Gaps gaps;
  for (const FlatMode& m : sorted_by_stride(moving_modes(l.modes()))) {
    if (m.stride < gaps.covered)
      throw Error(fmt::format("copies of {} overlap: stride {} is below {}, where its smaller strides end",
                              to_string(l), m.stride, gaps.covered),
                  "sorted by stride, every stride must be at least the extent times stride before it");
    gaps.modes.push_back({m.stride / gaps.covered, gaps.covered});
    gaps.covered = checked_mul(m.stride, m.extent);
  }
  return gaps;
}

}  // namespace

Layout complement_with_holes(const Layout& l, std::int64_t cotarget) {
  require_non_negative_strides(l, "complement");
  if (cotarget < 1)
    throw Error(fmt::format("complement: cotarget {} is not positive", cotarget), "it is the size to be covered");
  Gaps gaps = gaps_of(l);
  gaps.modes.push_back({ceil_div(cotarget, gaps.covered), gaps.covered});
  return coalesced(gaps.modes);
}

Layout free_offsets(const Layout& l, std::int64_t count) {
  require_non_negative_strides(l, "a product");
  auto [gaps, covered] = gaps_of(l);
  std::int64_t places = 1;
  for (const FlatMode& m : gaps) places = checked_mul(places, m.extent);
  // At least as many as CuTe has, so that extent-1 modes get the strides that they have there.
  const std::int64_t rest = std::max(ceil_div(count, places), ceil_div(checked_mul(size(l), count), covered));
  gaps.push_back({rest, covered});
  return coalesced(gaps);
}

Layout complement(const Layout& l) { return complement(l, cosize(filter(l))); }

Layout right_inverse(const Layout& l) {
  std::vector<FlatMode> result;
  std::int64_t reached = 1;  // l(result(i)) == i for i in [0, reached)
  for (const auto& [m, index] : coalesced_by_stride(l)) {
    if (m.stride != reached) continue;
    result.push_back({m.extent, index});
    reached = checked_mul(m.extent, m.stride);
  }
  return coalesced(result);
}

Layout left_inverse(const Layout& l) {
  require_non_negative_strides(l, "left_inverse");
  std::vector<FlatMode> result;
  std::int64_t digits = 1;        // product of the extents in result
  std::int64_t source_index = 0;  // the index in l of one step of the open digit
  std::int64_t end = 1;           // one past what the previous mode reaches, in units of its stride
  std::int64_t extent = 1;
  for (const auto& [m, index] : coalesced_by_stride(l)) {
    if (m.stride == 0)
      throw Error(fmt::format("{} has no left inverse: indices 0 and {} both give 0", to_string(l), index),
                  "filter(L) has each offset once");
    if (m.stride % digits != 0 || m.stride < end)
      throw Error(fmt::format("{} has no left inverse that is a layout: stride {} {}", to_string(l), m.stride,
                              m.stride % digits != 0 ? fmt::format("is not a multiple of stride {}", digits)
                                                     : fmt::format("is below {}, where the smaller strides end", end)),
                  "sorted by stride, each must be a multiple of the one before and not below its extent times stride");
    result.push_back({m.stride / digits, source_index});
    digits = m.stride;
    source_index = index;
    extent = m.extent;
    end = checked_mul(m.stride, m.extent);
  }
  result.push_back({extent, source_index});
  return coalesced(result);
}

Layout max_common_layout(const Layout& a, const Layout& b) {
  // If one of the two is not injective, each has its own right inverse.
  const std::vector<FlatMode> by_a = common_prefix(b, a), by_b = common_prefix(a, b);
  const auto order = [](const std::vector<FlatMode>& modes) {
    const Layout l(modes);
    return std::pair(-size(l), flat_values(l.stride()));
  };
  return coalesced(order(by_a) < order(by_b) ? by_a : by_b);
}

std::int64_t max_common_vector(const Layout& a, const Layout& b) { return size(max_common_layout(a, b)); }

Layout nullspace(const Layout& l) {
  std::vector<FlatMode> result;
  std::int64_t index = 1;
  for (const FlatMode& m : l.modes()) {
    if (m.stride == 0 && m.extent > 1) result.push_back({m.extent, index});
    index *= m.extent;
  }
  return Layout(std::span<const FlatMode>(result));
}

}  // namespace swz
