// SPDX-License-Identifier: Apache-2.0
// The command where it runs in a page: one process for each question, as in a shell. The page passes the words on, reads
// what is written and shows it (page/engine.js); colours, width and architecture are variables of the environment.
#include <cstdlib>

#include "run.hpp"

int main(int argc, char** argv) {
  swz::Environment environment;
  for (const char* name : {"NO_COLOR", "SWZ_ARCH", "TERM", "COLUMNS"})
    if (const char* value = std::getenv(name)) environment.variables[name] = value;
  return swz::run(swz::Words(argv + (argc > 0 ? 1 : 0), argv + argc), environment);
}
