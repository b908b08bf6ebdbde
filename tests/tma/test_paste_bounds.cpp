// SPDX-License-Identifier: Apache-2.0
// The bounds of the reader of pasted arguments: first and last letter of each range of characters, lengths of lists and
// lines at n and n + 1, numbers at the ends of 32 and 64 bits.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"
#include "tma/failure_text.hpp"
#include "tma/tensor_map.hpp"

using namespace swz;

namespace {

const FailureDialect& dialect(std::string_view program) {
  for (const FailureDialect& row : failure_dialects())
    if (row.program == program) return row;
  FAIL("no such program");
  return failure_dialects().front();
}

// The list after globalDim; "unreadable: ..." with what is shown of one that cannot be read.
std::string dims_read(const std::string& list, std::string_view program = "CUTLASS") {
  const std::string text = "globalDim " + list + "\nboxDim (1)\n";
  for (const FailureBlock& block : find_failure_blocks(text, dialect(program)))
    if (const auto& dims = block.at(FailurePart::dims))
      return dims->is_readable ? dims->text : "unreadable: " + dims->text;
  return "none";
}

std::string block(const std::string& instead = {}, const std::string& with = {}) {
  std::string text =
      "TMA Desc Addr:   0xfffffce54f80\nformat         6\ndim            2\ngmem_address   0x400540000000\n"
      "globalDim      (64,16,1,1,1)\nglobalStrides  (2,4096,0,0,0)\nboxDim         (64,16,1,1,1)\n"
      "elementStrides (1,1,1,1,1)\ninterleave     0\nswizzle        3\nl2Promotion    2\noobFill        0\n";
  if (!instead.empty()) text.replace(text.find(instead), instead.size(), with);
  return text;
}

std::string error_of(const std::string& text) {
  try {
    parse_failure_text(text);
  } catch (const Error& error) {
    return error.message() + " | " + error.hint;
  }
  return "parsed";
}

TensorMap parsed(const std::string& instead, const std::string& with) {
  return parse_failure_text(block(instead, with)).map;
}

std::string code_of(const std::string& text) {
  const auto codes = find_failure_codes(text);
  return codes.empty() ? "none" : std::to_string(codes[0].code);
}

}  // namespace

TEST_CASE("lists in brackets: every character of a number, and its neighbours") {
  for (const char* number :
       {"0", "9", "0xa", "0xf", "0xA", "0xF", "0Xb", "1u", "1U", "1l", "1L", "1'0", "-1", " 1", "\t1"})
    CHECK(dims_read(fmt::format("({},2)", number)) == fmt::format("{},2", number));
  for (const char* wrong : {"/", ":", "g", "G", "@", "`", "w", "y", "Z", ".", "+", "_", "*"}) {
    CAPTURE(wrong);
    CHECK(dims_read(fmt::format("(1{},2)", wrong)) == fmt::format("unreadable: (1{},2)", wrong));
  }
  CHECK(dims_read("[1,2]", "TileLang") == "1,2");
  CHECK(dims_read("{1,2}", "TileLang") == "1,2");
  CHECK(dims_read("(1,2]") == "unreadable: (1,2]");
  CHECK(dims_read("(1,\n2)") == "1,2");
}

TEST_CASE("lists: the longest that is read, and how much is shown of one that is not") {
  const auto list = [](std::size_t length) { return "(" + std::string(length, '1') + ")"; };
  CHECK(dims_read(list(399)).size() == 399);
  CHECK(dims_read(list(400)) == "unreadable: (" + std::string(59, '1'));
  CHECK(dims_read("(1;" + std::string(100, '2')) == "unreadable: (1;" + std::string(57, '2'));
  CHECK(dims_read("(1;23\n4") == "unreadable: (1;23");
  const auto bare = [](std::size_t length) {
    const std::string text = "tmaFormat: 6\nShape: " + std::string(length, '1') + "\n";
    const auto blocks = find_failure_blocks(text, dialect("FlashInfer/TensorRT-LLM"));
    return !blocks.empty() && blocks[0].at(FailurePart::dims)->is_readable;
  };
  CHECK(bare(400));
  CHECK_FALSE(bare(401));
}

