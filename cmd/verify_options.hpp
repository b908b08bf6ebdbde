// The options that swz verify, verify tile and verify desc share.
#pragma once

#include "command.hpp"

namespace swz {

struct HardwareOptions {
  int device = 0;
  bool emit_kernel = false, compile_only = false;
};

void add_hardware_options(CLI::App& app, HardwareOptions& options);

}  // namespace swz
