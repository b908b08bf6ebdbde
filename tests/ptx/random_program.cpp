#include "ptx/random_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <vector>

namespace swz {

namespace {

// A formatted text. Its parts are drawn in their order: in braces, C++ says so; of a function's arguments it does not.
//
//   Text{"add.s32 {}, {}", of(b32), number(32)}
struct Text : std::string {
  template <class... Parts>
  Text(fmt::format_string<Parts...> how, Parts&&... parts) : std::string(fmt::format(how, std::forward<Parts>(parts)...)) {}
};

class RandomWriter {
 public:
  RandomWriter(std::uint64_t seed, RandomProgram how) : random_(seed), how_(how) {}

  std::string write() {
    begin();
    block(how_.statements, 0, true);
    std::string out = ".version 8.5\n.target sm_90a\n.address_size 64\n";
    out += ".extern .shared .align 1024 .b8 dynamic[];\n";
    if (below(2)) out += Text{".shared .align {} .b8 outer[{}];\n", 1 << below(11), 16 * below(100)};
    out += ".visible .entry k(\n  .param .u64 p0,\n  .param .u32 p1,\n  .param .align 64 .b8 p2[128]\n)\n";
    if (below(3) == 0) out += pick({".reqntid 128, 1, 1\n", ".maxntid 256, 1, 1\n", ".reqntid 16, 8, 2\n", ".maxntid 64, 4, 1\n"});
    out += Text{"{{\n  .reg .b16 %rs<{}>;\n  .reg .b32 %r<{}>;\n  .reg .b64 %rd<{}>;\n  .reg .pred %p<{}>;\n  .reg .f32 %f<{}>;\n", count_[0],
                       count_[1], count_[2], count_[3], count_[4]};
    out += Text{"  .shared .align {} .b8 inner[{}];\n", 1 << below(8), 1 + below(5000)};
    return out + text_ + "  ret;\n}\n";
  }

 private:
  enum Kind { b16, b32, b64, pred, f32 };
  using Pool = std::array<std::vector<std::string>, 5>;  // registers that are written on every way

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::string pick(std::initializer_list<const char*> all) { return *(all.begin() + below(all.size())); }
  void line(const std::string& what) { text_ += std::string(indent_, ' ') + guard() + what + ";\n"; }
  void plain(const std::string& what) { text_ += std::string(indent_, ' ') + what + "\n"; }

  std::string guard() {
    if (!may_guard_ || below(12) != 0) return "";
    return Text{"@{}{} ", below(2) ? "!" : "", of(pred)};
  }

  std::string fresh(Kind kind) {
    constexpr std::array<const char*, 5> prefix = {"%rs", "%r", "%rd", "%p", "%f"};
    return Text{"{}{}", prefix[kind], count_[kind]++};
  }
  const std::string& of(Kind kind) {
    const std::vector<std::string>& all = pool_[kind];
    // The newest more often.
    const std::size_t back = below(2) ? below(std::min<std::size_t>(all.size(), 5)) : below(all.size());
    return all[all.size() - 1 - back];
  }

  // A new register, or one that has a value. Known to be written behind the statement alone.
  std::string into(Kind kind) {
    may_guard_ = false;
    if (below(5) == 0) {
      std::string old = of(kind);
      if (std::find(kept_.begin(), kept_.end(), old) == kept_.end()) {
        may_guard_ = true;
        return old;
      }
    }
    written_.emplace_back(kind, fresh(kind));
    return written_.back().second;
  }
  void settle() {
    for (auto& [kind, name] : written_) pool_[kind].push_back(name);
    written_.clear();
    may_guard_ = false;
  }

