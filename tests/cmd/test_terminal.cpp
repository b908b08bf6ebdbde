// SPDX-License-Identifier: Apache-2.0
// What every command prints on a terminal: nothing is wider than it, and --brief prints only the answer.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <span>

#include "render/display.hpp"
#include "run_cli.hpp"
#include "words.hpp"

using namespace swz;

namespace {

// What may be wider, since what is copied from it must work: lines of an answer that hold a command line to go on
// with, or the text of a layout; answers that are one line of JSON, and answers that are source code.
constexpr std::string_view wide_lines[] = {
    "swz place --dtype",  "swz desc --arch", "swz tma plan --arch",       "#ttg.", "Layout(", "shared_layout(",
    "tensor_map(swizzle", "{offset = ",      "cute.make_composed_layout("};
constexpr std::string_view wide_answers[] = {"-f json", "--emit", "--make"};

bool holds_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// The command lines of the program's help, of a shell without a pipe.
std::vector<std::string> example_lines() {
  std::vector<std::string> lines;
  for (const Command& command : commands())
    for (const Example& example : command.examples)
      if (!command.name.starts_with("skills") && example.line.starts_with("swz ") &&
          example.line.find(" | ") == std::string_view::npos && example.line.find(" -o ") == std::string_view::npos)
        lines.emplace_back(example.line.substr(4));
  return lines;
}

// And those that were too wide once.
std::vector<std::string> lines_to_measure() {
  std::vector<std::string> lines = example_lines();
  for (const Command& command : commands()) lines.push_back("help " + std::string(command.name));
  for (const char* more : {"", "help", "arch dtype", "arch tma", "arch lints", "frag --list", "banks --access list",
                           "layout '(8,8):(8,1)' '(8,8):(1,8)'",
                           "layout 'Sw<3,4,3> o smem_ptr[16b](unset) o (64,64):(64,1)' '(64,64):(64,1)'",
                           "tiles --tile 128x128x64 --mma m64n128k16", "decode --as idesc --kind mxf4 0x08200480",
                           "frag wgmma.m64n128k16", "frag mma.m16n8k16 --all", "map 0x4000004000010042 --all",
                           "banks --layout '(32,32):(32,1)' --dtype f32 --access transpose --all"})
    lines.emplace_back(more);
  return lines;
}

std::vector<std::string> seen_lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') i = std::min(text.find_first_of("mK", i), text.size());
    else if (text[i] == '\n' || text[i] == '\r') lines.emplace_back();
    else lines.back() += text[i];
  }
  return lines;
}

Environment terminal(int width) {
  Environment environment;
  environment.out_is_terminal = environment.err_is_terminal = true;
  environment.terminal_width = width;
  return environment;
}

// Or reads a long recording.
bool asks_a_gpu(std::string_view line) {
  return line.starts_with("verify") && line.find("list") == std::string_view::npos;
}

std::string brief(const std::string& line) {
  Words words = words_of_line(line);
  words.emplace_back("--brief");
  return run_cli(words).out;
}

}  // namespace

TEST_CASE("nothing is wider than the terminal") {
  std::size_t measured = 0;
  for (const std::string& line : lines_to_measure()) {
    if (asks_a_gpu(line) || holds_one_of(line, wide_answers)) continue;
    for (const int width : {80, 100, 140}) {
      const CliResult r = run_once(words_of_line(line), terminal(width));
      for (const std::string& text : {r.out, r.err})
        for (const std::string& seen : seen_lines(text)) {
          if (display_width(seen) <= width || holds_one_of(seen, wide_lines)) continue;
          CAPTURE(line);
          CAPTURE(width);
          FAIL_CHECK(seen);
        }
      ++measured;
    }
  }
  CHECK(measured > 200);
}

TEST_CASE("in a file a table is as wide as a page, and whole") {
  const CliResult r = run_once({"arch"});
  for (const std::string& line : seen_lines(r.out)) CHECK(display_width(line) <= 160);
  CHECK(r.out.find("more rows") == std::string::npos);
}

TEST_CASE("--all is another name of --full, and where a command has its own of that name, it is that") {
  const Words table{"frag", "--list"};
  const auto with = [&](const char* option) { return run_once({"frag", "--list", option}, terminal(100)).out; };
  CHECK(run_once(table, terminal(100)).out.find("--full shows them") != std::string::npos);
  CHECK(with("--all") == with("--full"));
  CHECK(with("--all").find("more rows") == std::string::npos);
  CHECK(run_once({"layout", "8:1", "--all", "--rows", "0:4"}).exit_code == 2);
  CHECK(run_once({"help", "frag"}).out.find("--all") == std::string::npos);
  CHECK(run_once({"help", "verify"}).out.find("--all") != std::string::npos);
}

