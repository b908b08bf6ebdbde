#include "arch/dtype.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace swz {

namespace {

constexpr Source fundamental{"PTX ISA 9.1, 5.2.1"};
constexpr Source alternate{"PTX ISA 9.1, 5.2.3"};
constexpr Source sub_byte{"PTX ISA 9.1, 9.7.16.10.4"};
constexpr Source integer_mma{"PTX ISA 9.1, 9.7.14.5"};
constexpr Source unit{"CUTLASS uint128.hpp", Evidence::header};

// clang-format off
constexpr DType rows[] = {
    {"f16", {"half", "fp16", "float16", "half_t", "__half"}, 16, 16, 0, true, "FLOAT16", fundamental},
    {"bf16", {"bfloat16", "bfloat", "bfloat16_t", "__nv_bfloat16"}, 16, 16, 0, true, "BFLOAT16", alternate},
    {"tf32", {"tfloat32", "tfloat32_t"}, 19, 32, 0, true, "TFLOAT32", alternate},
    {"f32", {"float", "fp32", "float32"}, 32, 32, 0, true, "FLOAT32", fundamental},
    {"f64", {"double", "fp64", "float64"}, 64, 64, 0, true, "FLOAT64", fundamental},
    {"e4m3", {"fp8_e4m3", "e4m3fn", "float_e4m3_t", "__nv_fp8_e4m3", "float8_e4m3fn", "fp8e4nv", "f8e4m3fn", "fp8", "f8"},
     8, 8, 8, true, "UINT8", alternate},
    {"e5m2", {"fp8_e5m2", "float_e5m2_t", "__nv_fp8_e5m2", "float8_e5m2", "fp8e5", "f8e5m2"},
     8, 8, 8, true, "UINT8", alternate},
    {"e2m3", {"fp6_e2m3", "float_e2m3_t", "__nv_fp6_e2m3"}, 6, 8, 8, true, "16U6_ALIGN16B", sub_byte},
    {"e3m2", {"fp6_e3m2", "float_e3m2_t", "__nv_fp6_e3m2"}, 6, 8, 8, true, "16U6_ALIGN16B", sub_byte},
    {"e2m1", {"fp4", "f4", "fp4_e2m1", "float_e2m1_t", "__nv_fp4_e2m1", "float4_e2m1fn_x2", "nvf4", "mxf4"},
     4, 4, 8, true, "16U4_ALIGN8B", sub_byte},
    {"ue8m0", {"e8m0", "float_ue8m0_t", "float8_e8m0fnu", "__nv_fp8_e8m0"}, 8, 8, 0, true, "UINT8", alternate},
    {"ue4m3", {"float_ue4m3_t"}, 7, 8, 0, true, "UINT8", alternate},
    {"s8", {"int8", "i8", "int8_t", "char"}, 8, 8, 0, false, "UINT8", integer_mma},
    {"u8", {"uint8", "uint8_t", "byte", "b8"}, 8, 8, 0, false, "UINT8", integer_mma},
    {"s4", {"int4", "i4", "int4_t", "int4b_t"}, 4, 4, 0, false, "", integer_mma},
    {"u4", {"uint4", "uint4_t", "uint4b_t", "b4"}, 4, 4, 0, false, "", integer_mma},
    {"b1", {"bit", "u1", "uint1_t", "uint1b_t", "bin1"}, 1, 1, 0, false, "", integer_mma},
    {"u16", {"uint16", "uint16_t", "b16"}, 16, 16, 0, false, "UINT16", fundamental},
    {"s16", {"int16", "i16", "int16_t", "short"}, 16, 16, 0, false, "", fundamental},
    {"u32", {"uint32", "uint32_t", "b32"}, 32, 32, 0, false, "UINT32", fundamental},
    {"s32", {"int32", "i32", "int32_t", "int"}, 32, 32, 0, false, "INT32", fundamental},
    {"u64", {"uint64", "uint64_t", "b64"}, 64, 64, 0, false, "UINT64", fundamental},
    {"s64", {"int64", "i64", "int64_t"}, 64, 64, 0, false, "INT64", fundamental},
    {"u128", {"uint128", "uint128_t", "b128"}, 128, 128, 0, false, "", unit},
};
// clang-format on

std::string_view without_namespace(std::string_view name) {
  for (const std::string_view prefix : {"cutlass::", "cute::", "torch.", "jnp.", "np.", "tl.", "__nv_", "nv_"})
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  return name;
}

}  // namespace

std::span<const DType> dtypes() { return rows; }

const DType* find_dtype(std::string_view name) {
  const std::string whole = lower_case(name);
  const std::string_view wanted = without_namespace(whole);
  if (wanted.empty()) return nullptr;
  for (const DType& row : rows) {
    if (row.name == wanted) return &row;
    for (const std::string_view alias : row.aliases)
      if (alias == wanted || alias == whole) return &row;
  }
  return nullptr;
}

const DType& require_dtype(std::string_view name) {
  if (const DType* row = find_dtype(name)) return *row;
  std::vector<std::string> known;
  for (const DType& row : rows) {
    known.emplace_back(row.name);
    for (const std::string_view alias : row.aliases)
      if (!alias.empty()) known.emplace_back(alias);
  }
  throw Error(fmt::format("{} is not an element type", quoted(name)),
              did_you_mean(name, known, "element types: " + join_and(names_of(rows))));
}

}  // namespace swz
