// SPDX-License-Identifier: Apache-2.0
// What a multicast mask with a bit beyond the cluster does, as the observation multicast-beyond has it
// (arch/observations.hpp):
//
//   "beyond it the kernel ends with CUDA_ERROR_LAUNCH_FAILED, also if another bit is inside (measured on …)"
#pragma once

#include <string>

namespace swz {

std::string mask_fault_text();

}  // namespace swz
