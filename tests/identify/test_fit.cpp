// SPDX-License-Identifier: Apache-2.0
// fit: a random layout's offsets give a layout that is the same function, with no longer text; it has every offset that is given.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "identify/fit.hpp"
#include "layout/layout.hpp"
#include "layout/swizzle.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

KnownOffsets offsets_of_layout(const ComposedLayout& layout, std::vector<std::int64_t> shape) {
  KnownOffsets known{std::move(shape), {}};
  for (std::int64_t i = 0; i < layout.size(); ++i) known.points.push_back({i, layout(i)});
  return known;
}

// Nested, padded, permuted, swizzled layouts of up to two dimensions.
class RandomLayouts {
 public:
  explicit RandomLayouts(unsigned seed) : random_(seed) {}

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  ComposedLayout next() {
    static constexpr int extents[] = {1, 2, 2, 2, 3, 4, 4, 5, 6, 8, 8, 16};
    std::vector<std::vector<std::int64_t>> shape(static_cast<std::size_t>(1 + pick(2)));
    std::int64_t size = 1;
    for (auto& dimension : shape)
      for (int leaves = 1 + pick(3); leaves > 0; --leaves) {
        const std::int64_t extent = extents[pick(std::size(extents))];
        if (size * extent > 4096) continue;
        dimension.push_back(extent);
        size *= extent;
      }
    // Strides in a random order, sometimes with a gap after a mode.
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t d = 0; d < shape.size(); ++d)
      for (std::size_t m = 0; m < shape[d].size(); ++m) order.emplace_back(d, m);
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<std::vector<std::int64_t>> stride = shape;
    std::int64_t reach = 1;
    for (const auto& [d, m] : order) {
      if (pick(6) == 0) reach += pick(2) == 0 ? 8 : 1 + pick(9);
      stride[d][m] = pick(12) == 0 ? 0 : reach;
      reach = std::max(reach, reach * shape[d][m]);
    }
    std::vector<IntTuple> shapes, strides;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      shapes.push_back(tuple(shape[d], 1));
      strides.push_back(tuple(stride[d], 0));
    }
    const Layout layout =
        shapes.size() == 1 ? Layout(shapes[0], strides[0]) : Layout(IntTuple(shapes), IntTuple(strides));
    const std::int64_t offset = pick(4) == 0 ? pick(200) : 0;
    if (pick(3) == 0) return offset == 0 ? ComposedLayout(layout) : ComposedLayout(Swizzle(), offset, layout);
    const int bits = 1 + pick(4), shift = bits + pick(4);
    return ComposedLayout(Swizzle(bits, pick(7), pick(5) == 0 ? -shift : shift), offset, layout);
  }

 private:
  static IntTuple tuple(const std::vector<std::int64_t>& values, std::int64_t empty) {
    if (values.empty()) return empty;
    if (values.size() == 1) return values[0];
    return std::vector<IntTuple>(values.begin(), values.end());
  }

  std::mt19937 random_;
};

}  // namespace

