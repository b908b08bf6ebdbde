// SPDX-License-Identifier: Apache-2.0
// Triton's encodings of shared memory: the meaning of each, and which one a layout is.
//
//   swizzled_shared   rows of C = the extent of order[0]: row r moves the column c to c ^ (vec (r / perPhase mod maxPhase))
//   nvmma_shared      s > 0: tiles of all rows, W = 8 s / b columns wide, in a row; Sw<log2(s/16),4,3> on bytes
//                     s = 0: row by row, never core matrices, and cut into blocks of at most 256 in each dimension
//   padded_shared     x by the bases, then x + sum x / interval * amount
//   shared_linear     the bases of the offset
//
//   nvmma_shared 128 of 64x128 f16: (2,65) is column 1 of tile 1: 64 * 64 + 2 * 64 + (1 ^ 8 * 2) = 4241
//
// Each becomes bases, in the order in which Triton appends them, and these are inverted: number of the element ->
// offset. Triton 3.9 cuts nvmma_shared into blocks of 256 (TMA's box), which matters if an extent is larger;
// transposed with three dimensions or more it mixes up the outer dimensions. Both are computed as Triton computes
// them, with a note.
// Source: triton 3.9.0 to_linear_layout (run).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/checked.hpp"
#include "dialect/dialect.hpp"
#include "dialect/triton_encoding.hpp"

