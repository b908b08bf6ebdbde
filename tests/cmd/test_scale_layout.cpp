// SPDX-License-Identifier: Apache-2.0
// swz sf place, list, diff and identify: the contract, what is refused, and that they agree with each other.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "answers.hpp"

using namespace swz;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json answered(const std::string& line, int exit_code = 0) { return json_of(words_of(line), exit_code); }
std::string refused(const std::string& line) { return error_of(words_of(line)); }

// A file that ends with the test.
class Dump {
 public:
  explicit Dump(const std::vector<std::uint8_t>& bytes) : path_(fs::temp_directory_path() / "swz_scales.bin") {
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  }
  ~Dump() { fs::remove(path_); }
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;
  std::string name() const { return "@" + path_.string(); }

 private:
  fs::path path_;
};

// The codes of --make in the places of --map.
std::vector<std::uint8_t> written(const std::string& options, int rows, int factors) {
  const json place = answered(fmt::format("sf place {} --map", options));
  std::vector<std::uint8_t> bytes(place["bytes"].get<std::size_t>(), 0);
  for (int row = 0; row < rows; ++row)
    for (int kb = 0; kb < factors; ++kb)
      bytes[place["map"][static_cast<std::size_t>(row * factors + kb)].get<std::size_t>()] =
          static_cast<std::uint8_t>((73 * row + 29 * (row / 8) + 151 * kb + 57 * (kb / 4)) % 251);
  return bytes;
}

}  // namespace

TEST_CASE("sf place: names, batches, groups and orders") {
  const json blocked = answered("sf place --layout to_blocked --vec 16 --shape 256x1024 --at 200,1000");
  CHECK(blocked == answered("sf place --vec 16 --shape 256x1024 --at 200,1000"));
  CHECK(blocked["layout"] == "128x4");
  CHECK(blocked["offset"] == 16010);
  CHECK(blocked["cute"] == "((32,4,2),(4,16)):((16,4,8192),(1,512))");
  CHECK(answered("sf place --vec 32 --shape 200x704 --batches 3 --at 2,199,703")["offset"] == 18041);
  const json group = answered("sf place --layout 128x4 --shape 172x256 --groups 5,130,37 --at 170,160");
  CHECK(group["offset"] == 3637);
  CHECK(group["group"] == 2);
  CHECK(group["formula"].is_null());
  // K of 3, 8 and 5 factors of 32, the last of each not whole.
  CHECK(answered("sf place --shape 200x480 --k-groups 80,250,150 --at 37,150")["offset"] == 1110);
  CHECK(answered("sf place --shape 256x704 --order gated,shuffle32 --at 200,160")["offset"] == 3777);
  CHECK(answered("sf place --layout mn_major_f32 --vec 128 --shape 200x2816 --at 37,640")["offset"] == 4148);
  CHECK(answered("sf place --layout ggml_mxfp4 --shape 4x64 --offset 5")["row"].is_null());
  CHECK(
      refused("sf place --shape 200x704 --groups 5,130") ==
      "swz: error: the groups have 135 rows together, the operand has 200\nhint: the groups are all of the operand\n");
  CHECK(refused("sf place --shape 200x704 --layout deepgemm_utccp") ==
        "swz: error: layout deepgemm_utccp has whole groups of 128 rows, not 200\n"
        "hint: take 256, with padding of your own (DeepGEMM mega/__init__.py)\n");
  CHECK(refused("sf place --shape 40x704 --order shuffle32") ==
        "swz: error: order shuffle32 has whole groups of 32 rows, not 40\nhint: take 64 rows\n");
  CHECK(refused("sf place --shape 256x704 --order shuffle33") ==
        "swz: error: 'shuffle33' is not a known order of rows\nhint: did you mean 'shuffle32'? orders: "
        "shuffle32, shuffle16, gated, interleave8, swap_halves and attention_tokens\n");
  CHECK(refused("sf place --shape 256x704 --batches 2 --at 2,0,0") ==
        "swz: error: there is no batch 2\nhint: batch is 0 to 1\n");
}

TEST_CASE("sf list: sizes that are equal, functions that are the same") {
  const json all = answered("sf list");
  CHECK(all["layouts"].size() == 27);
  const json sized = answered("sf list --shape 200x704");
  std::map<std::string, json> rows;
  for (const json& row : sized["layouts"]) rows[row["name"]] = row;
  CHECK(rows["128x4"]["size"] == 6144);
  CHECK(rows["128x4_k8"]["same"] == json{"128x4"});
  CHECK(rows["8x4"]["size"] == rows["deepgemm_packed"]["size"]);
  CHECK(rows["8x4"]["same"].empty());
  CHECK(rows["64x4"]["size"].is_null());
}

