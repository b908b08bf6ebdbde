// SPDX-License-Identifier: Apache-2.0
// How much a terminal of 80 columns shows of a usual question: the answer, its drawing and its lints; --full and a pipe
// show all of it.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "run_cli.hpp"
#include "words.hpp"

using namespace swz;

namespace {

std::string on_terminal(const std::string& line, const char* more = nullptr) {
  Environment environment;
  environment.out_is_terminal = true;
  environment.terminal_width = 80;
  environment.variables = {{"NO_COLOR", "1"}};
  Words words = words_of_line(line);
  if (more != nullptr) words.emplace_back(more);
  return run_cli(words, environment).out;
}

struct Budget {
  const char* line;
  std::ptrdiff_t lines;
};

constexpr Budget budgets[] = {
    {"decode 0x4000004000010042", 16},
    {"decode 0x4000004000000042 --arch sm_100a", 16},
    {"decode --as idesc --kind f16 0x08200490", 16},
    {"decode 0x4000004000010040 0x4000004000010050", 14},
    {"decode 0x4000004000010040 0x4000004000010042", 14},
    {"banks --dtype f32 --layout '(32,32):(32,1)' --access 'ld.shared.b32 columns'", 26},
    {"banks --dtype bf16 --layout '(64,64):(64,1)' --access ldmatrix.x4", 26},
    {"banks --dtype bf16 --tile 128x64 --swizzle 128B --access ldmatrix.x4", 26},
    {"tmem plan --n 128 --region S=0+128 --region P=64+64 --region O=256+128 --allocate 512", 22},
    {"tmem plan --kind mxf8f6f4 --n 256 --stages 2", 22},
    {"tmem plan --kind mxf4nvf4 --vec 16 --m 128 --n 256 --k 256 --stages 2", 22},
    {"tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first", 35},
    {"tma plan --dtype bf16 --tile 128x128 --swizzle 128B", 35}};

}  // namespace

TEST_CASE("usual questions have short answers, with the verdict in the second line") {
  for (const Budget& budget : budgets) {
    CAPTURE(std::string(budget.line));
    const std::string text = on_terminal(budget.line);
    CHECK(std::ranges::count(text, '\n') <= budget.lines);
    const std::string second = text.substr(text.find('\n') + 1, 10);
    CHECK((second.starts_with("verdict") || second.starts_with("wavefronts") || second.starts_with("fits") ||
           second.starts_with("plan")));
  }
}

TEST_CASE("a short text of a fragment shows its registers, the values are in the whole text") {
  for (const Budget& budget : {Budget{"frag mma.m16n8k16 --dtype bf16", 47},
                               {"frag wgmma.m64n64k16 --operand d", 40},
                               {"frag tcgen05.ld.16x256b.x4", 45},
                               {"frag ldmatrix.x4", 40}}) {
    CAPTURE(std::string(budget.line));
    CHECK(std::ranges::count(on_terminal(budget.line), '\n') <= budget.lines);
  }
  const char* line = "frag mma.m16n8k16 --dtype bf16 --operand a";
  CHECK(on_terminal(line).find("T28 a0") != std::string::npos);
  CHECK(on_terminal(line, "--full").find("T28 V1") != std::string::npos);
}

TEST_CASE("what repeats is said once, as in the picture") {
  const char* lint = "swizzle lint 'row*64 + ((col/8) ^ (row%8))*8 + col%8' --rows 128 --cols 64 --dtype f16";
  for (const Budget& budget : {Budget{"layout 'K_SW128<bf16>'", 18},
                               {"sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256", 30},
                               {"sparse --kind f16 --metadata 0x44e49c84", 13},
                               {lint, 28}}) {
    CAPTURE(std::string(budget.line));
    CHECK(std::ranges::count(on_terminal(budget.line), '\n') <= budget.lines);
  }
  // Of an expression that is no mode the nearest is to be found.
  CHECK(on_terminal("swizzle lint 'addr ^ ((addr & 0x380) >> 4)' --bytes 1024").find("the hardware") !=
        std::string::npos);
  const std::string words =
      on_terminal("tma encode --dtype bf16 --dims 8192,4096 --strides 16384 --box 64,128 --swizzle 128B");
  CHECK(words.find("    4  0x00000fff00001fff  dims[1] 4096, dims[0] 8192\n") != std::string::npos);
  CHECK(words.find("10-15  0                   not used\n") != std::string::npos);
}

TEST_CASE("a row of the swizzle modes is one line, and what is measured is said once") {
  const std::string text = on_terminal("arch swizzle");
  for (const char* line :
       {"\n128B          1        2    3  Sw<3,4,3>   128     16      8  1024     1024\n",
        "\n128B_32B      -        1    4  Sw<2,5,2>   128     32      4   512      512\n",
        "\n128B      SW128, B128, SWIZZLE_128B\n", "\nmeasured: none, 32B, 64B, 128B (H200; PTX ISA 9.1, 9.7.15.5.1)\n",
        "\ndocumented: 128B_32B (PTX ISA 9.1, 9.7.16.4.1; CUTLASS mma_sm100_desc.hpp)\n"})
    CHECK_MESSAGE(text.find(line) != std::string::npos, line);
}

