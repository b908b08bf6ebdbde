// SPDX-License-Identifier: Apache-2.0
// Shapes: division, comparison, selection, compact strides, and what is made after a layout: each law over every
// coordinate, or by counting.
#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include "base/error.hpp"
#include "evaluated.hpp"
#include "expr/evaluate.hpp"
#include "layout/analysis.hpp"
#include "layout/derived.hpp"
#include "layout/shape_algebra.hpp"
#include "random_layouts.hpp"

using namespace swz;
using test::evaluated;

namespace {

using Tuple = std::vector<IntTuple>;

std::set<std::int64_t> offsets_of(const ComposedLayout& l) {
  std::set<std::int64_t> out;
  for (std::int64_t i = 0; i < l.size(); ++i) out.insert(l(i));
  return out;
}

}  // namespace

TEST_CASE("shapes: division") {
  for (std::int64_t a = 1; a < 40; ++a)
    for (std::int64_t b = 1; b < 40; ++b) {
      const std::int64_t up = ceil_div(IntTuple(a), IntTuple(b)).value();
      CHECK(up * b >= a);
      CHECK((up - 1) * b < a);
      CHECK(round_up(IntTuple(a), IntTuple(b)).value() == up * b);
      if (a % b == 0 || b % a == 0) CHECK(shape_div(IntTuple(a), IntTuple(b)).value() == up);
      else CHECK_THROWS_AS(shape_div(IntTuple(a), IntTuple(b)), Error);
    }
  CHECK(evaluated("ceil_div((10,7), (4,2))") == "(3,4)");
  CHECK(evaluated("ceil_div((10,7), (4))") == "(3,7)");  // missing modes are 1
  CHECK(evaluated("ceil_div(10, (2,2))") == "3");
  CHECK(evaluated("shape_div((4,5,6), 40)") == "(1,1,3)");
  CHECK(evaluated("shape_div(((2,4),8), ((2,2),4))") == "((1,2),2)");
  CHECK(evaluated("round_up((10,7,5),(4,2))") == "(12,8,5)");
  CHECK(evaluated("ceil_div(20, 4:2)") == "(2,3)");  // the rest of logical_divide(20, 4:2)
  CHECK(evaluated("shape_div((4,5,6), 7)") == "shape_div: neither of 4 and 7 divides the other");
  CHECK(evaluated("ceil_div((4,5), (1,2,3))") == "(4,5) and (1,2,3) do not have the same rank");
  CHECK(evaluated("ceil_div(4, 0)") == "4 / 0 is not a division of sizes");
  CHECK(evaluated("round_up((4,5), 3)") == "(4,5) and 3 do not have the same rank");
}

TEST_CASE("shapes: congruent, weakly congruent, compatible") {
  test::RandomLayouts random(90);
  for (int n = 0; n < 2000; ++n) {
    const IntTuple a = random.shape(static_cast<int>(random.number(1, 3)), {1, 2, 4});
    const IntTuple b = random.shape(static_cast<int>(random.number(1, 3)), {1, 2, 4});
    INFO(to_string(a) << " " << to_string(b));
    CHECK((weakly_congruent(a, b) && weakly_congruent(b, a)) == congruent(a, b));
    if (compatible(a, b)) {
      CHECK(weakly_congruent(a, b));
      CHECK(product(a) == product(b));
      // Every coordinate of a is one of b, and means the same index.
      for (std::int64_t i = 0; i < product(a); ++i) REQUIRE(crd2idx(idx2crd(i, a), b) == i);
    }
    CHECK(compatible(a, a));
    CHECK(compatible(IntTuple(product(a)), a));
  }
  CHECK(evaluated("compatible(24, (4,6))") == "1");
  CHECK(evaluated("compatible((4,6), 24)") == "0");
  CHECK(evaluated("congruent((8,64):(64,1), (1,1))") == "1");
  CHECK(evaluated("congruent((2,4), (1,(1,1)))") == "0");
  CHECK(evaluated("weakly_congruent((1,1), (1,(1,1)))") == "1");
}

