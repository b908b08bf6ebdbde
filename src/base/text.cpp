// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swz {

int edit_distance(std::string_view a, std::string_view b) {
  const auto same_at = [&](std::size_t i, std::size_t j) { return lower_case(a[i - 1]) == lower_case(b[j - 1]); };
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same_at(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same_at(i, j - 1) && same_at(i - 1, j)) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > 64) return std::nullopt;
  std::optional<std::string> best;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const int allowed = std::max(1, static_cast<int>(std::max(name.size(), candidate.size()) / 3));
    const int distance = edit_distance(name, candidate);
    if (distance <= allowed && (!best || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates, std::string_view then) {
  const auto best = nearest(name, candidates);
  if (!best) return std::string(then);
  return fmt::format("did you mean '{}'?{}{}", *best, then.empty() ? "" : " ", then);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_case(c);
  return out;
}

std::string plural(std::int64_t count, std::string_view one) {
  if (count == 1) return fmt::format("1 {}", one);
  if (one.ends_with('y')) return fmt::format("{} {}ies", count, one.substr(0, one.size() - 1));
  return fmt::format("{} {}{}", count, one, one.ends_with('s') || one.ends_with('x') ? "es" : "s");
}

std::string_view character_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && continues_character(text[end]) && end - at < 4) ++end;
  return text.substr(at, end - at);
}

std::string quoted(std::string_view text, std::size_t limit) {
  std::size_t head = text.size(), tail = text.size();
  if (text.size() > limit) {
    head = limit / 2;
    tail = text.size() - limit / 2;
    while (head > 0 && continues_character(text[head])) --head;
    while (tail < text.size() && continues_character(text[tail])) ++tail;
  }
  std::string out = "'";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == head) {
      out += "…";
      i = tail;
      if (i == text.size()) break;
    }
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7f) out += fmt::format("\\x{:02x}", byte);
    else out += text[i];
  }
  out += '\'';
  return out;
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

LineOfText line_at(std::string_view text, std::size_t position) {
  const std::size_t begin = position == 0 ? 0 : text.rfind('\n', position - 1) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  return {text.substr(begin, end - begin), begin, 1 + std::ranges::count(text.substr(0, begin), '\n')};
}

std::string join_and(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? " and " : ", ";
    out += items[i];
  }
  return out;
}

std::string hex64(std::uint64_t word) { return fmt::format("0x{:016x}", word); }
std::string hex32(std::uint32_t word) { return fmt::format("0x{:08x}", word); }

}  // namespace swz
