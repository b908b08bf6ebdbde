// SPDX-License-Identifier: Apache-2.0
// Pasted blocks: those that people posted (tests/data/tma_failures), their damage, and what is no block.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "tma/failure_text.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

namespace {

std::string posted(const std::string& name) {
  std::ifstream file(std::string(SWZ_SOURCE_DIR) + "/tests/data/tma_failures/" + name + ".txt", std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string error_of(const std::string& text) {
  try {
    parse_failure_text(text);
  } catch (const Error& error) {
    return error.message();
  }
  return "parsed";
}

std::string without(std::string text, const std::string& part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.erase(at, part.size());
}

std::string with(std::string text, const std::string& part, const std::string& instead) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), instead);
}

bool has_note(const PastedMap& pasted, std::string_view rule) {
  for (const Finding& note : pasted.notes)
    if (note.rule == rule) return true;
  return false;
}

const Target& hopper() { return require_target("sm_90a"); }

TensorMap vllm_map() {
  return {.data_type = TensorMapDataType::float16,
          .rank = 4,
          .global_address = 0x400540000000,
          .dims = {64, 16, 32, 23434},
          .strides = {4096, 128, 65536},
          .box = {64, 192, 1, 1},
          .swizzle = TensorMapSwizzle::b128,
          .l2_promotion = TensorMapL2Promotion::b128};
}

}  // namespace

TEST_CASE("CUTLASS: entry 0 of the strides goes, what lies beyond the rank is not read") {
  const PastedMap pasted = parse_failure_text(posted("vllm_13961"));
  CHECK(pasted.map == vllm_map());
  CHECK(pasted.program == "CUTLASS");
  CHECK(pasted.code == 715);
  CHECK(pasted.blocks == 1);
  REQUIRE(pasted.notes.size() == 1);
  CHECK(pasted.notes[0].message ==
        "entry 0 of globalStrides is the element's size in bytes, 2: the driver reads the entries behind it");
  CHECK(is_accepted(pasted.map, hopper()));
}

TEST_CASE("posted blocks: the verdict, the argument, the code") {
  const struct {
    const char* name;
    const char* program;
    const char* broken;  // the argument of the first violation; empty: legal
    std::uint64_t value;
    int code;
    int blocks;
  } rows[] = {
      {"soulx_9", "CUTLASS", "", 0, 999, 2},
      {"cutlass_947", "CUTLASS", "", 0, 1, 1},
      {"flashinfer_2150", "CUTLASS", "strides[0]", 2, 1, 2},
      {"flashinfer_2232", "FlashInfer/TensorRT-LLM", "strides[1]", 2, 1, 1},
      {"flashinfer_2274", "FlashInfer/TensorRT-LLM", "", 0, 700, 1},
      {"sglang_13775", "FlashInfer/TensorRT-LLM", "strides[2]", 2305843007066210304, 1, 2},
      {"recsys_86", "CUTLASS", "dims[1]", 0, 1, 1},
      {"flashmla_zero", "CUTLASS", "dims[2]", 0, 1, 2},
      {"tilelang_1931", "TileLang", "strides[0]", 6932, 1, 1},
      {"thunderkittens", "ThunderKittens", "", 0, 719, 1},
      {"deepgemm", "DeepGEMM", "strides[0]", 14340, 1, 2},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const PastedMap pasted = parse_failure_text(posted(row.name));
    CHECK(pasted.program == row.program);
    CHECK(pasted.code == row.code);
    CHECK(pasted.blocks == row.blocks);
    const std::vector<TensorMapViolation> broken = violations(pasted.map, hopper());
    CHECK(broken.size() == (row.broken[0] == '\0' ? 0 : 1));
    if (broken.empty()) continue;
    CHECK(broken[0].argument == row.broken);
    CHECK(broken[0].value == row.value);
  }
}

TEST_CASE("FlashInfer: rubbish beyond the rank, and what it passes without printing it") {
  const PastedMap pasted = parse_failure_text(posted("flashinfer_2232"));
  CHECK(pasted.map == TensorMap{.data_type = TensorMapDataType::bfloat16,
                                .rank = 4,
                                .global_address = 0xf64d740000,
                                .dims = {64, 16, 1, 7721128},
                                .strides = {128, 2, 4096},
                                .box = {64, 16, 1, 1},
                                .swizzle = TensorMapSwizzle::b128,
                                .l2_promotion = TensorMapL2Promotion::b128});
  CHECK(has_note(pasted, "beyond-rank"));
  CHECK(has_note(pasted, "not-printed"));
  const TensorMapViolation broken = violations(parse_failure_text(posted("sglang_13775")).map, hopper())[0];
  CHECK(broken.message.find("32-bit product that overflowed") != std::string::npos);
}

