// SPDX-License-Identifier: Apache-2.0
// A text without a command: which command reads it, and that no command that reads it too is left unsaid.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "base/random.hpp"
#include "base/text.hpp"
#include "cmd/answers.hpp"
#include "cmd/scratch.hpp"
#include "dialect/dialect.hpp"
#include "dialect/random_forms.hpp"
#include "sweep.hpp"
#include "words.hpp"

using namespace swz;

namespace {

using Told = std::set<std::string>;

// "decode" of "swz decode 0x42"; "swizzle lint" of "swz swizzle lint 'addr'".
std::string command_in(const std::string& line) {
  std::string best;
  for (const Command& command : commands())
    if (line.starts_with(fmt::format("swz {} ", command.name)) && command.name.size() > best.size())
      best = command.name;
  return best;
}

// What the door says: the command first, and all that it names; of an error those in its hint.
struct Door {
  int exit_code = 0;
  std::string taken;
  Told told;
};

Door door(const Words& words, const std::string& input = {}) {
  Words asked = words;
  asked.insert(asked.begin(), {"-f", "json"});
  const CliResult r = run_once(asked, {}, input);
  Door out{r.exit_code, "", {}};
  if (r.exit_code <= 1) {
    const auto json = nlohmann::json::parse(r.out);
    REQUIRE(json.contains("command"));
    CHECK(json.contains("answer"));
    out.taken = command_in(json["command"]);
    for (const auto& other : json["others"]) out.told.insert(command_in(other["command"]));
  } else {
    const std::string hint = nlohmann::json::parse(r.err)["error"]["hint"];
    for (std::size_t at = hint.find("read as: "); at != std::string::npos && out.taken.empty();)
      out.taken = command_in(hint.substr(at + 9));
    for (std::size_t at = hint.find("; or: "); at != std::string::npos; at = hint.find("; or: ", at + 1))
      out.told.insert(command_in(hint.substr(at + 6)));
  }
  if (!out.taken.empty()) out.told.insert(out.taken);
  return out;
}

// The commands that answer only the text, by what they read in it. Layouts are read alike by several.
Told readers(const std::string& text) {
  const auto answers = [&](Words words) {
    words.push_back(text);
    words.insert(words.begin(), {"-f", "json"});
    words.insert(words.end() - 1, "--");
    return run_once(words).exit_code <= 1;
  };
  Told out;
  if (answers({"decode"})) out.insert("decode");
  // A constant is an expression too, and no address.
  const bool has_name = std::ranges::any_of(std::array{"addr", "row", "col", "return"},
                                            [&](const char* name) { return text.find(name) != std::string::npos; });
  if (has_name && answers({"swizzle", "lint"})) out.insert("swizzle lint");
  const bool is_number = text.find_first_not_of("-0123456789abcdefxABCDEFX'uUlL ") == std::string::npos;
  const bool is_layout = !is_number && (answers({"translate"}) || answers({"layout"}));
  if (is_layout) out.insert("translate");
  else if (answers({"frag"})) out.insert("frag");
  if (!is_layout && answers({"swizzle", "explain"})) out.insert("swizzle explain");
  return out;
}

bool is_told(const std::string& reader, const Told& told) {
  return told.contains(reader) ||
         (reader == "translate" && (told.contains("layout") || told.contains("swizzle explain")));
}

// The law; `what` says it when it is broken.
std::string broken_law(const std::string& text) {
  const Door said = door({"--", text});
  if (said.exit_code > 2) return "exit code";
  for (const std::string& reader : readers(text))
    if (!is_told(reader, said.told))
      return fmt::format("{} reads it too; taken {}, exit {}", reader, said.taken, said.exit_code);
  return "";
}

const std::string triton = "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>";
const std::string call =
    "cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, ptr, dims, strides, box, ones, "
    "CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, "
    "CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE); dims = {4096, 128}; strides = {8192}; box = {64, 64}; ones = {1, 1};";

struct Kind {
  std::string text, command;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"0x4000004000010042", "decode"},
      {"4000004000010042", "decode"},
      {"4611686293305360450", "decode"},
      {"-4611685743548137472", "decode"},
      {"$3 = -4611685743548137472", "decode"},
      {"0x08400490", "decode"},
      {"{lo = 65602, hi = 1073741888}", "decode"},
      {"0x7ffe0a00: 0x4000004000010040 0x4000004000010042", "decode"},
      {"(8,64):(64,1)", "translate"},
      {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "translate"},
      {"K_SW128<bf16>", "translate"},
      {"st_bf<64,64>", "translate"},
      {triton, "translate"},
      {"logical_divide(24:3, 4:2)", "translate"},
      {"ldmatrix.x4.trans", "frag"},
      {"mma.m16n8k16", "frag"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 1;", "frag"},
      {"@P0 HMMA.16816.F32.BF16 R4, R8, R12, R4 ;", "frag"},
      {"MMA_Atom<SM80_16x8x16_F32BF16BF16F32_TN>", "frag"},
      {"LDSM.16.MT88.4 R4, [R2]", "frag"},
      {"tcgen05.ld.16x256b.x4", "frag"},
      {"ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];", "banks"},
      {"LDS.128 R4, [R2]", "banks"},
      {"atom.shared.add.u32", "banks"},
      {call, "tma check"},
      {"addr ^ ((addr >> 3) & 0x70)", "swizzle lint"},
      {"i ^ ((i >> 4) & 7)", "swizzle lint"},
      {"row*64 + (col ^ (row & 7) * 8)", "swizzle lint"},
      {"r*64 + (((c>>3) ^ (r&7))<<3 | (c&7))", "swizzle lint"},
      {"uint32_t f(uint32_t a) { return a ^ ((a >> 3) & 0x70); }", "swizzle lint"},
      {"3,4,3", "swizzle explain"},
      {"_3,_4,_3", "swizzle explain"},
      {"Sw<3,4,3>", "swizzle explain"},
      {"Swizzle<3,4,3>", "swizzle explain"},
      {"128B", "swizzle explain"},
      {"SWIZZLE_64B", "swizzle explain"},
  };
  return all;
}

