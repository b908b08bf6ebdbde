// SPDX-License-Identifier: Apache-2.0
#include "descriptor/layout_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "descriptor/layout_reason.hpp"

namespace swz {

namespace {

int bits_of(const LayoutOperand& o) { return element_bits(*o.dtype, o.packing); }

// ---- what can be answered

void require_operand(const LayoutOperand& o) {
  const int bits = bits_of(o);
  if (o.target->descriptor == SmemDescriptorKind::none)
    require_legal({o.target, o.dtype, o.packing, o.major, &require_swizzle_mode("none")});
  const std::size_t modes = rank(o.layout.layout());
  if (modes != 2)
    throw Error(fmt::format("an operand has two modes, (MN,K); the layout has {}", modes),
                modes > 2 ? "group the modes that belong together, or take one stage: (LAYOUT)(_,_,0)"
                          : "for example (64,16):(16,1)");
  if (o.layout.has_pointer() && o.layout.element_bits() != bits)
    throw Error(fmt::format("the layout is one of {}-bit elements (smem_ptr[{}b]), {} has {} bits",
                            o.layout.element_bits(), o.layout.element_bits(), o.dtype->name, bits),
                "take the type that the layout was made for");
  require_chunk_address(o.base);
  const std::int64_t most = o.target->max_smem_per_cta.count * 8 / bits;
  if (o.layout.size() > most)
    throw Error(fmt::format("the layout has {} elements of {} bits; a CTA has at most {} B (227 KiB) of shared memory",
                            o.layout.size(), bits, o.target->max_smem_per_cta.count),
                fmt::format("at most {} elements", most));
}

OperandShape shape_under(const LayoutOperand& o, TileExtents extents, const SwizzleMode& mode) {
  return {extents, atom_extents(o.major, mode, *o.dtype, o.packing), o.major, &mode, bits_of(o)};
}

void require_mma(const LayoutOperand& o, TileExtents extents) {
  if (!o.mma) return;
  const OperandShape shape = shape_under(o, extents, require_swizzle_mode("none"));
  require_dense_mma(shape, *o.dtype, *o.mma);
  if (extents.mn % o.mma->mn != 0)
    throw Error(fmt::format("blocks of {} rows do not divide MN {} of the layout", o.mma->mn, extents.mn),
                "nearest: " + to_string(nearest_mma(shape, o.mma->mn)));
}

// ---- where the layout puts its elements

// Why no mode at all can read the layout; empty if one may. `offsets` are those of the layout before its swizzle.
std::string whole_reason(const LayoutOperand& o, TileExtents extents, const std::vector<std::int64_t>& offsets) {
  const int bits = bits_of(o);
  const std::int64_t k = dense_mma_k(bits);
  if (extents.mn % mma_mn_step != 0)
    return fmt::format("MN {} is not a multiple of 8, the smallest block of rows an MMA reads", extents.mn);
  if (extents.k % k != 0)
    return fmt::format("K {} is not a multiple of {}: a dense MMA of {} reads 32 B of every row", extents.k, k,
                       o.dtype->name);
  // In elements, so that no distance overflows.
  const std::int64_t first = -(o.base.count * 8 / bits);
  const std::int64_t end = (o.target->smem_window().count - o.base.count) * 8 / bits;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] >= first && offsets[i] < end) continue;
    const auto index = static_cast<std::int64_t>(i);
    return fmt::format("element ({},{}) lies {} elements from the base {:#x}, outside of the {} B of shared memory",
                       index % extents.mn, index / extents.mn, offsets[i], o.base.count, o.target->smem_window().count);
  }
  return {};
}

LinearPlacement placed(const LayoutOperand& o, TileExtents extents, std::vector<std::int64_t> offsets) {
  const int bits = bits_of(o);
  for (std::int64_t& offset : offsets) offset = o.base.count * 8 + offset * bits;
  return {extents, std::move(offsets)};
}

// The places before the XOR of the mode. The XOR is its own inverse.
LinearPlacement without(const SwizzleMode& mode, LinearPlacement placement) {
  for (std::int64_t& at : placement.bits) at = mode.bit(at);
  return placement;
}

