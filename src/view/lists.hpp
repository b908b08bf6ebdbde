// Lists of numbers as JSON and as text.
//
//   first_of(std::array{64, 128, 0, 0, 0}, 2)    [64,128]        tuple_text of it    (64, 128)
#pragma once

#include <cstddef>
#include <string>

#include "view/document.hpp"

namespace swz {

// The first `count` of an array that is longer than what it holds.
template <class Numbers>
Json first_of(const Numbers& numbers, int count) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push_back(numbers[static_cast<std::size_t>(i)]);
  return list;
}

inline std::string tuple_text(const Json& list) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) text += (i == 0 ? "" : ", ") + list.at(i).dump();
  return "(" + text + ")";
}

}  // namespace swz
