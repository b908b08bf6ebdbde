#include "descriptor/layout_descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "descriptor/operand_map.hpp"

namespace swz {

namespace {

constexpr std::int64_t chunk_bits = chunk.count * 8;

int bits_of(const LayoutOperand& o) { return element_bits(*o.dtype, o.packing); }

// ---- what can be asked

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
    throw Error(
        fmt::format("the layout has {} elements of {} bits; a CTA has at most {} B (227 KiB) of shared memory",
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

// What keeps any mode from reading the layout; empty: nothing. `offsets` are those of the layout before its
// swizzle.
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
                       index % extents.mn, index / extents.mn, offsets[i], o.base.count,
                       o.target->smem_window().count);
  }
  return {};
}

// The bit where each element lies, before the swizzle, as shared-memory addresses times 8.
struct LinearPlacement {
  TileExtents extents;
  std::vector<std::int64_t> bits;  // rows fastest, as CuTe counts coordinates

  std::int64_t operator()(std::int64_t row, std::int64_t k) const {
    return bits[static_cast<std::size_t>(row + k * extents.mn)];
  }
};

LinearPlacement placed(const LayoutOperand& o, TileExtents extents, std::vector<std::int64_t> offsets) {
  const int bits = bits_of(o);
  for (std::int64_t& offset : offsets) offset = o.base.count * 8 + offset * bits;
  return {extents, std::move(offsets)};
}

// The places before the XOR of the mode; the XOR is its own inverse.
LinearPlacement without(const SwizzleMode& mode, LinearPlacement placement) {
  for (std::int64_t& at : placement.bits) at = mode.bit(at);
  return placement;
}

// ---- reasons: they explain an answer that operand_map gave, and never decide

// "256 B", "4 bits"
std::string distance_text(std::int64_t bits) {
  return bits % 8 == 0 ? fmt::format("{} B", bits / 8) : fmt::format("{} bits", bits);
}

// What is wrong inside the first atom, which has lines of contiguous elements: K-major rows, MN-major k. Empty: nothing.
std::string atom_reason(const LinearPlacement& linear, const OperandShape& shape, TileExtents mma) {
  const SwizzleMode& mode = *shape.swizzle;
  const std::int64_t bits = shape.element_bits, per_chunk = chunk_bits / bits;
  const bool is_k = shape.major == Major::K;
  const std::string_view along = direction_name(shape.major), line = is_k ? "row" : "k",
                         lines = is_k ? "rows" : "k";
  const std::int64_t length = std::min(mma.along(shape.major), mode.span.count * 8 / bits);
  const std::int64_t count = std::min<std::int64_t>(mma.along(other_major(shape.major)), mode.lines);
  // Distance of element i of line j from the first element.
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return (is_k ? linear(j, i) : linear(i, j)) - linear(0, 0);
  };
  for (std::int64_t i = 1; i < std::min(length, per_chunk); ++i) {
    const std::int64_t is = at(i, 0);
    if (is == i * bits) continue;
    if (i > 1)
      return fmt::format("element {} along {} lies {} after the first; 16 contiguous bytes need {}", i, along,
                         distance_text(is), distance_text(i * bits));
    const bool is_other = at(0, 1) == bits;
    return fmt::format("neighbours along {} are {} apart; {} needs {}{}", along, distance_text(is),
                       to_string(shape.major), distance_text(bits),
                       is_other ? fmt::format(" (the layout is {})", to_string(other_major(shape.major))) : "");
  }
  for (std::int64_t c = 1; c < length / per_chunk; ++c)
    if (const std::int64_t is = at(c * per_chunk, 0); is != c * chunk_bits)
      return fmt::format("16-byte chunk {} of {} lies {} after chunk 0; mode {} needs {} B", c, along,
                         distance_text(is), mode.name, c * chunk.count);
  for (std::int64_t j = 1; j < count; ++j) {
    const std::int64_t is = at(0, j), needed = j * mode.span.count;
    if (is == needed * 8) continue;
    return j == 1 ? fmt::format("{} are {} apart; mode {} needs {} B", lines, distance_text(is), mode.name, needed)
                  : fmt::format("{} {} lies {} after {} 0; mode {} needs {} B", line, j, distance_text(is), line,
                                mode.name, needed);
  }
  return {};
}

