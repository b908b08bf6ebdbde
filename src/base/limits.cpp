#include "base/limits.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {

void require_within(const Limit& limit, std::int64_t count) {
  if (count > limit.most)
    throw Error(fmt::format("{}: {} {} are more than the limit of {}", limit.what, count, limit.unit, limit.most),
                std::string(limit.way_out), {}, ErrorKind::usage);
}

std::string to_string(const Limit& limit) {
  const std::int64_t n = limit.most;
  if (limit.unit == "bytes")
    return n % limits::mib == 0 ? fmt::format("{} MiB", n / limits::mib) : fmt::format("{} KiB", n / limits::kib);
  if (is_power_of_two(n) && n >= 1 << 13) return fmt::format("2^{} {}", log2_exact(n), limit.unit);
  return fmt::format("{} {}", n, limit.unit);
}

}  // namespace swz
