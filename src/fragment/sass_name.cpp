// SPDX-License-Identifier: Apache-2.0
// Names in SASS, written by its rule from the rows of swz:
//
//   HMMA.16816.F32.BF16             m16n8k16, D and the type of A and B; without one it is f16
//   IMMA.16832.S8.U8                A and B; D is s32
//   QMMA.16832.F32.E4M3.E5M2        D, A and B
//   OMMA.SF.16864.F32.E2M1.E2M1.UE4M3.4X   block-scaled: the type of the scale factors, and 4X; sparse: .SF.SP
//   HGMMA.64x128x16.F32.BF16        wgmma, the shape with x
//   LDSM.16.MT88.4                  ldmatrix.x4.trans
//   LDTM.16dp256bit.x4              tcgen05.ld.16x256b.x4; without a shape it is 32x32b
//   UTCHMMA                         tcgen05.mma kind::f16 or kind::tf32: has no shape in its name and is refused
//
// The compiler does not always keep the operation of the PTX: on sm_90a mma.sync of fp8 becomes HMMA of f16, and that
// of s4 becomes IMMA of s8. The fragment is that of the instruction in the text.
// Source: ptxas 13.0.88 for sm_75 to sm_120a, read with nvdisasm 13.5.37.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/block_scaled.hpp"
#include "fragment/instruction_text.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {

