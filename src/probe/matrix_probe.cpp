#include "probe/matrix_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "probe/position_code.hpp"

namespace swz {

namespace {

using enum InstructionFamily;
using Words = std::vector<std::uint32_t>;

constexpr std::size_t lanes = 32;
constexpr std::size_t row_output = lanes * static_cast<std::size_t>(line_bytes);  // of stmatrix

// As kernels/ldmatrix.cu and stmatrix.cu read it.
struct Block {
  std::uint32_t of_input = 0;  // which image, or which set of registers
  std::array<std::uint32_t, lanes> addresses = {};
};

void require_fine(const MatrixPlan& plan) {
  if (plan.is(movmatrix)) return;
  const MatrixMemory memory = plan.memory();
  const std::int64_t end = memory.begin().count + memory.size().count;
  for (const std::uint32_t address : plan.addresses)
    if (address < memory.begin().count || address >= end)
      throw Error(fmt::format("byte {} is not in the shared memory of {}", address, plan.target),
                  fmt::format("a kernel has bytes {} to {}", memory.begin().count, end - 1));
  const std::set<std::uint32_t> distinct(plan.addresses.begin(), plan.addresses.end());
  if (plan.is(stmatrix) && distinct.size() < plan.addresses.size())
    throw Error("two lanes of the stmatrix have one address", "the rows must be distinct");
}

int number_of(const Fragment& f, Holder holder) { return holder.thread * f.values() + holder.value; }

// Codes in registers count from 1.
int register_passes(const Fragment& f, const MatrixMemory& memory) {
  return memory.passes(f.threads() * f.values() + 1);
}

int passes_of(const MatrixPlan& plan) {
  const MatrixMemory memory = plan.memory();
  return plan.is(ldmatrix) ? memory.passes() : register_passes(plan.fragment(Operand::a), memory);
}

Words code_registers(const MatrixPlan& plan, int pass) {
  const Fragment f = plan.fragment(Operand::a);
  const MatrixMemory memory = plan.memory();
  return register_image(f, [&](Holder holder) { return memory.digit(1 + number_of(f, holder), pass); });
}

// Of stmatrix, one bit a line; whole 16 bytes, so that the next block is aligned.
std::size_t changed_bytes(const MatrixMemory& memory) {
  return static_cast<std::size_t>(ceil_div(memory.lines(), 128) * 16);
}

std::size_t block_bytes(const MatrixPlan& plan) {
  // The kernel writes 16 bytes at a time.
  if (plan.is(stmatrix)) return row_output + changed_bytes(plan.memory());
  return static_cast<std::size_t>(plan.fragment(Operand::d).registers()) * lanes * 4;
}

void append_words(ByteBuffer& out, const Words& words) {
  for (const std::uint32_t word : words) append(out, word);
}

Words words_of(std::span<const std::uint8_t> bytes) {
  Words words(bytes.size() / 4);
  __builtin_memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// What a code of registers names: 0 ... threads * values - 1.
std::int64_t readable(const Fragment& f, std::int64_t number) {
  return number >= 1 && number <= f.threads() * f.values() ? number - 1 : unreadable;
}

// One output block a pass.
using Passes = std::span<const std::span<const std::uint8_t>>;

Observation decode_registers(const MatrixPlan& plan, Passes passes) {
  const Fragment f = plan.fragment(Operand::d);
  const MatrixMemory memory = plan.memory();
  std::vector<Words> words;
  for (const auto& bytes : passes) words.push_back(words_of(bytes));
  Observation out;
  std::vector<std::uint64_t> digits(words.size());
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      for (std::size_t pass = 0; pass < words.size(); ++pass)
        digits[pass] = register_element(f, words[pass], {thread, value});
      // Of elements narrower than their register, the rest of it is zero.
      const bool is_code =
          std::ranges::all_of(digits, [&](std::uint64_t d) { return d >> memory.element_bits() == 0; });
      if (!is_code) out.values.push_back(unreadable);
      else if (plan.is(ldmatrix)) out.values.push_back(memory.bit_of(memory.number(digits)));
      else out.values.push_back(readable(f, memory.number(digits)));
    }
  return out;
}

// The last value: where the first line changed that is none of the rows.
std::int64_t first_line_elsewhere(const MatrixPlan& plan, Passes passes) {
  const MatrixMemory memory = plan.memory();
  const auto rows = std::span(plan.addresses).first(static_cast<std::size_t>(plan.fragment(Operand::memory).rows));
  for (std::int64_t line = 0; line < memory.lines(); ++line) {
    const bool is_changed = std::ranges::any_of(
        passes, [&](const auto& bytes) { return read_bits(bytes.subspan(row_output), line, 1) != 0; });
    const std::int64_t address = memory.begin().count + line * line_bytes;
    if (is_changed && std::ranges::find(rows, static_cast<std::uint32_t>(address)) == rows.end())
      return MatrixPlan::written_at(address);
  }
  return unreadable;
}

Observation decode_rows(const MatrixPlan& plan, Passes passes) {
  const Fragment f = plan.fragment(Operand::memory);
  const MatrixMemory memory = plan.memory();
  Observation out;
  std::vector<std::uint64_t> digits(passes.size());
  for (int row = 0; row < f.rows; ++row)
    for (int column = 0; column < f.columns; ++column) {
      for (std::size_t pass = 0; pass < passes.size(); ++pass)
        digits[pass] = read_bits(passes[pass], memory.bit(row * line_bytes, column), memory.element_bits());
      out.values.push_back(readable(f, memory.number(digits)));
    }
  out.values.push_back(first_line_elsewhere(plan, passes));
  return out;
}

// Of stmatrix: what the image holds, which no row of codes is.
constexpr std::uint8_t background = 0xff;

void simulate_store(const MatrixPlan& plan, const Block& block, const Launch& launch, ByteBuffer& output) {
  const Fragment f = plan.fragment(Operand::memory);
  const MatrixMemory memory = plan.memory();
  const std::size_t set = static_cast<std::size_t>(f.registers()) * lanes * 4;
  const Words words = words_of(std::span(launch.inputs[2]).subspan(block.of_input * set, set));
  const ByteBuffer& image = launch.inputs[1];
  ByteBuffer smem = image;
  const std::int64_t begin = memory.begin().count;
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      const std::int64_t address = block.addresses[static_cast<std::size_t>(at.row)];
      write_bits(smem, memory.bit(address - begin, at.column), memory.element_bits(),
                 register_element(f, words, {thread, value}));
    }
  for (const std::uint32_t address : block.addresses) {
    const auto line = smem.begin() + (address - begin);
    output.insert(output.end(), line, line + line_bytes);
  }
  ByteBuffer changed(changed_bytes(memory));
  for (std::int64_t line = 0; line < memory.lines(); ++line) {
    const std::int64_t at = line * line_bytes;
    const bool is_same = std::equal(smem.begin() + at, smem.begin() + at + line_bytes, image.begin() + at);
    write_bits(changed, line, 1, is_same ? 0 : 1);
  }
  output.insert(output.end(), changed.begin(), changed.end());
}

void simulate_load(const MatrixPlan& plan, const Block& block, const Launch& launch, ByteBuffer& output) {
  const Fragment f = plan.fragment(Operand::memory);
  const MatrixMemory memory = plan.memory();
  const auto size = static_cast<std::size_t>(memory.size().count);
  const auto image = std::span(launch.inputs[1]).subspan(block.of_input * size, size);
  append_words(output, register_image(f, [&](Coordinate at) {
                 const std::int64_t address = block.addresses[static_cast<std::size_t>(at.row)];
                 return memory.read(image, memory.bit(address, at.column));
               }));
}

void simulate_move(const MatrixPlan& plan, std::size_t block, const Launch& launch, ByteBuffer& output) {
  const Fragment from = plan.fragment(Operand::a), to = plan.fragment(Operand::d);
  const FragmentInverse holder(from);
  const Words words = words_of(std::span(launch.inputs[0]).subspan(block * lanes * 4, lanes * 4));
  append_words(output,
               register_image(to, [&](Coordinate at) { return register_element(from, words, holder(at)); }));
}

}  // namespace

