// swz kernel as a command: transcripts, the JSON contract, what cannot be read.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const std::string mistakes = SWZ_SOURCE_DIR "/tests/ptx/mistakes/";
const std::string kernels = SWZ_SOURCE_DIR "/tests/data/ptx/";

// 32 threads store a word each at a pitch of 64 B; two words of shared memory are read by all.
constexpr const char* small_ptx = R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry small(.param .u64 p)
.reqntid 32, 1, 1
{
.reg .b32 %r<6>;
.shared .align 16 .b8 s[2048];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 6;
mov.u32 %r3, s;
add.s32 %r4, %r3, %r2;
st.shared.u32 [%r4], %r1;
ld.shared.u32 %r5, [s+8];
ret;
}
)";

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
  const Parsed all = Parsed::parse(r.out);
  REQUIRE(all["kernels"].size() == 1);
  const Parsed& one = all["kernels"][0];
  CHECK(one["name"] == "swapped_strides");
  CHECK(one["target"] == "sm_90a");
  CHECK(one["threads"] == Parsed::parse("[128,1,1]"));
  CHECK(one["shared"].size() == 1);
  CHECK(one["shared"][0]["bytes"] == 16384);
  CHECK(one["shared"][0]["alignment"] == 1024);
  // 64 x 64 of bf16 in mode 128B, four MMAs of 32 B of K.
  REQUIRE(one["mma"].size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const Parsed& mma = one["mma"][i];
    CHECK(mma["mma"] == "m64n64k16");
    CHECK(mma["idesc"].is_null());
    CHECK(mma["findings"].empty());
    for (const char* side : {"a", "b"}) {
      const Parsed& operand = mma[side];
      CHECK(operand["in"] == "smem");
      CHECK(operand["major"] == "K");
      CHECK(operand["stride_byte_offset"] == 1024);
      CHECK(operand["base_offset"] == 0);
      CHECK(operand["swizzle"] == "128B");
      CHECK(operand["start"]["offset"] == 32 * static_cast<int>(i) + (*side == 'a' ? 0 : 8192));
      CHECK(operand["start"]["symbol"] == one["shared"][0]["name"]);
    }
  }
  CHECK(one["mma"][0]["a"]["start"]["alignment"] == 1024);
  CHECK(one["mma"][3]["a"]["start"]["alignment"] == 32);
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
  CHECK(r.out.starts_with("unpadded_transposition  sm_90a, 256 threads\nverdict        1 finding\nbank-conflict  line 78: "));
  CHECK(r.out.find("takes 32 wavefronts a warp where 1 would do") != std::string::npos);
  CHECK(kernel({mistakes + "unpadded_transposition.ptx", "--strict"}).exit_code == 1);
  CHECK(kernel({mistakes + "unpadded_transposition_right.ptx", "--strict"}).exit_code == 0);
  CHECK(kernel({mistakes + "unpadded_transposition_right.ptx"}).out.find("no contradiction found") != std::string::npos);
}

TEST_CASE("kernel: the verdict first, the worst access with its lanes and the swizzle that mends it") {
  // Lane l stores at 64*l, bits 6 to 10 of the address: even lanes meet in bank 0, odd ones in bank 16, 16 words each. Bit 6 is
  // a bank bit; bits 7 to 10 must reach the other four, 2 to 5: Sw<4,2,5>, and fewer bits tell fewer than 16 words apart.
  const CliResult r = kernel({"-"}, small_ptx);
  CHECK(r.exit_code == 0);
  CHECK(r.out == R"(small  sm_90a, 32 threads
verdict        1 finding
bank-conflict  line 13: st.shared.b32 takes 16 wavefronts a warp where 1 would do
               swz swizzle find looks for a swizzle, a pitch with padding is the other way
does           2 accesses to shared memory
shared         s: 2048 B, on 16 B

accesses to shared memory: 1 with conflicts, 1 without, 0 not known
line  access         wavefronts  ideal  proof  address
  13  st.shared.b32          16      1  all    s + 64*%tid.x
1 more without conflicts

collision  line 13: lanes 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 meet in bank 0 with 16 words
swizzle    Sw<4,2,5> on byte addresses: no conflict in the worst warp of each of 2 accesses
lanes      --line 13 shows them
)");
}

TEST_CASE("kernel: JSON has an entry for each site, with the keys of its contract") {
  const Parsed answer = Parsed::parse(kernel({"-", "-f", "json"}, small_ptx).out);
  REQUIRE(answer["kernels"].size() == 1);
  const Parsed& one = answer["kernels"][0];
  CHECK(one.size() == 9);
  for (const char* key : {"name", "target", "threads", "shared", "mma", "smem", "tma", "tmem", "findings"}) CHECK(one.contains(key));
  CHECK(one["name"] == "small");
  CHECK(one["target"] == "sm_90a");
  CHECK(one["threads"].dump() == "[32,1,1]");
  CHECK(one["shared"].dump() == R"([{"name":"s","bytes":2048,"alignment":16}])");
  REQUIRE(one["smem"].size() == 2);
  const Parsed& store = one["smem"][0];
  for (const char* key : {"line", "source", "instruction", "access", "wavefronts", "ideal", "proof", "why"}) CHECK(store.contains(key));
  CHECK(store["line"] == 13);
  CHECK(store["source"].is_null());
  CHECK(store["instruction"] == "st.shared.u32");
  CHECK(store["access"] == "st.shared.b32");
  CHECK(store["wavefronts"] == 16);
  CHECK(store["ideal"] == 1);
  CHECK(store["proof"] == "all");
  CHECK(store["why"].is_null());
  CHECK(one["smem"][1]["wavefronts"] == 1);
  CHECK(one["findings"][0]["rule"] == "bank-conflict");
}

