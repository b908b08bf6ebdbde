// What the tables of `swz arch` share: each row ends with its evidence and its source.
//
//   Table table = sourced("targets", "targets", {{"name", "target"}});
//   add(table, {name_cell("sm_90a")}, source);      | sm_90a | header | ptxas 13.0.88 |
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/finding.hpp"
#include "view/document.hpp"

namespace swz::arch_parts {

using Row = std::vector<Cell>;

inline Cell text(std::string_view value) { return {std::string(value)}; }
inline Cell name_cell(std::string_view value) { return {std::string(value), "", Tone::strong}; }
// Absent values are null in JSON and "-" in text.
inline Cell optional_text(std::string_view value) { return value.empty() ? Cell{nullptr} : text(value); }
inline Cell optional_number(std::int64_t value) { return value == 0 ? Cell{nullptr} : Cell{value}; }

// The columns of the source are added here.
Table sourced(std::string key, std::string title, std::vector<Column> columns);
void add(Table& table, Row row, const Source& source);

// Topic tma: arguments, the 128 bytes, rules. Topic observations.
void add_tensor_maps(Document& d);
void add_observations(Document& d);

}  // namespace swz::arch_parts
