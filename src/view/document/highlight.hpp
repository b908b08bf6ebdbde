// SPDX-License-Identifier: Apache-2.0
// Highlight: the cells of a picture that are marked because the reader asked for them.
//
//   Highlight({{"lanes", 0, 3}, {"rows", 0, 0}, {"rows", 2, 4}})
//     contains("lanes", 2)    true      contains("lanes", 4)   false
//     contains("values", 9)   true      values are not named
//
// A cell is highlighted if every kind that is named contains it; without any range no cell is. cmd/highlight.hpp reads
// the text of --highlight.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace swz {

// A kind of cells that may be named, and how many of it there are.
struct HighlightKind {
  std::string_view plural;  // a string literal
  std::int64_t count = 0;
};

class Highlight {
 public:
  // From `first` to `last`, both included.
  struct Range {
    std::string_view plural;
    std::int64_t first = 0, last = 0;
  };
  Highlight() = default;
  explicit Highlight(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}

  bool empty() const { return ranges_.empty(); }
  bool contains(std::string_view plural, std::int64_t index) const { return contains_any(plural, index, 1); }
  // Whether it contains any of the `count` (at least one) numbers from `first` on.
  bool contains_any(std::string_view plural, std::int64_t first, std::int64_t count) const;
  // In the order in which they were written.
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  std::vector<Range> ranges_;
};

}  // namespace swz