  std::string number(int bits) {
    switch (below(12)) {
      case 0: return "0";
      case 1: return "1";
      case 2: return "-1";
      case 3: return pick({"31", "32", "33", "63", "64", "65", "15", "16", "7"});
      case 4:
      case 5: return Text{"{}", std::uint64_t{1} << below(static_cast<std::uint64_t>(std::min(bits, 63)))};
      case 6: return Text{"{}", (std::uint64_t{1} << below(static_cast<std::uint64_t>(std::min(bits, 63)))) - 1};
      case 7: return Text{"{:#x}", random_() & (bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1)};
      case 8: return Text{"-{}", std::uint64_t{1} << below(static_cast<std::uint64_t>(std::min(bits, 31)))};
      case 9: return bits >= 32 ? pick({"0x80000000", "0x7fffffff", "0xffffff00", "65535", "16777215"}) : pick({"-32768", "32767", "255", "128"});
      default: return Text{"{}", below(128)};
    }
  }
  // A shift or the place of a field: in the register, at its end or a little beyond.
  std::string amount() {
    if (below(4) == 0) return of(b32);
    return Text{"{}", below(3) == 0 ? below(70) : below(20)};
  }
  std::string operand(Kind kind, int bits) { return below(3) == 0 ? number(bits) : of(kind); }

  struct Width {
    Kind kind;
    int bits;
  };
  Width width(bool has_16 = true) {
    const std::uint64_t which = below(8);
    if (which == 0 && has_16) return {b16, 16};
    return which < 6 ? Width{b32, 32} : Width{b64, 64};
  }
  char sign() { return below(2) ? 's' : 'u'; }

  // ---- statements

  void begin() {
    indent_ = 2;
    for (const char* name : {"p0", "p2"}) {
      pool_[b64].push_back(fresh(b64));
      plain(Text{"ld.param.u64 {}, [{}];", pool_[b64].back(), name});
    }
    for (const char* from : {"%tid.x", "%ctaid.x", "%laneid", "inner", "dynamic", "%tid.y"}) {
      pool_[b32].push_back(fresh(b32));
      plain(Text{"mov.u32 {}, {};", pool_[b32].back(), from});
    }
    for (const int byte : {0, 4, 68}) {
      pool_[b32].push_back(fresh(b32));
      plain(Text{"ld.param.u32 {}, [{}+{}];", pool_[b32].back(), byte == 0 ? "p1" : "p2", byte});
    }
    pool_[b16].push_back(fresh(b16));
    plain(Text{"cvt.u16.u32 {}, {};", pool_[b16].back(), of(b32)});
    for (int i = 0; i < 2; ++i) {
      pool_[pred].push_back(fresh(pred));
      plain(Text{"setp.{}.u32 {}, {}, {};", i == 0 ? "lt" : "ne", pool_[pred].back(), of(b32), of(b32)});
    }
    pool_[f32].push_back(fresh(f32));
    plain(Text{"mov.b32 {}, {};", pool_[f32].back(), of(b32)});
  }

  void block(int statements, int depth, bool is_together) {
    for (int i = 0; i < statements; ++i) {
      const std::uint64_t what = below(40);
      if (what == 0 && depth < 3 && how_.branches) i += choice(depth);
      else if (what == 1 && depth < 3 && how_.loops) i += loop(depth);
      else if (what == 2) scoped();
      else if (what < 5 && is_together) of_the_warp();
      else if (what == 5) memory();
      else one();
      settle();
    }
  }

  int choice(int depth) {
    const int id = labels_++, inside = 1 + static_cast<int>(below(6));
    plain(Text{"@{}{} bra ELSE_{};", below(2) ? "!" : "", of(pred), id});
    const Pool before = pool_;
    block(inside, depth + 1, false);
    pool_ = before;
    if (below(2)) {
      plain(Text{"bra END_{};", id});
      plain(Text{"ELSE_{}:", id});
      block(inside, depth + 1, false);
      pool_ = before;
      plain(Text{"END_{}:", id});
    } else {
      plain(Text{"ELSE_{}:", id});
    }
    return inside;
  }

