// SPDX-License-Identifier: Apache-2.0
#include "ptx/concrete.hpp"

#include <algorithm>
#include <bit>

namespace swz {

namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

enum Number {
  op_abs,
  op_add,
  op_addc,
  op_and,
  op_bfe,
  op_bfi,
  op_bfind,
  op_bmsk,
  op_brev,
  op_clz,
  op_cnot,
  op_cvt,
  op_div,
  op_lop3,
  op_mad,
  op_mad24,
  op_madc,
  op_max,
  op_min,
  op_mul,
  op_mul24,
  op_neg,
  op_not,
  op_or,
  op_popc,
  op_prmt,
  op_rem,
  op_sad,
  op_selp,
  op_set,
  op_setp,
  op_shf,
  op_shl,
  op_shr,
  op_slct,
  op_sub,
  op_subc,
  op_szext,
  op_xor
};

constexpr std::array<std::string_view, 39> names = {
    "abs",  "add", "addc",  "and",  "bfe",  "bfi", "bfind", "bmsk",  "brev", "clz", "cnot", "cvt",   "div",
    "lop3", "mad", "mad24", "madc", "max",  "min", "mul",   "mul24", "neg",  "not", "or",   "popc",  "prmt",
    "rem",  "sad", "selp",  "set",  "setp", "shf", "shl",   "shr",   "slct", "sub", "subc", "szext", "xor"};
static_assert(names[op_xor] == "xor" && names[op_mad24] == "mad24" && names[op_setp] == "setp");

enum Comparison { eq, ne, lt, le, gt, ge, lo, ls, hi_, hs };
constexpr std::array<std::string_view, 10> comparisons = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
constexpr std::array<std::string_view, 7> prmt_modes = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};

template <class Table>
int place_in(const Table& table, std::string_view what) {
  const auto found = std::find(table.begin(), table.end(), what);
  return found == table.end() ? -1 : static_cast<int>(found - table.begin());
}

// The nibbles of the selector that a mode of prmt selects, by the low two bits of its third operand.
constexpr std::uint32_t prmt_selectors[7][4] = {
    {},
    {0x3210, 0x4321, 0x5432, 0x6543},
    {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333},
    {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210},
    {0x1010, 0x3232, 0x1010, 0x3232},
};

bool compares(int how, std::uint64_t a, std::uint64_t b, ConcreteType type) {
  const std::uint64_t ua = a & bits_below(type.bits), ub = b & bits_below(type.bits);
  const std::int64_t sa = signed_value(a, type.bits), sb = signed_value(b, type.bits);
  switch (how) {
    case eq: return ua == ub;
    case ne: return ua != ub;
    case lt: return type.is_signed() ? sa < sb : ua < ub;
    case le: return type.is_signed() ? sa <= sb : ua <= ub;
    case gt: return type.is_signed() ? sa > sb : ua > ub;
    case ge: return type.is_signed() ? sa >= sb : ua >= ub;
    case lo: return ua < ub;
    case ls: return ua <= ub;
    case hi_: return ua > ub;
    default: return ua >= ub;
  }
}

bool combined(char how, bool a, bool b) {
  return how == '&' ? (a && b) : how == '|' ? (a || b) : how == '^' ? a != b : a;
}

std::uint64_t clamped(Wide value, Wide least, Wide most) {
  return static_cast<std::uint64_t>(value < least ? least : value > most ? most : value);
}

std::uint64_t extracted(std::uint64_t a, std::uint64_t b, std::uint64_t c, ConcreteType type) {
  const int msb = type.bits - 1, position = static_cast<int>(b & 0xff), length = static_cast<int>(c & 0xff);
  const auto bit = [&](int i) { return a >> i & 1; };
  const std::uint64_t sign = !type.is_signed() || length == 0 ? 0 : bit(std::min(position + length - 1, msb));
  std::uint64_t d = 0;
  for (int i = 0; i <= msb; ++i) d |= (i < length && position + i <= msb ? bit(position + i) : sign) << i;
  return d;
}

std::uint64_t inserted(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d, int bits) {
  const int position = static_cast<int>(c & 0xff), length = static_cast<int>(d & 0xff);
  for (int i = 0; i < length && position + i < bits; ++i) {
    const std::uint64_t one = std::uint64_t{1} << (position + i);
    b = (a >> i & 1) ? b | one : b & ~one;
  }
  return b;
}

