// SPDX-License-Identifier: Apache-2.0
// The text of a refusal: "message | hint", or "taken".
#pragma once

#include <string>

#include "base/error.hpp"

namespace swz {

template <class F>
std::string told(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
  return "taken";
}

}  // namespace swz
