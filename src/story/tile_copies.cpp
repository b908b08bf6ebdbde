// SPDX-License-Identifier: Apache-2.0
#include "story/tile_copies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

namespace {

// How entries of a tensor map and elements of a tile relate along dimension 0: one is a whole number of the other.
struct EntryWidth {
  std::int64_t entry_bits, element_bits;

  std::int64_t entry_of(std::int64_t element) const { return element * element_bits / entry_bits; }
  // The first element that begins in the entry; nothing for the second half of a wide element.
  std::optional<std::int64_t> element_of(std::int64_t entry) const {
    const std::int64_t bit = entry * entry_bits;
    if (bit % element_bits != 0) return std::nullopt;
    return bit / element_bits;
  }
  std::int64_t elements() const { return std::max<std::int64_t>(1, entry_bits / element_bits); }
};

const TensorMapDataTypeRow& type_of(const TilePlan& plan) { return *find_row(plan.map.data_type); }

EntryWidth entry_width(const TilePlan& plan, const SmemTile& tile) {
  return {type_of(plan).smem_bits, tile.element_bits()};
}

Finding copy_refusal(std::string message) {
  return lint("copy-16", std::move(message), "a copy of 16 B reads and writes multiples of 16",
              "PTX ISA 9.1, 9.7.9.25.3 (documented)");
}

}  // namespace

Bits slot_bit(const SmemTile& tile, TileCoordinate at) {
  const bool has_gaps = tile.form() != nullptr && tile.form()->has_gaps;
  return has_gaps ? Bits{tile.byte(at.row, at.k).count * 8} : tile.bit(at.row, at.k);
}

TileCopies::TileCopies(const SmemTile& tile, const GmemOperand& from, const Target& target,
                       std::optional<TileExtents> box)
    : tile_(tile),
      from_(from),
      is_tensor_copy_(target.has_tma),
      instruction_(target.has_tma                      ? "cp.async.bulk.tensor"
                   : runs_on(available::sm_80, target) ? "cp.async"
                                                       : "st.shared.v4") {
  const TileExtents extents = tile.extents();
  for (std::int64_t row = 0; row < extents.mn; ++row)
    for (std::int64_t k = 0; k < extents.k; ++k) places_.push_back(slot_bit(tile, {row, k}).count);
  if (is_tensor_copy_) {
    plan_boxes(target, box);
    if (plan_) place_boxes(target);
    if (const Bits first = global_bit({}); first.count % (from.line_stride.count * 8) % 128 != 0)
      refusals_.push_back(
          lint("start-16",
               fmt::format("the tile begins {} B into its line of the operand",
                           first.count % (from.line_stride.count * 8) / 8),
               "along dimension 0 a tensor copy starts at a multiple of 16 B, otherwise the kernel ends "
               "with CUDA_ERROR_ILLEGAL_INSTRUCTION",
               "H200, 120 loads (measured)"));
    return;
  }
  if (from.line_stride.count % chunk.count != 0)
    refusals_.push_back(copy_refusal(fmt::format("lines of the operand are {} B apart", from.line_stride.count)));
  if (const Bits first = global_bit({}); from.address * 8 % 128 != 0 || first.count % 128 != 0)
    refusals_.push_back(copy_refusal(fmt::format("the tile begins at byte {:#x} of global memory",
                                                 from.address + static_cast<std::uint64_t>(first.count / 8))));
}

void TileCopies::plan_boxes(const Target& target, std::optional<TileExtents> box) {
  if (box) {
    plan_ = plan_of_box(target, *box);
    return;
  }
  std::variant<TilePlan, Finding> plan = plan_tile(tile_, from_, target, 2);
  if (auto* refusal = std::get_if<Finding>(&plan)) refusals_.push_back(std::move(*refusal));
  else plan_ = std::move(std::get<TilePlan>(plan));
}

