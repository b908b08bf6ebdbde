// SPDX-License-Identifier: Apache-2.0
// The refusals of cuTensorMapEncodeTiled, in the order of its arguments. The other calls share many of them.
#include <fmt/format.h>

#include <algorithm>

#include "tma/rule_parts.hpp"

namespace swz {

namespace {

using namespace rule_parts;

constexpr std::uint64_t most_dim = 1ULL << 32;
constexpr std::uint64_t end_of_strides = 1ULL << 40;
constexpr std::uint64_t end_of_addresses = 1ULL << 57;

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  const std::uint64_t below = value / unit * unit;
  return below == value || below > UINT64_MAX - unit ? below : below + unit;
}

bool interleaves_32(const Case& c) { return c.map.interleave == TensorMapInterleave::bytes_32; }

Told tell_address(const Case& c, std::uint64_t unit, std::string_view why) {
  const std::uint64_t wanted = global_unit(c), nearest = c.map.global_address / wanted * wanted;
  return tell(c, &TensorMap::global_address, unit, nearest,
              fmt::format("globalAddress = {:#x} is not a multiple of {}{}", c.map.global_address, unit, why),
              fmt::format("begin at {:#x} and copy from a coordinate inside, or align the allocation to {} B", nearest,
                          wanted));
}

Told tell_dim_range(const Case& c) {
  const std::uint64_t dim = c.map.dims[c.i];
  if (dim == 0)
    return tell(c, &TensorMap::dims, 1, 1U, fmt::format("globalDim[{}] = 0: a tensor map has no empty dimension", c.i),
                "make no map and launch no copy for an empty tensor, or take 1");
  return tell(c, &TensorMap::dims, most_dim, most_dim,
              fmt::format("globalDim[{}] = {} is larger than 2^32{}", c.i, dim, overflow_remark(dim, 0)),
              fmt::format("dims[{}] is at most {}; split the dimension in two", c.i, most_dim));
}

Told tell_dim_unit(const Case& c, std::uint64_t unit) {
  const std::uint64_t dim = c.map.dims[0], nearest = round_up(dim, unit);
  return tell(c, &TensorMap::dims, unit, nearest,
              fmt::format("globalDim[0] = {} is not a multiple of {}, which {} asks for; it counts single values", dim,
                          unit, c.type->name),
              fmt::format("dims[0] = {}", nearest));
}

Told tell_stride_unit(const Case& c, std::uint64_t unit, std::string_view why) {
  const std::uint64_t stride = c.map.strides[c.i];
  const bool is_one_entry = c.map.dims[c.i + 1] == 1;
  const bool is_one_element = c.type != nullptr && stride * 8 == static_cast<std::uint64_t>(c.type->gmem_bits);
  const std::optional<std::uint64_t> bytes = bytes_of_element_stride(c);
  const std::uint64_t row = c.i == 0 && !is_one_entry && !is_one_element ? row_bytes(c).value_or(0) : 0;
  const std::uint64_t wanted = round_up(std::max(bytes.value_or(stride), row), global_unit(c));
  const std::uint64_t nearest = std::min(wanted, end_of_strides - global_unit(c));
  std::string fix = fmt::format("strides[{}] = {}: ", c.i, nearest);
  if (bytes) fix += fmt::format("strides count bytes, and {} elements take {} B", stride, *bytes);
  else if (is_one_entry) fix += fmt::format("dimension {} has one entry, its stride is never stepped over", c.i + 1);
  else if (is_one_element)
    fix = fmt::format("one element a step: dimension {} is the contiguous one and must be first", c.i + 1);
  else if (stride < row) fix += fmt::format("dimension 0 takes {} B", row);
  else fix += "pad the tensor";
  return tell(c, &TensorMap::strides, unit, nearest,
              fmt::format("globalStrides[{}] = {} B is not a multiple of {}{}", c.i, stride, unit, why),
              std::move(fix));
}

Told tell_stride_range(const Case& c) {
  const std::uint64_t stride = c.map.strides[c.i], nearest = end_of_strides - 32;
  return tell(
      c, &TensorMap::strides, end_of_strides, nearest,
      fmt::format("globalStrides[{}] = {} B is not below 2^40{}", c.i, stride,
                  overflow_remark(stride, c.type == nullptr ? 0 : c.type->gmem_bits)),
      fmt::format("compute strides in 64 bits and in bytes; strides[{}] is at most {}", c.i, end_of_strides - 16));
}

Told tell_rank(const Case& c) {
  const int nearest = c.map.rank < 1 ? 1 : tensor_map_max_rank;
  Told told =
      tell(c, &TensorMap::rank, number(nearest), nearest, fmt::format("tensorRank = {} is not 1 to 5", c.map.rank),
           nearest == 1 ? "a vector has rank 1"
                        : "join dimensions that follow each other without a gap, or make a map for each slice");
  if (nearest == 1) told.nearest.reset();
  return told;
}

Told tell_type_on_hopper(const Case& c) {
  return {number(c.map.data_type), number(TensorMapDataType::tfloat32_ftz),
          fmt::format("{} is refused on {}: types 13 to 15 need sm_100", c.type->name, c.target.name),
          is_padded(c) ? "no type of sm_90 pads values in shared memory: copy bytes as UINT8 and unpack them, or "
                         "build for sm_100a"
                       : "UINT8 copies the same bytes: halve dimension 0 of the tensor and of the box"};
}

constexpr std::uint64_t most_box = most_inner, most_element_stride = 8;

bool is_in(std::uint64_t value, std::uint64_t most) { return value >= 1 && value <= most; }
// "48 x 2 B = 96 B"
std::string inner_text(const Case& c) {
  const int bits = c.type->smem_bits;
  const bool is_small = bits < 8;
  return fmt::format("{} x {} {} = {} B", c.map.box[0], is_small ? bits : bits / 8, is_small ? "bit" : "B",
                     static_cast<double>(c.map.box[0]) * bits / 8);
}

Told tell_box_range(const Case& c) {
  const std::uint64_t box = c.map.box[c.i], nearest = box == 0 ? 1 : most_box;
  const std::string negative = overflow_remark(box, 0);
  const std::string fix = box == 0 || !negative.empty()
                              ? fmt::format("box[{}] = {}", c.i, nearest)
                              : fmt::format("box[{}] = 256 and {} copies, or split the dimension in two", c.i,
                                            box / most_box + (box % most_box != 0 ? 1 : 0));
  return tell(c, &TensorMap::box, nearest, nearest,
              fmt::format("boxDim[{}] = {} is not 1 to 256{}", c.i, box, negative), fix);
}

Told tell_inner_unit(const Case& c) {
  const std::uint64_t unit = number(128 / c.type->smem_bits), nearest = even_inner(c);
  return tell(c, &TensorMap::box, unit, nearest,
              fmt::format("boxDim[0] = {} is {}, not a multiple of 16 B", c.map.box[0], inner_text(c)),
              fmt::format("box[0] = {}: {} elements of {} are 16 B", nearest, unit, c.type->name));
}

bool is_wider_than_span(const Case& c) {
  return has_inner_bits(c) && !is_interleaved(c) && c.swizzle != nullptr && c.swizzle->span.count > 0 &&
         inner_box_bytes(c.map) > c.swizzle->span;
}

Told tell_swizzle_span(const Case& c) {
  const Bytes span = c.swizzle->span, inner = inner_box_bytes(c.map);
  const std::uint64_t most = static_cast<std::uint64_t>(span.count * 8 / c.type->smem_bits);
  std::string message = fmt::format("boxDim[0] = {} is {}; swizzle {} takes at most {} B", c.map.box[0], inner_text(c),
                                    c.swizzle->name, span.count);
  const std::string copies = fmt::format("box[0] = {} and {} copies", most, (c.map.box[0] + most - 1) / most);
  for (const TensorMapSwizzleRow& row : tensor_map_swizzles()) {
    if (!row.is_on_sm_90 || row.span < inner) continue;
    Told told = tell(c, &TensorMap::swizzle, most, row.value, std::move(message),
                     fmt::format("swizzle {}, or {}", row.name, copies));
    told.value = c.map.box[0];
    return told;
  }
  return tell(c, &TensorMap::box, most, most, std::move(message), copies);
}

Told tell_element_stride(const Case& c) {
  const std::uint64_t step = c.map.element_strides[c.i], nearest = step == 0 ? 1 : most_element_stride;
  return tell(c, &TensorMap::element_strides, nearest, nearest,
              fmt::format("elementStrides[{}] = {} is not 1 to 8", c.i, step),
              fmt::format("elementStrides[{}] = {}{}", c.i, nearest, nearest == 1 ? ": every element" : ""));
}

bool can_count_box(const Case& c) {
  if (c.type == nullptr) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.map.dim_count()); ++i)
    if (!is_in(c.map.box[i], most_box) || !is_in(c.map.element_strides[i], most_element_stride)) return false;
  return true;
}

