// SPDX-License-Identifier: Apache-2.0
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
constexpr Source of_107{"PTX ISA 9.4, 5.2.3 (sm_107)"};
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
    {"ue5m3", {"nv8e5m3", "float_ue5m3_t"}, 8, 8, 0, true, "UINT8", of_107},
    {"s8", {"int8", "i8", "int8_t", "char"}, 8, 8, 0, false, "UINT8", integer_mma},
    {"u8", {"uint8", "uint8_t", "byte", "b8"}, 8, 8, 0, false, "UINT8", integer_mma},
    {"s4", {"int4", "i4", "int4_t", "int4b_t"}, 4, 4, 0, false, "", integer_mma},
    {"u4", {"uint4", "uint4_t", "uint4b_t", "b4"}, 4, 4, 0, false, "", integer_mma},
    {"b1", {"bit", "u1", "uint1_t", "uint1b_t", "bin1"}, 1, 1, 0, false, "", integer_mma},
    {"u16", {"uint16", "uint16_t", "b16"}, 16, 16, 0, false, "UINT16", fundamental},
    {"s16", {"int16", "i16", "int16_t", "short"}, 16, 16, 0, false, "", fundamental},
    {"s1z4m11", {}, 16, 16, 0, false, "UINT16", of_107},
    {"u32", {"uint32", "uint32_t", "b32"}, 32, 32, 0, false, "UINT32", fundamental},
    {"s32", {"int32", "i32", "int32_t", "int"}, 32, 32, 0, false, "INT32", fundamental},
    {"u64", {"uint64", "uint64_t", "b64"}, 64, 64, 0, false, "UINT64", fundamental},
    {"s64", {"int64", "i64", "int64_t"}, 64, 64, 0, false, "INT64", fundamental},
    {"u128", {"uint128", "uint128_t", "b128"}, 128, 128, 0, false, "", unit},
};
// clang-format on

constexpr std::string_view namespaces[] = {"cutlass::",
                                           "cute::",
                                           "cuda::",
                                           "std::",
                                           "at::",
                                           "c10::",
                                           "cutlass.",
                                           "!cute.",
                                           "torch.",
                                           "jax.numpy.",
                                           "jnp.",
                                           "ml_dtypes.",
                                           "np.",
                                           "numpy.",
                                           "tl.",
                                           "gl.",
                                           "triton.language.",
                                           "tilelang.",
                                           "t.",
                                           "__nv_",
                                           "nv_",
                                           "cuda_",
                                           "cu_tensor_map_data_type_"};

std::string_view without_namespace(std::string_view name) {
  for (bool is_found = true; is_found;) {
    is_found = false;
    for (const std::string_view prefix : namespaces)
      if (name.size() > prefix.size() && name.starts_with(prefix)) {
        name.remove_prefix(prefix.size());
        is_found = true;
      }
  }
  return name;
}

// ml_dtypes, torch, JAX and MLIR write the width, the format and its special values: float8_e4m3fn, f8E4M3FN,
// Float4E2M1FN. Their e4m3 without fn is another type: it has infinities.
struct Format {
  std::string_view dtype, width, format, special;
};
constexpr Format formats[] = {{"e4m3", "8", "e4m3", "fn"}, {"e5m2", "8", "e5m2", ""},   {"e2m3", "6", "e2m3", "fn"},
                              {"e3m2", "6", "e3m2", "fn"}, {"e2m1", "4", "e2m1", "fn"}, {"ue8m0", "8", "e8m0", "fnu"}};

