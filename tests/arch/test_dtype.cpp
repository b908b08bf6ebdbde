// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"

namespace swz {
namespace {

TEST_CASE("names and aliases are unique, bits are consistent, every row has a source") {
  std::set<std::string_view> seen;
  for (const DType& row : dtypes()) {
    CAPTURE(row.name);
    CHECK(seen.insert(row.name).second);
    for (const std::string_view alias : row.aliases)
      if (!alias.empty()) CHECK_MESSAGE(seen.insert(alias).second, alias);
    CHECK(row.value_bits <= row.memory_bits);
    CHECK(is_power_of_two(row.memory_bits));
    CHECK((row.container_bits == 0 || row.container_bits >= row.memory_bits));
    CHECK_FALSE(row.source.where.empty());
  }
}

TEST_CASE("every name and alias finds its row, in any case and with CUTLASS's namespaces") {
  for (const DType& row : dtypes()) {
    CHECK(find_dtype(row.name) == &row);
    for (const std::string_view alias : row.aliases)
      if (!alias.empty()) CHECK(find_dtype(alias) == &row);
  }
  CHECK(find_dtype("BF16")->name == "bf16");
  CHECK(find_dtype("cutlass::bfloat16_t")->name == "bf16");
  CHECK(find_dtype("cute::uint128_t")->name == "u128");
  CHECK(find_dtype("") == nullptr);
  CHECK(find_dtype("cutlass::") == nullptr);
  CHECK(find_dtype(std::string(100000, 'x')) == nullptr);
}

// One row a type: as torch, ml_dtypes, JAX, NumPy, Triton, MLIR, CUTLASS (C++ and Python), CUDA and cuBLAS write it.
TEST_CASE("types as other projects call them") {
  const std::vector<std::vector<std::string>> spellings = {
      {"f16", "torch.float16", "torch.half", "np.float16", "jnp.float16", "tl.float16", "!cute.f16", "cute::half_t",
       "cutlass.Float16", "cutlass::half_t", "__half", "at::kHalf", "CUDA_R_16F", "<f2", "dtype('float16')",
       "CU_TENSOR_MAP_DATA_TYPE_FLOAT16"},
      {"bf16", "torch.bfloat16", "nv_bfloat16", "__nv_bfloat16", "jnp.bfloat16", "jax.numpy.bfloat16",
       "ml_dtypes.bfloat16", "tl.bfloat16", "cutlass.BFloat16", "cutlass::bfloat16_t", "CUDA_R_16BF", "at::kBFloat16"},
      {"tf32", "cutlass::tfloat32_t", "cutlass.TFloat32", "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32"},
      {"f32", "torch.float32", "float", "np.float32", "cutlass.Float32", "tl.float32", "<f4", "CUDA_R_32F"},
      {"f64", "torch.float64", "double", "<f8", "CUDA_R_64F"},
      {"e4m3", "e4m3fn", "torch.float8_e4m3fn", "float8_e4m3fn", "f8E4M3FN", "jnp.float8_e4m3fn",
       "ml_dtypes.float8_e4m3fn", "tl.float8e4nv", "fp8e4nv", "cutlass.Float8E4M3FN", "cutlass::float_e4m3_t",
       "__nv_fp8_e4m3", "at::kFloat8_e4m3fn", "CUDA_R_8F_E4M3"},
      {"e5m2", "torch.float8_e5m2", "f8E5M2", "tl.float8e5", "cutlass.Float8E5M2", "cutlass::float_e5m2_t"},
      {"e2m3", "f6E2M3FN", "ml_dtypes.float6_e2m3fn", "cutlass::float_e2m3_t", "cutlass.Float6E2M3FN"},
      {"e3m2", "f6E3M2FN", "ml_dtypes.float6_e3m2fn", "cutlass::float_e3m2_t"},
      {"e2m1", "f4E2M1FN", "torch.float4_e2m1fn_x2", "cutlass.Float4E2M1FN", "cutlass::float_e2m1_t", "CUDA_R_4F_E2M1"},
      {"ue8m0", "f8E8M0FNU", "torch.float8_e8m0fnu", "cutlass::float_ue8m0_t", "CUDA_R_8F_UE8M0"},
      {"s8", "torch.int8", "int8_t", "signed char", "si8", "cutlass.Int8", "|i1"},
      {"u8", "torch.uint8", "uint8_t", "unsigned char", "ui8", "cutlass.Uint8", "|u1"},
      {"u32", "unsigned", "unsigned int", "uint32_t", "np.uint32"},
      {"s64", "long long", "torch.int64"}};
  for (const auto& row : spellings)
    for (const std::string& name : row) {
      CAPTURE(name);
      REQUIRE(find_dtype(name) != nullptr);
      CHECK(find_dtype(name)->name == row.front());
    }
}

TEST_CASE("a name that is near to a type but is not one is explained") {
  const auto refusal = [](std::string_view name) {
    try {
      return std::string(require_dtype(name).name);
    } catch (const Error& e) {
      return e.message() + "\n" + e.hint;
    }
  };
  CHECK(refusal("torch.float8_e4m3fnuz") ==
        "'torch.float8_e4m3fnuz' is not an element type\nit is a format of AMD, which no tensor core of NVIDIA "
        "reads");
  CHECK(refusal("ml_dtypes.float8_e4m3") ==
        "'ml_dtypes.float8_e4m3' is not an element type\nit is a format with infinities, which no MMA reads; e4m3 of "
        "PTX is float8_e4m3fn");
  CHECK(refusal("__nv_bfloat162") == "'__nv_bfloat162' is not an element type\nit is a vector: name its element, bf16");
  CHECK(refusal("float4") ==
        "'float4' is not an element type\nit is four f32 in CUDA: name the element, f32; the "
        "4-bit type is float4_e2m1fn");
  CHECK(find_dtype("foo.f16") == nullptr);
}

// PTX ISA: bits of a value, and what one takes in shared memory. 6-bit types are in 8-bit containers, e2m1 is
// packed for mxf4 and in 8-bit containers for f8f6f4.
TEST_CASE("bits of the types") {
  struct Expected {
    const char* name;
    int value, memory, container;
  };
  const Expected expected[] = {{"f16", 16, 16, 0}, {"bf16", 16, 16, 0},    {"tf32", 19, 32, 0}, {"f32", 32, 32, 0},
                               {"f64", 64, 64, 0}, {"e4m3", 8, 8, 8},      {"e5m2", 8, 8, 8},   {"e2m3", 6, 8, 8},
                               {"e3m2", 6, 8, 8},  {"e2m1", 4, 4, 8},      {"ue8m0", 8, 8, 0},  {"ue4m3", 7, 8, 0},
                               {"ue5m3", 8, 8, 0}, {"s1z4m11", 16, 16, 0}, {"s8", 8, 8, 0},     {"u8", 8, 8, 0},
                               {"s4", 4, 4, 0},    {"u4", 4, 4, 0},        {"b1", 1, 1, 0},     {"u16", 16, 16, 0},
                               {"s16", 16, 16, 0}, {"u32", 32, 32, 0},     {"s32", 32, 32, 0},  {"u64", 64, 64, 0},
                               {"s64", 64, 64, 0}, {"u128", 128, 128, 0}};
  CHECK(std::size(expected) == dtypes().size());
  for (const Expected& e : expected) {
    CAPTURE(e.name);
    const DType& row = require_dtype(e.name);
    CHECK(row.value_bits == e.value);
    CHECK(row.memory_bits == e.memory);
    CHECK(row.container_bits == e.container);
  }
}

TEST_CASE("an unknown type names itself, the nearest type and the list") {
  try {
    require_dtype("bfloat61");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'bfloat61' is not an element type");
    CHECK(e.hint ==
          "did you mean 'bfloat16'? element types: f16, bf16, tf32, f32, f64, e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0, "
          "ue4m3, ue5m3, s8, u8, s4, u4, b1, u16, s16, s1z4m11, u32, s32, u64, s64 and u128");
  }
  CHECK_THROWS_AS(require_dtype(std::string_view("f16\0", 4)), Error);
  CHECK_THROWS_AS(require_dtype(""), Error);
}

}  // namespace
}  // namespace swz
