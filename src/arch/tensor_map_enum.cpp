#include "arch/tensor_map_enum.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <vector>

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
constexpr TensorMapDataTypeRow data_types[] = {
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

constexpr TensorMapSwizzleRow swizzles[] = {
    {Mode::none, "NONE", 0, 0, 0, Bytes{0}, 0, 4, 3, false, true, placed},
    {Mode::b32, "32B", 1, 1, 0, Bytes{32}, 1, 4, 3, false, true, placed},
    {Mode::b64, "64B", 2, 2, 0, Bytes{64}, 2, 4, 3, false, true, placed},
    {Mode::b128, "128B", 3, 3, 0, Bytes{128}, 3, 4, 3, false, true, placed},
    {Mode::b128_atom_32, "128B_ATOM_32B", unseen, 3, 1, Bytes{128}, 2, 5, 2, false, false, sub_modes},
    {Mode::b128_atom_32_flip_8, "128B_ATOM_32B_FLIP_8B", unseen, 3, 2, Bytes{128}, 2, 5, 2, true, false, sub_modes},
    {Mode::b128_atom_64, "128B_ATOM_64B", unseen, 3, 3, Bytes{128}, 1, 6, 1, false, false, sub_modes},
};

constexpr TensorMapOptionRow interleaves[] = {
    {0, "NONE", "none", 0}, {1, "16B", "16B", 1}, {2, "32B", "32B", 2}};
constexpr TensorMapOptionRow l2_promotions[] = {
    {0, "NONE", "none", unseen}, {1, "L2_64B", "64B", unseen}, {2, "L2_128B", "128B", unseen},
    {3, "L2_256B", "256B", unseen}};
constexpr TensorMapOptionRow oob_fills[] = {
    {0, "NONE", "zero", 0}, {1, "NAN_REQUEST_ZERO_FMA", "nan", 1}};
// clang-format on

constexpr std::string_view data_type_prefix = "CU_TENSOR_MAP_DATA_TYPE_";
constexpr std::string_view swizzle_prefix = "CU_TENSOR_MAP_SWIZZLE_";
constexpr std::string_view interleave_prefix = "CU_TENSOR_MAP_INTERLEAVE_";
constexpr std::string_view l2_promotion_prefix = "CU_TENSOR_MAP_L2_PROMOTION_";
constexpr std::string_view oob_fill_prefix = "CU_TENSOR_MAP_FLOAT_OOB_FILL_";

template <class Row, class Value>
const Row* row_of(std::span<const Row> rows, Value value) {
  const auto index = static_cast<std::size_t>(static_cast<unsigned>(value));
  return index < rows.size() ? &rows[index] : nullptr;
}

std::string upper(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// A number of the driver's enum, as dumps print it.
std::optional<int> enum_number(std::string_view name) {
  if (name.empty() || name.size() > 9) return std::nullopt;
  int number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

// One enum as it is looked up by name.
struct Names {
  std::string_view what;                                             // "a tensor map data type"
  std::string_view prefix;                                           // "CU_TENSOR_MAP_DATA_TYPE_"
  std::vector<std::pair<std::string_view, std::string_view>> names;  // the driver's, the short one
};

template <class Row>
Names names_of(std::string_view what, std::string_view prefix, std::span<const Row> rows) {
  Names all{what, prefix, {}};
  for (const Row& row : rows) {
    if constexpr (requires { row.short_name; }) all.names.emplace_back(row.name, row.short_name);
    else all.names.emplace_back(row.name, row.name);
  }
  return all;
}

std::optional<int> find_value(const Names& names, std::string_view name) {
  if (name.size() > 64) return std::nullopt;
  if (const std::optional<int> number = enum_number(name)) return number;
  std::string wanted = upper(name);
  if (wanted.starts_with(names.prefix)) wanted.erase(0, names.prefix.size());
  for (std::size_t i = 0; i < names.names.size(); ++i)
    if (wanted == names.names[i].first || wanted == upper(names.names[i].second)) return static_cast<int>(i);
  return std::nullopt;
}

[[noreturn]] void throw_unknown(const Names& names, std::string_view name, std::string_view also = {}) {
  std::vector<std::string> known, listed;
  for (std::size_t i = 0; i < names.names.size(); ++i) {
    const auto& [driver, brief] = names.names[i];
    known.emplace_back(driver);
    known.emplace_back(brief);
    listed.push_back(driver == brief ? fmt::format("{} {}", i, driver)
                                     : fmt::format("{} {} ({})", i, driver, brief));
  }
  throw Error(fmt::format("{} is not {}", quoted(name), names.what),
              did_you_mean(name, known, fmt::format("one of {}{}", join_and(listed), also)));
}

template <class Enum>
std::string full_name(std::string_view prefix, Enum value) {
  const auto* row = find_row(value);
  return row == nullptr ? fmt::to_string(static_cast<int>(value)) : fmt::format("{}{}", prefix, row->name);
}

template <class Enum>
std::string brief_name(Enum value) {
  const auto* row = find_row(value);
  if (row == nullptr) return fmt::to_string(static_cast<int>(value));
  if constexpr (requires { row->short_name; }) return std::string(row->short_name);
  else return row->name == "NONE" ? "none" : std::string(row->name);
}

int require_value(const Names& names, std::string_view name) {
  const std::optional<int> value = find_value(names, name);
  if (!value) throw_unknown(names, name);
  return *value;
}

}  // namespace

std::span<const TensorMapDataTypeRow> tensor_map_data_types() { return data_types; }
std::span<const TensorMapSwizzleRow> tensor_map_swizzles() { return swizzles; }
std::span<const TensorMapOptionRow> tensor_map_interleaves() { return interleaves; }
std::span<const TensorMapOptionRow> tensor_map_l2_promotions() { return l2_promotions; }
std::span<const TensorMapOptionRow> tensor_map_oob_fills() { return oob_fills; }

const TensorMapDataTypeRow* find_row(TensorMapDataType value) { return row_of(tensor_map_data_types(), value); }
const TensorMapSwizzleRow* find_row(TensorMapSwizzle value) { return row_of(tensor_map_swizzles(), value); }
const TensorMapOptionRow* find_row(TensorMapInterleave value) { return row_of(tensor_map_interleaves(), value); }
const TensorMapOptionRow* find_row(TensorMapL2Promotion value) { return row_of(tensor_map_l2_promotions(), value); }
const TensorMapOptionRow* find_row(TensorMapOobFill value) { return row_of(tensor_map_oob_fills(), value); }

std::string driver_name(TensorMapDataType value) { return full_name(data_type_prefix, value); }
std::string driver_name(TensorMapSwizzle value) { return full_name(swizzle_prefix, value); }
std::string driver_name(TensorMapInterleave value) { return full_name(interleave_prefix, value); }
std::string driver_name(TensorMapL2Promotion value) { return full_name(l2_promotion_prefix, value); }
std::string driver_name(TensorMapOobFill value) { return full_name(oob_fill_prefix, value); }

std::string short_name(TensorMapDataType value) { return brief_name(value); }
std::string short_name(TensorMapSwizzle value) { return brief_name(value); }
std::string short_name(TensorMapInterleave value) { return brief_name(value); }
std::string short_name(TensorMapL2Promotion value) { return brief_name(value); }
std::string short_name(TensorMapOobFill value) { return brief_name(value); }

TensorMapDataType require_tensor_map_data_type(std::string_view name) {
  const Names names = names_of("a tensor map data type", data_type_prefix, tensor_map_data_types());
  if (const std::optional<int> value = find_value(names, name)) return TensorMapDataType{*value};
  const DType* dtype = find_dtype(name);
  if (dtype != nullptr && !dtype->tensor_map_type.empty())
    return TensorMapDataType{*find_value(names, dtype->tensor_map_type)};
  throw_unknown(names, name, dtype == nullptr ? "" : "; another type of the same size copies the same bytes");
}

TensorMapSwizzle require_tensor_map_swizzle(std::string_view name) {
  const Names names = names_of("a tensor map swizzle", swizzle_prefix, tensor_map_swizzles());
  if (const std::optional<int> value = find_value(names, name)) return TensorMapSwizzle{*value};
  const SwizzleMode* mode = find_swizzle_mode(name);
  if (mode != nullptr && mode->tma_code) return TensorMapSwizzle{*mode->tma_code};
  throw_unknown(names, name);
}

TensorMapInterleave require_tensor_map_interleave(std::string_view name) {
  return TensorMapInterleave{
      require_value(names_of("a tensor map interleave", interleave_prefix, tensor_map_interleaves()), name)};
}

TensorMapL2Promotion require_tensor_map_l2_promotion(std::string_view name) {
  return TensorMapL2Promotion{
      require_value(names_of("a tensor map L2 promotion", l2_promotion_prefix, tensor_map_l2_promotions()), name)};
}

TensorMapOobFill require_tensor_map_oob_fill(std::string_view name) {
  return TensorMapOobFill{
      require_value(names_of("a tensor map OOB fill", oob_fill_prefix, tensor_map_oob_fills()), name)};
}

}  // namespace swz
