// D of a wgmma, read out of the registers of a block: [register][thread], 32-bit words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "probe/launch.hpp"
#include "probe/operand_model.hpp"
#include "probe/statement.hpp"

namespace swz {

// The fragment of A or D; B has none.
Fragment fragment_of(const WgmmaInstruction& instruction, Operand operand);

// D of one block, through its fragment: where (m, n) lies is computed once.
class Accumulators {
 public:
  Accumulators(const WgmmaInstruction& instruction, Hypothesis hypothesis);

  std::size_t block_bytes() const { return block_bytes_; }
  std::uint64_t bits(std::span<const std::uint8_t> block, int m, int n) const {
    const Place place = places_[index(m, n)];
    return (read_at<std::uint32_t>(block, place.offset) >> place.shift) & mask_;
  }
  void write(std::span<std::uint8_t> block, int m, int n, std::uint64_t value) const {
    const Place place = places_[index(m, n)];
    const auto word =
        read_at<std::uint32_t>(block, place.offset) | static_cast<std::uint32_t>(value << place.shift);
    __builtin_memcpy(block.data() + place.offset, &word, sizeof word);
  }

 private:
  struct Place {
    std::size_t offset = 0;  // bytes from the beginning of the block
    int shift = 0;
  };
  std::size_t index(int m, int n) const { return static_cast<std::size_t>(m * columns_ + n); }

  int columns_ = 0;
  std::uint64_t mask_ = 0;
  std::size_t block_bytes_ = 0;
  std::vector<Place> places_;
};

}  // namespace swz
