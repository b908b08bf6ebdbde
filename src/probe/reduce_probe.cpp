// SPDX-License-Identifier: Apache-2.0
#include "probe/reduce_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "probe/tensor_map_probe.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

constexpr int slot_bits = 21;
constexpr std::int64_t most_tensor = 64 * 1024;
using tensor_image::margin;

// The layout that kernels/reduce.cu reads.
struct Block {
  std::uint32_t map = 0, rank = 0, op = 0, times = 1;
  std::array<std::int32_t, 5> start = {};
  std::uint32_t to = 0, image = 0, image_bytes = 0, box = 0;
};

constexpr std::array<std::string_view, 9> op_names{"store", "add", "min", "max", "and", "or", "xor", "inc", "dec"};

using enum TensorMapDataType;
constexpr std::array added{uint32, int32, uint64, float32, float16, bfloat16};
constexpr std::array compared{uint32, int32, uint64, int64, float16, bfloat16};
constexpr std::array bitwise{uint32, int32, uint64};
constexpr std::array counted{uint32};

TensorMapDataType draw_type(ReduceOp op, Random& random) {
  if (op == ReduceOp::store) return random.of(tensor_image::copied_types);
  if (op == ReduceOp::add) return random.of(added);
  if (op >= ReduceOp::inc) return random.of(counted);
  return op <= ReduceOp::max ? random.of(compared) : random.of(bitwise);
}

bool takes(ReduceOp op, TensorMapDataType type) {
  const auto has = [&](const auto& types) { return std::ranges::find(types, type) != types.end(); };
  if (op == ReduceOp::store) return has(tensor_image::copied_types);
  if (op == ReduceOp::add) return has(added);
  if (op >= ReduceOp::inc) return has(counted);
  return op <= ReduceOp::max ? has(compared) : has(bitwise);
}

// The most executions after which each code still has a result of its own. bfloat16 holds no sum of three exactly.
int most_times(ReduceOp op, TensorMapDataType type) {
  if (op == ReduceOp::add) return type == bfloat16 ? 1 : 3;
  if (op == ReduceOp::bxor || op == ReduceOp::inc) return 1;
  return op == ReduceOp::dec ? 2 : 3;
}

// What the tensor holds before: no code, and no result of the operation with a code.
constexpr std::int64_t before(ReduceOp op) {
  constexpr std::int64_t numbers[] = {200, 3, 200, 0, 255, 256, 0x55, 5, 255};
  return numbers[static_cast<std::size_t>(op)];
}

std::int64_t element_bytes(TensorMapDataType type) { return find_row(type)->smem_bits / 8; }

// A small number as an element: floating types are f16, bf16, f32 and f64.
std::uint64_t pattern_of(std::int64_t number, TensorMapDataType type) {
  if (!find_row(type)->is_floating) return static_cast<std::uint64_t>(number);
  if (number == 0) return 0;
  const int mantissa = type == float16 ? 10 : type == bfloat16 ? 7 : type == float32 ? 23 : 52;
  const int bias = type == float16 ? 15 : type == float64 ? 1023 : 127;
  int exponent = 0;
  while (number >> (exponent + 1) != 0) ++exponent;
  const auto fraction = static_cast<std::uint64_t>(number - (std::int64_t{1} << exponent));
  const std::uint64_t bits =
      mantissa >= exponent ? fraction << (mantissa - exponent) : fraction >> (exponent - mantissa);
  return (static_cast<std::uint64_t>(exponent + bias) << mantissa) | bits;
}

// Bits of the slot that one pass shows, and the code of each value of them.
int digit_bits(ReduceOp op) { return op == ReduceOp::inc ? 1 : 7; }
int passes(ReduceOp op) { return slot_bits / digit_bits(op); }
std::int64_t code_of(ReduceOp op, std::int64_t digit) {
  if (op == ReduceOp::inc) return digit == 0 ? 3 : 127;
  return digit + 1;
}
std::int64_t code_of(ReduceOp op, std::int64_t slot, int pass) {
  const int bits = digit_bits(op);
  return code_of(op, (slot >> (bits * pass)) & ((1 << bits) - 1));
}

