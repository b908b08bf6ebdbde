// SPDX-License-Identifier: Apache-2.0
#include "highlight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

// Has the whole text, so that every error can show its place in it.
struct Reader {
  std::string_view whole;

  [[noreturn]] void fail(std::string_view part, const std::string& message, const std::string& hint) const {
    const auto begin = part.data() == nullptr ? 0 : static_cast<std::size_t>(part.data() - whole.data());
    throw Error(message, hint, Span{begin, begin + part.size()}, ErrorKind::usage).in_text(whole);
  }

  const HighlightKind& kind_named(std::string_view word, const std::vector<HighlightKind>& kinds) const {
    std::vector<std::string> names;
    const std::string lower = lower_case(word);
    for (const HighlightKind& kind : kinds) {
      if (lower == kind.plural || lower == kind.plural.substr(0, kind.plural.size() - 1)) return kind;
      names.emplace_back(kind.plural);
    }
    fail(word, fmt::format("{} cannot be highlighted", quoted(word)),
         did_you_mean(word, names, fmt::format("{}; for example: {} 0-3", join_and(names), names[0])));
  }

  std::int64_t index(std::string_view digits, const HighlightKind& kind) const {
    std::int64_t value = 0;
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    const char *begin = digits.data() + (is_hex ? 2 : 0), *end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
    if (begin == end || stop != end || (error != std::errc() && error != std::errc::result_out_of_range))
      fail(digits, fmt::format("{} does not name {}", quoted(digits), kind.plural),
           fmt::format("numbers and ranges: {} 0,2-3", kind.plural));
    if (error != std::errc() || value < 0 || value >= kind.count)
      fail(digits, fmt::format("there is no {} {}", kind.plural.substr(0, kind.plural.size() - 1), digits),
           fmt::format("{}: 0 to {}", kind.plural, kind.count - 1));
    return value;
  }
};

}  // namespace

Highlight parse_highlight(std::string_view text, const std::vector<HighlightKind>& kinds) {
  std::vector<Highlight::Range> ranges;
  const Reader reader{text};
  for (const std::string_view clause : pieces(text, ';')) {
    if (clause.empty()) continue;
    const std::size_t word_end = std::min(clause.find_first_of(" \t"), clause.size());
    const HighlightKind& kind = reader.kind_named(clause.substr(0, word_end), kinds);
    for (const std::string_view part : pieces(clause.substr(word_end), ',')) {
      const std::vector<std::string_view> ends = pieces(part, '-');
      const std::int64_t first = reader.index(ends.front(), kind);
      const std::int64_t last = ends.size() == 1 ? first : reader.index(ends[1], kind);
      if (ends.size() > 2 || last < first)
        reader.fail(part, fmt::format("{} is not a range", quoted(part)), "the lower end first: 0-3");
      ranges.push_back({kind.plural, first, last});
      require_within(limits::highlighted_ranges, static_cast<std::int64_t>(ranges.size()));
    }
  }
  return Highlight(std::move(ranges));
}

}  // namespace swz
