// The registers of mma.sync as matrices: of the four MMAs of m8n8k4 of f16, each has its own tile.
//
//   fragment of D, m16n8k16: element (9, 3) of tile 0 has index 9 * 8 + 3 = 75 and lies in thread 5, value 3
//   m8n8k4 of f16: threads 4q ... 4q+3 and 16+4q ... 16+4q+3 hold tile q
//
// Invariant (tested): index and holder invert each other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fragment/fragment.hpp"
#include "probe/position_code.hpp"

namespace swz {

using RegisterWords = std::vector<std::uint32_t>;  // [word][thread]

struct TiledCoordinate {
  int tile = 0;
  Coordinate at;
};

class RegisterTable {
 public:
  explicit RegisterTable(Fragment fragment);

  const Fragment& fragment() const { return fragment_; }
  int elements() const { return fragment_.tiles * fragment_.rows * fragment_.columns; }
  int index(TiledCoordinate at) const {
    return (at.tile * fragment_.rows + at.at.row) * fragment_.columns + at.at.column;
  }
  TiledCoordinate coordinate(int index) const;
  TiledCoordinate coordinate(Holder holder) const;
  Holder holder(int index) const { return holders_[static_cast<std::size_t>(index)]; }
  Holder holder(TiledCoordinate at) const { return holder(index(at)); }
  // thread * values + value
  int number(Holder holder) const { return holder.thread * fragment_.values() + holder.value; }
  std::size_t words() const;

 private:
  Fragment fragment_;
  std::vector<Holder> holders_;  // by index
};

// A type as the registers of A and B hold it: fp4 in an 8-bit container lies in bits 2 to 5.
class RegisterCode {
 public:
  explicit RegisterCode(const Fragment& fragment);

  int passes(int count) const { return code_.passes(count); }
  std::uint64_t element(std::int64_t position, int pass) const { return code_.element(position, pass) << shift_; }
  // An element of Identity, which does not know of containers.
  std::uint64_t in_register(std::uint64_t pattern) const { return pattern << shift_; }
  std::uint64_t one() const { return code_.one() << shift_; }
  double value(std::uint64_t bits) const;
  const PositionCode& code() const { return code_; }

 private:
  PositionCode code_;
  int shift_;
  std::vector<double> values_;  // of the patterns of a narrow type
};

}  // namespace swz
