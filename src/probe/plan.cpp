#include "probe/plan.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace swz {

namespace {

// Any of them, when fewer are wanted than there are.
void take_some(std::vector<ProbePlan>& plans, std::int64_t wanted, Random& random) {
  if (std::ssize(plans) <= wanted) return;
  random.shuffle(plans);
  plans.erase(plans.begin() + wanted, plans.end());
}

// Each instruction's fixed patterns, then others at random.
std::vector<ProbePlan> wavefront_plans(const DrawOptions& options, const Target& target, Random& random) {
  const std::vector<const AccessInstruction*> instructions = timed_instructions(target);
  std::vector<ProbePlan> plans;
  for (const AccessInstruction* instruction : instructions)
    for (const WavefrontPlan& plan : fixed_wavefronts(*instruction)) plans.emplace_back(plan);
  take_some(plans, options.cases, random);
  for (std::size_t i = 0; std::ssize(plans) < options.cases; ++i)
    plans.emplace_back(draw_wavefront(*instructions[i % instructions.size()], random));
  return plans;
}

// Every form of ldmatrix, stmatrix and movmatrix in turn.
std::vector<ProbePlan> matrix_plans(const DrawOptions& options, const Target& target, Random& random) {
  const std::vector<MatrixSyncInstruction> instructions = matrix_sync_instructions_on(target);
  std::vector<ProbePlan> plans;
  for (std::int64_t i = 0; i < options.cases; ++i)
    plans.emplace_back(
        draw_matrix(instructions[static_cast<std::size_t>(i) % instructions.size()], target, random));
  return plans;
}

// A, B, C and D of every shape and type: nothing to draw, unless fewer are wanted.
std::vector<ProbePlan> mma_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  for (const MmaSyncInstruction& instruction : mma_sync_instructions_on(target))
    for (const MmaPlan& plan : mma_plans(instruction)) plans.emplace_back(plan);
  take_some(plans, options.cases, random);
  return plans;
}

// Every kind in turn, and of it every shape and type.
std::vector<ProbePlan> tcgen05_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  std::vector<std::vector<Tcgen05Instruction>> kinds;
  for (const MmaKind kind : tcgen05_kinds())
    if (runs_on(row_of(kind), target)) {
      kinds.push_back(tcgen05_instructions(kind));
      random.shuffle(kinds.back());
    }
  for (std::size_t i = 0; static_cast<std::int64_t>(i) < options.cases; ++i) {
    const std::vector<Tcgen05Instruction>& kind = kinds[i % kinds.size()];
    const std::size_t round = i / kinds.size();
    plans.emplace_back(
        draw_tcgen05(kind[round / 2 % kind.size()], round % 2 == 0 ? OperandRole::a : OperandRole::b, random));
  }
  return plans;
}

// Every pair of types with a handful of N (all: every N), B more often than A.
std::vector<ProbePlan> sparse_wgmma_plans(const DrawOptions& options, std::int64_t wanted, Random& random) {
  std::vector<WgmmaInstruction> instructions = sparse_wgmma_instructions();
  if (options.size != SuiteSize::all)
    std::erase_if(instructions, [](const WgmmaInstruction& i) {
      constexpr std::array<int, 4> some{8, 24, 96, 256};
      return std::ranges::find(some, i.n) == some.end();
    });
  random.shuffle(instructions);
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
std::vector<ProbePlan> wgmma_plans(const DrawOptions& options, const Target&, Random& random) {
  const std::int64_t wanted = options.cases;
  std::vector<WgmmaInstruction> instructions = wgmma_instructions(false);
  // The shapes with A in registers are as many again: the standard suite takes each, the quick one every eighth.
  const std::vector<WgmmaInstruction> in_registers = wgmma_instructions(true);
  instructions.insert(instructions.end(), in_registers.begin(), in_registers.end());
  if (options.size == SuiteSize::quick || wanted < static_cast<std::int64_t>(instructions.size())) {
    random.shuffle(instructions);
    instructions.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(wanted / 4, 1, 120)));
  }
  std::vector<ProbePlan> plans = sparse_wgmma_plans(options, wanted / 10, random);
  for (std::int64_t i = 0; std::ssize(plans) < wanted; ++i) {
    const WgmmaInstruction& instruction = instructions[static_cast<std::size_t>(i) % instructions.size()];
    const auto round = static_cast<std::size_t>(i) / instructions.size();
    const bool is_a = round % 2 == 0 && (round == 0 || !instruction.a_in_registers);
    plans.emplace_back(draw_wgmma(instruction, is_a ? OperandRole::a : OperandRole::b, random));
  }
  return plans;
}

// So many plans, one after the other.
template <auto draw>
std::vector<ProbePlan> drawn(const DrawOptions& options, const Target&, Random& random) {
  std::vector<ProbePlan> plans;
  for (std::int64_t i = 0; i < options.cases; ++i) plans.emplace_back(draw(random));
  return plans;
}

// Each layout is asked by every access that reads it.
std::vector<ProbePlan> layout_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  for (std::int64_t i = 0; i < options.cases; ++i)
    for (const LayoutProbePlan& plan : draw_layout(target, random)) plans.emplace_back(plan);
  return plans;
}

template <auto read>
ProbePlan read_plan(const Json& json) {
  return read(json);
}

