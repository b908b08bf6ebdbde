// SPDX-License-Identifier: Apache-2.0
// The answer by itself: the values that a document names in its JSON, one line each.
//
//   answers {"wavefronts", "ideal"}      wavefronts 1024        a single value has no name
//                                        ideal 128
//   answers {"fields.name.value"}        start_address 1056     one line for each row, null is left out
//                                        swizzle 128B
//   answers {"copies"}, a list of rows   16
//   answers {"lanes", "column"}          lanes 8 40             of several values each keeps its name, on one line
//                                        column 94
//   answers {"points.=byte.=bank"}       byte 4856 bank 30      one line for each row, with the names
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "render/display.hpp"
#include "render/json.hpp"
#include "render/text.hpp"

namespace swz {
namespace {

using Lines = std::vector<std::string>;

std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  while (true) {
    const std::size_t end = std::min(path.find('.'), path.size());
    steps.emplace_back(path.substr(0, end));
    if (end == path.size()) return steps;
    path.remove_prefix(end + 1);
  }
}

// The named members of an object on one line; "=byte" is the member byte with its name.
std::string members_text(const Json& object, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const bool is_told = names[i].starts_with('=');
    const std::string name = names[i].substr(is_told ? 1 : 0);
    if (!object.is_object() || !object.contains(name) || object.at(name).is_null()) continue;
    text.append(text.empty() ? "" : " ").append(is_told ? name + " " : "").append(text_of(object.at(name)));
  }
  return text;
}

Lines lines_of_path(const Json& json, const std::string& path) {
  const std::vector<std::string> steps = steps_of(path);
  if (!json.contains(steps.front())) return {};
  const Json& value = json.at(steps.front());
  const auto line_of = [&](const Json& one) { return steps.size() == 1 ? text_of(one) : members_text(one, steps); };
  if (!value.is_array()) return {line_of(value)};
  if (steps.size() == 1 && (value.size() == 0 || value.at(0).is_object())) return {std::to_string(value.size())};
  Lines lines;
  for (std::size_t i = 0; i < value.size(); ++i) lines.push_back(line_of(value.at(i)));
  return lines;
}

}  // namespace

std::vector<std::string> answers_of(const Document& document) {
  Lines out;
  const auto append = [&out](const Lines& lines) { out.insert(out.end(), lines.begin(), lines.end()); };
  const Json json = document.answers.empty() ? Json() : to_json(document);
  for (const std::string& path : document.answers) {
    Lines lines = lines_of_path(json, path);
    std::erase(lines, "");
    const bool has_name = document.answers.size() > 1 && !lines.empty();
    if (has_name) lines = {fmt::format("{} {}", path, fmt::join(lines, " "))};
    append(lines);
  }
  for (const Block& block : document.blocks)
    if (const auto* group = std::get_if<Group>(&block); group != nullptr && (document.answers.empty() || group->is_one))
      for (const Document& member : group->members) append(answers_of(member));
  for (std::string& line : out) line = printable(line);
  return out;
}

}  // namespace swz
