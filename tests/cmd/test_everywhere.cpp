// SPDX-License-Identifier: Apache-2.0
// Every command that takes a layout takes every notation, and says what it lacks.
#include <doctest/doctest.h>

#include "run_cli.hpp"

using swz::CliResult;
using swz::run_cli;
using swz::Words;

namespace {

const std::string swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>";
const std::string mma_v2 =
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
const std::string as_cute = "Sw<2,3,3> o 0 o (128,32):(32,1)";  // K_SW64<f16>, four times 32 rows

// The answer to the same question about the CuTe layout, without the note that says how the text was read.
std::string without_reading(std::string json) {
  const std::size_t at = json.find("{\"rule\":\"dialect\"");
  if (at == std::string::npos) return json;
  const std::size_t end = json.find('}', at) + 1;
  const bool is_last = json[end] != ',', is_first = json[at - 1] != ',';
  const std::size_t first = is_last && !is_first ? at - 1 : at;
  return json.erase(first, end + (is_last ? 0 : 1) - first);
}

}  // namespace

TEST_CASE("a Triton layout answers as the CuTe layout that it is, in every command") {
  const std::vector<Words> commands{{"place", "--dtype", "f16", "--layout"},
                                    {"banks", "--dtype", "f16", "--layout"},
                                    {"desc", "--dtype", "f16", "--from"},
                                    {"tma", "plan", "--dtype", "f16", "--layout"},
                                    {"map", "0x8000004000010040", "--dtype", "f16", "--base", "0x400", "--against"}};
  for (const Words& command : commands) {
    Words triton = command, cute = command;
    triton.insert(triton.end(), {swizzled, "--shape", "128x32", "-f", "json"});
    cute.insert(cute.end(), {as_cute, "-f", "json"});
    const CliResult a = run_cli(triton), b = run_cli(cute);
    CAPTURE(command[0]);
    CHECK(a.err == "");
    CHECK(a.exit_code == b.exit_code);
    std::string answer = without_reading(a.out);
    CHECK(answer != a.out);
    // The name of the operand is the text as it was written.
    for (std::size_t at = answer.find(swizzled); at != std::string::npos; at = answer.find(swizzled, at))
      answer.replace(at, swizzled.size(), as_cute);
    const bool is_same = answer == b.out;  // without two pages of JSON
    CHECK(is_same);
  }
}

TEST_CASE("swz diff of two notations: the same function, or the first element that differs") {
  CHECK(run_cli({"diff", swizzled, as_cute}).exit_code == 0);
  CHECK(run_cli({"diff", as_cute, swizzled}).exit_code == 0);
  // Row 2 is the first with phase 1: column 0 moves to 0 ^ 8.
  const CliResult plain = run_cli({"diff", swizzled, "(128,32):(32,1)", "-f", "json"});
  CHECK(plain.exit_code == 1);
  CHECK(plain.out.find("\"first_difference\":{\"index\":64,\"coordinate_a\":\"(2,0)\",\"coordinate_b\":\"(2,0)\","
                       "\"a\":72,\"b\":64}") != std::string::npos);
  // A flat layout is counted as CuTe does, column by column: index 1 is (1,0).
  CHECK(run_cli({"diff", "(128,32):(1,128)", "triton: " + swizzled}).exit_code == 1);
  CHECK(run_cli({"diff", "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0, 1]}>", "4096:1",
                 "--shape", "64x64"})
            .exit_code == 0);
  CHECK(run_cli({"diff", "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>", "4096:1",
                 "--shape", "64x64"})
            .exit_code == 1);
}

TEST_CASE("swz diff of registers: (thread, value) by (thread, value)") {
  // PTX's D of m16n8k16
  CHECK(run_cli({"diff", mma_v2, "((4,8),(2,2)):((32,1),(16,8))", "--shape", "16x8"}).exit_code == 0);
  const CliResult other = run_cli({"diff", mma_v2, "((4,8),(2,2)):((32,1),(8,16))", "--shape", "16x8"});
  CHECK(other.exit_code == 1);
  CHECK(other.out.find("(thread,value) (0,1): A holds (0,1), B holds (8,0)") != std::string::npos);
  CHECK(other.out.find("every thread holds the same elements in both, in values of another order") !=
        std::string::npos);
  CHECK(run_cli({"diff", mma_v2, swizzled, "--shape", "16x8"}).err ==
        "swz: error: A lies in registers, B in shared memory: they have nothing to compare\n"
        "hint: give two layouts of the same memory\n");
}

TEST_CASE("swz frag names the instruction of a register layout") {
  const CliResult r = run_cli({"frag", mma_v2, "--shape", "16x8", "-f", "json"});
  CHECK(r.exit_code == 0);
  CHECK(r.out.find("{\"name\":\"mma.m16n8k16\",\"operand\":\"d\",\"threads\":32,\"values\":4}") != std::string::npos);
  CHECK(r.out.find("\"layout\":\"((4,8),(2,2)):((32,1),(16,8))\"") != std::string::npos);
  CHECK(run_cli({"frag", swizzled, "--shape", "128x32"}).err ==
        "swz: error: the layout lies in shared memory, not in registers\n"
        "hint: swz translate and swz layout show it\n");
}

TEST_CASE("swz swizzle explain takes a layout") {
  const CliResult want = run_cli({"swizzle", "explain", "64B", "--dtype", "f16"});
  CHECK(run_cli({"swizzle", "explain", as_cute, "--dtype", "f16"}).out == want.out);
  CHECK(run_cli({"swizzle", "explain", as_cute}).err ==
        "swz: error: Sw<2,3,3> counts elements, and their type is not given\n"
        "hint: add it, for example --dtype bf16\n");
  const CliResult triton = run_cli({"swizzle", "explain", swizzled, "--shape", "128x32", "--dtype", "f16"});
  CHECK(triton.out.starts_with("swizzle            Sw<2,4,3> on byte addresses\n"));
}

TEST_CASE("what a text lacks is asked for") {
  const std::string no_shape =
      "swz: error: this text does not say the shape of the array\n"
      "hint: add it, for example --shape 64x64\n";
  CHECK(run_cli({"layout", swizzled}).err == no_shape);
  CHECK(run_cli({"place", "--layout", swizzled}).err == no_shape);
  CHECK(run_cli({"frag", mma_v2}).err == no_shape);
  CHECK(run_cli({"place", "--layout", "(8,64):(64,1)", "--shape", "8x64"}).err ==
        "swz: error: --shape is for a text that does not give the shape; this layout is CuTe's\n"
        "hint: leave --shape out\n");
  CHECK(run_cli({"layout", "(4,4):(4,1)", "--from", "tritom"}).err ==
        "swz: error: --from: unknown dialect 'tritom'\n"
        "hint: did you mean 'triton'? one of cute, cute_dsl, triton, gluon, tilelang, mosaic, thunderkittens, mojo, "
        "tilus, nvfuser, deepgemm, tma, c, bases\n");
  CHECK(run_cli({"place", "--layout", mma_v2, "--shape", "16x8"}).err ==
        "swz: error: the layout lies in registers, not in shared memory\n"
        "hint: swz frag shows which thread holds which element\n");
}

TEST_CASE("what only CuTe reads is read as before") {
  CHECK(run_cli({"layout", "foo"}).err.find("unknown name 'foo'") != std::string::npos);
  CHECK(run_cli({"layout", "8"}).out == "value  8\n");
  CHECK(run_cli({"diff", "(8,8):(8,1)", "cute: (8,8):(8,1)"}).exit_code == 0);
}
