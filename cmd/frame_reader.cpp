// SPDX-License-Identifier: Apache-2.0
#include "frame_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"

namespace swz {

std::optional<std::size_t> content_length(std::string_view header_line) {
  constexpr std::string_view name = "content-length:";
  constexpr std::size_t most_digits = 9;
  if (!lower_case(header_line.substr(0, name.size())).starts_with(name)) return std::nullopt;
  const std::string_view number = trimmed(header_line.substr(name.size()));
  if (number.empty() || number.size() > most_digits || !std::ranges::all_of(number, is_digit))
    throw Error(fmt::format("{} is not a length in bytes", quoted(number)), "Content-Length: 42");
  std::size_t value = 0;
  for (const char digit : number) value = 10 * value + static_cast<std::size_t>(digit - '0');
  return value;
}

std::optional<char> FrameReader::byte(Output& answers) {
  if (rest_.empty()) {
    answers.flush();
    rest_ = {block_.data(), input_.read(block_, what_)};
    if (rest_.empty()) return std::nullopt;
  }
  const char c = rest_.front();
  rest_.remove_prefix(1);
  return c;
}

std::optional<std::string> FrameReader::header_line(Output& answers, std::size_t& bytes_left) {
  std::string line;
  while (const std::optional<char> c = byte(answers)) {
    if (bytes_left-- == 0) throw Error("a header of more than 4 KiB", "Content-Length: 42, an empty line, the message");
    if (*c == '\n') {
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    line += *c;
  }
  return std::nullopt;
}

std::optional<FramedMessage> FrameReader::next(Output& answers) {
  constexpr std::size_t most_header = 4096;
  std::optional<std::size_t> length;
  std::size_t header_left = most_header;
  for (std::optional<std::string> line = header_line(answers, header_left); line;
       line = header_line(answers, header_left)) {
    if (!line->empty()) {
      if (const std::optional<std::size_t> given = content_length(*line)) length = given;
      continue;
    }
    if (!length) throw Error("a message without a length", "Content-Length: 42, an empty line, the message");
    FramedMessage frame{.text = {}, .is_too_long = *length > static_cast<std::size_t>(limits::line_bytes.most)};
    for (std::size_t i = 0; i < *length; ++i) {
      const std::optional<char> c = byte(answers);
      if (!c) throw Error("the input ends inside of a message", fmt::format("Content-Length says {} bytes", *length));
      if (!frame.is_too_long) frame.text += *c;
    }
    return frame;
  }
  return std::nullopt;
}

}  // namespace swz
