// SPDX-License-Identifier: Apache-2.0
#include "probe/plan.hpp"

#include <type_traits>

#include "base/error.hpp"

namespace swz {

namespace {

// Draws the requested number of plans, each with its number.
template <class Draw>
std::vector<ProbePlan> drawn(std::int64_t cases, Draw draw) {
  std::vector<ProbePlan> plans;
  for (std::size_t i = 0; std::ssize(plans) < cases; ++i) plans.emplace_back(draw(i));
  return plans;
}

// Keeps a random part of the plans, if fewer are requested.
void take_some(std::vector<ProbePlan>& plans, std::int64_t wanted, Random& random) {
  if (std::ssize(plans) <= wanted) return;
  random.shuffle(plans);
  plans.erase(plans.begin() + wanted, plans.end());
}

void append_plans(std::vector<ProbePlan>& plans, const auto& more) {
  plans.insert(plans.end(), more.begin(), more.end());
}

// Each instruction's fixed patterns, then random ones.
std::vector<ProbePlan> wavefront_plans(const DrawOptions& options, const Target& target, Random& random) {
  const std::vector<const AccessInstruction*> instructions = timed_instructions(target);
  std::vector<ProbePlan> plans;
  for (const AccessInstruction* instruction : instructions) append_plans(plans, fixed_wavefronts(*instruction));
  take_some(plans, options.cases, random);
  append_plans(plans, drawn(options.cases - std::ssize(plans), [&](std::size_t i) {
                 return draw_wavefront(*instructions[i % instructions.size()], random);
               }));
  return plans;
}

// Every form of ldmatrix, stmatrix and movmatrix in turn.
std::vector<ProbePlan> matrix_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<MatrixForm> forms = matrix_forms();
  std::erase_if(forms, [&](const MatrixForm& form) { return !runs_on(form.row->availability, target); });
  return drawn(options.cases, [&](std::size_t i) { return draw_matrix(forms[i % forms.size()], target, random); });
}

// A, B, C and D of every shape and type: nothing to draw, unless fewer are requested.
std::vector<ProbePlan> mma_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  for (const MmaSyncInstruction& instruction : mma_sync_instructions())
    if (runs_on(instruction, target)) append_plans(plans, mma_plans(instruction));
  take_some(plans, options.cases, random);
  return plans;
}

OperandRole role(bool is_a) { return is_a ? OperandRole::a : OperandRole::b; }

// Every kind in turn, with every shape and type of it.
std::vector<ProbePlan> tcgen05_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<std::vector<Tcgen05Instruction>> kinds;
  for (const MmaKind kind : tcgen05_kinds())
    if (runs_on(row_of(kind), target)) {
      kinds.push_back(tcgen05_instructions(kind));
      random.shuffle(kinds.back());
    }
  return drawn(options.cases, [&](std::size_t i) {
    const std::vector<Tcgen05Instruction>& kind = kinds[i % kinds.size()];
    const std::size_t round = i / kinds.size();
    return draw_tcgen05(kind[round / 2 % kind.size()], role(round % 2 == 0), random);
  });
}

// Every pair of types with a few N (size all: every N), B more often than A.
std::vector<ProbePlan> sparse_wgmma_plans(const DrawOptions& options, std::int64_t wanted, Random& random) {
  std::vector<WgmmaInstruction> instructions = sparse_wgmma_instructions();
  if (options.size != SuiteSize::all)
    std::erase_if(instructions, [](const WgmmaInstruction& i) {
      constexpr std::array<int, 4> some{8, 24, 96, 256};
      return std::ranges::find(some, i.n) == some.end();
    });
  random.shuffle(instructions);
  if (options.size == SuiteSize::quick && instructions.size() > 12) instructions.resize(12);
  return drawn(wanted, [&](std::size_t i) {
    const WgmmaInstruction& instruction = instructions[i % instructions.size()];
    const bool is_a = i / instructions.size() % 3 == 1 && may_probe(instruction, OperandRole::a);
    return draw_wgmma(instruction, role(is_a), random);
  });
}

