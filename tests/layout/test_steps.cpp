// SPDX-License-Identifier: Apache-2.0
// The steps of an operation: the last one is what the algebra answers, each one holds what it states.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/steps.hpp"
#include "layout/tiling.hpp"
#include "random_layouts.hpp"

using namespace swz;

namespace {

Layout of(const char* text) { return parse_layout(text).layout(); }

struct Tally {
  int answered = 0, refused = 0, equalities = 0;
};

const Layout& layout_in(const LayoutStep& step) { return std::get<ComposedLayout>(step.layout).layout(); }

// `explain` appends steps and returns a layout, `answer` is the algebra: the same layout, or the same Error.
void same_as_algebra(const std::function<Layout(LayoutSteps&)>& explain, const std::function<Layout()>& answer,
                     Tally& tally) {
  LayoutSteps steps;
  std::string refusal, expected_refusal;
  Layout result, expected;
  try {
    expected = answer();
  } catch (const Error& e) {
    expected_refusal = e.message();
  }
  try {
    result = explain(steps);
  } catch (const Error& e) {
    refusal = e.message();
  }
  CAPTURE(to_string(expected));
  REQUIRE(refusal == expected_refusal);
  if (!refusal.empty()) {
    REQUIRE(steps.list().back().rule == "refused");
    REQUIRE(steps.list().back().message == refusal);
    REQUIRE(std::holds_alternative<std::monostate>(steps.list().back().layout));
    ++tally.refused;
  } else {
    REQUIRE(result == expected);
    if (!steps.list().empty()) REQUIRE(to_string(layout_in(steps.list().back())) == to_string(expected));
    ++tally.answered;
  }
  for (const LayoutStep& step : steps.list()) {
    if (!step.holds) continue;
    const Layout& l = layout_in(step);
    CAPTURE(step.operation);
    CAPTURE(step.rule);
    CAPTURE(step.message);
    CAPTURE(to_string(l));
    for (std::int64_t i = 0; i < std::min<std::int64_t>(l.size(), 4096); ++i)
      REQUIRE(step.holds(std::get<ComposedLayout>(step.layout), i));
    ++tally.equalities;
  }
}

std::vector<std::string> rules_of(const LayoutSteps& steps) {
  std::vector<std::string> rules;
  for (const LayoutStep& step : steps.list()) rules.push_back(step.rule);
  return rules;
}

}  // namespace

