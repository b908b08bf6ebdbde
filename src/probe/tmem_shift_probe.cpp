// SPDX-License-Identifier: Apache-2.0
#include "probe/tmem_shift_probe.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

namespace {

constexpr int shifted_columns = 8, window_columns = 3 * shifted_columns;
constexpr int last_column = tmem_columns - window_columns;
constexpr std::size_t window_cells = std::size_t{window_columns} * tmem_lanes;
constexpr std::size_t block_bytes = 16 + window_cells * 4;
// The code of cell 0, so that no cell is 0.
constexpr std::uint32_t first_code = 0x40000000;
// Enough that no other CTA has room on the SM; the barrier and the TMEM address are at the beginning.
constexpr Bytes half_of_smem{128 * 1024};

// The layout that kernels/tmem_copy.cu reads.
struct Block {
  std::uint64_t word = 0;
  std::array<std::uint32_t, 2> images = {}, contents = {};
  std::uint32_t address = 0, first_column = 0;
};

int aligned(int column) { return column / shifted_columns * shifted_columns; }
int first_column(const TmemShiftPlan& plan) { return aligned(plan.column) - shifted_columns; }
std::int64_t cell(int lane, int column) { return std::int64_t{lane} * tmem_columns + column; }

// The lane from which a lane has its cell afterwards.
int source_lane(const TmemShiftPlan& plan, int lane, Hypothesis hypothesis) {
  const int in_quarter = lane % tmem_quarter;
  if (hypothesis == Hypothesis::shift_of_one_quarter && lane - in_quarter != plan.lane) return lane;
  if (hypothesis == Hypothesis::shift_upwards) return in_quarter == 0 ? lane : lane - 1;
  const int last =
      hypothesis == Hypothesis::shift_across_quarters ? tmem_lanes - 1 : lane - in_quarter + tmem_quarter - 1;
  return lane == last ? lane : lane + 1;
}

}  // namespace

TmemShiftPlan draw_tmem_shift(Random& random) {
  TmemShiftPlan plan{static_cast<int>(tmem_quarter * random.below(4)), 0};
  plan.column = static_cast<int>(shifted_columns + random.below(last_column - shifted_columns + 1));
  if (!random.one_in(4)) plan.column = aligned(plan.column);
  return plan;
}

std::string tmem_shift_statement() {
  return "#define CTAS 1\n"
         "__device__ inline void move(unsigned address, unsigned long long) {\n"
         "  asm volatile(\"tcgen05.shift.cta_group::1.down [%0];\" : : \"r\"(address) : \"memory\");\n"
         "}\n"
         "__device__ inline void commit(unsigned barrier) {\n"
         "  asm volatile(\"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];\"\n"
         "               : : \"r\"(barrier) : \"memory\");\n"
         "}\n";
}

Kernel kernel_of(const TmemShiftPlan&) { return {"tmem_copy", tmem_shift_statement()}; }

Launch launch_of(std::span<const TmemShiftPlan> plans, Hypothesis) {
  Launch out;
  out.grid = static_cast<int>(plans.size());
  out.dynamic_smem = half_of_smem;
  out.scalars = {word32(sm_100a().reserved_smem.count), 0, 0, window_columns};
  out.output_bytes = out.grid * static_cast<std::int64_t>(block_bytes);
  for (const TmemShiftPlan& plan : plans) {
    const auto contents = word32(std::ssize(out.inputs[2]) / static_cast<std::int64_t>(window_cells * 4));
    append(out.inputs[0], Block{.contents = {contents, contents},
                                .address = tmem_address(plan.lane, plan.column),
                                .first_column = word32(first_column(plan))});
    for (int column = 0; column < window_columns; ++column)
      for (int lane = 0; lane < tmem_lanes; ++lane)
        append(out.inputs[2], first_code + word32(cell(lane, first_column(plan) + column)));
  }
  return out;
}

Observations decode(std::span<const TmemShiftPlan> plans, const ByteBuffer& output, Hypothesis) {
  Observations out;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const bool is_complete = output[i * block_bytes] == 1;
    Observation seen;
    for (std::size_t at = 0; at < window_cells; ++at) {
      const std::int64_t number =
          std::int64_t{read_at<std::uint32_t>(output, i * block_bytes + 16 + at * 4)} - first_code;
      seen.push_back(is_complete && number >= 0 && number < tmem_lanes * tmem_columns ? number : unreadable);
    }
    out.push_back(std::move(seen));
  }
  return out;
}

Observation expected(const TmemShiftPlan& plan, Hypothesis hypothesis) {
  const int first = hypothesis == Hypothesis::shift_of_aligned_columns ? aligned(plan.column) : plan.column;
  Observation out;
  for (int column = first_column(plan); column < first_column(plan) + window_columns; ++column)
    for (int lane = 0; lane < tmem_lanes; ++lane) {
      const bool is_shifted = column >= first && column < first + shifted_columns;
      out.push_back(cell(is_shifted ? source_lane(plan, lane, hypothesis) : lane, column));
    }
  return out;
}

std::string subject(const TmemShiftPlan& plan) {
  return fmt::format("tcgen05.shift.cta_group::1.down at lane {}, column {}", plan.lane, plan.column);
}

std::string element_name(const TmemShiftPlan& plan, std::int64_t index) {
  return fmt::format("lane {}, column {}", index % tmem_lanes, first_column(plan) + index / tmem_lanes);
}

std::string value_name(const TmemShiftPlan&, std::int64_t value) {
  if (value == unreadable) return "no cell";
  return fmt::format("lane {}, column {} of before", value / tmem_columns, value % tmem_columns);
}

Json to_json(const TmemShiftPlan& plan) {
  return {{"tmem_shift", "down"}, {"lane", plan.lane}, {"column", plan.column}};
}

TmemShiftPlan tmem_shift_plan(const Json& json) {
  const TmemShiftPlan plan{json.at("lane").get<int>(), json.at("column").get<int>()};
  if (plan.lane < 0 || plan.lane >= tmem_lanes || plan.lane % tmem_quarter != 0)
    throw Error(fmt::format("tcgen05.shift has no lane {}", plan.lane), "0, 32, 64 or 96");
  if (plan.column < shifted_columns || plan.column > last_column)
    throw Error(fmt::format("column {} is too near to an end of tensor memory", plan.column),
                fmt::format("{} to {} are probed", shifted_columns, last_column));
  return plan;
}

}  // namespace swz