// Every shape in turn, A and B in turn, until there are as many cases as requested. A in registers has no descriptor
// and nothing else to draw, so it is probed once.
std::vector<ProbePlan> wgmma_plans(const DrawOptions& options, const Target&, Random& random) {
  const std::int64_t wanted = options.cases;
  std::vector<WgmmaInstruction> instructions = wgmma_instructions(false);
  // There are as many shapes with A in registers: the standard suite uses each, the quick one every eighth.
  const std::vector<WgmmaInstruction> in_registers = wgmma_instructions(true);
  instructions.insert(instructions.end(), in_registers.begin(), in_registers.end());
  if (options.size == SuiteSize::quick || wanted < std::ssize(instructions)) {
    random.shuffle(instructions);
    instructions.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(wanted / 4, 1, 120)));
  }
  std::vector<ProbePlan> plans = sparse_wgmma_plans(options, wanted / 10, random);
  append_plans(plans, drawn(wanted - std::ssize(plans), [&](std::size_t i) {
                 const WgmmaInstruction& instruction = instructions[i % instructions.size()];
                 const std::size_t round = i / instructions.size();
                 const bool is_a = round % 2 == 0 && (round == 0 || !instruction.a_in_registers);
                 return draw_wgmma(instruction, role(is_a), random);
               }));
  return plans;
}

// As many plans as requested, drawn one by one.
template <auto draw>
std::vector<ProbePlan> draw_each(const DrawOptions& options, const Target&, Random& random) {
  return drawn(options.cases, [&](std::size_t) { return draw(random); });
}

// Each layout is probed with every access that reads it.
std::vector<ProbePlan> layout_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  for (std::int64_t i = 0; i < options.cases; ++i) append_plans(plans, draw_layout(target, random));
  return plans;
}

// Every form of tcgen05.ld and st in turn.
std::vector<ProbePlan> tmem_access_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<TmemForm> forms = tmem_forms_to_probe(target);
  random.shuffle(forms);
  return drawn(options.cases, [&](std::size_t i) { return draw_tmem_access(forms[i % forms.size()], random); });
}

// Every form of tcgen05.cp in turn.
std::vector<ProbePlan> tmem_copy_plans(const DrawOptions& options, const Target&, Random& random) {
  std::vector<TmemCopyPlan> forms = tmem_copies_to_probe();
  random.shuffle(forms);
  return drawn(options.cases, [&](std::size_t i) { return draw_tmem_copy(forms[i % forms.size()], random); });
}

// Both padded types with every swizzle in turn.
std::vector<ProbePlan> tx_bytes_plans(const DrawOptions& options, const Target&, Random& random) {
  return drawn(options.cases, [&](std::size_t i) { return draw_tx_bytes(i, random); });
}

// Every operation in turn.
std::vector<ProbePlan> reduce_plans(const DrawOptions& options, const Target&, Random& random) {
  return drawn(options.cases, [&](std::size_t i) { return draw_reduce(i, random); });
}

// Every form of tcgen05.mma, those that may be refused last; a random part if fewer are requested.
std::vector<ProbePlan> tmem_mma_plans(const DrawOptions& options, const Target& target, Random& random) {
  std::vector<ProbePlan> plans;
  append_plans(plans, tmem_mma_plans(target));
  take_some(plans, options.cases, random);
  std::stable_partition(plans.begin(), plans.end(),
                        [](const ProbePlan& plan) { return !std::get<TmemMmaPlan>(plan).is_risky(); });
  return plans;
}

template <auto read>
ProbePlan read_plan(const Json& json) {
  return read(json);
}

bool has_wgmma(const Target& target) { return target.descriptor == SmemDescriptorKind::wgmma; }
bool has_tcgen05(const Target& target) { return target.descriptor == SmemDescriptorKind::tcgen05; }
// A family target does not have it.
bool has_shift(const Target& target) { return has_tcgen05(target) && target.name.ends_with('a'); }
bool is_any(const Target&) { return true; }
bool has_room_for_wavefronts(const Target& target) {
  return target.max_smem_per_cta >= default_target().max_smem_per_cta;
}

