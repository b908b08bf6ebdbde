// SPDX-License-Identifier: Apache-2.0
// swz decode --against: one word on two targets, what differs, and what is refused.
#include <doctest/doctest.h>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;

namespace {

json differences(const std::string& line) { return json_of(words_of("decode " + line))["differences"]; }

json field(const json& all, const std::string& name) {
  for (const json& one : all)
    if (one["field"] == name) return one;
  return nullptr;
}

}  // namespace

TEST_CASE("a word of sm_100 read as sm_107 and back") {
  const json there = differences("0x4000404000015000 --arch sm_100a --against sm_107a");
  CHECK(field(there, "start_address")["a"] == "65536 B");
  CHECK(field(there, "start_address")["b"] == "327680 B");
  CHECK(field(there, "reserved")["a"] == "bits 14");
  const json back = differences("0x4000404000015000 --arch sm_107a --against sm_100a");
  CHECK(field(back, "start_address")["a"] == "327680 B");
  CHECK(back.size() == there.size());
  // Bit 12 is the version of the metadata on sm_107, and reserved before.
  const json idesc = differences("0x08201480 --kind mxf4nvf4 --arch sm_100a --against sm_107a");
  CHECK(field(idesc, "sparsity_version")["a"] == "-");
  CHECK(field(idesc, "sparsity_version")["b"] == "1");
  CHECK(field(idesc, "reserved")["a"] == "bits 12");
  CHECK(differences("0x4000404000010040 --arch sm_107a --against sm_107f").empty());
}

TEST_CASE("a word is no k loop with itself, and has both readings") {
  const json answer = json_of(words_of("decode 0x4000404000015000 --arch sm_107a --against sm_100a"));
  CHECK(answer["loops"].empty());
  REQUIRE(answer["words"].size() == 2);
  CHECK(answer["words"][0]["arch"] == "sm_107a");
  CHECK(answer["words"][1]["arch"] == "sm_100a");
}

TEST_CASE("--against takes one descriptor word") {
  for (const char* line : {"0x1 0x2 --against sm_107a", "--as tmem 0x00450025 --against sm_107a",
                           "--as zero-mask 0x0003038000000000 --against sm_107a"})
    CHECK(error_of(words_of(std::string("decode ") + line)).find("--against compares one descriptor word") !=
          std::string::npos);
  CHECK(error_of(words_of("decode 0x4000404000015000 --against sm_10")).find("'sm_10' is not a known target") !=
        std::string::npos);
}
