// SPDX-License-Identifier: Apache-2.0
#include "probe/tma_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

using namespace tma_codes;

constexpr Bytes margin{128};
constexpr std::int64_t most_allocated = 64 * 1024;

// The layout that kernels/tma.cu reads.
struct Block {
  std::uint32_t map = 0, rank = 0;
  std::array<std::int32_t, 5> start = {};
  std::uint32_t to = 0, window = 0, expect = 0, fill = 0, unused = 0;
};

std::int64_t fill_of(const TensorMap& map, std::int64_t byte_in_row) {
  if (map.oob_fill == TensorMapOobFill::zero) return filled_byte;
  return nan_byte - (byte_in_row % 2 == 1 ? nan_fill >> 8 : nan_fill & 0xff);
}

using enum TensorMapDataType;
constexpr std::array copied_types{uint8, uint16, uint32, int32, uint64, int64, float16, float32, float64, bfloat16};

// Bytes of output for the window of each block: the largest window, in whole 16 bytes.
std::int64_t window_bytes(std::span<const TmaPlan> plans) {
  std::int64_t most = 0;
  for (const TmaPlan& plan : plans) most = std::max(most, window_of(plan).size);
  return (most + 15) / 16 * 16;
}

}  // namespace

namespace tma_codes {

std::uint8_t code(std::int64_t byte, int pass) {
  const auto place = static_cast<std::uint64_t>(byte + 1);
  return static_cast<std::uint8_t>(pass == 3 ? ~place : place >> (8 * pass));
}

// The byte of the tensor, or the other meaning of the four passes.
std::int64_t origin(const std::array<std::uint8_t, passes>& seen) {
  if (seen == before) return untouched_byte;
  if (std::ranges::count(seen, seen[0]) == passes) return seen[0] == 0 ? filled_byte : nan_byte - seen[0];
  if (seen[3] != static_cast<std::uint8_t>(~seen[0])) return strange_byte;
  return (seen[0] | seen[1] << 8 | seen[2] << 16) - 1;
}

ByteBuffer tensors() {
  ByteBuffer out;
  out.reserve(passes * tensor_bytes);
  for (int pass = 0; pass < passes; ++pass)
    for (std::int64_t byte = 0; byte < tensor_bytes; ++byte) out.push_back(code(byte, pass));
  return out;
}

}  // namespace tma_codes

Window window_of(const TmaPlan& plan) {
  const std::int64_t begin = plan.to.count - margin.count;
  const std::int64_t end = std::min(plan.to.count + BoxPlacement(plan.map, plan.to).allocate().count + margin.count,
                                    sm_90a().smem_window().count);
  return {begin, end - begin};
}

// Checks that the kernel can execute the plan, and that nothing is read from beyond the probe's tensor.
void require_fine(const TmaPlan& plan) {
  const TensorMap& map = plan.map;
  if (std::ranges::find(copied_types, map.data_type) == copied_types.end())
    throw Error("no load of this type is probed: TMA converts or pads it",
                "types: u8 to u64, s32, s64, f16 to f64, bf16");
  require_accepted(map, sm_90a());
  const BoxPlacement placement(map, plan.to);
  if (placement.allocate().count > most_allocated)
    throw Error(fmt::format("the box takes {} B of shared memory", placement.allocate().count),
                fmt::format("boxes of up to {} B are probed", most_allocated));
  const std::int64_t first = sm_90a().reserved_smem.count + margin.count;
  if (plan.to.count < first)
    throw Error(fmt::format("the box goes to {:#x}", plan.to.count),
                fmt::format("the probe has shared memory from {:#x} on", first));
  const std::int64_t size = find_row(map.data_type)->smem_bits / 8;
  for (const std::int64_t start : plan.start)
    if (start < INT32_MIN || start > INT32_MAX)
      throw Error(fmt::format("the coordinate {} does not fit in 32 bits", start));
  if (plan.start[0] * size % 16 != 0)
    throw Error(fmt::format("the load starts at element {} of dimension 0", plan.start[0]),
                "hardware refuses starts that are not a multiple of 16 bytes there");
  // Sizes up to 2^20 each, so that no product overflows.
  bool is_inside = map.global_address < tensor_bytes;
  auto end = static_cast<std::int64_t>(map.global_address % tensor_bytes);
  for (std::size_t d = 0; d < static_cast<std::size_t>(map.dim_count()) && is_inside; ++d) {
    const std::uint64_t stride = d == 0 ? static_cast<std::uint64_t>(size) : map.strides[d - 1];
    is_inside = map.dims[d] <= tensor_bytes && stride <= tensor_bytes;
    if (is_inside) end += static_cast<std::int64_t>((map.dims[d] - (d == 0 ? 0 : 1)) * stride);
  }
  if (!is_inside || end > tensor_bytes)
    throw Error("the tensor is larger than that of the probe", fmt::format("it has {} B", tensor_bytes));
}

