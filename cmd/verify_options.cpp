#include "verify_options.hpp"

namespace swz {

void add_hardware_options(CLI::App& app, HardwareOptions& options) {
  app.add_option("--device", options.device, "which GPU, as the driver counts them (default: 0)")->type_name("N");
  CLI::Option* emit = app.add_flag("--emit-kernel", options.emit_kernel, "print the CUDA source that would run");
  app.add_flag("--compile-only", options.compile_only, "compile for --arch with NVRTC; needs no GPU")
      ->excludes(emit);
}

}  // namespace swz
