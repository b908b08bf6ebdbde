// SPDX-License-Identifier: Apache-2.0
// Bulk copies, barriers that count bytes, and what else reaches the shared memory of another CTA.
//
//   UTMALDG.2D.GATHER4.MULTICAST [UR8], [UR6], UR4     UR8 shared address, UR9 barrier, UR10 column, UR11-UR14 rows;
//                                                      UR6 map; UR4 bits 31-16 mask
//   UTMALDG.3D.W [UR8], [UR16], UR4                    UR4 bits 10-0 halo, bits 15-11 offset along W
//   UBLKCP.S.G [UR4], [UR8], UR6                       UR6 bits 15-0 bytes / 16; bits 31-16 mask of .MULTICAST, or of
//                                                      bytes of .DST_G_BYTE_MASK
//   UTMALDG.2D.MULTICAST32 [UR4], [UR10], UR12         UR12 mask; of im2col and UBLKCP it is in the next register
//
// An instruction that brings bytes to a barrier and is not understood becomes sass_copy: then nothing is said of what
// barriers expect. Machine code does not distinguish shared::cta from shared::cluster; here it is the latter.
//
// Source: ptxas and nvdisasm 13.5.37, every form of tests/data/ptxas_tma.txt (tests/sass/copies.py).
#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.hpp"
#include "sass/sass_rows.hpp"

