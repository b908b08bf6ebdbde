// swz verify desc WORD: what a descriptor word really reads.
#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "descriptor/word.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/legality.hpp"
#include "tile_options.hpp"
#include "verify_options.hpp"
#include "view/verify_one.hpp"

namespace swz {
namespace {

struct Request {
  std::string word, mma, operand = "a", dtype = "f16", major = "k";
  HardwareOptions hardware;
};

// The widest accumulator of the type.
std::string accumulator_of(const DType& dtype) { return dtype.is_floating ? "f32" : "s32"; }

WgmmaPlan plan_of(const Request& request) {
  const Target& target = require_target("sm_90a");
  const SmemDescriptor word(parse_descriptor(request.word).word, target);
  const DType& dtype = require_dtype(request.dtype);
  const Major major = parse_major(request.major);
  const OperandChoice choice{&target, &dtype, Packing::packed, major, &require_swizzle(word)};
  require_legal(choice);
  const bool is_a = request.operand == "a";
  const std::string shape = request.mma.empty() ? fmt::format("64x{}", 256 / dtype.memory_bits) : request.mma;
  const TileExtents extents = parse_mma_operand(shape, request.operand, choice).extents;
  // Of A every N sees the same: one that shows all of K at once.
  const std::string name(dtype.name);
  const int n = is_a ? static_cast<int>(extents.k) : static_cast<int>(extents.mn);
  const WgmmaPlan plan{
      {n, name, name, accumulator_of(dtype), false}, is_a ? OperandRole::a : OperandRole::b, major, word.word()};
  row_of(plan.instruction);  // throws when there is no such instruction
  if (plan.extents() != extents)
    throw Error(fmt::format("wgmma reads no {} of {} as operand {}", to_string(extents), name, request.operand),
                fmt::format("it reads {}", to_string(plan.extents())));
  const OperandMemory memory = wgmma_memory();
  const OperandMap map = operand_map(word, extents, dtype.memory_bits, major);
  const auto [lowest, highest] = std::ranges::minmax(map.bytes);
  if (lowest < memory.begin.count || highest >= memory.identity.count)
    throw Error(fmt::format("the word reads from {:#x} to {:#x}; the probe can see {:#x} to {:#x}", lowest, highest,
                            memory.begin.count, memory.identity.count - 1),
                "below lies what the system reserves, above the probe's other operand: change the start address");
  return plan;
}

}  // namespace

Action define_verify_desc(CLI::App& app, const Common& common) {
  auto request = std::make_shared<Request>();
  app.add_option("WORD", request->word, "descriptor word of wgmma: 0x…, 0b… or decimal")->required();
  app.add_option("--mma", request->mma, "MMA shape, m64n256k16, or rows and K of the operand (default: 64 rows)")
      ->type_name("SHAPE");
  app.add_option("--operand", request->operand, "which operand of the MMA (default: a)")
      ->check(CLI::IsMember(std::vector<std::string>{"a", "b"}));
  app.add_option("--dtype", request->dtype, "element type (default: f16)")->type_name("TYPE");
  app.add_option("--major", request->major, "contiguous dimension, k or mn (default: k)")->type_name("k|mn");
  add_hardware_options(app, request->hardware);
  return [request, &common] {
    const WgmmaPlan plan = plan_of(*request);
    const SuiteFor suite = [&](const Target&) { return Suite{{"wgmma", {plan}}}; };
    if (std::optional<Outcome> outcome = without_hardware(suite, request->hardware, common)) return *outcome;
    const VerifyAnswer answer = ask_hardware(suite, request->hardware, common, true);
    return Outcome{view_verified_word(plan, answer.report, answer.seen.front().seen, common.format != "json"),
                   answer.report.is_confirmed() ? 0 : 1};
  };
}

}  // namespace swz
