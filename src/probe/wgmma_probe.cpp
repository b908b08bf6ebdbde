#include "probe/wgmma_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/split.hpp"
#include "base/text.hpp"
#include "fragment/find.hpp"
#include "probe/position_code.hpp"

namespace swz {

namespace {

const Target& sm_90a() { return require_target("sm_90a"); }

// As kernels/wgmma.cu reads it.
struct Block {
  std::uint64_t a = 0, b = 0;
  std::uint32_t image = 0, overlay = 0, registers = 0, transposed = 0;
};

TileExtents extents_of(const WgmmaInstruction& instruction, OperandRole operand) {
  return {operand == OperandRole::a ? 64 : instruction.n, row_of(instruction).k};
}

Fragment fragment_of(const WgmmaInstruction& i, Operand operand) {
  return find_fragment({.name = fmt::format("wgmma.m64n{}k{}", i.n, row_of(i).k),
                        .dtype = i.a_type,
                        .operand = operand,
                        .accumulator = operand == Operand::d ? i.d_type : ""});
}

Identity identity_of(const WgmmaPlan& plan) {
  const bool is_a = plan.operand == OperandRole::a;
  return {extents_of(plan.instruction, is_a ? OperandRole::b : OperandRole::a),
          is_a ? plan.instruction.b_type : plan.instruction.a_type};
}

// Images and overlays that the plans of a launch share, and the blocks of each plan: passes inside selections.
class Batch {
 public:
  explicit Batch(std::span<const WgmmaPlan> plans) : plans_(plans) {}

  static int passes(const WgmmaPlan& plan) {
    const PositionCode code(plan.dtype());
    if (plan.is_in_registers()) {
      const Fragment a = fragment_of(plan.instruction, Operand::a);
      return code.passes(a.threads() * a.values() + 1);
    }
    return code.passes(sm_90a().smem_window().count * 8 / code.memory_bits());
  }
  static int blocks(const WgmmaPlan& plan) { return passes(plan) * identity_of(plan).selections(); }

  Launch launch(Hypothesis hypothesis) {
    const WgmmaMemory memory = wgmma_memory();
    Launch out;
    out.kernel = kernel_of(plans_.front());
    out.dynamic_smem = memory.size;
    const std::int64_t overlay = memory.begin.count + memory.size.count - memory.identity.count;
    for (const WgmmaPlan& plan : plans_) {
      const Identity identity = identity_of(plan);
      const auto [image, registers] = codes(plan, out);
      const std::uint32_t first_overlay = overlays(plan, identity, hypothesis, overlay, out);
      const bool is_identity_in_registers = plan.instruction.a_in_registers && !plan.is_in_registers();
      const std::uint32_t identity_set =
          is_identity_in_registers ? identity_registers(plan, identity, hypothesis, out) : 0;
      const std::uint64_t other = identity.descriptor(memory.identity, sm_90a()).word();
      const bool is_a = plan.operand == OperandRole::a;
      Block block{is_a ? plan.word : other, is_a ? other : plan.word, 0, 0, 0, 0};
      if (plan.major == Major::MN) block.transposed = is_a ? 1 : 2;
      for (int selection = 0; selection < identity.selections(); ++selection)
        for (int pass = 0; pass < passes(plan); ++pass, ++out.grid) {
          block.image = image + static_cast<std::uint32_t>(plan.is_in_registers() ? 0 : pass);
          block.registers = is_identity_in_registers
                                ? identity_set + static_cast<std::uint32_t>(selection)
                                : registers + static_cast<std::uint32_t>(plan.is_in_registers() ? pass : 0);
          block.overlay = first_overlay + static_cast<std::uint32_t>(selection);
          append(out.inputs[0], block);
        }
    }
    --out.grid;  // began at 1
    out.scalars = {static_cast<std::uint32_t>(memory.begin.count), static_cast<std::uint32_t>(memory.size.count),
                   static_cast<std::uint32_t>(overlay),
                   static_cast<std::uint32_t>(memory.identity.count - memory.begin.count)};
    const Fragment d = fragment_of(plans_.front().instruction, Operand::d);
    out.output_bytes = std::int64_t{out.grid} * d.registers() * d.threads() * 4;
    return out;
  }

 private:
  struct Codes {
    std::uint32_t image = 0, registers = 0;
  };