Fragment MatrixPlan::fragment(Operand operand) const {
  return fragment_of(instruction, is(movmatrix) ? operand : Operand::memory);
}

MatrixMemory MatrixPlan::memory() const { return {row_of(instruction), require_target(target)}; }

std::int64_t MatrixPlan::written_at(std::int64_t address) { return unreadable - 1 - address; }

MatrixPlan draw_matrix(const MatrixSyncInstruction& instruction, const Target& target, Random& random) {
  MatrixPlan plan{instruction, std::string(target.name), {}};
  if (plan.is(movmatrix)) return plan;
  const MatrixMemory memory = plan.memory();
  // As often near each other as far: within 2^x lines.
  const std::int64_t least = plan.is(stmatrix) ? 5 : 0;
  const std::int64_t span = std::min(std::int64_t{1} << (least + random.below(15 - least)), memory.lines());
  const std::int64_t first = random.below(memory.lines() - span + 1);
  std::set<std::int64_t> taken;
  for (std::uint32_t& address : plan.addresses) {
    std::int64_t line = first + random.below(span);
    while (plan.is(stmatrix) && !taken.insert(line).second) line = first + random.below(span);
    address = static_cast<std::uint32_t>(memory.begin().count + line * line_bytes);
  }
  return plan;
}

Kernel kernel_of(const MatrixPlan& plan) {
  return {std::string(to_string(plan.instruction.family)), matrix_statement(plan.instruction)};
}

