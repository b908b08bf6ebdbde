#include "probe/matrix_statement.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/statement.hpp"

namespace swz {

std::vector<MatrixSyncInstruction> matrix_sync_instructions() {
  std::vector<MatrixSyncInstruction> out;
  for (const MatrixInstruction& row : matrix_instructions())
    for (const int number : row.numbers)
      for (const bool transposed : {false, true}) {
        const Transpose excluded = transposed ? Transpose::no : Transpose::yes;
        if (number == 0 || row.transpose == excluded) continue;
        out.push_back({row.family, std::string(row.shape), std::string(row.type), number, transposed});
      }
  return out;
}

std::vector<MatrixSyncInstruction> matrix_sync_instructions_on(const Target& target) {
  std::vector<MatrixSyncInstruction> out = matrix_sync_instructions();
  std::erase_if(out, [&](const MatrixSyncInstruction& i) { return !runs_on(i, target); });
  return out;
}

MatrixSyncInstruction matrix_sync_instruction(std::string_view name) {
  std::vector<std::string> known;
  for (const MatrixSyncInstruction& i : matrix_sync_instructions()) {
    known.push_back(to_string(i));
    if (known.back() == name) return i;
  }
  throw Error(fmt::format("there is no instruction {}", quoted(name)), did_you_mean(name, known));
}

const MatrixInstruction& row_of(const MatrixSyncInstruction& i) {
  for (const MatrixInstruction& row : matrix_instructions())
    if (row.family == i.family && row.shape == i.shape && row.type == i.type) return row;
  throw Error(fmt::format("there is no {} of {} {}", to_string(i.family), i.shape, i.type));
}

bool runs_on(const MatrixSyncInstruction& instruction, const Target& target) {
  return runs_on(row_of(instruction).availability, target);
}

std::string to_string(const MatrixSyncInstruction& i) { return matrix_name(row_of(i), i.number, i.transposed); }

Fragment fragment_of(const MatrixSyncInstruction& i, Operand operand) {
  return matrix_fragment(row_of(i), i.number, i.transposed, operand);
}

std::string matrix_statement(const MatrixSyncInstruction& i) {
  const std::string trans = i.transposed ? ".trans" : "";
  if (i.family == InstructionFamily::movmatrix)
    return fmt::format(
        "#define WORDS 1\n__device__ void matrix(unsigned (&d)[1], const unsigned (&a)[1]) {{\n"
        "  asm volatile(\"movmatrix.sync.aligned.{}{}.{} %0, %1;\" : \"=r\"(d[0]) : \"r\"(a[0]));\n}}\n",
        i.shape, trans, i.type);

  const bool is_load = i.family == InstructionFamily::ldmatrix;
  const int words = fragment_of(i, Operand::memory).registers();
  const std::string opcode =
      fmt::format("{}.sync.aligned.{}.x{}{}.shared.{}", to_string(i.family), i.shape, i.number, trans, i.type);
  std::string out = fmt::format("#define WORDS {}\n", words);
  out += fmt::format("__device__ void matrix({}unsigned (&r)[{}], unsigned address) {{\n", is_load ? "" : "const ",
                     words);
  if (is_load)
    out += fmt::format("  asm volatile(\"{} {{{}}}, [%{}];\"\n      : {}\n      : \"r\"(address)\n", opcode,
                       placeholders(0, words), words, operands("=r", "r", words));
  else
    out += fmt::format("  asm volatile(\"{} [%0], {{{}}};\"\n      :\n      : \"r\"(address), {}\n", opcode,
                       placeholders(1, words), operands("r", "r", words));
  return out + "      : \"memory\");\n}\n";
}

}  // namespace swz
