#include "probe/statement.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "fragment/fragment.hpp"

namespace swz {

namespace {

bool is_wgmma_of(const MmaInstruction& row, const WgmmaInstruction& i) {
  return row.family == InstructionFamily::wgmma && takes_type(row, i.a_type) && takes_type(row, i.b_type) &&
         accumulates_in(row, i.d_type) && row.takes(i.n) && (row.bits == 8 || i.a_type == i.b_type) &&
         !(i.sparse && (row.bits == 1 || i.a_in_registers));
}

// What follows the scale-d predicate: the signs of A and B (floating types), then who is transposed.
std::string immediates(const WgmmaInstruction& i, unsigned transposed) {
  if (!require_dtype(i.a_type).is_floating) return "";
  if (!may_transpose(i)) return ", 1, 1";
  if (i.a_in_registers) return fmt::format(", 1, 1, {}", transposed >> 1);
  return fmt::format(", 1, 1, {}, {}", transposed & 1U, transposed >> 1);
}

}  // namespace

std::string placeholders(int first, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}%{}", i == 0 ? "" : ", ", first + i);
  return out;
}

std::string operands(std::string_view constraint, std::string_view name, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}\"{}\"({}[{}])", i == 0 ? "" : ", ", constraint, name, i);
  return out;
}

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
    // The metadata of every thread are the same, whichever threads the selector 0 names.
    const std::string metadata = i.sparse ? fmt::format(", %{}, 0", b_operand + 1) : "";
    out += fmt::format("      \"wgmma.mma_async{}.sync.aligned.m64n{}k{}.{}.{}.{}{} {{{}}}, {}, %{}{}, p{};\\n\"\n",
                       i.sparse ? ".sp" : "", i.n, depth_of(i), i.d_type, i.a_type, i.b_type, op,
                       placeholders(0, d), i.a_in_registers ? "{" + placeholders(d, a) + "}" : placeholders(d, 1),
                       b_operand, metadata, immediates(i, transposed));
    out += "      \"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }\"\n";
    out += fmt::format("      : {}\n      : {}, \"l\"(b){} : \"memory\");\n", operands("+r", "d", d),
                       i.a_in_registers ? operands("r", "a", a) : "\"l\"(a)", i.sparse ? ", \"r\"(metadata)" : "");
  }
  return out + "}\n";
}

}  // namespace swz
