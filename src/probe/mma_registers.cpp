#include "probe/mma_registers.hpp"

#include <utility>

#include "probe/operand_model.hpp"

namespace swz {

namespace {

// The thread step that does not move counts the MMAs of the warp.
int tile_of(const Fragment& fragment, int thread) {
  for (const Step& step : fragment.thread_steps) {
    if (step.move == Coordinate{}) return thread % step.count;
    thread /= step.count;
  }
  return 0;
}

// CUTLASS shifts fp4 there after ldmatrix has put it into the low bits.
int container_shift(const Fragment& fragment) { return fragment.dtype == "e2m1" && fragment.bits == 8 ? 2 : 0; }

}  // namespace

RegisterTable::RegisterTable(Fragment fragment)
    : fragment_(std::move(fragment)), holders_(static_cast<std::size_t>(elements())) {
  for (int thread = 0; thread < fragment_.threads(); ++thread)
    for (int value = 0; value < fragment_.values(); ++value)
      holders_[static_cast<std::size_t>(index(coordinate(Holder{thread, value})))] = {thread, value};
}

TiledCoordinate RegisterTable::coordinate(int index) const {
  const int row = index / fragment_.columns;
  return {row / fragment_.rows, {row % fragment_.rows, index % fragment_.columns}};
}

TiledCoordinate RegisterTable::coordinate(Holder holder) const {
  return {tile_of(fragment_, holder.thread), fragment_.at(holder.thread, holder.value)};
}

std::size_t RegisterTable::words() const {
  return static_cast<std::size_t>(fragment_.registers() * fragment_.register_bits() / 32 * fragment_.threads());
}

RegisterCode::RegisterCode(const Fragment& fragment) : code_(fragment.dtype), shift_(container_shift(fragment)) {
  if (fragment.bits > 8) return;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << fragment.bits; ++bits)
    values_.push_back(code_.value(bits >> shift_));
}

double RegisterCode::value(std::uint64_t bits) const {
  return values_.empty() ? code_.value(bits) : values_[static_cast<std::size_t>(bits)];
}

}  // namespace swz