TEST_CASE("shapes: slice, dice, filter_zeros, reverse") {
  CHECK(evaluated("slice((_,(1,_)), (8,(4,16)))") == "(8,16)");
  CHECK(evaluated("dice((2,(1,_)), (8,(4,16)))") == "(8,4)");
  CHECK(evaluated("slice(_, (8,4))") == "(8,4)");
  CHECK(evaluated("dice(3, (8,4))") == "(8,4)");
  CHECK(evaluated("slice((_,3), (8,64):(64,1))") == evaluated("(8,64):(64,1)(_,3)"));
  CHECK(evaluated("dice((_,3), (8,64):(64,1))") == "(64):(1)");
  CHECK(evaluated("slice((1,2), (3,4))") == "nothing of (3,4) is left at (1,2)");
  CHECK(evaluated("dice((_,1), (3,4,5))") == "(_,1) and (3,4,5) do not have the same rank");
  CHECK(evaluated("slice(8:1, (3,4))") == "expected a coordinate, got the layout 8:1");
  CHECK(evaluated("filter_zeros((2,4):(0,1))") == "(1,4):(0,1)");
  CHECK(evaluated("filter_zeros((2,(4,3)):(8,(1,0)), (1,0))") == "(2,(1,1)):(8,(1,0))");
  CHECK(evaluated("filter_zeros((0,3,(0,2)))") == "(1,3,(1,2))");
  CHECK(evaluated("reverse((8,(2,4)):(1,(8,16)))") == "((2,4),8):((8,16),1)");
  CHECK(evaluated("reverse((1,(2,3)))") == "((2,3),1)");
  CHECK(evaluated("reverse(Sw<3,3,3> o 0 o (8,64):(64,1))") == "Sw<3,3,3> o 0 o (64,8):(1,64)");
}

TEST_CASE("shapes: compact strides number every place once") {
  test::RandomLayouts random(91);
  for (int n = 0; n < 500; ++n) {
    const IntTuple shape = random.shape(static_cast<int>(random.number(1, 4)));
    for (const IntTuple& stride : {compact_col_major(shape), compact_row_major(shape)}) {
      const Layout l(shape, stride);
      INFO(to_string(l));
      CHECK(analyse(l).bijective == true);
    }
    CHECK(compact_col_major(shape) == Layout(shape).stride());
    // Row-major is column-major of the leaves from the last to the first.
    std::vector<std::int64_t> extents = flat_values(shape), strides = flat_values(compact_row_major(shape));
    std::ranges::reverse(extents);
    std::ranges::reverse(strides);
    CHECK(strides == flat_values(Layout(IntTuple(Tuple(extents.begin(), extents.end()))).stride()));
  }
  CHECK(evaluated("compact_row_major((2,(4,1),8))") == "(32,(8,0),1)");
  CHECK(evaluated("compact_row_major((2,4), 3)") == "(12,3)");
  CHECK(evaluated("compact_col_major((2,4), (5,7))") == "(5,7)");
  CHECK(evaluated("compact_major<LayoutRight>((2,4,8))") == "(32,8,1)");
  CHECK(evaluated("compact_major<GenColMajor>((2,4,8))") == "(1,2,8)");
  CHECK(evaluated("compact_order((2,4,8),(2,0,1))") == "(32,1,4)");
  CHECK(evaluated("compact_major<4>((2,4))") == "expected LayoutLeft or LayoutRight, found '4'");
}

