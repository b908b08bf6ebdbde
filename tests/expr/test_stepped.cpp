// SPDX-License-Identifier: Apache-2.0
// Stepped evaluation: of thousands of random expressions the last step is the plain answer, as text and as a function;
// each stated equality holds at every index; no step repeats the one before; a refusal is the last step and says the
// same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "base/error.hpp"
#include "expr/stepped.hpp"
#include "layout/random_layouts.hpp"
#include "sweep.hpp"

using namespace swz;

namespace {

struct StepTally {
  long answered = 0, refused = 0, equalities = 0;
  std::map<std::string, long> rules;
};

// What plain evaluation answers or says.
struct PlainAnswer {
  std::string text, refusal;
  Value value;
};

PlainAnswer plain_answer(const std::string& expression) {
  try {
    Value v = evaluate(expression).value;
    return {to_string(v), "", v};
  } catch (const Error& e) {
    return {"", e.message(), {}};
  }
}

// Two steps say different things, and of one operation they show different layouts.
void no_step_repeats(const std::vector<LayoutStep>& steps) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const LayoutStep &a = steps[i - 1], &b = steps[i];
    CAPTURE(a.operation);
    CAPTURE(b.rule);
    const std::string shown = to_string(b.layout);
    const bool is_same_operation = a.operation == b.operation, is_shown = to_string(a.layout) == shown;
    REQUIRE_FALSE((is_same_operation && is_shown && a.rule == b.rule && a.message == b.message));
    if (std::holds_alternative<ComposedLayout>(b.layout)) REQUIRE_FALSE((is_same_operation && is_shown));
  }
}