  // The first image and the first register set of this plan's codes; they are made once for each operand.
  Codes codes(const WgmmaPlan& plan, Launch& out) {
    const WgmmaMemory memory = wgmma_memory();
    const auto size = static_cast<std::size_t>(memory.size.count);
    std::optional<Codes>& made = plan.operand == OperandRole::a ? codes_a_ : codes_b_;
    if (made) return *made;
    made.emplace();
    made->image = static_cast<std::uint32_t>(out.inputs[1].size() / size);
    made->registers = register_sets_;
    if (plan.is_in_registers()) {
      if (out.inputs[1].empty()) out.inputs[1].resize(size);
      made->image = 0;
      append_code_registers(plan, out);
      return *made;
    }
    for (int pass = 0; pass < passes(plan); ++pass) {
      const ByteBuffer image = address_image(plan.dtype(), memory.begin, memory.size, pass);
      out.inputs[1].insert(out.inputs[1].end(), image.begin(), image.end());
    }
    return *made;
  }

  void append_registers(const Fragment& a, const std::function<std::uint64_t(Coordinate)>& bits, Launch& out) {
    for (const std::uint32_t word : register_image(a, bits)) append(out.inputs[3], word);
    ++register_sets_;
  }
  // thread * values + value, from 1 on.
  void append_code_registers(const WgmmaPlan& plan, Launch& out) {
    const Fragment a = fragment_of(plan.instruction, Operand::a);
    const FragmentInverse holder(a);
    const PositionCode code(plan.dtype());
    for (int pass = 0; pass < passes(plan); ++pass)
      append_registers(
          a,
          [&](Coordinate at) {
            const Holder h = holder(at);
            return code.element(1 + h.thread * a.values() + h.value, pass);
          },
          out);
  }
  // A as the identity, when the instruction takes it from registers and B is probed.
  std::uint32_t identity_registers(const WgmmaPlan& plan, const Identity& identity, Hypothesis hypothesis,
                                   Launch& out) {
    if (identity_registers_) return *identity_registers_;
    identity_registers_ = register_sets_;
    for (int selection = 0; selection < identity.selections(); ++selection)
      append_registers(
          fragment_of(plan.instruction, Operand::a),
          [&](Coordinate at) { return identity.element(selection, at.row, at.column, hypothesis); }, out);
    return *identity_registers_;
  }

  std::uint32_t overlays(const WgmmaPlan& plan, const Identity& identity, Hypothesis hypothesis, std::int64_t size,
                         Launch& out) {
    const auto first = static_cast<std::uint32_t>(out.inputs[2].size() / static_cast<std::size_t>(size));
    std::optional<std::uint32_t>& made = plan.operand == OperandRole::a ? overlay_a_ : overlay_b_;
    if (made) return *made;
    for (int selection = 0; selection < identity.selections(); ++selection) {
      ByteBuffer bytes = identity.bytes(selection, hypothesis);
      bytes.resize(static_cast<std::size_t>(size));
      out.inputs[2].insert(out.inputs[2].end(), bytes.begin(), bytes.end());
    }
    made = first;
    return first;
  }

  std::span<const WgmmaPlan> plans_;
  std::optional<Codes> codes_a_, codes_b_;
  std::optional<std::uint32_t> overlay_a_, overlay_b_, identity_registers_;
  std::uint32_t register_sets_ = 0;
};

// D of one block, through its fragment: where (m, n) lies is computed once.
class Accumulators {
 public:
  Accumulators(const WgmmaInstruction& instruction, Hypothesis hypothesis) {
    const Fragment d = fragment_under(hypothesis, fragment_of(instruction, Operand::d));
    columns_ = d.columns;
    mask_ = d.bits == 16 ? 0xffff : 0xffffffff;
    block_bytes_ = static_cast<std::size_t>(d.registers() * d.threads() * 4);
    places_.resize(static_cast<std::size_t>(d.rows * d.columns));
    for (int thread = 0; thread < d.threads(); ++thread)
      for (int value = 0; value < d.values(); ++value) {
        const RegisterSlot slot = d.slot(value);
        const Coordinate at = d.at(thread, value);
        places_[index(at.row, at.column)] = {static_cast<std::size_t>((slot.index * d.threads() + thread) * 4),
                                             slot.first_bit};
      }
  }

  std::size_t block_bytes() const { return block_bytes_; }
  std::uint64_t bits(std::span<const std::uint8_t> block, int m, int n) const {
    const Place place = places_[index(m, n)];
    return (read_at<std::uint32_t>(block, place.offset) >> place.shift) & mask_;
  }
  void write(std::span<std::uint8_t> block, int m, int n, std::uint64_t value) const {
    const Place place = places_[index(m, n)];
    const auto word =
        read_at<std::uint32_t>(block, place.offset) | static_cast<std::uint32_t>(value << place.shift);
    __builtin_memcpy(block.data() + place.offset, &word, sizeof word);
  }

 private:
  struct Place {
    std::size_t offset = 0;  // bytes from the beginning of the block
    int shift = 0;
  };
  std::size_t index(int m, int n) const { return static_cast<std::size_t>(m * columns_ + n); }