TEST_SUITE("identify") {
  TEST_CASE("50,000 random layouts: the same function, and no longer text") {
    RandomLayouts layouts(11);
    int swizzled = 0;
    Sweep every{40, 4};
    for (int round = 0; round < 50'000; ++round) {
      const ComposedLayout layout = layouts.next();
      if (!every.takes()) continue;
      const bool is_list = layouts.pick(2) == 0;
      std::vector<std::int64_t> shape;
      for (std::size_t d = 0; d < rank(layout.layout()); ++d) shape.push_back(mode(layout.layout(), d).size());
      if (is_list) shape = {layout.size()};
      const KnownOffsets known = offsets_of_layout(layout, shape);
      const Fit fit = fit_layout(known);
      swizzled += layout.swizzle().is_identity() ? 0 : 1;
      if (!fit.layout || !fit.is_exact || !fit.exceptions.empty()) FAIL("no layout for " << to_string(layout));
      for (const KnownOffset& point : known.points)
        if ((*fit.layout)(point.index) != point.offset)
          FAIL(to_string(*fit.layout) << " is not " << to_string(layout) << " at " << point.index);
      if (to_string(*fit.layout).size() > to_string(layout).size())
        FAIL(to_string(*fit.layout) << " is longer than " << to_string(layout));
    }
    CHECK(swizzled > at_least(20'000, 40, 4));
  }

  TEST_CASE("a few wrong offsets are the exceptions, all of them and no others") {
    const ComposedLayout layout(Swizzle(3, 3, 3), 0, Layout(IntTuple({64, 64}), IntTuple({64, 1})));
    std::mt19937 random(3);
    for (int round = 0; round < 40; ++round) {
      KnownOffsets known = offsets_of_layout(
          layout, round % 2 == 0 ? std::vector<std::int64_t>{64, 64} : std::vector<std::int64_t>{4096});
      std::vector<std::int64_t> wrong;
      for (KnownOffset& point : known.points)
        if (random() % 97 == 0) {
          point.offset += 1 + static_cast<std::int64_t>(random() % 9);
          wrong.push_back(point.index);
        }
      const Fit fit = fit_layout(known);
      REQUIRE(fit.layout);
      CHECK(!fit.is_exact);
      CHECK(to_string(*fit.layout) == to_string(layout));
      std::vector<std::int64_t> found;
      for (const FitException& e : fit.exceptions) found.push_back(e.index);
      CHECK(found == wrong);
    }
  }

  TEST_CASE("up to three wrong offsets of a small layout are not answered by a layout that has fewer") {
    RandomLayouts layouts(12);
    int asked = 0, worse = 0;
    Sweep every{40, 4};
    for (int round = 0; round < 20'000; ++round) {
      const ComposedLayout layout = layouts.next();
      const Swizzle& swizzle = layout.swizzle();
      if (layout.size() < 64 || swizzle.bits() > 3 || swizzle.shift() < 0 || !every.takes()) continue;
      std::vector<std::int64_t> shape;
      for (std::size_t d = 0; d < rank(layout.layout()); ++d) shape.push_back(mode(layout.layout(), d).size());
      KnownOffsets known = offsets_of_layout(layout, shape);
      const std::size_t wrong = 1 + static_cast<std::size_t>(layouts.pick(3));
      for (std::size_t i = 0; i < wrong; ++i) {
        KnownOffset& point =
            known.points[static_cast<std::size_t>(layouts.pick(static_cast<int>(known.points.size())))];
        point.offset += 1 + layouts.pick(99);
      }
      const Fit fit = fit_layout(known);
      ++asked;
      CAPTURE(to_string(layout));
      const bool is_worse = !fit.layout || fit.exceptions.size() > wrong;
      CHECK_FALSE((is_worse && swizzle.is_identity()));
      worse += is_worse ? 1 : 0;
    }
    CHECK(asked > at_least(6000, 40, 4));
    CHECK(worse * 200 <= asked);  // a swizzle whose bits few of the offsets show
  }

  TEST_CASE("a map over GF(2) that no swizzle makes: its bases") {
    // 0 1 3 2 7 6 4 5: the offset of i is the XOR of 1, 3 and 7 where the bits of i are set
    KnownOffsets known{{2, 4}, {}};
    const std::int64_t values[] = {0, 1, 3, 2, 7, 6, 4, 5};
    for (std::int64_t i = 0; i < 8; ++i) known.points.push_back({i, values[i]});
    const Fit fit = fit_layout(known);
    CHECK(!fit.layout);
    CHECK(fit.is_exact);
    CHECK(fit.bases == std::vector<std::vector<std::uint64_t>>{{1}, {3, 7}});
  }

  TEST_CASE("random offsets have no layout") {
    std::mt19937 random(5);
    for (const std::int64_t size : {16, 100, 4096, 65'536}) {
      KnownOffsets known{{size}, {}};
      for (std::int64_t i = 0; i < size; ++i) known.points.push_back({i, static_cast<std::int64_t>(random() % 65'536)});
      const Fit fit = fit_layout(known);
      CHECK(!fit.is_exact);
      CHECK(!fit.layout);
      CHECK(fit.exceptions.empty());
    }
  }

  // Dropped at random, what is left: the layout has it, the candidates have it, and the deciding coordinate was not given.
  TEST_CASE("offsets at some coordinates") {
    RandomLayouts layouts(23);
    std::mt19937 random(7);
    int decided = 0, same = 0;
    for (int round = 0; round < 3000; ++round) {
      const ComposedLayout layout = layouts.next();
      std::vector<std::int64_t> shape;
      for (std::size_t d = 0; d < rank(layout.layout()); ++d) shape.push_back(mode(layout.layout(), d).size());
      if (layout.size() < 4 || layout.size() > 256) continue;
      KnownOffsets known{shape, {}};
      for (std::int64_t i = 0; i < layout.size(); ++i)
        if (random() % 3 != 0 || i + 1 == layout.size()) known.points.push_back({i, layout(i)});
      if (known.is_complete()) continue;
      const Fit fit = fit_layout(known);
      const auto has_all = [&](const ComposedLayout& found) {
        for (const KnownOffset& point : known.points) {
          std::vector<IntTuple> at;
          for (const std::int64_t c : known.coordinate(point.index)) at.emplace_back(c);
          if (offset_at(found, at.size() == 1 ? at[0] : IntTuple(at)) != point.offset) return false;
        }
        return true;
      };
      if (fit.layout) {
        CHECK(fit.is_exact);
        CHECK(has_all(*fit.layout));
        ++decided;
        if (fit.candidates.empty() && fit.layout->size() == layout.size()) {
          std::int64_t equal = 0;
          for (std::int64_t i = 0; i < layout.size(); ++i) equal += (*fit.layout)(i) == layout(i) ? 1 : 0;
          same += equal == layout.size() ? 1 : 0;
        }
      }
      for (const ComposedLayout& candidate : fit.candidates) CHECK(has_all(candidate));
      if (fit.deciding) {
        CHECK(*fit.deciding < known.size());
        CHECK(std::ranges::none_of(known.points, [&](const KnownOffset& p) { return p.index == *fit.deciding; }));
      }
    }
    // Layouts with more than two modes in a dimension, or a swizzle of more bits, are not looked for.
    CHECK(decided > 1500);
    CHECK(same > 1500);
  }

  TEST_CASE("what would decide") {
    const KnownOffsets open{{3, 3}, {{0, 0}, {8, 130}}};
    const Fit fit = fit_layout(open);
    CHECK(!fit.layout);
    CHECK(fit.deciding == 1);

    // 64 and 639: rows are 64 apart. 703: five ways to have a gap.
    const KnownOffsets gap{{10, 64}, {{0, 0}, {1, 64}, {10, 1}, {639, 703}}};
    const Fit several = fit_layout(gap);
    CHECK(several.candidates.size() == 5);
    CHECK(several.deciding == 2);
    CHECK(to_string(*several.layout) == "((2,5),64):((64,144),1)");
  }
}