using enum Hypothesis;

// clang-format off
//   name, question, targets, number of cases, draw, read, the mistakes that it catches
constexpr ProbeRow rows[] = {
    {"wavefront", "how many wavefronts an access of a warp takes, by the clock of the SM",
     has_room_for_wavefronts, {500, 2200, 22000}, wavefront_plans, read_plan<wavefront_plan>,
     {no_pairing, stores_pair, pairs_at_any_distance, pairs_by_group, idle_lanes_disagree, groups_of_32,
      no_broadcast}},
    {"matrix", "which element ldmatrix, stmatrix and movmatrix give to each register",
     is_any, {65, 390, 3900}, matrix_plans, read_plan<matrix_plan>, {wrong_fragment}},
    {"mma", "which element of A, B, C and D each register of mma.sync holds",
     is_any, {60, 1000000, 1000000}, mma_plans, read_plan<mma_plan>, {wrong_fragment, wrong_identity}},
    {"wgmma", "which byte each element of a wgmma operand comes from, by descriptor or from registers",
     has_wgmma, {600, 6000, 60000}, wgmma_plans, read_plan<wgmma_plan>,
     {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}},
    {"tcgen05", "which byte each element of a tcgen05.mma operand comes from, by descriptor",
     has_tcgen05, {400, 4000, 40000}, tcgen05_plans, read_plan<tcgen05_plan>,
     {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}},
    {"tma", "which byte of a tensor each byte of shared memory holds after a TMA load",
     has_wgmma, {60, 600, 6000}, draw_each<draw_tma>, read_plan<tma_plan>,
     {mask_off_by_one, relative_xor, rows_packed}},
    {"tile", "whether a tile reaches wgmma as TMA boxes and descriptor words say",
     has_wgmma, {20, 200, 2000}, draw_each<draw_tile>, read_plan<tile_probe_plan>,
     {strides_swapped, mask_off_by_one, relative_xor, wrong_fragment, wrong_identity}},
    // The driver judges for the GPU of this machine; its verdicts were measured on sm_90.
    {"tensor-map", "which arguments cuTensorMapEncodeTiled accepts, and the 128 bytes that it writes",
     has_wgmma, {1000, 5000, 50000}, draw_each<draw_tensor_map>, read_plan<tensor_map_plan>, {documented_rules}},
    {"layout", "where each element of any layout lies for every access that reads it, and its wavefronts",
     is_any, {10, 40, 400}, layout_plans, read_plan<layout_probe_plan>,
     {one_stride_off, wrong_swizzle, groups_of_32, no_broadcast}},
    {"tmem-access", "which cell of tensor memory each register of tcgen05.ld and st holds",
     has_tcgen05, {60, 450, 4500}, tmem_access_plans, read_plan<tmem_access_plan>,
     {wrong_fragment, lanes_off_by_16, packed_halves_exchanged, pack_ignored, split_in_registers, lane_bits_obeyed,
      upper_cleared, reduced_over_both_halves}},
    {"tmem-copy", "which bit of shared memory each bit of tensor memory holds after tcgen05.cp",
     has_tcgen05, {36, 360, 3600}, tmem_copy_plans, read_plan<tmem_copy_plan>,
     {strides_swapped, base_offset_added, mask_off_by_one, relative_xor, lanes_off_by_16, multicast_exchanged,
      copied_from_issuer, nibbles_exchanged, container_elsewhere}},
    {"tx-bytes", "how many bytes an mbarrier counts for padded elements of 4 and 6 bits, and their swizzles",
     has_tcgen05, {14, 42, 420}, tx_bytes_plans, read_plan<tx_bytes_plan>,
     {padding_counted, outside_not_counted, ptx_swizzles}},
    {"tmem-mma", "which cell of tensor memory each element of D, A, scale factors and metadata of tcgen05.mma is in",
     has_tcgen05, {60, 1000000, 1000000}, tmem_mma_plans, read_plan<tmem_mma_plan>,
     {wrong_identity, lanes_off_by_16, nibbles_exchanged, container_elsewhere, halves_exchanged, quarters_of_n,
      b_in_each_cta, k_halves_exchanged, one_copy, a_in_lanes_0_63, pair_halves, k_major_alone, sf_id_off_by_one,
      scale_b_warpx4, scale_b_rounded_halves, scale_a_by_pair_row, scale_columns_by_4, scale_columns_by_2, k96_even_ids,
      metadata_in_lanes_0_63, metadata_from_top, selector_of_four, metadata_columns_by_4, metadata_columns_by_2,
      a_n_step_16, scale_b_by_32_rows, scale_words_whole}},
    {"cluster", "which rank each CTA has, what addresses of others say, and whom multicast loads and slices reach",
     has_wgmma, {60, 600, 6000}, draw_each<draw_cluster>, read_plan<cluster_plan>,
     {mask_off_by_one, relative_xor, rank_y_first, mapa_keeps_rank, issuer_receives, other_operand_mask,
      slices_by_rows, own_slice_counted}},
    // Last, because no document defines a column that is not a multiple of 8, and it may trap.
    {"tmem-shift", "which cell of tensor memory each cell holds after tcgen05.shift",
     has_shift, {16, 64, 640}, draw_each<draw_tmem_shift>, read_plan<tmem_shift_plan>,
     {shift_of_one_quarter, shift_upwards, shift_across_quarters, shift_of_aligned_columns}},
    {"im2col", "which byte of a tensor each byte of shared memory holds after an im2col load, and the bytes counted",
     has_wgmma, {60, 600, 6000}, draw_each<draw_im2col>, read_plan<im2col_plan>,
     {mask_off_by_one, relative_xor, rows_packed, outside_not_counted, offset_off_by_one, offsets_turn,
      turns_to_start}},
    {"interleave", "the same of interleaved tiles and images",
     has_wgmma, {60, 600, 6000}, draw_each<draw_interleave>, read_plan<interleave_plan>,
     {mask_off_by_one, relative_xor, rows_at_span, outside_not_counted, offset_off_by_one, offsets_turn,
      turns_to_start, slices_of_elements}},
    {"reduce", "from which byte of shared memory each element of a tensor comes after a TMA store or reduction",
     has_wgmma, {70, 700, 7000}, reduce_plans, read_plan<reduce_plan>,
     {mask_off_by_one, relative_xor, rows_packed, read_linear, rows_end_at_element}},
};
// clang-format on
static_assert(std::size(rows) == std::variant_size_v<ProbePlan>);

}  // namespace

