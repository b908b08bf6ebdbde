// SPDX-License-Identifier: Apache-2.0
// A GPU whose context is lost to this process (probe/cuda/cuda_device.hpp) can be asked by a new one: the same command
// line with --resume of what was recorded until then.
//
//   swz verify --quick --record r.jsonl   →   swz verify --quick --record r.jsonl --resume r.jsonl
#pragma once

#include <string>

namespace swz {

// Returns only if there can be no new process: this one is not `swz verify` itself, or its system has none.
void go_on_in_new_process(const std::string& recording);

}  // namespace swz