TmaPlan draw_tma(Random& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (;;) {
    TmaPlan plan;
    TensorMap& map = plan.map;
    map.data_type = random.of(copied_types);
    map.rank = static_cast<int>(1 + below(5));
    map.swizzle = static_cast<TensorMapSwizzle>(below(4));
    map.l2_promotion = static_cast<TensorMapL2Promotion>(below(4));
    if (find_row(map.data_type)->is_floating && random.one_in(4)) map.oob_fill = TensorMapOobFill::nan;
    map.global_address = 16 * below(64);
    const auto size = static_cast<std::uint64_t>(find_row(map.data_type)->smem_bits / 8);
    draw_inner_box(map, random);
    if (random.one_in(4)) map.element_strides[0] = 1 + below(8);
    map.dims[0] = 1 + below(2 * map.box[0]);
    std::uint64_t extent = (map.dims[0] * size + 15) / 16 * 16, rows = 1;
    for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank); ++d) {
      map.box[d] = 1 + below(std::uint64_t{1} << below(d == 1 ? 8 : 4));
      map.dims[d] = 1 + below(map.box[d] + 4);
      if (random.one_in(4)) map.element_strides[d] = 1 + below(8);
      extent += 16 * below(3);
      map.strides[d - 1] = extent;
      extent *= map.dims[d];
      rows *= map.box[d];
      if (extent > tensor_bytes) break;
    }
    const auto span = static_cast<std::uint64_t>(find_row(map.swizzle)->span.count);
    if (extent + 1024 > tensor_bytes || !is_accepted(map, sm_90a()) ||
        rows * std::max(span, map.box[0] * size) > most_allocated)
      continue;
    // Before, inside and beyond the tensor; along dimension 0 in steps of 16 bytes, because others are refused.
    for (std::size_t d = 0; d < static_cast<std::size_t>(map.rank); ++d)
      if (random.one_in(3)) {
        const auto step = static_cast<std::int64_t>(d == 0 ? 16 / size : 1);
        const auto box = static_cast<std::int64_t>(map.box[d]), dim = static_cast<std::int64_t>(map.dims[d]);
        plan.start[d] = (random.below(dim + box) - box / 2) / step * step;
      }
    const std::int64_t first = sm_90a().reserved_smem.count + 2 * margin.count;
    const std::int64_t room = sm_90a().smem_window().count - most_allocated - first;
    plan.to = Bytes{first + margin.count * random.below(room / margin.count)};
    return plan;
  }
}

Kernel kernel_of(const TmaPlan&) { return {"tma", ""}; }

Launch launch_of(std::span<const TmaPlan> plans, Hypothesis) {
  Launch out;
  out.dynamic_smem = sm_90a().max_smem_per_cta;
  out.scalars = {word32(sm_90a().reserved_smem.count), word32(out.dynamic_smem.count), word32(window_bytes(plans))};
  out.inputs[2] = tensors();
  for (const TmaPlan& plan : plans) {
    const BoxPlacement placement(plan.map, plan.to);
    for (int pass = 0; pass < passes; ++pass) {
      Block block{.map = static_cast<std::uint32_t>(out.inputs[1].size() / 128),
                  .rank = word32(plan.map.rank),
                  .to = word32(plan.to.count),
                  .window = word32(plan.to.count - margin.count),
                  .expect = word32(placement.expect_bytes().count),
                  .fill = before[static_cast<std::size_t>(pass)]};
      for (std::size_t d = 0; d < 5; ++d) block.start[d] = static_cast<std::int32_t>(plan.start[d]);
      append(out.inputs[0], block);
      TensorMap of_pass = plan.map;
      of_pass.global_address += static_cast<std::uint64_t>(pass * tensor_bytes);
      // globalAddress is the whole first word, and the device adds the address of the tensors.
      out.addresses.push_back({1, static_cast<std::int64_t>(out.inputs[1].size()), 2});
      append_bytes(out.inputs[1], to_bytes(encode(of_pass)));
    }
  }
  out.grid = static_cast<int>(plans.size()) * passes;
  out.output_bytes = out.grid * (16 + window_bytes(plans));
  return out;
}

