// SPDX-License-Identifier: Apache-2.0
#include "view/document/document.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace swz {

Json to_json(const Finding& finding) {
  Json json{{"rule", finding.rule}, {"message", finding.message}};
  if (!finding.hint.empty()) json["hint"] = finding.hint;
  if (!finding.source.empty()) json["source"] = finding.source;
  return json;
}

Cell::Cell(Json of, std::string_view shown, Tone in) : value(std::move(of)), text(shown), tone(in) {}
Cell::Cell(const Cell& other) = default;
Cell::Cell(Cell&& other) noexcept = default;
Cell& Cell::operator=(const Cell& other) = default;
Cell& Cell::operator=(Cell&& other) noexcept = default;
Cell::~Cell() = default;

Block::Block(const Block& other) = default;
Block::Block(Block&& other) noexcept = default;
Block& Block::operator=(const Block& other) = default;
Block& Block::operator=(Block&& other) noexcept = default;
Block::~Block() = default;

Block in_full(Block block) {
  block.shown = Block::Shown::in_full;
  return block;
}

Block in_short(Block block) {
  block.shown = Block::Shown::in_short;
  return block;
}

Document::Document() = default;
Document::Document(std::string_view heading) : title(heading) {}
Document::Document(const Document& other) = default;
Document::Document(Document&& other) noexcept = default;
Document& Document::operator=(const Document& other) = default;
Document& Document::operator=(Document&& other) noexcept = default;
Document::~Document() = default;

Document& Document::add(Block block) {
  blocks.push_back(std::move(block));
  return *this;
}

Document& Document::field(std::string_view key, std::string_view label, Json value, std::string_view text, Tone tone) {
  return add(Field{std::string(key), std::string(label), std::move(value), std::string(text), tone});
}

Document& Document::json(std::string_view key, Json value) { return field(key, "", std::move(value)); }

Document& Document::line(std::string_view label, std::string_view text, Tone tone) {
  return field("", label, nullptr, text, tone);
}

Document& Document::known(std::string_view key, std::string_view label, Json value, std::string_view text, Tone tone) {
  if (value.is_null()) return json(key, nullptr);
  return field(key, label, std::move(value), text, tone);
}

Document& Document::findings(const std::vector<Finding>& all) {
  Notes notes{"notes"}, lints{"lints"};
  for (const Finding& finding : all) (finding.severity == Severity::note ? notes : lints).add(finding);
  return add(std::move(notes)).add(std::move(lints));
}

std::vector<Cell> cells_of(const Document& row, const std::vector<Column>& columns) {
  std::vector<Cell> cells(columns.size(), Cell(nullptr));
  for (const Block& block : row.blocks)
    if (const auto* field = std::get_if<Field>(&block); field != nullptr && !field->key.empty())
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (columns[i].key == field->key) cells[i] = {field->value, field->text, field->tone};
  return cells;
}

namespace {

Json value_of(const Field& field) { return field.value; }

Json value_of(const Table& table) {
  Json list = Json::array();
  const auto append = [&](const std::vector<Cell>& cells) {
    Json row = Json::object();
    for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i)
      if (const std::string& key = table.columns[i].key; !key.empty()) row[key] = cells[i].value;
    list.push_back(std::move(row));
  };
  for (const std::vector<Cell>& cells : table.rows) append(cells);
  for (std::size_t i = 0; i < table.later.rows; ++i) append(table.later.row(i));
  return list;
}

Json value_of(const Notes& notes) {
  return json_list(notes.findings, [](const Finding& finding) { return to_json(finding); });
}

Json value_of(const Group& group) {
  if (group.is_one) return to_json(group.members.front());
  return json_list(group.members, [](const Document& member) { return to_json(member); });
}

// "shared.offset" is the member "offset" of the object "shared".
Json& member_at(Json& json, std::string_view key) {
  const std::size_t dot = key.find('.');
  return dot == key.npos ? json[key] : member_at(json[key.substr(0, dot)], key.substr(dot + 1));
}

}  // namespace

Json to_json(const Document& document) {
  Json json = Json::object();
  if (!document.verdict.empty()) json["verdict"] = document.verdict;
  const auto add = [&json]<class B>(const B& block) {
    if constexpr (requires { block.key; }) {
      if (block.key.empty()) return;
      Json value = value_of(block);
      Json& member = member_at(json, block.key);
      if (!member.is_array() || !value.is_array()) member = std::move(value);
      else
        for (std::size_t i = 0; i < value.size(); ++i) member.push_back(value.at(i));
    }
  };
  for (const Block& block : document.blocks) std::visit(add, block);
  if (!document.source.empty()) json["source"] = document.source;
  return json;
}

std::string lint_names(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings)
    if (finding.severity != Severity::note && std::ranges::find(names, finding.rule) == names.end())
      names.emplace_back(finding.rule);
  return join_and(names);
}

std::string lints_text(const std::vector<Finding>& findings) {
  const std::string names = lint_names(findings);
  return names.empty() ? "no lints" : "lints: " + names;
}

bool has_lints(const Document& document) {
  return std::ranges::any_of(document.blocks, [](const Block& block) {
    const auto* notes = std::get_if<Notes>(&block);
    return notes != nullptr && notes->key == "lints" && !notes->findings.empty();
  });
}

std::string tuple_text(const Json& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + list.at(i).dump();
  return "(" + text + ")";
}

}  // namespace swz
