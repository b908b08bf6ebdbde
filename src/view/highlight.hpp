// Highlight: the cells that --highlight points at.
//
//   parse_highlight("lanes 0-3; rows 0,2-4", {{"rows", 16}, {"lanes", 32}})
//
//   contains("lanes", 2)    true      contains("lanes", 4)   false
//   contains("values", 9)   true      nothing is said of values
//
// A cell is highlighted when every kind that is named contains it; without a text none is. The two ends of a range
// count. Singular and plural are the same, and so are upper and lower case.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace swz {

// What may be named, and how many of it there are.
struct HighlightKind {
  std::string_view plural;
  std::int64_t count = 0;
};

class Highlight {
 public:
  struct Range {
    std::string_view plural;
    std::int64_t first = 0, last = 0;
  };
  bool empty() const { return ranges_.empty(); }
  bool contains(std::string_view plural, std::int64_t index) const;
  // In the order they were written.
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  friend Highlight parse_highlight(std::string_view text, const std::vector<HighlightKind>& kinds);
  std::vector<Range> ranges_;
};

// `kinds` must hold string literals. Throws Error, whose span is the place in `text`, for a kind that is not one of
// them, for what is not a number, and for a number that the kind does not have.
Highlight parse_highlight(std::string_view text, const std::vector<HighlightKind>& kinds);

}  // namespace swz