Launch launch_of(std::span<const MatrixPlan> plans, Hypothesis) {
  const MatrixPlan& front = plans.front();
  const MatrixMemory memory = front.memory();
  Launch out;
  out.kernel = kernel_of(front);
  out.grid = passes_of(front) * static_cast<int>(plans.size());
  out.output_bytes = std::int64_t{out.grid} * static_cast<std::int64_t>(block_bytes(front));
  if (front.is(movmatrix)) {
    out.threads = 32;
    for (std::size_t plan = 0; plan < plans.size(); ++plan)
      for (int pass = 0; pass < passes_of(front); ++pass) append_words(out.inputs[0], code_registers(front, pass));
    return out;
  }
  out.dynamic_smem = memory.size();
  out.scalars = {static_cast<std::uint32_t>(memory.begin().count), static_cast<std::uint32_t>(memory.size().count)};
  if (front.is(stmatrix)) out.inputs[1].assign(static_cast<std::size_t>(memory.size().count), background);
  for (int pass = 0; pass < passes_of(front); ++pass) {
    if (front.is(stmatrix)) {
      append_words(out.inputs[2], code_registers(front, pass));
      continue;
    }
    const ByteBuffer image = memory.image(pass);
    out.inputs[1].insert(out.inputs[1].end(), image.begin(), image.end());
  }
  for (const MatrixPlan& plan : plans)
    for (int pass = 0; pass < passes_of(front); ++pass)
      append(out.inputs[0], Block{static_cast<std::uint32_t>(pass), plan.addresses});
  return out;
}

std::vector<Observation> decode(std::span<const MatrixPlan> plans, const ByteBuffer& output, Hypothesis) {
  const std::size_t bytes = block_bytes(plans.front());
  std::span<const std::uint8_t> rest = output;
  std::vector<Observation> out;
  for (const MatrixPlan& plan : plans) {
    std::vector<std::span<const std::uint8_t>> passes;
    for (int pass = 0; pass < passes_of(plan); ++pass) {
      passes.push_back(rest.first(bytes));
      rest = rest.subspan(bytes);
    }
    out.push_back(plan.is(stmatrix) ? decode_rows(plan, passes) : decode_registers(plan, passes));
  }
  return out;
}

