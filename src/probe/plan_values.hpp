// What the plans of all probes are drawn with and written as.
#pragma once

#include <nlohmann/json.hpp>
#include <random>

namespace swz {

// Keys in the order they were put.
using Json = nlohmann::ordered_json;
using Random = std::mt19937_64;

}  // namespace swz
