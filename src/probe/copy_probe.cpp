// SPDX-License-Identifier: Apache-2.0
#include "probe/copy_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "probe/tensor_map_probe.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

using tensor_image::passes;

// The layout that kernels/copy.cu reads. A block of rank 0 loads nothing.
struct Block {
  std::uint32_t map = 0, rank = 0, is_image = 0;
  std::array<std::int32_t, 5> start = {};
  std::array<std::uint32_t, 3> offsets = {};
  std::uint32_t to = 0, window = 0, expect = 0, fill = 0, unused = 0;
};
constexpr std::size_t header_bytes = 16;

bool is_interleaved(const CopyPlan& plan) { return plan.map.tensor.interleave != TensorMapInterleave::none; }

Window window_of(const CopyPlan& plan) { return tensor_image::window_of(plan.to, plan.placement().allocate()); }

// Bytes of output for the window of each block: the largest window, in whole 16 bytes.
template <class Plan>
std::int64_t window_bytes(std::span<const Plan> plans) {
  std::int64_t most = 0;
  for (const CopyPlan& plan : plans) most = std::max(most, window_of(plan).size);
  return (most + 15) / 16 * 16;
}

void require_fine(const CopyPlan& plan) {
  tensor_image::require_copied(plan.map.tensor.data_type);
  if (plan.is_image) require_possible(plan.map, sm_90a());
  else require_accepted(plan.map.tensor, sm_90a());
  if (plan.map.wide) throw Error("im2col::w needs Blackwell and is not probed", "im2col");
  const BoxPlacement placement = plan.placement();
  tensor_image::require_fine(plan.map.tensor, placement);
  require_fine_start(placement, plan.start);
}

template <class Plan>
Launch launch_of_all(std::span<const Plan> plans) {
  Launch out;
  out.dynamic_smem = sm_90a().max_smem_per_cta;
  out.scalars = {word32(sm_90a().reserved_smem.count), word32(out.dynamic_smem.count), word32(window_bytes(plans))};
  out.inputs[2] = tensor_image::all_passes();
  for (const CopyPlan& plan : plans)
    for (int pass = 0; pass < passes; ++pass) {
      Block block{.map = static_cast<std::uint32_t>(out.inputs[0].size() / sizeof(Block)),
                  .rank = word32(plan.map.tensor.rank),
                  .is_image = plan.is_image,
                  .to = word32(plan.to.count),
                  .window = word32(window_of(plan).begin),
                  .expect = word32(plan.placement().expect_bytes().count),
                  .fill = tensor_image::before[static_cast<std::size_t>(pass)]};
      for (std::size_t d = 0; d < 5; ++d) block.start[d] = static_cast<std::int32_t>(plan.start[d]);
      for (std::size_t i = 0; i < 3; ++i) block.offsets[i] = word32(plan.offsets.filter[i]);
      append(out.inputs[0], block);
    }
  out.grid = static_cast<int>(plans.size()) * passes;
  out.inputs[1].resize(static_cast<std::size_t>(out.grid) * 128);
  out.output_bytes = out.grid * (static_cast<std::int64_t>(header_bytes) + window_bytes(plans));
  return out;
}

template <class Plan>
Launch with_maps(Launch launch, std::span<const Plan> plans, ProbeDevice& device) {
  ByteBuffer maps;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const CopyPlan& plan = plans[i];
    const auto made = plan.is_image ? device.encode(plan.map) : device.encode(plan.map.tensor);
    for (std::size_t pass = 0; pass < passes; ++pass) {
      EncodedTensorMap map = made.value_or(EncodedTensorMap{});
      // globalAddress is the whole first word, and the device adds the address of the tensors.
      map.words[0] += pass * static_cast<std::uint64_t>(tensor_image::bytes);
      launch.addresses.push_back({1, std::ssize(maps), 2});
      append_bytes(maps, to_bytes(map));
      if (made) continue;
      const std::uint32_t none = 0;
      __builtin_memcpy(launch.inputs[0].data() + (i * passes + pass) * sizeof(Block) + offsetof(Block, rank), &none,
                       sizeof none);
    }
  }
  launch.inputs[1] = std::move(maps);
  return launch;
}

