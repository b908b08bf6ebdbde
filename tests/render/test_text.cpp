// SPDX-License-Identifier: Apache-2.0
// Documents as text, whole.
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "render/bit_row.hpp"
#include "render/display.hpp"
#include "render/picture.hpp"
#include "render/text.hpp"

using namespace swz;

namespace {

std::string text_of_block(Block block, TextStyle style = {}) {
  return render_text(Document().add(std::move(block)), style);
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

// What a terminal shows: the text without ANSI escapes.
std::string without_escapes(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') i = text.find('m', i);
    else out += text[i];
  }
  return out;
}

Grid sample_grid(int rows, int columns) {
  Grid grid;
  grid.title = "offsets";
  grid.corner = "m\\k";
  for (int x = 0; x < columns; ++x) grid.column_labels.push_back(std::to_string(x));
  for (int y = 0; y < rows; ++y) {
    grid.row_labels.push_back(std::to_string(y));
    grid.squares.emplace_back();
    for (int x = 0; x < columns; ++x) grid.squares.back().push_back({std::to_string(y * columns + x), x});
  }
  return grid;
}

// One of each block, with what can go wrong in it.
Document full_document() {
  Document document("a title");
  document.add(Field{"size", "size", 512}).add(Field{"hidden", "", 1}).add(Field{"", "is fine", true, "", Tone::good});
  document.add(Paragraph{"Some words that go on for a while, long enough to be wrapped on a narrow terminal."});
  document.add(Table{"rows",
                     "a table",
                     {{"name", "name"}, {"n", "n", Column::Align::right}, {"h", ""}, {"m", "meaning"}},
                     {{{"stride"}, {64}, {1}, {"how far it is from one group of rows to the next, in bytes"}},
                      {{"表"}, {nullptr}, {2}, {"two columns wide"}}}});
  document.add(sample_grid(3, 9));
  document.add(BitRow{0x25, 8, {{"low", {0, 4}}, {"high", {6, 2}, true}}});
  document.add(Notes{
      "lints",
      {lint("a-rule", "something is wrong here and this says at length what it is", "fix it"), note("b", "just so")}});
  Document member("member");
  member.add(Field{"x", "x", 1});
  document.add(Group{"members", {member, member}});
  return document;
}

}  // namespace

TEST_CASE("beside a picture: without the title, the grids and what stands for a sketch; words and tables stay") {
  TextStyle beside_picture;
  beside_picture.has_figures = false;
  Document d("what was asked");
  d.line("answer", "yes").add(sample_grid(2, 2)).add(drawing([] { return figure_of(sample_grid(2, 2)); }));
  d.add(BitRow{5, 8, {}});
  d.add(Paragraph{"0 D0───256", Tone::plain, true}).add(Sketch{});
  d.add(Paragraph{"int x;", Tone::plain, true}).add(Group{"parts", {Document("a part")}});
  CHECK(render_text(d, beside_picture) == "answer  yes\n\nint x;\n\na part\n");
  // A grid that only the whole text has is not in the picture.
  CHECK(text_of_block(in_full(sample_grid(2, 2)), beside_picture) == text_of_block(sample_grid(2, 2)));
}

TEST_CASE("fields that follow each other are aligned by label") {
  Document document;
  document.add(Field{"a", "size", 512}).add(Field{"b", "", "JSON only"}).add(Field{"c", "bijective", true});
  document.add(Field{"d", "é", nullptr}).add(Field{"e", "list", {1, 2}}).add(Field{"f", "text", 1024, "1024 B"});
  CHECK(render_text(document, {}) ==
        "size       512\n"
        "bijective  yes\n"
        "é          -\n"
        "list       [1,2]\n"
        "text       1024 B\n");
}

TEST_CASE("a long value wraps after its label; a label that leaves no room does not") {
  CHECK(text_of_block(Field{"", "ab", nullptr, "one two three four five six seven"}, {false, 25}) ==
        "ab  one two three four\n"
        "    five six seven\n");
  CHECK(text_of_block(Field{"", "a label of twenty-one", nullptr, "one two three four five six"}, {false, 30}) ==
        "a label of twenty-one  one two three four five six\n");
}

TEST_CASE("a title and a strong paragraph are headings; other blocks have an empty line between them") {
  Document document("title");
  document.add(Field{"a", "a", 1}).add(Paragraph{"Heading", Tone::strong}).add(Field{"b", "b", 2});
  document.add(Paragraph{""}).add(Notes{"n", {}}).add(Paragraph{"end"});
  CHECK(render_text(document, {}) == "title\na  1\n\nHeading\nb  2\n\nend\n");
  CHECK(render_text(Document(), {}).empty());
}