// PTX ISA 9.4, red: inc is old >= code ? 0 : old + 1, dec is old == 0 || old > code ? code : old - 1.
std::int64_t result_of(ReduceOp op, std::int64_t old, std::int64_t code) {
  switch (op) {
    case ReduceOp::store: return code;
    case ReduceOp::add: return old + code;
    case ReduceOp::min: return std::min(old, code);
    case ReduceOp::max: return std::max(old, code);
    case ReduceOp::band: return old & code;
    case ReduceOp::bor: return old | code;
    case ReduceOp::bxor: return old ^ code;
    case ReduceOp::inc: return old >= code ? 0 : old + 1;
    case ReduceOp::dec: return old == 0 || old > code ? code : old - 1;
  }
  return old;
}

// After all executions in one pass.
std::int64_t result_of(const ReducePlan& plan, std::int64_t code) {
  std::int64_t value = before(plan.op);
  for (int i = 0; i < plan.times; ++i) value = result_of(plan.op, value, code);
  return value;
}

void append_element(ByteBuffer& out, std::int64_t number, TensorMapDataType type) {
  const std::uint64_t bits = pattern_of(number, type);
  for (std::int64_t b = 0; b < element_bytes(type); ++b) out.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
}

std::uint64_t element_at(const ByteBuffer& bytes, std::size_t offset, std::int64_t size) {
  std::uint64_t value = 0;
  for (std::int64_t b = size; b-- > 0;) value = value << 8 | bytes[offset + static_cast<std::size_t>(b)];
  return value;
}

Window window_of(const ReducePlan& plan) {
  return tensor_image::window_of(plan.from, BoxPlacement(plan.map, plan.from).allocate());
}

// The bytes that are examined, from globalAddress on: the tensor and what follows its last row.
std::int64_t tensor_size(const TensorMap& map) {
  auto end = static_cast<std::int64_t>(map.dims[0]) * element_bytes(map.data_type);
  for (std::size_t d = 1; d < static_cast<std::size_t>(map.dim_count()); ++d)
    end += static_cast<std::int64_t>((map.dims[d] - 1) * map.strides[d - 1]);
  return (end + 31) / 16 * 16;
}

// Bytes for the tensor of each block.
std::int64_t room_of(std::span<const ReducePlan> plans) {
  std::int64_t most = 0;
  for (const ReducePlan& plan : plans) most = std::max(most, tensor_size(plan.map));
  return (most + 255) / 256 * 256;
}

void require_fine(const ReducePlan& plan) {
  require_accepted(plan.map, sm_90a());
  if (!takes(plan.op, plan.map.data_type))
    throw Error(fmt::format("{} takes no {}", to_string(plan.op), find_row(plan.map.data_type)->short_name),
                "PTX ISA 9.4, 9.7.10.28.5.3");
  if (plan.times < 1 || plan.times > most_times(plan.op, plan.map.data_type))
    throw Error(fmt::format("{} executions of {} do not show the place", plan.times, to_string(plan.op)),
                "\"times\": 1");
  if (plan.map.interleave != TensorMapInterleave::none) throw Error("interleaved maps are not reduced here", "");
  if (plan.map.global_address != 0) throw Error("the tensor of a reduction begins at 0", "\"at\": 0");
  const BoxPlacement box(plan.map, plan.from);
  tensor_image::require_fine(plan.map, box);
  require_fine_start(box, plan.start);
  for (const std::int64_t at : plan.start)
    if (at < 0) throw Error("a store cannot begin before the tensor", "it faults");
  if (tensor_size(plan.map) > most_tensor)
    throw Error("the tensor is larger than that of the probe", fmt::format("it has {} B", most_tensor));
}

}  // namespace

std::string_view to_string(ReduceOp op) { return op_names[static_cast<std::size_t>(op)]; }

