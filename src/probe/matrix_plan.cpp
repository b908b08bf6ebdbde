// Drawing, naming and writing down a MatrixPlan; matrix_probe.cpp asks it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "probe/matrix_probe.hpp"
#include "probe/position_code.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

void require_fine(const MatrixPlan& plan) {
  if (plan.is(movmatrix)) return;
  const MatrixMemory memory = plan.memory();
  const std::int64_t end = memory.begin().count + memory.size().count;
  for (const std::uint32_t address : plan.addresses)
    if (address < memory.begin().count || address >= end)
      throw Error(fmt::format("byte {} is not in the shared memory of {}", address, plan.target),
                  fmt::format("a kernel has bytes {} to {}", memory.begin().count, end - 1));
  const std::set<std::uint32_t> distinct(plan.addresses.begin(), plan.addresses.end());
  if (plan.is(stmatrix) && distinct.size() < plan.addresses.size())
    throw Error("two lanes of the stmatrix have one address", "the rows must be distinct");
}

}  // namespace

Fragment MatrixPlan::fragment(Operand operand) const {
  return fragment_of(instruction, is(movmatrix) ? operand : Operand::memory);
}

MatrixMemory MatrixPlan::memory() const { return {row_of(instruction), require_target(target)}; }

std::int64_t MatrixPlan::written_at(std::int64_t address) { return unreadable - 1 - address; }

MatrixPlan draw_matrix(const MatrixSyncInstruction& instruction, const Target& target, Random& random) {
  MatrixPlan plan{instruction, std::string(target.name), {}};
  if (plan.is(movmatrix)) return plan;
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  const MatrixMemory memory = plan.memory();
  // As often near each other as far: within 2^x lines.
  const std::int64_t least = plan.is(stmatrix) ? 5 : 0;
  const std::int64_t span = std::min(std::int64_t{1} << (least + below(15 - least)), memory.lines());
  const std::int64_t first = below(memory.lines() - span + 1);
  std::set<std::int64_t> taken;
  for (std::uint32_t& address : plan.addresses) {
    std::int64_t line = first + below(span);
    while (plan.is(stmatrix) && !taken.insert(line).second) line = first + below(span);
    address = static_cast<std::uint32_t>(memory.begin().count + line * line_bytes);
  }
  return plan;
}

std::string subject(const MatrixPlan& plan) {
  if (plan.is(movmatrix)) return to_string(plan.instruction);
  const auto [least, most] = std::ranges::minmax(plan.addresses);
  return fmt::format("{}, rows at bytes {} to {}", to_string(plan.instruction), least, most);
}

std::string element_name(const MatrixPlan& plan, std::int64_t index) {
  const Fragment f = plan.fragment(Operand::d);
  const std::int64_t of = plan.is(stmatrix) ? f.columns : f.values();
  if (!plan.is(stmatrix)) return fmt::format("thread {} value {}", index / of, index % of);
  return index == f.rows * f.columns ? "any other line" : fmt::format("({}, {})", index / of, index % of);
}

std::string value_name(const MatrixPlan& plan, std::int64_t value) {
  if (value == unreadable) return "no element";
  if (value < unreadable) return fmt::format("byte {}", MatrixPlan::written_at(value));
  if (plan.is(ldmatrix))
    return value % 8 == 0 ? fmt::format("byte {}", value / 8)
                          : fmt::format("bit {} of byte {}", value % 8, value / 8);
  const int values = plan.fragment(Operand::a).values();
  return fmt::format("thread {} value {}", value / values, value % values);
}

Json to_json(const MatrixPlan& plan) {
  Json out{{"matrix", to_string(plan.instruction)}};
  if (plan.is(movmatrix)) return out;
  out["on"] = plan.target;
  for (const std::uint32_t address : plan.addresses) out["lines"].push_back(address / line_bytes);
  return out;
}

MatrixPlan matrix_plan(const Json& json) {
  MatrixPlan plan;
  plan.instruction = matrix_sync_instruction(json.at("matrix").get<std::string>());
  if (plan.is(movmatrix)) return plan;
  plan.target = require_target(json.at("on").get<std::string>()).name;
  for (std::size_t lane = 0; lane < plan.addresses.size(); ++lane) {
    const auto line = json.at("lines").at(lane).get<std::uint32_t>();
    plan.addresses[lane] = static_cast<std::uint32_t>(std::min<std::int64_t>(line * line_bytes, UINT32_MAX));
  }
  require_fine(plan);
  return plan;
}

}  // namespace swz