std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint64_t c, int mode) {
  const std::uint64_t selector = mode == 0 ? c : prmt_selectors[mode][c & 3];
  std::uint64_t out = 0;
  for (int i = 0; i < 4; ++i) {
    const auto nibble = static_cast<int>(selector >> (4 * i) & 15);
    const std::uint64_t from = (nibble & 4) ? b : a;
    std::uint64_t byte = from >> (8 * (nibble & 3)) & 0xff;
    if (nibble & 8) byte = byte >= 0x80 ? 0xff : 0;
    out |= byte << (8 * i);
  }
  return out;
}

std::uint64_t bit_mask(std::uint64_t a, std::uint64_t b, bool clamps) {
  std::uint32_t mask0 = ~std::uint32_t{0} << (a & 31), mask1 = 0;
  const std::uint64_t sum = (a & 31) + (b & 31);
  bool overflows = sum >= 32;
  if (clamps && a >= 32) {
    overflows = true;
    mask0 = 0;
  }
  if (clamps && b >= 32) overflows = true;
  if (!overflows) mask1 = (b & 31) == 0 ? ~std::uint32_t{0} : ~std::uint32_t{0} << sum;
  return mask0 & ~mask1;
}

std::uint64_t extended(std::uint64_t a, std::uint64_t b, const ConcreteOpcode& op) {
  const std::uint64_t n = b & 31;
  const bool too_large = op.clamps && b >= 32;
  const std::uint32_t mask = too_large ? 0 : ~std::uint32_t{0} << n;
  const bool sign = n != 0 && !too_large && op.type.is_signed() && (a >> (n - 1) & 1) != 0;
  return (static_cast<std::uint32_t>(a) & ~mask) | (sign ? mask : 0);
}

// Of msb and below, where the highest one is; of a negative number the highest zero.
std::uint64_t found_bit(std::uint64_t a, const ConcreteOpcode& op) {
  const int bits = op.type.bits;
  std::uint64_t value = a & bits_below(bits);
  if (op.type.is_signed() && (value >> (bits - 1) & 1) != 0) value = ~value & bits_below(bits);
  if (value == 0) return 0xffffffff;
  const int at = 63 - std::countl_zero(value);
  return static_cast<std::uint64_t>(op.has("shiftamt") ? bits - 1 - at : at);
}

std::uint64_t converted_integer(std::uint64_t a, const ConcreteOpcode& op) {
  const Wide value = op.type.is_signed() ? Wide{signed_value(a, op.type.bits)} : Wide{a & bits_below(op.type.bits)};
  const int bits = op.result.bits;
  std::uint64_t out = static_cast<std::uint64_t>(value);
  if (op.saturates) {
    const Wide one = 1;
    out = op.result.is_signed() ? clamped(value, -(one << (bits - 1)), (one << (bits - 1)) - 1)
                                : clamped(value, 0, (one << bits) - 1);
  }
  return op.result.is_signed() ? static_cast<std::uint64_t>(signed_value(out, bits)) : out & bits_below(bits);
}

}  // namespace

ConcreteType concrete_type(std::string_view part) {
  if (part == "pred") return {'p', 1};
  constexpr std::array<std::string_view, 12> others = {"f16",   "f16x2", "bf16",  "bf16x2", "tf32",   "f32",
                                                       "f32x2", "f64",   "u16x2", "s16x2",  "e4m3x2", "e5m2x2"};
  if (place_in(others, part) >= 0)
    return {'f', part == "f64" || part == "f32x2"                           ? 64
                 : part == "f16" || part == "bf16" || part.starts_with("e") ? 16
                                                                            : 32};
  if (part.size() < 2 || std::string_view("bus").find(part[0]) == part.npos) return {};
  int bits = 0;
  for (const char c : part.substr(1)) {
    if (c < '0' || c > '9' || bits > 99) return {};
    bits = 10 * bits + (c - '0');
  }
  return {part[0], bits};
}

bool ConcreteOpcode::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