std::string mutated(std::string text, Random& random) {
  static const std::string letters = "0123456789abcdefxo:,()<>{}[]=^&|+-*/ ._#%@;'\"";
  for (std::int64_t edits = 1 + random.below(4); edits > 0; --edits) {
    const auto at = static_cast<std::size_t>(random.below(std::ssize(text) + 1));
    const char letter = random.of(letters);
    switch (random.below(5)) {
      case 0: text.insert(at, 1, letter); break;
      case 1: text.erase(at, static_cast<std::size_t>(1 + random.below(3))); break;
      case 2:
        if (at < text.size()) text[at] = letter;
        break;
      case 3:
        text = text.substr(0, at) + random.of(kinds()).text.substr(0, static_cast<std::size_t>(random.below(30)));
        break;
      default: text.resize(at);
    }
  }
  return text;
}

}  // namespace

TEST_CASE("each kind of text is read by the command for it, which is said first") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.text);
    CHECK(door({"--", kind.text}).taken == kind.command);
    const CliResult r = run_cli({kind.text.starts_with("--") ? "--" : kind.text});
    if (r.exit_code > 1) continue;
    CHECK(r.out.starts_with(fmt::format("read as: swz {} ", kind.command)));
  }
  const CliResult r = run_cli({"0x4000004000010042"});
  CHECK(r.exit_code == 0);
  CHECK(r.out == "read as: swz decode 0x4000004000010042\n" + run_once({"decode", "0x4000004000010042"}).out);
}

TEST_CASE("JSON has the line, the others that fit, and the command's own answer") {
  const auto json = json_of({"(8,64):(64,1)"});
  CHECK(json["command"] == "swz translate '(8,64):(64,1)' -f json");
  CHECK(json["read_as"] == "a layout");
  CHECK(json["others"][0]["command"] == "swz layout '(8,64):(64,1)' -f json");
  CHECK(json["answer"] == json_of({"translate", "(8,64):(64,1)"}));
}

TEST_CASE("options go to the command that is taken, and say which it is if only one knows them") {
  CHECK(json_of({"--arch", "sm_100a", "0x4000404000010042"})["answer"] ==
        json_of({"decode", "0x4000404000010042", "--arch", "sm_100a"}));
  CHECK(door({"(8,64):(64,1)", "--dtype", "bf16"}).taken == "translate");
  CHECK(door({"(8,64):(64,1)", "--table"}).taken == "layout");
  CHECK(door({"row*64 + (col ^ (row & 7) * 8)", "--shape", "64x64"}).taken == "translate");
  CHECK(door({"row*64 + (col ^ (row & 7) * 8)", "--rows", "64", "--cols", "64"}).taken == "swizzle lint");
  CHECK(run_cli({"0x4000004000010042", "--brief"}).out ==
        "swz decode 0x4000004000010042 --brief\n" + run_once({"decode", "0x4000004000010042", "--brief"}).out);
}

