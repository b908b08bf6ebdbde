// SPDX-License-Identifier: Apache-2.0
// swz swizzle lint as a command; its judgement is tested in tests/expr and tests/smem.
#include <doctest/doctest.h>

#include "cmd/parsed.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

CliResult lint(Words words) {
  words.insert(words.begin(), {"swizzle", "lint"});
  return run_cli(words, {.variables = {{"COLUMNS", "80"}}});
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST_CASE("the JSON contract: bijective, equals, witness") {
  const CliResult r = lint({"addr ^ ((addr >> 3) & 0x70)", "-f", "json"});
  CHECK(r.exit_code == 0);
  const Parsed json = Parsed::parse(r.out);
  CHECK(json["bijective"] == true);
  CHECK(json["equals"] == "128B");
  CHECK(json["witness"].is_null());
  const CliResult bad =
      lint({"offset ^ (((offset >> 4) & 7) ^ ((offset >> 7) & 7)) << 4", "--var", "offset", "-f", "json"});
  CHECK(bad.exit_code == 1);
  const Parsed broken = Parsed::parse(bad.out);
  CHECK(broken["bijective"] == false);
  CHECK(broken["equals"].is_null());
  CHECK(broken["witness"] == Parsed{{"kind", "collision"}, {"inputs", {0, 16}}, {"value", 0}});
  CHECK(broken["inputs"] == 1024);
  CHECK(broken["values"] == 128);
}

TEST_CASE("the first line says the result") {
  const auto line = [](Words words) { return first_line(lint(std::move(words)).out); };
  CHECK(line({"addr ^ ((addr >> 3) & 0x70)"}) == "the expression is mode 128B on every address");
  CHECK(line({"addr & ~0x40"}) == "not a permutation: 0x0 and 0x40 both become 0x0");
  CHECK(line({"addr ^ ((addr >> 4) & 0x70)"}) == "Sw<3,4,4> on bytes: a permutation, but no hardware mode");
  CHECK(line({"addr + 16"}) == "not a permutation: 0xfff0 becomes 0x10000, which is outside");
  CHECK(line({"addr", "--bytes", "96"}) == "the expression is mode none on all 96 bytes");
  CHECK(line({"row*64 + ((col/8 ^ row%8)*8 + col%8)", "--rows", "128", "--cols", "64", "--dtype", "f16"}) ==
        "the expression is mode 128B K-major on all 8192 f16 elements");
}

TEST_CASE("a linear map is judged over its whole period, however long") {
  const Json far = Json::parse(lint({"addr ^ ((addr & 0x780) << 6)", "-f", "json"}).out);
  CHECK(far["period"] == 131072);
  CHECK(far["inputs"] == 131072);
  CHECK(far["swizzle"] == "Sw<4,7,-6>");
  const Json five = Json::parse(lint({"addr ^ ((addr & 0x3e000) >> 6)", "-f", "json"}).out);
  CHECK(five["swizzle"] == "Sw<5,7,6>");
  CHECK(five["inputs"] == 1 << 18);
  const Json top = Json::parse(lint({"addr ^ ((addr >> 60) & 1)", "-f", "json"}).out);
  CHECK(top["period"] == std::int64_t{1} << 61);
  CHECK(top["swizzle"] == "Sw<1,0,60>");
  // Bit 60 of an index of 16-byte elements is bit 64 of an address: no address has it.
  CHECK(contains(lint({"addr ^ ((addr >> 60) & 1)", "--dtype", "b128"}).out,
                 "the expression is mode none on every address"));
  // What does not repeat is judged in 64 KiB, and says so.
  CHECK(contains(lint({"addr & 0xff"}).out, "65536 bytes: it does not repeat\n"));
  CHECK(contains(lint({"addr + (addr & 1)"}).out, "65536 bytes: it does not repeat in them\n"));
}

TEST_CASE("a domain of any size ends at once, in every format") {
  for (const char* format : {"text", "json", "svg"}) {
    CHECK(lint({"addr ^ ((addr >> 3) & 0x70)", "--bits", "40", "-f", format}).exit_code == 0);
    CHECK(lint({"addr ^ ((addr >> 4) & 0x70)", "--bytes", "1125899906842624", "-f", format}).exit_code == 0);
    CHECK(lint({"row ^ col", "--rows", "1048576", "--cols", "1048576", "-f", format}).exit_code == 1);
  }
}

TEST_CASE("coordinates: an expression in bytes is read as such where that fits") {
  const Words bytes{"row*128 + ((col*2) ^ ((row & 7) << 4))", "--rows", "64", "--cols", "64"};
  Words bf16 = bytes;
  bf16.insert(bf16.end(), {"--dtype", "bf16"});
  const CliResult r = lint(bf16);
  CHECK(first_line(r.out) == "the expression is mode 128B K-major on all 4096 bf16 elements, as byte offsets");
  CHECK(contains(r.out, "its values         byte offsets: checked and shown divided by 2, as elements"));
  CHECK_FALSE(contains(r.out, "torn"));
  bf16.insert(bf16.end(), {"-f", "json"});
  const Json json = Json::parse(lint(bf16).out);
  CHECK(json["equals"] == "128B");
  CHECK(json["value_unit"] == "byte");
  CHECK(json["unit"] == "bf16");
  // The same, not linear: 48 columns.
  const CliResult padded = lint({"row*144 + col*2", "--rows", "48", "--cols", "48", "--dtype", "f16"});
  CHECK(padded.exit_code == 0);
  CHECK(contains(padded.out, "its values"));
  // In elements it fits: nothing is said of bytes.
  const CliResult elements =
      lint({"row*64 + ((col/8 ^ row%8)*8 + col%8)", "--rows", "128", "--cols", "64", "--dtype", "f16"});
  CHECK_FALSE(contains(elements.out, "byte offsets"));
  // Without a type the one that fits is named.
  CHECK(contains(lint(bytes).out, "as byte offsets of 2-byte elements it is mode 128B"));
}

TEST_CASE("elements of one bit") {
  const Json json = Json::parse(lint({"addr", "--dtype", "b1", "-f", "json"}).out);
  CHECK(json["unit_bits"] == 1);
  CHECK(json["equals"] == "none");
}

TEST_CASE("what it breaks, and the unit that was meant") {
  const CliResult r = lint({"addr ^ ((addr >> 3) & 0x38)"});
  CHECK(r.exit_code == 0);
  CHECK(contains(r.out, "lint[torn-chunk]"));
  CHECK(contains(r.out, "on units of 2 B the same expression is mode 128B"));
  CHECK(contains(r.out, "lint[no-mode]"));
  CHECK(lint({"addr ^ ((addr >> 3) & 0x38)", "--strict"}).exit_code == 1);
  CHECK(lint({"addr ^ ((addr >> 3) & 0x70)", "--strict"}).exit_code == 0);
  CHECK(lint({"row*40 + col", "--rows", "16", "--cols", "32"}).exit_code == 0);
}

TEST_CASE("what is refused") {
  CHECK(lint({"adr ^ 1"}).err ==
        "swz: error: unknown name 'adr'\n"
        "  adr ^ 1\n"
        "  ^^^\n"
        "hint: did you mean 'addr'? an address is called addr, a coordinate row and\n"
        "  col; --var adr calls the address so, --row and --col name a coordinate\n");
  CHECK(contains(lint({"addr / (addr - 3)"}).err, "division by zero at addr = 3"));
  CHECK(contains(lint({"addr << addr"}).err, "shift past bit 63 at addr = 64"));
  CHECK(
      contains(lint({std::string(1 << 20, '+')}).err, "a C expression: 1048576 bytes are more than the limit of 4096"));
  CHECK(contains(lint({"row + col"}).err, "needs the extents of the tile"));
  CHECK(contains(lint({"addr", "--rows", "8"}).err, "--rows and --cols belong to an expression in row and col"));
  CHECK(contains(lint({"addr", "--bits", "51"}).err, "--bits: 51 is out of range"));
  CHECK(contains(lint({"addr * 3", "--bits", "30"}).err, "1073741824"));
  CHECK(
      contains(lint({"addr", "--bytes", "3", "--dtype", "f16"}).err, "3 bytes are not a whole number of f16 elements"));
  CHECK(contains(lint({"addr", "--var", "row"}).err, "'row' is not a name for two things"));
}

}  // namespace
}  // namespace swz
