#include "probe/matrix_memory.hpp"

#include "probe/operand_model.hpp"

namespace swz {

namespace {

// "b16", "b8", "b8x16.b6x16_p32": the last number after a b is that of memory.
int bits_in_memory(std::string_view type) {
  if (type.ends_with("b6x16_p32")) return 6;
  if (type.ends_with("b4x16_p64")) return 4;
  return type == "b8" ? 8 : 16;
}

}  // namespace

MatrixMemory::MatrixMemory(const MatrixInstruction& row, const Target& target)
    : begin_(target.reserved_smem),
      size_(target.max_smem_per_cta),
      element_bits_(bits_in_memory(row.type)),
      row_elements_(row.row_elements) {}

std::int64_t MatrixMemory::bit_of(std::int64_t number) const {
  return bit(number / row_elements_ * line_bytes, static_cast<int>(number % row_elements_));
}

int MatrixMemory::passes(std::int64_t count) const {
  int passes = 1;
  for (std::int64_t seen = std::int64_t{1} << element_bits_; seen < count; seen <<= element_bits_) ++passes;
  return passes;
}

std::uint64_t MatrixMemory::digit(std::int64_t number, int pass) const {
  return (static_cast<std::uint64_t>(number) >> (pass * element_bits_)) & ((1U << element_bits_) - 1);
}

std::int64_t MatrixMemory::number(std::span<const std::uint64_t> digits) const {
  std::int64_t number = 0;
  for (std::size_t pass = digits.size(); pass-- > 0;)
    number = (number << element_bits_) | static_cast<std::int64_t>(digits[pass]);
  return number;
}

int MatrixMemory::passes() const { return passes((begin_.count + size_.count) / line_bytes * row_elements_); }

ByteBuffer MatrixMemory::image(int pass) const {
  ByteBuffer out(static_cast<std::size_t>(size_.count), 0xff);
  const std::int64_t first = begin_.count / line_bytes;
  for (std::int64_t line = 0; line < lines(); ++line)
    for (int element = 0; element < row_elements_; ++element) {
      const std::uint64_t value = digit((first + line) * row_elements_ + element, pass);
      // A 6-bit element may lie in two bytes.
      const int step = element_bits_ == 6 ? 1 : element_bits_;
      for (int low = 0; low < element_bits_; low += step)
        write_bits(out, bit(line * line_bytes, element) + low, step, value >> low);
    }
  return out;
}

std::uint64_t MatrixMemory::read(std::span<const std::uint8_t> image, std::int64_t bit) const {
  const int step = element_bits_ == 6 ? 1 : element_bits_;
  std::uint64_t value = 0;
  for (int low = 0; low < element_bits_; low += step)
    value |= read_bits(image, bit - begin_.count * 8 + low, step) << low;
  return value;
}

}  // namespace swz
