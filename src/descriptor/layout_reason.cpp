#include "descriptor/layout_reason.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"

namespace swz {

namespace {

constexpr std::int64_t chunk_bits = chunk.count * 8;

// An atom has lines of contiguous elements: K-major rows, MN-major k.
struct Lines {
  const LinearPlacement& placement;
  Major major;

  // Distance of element i of line j from the first element.
  std::int64_t at(std::int64_t i, std::int64_t j) const {
    return (major == Major::K ? placement(j, i) : placement(i, j)) - placement(0, 0);
  }
  std::string_view along() const { return major == Major::K ? "K" : "MN"; }
  std::string_view line() const { return major == Major::K ? "row" : "k"; }
  std::string_view lines() const { return major == Major::K ? "rows" : "k"; }
};

std::string contiguity_reason(const Lines& lines, std::int64_t elements, int bits) {
  for (std::int64_t i = 1; i < elements; ++i) {
    const std::int64_t is = lines.at(i, 0);
    if (is == i * bits) continue;
    if (i > 1)
      return fmt::format("element {} along {} lies {} after the first; 16 contiguous bytes need {}", i,
                         lines.along(), distance_text(is), distance_text(i * bits));
    const Major other = lines.major == Major::K ? Major::MN : Major::K;
    const bool is_other = lines.at(0, 1) == bits;
    return fmt::format("neighbours along {} are {} apart; {} needs {}{}", lines.along(), distance_text(is),
                       to_string(lines.major), distance_text(bits),
                       is_other ? fmt::format(" (the layout is {})", to_string(other)) : std::string());
  }
  return {};
}

const SwizzleMode* mode_of(const std::optional<Swizzle>& on_bytes) {
  if (!on_bytes) return nullptr;
  for (const SwizzleMode& mode : swizzle_modes())
    if (mode.bits == on_bytes->bits() && (mode.bits == 0 || mode.byte_swizzle() == *on_bytes)) return &mode;
  return nullptr;
}

}  // namespace

std::optional<Swizzle> byte_form(const ComposedLayout& layout, int element_bits) {
  return layout.has_pointer() ? layout.swizzle() : in_units(layout.swizzle(), 3 - log2_exact(element_bits));
}

std::string distance_text(std::int64_t bits) {
  return bits % 8 == 0 ? fmt::format("{} B", bits / 8) : fmt::format("{} bits", bits);
}

std::string atom_reason(const LinearPlacement& placement, const OperandShape& shape, TileExtents mma) {
  const SwizzleMode& mode = *shape.swizzle;
  const Lines lines{placement, shape.major};
  const int bits = shape.element_bits;
  const bool is_k = shape.major == Major::K;
  const std::int64_t length = std::min(is_k ? mma.k : mma.mn, mode.span.count * 8 / bits);
  const std::int64_t count = std::min<std::int64_t>(is_k ? mma.mn : mma.k, mode.lines);
  const std::int64_t per_chunk = chunk_bits / bits;

  if (std::string reason = contiguity_reason(lines, std::min(length, per_chunk), bits); !reason.empty())
    return reason;
  for (std::int64_t c = 1; c < length / per_chunk; ++c)
    if (const std::int64_t is = lines.at(c * per_chunk, 0); is != c * chunk_bits)
      return fmt::format("16-byte chunk {} of {} lies {} after chunk 0; mode {} needs {} B", c, lines.along(),
                         distance_text(is), mode.name, c * chunk.count);
  for (std::int64_t j = 1; j < count; ++j) {
    const std::int64_t is = lines.at(0, j);
    const std::int64_t needed = j * mode.span.count;
    if (is == needed * 8) continue;
    if (j == 1)
      return fmt::format("{} are {} apart; mode {} needs {} B", lines.lines(), distance_text(is), mode.name,
                         needed);
    return fmt::format("{} {} lies {} after {} 0; mode {} needs {} B", lines.line(), j, distance_text(is),
                       lines.line(), mode.name, needed);
  }
  return {};
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
                : fmt::format("; it is the byte form of mode {}, which elements of {} bits write {}", meant->name,
                              bits, to_string(*in_units(meant->byte_swizzle(), log2_exact(bits) - 3)));
  return text;
}

}  // namespace swz