void explained_as_evaluated(const std::string& expression, StepTally& tally) {
  INFO(expression);
  const PlainAnswer plain = plain_answer(expression);
  SteppedEvaluation e;
  try {
    e = evaluate_in_steps(expression);
  } catch (const Error& error) {
    REQUIRE(error.message() == plain.refusal);  // not an operation, but the text
    return;
  }
  REQUIRE_FALSE(e.steps.empty());
  const LayoutStep& last = e.steps.back();
  if (e.refusal) {
    ++tally.refused;
    REQUIRE(e.refusal->message() == plain.refusal);
    REQUIRE(last.rule == "refused");
    REQUIRE(last.message == plain.refusal);
    REQUIRE(std::holds_alternative<std::monostate>(last.layout));
  } else {
    ++tally.answered;
    REQUIRE(to_string(e.evaluation->value) == plain.text);
    REQUIRE(to_string(last.layout) == plain.text);
    if (const auto* l = std::get_if<ComposedLayout>(&last.layout))
      for (std::int64_t i = 0; i < std::min<std::int64_t>(l->size(), 1024); ++i)
        REQUIRE((*l)(i) == std::get<ComposedLayout>(plain.value)(i));
  }
  no_step_repeats(e.steps);
  for (std::size_t s = 0; s < e.steps.size(); ++s) {
    const LayoutStep& step = e.steps[s];
    CAPTURE(step.operation);
    CAPTURE(step.rule);
    CAPTURE(step.message);
    ++tally.rules[step.rule];
    // What is beside the layout is added to a result that was reached, not put in its place.
    if (step.rule == "swizzle and offset")
      REQUIRE(to_string(std::get<ComposedLayout>(step.layout).layout()) ==
              to_string(std::get<ComposedLayout>(e.steps[s - 1].layout).layout()));
    if (!step.holds) continue;
    const auto& l = std::get<ComposedLayout>(step.layout);
    for (std::int64_t i = 0; i < std::min<std::int64_t>(l.size(), 1024); ++i) REQUIRE(step.holds(l, i));
    ++tally.equalities;
  }
}

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t stream) : random_(stream) {}

  std::string layout(int most = 3) {
    return to_string(random_.number(0, 2) == 0 ? random_.any(most) : random_.compact(most, random_.number(0, 1) == 0));
  }
  std::string swizzle() {
    const std::int64_t bits = random_.number(0, 2);
    return fmt::format("Sw<{},{},{}>", bits, random_.number(0, 3),
                       (random_.number(0, 4) == 0 ? -1 : 1) * random_.number(bits, 3));
  }
  std::string swizzled() {
    const std::string l = layout();
    if (random_.number(0, 2) == 0) return fmt::format("Sw<2,4,3> o smem_ptr[16b](unset) o {}", l);
    return fmt::format("{} o {} o {}", swizzle(), random_.number(0, 3) == 0 ? random_.number(1, 20) : 0, l);
  }
  // A compact layout of powers of two, which a swizzle goes through.
  std::string binary(bool is_swizzled) {
    const IntTuple s = random_.shape(static_cast<int>(random_.number(1, 3)), {2, 4, 8});
    const Layout l = make_ordered_layout(s, random_.number(0, 1) == 0 ? IntTuple(0) : reversed_order(s));
    return is_swizzled ? fmt::format("{} o 0 o {}", swizzle(), to_string(l)) : to_string(l);
  }
  std::string basis() {
    const IntTuple s = random_.shape(static_cast<int>(random_.number(2, 3)), {2, 4, 6, 8});
    return to_string(make_identity_layout(s));
  }
  std::string tiler() {
    switch (random_.number(0, 4)) {
      case 0: return fmt::format("<{},_>", layout(1));
      case 1: return fmt::format("<{},<{},{}>>", layout(1), layout(1), layout(1));
      case 2: return fmt::format("<{}:1,{}:1>", n(), n());
      case 3: return fmt::format("({},{})", n(), n());
      default: return layout(2);
    }
  }
  std::int64_t n() { return random_.pick<std::int64_t>({1, 2, 2, 3, 4, 4, 8}); }
  std::string coordinate(const Layout& l) {
    const std::int64_t i = random_.number(0, l.size() - 1);
    return random_.number(0, 1) == 0 ? fmt::format("({})", i) : "(" + to_string(idx2crd(i, l.shape())) + ")";
  }

  std::string expression() {
    const std::string operand = random_.number(0, 3) == 0 ? swizzled() : layout();
    const std::vector<std::string> profiles{"logical", "zipped", "tiled", "flat"};
    switch (random_.number(0, 17)) {
      case 0: return fmt::format("composition({}, {})", operand, layout());
      case 1: return fmt::format("composition({}, {})", operand, tiler());
      case 2: return fmt::format("complement({}, {})", operand, random_.number(1, 100));
      case 3: return fmt::format("{}_divide({}, {})", pick(profiles), operand, tiler());
      case 4: return fmt::format("{}_product({}, {})", pick(profiles), operand, tiler());
      case 5: return fmt::format("{}({}, {})", pick({"blocked_product", "raked_product"}), operand, layout(2));
      case 6: return fmt::format("{}({})", pick({"left_inverse", "right_inverse"}), operand);
      case 7: return fmt::format("{}({})", pick({"left_inverse", "right_inverse"}), binary(true));
      case 8: return fmt::format("coalesce({})", operand);
      case 9: return fmt::format("coalesce({}, (1,(1,1)))", operand);
      case 10:
        return fmt::format("tile_to_shape({}, ({},{}){})", operand, n() * n() * n(), n() * n(), pick({"", ", (2,1)"}));
      case 11: return fmt::format("{}({}, {})", pick({"upcast", "downcast"}), operand, n());
      case 12: return fmt::format("recast({}, {}, {})", operand, 4 * n(), 4 * n());
      case 13: return fmt::format("{} o {}", binary(false), binary(true));
      case 14: return fmt::format("{} o {}", binary(false), swizzle());
      case 15: return fmt::format("{} o {}", swizzle(), pick({swizzle(), swizzled(), layout()}));
      case 16:
        return fmt::format("{}({}, {})", pick({"zipped_divide", "flat_divide", "composition"}), basis(), tiler());
      default: return fmt::format("{} o {}", operand, basis());
    }
  }
  // L at a coordinate, a layout with a stride that is one, an operation of an operation.
  std::string nested() {
    switch (random_.number(0, 4)) {
      case 4: {
        const Layout l = random_.compact(3);
        return fmt::format("({}):(({}){})", n(), to_string(l), coordinate(l));
      }
      case 0: {
        const Layout l = random_.compact(3);
        return fmt::format("({} o {} o {})", swizzle(), random_.number(0, 2), to_string(l)) + coordinate(l);
      }
      case 1: {
        const Layout l = random_.compact(3);
        return fmt::format("({})", to_string(l)) + coordinate(l);
      }
      case 2: return fmt::format("coalesce({})", expression());
      default: return fmt::format("logical_divide({}, {})", expression(), tiler());
    }
  }

 private:
  std::string pick(const std::vector<std::string>& items) { return random_.pick(items); }
  static IntTuple reversed_order(const IntTuple& shape) {
    std::vector<std::int64_t> order(flat_values(shape).size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(order.size() - i);
    return unflatten(order, shape);
  }
  test::RandomLayouts random_;
};

