// SPDX-License-Identifier: Apache-2.0
// swz encode as a command: the answer is that of decode, and the JSON of decode makes the word again.
#include <doctest/doctest.h>

#include <random>

#include "answers.hpp"
#include "base/text.hpp"
#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/smem_descriptor.hpp"

namespace swz {
namespace {

std::string out_of(const Words& words, const std::string& input = {}) {
  const CliResult r = run_cli(words, {}, input);
  INFO(r.err);
  // 1: no instruction has the shape, which decode lints.
  const bool has_no_shape = words.front() == "encode" && r.out.find("\"rule\":\"shape\"") != std::string::npos;
  CHECK(r.exit_code == (has_no_shape ? 1 : 0));
  return r.out;
}

TEST_CASE("the answer is that of decode, with the word first") {
  const Words fields{"encode", "smem", "--start", "0x420", "--lbo", "16", "--sbo", "1024", "--swizzle", "128B"};
  for (const char* format : {"text", "json"}) {
    Words encode = fields, decode{"decode", "0x4000004000010042", "--arch", "sm_90a"};
    for (Words* words : {&encode, &decode}) words->insert(words->end(), {"-f", format});
    CHECK(out_of(encode) == out_of(decode));
  }
  CHECK(out_of(fields).starts_with("0x4000004000010042  wgmma-smem on sm_90a\n"));
  CHECK(json_of({"encode", "smem", "--arch", "sm_103a", "--swizzle", "128B", "--lbo-mode", "absolute"})["word"] ==
        "0x4010400000000000");

  const Words idesc{"encode",   "idesc", "--kind", "f16", "--a-type", "bf16", "--b-type",     "bf16",
                    "--d-type", "f32",   "--m",    "64",  "--n",      "256",  "--transpose-b"};
  CHECK(out_of(idesc) == out_of({"decode", "--kind", "f16", "0x04410490", "--arch", "sm_100a"}));
  CHECK(json_of({"encode", "idesc", "--kind", "i8", "--a-type", "s8", "--b-type", "u8", "--m", "128", "--n", "64",
                 "--saturate"})["fields"][2]["value"] == 1);
}

TEST_CASE("lints of the word are those of decode, and count under --strict") {
  const Words wrong{"encode", "smem", "--start", "0x400", "--sbo", "100", "--swizzle", "128B"};
  CHECK(error_of(wrong).find("hint: 0 to 262128 B in steps of 16 B; nearest: 96 or 112") != std::string::npos);
  const Words small{"encode", "smem", "--start", "0x400", "--sbo", "112", "--swizzle", "128B", "--strict"};
  CHECK(json_of(small, 1)["lints"][0]["rule"] == "stride-overlap");
  CHECK(json_of({"encode", "idesc", "--kind", "mxf8f6f4", "--a-type", "e4m3", "--b-type", "e4m3", "--m", "128", "--n",
                 "40", "--arch", "sm_100a"})["lints"]
            .empty());
}

TEST_CASE("the JSON of decode gives the word again, for random words of every format") {
  std::mt19937_64 random(std::random_device{}());
  const auto check = [](const std::string& word, Words decode, const char* what) {
    decode.insert(decode.end(), {word, "-f", "json"});
    const std::string json = out_of(decode);
    INFO(json);
    CHECK(out_of({"encode", what, "--from", "-", "-f", "json"}, json) == json);
  };
  for (int i = 0; i < 10; ++i) {
    for (const char* arch : {"sm_90a", "sm_100a", "sm_103a", "sm_107a"}) {
      const std::uint64_t reserved = smem_format(require_target(arch)).reserved_mask();
      check(hex64(random() & ~reserved), {"decode", "--arch", arch}, "smem");
    }
    for (const MmaKindRow& kind : mma_kinds())
      for (const char* arch : {"sm_103a", "sm_107a"}) {
        const std::uint64_t reserved = idesc_format(kind.kind, require_target(arch)).reserved_mask();
        check(hex32(static_cast<std::uint32_t>(random() & ~reserved)),
              {"decode", "--arch", arch, "--kind", std::string(kind.name)}, "idesc");
      }
  }
}

TEST_CASE("options replace the fields of --from, --arch and --kind those of the file") {
  const std::string json = out_of({"decode", "0x4000004000010042", "-f", "json"});
  const auto from = [&](Words more) {
    more.insert(more.begin(), {"encode", "smem", "--from", "-"});
    return out_of(more, json).substr(0, 18);
  };
  CHECK(from({}) == "0x4000004000010042");
  CHECK(from({"--sbo", "2048"}) == "0x4000008000010042");
  CHECK(from({"--arch", "sm_100a"}) == "0x4000404000010042");
  const std::string idesc = out_of({"decode", "--kind", "f16", "0x08400010", "-f", "json"});
  CHECK(out_of({"encode", "idesc", "--from", "-", "--n", "128"}, idesc).starts_with("0x08200010"));
}

TEST_CASE("what is refused") {
  const auto error = [](const Words& words, const std::string& input = {}) {
    const CliResult r = run_cli(words, {}, input);
    CHECK(r.exit_code == 2);
    return r.err;
  };
  CHECK(error({"encode", "smem", "--start", "16"}) ==
        "swz: error: sm_90a needs swizzle\nhint: --swizzle: none, 128B, 64B and 32B\n");
  CHECK(error({"encode", "smem", "--swizzle", "128B", "--lbo-mode", "absolute"}).find("sm_90a has no field lbo_mode") !=
        std::string::npos);
  CHECK(error({"encode", "idesc", "--m", "128"}).find("the kind of tcgen05.mma is missing") != std::string::npos);
  CHECK(error({"encode", "idesc", "--kind", "f16", "--arch", "sm_90a"})
            .find("sm_90a has no tcgen05 instruction descriptor") != std::string::npos);
  const Words from{"encode", "smem", "--from", "-"};
  CHECK(error(from, "{}").find("this is not the JSON of a decoded word") != std::string::npos);
  CHECK(error(from, "nonsense") != "");
  CHECK(error(from, R"({"kind":"wgmma-smem","arch":"sm_90a","fields":[{"name":"m","value":1}]})")
            .find("sm_90a has no field m") != std::string::npos);
  CHECK(error(from, R"({"kind":"wgmma-smem","arch":"sm_90a","fields":[{"name":"nothing","value":1}]})")
            .find("'nothing' is not a field") != std::string::npos);
  CHECK(error(from, out_of({"decode", "0x2000004000010040", "-f", "json"})).find("the word has several readings") !=
        std::string::npos);
  CHECK(error(from, out_of({"decode", "0x40", "0x42", "-f", "json"})).find("there are several words") !=
        std::string::npos);
  CHECK(error(from, out_of({"decode", "--kind", "f16", "0x08400010", "-f", "json"}))
            .find("this is an instruction descriptor") != std::string::npos);
}

}  // namespace
}  // namespace swz