TEST_CASE("TileLang: names after numbers, both kinds of strides, a tensor map that is not aligned") {
  const std::string text = posted("tilelang_1931");
  const PastedMap pasted = parse_failure_text(text);
  CHECK(pasted.map.strides[0] == 6932);
  CHECK(pasted.map.dims == std::array<std::uint64_t, 5>{1733, 128, 0, 0, 0});
  CHECK(has_note(pasted, "tensor-map-64"));
  CHECK(pasted.map == parse_failure_text(without(text, "cudaGlobalStrides [6932]\n")).map);
  CHECK(pasted.map == parse_failure_text(without(text, "globalStridesRaw [4, 6932]\n")).map);
  // Lines of its own findings name arguments, too.
  const std::string findings =
      "  [1] effective cuda globalStrides[0] (raw globalStride[1] = 6932) must be\n"
      "  [2] globalDim[0] must be non-zero\n  [3] boxDim[0] must be <= 256, but got 300\n";
  CHECK(pasted.map == parse_failure_text(findings + text).map);
}

TEST_CASE("DeepGEMM: strides in elements, swizzle in bytes, the last map before the error") {
  const std::string text = posted("deepgemm");
  const PastedMap pasted = parse_failure_text(text);
  CHECK(pasted.map.strides[0] == 7170 * 2);
  CHECK(pasted.map.swizzle == TensorMapSwizzle::b128);
  CHECK(pasted.map.l2_promotion == TensorMapL2Promotion::b256);
  CHECK_FALSE(pasted.has_address);
  const std::string first = text.substr(0, text.find('\n'));
  CHECK(parse_failure_text(first).map.data_type == TensorMapDataType::uint8);
  CHECK(parse_failure_text(first + "\nCUDA driver error: 1\n" + text).map.strides[0] == 4096);
  CHECK(error_of(with(first, "swizzle: 128", "swizzle: 48")) == "swizzle: 48 bytes is not a swizzle of TMA");
  CHECK(error_of(with(first, "elem size: 1", "elem size: 3")) == "elem size: no element has 3 bytes");
  const PastedMap three = parse_failure_text(
      "Making 3D TMA desc: global memory: 64 128 8, shared memory: 64 128 1, outer stride: 64 8192, swizzle: 0, "
      "elem size: 4");
  CHECK(three.map.rank == 3);
  CHECK(three.map.strides[1] == 32768);
}

TEST_CASE("a log around the block does no harm") {
  const std::string text = posted("vllm_13961");
  std::string prefixed, colored, escaped, spaced, braces, dos;
  for (const char c : text) {
    if (prefixed.empty() || prefixed.back() == '\n') prefixed += "(Worker_TP0 pid=17) [rank0] 12:00:01 dim ";
    prefixed += c;
    colored += c == '\n' ? "\x1b[0m\n\x1b[31;1m" : std::string(1, c);
    escaped += c == '\n' ? "\\n" : std::string(1, c);
    if (c != ' ' || spaced.empty() || spaced.back() != ' ') spaced += c;
    braces += c == '(' ? '{' : c == ')' ? '}' : c == ',' ? ' ' : c;
    dos += c == '\n' ? "\r\n" : std::string(1, c);
  }
  const std::string wrapped = with(text, "(2,4096,128,65536,0)", "(2,4096,12\n8,65536,0)");
  const std::string in_one_line = with(escaped, "format", "format");
  for (const std::string& other : {prefixed, colored, escaped, spaced, braces, dos, wrapped, in_one_line,
                                   "dim 7\nswizzle 1\n" + text.substr(text.find("format")),
                                   "dim 7\nhead_dim 128, format json, swizzle 2\n" + text + "dim 9\nswizzle x\n" + text,
                                   "\xff\xfe" + text + std::string(3, '\0')}) {
    CAPTURE(other);
    const PastedMap pasted = parse_failure_text(other);
    CHECK(pasted.map == vllm_map());
    CHECK(pasted.code == 715);
  }
}

