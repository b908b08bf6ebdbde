// Rules about the box, the element strides, interleave, swizzle, L2 promotion and fill.
#include <fmt/format.h>

#include <algorithm>

#include "tma/overflow.hpp"
#include "tma/rule_parts.hpp"

namespace swz {

namespace {

using namespace rule_parts;

constexpr std::uint64_t most_box = 256, most_element_stride = 8;

bool is_in(std::uint64_t value, std::uint64_t most) { return value >= 1 && value <= most; }
bool has_inner_bytes(const Case& c) { return c.type != nullptr && is_in(c.map.box[0], most_box); }
bool is_inner_uneven(const Case& c) {
  return has_inner_bytes(c) && !is_padded(c) &&
         c.map.box[0] * static_cast<std::uint64_t>(c.type->smem_bits) % 128 != 0;
}

// "48 x 2 B = 96 B"
std::string inner_text(const Case& c) {
  const std::int64_t bytes = inner_box_bytes(c.map).count;
  if (c.type->smem_bits < 8)
    return fmt::format("{} x {} bit = {} B", c.map.box[0], c.type->smem_bits,
                       static_cast<double>(c.map.box[0]) * c.type->smem_bits / 8);
  return fmt::format("{} x {} B = {} B", c.map.box[0], c.type->smem_bits / 8, bytes);
}

Told tell_box_range(const Case& c) {
  const std::uint64_t box = c.map.box[c.i], nearest = box == 0 ? 1 : most_box;
  const std::string negative = overflow_remark(box, 0);
  const std::string fix = box == 0 || !negative.empty()
                              ? fmt::format("box[{}] = {}", c.i, nearest)
                              : fmt::format("box[{}] = 256 and {} copies, or split the dimension in two", c.i,
                                            box / most_box + (box % most_box != 0 ? 1 : 0));
  return {box, nearest, fmt::format("boxDim[{}] = {} is not 1 to 256{}", c.i, box, negative), fix,
          changed(c, &TensorMap::box, nearest)};
}

Told tell_box_padded(const Case& c) {
  return {c.map.box[0], 128, fmt::format("boxDim[0] = {}; of {} it is 128", c.map.box[0], c.type->name),
          "box[0] = 128", changed(c, &TensorMap::box, 128)};
}

Told tell_inner_unit(const Case& c) {
  const std::uint64_t unit = 128 / static_cast<std::uint64_t>(c.type->smem_bits);
  const std::uint64_t nearest = std::min(c.map.box[0] / unit * unit + unit, most_box);
  return {c.map.box[0], unit,
          fmt::format("boxDim[0] = {} is {}, not a multiple of 16 B", c.map.box[0], inner_text(c)),
          fmt::format("box[0] = {}: {} elements of {} are 16 B", nearest, unit, c.type->name),
          changed(c, &TensorMap::box, nearest)};
}

bool is_wider_than_span(const Case& c) {
  return has_inner_bytes(c) && !is_interleaved(c) && c.swizzle != nullptr && c.swizzle->span.count > 0 &&
         inner_box_bytes(c.map) > c.swizzle->span;
}

Told tell_swizzle_span(const Case& c) {
  const Bytes span = c.swizzle->span, inner = inner_box_bytes(c.map);
  const std::uint64_t most = static_cast<std::uint64_t>(span.count * 8 / c.type->smem_bits);
  std::string fix = fmt::format("box[0] = {} and {} copies", most, (c.map.box[0] + most - 1) / most);
  TensorMapSwizzle wider = c.map.swizzle;
  for (const TensorMapSwizzleRow& row : tensor_map_swizzles())
    if (wider == c.map.swizzle && row.is_on_sm_90 && row.span >= inner) wider = row.value;
  if (wider != c.map.swizzle) fix = fmt::format("swizzle {}, or {}", find_row(wider)->name, fix);
  return {c.map.box[0], most,
          fmt::format("boxDim[0] = {} is {}; swizzle {} takes at most {} B", c.map.box[0], inner_text(c),
                      c.swizzle->name, span.count),
          std::move(fix),
          wider != c.map.swizzle ? changed(c, &TensorMap::swizzle, wider) : changed(c, &TensorMap::box, most)};
}

Told tell_element_stride(const Case& c) {
  const std::uint64_t step = c.map.element_strides[c.i], nearest = step == 0 ? 1 : most_element_stride;
  return {step, nearest, fmt::format("elementStrides[{}] = {} is not 1 to 8", c.i, step),
          fmt::format("elementStrides[{}] = {}{}", c.i, nearest, nearest == 1 ? ": every element" : ""),
          changed(c, &TensorMap::element_strides, nearest)};
}

bool can_count_box(const Case& c) {
  if (c.type == nullptr) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.map.dim_count()); ++i)
    if (!is_in(c.map.box[i], most_box) || !is_in(c.map.element_strides[i], most_element_stride)) return false;
  return true;
}

