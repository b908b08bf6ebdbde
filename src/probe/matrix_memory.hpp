// Shared memory as ldmatrix and stmatrix see it: lines of 16 bytes, in each so many elements of so many bits.
//
//   b16               8 elements of 16 bits
//   b8               16 elements of 8 bits
//   b8x16.b6x16_p32  16 elements of 6 bits, then 32 bits of padding
//   b8x16.b4x16_p64  16 elements of 4 bits, then 64 bits of padding
//
// Elements are numbered line by line from address 0: of b4x16_p64, element 3 of the line at byte 1024 has number
// 64 * 16 + 3 and lies at bit 8204.
#pragma once

#include <span>

#include "arch/instruction.hpp"
#include "probe/launch.hpp"

namespace swz {

inline constexpr std::int64_t line_bytes = 16;

class MatrixMemory {
 public:
  MatrixMemory(const MatrixInstruction& row, const Target& target);

  Bytes begin() const { return begin_; }
  Bytes size() const { return size_; }
  std::int64_t lines() const { return size_.count / line_bytes; }
  int element_bits() const { return element_bits_; }

  // The bit address of an element of the line at `address`.
  std::int64_t bit(std::int64_t address, int element) const { return address * 8 + element * element_bits_; }
  std::int64_t bit_of(std::int64_t number) const;
  // Passes that tell `count` numbers apart, and one digit of a number.
  int passes(std::int64_t count) const;
  std::uint64_t digit(std::int64_t number, int pass) const;
  // Inverts digit.
  std::int64_t number(std::span<const std::uint64_t> digits) const;

  int passes() const;  // of an image
  // Every element holds a digit of its own number, the padding ones.
  ByteBuffer image(int pass) const;
  // The element at a bit address, of an image that begins where memory does.
  std::uint64_t read(std::span<const std::uint8_t> image, std::int64_t bit) const;

 private:
  Bytes begin_, size_;
  int element_bits_, row_elements_;
};

}  // namespace swz
