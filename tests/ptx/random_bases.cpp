// SPDX-License-Identifier: Apache-2.0
#include "ptx/random_program.hpp"
#include "ptx/random_text.hpp"

namespace swz {

namespace {

class BaseWriter : RandomDraws {
 public:
  explicit BaseWriter(std::uint64_t seed) : RandomDraws(seed) {}

  std::string write() {
    const bool has_other = below(3) != 0;  // an array that is not the only one may begin anywhere
    line("mov.u32 %t, %tid.x;");
    line("ld.param.u32 %p, [p];");
    if (has_other) line("st.shared.u32 [o], %t;");
    for (std::uint64_t i = 0; i < 3; ++i) {
      const std::string base = below(2) ? odd_base() : rounded_base();
      for (std::uint64_t k = 0; k < 2; ++k) access(base);
    }
    std::string out = Text{".version 8.5\n.target {}\n.address_size 64\n", pick({"sm_90a", "sm_100a"})};
    out += Text{".shared .align {} .b8 s[{}];\n", pick({"1", "2", "4", "16", "128", "1024"}), 16384};
    out += Text{".shared .align {} .b8 o[{}];\n", pick({"1", "4", "8"}), 5 + below(60)};
    out += Text{".visible .entry k(.param .u32 p) .reqntid {}\n{{\n", pick({"32", "64", "96", "16, 4, 1"})};
    out += Text{".reg .b16 %h; .reg .b32 %t, %p, %a, %b, %c, %d, %r<{0}>; .reg .b64 %w<{0}>; .reg .pred %q<{0}>;\n",
                count_ + 1};
    return out + text_ + "ret;\n}\n";
  }

 private:
  void line(const std::string& what) { text_ += what + "\n"; }
  std::string fresh() { return Text{"%r{}", count_++}; }

  // The array and something that all lanes share, at any place in a word.
  std::string start() {
    const std::string out = fresh();
    line(Text{"mov.u32 {}, {};", out, pick({"s", "s", "s+1", "s+2*8+2"})});
    if (below(3) == 0) line(Text{"add.u32 {0}, {0}, {1};", out, below(40)});
    if (below(2)) {
      line(Text{"and.b32 %a, %p, {};", pick({"0xfff", "0xffe", "0xffc", "0xff0", "3", "1"})});
      line(Text{"add.u32 {0}, {0}, %a;", out});
    }
    return out;
  }
  std::string odd_base() { return start(); }

  // In the ways in which compilers and people write it.
  std::string rounded_base() {
    const std::string from = start(), out = fresh();
    const int size = below(2) ? 128 : 1024;
    switch (below(4)) {
      case 0:
        line(Text{"add.u32 {}, {}, {};", out, from, size - 1});
        line(Text{"and.b32 {0}, {0}, {1};", out, -size});
        return out;
      case 1:
        line(Text{"neg.s32 %a, {};", from});
        line(Text{"and.b32 %a, %a, {};", size - 1});
        line(Text{"add.u32 {}, {}, %a;", out, from});
        return out;
      case 2:
        line(Text{"and.b32 %a, {}, {};", from, size - 1});
        line(Text{"sub.u32 %b, {}, %a;", size});
        line(Text{"add.u32 %b, {}, %b;", from});
        line(Text{"setp.eq.u32 %q{}, %a, 0;", count_});
        line(Text{"selp.b32 {}, {}, %b, %q{};", out, from, count_});
        return out;
      default:
        line(Text{"cvt.u64.u32 %w{}, {};", count_, from});
        line(Text{"cvta.shared.u64 %w{0}, %w{0};", count_});
        line(Text{"add.s64 %w{0}, %w{0}, {1};", count_, size - 1});
        line(Text{"and.b64 %w{0}, %w{0}, {1};", count_, -size});
        line(Text{"cvta.to.shared.u64 %w{0}, %w{0};", count_});
        line(Text{"cvt.u32.u64 {}, %w{};", out, count_++});
        return out;
    }
  }

  void access(const std::string& base) {
    const int bytes = pick(std::vector<int>{1, 1, 2, 4, 8, 16});
    std::string lane = "%t";
    if (below(3) == 0) {
      line(Text{"and.b32 %c, %t, {};", pick({"1", "3", "7", "24", "30"})});
      lane = "%c";
    }
    line(Text{"mul.lo.u32 %d, {}, {};", lane, below(3) == 0 ? static_cast<std::uint64_t>(bytes) : 1 + below(200)});
    if (below(2) == 0) line(Text{"and.b32 %d, %d, {};", -bytes});
    if (below(3) == 0) {  // chunks of 16 B in rows, as swizzles move them
      line("shr.u32 %b, %d, 3;");
      line("and.b32 %b, %b, 112;");
      line("xor.b32 %d, %d, %b;");
    }
    line(Text{"add.u32 %d, {}, %d;", base});
    if (below(4) == 0) line(Text{"xor.b32 %d, %d, {};", pick({"1", "2", "16", "64"})});
    if (bytes == 1) return line("st.shared.u8 [%d], %t;");
    if (bytes == 2) return line("ld.shared.u16 %h, [%d];");
    if (bytes == 4) return line("st.shared.u32 [%d], %t;");
    if (bytes == 8) return line("st.shared.v2.u32 [%d], {%t, %t};");
    line("st.shared.v4.u32 [%d], {%t, %t, %t, %t};");
  }

  std::string text_;
  int count_ = 0;
};

}  // namespace

std::string random_bases(std::uint64_t seed) { return BaseWriter(seed).write(); }

}  // namespace swz
