// SPDX-License-Identifier: Apache-2.0
#include "sass/random_sass.hpp"

#include "ptx/random_text.hpp"

namespace swz {

namespace {

class SassWriter : private RandomDraws {
 public:
  explicit SassWriter(std::uint64_t seed) : RandomDraws(seed) {}

  std::string write() {
    text_ = "\t.target\tsm_90a\n\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n";
    spills_ = below(3) == 0;
    say("S2R R0, SR_TID.X");
    if (!spills_) say("S2R R1, SR_LANEID");
    say("S2R R2, SR_CTAID.X");
    for (int i = 3; i < 16; ++i) say(Text{"MOV R{}, {}", i, i < 6 ? std::string("c[0x0][0x21c]") : number()});
    for (int i = 4; i < 12; ++i) say(Text{"UMOV UR{}, {}", i, number()});
    say("ULDC.64 UR6, c[0x0][0x218]");
    for (int i = 0; i < 6; ++i) say(Text{"ISETP.GT.U32.AND P{}, PT, R{}, {}, PT", i, below(6), number()});
    for (int i = 0; i < 4; ++i) say(Text{"UISETP.GE.AND UP{}, UPT, UR{}, {}, UPT", i, 4 + below(8), number()});
    for (int i = 0; i < 16 && spills_; ++i) say(Text{"STL [R1+0x{:x}], R{}", 4 * i, 2 + below(14)});
    for (int i = 0; i < 4; ++i) part();
    say("EXIT");
    function();
    return text_;
  }

 private:
  void say(const std::string& instruction) {
    text_ += fmt::format("        /*{:04x}*/                   {} ;\n", offset_, instruction);
    offset_ += 16;
  }
  void some() {
    for (std::uint64_t i = 0; i < 3 + below(6); ++i) say(guarded());
  }
  // A function of registers behind the kernel, perhaps with a branch.
  void function() {
    text_ += "$__internal_0_$function:\n";
    for (std::uint64_t i = 0; i < 2 + below(5); ++i) say(arithmetic());
    if (below(2)) say(Text{"@{} BRA `(.L_f_0)", predicate()});
    say(arithmetic());
    text_ += ".L_f_0:\n";
    say(arithmetic());
    say("RET.REL.NODEC R14 `(k)");
  }
  // What the machine works out from registers alone.
  std::string arithmetic() {
    const auto is_other = [](const std::string& text) {
      return text.starts_with("LD") || text.starts_with("ST") || text.starts_with("FADD") || text.starts_with("SHFL") ||
             text.find("c[") != text.npos;
    };
    std::string text = statement();
    while (is_other(text)) text = statement();
    return (below(4) == 0 ? "@" + predicate() + " " : std::string()) + text;
  }
  void part() {
    const std::string label = fmt::format(".L_x_{}", labels_++);
    switch (below(5)) {
      case 4:
        say("MOV R14, 0x100");
        say((below(4) == 0 ? "@" + predicate() + " " : std::string()) + "CALL.REL.NOINC `($__internal_0_$function)");
        some();
        break;
      case 0:  // under a branch
        say(fmt::format("@{}P{} {}`({})", below(2) ? "!" : "", below(6), below(3) ? "BRA " : "BRA P2, ", label));
        some();
        text_ += label + ":\n";
        break;
      case 1: {  // a loop whose counter nothing else writes
        say("MOV R20, RZ");
        text_ += label + ":\n";
        some();
        say("VIADD R20, R20, 0x1");
        say(Text{"ISETP.LT.U32.AND P6, PT, R20, {}, PT", below(2) ? std::string("0x3") : std::string("R21")});
        say(Text{"@P6 BRA `({})", label});
        break;
      }
      default: some();
    }
  }

