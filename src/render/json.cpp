// SPDX-License-Identifier: Apache-2.0
#include "render/json.hpp"

#include <algorithm>

namespace swz {
namespace {

Json value_of(const Field& field) { return field.value; }

Json value_of(const Table& table) {
  Json list = Json::array();
  for (const std::vector<Cell>& cells : table.rows) {
    Json row = Json::object();
    for (std::size_t i = 0; i < std::min(cells.size(), table.columns.size()); ++i)
      if (const std::string& key = table.columns[i].key; !key.empty()) row[key] = cells[i].value;
    list.push_back(std::move(row));
  }
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

std::string json_text(const Document& document) { return to_json(document).dump() + "\n"; }

}  // namespace swz
