// SPDX-License-Identifier: Apache-2.0
#include "smem/choose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {

namespace {

constexpr std::int64_t most_box_lines = 256;
constexpr Bytes box_alignment{128};

bool has_gaps(const SmemTileValues& s) {
  const NarrowForm* form = narrow_form(*s.dtype, s.packing);
  return form != nullptr && form->has_gaps;
}

SmemTileValues with(SmemTileValues s, const SwizzleMode& mode, StackingOrder order = StackingOrder::mn_first) {
  s.swizzle = mode;
  s.order = order;
  s.base = {};
  return s;
}

OperandChoice choice_of(const SmemTileValues& s, const Target& target, const SwizzleMode& mode) {
  return operand_choice(with(s, mode), target);
}

bool divides(const SmemTileValues& s, const SwizzleMode& mode) {
  if (s.major == Major::K && mode.family == SwizzleFamily::chunk_32) return false;
  const TileExtents atom = atom_extents(s.major, mode, *s.dtype, s.packing);
  return s.mn % atom.mn == 0 && s.k % atom.k == 0;
}

bool is_readable(const SmemTileValues& s, const Target& target) {
  return std::ranges::any_of(swizzle_modes(),
                             [&](const SwizzleMode& mode) { return is_legal(choice_of(s, target, mode)); });
}

Bytes request_of(const SmemTileValues& s, const SwizzleMode& mode) {
  const int bits = element_bits(*s.dtype, s.packing);
  return Bits{mode.span.count * 8 / bits * (has_gaps(s) ? s.dtype->value_bits : bits)}.in_bytes();
}

std::string why_not_fitting(const SmemTileValues& s, const SwizzleMode& mode) {
  const bool k_major = s.major == Major::K;
  if (k_major && mode.family == SwizzleFamily::chunk_32) return "its K-major atom is not defined";
  const std::int64_t extent = s.extents().along(s.major);
  const std::int64_t bits = checked_mul(extent, element_bits(*s.dtype, s.packing));
  if (bits % (mode.span.count * 8) != 0)
    return fmt::format("{} {} is {} B, not a multiple of {} B", direction_name(s.major), extent, bits / 8,
                       mode.span.count);
  return fmt::format("{} {} is not a multiple of {}, the lines of its atom", direction_name(other_major(s.major)),
                     s.extents().across(s.major), mode.lines);
}

// Sets how many boxes of a 2-D map of the target fill the tile, or why none does.
void add_boxes(ModeVerdict& verdict, const SmemTileValues& s, const Target& target) {
  if (!target.has_tma) {
    verdict.why_no_boxes = fmt::format("{} has no TMA", target.name);
  } else if (has_gaps(s) && verdict.mode->span != bank_row) {
    verdict.why_no_boxes = fmt::format("a box of {} in 8-bit slots is 128 elements wide", s.dtype->name);
  } else {
    verdict.mn_first = tma_boxes(SmemTile(with(s, *verdict.mode)));
    verdict.k_first = tma_boxes(SmemTile(with(s, *verdict.mode, StackingOrder::k_first)));
  }
}

// Throws Error with the reason why not even the smallest allowed mode fits.
[[noreturn]] void throw_nothing_fits(const SmemTileValues& s, const std::vector<ModeVerdict>& verdicts,
                                     const Target& target) {
  const SwizzleMode& smallest = swizzle_modes().front();
  if (!divides(s, smallest)) SmemTile(with(s, smallest));  // throws, with a hint
  const auto last = std::find_if(verdicts.rbegin(), verdicts.rend(), [](const auto& v) { return v.allowed; });
  const TileExtents atom = atom_extents(s.major, *last->mode, *s.dtype, s.packing);
  const auto up = [](std::int64_t extent, std::int64_t unit) { return ceil_div(extent, unit) * unit; };
  throw Error(fmt::format("{} reads {} {} with mode {} only, and {}", target.name, to_string(s.major), s.dtype->name,
                          last->mode->name, why_not_fitting(s, *last->mode)),
              fmt::format("take a tile of {}", to_string(TileExtents{up(s.mn, atom.mn), up(s.k, atom.k)})));
}

}  // namespace

