// SPDX-License-Identifier: Apache-2.0
#include "probe/tx_bytes_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

constexpr int row_elements = 128, unit_elements = 16;
constexpr int most_rows = 64;
// Bytes per 16 elements: with 4 bits, with 6 bits, and with the padding.
constexpr std::array<int, 3> units{8, 12, 16};
constexpr std::int64_t tensor_begin = 256, tensor_bytes = 8192;
constexpr std::size_t block_bytes = 16;

// The layout that kernels/tx_bytes.cu reads. A block of rank 0 loads nothing and returns `expect`.
struct Block {
  std::uint32_t map = 0, rank = 2, to = 0, expect = 0;
};

const TensorMapDataTypeRow& type_of(const TxBytesPlan& plan) { return *find_row(plan.type); }

TensorMap map_of(const TxBytesPlan& plan) {
  const auto rows = static_cast<std::uint64_t>(plan.rows);
  const auto rows_inside = static_cast<std::uint64_t>(plan.rows - plan.outside);
  TensorMap map;
  map.data_type = plan.type;
  map.rank = 2;
  map.global_address = tensor_begin;
  map.dims = {row_elements, rows_inside};
  map.strides = {static_cast<std::uint64_t>(row_elements * type_of(plan).gmem_bits / 8)};
  map.box = {row_elements, rows};
  map.swizzle = plan.swizzle;
  return map;
}

// What the loads expect: units of all rows, then of those inside.
std::size_t loads_of(const TxBytesPlan& plan) { return units.size() * (plan.outside > 0 ? 2 : 1); }

int bytes_of(int rows, int unit) { return rows * row_elements / unit_elements * unit; }

int expected_bytes(const TxBytesPlan& plan, std::size_t load) {
  return bytes_of(plan.rows - (load < units.size() ? 0 : plan.outside), units[load % units.size()]);
}

bool is_padded(const TensorMapDataTypeRow& row) { return row.gmem_bits < row.smem_bits; }

constexpr std::array padded_types{TensorMapDataType::u4_align16, TensorMapDataType::u6_align16};
// The swizzles that the documents allow for one of these types come first.
using enum TensorMapSwizzle;
constexpr std::array swizzles{none, b128, b128_atom_64, b128_atom_32, b128_atom_32_flip_8, b32, b64};

// The values besides 1, completes, and 0, does not.
constexpr std::uint32_t map_refused = 2, map_accepted = 3;

bool is_refused(const TxBytesPlan& plan, Hypothesis hypothesis) {
  const bool by_ptx = hypothesis == Hypothesis::ptx_swizzles && plan.swizzle == b128_atom_64;
  return !by_ptx && !is_accepted(map_of(plan), sm_100a());
}

// No row of the box is wider than the pattern.
bool is_safe_to_load(TensorMapSwizzle swizzle) {
  const Bytes span = find_row(swizzle)->span;
  return span.count == 0 || span.count >= row_elements;
}

}  // namespace

TxBytesPlan draw_tx_bytes(std::size_t number, Random& random) {
  TxBytesPlan plan{padded_types[number % padded_types.size()], swizzles[number / padded_types.size() % swizzles.size()],
                   static_cast<int>(1 + random.below(most_rows))};
  if (const int most = (plan.rows - 1) / 4; most > 0 && random.one_in(2))
    plan.outside = static_cast<int>(1 + random.below(most));
  return plan;
}

Kernel kernel_of(const TxBytesPlan&) { return {"tx_bytes", ""}; }

Launch launch_of(std::span<const TxBytesPlan> plans, Hypothesis) {
  const Target& target = sm_100a();
  Launch out;
  out.threads = 32;
  out.dynamic_smem = target.max_smem_per_cta;
  out.scalars = {word32(target.reserved_smem.count)};
  out.inputs[1].resize(plans.size() * 128);
  out.inputs[2].resize(tensor_bytes);
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (std::size_t load = 0; load < loads_of(plans[i]); ++load, ++out.grid)
      // No box is at the beginning of shared memory, where the barrier is.
      append(out.inputs[0], Block{.map = static_cast<std::uint32_t>(i),
                                  .to = word32(target.reserved_smem.count + 1024),
                                  .expect = word32(expected_bytes(plans[i], load))});
  out.output_bytes = out.grid * static_cast<std::int64_t>(block_bytes);
  return out;
}