  // A counter and a pointer; the end is a constant or a small value of the lane or of the kernel.
  int loop(int depth) {
    const int id = labels_++, inside = 2 + static_cast<int>(below(6));
    const std::string i = fresh(b32), pointer = fresh(below(2) ? b32 : b64), p = fresh(pred), bound = fresh(b32), phase = fresh(b32);
    const bool is_64 = pointer[2] == 'd', is_of_lane = below(3) == 0, checks_first = below(3) == 0;
    const int step = 1 << below(4);
    const auto passes = 1 + below(4);
    if (is_of_lane) {
      plain(Text{"and.b32 {}, {}, 3;", bound, of(b32)});
      plain(Text{"mul.lo.s32 {0}, {0}, {1};", bound, step});
    } else {
      plain(Text{"mov.u32 {}, {};", bound, passes * static_cast<std::uint64_t>(step)});
    }
    plain(Text{"mov.u32 {}, 0;", i});
    plain(Text{"mov.u32 {}, {};", phase, below(2) ? "0" : of(b32)});
    plain(Text{"{} {}, {};", is_64 ? "mov.u64" : "mov.u32", pointer, is_64 ? of(b64) : below(2) ? "dynamic" : of(b32)});
    const std::size_t kept = kept_.size();
    for (const std::string& one : {i, bound, p, pointer}) kept_.push_back(one);
    const Pool before = pool_;
    plain(Text{"LOOP_{}:", id});
    if (checks_first) {
      plain(Text{"setp.ge.u32 {}, {}, {};", p, i, bound});
      plain(Text{"@{} bra OUT_{};", p, id});
    }
    pool_[b32].push_back(i);
    pool_[b32].push_back(phase);
    pool_[is_64 ? b64 : b32].push_back(pointer);
    block(inside, depth + 1, false);
    // What the body writes has a value behind a loop that runs once at least and has no way out in the middle.
    const bool leaves = below(3) == 0;
    const Pool written = pool_;
    if (leaves) {
      plain(Text{"@{} bra OUT_{};", of(pred), id});
      block(2, depth + 1, false);
    }
    plain(Text{"{} {}, {}, 1;", below(2) ? "xor.b32" : "add.s32", phase, phase});
    if (below(4) == 0) plain(Text{"selp.b32 {0}, 0, {0}, {1};", phase, of(pred)});
    plain(Text{"{} {}, {}, {};", is_64 ? "add.s64" : "add.s32", pointer, pointer, below(2) ? 128 << below(6) : static_cast<int>(below(512)) - 256});
    plain(Text{"add.s32 {}, {}, {};", i, i, step});
    if (checks_first) {
      plain(Text{"bra LOOP_{};", id});
    } else {
      const bool equal = !is_of_lane && below(2);
      plain(Text{"setp.{} {}, {}, {};", equal ? "ne.s32" : pick({"lt.s32", "lt.u32"}), p, i, bound});
      plain(Text{"@{} bra LOOP_{};", p, id});
    }
    plain(Text{"OUT_{}:", id});
    pool_ = checks_first || leaves ? before : written;
    kept_.resize(kept);
    pool_[b32].push_back(i);
    pool_[b32].push_back(phase);
    pool_[is_64 ? b64 : b32].push_back(pointer);
    return inside;
  }

  // Registers and a label that mean something else outside.
  void scoped() {
    const std::string d = into(b32), a = of(b32), b = of(b32);
    plain("{");
    plain("  .reg .pred q;");
    plain("  .reg .b32 t, %r0;");
    plain("  mov.u32 %r0, 77;");
    plain(Text{"  add.u32 t, {}, {};", a, number(32)});
    plain(Text{"  setp.{}.{}32 q, t, {};", pick({"eq", "ne", "lt", "ge"}), sign(), operand(b32, 32)});
    plain(Text{"  mov.b32 {}, t;", d});
    if (below(2)) {
      plain("  @q bra DONE;");
      plain(Text{"  xor.b32 {}, {}, t;", d, b});
      plain("  DONE:");
    } else {
      plain(Text{"  @q shl.b32 {}, {}, {};", d, d, amount()});
    }
    plain("}");
  }

