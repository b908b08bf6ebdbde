#include "probe/wavefront_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "probe/position_code.hpp"
#include "probe/wavefront_model.hpp"
#include "probe/wavefront_statement.hpp"
#include "smem/wavefront.hpp"

namespace swz {

namespace {

// As kernels/wavefront.cu reads and writes them.
struct Block {
  std::uint32_t active = 0;
  std::array<std::uint32_t, warp_lanes> address = {};
};
struct Times {
  std::uint64_t start = 0, end = 0;  // cycles
};

constexpr int warps = 8, rounds = 16, iterations = 128;
constexpr int accesses = iterations * timed_copies * warps;  // of a round

constexpr double ballast_cycles = 8, loop_cycles = 0.05;
// Of a whole number; further away, the time says nothing.
constexpr double tolerance = 0.3;

constexpr std::size_t block_bytes = std::size_t{rounds} * warps * sizeof(Times);

double cycles_of_block(std::span<const std::uint8_t> block) {
  double fastest = std::numeric_limits<double>::infinity();
  for (std::size_t round = 0; round < rounds; ++round) {
    Times all{~std::uint64_t{0}, 0};
    for (std::size_t warp = 0; warp < warps; ++warp) {
      const auto times = read_at<Times>(block, (round * warps + warp) * sizeof(Times));
      all = {std::min(all.start, times.start), std::max(all.end, times.end)};
    }
    fastest = std::min(fastest, (static_cast<double>(all.end) - static_cast<double>(all.start)) / accesses);
  }
  return fastest;
}

}  // namespace

WavefrontMemory wavefront_memory(const Target& target) {
  constexpr Bytes two_ballasts{2 * 1024};
  const Bytes ballast{target.smem_window().count - two_ballasts.count};
  return {target.reserved_smem, Bytes{ballast.count - (timed_copies - 1) * copy_step.count}, ballast,
          target.max_smem_per_cta};
}

Launch timing_launch(std::span<const AccessPattern> patterns, const Target& target) {
  const WavefrontMemory memory = wavefront_memory(target);
  Launch out;
  out.kernel = {"wavefront", wavefront_statement(*patterns.front().instruction)};
  out.grid = static_cast<int>(patterns.size());
  out.threads = warps * warp_lanes;
  out.dynamic_smem = memory.size;
  for (const AccessPattern& pattern : patterns) append(out.inputs[0], Block{pattern.active, pattern.address});
  out.scalars = {static_cast<std::uint32_t>(memory.begin.count), static_cast<std::uint32_t>(memory.ballast.count),
                 rounds, iterations, 0};
  out.output_bytes = static_cast<std::int64_t>(patterns.size() * block_bytes);
  return out;
}

std::vector<std::int64_t> timed_wavefronts(std::size_t patterns, std::span<const std::uint8_t> output) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < patterns; ++i) {
    const double wavefronts =
        cycles_of_block(output.subspan(i * block_bytes, block_bytes)) - ballast_cycles - loop_cycles;
    const auto whole = static_cast<std::int64_t>(wavefronts + 0.5);
    const bool is_readable = std::abs(wavefronts - static_cast<double>(whole)) <= tolerance;
    out.push_back(is_readable ? whole : unreadable);
  }
  return out;
}

ByteBuffer simulate_timing(const AccessInstruction& instruction, const Launch& launch) {
  ByteBuffer output;
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<Block>(launch.inputs[0], i * sizeof(Block));
    const AccessPattern pattern{&instruction, block.active, block.address};
    const double cycles = ballast_cycles + count_wavefronts(pattern).wavefronts + loop_cycles;
    const auto round_cycles = static_cast<std::uint64_t>(cycles * accesses);
    std::uint64_t now = 1'000'000;
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t late = round == 0 ? 4000 : 0;
      for (std::uint64_t warp = 0; warp < warps; ++warp)
        append(output, Times{now + warp, now + late + round_cycles - (warps - 1 - warp)});
      now += late + round_cycles + 100;
    }
  }
  return output;
}

Kernel kernel_of(const WavefrontPlan& plan) {
  return {"wavefront", wavefront_statement(*plan.pattern.instruction)};
}

Launch launch_of(std::span<const WavefrontPlan> plans, Hypothesis) {
  std::vector<AccessPattern> patterns;
  for (const WavefrontPlan& plan : plans) patterns.push_back(plan.pattern);
  return timing_launch(patterns);
}