std::string ProbeRow::key() const {
  std::string key(name);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::span<const ProbeRow> probes() { return rows; }
const ProbeRow& probe_of(const ProbePlan& plan) { return rows[plan.index()]; }

ProbePlan probe_plan(const Json& json) {
  for (const ProbeRow& row : rows)
    if (json.contains(row.key())) return row.read(json);
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

Observations observe(ProbeDevice& device, std::span<const ProbePlan> plans, Hypothesis hypothesis) {
  if (plans.empty()) return {};
  return std::visit(
      [&]<class Plan>(const Plan&) {
        std::vector<Plan> batch;
        for (const ProbePlan& plan : plans) batch.push_back(std::get<Plan>(plan));
        if constexpr (std::is_same_v<Plan, TensorMapPlan>) {
          Observations out;
          for (const Plan& plan : batch) out.push_back(observation_of(device.encode(plan.map)));
          return out;
        } else if constexpr (std::is_same_v<Plan, TxBytesPlan> || std::is_same_v<Plan, Im2colPlan> ||
                             std::is_same_v<Plan, InterleavePlan>) {
          const Launch launch = with_driver_maps(launch_of(batch, hypothesis), batch, device);
          return decode(batch, device.run(kernel_of(batch.front()), launch), hypothesis);
        } else {
          return decode(batch, device.run(kernel_of(batch.front()), launch_of(batch, hypothesis)), hypothesis);
        }
      },
      plans.front());
}

}  // namespace swz
