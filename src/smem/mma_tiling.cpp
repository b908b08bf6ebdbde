#include "smem/mma_tiling.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

namespace {

void require_divisible(char dimension, std::int64_t extent, std::int64_t step, const MmaExtents& mma) {
  if (extent % step == 0) return;
  const std::int64_t below = extent / step * step, above = below + step;
  throw Error(
      fmt::format("{} = {} of the tile is not a multiple of the {} of {}", dimension, extent, step, to_string(mma)),
      below == 0 ? fmt::format("the smallest is {} = {}", dimension, above)
                 : fmt::format("take {} = {} or {}, or an MMA that divides it", dimension, below, above));
}

}  // namespace

MmaTiling::MmaTiling(const MmaExtents& tile, const MmaExtents& mma) : tile_(tile), mma_(mma) {
  require_divisible('M', tile.m, mma.m, mma);
  require_divisible('N', tile.n, mma.n, mma);
  require_divisible('K', tile.k, mma.k, mma);
}

}  // namespace swz