std::vector<Observation> decode(std::span<const WavefrontPlan> plans, const ByteBuffer& output, Hypothesis) {
  std::vector<Observation> out;
  for (const std::int64_t wavefronts : timed_wavefronts(plans.size(), output)) out.push_back({{wavefronts}});
  return out;
}

Observation expected(const WavefrontPlan& plan, Hypothesis hypothesis) {
  if (hypothesis == Hypothesis::none) return {{count_wavefronts(plan.pattern).wavefronts}};
  return {{wavefronts_under(hypothesis, plan.pattern)}};
}

ByteBuffer simulate(std::span<const WavefrontPlan> plans, const Launch& launch) {
  return simulate_timing(*plans.front().pattern.instruction, launch);
}

std::string subject(const WavefrontPlan& plan) {
  const AccessPattern& p = plan.pattern;
  constexpr std::size_t shown = 4;
  std::vector<std::uint32_t> addresses;
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    if ((p.lanes() >> lane & 1) != 0) addresses.push_back(p.address[lane]);
  const bool is_cut = addresses.size() > shown + 1;
  if (is_cut) addresses.resize(shown);
  std::string lanes;
  if (p.active != ~std::uint32_t{0}) lanes = fmt::format(", active {}", hex32(p.active));
  return fmt::format("{}{}, addresses {}{}", p.instruction->name, lanes, fmt::join(addresses, ", "),
                     is_cut ? ", …" : "");
}

std::string element_name(const WavefrontPlan&, std::int64_t) { return "the access"; }

std::string value_name(const WavefrontPlan&, std::int64_t value) {
  if (value == unreadable) return "no number of wavefronts";
  return plural(value, "wavefront");
}

Json to_json(const WavefrontPlan& plan) {
  const AccessPattern& p = plan.pattern;
  const auto bytes = static_cast<std::uint32_t>(p.instruction->bytes);
  const auto [least, most] = std::ranges::minmax(p.address);
  const auto digits = (std::bit_width((most - least) / bytes | 1U) + 3) / 4;
  std::string at;
  for (const std::uint32_t address : p.address) at += fmt::format("{:0{}x}", (address - least) / bytes, digits);
  Json out{{"wavefront", p.instruction->name}};
  if (p.active != ~std::uint32_t{0}) out["active"] = hex32(p.active);
  out["base"] = least;
  out["at"] = at;
  return out;
}

WavefrontPlan wavefront_plan(const Json& json) {
  const AccessInstruction& instruction = require_access(json.at("wavefront").get<std::string>());
  if (instruction.op == AccessOp::cp_async)
    throw Error("cp.async is no access whose wavefronts are timed", "it reads global memory too");
  const auto mask = json.value("active", std::string("0xffffffff"));
  const auto active = static_cast<std::uint32_t>(parse_unsigned(mask, 32, {"a mask is written 0x…", "32 lanes"}));
  if (instruction.is_matrix() && active != 0 && active != ~std::uint32_t{0})
    throw Error(fmt::format("{} is executed by all lanes or by none, not by {}", instruction.name, mask),
                "lanes whose addresses do not count execute it too");

  const std::string at = json.at("at").get<std::string>();
  const std::size_t digits = at.size() / warp_lanes;
  if (at.size() % warp_lanes != 0 || digits == 0 || digits > 5)
    throw Error(fmt::format("32 lanes have {} digits", at.size()), "as many for each lane, one to five");
  const WavefrontMemory memory = wavefront_memory();
  const std::int64_t base = json.at("base").get<std::int64_t>();
  WavefrontPlan plan{{&instruction, active, {}}};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    const std::string digit = "0x" + at.substr(lane * digits, digits);
    const auto offset =
        static_cast<std::int64_t>(parse_unsigned(digit, 32, {"offsets are hexadecimal digits", ""}));
    const std::int64_t last = memory.end.count - instruction.bytes;
    const bool is_inside = base >= memory.begin.count && base <= last && base + offset * instruction.bytes <= last;
    if (!is_inside || base % instruction.bytes != 0)
      throw Error(
          fmt::format("lane {} of {} is at {} + {} * {}", lane, instruction.name, base, offset, instruction.bytes),
          fmt::format("addresses are multiples of the width, from {} to {}", memory.begin.count, last));
    plan.pattern.address[lane] = static_cast<std::uint32_t>(base + offset * instruction.bytes);
  }
  return plan;
}

}  // namespace swz