TEST_CASE("sf diff: the first factor that is read elsewhere, and what is read instead") {
  const json d = answered("sf diff linear 128x4 --shape 256x256 --vec 16", 1);
  CHECK(d["same"] == false);
  CHECK(d["first"] == json{{"batch", 0}, {"row", 0}, {"kb", 4}});
  CHECK(d["written"] == 4);
  CHECK(d["read"] == 512);
  CHECK(d["instead"] == json{{"batch", 0}, {"row", 32}, {"kb", 0}});
  CHECK(answered("sf diff 128x4 deepgemm_utccp --shape 128x256")["same"] == true);
  // A permutation that only one side applies.
  CHECK(answered("sf diff 128x4 128x4 --shape 256x256 --order-a shuffle32", 1)["different"].get<int>() > 0);
  CHECK(refused("sf diff linear linear_f32 --shape 8x256") ==
        "swz: error: factors of linear have 1 bytes, of linear_f32 4\n"
        "hint: compare layouts of factors of the same size\n");
}

// Factors as floats: in a tensor of E4M3 a power of two is a code of E4M3, not an exponent of UE8M0.
TEST_CASE("sf identify: floats are codes of the one type that has them all") {
  struct Type {
    const char* name;
    std::vector<std::pair<float, std::uint8_t>> codes;
  };
  const Type types[] = {{"UE8M0", {{1.0F, 127}, {2.0F, 128}, {0.25F, 125}, {16.0F, 131}, {0.5F, 126}}},
                        {"E4M3", {{1.0F, 0x38}, {2.0F, 0x40}, {0.5F, 0x30}, {448.0F, 0x7e}, {1.125F, 0x39}}},
                        {"E4M3, powers of two only", {{1.0F, 0x38}, {2.0F, 0x40}, {0.5F, 0x30}, {256.0F, 0x78}}},
                        {"UE5M3", {{1.0F, 0x78}, {114688.0F, 0xfe}, {1.125F, 0x79}, {0x1p-17F, 0x01}}}};
  const fs::path values = fs::temp_directory_path() / "swz_scale_values.bin";
  for (const Type& type : types) {
    CAPTURE(type.name);
    const json place = answered("sf place --shape 200x704 --map");
    std::vector<std::uint8_t> bytes(place["bytes"].get<std::size_t>(), 0);
    std::vector<float> numbers;
    for (std::size_t i = 0; i < 200 * 22; ++i) {
      const auto& [number, code] = type.codes[(i * i / 7 + i / 22) % type.codes.size()];
      numbers.push_back(number);
      bytes[place["map"][i].get<std::size_t>()] = code;
    }
    std::ofstream(values, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), std::ssize(numbers) * 4);
    const Dump dump(bytes);
    const json found =
        answered(fmt::format("sf identify {} --shape 200x704 --values @{}", dump.name(), values.string()));
    CHECK(found["readings"][0]["layout"] == "128x4");
  }
  std::vector<float> odd(200 * 22, 1.0F / 3);
  std::ofstream(values, std::ios::binary).write(reinterpret_cast<const char*>(odd.data()), std::ssize(odd) * 4);
  const Dump dump(std::vector<std::uint8_t>(6144, 1));
  CHECK(refused(fmt::format("sf identify {} --shape 200x704 --values @{}", dump.name(), values.string()))
            .find("UE5M3 has no 0.33333334") != std::string::npos);
  fs::remove(values);
}

TEST_CASE("sf identify: what place wrote is found") {
  for (const char* layout : {"128x4", "8x4", "deepgemm_packed", "8x16", "linear"}) {
    CAPTURE(layout);
    const Dump dump(written(fmt::format("--layout {} --shape 200x704", layout), 200, 22));
    const json found = answered(fmt::format("sf identify {} --shape 200x704", dump.name()));
    CHECK(found["readings"][0]["layout"] == layout);
    CHECK(found["decided"] == true);
    CHECK(found["padding"]["bytes"] == found["padding"]["zeros"]);
  }
  const Dump ordered(written("--shape 256x704 --order gated,shuffle32", 256, 22));
  CHECK(answered(fmt::format("sf identify {} --shape 256x704", ordered.name()))["readings"][0]["row_order"] ==
        json{"gated", "shuffle32"});
  const Dump noise(std::vector<std::uint8_t>(6144, 7));
  CHECK(answered(fmt::format("sf identify {} --shape 200x704", noise.name()), 1)["readings"].empty());
  CHECK(refused("sf identify --shape 200x704") == "swz: error: no dump given\nhint: a file, or - for standard input\n");
}
