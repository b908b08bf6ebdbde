// SPDX-License-Identifier: Apache-2.0
// --at and --at-byte: over every element they say what the same command says in JSON of all of them, and the cells that a
// picture marks are those of the elements that were asked for.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "cmd/asked.hpp"
#include "cmd/parsed.hpp"
#include "expr/evaluate.hpp"
#include "layout/layout.hpp"
#include "told.hpp"

using namespace swz;

namespace {

constexpr std::size_t at_a_time = 200;

Parsed answer_of(const Words& words) { return parsed(asked(words).document); }

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The points of all these coordinates, in their order.
std::vector<Parsed> points_at(const Words& words, const std::vector<std::string>& coordinates) {
  std::vector<Parsed> points;
  for (std::size_t i = 0; i < coordinates.size(); i += at_a_time) {
    std::string text;
    for (std::size_t j = i; j < std::min(i + at_a_time, coordinates.size()); ++j) text += coordinates[j] + ";";
    const Parsed answer = answer_of(with(words, {"--at", text}));
    for (const Parsed& point : answer["points"]) points.push_back(point);
  }
  REQUIRE(points.size() == coordinates.size());
  return points;
}

std::vector<std::string> coordinates_of(std::int64_t outer, std::int64_t inner, bool inner_first = false) {
  std::vector<std::string> all;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i)
      all.push_back(inner_first ? fmt::format("{},{}", i, o) : fmt::format("{},{}", o, i));
  return all;
}

// bits: where each element begins. Every byte from the first to the one after the last is asked for.
void check_bytes(const Words& words, const std::vector<Parsed>& points, int element_bits) {
  std::map<std::int64_t, std::set<std::string>> elements;
  for (const Parsed& point : points) {
    const std::int64_t bit = point["byte"].get<std::int64_t>() * 8 + point.value("bit", std::int64_t{0});
    for (std::int64_t byte = bit / 8; byte <= (bit + element_bits - 1) / 8; ++byte)
      elements[byte].insert(point["at"].dump());
  }
  for (std::int64_t byte = elements.begin()->first; byte <= elements.rbegin()->first + 1; byte += 3) {
    const Parsed answer = answer_of(with(words, {"--at-byte", std::to_string(byte)}));
    std::set<std::string> found;
    for (const Parsed& point : answer["points"]) found.insert(point["at"].dump());
    CAPTURE(byte);
    REQUIRE(found == elements[byte]);
    REQUIRE(answer["notes"].size() == (found.empty() ? 1 : 0));
  }
}

void check_memory(const Parsed& point, std::int64_t byte) {
  REQUIRE(point["byte"] == byte);
  REQUIRE(point["line"] == byte / 128);
  REQUIRE(point["bank"] == byte % 128 / 4);
}

// The highlighted squares of a panel, as "row,column".
std::set<std::string> marked(const Grid& grid) {
  std::set<std::string> out;
  for (std::size_t r = 0; r < grid.squares.size(); ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c)
      if (grid.squares[r][c].mark == Mark::highlighted) out.insert(fmt::format("{},{}", r, c));
  return out;
}

std::set<std::string> marked(const Words& words, std::size_t panel) {
  return marked(figure_in(asked(words).document).panels[0][panel]);
}

}  // namespace