  std::string number() {
    switch (below(4)) {
      case 0: return fmt::format("0x{:x}", below(32));
      case 1: return pick({"0xffffffff", "0x80000000", "0x7fffffff", "0x400", "0x1f", "0x0", "-0x8", "0x10000"});
      default: return fmt::format("0x{:x}", random_() & 0xffffffff);
    }
  }
  // Where R1 is the stack, nothing else names it.
  std::string reg() {
    const std::uint64_t number = below(16);
    return fmt::format("R{}", spills_ && number == 1 ? 2 : number);
  }
  std::string pair() { return fmt::format("R{}", spills_ ? 2 + 2 * below(7) : 2 * below(8)); }
  std::string to() { return below(12) == 0 ? std::string("RZ") : fmt::format("R{}", 3 + below(13)); }
  std::string to_pair() { return fmt::format("R{}", 4 + 2 * below(6)); }
  std::string uniform() { return fmt::format("UR{}", 4 + below(8)); }
  std::string predicate() { return fmt::format("{}P{}", below(3) == 0 ? "!" : "", below(6)); }
  std::string any_predicate() { return below(3) == 0 ? pick({"PT", "!PT"}) : predicate(); }
  std::string to_predicate() { return below(3) == 0 ? std::string("PT") : fmt::format("P{}", below(6)); }
  std::string shift() { return fmt::format("0x{:x}", below(32)); }
  // A source of any kind, with a sign or none.
  std::string from() {
    switch (below(8)) {
      case 0: return number();
      case 1: return uniform();
      case 2: return "RZ";
      case 3: return "c[0x0][0x220]";
      case 4: return reg() + ".reuse";
      default: return reg();
    }
  }
  std::string signed_from() { return below(4) == 0 ? "-" + reg() : from(); }

  std::string guarded() {
    const std::string guard = below(3) == 0 ? fmt::format("@{} ", predicate()) : "";
    return guard + (below(6) == 0 && guard.empty() ? uniform_statement() : statement());
  }

