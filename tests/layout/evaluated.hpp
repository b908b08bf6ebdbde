// SPDX-License-Identifier: Apache-2.0
// The value of an expression over layouts, as text; the message of the Error if it is refused.
//
//   evaluated("coalesce((2,4):(1,2))") == "8:1"
#pragma once

#include <string>

#include "base/error.hpp"
#include "expr/evaluate.hpp"

namespace swz::test {

inline std::string evaluated(const std::string& text) {
  try {
    return to_string(evaluate(text).value);
  } catch (const Error& e) {
    return e.message();
  }
}

}  // namespace swz::test
