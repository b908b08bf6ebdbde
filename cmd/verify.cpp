// SPDX-License-Identifier: Apache-2.0
// swz verify, and swz verify tma, tile, desc and layout: ask the hardware.
#include "view/verify/verify.hpp"

#include <algorithm>

#include "hardware_request.hpp"
#include "operand_request.hpp"
#include "probe/tile_probe.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/mma_operand.hpp"

namespace swz {
namespace {

// --- the suite

struct SuiteRequest {
  bool lists_probes = false;
  SuiteOptions suite;
  HardwareRequest hardware;
};

Options suite_options_of(SuiteRequest& r) {
  return Options{flag("--quick", r.suite.size, "a tenth of the cases: a few seconds", SuiteSize::quick),
                 flag("--all", r.suite.size, "ten times the cases", SuiteSize::all).excluding({"--quick"}),
                 option("--seed", "N", r.hardware.seed, "draw other cases").by_default("1"),
                 number("--cases", "N", r.suite.cases, 1, limits::probe_cases.most,
                        "number of cases per probe; for the probe layout, of layouts")} +
         hardware_options(r.hardware);
}

Options options_of(SuiteRequest& r) {
  const Words probes = names_of(swz::probes());
  Option only{"--only", "PROBES", "run only these probes, separated by commas: wgmma,tma; list shows them",
              [&r, probes](const std::string& text) {
                r.lists_probes = text == "list";
                if (r.lists_probes) return;
                for (const std::string& name : pieces_of(text, ","))
                  r.suite.only.push_back(probes[index_of_word(name, probes, "--only")]);
              }};
  return Options{std::move(only).taking(probes)} + suite_options_of(r);
}

Options tma_options_of(SuiteRequest& r) {
  r.suite.only = {"tma", "tensor-map"};
  return suite_options_of(r);
}

SuiteOptions suite_of(const SuiteRequest& r) {
  SuiteOptions options = r.suite;
  options.seed = r.hardware.seed;
  // There are few kernels, however many cases use them.
  if (r.hardware.emit_kernel || r.hardware.compile_only) options.cases = std::min<std::int64_t>(options.cases, 1000);
  return options;
}

// A recording has its own plans; --only keeps some of them.
void keep_only(VerifyReport& report, const Words& only) {
  if (only.empty()) return;
  std::erase_if(report.parts,
                [&](const PartReport& part) { return std::ranges::find(only, part.probe) == only.end(); });
  if (report.parts.empty())
    throw Error(fmt::format("the recording has no case of {}", fmt::join(only, ",")),
                "leave --only out to see what it has");
}

Answer suite_answer(const SuiteRequest& r, const Context& context) {
  if (r.lists_probes) return {view_probes()};
  const SuiteFor suite = [&](const Target& target) { return make_suite(suite_of(r), target); };
  if (std::optional<Answer> found = without_hardware(suite, r.hardware, context)) return *found;
  const bool is_replayed = r.hardware.replay.has_value();
  VerifyReport report = ask_hardware(is_replayed ? SuiteFor() : suite, r.hardware, context).report;
  if (is_replayed) keep_only(report, r.suite.only);
  return {view_verify(report), report.is_confirmed() ? 0 : 1};
}

// --- one thing

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
  TileRequest tile;  // its type and major
  HardwareRequest hardware;
};

Options word_options(WordRequest& r) {
  return Options{argument("WORD", r.word, "descriptor word of wgmma: 0x…, 0b… or decimal").required(),
                 mma_option(r.mma).by_default_note("64 rows"),
                 role_option(r.operand, "which operand of the MMA").by_default("a"),
                 dtype_option(r.tile.dtype).by_default("f16").noting(r.tile.has_dtype),
                 major_option(r.tile.major).noting(r.tile.has_major)} +
         hardware_options(r.hardware);
}

WgmmaPlan word_plan(const WordRequest& r) {
  std::vector<Finding> notes;
  TileRequest tile = r.tile;
  take_named(r.mma, r.operand, tile, notes);
  const Target& target = sm_90a();
  const SmemDescriptor word(r.word.word, target);
  const DType& dtype = *tile.dtype;
  const OperandChoice choice{&target, &dtype, Packing::packed, tile.major, &require_swizzle(word)};
  require_legal(choice);
  const bool is_a = r.operand == OperandRole::a;
  const TileExtents extents =
      r.mma ? mma_extents(*r.mma, r.operand, choice, notes) : TileExtents{64, 256 / dtype.memory_bits};
  // For A every N gives the same: one that shows all of K at once.
  const WgmmaPlan plan{wgmma_of(dtype, is_a ? extents.k : extents.mn), r.operand, tile.major, word.word()};
  row_of(plan.instruction);  // throws if there is no such instruction
  if (plan.extents() != extents)
    throw Error(
        fmt::format("wgmma cannot read {} of {} as operand {}", to_string(extents), dtype.name, is_a ? 'a' : 'b'),
        fmt::format("it reads {}", to_string(plan.extents())));
  const OperandMemory memory = wgmma_memory();
  const OperandMap map = operand_map(word, extents, dtype.memory_bits, tile.major);
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
  std::optional<LayoutText> layout;
  std::optional<ShapeText> shape;
  TileRequest tile;  // its type, major and base
  std::vector<AccessText> accesses;
  HardwareRequest hardware;
};

Options layout_options(LayoutRequest& r) {
  return Options{
             argument("LAYOUT", r.layout, "a layout of rank 2, (MN,K), in any notation of swz translate").required(),
             shape_option(r.shape, "LAYOUT"),
             dtype_option(r.tile.dtype).by_default("f16").noting(r.tile.has_dtype),
             option("--major", "MAJOR", r.tile.major, "contiguous dimension")
                 .offering({"k", "mn"})
                 .by_default_note("that of the layout")
                 .noting(r.tile.has_major),
             base_option(r.tile.base, "shared-memory address of index 0", "0x800"),
             option("--access", "ACCESS", r.accesses, "only these accesses, and TMA and wgmma: 'ld.shared.b32 columns'")
                 .repeated(limits::accesses)
                 .by_default_note("every instruction")} +
         hardware_options(r.hardware);
}

LayoutOperand operand_of(const LayoutRequest& r, const Target& target) {
  const ComposedLayout& layout = r.layout->layout;
  const bool has_type = r.tile.has_dtype || !layout.has_pointer() || layout.element_bits() == 16;
  const DType& dtype = has_type ? *r.tile.dtype : require_dtype(fmt::format("u{}", layout.element_bits()));
  const Bytes base = r.tile.base;
  return {.layout = layout,
          .target = &target,
          .dtype = &dtype,
          .major = Placement(layout, dtype.memory_bits, base, major_of(r.tile)).major(),
          .base = base};
}

std::vector<LayoutQuestion> questions_of(const LayoutRequest& r, const Target& target) {
  std::vector<Access> accesses;
  for (const AccessText& text : r.accesses) accesses.insert(accesses.end(), text.accesses.begin(), text.accesses.end());
  std::vector<LayoutQuestion> out =
      layout_questions(operand_of(r, target), accesses.empty() ? accesses_on(target) : accesses);
  for (const LayoutQuestion& question : out)
    if (!question.plans.empty()) return out;
  throw Error("the layout cannot be checked: " + out.back().reason, "swz place shows where its elements lie");
}

Answer layout_answer(const LayoutRequest& request, const Context& context) {
  LayoutRequest r = request;
  read_layout_of(r.layout, r.tile, r.shape);
  operand_of(r, default_target());  // an operand that cannot be placed is refused before the GPU is looked for
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

Commands verify_commands() {
  return {{.name = "verify",
           .summary = "compare what the GPU does with what swz predicts; exit 1 when it differs",
           .details = R"(Launches small kernels, each of which runs one instruction on position codes,
and compares the place that every element came from with what swz predicts.
--only list shows the probes, what each one asks, and the wrong models that it
detects.

Needs an NVIDIA driver and NVRTC, in the usual places or in the files that
SWZ_LIBCUDA and SWZ_NVRTC name. If one is missing, swz names it and exits with
3. --replay compares a recording instead; --compile-only and --emit-kernel need
no GPU.

A probe that cannot fail proves nothing: --planted NAME replaces the model of
swz by a wrong one, which must not be confirmed.)",
           .examples = {{"swz verify", "the suite for this GPU"},
                        {"swz verify --only list", "the probes and the mistakes that can be planted"},
                        {"swz verify --quick --only wgmma", "a few seconds"},
                        {"swz verify --replay tests/data/h200.jsonl", "an H200's answers, compared again"},
                        {"swz verify --compile-only --arch sm_90a", "do the kernels compile?"}},
           .prepare = [] { return prepare(options_of, suite_answer); },
           .needs_system = true},
          {.name = "verify tma",
           .summary = "check on the GPU where boxes land, what is refused, and the 128 bytes",
           .details = R"(Runs the probes tma and tensor-map of swz verify: random boxes of rank 1 to 5
are loaded and compared byte for byte with swz tma place, fills and gaps
included; random arguments are passed to cuTensorMapEncodeTiled, and its
verdicts and bytes are compared with swz tma check and swz tma encode.)",
           .examples = {{"swz verify tma", "some 600 loads and 5,000 verdicts"},
                        {"swz verify tma --seed 2 --all", "ten times as many others"}},
           .prepare = [] { return prepare(tma_options_of, suite_answer); },
           .needs_system = true},
          {.name = "verify tile",
           .summary = "check one tile on the GPU, end to end; exit 1 when it differs",
           .details = R"(Writes a tile into shared memory, by the TMA boxes of swz tma plan or at the
addresses of swz place, has wgmma read it through the words of swz desc, and
checks that every element is where it should be. Needs an sm_90 GPU.

On a mismatch a figure shows the elements that came from elsewhere.)",
           .examples = {{"swz verify tile --dtype bf16 --tile 128x64 --major k --swizzle 128B", "through TMA"},
                        {"swz verify tile --dtype f16 --tile 64x128 --major mn --order k-first --via store",
                         "through stores"}},
           .prepare = [] { return prepare(verified_tile_options, tile_answer); },
           .needs_system = true},
          {.name = "verify desc",
           .summary = "what a word really reads on the GPU; exit 1 when swz map differs",
           .details = R"(Fills shared memory with position codes, has wgmma read one operand through the
word, and shows the bytes that every element came from, as swz map does.
Needs an sm_90 GPU.)",
           .examples = {{"swz verify desc 0x4000004000010042 --mma m64n64k16 --dtype f16 --operand a --major k",
                         "one word"}},
           .prepare = [] { return prepare(word_options, word_answer); },
           .needs_system = true},
          {.name = "verify layout",
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
           .prepare = [] { return prepare(layout_options, layout_answer); },
           .needs_system = true}};
}

}  // namespace swz