std::vector<std::string> steps_text(const std::string& expression) {
  std::vector<std::string> lines;
  for (const LayoutStep& step : evaluate_in_steps(expression).steps) {
    const std::string layout = to_string(step.layout);
    lines.push_back(layout.empty() ? step.rule + " | " + step.message : fmt::format("{}: {}", step.rule, layout));
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("stepped: the last step of random expressions is what evaluation answers") {
  RandomExpressions random(1400);
  StepTally tally;
  Sweep every{15};
  for (int i = 0; i < 12000; ++i) {
    const std::string expression = i % 4 == 0 ? random.nested() : random.expression();
    if (every.takes()) explained_as_evaluated(expression, tally);
  }
  CHECK(tally.answered > at_least(5000, 15));
  CHECK(tally.refused > at_least(1500, 15));
  CHECK(tally.equalities > at_least(10000, 15));
  for (const char* rule : {"divide strides",
                           "mod shape",
                           "fill the gap",
                           "fill the rest",
                           "compose",
                           "regroup",
                           "block and copies",
                           "order them",
                           "next mode",
                           "take",
                           "the swizzle first",
                           "where the bits go",
                           "multiply by strides",
                           "swizzle",
                           "divide a mode",
                           "multiply a mode",
                           "coordinates as offsets",
                           "offsets as coordinates",
                           "coordinates as indices",
                           "a layout of the swizzle",
                           "swizzle and offset",
                           "put together",
                           "leave the swizzle out"}) {
    CAPTURE(rule);
    CHECK(tally.rules[rule] > at_least(16, 15));
  }
}

TEST_CASE("stepped: a value at a coordinate") {
  // 7 * 32 + 25 = 249 = 0b11111001; bits 7-8 are 1 only from 0x80: 249 ^ 0x10 = 233.
  CHECK(steps_text("(Sw<2,4,3> o 0 o (8,32):(32,1))(7,25)") ==
        Lines{"the layout alone: (8,32):(32,1)", "bits that move: Sw<2,4,3>",
              "one coordinate: Sw<2,4,3> o 0 o (8,32):(32,1)", "multiply by strides: 249", "swizzle: 233"});
  CHECK(steps_text("((8,32):(32,1))(57)") == Lines{"coordinate: (1,7)", "multiply by strides: 39"});
  CHECK(steps_text("((4,8):(1@0,1@1))(3,5)") == Lines{"multiply by strides: (3,5)"});
  CHECK(steps_text("((8,32):(32,1))(_,3)") == Lines{"slice: (8):(32)"});
  CHECK(evaluate_in_steps("((8,32):(32,1))(57)").steps[1].message == "1 * 32 + 7 * 1 = 39");
  CHECK(evaluate_in_steps("Sw<3,3,3>(72)").steps[0].message ==
        "bits 6-8 of 72 = 0b1001000 are 0b1000000, 3 to the right 0b0001000; 0b1001000 ^ 0b0001000 = 0b1000000 = 64");
}

TEST_CASE("stepped: coordinates are packed into offsets and unpacked") {
  const SteppedEvaluation e = evaluate_in_steps("zipped_divide(make_identity_layout((128,64)), (32,8))");
  CHECK(e.steps[0].rule == "answer");
  CHECK(e.steps[1].rule == "coordinates as offsets");
  CHECK(e.steps.back().rule == "offsets as coordinates");
  CHECK(to_string(e.steps.back().layout) == "((32,8),(4,8)):((1@0,1@1),(32@0,8@1))");
  CHECK(steps_text("(8,4):(4,1) o (2,4):(1@0,1@1)")[0] == "coordinates as indices: (2,4):(1,8)");
}

TEST_CASE("stepped: a swizzle goes through a layout where its bits stay bits") {
  CHECK(steps_text("(64,8):(8,1) o Sw<2,0,3> o 0 o (8,8):(8,1)").back() == "together: Sw<2,3,3> o 0 o (8,8):(64,8)");
  const std::string message =
      "(64,8):(8,1) takes bits 3-4 (0x18) to 0xc0 and bits 0-1 (0x3) to 0x18: "
      "Sw<2,3,3> XORs bits 6-7 into bits 3-4";
  bool is_said = false;
  for (const LayoutStep& step : evaluate_in_steps("(64,8):(8,1) o Sw<2,0,3> o 0 o (8,8):(8,1)").steps)
    is_said |= step.rule == "where the bits go" && step.message == message;
  CHECK(is_said);
  // The inverse, tried against the layout at every index.
  CHECK(steps_text("right_inverse(Sw<3,3,3> o 0 o (8,64):(64,1))").back() == "together: Sw<3,0,-6> o 0 o (64,8):(8,1)");
}

TEST_CASE("stepped: what is refused says at which step") {
  CHECK(steps_text("tile_to_shape((8,64):(64,1), (128,100))") ==
        Lines{"count the copies | mode 0: 128 / 8 = 16, mode 1: 100 / 64 leaves a rest",
              "refused | tile_to_shape: extent 64 of mode 1 of (8,64):(64,1) does not divide 100"});
  CHECK(steps_text("recast((8,64):(65,1), 16, 128)") ==
        Lines{"ratio of the widths | 128 / 16 bits = 8 / 1: 8 elements become one",
              "divide a mode | 8:65: 65 is not a multiple of 8 and does not divide it",
              "refused | upcast((8,64):(65,1), 8): stride 65 neither divides 8 nor is divided by it"});
}

TEST_CASE("stepped: what is not an operation is an error in the text") {
  for (const char* expression : {"recast((8,4):(4,1), 8)", "composition(8:1)", "tile_to_shape(4:1)", "coalesce()",
                                 "coalesce((8,4)", "recast((8,4):(4,1), 8, 8, 8)"}) {
    CAPTURE(expression);
    CHECK_THROWS_AS(evaluate_in_steps(expression), Error);
  }
  CHECK(steps_text("((8,4):(4,1))(9,1)") == Lines{"refused | coordinate 9 is outside 8"});
}

TEST_CASE("stepped: an offset of 0 is not a step, and another one is said once") {
  CHECK(steps_text("Sw<3,3,3> o 0 o (8,64):(64,1)").front() == "the layout alone: (8,64):(64,1)");
  const Lines offset = steps_text("Sw<1,3,3> o 8 o (8,8):(8,1)");
  CHECK(std::ranges::count(offset, "the offset: Sw<0,4,3> o 8 o (8,8):(8,1)") == 1);
  CHECK(offset.front() == "the layout alone: (8,8):(8,1)");
  CHECK(steps_text("8 o (8,8):(8,1)") == Lines{"answer: Sw<0,4,3> o 8 o (8,8):(8,1)"});
}
