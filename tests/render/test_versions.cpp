// SPDX-License-Identifier: Apache-2.0
// Several words as one figure, lints at their field, quiet fields with one label: in pictures and as lines.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "render/bit_row.hpp"
#include "render/painted_word.hpp"
#include "render/picture.hpp"
#include "render/scene_laws.hpp"
#include "render/text.hpp"

using namespace swz;

namespace {

std::string faults_in(const Scene& scene) {
  std::string text;
  for (const std::string& fault : faults_of(scene)) text += fault + "\n";
  return text;
}

std::vector<std::string> texts_in(const Scene& scene, Ink ink) {
  std::vector<std::string> texts;
  for (const Label& label : items_of<Label>(scene))
    if (label.paint.ink == ink && label.face != Label::Face::mono) texts.push_back(label.text);
  return texts;
}

bool has(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

BitRow two_words() {
  BitRow row{0x40, 64, {{"start", {0, 14}}, {"LBO", {16, 14}}, {"SBO", {32, 14}}, {"swizzle", {62, 2}}}};
  row.versions = {{0x40, "1"}, {0x50, "2", {"+16 = +256 B, wrong"}, Tone::bad, "right: +2 = +32 B"}};
  return row;
}

}  // namespace

TEST_CASE("two words: the bits that differ are framed, the others of the second are faint") {
  const Scene wide = painted(two_words(), 1100);
  CHECK(faults_in(wide) == "");
  std::size_t soft = 0, framed = 0;
  for (const Label& label : items_of<Label>(wide))
    soft += label.face == Label::Face::mono && label.text.size() == 1 && label.paint.ink == Ink::soft ? 1U : 0U;
  for (const Box& box : items_of<Box>(wide)) framed += box.stroke.ink == Ink::alarm && box.stroke_width > 2 ? 1U : 0U;
  // 63 equal bits of the second word, and the 20 bits of the first that are in no field.
  CHECK(soft == 63 + 20);
  CHECK(framed == 1);
  // What is wrong is red, the way out is not.
  CHECK(has(texts_in(wide, Ink::alarm), "+16 = +256 B, wrong"));
  CHECK(has(texts_in(wide, Ink::text), "right: +2 = +32 B"));
  // Where 64 bits would be small, a picture has only the half in which they differ, with the words beside it.
  const Scene half = painted(two_words(), 868);
  CHECK(faults_in(half) == "");
  CHECK(std::ranges::count_if(items_of<Box>(half), [](const Box& b) { return b.tip.rfind("bit ", 0) == 0; }) == 2 * 32);
  CHECK(has(texts_in(half, Ink::soft), "bits 63-32 are the same in all words"));
  const Scene narrow = painted(two_words(), 317);
  CHECK(faults_in(narrow) == "");
  std::size_t bits = 0;
  for (const Box& box : items_of<Box>(narrow)) bits += box.tip.rfind("bit ", 0) == 0 ? 1U : 0U;
  CHECK(bits == 2 * 32);
}

TEST_CASE("words as lines: those after the first show the bits that differ") {
  TextStyle style;
  style.width = 80;
  const std::vector<std::string> lines = lines_of(two_words(), style);
  REQUIRE(lines.size() == 6);
  CHECK(lines[1].substr(0, 5) == "1  00");
  CHECK(lines[2].find("···1····") != std::string::npos);
  CHECK(std::ranges::count(lines[2], '1') == 1);
  CHECK(std::ranges::count(lines[2], '0') == 0);
  CHECK(lines[5] == "2  +16 = +256 B, wrong, right: +2 = +32 B");
}

TEST_CASE("any words: a bit is shown in the lines of a later word exactly if it differs from the first") {
  std::mt19937_64 draw(20261128);
  for (int i = 0; i < 500; ++i) {
    BitRow row = two_words();
    row.word = row.versions[0].word = draw();
    row.versions[1].word = row.word ^ (draw() & draw() & draw());
    row.versions.push_back({draw(), "3"});
    const std::vector<std::string> lines = lines_of(row, {});
    for (std::size_t v = 1; v < 3; ++v) {
      std::string digits;
      for (std::size_t at = 3; at < lines[v + 1].size(); ++at)
        if (lines[v + 1][at] != ' ') digits += lines[v + 1][at];
      std::string expected;
      for (int bit = 63; bit >= 0; --bit)
        expected += ((row.word ^ row.versions[v].word) >> bit & 1) == 0 ? "·"
                    : (row.versions[v].word >> bit & 1) != 0            ? "1"
                                                                        : "0";
      CHECK(digits == expected);
    }
    for (const double width : {868.0, 640.0, 317.0}) CHECK(faults_in(painted(row, width)) == "");
  }
}

TEST_CASE("a field with a lint is framed and named in red, the fix is below") {
  BitRow row{0, 32, {{"version", {16, 3}, false, "0", BitRow::Look::wrong}, {"start", {0, 14}, false, "0x0"}}};
  row.mends = {{"version-missing: set bit 16"}, {"bit 46 is 0", Tone::bad}};
  const Scene scene = painted(row, 640);
  CHECK(faults_in(scene) == "");
  // What is wrong is red, the way out is not.
  CHECK(texts_in(scene, Ink::alarm) == std::vector<std::string>{"version = 0", "bit 46 is 0"});
  CHECK(has(texts_in(scene, Ink::text), "version-missing: set bit 16"));
}

TEST_CASE("quiet neighbours share a label in which each text is once; an ignored field has no colour") {
  const auto quiet = [](const char* name, int bit, const char* said) {
    return BitRow::Part{name, {bit, 1}, false, "0", BitRow::Look::quiet, {1, 0}, said};
  };
  BitRow row{0, 32, {quiet("a", 3, "A K-major"), quiet("b", 2, "not negated"), quiet("c", 1, "not negated")}};
  row.parts.push_back({"LBO", {8, 8}, false, "0 B", BitRow::Look::unused, {2, 0}, "LBO = 0 B, ignored"});
  const Scene scene = painted(row, 640);
  const std::vector<std::string> soft = texts_in(scene, Ink::soft);
  CHECK(has(soft, "A K-major, not negated"));
  CHECK(has(soft, "LBO = 0 B, ignored"));
  for (const Segment& segment : segments_of(row)) {
    if (segment.name == "LBO") CHECK(segment.tint.hue == -1);
    if (segment.name == "a") CHECK(segment.tint == Tint{1, 3});
  }
}