TEST_CASE("a table: columns by width, numbers to the right, the last column wrapped") {
  Document document = Document().add(full_document().blocks[4]);
  CHECK(render_text(document, {}) ==
        "a table\n"
        "name     n  meaning\n"
        "stride  64  how far it is from one group of rows to the next, in bytes\n"
        "表       -  two columns wide\n");
  CHECK(render_text(document, {false, 40}) ==
        "a table\n"
        "name     n  meaning\n"
        "stride  64  how far it is from one group\n"
        "            of rows to the next, in\n"
        "            bytes\n"
        "表       -  two columns wide\n");
}

TEST_CASE("a table whose rows are too short, or that has none") {
  CHECK(text_of_block(Table{"t", "", {{"a", "a"}, {"b", "b"}}, {{{"x"}}, {}}}) == "a  b\nx\n\n");
  CHECK(text_of_block(Table{"t", "nothing", {{"a", "a"}}, {}}).empty());
  CHECK(text_of_block(Table{"t", "", {{"a", ""}}, {{{"x"}}}}).empty());
}

TEST_CASE("a grid") {
  CHECK(text_of_block(sample_grid(2, 6)) ==
        "offsets\n"
        "m\\k │  0  1  2  3  4  5\n"
        "────┼───────────────────\n"
        "  0 │  0  1  2  3  4  5\n"
        "  1 │  6  7  8  9 10 11\n");
}

TEST_CASE("a grid that is too wide is cut into panels of a power of two columns") {
  const std::string text = text_of_block(sample_grid(1, 9), {false, 40});
  CHECK(text ==
        "offsets\n"
        "m\\k │ 0 1 2 3 4 5 6 7 8\n"
        "────┼───────────────────\n"
        "  0 │ 0 1 2 3 4 5 6 7 8\n");
  CHECK(text_of_block(sample_grid(1, 9), {false, 20}) ==
        "offsets\n"
        "m\\k │ 0 1 2 3\n"
        "────┼─────────\n"
        "  0 │ 0 1 2 3\n"
        "\n"
        "m\\k │ 4 5 6 7\n"
        "────┼─────────\n"
        "  0 │ 4 5 6 7\n"
        "\n"
        "m\\k │ 8\n"
        "────┼───\n"
        "  0 │ 8\n");
}

TEST_CASE("a grid with rows of different lengths, and an empty one") {
  Grid grid;
  grid.squares = {{{"1"}, {"2"}}, {{"3"}}};
  CHECK(text_of_block(grid) ==
        " │\n"
        "─┼─────\n"
        " │ 1 2\n"
        " │ 3\n");
  CHECK(text_of_block(Grid{}).empty());
}

TEST_CASE("the bits of a wgmma descriptor, names hung beneath their fields") {
  const BitRow row{0x4000004000010042,
                   64,
                   {{"start_address", {0, 14}},
                    {"leading_byte_offset", {16, 14}},
                    {"stride_byte_offset", {32, 14}},
                    {"base_offset", {49, 3}},
                    {"swizzle", {62, 2}}}};
  CHECK(text_of_block(row) ==
        "63  61      52  51   48   45          32  31  29          16  15  13           0\n"
        "01  0000000000  000  000  00000001000000  00  00000000000001  00  00000001000010\n"
        "┬─              ┬──       ┬─────────────      ┬─────────────      ┬─────────────\n"
        "swizzle         │         stride_byte_offset  leading_byte_offset start_address\n"
        "                base_offset\n");
}

TEST_CASE("a name that would touch its right neighbour goes deeper") {
  const auto names = [](const std::string& high) {
    return text_of_block(BitRow{0, 8, {{"low", {0, 4}}, {high, {4, 4}}}});
  };
  CHECK(names("5char").ends_with("┬───  ┬───\n5char low\n"));
  CHECK(names("6 char").ends_with("┬───  ┬───\n│     low\n6 char\n"));
}

TEST_CASE("unknown bits are drawn as ?") {
  BitRow row{0x21, 8, {{"low", {0, 4}}, {"high", {6, 2}, true}}};
  row.unknown = 0x86;
  CHECK(text_of_block(row) ==
        "7   5   3\n"
        "?0  10  0??1\n"
        "    ┬─  ┬───\n"
        "    │   low\n"
        "    unused (not 0)\n");
}

TEST_CASE("bits set in a reserved field or in a gap are named") {
  const BitRow row{0x25, 8, {{"low", {0, 4}}, {"high", {6, 2}, true}}};
  CHECK(text_of_block(row) ==
        "7   5   3\n"
        "00  10  0101\n"
        "    ┬─  ┬───\n"
        "    │   low\n"
        "    unused (not 0)\n");
}

