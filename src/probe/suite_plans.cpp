// Which plans a suite has: suite.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/suite.hpp"
#include "probe/wavefront_statement.hpp"

namespace swz {

namespace {

std::int64_t number_of_cases(const SuiteOptions& options, std::int64_t quick, std::int64_t standard,
                             std::int64_t all) {
  if (options.cases > 0) return options.cases;
  return options.size == SuiteSize::quick ? quick : options.size == SuiteSize::standard ? standard : all;
}

// Each instruction's fixed patterns, then others at random.
std::vector<ProbePlan> wavefront_plans(const SuiteOptions& options, const Target& target, Random& random) {
  const std::int64_t wanted = number_of_cases(options, 500, 2200, 22000);
  const std::vector<const AccessInstruction*> instructions = timed_instructions(target);
  std::vector<ProbePlan> plans;
  for (const AccessInstruction* instruction : instructions)
    for (const WavefrontPlan& plan : fixed_wavefronts(*instruction)) plans.emplace_back(plan);
  if (static_cast<std::int64_t>(plans.size()) > wanted) {
    std::shuffle(plans.begin(), plans.end(), random);
    plans.resize(static_cast<std::size_t>(wanted));
  }
  for (std::size_t i = 0; static_cast<std::int64_t>(plans.size()) < wanted; ++i)
    plans.emplace_back(draw_wavefront(*instructions[i % instructions.size()], random));
  return plans;
}

// Every form of ldmatrix, stmatrix and movmatrix in turn.
std::vector<ProbePlan> matrix_plans(const SuiteOptions& options, const Target& target, Random& random) {
  const std::vector<MatrixSyncInstruction> instructions = matrix_sync_instructions_on(target);
  std::vector<ProbePlan> plans;
  for (std::int64_t i = 0; i < number_of_cases(options, 65, 390, 3900); ++i)
    plans.emplace_back(
        draw_matrix(instructions[static_cast<std::size_t>(i) % instructions.size()], target, random));
  return plans;
}

// A, B, C and D of every shape and type: nothing to draw, unless fewer are wanted.
std::vector<ProbePlan> mma_plans(const SuiteOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  for (const MmaSyncInstruction& instruction : mma_sync_instructions_on(target))
    for (const MmaPlan& plan : mma_plans(instruction)) plans.emplace_back(plan);
  const std::int64_t most = number_of_cases(options, 60, 1000000, 1000000);
  if (static_cast<std::int64_t>(plans.size()) > most) {
    std::shuffle(plans.begin(), plans.end(), random);
    plans.resize(static_cast<std::size_t>(most));
  }
  return plans;
}

// Every kind in turn, and of it every shape and type.
std::vector<ProbePlan> tcgen05_plans(const SuiteOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  const std::int64_t wanted = number_of_cases(options, 400, 4000, 40000);
  std::vector<std::vector<Tcgen05Instruction>> kinds;
  for (const MmaKind kind : tcgen05_kinds())
    if (runs_on(row_of(kind), target)) {
      kinds.push_back(tcgen05_instructions(kind));
      std::shuffle(kinds.back().begin(), kinds.back().end(), random);
    }
  for (std::size_t i = 0; static_cast<std::int64_t>(i) < wanted; ++i) {
    const std::vector<Tcgen05Instruction>& kind = kinds[i % kinds.size()];
    const std::size_t round = i / kinds.size();
    plans.emplace_back(
        draw_tcgen05(kind[round / 2 % kind.size()], round % 2 == 0 ? OperandRole::a : OperandRole::b, random));
  }
  return plans;
}

// Every pair of types with a handful of N (all: every N), B more often than A.
std::vector<ProbePlan> sparse_wgmma_plans(const SuiteOptions& options, std::int64_t wanted, Random& random) {
  std::vector<WgmmaInstruction> instructions = sparse_wgmma_instructions();
  if (options.size != SuiteSize::all)
    std::erase_if(instructions, [](const WgmmaInstruction& i) {
      constexpr std::array<int, 4> some{8, 24, 96, 256};
      return std::ranges::find(some, i.n) == some.end();
    });
  std::shuffle(instructions.begin(), instructions.end(), random);
  if (options.size == SuiteSize::quick && instructions.size() > 12) instructions.resize(12);
  std::vector<ProbePlan> plans;
  for (std::int64_t i = 0; i < wanted; ++i) {
    const WgmmaInstruction& instruction = instructions[static_cast<std::size_t>(i) % instructions.size()];
    const auto round = static_cast<std::size_t>(i) / instructions.size();
    const bool is_a = round % 3 == 1 && may_probe(instruction, OperandRole::a);
    plans.emplace_back(draw_wgmma(instruction, is_a ? OperandRole::a : OperandRole::b, random));
  }
  return plans;
}

// Every shape in turn, A and B in turn, until there are as many cases as are wanted. A in registers has no
// descriptor and nothing else to draw: it is asked once.
std::vector<ProbePlan> wgmma_plans(const SuiteOptions& options, const Target&, Random& random) {
  const std::int64_t wanted = number_of_cases(options, 600, 6000, 60000);
  std::vector<WgmmaInstruction> instructions = wgmma_instructions(false);
  // The shapes with A in registers are as many again: the standard suite takes each, the quick one every eighth.
  const std::vector<WgmmaInstruction> in_registers = wgmma_instructions(true);
  instructions.insert(instructions.end(), in_registers.begin(), in_registers.end());
  if (options.size == SuiteSize::quick || wanted < static_cast<std::int64_t>(instructions.size())) {
    std::shuffle(instructions.begin(), instructions.end(), random);
    instructions.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(wanted / 4, 1, 120)));
  }
  std::vector<ProbePlan> plans = sparse_wgmma_plans(options, wanted / 10, random);
  for (std::int64_t i = 0; static_cast<std::int64_t>(plans.size()) < wanted; ++i) {
    const WgmmaInstruction& instruction = instructions[static_cast<std::size_t>(i) % instructions.size()];
    const auto round = static_cast<std::size_t>(i) / instructions.size();
    const bool is_a = round % 2 == 0 && (round == 0 || !instruction.a_in_registers);
    plans.emplace_back(draw_wgmma(instruction, is_a ? OperandRole::a : OperandRole::b, random));
  }
  return plans;
}

