// SPDX-License-Identifier: Apache-2.0
// Walks: every byte once, the order of the lanes, published values, refusals.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "smem/walk.hpp"

using namespace swz;

namespace {

const Target& hopper() { return default_target(); }

Placement layout(const char* text, int bits) { return Placement(parse_layout(text), bits); }

SmemTileValues tile_of(const char* dtype, std::int64_t mn, std::int64_t k, const char* mode, Major major = Major::K) {
  return {.dtype = dtype, .major = major, .mn = mn, .k = k, .swizzle = mode};
}

Walk walked(const Placement& p, const char* access) { return walk(p, parse_accesses(access).front(), hopper()); }

ThreadValueLayout tv(const char* text, TileExtents tile) { return {parse_layout(text).layout(), tile}; }

Walk walked(const Placement& p, const ThreadValueLayout& values, const char* access = "ld.shared tv") {
  return walk(p, parse_accesses(access).front(), hopper(), values);
}

std::string error_of(const Placement& p, const char* access) {
  try {
    walked(p, access);
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

// Every byte of the operand is accessed by exactly one lane of one instruction.
void check_once(const Placement& p, const Walk& w) {
  std::vector<int> touched(static_cast<std::size_t>(p.end().count), 0), wanted(touched);
  for (std::int64_t row = 0; row < p.extents().mn; ++row)
    for (std::int64_t k = 0; k < p.extents().k; ++k)
      for (std::int64_t bit = p.bit(row, k).count; bit < p.bit(row, k).count + p.element_bits(); bit += 4)
        wanted[static_cast<std::size_t>(bit / 8)] = 1;
  std::int64_t wavefronts = 0, ideal = 0, pairing = 0;
  for (const WalkStep& step : w.steps) {
    for (int lane = 0; lane < warp_lanes; ++lane) {
      if ((step.pattern.lanes() >> lane & 1) == 0) continue;
      const std::uint32_t address = step.pattern.address[static_cast<std::size_t>(lane)];
      const TileCoordinate at = coordinate(step, lane, p);
      CHECK(p.byte(at.row, at.k).count == address);
      for (int i = 0; i < step.pattern.instruction->bytes; ++i) ++touched[address + static_cast<std::size_t>(i)];
    }
    wavefronts += step.count.wavefronts;
    ideal += step.count.ideal;
    pairing += step.count.pairs != 0 ? 1 : 0;
    CHECK(step.count.excess() <= w.steps[w.worst].count.excess());
  }
  CHECK(touched == wanted);
  CHECK(wavefronts == w.wavefronts);
  CHECK(ideal == w.ideal);
  CHECK(pairing == w.pairing_steps);
}

std::string coordinates(const WalkStep& step, const Placement& p, std::initializer_list<int> lanes) {
  std::string text;
  for (const int lane : lanes) {
    const TileCoordinate at = coordinate(step, lane, p);
    text += "(" + std::to_string(at.row) + "," + std::to_string(at.k) + ")";
  }
  return text;
}

}  // namespace

TEST_SUITE("smem") {
  TEST_CASE("walk: every byte of a tile once, for every access, type, major and mode") {
    for (const char* dtype : {"f16", "e4m3", "tf32", "e2m1"})
      for (const char* mode : {"none", "32B", "64B", "128B"})
        for (const Major major : {Major::K, Major::MN}) {
          const std::int64_t chunk = 128 / element_bits(require_dtype(dtype));
          const Placement p(SmemTile(
              tile_of(dtype, major == Major::K ? 16 : 16 * chunk, major == Major::K ? 16 * chunk : 16, mode, major)));
          for (const char* access : {"ldmatrix.x1", "ldmatrix.x2.trans", "ldmatrix.x4", "ldmatrix.m16n16.x2.trans",
                                     "stmatrix.x4", "ld.shared rows", "ld.shared.b32 columns", "st.shared.b64 gmem",
                                     "cp.async", "st.shared.b128 columns"}) {
            INFO(dtype << " " << mode << " " << to_string(major) << " " << access);
            check_once(p, walked(p, access));
          }
        }
  }

  TEST_CASE("walk: x4 takes the fragments of A as the loop over K does, in both majors") {
    const Placement k_major(SmemTile(tile_of("f16", 64, 64, "128B")));
    const Walk w = walked(k_major, "ldmatrix.x4");
    REQUIRE(w.steps.size() == 16);
    CHECK(coordinates(w.steps[0], k_major, {0, 7, 8, 15, 16, 24, 31}) == "(0,0)(7,0)(8,0)(15,0)(0,8)(8,8)(15,8)");
    CHECK(coordinates(w.steps[1], k_major, {0, 31}) == "(16,0)(31,8)");
    CHECK(coordinates(w.steps[4], k_major, {0, 31}) == "(0,16)(15,24)");
    const Placement mn_major(SmemTile(tile_of("f16", 64, 64, "128B", Major::MN)));
    // A lane names a line, here a k; matrix 1 holds the next rows, matrix 2 the next k.
    CHECK(coordinates(walked(mn_major, "ldmatrix.x4.trans").steps[0], mn_major, {0, 7, 8, 16, 24, 31}) ==
          "(0,0)(0,7)(8,0)(0,8)(8,8)(8,15)");
    const Placement one_row = layout("(8,64):(64,1)", 16), one_k = layout("(64,8):(8,1)", 16);
    CHECK(coordinates(walked(one_row, "ldmatrix.x4").steps[0], one_row, {0, 8, 16, 24}) == "(0,0)(0,8)(0,16)(0,24)");
    CHECK(coordinates(walked(one_k, "ldmatrix.x4").steps[0], one_k, {0, 8, 16, 24}) == "(0,0)(8,0)(16,0)(24,0)");
    CHECK(coordinates(walked(one_row, "ldmatrix.x2").steps[0], one_row, {0, 8}) == "(0,0)(0,8)");
  }

  TEST_CASE("walk: orders of ld.shared and st.shared") {
    const Placement p = layout("(64,128):(128,1)", 16);
    CHECK(coordinates(walked(p, "ld.shared.b128 rows").steps[0], p, {0, 1, 15, 16}) == "(0,0)(0,8)(0,120)(1,0)");
    CHECK(coordinates(walked(p, "ld.shared.b128 columns").steps[0], p, {0, 1, 31}) == "(0,0)(1,0)(31,0)");
    // 128 contiguous bytes of GMEM for 8 lanes, 16 B each.
    CHECK(coordinates(walked(p, "st.shared.b128 gmem").steps[0], p, {0, 7, 8, 31}) == "(0,0)(0,56)(1,0)(3,56)");
    CHECK(coordinates(walked(p, "cp.async").steps[16], p, {0, 7, 8}) == "(0,64)(0,120)(1,64)");
    const Placement mn = layout("(128,64):(1,128)", 16);
    CHECK(coordinates(walked(mn, "st.shared.b128 gmem").steps[0], mn, {0, 7, 8}) == "(0,0)(56,0)(0,1)");
    CHECK(coordinates(walked(mn, "st.shared.b128 rows").steps[0], mn, {0, 1, 31}) == "(0,0)(0,1)(0,31)");
    // 20 rows of 3 pieces: the last warp is not full.
    const Placement odd = layout("(20,12):(12,1)", 32);
    const Walk w = walked(odd, "ld.shared.b128");
    CHECK(w.steps.size() == 2);
    CHECK(std::popcount(w.steps[1].pattern.lanes()) == 28);
    check_once(odd, w);
    // Without a width, the widest.
    CHECK(to_string(walked(odd, "st.shared columns").access) == "st.shared.b128 columns");
    CHECK(to_string(walked(layout("(8,8):(10,1)", 16), "ld.shared").access) == "ld.shared.b32 rows");
    CHECK(to_string(walked(layout("(8,8):(9,1)", 16), "ld.shared").access) == "ld.shared.b16 rows");
  }

  TEST_CASE("walk: without a width the widest piece that holds together, from 16 B down to one element") {
    const auto taken = [](const std::string& text, int bits, const char* access = "ld.shared") {
      return to_string(walked(Placement(parse_layout(text), bits), access).access);
    };
    // Lines of 64 elements, `gap` bytes further each: pieces as wide as what divides the gap.
    const std::pair<int, const char*> widths[] = {{16, "b128"}, {8, "b64"}, {4, "b32"}, {2, "b16"}, {1, "b8"}};
    for (const auto& width : widths)
      for (const int odd : {1, 3, 5}) {
        const int line = 64 + width.first * odd;
        if (line % (2 * width.first) == 0 && width.first < 16) continue;
        CAPTURE(line);
        CHECK(taken(fmt::format("(8,64):({},1)", line), 8) == fmt::format("ld.shared.{} rows", width.second));
        CHECK(taken(fmt::format("(8,64):({},1)", line), 8, "st.shared columns") ==
              fmt::format("st.shared.{} columns", width.second));
      }
    // Every second byte: one element each, of any width.
    CHECK(taken("(8,8):(16,2)", 8) == "ld.shared.b8 rows");
    CHECK(taken("(8,8):(16,2)", 16) == "ld.shared.b16 rows");
    CHECK(taken("(8,8):(16,2)", 32) == "ld.shared.b32 rows");
    CHECK(taken("(8,8):(16,2)", 64) == "ld.shared.b64 rows");
    CHECK(taken("(8,8):(16,2)", 128) == "ld.shared.b128 rows");
    CHECK(taken("(8,8):(8,1)", 4) == "ld.shared.b32 rows");
    CHECK(error_of(layout("(8,8):(16,2)", 4), "ld.shared") ==
          "no access of 1 to 16 bytes takes whole elements of this operand");
  }

  TEST_CASE("walk: thread-value layouts") {
    // A of m16n8k8 : thread 4g + t holds (g, 2t), (g, 2t+1), (g+8, 2t), (g+8, 2t+1).
    const ThreadValueLayout a = tv("((4,8),(2,2)):((32,1),(16,8))", {16, 8});
    const Placement p = layout("(16,8):(8,1)", 16);
    const Walk w = walked(p, a);
    CHECK(to_string(w.access) == "ld.shared.b32 tv");
    REQUIRE(w.steps.size() == 2);
    CHECK(coordinates(w.steps[0], p, {0, 1, 5, 31}) == "(0,0)(0,2)(1,2)(7,6)");
    CHECK(coordinates(w.steps[1], p, {0, 31}) == "(8,0)(15,6)");
    check_once(p, w);
    CHECK(w.wavefronts == 2);
    // The same tile repeated: down the rows, then along k. Rows of 128 B: 8 rows of a fragment share their banks.
    const Placement wide = layout("(64,64):(64,1)", 16);
    const Walk repeated = walked(wide, a);
    check_once(wide, repeated);
    CHECK(repeated.steps.size() == 64);
    CHECK(coordinates(repeated.steps[2], wide, {0}) == "(16,0)");
    CHECK(repeated.ways() == 8);
    CHECK(walked(Placement(SmemTile(tile_of("f16", 64, 64, "128B"))), a).ways() == 1);
    // MN-major: two values of a thread lie 32 B apart, so each needs an access of its own.
    const Placement mn = layout("(16,8):(1,16)", 16);
    CHECK(to_string(walked(mn, a).access) == "ld.shared.b16 tv");
    CHECK(walked(mn, a).steps.size() == 4);
    // Values that follow each other, but from an address that is not a multiple of their width.
    CHECK(to_string(walked(Placement(parse_layout("(16,8):(8,1)"), 16, Bytes{2}), a).access) == "ld.shared.b16 tv");
    // 128 threads are four warps; 20 threads are a part of one.
    const Walk warps = walked(wide, tv("((64,2),8):((1,512),64)", {64, 64}));
    CHECK(to_string(warps.access) == "ld.shared.b128 tv");
    REQUIRE(warps.steps.size() == 4);
    CHECK(coordinates(warps.steps[1], wide, {0, 31}) == "(32,0)(63,0)");
    CHECK(coordinates(warps.steps[2], wide, {0, 31}) == "(0,8)(31,8)");
    CHECK(std::popcount(walked(wide, tv("(20,1):(1,0)", {64, 64})).steps[0].pattern.lanes()) == 20);
  }

  TEST_CASE("walk: one wavefront for each 8 x 16 B subtile of the eight atoms") {
    for (const char* mode : {"none", "32B", "64B", "128B"})
      for (const Major major : {Major::K, Major::MN}) {
        const SwizzleMode& m = require_swizzle_mode(mode);
        const std::int64_t width = std::max<std::int64_t>(8, m.span.count / 2);
        const bool k = major == Major::K;
        const Walk w =
            walked(Placement(SmemTile(tile_of("bf16", k ? 8 : width, k ? width : 8, mode, major))), "ldmatrix.x1");
        CHECK(w.steps.size() == static_cast<std::size_t>(width / 8));
        for (const WalkStep& step : w.steps) CHECK(step.count.wavefronts == 1);
      }
    // The linear layout of the tile that mode 32B holds.
    for (const WalkStep& step : walked(layout("(8,16):(16,1)", 16), "ldmatrix.x1").steps)
      CHECK(step.count.wavefronts == 2);
    for (const char* mode : {"32B", "64B", "128B"}) {
      const std::int64_t k = require_swizzle_mode(mode).span.count / 2;
      const std::string linear = "(8," + std::to_string(k) + "):(" + std::to_string(k) + ",1)";
      CHECK(walked(layout(linear.c_str(), 16), "ldmatrix.x1").ways() == k / 8);
    }
  }

  TEST_CASE("walk: GMEM rows of 64 B stored into three modes") {
    // Eight lanes hold two rows of four chunks. Mode none keeps the rows of a chunk column together, so the four
    // chunks of a row begin 128 B apart; in mode 32B two by two; in mode 64B the eight chunks are one line.
    for (const auto& [mode, ways] : {std::pair{"none", 4}, {"32B", 2}, {"64B", 1}})
      CHECK(walked(Placement(SmemTile(tile_of("bf16", 8, 32, mode))), "st.shared.b128 gmem").ways() == ways);
    // ldmatrix reads all three without a conflict.
    for (const char* mode : {"none", "32B", "64B"})
      CHECK(walked(Placement(SmemTile(tile_of("bf16", 8, 32, mode))), "ldmatrix.x4").excess() == 0);
    CHECK(walked(Placement(SmemTile(tile_of("bf16", 64, 64, "128B"))), "st.shared.b128 gmem").excess() == 0);
  }

  TEST_CASE("walk: the transpose of 32x32 f32") {
    const auto transpose = [](const char* text) {
      const Placement p = layout(text, 32);
      const std::vector<Access> both = parse_accesses("transpose");
      REQUIRE(both.size() == 2);
      const Walk write = walk(p, both[0], hopper()), read = walk(p, both[1], hopper());
      CHECK(to_string(write.access) == "st.shared.b32 rows");
      CHECK(to_string(read.access) == "ld.shared.b32 columns");
      CHECK(write.ideal + read.ideal == 64);
      return std::pair{write.wavefronts, read.wavefronts};
    };
    CHECK(transpose("(32,32):(32,1)") == std::pair<std::int64_t, std::int64_t>{32, 1024});
    CHECK(transpose("(32,32):(33,1)") == std::pair<std::int64_t, std::int64_t>{32, 32});
    // 4-byte atomicity serves both directions; the 16-byte chunks of the 128-byte swizzle spread a column over 8
    // of the 32 banks.
    CHECK(transpose("Sw<5,2,5> o smem_ptr[32b](unset) o (32,32):(32,1)") ==
          std::pair<std::int64_t, std::int64_t>{32, 32});
    CHECK(transpose("Sw<3,4,3> o smem_ptr[32b](unset) o (32,32):(32,1)") ==
          std::pair<std::int64_t, std::int64_t>{32, 128});
  }

  TEST_CASE("walk: the banks of 64x64 bf16 with and without K_SW128") {
    for (const bool swizzled : {false, true}) {
      const Placement p = layout(swizzled ? "tile_to_shape(K_SW128<bf16>, (64,64))" : "(64,64):(64,1)", 16);
      const Walk w = walked(p, "ld.shared.b16 columns");
      for (const WalkStep& step : w.steps)
        for (const WavefrontGroup& group : wavefront_report(step.pattern, hopper()).groups)
          for (const LaneUse& lane : group.lanes) {
            const TileCoordinate at = coordinate(step, lane.lane, p);
            const std::int64_t linear = at.row * 128 + at.k * 2;
            CHECK(lane.bank == (swizzled ? linear ^ (at.row % 8 * 16) : linear) / 4 % 32);
          }
      // Down a column: "as many as possible", or "some but not as severe"; along K none.
      CHECK(w.ways() == (swizzled ? 4 : 32));
      CHECK(walked(p, "ld.shared.b16 rows").excess() == 0);
    }
  }

  TEST_CASE("walk: (128,8):(1,128) f16 with ldmatrix.x4.trans") {
    const Walk plain = walked(layout("(128,8):(1,128)", 16), "ldmatrix.x4.trans");
    CHECK(plain.ways() == 8);
    CHECK(plain.wavefronts == 128);
    const Walk swizzled = walked(layout("Sw<3,3,4> o 0 o (128,8):(1,128)", 16), "ldmatrix.x4.trans");
    CHECK(swizzled.excess() == 0);
    CHECK(swizzled.wavefronts == 16);
  }

  TEST_CASE("walk: accesses as text") {
    for (const char* text :
         {"ldmatrix.x4", "stmatrix.x2.trans", "ld.shared.b32 columns", "cp.async.16 gmem", "ld.shared tv"})
      CHECK(to_string(parse_accesses(text).front()) == text);
    CHECK(to_string(parse_accesses("  LDS.128   gmem ").front()) == "ld.shared.b128 gmem");
    for (const char* wrong :
         {"", " ", "ldmatrix.x4 rows", "ld.shared colums", "transpose rows", "a b c", "ldmatrix.x5"})
      CHECK_THROWS_AS(parse_accesses(wrong), Error);
  }

  TEST_CASE("walk: refusals") {
    const Placement p = layout("(8,8):(8,1)", 16);
    CHECK(error_of(p, "ldmatrix.x4") ==
          "ldmatrix.x4 takes 4 matrices at a time; the operand has 1 x 1 of them (rows x k)");
    CHECK(error_of(layout("(4,8):(8,1)", 16), "ldmatrix.x1") ==
          "ldmatrix.x1 takes 8 lines at a time; the operand has 4");
    CHECK(error_of(layout("(8,8):(9,1)", 16), "ldmatrix.x1").find("does not keep them together") != std::string::npos);
    CHECK(error_of(layout("(8,8):(9,1)", 16), "ld.shared.b128") ==
          "ld.shared.b128 moves 16 B a lane: at (1,0), byte 0x12, the 8 elements along k do not lie together at a "
          "multiple of 16");
    CHECK(error_of(p, "ld.shared.b8") == "ld.shared.b8 moves 1 B a lane; an element has 16 bits");
    CHECK(error_of(layout("(4,12):(12,1)", 16), "ld.shared.b128") ==
          "ld.shared.b128 moves 8 elements along k a lane, which does not divide 12");
    CHECK(error_of(p, "ld.shared tv").find("order tv needs a layout") == 0);
    CHECK_THROWS_WITH_AS(walk(layout("(256,256):(256,1)", 16), parse_accesses("ld.shared")[0], require_target("sm_75")),
                         "the operand ends at 0x20000, beyond the shared memory of sm_75, which ends at 0x10000",
                         Error);
    const auto tv_error = [&](const char* text, TileExtents tile, const char* access = "ld.shared tv") {
      try {
        walked(p, tv(text, tile), access);
      } catch (const Error& error) {
        return error.message();
      }
      return std::string("no error");
    };
    CHECK(tv_error("(4,2,2):(1,4,8)", {8, 8}).find("a thread-value layout has two modes") == 0);
    CHECK(tv_error("(4,8):(1,1000)", {8, 8}) == "(4,8):(1,1000) at thread 0, value 1 is 1000: beyond a tile of 8x8");
    CHECK(tv_error("(4,2):(-1,1)", {8, 8}) == "(4,2):(-1,1) at thread 1, value 0 is -1: beyond a tile of 8x8");
    CHECK(tv_error("(4,2):(1,4)", {3, 8}) == "a thread-value tile of 3x8 does not divide 8x8");
    CHECK(tv_error("(8,8):(1,8)", {8, 8}, "ld.shared.b32 tv") == "no error");
    CHECK(tv_error("(8,8):(8,1)", {8, 8}, "ld.shared.b32 tv").find("do not lie together 4 B at a time") !=
          std::string::npos);
    CHECK(tv_error("(4096,4096):(0,0)", {8, 8}).find("at most 1048576 are walked") != std::string::npos);
  }
}
