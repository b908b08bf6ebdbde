// SPDX-License-Identifier: Apache-2.0
// Draws the plans of probe/copy_probe.hpp: corners of both signs, tails of channels and images, starts at and between
// the places of the walk, offsets up to their limit.
#include <algorithm>

#include "probe/copy_probe.hpp"
#include "probe/tensor_map_probe.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

std::uint64_t below(Random& random, std::uint64_t n) { return random() % n; }
std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
  return least + random.below(most - least + 1);
}

// The strides of the dimensions from 1 on, with a gap now and then. False if the tensor does not fit.
bool draw_strides(TensorMap& map, std::uint64_t row_bytes, std::uint64_t unit, Random& random) {
  std::uint64_t extent = (row_bytes + unit - 1) / unit * unit;
  for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank); ++d) {
    extent += unit * below(random, 3);
    map.strides[d - 1] = extent;
    extent *= map.dims[d];
    if (extent + 1024 > static_cast<std::uint64_t>(tensor_image::bytes)) return false;
  }
  return true;
}

// Corners, pixels and element strides along the axes of the walk, which begin at dimension `first`.
void draw_pixels(Im2colMap& map, std::size_t first, Random& random) {
  const std::int64_t most = map.tensor.rank == 3 ? 32767 : map.tensor.rank == 4 ? 127 : 15;
  for (std::size_t i = 0; i < static_cast<std::size_t>(map.corner_count()); ++i) {
    const auto dim = static_cast<std::int64_t>(map.tensor.dims[first + i]);
    map.lower_corner[i] = random.one_in(20) ? between(random, -most - 1, most) : between(random, -4, 3);
    const std::int64_t least = map.lower_corner[i] + 1 - dim;  // one pixel
    map.upper_corner[i] = least + random.below(random.one_in(20) ? 2 : dim + 4);
    if (random.one_in(3)) map.tensor.element_strides[first + i] = 1 + below(random, random.one_in(8) ? 8 : 3);
  }
  if (random.one_in(6)) map.tensor.element_strides[random.one_in(2) ? 0 : 1] = 1 + below(random, 3);
  if (random.one_in(6))
    map.tensor.element_strides[static_cast<std::size_t>(map.tensor.rank - 1)] = 1 + below(random, 3);
  map.pixels_per_column = 1 + below(random, std::uint64_t{1} << below(random, 11));
}

// A start in the box of pixels: a load from elsewhere traps.
void draw_start(CopyPlan& plan, std::size_t first, Random& random) {
  const TensorMap& tensor = plan.map.tensor;
  const auto last = static_cast<std::size_t>(tensor.rank - 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(plan.map.corner_count()); ++i) {
    const std::int64_t lower = plan.map.lower_corner[i];
    const std::int64_t end = static_cast<std::int64_t>(tensor.dims[first + i]) + plan.map.upper_corner[i];
    plan.start[first + i] = lower + random.below(end - lower);
    const std::int64_t most = std::min<std::int64_t>(random.one_in(15) ? 65535 : 6, most_filter_offset(plan.map));
    if (!random.one_in(4)) plan.offsets.filter[i] = random.below(most + 1);
  }
  plan.start[last] = random.below(static_cast<std::int64_t>(tensor.dims[last]));
  if (random.one_in(10)) plan.start[last] = random.one_in(2) ? -1 : static_cast<std::int64_t>(tensor.dims[last]);
}

template <class Plan>
Plan modes_of(Random& random, int least_rank) {
  Plan plan;
  TensorMap& tensor = plan.map.tensor;
  tensor.data_type = random.of(tensor_image::copied_types);
  if (random.one_in(2)) tensor.data_type = random.one_in(2) ? TensorMapDataType::float16 : TensorMapDataType::float32;
  tensor.rank = static_cast<int>(least_rank + random.below(6 - least_rank));
  tensor.swizzle = static_cast<TensorMapSwizzle>(below(random, 4));
  tensor.l2_promotion = static_cast<TensorMapL2Promotion>(below(random, 4));
  if (find_row(tensor.data_type)->is_floating && random.one_in(4)) tensor.oob_fill = TensorMapOobFill::nan;
  return plan;
}