bool has_wgmma(const Target& target) { return target.descriptor == SmemDescriptorKind::wgmma; }
bool has_tcgen05(const Target& target) { return target.descriptor == SmemDescriptorKind::tcgen05; }
bool is_any(const Target&) { return true; }
bool has_room_for_wavefronts(const Target& target) {
  return target.max_smem_per_cta >= default_target().max_smem_per_cta;
}

using enum Hypothesis;

constexpr ProbeRow rows[] = {
    {"wavefront",
     "wavefront",
     "how many wavefronts an access of a warp takes, by the clock of the SM",
     has_room_for_wavefronts,
     {500, 2200, 22000},
     wavefront_plans,
     read_plan<wavefront_plan>,
     {no_pairing, stores_pair, pairs_at_any_distance, pairs_by_group, idle_lanes_disagree, groups_of_32,
      no_broadcast}},
    {"matrix",
     "matrix",
     "which element ldmatrix, stmatrix and movmatrix give to each register",
     is_any,
     {65, 390, 3900},
     matrix_plans,
     read_plan<matrix_plan>,
     {wrong_fragment}},
    {"mma",
     "mma",
     "which element of A, B, C and D each register of mma.sync holds",
     is_any,
     {60, 1000000, 1000000},
     mma_plans,
     read_plan<mma_plan>,
     {wrong_fragment, wrong_identity}},
    {"wgmma",
     "wgmma",
     "which byte each element of a wgmma operand comes from, by descriptor or from registers",
     has_wgmma,
     {600, 6000, 60000},
     wgmma_plans,
     read_plan<wgmma_plan>,
     {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}},
    {"tcgen05",
     "tcgen05",
     "which byte each element of a tcgen05.mma operand comes from, by descriptor",
     has_tcgen05,
     {400, 4000, 40000},
     tcgen05_plans,
     read_plan<tcgen05_plan>,
     {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}},
    {"tma",
     "tma",
     "which byte of a tensor each byte of shared memory holds after a TMA load",
     has_wgmma,
     {60, 600, 6000},
     drawn<draw_tma>,
     read_plan<tma_plan>,
     {mask_off_by_one, relative_xor, rows_packed}},
    {"tile",
     "tile",
     "whether a tile reaches wgmma as TMA boxes and descriptor words say",
     has_wgmma,
     {20, 200, 2000},
     drawn<draw_tile>,
     read_plan<tile_probe_plan>,
     {strides_swapped, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}},
    // The driver judges by the GPU at hand; its verdicts were measured on sm_90.
    {"tensor-map",
     "tensor_map",
     "which arguments cuTensorMapEncodeTiled accepts, and the 128 bytes that it writes",
     has_wgmma,
     {1000, 5000, 50000},
     drawn<draw_tensor_map>,
     read_plan<tensor_map_plan>,
     {documented_rules}},
    {"layout",
     "layout",
     "where each element of any layout lies for every access that reads it, and its wavefronts",
     is_any,
     {10, 40, 400},
     layout_plans,
     read_plan<layout_probe_plan>,
     {one_stride_off, wrong_swizzle, groups_of_32, no_broadcast}},
};
static_assert(std::size(rows) == std::variant_size_v<ProbePlan>);

template <class Plan>
std::vector<Plan> of_one_kind(std::span<const ProbePlan> plans) {
  std::vector<Plan> out;
  for (const ProbePlan& plan : plans) out.push_back(std::get<Plan>(plan));
  return out;
}

}  // namespace

std::span<const ProbeRow> probes() { return rows; }
const ProbeRow& probe_of(const ProbePlan& plan) { return rows[plan.index()]; }

ProbePlan probe_plan(const Json& json) {
  for (const ProbeRow& row : rows)
    if (json.contains(row.key)) return row.read(json);
  throw Error("the object names no probe of this version of swz", "its first key is a probe, as in {\"wgmma\": …}");
}

std::optional<Kernel> kernel_of(const ProbePlan& plan) {
  return std::visit(
      []<class Plan>(const Plan& p) -> std::optional<Kernel> {
        if constexpr (std::is_same_v<Plan, TensorMapPlan>) return std::nullopt;
        else return kernel_of(p);
      },
      plan);
}

Observation expected(const ProbePlan& plan, Hypothesis hypothesis) {
  return std::visit([&](const auto& p) { return expected(p, hypothesis); }, plan);
}

std::string subject(const ProbePlan& plan) {
  return std::visit([](const auto& p) { return subject(p); }, plan);
}

std::string element_name(const ProbePlan& plan, std::int64_t index) {
  return std::visit([&](const auto& p) { return element_name(p, index); }, plan);
}

std::string value_name(const ProbePlan& plan, std::int64_t value) {
  return std::visit([&](const auto& p) { return value_name(p, value); }, plan);
}

Json to_json(const ProbePlan& plan) {
  return std::visit([](const auto& p) { return to_json(p); }, plan);
}

std::vector<Observation> observe(ProbeDevice& device, std::span<const ProbePlan> plans, Hypothesis hypothesis) {
  if (plans.empty()) return {};
  return std::visit(
      [&]<class Plan>(const Plan&) {
        const std::vector<Plan> batch = of_one_kind<Plan>(plans);
        if constexpr (std::is_same_v<Plan, TensorMapPlan>) {
          std::vector<Observation> out;
          for (const Plan& plan : batch) out.push_back(observation_of(device.encode(plan.map)));
          return out;
        } else return decode(batch, device.run(launch_of(batch, hypothesis)), hypothesis);
      },
      plans.front());
}

}  // namespace swz
