// SPDX-License-Identifier: Apache-2.0
#include "probe/tensor_map_probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

std::uint64_t below(Random& random, std::uint64_t n) { return random() % n; }
std::uint64_t one_of(Random& random, std::initializer_list<std::uint64_t> values) {
  return values.begin()[below(random, values.size())];
}

// Good values, as kernels use them, and good values at the edge.
std::uint64_t draw_dim(Random& random) {
  return random.one_in(4) ? one_of(random, {1, 2, 0x7fffffff, 0x80000000, 0x100000000})
                          : 1 + below(random, 1ULL << below(random, 33));
}
std::uint64_t draw_stride(Random& random) {
  return random.one_in(6) ? one_of(random, {0, 32, 0xfffffffffe0}) : 32 * below(random, 1ULL << below(random, 35));
}
std::uint64_t draw_box(Random& random) {
  return random.one_in(3) ? one_of(random, {1, 8, 64, 128, 256}) : 1 + below(random, 256);
}

// Moves one argument to a bound or over it.
void spoil(TensorMap& map, Random& random) {
  const std::size_t d = below(random, 5);
  switch (below(random, 12)) {
    case 0: map.rank = static_cast<int>(below(random, 7)); break;
    case 1: map.global_address += one_of(random, {1, 8, 16, 1ULL << 57, (1ULL << 57) - (1ULL << 48)}); break;
    case 2: map.dims[d] = one_of(random, {0, 0x100000001, 0x7fffffffffffffff}); break;
    case 3: map.strides[d % 4] += one_of(random, {1, 8, 16}); break;
    case 4:
      map.strides[d % 4] = one_of(random, {1ULL << 40, (1ULL << 40) - 16, (1ULL << 40) - 32, 0xffffffffffff0000});
      break;
    case 5: map.box[d] = one_of(random, {0, 257, 256, 512}); break;
    case 6: map.element_strides[d] = one_of(random, {0, 9, 8, 3, 2}); break;
    case 7: map.box[0] = 1 + below(random, 256); break;
    case 8: map.interleave = static_cast<TensorMapInterleave>(below(random, 3)); break;
    case 9: map.swizzle = static_cast<TensorMapSwizzle>(below(random, 7)); break;
    case 10: map.oob_fill = TensorMapOobFill::nan; break;
    default: map.data_type = static_cast<TensorMapDataType>(below(random, 16)); break;
  }
}

// Boxes at the limit of 228 KiB: the outer extents are chosen so that the product is near it.
void fill_up(TensorMap& map, Random& random) {
  const auto size = static_cast<std::uint64_t>(find_row(map.data_type)->smem_bits / 8);
  std::uint64_t left = static_cast<std::uint64_t>(most_box_bytes.count) / (size * map.box[0]);
  for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank); ++d) {
    map.element_strides[d] = 1;
    map.box[d] = std::clamp<std::uint64_t>(left, 1, 256);
    left /= map.box[d];
  }
  if (map.rank > 1 && random.one_in(2)) map.box[1] = std::min<std::uint64_t>(map.box[1] + below(random, 3), 256);
}

}  // namespace

TensorMapPlan draw_tensor_map(Random& random) {
  TensorMap map;
  map.data_type = static_cast<TensorMapDataType>(below(random, 13));
  map.rank = static_cast<int>(1 + below(random, 5));
  map.swizzle = static_cast<TensorMapSwizzle>(below(random, 4));
  map.l2_promotion = static_cast<TensorMapL2Promotion>(below(random, 4));
  if (map.rank >= 3 && random.one_in(4)) map.interleave = static_cast<TensorMapInterleave>(1 + below(random, 2));
  const TensorMapDataTypeRow& type = *find_row(map.data_type);
  if (type.is_floating && random.one_in(3)) map.oob_fill = TensorMapOobFill::nan;
  map.global_address = 32 * below(random, 1ULL << 43);
  for (std::size_t d = 0; d < static_cast<std::size_t>(map.rank); ++d) {
    map.dims[d] = draw_dim(random);
    map.box[d] = draw_box(random);
    if (d > 0) map.strides[d - 1] = draw_stride(random);
    if (random.one_in(4)) map.element_strides[d] = 1 + below(random, 8);
  }
  draw_inner_box(map, random);
  if (random.one_in(3)) fill_up(map, random);
  while (random.one_in(2) && counted_box_bytes(map).count > most_box_bytes.count) {
    const std::size_t d = below(random, static_cast<std::uint64_t>(map.rank));
    if (d > 0) map.box[d] = 1 + map.box[d] / 2;
  }
  if (random.one_in(2)) spoil(map, random);
  if (random.one_in(8)) spoil(map, random);
  return {without_unused_entries(map)};
}