std::optional<TilePlan> TileCopies::plan_of_box(const Target& target, TileExtents box) {
  const TileExtents extents = tile_.extents();
  if (box.mn < 1 || box.k < 1 || extents.mn % box.mn != 0 || extents.k % box.k != 0)
    throw usage_error(fmt::format("a box of {} does not divide the tile of {}", to_string(box), to_string(extents)),
                      "--box takes rows, then K, in elements of the tile");
  const Major major = tile_.major();
  const TensorMapDataTypeRow& type = *find_row(tensor_map_type(tile_, target));
  const EntryWidth width{type.smem_bits, tile_.element_bits()};
  TilePlan plan;
  plan.map = {.data_type = type.value, .rank = 2, .global_address = from_.address};
  plan.map.dims = {static_cast<std::uint64_t>(width.entry_of(from_.extents.along(major))),
                   static_cast<std::uint64_t>(from_.extents.across(major))};
  plan.map.strides = {static_cast<std::uint64_t>(from_.line_stride.count)};
  plan.map.box = {static_cast<std::uint64_t>(width.entry_of(box.along(major))),
                  static_cast<std::uint64_t>(box.across(major))};
  plan.map.swizzle = static_cast<TensorMapSwizzle>(tile_.swizzle().tma_code.value_or(0));
  plan.dimensions = {{major, 1, width.entry_of(box.along(major))}, {other_major(major), 1, box.across(major)}};
  for (TensorMapViolation& refused : violations(plan.map, target)) refusals_.push_back(std::move(refused));
  if (auto refusal = smem_base_refusal(tile_.base())) refusals_.push_back(std::move(*refusal));
  if (!refusals_.empty()) return std::nullopt;
  const BoxPlacement first(plan.map, tile_.base(), &target);
  const TileExtents boxes{extents.mn / box.mn, extents.k / box.k};
  const bool is_mn_first = tile_.order() == StackingOrder::mn_first;
  for (std::int64_t i = 0; i < boxes.mn * boxes.k; ++i) {
    const std::int64_t mn = is_mn_first ? i % boxes.mn : i / boxes.k, k = is_mn_first ? i / boxes.mn : i % boxes.k;
    const TileExtents begin{from_.tile_at.mn + mn * box.mn, from_.tile_at.k + k * box.k};
    TileCopy copy{.smem_offset = Bytes{i * first.allocate().count}};
    copy.coordinate[0] = width.entry_of(begin.along(major));
    copy.coordinate[1] = begin.across(major);
    plan.copies.push_back(copy);
  }
  plan.request = Bytes{width.entry_of(box.along(major)) * type.gmem_bits / 8};
  return plan;
}

void TileCopies::place_boxes(const Target& target) {
  const Major major = tile_.major();
  const TileExtents extents = tile_.extents();
  const EntryWidth width = entry_width(*plan_, tile_);
  std::ranges::fill(places_, -1);
  for (std::int64_t i = 0; i < std::ssize(plan_->copies); ++i) {
    const TileCopy& copy = plan_->copies[static_cast<std::size_t>(i)];
    const BoxPlacement box(plan_->map, Bytes{tile_.base().count + copy.smem_offset.count}, &target);
    for (std::int64_t line = 0; line < box.rows(); ++line)
      for (std::int64_t along = 0; along < box.sizes()[0]; ++along) {
        const std::optional<TileCoordinate> first = element_of({i, along, line});
        if (!first) continue;
        const std::int64_t in_row = along * width.entry_bits;
        const std::int64_t slot = box.byte(line, in_row / 8).count * 8 + in_row % 8;
        for (std::int64_t j = 0; j < width.elements(); ++j) {
          const TileCoordinate at = TileCoordinate::of(major, first->line(major), first->along(major) + j);
          places_[static_cast<std::size_t>(at.row * extents.k + at.k)] = slot + j * width.element_bits;
        }
      }
  }
}

std::int64_t TileCopies::count() const { return plan_ ? std::ssize(plan_->copies) : tile_.bytes().in_chunks(); }

Bytes TileCopies::expect_bytes() const { return plan_ ? plan_->expect_bytes() : tile_.bytes(); }

Bytes TileCopies::request() const { return plan_ ? plan_->request : chunk; }

