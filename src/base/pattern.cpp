// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.hpp"

#include <cstddef>

namespace swz {

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // The place to come back to: what the last * stands for, one letter more each time.
  std::size_t t = 0, p = 0, star = pattern.npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace swz
