// SPDX-License-Identifier: Apache-2.0
// Sums, products, comparisons and choices of integers.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>

#include "arch/dtype.hpp"
#include "identify/number_format.hpp"
#include "sass/sass_rows.hpp"

namespace swz {

namespace {

// The predicates after the result, which get the carry: their number, and the first.
struct CarryOut {
  std::size_t count = 0;
  bool is_read = false;  // one of them is not PT
};
CarryOut carry_out(const SassLine& line) {
  CarryOut out;
  while (SassLine::is_predicate(line.operand(1 + out.count)) && !line.operand(1 + out.count).starts_with('!')) {
    out.is_read = out.is_read || !line.operand(1 + out.count).ends_with("PT");
    ++out.count;
  }
  return out;
}

// 1 where the predicate holds. "0": it is !PT.
std::string carry_in(SassLine& line, std::size_t place) {
  const std::string_view text = line.operand(place);
  if (text.empty() || text == "!PT" || text == "!UPT") return "0";
  return line.word("selp.b32 1, 0, {}", line.predicate(place));
}

std::string widened(SassLine& line, const std::string& word) {
  const std::string wide = line.new_pair();
  line.compute("cvt.u64.u32 {}, {}", wide, word);
  return wide;
}

// The sum of words in 33 and more bits; the first predicate after the result is whether it has more than 32.
void add_with_carry(SassLine& line, const std::vector<std::string>& parts, std::size_t carries) {
  std::string sum = widened(line, parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "0") continue;
    const std::string part = widened(line, parts[i]), whole = line.new_pair();
    line.compute("add.u64 {}, {}, {}", whole, sum, part);
    sum = whole;
  }
  const std::string high = line.new_word(), low = line.new_word(), carry = line.new_predicate();
  line.compute("mov.b64 {{{}, {}}}, {}", low, high, sum);
  line.compute("setp.ne.u32 {}, {}, 0", carry, high);
  const std::string to = line.result(0), to_carry = line.result_predicate(1);
  line.act("mov.b32 {}, {}", to, low);
  line.act("mov.pred {}, {}", to_carry, carry);
  // A second carry is that of more than 33 bits.
  if (carries > 1 && !line.operand(2).ends_with("PT")) line.act("sass_unknown.carry {{{}}}", line.result_predicate(2));
}

void add_words(SassLine& line, const std::vector<std::string>& parts) {
  std::vector<std::string> rest;
  std::ranges::copy_if(parts, std::back_inserter(rest), [](const std::string& part) { return part != "0"; });
  if (rest.empty()) rest.emplace_back("0");
  std::string sum = rest[0];
  for (std::size_t i = 1; i + 1 < rest.size(); ++i) sum = line.word("add.u32 {}, {}", sum, rest[i]);
  if (rest.size() == 1) line.act("mov.b32 {}, {}", line.result(0), sum);
  else line.act("add.u32 {}, {}, {}", line.result(0), sum, rest.back());
}

// The bits of a number as a half. nullopt: a half does not hold it exactly.
std::optional<std::uint64_t> half_bits(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
  const DType& half = *find_dtype("f16");
  const auto bits = number_bits(half, value);
  return bits && number_of_bits(half, *bits) == value ? bits : std::nullopt;
}

}  // namespace

void lift_mov(SassLine& line) {
  line.allow({"U32", "SPILL"});
  // A mask of bytes may follow.
  if (line.count() > 2 && line.operand(2) != "0xf") line.fail();
  line.act("mov.b32 {}, {}", line.result(0), line.source(1));
}

// HFMA2 R5, -RZ, RZ, 0, 5.96e-08: two halves as a constant.
void lift_half_constant(SassLine& line) {
  line.allow({"MMA"});
  const auto high = half_bits(line.operand(3)), low = half_bits(line.operand(4));
  if (line.operand(1) != "-RZ" || line.operand(2) != "RZ" || !high || !low || line.count() != 5) return line.fail();
  line.act("mov.b32 {}, {}", line.result(0), *high << 16 | *low);
}