ConcreteOpcode decode_opcode(std::string_view opcode) {
  ConcreteOpcode out;
  out.name = opcode.substr(0, opcode.find('.'));
  while (opcode.find('.') != opcode.npos) {
    opcode.remove_prefix(opcode.find('.') + 1);
    out.modifiers.push_back(opcode.substr(0, opcode.find('.')));
  }
  for (const std::string_view one : out.modifiers) {
    const ConcreteType type = concrete_type(one);
    if (type.bits == 0) continue;
    if (out.result.bits == 0) out.result = type;
    out.type = type;
  }
  out.number = place_in(names, out.name);
  out.hi = out.has("hi");
  out.wide = out.has("wide");
  out.saturates = out.has("sat");
  out.sets_carry = out.has("cc");
  out.clamps = out.has("clamp");
  out.relu = out.has("relu");
  out.is_left = out.has("l");
  out.combines = out.has("and") ? '&' : out.has("or") ? '|' : out.has("xor") ? '^' : ' ';
  if (out.number == op_prmt)
    for (const std::string_view one : out.modifiers) out.mode = std::max(out.mode, place_in(prmt_modes, one));
  if ((out.number == op_setp || out.number == op_set) && !out.modifiers.empty())
    out.mode = place_in(comparisons, out.modifiers[0]);
  return out;
}

