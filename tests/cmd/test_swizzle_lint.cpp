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
  CHECK(line({"addr ^ ((addr >> 3) & 0x70)"}) == "equal to mode 128B at every address");
  CHECK(line({"addr & ~0x40"}) == "not a permutation: 1024 bytes go to 512 places; 0x0 and 0x40 both become 0x0");
  CHECK(line({"addr ^ ((addr >> 4) & 0x70)"}) == "Sw<3,4,4> on bytes: a permutation, but no hardware mode");
  CHECK(line({"addr + 16"}) == "no two inputs collide, but it is no permutation: 0xfff0 becomes 0x10000");
  CHECK(line({"addr", "--bytes", "96"}) == "equal to mode none on these 96 bytes");
  CHECK(line({"row*64 + ((col/8 ^ row%8)*8 + col%8)", "--rows", "128", "--cols", "64", "--dtype", "f16"}) ==
        "equal to mode 128B K-major on these 8192 f16 elements");
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
        "  col; --var adr calls the address so\n");
  CHECK(contains(lint({"addr / (addr - 3)"}).err, "division by zero at addr = 3"));
  CHECK(contains(lint({"addr << addr"}).err, "shift past bit 63 at addr = 64"));
  CHECK(contains(lint({std::string(1 << 20, '+')}).err,
                 "an expression of 1048576 bytes is longer than the limit of 4096"));
  CHECK(contains(lint({"row + col"}).err, "needs the extents of the tile"));
  CHECK(contains(lint({"addr", "--rows", "8"}).err, "--rows and --cols belong to an expression in row and col"));
  CHECK(contains(lint({"addr", "--bits", "51"}).err, "--bits: 51 is out of range"));
  CHECK(contains(lint({"addr * 3", "--bits", "30"}).err, "more than the limit of 1048576"));
  CHECK(contains(lint({"addr", "--bytes", "3", "--dtype", "f16"}).err,
                 "3 bytes are not a whole number of f16 elements"));
  CHECK(contains(lint({"addr", "--var", "row"}).err, "'row' is not a name for an address"));
}

}  // namespace
}  // namespace swz
