#include "layout/modes.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace swz {
namespace {

void append_merged(std::vector<FlatMode>& out, FlatMode m) {
  std::int64_t end = 0;  // where the last mode's steps end, if that fits in 64 bits
  if (!out.empty() && !__builtin_mul_overflow(out.back().extent, out.back().stride, &end) && end == m.stride)
    out.back().extent = checked_mul(out.back().extent, m.extent);
  else out.push_back(m);
}

}  // namespace

std::vector<FlatMode> coalesce_modes(std::span<const FlatMode> modes) {
  std::vector<FlatMode> out;
  out.reserve(modes.size());
  for (const FlatMode& m : modes)
    if (m.extent != 1) append_merged(out, m);
  return out;
}

std::vector<FlatMode> coalesce_endless(std::span<const FlatMode> modes) {
  if (modes.empty()) return {FlatMode{1, 0}};
  std::vector<FlatMode> out = coalesce_modes(modes.first(modes.size() - 1));
  append_merged(out, modes.back());
  return out;
}

std::vector<FlatMode> moving_modes(std::span<const FlatMode> modes) {
  std::vector<FlatMode> out;
  for (const FlatMode& m : modes)
    if (m.extent != 1 && m.stride != 0) out.push_back(m);
  return out;
}

std::vector<FlatMode> sorted_by_stride(std::vector<FlatMode> modes) {
  std::ranges::stable_sort(modes, {}, &FlatMode::stride);
  return modes;
}

void require_reach(const Layout& l, std::int64_t last) {
  if (l.modes().empty()) return;
  std::int64_t reach = 0;
  for (const FlatMode& m : l.modes().first(l.modes().size() - 1)) {
    reach = checked_add(reach, (m.extent - 1) * checked_abs(m.stride));
    last /= m.extent;
  }
  checked_add(reach, checked_mul(last, checked_abs(l.modes().back().stride)));
}

}  // namespace swz
