#include "probe/accumulators.hpp"

#include <fmt/format.h>

#include "fragment/find.hpp"

namespace swz {

Fragment fragment_of(const WgmmaInstruction& i, Operand operand) {
  return find_fragment({.name = fmt::format("wgmma.m64n{}k{}", i.n, row_of(i).k),
                        .dtype = i.a_type,
                        .operand = operand,
                        .accumulator = operand == Operand::d ? i.d_type : ""});
}

Accumulators::Accumulators(const WgmmaInstruction& instruction, Hypothesis hypothesis) {
  const Fragment d = fragment_under(hypothesis, fragment_of(instruction, Operand::d));
  columns_ = d.columns;
  mask_ = d.bits == 16 ? 0xffff : 0xffffffff;
  block_bytes_ = static_cast<std::size_t>(d.registers() * d.threads() * 4);
  places_.resize(static_cast<std::size_t>(d.rows * d.columns));
  for (int thread = 0; thread < d.threads(); ++thread)
    for (int value = 0; value < d.values(); ++value) {
      const RegisterSlot slot = d.slot(value);
      const Coordinate at = d.at(thread, value);
      places_[index(at.row, at.column)] = {static_cast<std::size_t>((slot.index * d.threads() + thread) * 4),
                                           slot.first_bit};
    }
}

}  // namespace swz