  std::string statement() {
    switch (below(36)) {
      case 0: return Text{"MOV {}, {}", to(), from()};
      case 1: return Text{"IMAD.MOV.U32 {}, RZ, RZ, {}", to(), from()};
      case 2: return Text{"IMAD.MOV {}, RZ, RZ, -{}", to(), reg()};
      case 3: return Text{"IMAD {}, {}, {}, {}", to(), reg(), from(), from()};
      case 4: return Text{"IMAD.SHL.U32 {}, {}, 0x{:x}, RZ", to(), reg(), std::uint64_t{1} << below(31)};
      case 5: return Text{"IMAD.IADD {}, {}, 0x1, {}", to(), reg(), signed_from()};
      case 6: return Text{"IMAD.X {}, RZ, RZ, {}, {}", to(), reg(), predicate()};
      case 7: return Text{"IMAD.WIDE{} {}, {}, {}, {}", pick({"", ".U32"}), to_pair(), reg(), from(), pair()};
      case 8: return Text{"IMAD.WIDE.U32.X {}, {}, {}, {}, {}", to_pair(), reg(), reg(), pair(), predicate()};
      case 9:
        return Text{"IMAD.HI{} {}, {}, {}, {}", pick({"", ".U32"}), to(), reg(), number(), below(2) ? "RZ" : pair()};
      case 10: return Text{"IADD3 {}, {}, {}, {}", to(), signed_from(), from(), signed_from()};
      case 11: return Text{"IADD3 {}, {}, {}, {}, {}", to(), to_predicate(), reg(), signed_from(), from()};
      case 12:
        return Text{"IADD3.X {}, {}, {}, {}, {}, !PT", to(), reg(),
                    pick({"RZ", "R5", "~R6", "-0x1"}), "RZ", predicate()};
      case 13: return Text{"VIADD {}, {}, {}", to(), reg(), from()};
      case 14: return Text{"LEA {}, {}, {}, {}", to(), reg(), from(), shift()};
      case 15: return Text{"LEA {}, {}, {}, {}, {}", to(), to_predicate(), reg(), from(), shift()};
      case 16: return Text{"LEA.HI {}, {}, {}, {}, {}", to(), reg(), from(), pick({"RZ", "R7", "R4"}), shift()};
      case 17: return Text{"LEA.HI.SX32 {}, {}, {}, {}", to(), reg(), from(), shift()};
      case 18: return Text{"LEA.HI.X {}, {}, {}, {}, {}, {}", to(), reg(), from(), reg(), shift(), predicate()};
      case 19: return Text{"LEA.HI.X.SX32 {}, {}, {}, {}, {}", to(), reg(), from(), shift(), predicate()};
      case 20: return Text{"SHF.L.U32 {}, {}, {}, RZ", to(), from(), below(2) ? shift() : reg()};
      case 21: return Text{"SHF.R.{}32.HI {}, RZ, {}, {}", pick({"U", "S"}), to(), below(2) ? shift() : reg(), reg()};
      case 22:
        return Text{"SHF.{} {}, {}, {}, {}",
                    pick({"L.U64.HI", "R.U64", "R.S64", "L.U32.HI", "R.U32"}),
                    to(),
                    reg(),
                    shift(),
                    reg()};
      case 23: return Text{"SHF.L.W.U32 {}, {}, {}, RZ", to(), reg(), reg()};
      case 24: return Text{"LOP3.LUT {}, {}, {}, {}, 0x{:x}, !PT", to(), reg(), from(), from(), below(256)};
      case 25: return Text{"LOP3.LUT {}, {}, {}, {}, RZ, 0x{:x}, !PT", to_predicate(), to(), reg(), from(), below(256)};
      case 26:
        return Text{"PLOP3.LUT {}, {}, {}, {}, {}, 0x{:x}, 0x{:x}",
                    to_predicate(),
                    to_predicate(),
                    any_predicate(),
                    any_predicate(),
                    any_predicate(),
                    below(256),
                    below(256)};
      case 27: {
        const std::string a = reg(), b = below(4) == 0 ? a : from();
        return Text{"ISETP.{}{}.{} {}, {}, {}, {}, {}",
                    pick({"LT", "LE", "GT", "GE", "EQ", "NE"}),
                    pick({"", ".U32"}),
                    pick({"AND", "OR", "XOR"}),
                    to_predicate(),
                    to_predicate(),
                    a,
                    b,
                    any_predicate()};
      }
      case 28:
        return Text{"ISETP.{}{}.{}.EX {}, {}, {}, {}, {}, {}",
                    pick({"LT", "LE", "GT", "GE", "EQ", "NE"}),
                    pick({"", ".U32"}),
                    pick({"AND", "OR"}),
                    to_predicate(),
                    "PT",
                    reg(),
                    from(),
                    any_predicate(),
                    predicate()};
      case 29: return Text{"SEL {}, {}, {}, {}", to(), reg(), from(), predicate()};
      case 30: return Text{"SGXT{} {}, {}, 0x{:x}", pick({"", ".U32"}), to(), reg(), 1 + below(32)};
      case 31: return Text{"PRMT {}, {}, 0x{:x}, {}", to(), reg(), below(65536), from()};
      case 32:
        return Text{
            "{} {}, {}{}, {}, {}", pick({"VIMNMX", "VIMNMX.U32", "IMNMX"}), to(), pick({"", "PT, PT, "}), reg(), from(),
            pick({"PT", "!PT"})};
      case 33:
        return Text{
            "VIADDMNMX{} {}, {}, {}, {}, {}", pick({"", ".U32"}), to(), reg(), from(), reg(), pick({"PT", "!PT"})};
      case 34: return rare();
      default: return access();
    }
  }

