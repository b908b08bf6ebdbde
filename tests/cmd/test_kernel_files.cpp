// SPDX-License-Identifier: Apache-2.0
// swz kernel on what holds compiled kernels: lists, one kernel chosen, the facts of its cubin, folders, bad input.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cmd/scratch.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const std::string fixtures = SWZ_SOURCE_DIR "/tests/data/binary/";

CliResult kernel_of(Words words, const std::string& input = {}) {
  words.insert(words.begin(), "kernel");
  return run_cli(words, {.variables = {{"COLUMNS", "120"}}}, input);
}

Json json_of_kernel(Words words) {
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = kernel_of(words);
  REQUIRE(r.exit_code == 0);
  return Json::parse(r.out);
}

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("kernel FILE: many kernels are listed, one line each; --entry and --arch choose") {
  const Json all = json_of_kernel({fixtures + "deflated.whl"});
  CHECK(all["found"].size() == 17);
  CHECK(all["unreadable"].size() == 0);
  const Json some = json_of_kernel({fixtures + "deflated.whl", "--entry", "one_*", "--arch", "sm_80"});
  REQUIRE(some["found"].size() == 3);
  const Json first = some["found"].at(0);
  CHECK(first["name"] == "one_array");
  CHECK(first["arch"] == "sm_80");
  CHECK(first["path"] == "pkg/libboth.so.1");
  CHECK(first["ptx"] == true);
  CHECK(first["built"]["registers"] == 8);
  CHECK(first["built"]["static_shared"] == 4224);
  CHECK(first["built"]["max_threads"] == Json::parse("[128,2,1]"));
  const CliResult text = kernel_of({fixtures + "all.fatbin"});
  CHECK(text.out.find("7 kernels\n") == 0);
  CHECK(text.out.find("one_array       sm_90a") != std::string::npos);
  // The copies of one kernel are one.
  CHECK(json_of_kernel({fixtures + "libboth.so", "--entry", "one_array", "--arch", "sm_90a"})["kernels"].size() == 1);
}

TEST_CASE("kernel FILE: the cubin tells where arrays are, on each architecture") {
  const auto shared_of = [](const char* file, const char* entry) {
    const Json all = json_of_kernel({fixtures + file, "--entry", entry});
    return all["kernels"].at(0)["shared"];
  };
  const auto begin_of = [&](const char* file, const char* entry, const char* name) {
    const Json shared = shared_of(file, entry);
    for (std::size_t i = 0; i < shared.size(); ++i)
      if (shared.at(i)["name"] == name) return shared.at(i)["begin"];
    return Json("none");
  };
  CHECK(begin_of("new_sm_80_lines.cubin", "one_array", "tile") == 0);
  CHECK(begin_of("new_sm_80_lines.cubin", "one_array", "dynamic") == 4224);
  for (const char* file : {"new_sm_90a_lines.cubin", "old_sm_90a_lines.cubin", "new_sm_100a_lines.cubin"}) {
    CHECK(begin_of(file, "one_array", "tile") == 1024);
    CHECK(begin_of(file, "one_array", "dynamic") == 1024 + 4224);
    // The order of several arrays is not known, their end is.
    CHECK(begin_of(file, "several_arrays", "first").is_null());
    CHECK(begin_of(file, "several_arrays", "dynamic") == 1920);
  }
  CHECK(begin_of("new_sm_90a_debug.cubin", "several_arrays", "second") == 1024);
  const Json built =
      json_of_kernel({fixtures + "new_sm_90a_lines.cubin", "--entry", "in_cluster"})["kernels"].at(0)["built"];
  CHECK(built["toolkit"] == "13.5");
  CHECK(built["cluster"] == Json::parse("[2,1,1]"));
  CHECK(built["shared_begin"] == 1024);
}

TEST_CASE("kernel FILE: places of a cubin's PTX are lines of the source") {
  const Json all = json_of_kernel({fixtures + "new_sm_90a_lines.cubin", "--entry", "several_arrays"});
  const Json site = all["kernels"].at(0)["smem"].at(2);
  CHECK(site["source"]["file"] == "/src/kernels.cu");
  CHECK(site["source"]["line"] == 12);
}

