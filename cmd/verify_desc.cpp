// swz verify desc WORD: what a descriptor word really reads.
#include "base/error.hpp"
#include "hardware_request.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/legality.hpp"
#include "tile_request.hpp"
#include "view/verify_one.hpp"

namespace swz {
namespace {

struct Request {
  WordText word;
  std::optional<MmaShapeText> mma;
  OperandRole operand = OperandRole::a;
  const DType* dtype = nullptr;
  Major major = Major::K;
  HardwareRequest hardware;
};

Options options_of(Request& r) {
  return Options{argument("WORD", r.word, "descriptor word of wgmma: 0x…, 0b… or decimal").required(),
                 option("--mma", "SHAPE", r.mma, "MMA shape, m64n256k16, or rows and K of the operand")
                     .in("elements")
                     .by_default_note("64 rows"),
                 role_option(r.operand, "which operand of the MMA"), dtype_option(r.dtype).by_default("f16"),
                 major_option(r.major)} +
         hardware_options(r.hardware);
}

WgmmaPlan plan_of(const Request& r) {
  const Target& target = require_target("sm_90a");
  const SmemDescriptor word(r.word.word, target);
  const DType& dtype = *r.dtype;
  const OperandChoice choice{&target, &dtype, Packing::packed, r.major, &require_swizzle(word)};
  require_legal(choice);
  const bool is_a = r.operand == OperandRole::a;
  const TileExtents extents =
      r.mma ? swz::operand_of(*r.mma, r.operand, choice).extents : TileExtents{64, 256 / dtype.memory_bits};
  // Of A every N sees the same: one that shows all of K at once.
  const WgmmaPlan plan{wgmma_of(dtype, is_a ? extents.k : extents.mn), r.operand, r.major, word.word()};
  row_of(plan.instruction);  // throws when there is no such instruction
  if (plan.extents() != extents)
    throw Error(
        fmt::format("wgmma reads no {} of {} as operand {}", to_string(extents), dtype.name, is_a ? 'a' : 'b'),
        fmt::format("it reads {}", to_string(plan.extents())));
  const OperandMemory memory = wgmma_memory();
  const OperandMap map = operand_map(word, extents, dtype.memory_bits, r.major);
  const auto [lowest, highest] = std::ranges::minmax(map.bytes);
  if (lowest < memory.begin.count || highest >= memory.identity.count)
    throw Error(fmt::format("the word reads from {:#x} to {:#x}; the probe can see {:#x} to {:#x}", lowest, highest,
                            memory.begin.count, memory.identity.count - 1),
                "below lies what the system reserves, above the probe's other operand: change the start address");
  return plan;
}

Answer answer(const Request& r, const Context& context) {
  const WgmmaPlan plan = plan_of(r);
  const SuiteFor suite = [&](const Target&) { return Suite{{"wgmma", {plan}}}; };
  if (std::optional<Answer> found = without_hardware(suite, r.hardware, context)) return *found;
  const VerifyAnswer seen = ask_hardware(suite, r.hardware, context, true);
  return {view_verified_word(plan, seen.report, seen.seen.front().seen), seen.report.is_confirmed() ? 0 : 1};
}

}  // namespace

Command verify_desc_command() {
  return {.name = "verify desc",
          .summary = "what a word really reads on the GPU; exit 1 when swz map differs",
          .details = R"(Fills shared memory with position codes, lets wgmma read one operand by the
word, and shows the bytes that every element came from, as swz map does.
Needs an sm_90 GPU.)",
          .examples = {{"swz verify desc 0x4000004000010042 --mma m64n64k16 --dtype f16 --operand a --major k",
                        "one word"}},
          .prepare = [] { return prepare(options_of, answer); }};
}

}  // namespace swz