namespace {

// The product of two words in 64 bits, with a pair added and perhaps a carry.
void lift_imad_wide(SassLine& line) {
  line.allow({"WIDE", "U32", "X"});
  const CarryOut out = carry_out(line);
  const std::size_t a = 1 + out.count;
  const std::string added = line.source_pair(a + 2), product = line.new_pair();
  line.compute("mad.wide.{}32 {}, {}, {}, {}", line.has("U32") ? 'u' : 's', product, line.source(a), line.source(a + 1),
               added);
  std::string sum = product;
  if (line.has("X")) {
    const std::string carry = widened(line, carry_in(line, a + 3));
    sum = line.new_pair();
    line.compute("add.u64 {}, {}, {}", sum, product, carry);
  }
  line.act("mov.b64 {}, {}", line.result_pair(0), sum);
  if (out.is_read) line.act("sass_unknown.carry {{{}}}", line.result_predicate(1));
}

// The upper half of a product plus a pair: R2 in IMAD.HI.U32 R3, R3, R5, R2 is R2:R3, as division needs it.
void lift_imad_high(SassLine& line, std::size_t a) {
  line.allow({"HI", "U32"});
  const std::string x = line.source(a), y = line.source(a + 1), added = line.source_pair(a + 2);
  const std::string sum = line.new_pair(), low = line.new_word(), high = line.new_word();
  line.compute("mad.wide.{}32 {}, {}, {}, {}", line.has("U32") ? 'u' : 's', sum, x, y, added);
  line.compute("mov.b64 {{{}, {}}}, {}", low, high, sum);
  line.act("mov.b32 {}, {}", line.result(0), high);
}

}  // namespace

void lift_imad(SassLine& line) {
  if (line.has("WIDE")) return lift_imad_wide(line);
  line.allow({"MOV", "SHL", "U32", "IADD", "X", "HI"});
  const CarryOut out = carry_out(line);
  const std::size_t a = 1 + out.count;
  if (out.is_read) line.fail();
  if (line.has("HI")) {
    if (!line.is_zero(a + 2)) return lift_imad_high(line, a);
    return line.act("mul.hi.{}32 {}, {}, {}", line.has("U32") ? 'u' : 's', line.result(0), line.source(a),
                    line.source(a + 1));
  }
  const auto factor = line.number(a + 1);
  std::string product;
  if (line.is_zero(a) || line.is_zero(a + 1)) {
    product = "0";
  } else if (factor == 1) {
    product = line.source(a);
  } else if (factor && *factor > 0 && std::has_single_bit(static_cast<std::uint64_t>(*factor))) {
    const std::string from = line.source(a);
    product = line.word("shl.b32 {}, {}", from, std::countr_zero(static_cast<std::uint64_t>(*factor)));
  } else {
    const std::string from = line.source(a), by = line.source(a + 1);
    product = line.word("mul.lo.u32 {}, {}", from, by);
  }
  std::vector<std::string> parts = {product, line.has("X") ? line.inverted_source(a + 2) : line.source(a + 2)};
  if (line.has("X")) parts.push_back(carry_in(line, a + 3));
  add_words(line, parts);
}

void lift_iadd3(SassLine& line) {
  if (line.has("64")) return lift_add_pairs(line);
  line.allow({"X"});
  const CarryOut out = carry_out(line);
  const std::size_t a = 1 + out.count;
  const bool is_upper = line.has("X");
  std::vector<std::string> parts;
  std::int64_t ones = 0;  // of the two's complement of what is subtracted
  for (std::size_t place = a; place < a + 3; ++place) {
    const bool inverts = is_upper || out.is_read;
    parts.push_back(inverts ? line.inverted_source(place) : line.source(place));
    if (!is_upper && out.is_read && line.is_negative(place) && !line.number(place)) ++ones;
  }
  if (is_upper) {
    parts.push_back(carry_in(line, a + 3));
    parts.push_back(carry_in(line, a + 4));
  }
  if (ones > 0) parts.push_back(fmt::format("{}", ones));
  if (out.is_read) add_with_carry(line, parts, out.count);
  else add_words(line, parts);
}