TEST_CASE("derived: make_layout_like keeps the order of the strides") {
  test::RandomLayouts random(92);
  int made = 0;
  for (int n = 0; n < 2000; ++n) {
    const Layout l = n % 2 == 0 ? random.any(4) : random.compact(4, true);
    INFO(to_string(l));
    try {
      const Layout like = make_layout_like(l);
      REQUIRE(like.shape() == l.shape());
      std::int64_t distinct = 1;
      for (std::size_t i = 0; i < l.modes().size(); ++i) {
        const FlatMode a = l.modes()[i], b = like.modes()[i];
        if (a.extent > 1) CHECK((a.stride == 0) == (b.stride == 0));
        if (b.stride != 0) distinct *= a.extent;
        for (std::size_t k = 0; k < i; ++k) {
          const FlatMode c = l.modes()[k], d = like.modes()[k];
          if (b.stride != 0 && d.stride != 0) CHECK((c.stride < a.stride) == (d.stride < b.stride));
        }
      }
      const auto offsets = static_cast<std::int64_t>(offsets_of(like).size());
      CHECK(offsets == distinct);
      CHECK(cosize(like) == distinct);
      ++made;
    } catch (const Error& e) {
      CHECK(e.message().find("so nothing orders them") != std::string::npos);
    }
  }
  CHECK(made > 1000);
  CHECK(evaluated("make_layout_like((2,2,2,2):(0,2,4,1))") == "(2,2,2,2):(0,2,4,1)");  // CuTe's own examples
  CHECK(evaluated("make_layout_like((2,3,4,5):(0,42,1,0))") == "(2,3,4,5):(0,4,1,0)");
  CHECK(evaluated("make_fragment_like((4,8,2):(8,1,32))") == "(4,8,2):(1,4,32)");
  CHECK(evaluated("make_fragment_like(((2,2),4,2):((0,9),2,1))") == "((2,2),4,2):((0,1),4,2)");
  // By CuTe 4.2: a stride of 0 stays in the first mode alone.
  CHECK(evaluated("make_fragment_like((8,4):(0,0))") == "(8,(4)):(0,(1))");
  CHECK(evaluated("make_fragment_like(8:4)") == "8:1");
  CHECK(evaluated("make_layout_like((2,2):(1,1))") ==
        "two modes of (2,2):(1,1) have the stride 1, so nothing orders them");
}

TEST_CASE("derived: the offsets of a layout are whole units of its max_alignment, and of nothing larger") {
  test::RandomLayouts random(93);
  for (int n = 0; n < 2000; ++n) {
    const Layout plain = n % 2 == 0 ? random.any(4) : random.compact(4, true);
    const int bits = static_cast<int>(random.number(0, 2));
    const ComposedLayout l = n % 3 == 0
                                 ? ComposedLayout(Swizzle(bits, static_cast<int>(random.number(0, 3)), 3), 0, plain)
                                 : ComposedLayout(plain);
    const std::int64_t unit = max_alignment(l);
    INFO(to_string(l) << " " << unit);
    const std::set<std::int64_t> offsets = offsets_of(l);
    for (const std::int64_t x : offsets)
      for (std::int64_t k = 0; k < unit; ++k) REQUIRE(offsets.contains(x / unit * unit + k));
  }
  CHECK(evaluated("max_alignment((8,8):(16,1))") == "8");
  CHECK(evaluated("max_alignment((8,64):(64,1))") == "512");
  CHECK(evaluated("max_alignment(K_SW128<f16>)") == "8");
  CHECK(evaluated("max_alignment(Sw<3,4,3>)") == "16");
  CHECK(evaluated("max_alignment(Sw<3,4,3> o 4 o (8,64):(64,1))") == "4");
}