TEST_CASE("names of fields that would be a staircase are a list") {
  CHECK(on_terminal("sparse --kind f16 --metadata 0x44e49c84") ==
        "metadata 0x44e49c84, 32 bits, kind f16\n"
        "31    27    23    19    15    11    7     3\n"
        "0100  0100  1110  0100  1001  1100  1000  0100\n"
        "28-31  0100  chunk 7 0,1   16-19  0100  chunk 4 0,1     4-7  1000  chunk 1 0,2\n"
        "24-27  0100  chunk 6 0,1   12-15  1001  chunk 3 1,2     0-3  0100  chunk 0 0,1\n"
        "20-23  1110  chunk 5 2,3    8-11  1100  chunk 2 0,3\n");
  CHECK(on_terminal("decode --as idesc --kind f16 0x08200490")
            .find("\n24-28  01000   M 128         13  0       -A             2  0       sparse\n") !=
        std::string::npos);
  // Two lines of names stay under their fields.
  CHECK(on_terminal("decode 0x4000004000010042").find("┬─") != std::string::npos);
}

TEST_CASE("what a short text leaves out is in --full and in a pipe") {
  struct Left {
    const char *line, *text;
  };
  for (const Left& left :
       {Left{"decode 0x4000004000010042", "where the operand starts in shared memory"},
        {"decode 0x4000004000010042", "LBO (16 B) is ignored in mode 128B"},
        {"decode 0x4000004000000042 --arch sm_100a", "source: PTX ISA"},
        {"decode 0x4000004000010040 0x4000004000010050", "lint[start-off-pattern]"},
        {"decode 0x4000004000010040 0x4000004000010050", "word 2 is then 0x4000004000010042"},
        {"banks --tile 128x64 --access ldmatrix.x4", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
        {"banks --dtype f32 --layout '(32,32):(32,1)' --access 'ld.shared.b32 columns'", "collides with lanes"},
        {"tmem plan --n 128", "a square is 4 columns of 128 lanes"},
        {"tmem plan --n 128", "evidence"},
        {"layout 'K_SW128<bf16>'", "505 506 507"},
        {"sparse --kind f16 --metadata 0x44e49c84", "elements kept"},
        {"swizzle lint 'row*64 + ((col/8) ^ (row%8))*8 + col%8' --rows 128 --cols 64 --dtype f16",
         "against the hardware"}}) {
    CAPTURE(std::string(left.line));
    CAPTURE(std::string(left.text));
    CHECK(on_terminal(left.line).find(left.text) == std::string::npos);
    // Lines may be wrapped.
    std::string full = on_terminal(left.line, "--full");
    const std::string piped = run_cli(words_of_line(left.line)).out;
    CHECK(full.find(std::string(left.text).substr(0, 20)) != std::string::npos);
    CHECK(piped.find(left.text) != std::string::npos);
  }
}

TEST_CASE("banks: --counters shows the counters of Nsight Compute in a short text") {
  const std::string line = "banks --tile 128x64 --access ldmatrix.x4";
  const std::string text = on_terminal(line, "--counters");
  CHECK(text.find("in Nsight Compute") != std::string::npos);
  CHECK(text.find("collides with lanes") == std::string::npos);
  CHECK(on_terminal(line).find("Nsight") == std::string::npos);
}

TEST_CASE("open questions and evidence are short on a terminal, and whole with --full") {
  const std::string sparse = "sparse --kind f16 --at 0,0";
  const std::string text = on_terminal(sparse);
  CHECK(
      text.ends_with("open           sparsity selectors 2 and 3 of kinds tf32 and f16: here not used:\n"
                     "               selector is column & 1, the address even (CUTLASS, JAX)\n"
                     "evidence       reported, not measured; where: --full\n"));
  const std::string whole = on_terminal(sparse, "--full");
  for (const char* part : {"or\n               column & 3", "open\n               until 'swz verify' has measured it",
                           "evidence       JAX test_mma_sparse, compares D with numpy's on a Blackwell;"})
    CHECK_MESSAGE(whole.find(part) != std::string::npos, part);
  const std::string story = "story --arch sm_100a --kind f8f6f4 --dtype e2m1 --tile 128x128";
  CHECK(on_terminal(story).ends_with("\nopen      tx-bytes and padded-swizzle; --full says what\n"));
  CHECK(on_terminal(story, "--full").find("padded-swizzle: the swizzles of tensor maps") != std::string::npos);
}

TEST_CASE("a CTA of a pair that shares no operand has its rows, not a slice") {
  const std::string text = on_terminal("cluster --shape 2x1 --cta-group 2 --tile 256x256x256 --kind mxf4nvf4");
  CHECK(
      text.ends_with("rank  (x, y)  leader  A             at  mask  B             at  mask  release\n"
                     "   0  (0, 0)       0  rows 0-127    +0   0x1  rows 0-127    +0   0x1      0x3\n"
                     "   1  (1, 0)       0  rows 128-255  +0   0x2  rows 128-255  +0   0x2      0x3\n"));
}