TileExtents TileCopies::box() const {
  const Major major = tile_.major();
  if (!plan_) return run_extents(major, chunk.count * 8 / tile_.element_bits());
  const EntryWidth width = entry_width(*plan_, tile_);
  const auto entries = static_cast<std::int64_t>(plan_->map.box[0]),
             lines = static_cast<std::int64_t>(plan_->map.box[1]);
  const std::int64_t along = entries * width.entry_bits / width.element_bits;
  return major == Major::K ? TileExtents{lines, along} : TileExtents{along, lines};
}

Bits TileCopies::global_bit(TileCoordinate at) const {
  const Major major = tile_.major();
  const TileExtents first = from_.tile_at;
  std::int64_t bits = tile_.element_bits();
  if (plan_) bits = bits * type_of(*plan_).gmem_bits / type_of(*plan_).smem_bits;
  return Bits{(first.across(major) + at.line(major)) * from_.line_stride.count * 8 +
              (first.along(major) + at.along(major)) * bits};
}

std::optional<TileCoordinate> TileCopies::at_global(Bits bit) const {
  const Major major = tile_.major();
  const std::int64_t bits = global_bit(TileCoordinate::of(major, 0, 1)).count - global_bit({}).count;
  const std::int64_t line_bits = from_.line_stride.count * 8;
  if (bit.count < 0 || line_bits == 0 || bit.count % line_bits % bits != 0) return std::nullopt;
  const std::int64_t line = bit.count / line_bits - from_.tile_at.across(major);
  const std::int64_t along = bit.count % line_bits / bits - from_.tile_at.along(major);
  const TileExtents extents = tile_.extents();
  if (line < 0 || along < 0 || line >= extents.across(major) || along >= extents.along(major)) return std::nullopt;
  return TileCoordinate::of(major, line, along);
}

std::optional<BoxEntry> TileCopies::copy_of(TileCoordinate at) const {
  if (!plan_) return std::nullopt;
  const Major major = tile_.major();
  const EntryWidth width = entry_width(*plan_, tile_);
  const std::int64_t entry = width.entry_of(from_.tile_at.along(major) + at.along(major));
  const std::int64_t line = from_.tile_at.across(major) + at.line(major);
  for (std::int64_t i = 0; i < std::ssize(plan_->copies); ++i) {
    const TensorCoordinate& first = plan_->copies[static_cast<std::size_t>(i)].coordinate;
    const BoxEntry found{i, entry - first[0], line - first[1]};
    if (found.along >= 0 && found.along < static_cast<std::int64_t>(plan_->map.box[0]) && found.line >= 0 &&
        found.line < static_cast<std::int64_t>(plan_->map.box[1]))
      return found;
  }
  return std::nullopt;
}

std::optional<TileCoordinate> TileCopies::element_of(const BoxEntry& entry) const {
  if (!plan_) return std::nullopt;
  const Major major = tile_.major();
  const TensorCoordinate& first = plan_->copies.at(static_cast<std::size_t>(entry.copy)).coordinate;
  const std::optional<std::int64_t> along = entry_width(*plan_, tile_).element_of(first[0] + entry.along);
  if (!along) return std::nullopt;
  const std::int64_t in_tile = *along - from_.tile_at.along(major);
  const std::int64_t line = first[1] + entry.line - from_.tile_at.across(major);
  const TileExtents extents = tile_.extents();
  if (in_tile < 0 || line < 0 || in_tile >= extents.along(major) || line >= extents.across(major)) return std::nullopt;
  return TileCoordinate::of(major, line, in_tile);
}

std::optional<TileCoordinate> TileCopies::at_place(Bits bit) const {
  const auto found = std::ranges::find_if(
      places_, [&](std::int64_t slot) { return slot >= 0 && value_bit(tile_.form(), Bits{slot}) == bit; });
  if (found == places_.end()) return std::nullopt;
  const std::int64_t i = found - places_.begin(), k = tile_.extents().k;
  return TileCoordinate{i / k, i % k};
}

}  // namespace swz
