// SPDX-License-Identifier: Apache-2.0
// Shifts, logic, fields and bytes.
#include <array>
#include <vector>

#include "sass/sass_rows.hpp"

namespace swz {

// SHF.L.U32 a, s, c; SHF.R.U32.HI a, s, c; SHF.R.U64 a, s, c: a part of the 64 bits c:a, shifted.
void lift_shf(SassLine& line) {
  line.allow({"L", "R", "U32", "S32", "U64", "S64", "HI", "W"});
  const bool is_left = line.has("L"), is_high = line.has("HI"), is_wide = line.has("U64") || line.has("S64");
  const bool is_signed = line.has("S32") || line.has("S64");
  const auto by = line.number(2);
  if (by && (*by < 0 || *by > (is_wide ? 63 : 31))) return line.fail();
  const std::string amount = line.source(2);
  const auto shift = [&](std::string_view opcode, const std::string& from) {
    if (line.has("W")) line.act("{} {}, {}, {}", opcode, line.result(0), from, line.word("and.b32 {}, 31", amount));
    else line.act("{} {}, {}, {}", opcode, line.result(0), from, amount);
  };
  if (is_left && !is_high && !is_wide) return shift("shl.b32", line.source(1));
  if (!is_left && is_high && !is_wide) return shift(is_signed ? "shr.s32" : "shr.u32", line.source(3));
  if (line.has("W") || (!is_wide && !by)) return line.fail();
  const std::string a = line.source(1), c = line.source(3), both = line.new_pair(), shifted = line.new_pair();
  line.compute("mov.b64 {}, {{{}, {}}}", both, a, c);
  line.compute("{} {}, {}, {}", is_left ? "shl.b64" : is_signed ? "shr.s64" : "shr.u64", shifted, both, amount);
  const std::string low = line.new_word(), high = line.new_word();
  line.compute("mov.b64 {{{}, {}}}, {}", low, high, shifted);
  line.act("mov.b32 {}, {}", line.result(0), is_high ? high : low);
}

// [P,] D, a, b, c, table, Q: P is whether the result is not 0.
void lift_lop3(SassLine& line) {
  line.allow({"LUT"});
  const bool tests = SassLine::is_predicate(line.operand(0));
  const std::size_t d = tests ? 1 : 0;
  const auto table = line.number(d + 4);
  if (!table || *table < 0 || *table > 255 || line.count() != d + 6) return line.fail();
  const std::string a = line.source(d + 1), b = line.source(d + 2), c = line.source(d + 3);
  if (!tests) return line.act("lop3.b32 {}, {}, {}, {}, {}", line.result(0), a, b, c, *table);
  const std::string_view widens = line.operand(d + 5);
  const std::string word = line.word("lop3.b32 {}, {}, {}, {}", a, b, c, *table), is_set = line.new_predicate();
  line.compute("setp.ne.u32 {}, {}, 0", is_set, word);
  line.act("mov.b32 {}, {}", line.result(d), word);
  const std::string to = line.result_predicate(0);
  if (widens == "!PT" || widens == "!UPT") line.act("mov.pred {}, {}", to, is_set);
  else if (to != "_") line.act("sass_unknown.lop3 {{{}}}", to);
}

namespace {

// The place of the three predicates in a table: bit 4a + 2b + c.
struct TableOperand {
  std::string name;
  std::optional<bool> value;  // of PT and !PT
};

std::optional<bool> constant_of(std::string_view operand) {
  if (operand == "PT" || operand == "UPT") return true;
  if (operand == "!PT" || operand == "!UPT") return false;
  return std::nullopt;
}

// A table of three predicates as operations on those that are no constants.
std::string table_predicate(SassLine& line, std::int64_t table, const std::array<TableOperand, 3>& operands) {
  std::string any;
  for (int row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    std::string all = "yes";
    bool can_be = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool wanted = (row >> (2 - k) & 1) != 0;
      if (operands[k].value) {
        can_be = can_be && *operands[k].value == wanted;
        continue;
      }
      const bool is_inverted = operands[k].name.starts_with('!');
      const std::string bare = operands[k].name.substr(is_inverted ? 1 : 0);
      const std::string literal = wanted != is_inverted ? bare : "!" + bare;
      if (all == "yes") {
        all = literal;
        continue;
      }
      const std::string both = line.new_predicate();
      line.compute("and.pred {}, {}, {}", both, all, literal);
      all = both;
    }
    if (!can_be) continue;
    if (any.empty()) {
      any = all;
      continue;
    }
    const std::string either = line.new_predicate();
    line.compute("or.pred {}, {}, {}", either, any, all);
    any = either;
  }
  return any.empty() ? "!yes" : any;
}

// x AND NOT x and the like, of tables that do not depend on an operand: its rows are then equal in pairs.
std::array<TableOperand, 3> needed_operands(SassLine& line, std::int64_t table) {
  std::array<TableOperand, 3> operands;
  for (std::size_t k = 0; k < 3; ++k) {
    operands[k].value = constant_of(line.operand(k + 2));
    if (!operands[k].value) operands[k].name = line.predicate(k + 2);
    bool matters = false;
    for (int row = 0; row < 8; ++row) matters = matters || ((table >> row ^ table >> (row ^ (4 >> k))) & 1) != 0;
    if (!matters) operands[k].value = false;
  }
  return operands;
}

}  // namespace

