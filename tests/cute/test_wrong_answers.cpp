// SPDX-License-Identifier: Apache-2.0
// Where CuTe answers wrongly, or was reported to: what it says, that this breaks the law, and what swz says
// instead.
#include <doctest/doctest.h>

#include <functional>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "laws.hpp"
#include "wrong_answers.hpp"

namespace swz {
namespace {

struct Expected {
  const char* expression;
  const char* issue;
  const char* cute;                                // what CuTe 4.2 says
  const char* swz;                                 // what swz says: an answer, or the message of its refusal
  std::function<bool(const ComposedLayout&)> law;  // of an answer that is a layout
  bool cute_is_right = false;
};

Layout plain(const char* text) { return parse_layout(text).layout(); }

std::function<bool(const ComposedLayout&)> composition_of(const char* a, const char* b) {
  return [=](const ComposedLayout& r) { return laws::obeys_composition(plain(a), plain(b), r.layout()); };
}

std::string answer_or_message(const char* expression) {
  try {
    return to_string(evaluate(expression).value);
  } catch (const Error& e) {
    return e.message();
  }
}

const std::vector<Expected>& table() {
  static const std::vector<Expected> rows = {
      // The indices 0,3,6,… are no digits of the shape (4,6,8): CuTe's check lets a stride below the extent pass.
      {"(4,6,8):(2,3,5) o 6:3", "NVIDIA/cutlass#3177", "(2,3):(6,3)",
       "(4,6,8):(2,3,5) o 6:3 is not a layout: the values along 6:3 have no strides (values 0,6,7,8,9,15)",
       composition_of("(4,6,8):(2,3,5)", "6:3")},
      // Mode by mode both fit, but 2*2 + 1*3 = 7 is beyond the first mode's 6.
      {"(6,2):(1,7) o (3,2):(2,3)", "NVIDIA/cutlass#2955", "(3,2):(2,3)",
       "(6,2):(1,7) o (3,2):(2,3) is not a layout: the modes of the right-hand side carry into each other at index "
       "5 "
       "(values 0,2,4,3,5,8)",
       composition_of("(6,2):(1,7)", "(3,2):(2,3)")},
      // Wrong in CUTLASS 3.4, right since composition coalesces its left-hand side.
      {"(2,3):(1,2) o (2,3):(3,1)", "NVIDIA/cutlass#1353", "(2,3):(3,1)", "(2,3):(3,1)",
       composition_of("(2,3):(1,2)", "(2,3):(3,1)"), true},
      // Did not compile in CUTLASS 3.8, right since.
      {"(10,2):(16,4) o (3,4):(1,5)", "NVIDIA/cutlass#2113", "(3,(2,2)):(16,(80,4))", "(3,(2,2)):(16,(80,4))",
       composition_of("(10,2):(16,4)", "(3,4):(1,5)"), true},
      // 0,3,6,9 in the shape (5,2) are 0, 3, 1+5, 4+5: values 0,18,28,46. There is a layout, and CuTe gives
      // another.
      {"(5,2):(6,22) o (4,4):(3,10)", "", "((2,2),4):((18,22),44)", "((2,2),4):((18,28),44)",
       composition_of("(5,2):(6,22)", "(4,4):(3,10)")},
      // Tiles of 3 do not divide 8. CuTe rounds each mode up, and then tile 3 starts at coordinate (0,1), not at 9.
      {"logical_divide((8,2):(2,1),3:1)", "", "(3,(3,2)):(2,(6,1))",
       "(8,2):(2,1) o (3,6):(1,3) is not a layout: the modes of the right-hand side carry into each other at index "
       "8 "
       "(values 0,2,4,6,8,10,12,14,1,3,5,7,9,11,13,15,…)",
       [](const ComposedLayout& r) { return laws::obeys_divide(plain("(8,2):(2,1)"), plain("3:1"), r.layout()); }},
      // 2, 5, 8, 11 stay uncovered, which swz says in a note.
      {"complement((2,2):(1,3),12)", "", "2:6", "2:6",
       [](const ComposedLayout& r) { return laws::obeys_complement_with_holes(plain("(2,2):(1,3)"), 12, r.layout()); },
       true},
      // Copies at 0 and at 7 share offset 7.
      {"logical_product(2:7,(4,4):(1,4))", "", "(2,(4,(2,2))):(7,(1,(4,14)))",
       "(7,3):(1,14) o (4,4):(1,4) is not a layout: the modes of the right-hand side carry into each other at "
       "index 7 "
       "(values 0,1,2,3,4,5,6,14,15,16,17,18,19,20,28,29)",
       [](const ComposedLayout& r) { return laws::obeys_product(plain("2:7"), plain("(4,4):(1,4)"), r.layout()); }},
      // The inverse of 36 is 144, and there are 48 coordinates.
      {"left_inverse((12,4):(3,3))", "", "(3,4):(0,12)",
       "(12,4):(3,3) has no left inverse that is a layout: stride 3 is below 36, where the smaller strides end",
       [](const ComposedLayout& r) { return laws::obeys_left_inverse(plain("(12,4):(3,3)"), r); }},
      // Offset 2 is in the second unit, and CuTe's answer has one.
      {"upcast((2,2):(1,1),2)", "", "(1,1):(1,1)",
       "upcast((2,2):(1,1), 2): the modes inside a unit of 2 reach offset 2, so units overlap",
       [](const ComposedLayout& r) { return laws::obeys_upcast(plain("(2,2):(1,1)"), 2, r); }},
      // A core matrix counted in 16-byte units: 8 units become 512 elements instead of 64.
      {"downcast((8,1):(1,1),8)", "", "(64,8):(1,1)", "(64,1):(1,8)",
       [](const ComposedLayout& r) { return laws::obeys_downcast(plain("(8,1):(1,1)"), 8, r); }},
      // The swizzle moves elements from unit to unit by bits inside the unit; CuTe drops it.
      {"upcast((Sw<2,0,-3> o 0 o (2,128):(1,2)),8)", "", "Sw<0,0,-3> o 0 o (1,32):(1,1)",
       "Sw<2,0,-3> does not keep units of 8 whole",
       [](const ComposedLayout& r) {
         return laws::obeys_upcast(parse_layout("Sw<2,0,-3> o 0 o (2,128):(1,2)"), 8, r);
       }},
      // The swizzle reads bit 3, which no offset of (4,2):(2,1) has; CuTe takes a bit from beyond the layout
      // instead.
      {"right_inverse((Sw<1,1,2> o 0 o (4,2):(2,1)))", "", "Sw<1,0,2> o 0 o (2,4):(4,1)", nullptr,
       [](const ComposedLayout& r) {
         return laws::obeys_right_inverse(parse_layout("Sw<1,1,2> o 0 o (4,2):(2,1)"), r);
       }},
      // Index 4 goes to 4 ^ 1 = 5. CuTe's maintainers: "cosize does not consider swizzles".
      {"cosize((Sw<1,0,2> o 0 o 5:1))", "NVIDIA/cutlass#1497", "5", "6", nullptr},
      // The left one stores element 0 at offset 1.
      {"max_common_vector((Sw<1,2,2> o 1 o 8:1),8:1)", "", "4", "1", nullptr},
  };
  return rows;
}

}  // namespace

TEST_CASE("what CuTe answers wrongly, swz refuses or answers rightly") {
  const std::vector<ReportedCase> reported = reported_cases();
  REQUIRE(reported.size() == table().size());
  for (std::size_t i = 0; i < reported.size(); ++i) {
    const Expected& e = table()[i];
    CAPTURE(e.expression);
    REQUIRE(std::string(reported[i].expression) == e.expression);
    CHECK(std::string(reported[i].issue) == e.issue);
    CHECK(reported[i].cute.form == e.cute);
    if (e.law) CHECK(e.law(parse_layout(e.cute)) == e.cute_is_right);
    const std::string said = answer_or_message(e.expression);
    if (e.swz) CHECK(said == e.swz);
    if (!e.cute_is_right) CHECK(said != e.cute);
  }
}

TEST_CASE("what swz answers in their place obeys the law") {
  for (const Expected& e : table()) {
    CAPTURE(e.expression);
    try {
      const Value v = evaluate(e.expression).value;
      if (const auto* l = std::get_if<ComposedLayout>(&v); l && e.law) CHECK(e.law(*l));
    } catch (const Error& refusal) {
      CHECK(!refusal.hint.empty());
    }
  }
}

}  // namespace swz