  void of_the_warp() {
    const std::string d = into(b32);
    may_guard_ = false;
    const std::uint64_t what = below(6);
    const std::string p = what < 4 && below(2) ? "|" + added(pred) : "";
    switch (what) {
      case 0: {
        const std::string from = below(2) ? Text{"{}", below(32)} : of(b32);
        return line(Text{"shfl.sync.idx.b32 {}{}, {}, {}, {}, -1", d, p, of(b32), from, pick({"31", "31", "0x1c1f", "0x181f", "15"})});
      }
      case 1: return line(Text{"shfl.sync.bfly.b32 {}{}, {}, {}, {}, -1", d, p, of(b32), 1 << below(5), pick({"31", "0x1c1f", "0x181f"})});
      case 2: return line(Text{"shfl.sync.up.b32 {}{}, {}, {}, 0, -1", d, p, of(b32), below(32)});
      case 3: return line(Text{"shfl.sync.down.b32 {}{}, {}, {}, 31, -1", d, p, of(b32), amount()});
      case 4: return line(Text{"elect.sync {}|{}, -1", d, added(pred)});
      default: return line(Text{"vote.sync.ballot.b32 {}, {}, -1", d, of(pred)});
    }
  }
  std::string added(Kind kind) {
    may_guard_ = false;
    written_.emplace_back(kind, fresh(kind));
    return written_.back().second;
  }