void draw_inner_box(TensorMap& map, Random& random) {
  const auto size = static_cast<std::uint64_t>(find_row(map.data_type)->smem_bits / 8);
  const auto span = static_cast<std::uint64_t>(find_row(map.swizzle)->span.count);
  const std::uint64_t widest = std::min<std::uint64_t>(span == 0 ? 256 * size : span, 256 * size) / 16;
  map.box[0] = 16 / size * (1 + below(random, widest));
}

Observation observation_of(const std::optional<EncodedTensorMap>& encoded) {
  if (!encoded) return {0};
  Observation out{1};
  for (const std::uint64_t word : encoded->words) out.push_back(static_cast<std::int64_t>(word));
  return out;
}

Observation expected(const TensorMapPlan& plan, Hypothesis hypothesis) {
  const std::vector<TensorMapViolation> found = violations(plan.map, sm_90a());
  bool is_refused = !found.empty();
  if (hypothesis == Hypothesis::documented_rules)
    is_refused = std::ranges::any_of(found, [](const TensorMapViolation& v) { return v.is_documented(); }) ||
                 std::ranges::any_of(remarks(plan.map, sm_90a()), [](const auto& v) { return v.is_documented(); });
  if (is_refused) return {0};
  if (!found.empty()) return {1};  // accepted, with unknown bytes
  return observation_of(encode(plan.map));
}

std::string subject(const TensorMapPlan& plan) {
  const TensorMap& m = plan.map;
  const int dims = m.dim_count(), strides = m.stride_count();
  const auto list = [](const auto& values, int count) {
    return fmt::format("({})", fmt::join(values.begin(), values.begin() + count, ", "));
  };
  return fmt::format(
      "tensor map {} rank {} at {:#x}, dims {}, strides {}, box {}, element strides {}, interleave {}, "
      "swizzle {}, oob fill {}",
      find_row(m.data_type)->short_name, m.rank, m.global_address, list(m.dims, dims), list(m.strides, strides),
      list(m.box, dims), list(m.element_strides, dims), static_cast<int>(m.interleave), static_cast<int>(m.swizzle),
      static_cast<int>(m.oob_fill));
}

std::string element_name(const TensorMapPlan&, std::int64_t index) {
  return index == 0 ? "verdict" : fmt::format("word {}", index - 1);
}

std::string value_name(const TensorMapPlan&, std::int64_t value) {
  if (value == 0) return "refused or 0";
  return value == 1 ? "accepted or 1" : hex64(static_cast<std::uint64_t>(value));
}

Json map_json(const TensorMap& m, const char* key) {
  const auto list = [&](const auto& values, int count) {
    return Json(std::vector<std::uint64_t>(values.begin(), values.begin() + count));
  };
  Json out{{key, find_row(m.data_type)->short_name},
           {"at", m.global_address},
           {"dims", list(m.dims, m.dim_count())},
           {"strides", list(m.strides, m.stride_count())},
           {"box", list(m.box, m.dim_count())}};
  // Most maps have none of these. The rank is the number of dims, unless no map has that rank.
  if (m.rank != m.dim_count()) out["rank"] = m.rank;
  if (m.element_strides != TensorMap{}.element_strides) out["steps"] = list(m.element_strides, m.dim_count());
  const std::array<int, 4> modes{static_cast<int>(m.interleave), static_cast<int>(m.swizzle),
                                 static_cast<int>(m.l2_promotion), static_cast<int>(m.oob_fill)};
  if (modes != std::array<int, 4>{}) out["modes"] = modes;
  return out;
}

TensorMap map_of(const Json& json, const char* key) {
  TensorMap m;
  m.data_type = require_tensor_map_data_type(json.at(key).get<std::string>());
  m.rank = json.value("rank", static_cast<int>(json.at("dims").size()));
  m.global_address = json.at("at").get<std::uint64_t>();
  const auto fill = [&](const char* name, auto& values) {
    const auto given = json.at(name).get<std::vector<std::uint64_t>>();
    std::copy_n(given.begin(), std::min(given.size(), values.size()), values.begin());
  };
  fill("dims", m.dims);
  fill("strides", m.strides);
  fill("box", m.box);
  if (json.contains("steps")) fill("steps", m.element_strides);
  auto modes = json.value("modes", std::vector<int>());
  modes.resize(4);
  m.interleave = static_cast<TensorMapInterleave>(modes[0]);
  m.swizzle = static_cast<TensorMapSwizzle>(modes[1]);
  m.l2_promotion = static_cast<TensorMapL2Promotion>(modes[2]);
  m.oob_fill = static_cast<TensorMapOobFill>(modes[3]);
  return without_unused_entries(m);
}

Json to_json(const TensorMapPlan& plan) { return map_json(plan.map, "tensor_map"); }
TensorMapPlan tensor_map_plan(const Json& json) { return {map_of(json, "tensor_map")}; }

}  // namespace swz
