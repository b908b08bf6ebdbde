// SPDX-License-Identifier: Apache-2.0
#include "base/limits.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

void require_within(const Limit& limit, std::int64_t count) {
  if (count <= limit.most) return;
  throw usage_error(fmt::format("{}: {} {} are more than the limit of {}", limit.what, count, limit.unit, limit.most),
                    std::string(limit.way_out));
}

}  // namespace swz
