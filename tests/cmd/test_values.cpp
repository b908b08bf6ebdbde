// SPDX-License-Identifier: Apache-2.0
// Values as people write and paste them, and what is said where one cannot be read.
#include <doctest/doctest.h>

#include "answers.hpp"
#include "base/text.hpp"
#include "option.hpp"

using namespace swz;

namespace {

template <class T>
T read(const std::string& text) {
  T value{};
  read_value(text, value);
  return value;
}

template <class T>
std::string name_of(const std::string& text) {
  return std::string(read<const T*>(text)->name);
}

// How the same value is written, and its canonical form.
const std::vector<std::pair<std::string, Words>> modes{
    {"none", {"none", "NONE", "0", "16", "INTERLEAVE", "Sw<0,4,3>", "S<0,3,3>", "K_INTER", "SWIZZLE_NONE"}},
    {"32B", {"32B", "32b", "32", "SW32", "Swizzle<1,4,3>", "Swizzle32B", "SWIZZLE_32B"}},
    {"64B", {"64B", "64", "Sw<2,4,3>", "Swizzle64B", "MN_SW64", "CU_TENSOR_MAP_SWIZZLE_64B"}},
    {"128B",
     {"128B", "128", "S<3,4,3>", "3,4,3", "(3, 4, 3)", "cute.make_swizzle(3, 4, 3)", "cute::Swizzle<3,4,3>", "K_SW128",
      "cute::GMMA::Layout_MN_SW128_Atom<half_t>", "GMMA::LayoutType::B128", "TensorMapSwizzle.SWIZZLE_128B", "s128b",
      "SmemLayoutAtomKind.K_SW128", "swizzlingByteWidth = 128", "Swizzle<3, 4, 3>", "swizzle128b", "Swizzle_128B"}},
    {"128B_32B",
     {"128B_32B", "Swizzle<2,5,2>", "128B_ATOM_32B", "MN_SW128_32B", "UMMA::LayoutType::SWIZZLE_128B_BASE32B"}},
};

}  // namespace

TEST_CASE("swizzle modes by their names, spans, numbers of the TMA enumeration and functors") {
  for (const auto& [name, texts] : modes)
    for (const std::string& text : texts) {
      CAPTURE(text);
      CHECK(name_of<SwizzleMode>(text) == name);
    }
  for (const char* text :
       {"", "1", "2", "3", "4", "5", "48", "256", "Sw<3,3,3>", "Sw<3,4>", "Sw<3,4,3", "3,4", "x128", "-3", "128C"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read<const SwizzleMode*>(text), Error);
  }
  // A number is another mode in each enum; a functor on elements is not one on bytes.
  CHECK(error_of({"place", "--tile", "8x64", "--swizzle", "1"}) ==
        "swz: error: --swizzle: '1' alone does not name a swizzle mode\nhint: it is 32B for the driver, Mojo and "
        "TileLang, 128B in a wgmma word and for nvFuser and 128B_32B in a tcgen05 word: name the mode\n");
  CHECK(error_of({"place", "--tile", "8x64", "--swizzle", "Sw<3,3,3>"}) ==
        "swz: error: --swizzle: 'Sw<3,3,3>' is not a swizzle mode on bytes\nhint: on elements of 2 bytes it is mode "
        "128B: name that\n");
  CHECK(error_of({"place", "--tile", "8x64", "--swizzle", "48B"})
            .find("swz: error: --swizzle: '48B' is not a swizzle mode\n") == 0);
}

TEST_CASE("element types as frameworks write them; targets as GPUs are called") {
  for (const char* text : {"bf16", "torch.bfloat16", "nv_bfloat16", "__nv_bfloat16", "cutlass::bfloat16_t", "BFLOAT16"})
    CHECK(name_of<DType>(text) == "bf16");
  for (const char* text : {"e4m3fn", "torch.float8_e4m3fn", "__nv_fp8_e4m3"}) CHECK(name_of<DType>(text) == "e4m3");
  CHECK(name_of<DType>("__nv_fp8_e8m0") == "ue8m0");
  for (const char* text : {"torch.", "bfloat", "torch.bf"})
    CHECK((std::string(text) == "bfloat") == (find_dtype(text) != nullptr));
  for (const char* text : {"h100", "H200", "sm_90", "90a", "hopper"}) CHECK(name_of<Target>(text) == "sm_90a");
  CHECK(name_of<Target>("B200") == "sm_100a");
}