Told tell_box_bytes(const Case& c) {
  const std::int64_t bytes = counted_box_bytes(c.map).count;
  // The outer dimension with the most entries is reduced.
  std::size_t widest = 1;
  const auto entries = [&](std::size_t i) { return c.map.box[i] / c.map.element_strides[i]; };
  for (std::size_t i = 2; i < static_cast<std::size_t>(c.map.dim_count()); ++i)
    if (entries(i) > entries(widest)) widest = i;
  const std::int64_t one = bytes / static_cast<std::int64_t>(entries(widest));
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, most_box_bytes.count / one));
  const std::uint64_t nearest = most * c.map.element_strides[widest];
  Told told =
      tell(c, &TensorMap::box, number(most_box_bytes.count), nearest,
           fmt::format("the box takes {} B of shared memory; the driver accepts at most {} B (228 KiB)", bytes,
                       most_box_bytes.count),
           fmt::format("box[{}] = {}{}", widest, nearest, one > most_box_bytes.count ? ", and less of the others" : ""),
           widest);
  told.value = number(bytes);
  return told;
}

bool is_96(const Case& c) { return c.map.swizzle == TensorMapSwizzle::b96; }

bool takes_swizzle(const TensorMapDataTypeRow& type, TensorMapSwizzle swizzle) {
  using enum TensorMapSwizzle;
  if (swizzle == none || swizzle == b128 || swizzle == b128_atom_32) return true;
  return type.value == TensorMapDataType::u6_align16 && swizzle == b128_atom_64;
}

