// SPDX-License-Identifier: Apache-2.0
// Layouts of coordinates: their values by hand, the algebra on them by brute force, what is refused.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "evaluated.hpp"
#include "expr/evaluate.hpp"
#include "layout/basis_layout.hpp"
#include "layout/tiling.hpp"
#include "random_layouts.hpp"

using namespace swz;
using test::evaluated;

namespace {

using Tuple = std::vector<IntTuple>;

BasisLayout basis(const std::string& text) { return std::get<BasisLayout>(evaluate(text).value); }

// The values of a layout of coordinates, each as text.
std::vector<std::string> coordinates_of(const Value& v) {
  const BasisLayout& l = std::get<BasisLayout>(v);
  std::vector<std::string> out;
  for (std::int64_t i = 0; i < l.size(); ++i) out.push_back(to_string(coordinate_at(l, i)));
  return out;
}

// A random layout with steps along a few modes, and what it is by definition: digit times scale, summed by path.
struct Random {
  BasisLayout layout;
  std::vector<std::int64_t> extents, scales;
  std::vector<std::int64_t> modes;  // -1: a stride of 0
};

std::string by_definition(const Random& r, std::int64_t index) {
  std::int64_t most = 0;
  for (const std::int64_t m : r.modes) most = std::max(most, m);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(most) + 1, 0);
  for (std::size_t i = 0; i < r.extents.size(); ++i) {
    if (r.modes[i] >= 0) sums[static_cast<std::size_t>(r.modes[i])] += index % r.extents[i] * r.scales[i];
    index /= r.extents[i];
  }
  return to_string(IntTuple(Tuple(sums.begin(), sums.end())));
}

Random random_basis(test::RandomLayouts& random, bool positive = false) {
  const IntTuple shape = random.shape(static_cast<int>(random.number(1, 4)));
  Random r{make_identity_layout(Tuple{2}), flat_values(shape), {}, {}};
  std::string strides;
  for (std::size_t i = 0; i < r.extents.size(); ++i) {
    r.scales.push_back(positive ? random.number(1, 6) : random.pick<std::int64_t>({-3, -1, 1, 1, 2, 5, 8}));
    r.modes.push_back(i > 0 && random.number(0, 4) == 0 ? -1 : random.number(0, 2));
  }
  std::size_t next = 0;
  const auto nested = [&](const auto& self, const IntTuple& s) -> IntTuple {
    if (!s.is_tuple()) {
      const std::size_t i = next++;
      return r.modes[i] < 0 ? IntTuple(0) : IntTuple::basis(r.scales[i], {r.modes[i]});
    }
    Tuple children;
    for (const IntTuple& child : s.children()) children.push_back(self(self, child));
    return children;
  };
  r.layout = BasisLayout(shape, nested(nested, shape));
  return r;
}

}  // namespace

TEST_CASE("basis: every value is the sum of digits times strides, and print is read back") {
  test::RandomLayouts random(80);
  for (int n = 0; n < 500; ++n) {
    const Random r = random_basis(random);
    INFO(to_string(r.layout));
    for (std::int64_t i = 0; i < r.layout.size(); ++i)
      REQUIRE(to_string(coordinate_at(r.layout, i)) == by_definition(r, i));
    CHECK(basis(to_string(r.layout)) == r.layout);
    const PackedBasis packed(r.layout);
    CHECK(packed.stride_of(packed.layout()) == r.layout.stride());
    for (std::int64_t i = 0; i < r.layout.size(); ++i)
      REQUIRE(to_string(packed.coordinate_of(packed.layout()(i))) == by_definition(r, i));
  }
}

TEST_CASE("basis: the identity gives each coordinate") {
  test::RandomLayouts random(81);
  for (int n = 0; n < 200; ++n) {
    const IntTuple shape = Tuple{random.shape(static_cast<int>(random.number(1, 3))), random.shape(1)};
    const BasisLayout l = make_identity_layout(shape);
    for (std::int64_t i = 0; i < l.size(); ++i) REQUIRE(coordinate_at(l, i) == idx2crd(i, shape));
    CHECK(coshape(l) == shape);
    CHECK(basis("make_identity_layout(" + to_string(shape) + ")") == l);
  }
  CHECK(evaluated("make_identity_layout(8)") == "8:1");
  CHECK(evaluated("make_identity_tensor((4,8))(3,5)") == "(3,5)");
  CHECK(evaluated("make_identity_layout(((2,2),8))") == "((2,2),8):((1@0@0,1@1@0),1@1)");
}

