// SPDX-License-Identifier: Apache-2.0
#include "ptx/random_program.hpp"

#include <cstdlib>

#include "ptx/random_statements.hpp"

namespace swz {

namespace {

// The name of a scope's own register or label is written t~3~: it is t where scopes hide what is outside, and t_in3_ where all
// names are apart.
std::string named(const std::string& text, ScopeNames names) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '~') {
      out += text[at];
      continue;
    }
    const std::size_t end = text.find('~', at + 1);
    if (names == ScopeNames::apart) out += "_in" + text.substr(at + 1, end - at - 1) + "_";
    at = end;
  }
  return out;
}

constexpr const char* functions = R"(.func (.param .b32 found) place(.param .b32 of)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [of];
  mad.lo.s32 %r2, %r1, 32, 16;
  st.param.b32 [found], %r2;
  ret;
}
.func (.reg .b32 %found) place_of(.reg .b32 %of)
{
  shl.b32 %found, %of, 5;
  ret;
}
)";

class RandomWriter : StatementWriter {
 public:
  RandomWriter(std::uint64_t seed, RandomProgram how) : StatementWriter(seed), how_(how) {}

  std::string write() {
    begin();
    block(how_.statements, 0, true);
    std::string out = ".version 8.5\n.target sm_90a\n.address_size 64\n";
    out += ".extern .shared .align 1024 .b8 dynamic[];\n";
    if (below(2)) out += Text{".shared .align {} .b8 outer[{}];\n", 1 << below(11), 16 * below(100)};
    out += functions;
    out += ".visible .entry k(\n  .param .u64 p0,\n  .param .u32 p1,\n  .param .align 64 .b8 p2[128]\n)\n";
    if (below(3) == 0)
      out += pick({".reqntid 128, 1, 1\n", ".maxntid 256, 1, 1\n", ".reqntid 16, 8, 2\n", ".maxntid 64, 4, 1\n"});
    out += Text{
        "{{\n  .reg .b16 %rs<{}>;\n  .reg .b32 %r<{}>;\n  .reg .b64 %rd<{}>;\n  .reg .pred %p<{}>;\n  .reg .f32 "
        "%f<{}>;\n",
        count_[0],
        count_[1],
        count_[2],
        count_[3],
        count_[4]};
    out += "  .reg .b64 %own, %own_generic;\n  .local .align 8 .b8 depot[64];\n";
    out += Text{"  .shared .align {} .b8 inner[{}];\n", 1 << below(8), 1 + below(5000)};
    return named(out + text_ + "  ret;\n}\n", how_.names);
  }

 private:
  // ---- statements

