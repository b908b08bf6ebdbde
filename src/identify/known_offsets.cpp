// SPDX-License-Identifier: Apache-2.0
#include "identify/known_offsets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/checked.hpp"
#include "base/json.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {
namespace {

constexpr std::size_t most_offset_dimensions = 8;

// Sorts the points; each index is kept once.
KnownOffsets sorted_offsets(std::vector<std::int64_t> shape, std::vector<KnownOffset> points) {
  KnownOffsets out{std::move(shape), std::move(points)};
  std::ranges::stable_sort(out.points, {}, &KnownOffset::index);
  for (std::size_t i = 1; i < out.points.size(); ++i)
    if (out.points[i].index == out.points[i - 1].index && out.points[i].offset != out.points[i - 1].offset)
      throw Error(fmt::format("coordinate ({}) has two offsets: {} and {}",
                              fmt::join(out.coordinate(out.points[i].index), ", "), out.points[i - 1].offset,
                              out.points[i].offset),
                  "a layout gives one offset to each coordinate");
  const auto same = std::unique(out.points.begin(), out.points.end(),
                                [](const KnownOffset& a, const KnownOffset& b) { return a.index == b.index; });
  out.points.erase(same, out.points.end());
  return out;
}

// From values row by row, the last dimension fastest.
KnownOffsets offsets_of_rows(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& values) {
  std::vector<KnownOffset> points;
  points.reserve(values.size());
  std::vector<std::int64_t> coordinate(shape.size(), 0);
  for (const std::int64_t value : values) {
    std::int64_t index = 0;
    for (std::size_t d = shape.size(); d-- > 0;) index = index * shape[d] + coordinate[d];
    points.push_back({index, value});
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++coordinate[d] < shape[d]) break;
      coordinate[d] = 0;
    }
  }
  return sorted_offsets(shape, std::move(points));
}

// ---- JSON

void gather_rows(const Json& list, std::size_t level, std::vector<std::int64_t>& shape,
                 std::vector<std::int64_t>& values) {
  const auto extent = static_cast<std::int64_t>(list.size());
  if (level == most_offset_dimensions) throw Error("the JSON array is nested too deeply", "at most 8 dimensions");
  if (extent == 0) throw Error("the JSON array has an empty row", "write an offset for each coordinate");
  if (level == shape.size()) shape.push_back(extent);
  if (shape[level] != extent)
    throw Error(fmt::format("the JSON array has rows of {} and of {}", shape[level], extent),
                "all rows must have one length; lines 'row col offset' can give only some coordinates");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list.at(i).is_array()) {
      if (level + 1 == shape.size() && !values.empty())
        throw Error("the JSON array mixes numbers and rows", "each level has either numbers or rows");
      gather_rows(list.at(i), level + 1, shape, values);
    } else if (level + 1 != shape.size()) {
      throw Error("the JSON array mixes numbers and rows", "each level has either numbers or rows");
    } else {
      values.push_back(list.at(i).get<std::int64_t>());
    }
  }
}

// ---- lines

struct OffsetLine {
  Span place;
  std::vector<std::int64_t> numbers;
};

std::int64_t offset_number(std::string_view text, Span place) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(is_negative ? 1 : 0);
  const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
  if (is_hex) digits.remove_prefix(2);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.starts_with('-'))
    throw Error(fmt::format("{} is not a number", quoted(text, 40)),
                "one offset per line, or 'row col offset'; decimal or 0x…", place);
  return is_negative ? -value : value;
}

std::vector<OffsetLine> offset_lines(std::string_view text) {
  constexpr std::string_view blanks = " \t\r,;:()";
  std::vector<OffsetLine> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    line = line.substr(0, line.find('#'));
    OffsetLine read{{begin, end}, {}};
    for (std::size_t at = line.find_first_not_of(blanks); at < line.size(); at = line.find_first_not_of(blanks, at)) {
      const std::size_t stop = std::min(line.find_first_of(blanks, at), line.size());
      read.numbers.push_back(offset_number(line.substr(at, stop - at), {begin + at, begin + stop}));
      if (read.numbers.size() > most_offset_dimensions + 1)
        throw Error("a line has more than 9 numbers", "one offset per line, or a coordinate and its offset",
                    read.place);
      at = stop;
    }
    if (!read.numbers.empty()) lines.push_back(std::move(read));
    begin = end + 1;
  }
  return lines;
}

