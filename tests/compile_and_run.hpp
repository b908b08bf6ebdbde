// SPDX-License-Identifier: Apache-2.0
// Source code that swz writes is tested by the compiler that built the tests.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace swz {

struct SourceFile {
  std::string name, text;
};

// Writes the files into a folder of their own, compiles the first one there with these flags, and runs the program.
inline void check_program(const std::vector<SourceFile>& files, const std::string& flags) {
  char folder[] = "/tmp/swz_compile_XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = folder;
  for (const SourceFile& file : files) std::ofstream(path + "/" + file.name) << file.text;
  CHECK(std::system(fmt::format("{0} {1} -I{2} {2}/{3} -o {2}/program", SWZ_CXX_COMPILER, flags, path, files[0].name)
                        .c_str()) == 0);
  CHECK(std::system((path + "/program").c_str()) == 0);
  CHECK(std::system(("rm -r " + path).c_str()) == 0);
}

}  // namespace swz