template <class Plan>
Observations decoded(std::span<const Plan> plans, const ByteBuffer& output) {
  Observations out;
  const std::size_t stride = header_bytes + static_cast<std::size_t>(window_bytes(plans));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const CopyPlan& plan = plans[i];
    const std::size_t first = i * passes * stride;
    Observation seen{static_cast<std::int64_t>(read_at<std::uint32_t>(output, first))};
    for (std::size_t pass = 1; pass < passes; ++pass)
      if (read_at<std::uint32_t>(output, first + pass * stride) != seen[0]) seen[0] = strange_byte;
    const Window window = window_of(plan);
    for (std::int64_t byte = 0; byte < window.size; ++byte) {
      tensor_image::Seen bytes = {};
      for (std::size_t pass = 0; pass < passes; ++pass)
        bytes[pass] = output[first + pass * stride + header_bytes + static_cast<std::size_t>(byte)];
      const std::int64_t from = tensor_image::origin(bytes);
      // Codes count from the beginning of the tensors, places from globalAddress.
      seen.push_back(from < 0 ? from : from - static_cast<std::int64_t>(plan.map.tensor.global_address));
    }
    out.push_back(std::move(seen));
  }
  return out;
}

// --- other models

// The copy as a mistaken program has it.
CopyPlan mistaken(const CopyPlan& plan_before, Hypothesis hypothesis) {
  CopyPlan plan = plan_before;
  if (!plan.is_image) {
    TensorMap& tensor = plan.map.tensor;
    const std::int64_t slice = plan.placement().element_bits() / find_row(tensor.data_type)->smem_bits;
    if (hypothesis == Hypothesis::slices_of_elements)
      tensor.box[0] = std::max<std::uint64_t>(1, tensor.box[0] / static_cast<std::uint64_t>(slice));
    return is_accepted(tensor, sm_90a()) ? plan : CopyPlan(plan_before);
  }
  const std::size_t first = is_interleaved(plan) ? 0 : 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(plan.map.corner_count()); ++i) {
    std::int64_t& offset = plan.offsets.filter[i];
    if (hypothesis == Hypothesis::offsets_turn) {
      // The walk with the offsets added before the test: from a start that is moved, read where it is.
      plan.start[first + i] += offset;
      offset = 0;
    }
    if (hypothesis == Hypothesis::turns_to_start) plan.map.lower_corner[i] = plan.start[first + i];
  }
  if (hypothesis == Hypothesis::offset_off_by_one)
    plan.offsets.filter[0] += plan.offsets.filter[0] == most_filter_offset(plan.map) ? -1 : 1;
  return plan;
}

// Where a mistaken program has a byte, from the beginning of the box.
std::int64_t place_of(const BoxPlacement& box, std::int64_t row, std::int64_t byte, Hypothesis hypothesis) {
  const TensorMapSwizzleRow& swizzle = *find_row(box.map().swizzle);
  std::int64_t pitch = hypothesis == Hypothesis::rows_packed ? box.inner().count : box.pitch().count;
  if (hypothesis == Hypothesis::rows_at_span && box.map().interleave != TensorMapInterleave::none)
    pitch = std::max(pitch, swizzle.span.count);
  const std::int64_t linear = row * pitch + byte, mask = (1 << swizzle.bits) - 1;
  const std::int64_t line = (hypothesis == Hypothesis::relative_xor ? linear : box.address().count + linear) >> 7;
  return linear ^ ((line & (hypothesis == Hypothesis::mask_off_by_one && mask > 0 ? mask - 1 : mask)) << 4);
}

bool is_about_rows(Hypothesis hypothesis) {
  return hypothesis == Hypothesis::offsets_turn || hypothesis == Hypothesis::turns_to_start ||
         hypothesis == Hypothesis::offset_off_by_one;
}

}  // namespace

Kernel kernel_of(const CopyPlan&) { return {"copy", ""}; }

Launch launch_of(std::span<const Im2colPlan> plans, Hypothesis) { return launch_of_all(plans); }
Launch launch_of(std::span<const InterleavePlan> plans, Hypothesis) { return launch_of_all(plans); }
Launch with_driver_maps(Launch launch, std::span<const Im2colPlan> plans, ProbeDevice& device) {
  return with_maps(std::move(launch), plans, device);
}
Launch with_driver_maps(Launch launch, std::span<const InterleavePlan> plans, ProbeDevice& device) {
  return with_maps(std::move(launch), plans, device);
}
Observations decode(std::span<const Im2colPlan> plans, const ByteBuffer& output, Hypothesis) {
  return decoded(plans, output);
}
Observations decode(std::span<const InterleavePlan> plans, const ByteBuffer& output, Hypothesis) {
  return decoded(plans, output);
}