TmaBoxes tma_boxes(const SmemTile& tile) {
  const bool k_major = tile.major() == Major::K;
  const TileExtents atoms = tile.atoms(), atom = tile.atom();
  const std::int64_t atoms_down = atoms.across(tile.major()), atoms_across = atoms.along(tile.major());
  const Bytes step = k_major ? tile.mn_atom_stride() : tile.k_atom_stride();
  const std::int64_t run = (step == tile.swizzle().atom() ? atoms_down : 1) * tile.swizzle().lines;

  // One atom per box always works.
  std::int64_t lines = std::min(run, most_box_lines);
  while (run % lines != 0 || !Bytes{lines * tile.swizzle().span.count}.is_multiple_of(box_alignment)) --lines;
  const TileExtents box = k_major ? TileExtents{lines, atom.k} : TileExtents{atom.mn, lines};
  return {box, atoms_across * (atoms_down * tile.swizzle().lines / lines)};
}

std::optional<TmaBoxes> fewer_boxes(const SmemTile& tile) {
  const TmaBoxes other = tma_boxes(SmemTile(with(tile.values(), tile.swizzle(), other_order(tile.order()))));
  if (other.count < tma_boxes(tile).count) return other;
  return {};
}

SwizzleChoice choose_readable_swizzle(const SmemTileValues& shape, const Target& target) {
  if (target.descriptor != SmemDescriptorKind::none && !is_readable(shape, target)) {
    const SwizzleMode* widest = &swizzle_modes().front();
    for (const SwizzleMode& mode : swizzle_modes())
      if (mode.family != SwizzleFamily::chunk_32 && divides(shape, mode)) widest = &mode;
    require_legal(choice_of(shape, target, *widest));
  }
  return choose_swizzle(shape, target);
}

SwizzleChoice choose_swizzle(const SmemTileValues& shape, const Target& target) {
  SwizzleChoice choice{nullptr, {}, std::nullopt};
  const auto refused = [&](const SwizzleMode& mode) { return refusal(choice_of(shape, target, mode)); };
  const auto modes = swizzle_modes();
  if (!is_readable(shape, target))
    choice.unreadable = refused(modes.front());  // for the mode that is chosen, once that is known

  // The table of modes goes from the smallest to the largest, with the 32-byte-atomic one last.
  for (auto mode = modes.rbegin(); mode != modes.rend(); ++mode) {
    ModeVerdict verdict{&*mode, divides(shape, *mode), true, {}, request_of(shape, *mode)};
    if (choice.unreadable) {
      verdict.allowed = mode->family != SwizzleFamily::chunk_32;
      if (!verdict.allowed) verdict.why_not = "only tcgen05 reads it, for 32-bit MN-major operands";
    } else if (const auto why = refused(*mode)) {
      verdict.allowed = false;
      verdict.why_not = why->message;
    }
    if (verdict.allowed && !verdict.fits) verdict.why_not = why_not_fitting(shape, *mode);
    choice.verdicts.push_back(std::move(verdict));
  }

  const auto taken = std::ranges::find_if(choice.verdicts, [](const auto& v) { return v.allowed && v.fits; });
  if (taken == choice.verdicts.end()) throw_nothing_fits(shape, choice.verdicts, target);
  choice.mode = taken->mode;
  if (choice.unreadable) choice.unreadable = refused(*choice.mode);
  SmemTile(with(shape, *choice.mode));  // throws if it is empty or does not fit into shared memory
  for (ModeVerdict& verdict : choice.verdicts) {
    if (verdict.allowed && verdict.fits) add_boxes(verdict, shape, target);
    if (verdict.why_not.empty() && verdict.mode != choice.mode)
      verdict.why_not = fmt::format("fits, but {} makes larger requests", choice.mode->name);
  }
  return choice;
}

}  // namespace swz
