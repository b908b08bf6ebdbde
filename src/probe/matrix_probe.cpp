// SPDX-License-Identifier: Apache-2.0
#include "probe/matrix_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/operand_probe.hpp"

namespace swz {

namespace {

using enum InstructionFamily;

// An integer as wide as an element of "b16", "b8" or "b8x16.b6x16_p32" in memory: the last number after a b.
std::string_view integer_of(std::string_view type) {
  if (type.ends_with("b6x16_p32")) return "u6";
  if (type.ends_with("b4x16_p64")) return "u4";
  return type == "b8" ? "u8" : "u16";
}

constexpr std::size_t lanes = 32;
constexpr std::uint8_t background = 0xff;  // of memory before a stmatrix; no row of codes is like this
constexpr std::size_t row_output = lanes * static_cast<std::size_t>(line_bytes);  // of stmatrix

// The layout that kernels/ldmatrix.cu and stmatrix.cu read.
struct Block {
  std::uint32_t of_input = 0;  // number of the image, or of the set of registers
  std::array<std::uint32_t, lanes> addresses = {};
};

void require_fine(const MatrixPlan& plan) {
  if (plan.is(movmatrix)) return;
  const MatrixMemory memory = plan.memory();
  const std::int64_t end = memory.begin.count + memory.size.count;
  for (const std::uint32_t address : plan.addresses)
    if (address < memory.begin.count || address >= end)
      throw Error(fmt::format("byte {} is not in the shared memory of {}", address, plan.target),
                  fmt::format("a kernel has bytes {} to {}", memory.begin.count, end - 1));
  const std::set<std::uint32_t> distinct(plan.addresses.begin(), plan.addresses.end());
  if (plan.is(stmatrix) && distinct.size() < plan.addresses.size())
    throw Error("two lanes of the stmatrix have one address", "the rows must be distinct");
}

int passes_of(const MatrixPlan& plan) {
  const MatrixMemory memory = plan.memory();
  return plan.is(ldmatrix) ? memory.passes() : register_passes(plan.fragment(Operand::a), memory.code);
}

// For stmatrix: the rows, then one bit per line of memory, in whole 16 bytes, as the kernel writes them.
std::size_t block_bytes(const MatrixPlan& plan) {
  if (!plan.is(stmatrix)) return static_cast<std::size_t>(image_bytes(plan.fragment(Operand::d)));
  return row_output + static_cast<std::size_t>(ceil_div(plan.memory().lines(), 128) * 16);
}

// The register that a code names: 0 ... threads * values - 1.
std::int64_t register_of(const Fragment& f, std::int64_t number) {
  return number >= 1 && number <= f.threads() * f.values() ? number - 1 : unreadable;
}

// One output block per pass.
using Passes = std::span<const std::span<const std::uint8_t>>;

Observation decode_registers(const MatrixPlan& plan, Passes passes) {
  const RegisterTable table(plan.fragment(Operand::d));
  const Fragment& f = table.fragment();
  const MatrixMemory memory = plan.memory();
  Observation out;
  std::vector<std::optional<std::int64_t>> digits(passes.size());
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const int index = table.index({0, f.at(thread, value)});
      // If elements are narrower than their register, the rest of it is zero.
      for (std::size_t pass = 0; pass < passes.size(); ++pass)
        digits[pass] = memory.code.digit(table.element(passes[pass], index), element_format("u32"));
      const std::int64_t number = memory.code.position(digits);
      const bool is_place = plan.is(ldmatrix) && number != unreadable;
      out.push_back(is_place ? memory.bit_of(number) : register_of(f, number));
    }
  return out;
}

// The last value: the first line that changed although it is not one of the rows.
std::int64_t first_line_elsewhere(const MatrixPlan& plan, Passes passes) {
  const MatrixMemory memory = plan.memory();
  const auto rows = std::span(plan.addresses).first(static_cast<std::size_t>(plan.fragment(Operand::memory).rows));
  for (std::int64_t line = 0; line < memory.lines(); ++line) {
    const bool is_changed = std::ranges::any_of(
        passes, [&](const auto& bytes) { return read_bits(bytes.subspan(row_output), line, 1) != 0; });
    const std::int64_t address = memory.begin.count + line * line_bytes;
    if (is_changed && std::ranges::find(rows, static_cast<std::uint32_t>(address)) == rows.end())
      return MatrixPlan::written_at(address);
  }
  return unreadable;
}

Observation decode_rows(const MatrixPlan& plan, Passes passes) {
  const Fragment f = plan.fragment(Operand::memory);
  const MatrixMemory memory = plan.memory();
  Observation out;
  std::vector<std::optional<std::int64_t>> digits(passes.size());
  for (int row = 0; row < f.rows; ++row)
    for (int column = 0; column < f.columns; ++column) {
      for (std::size_t pass = 0; pass < passes.size(); ++pass)
        digits[pass] = read_bits(passes[pass], memory.bit(row * line_bytes, column), memory.element.width);
      out.push_back(register_of(f, memory.code.position(digits)));
    }
  out.push_back(first_line_elsewhere(plan, passes));
  return out;
}

}  // namespace