TEST_SUITE("cmd") {
  TEST_CASE("place --at: every element of many tiles lies where its chunk does, and --at-byte finds it there") {
    for (const Words& tile : std::vector<Words>{
             {"--tile", "16x64", "--dtype", "bf16", "--swizzle", "128B"},
             {"--tile", "64x8", "--dtype", "bf16", "--major", "mn", "--swizzle", "128B", "--base", "0x480"},
             {"--tile", "8x64", "--dtype", "e4m3", "--swizzle", "64B", "--order", "k-first"},
             {"--tile", "8x64", "--dtype", "e2m1", "--kind", "mxf4", "--swizzle", "32B"},
             {"--tile", "8x16", "--dtype", "tf32", "--swizzle", "none"}}) {
      const Words words = with({"place"}, tile);
      CAPTURE(words);
      const Parsed all = answer_of(words);
      const int bits = all["element_bits"];
      const std::vector<Parsed> points = points_at(words, coordinates_of(all["mn"], all["k"]));
      const std::int64_t in_chunk = 128 / bits;
      const bool is_k = all["major"] == "K-major";
      const std::int64_t per_line = (is_k ? all["k"] : all["mn"]).get<std::int64_t>() / in_chunk;
      for (const Parsed& point : points) {
        const std::int64_t row = point["at"][0], k = point["at"][1];
        const std::int64_t along = is_k ? k : row, number = (is_k ? row : k) * per_line + along / in_chunk;
        const std::int64_t inside = along % in_chunk * bits;
        REQUIRE(point["chunk"] == number);
        const Parsed& chunk = all["chunks"][static_cast<std::size_t>(number)];
        check_memory(point, chunk["byte"].get<std::int64_t>() + inside / 8);
        if (bits % 8 != 0) REQUIRE(point["bit"] == inside % 8);
        else REQUIRE(!point.contains("bit"));
        REQUIRE(point["offset"].get<std::int64_t>() * bits ==
                (point["byte"].get<std::int64_t>() - all["base"].get<std::int64_t>()) * 8 +
                    (bits % 8 ? inside % 8 : 0));
      }
      check_bytes(words, points, bits);
    }
  }

  TEST_CASE("place --at: of a layout without chunks; several elements and none in a byte; beside another") {
    const Words words{"place", "--layout", "(4,(2,2)):(3,(1,0))", "--dtype", "f64"};
    const Parsed all = answer_of(words);
    const std::vector<Parsed> points = points_at(words, coordinates_of(4, 4));
    for (std::size_t i = 0; i < points.size(); ++i) {
      check_memory(points[i], all["addresses"][i]);
      CHECK(!points[i].contains("chunk"));
    }
    check_bytes(words, points, 64);
    const Parsed beside =
        answer_of({"place", "--tile", "8x64", "--swizzle", "128B", "--beside", "linear", "--at", "3,9"});
    REQUIRE(beside["points"].size() == 2);
    CHECK(beside["points"][0]["of"] == "mode 128B");
    CHECK(beside["points"][0]["byte"] == 3 * 128 + ((1 ^ 3) * 16) + 2);
    CHECK(beside["points"][1]["of"] == "linear");
    CHECK(beside["points"][1]["byte"] == 3 * 128 + 18);
  }

  TEST_CASE("map --at: every element is read from the byte of the map") {
    for (const Words& words :
         std::vector<Words>{{"map", "0x4000004000010042", "--arch", "sm_90a", "--mma", "16x16"},
                            {"map", "0x4000004000010040", "--arch", "sm_90a", "--major", "mn", "--mma", "64x16"},
                            {"map", "0xc000004000010040", "--dtype", "e4m3", "--mma", "8x32"},
                            {"map", "0x10040", "--mma", "16x16"}}) {
      CAPTURE(words);
      const Parsed all = answer_of(words);
      const std::int64_t k = all["cols"];
      const std::vector<Parsed> points = points_at(words, coordinates_of(all["rows"], k));
      for (std::size_t i = 0; i < points.size(); ++i) {
        check_memory(points[i], all["addresses"][i]);
        const Parsed& chunk = all["chunks"][points[i]["chunk"].get<std::size_t>()];
        const std::int64_t from_chunk = points[i]["byte"].get<std::int64_t>() - chunk["byte"].get<std::int64_t>();
        REQUIRE(from_chunk >= 0);
        REQUIRE(from_chunk < 16);
        REQUIRE(points[i].value("reads", 1) == chunk["reads"]);
      }
      check_bytes(words, points, all["dtype"] == "e4m3" ? 8 : 16);
    }
    // Stored elsewhere: the point says where, and the exit code is that of the point.
    const Words moved{"map",  "0x4000004000010040", "--mma",
                      "8x16", "--against",          "--tile 8x64 --swizzle 64B --base 0x400"};
    int exit_code = 0;
    const Parsed point = parsed(asked(with(moved, {"--at", "4,0"}), &exit_code).document)["points"][0];
    CHECK(point["byte"] != point["lies_at"]);
    CHECK(exit_code == 1);
    CHECK(!parsed(asked(with(moved, {"--at", "0,0"}), &exit_code).document)["points"][0].contains("lies_at"));
    CHECK(exit_code == 0);
  }

  TEST_CASE("frag --at and --at-thread: every element of many fragments, both ways") {
    for (const Words& words : std::vector<Words>{{"frag", "mma.m16n8k16", "--dtype", "bf16", "--operand", "a"},
                                                 {"frag", "mma.m16n8k16", "--dtype", "bf16", "--operand", "b"},
                                                 {"frag", "mma.m16n8k32", "--dtype", "s8", "--operand", "a"},
                                                 {"frag", "mma.m8n8k4", "--dtype", "f64", "--operand", "d"},
                                                 {"frag", "wgmma.m64n16k16", "--operand", "d"},
                                                 {"frag", "ldmatrix.x4.trans"}}) {
      CAPTURE(words);
      const Parsed all = answer_of(words);
      const std::size_t values = all["values"];
      std::vector<std::string> coordinates;
      for (const Parsed& at : all["coordinates"])
        coordinates.push_back(fmt::format("{},{}", at[0].dump(), at[1].dump()));
      const std::vector<Parsed> points = points_at(words, coordinates);
      for (std::size_t i = 0; i < points.size(); ++i) {
        REQUIRE(points[i]["thread"] == i / values);
        REQUIRE(points[i]["value"] == i % values);
        REQUIRE(points[i]["register"] == all["slots"][i % values][0]);
        REQUIRE(points[i]["register_bit"] == all["slots"][i % values][1]);
        if (i % 7 != 0) continue;
        const Parsed held =
            answer_of(with(words, {"--at-thread", fmt::format("{},{}", i / values, points[i]["register"].dump())}));
        REQUIRE(held["points"].size() == values / all["registers"].get<std::size_t>());
        REQUIRE(held["points"] ==
                answer_of(
                    with(words, {"--at", fmt::format("T{},R{}", i / values, points[i]["register"].dump())}))["points"]);
        const Parsed thread = answer_of(with(words, {"--at", fmt::format("T{}", i / values)}));
        REQUIRE(thread["points"].size() == values);
        REQUIRE(std::ranges::find(held["points"], points[i]) != held["points"].end());
      }
    }
    // Of all operands: those that have such an element.
    const Parsed some = answer_of({"frag", "mma.m16n8k16", "--dtype", "bf16", "--at", "12,5"});
    std::string names;
    for (const Parsed& point : some["points"]) names += point["of"].get<std::string>();
    CHECK(names == "abcd");
    CHECK(answer_of({"frag", "mma.m16n8k16", "--dtype", "bf16", "--at", "12,12"})["points"].size() == 1);
  }

  TEST_CASE("tma place --at: every element of a box, inside and outside of the tensor") {
    for (const Words& words : std::vector<Words>{
             {"tma", "place", "--dtype", "bf16", "--box", "64,8", "--swizzle", "128B", "--dims", "100,100", "--start",
              "64,96"},
             {"tma", "place", "--dtype", "bf16", "--box", "16,8", "--swizzle", "64B", "--base", "0x400"},
             {"tma", "place", "--dtype", "f32", "--box", "8,3,2", "--dims", "64,5,4", "--start", "-4,1,3"}}) {
      CAPTURE(words);
      const Parsed all = answer_of(words);
      const Parsed& box = all["box"];
      std::vector<std::string> coordinates;
      for (int c = 0; c < (box.size() > 2 ? box[2].get<int>() : 1); ++c)
        for (int b = 0; b < box[1]; ++b)
          for (int a = 0; a < box[0]; ++a)
            coordinates.push_back(box.size() > 2 ? fmt::format("{},{},{}", a, b, c) : fmt::format("{},{}", a, b));
      const std::vector<Parsed> points = points_at(words, coordinates);
      std::int64_t filled = 0;
      for (std::size_t i = 0; i < points.size(); ++i) {
        check_memory(points[i], all["addresses"][i]);
        for (std::size_t d = 0; d < box.size(); ++d)
          REQUIRE(points[i]["element"][d] == points[i]["at"][d].get<int>() + all["start"][d].get<int>());
        REQUIRE(points[i].contains("filled") != points[i].contains("chunk"));
        filled += points[i].contains("filled") ? 1 : 0;
      }
      REQUIRE(filled == all["filled"]);
      check_bytes(words, points, all["dtype"] == "f32" ? 32 : 16);
    }
  }

  TEST_CASE("layout --at: every coordinate of nested layouts, by its index and by its digits") {
    for (const std::string layout :
         {"(8,64):(64,1)", "((4,8),(2,2)):((32,1),(16,8))", "(4,2,3):(1,0,8)", "12:3", "Sw<3,3,3> o 0 o (8,64):(64,1)",
          "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"}) {
      CAPTURE(layout);
      const Words words{"layout", layout};
      const Parsed map = answer_of(with(words, {"--map"}))["map"];
      const ComposedLayout l = parse_layout(layout);
      std::vector<std::string> indices, coordinates;
      for (std::int64_t i = 0; i < l.size(); ++i) {
        indices.push_back(std::to_string(i));
        coordinates.push_back(to_string(idx2crd(i, l.layout().shape())));
      }
      const std::vector<Parsed> points = points_at(words, coordinates);
      REQUIRE(points == points_at(words, indices));
      for (std::size_t i = 0; i < points.size(); ++i) {
        REQUIRE(points[i]["index"] == i);
        REQUIRE(points[i]["offset"] == map[i]);
        if (l.has_pointer()) check_memory(points[i], map[i].get<std::int64_t>() * 2);
        else REQUIRE(!points[i].contains("byte"));
      }
      if (l.has_pointer()) check_bytes(words, points, 16);
    }
    CHECK(answer_of({"layout", "((4,8),(2,2)):((32,1),(16,8))", "--at", "((1,2),3)"})["points"][0]["at"].dump() ==
          "[[1,2],[1,1]]");
  }

  TEST_CASE("a picture marks the cells of what was asked for, in every panel") {
    struct Row {
      Words words;
      std::string at, cells, elsewhere;
    };
    for (const Row& row : std::vector<Row>{
             {{"place", "--tile", "8x64", "--swizzle", "128B", "--dtype", "bf16"}, "3,9", "3,1", "3,2"},
             {{"place", "--tile", "8x64", "--swizzle", "128B", "--cells", "element"}, "3,9", "3,9", "3,17"},
             {{"map", "0x4000004000010040", "--mma", "8x16"}, "3,9", "3,1", "3,2"},
             {{"tma", "place", "--dtype", "bf16", "--box", "64,8", "--swizzle", "128B"}, "9,3", "3,1", "3,2"},
             {{"frag", "mma.m16n8k16", "--operand", "d"}, "3,5", "3,5", "0,1"},  // only thread 14 is drawn

             {{"layout", "(8,16):(16,1)"}, "3,9", "3,9", ""}}) {
      CAPTURE(row.words);
      const Document answer = asked(with(row.words, {"--at", row.at})).document;
      const Figure figure = figure_in(answer);
      CHECK(marked(figure.panels[0][0]) == std::set<std::string>{row.cells});
      if (!row.elsewhere.empty()) CHECK(marked(figure.panels.back().back()) == std::set<std::string>{row.elsewhere});
      CHECK(figure.legend.back().text == "at (" + row.at + ")");
      // Text and JSON have no table of all of them.
      CHECK_THROWS(figure_in(answer, Medium::terminal));
    }
    // Two panels of several operands: of each that has it.
    const Figure all = figure_in(asked({"frag", "mma.m16n8k16", "--dtype", "bf16", "--at", "12,12"}).document);
    CHECK(marked(all.panels[1][0]) == std::set<std::string>{"12,12"});
    CHECK(marked(all.panels[1][1]).empty());
    CHECK(marked(all.panels[0][1]).empty());
  }

  TEST_CASE("--highlight: exactly the cells that are named") {
    const auto cells = [](std::int64_t rows, std::int64_t columns, auto is_in) {
      std::set<std::string> out;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
          if (is_in(r, c)) out.insert(fmt::format("{},{}", r, c));
      return out;
    };
    const Words atom{"place", "--tile", "8x64", "--swizzle", "128B", "--dtype", "bf16", "--highlight"};
    CHECK(marked(with(atom, {"banks 4-7"}), 1) == cells(8, 8, [](auto, auto c) { return c == 1; }));
    CHECK(marked(with(atom, {"banks 4-7"}), 0) == cells(8, 8, [](auto r, auto c) { return c == (1 ^ r); }));
    CHECK(marked(with(atom, {"lines 2"}), 1) == cells(8, 8, [](auto r, auto) { return r == 2; }));
    CHECK(marked(with(atom, {"bytes 0x108-0x117"}), 1) == std::set<std::string>{"2,0", "2,1"});
    CHECK(marked(with(atom, {"rows 0-3; banks 0-3"}), 0) ==
          cells(8, 8, [](auto r, auto c) { return r < 4 && c == r; }));

    const Words map{"map", "0x4000004000010040", "--mma", "16x16", "--highlight"};
    CHECK(marked(with(map, {"rows 3,9"}), 0) == cells(16, 2, [](auto r, auto) { return r == 3 || r == 9; }));
    CHECK(marked(with(map, {"ks 7"}), 0) == cells(16, 2, [](auto, auto c) { return c == 0; }));
    CHECK(marked(with(map, {"chunks 5"}), 0) == std::set<std::string>{"2,1"});
    CHECK(marked(with(map, {"bytes 0x400-0x47f"}), 0) == std::set<std::string>{"0,0", "0,1"});

    const Words box{"tma", "place", "--dtype", "bf16", "--box", "64,8", "--swizzle", "128B", "--highlight"};
    CHECK(marked(with(box, {"rows 2"}), 0) == cells(8, 8, [](auto r, auto) { return r == 2; }));
    CHECK(marked(with(box, {"columns 8-23"}), 0) == cells(8, 8, [](auto, auto c) { return c == 1 || c == 2; }));
    CHECK(marked(with(box, {"chunks 17"}), 1) == std::set<std::string>{"2,3"});
    CHECK(marked(with(box, {"bytes 0x100-0x10f"}), 0) == std::set<std::string>{"2,2"});

    const Words layout{"layout", "(4,8):(8,1)", "--highlight"};
    CHECK(marked(with(layout, {"rows 1"}), 0) == cells(4, 8, [](auto r, auto) { return r == 1; }));
    CHECK(marked(with(layout, {"columns 1"}), 0) == cells(4, 8, [](auto, auto c) { return c == 1; }));
    CHECK(marked(with(layout, {"offsets 7-8"}), 0) == std::set<std::string>{"0,7", "1,0"});
    CHECK(marked(with(layout, {"coordinates 5"}), 0) == std::set<std::string>{"1,1"});
  }

  TEST_CASE("what is not an element: one message with the bound and an example") {
    const auto told = [](const Words& words) { return swz::told([&] { asked(words); }); };
    const Words tile{"place", "--tile", "128x64", "--swizzle", "128B"};
    CHECK(told(with(tile, {"--at", "128,0"})) ==
          "--at (128,0): there is no row 128 | row 0 to 127 and k 0 to 63; for example --at 1,2");
    CHECK(told(with(tile, {"--at", "5"})) ==
          "--at 5 has 1 number; an element has row and k | row 0 to 127 and k 0 to 63; for example --at 1,2");
    CHECK(told(with(tile, {"--at", "a,b"})) ==
          "--at: cannot read 'a,b' as a coordinate | numbers with commas: 37,20; several coordinates: '37,20; "
          "37,28'");
    CHECK(told(with(tile, {"--at", "1,2", "--highlight", "rows 0"})) ==
          "--at and --highlight cannot be combined | leave one of them out");
    CHECK(told({"layout", "(8,64):(64,1)", "--at", "(8,0)"}) ==
          "--at (8,0) is not a coordinate of (8,64) | (0,0) to (7,63), or an index from 0 to 511; for example --at "
          "'(7,63)'");
    CHECK(told({"layout", "(8,64):(64,1)", "--at-byte", "0"}) ==
          "a layout without an element size has no bytes | give it with smem_ptr[16b], or use swz place --layout with "
          "--dtype");
    CHECK(told({"frag", "mma.m16n8k16", "--operand", "d", "--at-thread", "32,0"}) ==
          "--at T32,R0: there is no such register | thread 0 to 31, register 0 to 3; for example --at "
          "T5,R3");
    CHECK(told({"map", "0x4000004000010040", "0x4000004000010042", "--at", "0,0"}) ==
          "--at works with one word only | leave it out, or give one word");
    std::string many;
    for (int i = 0; i < 257; ++i) many += "0,0;";
    CHECK(told(with(tile, {"--at", many})) ==
          "--at, --at-byte and --at-thread: 257 elements are more than the limit of 256 | ask for some at a time, "
          "or take "
          "-f json of the whole");
  }
}
