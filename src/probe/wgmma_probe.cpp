#include "probe/wgmma_probe.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/accumulators.hpp"
#include "probe/sparse.hpp"

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
  const bool is_a = plan.operand == OperandRole::a;
  return {extents_of(plan.instruction, is_a ? OperandRole::b : OperandRole::a),
          is_a ? plan.instruction.b_type : plan.instruction.a_type, Packing::packed,
          is_a && plan.instruction.sparse};
}

// One but for B of a sparse wgmma: its k are shown with one metadata word or the other.
std::span<const std::uint32_t> metadata_of(const WgmmaPlan& plan) {
  const bool is_both = plan.instruction.sparse && plan.operand == OperandRole::b;
  return std::span(metadata_words).first(is_both ? 2 : 1);
}

// Where each k of the operand is shown: under which metadata word or selection, by which row of the identity.
std::vector<ShownAt> columns_of(const WgmmaPlan& plan) {
  const Identity identity = identity_of(plan);
  std::vector<ShownAt> out = columns_shown(identity, plan.extents().k);
  if (metadata_of(plan).size() == 1) return out;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const StoredAt at = stored_at(require_dtype(plan.dtype()).memory_bits, static_cast<std::int64_t>(k));
    out[k] = {at.word, static_cast<int>(at.element)};
  }
  return out;
}

// The inputs of a launch, and the blocks of each plan.
class Batch {
 public:
  explicit Batch(std::span<const WgmmaPlan> plans) : plans_(plans), operands_(wgmma_memory(), launch_) {}

  static int passes(const WgmmaPlan& plan) {
    if (!plan.is_in_registers()) return passes_of(wgmma_memory(), plan.dtype());
    const Fragment a = fragment_of(plan.instruction, Operand::a);
    return PositionCode(plan.dtype()).passes(a.threads() * a.values() + 1);
  }
  static int blocks(const WgmmaPlan& plan) {
    return passes(plan) * identity_of(plan).selections() * static_cast<int>(metadata_of(plan).size());
  }

  Launch launch(Hypothesis hypothesis) {
    const OperandMemory memory = wgmma_memory();
    launch_.kernel = kernel_of(plans_.front());
    launch_.dynamic_smem = memory.size;
    launch_.grid = 0;
    for (const WgmmaPlan& plan : plans_) append_blocks(plan, hypothesis);
    const Fragment d = fragment_of(plans_.front().instruction, Operand::d);
    launch_.output_bytes = std::int64_t{launch_.grid} * d.registers() * d.threads() * 4;
    return std::move(launch_);
  }

 private:
  void append_blocks(const WgmmaPlan& plan, Hypothesis hypothesis) {
    const Identity identity = identity_of(plan);
    const bool is_a = plan.operand == OperandRole::a;
    const bool is_identity_in_registers = plan.instruction.a_in_registers && !is_a;
    const std::uint32_t image = plan.is_in_registers() ? operands_.any_image() : operands_.images(plan.dtype());
    const std::uint32_t overlay = operands_.overlays(identity, hypothesis);
    std::uint32_t registers = 0;
    if (plan.is_in_registers()) registers = code_registers(plan);
    if (is_identity_in_registers) registers = identity_registers(plan, identity, hypothesis);

    const std::uint64_t other = identity.descriptor(wgmma_memory().identity, sm_90a()).word();
    Block block{is_a ? plan.word : other, is_a ? other : plan.word};
    if (plan.major == Major::MN) block.transposed = is_a ? 1 : 2;
    const int count = passes(plan);
    for (const std::uint32_t metadata : metadata_of(plan))
      for (int selection = 0; selection < identity.selections(); ++selection)
        for (int pass = 0; pass < count; ++pass, ++launch_.grid) {
          const auto of_selection = static_cast<std::uint32_t>(selection);
          const auto of_pass = static_cast<std::uint32_t>(pass);
          block.metadata = metadata;
          block.image = image + (plan.is_in_registers() ? 0 : of_pass);
          block.overlay = overlay + of_selection;
          block.registers = registers;
          if (plan.is_in_registers()) block.registers += of_pass;
          if (is_identity_in_registers) block.registers += of_selection;
          append(launch_.inputs[0], block);
        }
  }