  int columns_ = 0;
  std::uint64_t mask_ = 0;
  std::size_t block_bytes_ = 0;
  std::vector<Place> places_;
};

Observation decode_plan(const WgmmaPlan& plan, std::span<const std::uint8_t> blocks, const Accumulators& d) {
  const PositionCode code(plan.dtype());
  const TileExtents extents = plan.extents();
  const Identity identity = identity_of(plan);
  const int passes = Batch::passes(plan);
  const bool is_a = plan.operand == OperandRole::a;
  Observation seen;
  std::vector<std::optional<std::int64_t>> digits(static_cast<std::size_t>(passes));
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) {
      const std::int64_t selection = k / identity.extents.mn;
      const auto shown = static_cast<int>(k % identity.extents.mn);
      for (int pass = 0; pass < passes; ++pass) {
        const auto block = static_cast<std::size_t>(selection * passes + pass);
        const auto bytes = blocks.subspan(block * d.block_bytes(), d.block_bytes());
        const auto at = static_cast<int>(row);
        digits[static_cast<std::size_t>(pass)] =
            code.digit(is_a ? d.bits(bytes, at, shown) : d.bits(bytes, shown, at), plan.instruction.d_type);
      }
      const std::int64_t position = code.position(digits);
      if (position == unreadable) seen.values.push_back(unreadable);
      else seen.values.push_back(plan.is_in_registers() ? position - 1 : position * code.memory_bits());
    }
  return seen;
}

}  // namespace

TileExtents WgmmaPlan::extents() const { return extents_of(instruction, operand); }

WgmmaMemory wgmma_memory() {
  const Target& target = sm_90a();
  constexpr Bytes largest_identity{256 * 32};  // N 256, K of 32 bytes
  return {target.reserved_smem, target.max_smem_per_cta,
          Bytes{target.smem_window().count - largest_identity.count}};
}

WgmmaPlan draw_wgmma(const WgmmaInstruction& instruction, OperandRole operand, Random& random) {
  WgmmaPlan plan{instruction, operand, Major::K, 0};
  if (plan.is_in_registers()) return plan;
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  // As often short as long: 2^x chunks.
  const auto stride = [&] { return Bytes{16 * below(std::int64_t{1} << (1 + below(14)))}; };
  if (may_transpose(instruction) && below(2) == 1) plan.major = Major::MN;

  constexpr std::array<std::string_view, 4> modes{"none", "32B", "64B", "128B"};
  const WgmmaMemory memory = wgmma_memory();
  const int bits = require_dtype(plan.dtype()).memory_bits;
  for (;;) {
    SmemDescriptorValues values{.start_address = {},
                                .leading_byte_offset = stride(),
                                .stride_byte_offset = stride(),
                                .base_offset = static_cast<int>(below(8)),
                                .swizzle = modes[static_cast<std::size_t>(below(4))],
                                .absolute_lbo = false};
    // How far the operand reaches; the XOR stays in its line of 128 bytes.
    const OperandMap at_0 = operand_map(SmemDescriptor::encode(values, sm_90a()), plan.extents(), bits, plan.major);
    const std::int64_t reach = *std::ranges::max_element(at_0.bytes) / 128 * 128 + 256;
    const std::int64_t room = memory.identity.count - memory.begin.count - reach;
    if (room <= 0) continue;
    values.start_address = Bytes{memory.begin.count + 16 * below(room / 16)};
    plan.word = SmemDescriptor::encode(values, sm_90a()).word();
    return plan;
  }
}

Kernel kernel_of(const WgmmaPlan& plan) { return {"wgmma", wgmma_statement(plan.instruction)}; }

Launch launch_of(std::span<const WgmmaPlan> plans, Hypothesis hypothesis) {
  return Batch(plans).launch(hypothesis);
}

