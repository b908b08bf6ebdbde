// SPDX-License-Identifier: Apache-2.0
#include "view/document/headline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swz {

namespace {

std::string text_of(const Field& field) {
  if (field.text.empty() && !field.value.is_string()) return field.value.dump();
  const std::string text = field.text.empty() ? field.value.get<std::string>() : field.text;
  return text.substr(0, text.find(';'));
}

std::string text_of_line(const Document& d, std::string_view label) {
  for (const Block& block : d.blocks)
    if (const auto* field = std::get_if<Field>(&block); field != nullptr && field->label == label)
      return text_of(*field);
  return {};
}

}  // namespace

std::string short_sentence(const std::string& text) {
  if (text.size() <= headline_letters) return text;
  // Not inside of parentheses; the end of a clause rather than that of a part of it.
  constexpr std::size_t least = 20;
  std::size_t clause = 0, part = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= headline_letters; ++at) {
    const std::string_view next = std::string_view(text).substr(at, 2);
    if (depth == 0 && (next == "; " || next == ": ")) clause = at;
    if (depth == 0 && (next == ", " || next == " (")) part = at;
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
  }
  const std::size_t end = clause >= least ? clause : std::max(clause, part);
  return end == 0 ? text : text.substr(0, end);
}

std::string without_options(const std::string& text) {
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("; ", at), text.size());
    const std::string clause = text.substr(at, end - at);
    if (clause.find("--") == clause.npos) kept += (kept.empty() ? "" : "; ") + clause;
    at = end == text.size() ? end : end + 2;
  }
  return kept;
}

std::string headline_of(const Document& d, std::initializer_list<std::string_view> labels) {
  std::string out;
  std::size_t lines = 0;
  for (const std::string_view label : labels) {
    std::string text = text_of_line(d, label);
    if (text.empty()) continue;
    const bool is_number = text.front() >= '0' && text.front() <= '9';
    if (lines > 0 && is_number) text = fmt::format("{} {}", label, text);
    out += (lines == 0 ? "" : lines == 1 ? ": " : ", ") + text;
    ++lines;
  }
  return short_sentence(out);
}

void add_headline(Document& d) {
  if (!d.headline.empty()) return;
  constexpr int most = 2;
  int lines = 0;
  for (const Block& block : d.blocks) {
    const auto* field = std::get_if<Field>(&block);
    if (field == nullptr || field->label.empty() || lines == most) continue;
    d.headline += fmt::format("{}{} {}", lines == 0 ? "" : "; ", field->label, text_of(*field));
    ++lines;
  }
  d.headline = short_sentence(d.headline);
}

}  // namespace swz