ReducePlan draw_reduce(std::size_t number, Random& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (;;) {
    ReducePlan plan;
    plan.op = static_cast<ReduceOp>(number % op_names.size());
    TensorMap& map = plan.map;
    map.data_type = draw_type(plan.op, random);
    if (random.one_in(3)) plan.times = 1 + static_cast<int>(random.below(most_times(plan.op, map.data_type)));
    map.rank = static_cast<int>(1 + below(5));
    map.swizzle = static_cast<TensorMapSwizzle>(below(4));
    const auto size = static_cast<std::uint64_t>(element_bytes(map.data_type));
    draw_inner_box(map, random);
    map.dims[0] = 1 + below(2 * map.box[0]);
    std::uint64_t extent = (map.dims[0] * size + 15) / 16 * 16;
    for (std::size_t d = 1; d < static_cast<std::size_t>(map.rank); ++d) {
      map.box[d] = 1 + below(std::uint64_t{1} << below(d == 1 ? 7 : 3));
      map.dims[d] = 1 + below(map.box[d] + 4);
      if (random.one_in(6)) map.element_strides[d] = 1 + below(3);
      extent += 16 * below(3);
      map.strides[d - 1] = extent;
      extent *= map.dims[d];
      if (extent > most_tensor) break;
    }
    if (extent + 64 > most_tensor || !is_accepted(map, sm_90a())) continue;
    for (std::size_t d = 0; d < static_cast<std::size_t>(map.rank); ++d)
      if (random.one_in(3)) {
        const auto step = static_cast<std::int64_t>(d == 0 ? 16 / size : 1);
        plan.start[d] = random.below(static_cast<std::int64_t>(map.dims[d]) + 2) / step * step;
      }
    if (BoxPlacement(map, Bytes{0}).allocate().count > tensor_image::most_allocated) continue;
    plan.from = tensor_image::draw_address(random);
    return plan;
  }
}

Kernel kernel_of(const ReducePlan&) { return {"reduce", ""}; }

Launch launch_of(std::span<const ReducePlan> plans, Hypothesis) {
  Launch out;
  const std::int64_t room = room_of(plans);
  out.dynamic_smem = sm_90a().max_smem_per_cta;
  out.scalars = {word32(sm_90a().reserved_smem.count), word32(out.dynamic_smem.count), word32(room)};
  for (const ReducePlan& plan : plans) {
    const Window window = window_of(plan);
    const std::int64_t size = element_bytes(plan.map.data_type);
    for (int pass = 0; pass < passes(plan.op); ++pass) {
      const auto block = static_cast<std::int64_t>(out.inputs[0].size() / sizeof(Block));
      Block b{.map = word32(block),
              .rank = word32(plan.map.rank),
              .op = static_cast<std::uint32_t>(plan.op),
              .times = static_cast<std::uint32_t>(plan.times),
              .to = word32(window.begin),
              .image = word32(std::ssize(out.inputs[3])),
              .image_bytes = word32(window.size / 16 * 16),
              .box = word32(plan.from.count)};
      for (std::size_t d = 0; d < 5; ++d) b.start[d] = static_cast<std::int32_t>(plan.start[d]);
      append(out.inputs[0], b);
      TensorMap map = plan.map;
      map.global_address = static_cast<std::uint64_t>(block * room);
      out.addresses.push_back({1, std::ssize(out.inputs[1]), 2});
      append_bytes(out.inputs[1], to_bytes(encode(map)));
      for (std::int64_t i = 0; i < room / size; ++i) append_element(out.inputs[2], before(plan.op), map.data_type);
      for (std::int64_t i = 0; i < window.size / 16 * 16 / size; ++i)
        append_element(out.inputs[3], code_of(plan.op, i, pass), map.data_type);
    }
  }
  out.grid = static_cast<int>(out.inputs[0].size() / sizeof(Block));
  out.output_bytes = out.grid * room;
  return out;
}

Observations decode(std::span<const ReducePlan> plans, const ByteBuffer& output, Hypothesis) {
  Observations out;
  const std::int64_t room = room_of(plans);
  std::int64_t first = 0;  // block of the plan
  for (const ReducePlan& plan : plans) {
    const int bits = digit_bits(plan.op), count = passes(plan.op);
    const std::int64_t size = element_bytes(plan.map.data_type);
    const std::uint64_t old = pattern_of(before(plan.op), plan.map.data_type);
    // The codes by their results.
    std::vector<std::uint64_t> results;
    for (std::int64_t d = 0; d < 1 << bits; ++d)
      results.push_back(pattern_of(result_of(plan, code_of(plan.op, d)), plan.map.data_type));
    Observation& seen = out.emplace_back();
    for (std::int64_t at = 0; at < tensor_size(plan.map); at += size) {
      std::int64_t slot = 0;
      int untouched = 0;
      for (int pass = 0; pass < count; ++pass) {
        const std::uint64_t now = element_at(output, static_cast<std::size_t>((first + pass) * room + at), size);
        const auto found = std::ranges::find(results, now);
        if (now == old) ++untouched;
        else if (found == results.end()) slot = -(std::int64_t{1} << 40);
        else slot += (found - results.begin()) << (bits * pass);
      }
      seen.push_back(untouched == count ? untouched_byte : untouched > 0 || slot < 0 ? strange_byte : slot);
    }
    first += count;
  }
  return out;
}