TEST_CASE("lists without brackets end with the line, a word or a quote") {
  const auto shape = [](const std::string& list) -> std::string {
    for (const FailureBlock& found :
         find_failure_blocks("Stride: 1\nShape: " + list, dialect("FlashInfer/TensorRT-LLM")))
      if (const auto& dims = found.at(FailurePart::dims)) return dims->is_readable ? dims->text : "unreadable";
    return "none";
  };
  CHECK(shape("64 16 -1\n") == "64 16 -1");
  CHECK(shape("64, 16,2 Stride") == "64 16 2");
  CHECK(shape("64 16\"") == "64 16");
  CHECK(shape("64 16'") == "64 16");
  CHECK(shape("64 0xfF beef") == "64 0xfF");
  CHECK(shape("64 16") == "64 16");
}

TEST_CASE("a word of a program: a blank, ':' or '=' follows it") {
  const auto rank = [](const std::string& line) -> std::string {
    const auto blocks = find_failure_blocks(line + "\nglobalDim (1)\n", dialect("CUTLASS"));
    const auto& value = blocks.at(0).at(FailurePart::rank);
    return value ? value->text : "none";
  };
  for (const char* line : {"dim 2", "dim:2", "dim=2", "dim : 2", "dim\t=\t2", "x dim 2"}) CHECK(rank(line) == "2");
  for (const char* line : {"dim2", "dims 2", "dim;2", "adim 2", "_dim 2", "9dim 2", "Adim 2", "Zdim 2", "zdim 2"})
    CHECK(rank(line) == "none");
  for (const char* ends : {"2)", "2\"", "2'", "2, x", "2; x", "2 x", "2\t"})
    CHECK(rank(std::string("dim ") + ends) == "2");
  for (const char* ends : {"2,x", "2;x", "2.", "2:", "2]", "word"}) CHECK(rank(std::string("dim ") + ends) == "none");
  CHECK(rank("dim (nil)") == "0");
  CHECK(rank("dim NULL") == "0");
  CHECK(rank("dim nullptr") == "0");
  CHECK(rank("dim (null)") == "0");
  CHECK(rank("dim -2") == "-2");
  CHECK(rank("dim +2") == "+2");
}

TEST_CASE("text is cleaned: colours up to their letter, carriage returns, line ends as two characters") {
  for (const char letter : {'a', 'm', 'z', 'A', 'Z', '_'})
    CHECK(clean_failure_text(fmt::format("1\x1b[0;31{}2", letter)) == "12");
  CHECK(clean_failure_text("1\x1b[0@`[{/:2m3") == "13");
  CHECK(clean_failure_text("1\x1b[") == "1");
  CHECK(clean_failure_text("1\x1b") == "1\x1b");
  CHECK(clean_failure_text("1\\n2\\") == "1\n2\\");
  CHECK(clean_failure_text("1\\t") == "1\\t");
  CHECK(clean_failure_text("1\r\n2\r3\r") == "1\n2\n3\n");
}

TEST_CASE("codes: as a number of up to four digits, as a name, as a text; within 400 characters of the phrase") {
  CHECK(code_of("Failed to initialize the TMA descriptor 1") == "1");
  CHECK(code_of("Failed to initialize the TMA descriptor 9999") == "9999");
  CHECK(code_of("Failed to initialize the TMA descriptor 99999") == "none");
  CHECK(code_of("Failed to initialize the TMA descriptor: 700 x") == "700");
  CHECK(code_of("Failed to initialize the TMA descriptor due to invalid argument") == "1");
  CHECK(code_of("TMA descriptor creation failed with error code 715") == "715");
  CHECK(code_of("CUDA driver error: CUDA_ERROR_INVALID_VALUE") == "1");
  CHECK(code_of("CUDA driver error: nothing") == "none");
  CHECK(code_of("CUDA driver error:\n1") == "none");
  const std::string name = "CUDA_ERROR_ILLEGAL_INSTRUCTION";
  CHECK(code_of("CUDA driver error" + std::string(400 - name.size(), '.') + name) == "715");
  CHECK(code_of("CUDA driver error" + std::string(401 - name.size(), '.') + name) == "none");
  const auto codes = find_failure_codes("CUDA driver error 1\nto initialize the TMA descriptor 2\nCUDA driver error 3");
  REQUIRE(codes.size() == 3);
  CHECK(codes[0].code == 1);
  CHECK(codes[1].code == 2);
  CHECK(codes[2].code == 3);
  CHECK(codes[0].at == 0);
  CHECK(codes[1].at == 20);
}