  void append_registers(const Fragment& a, const std::function<std::uint64_t(Coordinate)>& bits) {
    for (const std::uint32_t word : register_image(a, bits)) append(launch_.inputs[3], word);
    ++register_sets_;
  }
  // thread * values + value, from 1 on: the first register set of the codes, one a pass.
  std::uint32_t code_registers(const WgmmaPlan& plan) {
    if (code_registers_) return *code_registers_;
    code_registers_ = register_sets_;
    const Fragment a = fragment_of(plan.instruction, Operand::a);
    const FragmentInverse holder(a);
    const PositionCode code(plan.dtype());
    for (int pass = 0; pass < passes(plan); ++pass)
      append_registers(a, [&](Coordinate at) {
        const Holder h = holder(at);
        return code.element(1 + h.thread * a.values() + h.value, pass);
      });
    return *code_registers_;
  }
  // A as the identity, when the instruction takes it from registers and B is probed: one set a selection.
  std::uint32_t identity_registers(const WgmmaPlan& plan, const Identity& identity, Hypothesis hypothesis) {
    if (identity_registers_) return *identity_registers_;
    identity_registers_ = register_sets_;
    for (int selection = 0; selection < identity.selections(); ++selection)
      append_registers(fragment_of(plan.instruction, Operand::a),
                       [&](Coordinate at) { return identity.element(selection, at.row, at.column, hypothesis); });
    return *identity_registers_;
  }

  std::span<const WgmmaPlan> plans_;
  Launch launch_;
  OperandInputs operands_;
  std::optional<std::uint32_t> code_registers_, identity_registers_;
  std::uint32_t register_sets_ = 0;
};

// Of B of a sparse wgmma, the k that the compressed A meets.
std::vector<double> kept(std::span<const double> b, TileExtents extents, int element_bits, std::uint32_t metadata) {
  const int word = metadata == metadata_words[1] ? 1 : 0;
  std::vector<double> out;
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t i = 0; i < extents.k / 2; ++i)
      out.push_back(b[static_cast<std::size_t>(row * extents.k + kept_k(element_bits, {word, i}))]);
  return out;
}

// A as the threads of a block hold it.
std::vector<double> a_of_registers(const WgmmaInstruction& instruction, const Launch& launch, std::uint32_t set) {
  const Fragment f = fragment_of(instruction, Operand::a);
  const FragmentInverse holder(f);
  const PositionCode code(instruction.a_type);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(f.registers() * f.threads()));
  __builtin_memcpy(words.data(), launch.inputs[3].data() + 4 * words.size() * set, 4 * words.size());
  std::vector<double> a;
  for (int m = 0; m < f.rows; ++m)
    for (int k = 0; k < f.columns; ++k) a.push_back(code.value(register_element(f, words, holder({m, k}))));
  return a;
}

Observation decode_plan(const WgmmaPlan& plan, std::span<const std::uint8_t> blocks, const Accumulators& d) {
  const SeenThrough through{plan.operand, plan.extents(),          columns_of(plan),
                            plan.dtype(), plan.instruction.d_type, Batch::passes(plan)};
  Observation seen{positions(through, [&](std::size_t block, int m, int n) {
    return d.bits(blocks.subspan(block * d.block_bytes(), d.block_bytes()), m, n);
  })};
  const int bits = require_dtype(plan.dtype()).memory_bits;
  for (std::int64_t& value : seen.values)
    if (value != unreadable) value = plan.is_in_registers() ? value - 1 : value * bits;
  return seen;
}

}  // namespace

TileExtents WgmmaPlan::extents() const { return extents_of(instruction, operand); }

OperandMemory wgmma_memory() {
  const Target& target = sm_90a();
  return {target.reserved_smem, target.max_smem_per_cta,
          Bytes{target.smem_window().count - largest_identity.count}};
}

bool may_probe(const WgmmaInstruction& instruction, OperandRole operand) {
  const Identity identity = identity_of({instruction, operand, Major::K, 0});
  return identity.size() <= largest_identity;
}

WgmmaPlan draw_wgmma(const WgmmaInstruction& instruction, OperandRole operand, Random& random) {
  WgmmaPlan plan{instruction, operand, Major::K, 0};
  if (plan.is_in_registers()) return plan;
  if (may_transpose(instruction) && random() % 2 == 1) plan.major = Major::MN;
  constexpr std::array<std::string_view, 4> modes{"none", "32B", "64B", "128B"};
  const int bits = require_dtype(plan.dtype()).memory_bits;
  plan.word = draw_word(wgmma_memory(), plan.extents(), bits, plan.major, modes, sm_90a(), random);
  if (random() % 8 == 0) plan.word |= random() & SmemDescriptor(~std::uint64_t{0}, sm_90a()).reserved_set();
  return plan;
}

