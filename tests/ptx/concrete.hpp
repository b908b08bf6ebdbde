// SPDX-License-Identifier: Apache-2.0
// What the integer instructions of PTX compute, of one lane's operands: written from the PTX ISA, and not from src/ptx, whose
// claims it judges.
//
//   ConcreteOpcode op = decode_opcode("mad.wide.s32");
//   execute(op, {0xffffffff, 2, 10}, carry, out);        out.first == 8
//
// Source: PTX ISA 9.1, chapter 9.7.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace swz {

// "s32"; f for all floating-point types and for packed ones.
struct ConcreteType {
  char kind = 'b';
  int bits = 0;
  bool is_signed() const { return kind == 's'; }
  bool is_integer() const { return bits != 0 && kind != 'f'; }
};

ConcreteType concrete_type(std::string_view part);

struct ConcreteOpcode {
  std::string_view name = {};
  std::vector<std::string_view> modifiers = {};  // "wide", "s32"
  ConcreteType type = {};                        // the last; of prmt b32
  ConcreteType result = {};                      // of cvt, set and slct: the first

  bool has(std::string_view modifier) const;
  int number = 0;  // the place of `name` in the table of those that `execute` knows; -1: none of them
  int mode = 0;    // of a comparison, of prmt, of a combination with a predicate
  bool hi = false, wide = false, saturates = false, sets_carry = false, clamps = false, relu = false, is_left = false;
  char combines = ' ';  // & | ^: with a further predicate
};

ConcreteOpcode decode_opcode(std::string_view opcode);

struct ConcreteResult {
  std::uint64_t first = 0, second = 0;  // d, and the predicate after d|p
};

// Operands may have more bits than the instruction reads. nullopt: it is not one of these, or PTX does not say what comes out.
std::optional<ConcreteResult> execute(const ConcreteOpcode& opcode, const std::array<std::uint64_t, 5>& in,
                                      bool& carry);

constexpr std::uint64_t bits_below(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }
constexpr std::int64_t signed_value(std::uint64_t value, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  return static_cast<std::int64_t>(((value & bits_below(bits)) ^ sign) - sign);
}

}  // namespace swz
