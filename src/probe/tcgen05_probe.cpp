#include "probe/tcgen05_probe.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "smem/legality.hpp"

namespace swz {

namespace {

constexpr int lanes = 128;
// Beyond the barrier and the TMEM address the rest of 128 bytes is unused.
constexpr Bytes control{128};
// NaN as f32 and, in its low half, as f16; as s32 far from any code.
constexpr std::uint32_t not_written = 0x7fffffff;

// As kernels/tcgen05.cu reads it.
struct Block {
  std::uint64_t a = 0, b = 0;
  std::uint32_t image = 0, overlay = 0, idesc = 0, columns = 0, first_column = 0, unused = 0;
};

OperandRole other(OperandRole operand) { return operand == OperandRole::a ? OperandRole::b : OperandRole::a; }

TileExtents extents_of(const Tcgen05Instruction& i, OperandRole operand) {
  return {operand == OperandRole::a ? i.m : i.n, row_of(i.kind).k_dense};
}

const std::string& type_of(const Tcgen05Instruction& i, OperandRole operand) {
  return operand == OperandRole::a ? i.a_type : i.b_type;
}

int bits_in_memory(std::string_view dtype) { return element_bits(require_dtype(dtype), packing_of(dtype)); }

Identity identity_of(const Tcgen05Plan& plan) {
  const OperandRole role = other(plan.operand);
  const std::string& dtype = type_of(plan.instruction, role);
  return {extents_of(plan.instruction, role), dtype, packing_of(dtype)};
}

int passes_of(const Tcgen05Plan& plan) {
  return passes_of(tcgen05_memory(), plan.dtype(), packing_of(plan.dtype()));
}

std::size_t block_bytes(const Tcgen05Instruction& i) { return static_cast<std::size_t>(i.n * lanes * 4); }

std::size_t offset_of(int m_extent, int m, int n, Hypothesis hypothesis) {
  return static_cast<std::size_t>((n * lanes + tmem_lane(m_extent, m, hypothesis)) * 4);
}

Observation decode_plan(const Tcgen05Plan& plan, std::span<const std::uint8_t> blocks, Hypothesis hypothesis) {
  const Tcgen05Instruction& i = plan.instruction;
  const std::uint32_t mask = i.d_type == "f16" ? 0xffff : 0xffffffff;
  const SeenThrough through{plan.operand, plan.extents(), columns_shown(identity_of(plan), plan.extents().k),
                            plan.dtype(), i.d_type,       passes_of(plan)};
  Observation seen{positions(through, [&](std::size_t block, int m, int n) -> std::uint64_t {
    const std::size_t at = block * block_bytes(i) + offset_of(i.m, m, n, hypothesis);
    return read_at<std::uint32_t>(blocks, at) & mask;
  })};
  for (std::int64_t& value : seen.values)
    if (value != unreadable) value *= bits_in_memory(plan.dtype());
  return seen;
}

std::size_t blocks_of(const Tcgen05Plan& plan) {
  return static_cast<std::size_t>(passes_of(plan) * identity_of(plan).selections());
}

// The swizzle modes with which the operand may lie so.
std::vector<std::string_view> legal_modes(const Tcgen05Instruction& i, OperandRole operand, Major major) {
  const std::string& dtype = type_of(i, operand);
  if (operand == OperandRole::b && major == Major::MN && !may_be_n_major(i)) return {};
  std::vector<std::string_view> out;
  for (const SwizzleMode& mode : swizzle_modes())
    if (is_legal({&sm_100a(), &require_dtype(dtype), packing_of(dtype), major, &mode})) out.push_back(mode.name);
  return out;
}

}  // namespace

TileExtents Tcgen05Plan::extents() const { return extents_of(instruction, operand); }

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
  plan.word = draw_word(tcgen05_memory(), plan.extents(), bits_in_memory(plan.dtype()), plan.major, modes,
                        sm_100a(), random);
  return plan;
}

Kernel kernel_of(const Tcgen05Plan& plan) { return {"tcgen05", tcgen05_statement(plan.instruction.kind)}; }