const SwizzleMode* mode_of(const std::optional<Swizzle>& on_bytes) {
  if (!on_bytes) return nullptr;
  for (const SwizzleMode& mode : swizzle_modes())
    if (mode.bits == on_bytes->bits() && (mode.bits == 0 || mode.byte_swizzle() == *on_bytes)) return &mode;
  return nullptr;
}

// ---- the words of one mode

StrideField stride(const LinearPlacement& linear, const OperandShape& shape, TileExtents mma, Major direction,
                   const Target& target) {
  if (shape.atom.along(direction) >= shape.extents.along(direction)) return stride_of_one_atom(shape, direction);
  const TileCoordinate next =
      direction == Major::K ? TileCoordinate{0, shape.atom.k} : TileCoordinate{shape.atom.mn, 0};
  const std::int64_t bits = linear(next.row, next.k) - linear(0, 0);
  StrideField field = stride_between_atoms(
      shape, mma, direction, Bytes{bits >> 3},
      fmt::format("element ({},{}) lies {} after element (0,0)", next.row, next.k, distance_text(bits)));
  // A stride that is not used must neither prevent the layout from having words nor look like a mistake.
  const bool is_plausible =
      bits % chunk_bits == 0 && bits >= shape.swizzle->atom().count * 8 && bits >> 3 <= most_stride(target).count;
  return field.is_applied || is_plausible ? std::move(field) : stride_of_one_atom(shape, direction);
}

// The layout before its swizzle, combined with the mode's swizzle.
ComposedLayout under(const LayoutOperand& o, const SwizzleMode& mode) {
  const ComposedLayout& l = o.layout;
  const Swizzle swizzle = mode.byte_swizzle();
  if (l.offset() == 0 && mode.bits == 0) return l.layout();
  if (l.offset() == 0) return ComposedLayout::smem_ptr(swizzle, bits_of(o), l.layout());
  return ComposedLayout(*in_units(swizzle, log2_exact(bits_of(o)) - 3), l.offset(), l.layout());
}

// `linear` are the places before the XOR of the mode.
ModeAnswer answer_under(const LayoutOperand& o, const SwizzleMode& mode, const LinearPlacement& linear) {
  ModeAnswer answer{&mode, under(o, mode), {}, {}};
  const OperandChoice choice{o.target, o.dtype, o.packing, o.major, &mode};
  if (const auto refused = refusal(choice)) answer.reason = refused->message;
  else if (!o.base.is_multiple_of(mode.pattern()))
    answer.reason = fmt::format("the base {:#x} is not a multiple of {} B, after which the pattern of mode {} repeats",
                                o.base.count, mode.pattern().count, mode.name);
  if (!answer.reason.empty()) return answer;
  const OperandShape shape = shape_under(o, linear.extents, mode);
  const DefaultMma taken = o.mma ? DefaultMma{*o.mma, std::nullopt} : default_mma(shape, choice, o.role);
  TileExtents mma = taken.extents;
  if (mma.mn == 0)  // if atoms do not divide the extents, the largest block of rows
    for (mma.mn = mma_mn_most; linear.extents.mn % mma.mn != 0;) mma.mn -= mma_mn_step;

  const DescriptorStrides strides = descriptor_strides(shape, stride(linear, shape, mma, Major::MN, *o.target),
                                                       stride(linear, shape, mma, Major::K, *o.target));
  answer.reason = encoding_reason(linear, strides, mma, *o.target);
  if (answer.reason.empty()) {
    TileDescriptors words = words_of(shape, *o.target, o.base, mma, strides, [&](std::int64_t row, std::int64_t k) {
      return Bytes{linear(row, k) / 8 - o.base.count};
    });
    words.default_of = taken.role;
    answer.reason = reading_reason(linear, shape, words);
    if (answer.reason.empty()) answer.descriptors = std::move(words);
  }
  if (answer.descriptors) return answer;
  if (std::string in_atom = atom_reason(linear, shape, mma); !in_atom.empty()) answer.reason = std::move(in_atom);
  return answer;
}

