#include "highlight.hpp"

#include <algorithm>
#include <cctype>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr std::int64_t largest_index = std::int64_t{1} << 32;
constexpr const char* example = "for example 'rows 0-7; ks 0-15', 'chunks 0,2,4' or 'lanes 0-7'";

// Reads `text` from left to right.
class HighlightParser {
 public:
  explicit HighlightParser(const std::string& text) : text_(text) {}

  Selection parse() {
    Selection selection;
    skip_blanks();
    while (at_ < text_.size()) {
      std::vector<IndexRange>& ranges = list_of(selection);
      do ranges.push_back(range());
      while (take(','));
      if (at_ < text_.size() && !take(';')) fail("expected ',' or ';'");
      skip_blanks();
    }
    if (selection.empty()) fail("nothing to highlight");
    return selection;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(message, example, {at_, std::min(text_.size(), at_ + 1)}, ErrorKind::usage).in_text(text_);
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::vector<IndexRange>& list_of(Selection& selection) {
    const std::size_t begin = at_;
    std::string name;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at_++])));
    if (name == "rows" || name == "row") return selection.rows;
    if (name == "ks" || name == "k") return selection.ks;
    if (name == "chunks" || name == "chunk") return selection.chunks;
    if (name == "lanes" || name == "lane") return selection.lanes;
    at_ = begin;
    const std::string guess = did_you_mean(name, {"rows", "ks", "chunks", "lanes"});
    throw Error(name.empty() ? "expected rows, ks, chunks or lanes" : quoted(name) + " cannot be highlighted",
                guess.empty() ? example : guess, {begin, std::max(begin + 1, begin + name.size())},
                ErrorKind::usage)
        .in_text(text_);
  }

  std::int64_t number() {
    skip_blanks();
    if (at_ >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) fail("expected a number");
    std::int64_t n = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
      n = std::min(largest_index, n * 10 + (text_[at_] - '0'));
    return n;
  }

  IndexRange range() {
    const std::int64_t first = number();
    const std::size_t end = at_;
    const std::int64_t last = take('-') ? number() : first;
    if (last < first) {
      at_ = end;
      fail("a range goes from the smaller number to the larger");
    }
    return {first, last};
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

Selection parse_highlight(const std::string& text) { return HighlightParser(text).parse(); }

}  // namespace swz
