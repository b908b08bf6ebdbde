// SPDX-License-Identifier: Apache-2.0
// Layouts as kernels have them, staged and cut into MMAs: every command answers for them as for the tile of one stage, whose
// strides are those of the atoms. The prints are made here, by CuTe's rules and not by the program:
//
//   K-major: 8 rows of S bytes an atom, rows S/e apart; atoms follow each other along MN, then along K
//   MN-major: 8 k of S bytes an atom; the same
//
// S is the span of the mode, e the bytes of an element. SBO and LBO are then those of the atoms: S * 8, and what one row of
// atoms along MN takes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "answers.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

struct Case {
  const char* type;
  int bits;
  bool is_k_major;
  const char* mode;
  int swizzle_bits;
  std::int64_t span;  // elements of a line of the atom
  std::int64_t mn, k;
};

std::vector<Case> cases() {
  std::vector<Case> found;
  const std::pair<const char*, int> types[] = {{"bf16", 16}, {"e4m3", 8}, {"tf32", 32}};
  const std::pair<const char*, int> modes[] = {{"32B", 1}, {"64B", 2}, {"128B", 3}};
  for (const auto& [type, bits] : types)
    for (const bool is_k_major : {true, false})
      for (const auto& [mode, b] : modes) {
        if (!is_k_major && bits != 16) continue;  // what wgmma transposes
        const std::int64_t span = (16 << b) * 8 / bits;
        for (const std::int64_t mn : {64, 128})
          for (const std::int64_t atoms : {1, 2}) {
            const std::int64_t k = is_k_major ? span * atoms : 64;
            if (!is_k_major && mn % span != 0) continue;
            found.push_back({type, bits, is_k_major, mode, b, span, mn, k});
          }
      }
  return found;
}

// The offset of a step along each direction, as modes of (extent, stride): first inside the atom, then of atoms.
struct Direction {
  std::int64_t inner, inner_stride, outer, outer_stride;
  std::string shape() const { return fmt::format("(_{},_{})", inner, outer); }
  std::string stride() const { return fmt::format("(_{},_{})", inner_stride, outer_stride); }
};

struct Tile {
  Direction mn, k;
  std::int64_t elements;
};

Tile tile_of(const Case& c) {
  const std::int64_t atom = c.span * 8;
  if (c.is_k_major) return {{8, c.span, c.mn / 8, atom}, {c.span, 1, c.k / c.span, atom * (c.mn / 8)}, c.mn * c.k};
  return {{c.span, 1, c.mn / c.span, atom}, {8, c.span, c.k / 8, atom * (c.mn / c.span)}, c.mn * c.k};
}

std::string pointer(const Case& c, bool is_dsl) {
  if (is_dsl) return fmt::format("S<{},4,3> o 0 o ", c.swizzle_bits);
  return fmt::format("Sw<{},4,3> o smem_ptr[{}b](unset) o ", c.swizzle_bits, c.bits);
}

std::string without_marks(std::string text) {
  std::erase(text, '_');
  return text;
}

std::string print(const Case& c, bool is_dsl, const std::string& shape, const std::string& stride) {
  const std::string text = pointer(c, is_dsl) + shape + ":" + stride;
  return is_dsl ? without_marks(text) : text;
}

std::string plain(const Case& c) {
  const Tile t = tile_of(c);
  return print(c, false, fmt::format("({},{})", t.mn.shape(), t.k.shape()),
               fmt::format("({},{})", t.mn.stride(), t.k.stride()));
}

std::string staged(const Case& c, int stages, std::int64_t stride, bool is_dsl) {
  const Tile t = tile_of(c);
  return print(c, is_dsl, fmt::format("({},{},(_1,_{}))", t.mn.shape(), t.k.shape(), stages),
               fmt::format("({},{},(_0,_{}))", t.mn.stride(), t.k.stride(), stride));
}

