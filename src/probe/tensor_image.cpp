// SPDX-License-Identifier: Apache-2.0
#include "probe/tensor_image.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz::tensor_image {

std::string value_name(std::int64_t value) {
  if (value >= 0) return fmt::format("byte {} of the tensor", value);
  if (value == filled_byte) return "filled with 0";
  if (value == untouched_byte) return "untouched";
  if (value <= nan_byte) return fmt::format("filled with {:#04x}", nan_byte - value);
  return "something else";
}

Window window_of(Bytes to, Bytes allocated) {
  const std::int64_t begin = to.count - margin.count;
  return {begin, std::min(to.count + allocated.count + margin.count, sm_90a().smem_window().count) - begin};
}

void require_copied(TensorMapDataType type) {
  if (std::ranges::find(copied_types, type) == copied_types.end())
    throw Error("no load of this type is probed: TMA converts or pads it",
                "types: u8 to u64, s32, s64, f16 to f64, bf16");
}

void require_fine(const TensorMap& map, const BoxPlacement& placement) {
  if (placement.allocate().count > most_allocated)
    throw Error(fmt::format("the box takes {} B of shared memory", placement.allocate().count),
                fmt::format("boxes of up to {} B are probed", most_allocated));
  const std::int64_t first = sm_90a().reserved_smem.count + margin.count;
  if (placement.address().count < first)
    throw Error(fmt::format("the box goes to {:#x}", placement.address().count),
                fmt::format("the probe has shared memory from {:#x} on", first));
  // Sizes up to 2^20 each, so that no product overflows.
  bool is_inside = map.global_address < bytes;
  auto end = static_cast<std::int64_t>(map.global_address % bytes);
  for (std::size_t d = 0; d < static_cast<std::size_t>(map.dim_count()) && is_inside; ++d) {
    const std::uint64_t stride =
        d == 0 ? static_cast<std::uint64_t>(placement.element_gmem_bits() / 8) : map.strides[d - 1];
    is_inside = map.dims[d] <= bytes && stride <= bytes;
    if (is_inside) end += static_cast<std::int64_t>((map.dims[d] - (d == 0 ? 0 : 1)) * stride);
  }
  if (!is_inside || end > bytes)
    throw Error("the tensor is larger than that of the probe", fmt::format("it has {} B", bytes));
}

Bytes draw_address(Random& random) {
  const std::int64_t first = sm_90a().reserved_smem.count + 2 * margin.count;
  const std::int64_t room = sm_90a().smem_window().count - most_allocated - first;
  return Bytes{first + margin.count * random.below(room / margin.count)};
}

}  // namespace swz::tensor_image
