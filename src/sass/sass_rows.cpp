// SPDX-License-Identifier: Apache-2.0
#include "sass/sass_rows.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace swz {

namespace {

constexpr bool pure = true;
constexpr SassRow rows[] = {
    {"ACQBULK", 0},
    {"ARRIVES", 0},
    {"ATOM", 4},
    {"ATOMG", 4},
    {"ATOMS", 2, lift_atoms},
    {"B2R", 1, lift_b2r},
    {"BAR", 0, lift_barrier},
    {"BMMA", 4},
    {"BMOV", 1},
    {"BMSK", 1, lift_bmsk, pure},
    {"BREAK", 0},
    {"BREV", 1, lift_brev, pure},
    {"BSSY", 0},
    {"BSYNC", 0},
    {"CCTL", 0},
    {"CCTLL", 0},
    {"CGAERRBAR", 0},
    {"CREDUX", 1},
    {"CS2R", 2, lift_cs2r},
    {"CS2UR", 2},
    {"DADD", 2, nullptr, pure},
    {"DEPBAR", 0},
    {"DFMA", 2, nullptr, pure},
    {"DMMA", 8},
    {"DMUL", 2, nullptr, pure},
    {"DSETP", 0, nullptr, pure},
    {"ELECT", 1, lift_elect},
    {"ENDCOLLECTIVE", 0},
    {"ERRBAR", 0},
    {"F2F", 2, nullptr, pure},
    {"F2FP", 1, nullptr, pure},
    {"F2I", 2, nullptr, pure},
    {"F2IP", 1, nullptr, pure},
    {"FADD", 1, nullptr, pure},
    {"FADD2", 2, nullptr, pure},
    {"FCHK", 0, nullptr, pure},
    {"FENCE", 0},
    {"FFMA", 1, nullptr, pure},
    {"FFMA2", 2, nullptr, pure},
    {"FHADD", 1, nullptr, pure},
    {"FHFMA", 1, nullptr, pure},
    {"FLO", 1, nullptr, pure},
    {"FMNMX", 1, nullptr, pure},
    {"FMNMX3", 1, nullptr, pure},
    {"FMUL", 1, nullptr, pure},
    {"FMUL2", 2, nullptr, pure},
    {"FRND", 2, nullptr, pure},
    {"FSEL", 1, nullptr, pure},
    {"FSET", 1, nullptr, pure},
    {"FSETP", 0, nullptr, pure},
    {"FSWZADD", 1},
    {"HADD2", 1, nullptr, pure},
    {"HFMA2", 1, lift_half_constant, pure},
    {"HGMMA", 128, lift_wgmma},
    {"HMMA", 4, lift_mma},
    {"HMNMX2", 1, nullptr, pure},
    {"HMUL2", 1, nullptr, pure},
    {"HSET2", 1, nullptr, pure},
    {"HSETP2", 0, nullptr, pure},
    {"I2F", 2, nullptr, pure},
    {"I2FP", 1, nullptr, pure},
    {"I2I", 1, nullptr, pure},
    {"I2IP", 1, nullptr, pure},
    {"IABS", 1, lift_iabs, pure},
    {"IADD", 1, lift_iadd, pure},
    {"IADD3", 1, lift_iadd3, pure},
    {"IDP", 1, nullptr, pure},
    {"IGMMA", 128, lift_wgmma},
    {"IMAD", 1, lift_imad, pure},
    {"IMMA", 4, lift_mma},
    {"IMNMX", 1, lift_vimnmx, pure},
    {"ISETP", 0, lift_isetp, pure},
    {"LD", 1, lift_load},
    {"LDC", 1, lift_ldc, pure},
    {"LDCU", 1, lift_ldc, pure},
    {"LDG", 1, lift_load},
    {"LDGDEPBAR", 0},
    {"LDGMC", 4},
    {"LDGSTS", 0, lift_ldgsts},
    {"LDL", 1, lift_load},
    {"LDS", 1, lift_lds},
    {"LDSM", 4, lift_ldsm},
    {"LDTM", 128, lift_tcgen05_access},
    {"LEA", 1, lift_lea, pure},
    {"LEPC", 2, nullptr, pure},
    {"LOP3", 1, lift_lop3, pure},
    {"MATCH", 1},
    {"MEMBAR", 0},
    {"MOV", 1, lift_mov, pure},
    {"MOVM", 1},
    {"MUFU", 1, nullptr, pure},
    {"NANOSLEEP", 0},
    {"NOP", 0},
    {"OMMA", 4},
    {"P2R", 1, lift_p2r},
    {"PLOP3", 0, lift_plop3},
    {"PMTRIG", 0},
    {"POPC", 1, lift_popc, pure},
    {"PREEXIT", 0},
    {"PRMT", 1, lift_prmt, pure},
    {"QGMMA", 128, lift_wgmma},
    {"QMMA", 4, lift_mma},
    {"QSPC", 1},
    {"R2P", 0, lift_r2p},
    {"R2UR", 1, lift_r2ur},
    {"RED", 0},
    {"REDAS", 0, lift_redas},
    {"REDG", 0},
    {"REDUX", 1, lift_redux},
    {"RPCMOV", 1, lift_rpcmov},
    {"S2R", 1, lift_s2r},
    {"S2UR", 1, lift_s2r},
    {"SEL", 1, lift_sel, pure},
    {"SGXT", 1, lift_sgxt, pure},
    {"SHF", 1, lift_shf, pure},
    {"SHFL", 1, lift_shfl},
    {"ST", 0, lift_store},
    {"STAS", 0, lift_stas},
    {"STG", 0, lift_store},
    {"STL", 0, lift_store},
    {"STS", 0, lift_sts},
    {"STSM", 0, lift_stsm},
    {"STTM", 0, lift_tcgen05_access},
    {"SULD", 4},
    {"SUST", 0},
    {"SYNCS", 2, lift_syncs},
    {"TEX", 4},
    {"TLD", 4},
    {"TLD4", 4},
    {"UBLKCP", 0, lift_ublkcp},
    {"UBLKPF", 0, lift_ublkpf},
    {"UBLKRED", 0, lift_ublkred},
    {"UCGABAR_ARV", 0},
    {"UCGABAR_WAIT", 0},
    {"UGETNEXTWORKID", 0, lift_ugetnextworkid},
    {"ULDC", 1, lift_ldc, pure},
    {"UP2UR", 1, lift_p2r},
    {"USETMAXREG", 0},
    {"USETSHMSZ", 0},
    {"UTCATOMSWS", 1},
    {"UTCBAR", 0, lift_utcbar},
    {"UTCCP", 0, lift_tcgen05_copy},
    {"UTCHMMA", 0, lift_tcgen05_mma},
    {"UTCIMMA", 0, lift_tcgen05_mma},
    {"UTCOMMA", 0, lift_tcgen05_mma},
    {"UTCQMMA", 0, lift_tcgen05_mma},
    {"UTCSHIFT", 0},
    {"UTMACCTL", 0},
    {"UTMACMDFLUSH", 0},
    {"UTMALDG", 0, lift_utmaldg},
    {"UTMAPF", 0, lift_utmapf},
    {"UTMAREDG", 0, lift_utmastg},
    {"UTMASTG", 0, lift_utmastg},
    {"UVIRTCOUNT", 0},
    {"VABSDIFF", 1, nullptr, pure},
    {"VABSDIFF4", 1, nullptr, pure},
    {"VHMNMX", 1, nullptr, pure},
    {"VIADD", 1, lift_iadd, pure},
    {"VIADDMNMX", 1, lift_viaddmnmx, pure},
    {"VIMNMX", 1, lift_vimnmx, pure},
    {"VIMNMX3", 1, nullptr, pure},
    {"VOTE", 1, lift_vote},
    {"VOTEU", 1, lift_vote},
    {"WARPGROUP", 0},
    {"WARPSYNC", 0},
    {"YIELD", 0},
};
static_assert(std::ranges::is_sorted(rows, {}, &SassRow::name));

// A conversion names the type of its result: the first of F2F.F64.F32 and F2I.S64.F64, F64 of I2F.F64.S64.
std::optional<int> conversion_result(const SassLine& line) {
  const std::string_view name = line.name();
  if (name == "I2F" || name == "FRND") return line.has("F64") ? 2 : 1;
  if (name == "F2I") return line.has("S64") || line.has("U64") ? 2 : 1;
  if (name != "F2F") return std::nullopt;
  const auto is_float = [](std::string_view part) {
    return part.size() > 2 && part[0] == 'F' && std::isdigit(static_cast<unsigned char>(part[1])) != 0;
  };
  const auto first = std::ranges::find_if(line.modifiers(), is_float);
  return first != line.modifiers().end() && *first == "F64" ? 2 : 1;
}

const SassRow* find_name(std::string_view name) {
  const auto row = std::ranges::lower_bound(rows, name, {}, &SassRow::name);
  return row != std::end(rows) && row->name == name ? row : nullptr;
}

}  // namespace

