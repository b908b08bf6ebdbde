// SPDX-License-Identifier: Apache-2.0
// The registers of a fragment as memory: what a kernel loads into them, and stores from them.
//
//   m16n8k16, D of f32: 4 registers of 32 threads, 512 bytes, [register][thread]
//     element (9, 3) of tile 0 has index 9 * 8 + 3 = 75 and is in thread 5, value 3: register 3, byte 404
//     its number, by which observations name it, is 5 * 4 + 3 = 23
//   m8n8k4 of f16: four MMAs next to each other; threads 4q ... 4q+3 and 16+4q ... 16+4q+3 have tile q
//
// Registers of 64 bits are two words, the low one first.
//
// Invariant (tested): index and holder invert each other.
#pragma once

#include "fragment/fragment.hpp"
#include "probe/launch.hpp"
#include "probe/position_code.hpp"

namespace swz {

// The image in which each element is bits(holder), or bits(place).
ByteBuffer register_image(const Fragment& fragment, const std::function<std::uint64_t(Holder)>& bits);
ByteBuffer register_image(const Fragment& fragment, const std::function<std::uint64_t(Coordinate)>& bits);
std::int64_t image_bytes(const Fragment& fragment);

// Each element is the code of its number, thread * values + value, counted from 1, so that none looks like a zero.
ByteBuffer register_codes(const Fragment& fragment, const PositionCode& code, int pass);
// The number of passes that distinguishes them.
int register_passes(const Fragment& fragment, const PositionCode& code);

struct TiledCoordinate {
  int tile = 0;
  Coordinate at;
};

// The place of each element, computed once.
class RegisterTable {
 public:
  explicit RegisterTable(Fragment fragment);

  const Fragment& fragment() const { return fragment_; }
  int elements() const { return fragment_.tiles * fragment_.rows * fragment_.columns; }
  std::size_t image_bytes() const { return static_cast<std::size_t>(swz::image_bytes(fragment_)); }

  int index(TiledCoordinate at) const {
    return (at.tile * fragment_.rows + at.at.row) * fragment_.columns + at.at.column;
  }
  int index(int row, int column) const { return index({0, {row, column}}); }
  TiledCoordinate coordinate(int index) const;
  TiledCoordinate coordinate(Holder holder) const;
  Holder holder(int index) const { return places_[static_cast<std::size_t>(index)].holder; }
  // thread * values + value
  int number(Holder holder) const { return holder.thread * fragment_.values() + holder.value; }
  // The numbers of all elements, by index.
  std::vector<std::int64_t> numbers() const;

  // The element of a register image.
  std::uint64_t element(std::span<const std::uint8_t> image, int index) const {
    const Place& place = places_[static_cast<std::size_t>(index)];
    const std::uint64_t word = read_at<std::uint32_t>(image, place.offset);
    if (fragment_.bits == 64) return word | std::uint64_t{read_at<std::uint32_t>(image, place.high)} << 32;
    return word >> place.first_bit & mask_;
  }

 private:
  struct Place {
    Holder holder;
    std::size_t offset = 0, high = 0;  // bytes from the beginning of an image; high is for the upper word
    int first_bit = 0;
  };
  Fragment fragment_;
  std::uint64_t mask_;
  std::vector<Place> places_;  // by index
};

// "thread 5 value 3", for a number
std::string holder_name(const Fragment& fragment, std::int64_t number);

// The operands of inline PTX: "%3, %4, %5" and "\"+r\"(d[0]), \"+r\"(d[1])".
std::string placeholders(int first, int count);
std::string operands(std::string_view constraint, std::string_view name, int count);

// For fp4 in an 8-bit register: bits 2 to 5, to which CUTLASS shifts it after ldmatrix.
int container_shift(const Fragment& fragment);

// Under wrong_fragment the first two value steps are exchanged; the first two thread steps if there are not two value
// steps.
Fragment fragment_under(Hypothesis hypothesis, Fragment fragment);

}  // namespace swz
