// SPDX-License-Identifier: Apache-2.0
// FrameReader: messages with a header, as the Language Server Protocol frames them.
//
//   Content-Length: 42\r\n
//   \r\n
//   {"jsonrpc":"2.0",…}      42 bytes
//
// Other header fields are skipped. A message over limits::line_bytes is read past and never held; without a length there
// is no telling where the next message begins, so that reading ends.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "files.hpp"

namespace swz {

struct FramedMessage {
  std::string text;
  bool is_too_long = false;  // then text is empty
};

class FrameReader {
 public:
  FrameReader(const Input& input, std::string_view what) : input_(input), what_(what) {}

  // The next message; none at the end of the input. Throws Error for a header without a length, for one of more than 4 KiB,
  // and for an input that ends inside of a message. Flushes the answers before it waits.
  std::optional<FramedMessage> next(Output& answers);

 private:
  // The next byte; none at the end.
  std::optional<char> byte(Output& answers);
  std::optional<std::string> header_line(Output& answers, std::size_t& bytes_left);

  const Input& input_;
  std::string_view what_;
  std::array<char, 1 << 16> block_;
  std::string_view rest_;  // of the block
};

// The number after "Content-Length:", of any case; none if the line is another field. Throws Error for another value.
std::optional<std::size_t> content_length(std::string_view header_line);

}  // namespace swz