Launch with_driver_maps(Launch launch, std::span<const TxBytesPlan> plans, ProbeDevice& device) {
  ByteBuffer maps;
  std::size_t block = 0;
  for (const TxBytesPlan& plan : plans) {
    const std::optional<EncodedTensorMap> encoded = device.encode(map_of(plan));
    if (encoded) launch.addresses.push_back({1, std::ssize(maps), 2});
    append_bytes(maps, to_bytes(encoded.value_or(EncodedTensorMap{})));
    const Block no_load{.rank = 0, .expect = encoded ? map_accepted : map_refused};
    for (std::size_t load = 0; load < loads_of(plan); ++load, ++block)
      if (!encoded || !is_safe_to_load(plan.swizzle))
        __builtin_memcpy(launch.inputs[0].data() + block * sizeof(Block), &no_load, sizeof no_load);
  }
  launch.inputs[1] = std::move(maps);
  return launch;
}

Observations decode(std::span<const TxBytesPlan> plans, const ByteBuffer& output, Hypothesis) {
  Observations out;
  std::size_t block = 0;
  for (const TxBytesPlan& plan : plans) {
    Observation& seen = out.emplace_back();
    for (std::size_t load = 0; load < loads_of(plan); ++load) seen.push_back(output[block++ * block_bytes]);
  }
  return out;
}

Observation expected(const TxBytesPlan& plan, Hypothesis hypothesis) {
  if (is_refused(plan, hypothesis)) return Observation(loads_of(plan), map_refused);
  const TensorMapDataTypeRow& type = type_of(plan);
  const int bits = hypothesis == Hypothesis::padding_counted ? type.smem_bits : type.gmem_bits;
  const int rows = plan.rows - (hypothesis == Hypothesis::outside_not_counted ? plan.outside : 0);
  Observation out;
  for (std::size_t load = 0; load < loads_of(plan); ++load)
    out.push_back(expected_bytes(plan, load) == bytes_of(rows, bits * unit_elements / 8) ? 1 : 0);
  return out;
}

std::string subject(const TxBytesPlan& plan) {
  return fmt::format("load of {} rows of {} {}, swizzle {}{}", plan.rows, row_elements, type_of(plan).short_name,
                     short_name(plan.swizzle),
                     plan.outside == 0 ? "" : fmt::format(", {} of them outside the tensor", plan.outside));
}

std::string element_name(const TxBytesPlan& plan, std::int64_t index) {
  const auto load = static_cast<std::size_t>(index);
  return fmt::format("{} B expected, {} for each 16 elements{}", expected_bytes(plan, load), units[load % units.size()],
                     load < units.size() ? "" : " inside the tensor");
}

std::string value_name(const TxBytesPlan&, std::int64_t value) {
  if (value == map_refused) return "the driver refuses the map";
  if (value == map_accepted) return "the driver accepts the map, no load";
  return value == 1 ? "completes" : "does not complete";
}

Json to_json(const TxBytesPlan& plan) {
  Json out{{"tx_bytes", type_of(plan).short_name}, {"swizzle", short_name(plan.swizzle)}, {"rows", plan.rows}};
  if (plan.outside != 0) out["outside"] = plan.outside;
  return out;
}

TxBytesPlan tx_bytes_plan(const Json& json) {
  TxBytesPlan plan;
  plan.type = require_tensor_map_data_type(json.at("tx_bytes").get<std::string>());
  plan.swizzle = require_tensor_map_swizzle(json.at("swizzle").get<std::string>());
  plan.rows = json.at("rows").get<int>();
  if (!is_padded(type_of(plan)))
    throw Error(fmt::format("{} is not padded in shared memory", type_of(plan).short_name), "b4x16_p64, b6x16_p32");
  if (std::ranges::find(swizzles, plan.swizzle) == swizzles.end())
    throw Error(fmt::format("swizzle {} is not probed", short_name(plan.swizzle)), "those of CUtensorMapSwizzle");
  if (plan.rows < 1 || plan.rows > most_rows)
    throw Error(fmt::format("{} rows are not probed", plan.rows), fmt::format("1 to {}", most_rows));
  if (json.contains("outside")) plan.outside = json.at("outside").get<int>();
  if (plan.outside < 0 || plan.outside > (plan.rows - 1) / 4)
    throw Error(fmt::format("{} of {} rows outside are not probed", plan.outside, plan.rows), "less than a quarter");
  return plan;
}

}  // namespace swz
