#include "layout/swizzle.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"

namespace swz {

Swizzle::Swizzle(int bits, int base, int shift) : bits_(bits), base_(base), shift_(shift) {
  const std::string name = fmt::format("Sw<{},{},{}>", bits, base, shift);
  if (bits < 0 || base < 0)
    throw Error(name + " has a negative number of bits or base", "write Sw<bits,base,shift>");
  if (std::abs(shift) < bits)
    throw Error(fmt::format("{} reads and writes the same bits", name),
                fmt::format("the shift must be at least the number of bits, here {}", bits));
  if (bits > 62 || base > 62 || std::abs(shift) > 62 || bits + base + std::abs(shift) > 62)
    throw Error(name + " reaches beyond bit 62", "offsets have 63 bits");
  mask_ = (std::int64_t{1} << bits) - 1;
}

std::int64_t Swizzle::period() const {
  return bits_ == 0 ? 1 : std::int64_t{1} << (bits_ + base_ + std::abs(shift_));
}

std::optional<Swizzle> in_units(const Swizzle& s, int log2_unit) {
  const int base = s.base() - log2_unit;
  if (base >= 0) return Swizzle(s.bits(), base, s.shift());
  if (s.is_identity()) return Swizzle(0, 0, s.shift());
  return std::nullopt;
}

std::string to_string(const Swizzle& s) { return fmt::format("Sw<{},{},{}>", s.bits(), s.base(), s.shift()); }

}  // namespace swz
