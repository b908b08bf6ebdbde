// SPDX-License-Identifier: Apache-2.0
#include "view/identify/identify_registers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/document/headline.hpp"
#include "view/identify/identify.hpp"
#include "view/identify/register_figure.hpp"

namespace swz {
namespace {

constexpr std::size_t most_named = 3, most_shown = 8;

Json commands_json(const RegisterMap& map) {
  return json_list(map.names, [](const RegisterName& name) { return Json(name.command); });
}

Json operand_json(const RegisterMap& map) {
  const std::string& operand = map.names.front().operand;
  return operand.empty() ? Json() : Json(operand);
}

Json candidate_json(const RegisterMap& map) {
  return {{"fragment", map.names.front().name},
          {"operand", operand_json(map)},
          {"commands", commands_json(map)},
          {"layout", to_string(map.layout)}};
}

// "A of mma.m16n8k16, which has 2 other names": those of the same function.
std::string names_text(const RegisterMap& map) {
  std::string text = map.names.front().title;
  if (map.names.size() > 1) text += fmt::format(", which has {}", plural(std::ssize(map.names) - 1, "other name"));
  return text;
}

std::string verdict(const RegisterReport& report) {
  const RegisterIdentification& found = report.found;
  const std::string tile = fmt::format("{} {}", report.dtype, to_string(report.expected.extents));
  const auto others = std::ranges::count_if(
      report.also, [&](const RegisterAnswer& other) { return names_text(*other.found.map) != names_text(*found.map); });
  if (found.is_exact && others > 0)
    return fmt::format("{}, or {}: what the elements hold is not known", names_text(*found.map),
                       plural(others, "other fragment"));
  if (found.is_exact && found.candidates.empty()) return names_text(*found.map);
  if (found.is_exact)
    return fmt::format("{}, one of {}{} that the data cannot distinguish", names_text(*found.map),
                       found.is_cut ? "at least " : "", found.candidates.size());
  if (found.mistake) return fmt::format("{}: {}", found.mistake->name, names_text(*found.map));
  if (found.is_constant) return fmt::format("no {}: every register is the same, nothing was written", tile);
  if (found.map) return fmt::format("no fragment; nearest: {}", names_text(*found.map));
  if (found.held) return fmt::format("no fragment that swz has holds {} in this way", tile);
  return fmt::format("random: no fragment holds half of {} in this way", tile);
}

Json difference_json(const DifferentRegister& d, int first_thread) {
  return {{"coordinate", {d.at.row, d.at.column}}, {"expected", d.expected}, {"found", d.found},
          {"thread", first_thread + d.thread},     {"register", d.reg},      {"first_bit", d.first_bit}};
}

std::string difference_text(const DifferentRegister& d, int first_thread, int bits) {
  std::string place = fmt::format("thread {}, register {}", first_thread + d.thread, d.reg);
  if (bits < 32)
    place += bits == 1 ? fmt::format(" bit {}", d.first_bit)
                       : fmt::format(" bits {}-{}", d.first_bit, d.first_bit + bits - 1);
  return fmt::format("{} should hold {:#x} of ({}, {}), it holds {:#x}", place, d.expected, d.at.row, d.at.column,
                     d.found);
}

void add_contents(Document& d, const RegisterReport& report) {
  const std::int64_t k = report.expected.extents.k;
  const bool is_shown = report.content && (report.content->as == TileContent::As::values ||
                                           formula_text(*report.content, k) != "i" || !report.also.empty());
  d.field("contents", is_shown ? report.found.is_exact ? "holds" : "compared with" : "",
          report.content ? content_json(*report.content, report.expected) : Json(),
          report.content ? content_text(*report.content, report.expected) : "");
  Json also = Json::array();
  for (const RegisterAnswer& other : report.also) {
    Json one = candidate_json(*other.found.map);
    one["contents"] = content_json(other.content, other.expected);
    also.push_back(one);
    d.line("also fits",
           fmt::format("{}: {}", content_text(other.content, other.expected), names_text(*other.found.map)));
  }
  d.json("also", also);
}

}  // namespace

Document view_registers(const RegisterReport& report) {
  const RegisterIdentification& found = report.found;
  const std::optional<RegisterMap>& map = found.map;
  Document d(fmt::format("{}: {}", report.dump, verdict(report)));
  if (map)
    d.subject = fmt::format("{} {}, {}", report.dtype, to_string(report.expected.extents), map->names.front().title);
  const bool is_one = found.is_exact && found.candidates.empty() && report.also.empty();
  d.headline = short_sentence(
      found.mistake ? found.mistake->text
      : is_one      ? fmt::format("all {} elements are in place: {}", found.elements, map->names.front().title)
                    : verdict(report));
  d.answers = {"commands", "hypothesis.name"};
  d.add(verdict_line(found));
  d.json("exact", found.is_exact)
      .json("swizzle", nullptr)
      .json("major", nullptr)
      .json("order", nullptr)
      .json("base", nullptr);
  const Json layout = map ? Json(to_string(map->layout)) : found.held ? Json(to_string(*found.held)) : Json();
  const std::string says =
      map ? map->layout_says : fmt::format("(thread, value) -> row + {} * column", report.expected.extents.mn);
  d.known("layout", "layout", layout, layout.is_null() ? "" : fmt::format("{}  {}", layout.get<std::string>(), says),
          Tone::strong);
  add_contents(d, report);
  d.json("elements", found.elements);
  const int bits = report.expected.type.slot_bits();
  d.known("first_difference", "first other",
          found.first_difference ? difference_json(*found.first_difference, report.first_thread) : Json(),
          found.first_difference ? difference_text(*found.first_difference, report.first_thread, bits) : "");
  d.field("hypothesis", found.is_exact ? "" : "mistake",
          found.mistake ? Json{{"name", found.mistake->name}, {"text", found.mistake->text}} : Json(),
          found.mistake ? fmt::format("{}: {}", found.mistake->name, found.mistake->text)
                        : std::string("no known mistake explains every element"),
          Tone::accent);
  d.json("candidates", json_list(found.candidates, candidate_json));
  for (std::size_t i = 0; i < found.candidates.size() && i < most_shown; ++i)
    d.line(i == 0 ? "candidates" : " ", found.candidates[i].names.front().title);
  if (found.candidates.size() > most_shown) d.line(" ", fmt::format("{} more", found.candidates.size() - most_shown));
  if (!found.candidates.empty()) d.line("to decide", "hold the codes of several passes: --expect codes");
  d.json("descriptors", Json::array()).json("box", nullptr).json("unowned", Json::array()).json("input", report.dump);
  d.json("fragment", map ? Json(map->names.front().name) : Json()).json("operand", map ? operand_json(*map) : Json());
  d.json("commands", map ? commands_json(*map) : Json::array());
  d.field("first_register", found.first_register == 0 ? "" : "begins at", map ? Json(found.first_register) : Json(),
          fmt::format("register {}", found.first_register));
  if (map)
    for (std::size_t i = 0; i < map->names.size() && i < most_named; ++i)
      d.line(i == 0 ? "see" : " ", map->names[i].command);
  if (map)
    d.add(Drawing{[report](Medium medium) {
      return medium == Medium::page ? Document().add(register_figure(report)) : Document();
    }});
  return d;
}

}  // namespace swz