TEST_CASE("several words: each by itself, or one text that the shell took apart") {
  CHECK(json_of({"0x4000004000010040", "0x4000004000010042"})["answer"] ==
        json_of({"decode", "0x4000004000010040", "0x4000004000010042"}));
  CHECK(door({"addr", "^", "((addr", ">>", "3)", "&", "0x70)"}).taken == "swizzle lint");
  CHECK(json_of({"Sw<3,4,3>", "o", "0", "o", "(64,64):(64,1)"})["answer"] ==
        json_of({"translate", "Sw<3,4,3> o 0 o (64,64):(64,1)"}));
}

TEST_CASE("files: by their name, after @, and standard input") {
  const std::string data = SWZ_SOURCE_DIR "/tests/data/";
  CHECK(door({data + "cuda_gdb.log"}).taken == "decode");
  CHECK(door({"@" + data + "cuda_gdb.log"}).taken == "decode");
  CHECK(door({data + "ptx/transpose_b16_sm90.ptx"}).taken == "kernel");
  CHECK(door({data + "dumps/examine.txt", "--tile", "8x64"}).taken == "identify");
  for (const char* dash : {"-", "@-"}) {
    CHECK(door({dash}, "0x4000004000010042\n").taken == "decode");
    CHECK(door({dash}, "(8,64):(64,1)\n").taken == "translate");
    CHECK(door({dash}, call + "\n").taken == "tma check");
  }
  std::ifstream file(data + "ptx/softmax_1024_sm90.ptx");
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  CHECK(door({"-"}, ptx).taken == "kernel");
  CHECK(door({ptx}).taken == "kernel");
  CHECK(error_of({"@no_such_file"}) ==
        "swz: error: cannot open 'no_such_file': No such file or directory\n"
        "hint: @FILE names a file, @- is standard input; 'swz help' shows how to ask\n");
  const ScratchFolder scratch;
  const std::string cubin = scratch.file("a.cubin", std::string("\x7f"
                                                                "ELF\x02\x01\x01",
                                                                7));
  CHECK(error_of({cubin}).find("no compiled kernel is in it that swz can read") != std::string::npos);
  CHECK(door({data + "binary/all.fatbin"}).taken == "kernel");
  CHECK(door({data + "binary/deflated.whl"}).taken == "kernel");
}

TEST_CASE("what nothing reads: all that was tried, each with its reason; a single word is a misspelt command") {
  CHECK(error_of({"no", "such", "(text"}).starts_with("swz: error: unknown command 'no'"));
  const std::string tried = error_of({"%%%"});
  CHECK(
      tried.starts_with("swz: error: swz does not know what '%%%' is\nhint: 'swz help' shows how to ask. swz tried "
                        "these, and none fits:\n"));
  for (const char* command :
       {"decode", "translate", "frag", "kernel", "identify", "tma check", "swizzle lint", "layout"})
    CHECK(tried.find(fmt::format("(swz {}): ", command)) != std::string::npos);
  CHECK(error_of({"decod"}) == "swz: error: unknown command 'decod'\nhint: did you mean 'decode'? see 'swz --help'\n");
  CHECK(error_of({"decod", "0x42"}) ==
        "swz: error: unknown command 'decod'\nhint: did you mean 'decode'? see 'swz --help'\n");
}

TEST_CASE("batch lines are read by the same door") {
  Words words{"batch"};
  const CliResult r = run_once(words, {}, "0x4000004000010042\n'(8,64):(64,1)'\n-\n");
  std::vector<std::string> lines = split(r.out, '\n');
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with(R"({"exit":0,"result":{"verdict":"clean","command":"swz decode 0x4000004000010042")"));
  CHECK(lines[1].starts_with(R"({"exit":0,"result":{"verdict":"clean","command":"swz translate '(8,64):(64,1)'")"));
  CHECK(lines[2].starts_with(R"({"exit":2,"error":{"message":"a batch line cannot read standard input)"));
}

TEST_CASE("every notation that a dialect writes is read as a layout") {
  for (const Dialect& dialect : dialects()) {
    RandomForms forms(11);
    for (int round = 0; round < 60; ++round) {
      const Written w = dialect.write(forms());
      if (w.text.empty()) continue;
      const Door said = door({"--", w.text});
      if (said.told.contains("translate") || said.told.contains("layout")) continue;
      CAPTURE(std::string(dialect.name));
      FAIL_CHECK(w.text);
    }
  }
}