TEST_CASE("--brief of every command: only the answer") {
  const std::map<std::string, std::string> expected{
      {"decode 0x4000004000010042",
       "start_address 1056 B\nleading_byte_offset 16 B\nstride_byte_offset 1024 B\nbase_offset 0 lines\nswizzle "
       "128B\n"},
      {"decode 0x4000004000010040 0x4000004000010042", "start_address 1024 B 1056 B\n"},
      {"encode smem --start 0x420 --lbo 16 --sbo 1024 --swizzle 128B", "0x4000004000010042\n"},
      {"encode idesc --kind f16 --a-type bf16 --b-type bf16 --d-type f32 --m 128 --n 256", "0x08400490\n"},
      {"desc --dtype f16 --tile 64x32 --swizzle 64B --base 0x400", "0x8000002000010040\n0x8000002000010042\n"},
      {"map 0x4000004000010042 --arch sm_90a --mma m64n16k16 --operand a", "bytes 2048\nlowest 1056\nhighest 9183\n"},
      {"map 0x4000004000010042 --against '--tile 128x64 --swizzle 128B --base 0x400'", "yes\n"},
      {"phase --swizzle 64B --base 0x680", "aligned no\nphase_bytes 128\nbelow 1536\nabove 2048\n"},
      {"layout '(8,64):(64,1)'", "layout (8,64):(64,1)\nsize 512\ncosize 512\n"},
      {"layout 'complement(4:2, 24)'", "layout (2,3):(1,8)\nsize 6\ncosize 18\n"},
      {"layout '8:1' '8:1'", "yes\n"},
      {"diff '(8,8):(8,1)' '64:1'", "no\n"},
      {"place --layout '(64,64):(64,1)' --dtype bf16", "layout (64,64):(64,1)\nbegin 0\nend 8192\n"},
      {"banks --dtype bf16 --tile 128x64 --swizzle 128B", "wavefronts 128\nideal 128\n"},
      {"banks --access ld.shared.b128 --lanes 0,16,32,48,1024",
       "wavefronts 2\nideal 1\nlint[bank-conflict]: ld.shared.b128: 2 wavefronts where 1 would do, 2-way\n"},
      {"choose --dtype bf16 --tile 64x32 --major k", "64B\n"},
      {"swizzle explain 3,4,3", "swizzle Sw<3,4,3>\nc_expression addr ^ ((addr & 0x380) >> 3)\nmode 128B\n"},
      {"swizzle find --dtype f16 --tile 64x64 --reads ldmatrix.x4",
       "swizzle Sw<3,4,3>\nc_expression addr ^ ((addr & 0x380) >> 3)\nwavefronts 64\nideal 64\n"},
      {"swizzle lint 'addr ^ ((addr >> 3) & 0x70)'", "equals 128B\ninjective yes\n"},
      {"frag ldmatrix.x4.trans", "((4,8),(2,4)):((2,32),(1,8))\n"},
      {"frag mma.m16n8k8 --dtype bf16",
       "a ((4,8),(2,2)):((32,1),(16,8))\nb ((4,8),2):((16,1),8)\nc ((4,8),(2,2)):((32,1),(16,8))\n"
       "d ((4,8),(2,2)):((32,1),(16,8))\n"},
      {"tiles --tile 256x256x64 --mma m128n256k16 --arch sm_100a", "8\n"},
      {"tma check --dtype f16 --dims 128,2,4096 --strides 128,2 --box 64,2,1",
       "no\nlint[stride-16]: globalStrides[1] = 2 B is not a multiple of 16\n"},
      {"tma place --dtype bf16 --box 16,8 --swizzle 64B", "rows 8\nrow_bytes 32\npitch 64\nexpect_bytes 256\n"},
      {"tma plan --dtype bf16 --tile 64x32 --swizzle 32B --order k-first", "16\n"},
      {"arch swizzle", "none\n32B\n64B\n128B\n128B_32B\n"}};
  for (const auto& pair : expected) {
    CAPTURE(pair.first);
    CHECK(brief(pair.first) == pair.second);
  }
}

TEST_CASE("--brief: no answer is a page long unless a table is asked for; JSON and the exit code stay") {
  for (const std::string& line : example_lines()) {
    if (asks_a_gpu(line) || line.starts_with("arch") || holds_one_of(line, wide_answers) ||
        line.find("list") != std::string::npos)
      continue;
    CAPTURE(line);
    const std::vector<std::string> lines = seen_lines(brief(line));
    CHECK(lines.size() <= 24);
    Words words = words_of_line(line);
    const CliResult plain = run_once(words);
    words.emplace_back("--brief");
    CHECK(run_once(words).exit_code == plain.exit_code);
    words.insert(words.end(), {"-f", "json"});
    const std::string json = run_once(words).out;
    words.erase(words.end() - 3);
    CHECK(run_once(words).out == json);
  }
}
