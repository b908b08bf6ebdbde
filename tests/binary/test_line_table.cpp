// SPDX-License-Identifier: Apache-2.0
// The line of each instruction, in the PTX and in the source, where nvdisasm -gp and -g print another one (fixtures.py).
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "binary/fixture.hpp"
#include "binary/line_table.hpp"

namespace swz {
namespace {

TEST_CASE("each instruction has the lines that nvdisasm prints") {
  int compared = 0;
  std::map<std::string, std::string> files;
  for (const std::string& text : fixture_lines("lines.txt")) {
    std::istringstream words(text);
    std::string file, option, function;
    std::uint64_t address = 0;
    std::uint32_t line = 0;
    words >> file >> option >> function >> address >> line;
    CAPTURE(text);
    const auto [bytes, is_new] = files.try_emplace(file);
    if (is_new) bytes->second = fixture(file);
    const Cubin cubin = read_cubin(bytes->second, file);
    const LineTable table = option == "-g" ? source_lines(cubin) : ptx_lines(cubin);
    const LineRow* row = table.find(function, address);
    REQUIRE(row != nullptr);
    CHECK(row->line == line);
    CHECK(table.file_name(row->file) == (option == "-g" ? "/src/kernels.cu" : ""));
    ++compared;
  }
  CHECK(files.size() == 5);
  CHECK(compared == 340);
}

TEST_CASE("a cubin without lines has empty tables; outside of the code no row holds") {
  const std::string bytes = fixture("new_sm_90a.cubin"), lines = fixture("new_sm_90a_lines.cubin");
  CHECK(source_lines(read_cubin(bytes, "f")).rows.empty());
  CHECK(ptx_lines(read_cubin(bytes, "f")).rows.empty());
  const Cubin cubin = read_cubin(lines, "f");
  const LineTable table = ptx_lines(cubin);
  CHECK(table.sequences.size() == 4);
  CHECK(table.find("one_array", 1 << 20) == nullptr);
  CHECK(table.find("none_such", 0) == nullptr);
}

TEST_CASE("a line of the PTX has its place in the source") {
  const std::string bytes = fixture("new_sm_90a_lines.cubin");
  const Cubin cubin = read_cubin(bytes, "f");
  const LineTable source = source_lines(cubin);
  const auto sources = sources_of_ptx(source, ptx_lines(cubin), "several_arrays");
  // The PTX has .loc 10 before line 13, and .loc 12 before line 26.
  REQUIRE(sources.contains(21));
  CHECK(sources.at(21).line == 10);
  REQUIRE(sources.contains(26));
  CHECK(sources.at(26).line == 12);
  for (const auto& [_, row] : sources) CHECK(source.file_name(row.file) == "/src/kernels.cu");
}

}  // namespace
}  // namespace swz
