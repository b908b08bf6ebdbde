// SPDX-License-Identifier: Apache-2.0
// The JSON that a command writes, read by a parser that is not part of swz.
//
//   parsed(document)["lints"].size() == 0
#pragma once

#include <nlohmann/json.hpp>

#include "render/json.hpp"

namespace swz {

using Parsed = nlohmann::ordered_json;

inline Parsed parsed(const Document& document) { return Parsed::parse(json_text(document)); }

}  // namespace swz