namespace swz {
namespace {

constexpr std::int64_t largest_tma_box = 256;  // elements per dimension
constexpr std::int64_t shortest_nvmma_rows = 8;

bool is_zero_basis(const TritonNumbers& basis) {
  return std::ranges::all_of(basis, [](std::int64_t b) { return b == 0; });
}

// From the bases of offset and CTA to the map from the number of an element to both. Throws Error unless every element
// has a place.
SharedForm form_of_bases(const ArrayShape& shape, ElementWidth element, const TritonBases& offset,
                         const TritonBases& block) {
  XorBasis basis;
  const auto take = [&](const TritonBases& moves, int first) {
    for (std::size_t k = 0; k < moves.size(); ++k) {
      require_rank(moves[k].size(), shape);
      for (std::size_t d = 0; d < shape.size(); ++d)
        if (moves[k][d] < 0 || moves[k][d] >= shape[d])
          throw Error(fmt::format("the basis [{}] leaves the array {}", fmt::join(moves[k], ", "), shape_text(shape)),
                      fmt::format("dimension {} has the coordinates 0 to {}", d, shape[d] - 1));
      if (is_zero_basis(moves[k])) continue;
      const auto rest =
          basis.reduced({number_bits(moves[k], shape), std::uint64_t{1} << (first + static_cast<int>(k))});
      if (rest.value == 0)
        throw Error(fmt::format("Triton refuses the basis [{}]: without the zero bases the layout must be bijective",
                                fmt::join(moves[k], ", ")),
                    "two offsets would hold the same element");
      basis.insert(rest);
    }
  };
  if (offset.size() > static_cast<std::size_t>(first_cta_bit) || block.size() > 16)
    throw Error(fmt::format("{} bases are more than an array has", offset.size() + block.size()),
                "as many as the logarithm of the number of elements");
  take(offset, 0);
  take(block, first_cta_bit);
  std::vector<std::uint64_t> places, ctas;
  for (std::int64_t bit = 1; bit < element_count(shape); bit *= 2) {
    const auto found = basis.reduced({static_cast<std::uint64_t>(bit), 0});
    if (found.value != 0)
      throw Error(fmt::format("the bases do not reach element ({})", fmt::join(coordinate_of(bit, shape), ",")),
                  fmt::format("bases of a smaller array than {}", shape_text(shape)));
    places.push_back(found.from & ((std::uint64_t{1} << first_cta_bit) - 1));
    ctas.push_back(found.from >> first_cta_bit);
  }
  SharedForm form = shared_form(shape, element, LinearMap(std::move(places)));
  // CTAs that only have copies are all the same.
  if (!std::ranges::all_of(block, is_zero_basis)) form.block = LinearMap(std::move(ctas));
  return form;
}

void add_copy_note(const TritonBases& block, std::vector<Finding>& notes) {
  if (const auto copies = std::ranges::count_if(block, is_zero_basis); copies > 0)
    notes.push_back(note("triton-cta-copies",
                         fmt::format("{} CTAs hold the same elements: the layout is that of each", 1LL << copies), {},
                         "triton 3.9.0 to_linear_layout (run)"));
}

// ---- swizzled_shared

TritonBases swizzled_bases(const SwizzledShared& e, const ArrayShape& part) {
  const std::size_t rank = part.size();
  TritonBases bases;
  const auto fast = static_cast<std::size_t>(e.order[0]);
  append_bits(bases, rank, fast, 1, part[fast]);
  for (std::size_t i = 1; i < rank; ++i) {
    const auto d = static_cast<std::size_t>(e.order[i]);
    const std::size_t first = bases.size();
    append_bits(bases, rank, d, 1, part[d]);
    if (i > 1) continue;
    for (std::size_t b = first; b < bases.size(); ++b)
      bases[b][fast] = bases[b][d] / e.per_phase % e.max_phase * (e.vec % part[fast]) % part[fast];
  }
  return bases;
}

// ---- nvmma_shared

struct NvmmaTile {
  std::size_t contiguous = 0;  // number of the dimension
  std::int64_t columns = 0;    // of one tile
  ArrayShape box;              // this is laid out first, and the rest of the array follows
};

NvmmaTile nvmma_tile(const NvmmaShared& e, const ArrayShape& part) {
  NvmmaTile tile{e.is_transposed ? 0 : part.size() - 1, 0, part};
  for (std::int64_t& extent : tile.box) extent = std::min(extent, largest_tma_box);
  if (e.swizzle_bytes == 0) return tile;
  tile.columns = 8 * e.swizzle_bytes / e.element_bits / (e.is_fp4_padded ? 2 : 1);
  tile.box[tile.contiguous] = tile.columns;
  return tile;
}

// Why Triton refuses the tile or aborts; empty if it does not.
std::string why_not_nvmma(const NvmmaShared& e, const ArrayShape& part) {
  if (e.swizzle_bytes == 0) return "";
  if (part.size() < 2) return "swizzlingByteWidth > 0 needs two dimensions";
  const NvmmaTile tile = nvmma_tile(e, part);
  if (part[tile.contiguous] < tile.columns)
    return fmt::format(
        "the extent {} of the contiguous dimension {} is too small for swizzlingByteWidth = {}: at least {}",
        part[tile.contiguous], tile.contiguous, e.swizzle_bytes, tile.columns);
  // For a transposed tile Triton counts only the last dimension.
  const std::int64_t rows = e.is_transposed ? tile.box.back()
                                            : std::accumulate(tile.box.begin(), tile.box.end() - 1, std::int64_t{1},
                                                              [](std::int64_t a, std::int64_t b) { return a * b; });
  if (rows < shortest_nvmma_rows)
    return fmt::format("{} rows are fewer than the 8 of a swizzle pattern: Triton aborts", rows);
  return "";
}

// The bases for s = 0. For a transposed array of three dimensions or more, the blocks are misplaced as in Triton 3.9.
TritonBases plain_nvmma_bases(const NvmmaShared& e, const ArrayShape& part, const ArrayShape& box) {
  const std::size_t rank = part.size();
  TritonBases bases;
  ArrayShape laid(rank, 1);
  for (std::size_t i = rank; i-- > 0;) {
    const std::size_t d = e.is_transposed ? (i + rank - 1) % rank : i;
    const std::int64_t extent = e.is_transposed ? box[(i + 1) % rank] : box[i];
    append_bits(bases, rank, d, 1, extent);
    for (TritonNumbers& basis : bases)
      if (basis[d] >= part[d]) basis[d] = 0;
    laid[d] = std::min(extent, part[d]);
  }
  for (std::size_t d = rank; d-- > 0;) append_bits(bases, rank, d, laid[d], part[d]);
  return bases;
}

TritonBases swizzled_nvmma_bases(const NvmmaShared& e, const ArrayShape& part) {
  const std::size_t rank = part.size();
  const NvmmaTile tile = nvmma_tile(e, part);
  const std::size_t c = tile.contiguous;
  TritonBases bases;
  append_bits(bases, rank, c, 1, tile.columns);
  if (e.is_fp4_padded) bases.insert(bases.begin() + 3, TritonNumbers(rank));  // 8 bytes of padding after each 8
  const std::size_t first_row = bases.size();
  if (!e.is_transposed) {
    for (std::size_t d = rank - 1; d-- > 0;) append_bits(bases, rank, d, 1, tile.box[d]);
  } else {
    // The rows (y, x), with x the last dimension, are numbered x * Y + y: with three dimensions or more, not row by
    // row.
    TritonBases straight;
    for (std::size_t d = rank; d-- > 1;) append_bits(straight, rank, d, 1, tile.box[d]);
    const auto x_bits = log2_exact(tile.box.back());
    std::rotate(straight.begin(), straight.end() - x_bits, straight.end());
    bases.insert(bases.end(), straight.begin(), straight.end());
  }
  const std::int64_t per_phase = 128 / e.swizzle_bytes, phases = e.swizzle_bytes / 16;
  const std::int64_t vec = e.is_fp4_padded ? 8 : 128 / e.element_bits;
  for (int b = 0; b < 3; ++b) bases[first_row + static_cast<std::size_t>(b)][c] = (1 << b) / per_phase % phases * vec;
  for (std::size_t d = 0; d < rank; ++d) append_bits(bases, rank, d, tile.box[d], part[d]);
  return bases;
}

// Whether Triton's order of the outer dimensions is not row by row.
bool is_mixed_up(const NvmmaShared& e, const ArrayShape& part) {
  return e.is_transposed && std::ranges::count_if(part, [](std::int64_t x) { return x > 1; }) > 2;
}

void add_nvmma_notes(const NvmmaShared& e, const ArrayShape& part, ElementWidth element, std::vector<Finding>& notes) {
  if (e.swizzle_bytes == 0)
    notes.push_back(
        note("nvmma-shared-0",
             "swizzlingByteWidth = 0 is plain row-major: right for TMA, but not the core matrices that wgmma "
             "and tcgen05 read without a swizzle",
             "for core matrices (K_INTER) write shared_linear, as swz translate does",
             "triton-lang/triton PRs 8378 and 9931 (claimed); to_linear_layout (run)"));
  if (is_mixed_up(e, part))
    notes.push_back(
        lint(e.swizzle_bytes == 0 ? "nvmma-transposed-0-rank-3" : "nvmma-transposed-rank-3",
             e.swizzle_bytes == 0
                 ? "transposed with swizzlingByteWidth = 0 and three dimensions: Triton 3.9 permutes the "
                   "dimensions wrongly, so that several offsets name one element and the buffer has holes"
                 : "transposed with three dimensions: Triton 3.9 takes the outer dimensions in another order "
                   "than row by row",
             "use two dimensions, or shared_linear", "triton 3.9.0 to_linear_layout (run)"));
  const bool is_cut = std::ranges::any_of(part, [](std::int64_t x) { return x > largest_tma_box; });
  if (is_cut && e.swizzle_bytes == 0)
    notes.push_back(note("nvmma-box-256",
                         "Triton 3.9 cuts the array into boxes of at most 256 in each dimension, one after the other",
                         {}, "triton 3.9.0 to_linear_layout (run)"));
  if (element.bits != 0 && element.bits != e.element_bits && !e.is_fp4_padded)
    notes.push_back(
        note("nvmma-element-width", fmt::format("elementBitWidth = {} and elements of {} bits: the layout is that of "
                                                "elementBitWidth, as in Triton",
                                                e.element_bits, element.bits)));
}

}  // namespace

SharedForm shared_of(const SwizzledShared& e, const ArrayShape& shape, ElementWidth element,
                     std::vector<Finding>& notes) {
  require_order(e.order);
  require_rank(e.order.size(), shape);
  if (e.vec < 0 || e.per_phase < 1 || e.max_phase < 1)
    throw Error(fmt::format("vec = {}, perPhase = {}, maxPhase = {}: Triton refuses negative numbers and divides by "
                            "perPhase and maxPhase",
                            e.vec, e.per_phase, e.max_phase),
                "perPhase and maxPhase are at least 1");
  if (std::max({e.vec, e.per_phase, e.max_phase}) > INT32_MAX || e.vec * e.max_phase > INT32_MAX)
    throw Error("vec * maxPhase does not fit in 32 bits: Triton aborts",
                "powers of two up to the extents of the array");
  const CtaSplit split = split_over_ctas(e.cga, shape);
  for (const auto& [name, value] : {std::pair{"vec", e.vec}, {"perPhase", e.per_phase}, {"maxPhase", e.max_phase}})
    if (!is_power_of_two(value))
      notes.push_back(lint("swizzled-shared-power-of-two",
                           fmt::format("{} = {} is not a power of two: Triton takes it, and XORs what the formula "
                                       "gives for rows 1, 2, 4, …",
                                       name, value),
                           "the formula of the documentation holds for powers of two only",
                           "triton 3.9.0 to_linear_layout (run)"));
  add_copy_note(split.block, notes);
  return form_of_bases(shape, element, swizzled_bases(e, split.part), split.block);
}

SharedForm shared_of(const NvmmaShared& e, const ArrayShape& shape, ElementWidth element, std::vector<Finding>& notes) {
  if (e.swizzle_bytes != 0 && e.swizzle_bytes != 32 && e.swizzle_bytes != 64 && e.swizzle_bytes != 128)
    throw Error(fmt::format("swizzlingByteWidth = {}: must be 0, 32, 64, or 128", e.swizzle_bytes),
                "nvmma_shared has the modes of the hardware");
  if (e.element_bits != 8 && e.element_bits != 16 && e.element_bits != 32 && e.element_bits != 64)
    throw Error(fmt::format("elementBitWidth = {}: must be 8, 16, 32, or 64", e.element_bits),
                "4-bit elements lie as bytes with fp4Padded = true, or packed as i8");
  if (e.is_fp4_padded && (e.swizzle_bytes != 128 || e.element_bits != 8))
    throw Error("fp4Padded = true needs swizzlingByteWidth = 128 and elementBitWidth = 8",
                "it is the unpacked form of mxf8f6f4");
  require_rank(static_cast<std::size_t>(e.rank), shape);
  const CtaSplit split = split_over_ctas(e.cga, shape);
  if (const std::string why = why_not_nvmma(e, split.part); !why.empty())
    throw Error(fmt::format("Triton refuses nvmma_shared of {}: {}", shape_text(split.part), why),
                "a smaller swizzlingByteWidth, or a larger array");
  add_nvmma_notes(e, split.part, element, notes);
  add_copy_note(split.block, notes);
  const TritonBases bases = e.swizzle_bytes == 0 ? plain_nvmma_bases(e, split.part, nvmma_tile(e, split.part).box)
                                                 : swizzled_nvmma_bases(e, split.part);
  return form_of_bases(shape, element, bases, split.block);
}

bool is_legal_nvmma(const NvmmaShared& e, const ArrayShape& shape) { return why_not_nvmma(e, shape).empty(); }

SharedForm shared_of(const PaddedShared& e, const ArrayShape& shape, ElementWidth element, std::vector<Finding>&) {
  if (e.padding.empty()) throw Error("padded_shared without an interval", "for example [64:+8]");
  std::vector<Padding> sorted = e.padding;
  std::ranges::sort(sorted, {}, &Padding::interval);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (!is_power_of_two(sorted[i].interval) || !is_power_of_two(sorted[i].amount))
      throw Error(
          fmt::format("{}:+{}: intervals and paddings must all be powers of two", sorted[i].interval, sorted[i].amount),
          "for example [64:+8]");
    if (i > 0 && sorted[i].interval == sorted[i - 1].interval)
      throw Error(fmt::format("two paddings of interval {}: no duplicates", sorted[i].interval), "add them");
  }
  for (const TritonNumbers& basis : e.offset) {
    const auto moves = std::ranges::count_if(basis, [](std::int64_t b) { return b != 0; });
    if (moves == 0) throw Error("a zero basis: padded_shared does not broadcast in the offset", "leave it out");
    if (moves > 1 || !std::ranges::all_of(basis, [](std::int64_t b) { return b == 0 || is_power_of_two(b); }))
      throw Error(fmt::format("the basis [{}]: padded_shared moves in one dimension, by a power of two",
                              fmt::join(basis, ", ")),
                  "a swizzle is shared_linear, without padding");
  }
  SharedForm form = form_of_bases(shape, element, e.offset, e.block);
  form.padding = std::move(sorted);
  return form;
}

SharedForm shared_of(const SharedLinear& e, const ArrayShape& shape, ElementWidth element, std::vector<Finding>&) {
  if (!is_power_of_two(e.alignment))
    throw Error(fmt::format("alignment = {}: must be a positive power of two", e.alignment), "for example 16");
  if (e.offset.empty()) throw Error("shared_linear without offset bases", "one basis for each bit of the offset");
  return form_of_bases(shape, element, e.offset, e.block);
}

}  // namespace swz
