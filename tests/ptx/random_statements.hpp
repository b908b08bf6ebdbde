// SPDX-License-Identifier: Apache-2.0
// StatementWriter: the registers that a random kernel has so far, and one random instruction after the other that reads and writes
// them. Between the files of tests/ptx that write whole kernels.
//
//   one();       mad.lo.s32 %r12, %r3, 4096, %r11;      and %r12 has a value from here on
//   memory();    @%p1 ld.global.u8 %r13, [%rd2];        %r13 had one before
//
// A register is in `pool_` if every way from the beginning wrote it.
#pragma once

#include <algorithm>
#include <array>

#include "ptx/random_text.hpp"

namespace swz {

class StatementWriter : protected RandomDraws {
 protected:
  explicit StatementWriter(std::uint64_t seed) : RandomDraws(seed) {}

  enum Kind { b16, b32, b64, pred, f32 };
  using Pool = std::array<std::vector<std::string>, 5>;  // registers that are written on every way

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

  // A new register, or one that has a value. Known to be written only after the statement.
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
      case 9:
        return bits >= 32 ? pick({"0x80000000", "0x7fffffff", "0xffffff00", "65535", "16777215"})
                          : pick({"-32768", "32767", "255", "128"});
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

  std::string added(Kind kind) {
    may_guard_ = false;
    written_.emplace_back(kind, fresh(kind));
    return written_.back().second;
  }

  void one();
  void memory();
  std::string two(Kind kind, int bits);
  void comparison(Width w);
  void conversion();
  void vectors();

  std::string text_;
  std::size_t indent_ = 0;
  std::array<int, 5> count_ = {};
  Pool pool_;
  std::vector<std::pair<Kind, std::string>> written_;
  std::vector<std::string> kept_;  // that the loops around count with
  bool may_guard_ = false;
};

}  // namespace swz
