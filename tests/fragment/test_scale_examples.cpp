// SPDX-License-Identifier: Apache-2.0
// Worked examples of block-scaled and sparse MMAs, computed by hand from PTX's formulas: one register, one bit range.
#include <doctest/doctest.h>

#include <string>

#include "fragment/fragment.hpp"

namespace swz {
namespace {

// "T12 r3 20-23" of an element.
std::string place_of(const FragmentRequest& request, Coordinate at) {
  const Fragment f = find_fragment(request);
  const Holder holder = FragmentInverse(f)(at);
  const RegisterSlot slot = f.value_slot(holder.value);
  return "T" + std::to_string(holder.thread) + " r" + std::to_string(slot.index) + " " +
         std::to_string(slot.first_bit) + "-" + std::to_string(slot.first_bit + f.value_width() - 1);
}

FragmentRequest mx8(Operand operand, ScaleIds ids = {}) {
  return {.name = "mma.m16n8k32", .operand = operand, .kind = "mxf8f6f4", .sfa_ids = ids, .sfb_ids = ids};
}

TEST_CASE("lane 13 of m16n8k32: elements and the scale factors that it gives") {
  CHECK(place_of(mx8(Operand::a), {3, 6}) == "T13 r0 16-23");
  CHECK(place_of(mx8(Operand::a), {11, 20}) == "T13 r3 0-7");
  CHECK(place_of(mx8(Operand::b), {23, 3}) == "T13 r1 24-31");
  CHECK(place_of(mx8(Operand::d), {11, 3}) == "T13 r3 0-31");
  CHECK(place_of(mx8(Operand::sfa, {3, 0}), {11, 0}) == "T13 r0 24-31");
  CHECK_FALSE(find_fragment(mx8(Operand::sfa, {0, 1})).is_read(13));
  CHECK(place_of(mx8(Operand::sfb, {0, 1}), {0, 3}) == "T13 r0 0-7");
}

TEST_CASE("m16n8k64 4X: A (11, 37) and its scale factor, block 2") {
  FragmentRequest r{.name = "mma.m16n8k64", .operand = Operand::a, .kind = "mxf4nvf4", .scale_vec = 4};
  CHECK(place_of(r, {11, 37}) == "T12 r3 20-23");
  CHECK(find_fragment(r).block == 16);
  r.operand = Operand::sfa;
  CHECK(place_of(r, {11, 2}) == "T13 r0 16-23");
  r.sfa_ids = ScaleIds{0, 1};
  CHECK(place_of(r, {11, 2}) == "T15 r0 16-23");
}

TEST_CASE("2X with {2,1} and {2,3}: column 5 of k 40, row 12 of k 0") {
  FragmentRequest r{.name = "mma.m16n8k64",
                    .operand = Operand::sfb,
                    .kind = "mxf4",
                    .sfa_ids = ScaleIds{2, 1},
                    .sfb_ids = ScaleIds{2, 3}};
  CHECK(place_of(r, {40 / 32, 5}) == "T23 r0 24-31");
  r.operand = Operand::sfa;
  CHECK(place_of(r, {12, 0}) == "T19 r0 16-23");
}

TEST_CASE("1X: four k-steps of a tile of K 128 in one register") {
  for (int step = 0; step < 4; ++step) {
    CHECK(place_of(mx8(Operand::sfa, {step, 0}), {0, 0}) ==
          "T0 r0 " + std::to_string(8 * step) + "-" + std::to_string(8 * step + 7));
    CHECK(place_of(mx8(Operand::sfb, {step, 0}), {0, 0}) ==
          "T0 r0 " + std::to_string(8 * step) + "-" + std::to_string(8 * step + 7));
  }
}

TEST_CASE("sparse mxf8f6f4: A (9, k 44 to 47), its metadata and its scale factor") {
  FragmentRequest r{.name = "mma.sp::ordered_metadata.m16n8k64", .operand = Operand::a, .kind = "mxf8f6f4"};
  // chunk 11: kept elements 22 and 23
  CHECK(place_of(r, {9, 22}) == "T5 r3 16-23");
  CHECK(place_of(r, {9, 23}) == "T5 r3 24-31");
  CHECK(find_fragment(r).k_of({9, 22}).first == 44);
  CHECK(find_fragment(r).k_of({9, 22}).count == 4);
  r.operand = Operand::e;
  CHECK(place_of(r, {9, 22}) == "T7 r0 12-13");
  CHECK(place_of(r, {9, 23}) == "T7 r0 14-15");
  r.operand = Operand::sfa;
  CHECK(place_of(r, {9, 0}) == "T5 r0 0-7");
}

TEST_CASE("sparse mxf4nvf4 4X: row 2, k 64 to 71") {
  FragmentRequest r{
      .name = "mma.sp::ordered_metadata.m16n8k128", .operand = Operand::a, .kind = "mxf4nvf4", .scale_vec = 4};
  // chunk 8: kept elements 32 to 35, two pairs
  for (int i = 0; i < 4; ++i)
    CHECK(place_of(r, {2, 32 + i}) == "T8 r2 " + std::to_string(4 * i) + "-" + std::to_string(4 * i + 3));
  CHECK(find_fragment(r).k_of({2, 35}).first == 64);
  CHECK(find_fragment(r).k_of({2, 35}).count == 8);
  CHECK(find_fragment(r).block == 32);
  r.operand = Operand::e;
  CHECK(place_of(r, {2, 16}) == "T10 r0 0-1");
  CHECK(place_of(r, {2, 17}) == "T10 r0 2-3");
  r.operand = Operand::sfa;
  CHECK(place_of(r, {2, 66 / 32}) == "T8 r0 16-23");
}

TEST_CASE("an e2m1 of mxf8f6f4 takes bits 2 to 5 of its byte, one of mxf4 a whole nibble") {
  CHECK(place_of({.name = "mma.m16n8k32", .dtype = "e2m1", .operand = Operand::a, .kind = "mxf8f6f4"}, {0, 1}) ==
        "T0 r0 10-13");
  CHECK(place_of({.name = "mma.m16n8k64", .dtype = "e2m1", .operand = Operand::a, .kind = "mxf4"}, {0, 1}) ==
        "T0 r0 4-7");
}

}  // namespace
}  // namespace swz
