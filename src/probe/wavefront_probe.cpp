// SPDX-License-Identifier: Apache-2.0
#include "probe/wavefront_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "probe/registers.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/access.hpp"

namespace swz {

namespace {

// --- the model

struct Rules {
  int group_lanes = warp_lanes;
  bool may_pair = false;
  std::vector<int> distances{1, 2};
  bool pairs_by_group = false;
  bool idle_agrees = true;
  bool is_broadcast = true;
};

Rules rules_under(Hypothesis hypothesis, const AccessInstruction& i) {
  Rules rules{.group_lanes = i.group_lanes, .may_pair = i.may_pair};
  switch (hypothesis) {
    case Hypothesis::no_pairing: rules.may_pair = false; break;
    case Hypothesis::stores_pair: rules.may_pair = i.may_pair || (i.op == AccessOp::store && i.bytes > 4); break;
    case Hypothesis::pairs_at_any_distance: rules.distances = {1, 2, 4, 8, 16}; break;
    case Hypothesis::pairs_by_group: rules.pairs_by_group = true; break;
    case Hypothesis::idle_lanes_disagree: rules.idle_agrees = false; break;
    case Hypothesis::groups_of_32: rules.group_lanes = warp_lanes; break;
    case Hypothesis::no_broadcast: rules.is_broadcast = false; break;
    default: break;
  }
  return rules;
}

bool counts(const AccessPattern& p, int lane) { return (p.lanes() >> lane & 1) != 0; }
std::uint32_t address(const AccessPattern& p, int lane) { return p.address[static_cast<std::size_t>(lane)]; }

// Whether the lanes from `first` on pair.
bool pair_up(const AccessPattern& p, const Rules& rules, int first, int count) {
  return rules.may_pair && std::ranges::any_of(rules.distances, [&](int distance) {
           for (int lane = first; lane < first + count; ++lane) {
             if (!counts(p, lane)) continue;
             const int partner = lane ^ distance;
             const bool agrees = counts(p, partner) ? address(p, lane) == address(p, partner) : rules.idle_agrees;
             if (!agrees) return false;
           }
           return true;
         });
}

int passes(const AccessPattern& p, const Rules& rules, int first, int count) {
  std::multiset<std::uint32_t> words;
  for (int lane = first; lane < std::min(first + count, warp_lanes); ++lane) {
    if (!counts(p, lane)) continue;
    const std::uint32_t last = (address(p, lane) + static_cast<std::uint32_t>(p.instruction->bytes) - 1) / 4;
    for (std::uint32_t word = address(p, lane) / 4; word <= last; ++word)
      if (!rules.is_broadcast || !words.contains(word)) words.insert(word);
  }
  std::array<int, bank_count> in_bank = {};
  for (const std::uint32_t word : words) ++in_bank[word % bank_count];
  return std::ranges::max(in_bank);
}

// --- the statement

// "ldmatrix.x4.trans" and "ldmatrix.m16n16.x1.trans" with everything that PTX writes.
std::string matrix_name(const AccessInstruction& i) {
  const auto dot = i.name.find('.');
  const std::string op(i.name.substr(0, dot));
  const std::string_view form = i.name.substr(dot + 1);
  const bool is_of_bytes = form.front() == 'm';
  const std::string_view type = !is_of_bytes ? "b16" : form.starts_with("m8n16") ? "b8x16.b4x16_p64" : "b8";
  return fmt::format("{}.sync.aligned.{}{}.shared.{}", op, is_of_bytes ? "" : "m8n8.", form, type);
}

// With volatile, two accesses to one address remain two.
std::string plain_name(const AccessInstruction& i) {
  const int registers = registers_of(i);
  return fmt::format("{}.volatile.shared.{}", i.op == AccessOp::load ? "ld" : "st",
                     i.bytes < 4      ? fmt::format("u{}", 8 * i.bytes)
                     : registers == 1 ? "b32"
                                      : fmt::format("v{}.b32", registers));
}

// --- the clock

// The layout that kernels/wavefront.cu writes.
struct Times {
  std::uint64_t start = 0, end = 0;  // cycles
};

constexpr int warps = 8, rounds = 16, iterations = 128;
constexpr int accesses = iterations * timed_copies * warps;  // of one round

constexpr double ballast_cycles = 8, loop_cycles = 0.05;
// Distance from a whole number; farther away, the time says nothing.
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

int wavefronts_under(Hypothesis hypothesis, const AccessPattern& pattern) {
  const Rules rules = rules_under(hypothesis, *pattern.instruction);
  const int group = rules.group_lanes;
  const bool warp_pairs = pair_up(pattern, rules, 0, warp_lanes);
  int sum = 0;
  for (int first = 0; first < warp_lanes; first += 2 * group) {
    const bool is_one =
        rules.pairs_by_group ? pair_up(pattern, rules, first, std::min(2 * group, warp_lanes)) : warp_pairs;
    sum += is_one ? passes(pattern, rules, first, 2 * group)
                  : passes(pattern, rules, first, group) + passes(pattern, rules, first + group, group);
  }
  return std::max(sum, 1);
}

std::vector<const AccessInstruction*> timed_instructions(const Target& target) {
  std::vector<const AccessInstruction*> out;
  for (const AccessInstruction& row : access_instructions())
    if (is_timed(row) && runs_on(row.availability, target)) out.push_back(&row);
  return out;
}

int registers_of(const AccessInstruction& i) { return std::max(1, i.addresses * i.bytes / (4 * warp_lanes)); }

std::string wavefront_statement(const AccessInstruction& i) {
  const int registers = registers_of(i);
  const std::string name = i.is_matrix() ? matrix_name(i) : plain_name(i);
  const bool is_list = registers > 1 || i.is_matrix();
  const std::string values = fmt::format("{}{}{}", is_list ? "{" : "", placeholders(0, registers), is_list ? "}" : "");
  const std::string place = fmt::format("[%{}]", registers);

  std::string out = fmt::format("#define IS_STORE {}\n#define REGISTERS {}\n#define COPIES {}\n#define COPY_STEP {}\n",
                                is_load(i) ? 0 : 1, registers, timed_copies, copy_step.count);
  out += fmt::format("__device__ inline void access(unsigned address, unsigned (&v)[{}], unsigned on) {{\n", registers);
  out += fmt::format("  asm volatile(\"{{ .reg .pred p; setp.ne.u32 p, %{}, 0; @p {} {}, {}; }}\"\n", registers + 1,
                     name, is_load(i) ? values : place, is_load(i) ? place : values);
  out += fmt::format(
      "               : {}\n               : {}\"r\"(address), \"r\"(on)\n               : \"memory\");\n}}\n",
      is_load(i) ? operands("+r", "v", registers) : "", is_load(i) ? "" : operands("r", "v", registers) + ", ");
  return out;
}

WavefrontMemory wavefront_memory(const Target& target) {
  constexpr Bytes two_ballasts{2 * 1024};
  const Bytes ballast{target.smem_window().count - two_ballasts.count};
  return {target.reserved_smem, Bytes{ballast.count - (timed_copies - 1) * copy_step.count}, ballast,
          target.max_smem_per_cta};
}

Kernel kernel_of(const WavefrontPlan& plan) { return {"wavefront", wavefront_statement(*plan.pattern.instruction)}; }

Launch launch_of(std::span<const WavefrontPlan> plans, Hypothesis) {
  const WavefrontMemory memory = wavefront_memory(*plans.front().target);
  Launch out;
  out.grid = static_cast<int>(plans.size());
  out.threads = warps * warp_lanes;
  out.dynamic_smem = memory.size;
  for (const WavefrontPlan& plan : plans)
    append(out.inputs[0], LaneAddresses{plan.pattern.active, plan.pattern.address});
  out.scalars = {word32(memory.begin.count), word32(memory.ballast.count), rounds, iterations, 0};
  out.output_bytes = static_cast<std::int64_t>(plans.size() * block_bytes);
  return out;
}

Observations decode(std::span<const WavefrontPlan> plans, const ByteBuffer& output, Hypothesis) {
  Observations out;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const double wavefronts =
        cycles_of_block(std::span(output).subspan(i * block_bytes, block_bytes)) - ballast_cycles - loop_cycles;
    const auto whole = static_cast<std::int64_t>(wavefronts + 0.5);
    const bool is_readable = std::abs(wavefronts - static_cast<double>(whole)) <= tolerance;
    out.push_back({is_readable ? whole : unreadable});
  }
  return out;
}

Observation expected(const WavefrontPlan& plan, Hypothesis hypothesis) {
  if (hypothesis == Hypothesis::none) return {count_wavefronts(plan.pattern).wavefronts};
  return {wavefronts_under(hypothesis, plan.pattern)};
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
  if (!is_timed(instruction))
    throw Error(fmt::format("the wavefronts of {} are not timed", instruction.name),
                "cp.async reads global memory too, and what an atomic takes was counted by the profiler");
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
    const auto offset = static_cast<std::int64_t>(parse_unsigned(digit, 32, {"offsets are hexadecimal digits", ""}));
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