TEST_CASE("a code belongs to the block beside it, not to a neighbour of that block") {
  const std::string whole = block(), half = whole.substr(0, whole.find("boxDim"));
  const auto code = [](const std::string& text) {
    const PastedMap pasted = parse_failure_text(text);
    return pasted.code ? std::to_string(*pasted.code) : "none";
  };
  const auto error = [](int number) {
    return fmt::format("Error: Failed to initialize the TMA descriptor {}\n", number);
  };
  CHECK(code(whole) == "none");
  CHECK(code(whole + error(715)) == "715");
  CHECK(code(error(1) + whole) == "1");
  CHECK(code(error(1) + whole + error(715)) == "715");
  // The chosen one is the whole one after the half.
  CHECK(code(error(1) + half + whole) == "none");
  CHECK(code(error(1) + half + error(700) + whole + whole + error(715)) == "700");
  CHECK(code(half + error(1) + whole + error(700) + whole) == "700");
  CHECK(code(whole + whole + error(715)) == "none");
  CHECK(code(whole + error(1) + whole + error(715)) == "1");
}

TEST_CASE("which of several blocks was taken, and whether they say the same") {
  const auto told = [](const std::string& text) -> std::string {
    for (const Finding& note : parse_failure_text(text).notes)
      if (note.rule == "other-blocks") return note.message;
    return "silent";
  };
  const std::string whole = block(), other = block("boxDim         (64", "boxDim         (32"),
                    half = whole.substr(0, whole.find("boxDim"));
  CHECK(told(whole) == "silent");
  CHECK(told(whole + whole) == "the text has 2 blocks with the same arguments");
  CHECK(told(whole + whole + whole) == "the text has 3 blocks with the same arguments");
  CHECK(told(whole + other) == "the text has 2 blocks that differ; this is the first whole one, number 1");
  CHECK(told(half + other) == "the text has 2 blocks that differ; this is the first whole one, number 2");
  CHECK(told(half + half + whole) == "the text has 3 blocks that differ; this is the first whole one, number 3");
  // Where the tensor map itself lies is no argument.
  CHECK(told(whole + block("0xfffffce54f80", "0xfffffce54fc0")) == "the text has 2 blocks with the same arguments");
}

TEST_CASE("FlashInfer prints five entries of lists that have fewer: reported for ranks 0 to 4") {
  const auto is_told = [](int rank) {
    const std::string text = fmt::format(
        "tmaFormat: 9 dim: {} gmem: 0x400000000000\nShape: 64 16 1 1 1\nStride: 128 2048 2048 2048\n"
        "tileShapes: 64 16 1 1 1\ntileStrides: 1 1 1 1 1\nswizzleType: 3\n",
        rank);
    const PastedMap pasted = parse_failure_text(text);
    CHECK(pasted.map.rank == rank);
    for (const Finding& note : pasted.notes)
      if (note.rule == "beyond-rank")
        return note.message == fmt::format(
                                   "only the first {} entries were read: what FlashInfer/TensorRT-LLM prints after "
                                   "them lies beyond its arrays",
                                   rank);
    return false;
  };
  for (const int rank : {0, 1, 2, 3, 4}) CHECK(is_told(rank));
  for (const int rank : {-1, 5, 6}) CHECK_FALSE(is_told(rank));
}