TEST_CASE("derived: the coordinate of an offset is the first that has it") {
  test::RandomLayouts random(94);
  for (int n = 0; n < 1000; ++n) {
    const Layout plain = random.any(4);
    const int bits = static_cast<int>(random.number(0, 2));
    const ComposedLayout l(Swizzle(bits, static_cast<int>(random.number(0, 3)), 3), random.number(0, 5), plain);
    INFO(to_string(l));
    std::vector<std::int64_t> first(1024, -1);
    for (std::int64_t i = l.size(); i-- > 0;)
      if (l(i) < 1024) first[static_cast<std::size_t>(l(i))] = i;
    for (std::int64_t offset = 0; offset < 1024; offset += 1 + offset / 64)
      REQUIRE(index_of_offset(l, offset).value_or(-1) == first[static_cast<std::size_t>(offset)]);
  }
  CHECK(evaluated("get_coord(130, (8,64):(64,1))") == "(2,2)");
  CHECK(evaluated("get_hier_coord(130, (8,(4,16)):(64,(16,1)))") == "(2,(0,2))");
  CHECK(evaluated("get_flat_coord(130, (8,(4,16)):(64,(16,1)))") == "(2,8)");
  CHECK(evaluated("get_flat_coord(6, 8:2)") == "3");
  CHECK(evaluated("get_1d_coord(130, (8,64):(64,1))") == "18");
  CHECK(evaluated("idx2crd(130, (8,64):(64,1))") == "(2,2)");
  CHECK(evaluated("idx2crd(130, (8,64), (64,1))") == "(2,2)");
  CHECK(evaluated("crd2idx((2,2), (8,64), (64,1))") == "130");
  CHECK(evaluated("crd2idx((2,2), (8,64):(64,1))") == "130");
  CHECK(evaluated("idx2crd(7, (3,4))") == "(1,2)");
  CHECK(evaluated("idx2crd(7, (3,4), 1)") == "(1,2)");
  CHECK(evaluated("crd2crd((1,2), (3,4), (4,3))") == "(3,1)");
  CHECK(evaluated("get_coord(9, 4:2)") == "no coordinate of 4:2 has offset 9");
  // The other way round for every coordinate of a swizzled layout.
  const ComposedLayout swizzled = parse_layout("K_SW128<f16>");
  for (std::int64_t i = 0; i < swizzled.size(); ++i) REQUIRE(index_of_offset(swizzled, swizzled(i)) == i);
  // Too many to try, but strides lead there: 2^40 coordinates.
  CHECK(evaluated("get_coord(1048577, (1048576,1048576):(1,1048576))") == "(1,1)");
  CHECK(evaluated("get_coord(1, (1048576,1048576):(2,2097152))") ==
        "the coordinate of offset 1 in (1048576,1048576):(2,2097152): 1099511627776 coordinates are too many to try");
}

TEST_CASE("derived: domain_distribute takes n elements in ascending order") {
  test::RandomLayouts random(95);
  for (int n = 0; n < 500; ++n) {
    const IntTuple shape = random.shape(static_cast<int>(random.number(1, 3)));
    const std::int64_t count = random.number(1, 40);
    const Layout l = domain_distribute(shape, count);
    INFO(to_string(shape) << " " << count << " " << to_string(l));
    CHECK(count % l.size() == 0);
    CHECK(product(shape) % l.size() == 0);
    for (std::int64_t i = 1; i < l.size(); ++i) REQUIRE(l(i - 1) < l(i));
    CHECK(l(l.size() - 1) < product(shape));
  }
  CHECK(evaluated("domain_distribute((15,14), 6)") == "(3,2):(1,15)");  // CuTe's own example
  CHECK(evaluated("domain_distribute((15,14), 0)") == "domain_distribute: 0 elements");
}

