// SPDX-License-Identifier: Apache-2.0
// Names of CUTLASS atoms, written by CUTLASS's rule from the rows of swz:
//
//   SM80_16x8x16_F32BF16BF16F32_TN     M x N x K, types of D, A, B and C, A and B row (T) or column (N) of BLAS
//   SM90_64x128x16_F32BF16BF16_SS      D, A and B; A in shared memory (SS) or in registers (RS)
//   SM75_U16x8_LDSM_T                  8 values of 16 bits per thread: ldmatrix.x4.trans
//   SM100_TMEM_LOAD_16dp256b4x         tcgen05.ld.16x256b.x4
//   SM120_16x8x64_TN_VS<A, B, C, SF, 16>       block-scaled: 16 elements share a scale factor; sparse: SM120_SPARSE_…
//   SM120_16x8x32_TN<A, B, C>, SM100_MMA_F16BF16_SS<A, B, C, M, N, major of A, major of B>
//
// Source: CUTLASS 4.2 include/cute/arch/{mma,copy}_sm*.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"
#include "fragment/block_scaled.hpp"
#include "fragment/instruction_text.hpp"
#include "fragment/tmem_access.hpp"

namespace swz {

namespace {

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// The name after its prefix: after SM90_ in "SM90_64x8x16_…", after MMA_ in the "MMA_64x8x16_…" of a demangled type.
// Empty if it is not an atom.
std::string_view without_prefix(std::string_view name) {
  const std::size_t line = name.find('_');
  if (line == std::string_view::npos) return {};
  const std::string_view front = name.substr(0, line);
  const bool is_sm = front.size() > 2 && (front.starts_with("SM") || front.starts_with("sm")) && is_digit(front[2]);
  const bool is_mma = front == "MMA" && name.size() > line + 1 && is_digit(name[line + 1]);
  return is_sm || is_mma ? name.substr(line + 1) : std::string_view();
}

// The template arguments: those of the name itself, or those after it in the list of a wrapper.
std::vector<std::string> template_arguments(std::string_view behind) {
  std::vector<std::string> arguments;
  const std::size_t first = behind.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (behind[first] != '<' && behind[first] != ',')) return arguments;
  std::string argument;
  int depth = 0;
  for (const char c : behind.substr(first + 1)) {
    if (c == '<') ++depth;
    if (c == '>' && depth-- == 0) break;
    if (c == ',' && depth == 0) {
      arguments.push_back(std::move(argument));
      argument.clear();
    } else if (c != ' ' && c != '\n' && c != '\t') {
      argument += c;
    }
  }
  arguments.push_back(std::move(argument));
  return arguments;
}

// The number in "128", "_128", "C<128>" or "cute::Int<128>".
std::optional<int> number_in(std::string_view argument) {
  const std::size_t open = argument.find('<');
  if (open != std::string_view::npos && argument.ends_with('>') && !has_part(argument.substr(open), ","))
    argument = argument.substr(open + 1, argument.size() - open - 2);
  if (argument.starts_with('_')) argument.remove_prefix(1);
  int value = 0;
  const auto read = std::from_chars(argument.data(), argument.data() + argument.size(), value);
  if (read.ec != std::errc() || read.ptr != argument.data() + argument.size()) return std::nullopt;
  return value;
}

// The majors in GMMA::Major::K, cute::UMMA::Major::MN, (cute::SM90::GMMA::Major)0, integral_constant<UMMA::Major, 0>.
std::vector<Major> majors_in(const std::vector<std::string>& arguments) {
  std::vector<Major> majors;
  for (const std::string& argument : arguments) {
    if (argument.find("Major") == std::string::npos) continue;
    const std::size_t last = argument.find_last_not_of('>');
    const std::string_view word = std::string_view(argument).substr(0, last + 1);
    if (word.ends_with("::MN") || word.ends_with('1')) majors.push_back(Major::MN);
    else if (word.ends_with("::K") || word.ends_with('0')) majors.push_back(Major::K);
  }
  return majors;
}

void read_majors(InstructionText& said, const std::vector<std::string>& arguments) {
  const std::vector<Major> majors = majors_in(arguments);
  if (majors.size() != 2) return;
  said.a_major = majors[0];
  said.b_major = majors[1];
}

std::string type_word(std::string_view dtype) { return dtype == "b1" ? "U1" : upper_case(dtype); }

// Removes the endings that make no difference to a fragment.
std::string without_endings(std::string name) {
  for (const std::string_view ending : {"_SATURATE", "_XORPOPC", "_ANDPOPC"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  for (const std::string_view place : {"_SS_TN", "_RS_TN"})
    if (name.ends_with(place)) name.resize(name.size() - 3);
  return name;
}

struct CutlassName {
  std::string name;
  InstructionText said;
};

// BLAS orders: T of A and N of B are the orders that every mma.sync has, .row and .col.
struct BlasOrder {
  std::string_view ending, ptx;
};
constexpr std::array<BlasOrder, 4> blas_orders = {
    {{"TN", ".row.col."}, {"NT", ".col.row."}, {"NN", ".col.col."}, {"TT", ".row.row."}}};

std::vector<CutlassName> mma_atoms() {
  std::vector<CutlassName> atoms;
  for (const NamedMma& choice : named_mmas()) {
    const MmaInstruction& row = *choice.row;
    const InstructionText said = text_of(choice, "", "CUTLASS");
    const std::string types = type_word(choice.d) + type_word(choice.a) + type_word(choice.b);
    const std::string shape = fmt::format("{}x{}x{}_{}", row.m, choice.n, row.k, types);
    if (row.family == InstructionFamily::wgmma) {
      atoms.push_back({shape + "_SS", said});
      atoms.back().said.a_place = OperandPlace::shared_memory;
      atoms.push_back({shape + "_RS", said});
      atoms.back().said.a_place = OperandPlace::registers;
      continue;
    }
    for (const BlasOrder& order : blas_orders) {
      if (order.ending != "TN" && !row.is_quad_pair()) continue;
      atoms.push_back({fmt::format("{}{}_{}", shape, type_word(choice.d), order.ending), said});
      std::string& name = atoms.back().said.name;
      name.replace(name.find(".row.col."), 9, order.ptx);
    }
  }
  return atoms;
}

std::string copy_name(const MatrixForm& form) {
  const std::string_view op = form.row->family == InstructionFamily::ldmatrix   ? "LDSM"
                              : form.row->family == InstructionFamily::stmatrix ? "STSM"
                                                                                : "MOVM";
  const int values = form.row->memory_rows * form.row->row_elements * form.number / 32;
  for (const auto& [type, word] : {std::pair{"b4x16_p64", "SU4"}, {"b6x16_p32", "SU6"}})
    if (form.row->type.ends_with(type))
      return fmt::format("{}_DU8x16_x{}_{}_{}", word, form.number, op, form.transposed ? 'T' : 'N');
  if (form.row->bits == 8) return fmt::format("U8x{}_{}_T", values, op);
  if (form.row->family == InstructionFamily::movmatrix) return "U32x1_MOVM_T";
  return form.transposed ? fmt::format("U16x{}_{}_T", values, op) : fmt::format("U32x{}_{}_N", form.number, op);
}

std::vector<CutlassName> copy_atoms() {
  std::vector<CutlassName> atoms;
  for (const MatrixForm& form : matrix_forms()) atoms.push_back({copy_name(form), {"", "CUTLASS", form.name()}});
  for (const TmemForm& form : tmem_forms()) {
    const std::string shape = form.has_split() ? "16dp32b" : [&] {
      std::string text(form.shape->name);
      return text.replace(text.find('x'), 1, "dp");
    }();
    atoms.push_back(
        {fmt::format("TMEM_{}_{}{}x{}", form.stores ? "STORE" : "LOAD", shape, form.number, form.packs ? "_16b" : ""),
         {"", "CUTLASS", form.name()}});
  }
  return atoms;
}

std::vector<std::string> types_in(const std::vector<std::string>& arguments, std::string_view written,
                                  std::string_view example) {
  std::vector<std::string> types;
  for (std::size_t i = 0; i < 3 && i < arguments.size(); ++i)
    if (const DType* type = find_dtype(arguments[i])) types.emplace_back(type->name);
  if (types.size() != 3)
    throw Error(fmt::format("{} is a template: its name holds no types", quoted(written)),
                fmt::format("add its arguments: {}", example));
  return types;
}

// SM120_16x8x32_TN<A, B, C>
InstructionText read_sm120(std::string_view written, std::string_view rest, const std::vector<std::string>& arguments) {
  const std::vector<std::string> types =
      types_in(arguments, written, fmt::format("{}<float_e4m3_t, float_e2m1_t, float>", written));
  for (const NamedMma& choice : named_mmas())
    if (choice.row->family == InstructionFamily::mma && choice.d == types[2] &&
        rest.starts_with(fmt::format("{}x{}x{}_TN", choice.row->m, choice.n, choice.row->k)) &&
        takes_type(*choice.row, types[0])) {
      InstructionText said = text_of(choice, written, "CUTLASS");
      said.a = types[0];
      said.b = types[1];
      said.name =
          fmt::format("{}.row.col.{}.{}.{}.{}", shape_name(*choice.row, choice.n), said.d, said.a, said.b, said.d);
      return said;
    }
  throw Error(fmt::format("{} of {} is not an instruction that swz has", quoted(written), join_and(types)));
}

// SM120_16x8x64_TN_VS<A, B, C, SF, elements of a scale factor>, SM120_SPARSE_16x8x128_TN_VS<…>
InstructionText read_sm120_scaled(std::string_view written, std::string_view rest,
                                  const std::vector<std::string>& arguments) {
  const std::string example = fmt::format("{}<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 16>", written);
  const std::vector<std::string> types = types_in(arguments, written, example);
  const DType* scale = arguments.size() > 4 ? find_dtype(arguments[3]) : nullptr;
  const auto block = arguments.size() > 4 ? number_in(arguments[4]) : std::nullopt;
  if (scale == nullptr || !block)
    throw Error(fmt::format("{} names no type of scale factors and how many elements share one", quoted(written)),
                fmt::format("add its arguments: {}", example));
  for (const NamedBlockScaled& choice : named_block_scaled()) {
    const BlockScaledMma& form = *choice.form;
    const std::string name = fmt::format("{}16x8x{}_TN_VS", form.is_sparse ? "SPARSE_" : "", form.k);
    if (name == rest && form.block() == *block && form.scale_type == scale->name && choice.a == types[0] &&
        choice.b == types[1] && types[2] == "f32")
      return text_of(choice, written, "CUTLASS");
  }
  throw Error(fmt::format("{} of {}, {} and {} is not an instruction that swz has", quoted(written), join_and(types),
                          scale->name, *block));
}

struct UmmaWord {
  std::string_view word;
  MmaKind kind;
};
// A longer word comes before those that it begins with.
constexpr std::array<UmmaWord, 8> umma_words = {{{"F16BF16", MmaKind::f16},
                                                 {"TF32", MmaKind::tf32},
                                                 {"S8", MmaKind::i8},
                                                 {"F8F6F4", MmaKind::f8f6f4},
                                                 {"MXF8F6F4", MmaKind::mxf8f6f4},
                                                 {"MXF4NVF4", MmaKind::mxf4nvf4},
                                                 {"MXF4_ULTRA", MmaKind::mxf4nvf4},
                                                 {"MXF4", MmaKind::mxf4}}};

// SM100_MMA_F16BF16_2x1SM_SS<A, B, C, M, N, major of A, major of B>
std::optional<InstructionText> read_umma(std::string_view written, std::string_view rest,
                                         const std::vector<std::string>& arguments) {
  if (rest.starts_with("MMA_")) rest.remove_prefix(4);
  const auto* const word = std::ranges::find_if(umma_words, [&](const UmmaWord& row) {
    return rest.starts_with(row.word) && rest.substr(row.word.size()).starts_with('_');
  });
  if (word == umma_words.end()) return std::nullopt;
  if (has_part(rest, "SPARSE"))
    throw Error(fmt::format("{} is a sparse MMA", quoted(written)), "swz reads the shapes of dense ones by name");
  const std::vector<std::string> types =
      types_in(arguments, written,
               fmt::format("{}<bfloat16_t, bfloat16_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>", written));
  std::vector<int> numbers;
  for (const std::string& argument : arguments)
    if (const auto number = number_in(argument)) numbers.push_back(*number);
  if (numbers.size() < 2)
    throw Error(fmt::format("{} names no M and N", quoted(written)), "they follow the types: 128, 256");
  InstructionText said{std::string(written), "CUTLASS", ""};
  const bool is_nvf4 = arguments.size() > 3 && find_dtype(arguments[3]) == &require_dtype("ue4m3");
  said.kind = &row_of(word->kind == MmaKind::mxf4 && is_nvf4 ? MmaKind::mxf4nvf4 : word->kind);
  said.d = types[2];
  said.a = types[0];
  said.b = types[1];
  said.shape = MmaExtents{numbers[0], numbers[1], word->word == "MXF4_ULTRA" ? 96 : said.kind->k_dense};
  said.a_place = has_part(rest, "_TS") ? OperandPlace::tensor_memory : OperandPlace::shared_memory;
  said.name = fmt::format("tcgen05.mma kind::{} {}", said.kind->name, to_string(*said.shape));
  read_majors(said, arguments);
  return said;
}

}  // namespace

std::optional<InstructionText> read_cutlass_name(std::string_view name, std::string_view behind) {
  const bool is_sparse = has_part(name, "SPARSE");
  const std::size_t scope = name.rfind("::");
  const std::string_view written = scope == std::string_view::npos ? name : name.substr(scope + 2);
  const std::string_view rest = without_prefix(written);
  if (rest.empty()) return std::nullopt;
  const std::vector<std::string> arguments = template_arguments(behind);
  if (auto umma = read_umma(written, rest, arguments)) return umma;
  if (rest.ends_with("_TN_VS")) return read_sm120_scaled(written, rest, arguments);
  if (is_sparse)
    throw Error(fmt::format("{} is a sparse MMA", quoted(written)), "swz reads the shapes of dense ones by name");
  if (is_digit(rest[0]) && rest.ends_with("_TN") && std::ranges::count(rest, '_') == 1)
    return read_sm120(written, rest, arguments);

  const std::string wanted = without_endings(std::string(rest));
  std::vector<std::string> all;
  for (const auto& atoms : {is_digit(rest[0]) ? mma_atoms() : copy_atoms()})
    for (const CutlassName& atom : atoms) {
      if (atom.name == wanted) {
        InstructionText said = atom.said;
        said.written = written;
        read_majors(said, arguments);
        return said;
      }
      all.push_back(atom.name);
    }
  throw_unlisted(written, wanted, written.substr(0, written.size() - rest.size()), all);
}

}  // namespace swz