Observations decode(std::span<const TmaPlan> plans, const ByteBuffer& output, Hypothesis) {
  // Codes count from the beginning of the tensors, places from globalAddress.
  Observations out;
  const auto stride = static_cast<std::size_t>(16 + window_bytes(plans));
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Window window = window_of(plans[i]);
    Observation seen;
    for (std::int64_t byte = 0; byte < window.size; ++byte) {
      std::array<std::uint8_t, passes> bytes = {};
      bool is_complete = true;
      for (std::size_t pass = 0; pass < passes; ++pass) {
        const std::size_t block = (i * passes + pass) * stride;
        is_complete = is_complete && output[block] == 1;
        bytes[pass] = output[block + 16 + static_cast<std::size_t>(byte)];
      }
      const std::int64_t from = is_complete ? origin(bytes) : strange_byte;
      seen.push_back(from < 0 ? from : from - static_cast<std::int64_t>(plans[i].map.global_address));
    }
    out.push_back(std::move(seen));
  }
  return out;
}

Observation expected(const TmaPlan& plan, Hypothesis hypothesis) {
  const BoxPlacement placement(plan.map, plan.to);
  const TensorMapSwizzleRow& swizzle = *find_row(plan.map.swizzle);
  const Window window = window_of(plan);
  const std::vector<std::int64_t> image = box_image(placement, plan.start);
  Observation out(static_cast<std::size_t>(window.size), untouched_byte);
  const auto place = [&](std::int64_t row, std::int64_t byte) {
    const std::int64_t pitch =
        hypothesis == Hypothesis::rows_packed ? placement.inner().count : placement.pitch().count;
    const std::int64_t linear = row * pitch + byte;
    const std::int64_t mask = (1 << swizzle.bits) - 1;
    const std::int64_t line = (hypothesis == Hypothesis::relative_xor ? linear : plan.to.count + linear) >> 7;
    return linear ^ ((line & (hypothesis == Hypothesis::mask_off_by_one && mask > 0 ? mask - 1 : mask)) << 4);
  };
  for (std::int64_t row = 0; row < placement.rows(); ++row)
    for (std::int64_t byte = 0; byte < placement.inner().count; ++byte) {
      const Bytes at = placement.byte(row, byte);
      const std::int64_t from = image[static_cast<std::size_t>(at.count - plan.to.count)];
      const std::int64_t to = hypothesis == Hypothesis::none ? at.count - plan.to.count : place(row, byte);
      const std::int64_t index = plan.to.count + to - window.begin;
      if (index < window.size)
        out[static_cast<std::size_t>(index)] = from == filled_byte ? fill_of(plan.map, byte) : from;
    }
  return out;
}

std::string subject(const TmaPlan& plan) {
  return fmt::format("load from ({}) to {:#x}: {}",
                     fmt::join(plan.start.begin(), plan.start.begin() + plan.map.dim_count(), ", "), plan.to.count,
                     subject(TensorMapPlan{plan.map}));
}

std::string element_name(const TmaPlan& plan, std::int64_t index) {
  return fmt::format("SMEM byte {:#x}", window_of(plan).begin + index);
}

std::string value_name(const TmaPlan&, std::int64_t value) {
  if (value >= 0) return fmt::format("byte {} of the tensor", value);
  if (value == filled_byte) return "filled with 0";
  if (value == untouched_byte) return "untouched";
  if (value <= nan_byte) return fmt::format("filled with {:#04x}", nan_byte - value);
  return "something else";
}

Json to_json(const TmaPlan& plan) {
  Json out = map_json(plan.map, "tma");
  out["start"] = std::vector<std::int64_t>(plan.start.begin(), plan.start.begin() + plan.map.dim_count());
  out["to"] = plan.to.count;
  return out;
}

TmaPlan tma_plan(const Json& json) {
  TmaPlan plan{map_of(json, "tma"), {}, Bytes{json.at("to").get<std::int64_t>()}};
  const auto start = json.at("start").get<std::vector<std::int64_t>>();
  std::copy_n(start.begin(), std::min(start.size(), plan.start.size()), plan.start.begin());
  require_fine(plan);
  return plan;
}

}  // namespace swz