Observation expected(const ReducePlan& plan, Hypothesis hypothesis) {
  const BoxPlacement box(plan.map, plan.from);
  const TensorMapSwizzleRow& swizzle = *find_row(plan.map.swizzle);
  const std::int64_t size = element_bytes(plan.map.data_type);
  const Window window = window_of(plan);
  Observation out(static_cast<std::size_t>(tensor_size(plan.map) / size), untouched_byte);
  const auto place = [&](std::int64_t row, std::int64_t byte) {
    const std::int64_t pitch = hypothesis == Hypothesis::rows_packed ? box.inner().count : box.pitch().count;
    const std::int64_t linear = row * pitch + byte, mask = (1 << swizzle.bits) - 1;
    if (hypothesis == Hypothesis::read_linear) return linear;
    const std::int64_t line = (hypothesis == Hypothesis::relative_xor ? linear : plan.from.count + linear) >> 7;
    return linear ^ ((line & (hypothesis == Hypothesis::mask_off_by_one && mask > 0 ? mask - 1 : mask)) << 4);
  };
  const std::int64_t row_end = hypothesis == Hypothesis::rows_end_at_element
                                   ? static_cast<std::int64_t>(plan.map.dims[0])
                                   : (static_cast<std::int64_t>(plan.map.dims[0]) * size + 15) / 16 * 16 / size;
  for (std::int64_t row = 0; row < box.rows(); ++row) {
    TensorCoordinate element = box.row_start(row, plan.start);
    std::int64_t line = 0;
    bool is_inside = true;
    for (std::size_t d = 1; d < static_cast<std::size_t>(plan.map.rank); ++d) {
      is_inside = is_inside && element[d] < static_cast<std::int64_t>(plan.map.dims[d]);
      line += element[d] * static_cast<std::int64_t>(plan.map.strides[d - 1]);
    }
    for (std::int64_t i = 0; is_inside && i < box.sizes()[0]; ++i) {
      const std::int64_t at = element[0] + i;
      if (at >= row_end) break;
      out[static_cast<std::size_t>(line / size + at)] = (plan.from.count + place(row, i * size) - window.begin) / size;
    }
  }
  return out;
}

std::string subject(const ReducePlan& plan) {
  return fmt::format("{}{} to ({}) from {:#x}: {}", to_string(plan.op),
                     plan.times > 1 ? fmt::format(" {} times", plan.times) : "",
                     fmt::join(plan.start.begin(), plan.start.begin() + plan.map.dim_count(), ", "), plan.from.count,
                     subject(TensorMapPlan{plan.map}));
}

std::string element_name(const ReducePlan& plan, std::int64_t index) {
  return fmt::format("byte {} of the tensor", index * element_bytes(plan.map.data_type));
}

std::string value_name(const ReducePlan& plan, std::int64_t value) {
  if (value == untouched_byte) return "unchanged";
  if (value < 0) return "something else";
  return fmt::format("SMEM byte {:#x}", window_of(plan).begin + value * element_bytes(plan.map.data_type));
}

Json to_json(const ReducePlan& plan) {
  Json out = map_json(plan.map, "reduce");
  out["op"] = to_string(plan.op);
  out["times"] = plan.times;
  out["start"] = std::vector<std::int64_t>(plan.start.begin(), plan.start.begin() + plan.map.dim_count());
  out["from"] = plan.from.count;
  return out;
}

ReducePlan reduce_plan(const Json& json) {
  ReducePlan plan;
  const auto found = std::ranges::find(op_names, json.at("op").get<std::string>());
  if (found == op_names.end())
    throw Error("the probe has no such operation", fmt::format("{}", fmt::join(op_names, ", ")));
  plan.op = static_cast<ReduceOp>(found - op_names.begin());
  plan.times = json.value("times", 1);
  plan.map = map_of(json, "reduce");
  const auto start = json.at("start").get<std::vector<std::int64_t>>();
  std::copy_n(start.begin(), std::min(start.size(), plan.start.size()), plan.start.begin());
  plan.from = Bytes{json.at("from").get<std::int64_t>()};
  require_fine(plan);
  return plan;
}

}  // namespace swz
