// Generated lines: command lines drawn from the grammars of swz, with the extremes that a person types by accident
// and an attacker on purpose.
//
//   LineGenerator lines(1);
//   lines.next() == {"layout", "zipped_divide((8,64):(64,1),<4:1,16:2>)", "-f", "json"}
//
// A line is a command with options of its own and, now and then, of another. Most values are legal or nearly so, so
// that the line gets past the first check; one in some is an extreme: a number at the end of 32, 53 or 64 bits, a
// list of thousands, an empty text, NUL, bytes that are not UTF-8. One line in five is then damaged in one place.
//
// What reads files, writes them or asks a GPU is left out: batch, verify, @FILE, --paste FILE, -o.
//
// Invariant: a seed draws the same lines with every standard library (no distribution of it is used).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

class LineGenerator {
 public:
  explicit LineGenerator(std::uint64_t seed) : state_(seed) {}
  std::vector<std::string> next();

 private:
  using Texts = std::vector<std::string_view>;
  struct Option;
  struct Form;
  static const std::vector<Form>& forms();

  std::uint64_t random();
  std::uint64_t below(std::uint64_t n) { return random() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::string one_of(const Texts& texts) { return std::string(texts[below(texts.size())]); }
  std::string list(std::size_t most, char separator, std::string (LineGenerator::*draw)());

  std::string number();
  std::string small();
  std::string extent();
  std::string digits();
  std::string tuple(int depth);
  std::string strides(const std::string& shape);
  std::string plain_layout();
  std::string layout();
  std::string expression();
  std::string call(int depth);
  std::string argument(int depth);
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
  std::string numbers();
  std::string against();
  std::string tensor_map();
  std::string pasted();
  std::string text();

  void damage(std::vector<std::string>& words);

  std::uint64_t state_;
};

}  // namespace swz
