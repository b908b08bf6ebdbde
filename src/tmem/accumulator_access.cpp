// SPDX-License-Identifier: Apache-2.0
#include "tmem/accumulator_access.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

AccumulatorAccess::AccumulatorAccess(const Accumulator& d, const AccessPlace& place) : d_(d), place_(place) {
  if (place.cta < 0 || place.cta >= d.path().cta_group)
    throw usage_error(fmt::format("there is no CTA {} with cta_group::{}", place.cta, d.path().cta_group),
                      d.path().cta_group == 1 ? "leave cta out" : "CTAs are 0 and 1");
  if (place.warp < 0 || place.warp > 3)
    throw usage_error(fmt::format("a warpgroup has no warp {}", place.warp),
                      "warps are 0 to 3: warp w of the kernel reaches the lanes of w % 4");
  if (place.lane != 0 && place.lane != tmem_quarter / 2)
    throw usage_error(fmt::format("no access begins at lane {} of the warp's quarter", place.lane), "lane is 0 or 16");
  if (place.column < 0 || place.column >= d.columns())
    throw usage_error(fmt::format("D has no column {} in tensor memory", place.column),
                      fmt::format("columns are 0 to {}", d.columns() - 1));
}

std::optional<Coordinate> AccumulatorAccess::element(Coordinate at) const {
  const TmemCell first = first_cell();
  return d_.element({first.cta, first.lane + at.row, first.column + at.column});
}

void AccumulatorAccess::require_window(const Fragment& window) const {
  if (place_.lane + window.rows > tmem_quarter)
    throw usage_error(fmt::format("{} takes all {} lanes of the warp", window.name, window.rows), "lane is 0");
  if (place_.column + window.columns > tmem_columns)
    throw usage_error(fmt::format("columns {} to {} leave tensor memory, which has {}", place_.column,
                                  place_.column + window.columns - 1, tmem_columns),
                      "begin at a lower column, or take a smaller .xN");
}

}  // namespace swz