  void begin() {
    indent_ = 2;
    for (const char* name : {"p0", "p2"}) {
      pool_[b64].push_back(fresh(b64));
      plain(Text{"ld.param.u64 {}, [{}];", pool_[b64].back(), name});
    }
    for (const char* from : {"%tid.x", "%ctaid.x", "%laneid", "inner", "dynamic", "%tid.y", "%tid.z", "%ntid.x"}) {
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
    plain("mov.u64 %own, depot;");
    plain("cvta.local.u64 %own_generic, %own;");
  }

  void block(int statements, int depth, bool is_together) {
    for (int i = 0; i < statements; ++i) {
      const std::uint64_t what = below(40);
      if (what == 0 && depth < 3 && how_.branches) i += choice(depth);
      else if (what == 1 && depth < 3 && how_.loops) i += loop(depth);
      else if (what == 2) below(2) ? scoped() : hiding();
      else if (what < 5 && is_together) of_the_warp();
      else if (what == 5) memory();
      else if (what == 6 && how_.privates) below(2) ? own_memory() : call();
      else if (what == 7 && how_.leaves && below(2)) leave();
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
    const std::string i = fresh(b32), pointer = fresh(below(2) ? b32 : b64), p = fresh(pred), bound = fresh(b32),
                      phase = fresh(b32);
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
    // What the body writes has a value after a loop that runs once at least and has no way out in the middle.
    const bool leaves = below(3) == 0;
    const Pool written = pool_;
    if (leaves) {
      plain(Text{"@{} bra OUT_{};", of(pred), id});
      block(2, depth + 1, false);
    }
    plain(Text{"{} {}, {}, 1;", below(2) ? "xor.b32" : "add.s32", phase, phase});
    if (below(4) == 0) plain(Text{"selp.b32 {0}, 0, {0}, {1};", phase, of(pred)});
    if (below(5) == 0) {  // the next pass has what memory holds
      const std::string found = fresh(b32);
      plain(Text{"ld.shared.b32 {}, [{}];", found, below(2) ? phase : "inner"});
      plain(Text{"{} {}, {}, {};", pick({"add.s32", "and.b32", "xor.b32"}), phase, phase, found});
    }
    plain(Text{"{} {}, {}, {};", is_64 ? "add.s64" : "add.s32", pointer, pointer,
               below(2) ? 128 << below(6) : static_cast<int>(below(512)) - 256});
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

  // Registers and a label that mean something else outside, if nothing inside needs them.
  void scoped() {
    const std::string d = into(b32), a = of(b32), b = of(b32), more = operand(b32, 32), by = amount();
    int hidden = 0;
    const auto is_read = [&] {
      return std::ranges::count(std::array{d, a, b, more, by}, fmt::format("%r{}", hidden)) != 0;
    };
    while (is_read()) ++hidden;
    const std::string in = Text{"~{}~", scopes_++};
    plain("{");
    plain(Text{"  .reg .pred q{};", in});
    plain(Text{"  .reg .b32 t{0}, %r{0}{1};", in, hidden});
    plain(Text{"  mov.u32 %r{}{}, 77;", in, hidden});
    plain(Text{"  add.u32 t{}, {}, {};", in, a, number(32)});
    plain(Text{"  setp.{}.{}32 q{}, t{}, {};", pick({"eq", "ne", "lt", "ge"}), sign(), in, in, more});
    plain(Text{"  mov.b32 {}, t{};", d, in});
    if (below(2)) {
      plain(Text{"  @q{0} bra DONE{0};", in});
      plain(Text{"  xor.b32 {}, {}, t{};", d, b, in});
      plain(Text{"  DONE{}:", in});
    } else {
      plain(Text{"  @q{} shl.b32 {}, {}, {};", in, d, d, by});
    }
    plain("}");
  }

  // A range of registers that hides those of the same names outside, as inline assembly has it. Names after the range are the
  // outer ones.
  void hiding() {
    const std::string d = into(b32), a = of(b32);
    may_guard_ = false;
    const int hidden = std::min({std::atoi(d.c_str() + 2), std::atoi(a.c_str() + 2), 9});
    if (hidden == 0) return line(Text{"mov.b32 {}, {}", d, a});
    const std::string in = Text{"%r~{}~", scopes_++};
    plain("{");
    plain(Text{"  .reg .b32 {}<{}>;", in, hidden});
    plain(Text{"  mad.lo.u32 {}{}, {}, {}, {};", in, hidden - 1, a, number(32), number(32)});
    plain(Text{"  shl.b32 {0}0, {0}{1}, {2};", in, hidden - 1, below(9)});
    plain(Text{"  xor.b32 {}, {}0, {};", d, in, a});
    plain("}");
  }

  // The array that each lane has for itself, by its name, by a register, and by a generic address.
  void own_memory() {
    const std::uint64_t at = 4 * below(14);
    const bool is_generic = below(2) != 0;
    const std::string base = is_generic ? "%own_generic"
                             : below(2) ? "%own"
                                        : "depot",
                      space = is_generic ? "" : ".local";
    if (below(3) == 0) return plain(Text{"st{}.b32 [{}+{}], {};", space, base, at, of(b32)});
    switch (below(3)) {
      case 0: return line(Text{"ld{}.b64 {}, [{}+{}]", space, into(b64), base, at / 8 * 8});
      case 1: return line(Text{"ld{}.{} {}, [{}+{}]", space, pick({"u8", "s16", "b32"}), into(b32), base, at});
      default: {
        const std::string a = added(b32), b = added(b32);
        return line(Text{"ld{}.v2.b32 {{{}, {}}}, [{}+{}]", space, a, b, base, at / 8 * 8});
      }
    }
  }

  // The argument and the result lie in variables of the call, or in registers as in old PTX.
  void call() {
    const std::string d = into(b32), a = of(b32);
    may_guard_ = false;
    if (below(4) == 0) return line(Text{"call.uni ({}), place_of, ({})", d, a});
    plain("{");
    plain("  .param .b32 argument, result;");
    plain(Text{"  st.param.b32 [argument], {};", a});
    plain("  call.uni (result), place, (argument);");
    plain(Text{"  ld.param.b32 {}, [result];", d});
    plain("}");
  }

  // Lanes end here, as those of inline assembly do; nvcc branches to the end.
  void leave() {
    const std::string p = added(pred);
    plain(Text{"setp.{}.u32 {}, {}, {};", pick({"eq", "gt", "lt"}), p, of(b32), below(40)});
    plain(Text{"@{}{} {};", below(4) == 0 ? "!" : "", p, pick({"exit", "ret", "trap"})});
  }

  void of_the_warp() {
    const std::string d = into(b32);
    may_guard_ = false;
    const std::uint64_t what = below(6);
    const std::string p = what < 4 && below(2) ? "|" + added(pred) : "";
    switch (what) {
      case 0: {
        const std::string from = below(2) ? Text{"{}", below(32)} : of(b32);
        return line(Text{"shfl.sync.idx.b32 {}{}, {}, {}, {}, -1", d, p, of(b32), from,
                         pick({"31", "31", "0x1c1f", "0x181f", "15"})});
      }
      case 1:
        return line(Text{"shfl.sync.bfly.b32 {}{}, {}, {}, {}, -1", d, p, of(b32), 1 << below(5),
                         pick({"31", "0x1c1f", "0x181f"})});
      case 2: return line(Text{"shfl.sync.up.b32 {}{}, {}, {}, 0, -1", d, p, of(b32), below(32)});
      case 3: return line(Text{"shfl.sync.down.b32 {}{}, {}, {}, 31, -1", d, p, of(b32), amount()});
      case 4: return line(Text{"elect.sync {}|{}, -1", d, added(pred)});
      default: return line(Text{"vote.sync.ballot.b32 {}, {}, -1", d, of(pred)});
    }
  }

  RandomProgram how_;
  int labels_ = 0, scopes_ = 0;
};

}  // namespace

std::string random_ptx(std::uint64_t seed, RandomProgram how) { return RandomWriter(seed, how).write(); }

}  // namespace swz
