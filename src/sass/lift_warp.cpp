// SPDX-License-Identifier: Apache-2.0
// What a thread and its warp know of themselves: special registers, constants, votes, shuffles.
#include <fmt/ranges.h>

#include <algorithm>

#include "base/number.hpp"
#include "sass/sass_rows.hpp"

namespace swz {

namespace {

struct SpecialRegister {
  std::string_view sass, ptx;
};
constexpr SpecialRegister special_registers[] = {{"SR_TID.X", "%tid.x"},
                                                 {"SR_TID.Y", "%tid.y"},
                                                 {"SR_TID.Z", "%tid.z"},
                                                 {"SR_CTAID.X", "%ctaid.x"},
                                                 {"SR_CTAID.Y", "%ctaid.y"},
                                                 {"SR_CTAID.Z", "%ctaid.z"},
                                                 {"SR_LANEID", "%laneid"},
                                                 {"SR_EQMASK", "%lanemask_eq"},
                                                 {"SR_LTMASK", "%lanemask_lt"},
                                                 {"SR_LEMASK", "%lanemask_le"},
                                                 {"SR_GTMASK", "%lanemask_gt"},
                                                 {"SR_GEMASK", "%lanemask_ge"},
                                                 {"SR_CgaCtaId", "%cluster_ctarank"}};

// A warp has one value of these.
constexpr std::string_view uniform_registers[] = {"SR_CgaSize", "SR_GpcLocalCgaId", "SR_SWINHI", "SR_SMEMSZ",
                                                  "SR_VIRTID",  "SR_NTID",          "SR_TMemSz", "SR_WARPGROUPID"};

bool lift_uniform_register(SassLine& line) {
  if (std::ranges::find(uniform_registers, line.operand(1)) == std::end(uniform_registers)) return false;
  line.act("sass_uniform.s2r {{{}}}", line.result(0));
  return true;
}

}  // namespace

void lift_s2r(SassLine& line) {
  line.allow({});
  const auto row = std::ranges::find(special_registers, line.operand(1), &SpecialRegister::sass);
  if (row == std::end(special_registers)) {
    if (!lift_uniform_register(line)) line.fail();
    return;
  }
  line.act("mov.u32 {}, {}", line.result(0), row->ptx);
}

// CS2R R2, SRZ: two registers are 0.
void lift_cs2r(SassLine& line) {
  line.allow({"32"});
  if (line.has("32") && lift_uniform_register(line)) return;
  if (line.operand(1) != "SRZ") return line.fail();
  if (line.has("32")) line.act("mov.b32 {}, 0", line.result(0));
  else line.act("mov.b64 {}, 0", line.result_pair(0));
}

// A constant whose place is a number. One whose place a register gives is not followed.
void lift_ldc(SassLine& line) {
  line.allow({"64", "128"});
  const int count = line.has("128") ? 4 : line.has("64") ? 2 : 1;
  std::string_view place = line.operand(1);
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) words.push_back(line.constant(place, i));
  for (int i = 0; i < count; ++i)
    line.act("mov.b32 {}, {}", line.register_after(0, i), words[static_cast<std::size_t>(i)]);
}

// ptxas writes it where all lanes that execute it have the same value. Under the predicate of a lane another lane may
// give the value.
void lift_r2ur(SassLine& line) {
  line.allow({"FILL", "BROADCAST"});
  if (line.count() != 2 || line.guard().find("P") != std::string::npos) return line.fail();
  line.act("mov.b32 {}, {}", line.result(0), line.source(1));
}

void lift_shfl(SassLine& line) {
  line.allow({"IDX"});
  const std::string value = line.source(2), lane = line.source(3), bounds = line.source(4);
  const std::string to = line.result_predicate(0);
  line.act("shfl.sync.idx.b32 {}, {}, {}, {}, 0xffffffff", line.result(1), value, lane, bounds);
  if (to != "_") line.act("sass_unknown.shfl {{{}}}", to);
}

// VOTE.ANY R7, PT, P0: a mask and whether any lane has the predicate. VOTE.ANY P0, P1: only the second.
void lift_vote(SassLine& line) {
  line.allow({"ANY", "ALL"});
  const bool has_mask = !SassLine::is_predicate(line.operand(0));
  const std::size_t p = has_mask ? 1 : 0;
  const std::string asked = line.predicate(p + 1), to = line.result_predicate(p);
  const std::string holds = line.new_predicate(), mask = line.new_word();
  line.compute("vote.sync.{}.pred {}, {}, 0xffffffff", line.has("ANY") ? "any" : "all", holds, asked);
  line.compute("vote.sync.ballot.b32 {}, {}, 0xffffffff", mask, asked);
  if (has_mask) line.act("mov.b32 {}, {}", line.result(0), mask);
  if (to != "_") line.act("mov.pred {}, {}", to, holds);
}

void lift_elect(SassLine& line) {
  line.allow({});
  const std::string to = line.result_predicate(0);
  if (line.count() != 3 || !line.is_zero(1) || to == "_" || line.operand(2) != "PT") return line.fail();
  line.act("elect.sync _|{}, 0xffffffff", to);
}

void lift_redux(SassLine& line) {
  if (line.count() != 2) return line.fail();
  line.act("redux.sync.add.u32 {}, {}, 0xffffffff", line.result(0), line.source(1));
}

void lift_barrier(SassLine& line) {
  if (line.has("RED") || line.has("POPC")) return line.fail();
  line.act("bar.sync 0");
}

// B2R.RESULT RZ, P0: what BAR.RED found, the same in every thread of the barrier.
void lift_b2r(SassLine& line) {
  if (!line.has("RESULT")) return line.fail();
  const std::vector<std::string> names = line.written(1);
  if (!names.empty()) line.act("sass_uniform.b2r {{{}}}", fmt::join(names, ", "));
}

}  // namespace swz
