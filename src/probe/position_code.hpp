// SPDX-License-Identifier: Apache-2.0
// Position codes: every element of an image shows its place, in as many passes as its type needs.
//
//   An f16 has 14 bits for a code, and 233,472 B of shared memory are 116,736 of them: 17 bits, two passes.
//   element 40000 = 7232 + 2 * 16384:   pass 0 writes 0x2000 + 7232 = 0x3c40, pass 1 writes 0x2000 + 2 = 0x2002
//   An MMA that multiplies it by 1 gives 1.0625 and 0.00783…, which no other element gives.
//
// A code is a positive normal number of its type (for integers: any pattern), so that a product with 1 and sums with
// zeros are exact in every accumulator, and nothing is flushed to zero.
//
// Invariants (tested for every type and digit): digit(value of element) is the digit; position(digits) inverts them.
#pragma once

#include <optional>

#include "probe/observation.hpp"

namespace swz {

// One row per type. Floating types have sign, exponent and mantissa from the top of `width` bits. A code is first +
// digit, shifted.
struct ElementFormat {
  std::string_view name;
  int width;          // of the pattern
  int exponent_bits;  // 0 for an integer
  bool is_signed;
  std::uint64_t first;  // pattern of digit 0, before the shift
  int digit_bits;
  int shift;

  constexpr bool is_floating() const { return exponent_bits > 0; }
  constexpr int mantissa_bits() const { return width - 1 - exponent_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  // The pattern of 1.
  constexpr std::uint64_t one() const {
    return is_floating() ? static_cast<std::uint64_t>(bias()) << mantissa_bits() : 1;
  }
};
// Throws Error for a type that no probe supports.
const ElementFormat& element_format(std::string_view dtype);

class PositionCode {
 public:
  // Throws Error for a type that no probe supports.
  explicit PositionCode(std::string_view dtype) : format_(&element_format(dtype)) {}

  // The number of passes that distinguishes the positions 0 ... count - 1.
  int passes(std::int64_t count) const;
  // The bit pattern of the element at a position.
  std::uint64_t element(std::int64_t position, int pass) const {
    const std::uint64_t mask = (1ULL << format_->digit_bits) - 1;
    return (format_->first + ((static_cast<std::uint64_t>(position) >> (pass * format_->digit_bits)) & mask))
           << format_->shift;
  }
  // How many consecutive positions, starting at a multiple, have the same element in a pass.
  std::int64_t run(int pass) const { return std::int64_t{1} << (pass * format_->digit_bits); }
  std::uint64_t one() const { return format_->one(); }

  // The value of an accumulator ("f32", "f16", "s32", "f64") as the digit of one pass. None if it is not an element
  // times 1.
  std::optional<std::int64_t> digit(std::uint64_t bits, const ElementFormat& accumulator) const;
  std::optional<std::int64_t> digit(std::uint64_t bits, std::string_view accumulator) const {
    return digit(bits, element_format(accumulator));
  }
  // `digits` has the digit of each pass, the first pass first. unreadable if one is missing.
  std::int64_t position(std::span<const std::optional<std::int64_t>> digits) const;

 private:
  const ElementFormat* format_;
};

}  // namespace swz