TEST_CASE("swizzles: s o t is s after t at every number, or refused with the reason") {
  std::vector<Swizzle> all;
  for (int bits = 0; bits < 4; ++bits)
    for (int base = 0; base < 4; ++base)
      for (int shift = -4; shift <= 4; ++shift)
        if (std::abs(shift) >= bits) all.emplace_back(bits, base, shift);
  int found = 0;
  for (const Swizzle& s : all)
    for (const Swizzle& t : all) {
      const auto both = composition(s, t);
      if (both) {
        ++found;
        for (std::int64_t x = 0; x < 2048; x += 7) REQUIRE((*both)(x) == s(t(x)));
      } else {
        // No swizzle of these numbers does it: all are tried.
        if (s.base() != 1 || t.base() != 1) continue;
        for (const Swizzle& u : all) {
          bool same = true;
          for (std::int64_t x = 0; same && x < 2048; ++x) same = u(x) == s(t(x));
          REQUIRE_FALSE(same);
        }
      }
    }
  CHECK(found > 500);
  CHECK(evaluated("Sw<3,4,3> o Sw<3,4,3>") == "Sw<0,4,3>");
  CHECK(evaluated("Sw<1,4,3> o Sw<1,5,3>") == "Sw<2,4,3>");
  CHECK(evaluated("Sw<3,4,3> o Sw<2,4,3>") == "Sw<1,6,3>");
  CHECK(evaluated("Sw<3,3,3> o Sw<3,3,3> o (8,8)") == "(8,8):(1,8)");
  CHECK(evaluated("Sw<3,4,3> o (Sw<2,4,3> o smem_ptr[16b](unset) o (8,64):(64,1))") ==
        "Sw<1,6,3> o smem_ptr[16b](unset) o (8,64):(64,1)");
  CHECK(evaluated("Sw<1,4,3> o Sw<1,4,4>") == "Sw<1,4,3> o Sw<1,4,4> is not a swizzle: their shifts differ");
  CHECK(evaluated("Sw<1,0,1> o Sw<1,1,1>") ==
        "Sw<1,0,1> o Sw<1,1,1> is not a swizzle: the left one reads bits that the right one writes");
  CHECK(evaluated("Sw<1,4,3> o Sw<1,6,3>") ==
        "Sw<1,4,3> o Sw<1,6,3> is not a swizzle: the bits that they move are not one run");
  for (const Swizzle& s : all)
    if (!s.is_identity()) CHECK(swizzle_of_masks(s.read_mask(), s.written_mask()) == s);
  CHECK(evaluated("make_swizzle(0x380, 0x70)") == "Sw<3,4,3>");
  CHECK(evaluated("make_swizzle(8, 4)") == "Sw<1,2,1>");  // CuTe's own examples
  CHECK(evaluated("make_swizzle(0xc0, 0x6)") == "Sw<2,1,5>");
  for (const char* masks : {"(7, 5)", "(0, 0)", "(3, 1)", "(-4, 1)"})
    CHECK(evaluated(std::string("make_swizzle") + masks).find("are not two runs of as many bits") != std::string::npos);
  CHECK(evaluated("upcast(Sw<3,4,3>, 2)") == "Sw<3,3,3>");
  CHECK(evaluated("downcast(Sw<3,3,3>, 2)") == "Sw<3,4,3>");
  CHECK(evaluated("recast(Sw<3,4,3>, 8, 16)") == "Sw<3,3,3>");
  CHECK(evaluated("recast(Sw<3,0,3>, 8, 16)") == "Sw<3,0,3> does not keep units of 2 whole");
  CHECK(evaluated("recast(Sw<3,4,3>, 8, 12)") == "Sw<3,4,3> cannot be counted in units of 12 / 8");
}

TEST_CASE("swizzles: one that does nothing on the offsets is dropped where a layout is made") {
  test::RandomLayouts random(96);
  int dropped = 0;
  for (int n = 0; n < 1000; ++n) {
    const int bits = static_cast<int>(random.number(1, 2));
    const ComposedLayout l(Swizzle(bits, static_cast<int>(random.number(0, 6)), 3), random.number(0, 2) * 8,
                           random.any(3));
    const ComposedLayout without = without_idle_swizzle(l);
    bool idle = true;
    for (std::int64_t i = 0; i < l.size(); ++i) {
      REQUIRE(without(i) == l(i));
      idle = idle && l(i) == l.offset() + l.layout()(i);
    }
    CHECK(without.swizzle().is_identity() == idle);
    dropped += idle;
  }
  CHECK(dropped > 100);
  CHECK(evaluated("right_inverse(Sw<1,5,3> o 0 o (8,8):(8,1))") == "(8,8):(8,1)");
  CHECK(evaluated("left_inverse(Sw<1,5,3> o 0 o (8,8):(8,1))") == "(8,8):(8,1)");
  CHECK(evaluated("(8,8):(8,1) o (Sw<1,5,3> o 0 o (8,8):(8,1))") == "(8,8):(1,8)");
  CHECK(evaluated("Sw<1,5,3> o 0 o (8,8):(8,1)") == "Sw<1,5,3> o 0 o (8,8):(8,1)");  // as written
}