Observation expected(const CopyPlan& plan, Hypothesis hypothesis) {
  const CopyPlan copy = mistaken(plan, hypothesis);
  const BoxPlacement box = plan.is_image ? plan.placement() : BoxPlacement(copy.map.tensor, copy.to);
  // The rows are those of the mistaken copy, if its map is one; the places those of the real one.
  const bool has_rows = plan.is_image && is_about_rows(hypothesis) && violations(copy.map, sm_90a()).empty();
  const BoxPlacement rows = has_rows ? copy.placement() : box;
  const std::vector<std::int64_t> image = image_from(rows, has_rows ? copy.start : plan.start);
  const Window window = window_of(plan);
  Observation out(static_cast<std::size_t>(1 + window.size), untouched_byte);
  out[0] = box.expect_bytes().count;
  for (std::int64_t row = 0; row < box.rows(); ++row)
    for (std::int64_t byte = 0; byte < box.inner().count; ++byte) {
      const Bytes at = rows.byte(row, byte);
      const std::int64_t from = image[static_cast<std::size_t>(at.count - plan.to.count)];
      if (from == filled_byte && hypothesis == Hypothesis::outside_not_counted) --out[0];
      const std::int64_t index = plan.to.count + place_of(box, row, byte, hypothesis) - window.begin;
      if (index < window.size)
        out[static_cast<std::size_t>(1 + index)] =
            from == filled_byte ? tensor_image::fill_of(plan.map.tensor, byte) : from;
    }
  return out;
}

std::string subject(const CopyPlan& plan) {
  const auto list = [](const auto& values, int count) {
    return fmt::format("({})", fmt::join(values.begin(), values.begin() + count, ", "));
  };
  const int corners = plan.map.corner_count();
  const std::string image =
      plan.is_image
          ? fmt::format(" with offsets {}, lower {}, upper {}, {} channels, {} pixels",
                        list(plan.offsets.filter, corners), list(plan.map.lower_corner, corners),
                        list(plan.map.upper_corner, corners), plan.map.channels_per_pixel, plan.map.pixels_per_column)
          : "";
  return fmt::format("{} load from {}{} to {:#x}: {}", plan.is_image ? "im2col" : "tile",
                     list(plan.start, plan.map.tensor.dim_count()), image, plan.to.count,
                     subject(TensorMapPlan{plan.map.tensor}));
}

std::string element_name(const CopyPlan& plan, std::int64_t index) {
  return index == 0 ? "bytes counted" : fmt::format("SMEM byte {:#x}", window_of(plan).begin + index - 1);
}

std::string value_name(const CopyPlan&, std::int64_t value) { return tensor_image::value_name(value); }

namespace {

Json json_of(const CopyPlan& plan, const char* key) {
  Json out = map_json(plan.map.tensor, key);
  const auto list = [](const auto& values, int count) {
    return Json(std::vector<std::int64_t>(values.begin(), values.begin() + count));
  };
  if (plan.is_image) {
    const int corners = plan.map.corner_count();
    out["lower"] = list(plan.map.lower_corner, corners);
    out["upper"] = list(plan.map.upper_corner, corners);
    out["channels"] = plan.map.channels_per_pixel;
    out["pixels"] = plan.map.pixels_per_column;
    out["offsets"] = list(plan.offsets.filter, corners);
  }
  out["start"] = list(plan.start, plan.map.tensor.dim_count());
  out["to"] = plan.to.count;
  return out;
}

template <class Plan>
Plan plan_of(const Json& json, const char* key) {
  Plan plan;
  plan.is_image = json.contains("pixels");
  plan.map.tensor = map_of(json, key);
  const auto fill = [&](const char* name, auto& values) {
    const auto given = json.at(name).get<std::vector<std::int64_t>>();
    std::copy_n(given.begin(), std::min(given.size(), values.size()), values.begin());
  };
  if (plan.is_image) {
    fill("lower", plan.map.lower_corner);
    fill("upper", plan.map.upper_corner);
    fill("offsets", plan.offsets.filter);
    plan.map.channels_per_pixel = json.at("channels").get<std::uint64_t>();
    plan.map.pixels_per_column = json.at("pixels").get<std::uint64_t>();
  }
  fill("start", plan.start);
  plan.to = Bytes{json.at("to").get<std::int64_t>()};
  require_fine(plan);
  return plan;
}

}  // namespace

Json to_json(const Im2colPlan& plan) { return json_of(plan, "im2col"); }
Json to_json(const InterleavePlan& plan) { return json_of(plan, "interleave"); }
Im2colPlan im2col_plan(const Json& json) { return plan_of<Im2colPlan>(json, "im2col"); }
InterleavePlan interleave_plan(const Json& json) {
  const auto plan = plan_of<InterleavePlan>(json, "interleave");
  if (!is_interleaved(plan)) throw Error("the map has no interleave", "tiles without it are probed by tma");
  return plan;
}

}  // namespace swz