Kernel kernel_of(const WgmmaPlan& plan) { return {"wgmma", wgmma_statement(plan.instruction)}; }

Launch launch_of(std::span<const WgmmaPlan> plans, Hypothesis hypothesis) {
  return Batch(plans).launch(hypothesis);
}

std::vector<Observation> decode(std::span<const WgmmaPlan> plans, const ByteBuffer& output, Hypothesis hypothesis) {
  // A in registers: were A and D wrong in the same way, they would agree. Then A alone is under the hypothesis.
  const Accumulators as_it_is(plans.front().instruction, Hypothesis::none);
  const Accumulators under(plans.front().instruction, hypothesis);
  std::span<const std::uint8_t> rest = output;
  std::vector<Observation> out;
  for (const WgmmaPlan& plan : plans) {
    const Accumulators& d = plan.is_in_registers() ? as_it_is : under;
    const std::size_t bytes = static_cast<std::size_t>(Batch::blocks(plan)) * d.block_bytes();
    out.push_back(decode_plan(plan, rest.first(bytes), d));
    rest = rest.subspan(bytes);
  }
  return out;
}

Observation expected(const WgmmaPlan& plan, Hypothesis hypothesis) {
  if (plan.is_in_registers()) {
    const Fragment a = fragment_under(hypothesis, fragment_of(plan.instruction, Operand::a));
    const FragmentInverse holder(a);
    Observation out;
    for (int m = 0; m < a.rows; ++m)
      for (int k = 0; k < a.columns; ++k) {
        const Holder at = holder({m, k});
        out.values.push_back(at.thread * a.values() + at.value);
      }
    return out;
  }
  const int bits = require_dtype(plan.dtype()).memory_bits;
  return {places_of(
      operand_map_under(hypothesis, SmemDescriptor(plan.word, sm_90a()), plan.extents(), bits, plan.major))};
}

ByteBuffer simulate(std::span<const WgmmaPlan> plans, const Launch& launch) {
  const WgmmaInstruction& instruction = plans.front().instruction;
  const Accumulators d(instruction, Hypothesis::none);
  const TileExtents b_extents = extents_of(instruction, OperandRole::b);
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));

  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<Block>(launch.inputs[0], i * sizeof(Block));
    const ByteBuffer smem = shared_memory(launch, block.image, block.overlay);
    const auto operand = [&](OperandRole role, std::uint64_t word) {
      const std::string& dtype = role == OperandRole::a ? instruction.a_type : instruction.b_type;
      const bool is_mn = (block.transposed & (role == OperandRole::a ? 1U : 2U)) != 0;
      const OperandMap map = operand_map(SmemDescriptor(word, sm_90a()), extents_of(instruction, role),
                                         require_dtype(dtype).memory_bits, is_mn ? Major::MN : Major::K);
      return operand_values(smem, wgmma_memory().begin, map, dtype);
    };
    const std::vector<double> a = instruction.a_in_registers ? a_of_registers(instruction, launch, block.registers)
                                                             : operand(OperandRole::a, block.a);
    std::vector<double> b = operand(OperandRole::b, block.b);
    if (instruction.sparse) b = kept(b, b_extents, row_of(instruction).bits, block.metadata);
    const std::vector<double> products = product(a, b, row_of(instruction).k);
    const std::span<std::uint8_t> out = std::span(output).subspan(i * d.block_bytes(), d.block_bytes());
    for (std::size_t j = 0; j < products.size(); ++j)
      d.write(out, static_cast<int>(j) / instruction.n, static_cast<int>(j) % instruction.n,
              bits_of(products[j], instruction.d_type));
  }
  return output;
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
  if (!plan.is_in_registers()) return place_name(value);
  const int values = fragment_of(plan.instruction, Operand::a).values();
  return fmt::format("thread {} value {}", value / values, value % values);
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
  WgmmaPlan plan;
  plan.instruction = {
      std::atoi(parts[0].c_str() + 1),     parts[2], parts[3], parts[1], parts.size() > 4 && parts[4] == "rs",
      parts.size() > 4 && parts[4] == "sp"};
  row_of(plan.instruction);  // throws when there is no such instruction
  plan.operand = role_of(json);
  if (!plan.is_in_registers()) std::tie(plan.major, plan.word) = word_of(json);
  if (plan.major == Major::MN && !may_transpose(plan.instruction))
    throw Error(fmt::format("{} takes no MN-major operand", to_string(plan.instruction)),
                "only operands of 16 bits may be MN-major");
  return plan;
}

}  // namespace swz