TEST_CASE("kernel: --line says all of one site, and where the next one is") {
  const CliResult site = kernel({mistakes + "unpadded_transposition.ptx", "--line", "78"});
  CHECK(site.exit_code == 0);
  CHECK(site.out.starts_with("unpadded_transposition, unpadded_transposition.cu:11 (line 78): ld.shared.f32\n"));
  CHECK(site.out.find("lanes 0-31 meet in bank 0 with 32 words") != std::string::npos);
  // The transposition of 32 x 32 words: five bits that tell rows apart, at 7, into those that tell words apart, at 2.
  CHECK(site.out.find("Sw<5,2,5> on byte addresses: no conflict in the worst warp of each of 8 accesses") != std::string::npos);
  CHECK(kernel({mistakes + "unpadded_transposition.ptx", "--line", "78", "-f", "svg"}).out.starts_with("<svg"));
  const CliResult none = kernel({mistakes + "unpadded_transposition.ptx", "--line", "80"});
  CHECK(none.exit_code == 2);
  CHECK(none.err == "swz: error: line 80 has no MMA, access to shared memory, bulk copy or access to tensor memory\n"
                    "hint: the nearest is in line 81\n");
}

TEST_CASE("kernel: --only leaves the other lists empty, --entry the other kernels") {
  const Parsed only = Parsed::parse(kernel({kernels + "matmul_desc_f16_k16_sm100.ptx", "--only", "tma,tmem", "-f", "json"}).out);
  const Parsed& one = only["kernels"][0];
  CHECK(one["mma"].empty());
  CHECK(one["smem"].empty());
  CHECK(!one["tma"].empty());
  CHECK(!one["tmem"].empty());
  const std::string two = text_of(mistakes + "wrong_mode.ptx") + text_of(mistakes + "tile_too_large.ptx");
  CHECK(Parsed::parse(kernel({"-", "-f", "json"}, two).out)["kernels"].size() == 2);
  const Parsed entry = Parsed::parse(kernel({"-", "--entry", "tile_too_large", "-f", "json"}, two).out);
  REQUIRE(entry["kernels"].size() == 1);
  CHECK(entry["kernels"][0]["name"] == "tile_too_large");
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
    return Parsed::parse(kernel(words, ptx).out)["kernels"][0]["smem"][0];
  };
  const Parsed unknown = site({});
  CHECK(unknown["wavefronts"].is_null());
  CHECK(unknown["proof"].is_null());
  CHECK(unknown["why"] == "lanes differ by a multiple of f_param_0");
  CHECK(site({"--set", "%r1=4", "--threads", "64"})["wavefronts"] == 1);
  CHECK(site({"--set", "%r1=4", "--threads", "64"})["proof"] == "all");
  CHECK(site({"--set", "%r1=8", "--threads", "64"})["wavefronts"] == 2);
  CHECK(site({"--set", "%r1=0x80", "--threads", "64"})["wavefronts"] == 32);
  // 16 threads of the second warp are 16 lanes.
  CHECK(site({"--set", "%r1=0x80", "--threads", "48"})["wavefronts"] == 24);
  // Nobody says how many threads there are: the same for every warp, but not proven of this launch.
  CHECK(site({"--set", "%r1=4"})["proof"] == "sampled");
}

TEST_CASE("kernel: --line shows one site, --annotate the PTX with comments behind its lines") {
  const std::string path = mistakes + "unpadded_transposition.ptx", ptx = text_of(path);
  const CliResult line = kernel({path, "--line", "78"});
  CHECK(line.exit_code == 0);
  CHECK(line.out.find("32 a warp, ideal 1") != std::string::npos);
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
  CHECK(all.out.find("[%rd19];  // swz: ld.shared.b32: 32 wavefronts, ideal 1") != std::string::npos);
}

TEST_CASE("kernel: what cannot be read is said with the way out") {
  const auto error = [](const Words& words, const std::string& input = {}) {
    const CliResult r = kernel(words, input);
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  CHECK(error({"-"}, "hello") == "swz: error: the text is not PTX: it has no .target\n"
                                 "hint: PTX begins with .version and .target; nvcc -ptx or -keep, cuobjdump -ptx and Triton's cache have it\n");
  CHECK(error({"-"}, "\x7f" "ELF\x02\x01").find("this is a cubin or a program: cuobjdump -ptx FILE prints the PTX in it") != std::string::npos);
  const std::string ptx = text_of(mistakes + "wrong_mode.ptx");
  CHECK(error({"-"}, ptx.substr(0, ptx.size() / 2)).find("does not end: its '}' is missing") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--entry", "wrong_mod"}).find("did you mean 'wrong_mode'?") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--line", "1"}).find("the nearest is in line 71") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--set", "r1"}).find("is not a register with its value") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--threads", "2048"}).find("--threads") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--threads", "64,64"}).find("at most 1024 threads, not 4096") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", "--only", "mma,dma"}).find("--only") != std::string::npos);
  CHECK(error({mistakes + "wrong_mode.ptx", mistakes + "wrong_mode.ptx", "--line", "13"}) == "swz: error: --line is about one file, not 2\nhint: give one file\n");
  CHECK(error({"/nowhere.ptx"}).find("cannot open '/nowhere.ptx'") != std::string::npos);
}

}  // namespace
}  // namespace swz
