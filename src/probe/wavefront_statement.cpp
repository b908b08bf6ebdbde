#include "probe/wavefront_statement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probe/statement.hpp"

namespace swz {

namespace {

bool is_load(const AccessInstruction& i) { return i.op == AccessOp::load || i.op == AccessOp::ldmatrix; }

// "ldmatrix.x4.trans" and "ldmatrix.m16n16.x1.trans" with all that PTX writes.
std::string matrix_name(const AccessInstruction& i) {
  const auto dot = i.name.find('.');
  const std::string op(i.name.substr(0, dot));
  const std::string_view form = i.name.substr(dot + 1);
  const bool is_of_bytes = form.front() == 'm';
  const std::string_view type = !is_of_bytes ? "b16" : form.starts_with("m8n16") ? "b8x16.b4x16_p64" : "b8";
  return fmt::format("{}.sync.aligned.{}{}.shared.{}", op, is_of_bytes ? "" : "m8n8.", form, type);
}

// volatile: two accesses to one address remain two.
std::string plain_name(const AccessInstruction& i) {
  const int registers = registers_of(i);
  return fmt::format("{}.volatile.shared.{}", i.op == AccessOp::load ? "ld" : "st",
                     i.bytes < 4      ? fmt::format("u{}", 8 * i.bytes)
                     : registers == 1 ? "b32"
                                      : fmt::format("v{}.b32", registers));
}

}  // namespace

std::vector<const AccessInstruction*> timed_instructions(const Target& target) {
  std::vector<const AccessInstruction*> out;
  for (const AccessInstruction& row : access_instructions())
    if (row.op != AccessOp::cp_async && runs_on(row.availability, target)) out.push_back(&row);
  return out;
}

int registers_of(const AccessInstruction& i) { return std::max(1, i.addresses * i.bytes / (4 * warp_lanes)); }

std::string wavefront_statement(const AccessInstruction& i) {
  const int registers = registers_of(i);
  const std::string name = i.is_matrix() ? matrix_name(i) : plain_name(i);
  const bool is_list = registers > 1 || i.is_matrix();
  const std::string values =
      fmt::format("{}{}{}", is_list ? "{" : "", placeholders(0, registers), is_list ? "}" : "");
  const std::string place = fmt::format("[%{}]", registers);

  std::string out =
      fmt::format("#define IS_STORE {}\n#define REGISTERS {}\n#define COPIES {}\n#define COPY_STEP {}\n",
                  is_load(i) ? 0 : 1, registers, timed_copies, copy_step.count);
  out += fmt::format("__device__ inline void access(unsigned address, unsigned (&v)[{}], unsigned on) {{\n",
                     registers);
  out += fmt::format("  asm volatile(\"{{ .reg .pred p; setp.ne.u32 p, %{}, 0; @p {} {}, {}; }}\"\n", registers + 1,
                     name, is_load(i) ? values : place, is_load(i) ? place : values);
  out += fmt::format(
      "               : {}\n               : {}\"r\"(address), \"r\"(on)\n               : \"memory\");\n}}\n",
      is_load(i) ? operands("+r", "v", registers) : "", is_load(i) ? "" : operands("r", "v", registers) + ", ");
  return out;
}

}  // namespace swz