Told tell_box_bytes(const Case& c) {
  const std::int64_t bytes = counted_box_bytes(c.map).count;
  // The outer dimension with most entries gives way.
  std::size_t widest = 1;
  const auto entries = [&](std::size_t i) { return c.map.box[i] / c.map.element_strides[i]; };
  for (std::size_t i = 2; i < static_cast<std::size_t>(c.map.dim_count()); ++i)
    if (entries(i) > entries(widest)) widest = i;
  const std::int64_t one = bytes / static_cast<std::int64_t>(entries(widest));
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, most_box_bytes.count / one));
  const std::uint64_t nearest = most * c.map.element_strides[widest];
  return {
      static_cast<std::uint64_t>(bytes), static_cast<std::uint64_t>(most_box_bytes.count),
      fmt::format("the box takes {} B of shared memory; the driver accepts at most {} B (228 KiB)", bytes,
                  most_box_bytes.count),
      fmt::format("box[{}] = {}{}", widest, nearest, one > most_box_bytes.count ? ", and less of the others" : ""),
      changed(c, &TensorMap::box, nearest, widest)};
}

bool takes_swizzle(const TensorMapDataTypeRow& type, TensorMapSwizzle swizzle) {
  using enum TensorMapSwizzle;
  if (swizzle == none || swizzle == b128 || swizzle == b128_atom_32) return true;
  return type.value == TensorMapDataType::u6_align16 && swizzle == b128_atom_64;
}

Told tell_fill(const Case& c) {
  return {1, 0,
          fmt::format("oobFill NAN_REQUEST_ZERO_FMA with {}: only floating-point types can be filled with NaN",
                      c.type->name),
          "oobFill NONE, which fills with 0", changed(c, &TensorMap::oob_fill, TensorMapOobFill::zero)};
}

