// SPDX-License-Identifier: Apache-2.0
// The bits of an element inside its container: frag, narrow, tmem a and tmem cp say the same of every type.
#include <doctest/doctest.h>

#include <string>

#include "answers.hpp"

using nlohmann::json;

namespace swz {
namespace {

struct Row {
  const char* instruction;  // of mma.sync
  const char* kind;         // of tcgen05
  const char* dtype;
  int k, container, first_bit, bits;
};
constexpr Row table[] = {
    {"mma.m16n8k32", "f8f6f4", "e2m1", 32, 8, 2, 4}, {"mma.m16n8k32", "f8f6f4", "e2m3", 32, 8, 0, 6},
    {"mma.m16n8k32", "f8f6f4", "e3m2", 32, 8, 0, 6}, {"mma.m16n8k32", "f8f6f4", "e4m3", 32, 8, 0, 8},
    {"mma.m16n8k32", "f8f6f4", "e5m2", 32, 8, 0, 8}, {"mma.m16n8k64", "mxf4", "e2m1", 64, 4, 0, 4}};

TEST_CASE("frag and narrow give one place in a register, every type and operand, every element") {
  for (const Row& row : table)
    for (const char* operand : {"a", "b"}) {
      CAPTURE(row.dtype);
      CAPTURE(operand);
      const json f = json_of({"frag", row.instruction, "--dtype", row.dtype, "--operand", operand});
      CHECK(f["bits"] == row.container);
      CHECK(f["value_bits"] == json{row.first_bit, row.first_bit + row.bits - 1});
      const std::size_t values = f["values"];
      for (std::size_t i = 0; i < f["coordinates"].size(); ++i) {
        const int k = f["coordinates"][i][*operand == 'a' ? 1 : 0], first = f["slots"][i % values][1];
        CHECK(first == k * row.container % 32 + row.first_bit);
      }
    }
}

TEST_CASE("narrow, tmem a and tmem cp give one place in tensor memory") {
  for (const Row& row : table)
    for (int k = 0; k < row.k; ++k) {
      CAPTURE(row.dtype);
      CAPTURE(k);
      const std::string index = std::to_string(k);
      const json n = json_of({"narrow", "--kind", row.kind, "--dtype", row.dtype, "--at", index});
      const int first = k * row.container % 32 + row.first_bit;
      const json bits{first, first + row.bits - 1};
      CHECK(n["register"]["bits"] == bits);
      CHECK(n["tmem"] == json{{"column", k * row.container / 32}, {"bits", bits}});
      const json a = json_of({"tmem", "a", "--kind", row.kind, "--dtype", row.dtype, "--at", "3," + index});
      CHECK(a["column"] == n["tmem"]["column"]);
      CHECK(a["bits"] == bits);
      if (row.bits == 8 || row.container < 8) continue;
      const std::string shape = std::string("128x256b.b8x16.") + (row.bits == 4 ? "b4x16_p64" : "b6x16_p32");
      const json cp = json_of({"tmem", "cp", shape, "--row", "3", "--element", index});
      CHECK(cp["column"] == a["column"]);
      CHECK(8 * cp["byte"].get<int>() + row.first_bit == first);
      CHECK(cp["bits"] == fmt::format("{}:{}", row.first_bit + row.bits - 1, row.first_bit));
    }
}

TEST_CASE("ldmatrix brings narrow elements in the low bits of their bytes, and says whether mma.sync wants a shift") {
  const auto of = [](const char* form) { return json_of({"frag", std::string("ldmatrix.m8n16.x1.b8x16.") + form}); };
  CHECK(of("b4x16_p64")["value_bits"] == json{0, 3});
  CHECK(of("b6x16_p32")["value_bits"] == json{0, 5});
  const auto hint_of = [](const Words& words) {
    const json notes = json_of(words)["notes"];
    for (const json& note : notes)
      if (note["rule"] == "container") return note["hint"].get<std::string>();
    return std::string();
  };
  const std::string shift = "shift each register left by 2 between the two",
                    none = "no shift is needed between the two";
  CHECK(hint_of({"frag", "ldmatrix.m8n16.x1.b8x16.b4x16_p64"}) == shift);
  CHECK(hint_of({"frag", "ldmatrix.m8n16.x1.b8x16.b6x16_p32"}) == none);
  CHECK(hint_of({"frag", "mma.m16n8k32", "--dtype", "e2m1", "--operand", "a"}) == shift);
  CHECK(hint_of({"frag", "mma.m16n8k32", "--dtype", "e3m2", "--operand", "b"}) == none);
  CHECK(hint_of({"frag", "mma.m16n8k32", "--dtype", "e4m3", "--operand", "b"}).empty());
  CHECK(hint_of({"frag", "mma.m16n8k64", "--dtype", "e2m1", "--operand", "a"}).empty());
}

TEST_CASE("6 bits: the reported answer, with what speaks against it") {
  for (const char* dtype : {"e2m3", "e3m2"}) {
    const json n = json_of({"narrow", "--kind", "mxf8f6f4", "--dtype", dtype, "--at", "0"});
    CHECK(n["evidence"] == "reported");
    CHECK(n["tmem"]["bits"] == json{0, 5});
    const json& open = n["open"];
    REQUIRE(open.size() == 2);
    CHECK(open[1]["evidence"] == "reported");
    CHECK(open[1]["answers"][1] == "6-1 (a comment in NVIDIA's CuTe-DSL example, whose A is all ones)");
  }
}

}  // namespace
}  // namespace swz
