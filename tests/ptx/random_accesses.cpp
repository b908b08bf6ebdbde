// SPDX-License-Identifier: Apache-2.0
#include "ptx/random_program.hpp"
#include "ptx/random_text.hpp"

namespace swz {

namespace {

class AccessWriter : RandomDraws {
 public:
  explicit AccessWriter(std::uint64_t seed) : RandomDraws(seed) {}

  std::string write() {
    line("ld.param.u64 %rd0, [p0];");
    for (int i = 0; i < 4; ++i) line(Text{"mov.u32 %d{}, {};", i, i});  // a guard may keep them
    for (const char* from : {"%tid.x", "%tid.y", "%ctaid.x", "%laneid"})
      line(Text{"mov.u32 {}, {};", fresh(lanes_), from});
    uniform_.push_back(lanes_[2]);
    lanes_.erase(lanes_.begin() + 2);
    for (int i = 0; i < 3; ++i) line(Text{"ld.param.u32 {}, [p1+{}];", fresh(uniform_), 4 * i});
    line(Text{"shr.u32 %rw, {}, 5;", lanes_[0]});
    line("shfl.sync.idx.b32 %rw, %rw, 0, 31, -1;");
    uniform_.push_back("%rw");
    for (int i = 0; i < 5; ++i) statement(0);
    std::string out = Text{".version 8.5\n.target sm_90a\n.address_size 64\n.extern .shared .align {} .b8 dynamic[];\n",
                           16 << below(7)};
    out += ".visible .entry k(.param .u64 p0, .param .align 16 .b8 p1[32])\n";
    out += pick({".reqntid 128, 1, 1\n", ".reqntid 32, 4, 1\n", ".reqntid 8, 8, 2\n", ".reqntid 256, 1, 1\n",
                 ".reqntid 48, 1, 1\n"});
    out += Text{
        "{{\n.reg .b32 %r<{0}>, %rw, %d<4>;\n.reg .b64 %rd<2>, %w<2>;\n.reg .f32 %f<4>;\n.reg .pred %p<{0}>;\n.shared "
        ".align {1} .b8 inner[{2}];\n",
        count_ + 1, 16 << below(7), 16 * (1 + below(1000))};
    return out + text_ + "ret;\n}\n";
  }

 private:
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
    line(Text{"mov.u32 {}, {};", d, pick({"dynamic", "inner", "dynamic+64", "inner+16*3-32"})});
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
    if (!guard.empty())
      line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"lt", "ne", "gt"}), count_++,
                below(3) ? pick(lanes_) : pick(uniform_), below(40)});
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
      case 5:
        return line(Text{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%d0, %d1, %d2, %d3}}, [{}+{}];", at, offset});
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
    line(Text{"{0} {1}, {1}, {2};", pick({"or.b64", "add.s64", "xor.b64"}), word,
              pick({"0x4000004000010000", "0x8000002000400000", "0xC000001000010000"})});
    if (below(2)) line(Text{"add.s64 {0}, {0}, {1};", word, 2 * below(4)});
  }

  // A tile anywhere in what a CTA may have, at one place or at a place that a uniform value moves: two words or a bulk copy.
  void tile() {
    std::string at = fresh();
    line(Text{"mov.u32 {}, {};", at, pick({"dynamic", "inner", "dynamic+1024"})});
    line(Text{"add.s32 {0}, {0}, {1};", at, 16 * below(most_offset / 16)});
    if (below(3) == 0) at = combined(at, field(pick(uniform_)));
    if (below(3) == 0) return tensor_copy(at);
    if (below(2))
      return line(
          Text{"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{}+{}], [%rd0], 512, [inner];", at,
               16 * below(8)});
    descriptor("%w0", at);
    descriptor("%w1", at);
    if (below(3) == 0) {
      line(Text{"and.b32 %d0, {}, {};", pick(uniform_), pick({"0x80000000", "0x40", "0xc0000000"})});
      line(Text{"or.b32 %d0, %d0, {};", pick({"0x8200490", "0x88200490"})});
      return line("tcgen05.mma.cta_group::1.kind::f16 [%d1], %w0, %w1, %d0, 1;");
    }
    line("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %w0, %w1, 1, 1, 1, 0, 0;");
  }

  // A coordinate, an offset or a mask: a constant, one that takes a step, or what lanes share.
  std::string copied_number() {
    switch (below(3)) {
      case 0: return Text{"{}", below(300)};
      case 1: {
        const std::string d = fresh();
        line(Text{"mov.u32 {}, {};", d, below(300)});
        line(Text{"{1}.b32 {0}, {0}, {2};", d, pick({"or", "and", "xor", "shl"}), 1 + below(9)});
        return d;
      }
      default: return combined(pick(uniform_), field(pick(uniform_)));
    }
  }

  void tensor_copy(const std::string& at) {
    const std::string x = copied_number(), y = copied_number(), z = copied_number(), offset = copied_number(),
                      mask = copied_number();
    const auto form = below(4);
    const std::string start = "cp.async.bulk.tensor.", bytes = ".mbarrier::complete_tx::bytes";
    if (form == 0)
      return line(Text{"{}2d.global.shared::cta.tile.bulk_group [%rd0, {{{}, {}}}], [{}];", start, x, y, at});
    if (form == 1)
      return line(Text{"{}3d.shared::cluster.global.im2col{} [{}], [%rd0, {{{}, {}, {}}}], [inner], {{{}}};", start,
                       bytes, at, x, y, z, offset});
    if (form == 2)
      return line(
          Text{"{}2d.shared::cluster.global.tile::gather4{}.multicast::cluster [{}], [%rd0, {{{}, {}, {}, {}, {}}}], "
               "[inner+8], {};",
               start, bytes, at, x, y, z, offset, y, mask});
    line(Text{"{}1d.shared::cluster.global.tile{}.multicast::cluster [{}], [%rd0, {{{}}}], [inner], {};", start, bytes,
              at, x, mask});
  }

  void statement(int depth) {
    const std::uint64_t what = below(8);
    if (what == 0 && depth < 2) {
      const int id = labels_++;
      line(Text{"setp.{}.u32 %p{}, {}, {};", pick({"lt", "eq"}), count_, below(2) ? pick(lanes_) : pick(uniform_),
                below(34)});
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

  std::string text_;
  int count_ = 0, labels_ = 0;
  std::vector<std::string> lanes_, uniform_;
};

}  // namespace

std::string random_accesses(std::uint64_t seed) { return AccessWriter(seed).write(); }

}  // namespace swz