TEST_CASE("basis: L o B is L at the coordinates of B") {
  test::RandomLayouts random(82);
  int composed = 0;
  for (int n = 0; n < 600; ++n) {
    const Random r = random_basis(random, true);
    const IntTuple reach = coshape(r.layout);
    const Layout a(reach, random.with_leaves(reach, {0, 1, 2, 3, 7, 16, 40}));
    INFO(to_string(a) << " o " << to_string(r.layout));
    try {
      const Layout c = composition(a, r.layout);
      REQUIRE(c.size() == r.layout.size());
      for (std::int64_t i = 0; i < c.size(); ++i) REQUIRE(c(i) == offset_at(a, coordinate_at(r.layout, i)));
      ++composed;
    } catch (const Error& e) {
      CHECK(e.message().find("is not a layout") != std::string::npos);
    }
  }
  CHECK(composed > 300);
  CHECK(evaluated("(8,64):(64,1) o make_identity_layout((8,64))") == "(8,64):(64,1)");
  CHECK(evaluated("K_SW128<f16> o (4,8):(2@0,1@1)") == "Sw<3,4,3> o smem_ptr[16b](unset) o (4,8):(128,1)");
}

TEST_CASE("basis: B o L and the divisions give the coordinates at the indices that the numbers would give") {
  test::RandomLayouts random(83);
  int composed = 0;
  for (int n = 0; n < 600; ++n) {
    const Random r = random_basis(random);
    const Layout b = random.compact(3);
    if (cosize(b) > r.layout.size()) continue;
    const std::string text = to_string(r.layout) + " o " + to_string(b);
    INFO(text);
    try {
      const std::vector<std::string> values = coordinates_of(evaluate(text).value);
      REQUIRE(static_cast<std::int64_t>(values.size()) == b.size());
      // A result with fewer modes, because the last ones are 0, has fewer coordinates.
      for (std::int64_t i = 0; i < b.size(); ++i) {
        const std::string whole = by_definition(r, b(i));
        const std::string& got = values[static_cast<std::size_t>(i)];
        REQUIRE(whole.starts_with(got.substr(0, got.size() - 1)));
      }
      ++composed;
    } catch (const Error& e) {
      const bool lawful_refusal = e.message().find("is not a layout") != std::string::npos ||
                                  e.message().find("several modes") != std::string::npos;
      CHECK_MESSAGE(lawful_refusal, e.message());
    } catch (const std::bad_variant_access&) {
      // One coordinate, always 0: a plain layout.
    }
  }
  CHECK(composed > 60);
  // The tile of each CTA: tile (i,j) starts at (32 i, 8 j), and inside it steps are 1.
  const BasisLayout tiles = basis("zipped_divide(make_identity_layout((128,64)), (32,8))");
  CHECK(to_string(tiles) == "((32,8),(4,8)):((1@0,1@1),(32@0,8@1))");
  for (std::int64_t row = 0; row < 128; ++row)
    for (std::int64_t column = 0; column < 64; ++column)
      REQUIRE(coordinate_at(tiles, Tuple{Tuple{row % 32, column % 8}, Tuple{row / 32, column / 8}}) ==
              IntTuple(Tuple{row, column}));
  // The accumulator of a wgmma: thread, value to (row, column).
  const BasisLayout fragment = basis("make_identity_layout((64,8)) o ((4,8,4),(2,2)):((128,1,16),(64,8))");
  for (std::int64_t t = 0; t < 128; ++t)
    for (std::int64_t v = 0; v < 4; ++v)
      REQUIRE(coordinate_at(fragment, Tuple{t, v}) ==
              IntTuple(Tuple{t / 32 * 16 + t / 4 % 8 + v / 2 * 8, t % 4 * 2 + v % 2}));
}

