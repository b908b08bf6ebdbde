// swz verify tile, swz verify desc and swz verify layout: one thing, asked of the GPU.
#include "view/verify.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "hardware_request.hpp"
#include "operand_request.hpp"
#include "probe/tile_probe.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/mma_operand.hpp"

namespace swz {
namespace {

template <class View>
Answer asked(const SuiteFor& suite, const HardwareRequest& hardware, const Context& context, const View& view) {
  if (std::optional<Answer> found = without_hardware(suite, hardware, context)) return *found;
  const VerifyAnswer answer = ask_hardware(suite, hardware, context, true);
  return {view(answer), answer.report.is_confirmed() ? 0 : 1};
}

// --- a tile, end to end

struct TileProbeRequest {
  TileRequest tile;
  TileWay via = TileWay::tma;
  HardwareRequest hardware;
};

Options verified_tile_options(TileProbeRequest& r) {
  return tile_options(r.tile, "0x400") +
         Options{one_of<TileWay>("--via", "WAY", r.via, {{"tma", TileWay::tma}, {"store", TileWay::store}},
                                 "how the elements are written to shared memory")
                     .by_default("tma")} +
         hardware_options(r.hardware);
}

Answer tile_answer(const TileProbeRequest& r, const Context& context) {
  const TileProbePlan plan{tile_of(r.tile, sm_90a()), r.via};
  require_plan(plan);
  const SuiteFor suite = [&](const Target&) { return Suite{{"tile", {plan}}}; };
  return asked(suite, r.hardware, context, [&](const VerifyAnswer& answer) {
    return view_verified_tile(plan, answer.report, answer.seen.front().seen);
  });
}

// --- a descriptor word

struct WordRequest {
  WordText word;
  std::optional<MmaShapeText> mma;
  OperandRole operand = OperandRole::a;
  const DType* dtype = nullptr;
  Major major = Major::K;
  HardwareRequest hardware;
};

Options word_options(WordRequest& r) {
  return Options{argument("WORD", r.word, "descriptor word of wgmma: 0x…, 0b… or decimal").required(),
                 mma_option(r.mma).by_default_note("64 rows"), role_option(r.operand, "which operand of the MMA"),
                 dtype_option(r.dtype).by_default("f16"), major_option(r.major)} +
         hardware_options(r.hardware);
}

WgmmaPlan word_plan(const WordRequest& r) {
  const Target& target = sm_90a();
  const SmemDescriptor word(r.word.word, target);
  const DType& dtype = *r.dtype;
  const OperandChoice choice{&target, &dtype, Packing::packed, r.major, &require_swizzle(word)};
  require_legal(choice);
  const bool is_a = r.operand == OperandRole::a;
  std::vector<Finding> notes;
  const TileExtents extents =
      r.mma ? mma_extents(*r.mma, r.operand, choice, notes) : TileExtents{64, 256 / dtype.memory_bits};
  // Of A every N sees the same: one that shows all of K at once.
  const WgmmaPlan plan{wgmma_of(dtype, is_a ? extents.k : extents.mn), r.operand, r.major, word.word()};
  row_of(plan.instruction);  // throws when there is no such instruction
  if (plan.extents() != extents)
    throw Error(
        fmt::format("wgmma cannot read {} of {} as operand {}", to_string(extents), dtype.name, is_a ? 'a' : 'b'),
        fmt::format("it reads {}", to_string(plan.extents())));
  const OperandMemory memory = wgmma_memory();
  const OperandMap map = operand_map(word, extents, dtype.memory_bits, r.major);
  const auto [lowest, highest] = std::ranges::minmax(map.bytes());
  if (lowest < memory.begin.count || highest >= memory.identity.count)
    throw Error(fmt::format("the word reads from {:#x} to {:#x}; the probe can see {:#x} to {:#x}", lowest, highest,
                            memory.begin.count, memory.identity.count - 1),
                "lower addresses are reserved, higher ones hold the other operand: change the start address");
  return plan;
}

Answer word_answer(const WordRequest& r, const Context& context) {
  const WgmmaPlan plan = word_plan(r);
  const SuiteFor suite = [&](const Target&) { return Suite{{"wgmma", {plan}}}; };
  return asked(suite, r.hardware, context, [&](const VerifyAnswer& answer) {
    return view_verified_word(plan, answer.report, answer.seen.front().seen);
  });
}

// --- a layout

struct LayoutRequest {
  LayoutText layout;
  TileRequest tile;  // its type, major and base
  std::vector<AccessText> accesses;
  HardwareRequest hardware;
};

Options layout_options(LayoutRequest& r) {
  return Options{argument("LAYOUT", r.layout, "a layout of rank 2, (MN,K), in CuTe's notation").required(),
                 dtype_option(r.tile.dtype).by_default("f16").noting(r.tile.has_dtype),
                 option("--major", "MAJOR", r.tile.major, "contiguous dimension")
                     .offering({"k", "mn"})
                     .by_default_note("that of the layout")
                     .noting(r.tile.has_major),
                 base_option(r.tile.base, "shared-memory address of index 0", "0x800"),
                 option("--access", "ACCESS", r.accesses,
                        "only these accesses, and TMA and wgmma: 'ld.shared.b32 columns'")
                     .repeated(limits::accesses)
                     .by_default_note("every instruction")} +
         hardware_options(r.hardware);
}

LayoutOperand operand_of(const LayoutRequest& r, const Target& target) {
  const ComposedLayout& layout = r.layout.layout;
  const bool has_type = r.tile.has_dtype || !layout.has_pointer() || layout.element_bits() == 16;
  const DType& dtype = has_type ? *r.tile.dtype : require_dtype(fmt::format("u{}", layout.element_bits()));
  const Bytes base = r.tile.base.bytes;
  return {.layout = layout,
          .target = &target,
          .dtype = &dtype,
          .major = Placement(layout, dtype.memory_bits, base, major_of(r.tile)).major(),
          .base = base};
}

std::vector<LayoutQuestion> questions_of(const LayoutRequest& r, const Target& target) {
  std::vector<Access> accesses;
  for (const AccessText& text : r.accesses)
    accesses.insert(accesses.end(), text.accesses.begin(), text.accesses.end());
  std::vector<LayoutQuestion> out =
      layout_questions(operand_of(r, target), accesses.empty() ? accesses_on(target) : accesses);
  for (const LayoutQuestion& question : out)
    if (!question.plans.empty()) return out;
  throw Error("the layout cannot be checked: " + out.back().reason, "swz place shows where its elements lie");
}

// What cannot be placed is said before the GPU is looked for.
void validate_layout(const LayoutRequest& r) { operand_of(r, default_target()); }

Answer layout_answer(const LayoutRequest& r, const Context& context) {
  std::vector<LayoutQuestion> questions;
  const Target* gpu = nullptr;
  const SuiteFor suite = [&](const Target& target) {
    gpu = &target;
    questions = questions_of(r, target);
    std::vector<ProbePlan> plans;
    for (const LayoutQuestion& question : questions)
      plans.insert(plans.end(), question.plans.begin(), question.plans.end());
    return Suite{{"layout", std::move(plans)}};
  };
  return asked(suite, r.hardware, context, [&](const VerifyAnswer& answer) {
    return view_verified_layout(operand_of(r, *gpu), questions, answer.report, answer.seen);
  });
}

}  // namespace

Command verify_tile_command() {
  return {.name = "verify tile",
          .summary = "check one tile on the GPU, end to end; exit 1 when it differs",
          .details = R"(Writes a tile into shared memory, by the TMA boxes of swz tma plan or at the
addresses of swz place, has wgmma read it through the words of swz desc, and
checks that every element is where it should be. Needs an sm_90 GPU.

On a mismatch a figure shows the elements that came from elsewhere.)",
          .examples = {{"swz verify tile --dtype bf16 --tile 128x64 --major k --swizzle 128B", "through TMA"},
                       {"swz verify tile --dtype f16 --tile 64x128 --major mn --order k-first --via store",
                        "through stores"}},
          .prepare = [] { return prepare(verified_tile_options, tile_answer); }};
}