const SwizzleMode* mode_of(const std::optional<Swizzle>& on_bytes) {
  if (!on_bytes) return nullptr;
  for (const SwizzleMode& mode : swizzle_modes())
    if (mode.bits == on_bytes->bits() && (mode.bits == 0 || mode.byte_swizzle() == *on_bytes)) return &mode;
  return nullptr;
}

// Why stated_mode is null.
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
                : fmt::format("; it is the byte form of mode {}, which elements of {} bits write {}", meant->name,
                              bits, to_string(*in_units(meant->byte_swizzle(), log2_exact(bits) - 3)));
  return text;
}

// ---- the words of one mode

// The most that a field for a stride holds.
Bytes most_stride(const Target& target) {
  const FieldRow& row = *smem_format(target.descriptor).find(FieldId::stride_byte_offset);
  return Bytes{static_cast<std::int64_t>(row.bits.max()) * row.scale};
}

StrideField stride(const LinearPlacement& linear, const OperandShape& shape, TileExtents mma, Major direction,
                   const Target& target) {
  if (shape.atom.along(direction) >= shape.extents.along(direction)) return stride_of_one_atom(shape, direction);
  const TileCoordinate next =
      direction == Major::K ? TileCoordinate{0, shape.atom.k} : TileCoordinate{shape.atom.mn, 0};
  const std::int64_t bits = linear(next.row, next.k) - linear(0, 0);
  StrideField field = stride_between_atoms(
      shape, mma, direction, Bytes{bits >> 3},
      fmt::format("element ({},{}) lies {} after element (0,0)", next.row, next.k, distance_text(bits)));
  // What is not applied must not keep the layout from having words, nor look like a mistake.
  const bool is_plausible =
      bits % chunk_bits == 0 && bits >= shape.swizzle->atom().count * 8 && bits >> 3 <= most_stride(target).count;
  return field.is_applied || is_plausible ? std::move(field) : stride_of_one_atom(shape, direction);
}

// Why a stride or a start has no place in a word; empty: nothing.
std::string encoding_reason(const LinearPlacement& linear, const DescriptorStrides& strides, TileExtents mma,
                            const Target& target) {
  const std::int64_t most = most_stride(target).count;
  for (const auto& [name, stride] : {std::pair{"LBO", &strides.leading}, {"SBO", &strides.stride}}) {
    const Bytes value = stride->value;
    if (value.count < 0 || value.count > most || !value.is_multiple_of(chunk))
      return fmt::format("{} would be {} B; a descriptor holds multiples of 16 B from 0 to {} ({})", name,
                         value.count, most, stride->derivation);
  }
  for (std::int64_t k = 0; k < linear.extents.k; k += mma.k)
    for (std::int64_t row = 0; row < linear.extents.mn; row += mma.mn)
      if (const std::int64_t start = linear(row, k); start % chunk_bits != 0)
        return fmt::format(
            "the MMA that begins at element ({},{}) starts at byte {}, which is not a multiple of 16", row, k,
            start / 8);
  return {};
}

// The first element that a word reads from another place than the layout puts it at; empty: none.
std::string reading_reason(const LinearPlacement& linear, const OperandShape& shape, const TileDescriptors& words) {
  for (const MmaStep& step : words.steps) {
    const OperandMap map = operand_map(step.descriptor, words.mma, shape.element_bits, shape.major);
    for (std::int64_t r = 0; r < words.mma.mn; ++r) {
      for (std::int64_t c = 0; c < words.mma.k; ++c) {
        const std::int64_t row = step.m_block * words.mma.mn + r, k = step.k_step * words.mma.k + c;
        const std::int64_t lies = shape.swizzle->bit(linear(row, k));
        if (map.place(r, c) == lies) continue;
        return fmt::format(
            "with LBO {} B and SBO {} B the MMA at m {}, k {} reads element ({},{}) from byte {}; the layout puts "
            "it at {}",
            words.leading.value.count, words.stride.value.count, step.m_block, step.k_step, row, k, map.byte(r, c),
            distance_text(lies));
      }
    }
  }
  return {};
}