TEST_CASE("numbers at the ends of 32 and 64 bits") {
  CHECK(error_of(block()) == "parsed");
  const std::string dim = "dim            2\n", type = "swizzle        3";
  CHECK(parsed(type, "swizzle 2147483647").swizzle == TensorMapSwizzle{2147483647});
  CHECK(parsed(type, "swizzle 4294967295").swizzle == TensorMapSwizzle{-1});
  CHECK(parsed(type, "swizzle -1").swizzle == TensorMapSwizzle{-1});
  CHECK(parsed(type, "swizzle -2147483648").swizzle == TensorMapSwizzle{-2147483647 - 1});
  CHECK(error_of(block(type, "swizzle 4294967296")).find("4294967296") != std::string::npos);
  CHECK(error_of(block(type, "swizzle -2147483649")).find("32 bits") != std::string::npos);
  const std::string address = "0x400540000000";
  CHECK(parsed(address, "18446744073709551615").global_address == UINT64_MAX);
  CHECK(parsed(address, "-1").global_address == UINT64_MAX);
  CHECK(parsed(address, "-9223372036854775808").global_address == std::uint64_t{1} << 63);
  CHECK(error_of(block(address, "-9223372036854775809")).find("64 bits") != std::string::npos);
  CHECK(error_of(block(address, "18446744073709551616")).find("64 bits") != std::string::npos);
  CHECK(parsed(type, "swizzle CU_TENSOR_MAP_SWIZZLE_64B").swizzle == TensorMapSwizzle::b64);
  CHECK(parsed(type, "swizzle 0x2").swizzle == TensorMapSwizzle::b64);
  CHECK(parsed(dim, "dim            0\n").rank == 0);
  // As many entries as the rank has, and one fewer.
  CHECK(error_of(block("(64,16,1,1,1)", "(64,16)")) == "parsed");
  CHECK(error_of(block("(64,16,1,1,1)", "(64)")).find("globalDim has 1 entry; of rank 2 it has 2") == 0);
  CHECK(error_of(block("(2,4096,0,0,0)", "(2,4096)")) == "parsed");
  CHECK(error_of(block("(2,4096,0,0,0)", "(2)")).find("globalStrides") == 0);
  CHECK(error_of(block("(64,16,1,1,1)", "(64,,1,1,1)")).find("globalDim: an entry of '64,,1,1,1' is empty") == 0);
  CHECK(error_of(block("(64,16,1,1,1)", "(64,16,)")).find("globalDim: an entry") == 0);
}

TEST_CASE("where the tensor map itself lies: multiples of 64 are silent") {
  const auto notes = [](const std::string& address) {
    int count = 0;
    for (const Finding& note : parse_failure_text(block("0xfffffce54f80", address)).notes)
      count += note.rule == "tensor-map-64";
    return count;
  };
  for (const char* aligned : {"0x0", "0x40", "0xfffffce54fc0"}) CHECK(notes(aligned) == 0);
  for (const char* other : {"0x1", "0x20", "0x3f", "0x41", "0xfffffce54fe0"}) CHECK(notes(other) == 1);
}

TEST_CASE("entry 0 of the strides: as many entries as the driver reads, one more, and the wrong size") {
  const auto told = [](const std::string& strides) {
    const PastedMap pasted = parse_failure_text(block("(2,4096,0,0,0)", strides));
    return fmt::format("{} {}", pasted.map.strides[0], pasted.notes.empty() ? "" : pasted.notes[0].message);
  };
  CHECK(told("(2,4096)").find("4096 entry 0 of globalStrides is the element's size in bytes, 2") == 0);
  CHECK(told("(4096)").find("4096 globalStrides has as many entries") == 0);
  CHECK(told("(4,4096)").find("4096 entry 0 of globalStrides is 4, which is not") == 0);
}

