// The instructions of the probe of mma.sync and their statements: mma_probe.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "probe/mma_probe.hpp"
#include "probe/statement.hpp"

namespace swz {

namespace {

constexpr int columns = 8;  // n of every mma.sync

// The row that takes a type in A or B. One shape has one row a type: in m16n8k32 e2m1 has 8 bits, in k64 it has 4.
const MmaInstruction* find_row(const MmaSyncInstruction& i, std::string_view dtype) {
  for (const MmaInstruction& row : mma_instructions())
    if (row.family == InstructionFamily::mma && row.m == i.m && row.k == i.k && takes_type(row, dtype)) return &row;
  return nullptr;
}

bool is_floating(const MmaInstruction& row) { return require_dtype(row.types[0]).is_floating; }

// One of A and B from one row. kind::f8f6f4 also takes fp8 on one side, fp6 or fp4 on the other.
bool may_mix(const MmaInstruction& a, const MmaInstruction& b) {
  if (&a == &b) return true;
  return a.m == b.m && a.k == b.k && a.bits == 8 && b.bits == 8 && is_floating(a) && is_floating(b);
}

bool is_narrow(std::string_view dtype) { return require_dtype(dtype).value_bits < 8; }

// What stands between .col and the types. Of block-scaled ones every scale is 1, so that they multiply like others.
std::string kind_of(const MmaSyncInstruction& i) {
  if (find_row(i, i.a_type)->bits == 4 && require_dtype(i.a_type).is_floating)
    return ".kind::mxf4.block_scale.scale_vec::2X";
  const bool is_f8f6f4 = require_dtype(i.a_type).is_floating && (is_narrow(i.a_type) || is_narrow(i.b_type));
  return is_f8f6f4 ? ".kind::f8f6f4" : "";
}

bool is_block_scaled(const MmaSyncInstruction& i) { return kind_of(i).starts_with(".kind::mx"); }

std::string qualifiers(const MmaSyncInstruction& i) {
  std::string out = fmt::format("m{}n{}k{}.{}.{}{}.{}.{}.{}.{}", i.m, columns, i.k, to_string(i.a_order),
                                to_string(i.b_order), kind_of(i), i.d_type, i.a_type, i.b_type, i.c_type);
  if (i.a_type == "b1") out += i.counts_xor ? ".xor.popc" : ".and.popc";
  if (is_block_scaled(i)) out += ".ue8m0";
  return out;
}

std::vector<OperandOrder> orders(const MmaInstruction& row, OperandOrder usual) {
  if (!row.is_quad_pair()) return {usual};
  return {OperandOrder::row, OperandOrder::col};
}

// What is left to choose when the types of A and B are chosen.
void append_variants(const MmaInstruction& row, const MmaSyncInstruction& types,
                     std::vector<MmaSyncInstruction>& out) {
  for (const std::string_view d : row.accumulators)
    for (const std::string_view c : row.accumulators) {
      // Only m8n8k4 adds C of f16 to D of f32.
      const bool is_legal = c == d || (row.is_quad_pair() && d == "f32");
      if (d.empty() || c.empty() || !is_legal) continue;
      for (const OperandOrder a_order : orders(row, OperandOrder::row))
        for (const OperandOrder b_order : orders(row, OperandOrder::col)) {
          MmaSyncInstruction i = types;
          i.d_type = d;
          i.c_type = c;
          i.a_order = a_order;
          i.b_order = b_order;
          out.push_back(i);
          if (row.bits != 1) continue;
          i.counts_xor = true;
          out.push_back(i);
        }
    }
}

int words(const Fragment& f) { return f.registers() * f.register_bits() / 32; }

// Registers of 64 bits are joined from two words before the instruction, and taken apart after it.
std::string join_words(std::string_view name, int count, int first_operand) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += fmt::format("      \"mov.b64 {}{}, {{%{}, %{}}};\\n\"\n", name, i, first_operand + 2 * i,
                       first_operand + 2 * i + 1);
  return out;
}

std::string names(std::string_view name, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += fmt::format("{}{}{}", i == 0 ? "" : ", ", name, i);
  return out;
}

// The text between asm volatile( and the constraints.
std::string assembly(const MmaSyncInstruction& i, int d, int a, int b, int c) {
  const std::string mma = "mma.sync.aligned." + qualifiers(i);
  if (i.a_type != "f64") {
    // Two scales of 32 elements for every row: ue8m0 127 is 1.
    const std::string scales = is_block_scaled(i) ? ", scales, {0, 0}, scales, {0, 0}" : "";
    const std::string call =
        fmt::format("{} {{{}}}, {{{}}}, {{{}}}, {{{}}}{};", mma, placeholders(0, d), placeholders(d, a),
                    placeholders(d + a, b), placeholders(d + a + b, c), scales);
    if (scales.empty()) return fmt::format("\"{}\"\n", call);
    return fmt::format("\"{{ .reg .b32 scales; mov.b32 scales, 0x7f7f7f7f;\\n\"\n      \"{} }}\"\n", call);
  }
  std::string out = fmt::format("\"{{ .reg .f64 d<{}>, a<{}>, b<{}>, c<{}>;\\n\"\n", d / 2, a / 2, b / 2, c / 2);
  out += join_words("a", a / 2, d) + join_words("b", b / 2, d + a) + join_words("c", c / 2, d + a + b);
  out += fmt::format("      \"{} {{{}}}, {{{}}}, {{{}}}, {{{}}};\\n\"\n", mma, names("d", d / 2), names("a", a / 2),
                     names("b", b / 2), names("c", c / 2));
  for (int r = 0; r < d / 2; ++r)
    out +=
        fmt::format("      \"mov.b64 {{%{}, %{}}}, d{};{}\"\n", 2 * r, 2 * r + 1, r, 2 * r + 2 < d ? "\\n" : " }");
  return out;
}

}  // namespace