// The layout before its swizzle under the mode.
ComposedLayout under(const LayoutOperand& o, const SwizzleMode& mode) {
  const ComposedLayout& l = o.layout;
  const Swizzle swizzle = mode.byte_swizzle();
  if (l.offset() == 0 && mode.bits == 0) return l.layout();
  if (l.offset() == 0) return ComposedLayout::smem_ptr(swizzle, bits_of(o), l.layout());
  return ComposedLayout(*in_units(swizzle, log2_exact(bits_of(o)) - 3), l.offset(), l.layout());
}

// `linear`: the places before the XOR of the mode.
ModeAnswer answer_under(const LayoutOperand& o, const SwizzleMode& mode, const LinearPlacement& linear) {
  ModeAnswer answer{&mode, under(o, mode), {}, {}};
  const OperandChoice choice{o.target, o.dtype, o.packing, o.major, &mode};
  if (const auto refused = refusal(choice)) answer.reason = refused->message;
  else if (!o.base.is_multiple_of(mode.pattern()))
    answer.reason =
        fmt::format("the base {:#x} is not a multiple of {} B, after which the pattern of mode {} repeats",
                    o.base.count, mode.pattern().count, mode.name);
  if (!answer.reason.empty()) return answer;
  const OperandShape shape = shape_under(o, linear.extents, mode);
  const DefaultMma taken = o.mma ? DefaultMma{*o.mma, std::nullopt} : default_mma(shape, choice, o.role);
  TileExtents mma = taken.extents;
  if (mma.mn == 0)  // extents that atoms do not divide: the largest block of rows
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

// Where few address bits are in use, the swizzle of the layout and that of another mode can be one function.
// `before`: the offsets before the swizzle.
void find_equal_mode(const LayoutOperand& o, const std::vector<std::int64_t>& before, LayoutDescriptors& out) {
  std::vector<std::int64_t> offsets(before.size());
  tabulate(o.layout, offsets);
  // A swizzle may carry elements out of shared memory.
  if (std::ranges::min(offsets) < 0 || !whole_reason(o, out.extents, offsets).empty()) return;
  const LinearPlacement actual = placed(o, out.extents, std::move(offsets));
  const SwizzleMode* stated = stated_mode(o.layout, bits_of(o));
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (&mode == stated || !mode.code(o.target->descriptor)) continue;
    out.descriptors = answer_under(o, mode, without(mode, actual)).descriptors;
    if (!out.descriptors) continue;
    out.mode = &mode;
    return;
  }
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
      // Modes come in the order of their span, orders mn-first.
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

OperandChoice readable_choice(const LayoutOperand& o) {
  const SwizzleMode* stated = stated_mode(o.layout, bits_of(o));
  const OperandChoice choice{o.target, o.dtype, o.packing, o.major,
                             stated ? stated : &require_swizzle_mode("none")};
  if (is_legal(choice)) return choice;
  for (const SwizzleMode& mode : swizzle_modes())
    if (const OperandChoice other{o.target, o.dtype, o.packing, o.major, &mode}; is_legal(other)) return other;
  return choice;
}

LayoutDescriptors layout_descriptors(const LayoutOperand& o) {
  require_operand(o);
  const IntTuple& shape = o.layout.layout().shape();
  LayoutDescriptors out;
  out.extents = {product(mode(shape, 0)), product(mode(shape, 1))};
  require_mma(o, out.extents);

  std::vector<std::int64_t> offsets(static_cast<std::size_t>(o.layout.size()));
  tabulate(o.layout.layout(), offsets);
  for (std::int64_t& offset : offsets) offset += o.layout.offset();
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
  if (!out.descriptors) find_equal_mode(o, offsets, out);
  if (out.descriptors) out.reason.clear();
  else out.nearest = nearest_tile(o, out.extents, offsets);
  return out;
}

}  // namespace swz