bool is_nan_filled(const Case& c) { return c.type != nullptr && c.map.oob_fill == TensorMapOobFill::nan; }

Told tell_fill(const Case& c) {
  return tell(c, &TensorMap::oob_fill, 0, TensorMapOobFill::zero,
              fmt::format("oobFill NAN_REQUEST_ZERO_FMA with {}: only floating-point types can be filled with NaN",
                          c.type->name),
              "oobFill NONE, which fills with 0");
}

Told tell_swizzle(const Case& c, std::string message, std::string fix) {
  constexpr TensorMapSwizzle nearest = TensorMapSwizzle::b128;
  return tell(c, &TensorMap::swizzle, number(nearest), nearest, std::move(message), std::move(fix));
}

// clang-format off
constexpr TensorMapRule rules[] = {
    // target, enums, rank, address, dimensions, strides
    {"arch-tma", "arch", whole, documented, of_every, "the target has a TMA unit: sm_90 and later",
     [](const Case& c) { return !c.target.has_tma; },
     [](const Case& c) -> Told {
       return {0, 90, fmt::format("{} has no TMA", c.target.name), "sm_90 and later have one; earlier: cp.async"};
     }, cuda_h},
    {"data-type-enum", "dtype", whole, documented, of_every, "the data type is one of the enum's",
     [](const Case& c) { return c.type == nullptr; },
     [](const Case& c) { return tell_enum(c.map.data_type, 15, "tensorDataType", "CUtensorMapDataType"); },
     cuda_h},
    {"data-type-arch", "dtype", whole, observed, of_every, "sub-byte types (13 to 15) need sm_100",
     [](const Case& c) { return c.type != nullptr && !c.type->is_on_sm_90 && is_hopper(c); }, tell_type_on_hopper,
     verdicts, "architectures are not named; PTX names them"},
    {"rank-range", "rank", whole, both, of_tiled, "the rank is 1 to 5",
     [](const Case& c) { return c.map.rank < 1 || c.map.rank > tensor_map_max_rank; }, tell_rank, verdicts},
    {"address-16", "address", whole, both, of_every, "the address is a multiple of 16",
     [](const Case& c) { return c.map.global_address % 16 != 0; },
     [](const Case& c) { return tell_address(c, 16, ""); }, verdicts},
    {"address-32-interleave", "address", whole, both, of_every, "with INTERLEAVE_32B the address is a multiple of 32",
     [](const Case& c) { return interleaves_32(c) && c.map.global_address % 32 == 16; },
     [](const Case& c) { return tell_address(c, 32, ", which INTERLEAVE_32B asks for"); }, verdicts},
    {"address-32-padded", "address", whole, documented, of_every, "of the ALIGN16B types the address is a multiple of 32",
     [](const Case& c) { return is_padded(c) && !interleaves_32(c) && c.map.global_address % 32 == 16; },
     [](const Case& c) { return tell_address(c, 32, fmt::format(", which {} asks for", c.type->name)); }, cuda_h},
    {"address-57", "address", whole, format, of_tiled, "the address has at most 57 bits: the field in the map has no more",
     [](const Case& c) { return c.map.global_address >= end_of_addresses; },
     [](const Case& c) {
       return tell(c, &TensorMap::global_address, end_of_addresses, c.map.global_address & (end_of_addresses - 1),
                   fmt::format("globalAddress = {:#x} has more than 57 bits", c.map.global_address),
                   "take the address of global memory as cuMemAlloc returns it");
     }, tensor_map_source, "no bound"},
    {"dim-range", "dims", dims, both, of_every, "each dimension is 1 to 2^32",
     [](const Case& c) { return c.map.dims[c.i] < 1 || c.map.dims[c.i] > most_dim; }, tell_dim_range, verdicts},
    {"dim-128-padded", "dims", first, documented, of_every, "of the ALIGN16B types dimension 0 is a multiple of 128",
     [](const Case& c) { return is_padded(c) && c.map.dims[0] % 128 != 0; },
     [](const Case& c) { return tell_dim_unit(c, 128); }, cuda_h},
    {"dim-even-packed", "dims", first, documented, of_every, "of 16U4_ALIGN8B dimension 0 is even",
     [](const Case& c) { return c.map.data_type == TensorMapDataType::u4_align8 && c.map.dims[0] % 2 != 0; },
     [](const Case& c) { return tell_dim_unit(c, 2); }, cuda_h},
    {"stride-16", "strides", strides, both, of_every, "each stride is a multiple of 16 B",
     [](const Case& c) { return c.map.strides[c.i] % 16 != 0; },
     [](const Case& c) { return tell_stride_unit(c, 16, ""); }, verdicts},
    {"stride-32-interleave", "strides", strides, both, of_every, "with INTERLEAVE_32B each stride is a multiple of 32 B",
     [](const Case& c) { return interleaves_32(c) && c.map.strides[c.i] % 32 == 16; },
     [](const Case& c) { return tell_stride_unit(c, 32, ", which INTERLEAVE_32B asks for"); }, verdicts},
    {"stride-32-padded", "strides", strides, documented, of_every, "of the ALIGN16B types each stride is a multiple of 32 B",
     [](const Case& c) { return is_padded(c) && !interleaves_32(c) && c.map.strides[c.i] % 32 == 16; },
     [](const Case& c) { return tell_stride_unit(c, 32, fmt::format(", which {} asks for", c.type->name)); }, cuda_h},
    {"stride-40", "strides", strides, both, of_every, "each stride is below 2^40 B",
     [](const Case& c) { return c.map.strides[c.i] >= end_of_strides; }, tell_stride_range, verdicts},
    // box, element strides, interleave, swizzle, L2 promotion, fill
    {"box-range", "box", dims, both, of_tiled, "each entry of the box is 1 to 256",
     [](const Case& c) { return !is_in(c.map.box[c.i], most_box); }, tell_box_range, verdicts},
    {"box-128-padded", "box", first, documented, of_tiled, "of the ALIGN16B types box[0] is 128",
     [](const Case& c) { return is_padded(c) && is_in(c.map.box[0], most_box) && c.map.box[0] != 128; },
     [](const Case& c) {
       return tell(c, &TensorMap::box, 128, 128U, fmt::format("boxDim[0] = {}; of {} it is 128", c.map.box[0],
                                                              c.type->name), "box[0] = 128");
     }, cuda_h},
    {"inner-16", "box", first, both, of_tiled, "box[0] is a multiple of 16 B",
     [](const Case& c) { return !is_interleaved(c) && is_inner_uneven(c); }, tell_inner_unit, verdicts},
    {"inner-16-interleave", "box", first, observed, of_tiled, "box[0] is a multiple of 16 B, with interleave too",
     [](const Case& c) { return is_interleaved(c) && is_inner_uneven(c); }, tell_inner_unit, verdicts,
     "asked for without interleave only"},
    {"swizzle-span", "box", first, both, of_tiled, "without interleave box[0] is not wider than the swizzle",
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
     [](const Case& c) { return tell_enum(c.map.interleave, 2, "interleave", "CUtensorMapInterleave"); }, cuda_h},
    {"interleave-rank", "rank", whole, both, of_tiled, "interleave needs rank 3 or more",
     [](const Case& c) { return is_interleaved(c) && c.map.rank >= 1 && c.map.rank < 3; },
     [](const Case& c) {
       Told told = tell(c, &TensorMap::interleave, 3, TensorMapInterleave::none,
                        fmt::format("tensorRank = {} with interleave; it needs 3 or more", c.map.rank),
                        "interleave NONE, or the rank that NC/8HWC8 has");
       told.value = number(c.map.rank);
       return told;
     }, verdicts},
    {"interleave-packed", "interleave", whole, documented, of_every, "16U6_ALIGN16B cannot be interleaved",
     [](const Case& c) { return is_interleaved(c) && c.map.data_type == TensorMapDataType::u6_align16; },
     [](const Case& c) {
       return tell(c, &TensorMap::interleave, 0, TensorMapInterleave::none, "16U6_ALIGN16B cannot be interleaved",
                   "interleave NONE");
     }, cuda_h},
    {"swizzle-enum", "swizzle", whole, documented, of_every, "the swizzle is one of the enum's",
     [](const Case& c) { return c.swizzle == nullptr; },
     [](const Case& c) { return tell_enum(c.map.swizzle, 6, "swizzle", "CUtensorMapSwizzle"); }, cuda_h},
    {"swizzle-arch", "swizzle", whole, observed, of_every, "sub-modes of 128B (4 to 6) need sm_100",
     [](const Case& c) { return c.swizzle != nullptr && !c.swizzle->is_on_sm_90 && !is_96(c) && is_hopper(c); },
     [](const Case& c) {
       return tell_swizzle(c, fmt::format("swizzle {} is refused on {}: modes 4 to 6 need sm_100", c.swizzle->name,
                                          c.target.name), "swizzle 128B");
     }, verdicts, "architectures are not named; PTX names them"},
    {"swizzle-96", "swizzle", whole, documented, of_every, "swizzle 96B is no value of the enum: tensormap.replace makes it",
     is_96,
     [](const Case& c) {
       return tell_swizzle(c, "swizzle 96B is no value of CUtensorMapSwizzle: tensormap.replace makes it (swizzle_mode 4), "
                              "on sm_103a and sm_107a only", "swizzle 128B");
     }, swizzle_96_source, "no such value"},
    {"swizzle-padded", "swizzle", whole, documented, of_every,
     "the ALIGN16B types take swizzle NONE, 128B and 128B_ATOM_32B, 16U6_ALIGN16B also 128B_ATOM_64B",
     [](const Case& c) { return is_padded(c) && c.swizzle != nullptr && !takes_swizzle(*c.type, c.map.swizzle); },
     [](const Case& c) {
       return tell_swizzle(c, fmt::format("swizzle {} with {}", c.swizzle->name, c.type->name), "swizzle 128B or NONE");
     }, cuda_h},
    {"l2-enum", "l2", whole, documented, of_every, "the L2 promotion is one of the enum's",
     [](const Case& c) { return find_row(c.map.l2_promotion) == nullptr; },
     [](const Case& c) { return tell_enum(c.map.l2_promotion, 3, "l2Promotion", "CUtensorMapL2promotion"); }, cuda_h},
    {"fill-enum", "oob", whole, documented, of_every, "the OOB fill is one of the enum's",
     [](const Case& c) { return find_row(c.map.oob_fill) == nullptr; },
     [](const Case& c) { return tell_enum(c.map.oob_fill, 1, "oobFill", "CUtensorMapFloatOOBfill"); }, cuda_h},
    {"fill-float", "oob", whole, both, of_every, "NaN fill needs a floating-point type",
     [](const Case& c) { return is_nan_filled(c) && !c.type->is_floating && !c.type->is_packed(); }, tell_fill, verdicts},
    {"fill-packed", "oob", whole, documented, of_every, "the sub-byte types have no NaN fill",
     [](const Case& c) { return is_nan_filled(c) && c.type->is_packed(); }, tell_fill, cuda_h},
};
// clang-format on

}  // namespace

std::span<const TensorMapRule> refusal_rules() { return rules; }

}  // namespace swz