// Whether the second line of an atom follows the first as in the mode; other layouts need no further check.
bool has_lines_of(const SwizzleMode& mode, Major major, const LinearPlacement& linear) {
  const bool has_second = linear.extents.across(major) > 1;
  return !has_second ||
         linear(major == Major::K ? 1 : 0, major == Major::K ? 0 : 1) - linear(0, 0) == mode.span.count * 8;
}

// If few address bits are in use, the swizzle of the layout and that of another mode can be the same function. `before`
// are the offsets before the swizzle.
LayoutWords words_of_equal_mode(const LayoutOperand& o, TileExtents extents, const std::vector<std::int64_t>& before) {
  std::vector<std::int64_t> offsets(before.size());
  tabulate(o.layout, offsets);
  // A swizzle may move elements out of shared memory.
  if (std::ranges::min(offsets) < 0 || !whole_reason(o, extents, offsets).empty()) return {};
  const LinearPlacement actual = placed(o, extents, std::move(offsets));
  const SwizzleMode* stated = stated_mode(o.layout, bits_of(o));
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (&mode == stated || !mode.code(o.target->descriptor)) continue;
    const LinearPlacement linear = without(mode, actual);
    if (!has_lines_of(mode, o.major, linear)) continue;
    if (auto words = answer_under(o, mode, linear).descriptors) return {&mode, std::move(words)};
  }
  return {};
}

// ---- the nearest tile

std::optional<NearestTile> nearest_tile(const LayoutOperand& o, TileExtents extents,
                                        const std::vector<std::int64_t>& offsets) {
  std::optional<NearestTile> nearest;
  std::vector<std::int64_t> theirs(offsets.size());
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (!is_legal({o.target, o.dtype, o.packing, o.major, &mode})) continue;
    const TileExtents atom = atom_extents(o.major, mode, *o.dtype, o.packing);
    if (extents.mn % atom.mn != 0 || extents.k % atom.k != 0) continue;
    for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
      const SmemTile tile({*o.dtype, o.packing, o.major, extents.mn, extents.k, mode, order, Bytes{0}});
      tabulate(tile.layout().layout(), theirs);
      std::int64_t agreeing = 0;
      for (std::size_t i = 0; i < offsets.size(); ++i) agreeing += offsets[i] == theirs[i] ? 1 : 0;
      // Modes are in the order of their span, and mn-first is tried first.
      const bool is_nearer = !nearest || agreeing > nearest->agreeing ||
                             (agreeing == nearest->agreeing && mode.span > nearest->tile.swizzle().span);
      if (!is_nearer) continue;
      nearest = {tile,
                 o.mma ? tile_descriptors(tile, *o.target, nearest_mma(operand_shape(tile), o.mma->mn))
                       : tile_descriptors(tile, *o.target, o.role),
                 agreeing};
    }
  }
  return nearest;
}

// Throws Error as layout_descriptors does.
TileExtents required_extents(const LayoutOperand& o) {
  require_operand(o);
  const IntTuple& shape = o.layout.layout().shape();
  const TileExtents extents{product(mode(shape, 0)), product(mode(shape, 1))};
  require_mma(o, extents);
  return extents;
}

std::vector<std::int64_t> unswizzled_offsets(const LayoutOperand& o) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(o.layout.size()));
  tabulate(o.layout.layout(), offsets);
  for (std::int64_t& offset : offsets) offset += o.layout.offset();
  return offsets;
}

std::int64_t repetitions(std::vector<std::int64_t> places) {
  std::sort(places.begin(), places.end());
  return places.end() - std::unique(places.begin(), places.end());
}

}  // namespace

std::optional<Swizzle> byte_form(const ComposedLayout& layout, int element_bits) {
  return layout.has_pointer() ? layout.swizzle() : in_units(layout.swizzle(), 3 - log2_exact(element_bits));
}

const SwizzleMode* stated_mode(const ComposedLayout& layout, int element_bits) {
  return mode_of(byte_form(layout, element_bits));
}

