// SPDX-License-Identifier: Apache-2.0
#include "probe/wgmma_probe.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

bool is_wgmma_of(const MmaInstruction& row, const WgmmaInstruction& i) {
  return row.family == InstructionFamily::wgmma && takes_type(row, i.a_type) && takes_type(row, i.b_type) &&
         accumulates_in(row, i.d_type) && row.takes(i.n) && (row.bits == 8 || i.a_type == i.b_type) &&
         !(i.sparse && (row.bits == 1 || i.a_in_registers));
}

// The operands after the scale-d predicate: the signs of A and B (floating types), then which of them is transposed.
std::string immediates(const WgmmaInstruction& i, unsigned transposed) {
  if (!require_dtype(i.a_type).is_floating) return "";
  if (!may_transpose(i)) return ", 1, 1";
  if (i.a_in_registers) return fmt::format(", 1, 1, {}", transposed >> 1);
  return fmt::format(", 1, 1, {}, {}", transposed & 1U, transposed >> 1);
}

}  // namespace

WgmmaInstruction wgmma_of(const DType& dtype, std::int64_t n) {
  const std::string name(dtype.name);
  return {static_cast<int>(n), name, name, dtype.is_floating ? "f32" : "s32"};
}

std::vector<WgmmaInstruction> wgmma_instructions(bool a_in_registers) {
  std::vector<WgmmaInstruction> out;
  for (const MmaInstruction& row : mma_instructions()) {
    if (row.family != InstructionFamily::wgmma) continue;
    for (const Range& range : row.n)
      for (int n = range.first; n <= range.last && n > 0; n += range.step)
        for (const std::string_view a : row.types)
          for (const std::string_view b : row.types)
            for (const std::string_view d : row.accumulators)
              if (!a.empty() && !b.empty() && !d.empty() && (row.bits == 8 || a == b))
                out.push_back({n, std::string(a), std::string(b), std::string(d), a_in_registers});
  }
  return out;
}

std::vector<WgmmaInstruction> sparse_wgmma_instructions() {
  std::vector<WgmmaInstruction> out;
  for (WgmmaInstruction instruction : wgmma_instructions(false)) {
    if (instruction.a_type == "b1") continue;
    instruction.sparse = true;
    out.push_back(std::move(instruction));
  }
  return out;
}

int depth_of(const WgmmaInstruction& instruction) { return row_of(instruction).k * (instruction.sparse ? 2 : 1); }

const MmaInstruction& row_of(const WgmmaInstruction& instruction) {
  for (const MmaInstruction& row : mma_instructions())
    if (is_wgmma_of(row, instruction)) return row;
  throw Error(fmt::format("there is no wgmma of n {} with {} x {} -> {}", instruction.n, instruction.a_type,
                          instruction.b_type, instruction.d_type),
              "swz arch instructions lists the shapes and types");
}

bool may_transpose(const WgmmaInstruction& instruction) { return row_of(instruction).bits == 16; }

std::string to_string(const WgmmaInstruction& i) {
  return fmt::format("wgmma.{}m64n{}k{}.{}.{}.{}{}", i.sparse ? "sp." : "", i.n, depth_of(i), i.d_type, i.a_type,
                     i.b_type, i.a_in_registers ? ", A in registers" : "");
}

Fragment fragment_of(const WgmmaInstruction& i, Operand operand) {
  return mma_fragment(row_of(i), i.n, operand, require_dtype(operand == Operand::d ? i.d_type : i.a_type), {});
}

std::string wgmma_statement(const WgmmaInstruction& i) {
  const int d = fragment_of(i, Operand::d).registers();
  const int a = i.a_in_registers ? fragment_of(i, Operand::a).registers() : 0;
  const int a_operands = i.a_in_registers ? a : 1;
  const std::string op = i.a_type == "b1" ? ".and.popc" : "";

  std::string out = fmt::format("#define D_REGISTERS {}\n#define A_REGISTERS {}\n", d, a);
  out += fmt::format(
      "__device__ void mma(unsigned (&d)[{}], {}, unsigned long long b, unsigned transposed, "
      "unsigned metadata) {{\n",
      d, i.a_in_registers ? fmt::format("const unsigned (&a)[{}]", a) : "unsigned long long a");
  for (unsigned transposed = 0; transposed < 4; ++transposed) {
    const bool is_legal = may_transpose(i) ? !i.a_in_registers || (transposed & 1U) == 0 : transposed == 0;
    if (!is_legal) continue;
    out += fmt::format(
        "  if (transposed == {})\n    asm volatile(\"{{ .reg .pred p; setp.ne.u32 p, 1, 0; "
        "wgmma.fence.sync.aligned;\\n\"\n",
        transposed);
    const int b_operand = d + a_operands;
    // The metadata of every thread are the same, so it does not matter which threads selector 0 names.
    const std::string metadata = i.sparse ? fmt::format(", %{}, 0", b_operand + 1) : "";
    out += fmt::format("      \"wgmma.mma_async{}.sync.aligned.m64n{}k{}.{}.{}.{}{} {{{}}}, {}, %{}{}, p{};\\n\"\n",
                       i.sparse ? ".sp" : "", i.n, depth_of(i), i.d_type, i.a_type, i.b_type, op, placeholders(0, d),
                       i.a_in_registers ? "{" + placeholders(d, a) + "}" : placeholders(d, 1), b_operand, metadata,
                       immediates(i, transposed));
    out += "      \"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }\"\n";
    out += fmt::format("      : {}\n      : {}, \"l\"(b){} : \"memory\");\n", operands("+r", "d", d),
                       i.a_in_registers ? operands("r", "a", a) : "\"l\"(a)", i.sparse ? ", \"r\"(metadata)" : "");
  }
  return out + "}\n";
}