namespace {

struct SassOp {
  std::string_view op;
  InstructionFamily family;
  std::array<std::string_view, 5> types;  // of A
  int bits;                               // of an element in its register
};

using enum InstructionFamily;
// IMMA has 8 and 4 bits, HMMA 16 and 32; 0 means any.
constexpr std::array<SassOp, 10> mma_ops = {{{"HMMA", mma, {"f16", "bf16", "tf32"}, 0},
                                             {"IMMA", mma, {"s8", "u8", "s4", "u4"}, 0},
                                             {"BMMA", mma, {"b1"}, 0},
                                             {"DMMA", mma, {"f64"}, 0},
                                             {"QMMA", mma, {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1"}, 8},
                                             {"OMMA", mma, {"e2m1"}, 4},
                                             {"HGMMA", wgmma, {"f16", "bf16", "tf32"}, 0},
                                             {"QGMMA", wgmma, {"e4m3", "e5m2"}, 8},
                                             {"IGMMA", wgmma, {"s8", "u8"}, 0},
                                             {"BGMMA", wgmma, {"b1"}, 0}}};

struct SassName {
  std::string name;
  InstructionText said;
};

std::string in_capitals(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

bool is_of(const SassOp& op, const NamedMma& choice) {
  return choice.row->family == op.family && std::ranges::find(op.types, choice.a) != op.types.end() &&
         (op.bits == 0 || op.bits == choice.row->bits);
}

std::string types_text(std::string_view op, const NamedMma& choice) {
  const std::string d = in_capitals(choice.d), a = in_capitals(choice.a), b = in_capitals(choice.b);
  switch (op[0]) {
    case 'H': return choice.a == "f16" ? "." + d : fmt::format(".{}.{}", d, a);
    case 'I': return fmt::format(".{}.{}", a, b);
    case 'Q':
    case 'O': return fmt::format(".{}.{}.{}", d, a, b);
    default: return "";
  }
}

std::vector<SassName> mma_names(const SassOp& op) {
  std::vector<SassName> names;
  for (const NamedMma& choice : named_mmas()) {
    if (!is_of(op, choice)) continue;
    const MmaInstruction& row = *choice.row;
    const InstructionText said = text_of(choice, "", "SASS");
    const std::string types = types_text(op.op, choice);
    // Of mma.sync, only DMMA of sm_90 has the x.
    const bool has_x = op.family == wgmma || op.op == "DMMA";
    if (op.family == mma) names.push_back({fmt::format("{}.{}{}{}{}", op.op, row.m, choice.n, row.k, types), said});
    if (has_x) names.push_back({fmt::format("{}.{}x{}x{}{}", op.op, row.m, choice.n, row.k, types), said});
  }
  return names;
}

// Of both fp4 kinds with 2X the first, as their SASS is the same.
std::vector<SassName> block_scaled_names(const SassOp& op) {
  std::vector<SassName> names;
  for (const NamedBlockScaled& choice : named_block_scaled()) {
    const BlockScaledMma& form = *choice.form;
    if (form.bits != op.bits) continue;
    const std::string type = form.scale_type == "ue8m0" ? "E8" : in_capitals(form.scale_type);
    names.push_back({fmt::format("{}.SF{}.168{}.F32.{}.{}.{}{}", op.op, form.is_sparse ? ".SP" : "", form.k,
                                 in_capitals(choice.a), in_capitals(choice.b), type, form.scale_vec == 4 ? ".4X" : ""),
                     text_of(choice, "", "SASS")});
  }
  return names;
}

// "LDSM.U4x16P64TO8.M816.4"
std::string matrix_sass(const MatrixForm& form) {
  const std::string_view op = form.row->family == ldmatrix ? "LDSM" : form.row->family == stmatrix ? "STSM" : "MOVM";
  const std::string_view type = form.row->type == "b16"           ? "16"
                                : form.row->type == "b8"          ? "8"
                                : form.row->type.ends_with("p64") ? "U4x16P64TO8"
                                                                  : "U6x16P32TO8";
  std::string shape(form.row->shape);
  std::erase_if(shape, [](char c) { return !is_digit(c); });
  return fmt::format("{}.{}.M{}{}{}", op, type, form.transposed ? "T" : "", shape,
                     form.number > 1 ? fmt::format(".{}", form.number) : "");
}

std::vector<SassName> matrix_names() {
  std::vector<SassName> names;
  for (const MatrixForm& form : matrix_forms()) names.push_back({matrix_sass(form), {"", "SASS", form.name()}});
  return names;
}

std::vector<SassName> tmem_names() {
  std::vector<SassName> names;
  for (const TmemForm& form : tmem_forms()) {
    if (form.has_split()) continue;  // it becomes two instructions
    std::string shape(form.shape->name);
    shape.replace(shape.find('x'), 1, "dp");
    const std::string shown = shape == "32dp32b" ? "" : fmt::format(".{}it", shape);
    names.push_back({fmt::format("{}{}{}{}", form.stores ? "STTM" : "LDTM", shown,
                                 form.number > 1 ? fmt::format(".x{}", form.number) : "",
                                 form.packs ? (form.stores ? ".EXPAND16BIT" : ".PACK16BIT") : ""),
                     {"", "SASS", form.name()}});
  }
  return names;
}

[[noreturn]] void refuse_umma(std::string_view written, std::string_view kinds) {
  throw Error(fmt::format("{} is tcgen05.mma of {}: it names neither kind nor shape", quoted(written), kinds),
              "M and N are in its instruction descriptor: swz decode --as idesc --kind f16 WORD reads them; as shape "
              "of an MMA give m128n256k16");
}

InstructionText listed(std::string_view written, std::string_view wanted, const std::vector<SassName>& names) {
  std::vector<std::string> all;
  for (const SassName& name : names) {
    if (in_capitals(name.name) == in_capitals(wanted)) {
      InstructionText said = name.said;
      said.written = written;
      return said;
    }
    all.push_back(name.name);
  }
  throw_unlisted(written, wanted, "", all);
}

}  // namespace

std::optional<InstructionText> read_sass_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> silent = {"SAT", "XOR", "AND", "POPC", "1X", "2X"};
  std::vector<std::string> parts = split(in_capitals(name), '.');
  const std::string op = parts[0];
  for (const auto& [umma, kinds] : {std::pair{"UTCHMMA", "kind::f16 or kind::tf32"},
                                    {"UTCQMMA", "kind::f8f6f4 or kind::mxf8f6f4"},
                                    {"UTCIMMA", "kind::i8"},
                                    {"UTCOMMA", "kind::mxf4 or kind::mxf4nvf4"}})
    if (op == umma) refuse_umma(name, kinds);
  if (op == "LDSM" || op == "STSM" || op == "MOVM") return listed(name, name, matrix_names());
  if (op == "LDTM" || op == "STTM") {
    if (has_part(name, "16dp32bit_t"))
      throw Error(
          fmt::format("{} is one of the two halves of tcgen05.{}.16x32bx2", quoted(name), op == "LDTM" ? "ld" : "st"),
          "swz frag tcgen05.ld.16x32bx2.x2 --split-offset COLUMNS shows both");
    return listed(name, name, tmem_names());
  }
  const auto* const row = std::ranges::find(mma_ops, op, &SassOp::op);
  if (row == mma_ops.end()) return std::nullopt;
  if (parts.size() > 1 && parts[1] == "884" && op == "HMMA")
    throw Error(fmt::format("{} is one step of mma.m8n8k4 of Volta", quoted(name)),
                "the whole instruction: swz frag mma.m8n8k4 --dtype f16");
  if (parts.size() > 1 && parts[1] == "SP")
    throw Error(fmt::format("{} is a sparse MMA", quoted(name)), "swz reads the shapes of dense ones by name");
  const bool is_scaled = row->bits != 0 && parts.size() > 1 && parts[1] == "SF";
  std::erase_if(parts, [&](const std::string& part) { return std::ranges::find(silent, part) != silent.end(); });
  // In capitals the x of a shape is an X.
  std::string wanted = fmt::to_string(fmt::join(parts, "."));
  for (std::size_t i = 1; i + 1 < wanted.size(); ++i)
    if (wanted[i] == 'X' && is_digit(wanted[i - 1]) && is_digit(wanted[i + 1])) wanted[i] = 'x';
  return listed(name, wanted, is_scaled ? block_scaled_names(*row) : mma_names(*row));
}

}  // namespace swz
