#include "render/json.hpp"

#include <algorithm>

namespace swz {
namespace {

void put(Json& object, const std::string& key, Json value) {
  if (key.empty()) return;
  const auto found = object.find(key);
  if (found != object.end() && found->is_array() && value.is_array())
    for (Json& item : value) found->push_back(std::move(item));
  else object[key] = std::move(value);
}

Json value_of(const Table& table) {
  Json rows = Json::array();
  for (const std::vector<Cell>& cells : table.rows) {
    Json row = Json::object();
    const std::size_t count = std::min(cells.size(), table.columns.size());
    for (std::size_t i = 0; i < count; ++i) put(row, table.columns[i].key, cells[i].value);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json value_of(const Notes& notes) {
  Json list = Json::array();
  for (const Note& note : notes.notes) {
    Json item = {{"rule", note.rule}, {"message", note.message}};
    if (!note.hint.empty()) item["hint"] = note.hint;
    if (!note.source.empty()) item["source"] = note.source;
    list.push_back(std::move(item));
  }
  return list;
}

Json value_of(const Group& group) {
  Json list = Json::array();
  for (const Document& member : group.members) list.push_back(to_json(member));
  return list;
}

void add(Json& object, const Field& field) { put(object, field.key, field.value); }
void add(Json& object, const Table& table) { put(object, table.key, value_of(table)); }
void add(Json& object, const Notes& notes) { put(object, notes.key, value_of(notes)); }
void add(Json& object, const Group& group) { put(object, group.key, value_of(group)); }
void add(Json&, const Drawing&) {}
void add(Json&, const Grid&) {}
void add(Json&, const Figure&) {}
void add(Json&, const BitRow&) {}
void add(Json&, const Paragraph&) {}

}  // namespace

Json to_json(const Document& document) {
  Json object = Json::object();
  for (const Block& block : document.blocks) std::visit([&object](const auto& b) { add(object, b); }, block);
  if (!document.source.empty()) put(object, "source", document.source);
  return object;
}

std::string json_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace swz
