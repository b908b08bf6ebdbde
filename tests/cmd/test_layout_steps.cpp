// SPDX-License-Identifier: Apache-2.0
// Transcripts of swz layout --explain, one of each operation: the text whole, JSON the same steps, a picture with a figure
// for each of them.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;

namespace {

struct Transcript {
  const char* expression;
  const char* text;  // up to the answer
};

constexpr Transcript transcripts[] = {
    {"composition((4,6):(1,8), 6:2)",
     R"(composition((4,6):(1,8), 6:2)
  divide strides: (2,6):(2,8)
    A o 6:2: A / 2, every index that is a multiple of 2; 4:1 / 2 = 2:2
  mod shape: (2,3):(2,8)
    A o 6:2: the first 6 of them; 2 of 2:2, 6 / 2 = 3 are left; 3 of 6:8
)"},
    {"(4,3):(1,8) o 24:1",
     R"(composition((4,3):(1,8), 24:1)
  extend, mod shape: (4,6):(1,8)
    A o 24:1; 3:8 goes on beyond its end; A o 24:1: the first 24 of them; 4 of 4:1, 24 / 4 = 6 are left; 6 of 6:8
)"},
    {"complement(4:2, 24)",
     R"(complement(4:2, 24)
  sort by stride: 4:2
    the smallest stride first: 4:2
  fill the gap: 2:1
    below 4:2 fit 2 / 1 = 2 blocks of 1: 2:1; covered is now [0, 8)
  fill the rest: (2,3):(1,8)
    24 / 8, rounded up, is 3 blocks: 3:8
)"},
    {"logical_divide(24:3, 4:2)",
     R"(complement(4:2, 24)
  sort by stride: 4:2
    the smallest stride first: 4:2
  fill the gap: 2:1
    below 4:2 fit 2 / 1 = 2 blocks of 1: 2:1; covered is now [0, 8)
  fill the rest: (2,3):(1,8)
    24 / 8, rounded up, is 3 blocks: 3:8

logical_divide(24:3, 4:2)
  tile and rest: (4,(2,3)):(2,(1,8))
    the tile 4:2 beside its complement in 24 elements, (2,3):(1,8)

composition(24:3, (4,(2,3)):(2,(1,8)))
  distribute
    each leaf of B on its own, in the nesting of B: A o 4:2, A o 2:1, A o 3:8
  multiply strides: 4:6
    A o 4:2: A is one mode of stride 3, so the stride is 2 * 3
  multiply strides: 2:3
    A o 2:1: A is one mode of stride 3, so the stride is 1 * 3
  multiply strides: 3:24
    A o 3:8: A is one mode of stride 3, so the stride is 8 * 3

logical_divide(24:3, 4:2)
  compose: (4,(2,3)):(6,(3,24))
    the leaves in the nesting of B; the layout o (tile, rest): mode 0 is a tile, mode 1 goes from tile to tile
)"},
    {"zipped_divide((4,6):(1,4), <2:1,_>)",
     R"(logical_divide((4,6):(1,4), <2:1,_>)
  by mode: 4:1
    mode 0 of the layout by 2:1

complement(2:1, 4)
  sort by stride: 2:1
    the smallest stride first: 2:1
  fill the gap: 1:1
    2:1 starts where [0, 1) ends: no gap; covered is now [0, 2)
  fill the rest: (1,2):(1,2)
    4 / 2, rounded up, is 2 blocks: 2:2
  coalesce: 2:2
    modes of extent 1 are left out, neighbours that go on as one are merged

logical_divide(4:1, 2:1)
  tile and rest: (2,2):(1,2)
    the tile 2:1 beside its complement in 4 elements, 2:2

composition(4:1, (2,2):(1,2))
  distribute
    each leaf of B on its own, in the nesting of B: A o 2:1, A o 2:2
  multiply strides: 2:1
    A o 2:1: A is one mode of stride 1, so the stride is 1 * 1
  multiply strides: 2:2
    A o 2:2: A is one mode of stride 1, so the stride is 2 * 1

logical_divide(4:1, 2:1)
  compose: (2,2):(1,2)
    the leaves in the nesting of B; the layout o (tile, rest): mode 0 is a tile, mode 1 goes from tile to tile

logical_divide((4,6):(1,4), <2:1,_>)
  by mode: 6:4
    mode 1 of the layout stays: the tiler has _ there
  together: ((2,2),6):((1,2),4)
    side by side

zipped_divide((4,6):(1,4), <2:1,_>)
  regroup: ((2,6),(2,1)):((1,4),(2,0))
    the same modes as ((TA,TB,…),(a,b,…)): all tiles, then all rests
)"},
    {"logical_product((2,2):(4,1), 6:1)",
     R"(complement((2,2):(4,1), 4 * 6)
  sort by stride: (2,2):(1,4)
    the smallest stride first: 2:1, 2:4
  fill the gap: 1:1
    2:1 starts where [0, 1) ends: no gap; covered is now [0, 2)
  fill the gap: (1,2):(1,2)
    below 2:4 fit 4 / 2 = 2 blocks of 2: 2:2; covered is now [0, 8)
  fill the rest: (1,2,3):(1,2,8)
    the gaps are 2 places for 6 copies: 3 blocks of 8
  coalesce: (2,3):(2,8)
    modes of extent 1 are left out, neighbours that go on as one are merged

composition((2,3):(2,8), 6:1)
  mod shape: (2,3):(2,8)
    A o 6:1: the first 6 indices; 2 of 2:2, 6 / 2 = 3 are left; 3 of 3:8

logical_product((2,2):(4,1), 6:1)
  block and copies: ((2,2),(2,3)):((4,1),(2,8))
    mode 0 is the block, mode 1 the places (2,3):(2,8) in the order of 6:1
)"},
    {"tiled_product(2:1, <3:1>)",
     R"(logical_product(2:1, <3:1>)
  by mode: 2:1
    mode 0 of the layout by 3:1

complement(2:1, 2 * 3)
  sort by stride: 2:1
    the smallest stride first: 2:1
  fill the gap: 1:1
    2:1 starts where [0, 1) ends: no gap; covered is now [0, 2)
  fill the rest: (1,3):(1,2)
    the gaps are 1 place for 3 copies: 3 blocks of 2
  coalesce: 3:2
    modes of extent 1 are left out, neighbours that go on as one are merged

composition(3:2, 3:1)
  multiply strides: 3:2
    A o 3:1: A is one mode of stride 2, so the stride is 1 * 2

logical_product(2:1, 3:1)
  block and copies: (2,3):(1,2)
    mode 0 is the block, mode 1 the places 3:2 in the order of 3:1

logical_product(2:1, <3:1>)
  together: ((2,3)):((1,2))
    side by side

tiled_product(2:1, <3:1>)
  regroup: ((2),(3)):((1),(2))
    the same modes as ((A,B,…),a,b,…): all tiles, then the copies of each
)"},
    {"raked_product((2,2):(1,2), (2,1):(1,0))",
     R"(complement((2,2):(1,2), 4 * 2)
  sort by stride: (2,2):(1,2)
    the smallest stride first: 2:1, 2:2
  fill the gap: 1:1
    2:1 starts where [0, 1) ends: no gap; covered is now [0, 2)
  fill the gap: (1,1):(1,2)
    2:2 starts where [0, 2) ends: no gap; covered is now [0, 4)
  fill the rest: (1,1,2):(1,2,4)
    the gaps are 1 place for 2 copies: 2 blocks of 4
  coalesce: 2:4
    modes of extent 1 are left out, neighbours that go on as one are merged

composition(2:4, (2,1):(1,0))
  distribute
    each leaf of B on its own, in the nesting of B: A o 2:1, A o 1:0
  multiply strides: 2:4
    A o 2:1: A is one mode of stride 4, so the stride is 1 * 4
  multiply strides: 1:0
    A o 1:0: index 0
  together: (2,1):(4,0)
    the leaves in the nesting of B

logical_product((2,2):(1,2), (2,1):(1,0))
  block and copies: ((2,2),(2,1)):((1,2),(4,0))
    mode 0 is the block, mode 1 the places 2:4 in the order of (2,1):(1,0)

raked_product((2,2):(1,2), (2,1):(1,0))
  regroup: ((2,2),(1,2)):((4,1),(0,2))
    mode i is (copies' mode i, block's mode i): the elements of a block lie apart
)"},
    {"right_inverse((8,4):(4,1))",
     R"(right_inverse((8,4):(4,1))
  sort by stride: (4,8):(1,4)
    coordinate 1 of 4:1 is at index 8, of 8:4 is at index 1
  take: 4:8
    4:1 goes on at offset 1: 4 steps of index 8; offsets [0, 4) are reached
  take: (4,8):(8,1)
    8:4 goes on at offset 4: 8 steps of index 1; offsets [0, 32) are reached
)"},
    {"left_inverse((4,2):(1,8))",
     R"(left_inverse((4,2):(1,8))
  sort by stride: (4,2):(1,8)
    coordinate 1 of 4:1 is at index 1, of 2:8 is at index 4
  next mode: (1,4):(0,1)
    4:1: a step of 1 is index 1
  next mode: (1,8,2):(0,1,4)
    2:8: 8 / 1 = 8 steps of 1 make one of 8, and that is index 4
  coalesce: (8,2):(1,4)
    modes of extent 1 are left out, neighbours that go on as one are merged
)"},
    {"left_inverse(Sw<1,1,1> o 0 o (2,4):(4,1))",
     R"(Sw<1,1,1> o 0 o (2,4):(4,1)
  the layout alone: (2,4):(4,1)
    offsets before the swizzle
  bits that move: Sw<1,1,1>
    Sw<1,1,1> XORs bit 2 into bit 1
  one coordinate: Sw<1,1,1> o 0 o (2,4):(4,1)
    (1,2) is at 6; bit 2 of 6 = 0b110 is 0b100, 1 to the right 0b010; 0b110 ^ 0b010 = 0b100 = 4

left_inverse((2,4):(4,1))
  sort by stride: (4,2):(1,4)
    coordinate 1 of 4:1 is at index 2, of 2:4 is at index 1
  next mode: (1,4):(0,2)
    4:1: a step of 1 is index 2
  next mode: (1,4,2):(0,2,1)
    2:4: 4 / 1 = 4 steps of 1 make one of 4, and that is index 1
  coalesce: (4,2):(2,1)
    modes of extent 1 are left out, neighbours that go on as one are merged

left_inverse(Sw<1,1,1> o 0 o (2,4):(4,1))
  the swizzle first: Sw<1,1,1> o 0 o 8:1
    it undoes itself: the inverse is (4,2):(2,1) after Sw<1,1,1>
  where the bits go: Sw<1,0,-2>
    (4,2):(2,1) takes bit 2 (0x4) to 0x1 and bit 1 (0x2) to 0x4: Sw<1,0,-2> XORs bit 0 into bit 2
  together: Sw<1,0,-2> o 0 o (4,2):(2,1)
    tried at every index: it gives back where L came from
)"},
    {"coalesce((2,(3,4),1,5):(1,(2,9),7,36))",
     R"(coalesce((2,(3,4),1,5):(1,(2,9),7,36))
  flatten: (2,3,4,1,5):(1,2,9,7,36)
    the leaves, left to right
  merge, keep apart: (6,4,1,5):(1,9,7,36)
    2:1 ends at 2 * 1 = 2, where 3:2 goes on: 6:1; 6:1 ends at 6 * 1 = 6, but 4:9 has stride 9
  drop: (6,4,5):(1,9,36)
    1:7 has one coordinate, which adds nothing
  merge: (6,20):(1,9)
    4:9 ends at 4 * 9 = 36, where 5:36 goes on: 20:9
)"},
    {"tile_to_shape(4:1, 12)",
     R"(tile_to_shape(4:1, 12)
  count the copies: 3
    mode 0: 12 / 4 = 3
  order them: 3:1
    compact, the first mode fastest

complement(4:1, 4 * 3)
  sort by stride: 4:1
    the smallest stride first: 4:1
  fill the gap: 1:1
    4:1 starts where [0, 1) ends: no gap; covered is now [0, 4)
  fill the rest: (1,3):(1,4)
    the gaps are 1 place for 3 copies: 3 blocks of 4
  coalesce: 3:4
    modes of extent 1 are left out, neighbours that go on as one are merged

composition(3:4, 3:1)
  multiply strides: 3:4
    A o 3:1: A is one mode of stride 4, so the stride is 1 * 4

logical_product(4:1, 3:1)
  block and copies: (4,3):(1,4)
    mode 0 is the block, mode 1 the places 3:4 in the order of 3:1

blocked_product(4:1, 3:1)
  regroup: ((4,3)):((1,4))
    mode i is (block's mode i, copies' mode i): each block stays together
)"},
    {"tile_to_shape((8,64):(64,1), (128,100))",
     R"(tile_to_shape((8,64):(64,1), (128,100))
  count the copies
    mode 0: 128 / 8 = 16, mode 1: 100 / 64 leaves a rest
  refused
    tile_to_shape: extent 64 of mode 1 of (8,64):(64,1) does not divide 100

the nearest extents that fit are 64 and 128
)"},
    {"upcast((8,64):(64,1), 8)",
     R"(upcast((8,64):(64,1), 8)
  divide a mode: 8:8
    8:64 becomes 8:8: a step is 64 / 8 units
  divide a mode: 8:1
    64:1 becomes 8:1: 8 / 1 = 8 of its elements are a unit
  together: (8,8):(8,1)
    8 elements are one
)"},
    {"downcast((8,8):(8,1), 8)",
     R"(downcast((8,8):(8,1), 8)
  multiply a mode: 8:64
    8:8 becomes 8:64: a step is 8 * 8 parts
  multiply a mode: 64:1
    8:1 becomes 64:1: its neighbours touch: 8 * 8 parts
  together: (8,64):(64,1)
    one element is 8
)"},
    {"recast((8,4):(4,1), 8, 12)",
     R"(recast((8,4):(4,1), 8, 12)
  ratio of the widths
    12 / 8 bits = 3 / 2: 3 elements become one, which becomes 2

upcast((8,4):(4,1), 3)
  divide a mode
    8:4: 4 is not a multiple of 3 and does not divide it
  refused
    upcast((8,4):(4,1), 3): stride 4 neither divides 3 nor is divided by it

the largest factor for this stride below 3 is 1
)"},
    {"Sw<3,4,3> o Sw<2,4,3>",
     R"(composition(Sw<3,4,3>, Sw<2,4,3>)
  the right one first: Sw<2,4,3>
    Sw<2,4,3> XORs bits 7-8 into bits 4-5
  then the left one: Sw<3,4,3>
    Sw<3,4,3> XORs bits 7-9 into bits 4-6
  bits that move in one of them: Sw<1,6,3>
    what both move cancels: bit 9 remains
)"},
    {"(4,2):(2,1) o Sw<1,0,2> o 0 o (4,2):(2,1)",
     R"(Sw<1,0,2> o 0 o (4,2):(2,1)
  the layout alone: (4,2):(2,1)
    offsets before the swizzle
  bits that move: Sw<1,0,2>
    Sw<1,0,2> XORs bit 2 into bit 0
  one coordinate: Sw<1,0,2> o 0 o (4,2):(2,1)
    (2,1) is at 5; bit 2 of 5 = 0b101 is 0b100, 2 to the right 0b001; 0b101 ^ 0b001 = 0b100 = 4

composition((4,2):(2,1), Sw<1,0,2> o 0 o (4,2):(2,1))
  where the bits go: Sw<1,0,-1>
    (4,2):(2,1) takes bit 2 (0x4) to 0x1 and bit 0 (0x1) to 0x2: Sw<1,0,-1> XORs bit 0 into bit 1

composition((4,2):(2,1), (4,2):(2,1))
  distribute
    each leaf of B on its own, in the nesting of B: A o 4:2, A o 2:1
  divide strides, mod shape: (2,2):(4,1)
    A o 4:2: A / 2, every index that is a multiple of 2; 4:2 / 2 = 2:4; A o 4:2: the first 4 of them; 2 of 2:4, 4 / 2 = 2 are left; 2 of 2:1
  mod shape: 2:2
    A o 2:1: the first 2 indices; 2 of 4:2
  together: ((2,2),2):((4,1),2)
    the leaves in the nesting of B

composition((4,2):(2,1), Sw<1,0,2> o 0 o (4,2):(2,1))
  together: Sw<1,0,-1> o 0 o ((2,2),2):((4,1),2)
    the new swizzle after the composition of the layouts; every value is the same
)"},
    {"((8,32):(32,1))(7,25)",
     R"(((8,32):(32,1))(7,25)
  multiply by strides: 249
    7 * 32 + 25 * 1 = 249
)"},
    {"flat_divide(make_identity_layout((4,6)), (2,_))",
     R"(make_identity_layout((4,6))
  answer: (4,6):(1@0,1@1)

flat_divide((4,6):(1@0,1@1), (2,_))
  coordinates as offsets: (4,6):(1,32)
    1 is 1@0, 32 is 1@1

logical_divide((4,6):(1,32), <2:1,_>)
  by mode: 4:1
    mode 0 of the layout by 2:1

complement(2:1, 4)
  sort by stride: 2:1
    the smallest stride first: 2:1
  fill the gap: 1:1
    2:1 starts where [0, 1) ends: no gap; covered is now [0, 2)
  fill the rest: (1,2):(1,2)
    4 / 2, rounded up, is 2 blocks: 2:2
  coalesce: 2:2
    modes of extent 1 are left out, neighbours that go on as one are merged

logical_divide(4:1, 2:1)
  tile and rest: (2,2):(1,2)
    the tile 2:1 beside its complement in 4 elements, 2:2

composition(4:1, (2,2):(1,2))
  distribute
    each leaf of B on its own, in the nesting of B: A o 2:1, A o 2:2
  multiply strides: 2:1
    A o 2:1: A is one mode of stride 1, so the stride is 1 * 1
  multiply strides: 2:2
    A o 2:2: A is one mode of stride 1, so the stride is 2 * 1

logical_divide(4:1, 2:1)
  compose: (2,2):(1,2)
    the leaves in the nesting of B; the layout o (tile, rest): mode 0 is a tile, mode 1 goes from tile to tile

logical_divide((4,6):(1,32), <2:1,_>)
  by mode: 6:32
    mode 1 of the layout stays: the tiler has _ there
  together: ((2,2),6):((1,2),32)
    side by side

flat_divide((4,6):(1,32), <2:1,_>)
  regroup: (2,6,2,1):(1,32,2,0)
    the same modes as (TA,TB,…,a,b,…): each tile, then each rest

flat_divide((4,6):(1@0,1@1), (2,_))
  offsets as coordinates: (2,6,2,1):(1@0,1@1,2@0,0)
    1 is 1@0, 32 is 1@1, 2 is 2@0
)"},
    {"(8,4):(4,1) o (2,4):(1@0,1@1)",
     R"(composition((8,4):(4,1), (2,4):(1@0,1@1))
  coordinates as indices: (2,4):(1,8)
    of the shape (8,4), whose first mode is fastest

composition((8,4):(4,1), (2,4):(1,8))
  distribute
    each leaf of B on its own, in the nesting of B: A o 2:1, A o 4:8
  mod shape: 2:4
    A o 2:1: the first 2 indices; 2 of 8:4
  divide strides, mod shape: 4:1
    A o 4:8: A / 8, every index that is a multiple of 8; 8 / 8 = 1 steps over 8:4; A o 4:8: the first 4 of them; 4 of 4:1
  together: (2,4):(4,1)
    the leaves in the nesting of B
)"},
    {"(4,6,8):(2,3,5) o 6:3",
     R"(composition((4,6,8):(2,3,5), 6:3)
  does not divide
    A o 6:3; 3 does not divide the extent of 4:2, and the leaf goes on beyond it
  refused
    (4,6,8):(2,3,5) o 6:3 is not a layout: the values along 6:3 have no strides (values 0,6,7,8,9,15)

choose a right-hand side whose strides and extents divide the extents of the left-hand side
)"},
};

// As the text has them, from JSON.
std::string text_of_steps(const json& steps) {
  std::string text, operation;
  for (const json& step : steps) {
    const auto of = [&](const char* key) { return step[key].is_null() ? "" : step[key].get<std::string>(); };
    if (of("operation") != operation) text += (text.empty() ? "" : "\n") + of("operation") + "\n";
    operation = of("operation");
    text += "  " + of("rule") + (of("layout").empty() ? "" : ": " + of("layout")) + "\n";
    if (!of("message").empty()) text += "    " + of("message") + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("layout --explain: each operation as text and as JSON") {
  for (const Transcript& t : transcripts) {
    CAPTURE(t.expression);
    const std::string out = run_cli({"layout", t.expression, "--explain"}).out;
    CHECK(out.substr(0, std::string(t.text).size()) == t.text);
    const CliResult r = run_cli({"layout", t.expression, "--explain", "-f", "json"});
    const json d = json::parse(r.out);
    CHECK(std::string(t.text).starts_with(text_of_steps(d["steps"])));
    CHECK(d.contains("refused") == (r.exit_code == 1));
    if (d.contains("layout")) CHECK(d["steps"].back()["layout"] == d["layout"]);
  }
}

TEST_CASE("layout --explain: the last step is the answer without --explain") {
  for (const Transcript& t : transcripts) {
    CAPTURE(t.expression);
    const CliResult plain = run_cli({"layout", t.expression, "-f", "json"});
    const json d = json::parse(run_cli({"layout", t.expression, "--explain", "-f", "json"}).out);
    if (plain.exit_code == 2) CHECK(d["steps"].back()["rule"] == "refused");
    else {
      json rest = d;
      rest.erase("steps");
      CHECK(rest == json::parse(plain.out));
    }
  }
}

TEST_CASE("layout --explain: a picture names each operation and each step") {
  const std::string svg = run_cli({"layout", "composition((4,6):(1,8), 6:2)", "--explain", "-f", "svg"}).out;
  for (const char* text :
       {">composition((4,6):(1,8), 6:2)<", ">divide strides: (2,6):(2,8)<", ">mod shape: (2,3):(2,8)<"})
    CHECK(svg.find(text) != std::string::npos);
  // 8x64 is drawn in part, 512 rows are not.
  const std::string tiled =
      run_cli({"layout", "tile_to_shape((8,64):(64,1), (16,128), (2,1))", "--explain", "-f", "svg"}).out;
  CHECK(tiled.find("512x4") != std::string::npos);
}

TEST_CASE("layout --explain: a picture of too many steps is refused, text is not") {
  std::string long_chain = "9:1 o 8:1";
  for (int i = 0; i < 64; ++i) long_chain = (i % 2 == 0 ? "8:1 o " : "9:1 o ") + long_chain;
  CHECK(run_cli({"layout", long_chain, "--explain", "-f", "svg"}).err ==
        "swz: error: --explain as a picture: 65 steps are more than the limit of 64\n"
        "hint: explain the parts on their own, or take -f text\n");
}