  void memory() {
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
  std::string two(Kind kind, int bits) {
    std::string d = into(kind);
    return Text{"{}, {}, {}", d, of(kind), operand(kind, bits)};
  }

  void one() {
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
        return line(Text{"mul.wide.{}{} {}, {}, {}", s, half ? 16 : 32, d, of(half ? b16 : b32), half ? number(16) : operand(b32, 32)});
      }
      case 5: {
        const std::string d = into(w.kind);
        return line(Text{"mad.{}.{}{} {}, {}, {}, {}", pick({"lo", "lo", "hi"}), s, w.bits, d, of(w.kind), operand(w.kind, w.bits), of(w.kind)});
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
        return line(Text{"{}.{}{} {}, {}, {}", pick({"div", "rem"}), s, w.bits, d, of(w.kind), below(4) == 0 ? of(w.kind) : number(w.bits)});
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
        const std::string table = below(2) ? pick({"0x6a", "0xf8", "0xe2", "0xca", "0x96", "0xc0", "0x30", "0xa8", "0x56", "0xb8"}) : Text{"{:#x}", below(256)};
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
        return line(Text{"shf.{}.{}.b32 {}, {}, {}, {}", pick({"l", "r"}), pick({"wrap", "clamp"}), d, operand(b32, 32), operand(b32, 32), amount()});
      }
      case 24:
      case 25: {
        const std::string d = into(wide.kind);
        return line(Text{"bfe.{}{} {}, {}, {}, {}", s, wide.bits, d, of(wide.kind), amount(), amount()});
      }
      case 26: {
        const std::string d = into(wide.kind);
        return line(Text{"bfi.b{} {}, {}, {}, {}, {}", wide.bits, d, of(wide.kind), operand(wide.kind, wide.bits), amount(), amount()});
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
        if (below(2)) return line(Text{"prmt.b32 {}, {}, {}, {}", d, of(b32), operand(b32, 32), below(4) == 0 ? of(b32) : Text{"{:#x}", below(65536)}});
        return line(Text{"prmt.b32.{} {}, {}, {}, {}", pick({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}), d, of(b32), of(b32), operand(b32, 32)});
      }
      case 31: {
        const std::string d = into(b32);
        if (below(2)) return line(Text{"szext.{}.{}32 {}, {}, {}", pick({"wrap", "clamp"}), s, d, of(b32), amount()});
        return line(Text{"bmsk.{}.b32 {}, {}, {}", pick({"wrap", "clamp"}), d, amount(), amount()});
      }
      case 32:
      case 33: {
        const std::string d = into(w.kind);
        return line(Text{"selp.b{} {}, {}, {}, {}", w.bits, d, operand(w.kind, w.bits), operand(w.kind, w.bits), of(pred)});
      }
      case 34: {
        const std::string d = into(w.kind);
        return line(Text{"slct.{}{}.s32 {}, {}, {}, {}", below(2) ? 'b' : s, w.bits, d, of(w.kind), operand(w.kind, w.bits), of(b32)});
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

  void comparison(Width w) {
    const std::string d = into(pred), more = below(3) == 0 ? "|" + added(pred) : "";
    if (!more.empty()) may_guard_ = false;
    const bool is_b = below(6) == 0;
    const std::string how = is_b ? pick({"eq", "ne"}) : pick({"eq", "ne", "lt", "le", "gt", "ge"});
    const bool is_unsigned_name = !is_b && below(6) == 0;
    const std::string type = Text{"{}{}", is_b ? 'b' : is_unsigned_name ? 'u' : sign(), w.bits};
    const std::string name = is_unsigned_name ? pick({"lo", "ls", "hi", "hs"}) : how;
    const std::string a = of(w.kind), b = operand(w.kind, w.bits);
    if (below(3) != 0) return line(Text{"setp.{}.{} {}{}, {}, {}", name, type, d, more, a, b});
    line(Text{"setp.{}.{}.{} {}{}, {}, {}, {}{}", name, pick({"and", "or", "xor"}), type, d, more, a, b, below(2) ? "!" : "", of(pred)});
  }

  void conversion() {
    struct Form {
      const char* what;
      Kind to, from;
    };
    static constexpr Form forms[] = {
        {"u64.u32", b64, b32}, {"s64.s32", b64, b32}, {"u32.u64", b32, b64}, {"s32.s64", b32, b64}, {"u32.u16", b32, b16}, {"s32.s16", b32, b16},
        {"u16.u32", b16, b32}, {"s32.s8", b32, b32}, {"u32.u8", b32, b32}, {"u64.u16", b64, b16}, {"s64.s16", b64, b16}, {"u64.s32", b64, b32},
        {"s64.u32", b64, b32}, {"s8.s32", b32, b32}, {"u8.u32", b32, b32}, {"s16.s32", b32, b32}, {"u16.u32", b32, b32}, {"s16.s64", b16, b64},
        {"u32.s8", b32, b16}, {"s8.u32", b16, b32}, {"sat.u8.s32", b32, b32}, {"sat.s16.s32", b16, b32}, {"sat.u32.s64", b32, b64}, {"s32.s16", b64, b32},
    };
    const Form& form = forms[below(std::size(forms))];
    const std::string d = into(form.to);
    line(Text{"cvt.{} {}, {}", form.what, d, of(form.from)});
  }

  void vectors() {
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

  std::mt19937_64 random_;
  RandomProgram how_;
  std::string text_;
  std::size_t indent_ = 0;
  std::array<int, 5> count_ = {};
  Pool pool_;
  std::vector<std::pair<Kind, std::string>> written_;
  std::vector<std::string> kept_;  // that the loops around count with
  bool may_guard_ = false;
  int labels_ = 0;
};

}  // namespace

namespace {

class AccessWriter {
 public:
  explicit AccessWriter(std::uint64_t seed) : random_(seed) {}

  std::string write() {
    line("ld.param.u64 %rd0, [p0];");
    for (int i = 0; i < 4; ++i) line(Text{"mov.u32 %d{}, {};", i, i});  // a guard may keep them
    for (const char* from : {"%tid.x", "%tid.y", "%ctaid.x", "%laneid"}) line(Text{"mov.u32 {}, {};", fresh(lanes_), from});
    uniform_.push_back(lanes_[2]);
    lanes_.erase(lanes_.begin() + 2);
    for (int i = 0; i < 3; ++i) line(Text{"ld.param.u32 {}, [p1+{}];", fresh(uniform_), 4 * i});
    line(Text{"shr.u32 %rw, {}, 5;", lanes_[0]});
    line("shfl.sync.idx.b32 %rw, %rw, 0, 31, -1;");
    uniform_.push_back("%rw");
    for (int i = 0; i < 5; ++i) statement(0);
    std::string out = Text{".version 8.5\n.target sm_90a\n.address_size 64\n.extern .shared .align {} .b8 dynamic[];\n", 16 << below(7)};
    out += ".visible .entry k(.param .u64 p0, .param .align 16 .b8 p1[32])\n";
    out += pick({".reqntid 128, 1, 1\n", ".reqntid 32, 4, 1\n", ".reqntid 8, 8, 2\n", ".reqntid 256, 1, 1\n", ".reqntid 48, 1, 1\n"});
    out += Text{"{{\n.reg .b32 %r<{0}>, %rw, %d<4>;\n.reg .b64 %rd<2>, %w<2>;\n.reg .f32 %f<4>;\n.reg .pred %p<{0}>;\n.shared .align {1} .b8 inner[{2}];\n", count_ + 1, 16 << below(7),
                       16 * (1 + below(1000))};
    return out + text_ + "ret;\n}\n";
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  template <class T>
  const T& pick(const std::vector<T>& all) { return all[below(all.size())]; }
  std::string pick(std::initializer_list<const char*> all) { return *(all.begin() + below(all.size())); }
  void line(const std::string& what) { text_ += what + "\n"; }
  std::string fresh() { return Text{"%r{}", count_++}; }
  std::string fresh(std::vector<std::string>& into) {
    into.push_back(fresh());
    return into.back();
  }

  // A field of a value, at another place: ((x >> a) & mask) << b, in one of the ways that compilers write it.
  std::string field(const std::string& of) {
    const std::string d = fresh();
    const std::uint64_t from = below(6), bits = 1 + below(5), to = 4 + below(8);
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    switch (below(6)) {
      case 5:
        line(Text{"cvt.s32.s{} {}, {};", below(2) ? 16 : 8, d, of});
        line(Text{"shl.b32 {0}, {0}, {1};", d, to});
        break;
      case 0:
        line(Text{"bfe.u32 {}, {}, {}, {};", d, of, from, bits});
        line(Text{"shl.b32 {0}, {0}, {1};", d, to});
        break;
      case 1:
        line(Text{"shl.b32 {}, {}, {};", d, of, to});
        line(Text{"and.b32 {0}, {0}, {1};", d, mask << to});
        break;
      case 2:
        line(Text{"shr.u32 {}, {}, {};", d, of, from});
        line(Text{"and.b32 {0}, {0}, {1};", d, mask});
        line(Text{"mul.lo.u32 {0}, {0}, {1};", d, below(2) ? 1 << to : 16 * (1 + below(33))});
        break;
      case 3:
        line(Text{"bfe.s32 {}, {}, {}, {};", d, of, from, bits});
        line(Text{"and.b32 {0}, {0}, {1};", d, (mask << to) & ~std::uint64_t{15}});
        break;
      default:
        line(Text{"and.b32 {}, {}, {};", d, of, mask << from});
        line(Text{"mad.lo.s32 {0}, {0}, {1}, {2};", d, 16 << below(6), 16 * below(64)});
        break;
    }
    return d;
  }

  std::string combined(const std::string& a, const std::string& b) {
    const std::string d = fresh();
    switch (below(9)) {
      case 0:
      case 1:
      case 2: line(Text{"add.s32 {}, {}, {};", d, a, b}); break;
      case 3:
      case 4: line(Text{"xor.b32 {}, {}, {};", d, a, b}); break;
      case 5: line(Text{"or.b32 {}, {}, {};", d, a, b}); break;
      case 6:
        if (below(2)) {
          line(Text{"sub.s32 {}, {}, {};", d, a, b});
          break;
        }
        line(Text{"not.b32 {}, {};", d, b});  // a + ~b + 1
        line(Text{"add.s32 {0}, {0}, 1;", d});
        line(Text{"add.s32 {0}, {0}, {1};", d, a});
        break;
      case 7: line(Text{"lop3.b32 {}, {}, {}, {}, {};", d, a, b, 1008, pick({"0x6a", "0x78", "0xf8", "0xea"})}); break;
      default:
        line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"lt", "eq", "ge"}), count_, pick(lanes_), 1 << below(5)});
        line(Text{"selp.b32 {}, {}, {}, %p{};", d, a, b, count_});
        ++count_;
        break;
    }
    return d;
  }

