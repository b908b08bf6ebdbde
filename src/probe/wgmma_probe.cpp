#include "probe/wgmma_probe.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

// As kernels/wgmma.cu reads it.
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

// One but for B of a sparse wgmma: its k are shown with one metadata word or the other.
std::span<const std::uint32_t> metadata_of(const WgmmaPlan& plan) {
  const bool is_both = plan.instruction.sparse && plan.operand == OperandRole::b;
  return std::span(metadata_words).first(is_both ? 2 : 1);
}

// Of B of a sparse wgmma, `selection` is the metadata word.
SeenThrough seen_through(const WgmmaPlan& plan) {
  const WgmmaInstruction& i = plan.instruction;
  SeenThrough out{plan.operand, plan.extents(), columns_shown(identity_of(plan), plan.extents().k),
                  plan.dtype(), i.d_type,       0};
  if (metadata_of(plan).size() > 1)
    for (std::int64_t k = 0; k < out.extents.k; ++k) {
      const StoredAt at = stored_at(row_of(i).bits, k);
      out.columns[static_cast<std::size_t>(k)] = {at.word, static_cast<int>(at.element)};
    }
  if (plan.is_in_registers()) {
    const Fragment a = fragment_of(i, Operand::a);
    out.passes = PositionCode(plan.dtype()).passes(a.threads() * a.values() + 1);
  } else out.passes = passes_of(wgmma_memory(), plan.dtype());
  return out;
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
  plan.word =
      draw_word(wgmma_memory(), plan.extents(), row_of(instruction).bits, plan.major, modes, sm_90a(), random);
  if (random() % 8 == 0) plan.word |= random() & SmemDescriptor(~std::uint64_t{0}, sm_90a()).reserved_set();
  return plan;
}

Kernel kernel_of(const WgmmaPlan& plan) { return {"wgmma", wgmma_statement(plan.instruction)}; }

Launch launch_of(std::span<const WgmmaPlan> plans, Hypothesis hypothesis) {
  const WgmmaInstruction& instruction = plans.front().instruction;
  Launch launch;
  OperandInputs operands(wgmma_memory(), launch);
  launch.kernel = kernel_of(plans.front());
  launch.dynamic_smem = wgmma_memory().size;
  launch.grid = 0;
  // A in registers: sets of codes, one a pass, or of the identity, one a selection, which all plans of B share.
  std::optional<RegisterTable> a;
  if (instruction.a_in_registers) a.emplace(fragment_of(instruction, Operand::a));
  std::optional<std::uint32_t> identity_set;
  const auto next_set = [&] { return static_cast<std::uint32_t>(launch.inputs[3].size() / a->image_bytes()); };

  for (const WgmmaPlan& plan : plans) {
    const Identity identity = identity_of(plan);
    const int passes = seen_through(plan).passes;
    const bool is_a = plan.operand == OperandRole::a;
    const std::uint64_t other = identity.descriptor(wgmma_memory().identity, sm_90a()).word();
    const std::uint32_t image = plan.is_in_registers() ? operands.any_image() : operands.images(plan.dtype());
    const std::uint32_t overlay = operands.overlays(identity, hypothesis);
    std::uint32_t set = 0;
    if (plan.is_in_registers()) {
      set = next_set();
      const PositionCode code(plan.dtype());
      for (int pass = 0; pass < passes; ++pass)
        append_bytes(launch.inputs[3], register_image(a->fragment(), [&](Holder holder) {
                       return code.element(1 + a->number(holder), pass);
                     }));
    } else if (a) {
      if (!identity_set) {
        identity_set = next_set();
        for (int selection = 0; selection < identity.selections(); ++selection)
          append_bytes(launch.inputs[3], register_image(a->fragment(), [&](Coordinate at) {
                         return identity.element(selection, at.row, at.column, hypothesis);
                       }));
      }
      set = *identity_set;
    }

    Block block{is_a ? plan.word : other, is_a ? other : plan.word};
    if (plan.major == Major::MN) block.transposed = is_a ? 1 : 2;
    for (const std::uint32_t metadata : metadata_of(plan))
      for (std::uint32_t selection = 0; selection < word32(identity.selections()); ++selection)
        for (std::uint32_t pass = 0; pass < word32(passes); ++pass, ++launch.grid) {
          block.metadata = metadata;
          block.image = image + (plan.is_in_registers() ? 0 : pass);
          block.overlay = overlay + selection;
          block.registers = set + (plan.is_in_registers() ? pass : a ? selection : 0);
          append(launch.inputs[0], block);
        }
  }
  const RegisterTable d(fragment_of(instruction, Operand::d));
  launch.output_bytes = std::int64_t{launch.grid} * static_cast<std::int64_t>(d.image_bytes());
  return launch;
}

std::vector<Observation> decode(std::span<const WgmmaPlan> plans, const ByteBuffer& output, Hypothesis hypothesis) {
  // With A in registers the hypothesis is about A alone: if A and D were wrong in the same way, they would agree.
  const Fragment d = fragment_of(plans.front().instruction, Operand::d);
  const RegisterTable as_it_is(d), under(fragment_under(hypothesis, d));
  std::span<const std::uint8_t> rest = output;
  std::vector<Observation> out;
  for (const WgmmaPlan& plan : plans) {
    Observation& seen = out.emplace_back();
    seen.values = positions(seen_through(plan), plan.is_in_registers() ? as_it_is : under, rest);
    for (std::int64_t& value : seen.values)
      if (value != unreadable) value = plan.is_in_registers() ? value - 1 : value * row_of(plan.instruction).bits;
  }
  return out;
}

Observation expected(const WgmmaPlan& plan, Hypothesis hypothesis) {
  if (plan.is_in_registers())
    return {RegisterTable(fragment_under(hypothesis, fragment_of(plan.instruction, Operand::a))).numbers()};
  return {operand_map_under(hypothesis, SmemDescriptor(plan.word, sm_90a()), plan.extents(),
                            row_of(plan.instruction).bits, plan.major)
              .places};
}

std::string subject(const WgmmaPlan& plan) {
  const std::string out = to_string(plan.instruction);
  return plan.is_in_registers() ? out : out + ", " + operand_name(plan.operand, plan.major, plan.word);
}

std::string element_name(const WgmmaPlan& plan, std::int64_t index) {
  return coordinate_name(index, plan.extents());
}

std::string value_name(const WgmmaPlan& plan, std::int64_t value) {
  if (value == unreadable) return "no element";
  return plan.is_in_registers() ? holder_name(fragment_of(plan.instruction, Operand::a), value) : place_name(value);
}

Json to_json(const WgmmaPlan& plan) {
  const WgmmaInstruction& i = plan.instruction;
  Json out{{"wgmma", fmt::format("n{}.{}.{}.{}{}{}", i.n, i.d_type, i.a_type, i.b_type,
                                 i.a_in_registers ? ".rs" : "", i.sparse ? ".sp" : "")},
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
  row_of(plan.instruction);  // throws when there is no such instruction
  plan.operand = role_of(json);
  if (!plan.is_in_registers()) std::tie(plan.major, plan.word) = word_of(json);
  if (plan.major == Major::MN && !may_transpose(plan.instruction))
    throw Error(fmt::format("{} takes no MN-major operand", to_string(plan.instruction)),
                "only operands of 16 bits may be MN-major");
  return plan;
}

}  // namespace swz