namespace {

// The layout that kernels/wgmma.cu reads.
struct Block {
  std::uint64_t a = 0, b = 0;
  std::uint32_t image = 0, overlay = 0, registers = 0, transposed = 0, metadata = 0, unused = 0;
};

TileExtents extents_of(const WgmmaInstruction& instruction, OperandRole operand) {
  if (operand == OperandRole::a) return {64, row_of(instruction).k};
  return {instruction.n, depth_of(instruction)};
}

Identity identity_of(const WgmmaPlan& plan) {
  const WgmmaInstruction& i = plan.instruction;
  if (plan.operand == OperandRole::b) return {extents_of(i, OperandRole::a), i.a_type};
  return {extents_of(i, OperandRole::b), i.b_type, Packing::packed, i.sparse};
}

// One word, but for B of a sparse wgmma two: each of its k is shown with one metadata word or the other.
std::span<const std::uint32_t> metadata_of(const WgmmaPlan& plan) {
  const bool is_both = plan.instruction.sparse && plan.operand == OperandRole::b;
  return std::span(metadata_words).first(is_both ? 2 : 1);
}

// For B of a sparse wgmma, `selection` is the metadata word.
SeenThrough seen_through(const WgmmaPlan& plan) {
  const WgmmaInstruction& i = plan.instruction;
  SeenThrough out{.operand = plan.operand,
                  .extents = plan.extents(),
                  .columns = columns_shown(identity_of(plan), plan.extents().k),
                  .dtype = plan.dtype(),
                  .d_type = i.d_type,
                  .passes = passes_of(wgmma_memory(), plan.dtype()),
                  .unit = row_of(i).bits};
  if (metadata_of(plan).size() > 1)
    for (std::int64_t k = 0; k < out.extents.k; ++k) {
      const StoredAt at = stored_at(row_of(i).bits, k);
      out.columns[static_cast<std::size_t>(k)] = {at.word, static_cast<int>(at.element)};
    }
  if (plan.is_in_registers()) {
    out.passes = register_passes(fragment_of(i, Operand::a), PositionCode(plan.dtype()));
    out.first = 1;
    out.unit = 1;
  }
  return out;
}

// A, if it is in registers: the codes of each pass, or the identity of each selection.
ByteBuffer registers_of(const WgmmaPlan& plan, int set, Hypothesis hypothesis) {
  const Fragment a = fragment_of(plan.instruction, Operand::a);
  if (plan.is_in_registers()) return register_codes(a, PositionCode(plan.dtype()), set);
  return register_image(a, [&, identity = identity_of(plan)](Coordinate at) {
    return identity.element(set, at.row, at.column, hypothesis);
  });
}

}  // namespace

TileExtents WgmmaPlan::extents() const { return extents_of(instruction, operand); }

OperandMemory wgmma_memory() {
  return {sm_90a().reserved_smem, sm_90a().max_smem_per_cta,
          Bytes{sm_90a().smem_window().count - largest_identity.count}};
}

bool may_probe(const WgmmaInstruction& instruction, OperandRole operand) {
  return identity_of({instruction, operand, Major::K, 0}).size() <= largest_identity;
}

WgmmaPlan draw_wgmma(const WgmmaInstruction& instruction, OperandRole operand, Random& random) {
  WgmmaPlan plan{instruction, operand, Major::K, 0};
  if (plan.is_in_registers()) return plan;
  if (may_transpose(instruction) && random() % 2 == 1) plan.major = Major::MN;
  constexpr std::array<std::string_view, 4> modes{"none", "32B", "64B", "128B"};
  plan.word = draw_word(wgmma_memory(), plan.extents(), row_of(instruction).bits, plan.major, modes, sm_90a(), random);
  if (random() % 8 == 0) plan.word |= random() & SmemDescriptor(~std::uint64_t{0}, sm_90a()).reserved_set();
  return plan;
}

Kernel kernel_of(const WgmmaPlan& plan) { return {"wgmma", wgmma_statement(plan.instruction)}; }

