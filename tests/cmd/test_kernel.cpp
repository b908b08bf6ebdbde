// SPDX-License-Identifier: Apache-2.0
// swz kernel as a command: transcripts, the JSON contract, what cannot be read.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cmd/parsed.hpp"
#include "cmd/scratch.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const std::string mistakes = SWZ_SOURCE_DIR "/tests/ptx/mistakes/";
const std::string kernels = SWZ_SOURCE_DIR "/tests/data/ptx/";

CliResult kernel(Words words, const std::string& input = {}) {
  words.insert(words.begin(), "kernel");
  return run_cli(words, {.variables = {{"COLUMNS", "120"}}}, input);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("kernel: the contract of its JSON, by what the source of the kernel says") {
  const CliResult r = kernel({mistakes + "swapped_strides_right.ptx", "-f", "json"});
  REQUIRE(r.exit_code == 0);
  const Json all = Json::parse(r.out);
  REQUIRE(all["kernels"].size() == 1);
  const Json one = all["kernels"].at(0);
  CHECK(one["name"] == "swapped_strides");
  CHECK(one["target"] == "sm_90a");
  CHECK(one["threads"] == Json::parse("[128,1,1]"));
  CHECK(one["shared"].size() == 1);
  CHECK(one["shared"].at(0)["bytes"] == 16384);
  CHECK(one["shared"].at(0)["alignment"] == 1024);
  // 64 x 64 of bf16 in mode 128B, four MMAs of 32 B of K.
  REQUIRE(one["mma"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Json mma = one["mma"].at(i);
    CHECK(mma["mma"] == "m64n64k16");
    CHECK(mma["idesc"].is_null());
    CHECK(mma["findings"].size() == 0);
    for (const char* side : {"a", "b"}) {
      const Json& operand = mma[side];
      CHECK(operand["in"] == "smem");
      CHECK(operand["major"] == "K");
      CHECK(operand["stride_byte_offset"] == 1024);
      CHECK(operand["base_offset"] == 0);
      CHECK(operand["swizzle"] == "128B");
      CHECK(operand["start"]["offset"] == 32 * static_cast<int>(i) + (*side == 'a' ? 0 : 8192));
      CHECK(operand["start"]["symbol"] == one["shared"].at(0)["name"]);
    }
  }
  CHECK(one["mma"].at(0)["a"]["start"]["alignment"] == 1024);
  CHECK(one["mma"].at(3)["a"]["start"]["alignment"] == 32);
}

TEST_CASE("kernel: a file, standard input and @ are the same; CRLF and the words of cuobjdump change nothing") {
  const std::string path = mistakes + "unpadded_transposition.ptx";
  const std::string text = text_of(path), expected = kernel({path, "-f", "json"}).out;
  CHECK(kernel({"@" + path, "-f", "json"}).out == expected);
  CHECK(kernel({"-", "-f", "json"}, text).out == expected);
  std::string crlf;
  for (const char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(kernel({"-", "-f", "json"}, crlf).out == expected);
}

TEST_CASE("kernel: the text begins with the verdict") {
  const CliResult r = kernel({mistakes + "unpadded_transposition.ptx"});
  CHECK(r.exit_code == 0);
  CHECK(r.out.starts_with(
      "unpadded_transposition  sm_90a, at most 256 threads\nverdict        1 finding\nbank-conflict  line 78: "));
  CHECK(r.out.find("takes 32 wavefronts per warp where 1 would do") != std::string::npos);
  CHECK(kernel({mistakes + "unpadded_transposition.ptx", "--strict"}).exit_code == 1);
  // .maxntid lets a launch have fewer threads: that is not a pass.
  CHECK(kernel({mistakes + "unpadded_transposition_right.ptx", "--strict"}).exit_code == 1);
  CHECK(kernel({mistakes + "unpadded_transposition_right.ptx", "--threads", "256", "--strict"}).exit_code == 0);
  CHECK(kernel({mistakes + "unpadded_transposition_right.ptx"}).out.find("no contradiction found") !=
        std::string::npos);
}

TEST_CASE("kernel: if nothing contradicts, what the kernel does follows the verdict") {
  // What matmul_desc_f16_k16_sm90 does by its source: loads by tensor descriptors, one wgmma a pass, an epilogue through shared memory.
  CHECK(kernel({kernels + "matmul_desc_f16_k16_sm90.ptx"}).out.starts_with(R"(matmul_desc  sm_90a, 128 threads
verdict          no contradiction found
copies           6 x TMA load of rank 2, 1 x TMA store of rank 2
MMAs             1 x wgmma m64n32k16 f16 (A and B K-major 32B)
accumulators     f32 in registers
accesses         2 x stmatrix.x4
banks            2 proven without a conflict
start-alignment  line 228: )"));
  const std::string blackwell = kernel({kernels + "matmul_desc_f16_k16_sm100.ptx"}).out;
  CHECK(blackwell.find("\naccumulators     in tensor memory, ") != std::string::npos);
  // A wrong kernel has its findings there.
  CHECK(kernel({mistakes + "wrong_mode.ptx"}).out.find("\nMMAs ") == std::string::npos);
}

TEST_CASE("kernel: what a finding counts is said") {
  const std::string out = kernel({kernels + "matmul_desc_f16_k16_sm90.ptx"}).out;
  CHECK(out.find("(2 times in 1 MMA)") != std::string::npos);
  CHECK(out.find(" more)") == std::string::npos);
}

TEST_CASE("kernel: text has names as C++ has them, JSON as the PTX has them; --entry takes both") {
  const std::string path = mistakes + "wrong_mode_right.ptx", mangled = "_ZZ10wrong_modeE1s";
  const std::string text = kernel({path, "--full"}).out;
  CHECK(text.find("wrong_mode::s + 0, 32, 64, 96 B") != std::string::npos);
  CHECK(text.find("_ZZ") == std::string::npos);
  CHECK(kernel({path, "--line", "140"}).out.find("_ZZ") == std::string::npos);
  CHECK(Json::parse(kernel({path, "-f", "json"}).out)["kernels"].at(0)["shared"].at(0)["name"] == mangled);
  CHECK(Json::parse(kernel({path, "--line", "140", "-f", "json"}).out)["site"]["a"]["start"]["symbol"] == mangled);
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry _ZN3one4gemmIfEEvPT_()\n{\nret;\n}\n";
  for (const char* name : {"_ZN3one4gemmIfEEvPT_", "one::gemm"}) {
    const Json all = Json::parse(kernel({"-", "--entry", name, "-f", "json"}, ptx).out);
    REQUIRE(all["kernels"].size() == 1);
    CHECK(all["kernels"].at(0)["name"] == "_ZN3one4gemmIfEEvPT_");
  }
  CHECK(kernel({"-"}, ptx).out == "one::gemm  sm_90, threads not said\nname   _ZN3one4gemmIfEEvPT_\nsites  none\n");
  CHECK(kernel({"-", "--entry", "one::gem"}, ptx).err ==
        "swz: error: no kernel is called 'one::gem'\nhint: did you mean 'one::gemm'? the file has one::gemm\n");
}

TEST_CASE("kernel: --set names a register of the kernel, with a number that it can hold") {
  const std::string path = mistakes + "wrong_mode.ptx";
  const auto error = [&](const std::string& setting) { return kernel({path, "--set", setting}).err; };
  CHECK(error("%r99999=3") ==
        "swz: error: the kernel has no register '%r99999'\nhint: --set names a register as the PTX does\n");
  CHECK(error("r1=3") ==
        "swz: error: the kernel has no register 'r1'\nhint: did you mean '%r1'? --set names a register as the PTX "
        "does\n");
  CHECK(error("%r1=0x100000000") == "swz: error: the register %r1 has 32 bits; 4294967296 does not fit\n");
  CHECK(error("%p1=2") == "swz: error: the register %p1 has 1 bit; 2 does not fit\n");
  CHECK(error("%rd1=0xffffffffffffffff").empty());
  // Of several kernels it is enough that one has it, but it must be one of those asked for.
  const std::string two = text_of(path) + ".entry small()\n{\n.reg .b32 %x<3>;\nmov.u32 %x1, 1;\nret;\n}\n";
  CHECK(kernel({"-", "--set", "%x1=3"}, two).exit_code == 0);
  CHECK(kernel({"-", "--set", "%x7=3"}, two).err.starts_with("swz: error: none of the kernels has a register '%x7'"));
  CHECK(kernel({"-", "--entry", "wrong_mode", "--set", "%x1=3"}, two)
            .err.starts_with("swz: error: the kernel has no register '%x1'"));
}

TEST_CASE("kernel: as a picture it says what it says as text") {
  const CliResult r = kernel({mistakes + "unpadded_transposition.ptx", "-f", "svg"});
  CHECK(r.exit_code == 0);
  for (const char* text : {"line 78: 32 wavefronts", "with Sw&lt;5,2,5&gt;: 1 wavefront"})
    CHECK(r.out.find(text) != std::string::npos);
}

TEST_CASE("kernel: --only leaves the other lists empty, --entry the other kernels") {
  const Json only =
      Json::parse(kernel({kernels + "matmul_desc_f16_k16_sm100.ptx", "--only", "tma,tmem", "-f", "json"}).out);
  const Json one = only["kernels"].at(0);
  CHECK(one["mma"].size() == 0);
  CHECK(one["smem"].size() == 0);
  CHECK(one["tma"].size() > 0);
  CHECK(one["tmem"].size() > 0);
  const std::string two = text_of(mistakes + "wrong_mode.ptx") + text_of(mistakes + "tile_too_large.ptx");
  CHECK(Json::parse(kernel({"-", "-f", "json"}, two).out)["kernels"].size() == 2);
  const Json entry = Json::parse(kernel({"-", "--entry", "tile_too_large", "-f", "json"}, two).out);
  REQUIRE(entry["kernels"].size() == 1);
  CHECK(entry["kernels"].at(0)["name"] == "tile_too_large");
}

TEST_CASE("kernel: --threads and --set say what the PTX does not") {
  const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry f(.param .u32 f_param_0)
{
.reg .b32 %r<6>;
.shared .align 128 .b8 s[16384];
ld.param.u32 %r1, [f_param_0];
mov.u32 %r2, %tid.x;
mul.lo.s32 %r3, %r1, %r2;
mov.u32 %r4, s;
add.s32 %r5, %r4, %r3;
st.shared.u32 [%r5], %r1;
ret;
}
)";
  const auto site = [&](Words words) {
    words.insert(words.begin(), "-");
    words.insert(words.end(), {"-f", "json"});
    return Json::parse(kernel(words, ptx).out)["kernels"].at(0)["smem"].at(0);
  };
  const Json unknown = site({});
  CHECK(unknown["wavefronts"].is_null());
  CHECK(unknown["proof"].is_null());
  CHECK(unknown["why"] == "lanes differ by a multiple of f_param_0, which %r1 holds: pass --set %r1=N");
  CHECK(site({"--set", "%r1=4", "--threads", "64"})["wavefronts"] == 1);
  CHECK(site({"--set", "%r1=4", "--threads", "64"})["proof"] == "all");
  CHECK(site({"--set", "%r1=8", "--threads", "64"})["wavefronts"] == 2);
  CHECK(site({"--set", "%r1=0x80", "--threads", "64"})["wavefronts"] == 32);
  // 16 threads of the second warp are 16 lanes.
  CHECK(site({"--set", "%r1=0x80", "--threads", "48"})["wavefronts"] == 24);
  // The number of threads is not known: the same for every warp, but not proven of this launch.
  CHECK(site({"--set", "%r1=4"})["proof"] == "sampled");
}

// What is said of 128 threads that have all shared memory after s.
Json hopper_kernel(const std::string& body) {
  const std::string ptx = R"(.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 s[];
.visible .entry f(.param .u32 f_param_0) .reqntid 128
{
.reg .b32 %r<7>;
.reg .f32 %f<5>;
.reg .b64 %rd<7>;
)" + body + "ret;\n}\n";
  return Json::parse(kernel({"-", "-f", "json"}, ptx).out)["kernels"].at(0);
}

// A Hopper kernel has 227 KB: an address counts modulo 2^18, its constant keeps the sign that the author gave it.
TEST_CASE("kernel: offsets beyond 128 KB stay what they are, and those below a symbol are negative") {
  const Json one = hopper_kernel(R"(
mov.u32 %r1, s;
ld.param.u32 %r2, [f_param_0];
shl.b32 %r3, %r2, 14;
add.s32 %r4, %r1, %r3;
ld.shared.u32 %r5, [%r1+147456];
ld.shared.u32 %r5, [%r4+-49152];
ld.shared.u32 %r5, [%r4+196608];
add.s32 %r6, %r1, 196608;
cvt.u64.u32 %rd1, %r6;
shr.u64 %rd2, %rd1, 4;
and.b64 %rd3, %rd2, 16383;
or.b64 %rd4, %rd3, 0x4000004000000000;
add.s64 %rd5, %rd4, 1536;
add.s64 %rd6, %rd5, -1024;
wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd5, %rd6, 1, 1, 1, 0, 0;
)");
  REQUIRE(one["smem"].size() == 3);
  CHECK(one["smem"].at(0)["address"] == "s + 147456");
  CHECK(one["smem"].at(1)["address"] == "s + 16384*f_param_0 - 49152");
  CHECK(one["smem"].at(2)["address"] == "s + 16384*f_param_0 + 196608");
  const Json mma = one["mma"].at(0);
  CHECK(mma["a"]["start"]["text"] == "s + 221184");
  CHECK(mma["a"]["start"]["offset"] == 221184);
  CHECK(mma["b"]["start"]["offset"] == 204800);
  // 64 rows of 128 B end at 229376, within the 227 KB.
  CHECK(mma["findings"].size() == 0);
}

// The CuTe DSL takes each address of shared memory of lane 0.
TEST_CASE("kernel: what is one in the block is that in every lane") {
  const Json one = hopper_kernel(R"(
mov.b32 %r1, s;
shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;
ld.shared.u32 %r3, [%r2+1024];
mov.u32 %r4, %tid.x;
shfl.sync.idx.b32 %r5, %r4, 0, 31, -1;
add.s32 %r6, %r2, %r5;
ld.shared.u32 %r3, [%r6];
)");
  CHECK(one["smem"].at(0)["address"] == "s + 1024");
  CHECK(one["smem"].at(1)["address"] == "s + %r5");
}

TEST_CASE(
    "kernel: generic addresses that cvta made of shared ones are accesses to shared memory, others are said to be "
    "unknown") {
  const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry f(.param .u64 f_param_0) .reqntid 32
{
.reg .b32 %r<3>;
.reg .b64 %rd<7>;
.shared .align 4 .b8 s[4096];
mov.u64 %rd1, s;
cvta.shared.u64 %rd2, %rd1;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 8;
add.s64 %rd4, %rd2, %rd3;
st.u32 [%rd4], %r1;
ld.param.u64 %rd5, [f_param_0];
add.s64 %rd6, %rd5, %rd3;
st.u32 [%rd6], %r1;
ret;
}
)";
  const Json one = Json::parse(kernel({"-", "-f", "json"}, ptx).out)["kernels"].at(0);
  REQUIRE(one["smem"].size() == 1);
  CHECK(one["smem"].at(0)["line"] == 14);
  CHECK(one["smem"].at(0)["wavefronts"] == 2);
  CHECK(one["smem"].at(0)["proof"] == "all");
  bool is_said = false;
  for (std::size_t i = 0; i < one["findings"].size(); ++i)
    is_said = is_said || one["findings"].at(i)["rule"] == "generic-address";
  CHECK(is_said);
}

TEST_CASE("kernel: --line shows one site, --annotate the PTX with comments after its lines") {
  const std::string path = mistakes + "unpadded_transposition.ptx", ptx = text_of(path);
  const CliResult line = kernel({path, "--line", "78"});
  CHECK(line.exit_code == 0);
  CHECK(line.out.find("wavefronts  32 a warp, ideal 1; sampled, counted in 8 executions\n") != std::string::npos);
  CHECK(line.out.find("0x80") != std::string::npos);
  const CliResult all = kernel({path, "--annotate"});
  CHECK(all.exit_code == 0);
  // Without the comments it is the text.
  std::string without;
  for (std::size_t at = 0; at < all.out.size();) {
    const std::size_t end = all.out.find('\n', at);
    const std::string one = all.out.substr(at, end - at);
    without += one.substr(0, one.find("  // swz: ")) + '\n';
    at = end + 1;
  }
  CHECK(without == ptx);
  const ScratchFile hostile("//\x1b[31mred\xff\n" + ptx);
  CHECK(kernel({hostile.path, "--annotate"}).out.starts_with("//\\x1b[31mred\\xff\n"));
  CHECK(all.out.find("[%rd19];  // swz: ld.shared.b32: 32 wavefronts, ideal 1") != std::string::npos);
}

TEST_CASE("kernel: a text from which a character was lost is no pass, and neither is one without a kernel") {
  const std::string head = ".version 8.5\n.target sm_90a\n.address_size 64\n";
  const CliResult lost =
      kernel({"-", "--strict"}, head + ".visible .entry f()\n{\n.reg .b32 %r<3>;\nmov.u32 %r1, 4\nret;\n}\n");
  CHECK(lost.exit_code == 1);
  CHECK(lost.out ==
        "f  sm_90a, threads not said\n"
        "verdict  1 finding\n"
        "syntax   line 8: ',' or ';' is missing before 'ret'; what follows may be misread\n"
        "         ptxas refuses such a text: give it whole, as the compiler wrote it\n");
  const CliResult none = kernel({"-", "--strict"}, head);
  CHECK(none.exit_code == 1);
  CHECK(none.out == "verdict  no kernel: the text has no .entry\n");
  CHECK(Json::parse(kernel({"-", "-f", "json"}, head).out)["verdict"] == "incomplete");
  const CliResult header = kernel({"-"}, head + ".visible .entry f\n.param .u64 p)\n{\nret;\n}\n");
  CHECK(header.exit_code == 2);
  CHECK(header.err ==
        "swz: error: line 5: '{' or ';' is missing before 'p'; what follows may be misread\n"
        "hint: ptxas refuses such a text: give it whole, as the compiler wrote it\n");
}

TEST_CASE("kernel: what cannot be read is said with the way out") {
  const auto error = [](const Words& words, const std::string& input = {}) {
    const CliResult r = kernel(words, input);
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  CHECK(error({"-"}, "hello") ==
        "swz: error: the text is not PTX: it has no .target\n"
        "hint: PTX begins with .version and .target; nvcc -ptx or -keep, cuobjdump -ptx and Triton's cache have it\n");
  CHECK(error({"-"},
              "\x7f"
              "ELF\x02\x01")
            .find("no compiled kernel is in it that swz can read") != std::string::npos);
  const std::string ptx = text_of(mistakes + "wrong_mode.ptx");
  CHECK(error({"-"}, ptx.substr(0, ptx.size() / 2)).find("does not end: its '}' is missing") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--entry", "wrong_mod"}).find("did you mean 'wrong_mode'?") !=
        std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--line", "1"}).find("the nearest is in line 63") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--set", "r1"}).find("is not a register with its value") !=
        std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--threads", "2048"}).find("--threads") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--threads", "64,64"}).find("at most 1024 threads, not 4096") !=
        std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--only", "mma,dma"}).find("--only") != std::string::npos);
  CHECK(error({"/nowhere.ptx"}).find("cannot open '/nowhere.ptx'") != std::string::npos);
}

}  // namespace
}  // namespace swz