// VIADD, IADD: two words.
void lift_iadd(SassLine& line) {
  if (line.has("64")) return lift_add_pairs(line);
  line.allow({});
  if (line.count() != 3) line.fail();
  add_words(line, {line.source(1), line.source(2)});
}

void lift_add_pairs(SassLine& line) {
  line.allow({"64"});
  const CarryOut out = carry_out(line);
  if (out.is_read) line.fail();
  std::string sum;
  for (std::size_t place = 1 + out.count; place < line.count(); ++place) {
    if (SassLine::is_predicate(line.operand(place)) || line.is_negative(place)) return line.fail();
    if (line.is_zero(place)) continue;
    const std::string part = line.source_pair(place);
    if (sum.empty()) {
      sum = part;
      continue;
    }
    const std::string whole = line.new_pair();
    line.compute("add.u64 {}, {}, {}", whole, sum, part);
    sum = whole;
  }
  line.act("mov.b64 {}, {}", line.result_pair(0), sum.empty() ? "0" : sum);
}

void lift_move_pair(SassLine& line) {
  line.allow({"64"});
  line.act("mov.b64 {}, {}", line.result_pair(0), line.source_pair(1));
}

// (a << shift) + b, its upper half, and the upper half with a carry.
void lift_lea(SassLine& line) {
  line.allow({"HI", "X", "SX32"});
  const CarryOut out = carry_out(line);
  const std::size_t a = 1 + out.count;
  const bool is_high = line.has("HI"), is_extended = line.has("SX32");
  const std::size_t b = a + 1, shift = is_high && !is_extended ? a + 3 : a + 2;
  const auto by = line.number(shift);
  if (!by || *by < 0 || *by > 31) return line.fail();
  const auto is_subtracted = [&](std::size_t place) { return line.is_negative(place) && !line.number(place); };
  if (out.is_read && (is_high || is_subtracted(a) || is_subtracted(b))) line.fail();
  const std::string from = line.source(a);
  std::string shifted = from;
  if (!is_high && *by > 0) shifted = line.word("shl.b32 {}, {}", from, *by);
  else if (is_extended) shifted = line.word("shr.s32 {}, {}", from, *by == 0 ? 31 : 32 - *by);
  else if (is_high && line.is_zero(a + 2)) shifted = *by == 0 ? "0" : line.word("shr.u32 {}, {}", from, 32 - *by);
  else if (is_high) {
    const std::string upper = line.source(a + 2);
    shifted = line.word("shf.l.wrap.b32 {}, {}, {}", from, upper, *by);
  }
  std::vector<std::string> parts = {shifted, line.has("X") ? line.inverted_source(b) : line.source(b)};
  if (line.has("X")) parts.push_back(carry_in(line, shift + 1));
  if (out.is_read) add_with_carry(line, parts, out.count);
  else add_words(line, parts);
}

namespace {

struct SassComparison {
  std::string_view name, ptx, opposite, strict;
};
constexpr SassComparison sass_comparisons[] = {{"LT", "lt", "ge", "lt"}, {"LE", "le", "gt", "lt"},
                                               {"GT", "gt", "le", "gt"}, {"GE", "ge", "lt", "gt"},
                                               {"EQ", "eq", "ne", ""},   {"NE", "ne", "eq", ""}};

}  // namespace

