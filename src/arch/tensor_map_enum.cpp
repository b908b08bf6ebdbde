// SPDX-License-Identifier: Apache-2.0
#include "arch/tensor_map_enum.hpp"

#include <fmt/format.h>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr Source measured{"H200, driver 580.159: the 128 bytes of 15,091 accepted maps", Evidence::measured};
constexpr Source packed{"cuda.h of CUDA 13.0; refused on sm_90, its code was never seen", Evidence::header};
constexpr Source placed{"H200: 6,000 of 6,000 loads of rank 1 to 5 (swz verify)", Evidence::measured};
constexpr Source sub_modes{"PTX ISA 9.1, 5.5.7; refused on sm_90, its code was never seen"};
constexpr auto unseen = std::nullopt;

using Type = TensorMapDataType;
using Mode = TensorMapSwizzle;

// clang-format off
constexpr TensorMapDataTypeRow data_type_rows[] = {
    {Type::uint8, "UINT8", "u8", 0, false, 0, 8, 8, false, true, measured},
    {Type::uint16, "UINT16", "u16", 1, false, 1, 16, 16, false, true, measured},
    {Type::uint32, "UINT32", "u32", 2, false, 2, 32, 32, false, true, measured},
    {Type::int32, "INT32", "s32", 3, false, 3, 32, 32, false, true, measured},
    {Type::uint64, "UINT64", "u64", 4, false, 4, 64, 64, false, true, measured},
    {Type::int64, "INT64", "s64", 5, false, 5, 64, 64, false, true, measured},
    {Type::float16, "FLOAT16", "f16", 6, false, 6, 16, 16, true, true, measured},
    {Type::float32, "FLOAT32", "f32", 7, false, 7, 32, 32, true, true, measured},
    {Type::float64, "FLOAT64", "f64", 9, false, 9, 64, 64, true, true, measured},
    {Type::bfloat16, "BFLOAT16", "bf16", 10, false, 10, 16, 16, true, true, measured},
    {Type::float32_ftz, "FLOAT32_FTZ", "f32.ftz", 8, false, 8, 32, 32, true, true, measured},
    {Type::tfloat32, "TFLOAT32", "tf32", 7, true, 11, 32, 32, true, true, measured},
    {Type::tfloat32_ftz, "TFLOAT32_FTZ", "tf32.ftz", 8, true, 12, 32, 32, true, true, measured},
    {Type::u4_align8, "16U4_ALIGN8B", "b4x16", unseen, false, 13, 4, 4, false, false, packed},
    {Type::u4_align16, "16U4_ALIGN16B", "b4x16_p64", unseen, false, 14, 4, 8, false, false, packed},
    {Type::u6_align16, "16U6_ALIGN16B", "b6x16_p32", unseen, false, 15, 6, 8, false, false, packed},
};

constexpr TensorMapSwizzleRow swizzle_rows[] = {
    {Mode::none, "NONE", "none", 0, Bytes{0}, 0, 4, 3, false, true, placed},
    {Mode::b32, "32B", "32B", 1, Bytes{32}, 1, 4, 3, false, true, placed},
    {Mode::b64, "64B", "64B", 2, Bytes{64}, 2, 4, 3, false, true, placed},
    {Mode::b128, "128B", "128B", 3, Bytes{128}, 3, 4, 3, false, true, placed},
    {Mode::b128_atom_32, "128B_ATOM_32B", "128B_ATOM_32B", unseen, Bytes{128}, 2, 5, 2, false, false, sub_modes},
    {Mode::b128_atom_32_flip_8, "128B_ATOM_32B_FLIP_8B", "128B_ATOM_32B_FLIP_8B", unseen, Bytes{128}, 2, 5, 2, true, false,
     sub_modes},
    {Mode::b128_atom_64, "128B_ATOM_64B", "128B_ATOM_64B", unseen, Bytes{128}, 1, 6, 1, false, false, sub_modes},
};

// Rows of 96 bytes follow each other; the XOR is that of 32B.
constexpr TensorMapSwizzleRow row_96{Mode::b96, "96B", "96B", unseen, Bytes{96}, 1, 4, 3, false, false, swizzle_96_source};

constexpr TensorMapOptionRow interleave_rows[] = {{0, "NONE", "none"}, {1, "16B", "16B"}, {2, "32B", "32B"}};
constexpr TensorMapOptionRow l2_promotion_rows[] = {
    {0, "NONE", "none"}, {1, "L2_64B", "64B"}, {2, "L2_128B", "128B"}, {3, "L2_256B", "256B"}};
constexpr TensorMapOptionRow oob_fill_rows[] = {{0, "NONE", "zero"}, {1, "NAN_REQUEST_ZERO_FMA", "nan"}};