TEST_CASE("kernel FILE: without PTX the resources are said, and that the code is not known") {
  const CliResult r = kernel_of({fixtures + "new_sm_90a.cubin", "--entry", "one_array"});
  CHECK(r.exit_code == 0);
  CHECK(r.out.find("resources   10 registers, no stack, 4224 B of static shared memory, 2 barriers") !=
        std::string::npos);
  CHECK(r.out.find("PTX         none; compiling with -lineinfo keeps it") != std::string::npos);
  CHECK(kernel_of({fixtures + "new_sm_90a.cubin", "--entry", "one_array", "--strict"}).exit_code == 1);
  const CliResult line = kernel_of({fixtures + "new_sm_90a.cubin", "--line", "3"});
  CHECK(line.exit_code == 2);
  CHECK(line.err.find("4 kernels are there, and the other options are for one of them") != std::string::npos);
}

TEST_CASE("kernel FOLDER: a Triton cache, where NAME.ptx and NAME.json are beside NAME.cubin") {
  const ScratchFolder scratch;
  const auto write = [&](const std::string& name, const std::string& bytes) {
    std::ofstream(scratch.path / name, std::ios::binary) << bytes;
  };
  write("k.cubin", bytes_of_file(fixtures + "new_sm_90a.cubin"));
  write("k.json", R"({"num_warps":8,"target":{"backend":"cuda","arch":90,"warp_size":32},"shared":2048})");
  write("k.source", "none");
  const std::string folder = scratch.path.string();
  CHECK(json_of_kernel({folder})["found"].size() == 4);
  const CliResult none = kernel_of({folder, "--entry", "one_array"});
  CHECK(none.out.find("2048 B of dynamic") != std::string::npos);
  write("k.ptx",
        ".version 8.3\n.target sm_90a\n.address_size 64\n.visible .entry one_array() .maxntid 256\n{\nret;\n}\n");
  const Json one = json_of_kernel({folder, "--entry", "one_array"})["kernels"].at(0);
  CHECK(one["built"]["dynamic_shared"] == 2048);
  CHECK(one["threads"] == Json::parse("[128,2,1]"));
  const CliResult empty = kernel_of({folder + "/k.source"});
  CHECK(empty.exit_code == 2);
  std::filesystem::create_directory(scratch.path / "empty");
  CHECK(kernel_of({folder + "/empty"}).err.find("has no file that may hold compiled kernels") != std::string::npos);
}

TEST_CASE("kernel FILE: what is not there or cannot be read is said with the way out") {
  const auto error_of = [](Words words, const std::string& input = {}) {
    const CliResult r = kernel_of(std::move(words), input);
    CHECK(r.exit_code == 2);
    return r.err;
  };
  CHECK(error_of({fixtures + "all.fatbin", "--entry", "one_aray"}).find("no kernel is called 'one_aray'") !=
        std::string::npos);
  CHECK(error_of({fixtures + "all.fatbin", "--entry", "one_aray"}).find("did you mean 'one_array'?") !=
        std::string::npos);
  CHECK(error_of({fixtures + "all.fatbin", "--arch", "sm_120a"}).find("there are kernels for sm_80 and sm_90a") !=
        std::string::npos);
  CHECK(error_of({fixtures + "stored.whl", "--entry", "x"}).find("no kernel is called 'x'") != std::string::npos);
  const std::string cubin = bytes_of_file(fixtures + "new_sm_90a_lines.cubin");
  // From standard input, whole and cut off.
  CHECK(kernel_of({"-", "--entry", "one_array"}, cubin).exit_code == 0);
  CHECK(error_of({"-"}, cubin.substr(0, 4000)).find("the section headers reach beyond the end of the file") !=
        std::string::npos);
  CHECK(error_of({"-"}, std::string("\x7f\x45\x4c\x46\x02\x01\x01", 7) + std::string(100, '\0'))
            .find("no compiled kernel is in it") != std::string::npos);
}

}  // namespace
}  // namespace swz
