// SPDX-License-Identifier: Apache-2.0
// What a cubin says of its kernels, against the PTX from which fixtures.py made it; and damaged cubins.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>

#include "base/error.hpp"
#include "base/random.hpp"
#include "binary/cubin.hpp"
#include "binary/fixture.hpp"
#include "binary/line_table.hpp"

namespace swz {
namespace {

struct CubinRow {
  const char* file;
  SmArch arch;
  std::uint32_t toolkit, parameter_base;
  std::uint64_t reserved;
  bool has_ptx;
};
constexpr CubinRow rows[] = {
    {"old_sm_80.cubin", {80, 0}, 124, 0x160, 0, false},
    {"old_sm_90a_lines.cubin", {90, 'a'}, 124, 0x210, 1024, true},
    {"mid_sm_100a.cubin", {100, 'a'}, 129, 0x380, 1024, false},
    {"thirteen_sm_90a_lines.cubin", {90, 'a'}, 130, 0x210, 1024, true},
    {"new_sm_80_lines.cubin", {80, 0}, 135, 0x160, 0, true},
    {"new_sm_90a.cubin", {90, 'a'}, 135, 0x210, 1024, false},
    {"new_sm_100a_lines.cubin", {100, 'a'}, 135, 0x380, 1024, true},
    {"new_sm_120a.cubin", {120, 'a'}, 135, 0x380, 1024, false},
};

TEST_CASE("each toolkit and architecture says the same of the same kernels") {
  for (const CubinRow& row : rows) {
    CAPTURE(row.file);
    const std::string bytes = fixture(row.file);
    const Cubin cubin = read_cubin(bytes, row.file);
    CHECK(cubin.arch == row.arch);
    CHECK(cubin.toolkit == row.toolkit);
    CHECK(cubin.has_ptx() == row.has_ptx);
    CHECK((cubin.ptx().find(".visible .entry one_array(") != std::string::npos) == row.has_ptx);
    CHECK(!cubin.is_relocatable);
    const CubinKernel& one = *cubin.find("one_array");
    CHECK(one.max_threads == BlockShape{128, 2, 1});
    CHECK(!one.required_threads);
    CHECK(one.barriers == 2);
    CHECK(one.max_registers == 128);
    CHECK(one.stack == 0);
    // 4100 bytes, rounded up to the alignment of the dynamic array.
    CHECK(one.static_shared == 4224);
    CHECK(one.shared_section == 4224 + row.reserved);
    CHECK(one.parameters == std::vector<CubinParameter>{{0, 0, 8}, {1, 8, 4}});
    CHECK(one.parameter_base == row.parameter_base);
    CHECK(one.constant_bank == row.parameter_base + 12);
    CHECK(one.code.size() % 16 == 0);
    CHECK(!one.code.empty());
    CHECK(one.arrays.empty());
    const CubinKernel& none = *cubin.find("no_array");
    CHECK(none.required_threads == BlockShape{256, 1, 1});
    CHECK(none.stack == 64);
    CHECK(none.static_shared == 0);
    // The parameter of .align 64 begins on a multiple of 64 of the bank, not of the parameters.
    REQUIRE(none.parameters.size() == 2);
    CHECK(none.parameters[0].bytes == 128);
    CHECK((*none.parameter_base + none.parameters[0].offset) % 64 == 0);
    CHECK(none.parameters[1] == CubinParameter{1, none.parameters[0].offset + 128, 8});
    const CubinKernel* cluster = cubin.find("in_cluster");
    REQUIRE((cluster != nullptr) == (row.arch.number >= 90));
    if (cluster != nullptr) CHECK(cluster->cluster == BlockShape{2, 1, 1});
    CHECK(cubin.find("none_such") == nullptr);
  }
}

TEST_CASE("with -G the cubin names its shared arrays with their places, a relocatable one without") {
  const std::string debug = fixture("new_sm_90a_debug.cubin"), relocatable = fixture("new_sm_90a_relocatable.cubin");
  const Cubin built = read_cubin(debug, "debug");
  std::map<std::string_view, std::uint64_t> places;
  for (const CubinArray& array : built.find("several_arrays")->arrays) places[array.name] = *array.address;
  REQUIRE(places.size() == 3);
  CHECK(places.at("second") % 512 == 0);
  for (const auto& [_, place] : places) CHECK(place >= 1024);
  const Cubin object = read_cubin(relocatable, "object");
  CHECK(object.is_relocatable);
  REQUIRE(!object.find("several_arrays")->arrays.empty());
  for (const CubinArray& array : object.find("several_arrays")->arrays) CHECK(!array.address);
  CHECK(object.find("one_array")->static_shared == 4100);
}

TEST_CASE("a file that is cut off anywhere, or damaged, is answered or refused by name") {
  for (const char* name : {"new_sm_90a_lines.cubin", "old_sm_80.cubin", "new_sm_90a_debug.cubin"}) {
    const std::string whole = fixture(name);
    const auto is_refused = [&](const std::string& bytes) {
      try {
        const Cubin cubin = read_cubin(bytes, "cut.cubin");
        source_lines(cubin);
        ptx_lines(cubin);
        for (const CubinKernel& kernel : cubin.kernels) CHECK(kernel.code.size() <= bytes.size());
        return false;
      } catch (const Error& e) {
        CHECK_MESSAGE(e.message().starts_with("cut.cubin: "), e.message());
        CHECK(!e.hint.empty());
        return true;
      }
    };
    CHECK(!is_refused(whole));
    // Its last part is the table of program headers, which no fact is in; the section headers are before it.
    int refused = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) refused += is_refused(whole.substr(0, size));
    CHECK(refused >= static_cast<int>(whole.size()) - 1024);
    for (int seed = 0; seed < 2000; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      std::string damaged = whole;
      for (int i = 0; i < 4; ++i)
        damaged[static_cast<std::size_t>(random.below(std::ssize(damaged)))] = static_cast<char>(random.below(256));
      is_refused(damaged);
    }
  }
}

TEST_CASE("what is no cubin is refused with the place and the rule") {
  const auto message = [](const std::string& bytes) {
    try {
      read_cubin(bytes, "f");
      return std::string("taken");
    } catch (const Error& e) {
      return e.message();
    }
  };
  CHECK(message("") == "f: not a cubin: no 64-bit ELF header of machine 190 (CUDA) at 0x0");
  std::string cubin = fixture("new_sm_90a.cubin");
  cubin[18] = 62;  // x86
  CHECK(message(cubin) == "f: not a cubin: no 64-bit ELF header of machine 190 (CUDA) at 0x0");
  cubin = fixture("new_sm_90a.cubin");
  cubin[58] = 63;
  CHECK(message(cubin) == "f: the size of a section header is not 64 at 0x3a");
  cubin = fixture("new_sm_90a.cubin");
  cubin[47] = 1;  // the section headers are at 2^56
  CHECK(message(cubin).starts_with("f: the section headers reach beyond the end of the file at 0x1"));
}

}  // namespace
}  // namespace swz