  std::string address() {
    std::string sum = field(pick(lanes_));
    const auto terms = 1 + below(3);
    for (std::uint64_t i = 0; i < terms; ++i) sum = combined(sum, field(below(3) == 0 ? pick(uniform_) : pick(lanes_)));
    if (below(3)) {
      const std::string d = fresh();
      line(Text{"and.b32 {}, {}, {};", d, sum, pick({"0x3fff0", "0x7ff0", "0xffffff80", "0x1fc00"})});
      sum = d;
    }
    if (below(2)) sum = combined(sum, field(pick(uniform_)));
    // Variables are on 16 bytes, which masks and sums keep.
    const std::string d = fresh();
    line(Text{"mov.u32 {}, {};", d, pick({"dynamic", "inner"})});
    if (below(4) == 0) {
      const std::string up = fresh();
      line(Text{"add.s32 {}, {}, 1023;", up, d});
      line(Text{"and.b32 {0}, {0}, -1024;", up});
      return combined(up, sum);
    }
    return combined(d, sum);
  }

  void access(const std::string& at) {
    const auto offset = 16 * (below(8) == 0 ? below(most_offset / 16) : below(20));
    const std::string guard = below(4) == 0 ? Text{"@%p{} ", count_} : Text{""};
    if (!guard.empty()) line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"lt", "ne", "gt"}), count_++, below(3) ? pick(lanes_) : pick(uniform_), below(40)});
    switch (below(11)) {
      case 7: return line(Text{"{}red.shared.add.u32 [{}+{}], %d{};", guard, at, offset, below(4)});
      case 8: return line(Text{"{}atom.shared.add.u32 %d3, [{}+{}], 1;", guard, at, offset});
      case 9: return line(Text{"{}atom.shared.cas.b32 %d2, [{}+{}], %d0, %d1;", guard, at, offset});
      case 10: return line(Text{"{}atom.shared.exch.b64 %rd1, [{}+{}], %rd0;", guard, at, offset});
      case 0: return line(Text{"{}ld.shared.b32 %d0, [{}+{}];", guard, at, offset});
      case 1: return line(Text{"{}ld.shared.v2.b32 {{%d0, %d1}}, [{}+{}];", guard, at, offset});
      case 2: return line(Text{"{}ld.shared.v4.b32 {{%d0, %d1, %d2, %d3}}, [{}+{}];", guard, at, offset});
      case 3: return line(Text{"{}st.shared.v4.b32 [{}+{}], {{%d0, %d1, %d2, %d3}};", guard, at, offset});
      case 4: return line(Text{"{}st.shared.b16 [{}+{}], %d0;", guard, at, offset});
      case 5: return line(Text{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%d0, %d1, %d2, %d3}}, [{}+{}];", at, offset});
      default: return line(Text{"{}cp.async.cg.shared.global [{}+{}], [%rd0], 16;", guard, at, offset});
    }
  }

  // A word for wgmma: the start, 16 bytes a unit, and the fields above it; then the K of one instruction further.
  void descriptor(const std::string& word, const std::string& start) {
    line(Text{"cvt.u64.u32 {}, {};", word, start});
    if (below(2)) {
      line(Text{"bfe.u64 {0}, {0}, 4, 14;", word});
    } else {
      line(Text{"shr.u64 {0}, {0}, 4;", word});
      line(Text{"and.b64 {0}, {0}, 16383;", word});
    }
    line(Text{"{0} {1}, {1}, {2};", pick({"or.b64", "add.s64", "xor.b64"}), word, pick({"0x4000004000010000", "0x8000002000400000", "0xC000001000010000"})});
    if (below(2)) line(Text{"add.s64 {0}, {0}, {1};", word, 2 * below(4)});
  }

  // A tile anywhere in what a CTA may have, at one place or at a place that a uniform value moves: two words or a bulk copy.
  void tile() {
    std::string at = fresh();
    line(Text{"mov.u32 {}, {};", at, pick({"dynamic", "inner"})});
    line(Text{"add.s32 {0}, {0}, {1};", at, 16 * below(most_offset / 16)});
    if (below(3) == 0) at = combined(at, field(pick(uniform_)));
    if (below(2)) return line(Text{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{}+{}], [%rd0], 512, [inner];", at, 16 * below(8)});
    descriptor("%w0", at);
    descriptor("%w1", at);
    if (below(3) == 0) {
      line(Text{"and.b32 %d0, {}, {};", pick(uniform_), pick({"0x80000000", "0x40", "0xc0000000"})});
      line(Text{"or.b32 %d0, %d0, {};", pick({"0x8200490", "0x88200490"})});
      return line("tcgen05.mma.cta_group::1.kind::f16 [%d1], %w0, %w1, %d0, 1;");
    }
    line("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %w0, %w1, 1, 1, 1, 0, 0;");
  }

  void statement(int depth) {
    const std::uint64_t what = below(8);
    if (what == 0 && depth < 2) {
      const int id = labels_++;
      line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"lt", "eq"}), count_, below(2) ? pick(lanes_) : pick(uniform_), below(34)});
      line(Text{"@%p{} bra SKIP_{};", count_++, id});
      const std::vector<std::string> lanes = lanes_, uniform = uniform_;
      statement(depth + 1);
      lanes_ = lanes;
      uniform_ = uniform;
      return line(Text{"SKIP_{}:", id});
    }
    if (what == 3 && depth < 2) {
      const int id = labels_++;
      const std::string index = fresh();
      line(Text{"shr.u32 {}, {}, {};", index, below(3) == 0 ? pick(lanes_) : pick(uniform_), below(6)});
      line(Text{"and.b32 {0}, {0}, 1;", index});
      line(Text{"WAYS_{0}: .branchtargets ZERO_{0}, ONE_{0};", id});
      line(Text{"brx.idx {}, WAYS_{};", index, id});
      for (const char* way : {"ZERO", "ONE"}) {
        const std::vector<std::string> lanes = lanes_, uniform = uniform_;
        line(Text{"{}_{}:", way, id});
        statement(depth + 1);
        lanes_ = lanes;
        uniform_ = uniform;
        line(Text{"bra.uni END_{};", id});
      }
      return line(Text{"END_{}:", id});
    }
    if (what < 3 && depth < 2) {
      const int id = labels_++;
      const std::string i = fresh(), at = address(), moving = fresh(), p = Text{"%p{}", count_++};
      line(Text{"mov.u32 {}, 0;", i});
      line(Text{"mov.u32 {}, {};", moving, at});
      line(Text{"LOOP_{}:", id});
      access(moving);
      const std::vector<std::string> lanes = lanes_, uniform = uniform_;
      uniform_.push_back(i);
      if (below(2)) statement(depth + 1);
      lanes_ = lanes;
      uniform_ = uniform;
      if (below(4) == 0) line(Text{"xor.b32 {0}, {0}, {1};", moving, 16 << below(8)});
      else if (below(4) == 0) line(Text{"add.s32 {0}, {0}, {1};", moving, field(pick(uniform_))});
      else line(Text{"add.s32 {0}, {0}, {1};", moving, 16 * below(300)});
      line(Text{"add.s32 {0}, {0}, 1;", i});
      line(Text{"setp.lt.u32 {}, {}, {};", p, i, below(4) == 0 ? field(pick(lanes_)) : Text{"{}", 1 + below(4)}});
      line(Text{"@{} bra LOOP_{};", p, id});
      return;
    }
    if (what == 4) tile();
    else access(address());
    if (below(2)) lanes_.push_back(field(pick(lanes_)));
    if (below(4) == 0) {
      const std::string a = pick(lanes_);
      lanes_.push_back(combined(a, pick(uniform_)));
    }
    if (below(8) == 0) uniform_.push_back("%d0");
  }

  static constexpr std::uint64_t most_offset = 227 * 1024;

  std::mt19937_64 random_;
  std::string text_;
  int count_ = 0, labels_ = 0;
  std::vector<std::string> lanes_, uniform_;
};

}  // namespace

std::string random_accesses(std::uint64_t seed) { return AccessWriter(seed).write(); }

std::string random_ptx(std::uint64_t seed, RandomProgram how) { return RandomWriter(seed, how).write(); }

}  // namespace swz