TEST_CASE("hexadecimal, negative and wide numbers, names of enums, null pointers") {
  const std::string text = posted("vllm_13961");
  CHECK(parse_failure_text(with(text, "(64,192,1,1,1)", "(0x40, 0xC0, 1, 1, 1)")).map == vllm_map());
  CHECK(parse_failure_text(with(text, "swizzle        3", "swizzle        CU_TENSOR_MAP_SWIZZLE_128B")).map ==
        vllm_map());
  CHECK(parse_failure_text(with(text, "0x400540000000", "(nil)")).map.global_address == 0);
  CHECK(parse_failure_text(with(text, "4096,", "-2147483648,")).map.strides[0] == 18446744071562067968U);
  CHECK(error_of(with(text, "4096,", "99999999999999999999,")) ==
        "globalStrides: '99999999999999999999' does not fit in 64 bits");
  CHECK(error_of(with(text, "4096,", "-9223372036854775809,")) ==
        "globalStrides: '-9223372036854775809' does not fit in 64 bits");
  CHECK(error_of(with(text, "format         6", "format         4294967302")) ==
        "format = 4294967302 does not fit in 32 bits");
  CHECK(parse_failure_text(with(text, "format         6", "format         4294967295")).map.data_type ==
        TensorMapDataType{-1});
}

TEST_CASE("rank 0 and 6 are judged, a rank that the lists do not have is named") {
  const std::string text = posted("vllm_13961");
  for (const char* rank : {"0", "6", "-1", "4294967295"}) {
    CAPTURE(rank);
    const PastedMap pasted = parse_failure_text(with(text, "dim            4", fmt::format("dim {}", rank)));
    const std::vector<TensorMapViolation> broken = violations(pasted.map, hopper());
    REQUIRE(!broken.empty());
    CHECK(broken[0].rule == "rank-range");
  }
  CHECK(error_of(with(text, "(64,16,32,23434,1)", "(64,16,32)")) == "globalDim has 3 entries; of rank 4 it has 4");
  CHECK(error_of(with(text, "(2,4096,128,65536,0)", "(2,4096)")) == "globalStrides has 1 entry; of rank 4 it has 3");
  CHECK(error_of(with(text, "(64,16,32,23434,1)", "(64,,16,32,1)")) == "globalDim: an entry of '64,,16,32,1' is empty");
}

TEST_CASE("entry 0 of the strides that is not the element's size") {
  const std::string text = posted("vllm_13961");
  const PastedMap odd = parse_failure_text(with(text, "(2,4096", "(1,4096"));
  CHECK(odd.map == vllm_map());
  CHECK(odd.notes[0].message ==
        "entry 0 of globalStrides is 1, which is not the element's size; it was ignored anyway: CUTLASS passes the "
        "entries after it");
  CHECK(parse_failure_text(with(text, "(2,4096,128,65536,0)", "(4096,128,65536)")).map == vllm_map());
  // Of half a byte CUTLASS prints 0.
  const PastedMap packed = parse_failure_text(posted("fp4_in_docker"));
  CHECK(packed.map.data_type == TensorMapDataType::u4_align8);
  CHECK(packed.map.strides[0] == 2560);
  CHECK(packed.notes[0].message ==
        "entry 0 of globalStrides is the element's size in bytes, 0: the driver reads the entries behind it");
  CHECK(packed.code == 2);
  CHECK(is_accepted(packed.map, require_target("sm_100a")));
}

TEST_CASE("half a block: every line that is missing is named") {
  const std::string text = posted("vllm_13961");
  for (const char* word : {"format", "dim", "gmem_address", "globalDim", "globalStrides", "boxDim", "elementStrides",
                           "interleave", "swizzle", "l2Promotion", "oobFill"}) {
    CAPTURE(word);
    const std::size_t at = text.find("\n" + std::string(word)) + 1;
    const std::string rest = text.substr(0, at) + text.substr(text.find('\n', at) + 1);
    CHECK(error_of(rest) == fmt::format("the block has no {}: it is half pasted", word));
  }
  CHECK(error_of(posted("cppmega_half")) ==
        "the block has no elementStrides, interleave, swizzle, l2Promotion and oobFill: it is half pasted");
  for (std::size_t length = 0; length < text.find("oobFill        0") + 16; ++length)
    CHECK(error_of(text.substr(0, length)) != "parsed");
}

