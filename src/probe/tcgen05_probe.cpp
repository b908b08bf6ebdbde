// SPDX-License-Identifier: Apache-2.0
#include "probe/tcgen05_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "arch/instruction.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "smem/mma_operand.hpp"

namespace swz {

namespace {

constexpr std::string_view group = "cta_group::1";

bool has_shape(const MmaShapeQuery& query) {
  return std::ranges::any_of(mma_shapes(),
                             [&](const MmaShape& shape) { return shape.group == group && fits(shape, query); });
}

std::vector<std::string_view> types_of(MmaKind kind, TypeRole role) {
  std::vector<std::string_view> out;
  for (const TypeCode& code : type_codes())
    if (code.role == role && contains(code.kinds, kind)) out.push_back(code.dtype);
  return out;
}

// Every combination of types for A, B and D.
std::vector<Tcgen05Instruction> typed(MmaKind kind) {
  std::vector<Tcgen05Instruction> out;
  for (const std::string_view a : types_of(kind, TypeRole::a_b))
    for (const std::string_view b : types_of(kind, TypeRole::a_b))
      for (const std::string_view d : types_of(kind, TypeRole::d))
        if (kind != MmaKind::f16 || (a == b && (d == "f32" || a == "f16")))
          out.push_back({kind, 0, 0, std::string(a), std::string(b), std::string(d)});
  return out;
}

constexpr int lanes = 128;
// The barrier and the TMEM address; the rest of the 128 bytes is unused.
constexpr Bytes control{128};
// NaN as f32 and, in its low half, as f16; as s32 far from any code.
constexpr std::uint32_t not_written = 0x7fffffff;

// The layout that kernels/tcgen05.cu reads.
struct Block {
  std::uint64_t a = 0, b = 0;
  std::uint32_t image = 0, overlay = 0, idesc = 0, columns = 0, first_column = 0, unused = 0;
};

int bits_in_memory(std::string_view dtype) { return element_bits(require_dtype(dtype), packing_of(dtype)); }

Identity identity_of(const Tcgen05Plan& plan) {
  const OperandRole other = plan.operand == OperandRole::a ? OperandRole::b : OperandRole::a;
  const std::string& dtype = plan.instruction.type(other);
  return {plan.instruction.extents(other), dtype, packing_of(dtype)};
}

int passes_of(const Tcgen05Plan& plan) { return passes_of(tcgen05_memory(), plan.dtype(), packing_of(plan.dtype())); }

std::size_t block_bytes(const Tcgen05Instruction& i) { return static_cast<std::size_t>(i.n * lanes * 4); }

// The swizzle modes that the operand may have with this major.
std::vector<std::string_view> legal_modes(const Tcgen05Instruction& i, OperandRole operand, Major major) {
  const std::string& dtype = i.type(operand);
  if (operand == OperandRole::b && major == Major::MN && !may_be_n_major(i)) return {};
  // An open question, fp4-mn-major: only tmem-mma asks it.
  if (require_dtype(dtype).value_bits < 8 && major == Major::MN) return {};
  std::vector<std::string_view> out;
  for (const SwizzleMode& mode : swizzle_modes())
    if (is_legal({&sm_100a(), &require_dtype(dtype), packing_of(dtype), major, &mode})) out.push_back(mode.name);
  return out;
}

}  // namespace

std::vector<MmaKind> tcgen05_kinds() {
  std::vector<MmaKind> out;
  for (const MmaKindRow& row : mma_kinds())
    if (!row.block_scaled && row.kind != MmaKind::ti16) out.push_back(row.kind);  // no model knows the sums of ti16
  return out;
}

std::vector<Tcgen05Instruction> tcgen05_instructions(MmaKind kind) {
  std::vector<Tcgen05Instruction> out;
  for (const Tcgen05Instruction& types : typed(kind))
    for (int m = 32; m <= 256; m *= 2)
      for (int n = 8; n <= 256; n += 8) {
        if (!has_shape({.kind = kind, .m = m, .n = n})) continue;
        out.push_back(types);
        out.back().m = m;
        out.back().n = n;
      }
  return out;
}

void require_instruction(const Tcgen05Instruction& i) {
  const bool has_types = !row_of(i.kind).block_scaled && std::ranges::any_of(typed(i.kind), [&](const auto& types) {
    return types.a_type == i.a_type && types.b_type == i.b_type && types.d_type == i.d_type;
  });
  if (has_types && has_shape({.kind = i.kind, .m = i.m, .n = i.n})) return;
  throw Error(fmt::format("there is no {} of {}", to_string(i), group),
              "swz arch instructions lists the shapes and types");
}

Packing packing_of(std::string_view dtype) {
  return require_dtype(dtype).value_bits < 8 ? Packing::slots : Packing::packed;
}

bool may_be_n_major(const Tcgen05Instruction& i) {
  return has_shape({.kind = i.kind, .m = i.m, .n = i.n, .transposed_8bit_b = row_of(i.kind).has_8bit_slots});
}

std::uint32_t idesc_of(const Tcgen05Instruction& i, bool transpose_a, bool transpose_b) {
  std::vector<FieldSetting> fields{{FieldId::a_type, std::string(i.a_type)},
                                   {FieldId::b_type, std::string(i.b_type)},
                                   {FieldId::d_type, std::string(i.d_type)},
                                   {FieldId::m, fmt::to_string(i.m)},
                                   {FieldId::n, fmt::to_string(i.n)}};
  if (transpose_a) fields.push_back({FieldId::transpose_a, "1"});
  if (transpose_b) fields.push_back({FieldId::transpose_b, "1"});
  // The word is the same on every target.
  return static_cast<std::uint32_t>(encode_idesc(fields, i.kind, sm_100a()).word());
}

std::string to_string(const Tcgen05Instruction& i) {
  const MmaKindRow& kind = row_of(i.kind);
  return fmt::format("tcgen05.mma kind::{} m{}n{}k{}.{}.{}.{}", kind.name, i.m, i.n, kind.k_dense, i.d_type, i.a_type,
                     i.b_type);
}

std::string tcgen05_statement(MmaKind kind) {
  return fmt::format(
      "__device__ inline void mma(unsigned d, unsigned long long a, unsigned long long b, unsigned idesc) {{\n"
      "  asm volatile(\"{{ .reg .pred p; setp.ne.u32 p, 0, 0;\\n\"\n"
      "      \"tcgen05.mma.{}.kind::{} [%0], %1, %2, %3, p; }}\"\n"
      "      : : \"r\"(d), \"l\"(a), \"l\"(b), \"r\"(idesc) : \"memory\");\n"
      "}}\n",
      group, row_of(kind).name);
}

int tmem_lane(int m, int row, Hypothesis hypothesis) {
  const bool is_wrong = hypothesis == Hypothesis::wrong_fragment;
  // Rows of a 16-lane group, groups of a warp, warps: layout F leaves out every second group.
  if (m == 64) return is_wrong ? row : row / 16 * 32 + row % 16;
  return is_wrong ? row / 16 % 4 * 32 + row / 64 * 16 + row % 16 : row;
}

OperandMemory tcgen05_memory() {
  const Target& target = sm_100a();
  return {target.reserved_smem, Bytes{target.max_smem_per_cta.count - control.count},
          Bytes{target.smem_window().count - control.count - largest_identity.count}};
}

Tcgen05Plan draw_tcgen05(const Tcgen05Instruction& instruction, OperandRole operand, Random& random) {
  Tcgen05Plan plan{instruction, operand, Major::K, 0};
  if (random() % 2 == 1 && !legal_modes(instruction, operand, Major::MN).empty()) plan.major = Major::MN;
  const std::vector<std::string_view> modes = legal_modes(instruction, operand, plan.major);
  plan.word =
      draw_word(tcgen05_memory(), plan.extents(), bits_in_memory(plan.dtype()), plan.major, modes, sm_100a(), random);
  return plan;
}

Kernel kernel_of(const Tcgen05Plan& plan) { return {"tcgen05", tcgen05_statement(plan.instruction.kind)}; }

Launch launch_of(std::span<const Tcgen05Plan> plans, Hypothesis hypothesis) {
  const OperandMemory memory = tcgen05_memory();
  Launch launch;
  OperandInputs operands(memory, launch);
  launch.dynamic_smem = Bytes{memory.size.count + control.count};
  launch.scalars[4] = word32(memory.size.count);
  launch.scalars[5] = not_written;
  for (const Tcgen05Plan& plan : plans) {
    const Identity identity = identity_of(plan);
    const bool is_a = plan.operand == OperandRole::a;
    const bool is_mn = plan.major == Major::MN;
    const std::uint64_t identity_word = identity.descriptor(memory.identity, sm_100a()).word();
    const std::uint32_t image = operands.images(plan.dtype(), packing_of(plan.dtype()));
    const std::uint32_t overlay = operands.overlays(identity, hypothesis);
    Block block{.a = is_a ? plan.word : identity_word,
                .b = is_a ? identity_word : plan.word,
                .idesc = idesc_of(plan.instruction, is_a && is_mn, !is_a && is_mn),
                .columns = word32(plan.instruction.n)};
    for (int selection = 0; selection < identity.selections(); ++selection)
      for (int pass = 0; pass < passes_of(plan); ++pass, ++launch.grid) {
        block.image = image + word32(pass);
        block.overlay = overlay + word32(selection);
        block.first_column = word32(launch.output_bytes / (lanes * 4));
        launch.output_bytes += static_cast<std::int64_t>(block_bytes(plan.instruction));
        append(launch.inputs[0], block);
      }
  }
  return launch;
}

Observations decode(std::span<const Tcgen05Plan> plans, const ByteBuffer& output, Hypothesis hypothesis) {
  std::size_t begin = 0;
  Observations out;
  for (const Tcgen05Plan& plan : plans) {
    const Tcgen05Instruction& i = plan.instruction;
    const std::uint32_t mask = i.d_type == "f16" ? 0xffff : 0xffffffff;
    const SeenThrough through{.operand = plan.operand,
                              .extents = plan.extents(),
                              .columns = columns_shown(identity_of(plan), plan.extents().k),
                              .dtype = plan.dtype(),
                              .d_type = i.d_type,
                              .passes = passes_of(plan),
                              .unit = bits_in_memory(plan.dtype())};
    out.push_back(positions(through, [&](std::size_t block, int m, int n) -> std::uint64_t {
      const int lane = tmem_lane(i.m, m, hypothesis);
      const std::size_t at = begin + block * block_bytes(i) + static_cast<std::size_t>((n * lanes + lane) * 4);
      return read_at<std::uint32_t>(output, at) & mask;
    }));
    begin += through.blocks() * block_bytes(i);
  }
  return out;
}

Observation expected(const Tcgen05Plan& plan, Hypothesis hypothesis) {
  return operand_map_under(hypothesis, SmemDescriptor(plan.word, sm_100a()), plan.extents(),
                           bits_in_memory(plan.dtype()), plan.major)
      .places;
}

std::string subject(const Tcgen05Plan& plan) {
  return to_string(plan.instruction) + ", " + operand_name(plan.operand, plan.major, plan.word);
}

std::string element_name(const Tcgen05Plan& plan, std::int64_t index) { return coordinate_name(index, plan.extents()); }

std::string value_name(const Tcgen05Plan&, std::int64_t value) {
  return value == unreadable ? "no element" : place_name(value);
}

Json to_json(const Tcgen05Plan& plan) {
  const Tcgen05Instruction& i = plan.instruction;
  Json out{{"tcgen05", fmt::format("{}.m{}.n{}.{}.{}.{}", row_of(i.kind).name, i.m, i.n, i.d_type, i.a_type, i.b_type)},
           {"of", to_string(plan.operand)}};
  append_word(out, plan.major, plan.word);
  return out;
}

Tcgen05Plan tcgen05_plan(const Json& json) {
  const auto text = json.at("tcgen05").get<std::string>();
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() != 6 || !parts[1].starts_with('m') || !parts[2].starts_with('n'))
    throw Error(fmt::format("{} is not a tcgen05.mma", swz::quoted(text)), "as in f16.m64.n256.f32.f16.f16");
  Tcgen05Plan plan;
  plan.instruction = {require_mma_kind(parts[0]).kind,
                      std::atoi(parts[1].c_str() + 1),
                      std::atoi(parts[2].c_str() + 1),
                      parts[4],
                      parts[5],
                      parts[3]};
  require_instruction(plan.instruction);
  plan.operand = role_of(json);
  std::tie(plan.major, plan.word) = word_of(json);
  return plan;
}

}  // namespace swz