KnownOffsets offsets_of_lines(const std::vector<OffsetLine>& lines) {
  if (lines.empty()) throw Error("no offset is given", "one offset per line, or 'row col offset'");
  require_within(limits::given_offsets, static_cast<std::int64_t>(lines.size()));
  const std::size_t dimensions = lines[0].numbers.size() - 1;
  std::vector<KnownOffset> points;
  std::vector<std::int64_t> shape(dimensions, 1);
  for (const OffsetLine& line : lines) {
    if (line.numbers.size() != dimensions + 1)
      throw Error(fmt::format("this line has {}, the first has {}",
                              plural(static_cast<std::int64_t>(line.numbers.size()), "number"), dimensions + 1),
                  "one offset per line, or a coordinate and its offset; all coordinates have one rank", line.place);
    for (std::size_t d = 0; d < dimensions; ++d) {
      if (line.numbers[d] < 0) throw Error("a coordinate is negative", "coordinates begin at 0", line.place);
      shape[d] = std::max(shape[d], checked_add(line.numbers[d], 1));
    }
  }
  std::int64_t index = 0;
  if (dimensions == 0) {
    for (const OffsetLine& line : lines) points.push_back({index++, line.numbers[0]});
    return {{static_cast<std::int64_t>(points.size())}, std::move(points)};
  }
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size = checked_mul(size, extent);
  for (const OffsetLine& line : lines) {
    index = 0;
    for (std::size_t d = dimensions; d-- > 0;) index = index * shape[d] + line.numbers[d];
    points.push_back({index, line.numbers[dimensions]});
  }
  return sorted_offsets(std::move(shape), std::move(points));
}

}  // namespace

std::int64_t KnownOffsets::size() const {
  std::int64_t all = 1;
  for (const std::int64_t extent : shape) all *= extent;
  return all;
}

std::vector<std::int64_t> KnownOffsets::coordinate(std::int64_t index) const {
  std::vector<std::int64_t> out;
  for (const std::int64_t extent : shape) {
    out.push_back(index % extent);
    index /= extent;
  }
  return out;
}

KnownOffsets read_known_offsets(std::string_view text) {
  if (const std::size_t first = text.find_first_not_of(" \t\r\n");
      first != std::string_view::npos && text[first] == '[') {
    std::vector<std::int64_t> shape, values;
    gather_rows(Json::parse(text), 0, shape, values);
    require_within(limits::given_offsets, static_cast<std::int64_t>(values.size()));
    return offsets_of_rows(shape, values);
  }
  try {
    return offsets_of_lines(offset_lines(text));
  } catch (const Error& error) {
    if (error.span.empty()) throw;
    // The caret belongs under one line, and the text may have many.
    const LineOfText line = line_at(text, error.span.begin);
    throw Error(fmt::format("line {}: {}", line.number, error.message()), error.hint,
                {error.span.begin - line.begin, error.span.end - line.begin})
        .in_text(line.text.substr(0, 200));
  }
}

KnownOffsets known_offsets_of(const NpyArray& array) {
  std::int64_t size = 1;
  for (const std::int64_t extent : array.shape) size = checked_mul(size, extent);
  if (size == 0) throw Error("the .npy file has no element", "save the offset of each coordinate");
  if (array.shape.size() > most_offset_dimensions)
    throw Error(fmt::format("the .npy file has {} dimensions", array.shape.size()), "at most 8");
  require_within(limits::given_offsets, size);
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < size; ++i) values.push_back(whole_number(array, static_cast<std::size_t>(i)));
  const std::vector<std::int64_t> shape = array.shape.empty() ? std::vector<std::int64_t>{1} : array.shape;
  if (!array.is_fortran_order) return offsets_of_rows(shape, values);
  KnownOffsets out{shape, {}};
  for (std::int64_t i = 0; i < size; ++i) out.points.push_back({i, values[static_cast<std::size_t>(i)]});
  return out;
}

}  // namespace swz
