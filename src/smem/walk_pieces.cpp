#include "smem/walk_pieces.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace swz {

namespace {

std::string_view name_of(Major along) { return along == Major::K ? "k" : "the rows"; }

// Elements of a piece; 0: it does not hold whole elements.
std::int64_t elements_in(const Placement& p, int bytes) {
  return bytes * 8 % p.element_bits() == 0 ? bytes * 8 / p.element_bits() : 0;
}

// The first element that does not lie where its piece needs it; none: the pieces hold.
std::optional<TileCoordinate> first_torn(const Placement& p, Major along, std::int64_t elements, int bytes) {
  const bool along_k = along == Major::K;
  for (std::int64_t row = 0; row < p.extents().mn; ++row)
    for (std::int64_t k = 0; k < p.extents().k; ++k) {
      const std::int64_t inside = (along_k ? k : row) % elements;
      const std::int64_t first = (along_k ? p.bit(row, k - inside) : p.bit(row - inside, k)).count;
      const bool together = p.bit(row, k).count == first + inside * p.element_bits();
      if (!together || first % (bytes * 8) != 0) return TileCoordinate{row, k};
    }
  return std::nullopt;
}

bool divides(const Placement& p, Major along, std::int64_t elements) {
  return (along == Major::K ? p.extents().k : p.extents().mn) % elements == 0;
}

Major other(Major along) { return along == Major::K ? Major::MN : Major::K; }

}  // namespace

std::optional<Pieces> pieces_of(const Placement& placement, int bytes) {
  const std::int64_t elements = elements_in(placement, bytes);
  if (elements == 0) return std::nullopt;
  for (const Major along : {placement.major(), other(placement.major())})
    if (divides(placement, along, elements) && !first_torn(placement, along, elements, bytes))
      return Pieces{along, elements};
  return std::nullopt;
}

Pieces require_pieces(const Placement& placement, const AccessInstruction& instruction) {
  if (const auto pieces = pieces_of(placement, instruction.bytes)) return *pieces;
  const std::int64_t elements = elements_in(placement, instruction.bytes);
  if (elements == 0)
    throw Error(fmt::format("{} moves {} B a lane; an element has {} bits", instruction.name, instruction.bytes,
                            placement.element_bits()),
                "take an access that moves whole elements");
  const Major along = placement.major();
  if (!divides(placement, along, elements))
    throw Error(
        fmt::format("{} moves {} elements along {} a lane, which does not divide {}", instruction.name, elements,
                    name_of(along), along == Major::K ? placement.extents().k : placement.extents().mn),
        "take a narrower access");
  const TileCoordinate torn = *first_torn(placement, along, elements, instruction.bytes);
  throw Error(
      fmt::format("{} moves {} B a lane: at ({},{}), byte {:#x}, the {} elements along {} do not lie together "
                  "at a multiple of {}",
                  instruction.name, instruction.bytes, torn.row, torn.k, placement.byte(torn.row, torn.k).count,
                  elements, name_of(along), instruction.bytes),
      "a misaligned address is a fault; take a narrower access, or ld.shared for the widest that fits");
}

void WarpSteps::add(TileCoordinate first) {
  if (next_ == instruction_.addresses) {
    require_within(limits::walked_instructions, static_cast<std::int64_t>(out_.size()) + 1);
    out_.push_back({{&instruction_, 0, {}}, {}, {}});
    next_ = 0;
  }
  WalkStep& step = out_.back();
  const auto lane = static_cast<std::size_t>(next_);
  step.pattern.active |= std::uint32_t{1} << next_++;
  step.pattern.address[lane] = static_cast<std::uint32_t>(placement_.byte(first.row, first.k).count);
  step.element[lane] = static_cast<std::int32_t>(first.row * placement_.extents().k + first.k);
}

}  // namespace swz