Command verify_desc_command() {
  return {.name = "verify desc",
          .summary = "what a word really reads on the GPU; exit 1 when swz map differs",
          .details = R"(Fills shared memory with position codes, has wgmma read one operand through the
word, and shows the bytes that every element came from, as swz map does.
Needs an sm_90 GPU.)",
          .examples = {{"swz verify desc 0x4000004000010042 --mma m64n64k16 --dtype f16 --operand a --major k",
                        "one word"}},
          .prepare = [] { return prepare(word_options, word_answer); }};
}

Command verify_layout_command() {
  return {.name = "verify layout",
          .summary = "check on the GPU where the elements of a layout lie; exit 1 when it differs",
          .details = R"(Checks a layout of rank 2 in every way that applies to it, and names the ways
that do not. The TMA boxes of swz tma plan --layout write its elements into
shared memory, wgmma reads them through the words of swz desc --from, and
ld.shared, st.shared, ldmatrix, stmatrix and cp.async access them at the
addresses of swz banks. Each element must lie where the layout says, and each
access must take as many wavefronts as swz banks counts, by the clock of the SM.

TMA and wgmma need an sm_90 GPU, the accesses any GPU from sm_75 on. On a
mismatch a figure shows the elements that lie elsewhere. swz verify --only
layout checks random layouts.)",
          .examples = {{"swz verify layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)'", "a swizzled tile"},
                       {"swz verify layout '(32,33):(33,1)' --dtype f32 --access 'ld.shared.b32 columns'",
                        "a padded transpose"}},
          .prepare = [] { return prepare(layout_options, layout_answer, validate_layout); }};
}

}  // namespace swz