TEST_CASE("a block of cuTensorMapEncodeIm2col: corners, channels and pixels in the place of a box") {
  const std::string text = posted("tilelang_im2col");
  const PastedMap pasted = parse_failure_text(text);
  REQUIRE(pasted.im2col.has_value());
  CHECK(pasted.im2col->tensor == pasted.map);
  CHECK(pasted.map.strides == std::array<std::uint64_t, 4>{256, 2048, 16384, 0});
  CHECK(pasted.im2col->lower_corner == std::array<std::int64_t, 3>{-1, -1, 0});
  CHECK(pasted.im2col->upper_corner == std::array<std::int64_t, 3>{-1, -1, 0});
  CHECK(pasted.im2col->channels_per_pixel == 128);
  CHECK(pasted.im2col->pixels_per_column == 16);
  CHECK(violations(*pasted.im2col, hopper()).size() == 1);
  CHECK(violations(parse_failure_text(with(text, "channel 128", "channel 64")).im2col.value(), hopper()).empty());
  CHECK(error_of(posted("tilelang_2578_im2col")) ==
        "the block has no gmem_address, pixelBoxLowerCorner, pixelBoxUpperCorner and globalStrides: it is half "
        "pasted");
  CHECK(error_of(with(text, "pixelBoxLowerCorner  [-1, -1]", "pixelBoxLowerCorner  [-1]")) ==
        "pixelBoxLowerCorner has 1 entry; of rank 4 it has 2");
  CHECK(error_of(without(text, "smem_box_pixel 16\n")) == "the block has no smem_box_pixel: it is half pasted");
  CHECK_FALSE(parse_failure_text(posted("tilelang_1931")).im2col.has_value());
}

TEST_CASE("what is no block of tiled arguments") {
  CHECK(error_of("") == "nothing was pasted");
  CHECK(error_of(" \r\n\t") == "nothing was pasted");
  CHECK(error_of("Segmentation fault (core dumped)") == "no arguments of cuTensorMapEncodeTiled are in this text");
  CHECK(error_of("Error: Failed to initialize the TMA descriptor 999") ==
        "the text has the code 999 (CUDA_ERROR_UNKNOWN) but no arguments");
  CHECK(error_of(posted("recsys_86_mixed")) == "gmem_address cannot be read: ',2,0'");
  CHECK(error_of(posted("kernelbench_pointers")) ==
        "globalDim is 0x7fc24e6b5e40: the program printed where the array lies, not what it holds");
}

TEST_CASE("of several blocks the first whole one, with its own code") {
  const std::string one = posted("vllm_13961"), other = posted("recsys_86");
  const PastedMap both = parse_failure_text(one + other);
  CHECK(both.map == vllm_map());
  CHECK(both.code == 715);
  CHECK(both.blocks == 2);
  CHECK(has_note(both, "other-blocks"));
  CHECK(parse_failure_text(other + one).code == 1);
  const std::string earlier = "Error: Failed to initialize the TMA descriptor 1\n";
  CHECK(parse_failure_text(earlier + one).code == 715);
  CHECK(parse_failure_text(earlier + one.substr(0, one.find("Error:"))).code == 1);
  CHECK(parse_failure_text(one.substr(one.size() / 2) + other).map.dims[1] == 0);
  CHECK(parse_failure_text(one + one).notes.back().message == "the text has 2 blocks with the same arguments");
  const std::string tile = posted("tilelang_1931");
  CHECK(
      parse_failure_text(with(tile, "descriptor 1", "descriptor 700 (CUDA_ERROR_ILLEGAL_ADDRESS: x)\n") + tile).code ==
      700);
}

TEST_CASE("long texts without a block take no time") {
  for (const char* part : {"globalDim ", "globalDim (", "dim 1 ", "globalDim 0x", "TMA descriptor creation ",
                           "(nil) dim", "globalDim 1 ", "\x1b[", "gmem_address   "}) {
    CAPTURE(part);
    std::string text;
    while (text.size() < 300000) text += part;
    CHECK(error_of(text) != "parsed");
  }
}
