// What the plans of all probes are drawn with and written as.
#pragma once

#include <nlohmann/json.hpp>

#include "base/random.hpp"

namespace swz {

// Keys in the order they were put.
using Json = nlohmann::ordered_json;

}  // namespace swz