Launch launch_of(std::span<const Tcgen05Plan> plans, Hypothesis hypothesis) {
  const OperandMemory memory = tcgen05_memory();
  Launch launch;
  OperandInputs operands(memory, launch);
  launch.kernel = kernel_of(plans.front());
  launch.dynamic_smem = Bytes{memory.size.count + control.count};
  launch.scalars[4] = static_cast<std::uint32_t>(memory.size.count);
  launch.scalars[5] = not_written;
  launch.grid = 0;
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
                .columns = static_cast<std::uint32_t>(plan.instruction.n)};
    for (int selection = 0; selection < identity.selections(); ++selection)
      for (int pass = 0; pass < passes_of(plan); ++pass, ++launch.grid) {
        block.image = image + static_cast<std::uint32_t>(pass);
        block.overlay = overlay + static_cast<std::uint32_t>(selection);
        block.first_column = static_cast<std::uint32_t>(launch.output_bytes / (lanes * 4));
        launch.output_bytes += static_cast<std::int64_t>(block_bytes(plan.instruction));
        append(launch.inputs[0], block);
      }
  }
  return launch;
}

std::vector<Observation> decode(std::span<const Tcgen05Plan> plans, const ByteBuffer& output,
                                Hypothesis hypothesis) {
  std::span<const std::uint8_t> rest = output;
  std::vector<Observation> out;
  for (const Tcgen05Plan& plan : plans) {
    const std::size_t bytes = blocks_of(plan) * block_bytes(plan.instruction);
    out.push_back(decode_plan(plan, rest.first(bytes), hypothesis));
    rest = rest.subspan(bytes);
  }
  return out;
}

Observation expected(const Tcgen05Plan& plan, Hypothesis hypothesis) {
  return {places_of(operand_map_under(hypothesis, SmemDescriptor(plan.word, sm_100a()), plan.extents(),
                                      bits_in_memory(plan.dtype()), plan.major))};
}

ByteBuffer simulate(std::span<const Tcgen05Plan> plans, const Launch& launch) {
  const MmaKind kind = plans.front().instruction.kind;  // the kernel's; all else is in the launch
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<Block>(launch.inputs[0], i * sizeof(Block));
    const InstructionDescriptor idesc(block.idesc, kind, sm_100a());
    const ByteBuffer smem = shared_memory(launch, block.image, block.overlay);
    const auto operand = [&](std::uint64_t word, int rows, FieldId type, FieldId transposed) {
      const std::string_view dtype = idesc.type(type)->dtype;
      const Major major = idesc.flag(transposed) ? Major::MN : Major::K;
      const OperandMap map =
          operand_map(SmemDescriptor(word, sm_100a()), {rows, idesc.k()}, bits_in_memory(dtype), major);
      return operand_values(smem, tcgen05_memory().begin, map, dtype, packing_of(dtype));
    };
    const std::vector<double> d =
        product(operand(block.a, idesc.m(), FieldId::a_type, FieldId::transpose_a),
                operand(block.b, idesc.n(), FieldId::b_type, FieldId::transpose_b), idesc.k());

    const auto out = std::span(output).subspan(std::size_t{block.first_column} * lanes * 4);
    const auto write = [&](std::size_t at, std::uint32_t bits) {
      __builtin_memcpy(out.data() + at, &bits, sizeof bits);
    };
    for (std::size_t word = 0; word < std::size_t{block.columns} * lanes; ++word)
      write(word * 4, launch.scalars[5]);
    for (int m = 0; m < idesc.m(); ++m)
      for (int n = 0; n < idesc.n(); ++n)
        write(offset_of(idesc.m(), m, n, Hypothesis::none),
              static_cast<std::uint32_t>(
                  bits_of(d[static_cast<std::size_t>(m * idesc.n() + n)], idesc.type(FieldId::d_type)->dtype)));
  }
  return output;
}

std::string subject(const Tcgen05Plan& plan) {
  return to_string(plan.instruction) + ", " + operand_name(plan.operand, plan.major, plan.word);
}

std::string element_name(const Tcgen05Plan& plan, std::int64_t index) {
  return coordinate_name(index, plan.extents());
}

std::string value_name(const Tcgen05Plan&, std::int64_t value) {
  return value == unreadable ? "no element" : place_name(value);
}

Json to_json(const Tcgen05Plan& plan) {
  const Tcgen05Instruction& i = plan.instruction;
  Json out{
      {"tcgen05", fmt::format("{}.m{}.n{}.{}.{}.{}", row_of(i.kind).name, i.m, i.n, i.d_type, i.a_type, i.b_type)},
      {"of", to_string(plan.operand)}};
  append_word(out, plan.major, plan.word);
  return out;
}

Tcgen05Plan tcgen05_plan(const Json& json) {
  const auto text = json.at("tcgen05").get<std::string>();
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() != 6 || !parts[1].starts_with('m') || !parts[2].starts_with('n'))
    throw Error(fmt::format("{} is no tcgen05.mma", swz::quoted(text)), "as in f16.m64.n256.f32.f16.f16");
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