std::string swizzle_reason(const ComposedLayout& layout, int bits) {
  const Swizzle& written = layout.swizzle();
  const std::optional<Swizzle> on_bytes = byte_form(layout, bits);
  std::string text = to_string(written);
  if (layout.has_pointer()) text += " on bytes is";
  else if (on_bytes) text += fmt::format(" on elements is {} on bytes,", to_string(*on_bytes));
  else text += " on elements tears bytes apart,";
  text += " the swizzle of no hardware mode";
  // The same three numbers in the other form.
  const std::optional<Swizzle> mistaken =
      layout.has_pointer() ? in_units(written, 3 - log2_exact(bits)) : std::optional<Swizzle>(written);
  if (const SwizzleMode* meant = mode_of(mistaken))
    text += layout.has_pointer()
                ? fmt::format("; it is the element form of mode {}, which smem_ptr writes {}", meant->name,
                              to_string(meant->byte_swizzle()))
                : fmt::format("; it is the byte form of mode {}, which elements of {} bits write {}", meant->name, bits,
                              to_string(*in_units(meant->byte_swizzle(), log2_exact(bits) - 3)));
  return text;
}

OperandChoice readable_choice(const LayoutOperand& o) {
  const SwizzleMode* stated = stated_mode(o.layout, bits_of(o));
  const OperandChoice choice{o.target, o.dtype, o.packing, o.major, stated ? stated : &require_swizzle_mode("none")};
  if (is_legal(choice)) return choice;
  for (const SwizzleMode& mode : swizzle_modes())
    if (const OperandChoice other{o.target, o.dtype, o.packing, o.major, &mode}; is_legal(other)) return other;
  return choice;
}

LayoutWords words_as_it_lies(const LayoutOperand& o) {
  const TileExtents extents = required_extents(o);
  const std::vector<std::int64_t> offsets = unswizzled_offsets(o);
  if (!whole_reason(o, extents, offsets).empty()) return {};
  const SwizzleMode* stated = stated_mode(o.layout, bits_of(o));
  const bool is_possible = stated && (stated->bits == 0 || std::ranges::min(offsets) >= 0);
  if (is_possible) {
    const LinearPlacement linear = placed(o, extents, offsets);
    if (has_lines_of(*stated, o.major, linear))
      if (auto words = answer_under(o, *stated, linear).descriptors) return {stated, std::move(words)};
  }
  return words_of_equal_mode(o, extents, offsets);
}

LayoutDescriptors layout_descriptors(const LayoutOperand& o) {
  LayoutDescriptors out;
  out.extents = required_extents(o);
  const std::vector<std::int64_t> offsets = unswizzled_offsets(o);
  out.repeated = repetitions(offsets);
  out.reason = whole_reason(o, out.extents, offsets);
  if (!out.reason.empty()) return out;

  const SwizzleMode* stated = stated_mode(o.layout, bits_of(o));
  const SwizzleMode& asked = stated ? *stated : require_swizzle_mode("none");
  if (const auto refused = refusal({o.target, o.dtype, o.packing, o.major, &asked})) out.hint = refused->hint;
  if (!stated) out.reason = swizzle_reason(o.layout, bits_of(o));
  const bool is_negative = std::ranges::min(offsets) < 0;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (!mode.code(o.target->descriptor) && stated != &mode) continue;
    if (is_negative && mode.bits != 0)
      out.modes.push_back(
          {&mode, o.layout.layout(), {}, "a swizzle permutes offsets from 0 on; the layout has negative ones"});
    else out.modes.push_back(answer_under(o, mode, placed(o, out.extents, offsets)));
    if (stated != &mode) continue;
    out.descriptors = out.modes.back().descriptors;
    out.reason = out.modes.back().reason;
    if (out.descriptors) out.mode = stated;
  }
  if (!out.descriptors) {
    LayoutWords equal = words_of_equal_mode(o, out.extents, offsets);
    out.descriptors = std::move(equal.descriptors);
    if (out.descriptors) out.mode = equal.mode;
  }
  if (out.descriptors) out.reason.clear();
  else out.nearest = nearest_tile(o, out.extents, offsets);
  return out;
}

}  // namespace swz
