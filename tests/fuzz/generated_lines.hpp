// SPDX-License-Identifier: Apache-2.0
// Generated lines: command lines drawn from the rows of every command and from the grammars of their values, with the
// extremes that a user types by accident and an attacker on purpose.
//
//   LineGenerator lines(1);
//   lines.next() == {"layout", "zipped_divide((8,64):(64,1),<4:1,16:2>)", "-f", "json"}
//
// A line is a command with some of its options, so that a new command and a new option are drawn without a change here;
// only a value of a new kind needs one. Most values are legal or nearly so, so that the line passes the first check; a
// few are extremes: a number at the end of 32, 53 or 64 bits, a list of thousands, an empty text, NUL, bytes that are
// not UTF-8. One line in five is then damaged in one place.
//
// Commands that read files, write them or ask a GPU are left out: batch, verify, @FILE, -o.
//
// Invariant: a seed draws the same lines with every standard library (no distribution of it is used).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "command.hpp"

namespace swz {

class LineGenerator {
 public:
  explicit LineGenerator(std::uint64_t seed) : state_(seed) {}
  Words next();

 private:
  using Texts = std::vector<std::string_view>;
  using Draw = std::string (LineGenerator::*)();
  static Draw draw_of(const Option& option, std::string_view command);

  std::uint64_t random();
  std::uint64_t below(std::uint64_t n) { return random() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::string one_of_texts(const Texts& texts) { return std::string(texts[below(texts.size())]); }
  std::string list(std::size_t most, Draw draw);
  std::string value_of(const Option& option, std::string_view command);
  void add(Words& words, const Option& option, std::string_view command);

  std::string number();
  std::string small();
  std::string extent();
  std::string range();   // "0:16", rows of a picture
  std::string length();  // "86mm"
  std::string digits();
  std::string tuple(int depth);
  std::string strides(const std::string& shape);
  std::string plain_layout();
  std::string layout();
  std::string expression();
  std::string call(int depth);
  std::string argument_text(int depth);
  std::string swizzle();
  std::string c_expression();
  std::string c_term(int depth);
  std::string word();
  std::string hex(int digits);
  std::string dtype();
  std::string mode();
  std::string arch();
  std::string tile();
  std::string mma();
  std::string fragment();
  std::string access();
  std::string variants();
  std::string beside();
  std::string highlight();
  std::string coordinates();
  std::string numbers();
  std::string extents();
  std::string byte_strides();
  std::string against();
  std::string tensor_map();
  std::string pasted();
  std::string text();

  void damage(Words& words);

  std::uint64_t state_;
  std::size_t rank_ = 2;  // of the tensor that the line describes
};

}  // namespace swz
