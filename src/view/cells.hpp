// Cells that several tables share.
//
//   name_list({"f16", "", "bf16"})     ["f16","bf16"] in JSON, "f16 bf16" in text; of nothing [] and "-"
#pragma once

#include <string>
#include <string_view>

#include "view/document.hpp"

namespace swz {

// Empty names are the unused places of a table's row.
template <class Names>
Cell name_list(const Names& names) {
  Json list = Json::array();
  std::string line;
  for (const std::string_view name : names) {
    if (name.empty()) continue;
    list.push_back(std::string(name));
    line += (line.empty() ? "" : " ") + std::string(name);
  }
  return {list, line.empty() ? "-" : line};
}

}  // namespace swz