// The row of a list is the row of its first entry.
constexpr TensorMapFieldRow field_rows[] = {
    {TensorMapField::global_address, "globalAddress", 1, 0, {0, 57}},
    {TensorMapField::rank, "tensorRank", 1, 1, {4, 3}},
    {TensorMapField::data_type, "tensorDataType", 1, 1, {7, 4}},
    {TensorMapField::interleave, "interleave", 1, 1, {11, 2}},
    {TensorMapField::swizzle, "swizzle", 1, 1, {13, 2}},
    {TensorMapField::oob_fill, "oobFill", 1, 1, {15, 1}},
    {TensorMapField::tf32_rounding, "the TF32 bit", 1, 1, {16, 1}},
    {TensorMapField::l2_promotion, "l2Promotion", 1, 1, {17, 2}},
    {TensorMapField::stride_low, "globalStrides[{}] (low part)", 4, 1, {32, 32}},
    {TensorMapField::stride_high, "globalStrides[{}] (high part)", 4, 3, {32, 4}},
    {TensorMapField::dim, "globalDim[{}]", 5, 4, {0, 32}},
    {TensorMapField::element_stride, "elementStrides[{}]", 5, 6, {32, 3}},
    {TensorMapField::box, "boxDim[{}]", 5, 6, {56, 8}},
    {TensorMapField::box_bytes, "bytes of a box (word 8)", 1, 8, {0, 64}},
    {TensorMapField::swizzle_pattern, "period of the swizzle (word 9)", 1, 9, {0, 64}},
};

constexpr TensorMapReservedRow reserved_rows[] = {
    {0, {57, 7}, "a global address has 57 bits"},
    {1, {0, 4}, ""},
    {1, {19, 13}, "CuTe clears bit 21 of this word after encoding, for drivers up to 13.1 and tensors below 131,072 B"},
    {3, {48, 16}, ""},
    {6, {47, 9}, ""},
    {7, {32, 32}, ""},
    {10, {0, 64}, ""},
    {11, {0, 64}, ""},
    {12, {0, 64}, ""},
    {13, {0, 64}, ""},
    {14, {0, 64}, ""},
    {15, {0, 64}, ""},
};
// clang-format on

// One enum, looked up by value and by name.
template <class Row>
struct Table {
  std::string_view what;    // "a tensor map data type"
  std::string_view prefix;  // "CU_TENSOR_MAP_DATA_TYPE_"
  std::span<const Row> rows;

  const Row* find(auto value) const {
    const auto index = static_cast<std::size_t>(static_cast<unsigned>(value));
    return index < rows.size() ? &rows[index] : nullptr;
  }
  std::string driver_name(auto value) const {
    const Row* row = find(value);
    return row == nullptr ? fmt::to_string(static_cast<int>(value)) : fmt::format("{}{}", prefix, row->name);
  }
  std::string short_name(auto value) const {
    const Row* row = find(value);
    return row == nullptr ? fmt::to_string(static_cast<int>(value)) : std::string(row->short_name);
  }

  // The value of a number, as dumps print it, or of a name.
  std::optional<int> find_value(std::string_view name) const {
    if (name.empty() || name.size() > 64) return std::nullopt;
    if (name.size() < 10 && name.find_first_not_of("0123456789") == name.npos) return std::stoi(std::string(name));
    std::string wanted = lower_case(name);
    const std::string driver_prefix = lower_case(prefix);
    if (wanted.starts_with(driver_prefix)) wanted.erase(0, driver_prefix.size());
    for (const Row& row : rows)
      if (wanted == lower_case(row.name) || wanted == lower_case(row.short_name)) return static_cast<int>(row.value);
    return std::nullopt;
  }

  [[noreturn]] void throw_unknown(std::string_view name, std::string_view also = {}) const {
    std::vector<std::string> known, listed;
    for (const Row& row : rows) {
      known.emplace_back(row.name);
      known.emplace_back(row.short_name);
      listed.push_back(fmt::format("{} {}", static_cast<int>(row.value), row.name));
      if (row.name != row.short_name) listed.back() += fmt::format(" ({})", row.short_name);
    }
    throw Error(fmt::format("{} is not {}", quoted(name), what),
                did_you_mean(name, known, fmt::format("one of {}{}", join_and(listed), also)));
  }

  int require(std::string_view name) const {
    if (const std::optional<int> value = find_value(name)) return *value;
    throw_unknown(name);
  }
};

