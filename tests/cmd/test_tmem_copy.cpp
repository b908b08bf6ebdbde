// SPDX-License-Identifier: Apache-2.0
// swz tmem cp: a word that it gives is read back to the bytes of a compact source, every byte there and back.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "answers.hpp"
#include "arch/tensor_memory.hpp"
#include "sweep.hpp"

using nlohmann::json;

namespace swz {
namespace {

int bits_of_swizzle(const std::string& name) { return name == "32B" ? 1 : name == "64B" ? 2 : name == "128B" ? 3 : 0; }

// Written out: without a swizzle core matrices of 8 rows x 16 bytes, otherwise lines of 32, 64 or 128 bytes whose 16-byte chunks
// are exchanged by the number of the 128-byte line.
std::int64_t source_byte(std::int64_t base, const std::string& swizzle, std::int64_t lbo, std::int64_t sbo, int row,
                         int byte) {
  const int bits = bits_of_swizzle(swizzle);
  if (bits == 0) return base + row / 8 * sbo + byte / 16 * lbo + row % 8 * 16 + byte % 16;
  const std::int64_t at = base + row / 8 * sbo + row % 8 * (16 << bits) + byte;
  return at ^ ((at >> 7 & ((1 << bits) - 1)) << 4);
}

struct CopyWord {
  std::string swizzle, word;
  std::int64_t lbo, sbo;
};

std::vector<CopyWord> words_given(const std::string& shape, std::int64_t base) {
  const json answer = json_of({"tmem", "cp", shape, "--base", std::to_string(base)});
  const json plain = json_of({"tmem", "cp", shape, "--word", answer["descriptor"]})["reads"];
  std::vector<CopyWord> words{{"none", answer["descriptor"], plain["lbo"], plain["sbo"]}};
  for (const json& row : answer["descriptors"])
    words.push_back({row["swizzle"], row["descriptor"], row["lbo"], row["sbo"]});
  return words;
}

TEST_CASE("a word that tmem cp gives names the bytes of its compact source, and each byte goes back to its row") {
  std::mt19937 random(28);
  Sweep every{40};
  long bytes = 0;
  for (const TmemCopy& copy : tmem_copies())
    for (const std::int64_t base : {0x400, 0x6000}) {
      const std::string shape = full_name(copy);
      const std::vector<CopyWord> given = words_given(shape, base);
      CHECK(given.size() >= 3);
      for (const CopyWord& word : given) {
        CAPTURE(shape);
        CAPTURE(word.word);
        const json units = json_of({"tmem", "cp", shape, "--word", word.word})["units"];
        REQUIRE(units.size() == static_cast<std::size_t>(copy.rows * copy.bits / 128));
        for (const json& unit : units) {
          const int row = unit[0], first = unit[1], inside = static_cast<int>(random() % 16), byte = first + inside;
          CHECK(unit[2] == source_byte(base, word.swizzle, word.lbo, word.sbo, row, first));
          if (!every.takes()) continue;
          const std::int64_t address = source_byte(base, word.swizzle, word.lbo, word.sbo, row, byte);
          const json there = json_of({"tmem", "cp", shape, "--word", word.word, "--byte", std::to_string(address)});
          CHECK(there["row"] == row);
          CHECK(there["byte"] == byte);
          CHECK(there["column"] == byte / 4);
          CHECK(there["bits"] == json{byte % 4 * 8, byte % 4 * 8 + 7});
          for (const int lane : there["lanes"]) {
            const json back =
                json_of({"tmem", "cp", shape, "--word", word.word, "--cell", fmt::format("{},{}", lane, byte / 4)});
            CHECK(back["row"] == row);
            CHECK(back["word"] == byte / 4);
            CHECK(back["address"] == address - byte % 4);
          }
          ++bytes;
        }
      }
    }
  CHECK(bytes > at_least(1000, 40));
}

TEST_CASE("with decompression: an element, its byte of shared memory, and back") {
  struct Format {
    const char* suffix;
    int bits, first_bit;
  };
  for (const Format& format : {Format{".b8x16.b4x16_p64", 4, 2}, Format{".b8x16.b6x16_p32", 6, 0}})
    for (const TmemCopy& copy : tmem_copies()) {
      const std::string shape = full_name(copy) + format.suffix;
      const std::string word = json_of({"tmem", "cp", shape, "--base", "0x800"})["descriptor"];
      const json reads = json_of({"tmem", "cp", shape, "--word", word})["reads"];
      for (const int row : {0, copy.rows / 2, copy.rows - 1})
        for (int element = 0; element < copy.bits / 8; ++element) {
          CAPTURE(shape);
          CAPTURE(element);
          const json at = json_of({"tmem", "cp", shape, "--word", word, "--row", std::to_string(row), "--element",
                                   std::to_string(element)});
          const std::int64_t bit = element % 16 * format.bits;
          const std::int64_t address =
              source_byte(0x800, "none", reads["lbo"], reads["sbo"], row, element / 16 * 16) + bit / 8;
          CHECK(at["address"] == address);
          CHECK(at["column"] == element / 4);
          CHECK(at["byte"] == element % 4);
          CHECK(at["bits"] == fmt::format("{}:{}", format.first_bit + format.bits - 1, format.first_bit));
          const json back = json_of({"tmem", "cp", shape, "--word", word, "--byte", std::to_string(address)});
          CHECK(back["row"] == row);
          CHECK(back["lanes"] == at["lanes"]);
          CHECK(back["elements"][0] <= element);
          CHECK(back["elements"][1] >= element);
        }
      // The gap after 16 elements is not copied.
      const CliResult gap = run_cli({"tmem", "cp", shape, "--word", word, "--byte", "0x80f"});
      CHECK(gap.exit_code == 2);
      CHECK(gap.err == fmt::format("swz: error: byte 0x80f is a gap, which the copy leaves out\n"
                                   "hint: 16 elements of {} bits take {} of 16 bytes\n",
                                   format.bits, 2 * format.bits));
    }
}

TEST_CASE("a word of tcgen05.cp is read without a lint, as the copy that it fits") {
  for (const TmemCopy& copy : tmem_copies())
    for (const CopyWord& word : words_given(full_name(copy), 0x400)) {
      CAPTURE(full_name(copy));
      CAPTURE(word.word);
      CHECK(run_cli({"tmem", "cp", full_name(copy), "--word", word.word, "--strict"}).exit_code == 0);
    }
  // CuTe's descriptor of scale factors: LBO 16 B is not used by a copy of 128 bits.
  const json scales = json_of({"decode", "0x0000400800010000", "--arch", "sm_100a", "--strict"});
  CHECK(scales["lints"].empty());
  CHECK(scales["verdict"] == "clean");
  const std::string said = run_cli({"decode", "0x0000400800010000", "--arch", "sm_100a"}).out;
  CHECK(said.find("fine for a tcgen05.cp of one 16-byte chunk per row") != std::string::npos);
  CHECK(said.find("wrong for an MMA operand") != std::string::npos);
}

TEST_CASE("a word whose rows fall on each other is said, with the word of a compact source") {
  const json answer = json_of({"tmem", "cp", "128x256b", "--word", "0x0000400800080040"});
  REQUIRE(answer["lints"].size() == 1);
  CHECK(answer["lints"][0]["rule"] == "source-overlap");
  CHECK(answer["lints"][0]["hint"] == "a compact source has the descriptor 0x0000401000080040");
  CHECK(json_of({"tmem", "cp", "128x256b", "--word", "0x0000401000080040"})["lints"].empty());
}

}  // namespace
}  // namespace swz
