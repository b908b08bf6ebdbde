// SPDX-License-Identifier: Apache-2.0
// Divide, product, tile_to_shape: values from their definitions, profiles as documented.
#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/shape_algebra.hpp"
#include "layout/tiling.hpp"
#include "random_layouts.hpp"

using namespace swz;
using Tuple = std::vector<IntTuple>;

namespace {

Layout L(const char* text) { return parse_layout(text).layout(); }
Tiler T(const char* text) {
  const Evaluation e = evaluate(text);
  return as_tiler(e.value);
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("logical_divide: tile j holds l at tiler(i) + complement(j)") {
    test::RandomLayouts random(20);
    int divided = 0;
    for (int n = 0; n < 1500; ++n) {
      const Layout l = random.compact(4);
      const Layout tiler = n % 2 == 0 ? Layout(IntTuple(random.number(1, l.size()))) : random.compact(2, true);
      INFO(to_string(l) << " by " << to_string(tiler));
      try {
        const Layout d = logical_divide(l, tiler);
        const Layout rest = complement(tiler, l.size());
        REQUIRE(rank(d) == 2);
        REQUIRE(size(mode(d, 0)) == tiler.size());
        REQUIRE(size(mode(d, 1)) == rest.size());
        std::multiset<std::int64_t> offsets;
        for (std::int64_t j = 0; j < rest.size(); ++j)
          for (std::int64_t i = 0; i < tiler.size(); ++i) {
            REQUIRE(d(i + j * tiler.size()) == l(tiler(i) + rest(j)));
            offsets.insert(d(i + j * tiler.size()));
          }
        // A tile that divides the layout loses and repeats nothing.
        if (d.size() == l.size())
          for (std::int64_t i = 0; i < l.size(); ++i) REQUIRE(offsets.count(l(i)) == 1);
        ++divided;
      } catch (const Error&) {
        // The tiler has no complement, or the pieces are no layout: test_algebra.cpp tells which.
      }
    }
    CHECK(divided > 500);
  }

  TEST_CASE("divide: the four profiles") {
    const Layout l = L("(9,(4,8)):(59,(13,1))");
    const Tiler by_mode = T("<3:3,(2,4):(1,8)>");
    CHECK(to_string(logical_divide(l, by_mode)) == "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
    CHECK(to_string(zipped_divide(l, by_mode)) == "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
    CHECK(to_string(tiled_divide(l, by_mode)) == "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
    CHECK(to_string(flat_divide(l, by_mode)) == "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))");
    CHECK(to_string(logical_divide(L("(4,2,3):(2,1,8)"), L("4:2"))) == "((2,2),(2,3)):((4,1),(2,8))");
    // A mode without a tiler stays; one under `_` is a tile with nothing to repeat.
    CHECK(to_string(zipped_divide(L("(8,6,5):(30,5,1)"), T("<4,3>"))) == "((4,3),(2,2,5)):((30,5),(120,15,1))");
    CHECK(to_string(zipped_divide(L("(8,6):(6,1)"), T("<4,_>"))) == "((4,6),(2,1)):((6,1),(24,0))");
    CHECK(to_string(logical_divide(L("(8,6):(6,1)"), T("<_,3>"))) == "(8,(3,2)):(6,(1,3))");
    // A tile that does not divide goes on beyond the end, as in CuTe.
    CHECK(to_string(logical_divide(L("10:1"), T("4"))) == "(4,3):(1,4)");
    CHECK_THROWS_WITH_AS(logical_divide(L("8:1"), T("<2,2>")),
                         "logical_divide: the tiler <2:1,2:1> has more modes than 8:1", Error);
  }

  TEST_CASE("logical_product: disjoint copies of the block") {
    test::RandomLayouts random(21);
    int multiplied = 0;
    for (int n = 0; n < 1500; ++n) {
      const Layout block = random.compact(3, n % 3 == 0);
      const Layout tiler = random.compact(2);
      INFO(to_string(block) << " x " << to_string(tiler));
      try {
        const Layout p = logical_product(block, tiler);
        REQUIRE(rank(p) == 2);
        REQUIRE(mode(p, 0) == block);
        REQUIRE(compatible(tiler.shape(), mode(p, 1).shape()));
        std::set<std::int64_t> offsets;
        for (std::int64_t i = 0; i < p.size(); ++i) REQUIRE(offsets.insert(p(i)).second);
        // Copies follow the order of the tiler: a larger tiler value lies further away.
        const Layout places = mode(p, 1);
        for (std::int64_t i = 0; i < tiler.size(); ++i)
          for (std::int64_t j = 0; j < tiler.size(); ++j) REQUIRE((places(i) < places(j)) == (tiler(i) < tiler(j)));
        ++multiplied;
      } catch (const Error&) {
      }
    }
    CHECK(multiplied > 700);
  }

  TEST_CASE("product: profiles and the examples of CuTe's documentation") {
    CHECK(to_string(logical_product(L("(2,2):(4,1)"), L("6:1"))) == "((2,2),(2,3)):((4,1),(2,8))");
    CHECK(to_string(blocked_product(L("(2,5):(5,1)"), L("(3,4):(1,3)"))) == "((2,3),(5,4)):((5,10),(1,30))");
    CHECK(to_string(raked_product(L("(2,5):(5,1)"), L("(3,4):(1,3)"))) == "((3,2),(4,5)):((10,5),(30,1))");
    // By mode each mode is multiplied on its own: 2:5 leaves the offsets 1 to 4 free, so its 3 copies go there.
    CHECK(to_string(zipped_product(L("(2,5):(5,1)"), T("<3:1,4:1>"))) == "((2,5),(3,4)):((5,1),(1,5))");
    CHECK(to_string(tiled_product(L("(2,5):(5,1)"), T("<3:1,4:1>"))) == "((2,5),3,4):((5,1),1,5)");
    CHECK(to_string(flat_product(L("(2,5):(5,1)"), T("<3:1,4:1>"))) == "(2,5,3,4):(5,1,1,5)");
  }

  TEST_CASE("blocked and raked product: block(i) + place(j), nested the two ways") {
    test::RandomLayouts random(22);
    for (int n = 0; n < 300; ++n) {
      const Layout block = random.compact(2);
      const Layout tiler = random.compact(2);
      if (rank(block) != 2 || rank(tiler) != 2) continue;
      INFO(to_string(block) << " x " << to_string(tiler));
      const Layout p = logical_product(block, tiler);
      const Layout b = blocked_product(block, tiler);
      const Layout k = raked_product(block, tiler);
      const IntTuple s = block.shape();
      const IntTuple t = tiler.shape();
      for (std::int64_t i = 0; i < block.size(); ++i)
        for (std::int64_t j = 0; j < tiler.size(); ++j) {
          const std::int64_t rows = product(mode(s, 0));
          const std::int64_t tiles = product(mode(t, 0));
          const Tuple blocked = {Tuple{i % rows, j % tiles}, Tuple{i / rows, j / tiles}};
          const Tuple raked = {Tuple{j % tiles, i % rows}, Tuple{j / tiles, i / rows}};
          const std::int64_t expected = p(i + j * block.size());
          REQUIRE(offset_at(b, blocked) == expected);
          REQUIRE(offset_at(k, raked) == expected);
        }
    }
  }

  TEST_CASE("tile_to_shape: the block repeated, in the order asked for") {
    const Layout atom = L("(8,64):(64,1)");
    CHECK(to_string(tile_to_shape(atom, Tuple{128, 64})) == "((8,16),(64,1)):((64,512),(1,0))");
    CHECK(to_string(tile_to_shape(atom, Tuple{128, 128}, Tuple{1, 2})) == "((8,16),(64,2)):((64,512),(1,8192))");
    CHECK(to_string(tile_to_shape(atom, Tuple{128, 128}, Tuple{2, 1})) == "((8,16),(64,2)):((64,1024),(1,512))");
    CHECK(to_string(tile_to_shape(atom, Tuple{128, 64, 3})) == "((8,16),(64,1),(1,3)):((64,512),(1,0),(0,8192))");
    CHECK_THROWS_WITH_AS(tile_to_shape(atom, Tuple{100, 64}),
                         "tile_to_shape: extent 8 of mode 0 of (8,64):(64,1) does not divide 100", Error);
    CHECK_THROWS_AS(tile_to_shape(atom, IntTuple(512)), Error);

    test::RandomLayouts random(23);
    for (int n = 0; n < 200; ++n) {
      const std::int64_t r = random.number(1, 8), c = random.number(1, 8), m = random.number(1, 4),
                         k = random.number(1, 4);
      const bool rows_first = random.number(0, 1) == 0;
      const Layout block(Tuple{r, c}, Tuple{c, 1});
      const Layout t = tile_to_shape(block, Tuple{r * m, c * k}, rows_first ? Tuple{1, 2} : Tuple{2, 1});
      for (std::int64_t i = 0; i < r * m; ++i)
        for (std::int64_t j = 0; j < c * k; ++j) {
          const std::int64_t copy = rows_first ? i / r + j / c * m : j / c + i / r * k;
          REQUIRE(offset_at(t, Tuple{i, j}) == i % r * c + j % c + copy * r * c);
        }
    }
  }

  TEST_CASE("reshape: the numbers stay") {
    const Layout l = L("(2,3,5):(1,2,6)");
    CHECK(to_string(group(l, 0, 2)) == "((2,3),5):((1,2),6)");
    CHECK(to_string(take(l, 1, 3)) == "(3,5):(2,6)");
    CHECK(to_string(select(l, std::vector<std::int64_t>{2, 0})) == "(5,2):(6,1)");
    CHECK(to_string(append(l, L("4:30"))) == "(2,3,5,4):(1,2,6,30)");
    CHECK(to_string(prepend(l, L("4:30"))) == "(4,2,3,5):(30,1,2,6)");
    CHECK(to_string(replace(l, 1, L("(4,2):(2,1)"))) == "(2,(4,2),5):(1,(2,1),6)");
    CHECK(to_string(append_to_rank(L("8:1"), 3)) == "(8,1,1):(1,0,0)");
    CHECK(to_string(flatten(L("((2,3),5):((1,2),6)"))) == "(2,3,5):(1,2,6)");
    CHECK_THROWS_WITH_AS(group(l, 1, 4), "group: modes [1, 4) are not in (2,3,5):(1,2,6)", Error);
    CHECK_THROWS_AS(take(l, 2, 2), Error);
    CHECK_THROWS_AS(select(l, std::vector<std::int64_t>{3}), Error);
  }
}