MatrixForm require_matrix_form(std::string_view name) {
  std::vector<std::string> known;
  for (const MatrixForm& form : matrix_forms()) {
    known.push_back(form.name());
    if (known.back() == name) return form;
  }
  throw Error(fmt::format("there is no instruction {}", quoted(name)), did_you_mean(name, known));
}

Fragment fragment_of(const MatrixForm& form, Operand operand) {
  return matrix_fragment(*form.row, form.number, form.transposed, operand);
}

std::string matrix_statement(const MatrixForm& i) {
  const MatrixInstruction& row = *i.row;
  const std::string trans = i.transposed ? ".trans" : "";
  if (row.family == movmatrix)
    return fmt::format(
        "#define WORDS 1\n__device__ void matrix(unsigned (&d)[1], const unsigned (&a)[1]) {{\n"
        "  asm volatile(\"movmatrix.sync.aligned.{}{}.{} %0, %1;\" : \"=r\"(d[0]) : \"r\"(a[0]));\n}}\n",
        row.shape, trans, row.type);

  const bool is_load = row.family == ldmatrix;
  const int words = fragment_of(i, Operand::memory).registers();
  const std::string opcode =
      fmt::format("{}.sync.aligned.{}.x{}{}.shared.{}", to_string(row.family), row.shape, i.number, trans, row.type);
  std::string out = fmt::format("#define WORDS {}\n", words);
  out +=
      fmt::format("__device__ void matrix({}unsigned (&r)[{}], unsigned address) {{\n", is_load ? "" : "const ", words);
  if (is_load)
    out += fmt::format("  asm volatile(\"{} {{{}}}, [%{}];\"\n      : {}\n      : \"r\"(address)\n", opcode,
                       placeholders(0, words), words, operands("=r", "r", words));
  else
    out += fmt::format("  asm volatile(\"{} [%0], {{{}}};\"\n      :\n      : \"r\"(address), {}\n", opcode,
                       placeholders(1, words), operands("r", "r", words));
  return out + "      : \"memory\");\n}\n";
}

MatrixMemory::MatrixMemory(const MatrixInstruction& row, const Target& target)
    : begin(target.reserved_smem),
      size(target.max_smem_per_cta),
      element(element_format(integer_of(row.type))),
      code(element.name),
      row_elements(row.row_elements) {}

ByteBuffer MatrixMemory::image(int pass) const {
  ByteBuffer out(static_cast<std::size_t>(size.count), 0xff);
  const std::int64_t first = begin.count / line_bytes;
  for (std::int64_t line = 0; line < lines(); ++line)
    for (int index = 0; index < row_elements; ++index)
      write_bits(out, bit(line * line_bytes, index), element.width,
                 code.element((first + line) * row_elements + index, pass));
  return out;
}

Fragment MatrixPlan::fragment(Operand operand) const {
  return fragment_of(instruction, is(movmatrix) ? operand : Operand::memory);
}

MatrixMemory MatrixPlan::memory() const { return {*instruction.row, require_target(target)}; }

std::int64_t MatrixPlan::written_at(std::int64_t address) { return unreadable - 1 - address; }

