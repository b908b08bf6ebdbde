// SPDX-License-Identifier: Apache-2.0
#include "ptx/random_program.hpp"
#include "ptx/random_text.hpp"

namespace swz {

namespace {

class PassWriter : RandomDraws {
 public:
  explicit PassWriter(std::uint64_t seed) : RandomDraws(seed) {}

  std::string write() {
    for (const char* from : {"%tid.x", "%tid.y", "%tid.z", "%laneid"})
      line(Text{"mov.u32 {}, {};", fresh(lanes_), from});
    line("mov.u32 %s, s;");
    const auto statements = 1 + below(2);
    for (std::uint64_t i = 0; i < statements; ++i) {
      if (below(8) == 0) leave();
      loop(0);
    }
    access();
    std::string out = ".version 8.5\n.target sm_90a\n.address_size 64\n.visible .entry k()\n";
    out += Text{".reqntid {}\n", pick({"64, 1, 1", "32, 2, 1", "16, 4, 1", "8, 4, 4", "24, 4, 1"})};
    out += Text{"{{\n.reg .b32 %s, %d, %r<{0}>;\n.reg .pred %p<{0}>;\n.shared .align 128 .b8 s[65536];\n", count_ + 1};
    return out + text_ + "ret;\n}\n";
  }

 private:
  void line(const std::string& what) { text_ += what + "\n"; }
  std::string fresh() { return Text{"%r{}", count_++}; }
  std::string fresh(std::vector<std::string>& into) {
    into.push_back(fresh());
    return into.back();
  }

  void leave() {
    line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"ge", "lt", "eq"}), count_, pick(lanes_), below(32)});
    line(Text{"@%p{} {};", count_++, pick({"exit", "ret", "trap"})});
  }

  // A lane, a counter or a value that moves, times some words; a second one may be added.
  std::string address() {
    const std::string d = fresh();
    line(Text{"mad.lo.s32 {}, {}, {}, %s;", d, pick(lanes_), 4 * (1 + below(33))});
    if (!counters_.empty() && below(2)) line(Text{"mad.lo.s32 {0}, {1}, {2}, {0};", d, pick(counters_), 4 * below(40)});
    if (!moving_.empty() && below(2)) line(Text{"mad.lo.s32 {0}, {1}, 4, {0};", d, pick(moving_)});
    if (!moving_.empty() && below(4) == 0) line(Text{"mad.lo.s32 {0}, {1}, {2}, {0};", d, pick(moving_), pick(lanes_)});
    line(Text{"and.b32 {0}, {0}, 0x3fffc;", d});
    return d;
  }

  void access() {
    std::string guard;
    if (below(2)) {
      line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"lt", "le", "eq", "gt", "ge"}), count_, pick(lanes_), bound()});
      guard = Text{"@%p{} ", count_++};
    }
    const std::string at = address();
    if (below(2)) line(Text{"{}ld.shared.b32 %d, [{}];", guard, at});
    else line(Text{"{}st.shared.b32 [{}], {};", guard, at, pick(lanes_)});
  }
  std::string bound() {
    return counters_.empty() || below(4) == 0 ? Text{"{}", below(34)} : Text{"{}", pick(counters_)};
  }

  // What the next pass has in the register.
  void advance(const std::string& one) {
    switch (below(7)) {
      case 0: return line(Text{"add.s32 {0}, {0}, {1};", one, below(60)});
      case 1: return line(Text{"shl.b32 {0}, {0}, 1;", one});
      case 2: return line(Text{"shr.u32 {0}, {0}, 1;", one});
      case 3: return line(Text{"add.s32 {0}, {0}, {1};", one, pick(lanes_)});
      case 4: return line(Text{"xor.b32 {0}, {0}, {1};", one, 1 + below(31)});
      case 5: {  // a search: half the distance, to the right if the place holds less
        const std::string place = fresh(), found = fresh();
        line(Text{"mad.lo.s32 {}, {}, 4, %s;", place, one});
        line(Text{"and.b32 {0}, {0}, 0xfffc;", place});
        line(Text{"ld.shared.b32 {}, [{}];", found, place});
        line(Text{"setp.lt.u32 %p{}, {}, {};", count_, found, 1 + below(1 << 30)});
        return line(Text{"@%p{} add.s32 {}, {}, {};", count_++, one, one, 1 << below(6)});
      }
      default: return line(Text{"mad.lo.s32 {0}, {0}, 3, 1;", one});
    }
  }

  void loop(int depth) {
    const int id = labels_++;
    const std::string i = fresh(), p = Text{"%p{}", count_++};
    const std::uint64_t kind = below(4);  // of the counter: up, up by two, doubled, halved
    const bool checks_first = below(3) == 0, is_of_lanes = below(6) == 0;
    const auto passes = 1 + below(depth == 0 ? 12 : 5);
    line(Text{"mov.u32 {}, {};", i, kind == 2 ? 1 : kind == 3 ? 1 << (passes - 1) : below(2) ? 0 : below(8)});
    const std::string end = fresh();
    if (kind == 2) line(Text{"mov.u32 {}, {};", end, 1 << passes});
    else if (kind == 3) line(Text{"mov.u32 {}, 0;", end});
    else line(Text{"add.u32 {}, {}, {};", end, i, passes * (kind == 1 ? 2 : 1)});
    if (is_of_lanes && kind < 2) line(Text{"min.u32 {0}, {0}, {1};", end, pick(lanes_)});
    const std::vector<std::string> lanes = lanes_, counters = counters_, moving = moving_;
    for (std::uint64_t k = 1 + below(2); k > 0; --k)
      line(Text{"mov.u32 {}, {};", fresh(moving_), below(2) ? pick(lanes) : Text{"{}", below(32)}});
    counters_.push_back(i);
    const std::vector<std::string> own(moving_.end() - static_cast<std::ptrdiff_t>(moving_.size() - moving.size()),
                                       moving_.end());
    const char* ends = kind == 3 ? "eq" : "ge";
    line(Text{"LOOP_{}:", id});
    if (checks_first) {
      line(Text{"setp.{}.u32 {}, {}, {};", ends, p, i, end});
      line(Text{"@{} bra OUT_{};", p, id});
    }
    access();
    if (depth == 0 && below(3) == 0) loop(depth + 1);
    if (below(3) == 0) {  // a part that is passed over
      line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"lt", "ge", "ne"}), count_, pick(lanes_), bound()});
      line(Text{"@%p{} bra OVER_{};", count_++, id});
      access();
      line(Text{"OVER_{}:", id});
    }
    for (const std::string& one : own) advance(one);
    if (kind < 2) line(Text{"add.u32 {0}, {0}, {1};", i, kind + 1});
    else line(Text{"{} {}, {}, 1;", kind == 2 ? "shl.b32" : "shr.u32", i, i});
    if (checks_first) {
      line(Text{"bra LOOP_{};", id});
    } else {
      line(Text{"setp.{}.u32 {}, {}, {};", kind == 3 ? "ne" : "lt", p, i, end});
      line(Text{"@{} bra LOOP_{};", p, id});
    }
    line(Text{"OUT_{}:", id});
    counters_ = counters;
    moving_ = moving;
  }

  std::string text_;
  int count_ = 0, labels_ = 0;
  std::vector<std::string> lanes_, counters_, moving_;
};

}  // namespace

std::string random_passes(std::uint64_t seed) { return PassWriter(seed).write(); }

}  // namespace swz
