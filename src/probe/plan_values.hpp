// What the plans of all probes are drawn with and written as.
#pragma once

#include <random>

#include "base/json.hpp"

namespace swz {

using Random = std::mt19937_64;

}  // namespace swz