TEST_CASE("every text that the documents give to a command is read by this command, or the answer names it") {
  const std::set<std::string> of_texts{"decode", "translate", "layout", "frag", "swizzle lint", "swizzle explain"};
  int asked = 0;
  for (const char* name : {"README.md", "docs/guide.md", "docs/notation.md", "docs/dialects.md", "docs/json.md",
                           "docs/tensor_memory.md", "docs/scale_factors.md"}) {
    std::ifstream file(std::string(SWZ_SOURCE_DIR "/") + name);
    for (std::string line; std::getline(file, line);) {
      if (!line.starts_with("$ swz ")) continue;
      line = line.substr(2, line.find(" | ") == std::string::npos ? std::string::npos : line.find(" | ") - 2);
      Words words;
      try {
        words = words_of_line(line);
      } catch (const Error&) {
        continue;
      }
      const std::string command = command_in(line);
      if (!of_texts.contains(command)) continue;
      words.erase(words.begin(), words.begin() + 1 + (command.find(' ') != std::string::npos ? 1 : 0));
      if (words.empty() || words.front().starts_with("-") || words.front().starts_with("@")) continue;
      if (words.size() > 1 && !words[1].starts_with("-")) continue;
      ++asked;
      const Door said = door(words);
      CAPTURE(line);
      if (run_once(words_of_line(line)).exit_code == 2) continue;
      // A register layout is read alike by frag and translate.
      CHECK((said.told.contains(command) || is_told(command, said.told) ||
             (command == "frag" && said.taken == "translate")));
    }
  }
  CHECK(asked > 30);
}

TEST_CASE("10,000 changed texts: a command that reads the text is the one that answers, or the answer names it") {
  Random random(20261125);
  int answered = 0;
  for (long round = 0; round < 10000 / step_of(25, 1); ++round) {
    const std::string text = mutated(random.of(kinds()).text, random);
    if (trimmed(text).empty() || text.starts_with('@') || text == "-") continue;
    const Door said = door({"--", text});
    REQUIRE(said.exit_code <= 2);
    if (said.exit_code <= 1) ++answered;
    if (round % step_of(10, 25) != 0) continue;  // to ask every command takes ten times as long
    const std::string broken = broken_law(text);
    if (broken.empty()) continue;
    CAPTURE(text);
    FAIL_CHECK(broken);
  }
  CHECK(answered > at_least(1000, 25));
}

TEST_CASE("a command that does not read a text says which one does") {
  struct Asked {
    const char *command, *text, *hint;
  };
  const char* fields =
      "{start_address_ = 66, leading_byte_offset_ = 1, stride_byte_offset_ = 64, base_offset_ = 0, layout_type_ = "
      "1}";
  for (const Asked& one : std::initializer_list<Asked>{
           {"decode", "(8,64):(64,1)", "it reads as a layout: swz translate '(8,64):(64,1)'"},
           {"decode", "addr ^ ((addr >> 3) & 0x70)",
            "it reads as a C expression of an address: swz swizzle lint 'addr"},
           {"decode", "mma.m16n8k16.f16.f32", "it reads as an instruction: swz frag mma.m16n8k16"},
           {"translate", "mma.m16n8k16.f16.f32", "it reads as an instruction: swz frag mma.m16n8k16"},
           {"frag", fields, "it reads as descriptor words: swz decode '{start_address_ = 66"},
           {"frag", "0x4000004000010042", "it reads as a descriptor word: swz decode 0x4000004000010042"},
           {"swizzle lint", "(8,64):(64,1)", "it reads as a layout: swz translate '(8,64):(64,1)'"},
           {"swizzle lint", fields, "it reads as descriptor words: swz decode '{start_address_ = 66"},
           // What it reads itself, if something else is wrong or missing.
           {"translate", "#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>", ""},
           {"translate", "1", ""},
           {"frag", "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>",
            ""},
           {"decode", "0x42 0x4g", ""}}) {
    Words words = pieces_of(one.command, " ");
    words.insert(words.end(), {one.text, "-f", "json"});
    CAPTURE(one.command);
    CAPTURE(one.text);
    const CliResult r = run_once(words, {});
    REQUIRE(r.exit_code == 2);
    const std::string hint = nlohmann::json::parse(r.err)["error"]["hint"];
    CAPTURE(hint);
    if (*one.hint == '\0') CHECK(hint.find("it reads as ") == std::string::npos);
    else CHECK(hint.find(one.hint) != std::string::npos);
  }
}