// clang-format off
constexpr TensorMapRule rules[] = {
    {"box-range", "box", dims, both, of_tiled, "each entry of the box is 1 to 256",
     [](const Case& c) { return !is_in(c.map.box[c.i], most_box); }, tell_box_range, verdicts},
    {"box-128-padded", "box", first, documented, of_tiled, "of the ALIGN16B types box[0] is 128",
     [](const Case& c) { return is_padded(c) && is_in(c.map.box[0], most_box) && c.map.box[0] != 128; },
     tell_box_padded, cuda_h},
    {"inner-16", "box", first, both, of_tiled, "box[0] is a multiple of 16 B",
     [](const Case& c) { return !is_interleaved(c) && is_inner_uneven(c); }, tell_inner_unit, verdicts},
    {"inner-16-interleave", "box", first, observed, of_tiled, "box[0] is a multiple of 16 B, with interleave too",
     [](const Case& c) { return is_interleaved(c) && is_inner_uneven(c); }, tell_inner_unit, verdicts,
     "asked for without interleave only"},
    {"swizzle-span", "box", first, both, of_tiled, "without interleave box[0] is no wider than the swizzle",
     is_wider_than_span, tell_swizzle_span, verdicts},
    {"element-stride-range-0", "elementStrides", first, observed, of_measured,
     "elementStrides[0] is 1 to 8, without interleave too",
     [](const Case& c) { return !is_in(c.map.element_strides[0], most_element_stride); }, tell_element_stride, verdicts,
     "ignored without interleave"},
    {"element-stride-range", "elementStrides", later_dims, both, of_every, "each element stride is 1 to 8",
     [](const Case& c) { return !is_in(c.map.element_strides[c.i], most_element_stride); }, tell_element_stride, verdicts},
    {"box-bytes", "box", whole, observed, of_tiled,
     "element size times the product of floor(box / element stride) is at most 233,472 B",
     [](const Case& c) { return can_count_box(c) && counted_box_bytes(c.map) > most_box_bytes; }, tell_box_bytes, verdicts,
     "no bound"},
    {"interleave-enum", "interleave", whole, documented, of_every, "the interleave is one of the enum's",
     [](const Case& c) { return find_row(c.map.interleave) == nullptr; },
     [](const Case& c) { return tell_enum(number(c.map.interleave), 2, "interleave", "CUtensorMapInterleave"); }, cuda_h},
    {"interleave-rank", "rank", whole, both, of_tiled, "interleave needs rank 3 or more",
     [](const Case& c) { return is_interleaved(c) && c.map.rank >= 1 && c.map.rank < 3; },
     [](const Case& c) -> Told {
       return {number(c.map.rank), 3, fmt::format("tensorRank = {} with interleave; it needs 3 or more", c.map.rank),
               "interleave NONE, or the rank that NC/8HWC8 has",
               changed(c, &TensorMap::interleave, TensorMapInterleave::none)};
     }, verdicts},
    {"interleave-packed", "interleave", whole, documented, of_every, "16U6_ALIGN16B cannot be interleaved",
     [](const Case& c) { return is_interleaved(c) && c.map.data_type == TensorMapDataType::u6_align16; },
     [](const Case& c) -> Told {
       return {number(c.map.interleave), 0, "16U6_ALIGN16B cannot be interleaved", "interleave NONE",
               changed(c, &TensorMap::interleave, TensorMapInterleave::none)};
     }, cuda_h},
    {"swizzle-enum", "swizzle", whole, documented, of_every, "the swizzle is one of the enum's",
     [](const Case& c) { return c.swizzle == nullptr; },
     [](const Case& c) { return tell_enum(number(c.map.swizzle), 6, "swizzle", "CUtensorMapSwizzle"); }, cuda_h},
    {"swizzle-arch", "swizzle", whole, observed, of_every, "sub-modes of 128B (4 to 6) need sm_100",
     [](const Case& c) {
       return c.swizzle != nullptr && !c.swizzle->is_on_sm_90 && is_hopper(c);
     },
     [](const Case& c) -> Told {
       return {number(c.map.swizzle), number(TensorMapSwizzle::b128),
               fmt::format("swizzle {} is refused on {}: modes 4 to 6 need sm_100", c.swizzle->name, c.target.name),
               "swizzle 128B", changed(c, &TensorMap::swizzle, TensorMapSwizzle::b128)};
     }, verdicts,
     "architectures are not named; PTX names them"},
    {"swizzle-padded", "swizzle", whole, documented, of_every,
     "the ALIGN16B types take swizzle NONE, 128B and 128B_ATOM_32B, 16U6_ALIGN16B also 128B_ATOM_64B",
     [](const Case& c) { return is_padded(c) && c.swizzle != nullptr && !takes_swizzle(*c.type, c.map.swizzle); },
     [](const Case& c) -> Told {
       return {number(c.map.swizzle), number(TensorMapSwizzle::b128),
               fmt::format("swizzle {} with {}", c.swizzle->name, c.type->name), "swizzle 128B or NONE",
               changed(c, &TensorMap::swizzle, TensorMapSwizzle::b128)};
     }, cuda_h},
    {"l2-enum", "l2", whole, documented, of_every, "the L2 promotion is one of the enum's",
     [](const Case& c) { return find_row(c.map.l2_promotion) == nullptr; },
     [](const Case& c) { return tell_enum(number(c.map.l2_promotion), 3, "l2Promotion", "CUtensorMapL2promotion"); }, cuda_h},
    {"fill-enum", "oob", whole, documented, of_every, "the OOB fill is one of the enum's",
     [](const Case& c) { return find_row(c.map.oob_fill) == nullptr; },
     [](const Case& c) { return tell_enum(number(c.map.oob_fill), 1, "oobFill", "CUtensorMapFloatOOBfill"); }, cuda_h},
    {"fill-float", "oob", whole, both, of_every, "NaN fill needs a floating-point type",
     [](const Case& c) {
       return c.map.oob_fill == TensorMapOobFill::nan && c.type != nullptr && !c.type->is_floating &&
              !c.type->is_packed();
     }, tell_fill, verdicts},
    {"fill-packed", "oob", whole, documented, of_every, "the sub-byte types have no NaN fill",
     [](const Case& c) {
       return c.map.oob_fill == TensorMapOobFill::nan && c.type != nullptr && c.type->is_packed();
     }, tell_fill, cuda_h},
};
// clang-format on

}  // namespace

std::span<const TensorMapRule> box_rules() { return rules; }

}  // namespace swz