// Names that follow no rule: those of Triton, of C, of cuBLAS after CUDA_, and those of NumPy, which count bytes.
struct Alias {
  std::string_view name, dtype;
};
// clang-format off
constexpr Alias more_aliases[] = {
    {"float8e4nv", "e4m3"}, {"float8e5", "e5m2"},
    {"unsigned char", "u8"}, {"signed char", "s8"}, {"unsigned short", "u16"}, {"unsigned", "u32"}, {"unsigned int", "u32"},
    {"long long", "s64"}, {"unsigned long long", "u64"}, {"si8", "s8"}, {"ui8", "u8"}, {"si32", "s32"}, {"ui32", "u32"},
    {"kbfloat16", "bf16"}, {"khalf", "f16"}, {"kfloat", "f32"}, {"kfloat8_e4m3fn", "e4m3"}, {"kfloat8_e5m2", "e5m2"},
    {"r_16f", "f16"}, {"r_16bf", "bf16"}, {"r_32f", "f32"}, {"r_64f", "f64"}, {"r_8i", "s8"}, {"r_8u", "u8"},
    {"r_32i", "s32"}, {"r_8f_e4m3", "e4m3"}, {"r_8f_e5m2", "e5m2"}, {"r_8f_ue8m0", "ue8m0"}, {"r_8f_ue4m3", "ue4m3"},
    {"r_6f_e2m3", "e2m3"}, {"r_6f_e3m2", "e3m2"}, {"r_4f_e2m1", "e2m1"},
    {"<f2", "f16"}, {"<f4", "f32"}, {"<f8", "f64"}, {"|i1", "s8"}, {"|u1", "u8"}, {"<i2", "s16"}, {"<u2", "u16"},
    {"<i4", "s32"}, {"<u4", "u32"}, {"<i8", "s64"}, {"<u8", "u64"},
};
// clang-format on

const DType* row_called(std::string_view name) {
  for (const DType& row : rows) {
    if (row.name == name) return &row;
    for (const std::string_view alias : row.aliases)
      if (alias == name && !alias.empty()) return &row;
  }
  return nullptr;
}

const DType* row_of_format(std::string_view name) {
  for (const Format& row : formats)
    for (const std::string_view joint : {"float", "f"})
      for (const std::string_view line : {"_", ""}) {
        const std::string whole = fmt::format("{}{}{}{}{}", joint, row.width, line, row.format, row.special);
        if (name == whole || name == whole + "_x2") return row_called(row.dtype);
      }
  return nullptr;
}

// Removes quotes and NumPy's dtype(…).
std::string_view without_wrapper(std::string_view name) {
  constexpr std::string_view around = " \t\"'()";
  if (name.starts_with("dtype(")) name.remove_prefix(5);
  const std::size_t first = name.find_first_not_of(around);
  if (first == std::string_view::npos) return {};
  return name.substr(first, name.find_last_not_of(around) + 1 - first);
}

// Explains a name that looks like a type but is not one; empty if unknown.
std::string other_type(std::string_view written) {
  const std::string name = lower_case(written);
  const std::string_view bare = without_namespace(without_wrapper(name));
  if (bare.ends_with("fnuz")) return "a format of AMD, which no tensor core of NVIDIA reads";
  if (bare == "float8_e4m3" || bare == "f8e4m3")
    return "a format with infinities, which no MMA reads; e4m3 of PTX is float8_e4m3fn";
  if (bare == "float4") return "four f32 in CUDA: name the element, f32; the 4-bit type is float4_e2m1fn";
  if (bare.starts_with("fp8x") || bare.starts_with("fp6x") || bare.starts_with("fp4x")) {
    const std::size_t line = bare.find('_');
    if (line != std::string_view::npos) return fmt::format("a vector: name its element, {}", bare.substr(line + 1));
  }
  if (bare.size() > 1 && (bare.back() == '2' || bare.back() == '4'))
    if (const DType* element = row_called(bare.substr(0, bare.size() - 1)))
      return fmt::format("a vector: name its element, {}", element->name);
  return "";
}

}  // namespace

std::span<const DType> dtypes() { return rows; }

const DType* find_dtype(std::string_view name) {
  constexpr std::size_t longest = 64;
  if (name.size() > longest) return nullptr;
  const std::string whole = lower_case(name);
  const std::string_view bare = without_wrapper(whole);
  if (bare.empty()) return nullptr;
  for (const std::string_view wanted : {bare, without_namespace(bare)}) {
    if (const DType* row = row_called(wanted)) return row;
    for (const Alias& alias : more_aliases)
      if (alias.name == wanted) return row_called(alias.dtype);
    if (const DType* row = row_of_format(wanted)) return row;
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
  const std::string other = other_type(name);
  if (!other.empty()) throw Error(fmt::format("{} is not an element type", quoted(name)), "it is " + other);
  throw Error(fmt::format("{} is not an element type", quoted(name)),
              did_you_mean(name, known, "element types: " + join_and(names_of(rows))));
}

}  // namespace swz
