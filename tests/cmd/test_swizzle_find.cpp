// SPDX-License-Identifier: Apache-2.0
// swz swizzle find as a command; its answers are judged in tests/smem/test_swizzle_find.cpp.
#include <doctest/doctest.h>

#include "asked.hpp"
#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

CliResult find(Words words) {
  words.insert(words.begin(), {"swizzle", "find"});
  return run_cli(words, {.variables = {{"COLUMNS", "80"}}});
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST_CASE("the JSON contract: found, swizzle, wavefronts") {
  const CliResult r = find(
      {"--dtype", "f16", "--tile", "64x64", "--reads", "ldmatrix.x4", "--writes", "st.shared.b128 rows", "-f", "json"});
  CHECK(r.exit_code == 0);
  const Parsed json = Parsed::parse(r.out);
  CHECK(json["found"] == true);
  CHECK(json["swizzle"] == "Sw<3,4,3>");
  CHECK(json["mode"] == "128B");
  CHECK(json["wavefronts"] == 128);  // 8192 B twice, 128 B in a wavefront
  CHECK(json["excess"] == 0);
  CHECK(json["without"]["wavefronts"] == 64 * 8 + 64);
  CHECK(json["accesses"].size() == 2);
}

TEST_CASE("the first line says the result") {
  CHECK(first_line(find({"--tile", "64x64", "--reads", "ldmatrix.x4"}).out) ==
        "mode 128B ends every bank conflict: 512 wavefronts become 64");
  CHECK(first_line(find({"--layout", "(128,8):(1,128)", "--reads", "ldmatrix.x4.trans"}).out) ==
        "Sw<3,4,4> ends every bank conflict: 128 wavefronts become 16");
  CHECK(first_line(find({"--tile", "64x8", "--reads", "ldmatrix.x4"}).out) ==
        "no swizzle is needed: 8 wavefronts, the ideal");
  const CliResult none = find(
      {"--dtype", "f32", "--tile", "32x32", "--writes", "st.shared.b128 rows", "--reads", "ld.shared.b32 columns"});
  CHECK(none.exit_code == 1);
  for (const char* part : {"pieces of 16 B cannot be free of conflicts", "they share 8 banks", "kernel vector 0x400",
                           "no padding of a line is conflict free"}) {
    CAPTURE(std::string(part));
    CHECK(contains(none.out, part));
  }
  const CliResult linear = find({"--layout", "((4,2),64):((64,1024),1)", "--reads", "ldmatrix.x4"});
  CHECK(linear.exit_code == 0);
  CHECK(contains(linear.out, "no Swizzle ends the conflicts, another XOR does"));
}

TEST_CASE("a picture folds the banks that no lane touches, but not those of lines that are not drawn") {
  // Before, 32 lanes meet in bank 0; after, lane i is in bank i, and lines 8 to 30 are not drawn.
  const Figure figure = figure_in(
      asked({"swizzle", "find", "--dtype", "f32", "--tile", "32x32", "--reads", "ld.shared.b32 columns"}).document);
  REQUIRE(figure.panels[0].size() == 2);
  const Grid &before = figure.panels[0][0], &after = figure.panels[0][1];
  CHECK(before.squares[0][1].outside == 1);
  CHECK(after.column_labels.size() == 32);
  CHECK(figure.legend.back().text == "no lane");
  CHECK(before.title == "before: 32 wavefronts");
}

TEST_CASE("an instruction that transposes elements of another size is named") {
  const auto lints = [](const char* dtype, const char* read) {
    std::vector<std::string> messages;
    const Parsed json =
        Parsed::parse(find({"--dtype", dtype, "--tile", "64x64", "--reads", read, "--reads", read, "-f", "json"}).out);
    for (const Parsed& note : json["notes"])
      if (note["rule"] == "element-size") messages.push_back(note["message"]);
    return messages;
  };
  CHECK(lints("tf32", "ldmatrix.x4.trans") ==
        std::vector<std::string>{
            "ldmatrix.x4.trans transposes elements of 16 bits; tf32 of 32 bits: it tears them apart"});
  CHECK(lints("e4m3", "ldmatrix.x4.trans") ==
        std::vector<std::string>{
            "ldmatrix.x4.trans transposes elements of 16 bits; e4m3 of 8 bits: it moves several of them as one"});
  CHECK(lints("f16", "ldmatrix.x4.trans").empty());
  CHECK(lints("tf32", "ldmatrix.x4").empty());
}

TEST_CASE("elsewhere than on the target that was measured the answer says so") {
  const Words question{"--tile", "64x64", "--reads", "ldmatrix.x4", "--reads", "ldmatrix.x4"};
  Words elsewhere = question;
  elsewhere.insert(elsewhere.end(), {"--arch", "sm_100a", "-f", "json"});
  int said = 0;
  const Parsed json = Parsed::parse(find(elsewhere).out);
  for (const Parsed& note : json["notes"])
    if (note["rule"] == "evidence") ++said;
  CHECK(said == 1);
  CHECK_FALSE(contains(find(question).out, "not measured"));
}

TEST_CASE("what is found is a permutation that swizzle lint reads") {
  const Parsed json =
      Parsed::parse(find({"--layout", "((4,2),64):((64,1024),1)", "--reads", "ldmatrix.x4", "-f", "json"}).out);
  const CliResult lint = run_cli({"swizzle", "lint", json["c_expression"].get<std::string>(), "-f", "json"});
  CHECK(lint.exit_code == 0);
  CHECK(Parsed::parse(lint.out)["keeps_chunks"] == true);
}

TEST_CASE("what is refused") {
  CHECK(find({"--tile", "64x64"}).err ==
        "swz: error: no access given\nhint: for example --reads ldmatrix.x4 --writes 'st.shared.b128 rows'\n");
  CHECK(contains(find({"--reads", "ldmatrix.x4"}).err, "no tile given"));
  CHECK(contains(find({"--tile", "64x64", "--reads", "st.shared.b128 rows"}).err,
                 "'st.shared.b128 rows' writes shared memory"));
  CHECK(contains(find({"--tile", "64x64", "--reads", "ldmatrix.x9"}).err, "ldmatrix"));
  CHECK(contains(find({"--layout", "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "--reads", "ldmatrix.x4"}).err,
                 "the layout has a swizzle already"));
  CHECK(contains(find({"--layout", "(8,64):(64,1)", "--tile", "8x64", "--reads", "ldmatrix.x4"}).err,
                 "--layout and --tile cannot be combined"));
  CHECK(find({"--tile", "4096x4096", "--reads", "ldmatrix.x4"}).exit_code == 2);
}

}  // namespace
}  // namespace swz
