// SPDX-License-Identifier: Apache-2.0
// The text of a cluster, as swz cluster and swz stage take it. In cluster.cpp.
//
//   ClusterShape shape;      read_value("2x4", shape)      {2, 4, 1}
#pragma once

#include <string>

#include "cluster/shape.hpp"

namespace swz {

void read_value(const std::string& text, ClusterShape& to);  // "2x4", "2x2x2", "(2,4,1)"

}  // namespace swz
