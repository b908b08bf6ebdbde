// SPDX-License-Identifier: Apache-2.0
#include "view/figure.hpp"

#include <fmt/format.h>

#include <charconv>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

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

void require_drawable(std::int64_t squares, std::string_view what, std::string_view way_out) {
  if (squares > drawable_squares)
    throw Error(fmt::format("{} has {} cells; at most {} are drawn", what, squares, drawable_squares),
                std::string(way_out));
}

std::string range_text(std::int64_t first, std::int64_t count) {
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

std::vector<std::string> number_labels(std::int64_t end, std::int64_t step) {
  return labels_of(end, step, [](std::int64_t i) { return std::to_string(i); });
}

Grid smem_lines(std::string title, std::string corner, const std::vector<std::int64_t>& lines, std::int64_t cell_bits) {
  const std::int64_t columns = bank_row.count * 8 / cell_bits, banks = std::max<std::int64_t>(1, cell_bits / 32);
  std::vector<std::string> addresses;
  for (const std::int64_t line : lines) addresses.push_back(fmt::format("{:#x}", line * bank_row.count));
  return grid_of(std::move(title), std::move(corner), std::move(addresses),
                 labels_of(columns, 1, [&](std::int64_t i) { return range_text(i * cell_bits / 32, banks); }),
                 [](std::int64_t, std::int64_t) { return Grid::Square(); });
}

Grid smem_lines(std::string title, std::string corner, std::int64_t first_line, std::int64_t count,
                std::int64_t cell_bits) {
  std::vector<std::int64_t> lines(static_cast<std::size_t>(count));
  std::iota(lines.begin(), lines.end(), first_line);
  return smem_lines(std::move(title), std::move(corner), lines, cell_bits);
}

bool Highlight::contains_any(std::string_view plural, std::int64_t first, std::int64_t count) const {
  bool named = false;
  for (const Range& range : ranges_) {
    if (range.plural != plural) continue;
    if (first <= range.last && first + count > range.first) return true;
    named = true;
  }
  return !named;
}

Highlight parse_highlight(std::string_view text, const std::vector<HighlightKind>& kinds) {
  Highlight highlight;
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
      highlight.ranges_.push_back({kind.plural, first, last});
      require_within(limits::highlighted_ranges, static_cast<std::int64_t>(highlight.ranges_.size()));
    }
  }
  return highlight;
}

}  // namespace swz