// ((MMA_MN,MMA_K),MN,K[,STAGE]): an MMA takes all rows and 32 B of K, so K falls apart at 32 B.
std::string partitioned(const Case& c, int stages) {
  const Tile t = tile_of(c);
  const std::int64_t k = 256 / c.bits;
  // K of one MMA, and the steps.
  std::string mma_k, mma_k_stride, rest, rest_stride;
  if (c.is_k_major) {
    mma_k = fmt::format("_{}", k);
    mma_k_stride = "_1";
    rest = fmt::format("(_{},_{})", c.span / k, t.k.outer);
    rest_stride = fmt::format("(_{},_{})", k, t.k.outer_stride);
  } else {
    mma_k = fmt::format("(_8,_{})", k / 8);
    mma_k_stride = fmt::format("(_{},_{})", t.k.inner_stride, t.k.outer_stride);
    rest = fmt::format("_{}", c.k / k);
    rest_stride = fmt::format("_{}", t.k.outer_stride * (k / 8));
  }
  const std::string stage = stages == 0 ? "" : fmt::format(",_{}", stages),
                    stage_stride = stages == 0 ? "" : fmt::format(",_{}", t.elements);
  return print(c, false, fmt::format("(({},{}),_1,{}{})", t.mn.shape(), mma_k, rest, stage),
               fmt::format("(({},{}),_0,{}{})", t.mn.stride(), mma_k_stride, rest_stride, stage_stride));
}

const char* major(const Case& c) { return c.is_k_major ? "k" : "mn"; }

nlohmann::json desc(const Case& c, const std::string& layout) {
  return json_of({"desc", "--dtype", c.type, "--major", major(c), "--from", layout});
}

// What translate says of the tile as (MN,K); null: nothing.
nlohmann::json reading(const Case& c, const nlohmann::json& answer) {
  for (const auto& r : answer["read_by"])
    if (r["rows"] == "mn" && r["major"] == (c.is_k_major ? "K-major" : "MN-major")) return r;
  return nullptr;
}

std::uint64_t number_of(const nlohmann::json& word) { return std::stoull(word.get<std::string>(), nullptr, 16); }

TEST_CASE("translate and desc answer for a staged or partitioned print as for its tile") {
  int asked = 0;
  Sweep every{7, 2};
  for (const Case& c : cases()) {
    if (!every.takes()) continue;
    const std::string tile = plain(c);
    const auto expected = desc(c, tile);
    // From only the atoms: groups of 8 lines, and rows of atoms.
    CHECK(expected["swizzle"] == c.mode);
    if (c.is_k_major) CHECK(expected["sbo"] == c.span * 8 * c.bits / 8);
    const std::int64_t bytes = c.mn * c.k * c.bits / 8;
    for (const int stages : {1, 2, 3}) {
      const std::string prints[] = {staged(c, stages, tile_of(c).elements, false),
                                    staged(c, stages, tile_of(c).elements, true), partitioned(c, stages)};
      for (const std::string& text : prints) {
        CAPTURE(text);
        const auto d = desc(c, text);
        for (const char* key : {"swizzle", "lbo", "sbo", "tile", "mma"}) CHECK(d[key] == expected[key]);
        CHECK(d["descriptors"] == expected["descriptors"]);
        REQUIRE(d["stages"].is_object());
        CHECK(d["stages"]["count"] == stages);
        CHECK(d["stages"]["bytes"] == bytes);
        for (int i = 0; i < stages; ++i) {
          CHECK(d["stages"]["starts"][static_cast<std::size_t>(i)] == i * bytes);
          // A start address counts 16 bytes.
          CHECK(number_of(d["stages"]["words"][static_cast<std::size_t>(i)][0]) ==
                number_of(expected["descriptors"][0]["word"]) + static_cast<std::uint64_t>(i * bytes / 16));
        }
        const auto t = json_of({"translate", "--dtype", c.type, text});
        CHECK(t["swizzle_mode"] == c.mode);
        CHECK(t["hardware_mode"] == c.mode);
        const auto r = reading(c, t);
        REQUIRE(r.is_object());
        CHECK(r["lbo"] == expected["lbo"]);
        CHECK(r["sbo"] == expected["sbo"]);
        if (stages > 1) CHECK(t["stages"]["starts"][1] == bytes);
        ++asked;
      }
    }
    const auto cut = desc(c, partitioned(c, 0));
    CHECK(cut["descriptors"] == expected["descriptors"]);
    CHECK(cut["stages"].is_null());
  }
  CHECK(asked > at_least(200, 7, 2));
}

