#include "layout/composed_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {

ComposedLayout::ComposedLayout(Swizzle swizzle, std::int64_t offset, Layout layout)
    : swizzle_(swizzle), element_swizzle_(swizzle), offset_(offset), layout_(std::move(layout)) {
  if (swizzle.is_identity() && offset == 0)
    swizzle_ = element_swizzle_ = Swizzle();  // one way to say "just a layout"
  std::int64_t lowest = offset;
  std::int64_t highest = offset;
  for (const FlatMode& m : layout_.modes()) {
    const std::int64_t reach = (m.extent - 1) * m.stride;
    (reach < 0 ? lowest : highest) = checked_add(reach < 0 ? lowest : highest, reach);
  }
  if (lowest < 0 && !swizzle_.is_identity())
    throw Error(fmt::format("{} would act on the negative offset {}", to_string(swizzle_), lowest),
                "a swizzle permutes offsets from 0 on");
  if (highest >= std::int64_t{1} << 62 && !swizzle_.is_identity())
    throw Error(fmt::format("offset {} is beyond 2^62", highest), "a swizzle needs smaller offsets");
  checked_add(checked_add(highest, lowest < 0 ? -lowest : 0), 1);  // the span fits as well
}

ComposedLayout ComposedLayout::smem_ptr(Swizzle byte_swizzle, int element_bits, Layout layout) {
  if (!is_power_of_two(element_bits) || element_bits > 1 << 20)
    throw Error(
        fmt::format("smem_ptr[{}b]: an element of {} bits has no address of its own", element_bits, element_bits),
        "use a power of two; 6-bit types sit in 8-bit containers in shared memory");
  const auto in_elements = in_units(byte_swizzle, log2_exact(element_bits) - 3);
  if (!in_elements)
    throw Error(fmt::format("{} moves {}-byte pieces and would tear elements of {} bits apart",
                            to_string(byte_swizzle), 1 << byte_swizzle.base(), element_bits),
                fmt::format("the widest element it keeps whole is {} bits", 8 << byte_swizzle.base()));
  ComposedLayout result(*in_elements, 0, std::move(layout));
  result.swizzle_ = byte_swizzle;
  result.element_bits_ = element_bits;
  return result;
}

ComposedLayout ComposedLayout::with(Layout layout) const {
  ComposedLayout result(element_swizzle_, offset_, std::move(layout));
  result.swizzle_ = swizzle_;
  result.element_bits_ = element_bits_;
  return result;
}

std::int64_t offset_at(const ComposedLayout& l, const IntTuple& coordinate) {
  return l.element_swizzle()(l.offset() + offset_at(l.layout(), coordinate));
}

void tabulate(const ComposedLayout& l, std::span<std::int64_t> out) {
  tabulate(l.layout(), out);
  if (l.is_layout()) return;
  const std::int64_t offset = l.offset();
  const std::int64_t read = l.element_swizzle().read_mask();
  const int shift = l.element_swizzle().shift();
  if (shift >= 0) {
    for (std::int64_t& x : out) x = (x + offset) ^ (((x + offset) & read) >> shift);
  } else {
    for (std::int64_t& x : out) x = (x + offset) ^ (((x + offset) & read) << -shift);
  }
}

ComposedLayout slice(const ComposedLayout& l, const IntTuple& coordinate) {
  Slice rest = slice(l.layout(), coordinate);
  if (rest.offset == 0) return l.with(std::move(rest.layout));
  return ComposedLayout(l.element_swizzle(), l.offset() + rest.offset, std::move(rest.layout));
}

std::string to_string(const ComposedLayout& l) {
  if (l.is_layout()) return to_string(l.layout());
  const std::string middle =
      l.has_pointer() ? fmt::format("smem_ptr[{}b](unset)", l.element_bits()) : fmt::format("{}", l.offset());
  return fmt::format("{} o {} o {}", to_string(l.swizzle()), middle, to_string(l.layout()));
}

}  // namespace swz
