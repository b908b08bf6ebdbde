#include "tma/tensor_map_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr std::size_t longest_descriptor = 40;
constexpr std::size_t map_bytes = 128;

bool is_separator(char c) { return std::string_view(" \t\r\n,;{}()[]|").find(c) != std::string_view::npos; }

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string_view without_address(std::string_view line) {
  const std::size_t colon = line.rfind(':');
  return colon == std::string_view::npos ? line : line.substr(colon + 1);
}

// Appends the bytes of one number in memory order.
void append(std::vector<std::uint8_t>& bytes, std::string_view token) {
  const bool is_word = token.starts_with("0x") || token.starts_with("0X");
  const std::string_view digits = is_word ? token.substr(2) : token;
  std::vector<std::uint8_t> own;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit_value(digits[i]), low = i + 1 < digits.size() ? digit_value(digits[i + 1]) : -1;
    if (high < 0 || (i + 1 < digits.size() && low < 0))
      throw Error(fmt::format("{} is no hexadecimal number", quoted(token)),
                  "256 digits, or the lines of x/16gx, x/32wx or x/128bx as cuda-gdb prints them");
    if (low < 0)
      throw Error(fmt::format("{} has an odd number of digits", quoted(token)), "two digits are one byte");
    own.push_back(static_cast<std::uint8_t>(high * 16 + low));
  }
  if (is_word) std::reverse(own.begin(), own.end());
  bytes.insert(bytes.end(), own.begin(), own.end());
}

}  // namespace

bool looks_like_tensor_map(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) digits += digit_value(c) >= 0 ? 1 : 0;
  return digits > longest_descriptor;
}

bool holds_tensor_map(std::string_view text) {
  try {
    parse_tensor_map(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

EncodedTensorMap parse_tensor_map(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = without_address(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && bytes.size() <= map_bytes) {
      const auto stop = std::find_if(line.begin(), line.end(), is_separator);
      const auto length = static_cast<std::size_t>(stop - line.begin());
      if (length > 0) append(bytes, line.substr(0, length));
      line.remove_prefix(std::min(length + 1, line.size()));
    }
  }
  if (bytes.size() != map_bytes)
    throw Error(fmt::format("{} bytes; a tensor map has 128",
                            bytes.size() > map_bytes ? "more than 128" : fmt::to_string(bytes.size())),
                "256 hexadecimal digits, or x/16gx of its address in cuda-gdb");
  std::array<std::uint8_t, map_bytes> all{};
  std::copy(bytes.begin(), bytes.end(), all.begin());
  return from_bytes(all);
}

}  // namespace swz