// P, Q, a, b, c, table of P, table of Q
void lift_plop3(SassLine& line) {
  line.allow({"LUT"});
  if (line.count() != 7) return line.fail();
  const std::string first = line.result_predicate(0), second = line.result_predicate(1);
  std::vector<std::pair<std::string, std::string>> results;
  for (const auto& [to, place] : {std::pair{first, std::size_t{5}}, {second, std::size_t{6}}}) {
    const auto table = line.number(place);
    if (!table) return line.fail();
    if (to != "_") results.emplace_back(to, table_predicate(line, *table, needed_operands(line, *table)));
  }
  // Both are of the operands as they were before.
  std::string kept;
  if (results.size() == 2) {
    kept = line.new_predicate();
    line.compute("mov.pred {}, {}", kept, results[1].second);
    results[1].second = kept;
  }
  for (const auto& [to, value] : results) line.act("mov.pred {}, {}", to, value);
}

void lift_sgxt(SassLine& line) {
  line.allow({"U32"});
  const auto bits = line.number(2);
  if (!bits || *bits < 1 || *bits > 32) return line.fail();
  line.act("bfe.{}32 {}, {}, 0, {}", line.has("U32") ? 'u' : 's', line.result(0), line.source(1), *bits);
}

void lift_bmsk(SassLine& line) {
  line.allow({});
  const auto from = line.is_zero(1) ? std::optional<std::int64_t>(0) : line.number(1), bits = line.number(2);
  if (!from || !bits || *from < 0 || *bits < 0 || *from > 31 || *bits > 32) return line.fail();
  const std::uint64_t mask = ((std::uint64_t{1} << *bits) - 1) << *from & 0xffffffff;
  line.act("mov.b32 {}, {}", line.result(0), mask);
}

void lift_prmt(SassLine& line) {
  line.allow({});
  const std::string a = line.source(1), selector = line.source(2), c = line.source(3);
  line.act("prmt.b32 {}, {}, {}, {}", line.result(0), a, c, selector);
}

void lift_popc(SassLine& line) {
  line.allow({});
  line.act("popc.b32 {}, {}", line.result(0), line.source(1));
}

void lift_brev(SassLine& line) {
  line.allow({});
  line.act("brev.b32 {}, {}", line.result(0), line.source(1));
}

// R2P PR, R4, 0x7e: each predicate of the mask gets its bit.
void lift_r2p(SassLine& line) {
  line.allow({});
  const auto mask = line.number(2);
  if (!mask || *mask < 0) return line.fail();
  const std::string from = line.source(1);
  for (int i = 0; i < 7; ++i) {
    if ((*mask >> i & 1) == 0) continue;
    const std::string bit = line.word("bfe.u32 {}, {}, 1", from, i), is_set = line.new_predicate();
    line.compute("setp.ne.u32 {}, {}, 0", is_set, bit);
    line.act("mov.pred P{}, {}", i, is_set);
  }
}

// P2R R5, PR, RZ, 0x1: the predicates of the mask as bits. UP2UR UR4, UPR, URZ, 0x1: the uniform ones.
void lift_p2r(SassLine& line) {
  line.allow({});
  const auto mask = line.number(3);
  if (!mask || *mask < 0 || !line.is_zero(2) || line.count() != 4) return line.fail();
  std::string all = "0";
  for (int i = 0; i < 7; ++i) {
    if ((*mask >> i & 1) == 0) continue;
    const std::string bit = line.word("selp.b32 {}, 0, {}{}", 1 << i, line.operand(1) == "UPR" ? "UP" : "P", i);
    all = all == "0" ? bit : line.word("or.b32 {}, {}", all, bit);
  }
  line.act("mov.b32 {}, {}", line.result(0), all);
}

// RPCMOV.32 Rpc.LO, R1: a register that keeps another one, half by half.
void lift_rpcmov(SassLine& line) {
  line.allow({"32"});
  const auto half_of = [](std::string_view operand) {
    return operand == "Rpc.LO" ? "rpc0" : operand == "Rpc.HI" ? "rpc1" : "";
  };
  const std::string_view to = half_of(line.operand(0)), from = half_of(line.operand(1));
  if (to.empty() == from.empty()) return line.fail();
  line.act("mov.b32 {}, {}", to.empty() ? line.result(0) : std::string(to),
           from.empty() ? line.source(1) : std::string(from));
}

}  // namespace swz
