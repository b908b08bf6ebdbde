// swz kernel as a command: transcripts, the JSON contract, one site, PTX with comments, what cannot be read.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include "base/text.hpp"
#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const std::string mistakes = SWZ_SOURCE_DIR "/tests/ptx/mistakes/";
const std::string real = SWZ_SOURCE_DIR "/tests/data/ptx/";

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

Parsed kernel_json(Words words, const std::string& input = {}) {
  words.insert(words.end(), {"-f", "json"});
  const CliResult r = kernel(words, input);
  CHECK(r.err.empty());
  return Parsed::parse(r.out);
}


std::set<std::string> keys_of(const Parsed& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST_CASE("kernel: the verdict first, the worst access with its lanes and the swizzle that mends it") {
  // Lane l stores at 64*l: even lanes in bank 0, odd ones in bank 16, 16 words each. Bits 6 to 10 of the address must reach
  // bits 2 to 6, and bit 6 is a bank bit already: Sw<5,2,5> moves bits 7 to 11, of which 7 to 10 tell 16 lanes apart.
  const CliResult r = kernel({"-"}, small_ptx);
  CHECK(r.exit_code == 0);
  CHECK(r.out == R"(small  sm_90a, 32 threads
verdict        1 finding
bank-conflict  line 13: st.shared.b32 takes 16 wavefronts a warp where 1 would do
               swz swizzle find looks for a swizzle, a pitch with padding is the other way
does           2 accesses to shared memory
shared         s: 2048 B, on 16 B

accesses to shared memory: 1 with conflicts, 1 without, 0 not known
place    access         wavefronts  ideal  proof  address
line 13  st.shared.b32          16      1  all    s + 64*%tid.x
1 more without conflicts
)");
}

TEST_CASE("kernel: JSON has an entry for each site, with the keys of its contract") {
  const Parsed answer = kernel_json({"-"}, small_ptx);
  REQUIRE(answer["kernels"].size() == 1);
  const Parsed& one = answer["kernels"][0];
  CHECK(keys_of(one) == std::set<std::string>{"name", "target", "threads", "shared", "mma", "smem", "tma", "tmem", "findings"});
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

TEST_CASE("kernel: an MMA's operand has its word, its start and what its bits say") {
  const Parsed answer = kernel_json({mistakes + "swapped_strides_right.ptx"});
  const Parsed& mma = answer["kernels"][0]["mma"];
  REQUIRE(mma.size() == 4);
  for (std::size_t i = 0; i < mma.size(); ++i) {
    const Parsed& a = mma[i]["a"];
    for (const char* key : {"in", "major", "word", "known_bits", "start", "leading_byte_offset", "stride_byte_offset", "base_offset", "swizzle"})
      CHECK(a.contains(key));
    CHECK(mma[i]["mma"] == "m64n64k16");
    CHECK(a["in"] == "smem");
    CHECK(a["major"] == "K");
    CHECK(a["stride_byte_offset"] == 1024);  // 8 rows of 128 B
    CHECK(a["swizzle"] == "128B");
    CHECK(a["start"]["offset"] == 32 * i);  // k16 of two bytes
    CHECK(a["start"]["alignment"].get<int>() == (i == 0 ? 1024 : i == 2 ? 64 : 32));
  }
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

TEST_CASE("kernel: --only, --entry, --threads and --set") {
  const Parsed mma = kernel_json({real + "matmul_desc_f16_k16_sm100.ptx", "--only", "mma,tma"})["kernels"][0];
  CHECK(mma["mma"].size() == 2);
  CHECK(mma["tma"].size() == 9);
  CHECK(mma["smem"].empty());
  CHECK(mma["tmem"].empty());
  const std::string two = std::string(small_ptx) + ".entry other() { ret; }\n";
  CHECK(kernel_json({"-"}, two)["kernels"].size() == 2);
  CHECK(kernel_json({"-", "--entry", "other"}, two)["kernels"][0]["name"] == "other");
  CHECK(kernel_json({"-", "--threads", "16,2"}, small_ptx)["kernels"][0]["threads"].dump() == "[16,2,1]");
  // All lanes store at 64*3 where %r1 holds 3.
  CHECK(kernel_json({"-", "--set", "%r1=3"}, small_ptx)["kernels"][0]["smem"][0]["wavefronts"] == 1);
}

TEST_CASE("kernel: --annotate gives the PTX back with comments alone") {
  const CliResult r = kernel({"-", "--annotate"}, small_ptx);
  CHECK(r.exit_code == 0);
  std::string plain;
  for (const std::string& line : split(r.out, '\n')) plain += line.substr(0, line.find("  // swz: ")) + "\n";
  plain.pop_back();
  CHECK(plain == small_ptx);
  CHECK(r.out.find("st.shared.u32 [%r4], %r1;  // swz: st.shared.b32: 16 wavefronts, ideal 1 (all), at s + 64*%tid.x\n") != std::string::npos);
  // What was annotated can be read again, and says the same.
  CHECK(kernel({"-", "-f", "json"}, r.out).out == kernel({"-", "-f", "json"}, small_ptx).out);
}

TEST_CASE("kernel: --strict ends with 1 where a lint is found") {
  CHECK(kernel({mistakes + "unpadded_transposition.ptx", "--strict"}).exit_code == 1);
  CHECK(kernel({mistakes + "unpadded_transposition_right.ptx", "--strict"}).exit_code == 0);
  CHECK(kernel({mistakes + "wrong_mode.ptx", "--strict"}).exit_code == 1);
  CHECK(kernel({mistakes + "wrong_mode_right.ptx", "--strict"}).exit_code == 0);
}

TEST_CASE("kernel: what cannot be read is said with the way out") {
  const auto error_of = [](Words words, const std::string& input) {
    const CliResult r = kernel(words, input);
    CHECK(r.exit_code == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  CHECK(error_of({"none.ptx"}, "") ==
        "swz: error: cannot open 'none.ptx': No such file or directory\nhint: FILE is a text of PTX; - is standard input\n");
  CHECK(error_of({"-"}, "int main() {}\n").starts_with("swz: error: the text is not PTX: it has no .target\nhint: PTX begins with"));
  CHECK(error_of({"-"}, std::string("\x7f" "ELF\2\1\1", 7) + std::string(64, '\0')) ==
        "swz: error: the text is not PTX: it has no .target\n"
        "hint: this is a cubin or a program: cuobjdump -ptx FILE prints the PTX in it\n");
  const std::string cut = std::string(small_ptx).substr(0, 300);
  CHECK(error_of({"-"}, cut).starts_with("swz: error: "));
  CHECK(error_of({"-", "--entry", "smal"}, small_ptx) == "swz: error: no kernel is called 'smal'\nhint: did you mean 'small'?\n");
  CHECK(error_of({"-", "--set", "r12"}, small_ptx) == "swz: error: --set: 'r12' is not a register with its value\nhint: for example %r12=3\n");
  CHECK(error_of({"-", "--threads", "64,64"}, small_ptx) ==
        "swz: error: --threads: a block has at most 1024 threads, not 4096\nhint: 128, or x,y,z: 16,8,1\n");
  CHECK(error_of({"-", "--only", "wgmma"}, small_ptx).starts_with("swz: error: unknown value 'wgmma' for --only\n"));
  CHECK(error_of({"-", "-", "--line", "13"}, small_ptx) == "swz: error: --line is about one file, not 2\nhint: give one file\n");
}

}  // namespace
}  // namespace swz
