// split("n64.f32.f16", '.') == {"n64", "f32", "f16"}; of an empty text, one empty part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace swz {

inline std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

}  // namespace swz