const SassRow* find_sass_row(std::string_view opcode) {
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  if (const SassRow* row = find_name(name)) return row;
  // UIADD3 is IADD3 of uniform registers.
  return name.size() > 2 && name[0] == 'U' ? find_name(name.substr(1)) : nullptr;
}

bool is_of_registers(const SassRow& row) {
  constexpr std::string_view others[] = {"BMOV", "BREAK", "BSSY", "BSYNC", "CS2R", "NOP",  "P2R",      "PLOP3",
                                         "R2P",  "R2UR",  "S2R",  "S2UR",  "SHFL", "VOTE", "WARPSYNC", "YIELD"};
  return row.is_pure || std::ranges::find(others, row.name) != std::end(others);
}

int written_registers(const SassRow& row, const SassLine& line) {
  int count = row.registers;
  if (count == 0) return 0;
  if (const auto result = conversion_result(line)) return *result;
  const bool is_pair = (row.name == "IMNMX" || row.name == "VIMNMX") && (line.has("S64") || line.has("U64"));
  if (is_pair || line.has("WIDE") || line.has("64") || line.has("F64")) count = std::max(count, 2);
  if (line.has("128")) count = std::max(count, 4);
  if (line.has("256") || line.has("ENL2")) count = std::max(count, 8);
  return count;
}

std::vector<std::string> written_by(const SassRow& row, const SassLine& line) {
  constexpr std::string_view with_results_first[] = {"R2UR", "VOTE", "VOTEU"};
  const int count = written_registers(row, line);
  const bool is_first = row.is_pure || std::ranges::find(with_results_first, row.name) != std::end(with_results_first);
  return is_first ? line.results(count) : line.written(count);
}

}  // namespace swz
