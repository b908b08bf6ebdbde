// SPDX-License-Identifier: Apache-2.0
// Accesses to memory and bulk copies.
#include <algorithm>

#include "base/number.hpp"
#include "base/text.hpp"
#include "sass/sass_rows.hpp"

namespace swz {

namespace {

int words_of(const SassLine& line) { return line.has("128") ? 4 : line.has("64") ? 2 : 1; }

// "u8", "v2.b32": how PTX calls what the modifiers say.
std::string access_type(const SassLine& line) {
  for (const std::string_view type : {"U8", "S8", "U16", "S16"})
    if (line.has(type)) return lower_case(type);
  const int words = words_of(line);
  return words == 1 ? "b32" : fmt::format("v{}.b32", words);
}

}  // namespace

void lift_lds(SassLine& line) {
  line.allow({"U8", "S8", "U16", "S16", "64", "128"});
  const std::string address = line.address(1, 32);
  line.act("ld.shared.{} {}, [{}]", access_type(line), line.registers(0, words_of(line)), address);
}

void lift_sts(SassLine& line) {
  line.allow({"U8", "U16", "64", "128"});
  const std::string address = line.address(0, 32);
  line.act("st.shared.{} [{}], {}", access_type(line), address, line.registers(1, words_of(line)));
}

namespace {

// ".16.M88.4" is m8n8 of 16 bits, four matrices; MT88 is transposed.
struct MatrixForm {
  std::string_view sass, shape, type;
  int words;  // of a register in a lane, for each matrix
};
constexpr MatrixForm matrix_forms[] = {{"16.M88", "m8n8.x{}.shared", "b16", 1},
                                       {"16.MT88", "m8n8.x{}.trans.shared", "b16", 1},
                                       {"8.MT1616", "m16n16.x{}.trans.shared", "b8", 2},
                                       {"8.MT168", "m16n8.x{}.trans.shared", "b8", 1}};

struct MatrixAccess {
  std::string opcode;
  int words = 0;
};
std::optional<MatrixAccess> matrix_access(const SassLine& line) {
  const auto parts = line.modifiers();
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const std::string form = fmt::format("{}.{}", parts[0], parts[1]);
  const auto row = std::ranges::find(matrix_forms, form, &MatrixForm::sass);
  const int count = parts.size() == 2 ? 1 : parts[2] == "2" ? 2 : parts[2] == "4" ? 4 : 0;
  if (row == std::end(matrix_forms) || count == 0) return std::nullopt;
  return MatrixAccess{fmt::format(fmt::runtime(row->shape), count) + "." + std::string(row->type), row->words * count};
}

}  // namespace

void lift_ldsm(SassLine& line) {
  const auto access = matrix_access(line);
  if (!access) return line.fail();
  const std::string address = line.address(1, 32);
  line.act("ldmatrix.sync.aligned.{} {}, [{}]", access->opcode, line.registers(0, access->words), address);
}

void lift_stsm(SassLine& line) {
  const auto access = matrix_access(line);
  if (!access) return line.fail();
  const std::string address = line.address(0, 32);
  line.act("stmatrix.sync.aligned.{} [{}], {}", access->opcode, address, line.registers(1, access->words));
}

// Atomics; a compare-and-swap of a loop is one access of its own.
void lift_atoms(SassLine& line) {
  const std::string address = line.address(1, 32);
  const auto modifiers = line.modifiers();
  if (modifiers.empty()) return line.fail();
  const bool is_read = line.result(0) != "_";
  const int words = line.has("64") ? 2 : 1;
  if (line.has("POPC")) return line.act("red.shared.add.u32 [{}], 1", address);
  std::string type = line.has("S32") ? "s32" : "u32";
  if (words == 2) type = "u64";
  const std::string operation = lower_case(modifiers[0]);
  const bool is_bits = operation == "and" || operation == "or" || operation == "xor" || operation == "exch" ||
                       operation == "cas" || operation == "cast";
  if (is_bits) type[0] = 'b';
  if (operation == "cast" || operation == "cas")
    line.act("atom.shared.cas.{} {}, [{}], 0, 0", type, words == 1 ? line.result(0) : "q15", address);
  else if (is_read)
    line.act("atom.shared.{}.{} {}, [{}], 0", operation, type, words == 1 ? line.result(0) : "q15", address);
  else line.act("red.shared.{}.{} [{}], 2", operation, type, address);
  if (is_read && words == 2) line.act("sass_unknown.atoms {}", line.registers(0, 2));
}

// [shared], [global], perhaps a predicate: where it is false, zeros are written.
void lift_ldgsts(SassLine& line) {
  const int bytes = 4 * words_of(line);
  const std::string shared = line.address(0, 32), global = line.address(1, 64);
  line.act("cp.async.{}.shared.global [{}], [{}], {}", line.has("BYPASS") ? "cg" : "ca", shared, global, bytes);
}

namespace {

std::string_view space_of(const SassLine& line) {
  return line.name() == "LDG" || line.name() == "STG" ? ".global"
         : line.name() == "LD" || line.name() == "ST" ? ""
                                                      : ".local";
}

}  // namespace

namespace {

// Bits of a word: of U8, S8, U16 and S16.
int part_bits(const SassLine& line) {
  return line.has("U8") || line.has("S8") ? 8 : line.has("U16") || line.has("S16") ? 16 : 32;
}

// LDL.U8 R4, [R1+0x31] is bits 8 to 15 of local12.
void lift_local_part(SassLine& line, bool loads, const std::string& local, int bit, int bits) {
  const std::string reg = line.register_after(loads ? 0 : 1, 0);
  if (loads) {
    const bool is_signed = line.has("S8") || line.has("S16");
    line.act("bfe.{}32 {}, {}, {}, {}", is_signed ? 's' : 'u', reg, local, bit, bits);
  } else {
    line.act("bfi.b32 {}, {}, {}, {}, {}", local, reg == "_" ? "0" : reg, local, bit, bits);
  }
}

// LDL R4, [R1+0x30] is local12, where local memory is such words.
void lift_local_words(SassLine& line, bool loads) {
  const auto place = local_place(line.operand(loads ? 1 : 0));
  const int bits = part_bits(line), bit = place ? static_cast<int>(8 * (*place % 4)) : 0;
  if (!place || bit % bits != 0) return line.fail();
  const auto local = [&](int i) { return fmt::format("local{}", *place / 4 + i); };
  if (bits != 32) return lift_local_part(line, loads, local(0), bit, bits);
  for (int i = 0; i < words_of(line); ++i) {
    const std::string reg = line.register_after(loads ? 0 : 1, i);
    if (loads) line.act("mov.b32 {}, {}", reg, local(i));
    else line.act("mov.b32 {}, {}", local(i), reg == "_" ? "0" : reg);
  }
}

}  // namespace

void lift_load(SassLine& line) {
  if (line.name() == "LDL" && line.kernel().has_local_words) return lift_local_words(line, true);
  if (line.has("ENL2") || line.has("256")) return line.fail();
  const std::string address = line.address(1, space_of(line) == ".local" ? 32 : 64);
  const bool is_volatile = line.has("STRONG") || line.has("MMIO");
  line.act("ld{}{}.{} {}, [{}]", is_volatile ? ".volatile" : "", space_of(line), access_type(line),
           line.registers(0, words_of(line)), address);
}

void lift_store(SassLine& line) {
  if (line.name() == "STL" && line.kernel().has_local_words) return lift_local_words(line, false);
  if (line.has("ENL2") || line.has("256")) return line.fail();
  const std::string address = line.address(0, space_of(line) == ".local" ? 32 : 64);
  line.act("st{}.{} [{}], {}", space_of(line), access_type(line), address, line.registers(1, words_of(line)));
}

}  // namespace swz