bool is_drawn_well(CopyPlan& plan, Random& random) {
  const bool is_fine = plan.is_image ? violations(plan.map, sm_90a()).empty() : is_accepted(plan.map.tensor, sm_90a());
  if (!is_fine) return false;
  plan.to = Bytes{0};
  if (plan.placement().allocate().count > tensor_image::most_allocated) return false;
  plan.to = tensor_image::draw_address(random);
  return true;
}

std::uint64_t size_of(const TensorMap& map) {
  return static_cast<std::uint64_t>(find_row(map.data_type)->smem_bits / 8);
}

}  // namespace

Im2colPlan draw_im2col(Random& random) {
  for (;;) {
    auto plan = modes_of<Im2colPlan>(random, 3);
    plan.is_image = true;
    TensorMap& tensor = plan.map.tensor;
    tensor.global_address = 16 * below(random, 64);
    const std::uint64_t size = size_of(tensor);
    draw_inner_box(tensor, random);
    plan.map.channels_per_pixel = tensor.box[0];
    if (random.one_in(2)) plan.map.channels_per_pixel = std::min<std::uint64_t>(tensor.box[0], 64 / size);
    tensor.box = {};
    tensor.dims[0] = 1 + below(random, 2 * plan.map.channels_per_pixel);
    for (std::size_t d = 1; d < static_cast<std::size_t>(tensor.rank); ++d)
      tensor.dims[d] = 1 + below(random, d == 1 ? 12 : 6);
    draw_pixels(plan.map, 1, random);
    draw_start(plan, 1, random);
    // In steps of 16 bytes, because others are refused.
    const auto step = static_cast<std::int64_t>(16 / size);
    if (random.one_in(3))
      plan.start[0] = (random.below(static_cast<std::int64_t>(tensor.dims[0] + 2 * plan.map.channels_per_pixel)) -
                       static_cast<std::int64_t>(plan.map.channels_per_pixel)) /
                      step * step;
    if (draw_strides(tensor, tensor.dims[0] * size, 16, random) && is_drawn_well(plan, random)) return plan;
  }
}

InterleavePlan draw_interleave(Random& random) {
  for (;;) {
    auto plan = modes_of<InterleavePlan>(random, 3);
    plan.is_image = random.one_in(3);
    TensorMap& tensor = plan.map.tensor;
    tensor.interleave = static_cast<TensorMapInterleave>(1 + below(random, 2));
    const std::uint64_t unit = tensor.interleave == TensorMapInterleave::bytes_16 ? 16 : 32;
    tensor.global_address = 32 * below(random, 32);
    for (std::size_t d = 0; d < static_cast<std::size_t>(tensor.rank); ++d)
      tensor.dims[d] = 1 + below(random, d == 0 ? 40 : 6);
    if (plan.is_image) {
      plan.map.channels_per_pixel = 16 / size_of(tensor);
      draw_pixels(plan.map, 0, random);
      draw_start(plan, 0, random);
      const auto slices = static_cast<std::size_t>(tensor.rank - 2);
      plan.start[slices] = random.below(static_cast<std::int64_t>(tensor.dims[slices]) + 1);
    } else {
      tensor.box[0] = 16 / size_of(tensor) * (1 + below(random, 6));
      for (std::size_t d = 0; d < static_cast<std::size_t>(tensor.rank); ++d) {
        if (d > 0) tensor.box[d] = 1 + below(random, 4);
        if (random.one_in(4)) tensor.element_strides[d] = 1 + below(random, 3);
        if (random.one_in(3))
          plan.start[d] = random.below(static_cast<std::int64_t>(tensor.dims[d] + tensor.box[d])) -
                          static_cast<std::int64_t>(tensor.box[d] / 2);
      }
    }
    if (draw_strides(tensor, tensor.dims[0] * unit, unit, random) && is_drawn_well(plan, random)) return plan;
  }
}

}  // namespace swz