  std::string rare() {
    switch (below(12)) {
      case 8: return spills_ ? spill() : Text{"POPC {}, {}", to(), reg()};
      case 9:
        return Text{"ISETP.{}.{}.{} {}, {}, {}, {}, {}",
                    pick({"LT", "LE", "GT", "GE", "EQ", "NE"}),
                    pick({"U64", "S64"}),
                    pick({"AND", "OR", "XOR"}),
                    to_predicate(),
                    to_predicate(),
                    pair(),
                    below(2) ? pair() : pick({"RZ", "0x7", "UR6"}),
                    any_predicate()};
      case 10: return Text{"RPCMOV.32 Rpc.LO, {}", reg()};
      case 11: return Text{"RPCMOV.32 {}, Rpc.LO", to()};
      case 0: return Text{"IABS {}, {}", to(), reg()};
      case 1: return Text{"POPC {}, {}", to(), reg()};
      case 2: return Text{"BREV {}, {}", to(), reg()};
      case 3: return Text{"R2P PR, {}, 0x{:x}", reg(), below(64)};
      case 4: return Text{"P2R {}, PR, RZ, 0x{:x}", to(), below(64)};
      case 5: return Text{"CS2R {}, SRZ", to_pair()};
      case 6:
        return Text{"HFMA2.MMA {}, -RZ, RZ, {}, {}", to(), pick({"0", "1.5", "-2", "0.0001220703125"}),
                    pick({"5.9604644775390625e-08", "65504", "0"})};
      default: return Text{"BMSK {}, 0x{:x}, 0x{:x}", to(), below(32), below(33)};
    }
  }

  // A word of 16, or a part of one.
  std::string spill() {
    const std::string part = pick({"", "", ".64", ".U8", ".S8", ".U16", ".S16"});
    const std::uint64_t bytes = part.empty() ? 4 : part == ".64" ? 8 : part.ends_with("8") ? 1 : 2;
    const std::uint64_t place = bytes * below(64 / bytes);
    if (below(2)) return Text{"LDL{} {}, [R1+0x{:x}]", part, bytes == 8 ? to_pair() : to(), place};
    return Text{"STL{} [R1+0x{:x}], {}", bytes < 4 ? fmt::format(".U{}", 8 * bytes) : part, place,
                bytes == 8 ? to_pair() : reg()};
  }

  std::string access() {
    if (spills_ && below(2)) return spill();
    switch (below(6)) {
      case 0: return Text{"LDS {}, [{}+0x{:x}]", to(), reg(), 4 * below(64)};
      case 1: return Text{"LDS.64 {}, [{}+{}]", to_pair(), reg(), uniform()};
      case 2: return Text{"STS [{}], {}", reg(), reg()};
      case 3: return Text{"LDC.64 {}, c[0x0][0x218]", to_pair()};
      case 4: return Text{"FADD {}, {}, {}", to(), reg(), reg()};
      default: return Text{"SHFL.IDX PT, {}, {}, RZ, 0x1f", to(), reg()};
    }
  }

  std::string uniform_statement() {
    const std::string d = uniform(), a = uniform(), b = below(2) ? uniform() : number();
    switch (below(10)) {
      case 0: return Text{"UMOV {}, {}", d, b};
      case 1: return Text{"UIADD3 {}, {}, {}, URZ", d, a, b};
      case 2: return Text{"UIADD3 {}, UPT, UPT, {}, {}, {}", d, a, b, uniform()};
      case 3: return Text{"ULEA {}, {}, {}, {}", d, a, b, shift()};
      case 4: return Text{"ULOP3.LUT {}, {}, {}, URZ, 0x{:x}, !UPT", d, a, b, below(256)};
      case 5: return Text{"USHF.R.U32.HI {}, URZ, {}, {}", d, shift(), a};
      case 6: return Text{"USEL {}, {}, {}, UP{}", d, a, b, below(4)};
      case 7: return Text{"USGXT.U32 {}, {}, 0x{:x}", d, a, 1 + below(32)};
      case 8: return Text{"UP2UR {}, UPR, URZ, 0x{:x}", d, below(16)};
      default: return Text{"UISETP.GT.AND UP{}, UPT, {}, {}, UPT", below(4), a, b};
    }
  }

  std::string text_;
  std::uint64_t offset_ = 0;
  int labels_ = 0;
  bool spills_ = false;  // R1 is the stack
};

}  // namespace

std::string random_sass(std::uint64_t seed) { return SassWriter(seed).write(); }

}  // namespace swz
