#include "smem/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/target.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

// The first bit of every element in the order of the linear index, rows fastest.
std::vector<std::int64_t> bits_of(const ComposedLayout& layout, int element_bits, Bytes base) {
  // In smem_ptr form the swizzle waits for the address; only there are the offsets those before it.
  const bool swizzles_bytes = layout.has_pointer();
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(layout.size()));
  if (swizzles_bytes) tabulate(layout.layout(), offsets);
  else tabulate(layout, offsets);

  const std::int64_t window = largest_smem_window().count * 8;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::int64_t element = offsets[i] + (swizzles_bytes ? layout.offset() : 0);
    // Compared before the multiplication, which cannot overflow then.
    const bool outside = element > window || element < -window || base.count * 8 + element * element_bits < 0 ||
                         base.count * 8 + (element + 1) * element_bits > window;
    if (outside)
      throw Error(
          fmt::format("index {} of the layout is element {} from {:#x}: outside of shared memory, which ends "
                      "at {:#x}",
                      i, element, base.count, window / 8),
          "take a part of the layout, or another base");
    const std::int64_t bit = base.count * 8 + element * element_bits;
    offsets[i] = swizzles_bytes ? layout.swizzle()(bit / 8) * 8 + bit % 8 : bit;
  }
  return offsets;
}

}  // namespace

Placement::Placement(const SmemTile& tile)
    : element_bits_(tile.element_bits()), major_(tile.major()), extents_(tile.extents()), bits_(tile.byte_map()) {
  std::size_t i = 0;
  for (std::int64_t row = 0; row < extents_.mn; ++row)
    for (std::int64_t k = 0; k < extents_.k; ++k, ++i) {
      const std::int64_t along = major_ == Major::K ? k : row;
      bits_[i] = bits_[i] * 8 + along * element_bits_ % 8;
    }
  measure();
}

Placement::Placement(const ComposedLayout& layout, int element_bits, Bytes base, std::optional<Major> major)
    : element_bits_(element_bits) {
  const IntTuple& shape = layout.layout().shape();
  if (rank(shape) != 2)
    throw Error(fmt::format("an operand has two modes, rows and k; {} has {}", to_string(layout), rank(shape)),
                rank(shape) > 2 ? "slice the others away, for example (L)(_,_,0)" : "for example (8,64):(64,1)");
  if (layout.has_pointer() && layout.element_bits() != element_bits)
    throw Error(fmt::format("the layout counts elements of {} bits, the element type has {}", layout.element_bits(),
                            element_bits),
                fmt::format("take a type of {} bits, or recast(L, {}, {})", layout.element_bits(),
                            layout.element_bits(), element_bits));
  const Bytes window = largest_smem_window();
  if (layout.size() > window.count * 8)
    throw Error(
        fmt::format("a layout of {} elements does not fit into {} B of shared memory", layout.size(), window.count),
        "take a part of it");
  if (base.count < 0 || base > window || base.count * 8 % element_bits != 0)
    throw Error(fmt::format("base {:#x} is not a multiple of an element of {} bits inside shared memory",
                            base.count, element_bits),
                fmt::format("shared memory ends at {:#x}", window.count));
  extents_ = {product(mode(shape, 0)), product(mode(shape, 1))};
  const std::vector<std::int64_t> by_index = bits_of(layout, element_bits, base);
  bits_.resize(by_index.size());
  for (std::int64_t k = 0; k < extents_.k; ++k)
    for (std::int64_t row = 0; row < extents_.mn; ++row)
      bits_[static_cast<std::size_t>(row * extents_.k + k)] =
          by_index[static_cast<std::size_t>(row + k * extents_.mn)];
  const bool mn_only = !holds_chunks_along(Major::K) && holds_chunks_along(Major::MN);
  major_ = major.value_or(mn_only ? Major::MN : Major::K);
  measure();
}

std::optional<TileCoordinate> Placement::first_torn(Major along, int bytes) const {
  const std::int64_t elements = bytes * 8 / element_bits_;
  for (std::int64_t row = 0; row < extents_.mn; ++row)
    for (std::int64_t k = 0; k < extents_.k; ++k) {
      const std::int64_t inside = (along == Major::K ? k : row) % elements;
      const std::int64_t first = (along == Major::K ? bit(row, k - inside) : bit(row - inside, k)).count;
      const bool is_together = bit(row, k).count == first + inside * element_bits_;
      if (!is_together || first % (bytes * 8) != 0) return TileCoordinate{row, k};
    }
  return std::nullopt;
}

bool Placement::holds_chunks_along(Major major) const {
  const std::int64_t length = major == Major::K ? extents_.k : extents_.mn;
  return length % chunk_elements() == 0 && !first_torn(major, static_cast<int>(chunk.count));
}

void Placement::measure() {
  const auto [lowest, highest] = std::ranges::minmax(bits_);
  begin_ = Bits{lowest}.in_bytes();
  end_ = Bits{highest + element_bits_ + 7}.in_bytes();
  has_chunks_ = holds_chunks_along(major_);
}

Chunk Placement::chunk_at(std::int64_t index) const {
  const std::int64_t line = index / chunks_per_line();
  const std::int64_t along = index % chunks_per_line() * chunk_elements();
  const TileCoordinate c = major_ == Major::K ? TileCoordinate{line, along} : TileCoordinate{along, line};
  return {c.row, c.k, byte(c.row, c.k), bank(c.row, c.k)};
}

}  // namespace swz