std::vector<MmaSyncInstruction> mma_sync_instructions() {
  std::vector<MmaSyncInstruction> out;
  for (const MmaInstruction& a_row : mma_instructions())
    for (const MmaInstruction& b_row : mma_instructions()) {
      if (a_row.family != InstructionFamily::mma || b_row.family != InstructionFamily::mma) continue;
      if (!may_mix(a_row, b_row)) continue;
      for (const std::string_view a : a_row.types)
        for (const std::string_view b : b_row.types) {
          if (a.empty() || b.empty()) continue;
          MmaSyncInstruction types{.m = a_row.m, .k = a_row.k};
          types.a_type = a;
          types.b_type = b;
          append_variants(a_row, types, out);
        }
    }
  return out;
}

std::vector<MmaSyncInstruction> mma_sync_instructions_on(const Target& target) {
  std::vector<MmaSyncInstruction> out = mma_sync_instructions();
  std::erase_if(out, [&](const MmaSyncInstruction& i) { return !runs_on(i, target); });
  return out;
}

MmaSyncInstruction mma_sync_instruction(std::string_view name) {
  std::vector<std::string> known;
  for (const MmaSyncInstruction& i : mma_sync_instructions()) {
    known.push_back(to_string(i));
    if (known.back() == name) return i;
  }
  throw Error(fmt::format("there is no mma.sync {}", quoted(name)), did_you_mean(name, known));
}

bool runs_on(const MmaSyncInstruction& i, const Target& target) {
  // Turing has .xor alone.
  constexpr Availability has_and{80, {}};
  if (i.a_type == "b1" && !i.counts_xor && !runs_on(has_and, target)) return false;
  return runs_on(find_row(i, i.a_type)->availability, target) &&
         runs_on(find_row(i, i.b_type)->availability, target);
}

std::string to_string(const MmaSyncInstruction& instruction) { return "mma." + qualifiers(instruction); }

Fragment fragment_of(const MmaSyncInstruction& i, Operand operand) {
  const bool is_b = operand == Operand::b;
  const std::string& dtype = operand == Operand::a   ? i.a_type
                             : operand == Operand::b ? i.b_type
                             : operand == Operand::c ? i.c_type
                                                     : i.d_type;
  return mma_fragment(*find_row(i, is_b ? i.b_type : i.a_type), columns, operand, require_dtype(dtype),
                      {i.a_order, i.b_order});
}

std::string mma_statement(const MmaSyncInstruction& i) {
  const int a = words(fragment_of(i, Operand::a)), b = words(fragment_of(i, Operand::b));
  const int c = words(fragment_of(i, Operand::c)), d = words(fragment_of(i, Operand::d));
  std::string out =
      fmt::format("#define A_WORDS {}\n#define B_WORDS {}\n#define C_WORDS {}\n#define D_WORDS {}\n", a, b, c, d);
  out += fmt::format("__device__ void mma(unsigned (&d)[{}], const unsigned (&a)[{}], const unsigned (&b)[{}],\n",
                     d, a, b);
  out += fmt::format("                    const unsigned (&c)[{}]) {{\n  asm volatile(\n      {}", c,
                     assembly(i, d, a, b, c));
  out += fmt::format("      : {}\n      : {}, {}, {});\n}}\n", operands("=r", "d", d), operands("r", "a", a),
                     operands("r", "b", b), operands("r", "c", c));
  return out;
}

}  // namespace swz