constexpr Table<TensorMapDataTypeRow> data_types{"a tensor map data type", "CU_TENSOR_MAP_DATA_TYPE_", data_type_rows};
constexpr Table<TensorMapSwizzleRow> swizzles{"a tensor map swizzle", "CU_TENSOR_MAP_SWIZZLE_", swizzle_rows};
constexpr Table<TensorMapOptionRow> interleaves{"a tensor map interleave", "CU_TENSOR_MAP_INTERLEAVE_",
                                                interleave_rows};
constexpr Table<TensorMapOptionRow> l2_promotions{"a tensor map L2 promotion", "CU_TENSOR_MAP_L2_PROMOTION_",
                                                  l2_promotion_rows};
constexpr Table<TensorMapOptionRow> oob_fills{"a tensor map OOB fill", "CU_TENSOR_MAP_FLOAT_OOB_FILL_", oob_fill_rows};

}  // namespace

std::span<const TensorMapDataTypeRow> tensor_map_data_types() { return data_types.rows; }
std::span<const TensorMapSwizzleRow> tensor_map_swizzles() { return swizzles.rows; }
const TensorMapSwizzleRow& swizzle_96() { return row_96; }

const TensorMapDataTypeRow* find_row(TensorMapDataType value) { return data_types.find(value); }
const TensorMapSwizzleRow* find_row(TensorMapSwizzle value) {
  return value == TensorMapSwizzle::b96 ? &row_96 : swizzles.find(value);
}
const TensorMapOptionRow* find_row(TensorMapInterleave value) { return interleaves.find(value); }
const TensorMapOptionRow* find_row(TensorMapL2Promotion value) { return l2_promotions.find(value); }
const TensorMapOptionRow* find_row(TensorMapOobFill value) { return oob_fills.find(value); }

std::string driver_name(TensorMapDataType value) { return data_types.driver_name(value); }
std::string driver_name(TensorMapSwizzle value) {
  return value == TensorMapSwizzle::b96 ? "swizzle_mode 4 of tensormap.replace" : swizzles.driver_name(value);
}
std::string driver_name(TensorMapInterleave value) { return interleaves.driver_name(value); }
std::string driver_name(TensorMapL2Promotion value) { return l2_promotions.driver_name(value); }
std::string driver_name(TensorMapOobFill value) { return oob_fills.driver_name(value); }

std::string short_name(TensorMapDataType value) { return data_types.short_name(value); }
std::string short_name(TensorMapSwizzle value) {
  return value == TensorMapSwizzle::b96 ? std::string(row_96.short_name) : swizzles.short_name(value);
}
std::string short_name(TensorMapInterleave value) { return interleaves.short_name(value); }
std::string short_name(TensorMapL2Promotion value) { return l2_promotions.short_name(value); }
std::string short_name(TensorMapOobFill value) { return oob_fills.short_name(value); }

TensorMapDataType require_tensor_map_data_type(std::string_view name) {
  if (const std::optional<int> value = data_types.find_value(name)) return TensorMapDataType{*value};
  const DType* dtype = find_dtype(name);
  if (dtype != nullptr && !dtype->tensor_map_type.empty())
    return TensorMapDataType{data_types.require(dtype->tensor_map_type)};
  data_types.throw_unknown(name, dtype == nullptr ? "" : "; another type of the same size copies the same bytes");
}

TensorMapSwizzle require_tensor_map_swizzle(std::string_view name) {
  // A number is a value of the driver's enum, which has no value as large as the span of a mode.
  const bool is_span = name == "32" || name == "64" || name == "128";
  if (is_swizzle_96(name)) return TensorMapSwizzle::b96;
  const SwizzleMode* mode = swizzles.find_value(name) && !is_span ? nullptr : find_swizzle_mode(name);
  return TensorMapSwizzle{mode != nullptr && mode->tma_code ? *mode->tma_code : swizzles.require(name)};
}

TensorMapInterleave require_tensor_map_interleave(std::string_view name) {
  return TensorMapInterleave{interleaves.require(name)};
}

TensorMapL2Promotion require_tensor_map_l2_promotion(std::string_view name) {
  return TensorMapL2Promotion{l2_promotions.require(name)};
}

TensorMapOobFill require_tensor_map_oob_fill(std::string_view name) {
  return TensorMapOobFill{oob_fills.require(name)};
}

std::vector<TensorMapFieldRow> tensor_map_fields() {
  std::vector<TensorMapFieldRow> fields;
  for (const TensorMapFieldRow& row : field_rows)
    for (int i = 0; i < row.count; ++i) {
      const int bit = 64 * row.word + row.bits.low + row.bits.width * i;
      fields.push_back({row.id, row.name, row.count, bit / 64, {bit % 64, row.bits.width}, i});
    }
  return fields;
}
std::span<const TensorMapReservedRow> tensor_map_reserved() { return reserved_rows; }

}  // namespace swz
