// SPDX-License-Identifier: Apache-2.0
// swz decode and swz arch as commands: the JSON contract of docs/json.md, text, lints and errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cmd/asked.hpp"
#include "cmd/parsed.hpp"
#include "render/text.hpp"
#include "run_cli.hpp"

namespace swz {
namespace {

Answer run(const std::string& command, const Words& words, const std::string& arch = "") {
  Words all{command};
  all.insert(all.end(), words.begin(), words.end());
  if (!arch.empty()) all.insert(all.end(), {"--arch", arch});
  return asked(all);
}

Parsed decoded(const Words& words, const std::string& arch = "") { return parsed(run("decode", words, arch).document); }

Error thrown_by(const Words& words, const std::string& arch = "") {
  try {
    run("decode", words, arch);
  } catch (const Error& e) {
    return e;
  }
  return Error("no error");
}

std::string keys(const Parsed& object) {
  std::string out;
  for (const auto& item : object.items()) out += (out.empty() ? "" : " ") + item.key();
  return out;
}

TEST_CASE("the JSON contract of one SMEM descriptor") {
  const Parsed json = decoded({"0x4000004000010042"}, "sm_90a");
  CHECK(keys(json) == "verdict word kind arch fields majors notes lints");
  CHECK(json["word"] == "0x4000004000010042");
  CHECK(json["kind"] == "wgmma-smem");
  CHECK(json["arch"] == "sm_90a");
  REQUIRE(json["fields"].size() == 5);
  const Parsed& sbo = json["fields"][2];
  CHECK(keys(sbo) == "name bits raw value unit meaning");
  CHECK(sbo["name"] == "stride_byte_offset");
  CHECK(sbo["bits"] == Parsed{32, 45});
  CHECK(sbo["raw"] == 64);
  CHECK(sbo["value"] == 1024);
  CHECK(sbo["unit"] == "B");
  CHECK(json["fields"][4]["name"] == "swizzle");
  CHECK(json["fields"][4]["value"] == "128B");
  CHECK(json["fields"][4]["unit"].is_null());
  REQUIRE(json["majors"].size() == 2);
  CHECK(json["majors"][0] == Parsed{{"major", "K-major"},
                                    {"leading_byte_offset", nullptr},
                                    {"leading", nullptr},
                                    {"stride_byte_offset", 1024},
                                    {"stride", "from one group of 8 rows to the next"}});
  CHECK(json["majors"][1]["leading_byte_offset"] == 16);
  CHECK(json["majors"][1]["leading"] == "from one block of 128 B along MN to the next");
  CHECK(json["lints"] == Parsed::array());
  CHECK_FALSE(run("decode", {"0x4000004000010042"}).has_lints);
}

TEST_CASE("a lint carries rule, message, hint and source") {
  const Parsed json = decoded({"0x4000040000100040"});
  REQUIRE(json["lints"].size() == 1);
  CHECK(keys(json["lints"][0]) == "rule message hint source");
  CHECK(json["lints"][0]["rule"] == "stride-in-bytes");
  CHECK(run("decode", {"0x4000040000100040"}).has_lints);
  CHECK(run("decode", {"0x4000040000100040"}).exit_code == 0);
}

TEST_CASE("an illegal code has no value") {
  const Parsed json = decoded({"0x6000404000010040"}, "sm_100a");
  CHECK(json["fields"][6]["name"] == "swizzle");
  CHECK(json["fields"][6]["raw"] == 3);
  CHECK(json["fields"][6]["value"].is_null());
}

TEST_CASE("an instruction descriptor") {
  const Parsed json = decoded({"0x04410490", "--as", "idesc", "--kind", "f16"});
  CHECK(keys(json) == "verdict word kind arch kind_qualifier summary fields notes lints");
  CHECK(json["word"] == "0x04410490");
  CHECK(json["kind"] == "tcgen05-idesc");
  CHECK(json["arch"] == "sm_100a");
  CHECK(json["kind_qualifier"] == "f16");
  CHECK(json["summary"] == "bf16 x bf16 -> f32, M 64, N 256, K 16");
  CHECK(decoded({"0x04410490", "--kind", "f16"}) == json);
}

TEST_CASE("two readings, with the reason") {
  const Parsed smem = decoded({"0x2000004000010040"});
  CHECK(keys(smem) == "verdict word why readings");
  REQUIRE(smem["readings"].size() == 2);
  CHECK(smem["readings"][0]["kind"] == "wgmma-smem");
  CHECK(smem["readings"][1]["kind"] == "tcgen05-smem");
  CHECK(smem["readings"][1]["fields"].size() == 7);
  CHECK(run("decode", {"0x2000004000010040"}).has_lints);

  const Parsed idesc = decoded({"0x08400010", "--as", "idesc"});
  REQUIRE(idesc["readings"].size() == 2);
  CHECK(idesc["readings"][0]["kind_qualifier"] == "f16");
  CHECK(idesc["readings"][1]["kind_qualifier"] == "f8f6f4");
  CHECK_FALSE(run("decode", {"0x08400010", "--as", "idesc"}).has_lints);
}

TEST_CASE("several words, each against the first") {
  const Parsed json = decoded({"0x4000004000010040", "0x4000004000010042", "0x4000004000000240"});
  CHECK(keys(json) == "verdict differences loops words");
  CHECK(json["words"].size() == 3);
  Parsed alone = decoded({"0x4000004000010042"});
  alone.erase("verdict");
  CHECK(json["words"][1] == alone);
  REQUIRE(json["differences"].size() == 3);
  const Parsed& first = json["differences"][0];
  CHECK(keys(first) == "from to field a b matters why");
  CHECK(first["from"] == "0x4000004000010040");
  CHECK(first["to"] == "0x4000004000010042");
  CHECK(first["field"] == "start_address");
  CHECK(first["matters"] == "yes");
  CHECK(json["differences"][2]["field"] == "leading_byte_offset");
  CHECK(json["differences"][2]["matters"] == "depends");
  CHECK(decoded({"0x40", "0x40"})["differences"] == Parsed::array());
  CHECK(render_text(run("decode", {"0x40", "0x40"}).document, {}).find("the words do not differ") != std::string::npos);
}

TEST_CASE("words that differ in their start address are read as a k loop") {
  const Parsed right = decoded({"0x4000004000010040", "0x4000004000010042", "0x4000004000010044"});
  REQUIRE(right["loops"].size() == 1);
  CHECK(keys(right["loops"][0]) == "words advances blocks reversed readings mistakes other_rows");
  CHECK(right["loops"][0]["advances"] == Parsed{32, 32});
  CHECK(right["loops"][0]["readings"][0]["text"] == "K-major: 32 B a step (field +2) inside the 128 B line");
  CHECK_FALSE(run("decode", {"0x4000004000010040", "0x4000004000010042"}).has_lints);

  const Parsed wrong = decoded({"0x4000004000010040", "0x4000004000010050"});
  CHECK(wrong["loops"][0]["readings"].empty());
  CHECK(wrong["loops"][0]["mistakes"][0]["rule"] == "advance-elements-unshifted");
  CHECK(wrong["loops"][0]["mistakes"][0]["word"] == "0x4000004000010042");
  CHECK(run("decode", {"0x4000004000010040", "0x4000004000010050"}).has_lints);
  CHECK(decoded({"0x4000004000010040", "0x8000002000010040"})["loops"].empty());
}

TEST_CASE("the words of a log") {
  const std::string path = std::string("@") + SWZ_SOURCE_DIR + "/tests/data/cuda_gdb.log";
  const Parsed json = decoded({path}, "sm_90a");
  CHECK(keys(json) == "verdict differences log loops words");
  std::string words;
  for (const Parsed& word : json["words"]) words += word["word"].get<std::string>() + " ";
  CHECK(words == "0x4000004000010040 0xc000004000000040 0x4000004000010050 0x4000004000010060 0x4000004000011040 ");
  CHECK(json["log"]["lines"] == 20);
  CHECK(json["log"]["words"][0] == Parsed{{"line", 8}, {"text", "4611686293305360448"}, {"count", 2}});
  CHECK(json["log"]["words"][4] == Parsed{{"line", 17}, {"text", "0x11040 0x40000040"}, {"count", 1}});
  CHECK(json["log"]["addresses"].size() == 3);
  CHECK(json["log"]["others"] == 2);
  const Parsed idesc = decoded({path, "--as", "idesc"});
  CHECK(idesc["words"].size() == 1);
  CHECK(idesc["log"]["words"][0]["line"] == 12);
  CHECK(thrown_by({path, "0x42"}).message() == "a log must be the only argument");
}

TEST_CASE("a list with one wrong line is a log; a text without words is refused") {
  const auto input = [](const std::string& text) { return run_cli({"decode", "@-", "-f", "json"}, {}, text); };
  CHECK(Parsed::parse(input("0x4000004000010040\n0x42\n").out)["words"].size() == 2);
  CHECK(Parsed::parse(input("0x4000004000010040\n0x4z\n").out)["log"]["words"].size() == 1);
  CHECK(input("nothing of the kind\n").err.find("standard input holds no descriptor word") != std::string::npos);
  CHECK(input("").exit_code == 2);
}

TEST_CASE("a reading and a translation of it are compared in the format they share") {
  // the second word can be read both ways; the first is wgmma
  const Parsed json = decoded({"0x4000004000010040", "0x2000004000010040"});
  for (const Parsed& difference : json["differences"]) CHECK(difference["field"] != "format");
}

TEST_CASE("remarks on how a word was given") {
  const auto rules = [](const Parsed& json) {
    std::string out;
    for (const Parsed& note : json["notes"]) out += note["rule"].get<std::string>() + " ";
    return out;
  };
  CHECK(decoded({"4000004000010042"})["word"] == "0x4000004000010042");
  CHECK(decoded({"4000004000010042"})["read_as"] ==
        "16 digits without 0x are read as hexadecimal; as a decimal number they would be 0x000e35fb81854f3a");
  CHECK(rules(decoded({"0x08400490"})).find("short-word") != std::string::npos);
  CHECK(rules(decoded({"0x08400490", "--as", "smem"})).find("short-word") == std::string::npos);
  CHECK(rules(decoded({"0x4000004000010042"})).find("reading") == 0);
  CHECK(rules(decoded({"0x4000004000010042"}, "hopper")).find("reading") == std::string::npos);
}

TEST_CASE("bad input is refused with the word and a hint") {
  CHECK(thrown_by({"0x1ffffffffffffffff"}).message() == "'0x1ffffffffffffffff' does not fit in 64 bits");
  CHECK(thrown_by({"0x40", "nonsense"}).message() == "'nonsense' is not a decimal number: 'n' is not a decimal digit");
  CHECK(thrown_by({"0x40"}, "sm_91").message() == "--arch: 'sm_91' is not a known target");
  CHECK(thrown_by({"0x40"}, "sm_80").message() == "sm_80 does not read 64-bit SMEM descriptors");
  CHECK(thrown_by({"0x40", "--as", "idesc"}, "sm_90a").message() == "sm_90a has no tcgen05 instruction descriptor");
  CHECK(thrown_by({"0x100000000", "--as", "idesc"}).message() == "'0x100000000' does not fit in 32 bits");
  const Error kind = thrown_by({"0x40", "--as", "smem", "--kind", "f16"});
  CHECK(kind.message() == "--kind belongs to instruction descriptors");
  CHECK(kind.kind == ErrorKind::usage);
  CHECK_FALSE(kind.hint.empty());
}

TEST_CASE("text: bits, fields, both readings of the strides, notes, and lints last") {
  const std::string text = render_text(run("decode", {"0x4000040000100042"}).document, {});
  std::size_t last = 0;
  for (const char* part : {"0x4000040000100042  wgmma-smem on sm_90a", "stride_byte_offset   32-45  1024  16384 B",
                           "K-major   not used", "MN-major  256 B from one block of 128 B along MN to the next",
                           "note: the start lies 32 B inside", "lint[stride-in-bytes]"}) {
    CAPTURE(std::string(part));
    const std::size_t at = text.find(part);
    REQUIRE(at != std::string::npos);
    CHECK(at >= last);
    last = at;
  }
}

TEST_CASE("swz arch: every table, every row with source and evidence, and each topic by itself") {
  const Parsed all = parsed(run("arch", {}).document);
  CHECK(
      keys(all) ==
      "verdict dtypes targets shared_memory swizzle_modes wgmma_smem tcgen05_smem tcgen05_smem_107 strides plain_idesc "
      "plain_idesc_107 mxf8f6f4_idesc mxf8f6f4_idesc_107 "
      "mxf4_idesc mxf4_idesc_107 kinds "
      "type_codes shapes smem_rules idesc_rules operand_rules mistakes tma_forms tensor_map_types tensor_map_swizzles "
      "tensor_map_fields "
      "tensor_map_rules im2col_rules tcgen05 data_paths tmem_shapes tmem_copies scale_kinds scale_qualifiers "
      "narrow_forms sparse_forms cluster_limits gpus mma_rates questions cute open settled");
  for (const auto& table : all.items()) {
    CAPTURE(table.key());
    CHECK_FALSE(table.value().empty());
    if (table.key() == "verdict") continue;
    for (const Parsed& row : table.value()) {
      CHECK_FALSE(row.at("source").get<std::string>().empty());
      CHECK_FALSE(row.at("evidence").get<std::string>().empty());
    }
  }
  const Parsed swizzle = parsed(run("arch", {"swizzle"}).document);
  CHECK(keys(swizzle) == "verdict swizzle_modes");
  CHECK(swizzle["swizzle_modes"] == all["swizzle_modes"]);
  CHECK(swizzle["swizzle_modes"][4]["name"] == "128B_32B");
  CHECK(swizzle["swizzle_modes"][4]["wgmma_code"].is_null());
  CHECK(swizzle["swizzle_modes"][3]["tcgen05_code"] == 2);
  for (const char* topic : {"dtype", "targets", "swizzle", "descriptor", "idesc", "kinds", "shapes", "lints", "tma",
                            "tcgen05", "tmem", "scales", "narrow", "sparse", "observations", "open"})
    CHECK_FALSE(render_text(run("arch", {topic}).document, {}).empty());
  CHECK_THROWS_AS(run("arch", {"nonsense"}), Error);
}

TEST_CASE("A and B of one MMA are not steps of one loop") {
  const auto loops = [](const std::string& text) {
    std::string out;
    const Parsed json = decoded({text});
    for (const auto& loop : json.value("loops", Parsed::array()))
      out += fmt::format("{} {};", loop["words"].size(), loop["readings"].empty() ? "wrong" : "right");
    return out;
  };
  // Without names 512 B are the mistake of a step of 32 B that is not shifted.
  CHECK(loops("0x4000004000010042 0x4000004000010062") == "2 wrong;");
  CHECK(loops("desc = 0x4000004000010042, desc = 0x4000004000010062") == "2 wrong;");
  CHECK(loops("desc_a = 0x4000004000010042, desc_b = 0x4000004000010062") == "");
  CHECK(loops("a0 = 0x4000004000010040, b0 = 0x4000004000010440, a1 = 0x4000004000010042, b1 = 0x4000004000010442") ==
        "2 right;2 right;");
  CHECK(loops("a0 = 0x4000004000010040, b0 = 0x4000004000010440, a1 = 0x4000004000010060, b1 = 0x4000004000010442") ==
        "2 wrong;2 right;");
}

}  // namespace
}  // namespace swz
