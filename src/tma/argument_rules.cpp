// Rules about the target, the enums, rank, address, dimensions and strides.
#include <fmt/format.h>

#include <algorithm>

#include "tma/overflow.hpp"
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

int element_bits(const Case& c) { return c.type == nullptr ? 0 : c.type->gmem_bits; }

Told tell_address(const Case& c, std::uint64_t unit, std::string_view why) {
  const std::uint64_t wanted = global_unit(c), nearest = c.map.global_address / wanted * wanted;
  return {c.map.global_address, unit,
          fmt::format("globalAddress = {:#x} is not a multiple of {}{}", c.map.global_address, unit, why),
          fmt::format("begin at {:#x} and copy from a coordinate inside, or align the allocation to {} B", nearest,
                      wanted),
          changed(c, &TensorMap::global_address, nearest)};
}

Told tell_dim(const Case& c, std::uint64_t bound, std::uint64_t nearest, std::string message, std::string fix) {
  return {c.map.dims[c.i], bound, std::move(message), std::move(fix), changed(c, &TensorMap::dims, nearest)};
}

Told tell_dim_range(const Case& c) {
  const std::uint64_t dim = c.map.dims[c.i];
  if (dim == 0)
    return tell_dim(c, 1, 1, fmt::format("globalDim[{}] = 0: a tensor map has no empty dimension", c.i),
                    "make no map and launch no copy for an empty tensor, or take 1");
  return tell_dim(c, most_dim, most_dim,
                  fmt::format("globalDim[{}] = {} is larger than 2^32{}", c.i, dim, overflow_remark(dim, 0)),
                  fmt::format("dims[{}] is at most {}; split the dimension in two", c.i, most_dim));
}

Told tell_dim_unit(const Case& c, std::uint64_t unit) {
  const std::uint64_t dim = c.map.dims[0], nearest = round_up(dim, unit);
  return tell_dim(
      c, unit, nearest,
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
  else if (is_one_entry)
    fix += fmt::format("dimension {} has one entry, its stride is never stepped over", c.i + 1);
  else if (is_one_element)
    fix = fmt::format("one element a step: dimension {} is the contiguous one and must stand first", c.i + 1);
  else if (stride < row) fix += fmt::format("dimension 0 takes {} B", row);
  else fix += "pad the tensor";
  return {stride, unit, fmt::format("globalStrides[{}] = {} B is not a multiple of {}{}", c.i, stride, unit, why),
          std::move(fix), changed(c, &TensorMap::strides, nearest)};
}

Told tell_stride_range(const Case& c) {
  const std::uint64_t stride = c.map.strides[c.i], nearest = end_of_strides - 32;
  return {
      stride, end_of_strides,
      fmt::format("globalStrides[{}] = {} B is not below 2^40{}", c.i, stride,
                  overflow_remark(stride, element_bits(c))),
      fmt::format("compute strides in 64 bits and in bytes; strides[{}] is at most {}", c.i, end_of_strides - 16),
      changed(c, &TensorMap::strides, nearest)};
}

Told tell_rank(const Case& c) {
  const int nearest = c.map.rank < 1 ? 1 : tensor_map_max_rank;
  return {static_cast<std::uint64_t>(static_cast<unsigned>(c.map.rank)), static_cast<std::uint64_t>(nearest),
          fmt::format("tensorRank = {} is not 1 to 5", c.map.rank),
          c.map.rank < 1 ? "a vector has rank 1"
                         : "join dimensions that follow each other without a gap, or make a map for each slice",
          c.map.rank < 1 ? std::nullopt : changed(c, &TensorMap::rank, nearest)};
}

Told tell_type_on_hopper(const Case& c) {
  return {static_cast<std::uint64_t>(c.map.data_type), static_cast<std::uint64_t>(TensorMapDataType::tfloat32_ftz),
          fmt::format("{} is refused on {}: types 13 to 15 need sm_100", c.type->name, c.target.name),
          is_padded(c) ? "no type of sm_90 pads values in shared memory: copy bytes as UINT8 and unpack them, or "
                         "build for sm_100a"
                       : "UINT8 copies the same bytes: halve dimension 0 of the tensor and of the box"};
}

// clang-format off
constexpr TensorMapRule rules[] = {
    {"arch-tma", "arch", whole, documented, of_every, "the target has a TMA unit: sm_90 and later",
     [](const Case& c) { return !c.target.has_tma; },
     [](const Case& c) -> Told {
       return {0, 90, fmt::format("{} has no TMA", c.target.name), "sm_90 and later have one; earlier: cp.async"};
     }, cuda_h},
    {"data-type-enum", "dtype", whole, documented, of_every, "the data type is one of the enum's",
     [](const Case& c) { return c.type == nullptr; },
     [](const Case& c) { return tell_enum(number(c.map.data_type), 15, "tensorDataType", "CUtensorMapDataType"); },
     cuda_h},
    {"data-type-arch", "dtype", whole, observed, of_every, "sub-byte types (13 to 15) need sm_100",
     [](const Case& c) { return c.type != nullptr && !c.type->is_on_sm_90 && is_hopper(c); }, tell_type_on_hopper,
     verdicts,
     "architectures are not named; PTX names them"},
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
     [](const Case& c) -> Told {
       return {c.map.global_address, end_of_addresses,
               fmt::format("globalAddress = {:#x} has more than 57 bits", c.map.global_address),
               "take the address of global memory as cuMemAlloc returns it",
               changed(c, &TensorMap::global_address, c.map.global_address & (end_of_addresses - 1))};
     }, tensor_map_source,
     "no bound"},
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
};
// clang-format on

}  // namespace

std::span<const TensorMapRule> argument_rules() { return rules; }

}  // namespace swz
