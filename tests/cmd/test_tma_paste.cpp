// SPDX-License-Identifier: Apache-2.0
// swz tma check --paste and --code, and swz decode @FILE, as commands; what a block means is judged in tests/tma.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "answers.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

std::string posted(const std::string& name) {
  return std::string(SWZ_SOURCE_DIR) + "/tests/data/tma_failures/" + name + ".txt";
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A file that is gone with the test.
class File {
 public:
  explicit File(const std::string& text) {
    std::ofstream file(path_, std::ios::binary);
    file << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / ("swz_test_" + std::to_string(getpid()));
};

CliResult with_input(const Words& words, const std::string& input) { return run_cli(words, {}, input); }

const char* const words_1[] = {"0x4000004000010042", "0x4000004000010044"};

std::string tensor_map_hex() {
  return json_of({"tma", "encode", "--dtype", "bf16", "--dims", "4096,8192", "--strides", "8192", "--box", "64,128",
                  "--swizzle", "128B"})["tensor_map"];
}

}  // namespace

TEST_CASE("paste: the reference cases of issue 6, text at 80 columns") {
  const CliResult r = run_cli({"tma", "check", "--paste", posted("vllm_13961")}, {.variables = {{"COLUMNS", "80"}}});
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  CHECK(r.out == R"(verdict         accepted on sm_90a
returned        715 CUDA_ERROR_ILLEGAL_INSTRUCTION
printed by      CUTLASS
tensorDataType  CU_TENSOR_MAP_DATA_TYPE_FLOAT16
tensorRank      4
globalAddress   0x400540000000
globalDim       64, 16, 32, 23434
globalStrides   4096, 128, 65536  B
boxDim          64, 192, 1, 1
elementStrides  1, 1, 1, 1
interleave      CU_TENSOR_MAP_INTERLEAVE_NONE
swizzle         CU_TENSOR_MAP_SWIZZLE_128B
l2Promotion     CU_TENSOR_MAP_L2_PROMOTION_L2_128B
oobFill         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE

note: an earlier kernel crashed and every later call returns its error: the
  code says nothing about these arguments; they are legal
  hint: find that kernel: CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer

note: boxDim[1] = 192 is larger than globalDim[1] = 16: accepted; a load fills
  the rest and counts it on the mbarrier, a store leaves it out
note: globalStrides[1] = 128 B is less than the 65536 B that dimension 1
  covers: entries overlap or the dimensions are not in the order of their
  strides

note: entry 0 of globalStrides is the element's size in bytes, 2: the driver
  reads the entries behind it
)");
  const nlohmann::json strides = json_of({"tma", "check", "--paste", posted("flashinfer_2232")}, 1);
  CHECK(strides["violations"][0]["argument"] == "strides[1]");
  CHECK(strides["violations"][0]["value"] == 2);
  CHECK(strides["code"]["name"] == "CUDA_ERROR_INVALID_VALUE");
  CHECK(json_of({"tma", "check", "--paste", posted("recsys_86")}, 1)["violations"][0]["argument"] == "dims[1]");
}

TEST_CASE("paste: JSON of a block") {
  const nlohmann::json json = json_of({"tma", "check", "--paste", posted("soulx_9")});
  CHECK(json["accepted"] == true);
  CHECK(json["code"]["value"] == 999);
  CHECK(json["code"]["name"] == "CUDA_ERROR_UNKNOWN");
  CHECK(json["paste"]["program"] == "CUTLASS");
  CHECK(json["paste"]["blocks"] == 2);
  CHECK(json["paste"]["notes"][1]["rule"] == "other-blocks");
  CHECK(json_of({"tma", "check", "--paste", posted("deepgemm")}, 1)["address"] == 0);
  CHECK(run_cli({"tma", "check", "--paste", posted("deepgemm")}).out.find("globalAddress   not printed\n") !=
        std::string::npos);
}

TEST_CASE("paste: a block of cuTensorMapEncodeIm2col") {
  const nlohmann::json json = json_of({"tma", "check", "--paste", posted("tilelang_im2col")}, 1);
  CHECK(json["kind"] == "im2col");
  CHECK(json["lower"] == nlohmann::json{-1, -1});
  CHECK(json["violations"][0]["argument"] == "channels");
  CHECK(json["code"]["value"] == 1);
  CHECK(json["paste"]["program"] == "TileLang");
}

TEST_CASE("paste: from standard input, with and without '-', and as a value of several lines") {
  const std::string text = contents(posted("vllm_13961"));
  const CliResult file = run_cli({"tma", "check", "--paste", posted("vllm_13961"), "-f", "json"});
  CHECK(with_input({"tma", "check", "--paste", "-f", "json"}, text).out == file.out);
  CHECK(with_input({"tma", "check", "-f", "json", "--paste"}, text).out == file.out);
  CHECK(with_input({"tma", "check", "--paste", "-", "-f", "json"}, text).out == file.out);
  CHECK(with_input({"tma", "check", "--paste=-", "-f", "json"}, text).out == file.out);
  CHECK(with_input({"tma", "check", "--paste", "--", "-f"}, text).exit_code == 2);
  CHECK(run_cli({"tma", "check", "--paste", text, "-f", "json"}).out == file.out);
  // A line of a batch has no standard input of its own: the next lines are there.
  const CliResult batch = with_input(
      {"batch", "-"}, "tma check --paste\n" + Json(Words{"tma", "check", "--paste", text}).dump() + "\ndecode @-\n");
  const std::size_t second = batch.out.find('\n') + 1;
  CHECK(batch.out.substr(0, second) ==
        "{\"exit\":2,\"error\":{\"message\":\"a batch line cannot read standard input, which holds the next lines\","
        "\"hint\":\"name a file, or put the text itself into the line\"}}\n");
  CHECK(batch.out.substr(second).starts_with("{\"exit\":0,\"result\":{\"verdict\":\"error\",\"accepted\":true"));
  CHECK(batch.out.rfind("a batch line cannot read standard input") > second);
}

TEST_CASE("paste: a target that has the type, unless one is named") {
  const nlohmann::json judged = json_of({"tma", "check", "--paste", posted("fp4_in_docker")});
  CHECK(judged["arch"] == "sm_100a");
  CHECK(judged["paste"]["notes"].back()["rule"] == "target");
  CHECK(json_of({"tma", "check", "--paste", posted("fp4_in_docker"), "--arch", "sm_90a"}, 1)["accepted"] == false);
  CHECK(json_of({"tma", "check", "--paste", posted("vllm_13961")})["arch"] == "sm_90a");
}

TEST_CASE("paste: what cannot be judged") {
  const Words paste{"tma", "check", "--paste"};
  CHECK(error_of({"tma", "check", "--box", "8", "--paste", posted("soulx_9")}) ==
        "swz: error: --paste and --box cannot be combined\n"
        "hint: only --arch and --code can be combined with --paste\n");
  CHECK(error_of({"tma", "check", "--paste", posted("cppmega_half")}) ==
        "swz: error: the block has no elementStrides, interleave, swizzle, l2Promotion and oobFill: it is half "
        "pasted\n"
        "hint: paste everything from 'TMA Desc Addr' to 'oobFill'\n");
  CHECK(error_of({"tma", "check", "--paste", "/nonexistent"}) ==
        "swz: error: cannot open '/nonexistent': No such file or directory\n"
        "hint: a file with what was printed, or - for standard input\n");
  CHECK(error_of({"tma", "check", "--paste", "/"}) == "swz: error: cannot read '/': Is a directory\n");
  CHECK(error_of({"tma", "check", "--paste", "/dev/zero"}) ==
        "swz: error: '/dev/zero' is larger than 64 KiB, the limit of the block that was printed, or the call "
        "in source code\n"
        "hint: give the part that matters\n");
  CHECK(error_of({"tma", "check", "--paste", std::string("a\0b", 3)}).find("holds a NUL byte") != std::string::npos);
  CHECK(error_of(paste).find("swz: error: nothing was pasted\n") == 0);
  CHECK(error_of({"tma", "check", "--paste", "a", "b"}).find("swz: error: unexpected argument 'b'") == 0);
}

TEST_CASE("code: beside arguments, over the one of a block, and what is not a code") {
  const Words legal{"tma", "check", "--dims", "64,64", "--strides", "128", "--box", "64,64", "--code"};
  const auto code = [&](const std::string& value) {
    Words words = legal;
    words.push_back(value);
    return words;
  };
  CHECK(json_of(code("715"))["code"]["name"] == "CUDA_ERROR_ILLEGAL_INSTRUCTION");
  CHECK(json_of(code("CUDA_ERROR_LAUNCH_FAILED"))["code"]["value"] == 719);
  CHECK(json_of(code("1234"))["code"]["name"].is_null());
  CHECK(json_of(code("0"))["code"]["message"] == "the call succeeded, as these arguments should");
  CHECK(json_of({"tma", "check", "--dims", "64", "--strides", "", "--box", "64"})["code"].is_null());
  CHECK(json_of({"tma", "check", "--paste", posted("vllm_13961"), "--code", "1"})["code"]["value"] == 1);
  CHECK(run_cli(code("1")).out.find("note: the driver refused arguments that break no rule") != std::string::npos);
  CHECK(error_of(code("-1")) ==
        "swz: error: --code: '-1' is not a CUresult\n"
        "hint: the number that the call returned, or its name: 715, CUDA_ERROR_ILLEGAL_INSTRUCTION\n");
}

TEST_CASE("decode @FILE: a tensor map in every form, words one in each line") {
  const std::string hex = tensor_map_hex();
  const std::string expected = run_cli({"decode", hex, "-f", "json"}).out;
  std::string giant;  // x/16gx
  const nlohmann::json words = json_of({"tma", "encode", "--dtype", "bf16", "--dims", "4096,8192", "--strides", "8192",
                                        "--box", "64,128", "--swizzle", "128B"})["words"];
  for (std::size_t i = 0; i < 16; ++i)
    giant += (i % 2 == 0 ? "0x7fffffffd" + std::to_string(i) + "00:\t" : "\t") + words[i].get<std::string>() +
             (i % 2 == 1 ? "\n" : "");
  std::string lone;
  for (std::size_t i = 0; i < 16; ++i) lone += words[i].get<std::string>() + "\n";
  for (const std::string& text : {hex, hex + "\n", giant, lone}) {
    CAPTURE(text);
    const File file(text);
    CHECK(run_cli({"decode", "@" + file.path(), "-f", "json"}).out == expected);
    CHECK(with_input({"decode", "@-", "-f", "json"}, text).out == expected);
  }
  const std::string two = std::string(words_1[0]) + "  # operand a\n\n" + words_1[1] + "\r\n";
  const CliResult given = run_cli({"decode", words_1[0], words_1[1]});
  CHECK(with_input({"decode", "@-"}, two).out == given.out);
  CHECK(with_input({"decode", words_1[0], "@-"}, words_1[1]).out == given.out);
  CHECK(with_input({"decode", "@-"}, two + words_1[0] + "\n").exit_code == 0);  // 48 digits, yet words
  CHECK(with_input({"decode", "--as", "idesc", "@-"}, "0x08200490\n").exit_code == 0);
}

TEST_CASE("decode @FILE: what cannot be read") {
  const std::string hex = tensor_map_hex();
  const auto error = [](const std::string& text) { return with_input({"decode", "@-"}, text).err; };
  CHECK(error(hex.substr(2)) ==
        "swz: error: 127 bytes; a tensor map has 128\n"
        "hint: 256 hexadecimal digits, or x/16gx of its address in cuda-gdb\n");
  CHECK(error(hex + "00").find("swz: error: more than 128 bytes") == 0);
  for (const std::string none : {"", "# nothing\n", "0xzz"})
    CHECK(error(none) ==
          "swz: error: standard input holds no descriptor word\n"
          "hint: one word per line, a debugger's log, or a tensor map\n");
  CHECK(error_of({"decode", "@/nonexistent"}) ==
        "swz: error: cannot open '/nonexistent': No such file or directory\n"
        "hint: prefix a file name with @, or give @- for standard input\n");
  CHECK(error_of({"decode", "@/"}) == "swz: error: cannot read '/': Is a directory\n");
  CHECK(error_of({"decode", "@/dev/zero"}).find("is larger than 8192 KiB") != std::string::npos);
  CHECK(with_input({"decode", "0x42", "@-"}, hex).err.find("swz: error: a tensor map must be the only argument\n") ==
        0);
}

}  // namespace swz