TEST_CASE("DeepGEMM: the sizes of elements and the swizzles that there are") {
  const auto line = [](int span, const std::string& base, int size) {
    return fmt::format(
        "Making TMA desc: global memory: 64 16, shared memory: 64 16, outer stride: 64, swizzle: {}{}, "
        "elem size: {}\nCUDA driver error: 1\n",
        span, base, size);
  };
  using enum TensorMapDataType;
  for (const auto& [size, type] : {std::pair{1, uint8}, {2, bfloat16}, {4, float32}, {8, float64}}) {
    const TensorMap map = parse_failure_text(line(128, "", size)).map;
    CHECK(map.data_type == type);
    CHECK(map.strides[0] == static_cast<std::uint64_t>(64 * size));
  }
  for (const int size : {0, 3, 5, 6, 7, 9, 16}) CHECK(error_of(line(128, "", size)).find("elem size") == 0);
  using enum TensorMapSwizzle;
  const auto swizzle = [&](int span, const std::string& base) {
    return parse_failure_text(line(span, base, 2)).map.swizzle;
  };
  CHECK(swizzle(0, "") == none);
  CHECK(swizzle(16, "") == none);
  CHECK(swizzle(32, "") == b32);
  CHECK(swizzle(64, "") == b64);
  CHECK(swizzle(128, "") == b128);
  CHECK(swizzle(128, " (base: 0)") == b128);
  CHECK(swizzle(128, " (base: 16)") == b128);
  CHECK(swizzle(128, " (base: 32)") == b128_atom_32);
  CHECK(swizzle(64, " (base: 16)") == b64);
  for (const int span : {1, 15, 17, 31, 33, 63, 65, 127, 129, 256})
    CHECK(error_of(line(span, "", 2)).find("swizzle: ") == 0);
  for (const char* base : {" (base: 1)", " (base: 15)", " (base: 17)", " (base: 31)", " (base: 33)", " (base: 64)"})
    CHECK(error_of(line(128, base, 2)).find("swizzle: 128 with base ") == 0);
  CHECK(error_of(line(64, " (base: 32)", 2)).find("swizzle: 64 with base 32") == 0);
}

TEST_CASE("bytes of a tensor map: first and last digit of each range, 40 and 41 digits, 127 to 129 bytes") {
  const std::string rest(250, '0');
  const auto first_byte = [&](const std::string& digits) {
    return parse_tensor_map(digits + rest + "0000").words[0] & 255;
  };
  for (const auto& [digits, value] : {std::pair{"09", 9},
                                      {"90", 0x90},
                                      {"0a", 10},
                                      {"0f", 15},
                                      {"a0", 0xa0},
                                      {"f9", 0xf9},
                                      {"0A", 10},
                                      {"0F", 15},
                                      {"F0", 0xf0},
                                      {"fF", 0xff}})
    CHECK(first_byte(digits) == static_cast<std::uint64_t>(value));
  for (const char* wrong : {"0/", "/0", "0:", ":0", "0`", "0g", "g0", "0@", "0G", "G0"}) {
    CAPTURE(wrong);
    if (std::string(wrong).find(':') == std::string::npos) CHECK_THROWS_AS(first_byte(wrong), Error);
  }
  const auto told = [](const std::string& text) -> std::string {
    try {
      parse_tensor_map(text);
    } catch (const Error& error) {
      return error.message();
    }
    return "parsed";
  };
  CHECK(told(std::string(254, '0')).find("127 bytes") == 0);
  CHECK(told(std::string(256, '0')) == "parsed");
  CHECK(told(std::string(258, '0')).find("more than 128 bytes") == 0);
  CHECK(told(std::string(256, '0') + "\n" + std::string(2, '0')).find("more than 128 bytes") == 0);
  // A word of a debugger has its highest byte first.
  CHECK(parse_tensor_map("0x0102030405060708 " + std::string(240, '0')).words[0] == 0x0102030405060708);
  CHECK(parse_tensor_map("0X01020304 " + std::string(248, '0')).words[0] == 0x01020304);
  CHECK(parse_tensor_map("01020304 " + std::string(248, '0')).words[0] == 0x04030201);
  CHECK(parse_tensor_map("<map+16>: " + std::string(256, '1')).words[15] == 0x1111111111111111);
  CHECK(looks_like_tensor_map(std::string(41, 'a')));
  CHECK_FALSE(looks_like_tensor_map(std::string(40, 'a')));
  CHECK_FALSE(looks_like_tensor_map(std::string(200, 'g')));
  CHECK(holds_tensor_map(std::string(256, '0')));
  CHECK_FALSE(holds_tensor_map(std::string(255, '0')));
}
