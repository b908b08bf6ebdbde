// SPDX-License-Identifier: Apache-2.0
// The picture of what an MMA of a kernel reads through a word whose start is an expression: as that of swz map, with
// addresses counted from the expression.
//
//   start "global_smem + 4096*%r144 + 8192", mode 64B     byte 0x2000 on, from "global_smem + 4096*%r144"
//
// The XOR of a swizzle depends on absolute addresses. So there is a picture only if the bits of the start are known that
// the pattern of the mode depends on, and if the expression without its constant is a multiple of the pattern.
#include <fmt/format.h>

#include "arch/dtype.hpp"
#include "base/error.hpp"
#include "descriptor/fields.hpp"
#include "view/kernel/kernel_parts.hpp"
#include "view/map/map.hpp"

namespace swz {
namespace {

// The word with the constant of its start as its start; none if that is not known well enough, or illegal.
std::optional<SmemDescriptor> word_from_terms(const MmaOperandSite& o, const Target& target) {
  const SmemDescriptor word(o.word->word, target);
  const FieldRow* start = word.format().find(FieldId::start_address);
  if (start == nullptr || o.swizzle == nullptr) return {};
  const std::int64_t pattern = o.swizzle->pattern().count, unit = chunk.count;
  const auto field = static_cast<std::int64_t>(start->bits.read(o.word->known)) * unit;
  const bool is_known = ((pattern - 1) & ~(unit - 1) & ~field) == 0;
  const std::int64_t known = word.start_address().count, constant = o.start->constant.count;
  constexpr std::int64_t end = std::int64_t{1} << 18;  // of what the field can say
  if (!is_known || constant < 0 || constant >= end || constant % unit != 0 || (known - constant) % pattern != 0)
    return {};
  return SmemDescriptor(start->bits.write(o.word->word, static_cast<std::uint64_t>(constant / unit)), target);
}

}  // namespace

std::optional<Figure> operand_site_figure(const std::string& label, const MmaOperandSite& o, const std::string& type,
                                          const Target& target) {
  const DType* dtype = find_dtype(type);
  const bool is_mapped = o.word && o.start && o.major && o.extents.mn > 0 && o.extents.k > 0 && o.element_bits > 0 &&
                         o.stride_byte_offset && o.leading_byte_offset && !o.has_absolute_lbo && dtype != nullptr;
  if (!is_mapped) return {};
  const std::optional<SmemDescriptor> word = word_from_terms(o, target);
  if (!word) return {};
  try {
    const OperandMap map = operand_map(*word, o.extents, o.element_bits, *o.major);
    const MapAnswer answer{operand_report(*word, map), dtype, {}, {}, {}, {}};
    Figure figure = map_figure(answer);
    Grid &operand = figure.panels.front().front(), &memory = figure.panels.front().back();
    const std::string terms = readable(o.start->terms);
    operand.title = fmt::format("{}: byte of each chunk", label);
    memory.title = fmt::format("{}: bytes from {}", label, terms);
    figure.caption =
        fmt::format("Bytes count from {}, taken as a multiple of {} B.", terms, o.swizzle->pattern().count);
    return figure;
  } catch (const Error&) {
    return {};  // a word that no MMA can read: its bits are drawn
  }
}

}  // namespace swz
