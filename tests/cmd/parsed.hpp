// SPDX-License-Identifier: Apache-2.0
// What a command writes as JSON, read by a parser that is not of swz.
//
//   parsed(document)["lints"].size() == 0
#pragma once

#include <nlohmann/json.hpp>

#include "render/json.hpp"

namespace swz {

using Parsed = nlohmann::ordered_json;

inline Parsed parsed(const Document& document) { return Parsed::parse(json_text(document)); }

}  // namespace swz