TEST_CASE("extents, shapes, numbers and addresses") {
  for (const char* text : {"64x128", "[64, 128]", "(64,128)", "{64,128}", "64,128", "64 x 128"}) {
    CAPTURE(text);
    CHECK(read<TileExtents>(text) == TileExtents{64, 128});
  }
  for (const char* text : {"", "64", "64x0", "64x128x16", "64y128", "64x1048577", "[64;128]"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read<TileExtents>(text), Error);
  }
  CHECK(read<TileExtents>("64x1048576").k == 1048576);
  CHECK(read<MmaExtents>("[64, 256, 16]").n == 256);
  CHECK(read<MmaShapeText>("m64n256k16").instruction->k == 16);
  CHECK(read<MmaShapeText>("64x16").operand == TileExtents{64, 16});
  CHECK(read<Bytes>("0x100000000").count == 1LL << 32);
  CHECK_THROWS_AS(read<Bytes>("0x100000001"), Error);
  CHECK(read_number("1", 1, 9) == 1);
  CHECK(read_number("0x9", 1, 9) == 9);
  CHECK(read_number("-2", -2, 9) == -2);
  for (const char* text : {"0", "10", "-1", "", "1.5", "1e3"}) CHECK_THROWS_AS(read_number(text, 1, 9), Error);
  CHECK_THROWS_AS(read_number("-3", -2, 9), Error);
  CHECK(pieces_of(" a ;; b c;", ";") == Words{"a", "b c"});
}

TEST_CASE("an error proposes what would fit its option") {
  CHECK(error_of({"banks", "--access", "ld.shared.b32", "--lanes", "lane*128"}) ==
        "swz: error: --lanes: 'lane*128' is not a decimal number: 'l' is not a decimal digit\n"
        "hint: byte addresses with commas between them, lane 0 first: 0,16,32,48\n");
  CHECK(error_of({"place", "--tile", "8x64", "--base", "0x400+0x8000"}) ==
        "swz: error: --base: '0x400+0x8000' is not a hexadecimal number: '+' is not a hexadecimal digit\n"
        "hint: write an address in bytes, for example 0x400 or 1024\n");
  CHECK(error_of({"verify", "--only", "nosuch"}).find("swz: error: unknown value 'nosuch' for --only\n") == 0);
  CHECK(error_of({"verify", "--planted", "nosuch"}).find("swz: error: --planted: unknown hypothesis 'nosuch'\n") == 0);
  CHECK(error_of({"phase", "--swizzle", "auto"}) ==
        "swz: error: --swizzle auto needs --tile\nhint: give the tile, or name a swizzle mode\n");
  CHECK(error_of({"layout", "(8,64):(64,1)", "--limit", "67108865"})
            .find("swz: error: --limit: 67108865 is out of range\n") == 0);
  CHECK(error_of({"layout", "(8,64):(64,1)", "--table", "--limit", "511"}).find("swz: error: ") == 0);
}

TEST_CASE("operands in any case; one impossible variant does not end the others") {
  CHECK(run_cli({"map", "0x4000004000010042", "--arch", "sm_90a", "--mma", "m64n16k16", "--operand", "B"}).exit_code ==
        0);
  const auto json = json_of({"banks", "--dtype", "u8", "--layout", "(32,16):(32,1)", "--access", "ld.shared.b128",
                             "--compare", "pad 8;pad 16;linear"});
  REQUIRE(json["compare"].size() == 2);
  CHECK(json["compare"][0]["name"] == "pad 16");
  CHECK(json["compare"][1]["name"] == "linear");
  CHECK(json["lints"][0]["rule"] == "impossible-variant");
  CHECK(json["lints"][0]["message"].get<std::string>().find("pad 8: ") == 0);
}