Observation expected(const MatrixPlan& plan, Hypothesis hypothesis) {
  const Fragment f = fragment_under(hypothesis, plan.fragment(Operand::d));
  Observation out;
  if (plan.is(stmatrix)) {
    out.values.resize(static_cast<std::size_t>(f.rows * f.columns));
    for (int thread = 0; thread < f.threads(); ++thread)
      for (int value = 0; value < f.values(); ++value) {
        const Coordinate at = f.at(thread, value);
        out.values[static_cast<std::size_t>(at.row * f.columns + at.column)] = number_of(f, {thread, value});
      }
    out.values.push_back(unreadable);
    return out;
  }
  const MatrixMemory memory = plan.memory();
  const Fragment from = plan.fragment(Operand::a);
  const FragmentInverse holder(from);
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      out.values.push_back(plan.is(movmatrix)
                               ? number_of(from, holder(at))
                               : memory.bit(plan.addresses[static_cast<std::size_t>(at.row)], at.column));
    }
  return out;
}

ByteBuffer simulate(std::span<const MatrixPlan> plans, const Launch& launch) {
  const MatrixPlan& plan = plans.front();
  ByteBuffer output;
  for (std::size_t i = 0; i < static_cast<std::size_t>(launch.grid); ++i) {
    if (plan.is(movmatrix)) {
      simulate_move(plan, i, launch, output);
      continue;
    }
    const auto block = read_at<Block>(launch.inputs[0], i * sizeof(Block));
    if (plan.is(stmatrix)) simulate_store(plan, block, launch, output);
    else simulate_load(plan, block, launch, output);
  }
  return output;
}

std::string subject(const MatrixPlan& plan) {
  if (plan.is(movmatrix)) return to_string(plan.instruction);
  const auto [least, most] = std::ranges::minmax(plan.addresses);
  return fmt::format("{}, rows at bytes {} to {}", to_string(plan.instruction), least, most);
}

std::string element_name(const MatrixPlan& plan, std::int64_t index) {
  const Fragment f = plan.fragment(Operand::d);
  const std::int64_t of = plan.is(stmatrix) ? f.columns : f.values();
  if (!plan.is(stmatrix)) return fmt::format("thread {} value {}", index / of, index % of);
  return index == f.rows * f.columns ? "any other line" : fmt::format("({}, {})", index / of, index % of);
}

std::string value_name(const MatrixPlan& plan, std::int64_t value) {
  if (value == unreadable) return "no element";
  if (value < unreadable) return fmt::format("byte {}", MatrixPlan::written_at(value));
  if (plan.is(ldmatrix))
    return value % 8 == 0 ? fmt::format("byte {}", value / 8)
                          : fmt::format("bit {} of byte {}", value % 8, value / 8);
  const int values = plan.fragment(Operand::a).values();
  return fmt::format("thread {} value {}", value / values, value % values);
}

Json to_json(const MatrixPlan& plan) {
  Json out{{"matrix", to_string(plan.instruction)}};
  if (plan.is(movmatrix)) return out;
  out["on"] = plan.target;
  for (const std::uint32_t address : plan.addresses) out["lines"].push_back(address / line_bytes);
  return out;
}

MatrixPlan matrix_plan(const Json& json) {
  MatrixPlan plan;
  plan.instruction = matrix_sync_instruction(json.at("matrix").get<std::string>());
  if (plan.is(movmatrix)) return plan;
  plan.target = require_target(json.at("on").get<std::string>()).name;
  for (std::size_t lane = 0; lane < plan.addresses.size(); ++lane) {
    const auto line = json.at("lines").at(lane).get<std::uint32_t>();
    plan.addresses[lane] = static_cast<std::uint32_t>(std::min<std::int64_t>(line * line_bytes, UINT32_MAX));
  }
  require_fine(plan);
  return plan;
}

}  // namespace swz
