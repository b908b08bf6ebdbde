// SPDX-License-Identifier: Apache-2.0
// A headline: what short_sentence leaves of a long text.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "view/document/headline.hpp"

using namespace swz;

TEST_CASE("a short text is its own sentence; a long one ends at a clause, outside of parentheses") {
  CHECK(short_sentence("the version bit 46 is 0; tcgen05 wants 0b001") ==
        "the version bit 46 is 0; tcgen05 wants 0b001");
  CHECK(short_sentence(
            "16 copies of (16, 8), 256 B each, by a map of rank 2; or 1 copy of (16, 64) by a map of rank 3") ==
        "16 copies of (16, 8), 256 B each, by a map of rank 2");
  CHECK(short_sentence("no mask: 16 of 16 bits of this value differ from every mask, also of a pair of CTAs") ==
        "no mask: 16 of 16 bits of this value differ from every mask");
  // Nothing to end at: the text is left as it is, and the law of pictures names it.
  const std::string endless(headline_letters + 1, 'a');
  CHECK(short_sentence(endless) == endless);
}

TEST_CASE("a picture has no clause that names an option") {
  CHECK(without_options("set bit 46: 0x40; a word for wgmma is read with --arch sm_90a") == "set bit 46: 0x40");
  CHECK(without_options("--compare linear: line after line") == "");
  CHECK(without_options("pad the rows; or choose another mode") == "pad the rows; or choose another mode");
}

TEST_CASE("of any text a beginning remains that has its parentheses closed") {
  std::mt19937 draw(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    int depth = 0;
    while (text.size() < 60 + draw() % 60) {
      const char* const parts[] = {"word ", "a, ", "b; ", "c: ", "0x40 "};
      if (draw() % 6 == 0 && depth == 0) text += "(", ++depth;
      text += parts[draw() % 5];
      if (depth > 0 && draw() % 3 == 0) text += ") ", --depth;
    }
    const std::string cut = short_sentence(text);
    CAPTURE(text);
    CHECK(text.starts_with(cut));
    CHECK((cut == text || cut.size() <= headline_letters));
    if (cut != text) CHECK(std::count(cut.begin(), cut.end(), '(') == std::count(cut.begin(), cut.end(), ')'));
  }
}
