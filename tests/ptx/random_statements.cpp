// SPDX-License-Identifier: Apache-2.0
#include "ptx/random_statements.hpp"

#include <iterator>

namespace swz {

void StatementWriter::memory() {
  switch (below(8)) {
    case 7: return line(Text{"ld.volatile.shared.b32 {}, [inner]", into(b32)});
    case 0: return line(Text{"ld.shared.b32 {}, [{}+{}]", into(b32), of(b32), 4 * below(8)});
    case 1: {
      const std::string a = added(b32), b = added(b32);
      return line(Text{"ld.global.v2.b32 {{{}, {}}}, [{}]", a, b, of(b64)});
    }
    case 2: return line(Text{"ld.param.{} {}, [p2+{}]", pick({"u32", "s32", "b32"}), into(b32), 4 * below(30)});
    case 3: return line(Text{"ld.param.{} {}, [p2+{}]", pick({"u8", "s8", "u16", "s16"}), into(b32), 2 * below(30)});
    case 4: return line(Text{"ld.param.{} {}, [p2+{}]", pick({"s32", "u32", "b64", "s16"}), into(b64), 8 * below(15)});
    case 5: return line(Text{"st.shared.v2.b32 [{}], {{{}, {}}}", of(b32), of(b32), of(b32)});
    default: return line(Text{"ld.global.{} {}, [{}]", pick({"u8", "s8", "s16", "u32"}), into(b32), of(b64)});
  }
}

// `%rd5, %rd3, 7`: d and two operands.
std::string StatementWriter::two(Kind kind, int bits) {
  std::string d = into(kind);
  return Text{"{}, {}, {}", d, of(kind), operand(kind, bits)};
}

void StatementWriter::one() {
  const Width w = width(), wide = width(false);
  const char s = sign();
  const std::uint64_t what = below(44);
  switch (what) {
    case 0:
    case 1: return line(Text{"add.{}{} {}", s, w.bits, two(w.kind, w.bits)});
    case 2: return line(Text{"sub.{}{} {}", s, w.bits, two(w.kind, w.bits)});
    case 3: return line(Text{"mul.{}.{}{} {}", pick({"lo", "lo", "hi"}), s, w.bits, two(w.kind, w.bits)});
    case 4: {
      const bool half = below(3) == 0;
      const std::string d = into(half ? b32 : b64);
      return line(Text{"mul.wide.{}{} {}, {}, {}", s, half ? 16 : 32, d, of(half ? b16 : b32),
                       half ? number(16) : operand(b32, 32)});
    }
    case 5: {
      const std::string d = into(w.kind);
      return line(Text{"mad.{}.{}{} {}, {}, {}, {}", pick({"lo", "lo", "hi"}), s, w.bits, d, of(w.kind),
                       operand(w.kind, w.bits), of(w.kind)});
    }
    case 6: {
      const std::string d = into(b64);
      return line(Text{"mad.wide.{}32 {}, {}, {}, {}", s, d, of(b32), operand(b32, 32), of(b64)});
    }
    case 7: {
      const std::string d = into(b32);
      if (below(2)) return line(Text{"mul24.{}.{}32 {}, {}, {}", pick({"lo", "hi"}), s, d, of(b32), operand(b32, 32)});
      return line(Text{"mad24.{}.{}32 {}, {}, {}, {}", pick({"lo", "hi"}), s, d, of(b32), operand(b32, 32), of(b32)});
    }
    case 8: {
      const std::string d = into(w.kind);
      return line(Text{"{}.{}{} {}, {}, {}", pick({"div", "rem"}), s, w.bits, d, of(w.kind),
                       below(4) == 0 ? of(w.kind) : number(w.bits)});
    }
    case 9:
    case 10: return line(Text{"{}.{}{} {}", pick({"min", "max"}), s, w.bits, two(w.kind, w.bits)});
    case 11: {
      const std::string d = into(w.kind);
      return line(Text{"{}.s{} {}, {}", pick({"neg", "abs"}), w.bits, d, of(w.kind)});
    }
    case 12: {
      const std::string d = into(b32), e = added(b32);
      may_guard_ = false;
      line(Text{"{}.cc.u32 {}, {}, {}", pick({"add", "sub"}), e, of(b32), operand(b32, 32)});
      return line(Text{"{}.u32 {}, {}, {}", pick({"addc", "subc"}), d, of(b32), operand(b32, 32)});
    }
    case 13: return line(Text{"{}.sat.s32 {}", pick({"add", "sub"}), two(b32, 32)});
    case 14:
    case 15:
    case 16: return line(Text{"{}.b{} {}", pick({"and", "or", "xor", "and"}), w.bits, two(w.kind, w.bits)});
    case 17: {
      const std::string d = into(w.kind);
      return line(Text{"{}.b{} {}, {}", pick({"not", "cnot"}), w.bits, d, of(w.kind)});
    }
    case 18:
    case 19: {
      const std::string d = into(b32);
      const std::string table =
          below(2) ? pick({"0x6a", "0xf8", "0xe2", "0xca", "0x96", "0xc0", "0x30", "0xa8", "0x56", "0xb8"})
                   : Text{"{:#x}", below(256)};
      return line(Text{"lop3.b32 {}, {}, {}, {}, {}", d, of(b32), operand(b32, 32), operand(b32, 32), table});
    }
    case 20:
    case 21:
    case 22: {
      const std::string d = into(w.kind);
      return line(Text{"{}{} {}, {}, {}", pick({"shl.b", "shr.u", "shr.s", "shr.b"}), w.bits, d, of(w.kind), amount()});
    }
    case 23: {
      const std::string d = into(b32);
      return line(Text{"shf.{}.{}.b32 {}, {}, {}, {}", pick({"l", "r"}), pick({"wrap", "clamp"}), d, operand(b32, 32),
                       operand(b32, 32), amount()});
    }
    case 24:
    case 25: {
      const std::string d = into(wide.kind);
      return line(Text{"bfe.{}{} {}, {}, {}, {}", s, wide.bits, d, of(wide.kind), amount(), amount()});
    }
    case 26: {
      const std::string d = into(wide.kind);
      return line(Text{"bfi.b{} {}, {}, {}, {}, {}", wide.bits, d, of(wide.kind), operand(wide.kind, wide.bits),
                       amount(), amount()});
    }
    case 27: {
      const std::string d = into(b32);
      return line(Text{"{}.b{} {}, {}", pick({"popc", "clz"}), wide.bits, d, of(wide.kind)});
    }
    case 28: {
      const std::string d = into(wide.kind);
      return line(Text{"brev.b{} {}, {}", wide.bits, d, of(wide.kind)});
    }
    case 29: {
      const std::string d = into(b32);
      return line(Text{"bfind.{}{}{} {}, {}", pick({"", "shiftamt."}), s, wide.bits, d, of(wide.kind)});
    }
    case 30: {
      const std::string d = into(b32);
      if (below(2))
        return line(Text{"prmt.b32 {}, {}, {}, {}", d, of(b32), operand(b32, 32),
                         below(4) == 0 ? of(b32) : Text{"{:#x}", below(65536)}});
      return line(Text{"prmt.b32.{} {}, {}, {}, {}", pick({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}), d, of(b32),
                       of(b32), operand(b32, 32)});
    }
    case 31: {
      const std::string d = into(b32);
      if (below(2)) return line(Text{"szext.{}.{}32 {}, {}, {}", pick({"wrap", "clamp"}), s, d, of(b32), amount()});
      return line(Text{"bmsk.{}.b32 {}, {}, {}", pick({"wrap", "clamp"}), d, amount(), amount()});
    }
    case 32:
    case 33: {
      const std::string d = into(w.kind);
      return line(
          Text{"selp.b{} {}, {}, {}, {}", w.bits, d, operand(w.kind, w.bits), operand(w.kind, w.bits), of(pred)});
    }
    case 34: {
      const std::string d = into(w.kind);
      return line(Text{"slct.{}{}.s32 {}, {}, {}, {}", below(2) ? 'b' : s, w.bits, d, of(w.kind),
                       operand(w.kind, w.bits), of(b32)});
    }
    case 35:
    case 36: return comparison(w);
    case 37: {
      const std::string d = into(b32);
      return line(Text{"set.{}.u32.{}32 {}, {}, {}", pick({"eq", "lt", "ge"}), s, d, of(b32), operand(b32, 32)});
    }
    case 38:
    case 39: return conversion();
    case 40: return vectors();
    case 41: {
      const std::string d = into(b64);
      const std::uint64_t how = below(4);
      if (how == 0) return line(Text{"cvta.shared.u64 {}, {}", d, of(b64)});
      if (how == 1) return line(Text{"cvta.to.shared.u64 {}, {}", d, of(b64)});
      if (how == 2) return line(Text{"cvta.to.global.u64 {}, {}", d, of(b64)});
      return line(Text{"mov.u64 {}, {}", d, pick({"inner", "dynamic"})});
    }
    case 42: {
      const std::string d = into(pred);
      if (below(3) == 0) return line(Text{"not.pred {}, {}", d, of(pred)});
      return line(Text{"{}.pred {}, {}, {}", pick({"and", "or", "xor"}), d, of(pred), of(pred)});
    }
    default: {
      const std::string d = into(below(2) ? f32 : b32);
      if (d[1] == 'f') return line(Text{"{} {}, {}, {}", pick({"add.f32", "mul.f32", "max.f32"}), d, of(f32), of(f32)});
      return line(Text{"{} {}, {}", pick({"mov.b32", "cvt.rzi.s32.f32"}), d, of(f32)});
    }
  }
}

void StatementWriter::comparison(Width w) {
  const std::string d = into(pred), more = below(3) == 0 ? "|" + added(pred) : "";
  if (!more.empty()) may_guard_ = false;
  const bool is_b = below(6) == 0;
  const std::string how = is_b ? pick({"eq", "ne"}) : pick({"eq", "ne", "lt", "le", "gt", "ge"});
  const bool is_unsigned_name = !is_b && below(6) == 0;
  const std::string type = Text{"{}{}", is_b ? 'b' : is_unsigned_name ? 'u' : sign(), w.bits};
  const std::string name = is_unsigned_name ? pick({"lo", "ls", "hi", "hs"}) : how;
  const std::string a = of(w.kind), b = operand(w.kind, w.bits);
  if (below(3) != 0) return line(Text{"setp.{}.{} {}{}, {}, {}", name, type, d, more, a, b});
  line(Text{"setp.{}.{}.{} {}{}, {}, {}, {}{}", name, pick({"and", "or", "xor"}), type, d, more, a, b,
            below(2) ? "!" : "", of(pred)});
}

void StatementWriter::conversion() {
  struct Form {
    const char* what;
    Kind to, from;
  };
  static constexpr Form forms[] = {
      {"u64.u32", b64, b32},    {"s64.s32", b64, b32},     {"u32.u64", b32, b64},     {"s32.s64", b32, b64},
      {"u32.u16", b32, b16},    {"s32.s16", b32, b16},     {"u16.u32", b16, b32},     {"s32.s8", b32, b32},
      {"u32.u8", b32, b32},     {"u64.u16", b64, b16},     {"s64.s16", b64, b16},     {"u64.s32", b64, b32},
      {"s64.u32", b64, b32},    {"s8.s32", b32, b32},      {"u8.u32", b32, b32},      {"s16.s32", b32, b32},
      {"u16.u32", b32, b32},    {"s16.s64", b16, b64},     {"u32.s8", b32, b16},      {"s8.u32", b16, b32},
      {"sat.u8.s32", b32, b32}, {"sat.s16.s32", b16, b32}, {"sat.u32.s64", b32, b64}, {"s32.s16", b64, b32},
  };
  const Form& form = forms[below(std::size(forms))];
  const std::string d = into(form.to);
  line(Text{"cvt.{} {}, {}", form.what, d, of(form.from)});
}

void StatementWriter::vectors() {
  switch (below(6)) {
    case 0: {
      const std::string d = into(b64);
      return line(Text{"mov.b64 {}, {{{}, {}}}", d, of(b32), of(b32)});
    }
    case 1: {
      const std::string a = added(b32), b = added(b32);
      return line(Text{"mov.b64 {{{}, {}}}, {}", a, b, of(b64)});
    }
    case 2: {
      const std::string d = into(b32);
      return line(Text{"mov.b32 {}, {{{}, {}}}", d, of(b16), of(b16)});
    }
    case 3: {
      const std::string a = added(b16), b = added(b16);
      return line(Text{"mov.b32 {{{}, {}}}, {}", a, b, of(b32)});
    }
    case 4: {
      const std::string b = into(b32);
      return line(Text{"mov.b64 {{_, {}}}, {}", b, of(b64)});
    }
    default: {
      const std::string d = into(b64);
      return line(Text{"mov.b64 {}, {{{}, {}, {}, {}}}", d, of(b16), of(b16), of(b16), of(b16)});
    }
  }
}

}  // namespace swz
