// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "files.hpp"
#include "run.hpp"

namespace {

int terminal_width() {
  winsize size = {};
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  swz::handle_signals();
  swz::Environment environment;
  for (const char* name : {"NO_COLOR", "SWZ_ARCH", "SWZ_PAGE_ADDRESS", "TERM", "COLUMNS"})
    if (const char* value = std::getenv(name)) environment.variables[name] = value;
  environment.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  environment.err_is_terminal = isatty(STDERR_FILENO) != 0;
  environment.terminal_width = terminal_width();
  return swz::run(swz::Words(argv + (argc > 0 ? 1 : 0), argv + argc), environment);
}
