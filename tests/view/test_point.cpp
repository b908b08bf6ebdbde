// SPDX-License-Identifier: Apache-2.0
// Point: its tip, its JSON and its lines say the same numbers.
#include <doctest/doctest.h>

#include "cmd/parsed.hpp"
#include "render/text.hpp"
#include "told.hpp"
#include "view/document/point.hpp"

using namespace swz;

TEST_SUITE("view") {
  TEST_CASE("an element, and a cell that begins with it") {
    Point p{.at = {{"row", 37}, {"k", 20}}};
    p.offset = 2428;
    p.memory = Point::Memory{Bits{4856 * 8}, Bits{16}};
    p.chunk = 298;
    CHECK(tip_of(p) == "row 37, k 20, offset 2428\nbyte 0x12f8 = 4856, line 37, bank 30\nchunk 298");
    CHECK(to_json(p).dump() == R"({"at":[37,20],"offset":2428,"byte":4856,"line":37,"bank":30,"chunk":298})");
    CHECK(render_text(view_points({}, {p}, {}, {}), {}) ==
          "at      row 37, k 20\noffset  2428\nbyte    0x12f8 = 4856\nline    37\nbank    30\nchunk   298\n");
    p.at = {{"row", 32, 8}, {"k", 20}};
    p.memory = Point::Memory{Bits{4848 * 8}, Bits{128}};
    CHECK(tip_of(p) == "rows 32-39, k 20, offset 2428\nbyte 0x12f0 = 4848, line 37, banks 28-31\nchunk 298");
  }

  TEST_CASE("half a byte, a register, a coordinate of a layout, an element that a copy fills") {
    Point half{.at = {{"row", 0}, {"k", 1}}};
    half.memory = Point::Memory{Bits{4}, Bits{4}};
    CHECK(tip_of(half) == "row 0, k 1\nbyte 0x0 = 0, bits 4-7, line 0, bank 0");
    CHECK(to_json(half).dump() == R"({"at":[0,1],"byte":0,"bit":4,"line":0,"bank":0})");
    Point held{.of = "a", .at = {{"row", 9}, {"column", 2}}};
    held.slot = Point::Slot{37, 2, 1, 16, 16};
    CHECK(tip_of(held) == "a: row 9, column 2\nthread 37 (warp 1, lane 5), value 2, register 1, bits 16-31");
    CHECK(to_json(held).dump() == R"({"of":"a","at":[9,2],"thread":37,"value":2,"register":1,"register_bit":16})");
    Point nested{.coordinate = IntTuple({IntTuple({1, 2}), 3})};
    nested.index = 105;
    nested.offset = -58;
    CHECK(tip_of(nested) == "((1,2),3), index 105, offset -58");
    CHECK(to_json(nested).dump() == R"({"at":[[1,2],3],"index":105,"offset":-58})");
    CHECK(to_json(Point{.coordinate = IntTuple(5)}).dump() == R"({"at":[5]})");
    Point box{.at = {{"dim 0", 40, 8}, {"dim 1", 1}}};
    box.element = {104, -3};
    box.filled = 8;
    CHECK(tip_of(box) == "dim 0 40-47, dim 1 1\nfilled 8 outside of the tensor\nelement (104, -3)");
    CHECK(to_json(box).dump() == R"({"at":[40,1],"element":[104,-3],"filled":true})");
  }

  TEST_CASE("several are a table, with a column for each number that one of them has") {
    Point a{.of = "x", .at = {{"row", 1}}}, b{.at = {{"row", 22}}};
    b.chunk = 7;
    CHECK(render_text(view_points(Document("title"), {a, b}, {}, {note("rule", "more")}), {}) ==
          "title\nof  row  chunk\nx     1      -\n-    22      7\n\nnote: more\n");
    CHECK(parsed(view_points({}, {}, {}, {})).dump() == R"({"points":[],"notes":[],"lints":[]})");
  }

  TEST_CASE("a coordinate is compared with the axes: rank, then bounds") {
    const std::vector<Point::Axis> axes{{"row", 0, 8}, {"k", 0, 64}};
    CHECK(require_coordinate(IntTuple({7, 63}), axes) == std::vector<std::int64_t>{7, 63});
    const auto refused = [&](const IntTuple& at) { return swz::told([&] { require_coordinate(at, axes); }); };
    const std::string hint = " | row 0 to 7 and k 0 to 63; for example --at 1,2";
    CHECK(refused(IntTuple({8, 0})) == "--at (8,0): there is no row 8" + hint);
    CHECK(refused(IntTuple({0, -1})) == "--at (0,-1): there is no k -1" + hint);
    CHECK(refused(IntTuple({1, 2, 3})) == "--at (1,2,3) has 3 numbers; an element has row and k" + hint);
    CHECK(refused(std::vector{IntTuple({1, 2})}) == "--at ((1,2)) has 2 numbers; an element has row and k" + hint);
  }

  TEST_CASE("elements of 6 bits in a byte: those that share bits with it, by brute force") {
    for (std::int64_t byte = 0; byte < 14; ++byte) {
      const auto found = elements_in(Bytes{byte}, 16, 6, {}, Bytes{12}, [](std::int64_t i) { return 6 * i; });
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 0; i < 16; ++i)
        for (std::int64_t bit = 6 * i; bit < 6 * i + 6; ++bit)
          if (bit / 8 == byte && (expected.empty() || expected.back() != i)) expected.push_back(i);
      CHECK(found.elements == expected);
      CHECK(found.notes.size() == (expected.empty() ? 1 : 0));
    }
    const auto full = elements_in(Bytes{0}, 1000, 8, {}, Bytes{1}, [](std::int64_t) { return 0; });
    CHECK(full.elements.size() == 256);
    CHECK(full.notes.at(0).message == "at most 256 elements of byte 0x0 are listed");
  }
}