TEST_CASE("every bit of every word is drawn once, for any parts") {
  const std::vector<std::vector<BitRow::Part>> cases{
      {},
      {{"all", {0, 64}}},
      {{"outside", {60, 8}}, {"negative", {-1, 3}}, {"empty", {3, 0}}},
      {{"a", {0, 8}}, {"overlaps a", {4, 8}}},
  };
  std::vector<BitRow::Part> single_bits;
  for (int bit = 0; bit < 64; ++bit) single_bits.push_back({"bit", {bit, 1}});
  for (const int width : {1, 32, 64, 0, 99}) {
    for (const std::uint64_t word : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x123456789abcdef0}}) {
      for (std::vector<BitRow::Part> parts : cases) {
        const std::vector<std::string> lines = lines_of(BitRow{word, width, parts}, {});
        const int shown = std::min(width, 64);
        if (shown == 0) {
          CHECK(lines.empty());
          continue;
        }
        std::string digits = lines[1];
        std::erase(digits, ' ');
        std::string expected;
        for (int bit = shown - 1; bit >= 0; --bit) expected += (word >> bit & 1) != 0 ? '1' : '0';
        CHECK(digits == expected);
        CHECK(display_width(lines[1]) <= 100);
      }
    }
  }
  CHECK(lines_of(BitRow{1, 64, single_bits}, {}).size() > 3);
}

TEST_CASE("a field of a bit row has one colour on the terminal and in the picture") {
  BitRow row{0x1234, 16, {}};
  for (int i = 0; i < 10; ++i) row.parts.push_back({"f" + std::to_string(i), {i, 1}, i == 3});
  row.parts.push_back({"rest", {10, 6}});
  const std::string text = text_of_block(row, {true, 0});
  const Scene picture = picture_of(Document().add(row));
  int coloured = 0;
  for (const Segment& s : segments_of(row)) {
    if (s.reserved) continue;
    CAPTURE(s.name);
    CHECK(text.find(paint_tint(s.name, s.tint, true)) != std::string::npos);
    CHECK(std::ranges::any_of(picture.items, [&](const auto& item) {
      const auto* box = std::get_if<Box>(&item);
      return box != nullptr && box->fill.ink == Ink::tint && box->fill.tint == s.tint;
    }));
    ++coloured;
  }
  CHECK(coloured == 10);
}

TEST_CASE("notes and lints, with hints") {
  const Notes notes{"lints", {lint("a-rule", "something is wrong here", "fix it soon"), note("b", "just so")}};
  CHECK(text_of_block(notes) ==
        "lint[a-rule]: something is wrong here\n"
        "  hint: fix it soon\n"
        "note: just so\n");
  CHECK(text_of_block(notes, {false, 30}) ==
        "lint[a-rule]: something is\n"
        "  wrong here\n"
        "  hint: fix it soon\n"
        "note: just so\n");
}

static std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST_CASE("no line ends in a space, nothing is lost in colour, and the same document gives the same bytes") {
  const Document document = full_document();
  for (const int width : {0, 1, 30, 40, 60, 100, 1000}) {
    const std::string plain = render_text(document, {false, width});
    const std::string color = render_text(document, {true, width});
    CAPTURE(width);
    CHECK(plain == render_text(document, {false, width}));
    CHECK(color.find('\x1b') != std::string::npos);
    CHECK(plain.find('\x1b') == std::string::npos);
    for (const std::string& line : split_lines(plain)) CHECK_FALSE(line.ends_with(' '));
    const std::vector<std::string> seen = split_lines(without_escapes(color));
    const std::vector<std::string> lines = split_lines(plain);
    REQUIRE(seen.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      // A coloured square may end in padding of its own colour, and has its text in the middle: spaces move.
      CHECK(display_width(seen[i]) >= display_width(lines[i]));
      CHECK(without_spaces(seen[i]) == without_spaces(lines[i]));
    }
    if (width >= 40)
      for (const std::string& line : lines) CHECK(display_width(line) <= std::max(width, 40));
  }
}

TEST_CASE("the colours of a grid repeat after eight hues") {
  Grid grid = sample_grid(1, 9);
  const std::string text = text_of_block(grid, {true, 0});
  std::vector<std::string> colors;
  for (std::size_t at = text.find("48;5;"); at != std::string::npos; at = text.find("48;5;", at + 1))
    colors.push_back(text.substr(at, text.find('m', at) - at));
  REQUIRE(colors.size() == 9);
  CHECK(colors[0] == colors[8]);
  std::sort(colors.begin(), colors.end());
  CHECK(std::unique(colors.begin(), colors.end()) - colors.begin() == 8);
}

TEST_CASE("control bytes in any block are shown, not sent") {
  const std::string bad = "\x1b[2J\x07";
  Document document(bad);
  document.add(Field{"k", bad, bad}).add(Paragraph{bad}).add(Notes{"n", {lint(bad, bad, bad)}});
  document.add(Table{"t", bad, {{"c", bad}}, {{{bad}}}});
  Grid grid = sample_grid(1, 1);
  grid.title = grid.corner = grid.row_labels[0] = grid.column_labels[0] = grid.squares[0][0].text = bad;
  document.add(grid).add(BitRow{1, 8, {{bad, {0, 8}}}});
  CHECK(render_text(document, {}).find_first_of("\x1b\x07") == std::string::npos);
}