Launch launch_of(std::span<const WgmmaPlan> plans, Hypothesis hypothesis) {
  Launch launch;
  OperandInputs operands(wgmma_memory(), launch);
  std::uint32_t first_set = 0;  // of registers; read if A is in registers
  for (const WgmmaPlan& plan : plans) {
    const Identity identity = identity_of(plan);
    const int passes = seen_through(plan).passes;
    const bool is_a = plan.operand == OperandRole::a;
    const std::uint64_t other = identity.descriptor(wgmma_memory().identity, sm_90a()).word();
    const std::uint32_t image = plan.is_in_registers() ? operands.any_image() : operands.images(plan.dtype());
    const std::uint32_t overlay = operands.overlays(identity, hypothesis);
    const int sets = plan.is_in_registers() ? passes : identity.selections();
    for (int set = 0; plan.instruction.a_in_registers && set < sets; ++set)
      append_bytes(launch.inputs[3], registers_of(plan, set, hypothesis));
    Block block{is_a ? plan.word : other, is_a ? other : plan.word};
    if (plan.major == Major::MN) block.transposed = is_a ? 1 : 2;
    for (const std::uint32_t metadata : metadata_of(plan))
      for (int selection = 0; selection < identity.selections(); ++selection)
        for (int pass = 0; pass < passes; ++pass, ++launch.grid) {
          block.metadata = metadata;
          block.image = image + word32(plan.is_in_registers() ? 0 : pass);
          block.overlay = overlay + word32(selection);
          block.registers = first_set + word32(plan.is_in_registers() ? pass : selection);
          append(launch.inputs[0], block);
        }
    first_set += word32(sets);
  }
  launch.output_bytes = launch.grid * image_bytes(fragment_of(plans.front().instruction, Operand::d));
  return launch;
}

Observations decode(std::span<const WgmmaPlan> plans, const ByteBuffer& output, Hypothesis hypothesis) {
  // With A in registers the hypothesis is only about A: if A and D were wrong in the same way, they would agree.
  const Fragment d = fragment_of(plans.front().instruction, Operand::d);
  const RegisterTable as_it_is(d), under(fragment_under(hypothesis, d));
  std::span<const std::uint8_t> rest = output;
  Observations out;
  for (const WgmmaPlan& plan : plans)
    out.push_back(positions(seen_through(plan), plan.is_in_registers() ? as_it_is : under, rest));
  return out;
}

Observation expected(const WgmmaPlan& plan, Hypothesis hypothesis) {
  if (plan.is_in_registers())
    return RegisterTable(fragment_under(hypothesis, fragment_of(plan.instruction, Operand::a))).numbers();
  return operand_map_under(hypothesis, SmemDescriptor(plan.word, sm_90a()), plan.extents(),
                           row_of(plan.instruction).bits, plan.major)
      .places;
}

std::string subject(const WgmmaPlan& plan) {
  const std::string out = to_string(plan.instruction);
  return plan.is_in_registers() ? out : out + ", " + operand_name(plan.operand, plan.major, plan.word);
}

std::string element_name(const WgmmaPlan& plan, std::int64_t index) { return coordinate_name(index, plan.extents()); }

std::string value_name(const WgmmaPlan& plan, std::int64_t value) {
  if (value == unreadable) return "no element";
  return plan.is_in_registers() ? holder_name(fragment_of(plan.instruction, Operand::a), value) : place_name(value);
}

Json to_json(const WgmmaPlan& plan) {
  const WgmmaInstruction& i = plan.instruction;
  Json out{{"wgmma", fmt::format("n{}.{}.{}.{}{}{}", i.n, i.d_type, i.a_type, i.b_type, i.a_in_registers ? ".rs" : "",
                                 i.sparse ? ".sp" : "")},
           {"of", to_string(plan.operand)}};
  if (!plan.is_in_registers()) append_word(out, plan.major, plan.word);
  return out;
}

WgmmaPlan wgmma_plan(const Json& json) {
  const std::vector<std::string> parts = split(json.at("wgmma").get<std::string>(), '.');
  if (parts.size() < 4) throw Error("a wgmma is written n64.f32.f16.f16");
  const std::string form = parts.size() > 4 ? parts[4] : "";
  WgmmaPlan plan;
  plan.instruction = {std::atoi(parts[0].c_str() + 1), parts[2], parts[3], parts[1], form == "rs", form == "sp"};
  row_of(plan.instruction);  // throws if there is no such instruction
  plan.operand = role_of(json);
  if (!plan.is_in_registers()) std::tie(plan.major, plan.word) = word_of(json);
  if (plan.major == Major::MN && !may_transpose(plan.instruction))
    throw Error(fmt::format("{} takes no MN-major operand", to_string(plan.instruction)),
                "only operands of 16 bits may be MN-major");
  return plan;
}

}  // namespace swz