// P = (a op b) AND c, and the second result is !(a op b) AND c. EX: of upper words, the last operand is what the lower
// words gave.
void lift_isetp(SassLine& line) {
  line.allow({"LT", "LE", "GT", "GE", "EQ", "NE", "U32", "U64", "S64", "AND", "OR", "XOR", "EX"});
  const auto comparison =
      std::ranges::find_if(sass_comparisons, [&](const SassComparison& each) { return line.has(each.name); });
  if (comparison == std::end(sass_comparisons)) return line.fail();
  const bool is_wide = line.has("U64") || line.has("S64");
  const char type = line.has("U32") || line.has("U64") ? 'u' : 's';
  // How far the sign of a number reaches in 64 bits is not known.
  for (const std::size_t place : {2, 3})
    if (is_wide &&
        (line.has("EX") || line.number(place).value_or(0) < 0 || line.number(place).value_or(0) > 0x7fffffff))
      return line.fail();
  const std::string a = is_wide ? line.source_pair(2) : line.source(2),
                    b = is_wide ? line.source_pair(3) : line.source(3), third = line.predicate(4);
  std::string holds = line.new_predicate();
  if (line.has("EX")) {
    const std::string lower = line.predicate(5), equal = line.new_predicate(), tied = line.new_predicate();
    line.compute("setp.{}.{}32 {}, {}, {}", comparison->strict.empty() ? "ne" : comparison->strict, type, holds, a, b);
    line.compute("setp.eq.u32 {}, {}, {}", equal, a, b);
    line.compute("and.pred {}, {}, {}", tied, equal, lower);
    const std::string whole = line.new_predicate();
    if (comparison->name == "EQ") line.compute("mov.pred {}, {}", whole, tied);
    else line.compute("or.pred {}, {}, {}", whole, holds, comparison->name == "NE" ? lower : tied);
    holds = whole;
  } else {
    line.compute("setp.{}.{}{} {}, {}, {}", comparison->ptx, type, is_wide ? 64 : 32, holds, a, b);
  }
  const std::string_view join = line.has("AND") ? "and" : line.has("OR") ? "or" : line.has("XOR") ? "xor" : "";
  if (join.empty()) return line.fail();
  const std::string first = line.result_predicate(0), second = line.result_predicate(1);
  const auto joined = [&](const std::string& to, std::string_view sign) {
    const std::string value = to == "_" ? "" : line.new_predicate();
    if (to != "_") line.compute("{}.pred {}, {}{}, {}", join, value, sign, holds, third);
    return value;
  };
  // Both are of the operands as they were before.
  const std::string one = joined(first, ""), other = joined(second, "!");
  if (first != "_") line.act("mov.pred {}, {}", first, one);
  if (second != "_") line.act("mov.pred {}, {}", second, other);
}

void lift_sel(SassLine& line) {
  line.allow({});
  const std::string a = line.source(1), b = line.source(2), condition = line.predicate(3);
  line.act("selp.b32 {}, {}, {}, {}", line.result(0), a, b, condition);
}

namespace {

// The smaller one of two where the last operand is PT, the larger one where it is !PT. Since sm_100 two predicates may
// come after the result. added: VIADDMNMX takes the sum of its first two operands as the first one.
void lift_extreme(SassLine& line, bool is_added) {
  line.allow({"U32", "S32"});
  const CarryOut out = carry_out(line);
  const std::size_t a = 1 + out.count, b = a + (is_added ? 2 : 1);
  const std::string_view which = line.operand(b + 1);
  const bool is_minimum = which == "PT" || which == "UPT";
  if (out.is_read || line.count() != b + 2 || (!is_minimum && which != "!PT" && which != "!UPT")) return line.fail();
  std::string first = line.source(a);
  if (is_added) {
    const std::string second = line.source(a + 1);
    first = line.word("add.u32 {}, {}", first, second);
  }
  line.act("{}.{}32 {}, {}, {}", is_minimum ? "min" : "max", line.has("U32") ? 'u' : 's', line.result(0), first,
           line.source(b));
}

}  // namespace

void lift_vimnmx(SassLine& line) { lift_extreme(line, false); }
void lift_viaddmnmx(SassLine& line) { lift_extreme(line, true); }

void lift_iabs(SassLine& line) {
  line.allow({});
  line.act("abs.s32 {}, {}", line.result(0), line.source(1));
}

}  // namespace swz
