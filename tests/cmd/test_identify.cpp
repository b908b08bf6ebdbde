// SPDX-License-Identifier: Apache-2.0
// swz identify as a command: transcripts, the JSON contract, standard input, files that cannot be a dump.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

const std::string dumps = SWZ_SOURCE_DIR "/tests/data/dumps/";

CliResult identify(Words words, const std::string& input = {}) {
  words.insert(words.begin(), "identify");
  return run_cli(words, {.variables = {{"COLUMNS", "80"}}}, input);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("identify: a tile in a file is the same on standard input, as bytes and as hexadecimal") {
  const std::string bytes = text_of(dumps + "tile.bin");
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  const Words options{"--dtype", "bf16", "--tile", "64x64", "-f", "json"};
  const auto answer = [&](const std::string& name, const std::string& input) {
    Words words{name};
    words.insert(words.end(), options.begin(), options.end());
    const CliResult r = identify(words, input);
    CHECK(r.exit_code == 0);
    return Json::parse(r.out);
  };
  const Json file = answer(dumps + "tile.bin", "");
  CHECK(file["exact"].get<bool>());
  CHECK(file["swizzle"].get<std::string>() == "128B");
  CHECK(file["major"].get<std::string>() == "K");
  CHECK(file["base"].get<int>() == 0x480);
  CHECK(file["layout"].get<std::string>() == "Sw<3,3,3> o 576 o ((8,8),(64,1)):((64,512),(1,0))");
  CHECK(file["matching"].get<int>() == 4096);
  CHECK(file["hypothesis"].is_null());
  CHECK(file["first_difference"].is_null());
  CHECK(file["candidates"].size() == 0);
  CHECK(file["descriptors"].size() == 4);
  for (const char* name : {"-", "@-"}) {
    CHECK(answer(name, bytes)["layout"] == file["layout"]);
    CHECK(answer(name, hex)["layout"] == file["layout"]);
  }
}

TEST_CASE("identify: a mistake is named, exit 1") {
  const CliResult r = identify({dumps + "relative.bin", "--dtype", "bf16", "--tile", "64x64", "-f", "json"});
  CHECK(r.exit_code == 1);
  const Json json = Json::parse(r.out);
  CHECK(!json["exact"].get<bool>());
  CHECK(json["hypothesis"]["name"].get<std::string>() == "tile-relative-swizzle");
  CHECK(json["first_difference"]["coordinate"].dump() == "[0,0]");
  CHECK(json["descriptors"].size() == 0);
}

TEST_CASE("identify: what cannot be a dump is refused before it is read") {
  char name[] = "/tmp/swz_identify_XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(ftruncate(file, off_t{1} << 30) == 0);
  close(file);
  const CliResult large = identify({name, "--dtype", "bf16", "--tile", "64x64"});
  unlink(name);
  CHECK(large.exit_code == 2);
  CHECK(large.err ==
        "swz: error: a file that @FILE names: 1073741824 bytes are more than the limit\n  of 8388608\n"
        "hint: give the part that matters\n");
  const CliResult cut = identify({"-", "--dtype", "bf16", "--tile", "64x64"}, std::string(4096, '\1'));
  CHECK(cut.exit_code == 2);
  CHECK(cut.err ==
        "swz: error: a tile of 64x64 bf16 takes 8192 B; the dump has 4096 B\n"
        "hint: the dump is truncated, or --dtype or --tile is another one\n");
  const CliResult text = identify({"-", "--dtype", "bf16", "--tile", "8x64"}, "no dump");
  CHECK(text.exit_code == 2);
  CHECK(text.err.find("'no' is not a number") != std::string::npos);
  CHECK(identify({"--dtype", "bf16", "--tile", "8x64"}).exit_code == 2);
  CHECK(identify({"-", "--dtype", "bf16", "--tile", "8000000x64"}, "1").exit_code == 2);
}

TEST_CASE("identify: registers by thread, as a fragment or as the mistake in the one that is meant") {
  const Words tile{"--dtype", "bf16", "--tile", "16x16", "-f", "json"};
  const auto answer = [&](Words words) {
    words.insert(words.end(), tile.begin(), tile.end());
    return identify(words);
  };
  const CliResult right = answer({dumps + "registers.txt", "--of", "fragment"});
  CHECK(right.exit_code == 0);
  const Json found = Json::parse(right.out);
  CHECK(found["exact"].get<bool>());
  CHECK(found["swizzle"].is_null());
  CHECK(found["fragment"].get<std::string>() == "mma.m16n8k16");
  CHECK(found["operand"].get<std::string>() == "a");
  CHECK(found["commands"].at(0).get<std::string>() == "swz frag mma.m16n8k16 --operand a --dtype bf16");
  CHECK(answer({dumps + "registers.txt", "--of", "mma.m16n8k16", "--operand", "a"}).exit_code == 0);
  const CliResult swapped = answer({dumps + "registers_swapped.txt", "--of", "mma.m16n8k16", "--operand", "a"});
  CHECK(swapped.exit_code == 1);
  const Json mistake = Json::parse(swapped.out);
  CHECK(mistake["hypothesis"]["name"].get<std::string>() == "register-order");
  CHECK(mistake["first_difference"].dump() ==
        R"({"coordinate":[8,0],"expected":128,"found":8,"thread":0,"register":1,"first_bit":0})");
}

TEST_CASE("identify: what is asked of registers and cannot be is refused") {
  const std::string registers = dumps + "registers.txt";
  const auto told = [&](Words words) {
    const CliResult r = identify(words);
    CHECK(r.exit_code == 2);
    return r.err;
  };
  CHECK(told({registers, "--of", "fragment", "--dtype", "bf16", "--tile", "16x32"}) ==
        "swz: error: 32 threads x 4 registers of 32 bits hold 256 elements of 16 bits;\n  a tile of 16x32 has 512\n"
        "hint: the dump is truncated, or --dtype or --tile is another one\n");
  CHECK(told({registers, "--of", "fragment", "--dtype", "bf16", "--tile", "3x5"}) ==
        "swz: error: no fragment of 3x5 bf16 fills 32 threads x 4 registers of 32 bits\n"
        "hint: --tile is what the threads hold together; 'swz frag --list' shows the\n  fragments\n");
  CHECK(told({registers, "--of", "mma.m16n8k16", "--operand", "b", "--dtype", "bf16", "--tile", "16x24"})
            .find("a tile of") != std::string::npos);
  CHECK(told({registers, "--of", "mma.m16n8k16", "--dtype", "bf16", "--tile", "16x16"}) ==
        "swz: error: which operand of mma.m16n8k16?\nhint: operands: a, b, c and d\n");
  CHECK(told({registers, "--of", "fragment", "--operand", "a", "--dtype", "bf16", "--tile", "16x16"}) ==
        "swz: error: --operand needs the name of a fragment\nhint: give it with --of NAME, as swz frag takes it\n");
  CHECK(told({registers, "--of", "fragment", "--as", "hex", "--dtype", "bf16", "--tile", "16x16"}) ==
        "swz: error: --as is for words without thread numbers\nhint: give the number of threads with --threads\n");
  CHECK(told({registers, "--of", "tmem", "--dtype", "f32", "--tile", "64x64"}).find("no D and no A of 64x64 f32") !=
        std::string::npos);
}

}  // namespace
}  // namespace swz