namespace swz {

namespace {

constexpr std::string_view to_barrier = "mbarrier::complete_tx::bytes";
constexpr std::string_view operations[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"};

void be_any_copy(SassLine& line) {
  line.start_again();
  line.act("sass_copy.{}", to_barrier);
}
void be_any_copy_if_it_fails(SassLine& line) {
  if (line.fails()) be_any_copy(line);
}

// The register of brackets: "UR4" of [UR4] and of desc[UR4].
std::string_view bracketed(std::string_view operand) {
  const std::size_t open = operand.find('[');
  if (open == operand.npos || !operand.ends_with(']')) return operand;
  return operand.substr(open + 1, operand.size() - open - 2);
}

// "2D": 2
int rank_of(const SassLine& line) {
  for (const std::string_view part : line.modifiers())
    if (part.size() == 2 && part[1] == 'D' && part[0] >= '1' && part[0] <= '5') return part[0] - '0';
  return 0;
}

bool gathers(const SassLine& line) { return line.has("GATHER4") || line.has("SCATTER4"); }

std::string coordinates(SassLine& line, std::string_view registers, int first) {
  std::string text;
  for (int i = 0; i < (gathers(line) ? 5 : rank_of(line)); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", line.register_after(registers, first + i));
  return text;
}

std::string bits_of(SassLine& line, const std::string& word, int first, int count) {
  return line.word("bfe.u32 {}, {}, {}", word, first, count);
}

std::string mode_of_load(const SassLine& line) {
  if (line.has("IM2COL")) return "im2col";
  if (line.has("W128")) return "im2col::w::128";
  if (line.has("W")) return "im2col::w";
  return line.has("GATHER4") ? "tile::gather4" : "tile";
}

std::string mode_of_store(const SassLine& line) {
  if (line.has("IM2COL")) return "im2col_no_offs";
  if (line.has("W")) return "im2col_no_offs::w";
  return line.has("SCATTER4") ? "tile::scatter4" : "tile";
}

// ", {offsets}" of an im2col load, from the low half of a word.
std::string offsets_of(SassLine& line, const std::string& word) {
  if (line.has("W") || line.has("W128"))
    return fmt::format(", {{{}, {}}}", bits_of(line, word, 0, 11), bits_of(line, word, 11, 5));
  if (!line.has("IM2COL")) return "";
  const int count = rank_of(line) - 2, bits = count == 1 ? 16 : count == 2 ? 8 : 5;
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + bits_of(line, word, bits * i, bits);
  return fmt::format(", {{{}}}", text);
}

// The mask: the high half of the word that has offsets or bytes in its low half. Of 32 bits it is the next register, or
// the word itself if there is nothing else.
struct Multicast {
  std::string modifier, operand;
};
Multicast multicast_of(SassLine& line, std::size_t place, bool has_low_half) {
  if (line.has("MULTICAST32"))
    return {".multicast::cluster::32b", ", " + line.register_after(line.operand(place), has_low_half ? 1 : 0)};
  if (!line.has("MULTICAST")) return {};
  return {".multicast::cluster", ", " + bits_of(line, line.source(place), 16, 16)};
}

// The pair of a cache policy, which is the last operand.
struct CachePolicy {
  std::string modifier, operand;
};
CachePolicy policy_of(SassLine& line) {
  const std::string_view last = line.operand(line.count() - 1);
  if (!last.starts_with("desc[")) return {};
  return {".L2::cache_hint", ", " + line.pair_at(bracketed(last), 0)};
}

bool has_word(const SassLine& line, std::size_t place) {
  return line.count() > place && !line.operand(place).starts_with("desc[");
}

// "add" and "add.bf16": ptxas leaves the type out for those of 32 unsigned bits.
std::string operation_of(const SassLine& line) {
  for (const std::string_view part : line.modifiers())
    if (std::ranges::find(operations, part) != std::end(operations)) return lower_case(part);
  return "";
}
std::string type_of(const SassLine& line) {
  constexpr std::string_view types[] = {"S32", "U64", "S64", "F16", "BF16", "F32", "F64"};
  for (const std::string_view type : types)
    if (line.has(type)) return lower_case(type);
  return line.has("64") ? "u64" : "u32";
}

}  // namespace

// [UR4] has the shared address, the barrier and the coordinates, [UR16] the address of the tensor map.
void lift_utmaldg(SassLine& line) {
  line.allow({"1D", "2D", "3D", "4D", "5D", "IM2COL", "W", "W128", "GATHER4", "MULTICAST", "MULTICAST32", "2CTA"});
  const bool needs_word =
      line.has("IM2COL") || line.has("W") || line.has("W128") || line.has("MULTICAST") || line.has("MULTICAST32");
  if (line.fails() || rank_of(line) == 0 || line.count() < 2 || (needs_word && !has_word(line, 2)))
    return be_any_copy(line);
  const std::string_view first = bracketed(line.operand(0));
  const std::string map = line.pair_at(bracketed(line.operand(1)), 0);
  const std::string word = needs_word ? line.source(2) : "";
  const std::string offsets = offsets_of(line, word);
  const Multicast multicast = multicast_of(line, 2, !offsets.empty());
  const CachePolicy policy = policy_of(line);
  line.act("cp.async.bulk.tensor.{}d.shared::cluster.global.{}.{}{}{}{} [{}], [{}, {{{}}}], [{}]{}{}{}", rank_of(line),
           mode_of_load(line), to_barrier, multicast.modifier, line.has("2CTA") ? ".cta_group::2" : "", policy.modifier,
           line.register_after(first, 0), map, coordinates(line, first, 2), line.register_after(first, 1), offsets,
           multicast.operand, policy.operand);
  be_any_copy_if_it_fails(line);
}

// [UR8] has the shared address and the coordinates.
void lift_utmastg(SassLine& line) {
  line.allow(
      {"1D", "2D", "3D", "4D", "5D", "IM2COL", "W", "SCATTER4", "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"});
  const bool reduces = line.name() == "UTMAREDG";
  if (reduces == operation_of(line).empty()) line.fail();
  const std::string_view first = bracketed(line.operand(0));
  const std::string map = line.pair_at(bracketed(line.operand(1)), 0);
  const CachePolicy policy = policy_of(line);
  line.act("cp{}.async.bulk.tensor.{}d.global.shared::cta{}.{}.bulk_group{} [{}, {{{}}}], [{}]{}",
           reduces ? ".reduce" : "", rank_of(line), reduces ? "." + operation_of(line) : "", mode_of_store(line),
           policy.modifier, map, coordinates(line, first, 1), line.register_after(first, 0), policy.operand);
}

// UTMAPF.L2.3D.IM2COL [UR8], [UR12], UR4: UR8 … are the coordinates.
void lift_utmapf(SassLine& line) {
  line.allow({"L2", "1D", "2D", "3D", "4D", "5D", "IM2COL", "W", "W128", "GATHER4"});
  const std::string_view first = bracketed(line.operand(0));
  const std::string map = line.pair_at(bracketed(line.operand(1)), 0);
  const std::string offsets = offsets_of(line, has_word(line, 2) ? line.source(2) : "0");
  const CachePolicy policy = policy_of(line);
  line.act("cp.async.bulk.prefetch.tensor.{}d.L2.global.{}{} [{}, {{{}}}]{}{}", rank_of(line), mode_of_load(line),
           policy.modifier, map, coordinates(line, first, 0), offsets, policy.operand);
}

namespace {

// In units of 16 B, in the low half of a word.
std::string bytes_of(SassLine& line, std::size_t place) {
  return line.word("shl.b32 {}, 4", bits_of(line, line.source(place), 0, 16));
}

}  // namespace

// .S.G loads, .G.S stores, .S.S copies to another CTA.
void lift_ublkcp(SassLine& line) {
  line.allow({"S", "G", "MULTICAST", "MULTICAST32", "STRONG", "GPU", "SYS", "CTA", "SM", "DST_G_BYTE_MASK"});
  const auto modifiers = line.modifiers();
  if (line.fails() || modifiers.size() < 2 || line.count() < 3) return be_any_copy(line);
  const std::string way = std::string(modifiers[0]) + std::string(modifiers[1]);
  const std::string_view to = bracketed(line.operand(0)), from = bracketed(line.operand(1));
  const std::string bytes = bytes_of(line, 2), relaxed = line.has("STRONG") ? ".relaxed.gpu.b128" : "";
  const CachePolicy policy = policy_of(line);
  if (way == "SG") {
    const Multicast multicast = multicast_of(line, 2, true);
    line.act("cp.async.bulk.shared::cluster.global.{}{}{}{} [{}], [{}], {}, [{}]{}{}", to_barrier, relaxed,
             multicast.modifier, policy.modifier, line.register_after(to, 0), line.pair_at(from, 0), bytes,
             line.register_after(to, 1), multicast.operand, policy.operand);
  } else if (way == "GS") {
    const bool is_masked = line.has("DST_G_BYTE_MASK");
    const std::string mask = is_masked ? ", " + bits_of(line, line.source(2), 16, 16) : "";
    line.act("cp.async.bulk.global.shared::cta.bulk_group{}{}{} [{}], [{}], {}{}{}", relaxed, policy.modifier,
             is_masked ? ".cp_mask" : "", line.pair_at(to, 0), line.register_after(from, 0), bytes, policy.operand,
             mask);
  } else if (way == "SS") {
    line.act("cp.async.bulk.shared::cluster.shared::cta.{} [{}], [{}], {}, [{}]", to_barrier,
             line.register_after(to, 0), line.register_after(from, 0), bytes, line.register_after(to, 1));
  } else {
    line.fail();
  }
  be_any_copy_if_it_fails(line);
}

void lift_ublkred(SassLine& line) {
  const auto modifiers = line.modifiers();
  const std::string operation = operation_of(line);
  if (modifiers.size() < 2 || line.count() < 3 || operation.empty()) return be_any_copy(line);
  const std::string_view to = bracketed(line.operand(0)), from = bracketed(line.operand(1));
  const std::string bytes = bytes_of(line, 2), type = type_of(line);
  if (modifiers[0] == "S") {
    line.act("cp.reduce.async.bulk.shared::cluster.shared::cta.{}.{}.{} [{}], [{}], {}, [{}]", to_barrier, operation,
             type, line.register_after(to, 0), line.register_after(from, 0), bytes, line.register_after(to, 1));
    return be_any_copy_if_it_fails(line);
  }
  const CachePolicy policy = policy_of(line);
  line.act("cp.reduce.async.bulk.global.shared::cta.bulk_group{}.{}.{} [{}], [{}], {}{}", policy.modifier, operation,
           type, line.pair_at(to, 0), line.register_after(from, 0), bytes, policy.operand);
}

// UBLKPF.L2 [UR8], UR4
void lift_ublkpf(SassLine& line) {
  const CachePolicy policy = policy_of(line);
  line.act("cp.async.bulk.prefetch.L2.global{} [{}], {}{}", policy.modifier,
           line.pair_at(bracketed(line.operand(0)), 0), bytes_of(line, 1), policy.operand);
}

// ---- barriers that count bytes

namespace {

// What the modifiers behind .TRANS64 and .RED do.
struct BarrierAct {
  std::string_view modifier, ptx;
};
constexpr BarrierAct barrier_acts[] = {
    {"", "arrive.expect_tx"}, {"A1T0", "arrive"}, {"ART0", "arrive"}, {"A0TR", "expect_tx"}, {"A0TX", "complete_tx"}};

// SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [UR4], R0. With .RED the barrier may be that of another CTA.
void lift_arrive(SassLine& line) {
  const bool may_be_remote = line.has("RED");
  std::string_view last = line.modifiers().back();
  if (last == "RED" || last == "TRANS64") last = "";
  const auto act = std::ranges::find(barrier_acts, last, &BarrierAct::modifier);
  if (act == std::end(barrier_acts)) {
    be_any_copy(line);
  } else {
    const std::string address = line.address(1, 32);
    const std::string count = last == "A1T0" ? "" : ", " + line.source(2);
    const std::string state = act->ptx.starts_with("arrive") ? "_, " : "";
    line.act("mbarrier.{}{}.b64 {}[{}]{}", act->ptx, may_be_remote ? ".relaxed.cluster.shared::cluster" : ".shared",
             state, address, count);
    be_any_copy_if_it_fails(line);
  }
  if (line.operand(0) != "RZ") line.unknown(line.written(2));
}

}  // namespace

// Barriers of transactions: the number of arrivals is 2^20 less the half of what the register holds.
void lift_syncs(SassLine& line) {
  if (line.has("EXCH") && line.has("64") && line.operand(0) == "URZ") {
    const std::string address = line.address(1, 32), half = line.word("shr.u32 {}, 1", line.source(2));
    return line.act("mbarrier.init.shared.b64 [{}], {}", address, line.word("sub.u32 0x100000, {}", half));
  }
  if (line.has("ARRIVE") && line.has("TRANS64")) return lift_arrive(line);
  line.fail();
}

// UTCBAR.2CTA.MULTICAST [UR4], URZ, UR6: UR6 is the mask, of 32 bits on sm_107.
void lift_utcbar(SassLine& line) {
  line.allow({"2CTA", "MULTICAST"});
  const std::string barrier = line.register_after(bracketed(line.operand(0)), 0);
  const bool is_multicast = line.has("MULTICAST");
  line.act("tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster{}.b64 [{}]{}", line.has("2CTA") ? 2 : 1,
           is_multicast ? ".multicast::cluster::32b" : "", barrier, is_multicast ? ", " + line.source(2) : "");
}

// UGETNEXTWORKID.BROADCAST [UR4], [UR5]: the response and the barrier.
void lift_ugetnextworkid(SassLine& line) {
  line.allow({"SELFCAST", "BROADCAST"});
  if (line.fails()) return be_any_copy(line);
  line.act("clusterlaunchcontrol.try_cancel.async.shared::cta.{}{}.b128 [{}], [{}]", to_barrier,
           line.has("BROADCAST") ? ".multicast::cluster::all" : "", line.register_after(bracketed(line.operand(0)), 0),
           line.register_after(bracketed(line.operand(1)), 0));
  be_any_copy_if_it_fails(line);
}

namespace {

// "R2" of [R2.64]: the address, and the barrier in the next register.
std::string_view pair_in_brackets(const SassLine& line) {
  const std::string_view inside = bracketed(line.operand(0));
  return inside.ends_with(".64") ? inside.substr(0, inside.size() - 3) : std::string_view();
}

}  // namespace

void lift_stas(SassLine& line) {
  line.allow({"64", "128"});
  const std::string_view pair = pair_in_brackets(line);
  if (line.fails() || pair.empty()) return be_any_copy(line);
  const int words = line.has("128") ? 4 : line.has("64") ? 2 : 1;
  line.act("st.async.weak.shared::cluster.{}{}.b32 [{}], {}, [{}]", to_barrier,
           words == 1 ? "" : fmt::format(".v{}", words), line.register_after(pair, 0), line.registers(1, words),
           line.register_after(pair, 1));
  be_any_copy_if_it_fails(line);
}

void lift_redas(SassLine& line) {
  const std::string_view pair = pair_in_brackets(line);
  const std::string operation = operation_of(line), type = type_of(line);
  if (pair.empty() || operation.empty()) return be_any_copy(line);
  line.act("red.async.relaxed.cluster.shared::cluster.{}.{}.{} [{}], {}, [{}]", to_barrier, operation, type,
           line.register_after(pair, 0), type == "u64" ? line.source_pair(1) : line.source(1),
           line.register_after(pair, 1));
  be_any_copy_if_it_fails(line);
}

}  // namespace swz