TEST_CASE("map, place and banks answer for a staged or partitioned print as for its tile") {
  Sweep every{7, 2};
  for (const Case& c : cases()) {
    if (!every.takes()) continue;
    const std::string tile = plain(c);
    const std::uint64_t word = number_of(desc(c, tile)["descriptors"][0]["word"]);
    const std::int64_t bytes = c.mn * c.k * c.bits / 8;
    const auto asked = [&](Words words, const std::string& layout) {
      words.push_back(layout);
      auto answer = json_of(words);
      for (const char* own : {"notes", "stages", "name", "placement"}) answer.erase(own);
      if (answer.contains("operand")) answer.erase("operand");
      return answer;
    };
    for (const std::string& text : {staged(c, 3, tile_of(c).elements, false), partitioned(c, 3)}) {
      CAPTURE(text);
      const Words place{"place", "--dtype", c.type, "--major", major(c), "--at", "5,7", "--layout"};
      const auto of_tile = json_of([&] {
        Words w = place;
        w.push_back(tile);
        return w;
      }());
      const auto of_staged = json_of([&] {
        Words w = place;
        w.push_back(text);
        return w;
      }());
      CHECK(of_staged["points"] == of_tile["points"]);
      const Words banks{"banks", "--dtype", c.type, "--major", major(c), "--access", "ldmatrix.x4", "--layout"};
      CHECK(asked(banks, text)["wavefronts"] == asked(banks, tile)["wavefronts"]);
      for (const int stage : {0, 2}) {
        const std::string moved = fmt::format("{:#018x}", word + static_cast<std::uint64_t>(stage * bytes / 16));
        const auto map =
            json_of({"map", moved, "--arch", "sm_90a", "--dtype", c.type, "--major", major(c), "--against", text});
        CHECK(map["against"]["same"] == true);
        CHECK(map["stages"]["count"] == 3);
      }
    }
  }
}

TEST_CASE("stages that overlap or begin inside a pattern are seen by every command") {
  for (const Case& c : cases()) {
    const std::int64_t elements = tile_of(c).elements, chunk = 128 / c.bits;
    const std::string overlapping = staged(c, 3, elements / 2, false), skewed = staged(c, 3, elements + chunk, false);
    CAPTURE(overlapping);
    for (const Words& command :
         {Words{"desc", "--dtype", c.type, "--major", major(c), "--from"},
          Words{"place", "--dtype", c.type, "--major", major(c), "--layout"},
          Words{"banks", "--dtype", c.type, "--major", major(c), "--layout"},
          Words{"map", "0x4000004000010000", "--dtype", c.type, "--major", major(c), "--against"}}) {
      Words words = command;
      words.push_back(overlapping);
      CHECK(error_of(words).find("the stages overlap") != std::string::npos);
    }
    const auto t = json_of({"translate", "--dtype", c.type, overlapping});
    CHECK(t["reason"].get<std::string>().find("the stages overlap") != std::string::npos);
    CHECK(t["read_by"].empty());

    const auto refused = json_of({"desc", "--dtype", c.type, "--major", major(c), "--from", skewed}, 1);
    CHECK(refused["reason"].get<std::string>().find("stage 1 begins") == 0);
    CHECK(json_of({"translate", "--dtype", c.type, skewed})["reason"].get<std::string>().find("stage 1 begins") == 0);
    const auto place = json_of({"place", "--dtype", c.type, "--major", major(c), "--layout", skewed});
    CHECK(std::ranges::any_of(place["notes"], [](const auto& n) { return n["rule"] == "stages-off-pattern"; }));
  }
}

TEST_CASE("a stage of stride 0 is one buffer, and one of extent 1 is one stage") {
  const auto stages = [](const char* text) { return json_of({"translate", "--dtype", "f16", text})["stages"]; };
  CHECK(stages("Sw<3,4,3> o smem_ptr[16b](unset) o (128,64,3):(64,1,0)")["starts"] == nlohmann::json{0, 0, 0});
  CHECK(stages("Sw<3,4,3> o smem_ptr[16b](unset) o (128,64,1):(64,1,0)")["count"] == 1);
  CHECK(stages("Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)").is_null());
  // As arrays of Triton and torch count.
  CHECK(stages("Sw<3,3,3> o 0 o (3,128,64):(8192,64,1)")["starts"] == nlohmann::json{0, 16384, 32768});
}

TEST_CASE("the array of Triton's buffers says them") {
  const auto t = json_of({"translate",
                          "!ttg.memdesc<3x128x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                          "elementBitWidth = 16}>, #smem, mutable>"});
  CHECK(t["hardware_mode"] == "128B");
  CHECK(t["stages"]["count"] == 3);
  CHECK(t["stages"]["bytes"] == 16384);
}

}  // namespace
}  // namespace swz