TEST_CASE("basis: what acts on modes keeps them") {
  CHECK(evaluated("logical_divide(make_identity_layout((10,7)), <4,2>)") == "((4,3),(2,4)):((1@0,4@0),(1@1,2@1))");
  CHECK(evaluated("coalesce((4,8):(1@0,4@0))") == "32:1@0");
  CHECK(evaluated("coalesce((4,8):(1@0,1@1))") == "(4,8):(1@0,1@1)");
  CHECK(evaluated("coalesce((4,8):(1@0,4@1))") == "(4,8):(1@0,4@1)");
  CHECK(evaluated("mode((4,8):(1@0,2@1), 1)") == "8:2@1");
  CHECK(evaluated("select((4,8):(1@0,2@1), 1, 0)") == "(8,4):(2@1,1@0)");
  CHECK(evaluated("take((4,8,2):(1@0,2@1,1@2), 1, 3)") == "(8,2):(2@1,1@2)");
  CHECK(evaluated("group((4,8,2):(1@0,2@1,1@2), 0, 2)") == "((4,8),2):((1@0,2@1),1@2)");
  CHECK(evaluated("flatten(((2,2),8):((1@1,4@1),2@0))") == "(2,2,8):(1@1,4@1,2@0)");
  CHECK(evaluated("size((4,8):(1@0,1@1))") == "32");
  CHECK(evaluated("shape((4,8):(1@0,1@1))") == "(4,8)");
  CHECK(evaluated("stride((4,8):(1@0,1@1))") == "(1@0,1@1)");
  CHECK(evaluated("rank((4,8):(1@0,1@1))") == "2");
  CHECK(evaluated("coshape((4,8):(2@0,1@1))") == "(7,8)");
  CHECK(evaluated("cosize((4,8):(2@0,1@1))") == "56");
  CHECK(evaluated("((2,2),8):((1@1,4@1),2@0)((1,1),3)") == "(6,5)");
  CHECK(evaluated("crd2idx((1,2), (3,4), (1@0,1@1))") == "(1,2)");
  CHECK(evaluated("slice((_,3), (4,8):(1@0,1@1))") == "(4):(1@0)");
  const Evaluation slice = evaluate("(4,8):(1@0,1@1)(_,3)");
  CHECK(to_string(slice.value) == "(4):(1@0)");
  REQUIRE(slice.notes.size() == 1);
  CHECK(slice.notes[0].rule == "coordinate-origin");
  CHECK(slice.notes[0].message ==
        "it starts at coordinate (0,3); as in CuTe the layout does not hold it, it is added to every value");
  CHECK(evaluate("ArithTuple(0,64) o (8,8):(1@0,1@1)").notes.size() == 1);
  CHECK(evaluate("ArithTuple(_0,_0) o (_8,_8):(_1@0,_1@1)").notes.empty());
  CHECK(evaluated("tensor<(0,0) o (4,8):(1@0,1@1)>") == "(4,8):(1@0,1@1)");
}

TEST_CASE("basis: the spellings of a basis element") {
  const std::string both = "(4,8):(2@0,1@0@1)";
  CHECK(evaluated("Layout<Shape<_4,_8>,Stride<ScaledBasis<C<2>,0>,E<1,0>>>{}") == both);
  CHECK(evaluated("make_layout((4,8), (2@0, E<1,0>{}))") == both);
  CHECK(evaluated("(_4,_8):(_2@0,_1@0@1)") == both);
  CHECK(evaluated("8:1@0") == "8:1@0");
  CHECK(evaluated("8:0@0") == "8:0");
  CHECK(evaluated("E<>{}") == "1");
}

TEST_CASE("basis: refused") {
  CHECK(evaluated("(4,8):(1@0,3)") == "stride 3 is an offset, and (1@0,3) are coordinates");
  CHECK(evaluated("(4,8):(1@0,1@1@0)") == "1@0 and 1@1@0 name the same mode as a number and as a tuple");
  CHECK(evaluated("(4,8):(1@0)") == "shape (4,8) and stride (1@0) have different nesting");
  CHECK(evaluated("(4,0):(1@0,1@1)") == "extent 0 in shape (4,0) is not positive");
  CHECK(evaluated("8:1@64") == "expected the number of a mode after '@', got 64");
  CHECK(evaluated("8:1@") == "expected the number of a mode after '@', found the end");
  CHECK(evaluated("E<99>") == "99 is not the number of a mode");
  CHECK(evaluated("(8,64):(64,1) o (9,8):(1@0,1@1)") ==
        "(8,64):(64,1) o (9,8):(1@0,1@1): coordinate 8@0 is outside the extent 8 of its mode");
  CHECK(evaluated("(8,64):(64,1) o (2,8):(1@2,1@1)") == "shape (8,64) has no mode 1@2");
  CHECK(evaluated("Sw<3,3,3> o (8,8):(1@0,1@1)") ==
        "expected a layout of offsets, got the layout of coordinates (8,8):(1@0,1@1)");
  CHECK(evaluated("logical_product((4,8):(1@0,1@1), 2)") ==
        "expected a layout of offsets, got the layout of coordinates (4,8):(1@0,1@1)");
  CHECK(evaluated("complement((4,8):(1@0,1@1))") ==
        "expected a layout of offsets, got the layout of coordinates (4,8):(1@0,1@1)");
  CHECK(evaluated("(1@0,1@1)((4,8))") == "expected a layout, got the tuple (1@0,1@1)");
  CHECK(evaluated("coalesce((1073741824,1073741824,4):(1@0,1@1,1@2))") ==
        "the coordinates of (1073741824,1073741824,4):(1@0,1@1,1@2) are too large to compute with");
  std::string deep = "8:1";
  for (int i = 0; i < 70; ++i) deep += "@0";
  CHECK(evaluated(deep) == "an expression over layouts: 65 levels of brackets are more than the limit of 64");
}