std::vector<Observation> decode(std::span<const WgmmaPlan> plans, const ByteBuffer& output, Hypothesis hypothesis) {
  const Accumulators d(plans.front().instruction, hypothesis);
  std::span<const std::uint8_t> rest = output;
  std::vector<Observation> out;
  for (const WgmmaPlan& plan : plans) {
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
  const WgmmaMemory memory = wgmma_memory();
  const WgmmaInstruction& instruction = plans.front().instruction;
  const Accumulators d(instruction, Hypothesis::none);
  const TileExtents a_extents = extents_of(instruction, OperandRole::a);
  const TileExtents b_extents = extents_of(instruction, OperandRole::b);
  const PositionCode a_code(instruction.a_type), b_code(instruction.b_type);
  ByteBuffer output(static_cast<std::size_t>(launch.output_bytes));

  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    const auto block = read_at<Block>(launch.inputs[0], i * sizeof(Block));
    const auto size = static_cast<std::size_t>(launch.scalars[1]);
    const auto overlay = static_cast<std::size_t>(launch.scalars[2]);
    const auto image = launch.inputs[1].begin() + static_cast<std::ptrdiff_t>(block.image * size);
    ByteBuffer smem(image, image + static_cast<std::ptrdiff_t>(size));
    const auto top = launch.inputs[2].begin() + static_cast<std::ptrdiff_t>(block.overlay * overlay);
    std::copy_n(top, overlay, smem.begin() + static_cast<std::ptrdiff_t>(launch.scalars[3]));

    const auto operand = [&](std::uint64_t word, TileExtents extents, const PositionCode& code, bool is_mn) {
      const OperandMap map =
          operand_map(SmemDescriptor(word, sm_90a()), extents, code.memory_bits(), is_mn ? Major::MN : Major::K);
      std::vector<double> values;
      for (const std::int64_t place : places_of(map))
        values.push_back(code.value(read_bits(smem, place - memory.begin.count * 8, code.memory_bits())));
      return values;
    };
    std::vector<double> a;
    if (instruction.a_in_registers) {
      const Fragment f = fragment_of(instruction, Operand::a);
      const FragmentInverse holder(f);
      std::vector<std::uint32_t> set(static_cast<std::size_t>(f.registers() * f.threads()));
      __builtin_memcpy(set.data(), launch.inputs[3].data() + 4 * set.size() * block.registers, 4 * set.size());
      for (int m = 0; m < f.rows; ++m)
        for (int k = 0; k < f.columns; ++k) a.push_back(a_code.value(register_element(f, set, holder({m, k}))));
    } else {
      a = operand(block.a, a_extents, a_code, (block.transposed & 1U) != 0);
    }
    const std::vector<double> b = operand(block.b, b_extents, b_code, (block.transposed & 2U) != 0);
    const std::span<std::uint8_t> out = std::span(output).subspan(i * d.block_bytes(), d.block_bytes());
    for (int m = 0; m < a_extents.mn; ++m)
      for (int n = 0; n < b_extents.mn; ++n) {
        double sum = 0;
        for (std::int64_t k = 0; k < a_extents.k; ++k)
          sum +=
              a[static_cast<std::size_t>(m * a_extents.k + k)] * b[static_cast<std::size_t>(n * b_extents.k + k)];
        d.write(out, m, n, bits_of(sum, instruction.d_type));
      }
  }
  return output;
}

std::string subject(const WgmmaPlan& plan) {
  std::string out = to_string(plan.instruction);
  if (plan.is_in_registers()) return out;
  return out + fmt::format(", {} {}, {}", plan.operand == OperandRole::a ? "A" : "B", to_string(plan.major),
                           hex64(plan.word));
}

std::string element_name(const WgmmaPlan& plan, std::int64_t index) {
  const std::int64_t k = plan.extents().k;
  return fmt::format("({}, {})", index / k, index % k);
}

std::string value_name(const WgmmaPlan& plan, std::int64_t value) {
  if (value == unreadable) return "no element";
  if (plan.is_in_registers()) {
    const int values = fragment_of(plan.instruction, Operand::a).values();
    return fmt::format("thread {} value {}", value / values, value % values);
  }
  return value % 8 == 0 ? fmt::format("byte {}", value / 8)
                        : fmt::format("bit {} of byte {}", value % 8, value / 8);
}

Json to_json(const WgmmaPlan& plan) {
  const WgmmaInstruction& i = plan.instruction;
  Json out{
      {"wgmma", fmt::format("n{}.{}.{}.{}{}", i.n, i.d_type, i.a_type, i.b_type, i.a_in_registers ? ".rs" : "")},
      {"of", plan.operand == OperandRole::a ? "a" : "b"}};
  if (!plan.is_in_registers()) {
    out["major"] = plan.major == Major::K ? "K" : "MN";
    out["word"] = hex64(plan.word);
  }
  return out;
}

WgmmaPlan wgmma_plan(const Json& json) {
  const std::vector<std::string> parts = split(json.at("wgmma").get<std::string>(), '.');
  if (parts.size() < 4) throw Error("a wgmma is written n64.f32.f16.f16");
  WgmmaPlan plan;
  plan.instruction = {std::atoi(parts[0].c_str() + 1), parts[2], parts[3], parts[1], parts.size() > 4};
  row_of(plan.instruction);  // throws when there is no such instruction
  plan.operand = json.at("of").get<std::string>() == "a" ? OperandRole::a : OperandRole::b;
  if (!plan.is_in_registers()) {
    plan.major = json.at("major").get<std::string>() == "K" ? Major::K : Major::MN;
    plan.word = parse_unsigned(json.at("word").get<std::string>(), 64, {"a word is written 0x…", ""});
  }
  return plan;
}

}  // namespace swz