TEST_CASE("downcast: a mode of extent 1 is the contiguous one only where no other is") {
  test::RandomLayouts random(97);
  for (int n = 0; n < 1000; ++n) {
    const Layout l = random.compact(4);
    const std::int64_t factor = random.pick<std::int64_t>({2, 3, 8});
    std::int64_t contiguous = 0, ones = 0;
    for (const FlatMode& m : l.modes()) (m.extent > 1 ? contiguous : ones) += m.stride == 1;
    INFO(to_string(l) << " " << factor);
    if (contiguous > 1 || contiguous + ones == 0) continue;
    const Layout d = downcast(l, factor);
    REQUIRE(d.size() == l.size() * factor);
    std::set<std::int64_t> expected;
    for (std::int64_t i = 0; i < l.size(); ++i)
      for (std::int64_t k = 0; k < factor; ++k) expected.insert(l(i) * factor + k);
    CHECK(offsets_of(d) == expected);
  }
  CHECK(evaluated("downcast((32,1):(1,1), 8)") == "(256,1):(1,8)");
  CHECK(evaluated("downcast((1,32):(1,1), 8)") == "(1,256):(8,1)");
  CHECK(evaluated("downcast((1,1):(1,1), 8)") == "(8,1):(1,8)");
  CHECK(evaluated("downcast((2,2):(1,1), 8)") == "downcast((2,2):(1,1), 8): 2 modes have stride 1");
  CHECK(evaluated("downcast((2,2):(2,4), 8)") == "downcast((2,2):(2,4), 8): 0 modes have stride 1");
}

TEST_CASE("complement: with holes where it cannot fill, and then it says so") {
  test::RandomLayouts random(98);
  int holes = 0;
  for (int n = 0; n < 2000; ++n) {
    const Layout l = n % 2 == 0 ? random.any(3) : random.compact(3, true);
    const std::string text = "complement(" + to_string(l) + ", " + std::to_string(random.number(1, 200)) + ")";
    INFO(text);
    try {
      const Evaluation e = evaluate(text);
      const Layout r = as_layout(e.value);
      const std::set<std::int64_t> own = offsets_of(l), places = offsets_of(r);
      std::set<std::int64_t> sums;
      for (const std::int64_t x : own)
        for (const std::int64_t y : places) sums.insert(x + y);
      CHECK(sums.size() == own.size() * places.size());
      const bool filled = static_cast<std::int64_t>(sums.size()) == *sums.rbegin() + 1;
      CHECK(e.notes.empty() == filled);
      holes += !filled;
    } catch (const Error& e) {
      CHECK(e.message().find("overlap") != std::string::npos);
    }
  }
  CHECK(holes > 20);
  CHECK(evaluated("complement((4,2):(1,10))") == "2:4");
  REQUIRE(evaluate("complement((4,2):(1,10))").notes.size() == 1);
  CHECK(evaluate("complement((4,2):(1,10))").notes[0].message ==
        "copies of (4,2):(1,10) at these offsets do not collide, but leave offsets free: it has no complement that "
        "fills them");
  CHECK(evaluated("complement((4,2):(1,2))") ==
        "copies of (4,2):(1,2) overlap: stride 2 is below 4, where its smaller strides end");
}
