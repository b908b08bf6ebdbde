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
  CHECK(large.err == "swz: error: a file that @FILE names: 1073741824 bytes are more than the limit\n  of 8388608\n"
                     "hint: give the part that matters\n");
  const CliResult cut = identify({"-", "--dtype", "bf16", "--tile", "64x64"}, std::string(4096, '\1'));
  CHECK(cut.exit_code == 2);
  CHECK(cut.err == "swz: error: a tile of 64x64 bf16 takes 8192 B; the dump has 4096 B\n"
                   "hint: the dump is truncated, or --dtype or --tile is another one\n");
  const CliResult text = identify({"-", "--dtype", "bf16", "--tile", "8x64"}, "no dump");
  CHECK(text.exit_code == 2);
  CHECK(text.err.find("'no' is not a number") != std::string::npos);
  CHECK(identify({"--dtype", "bf16", "--tile", "8x64"}).exit_code == 2);
  CHECK(identify({"-", "--dtype", "bf16", "--tile", "8000000x64"}, "1").exit_code == 2);
}

}  // namespace
}  // namespace swz
