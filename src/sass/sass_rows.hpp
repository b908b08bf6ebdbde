// SPDX-License-Identifier: Apache-2.0
// The opcodes of SASS that swz knows: what each does as PTX, or at least which registers it writes.
//
//   LEA     added_shifted    R7 = (R6 << 2) + UR4
//   FADD    no function      one register, a function of the operands that is not known
//   LDG     lift_load        one register, of which nothing is known if lift_load does not take it
//
// An opcode without a row may write any register of the kernel.
//
// Used only inside src/sass. Source: pairs of PTX and SASS; nvdisasm 13.5.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sass/sass_line.hpp"

namespace swz {

struct SassRow {
  std::string_view name;  // "LEA"; that of a uniform instruction without its U, if it does the same
  int registers = 1;      // that it writes from its first register on, where nothing else is known; 0: none
  void (*lift)(SassLine&) = nullptr;
  // Its results are a function of the operands in its text: from equal ones all lanes get the same. What `lift` does not
  // take is then still known to be that.
  bool is_pure = false;
};

// It reads and writes nothing but registers.
bool is_of_registers(const SassRow& row);

// Null: swz does not know the opcode. opcode: "ULEA.HI.X.SX32".
const SassRow* find_sass_row(std::string_view opcode);

// How many registers it writes, where its modifiers say more than its row: 4 of LDG.E.128.
int written_registers(const SassRow& row, const SassLine& line);

// The registers and predicates that it may write.
std::vector<std::string> written_by(const SassRow& row, const SassLine& line);

// ---- arithmetic (lift_integer.cpp, lift_bits.cpp)

void lift_mov(SassLine& line);
void lift_half_constant(SassLine& line);
void lift_imad(SassLine& line);
void lift_iadd3(SassLine& line);
void lift_iadd(SassLine& line);
void lift_add_pairs(SassLine& line);
void lift_move_pair(SassLine& line);
void lift_lea(SassLine& line);
void lift_isetp(SassLine& line);
void lift_sel(SassLine& line);
void lift_vimnmx(SassLine& line);
void lift_viaddmnmx(SassLine& line);
void lift_iabs(SassLine& line);
void lift_shf(SassLine& line);
void lift_lop3(SassLine& line);
void lift_plop3(SassLine& line);
void lift_sgxt(SassLine& line);
void lift_bmsk(SassLine& line);
void lift_prmt(SassLine& line);
void lift_popc(SassLine& line);
void lift_brev(SassLine& line);
void lift_r2p(SassLine& line);
void lift_p2r(SassLine& line);
void lift_rpcmov(SassLine& line);

// ---- what a warp has in common, special registers, constants (lift_warp.cpp)

void lift_s2r(SassLine& line);
void lift_cs2r(SassLine& line);
void lift_ldc(SassLine& line);
void lift_r2ur(SassLine& line);
void lift_shfl(SassLine& line);
void lift_vote(SassLine& line);
void lift_elect(SassLine& line);
void lift_redux(SassLine& line);
void lift_barrier(SassLine& line);
void lift_b2r(SassLine& line);

// ---- memory (lift_memory.cpp) and matrices (lift_matrix.cpp)

void lift_lds(SassLine& line);
void lift_sts(SassLine& line);
void lift_ldsm(SassLine& line);
void lift_stsm(SassLine& line);
void lift_atoms(SassLine& line);
void lift_ldgsts(SassLine& line);
void lift_load(SassLine& line);
void lift_store(SassLine& line);
void lift_wgmma(SassLine& line);
void lift_mma(SassLine& line);
void lift_tcgen05_mma(SassLine& line);
void lift_tcgen05_copy(SassLine& line);
void lift_tcgen05_access(SassLine& line);

// ---- bulk copies, barriers and other CTAs (lift_copies.cpp)

void lift_utmaldg(SassLine& line);
void lift_utmastg(SassLine& line);
void lift_utmapf(SassLine& line);
void lift_ublkcp(SassLine& line);
void lift_ublkred(SassLine& line);
void lift_ublkpf(SassLine& line);
void lift_syncs(SassLine& line);
void lift_utcbar(SassLine& line);
void lift_ugetnextworkid(SassLine& line);
void lift_stas(SassLine& line);
void lift_redas(SassLine& line);

}  // namespace swz