std::optional<ConcreteResult> execute(const ConcreteOpcode& op, const std::array<std::uint64_t, 5>& in, bool& carry) {
  const int bits = op.type.bits;
  if (op.number < 0 || bits == 0 || bits > 64) return std::nullopt;
  const bool moves_bits = op.number == op_selp || op.number == op_slct;
  if (!op.type.is_integer() && !moves_bits) return std::nullopt;
  const std::uint64_t mask = bits_below(bits), a = in[0] & mask, b = in[1] & mask, c = in[2] & mask;
  const std::int64_t sa = signed_value(in[0], bits), sb = signed_value(in[1], bits), sc = signed_value(in[2], bits);
  const bool is_signed = op.type.is_signed();
  const Wide least = -(Wide{1} << (bits - 1)), most = (Wide{1} << (bits - 1)) - 1;
  const std::uint64_t amount = in[1] & 0xffffffff;
  const auto one = [](std::uint64_t d) { return ConcreteResult{d, 0}; };
  switch (op.number) {
    case op_add:
    case op_addc: {
      if (op.saturates) return one(clamped(Wide{sa} + sb, least, most) & mask);
      const UnsignedWide sum = UnsignedWide{a} + b + (op.number == op_addc && carry ? 1 : 0);
      if (op.sets_carry) carry = (sum >> bits & 1) != 0;
      return one(static_cast<std::uint64_t>(sum) & mask);
    }
    case op_sub:
    case op_subc: {
      if (op.saturates) return one(clamped(Wide{sa} - sb, least, most) & mask);
      const UnsignedWide less = UnsignedWide{b} + (op.number == op_subc && carry ? 1 : 0);
      if (op.sets_carry) carry = less > a;
      return one((a - static_cast<std::uint64_t>(less)) & mask);
    }
    case op_mul:
    case op_mad:
    case op_madc: {
      const UnsignedWide product = is_signed ? static_cast<UnsignedWide>(Wide{sa} * sb) : UnsignedWide{a} * b;
      const int width = op.wide ? 2 * bits : bits;
      const std::uint64_t part = static_cast<std::uint64_t>(op.hi ? product >> bits : product) & bits_below(width);
      if (op.number == op_mul) return one(part);
      if (op.saturates) return one(clamped(Wide{signed_value(part, bits)} + sc, least, most) & mask);
      const UnsignedWide sum =
          UnsignedWide{part} + (in[2] & bits_below(width)) + (op.number == op_madc && carry ? 1 : 0);
      if (op.sets_carry) carry = (sum >> width & 1) != 0;
      return one(static_cast<std::uint64_t>(sum) & bits_below(width));
    }
    case op_mul24:
    case op_mad24: {
      const std::int64_t x = is_signed ? signed_value(in[0], 24) : static_cast<std::int64_t>(in[0] & 0xffffff);
      const std::int64_t y = is_signed ? signed_value(in[1], 24) : static_cast<std::int64_t>(in[1] & 0xffffff);
      const auto part = static_cast<std::uint64_t>((x * y) >> (op.hi ? 16 : 0)) & mask;
      if (op.number == op_mul24) return one(part);
      if (op.saturates) return one(clamped(Wide{signed_value(part, bits)} + sc, least, most) & mask);
      return one((part + c) & mask);
    }
    case op_sad: {
      const std::uint64_t difference = is_signed ? (sa > sb ? a - b : b - a) : (a > b ? a - b : b - a);
      return one((c + difference) & mask);
    }
    case op_div:
    case op_rem: {
      if (b == 0) return std::nullopt;
      const bool is_div = op.number == op_div;
      if (!is_signed) return one(is_div ? a / b : a % b);
      if (sb == -1) return one(is_div ? (0 - a) & mask : 0);
      return one(static_cast<std::uint64_t>(is_div ? sa / sb : sa % sb) & mask);
    }
    case op_abs: return one((sa < 0 ? 0 - a : a) & mask);
    case op_neg: return one((0 - a) & mask);
    case op_min:
    case op_max: {
      const bool less = is_signed ? sa < sb : a < b;
      const std::uint64_t d = less == (op.number == op_min) ? a : b;
      return one(op.relu && signed_value(d, bits) < 0 ? 0 : d);
    }
    case op_popc: return one(static_cast<std::uint64_t>(std::popcount(a)));
    case op_clz: return one(static_cast<std::uint64_t>(std::countl_zero(a) - (64 - bits)));
    case op_brev: {
      std::uint64_t d = 0;
      for (int i = 0; i < bits; ++i)
        if (a >> i & 1) d |= std::uint64_t{1} << (bits - 1 - i);
      return one(d);
    }
    case op_bfind: return one(found_bit(in[0], op));
    case op_bfe: return one(extracted(a, in[1], in[2], op.type));
    case op_bfi: return one(inserted(a, b, in[2], in[3], bits));
    case op_bmsk: return one(bit_mask(a, b, op.clamps));
    case op_szext: return one(extended(a, b, op));
    case op_and: return one(a & b);
    case op_or: return one(a | b);
    case op_xor: return one(a ^ b);
    case op_not: return one(~a & mask);
    case op_cnot: return one(a == 0 ? 1 : 0);
    case op_lop3: {
      ConcreteResult out;
      for (int i = 0; i < 32; ++i) {
        const std::uint64_t entry = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
        out.first |= (in[3] >> entry & 1) << i;
      }
      out.second = combined(op.combines, out.first != 0, (in[4] & 1) != 0);
      return out;
    }
    case op_shl: return one(amount >= static_cast<std::uint64_t>(bits) ? 0 : (a << amount) & mask);
    case op_shr:
      if (is_signed) return one(static_cast<std::uint64_t>(sa >> std::min<std::uint64_t>(amount, 63)) & mask);
      return one(amount >= static_cast<std::uint64_t>(bits) ? 0 : a >> amount);
    case op_shf: {
      const std::uint64_t n = op.clamps ? std::min<std::uint64_t>(in[2] & mask, 32) : in[2] & 31;
      const std::uint64_t both = b << 32 | a;
      return one((op.is_left ? (n == 32 ? a : both << n >> 32) : both >> n) & mask);
    }
    case op_prmt: return one(permuted(a, b, c, op.mode));
    case op_cvt:
      if (op.modifiers.size() != (op.saturates ? 3U : 2U) || !op.result.is_integer()) return std::nullopt;
      return one(converted_integer(in[0], op));
    case op_selp: return one((in[2] & 1) != 0 ? a : b);
    case op_slct: {
      const std::uint64_t wide = bits_below(op.result.bits);
      if (!op.type.is_integer()) return std::nullopt;
      return one(signed_value(in[2], bits) >= 0 ? in[0] & wide : in[1] & wide);
    }
    case op_setp: {
      if (op.mode < 0) return std::nullopt;
      const bool holds = compares(op.mode, in[0], in[1], op.type), more = (in[2] & 1) != 0;
      return ConcreteResult{combined(op.combines, holds, more), combined(op.combines, !holds, more)};
    }
    case op_set: {
      if (op.mode < 0) return std::nullopt;
      const bool holds = combined(op.combines, compares(op.mode, in[0], in[1], op.type), (in[2] & 1) != 0);
      return one(holds ? (op.result.is_integer() ? 0xffffffff : 0x3f800000) : 0);
    }
    default: return std::nullopt;
  }
}

}  // namespace swz
