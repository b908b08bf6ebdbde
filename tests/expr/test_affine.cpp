// SPDX-License-Identifier: Apache-2.0
// Which C expressions are read as affine maps over GF(2), operator by operator, with the constant on either side. That
// the map is the right one, test_c_expression.cpp tries on random expressions.
#include <doctest/doctest.h>

#include <string>

#include "expr/c_expression.hpp"

using namespace swz;

namespace {

constexpr int bits = 8;

// Whether it is read, and read as what the expression computes.
bool is_affine(const char* text) {
  const CExpression f(text);
  const auto map = affine_of(f, bits);
  if (!map) return false;
  for (std::uint64_t x = 0; x < 1U << bits; ++x) CHECK((*map)(x) == f(x));
  return true;
}

}  // namespace

TEST_CASE("affine: with a constant on either side where the operator commutes") {
  for (const char* text : {"addr",
                           "7",
                           "addr & 0x70",
                           "0x70 & addr",
                           "addr | 0x11",
                           "0x11 | addr",
                           "addr ^ 5",
                           "5 ^ addr",
                           "addr * 8",
                           "8 * addr",
                           "addr * 1",
                           "addr * 0",
                           "0 * addr",
                           "addr * 257",
                           "addr << 3",
                           "addr >> 3",
                           "addr << 0",
                           "addr / 8",
                           "addr / 1",
                           "addr % 8",
                           "addr % 1",
                           "~addr",
                           "addr + 256",
                           "256 + addr",
                           "addr + 0",
                           "addr - 0",
                           "addr - (addr & 7)",
                           "addr + (addr << 8)",
                           "(addr & 15) | (addr & 240)",
                           "(addr & 1) & 2",
                           "addr ^ (addr >> 4)",
                           "3 * 5 + addr * 256",
                           "!5 ^ addr",
                           "-5 ^ addr",
                           "(7 < 8) ^ addr",
                           "(9 / 3) ^ addr"})
    CHECK_MESSAGE(is_affine(text), std::string(text));
}

TEST_CASE("affine: what carries, multiplies variables or decides is not") {
  for (const char* text :
       {"addr + 1",          "1 + addr",     "addr * 3",   "3 * addr",   "addr - 1",     "7 - addr",
        "255 - addr",        "addr / 3",     "addr % 3",   "addr / 0",   "addr % 0",     "8 << addr",
        "8 >> addr",         "256 / addr",   "256 % addr", "!addr",      "-addr",        "addr == 1",
        "addr < 1",          "addr ? 1 : 2", "addr && 1",  "addr || 1",  "addr & addr",  "addr | addr",
        "addr * addr",       "addr + addr",  "addr << 64", "addr >> 64", "addr << addr", "addr ^ (1 / 0)",
        "addr - (addr << 1)"})
    CHECK_MESSAGE(!is_affine(text), std::string(text));
  CHECK(is_affine("addr << 63"));
  CHECK(is_affine("addr >> 63"));
}