MatrixPlan draw_matrix(const MatrixForm& instruction, const Target& target, Random& random) {
  MatrixPlan plan{instruction, std::string(target.name), {}};
  if (plan.is(movmatrix)) return plan;
  const MatrixMemory memory = plan.memory();
  // Near each other as often as far apart: within 2^x lines.
  const std::int64_t least = plan.is(stmatrix) ? 5 : 0;
  const std::int64_t span = std::min(std::int64_t{1} << (least + random.below(15 - least)), memory.lines());
  const std::int64_t first = random.below(memory.lines() - span + 1);
  std::set<std::int64_t> taken;
  for (std::uint32_t& address : plan.addresses) {
    std::int64_t line = first + random.below(span);
    while (plan.is(stmatrix) && !taken.insert(line).second) line = first + random.below(span);
    address = static_cast<std::uint32_t>(memory.begin.count + line * line_bytes);
  }
  return plan;
}

Kernel kernel_of(const MatrixPlan& plan) {
  return {std::string(to_string(plan.instruction.row->family)), matrix_statement(plan.instruction)};
}

Launch launch_of(std::span<const MatrixPlan> plans, Hypothesis) {
  const MatrixPlan& front = plans.front();
  const MatrixMemory memory = front.memory();
  Launch out;
  out.grid = passes_of(front) * static_cast<int>(plans.size());
  out.output_bytes = std::int64_t{out.grid} * static_cast<std::int64_t>(block_bytes(front));
  const auto codes = [&](int pass) { return register_codes(front.fragment(Operand::a), memory.code, pass); };
  if (front.is(movmatrix)) {
    out.threads = 32;
    for (std::size_t plan = 0; plan < plans.size(); ++plan)
      for (int pass = 0; pass < passes_of(front); ++pass) append_bytes(out.inputs[0], codes(pass));
    return out;
  }
  out.dynamic_smem = memory.size;
  out.scalars = {word32(memory.begin.count), word32(memory.size.count)};
  if (front.is(stmatrix)) out.inputs[1].assign(static_cast<std::size_t>(memory.size.count), background);
  for (int pass = 0; pass < passes_of(front); ++pass)
    if (front.is(stmatrix)) append_bytes(out.inputs[2], codes(pass));
    else append_bytes(out.inputs[1], memory.image(pass));
  for (const MatrixPlan& plan : plans)
    for (int pass = 0; pass < passes_of(front); ++pass) append(out.inputs[0], Block{word32(pass), plan.addresses});
  return out;
}

Observations decode(std::span<const MatrixPlan> plans, const ByteBuffer& output, Hypothesis) {
  const std::size_t bytes = block_bytes(plans.front());
  std::span<const std::uint8_t> rest = output;
  Observations out;
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
    out = RegisterTable(f).numbers();
    out.push_back(unreadable);
    return out;
  }
  const MatrixMemory memory = plan.memory();
  const RegisterTable from(plan.fragment(Operand::a));
  for (int thread = 0; thread < f.threads(); ++thread)
    for (int value = 0; value < f.values(); ++value) {
      const Coordinate at = f.at(thread, value);
      out.push_back(plan.is(movmatrix) ? from.number(from.holder(from.index({0, at})))
                                       : memory.bit(plan.addresses[static_cast<std::size_t>(at.row)], at.column));
    }
  return out;
}

std::string subject(const MatrixPlan& plan) {
  if (plan.is(movmatrix)) return plan.instruction.name();
  const auto [least, most] = std::ranges::minmax(plan.addresses);
  return fmt::format("{}, rows at bytes {} to {}", plan.instruction.name(), least, most);
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
  return plan.is(ldmatrix) ? place_name(value) : holder_name(plan.fragment(Operand::a), value);
}

Json to_json(const MatrixPlan& plan) {
  Json out{{"matrix", plan.instruction.name()}};
  if (plan.is(movmatrix)) return out;
  out["on"] = plan.target;
  for (const std::uint32_t address : plan.addresses) out["lines"].push_back(address / line_bytes);
  return out;
}

MatrixPlan matrix_plan(const Json& json) {
  MatrixPlan plan;
  plan.instruction = require_matrix_form(json.at("matrix").get<std::string>());
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