std::vector<ProbePlan> tma_plans(const SuiteOptions& options, const Target&, Random& random) {
  std::vector<ProbePlan> plans;
  for (std::int64_t i = number_of_cases(options, 60, 600, 6000); i > 0; --i) plans.emplace_back(draw_tma(random));
  return plans;
}

std::vector<ProbePlan> tile_plans(const SuiteOptions& options, const Target&, Random& random) {
  std::vector<ProbePlan> plans;
  for (std::int64_t i = number_of_cases(options, 20, 200, 2000); i > 0; --i) plans.emplace_back(draw_tile(random));
  return plans;
}

std::vector<ProbePlan> tensor_map_plans(const SuiteOptions& options, const Target&, Random& random) {
  std::vector<ProbePlan> plans;
  for (std::int64_t i = number_of_cases(options, 1000, 5000, 50000); i > 0; --i)
    plans.emplace_back(draw_tensor_map(random));
  return plans;
}

// One row a probe: on which targets, and how its plans are drawn.
struct SuiteRow {
  std::string_view probe;
  bool (*runs_on)(const Target& target);
  std::vector<ProbePlan> (*draw)(const SuiteOptions& options, const Target& target, Random& random);
};

bool has_wgmma(const Target& target) { return target.descriptor == SmemDescriptorKind::wgmma; }

bool has_tcgen05(const Target& target) { return target.descriptor == SmemDescriptorKind::tcgen05; }
bool has_mma(const Target&) { return true; }
bool has_room_for_wavefronts(const Target& target) { return target.max_smem_per_cta >= wavefront_memory().size; }

constexpr SuiteRow rows[] = {
    {"wavefront", has_room_for_wavefronts, wavefront_plans},
    {"matrix", has_mma, matrix_plans},
    {"mma", has_mma, mma_plans},
    {"wgmma", has_wgmma, wgmma_plans},
    {"tcgen05", has_tcgen05, tcgen05_plans},
    {"tma", has_wgmma, tma_plans},
    {"tile", has_wgmma, tile_plans},
    // The driver judges by the GPU at hand; its verdicts were measured on sm_90.
    {"tensor-map", has_wgmma, tensor_map_plans},
};

}  // namespace

std::vector<std::string> probes_on(const Target& target) {
  std::vector<std::string> out;
  for (const SuiteRow& row : rows)
    if (row.runs_on(target)) out.emplace_back(row.probe);
  return out;
}

Suite make_suite(const SuiteOptions& options, const Target& target) {
  const std::vector<std::string> known = probes_on(target);
  for (const std::string& name : options.only)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw usage(fmt::format("{} has no probe {}", target.name, swz::quoted(name)),
                  did_you_mean(name, known, fmt::format("its probes: {}", fmt::join(known, ", "))));
    }
  Suite suite;
  for (const SuiteRow& row : rows) {
    const bool is_wanted = options.only.empty() ||
                           std::find(options.only.begin(), options.only.end(), row.probe) != options.only.end();
    if (!row.runs_on(target) || !is_wanted) continue;
    // Each probe has its own numbers, so that --only does not change them.
    Random random(options.seed * 1000003 + static_cast<std::uint64_t>(&row - rows));
    suite.push_back({std::string(row.probe), row.draw(options, target, random)});
  }
  return suite;
}

}  // namespace swz