TEST_SUITE("layout") {
  TEST_CASE("steps of coalesce, composition and the inverses: the algebra's answer, each equality at every index") {
    test::RandomLayouts random(140);
    Tally coalesced, composed, right, left;
    for (int n = 0; n < 3000; ++n) {
      const Layout a = n % 2 == 0 ? random.compact(4, n % 4 == 0) : random.any(4);
      const Layout b = n % 3 == 0 ? random.any(3) : random.compact(3, n % 3 == 1);
      CAPTURE(to_string(a));
      CAPTURE(to_string(b));
      same_as_algebra([&](LayoutSteps& s) { return coalesce_steps(s, a); }, [&] { return coalesce(a); }, coalesced);
      same_as_algebra([&](LayoutSteps& s) { return composition_steps(s, a, b); }, [&] { return composition(a, b); },
                      composed);
      same_as_algebra([&](LayoutSteps& s) { return right_inverse_steps(s, a); }, [&] { return right_inverse(a); },
                      right);
      same_as_algebra([&](LayoutSteps& s) { return left_inverse_steps(s, a); }, [&] { return left_inverse(a); }, left);
    }
    CHECK(coalesced.answered == 3000);
    CHECK(composed.answered > 1000);
    CHECK(composed.refused > 300);
    CHECK(composed.equalities > 5000);
    CHECK(right.answered == 3000);
    CHECK(left.answered > 500);
    CHECK(left.refused > 300);
  }

  TEST_CASE("steps of complement, divide and product: the algebra's answer, each equality at every index") {
    test::RandomLayouts random(141);
    Tally strict, holes, divided, multiplied, blocked;
    for (int n = 0; n < 2000; ++n) {
      const Layout l = random.compact(3, n % 2 == 0), t = n % 5 == 0 ? random.any(2) : random.compact(2, n % 5 == 1);
      const Tiler tiler = n % 4 == 0 && rank(l) > 1 ? Tiler(std::vector<Tiler>{t, Tiler::underscore()}) : Tiler(t);
      const std::int64_t target = random.number(1, 200);
      const Layout any = random.any(3);
      CAPTURE(to_string(l));
      CAPTURE(to_string(tiler));
      same_as_algebra([&](LayoutSteps& s) { return complement_steps(s, any, target); },
                      [&] { return complement(any, target); }, strict);
      same_as_algebra([&](LayoutSteps& s) { return complement_with_holes_steps(s, any, target); },
                      [&] { return complement_with_holes(any, target); }, holes);
      const auto divide = [&](const char* name, Layout (*f)(const Layout&, const Tiler&)) {
        same_as_algebra([&](LayoutSteps& s) { return divide_steps(s, name, l, tiler); }, [&] { return f(l, tiler); },
                        divided);
      };
      divide("logical_divide", logical_divide);
      divide("zipped_divide", zipped_divide);
      divide("tiled_divide", tiled_divide);
      divide("flat_divide", flat_divide);
      const auto multiply = [&](const char* name, Layout (*f)(const Layout&, const Tiler&)) {
        same_as_algebra([&](LayoutSteps& s) { return product_steps(s, name, l, tiler); }, [&] { return f(l, tiler); },
                        multiplied);
      };
      multiply("logical_product", logical_product);
      multiply("zipped_product", zipped_product);
      multiply("tiled_product", tiled_product);
      multiply("flat_product", flat_product);
      same_as_algebra([&](LayoutSteps& s) { return blocked_or_raked_steps(s, "blocked_product", l, t); },
                      [&] { return blocked_product(l, t); }, blocked);
      same_as_algebra([&](LayoutSteps& s) { return blocked_or_raked_steps(s, "raked_product", l, t); },
                      [&] { return raked_product(l, t); }, blocked);
    }
    CHECK(strict.answered > 500);
    CHECK(strict.refused > 200);
    CHECK(holes.answered > 500);
    CHECK(divided.answered > 1000);
    CHECK(divided.refused > 500);
    CHECK(multiplied.answered > 1000);
    CHECK(blocked.answered > 1000);
  }

  TEST_CASE("steps of complement: after each gap, layout and gaps together are a block without a hole") {
    test::RandomLayouts random(142);
    int gaps = 0;
    for (int n = 0; n < 2000; ++n) {
      const Layout l = random.compact(3, true);
      LayoutSteps steps;
      try {
        complement_steps(steps, l, 100);
      } catch (const Error&) {
        continue;
      }
      const std::vector<FlatMode> sorted = sorted_by_stride(moving_modes(l.modes()));
      std::size_t filled = 0;
      for (const LayoutStep& step : steps.list()) {
        if (step.rule != "fill the gap") continue;
        const Layout gap = layout_in(step);
        const Layout part(std::span<const FlatMode>(sorted).first(++filled));
        std::set<std::int64_t> offsets;
        for (std::int64_t i = 0; i < part.size(); ++i)
          for (std::int64_t j = 0; j < gap.size(); ++j) offsets.insert(part(i) + gap(j));
        INFO(to_string(l) << ": " << step.message);
        REQUIRE(static_cast<std::int64_t>(offsets.size()) == part.size() * gap.size());
        REQUIRE(*offsets.rbegin() == part.size() * gap.size() - 1);
        ++gaps;
      }
      REQUIRE(filled == sorted.size());
    }
    CHECK(gaps > 1000);
  }

  TEST_CASE("steps: none is left out: each leaf of B, each mode and each leaf that is recast is named") {
    test::RandomLayouts random(143);
    long named = 0;
    const auto require_named = [&](const LayoutSteps& steps, const std::string& part) {
      const auto names = [&](const LayoutStep& step) { return step.message.find(part) != std::string::npos; };
      INFO(part);
      REQUIRE(std::ranges::any_of(steps.list(), names));
      ++named;
    };
    for (int n = 0; n < 2000; ++n) {
      const Layout a = random.compact(3), b = random.compact(2);
      CAPTURE(to_string(a));
      CAPTURE(to_string(b));
      try {
        LayoutSteps steps;
        composition_steps(steps, a, b);
        if (steps.list().back().rule != "values")
          for (const FlatMode& m : b.modes()) require_named(steps, fmt::format("A o {}:{}: ", m.extent, m.stride));
      } catch (const Error&) {
      }
      try {
        LayoutSteps steps;
        upcast_steps(steps, a, 2);
        for (const FlatMode& m : a.modes()) require_named(steps, fmt::format("{}:{} becomes", m.extent, m.stride));
      } catch (const Error&) {
      }
      LayoutSteps right, left;
      right_inverse_steps(right, a);
      left_inverse_steps(left, a);
      for (const FlatMode& m : coalesce_modes(a.modes())) {
        require_named(right, fmt::format("{}:{} goes on at", m.extent, m.stride));
        require_named(left, fmt::format("{}:{}: ", m.extent, m.stride));
      }
      if (rank(a) < 2) continue;
      LayoutSteps steps;
      divide_steps(steps, "zipped_divide", a, std::vector<Tiler>{Layout(), Tiler::underscore()});
      require_named(steps, "mode 0 of the layout by 1:0");
      require_named(steps, "mode 1 of the layout stays");
    }
    CHECK(named > 10000);
  }

  TEST_CASE("steps of composition, as on paper") {
    LayoutSteps steps;
    composition_steps(steps, of("(4,6):(1,8)"), of("6:2"));
    CHECK(rules_of(steps) == std::vector<std::string>{"divide strides", "mod shape"});
    CHECK(steps.list()[0].message == "A o 6:2: A / 2, every index that is a multiple of 2; 4:1 / 2 = 2:2");
    CHECK(to_string(layout_in(steps.list()[0])) == "(2,6):(2,8)");
    CHECK(steps.list()[1].message == "A o 6:2: the first 6 of them; 2 of 2:2, 6 / 2 = 3 are left; 3 of 6:8");
    CHECK(to_string(layout_in(steps.list()[1])) == "(2,3):(2,8)");
  }

  TEST_CASE("steps of a refused composition end where a stride does not divide") {
    LayoutSteps steps;
    CHECK_THROWS_AS(composition_steps(steps, of("(4,6,8):(2,3,5)"), of("6:3")), Error);
    CHECK(rules_of(steps) == std::vector<std::string>{"does not divide", "refused"});
    CHECK(steps.list()[0].message == "A o 6:3; 3 does not divide the extent of 4:2, and the leaf goes on beyond it");
    CHECK(steps.list()[1].message.find("(values 0,6,7,8,9,15)") != std::string::npos);
  }

  TEST_CASE("steps of tile_to_shape, recast and swizzles") {
    LayoutSteps tiled;
    CHECK(to_string(tile_to_shape_steps(tiled, of("(8,64):(64,1)"), IntTuple(std::vector<IntTuple>{128, 64}),
                                        IntTuple(std::vector<IntTuple>{1, 2}))) == "((8,16),(64,1)):((64,512),(1,0))");
    LayoutSteps up;
    CHECK(to_string(recast_steps(up, of("(8,64):(64,1)"), 16, 128)) == "(8,8):(8,1)");
    LayoutSteps refused;
    CHECK_THROWS_AS(recast_steps(refused, of("(8,64):(65,1)"), 16, 128), Error);
    CHECK(refused.list().back().rule == "refused");

    const Swizzle a(3, 4, 3), b(2, 4, 3);
    LayoutSteps both;
    CHECK(to_string(swizzle_product_steps(both, a, b)) == "Sw<1,6,3>");
    CHECK(both.list().back().message == "what both move cancels: bit 9 remains");
    LayoutSteps apart;
    CHECK_THROWS_AS(swizzle_product_steps(apart, a, Swizzle(3, 4, 4)), Error);

    // Row 1, column 8: bits 6 to 8 of 72 are 1, 72 ^ 8 = 64.
    LayoutSteps swizzled;
    swizzled_layout_steps(swizzled, parse_layout("Sw<3,3,3> o 0 o (8,64):(64,1)"));
    CHECK(swizzled.list()[1].message == "Sw<3,3,3> XORs bits 6-8 into bits 3-5");
    CHECK(swizzled.list().back().message ==
          "(1,8) is at 72; bits 6-8 of 72 = 0b1001000 are 0b1000000, 3 to the right 0b0001000; "
          "0b1001000 ^ 0b0001000 = 0b1000000 = 64");
  }
}
