// SPDX-License-Identifier: Apache-2.0
#include "line_reader.hpp"

#include "base/limits.hpp"

namespace swz {

std::optional<InputLine> LineReader::next(Output& answers) {
  InputLine line;
  for (bool any = false;; any = true) {
    if (rest_.empty()) {
      answers.flush();
      rest_ = {block_.data(), input_.read(block_, what_)};
      if (rest_.empty()) return any ? std::optional(std::move(line)) : std::nullopt;
    }
    const std::string_view part = rest_.substr(0, rest_.find('\n'));
    line.too_long = line.too_long || line.text.size() + part.size() > limits::line_bytes.most;
    if (line.too_long) line.text.clear();
    else line.text += part;
    const bool is_whole = part.size() < rest_.size();
    rest_.remove_prefix(part.size() + (is_whole ? 1 : 0));
    if (is_whole) return line;
  }
}

}  // namespace swz
