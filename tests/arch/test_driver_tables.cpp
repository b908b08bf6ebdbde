// SPDX-License-Identifier: Apache-2.0
// Codes and enums of the driver, row by row: cuda.h of CUDA 13.0 for CUresult and the enums of a tensor map, PTX ISA
// 9.1, 9.7.9.28 for what tensormap.replace takes.
#include <doctest/doctest.h>

#include <string>

#include "arch/cuda_result.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/tensor_map_enum.hpp"
#include "base/error.hpp"

using namespace swz;

TEST_CASE("CUresult: the number, name and kind of every row") {
  struct Row {
    int code;
    const char *name, *kind;
  };
  const Row rows[] = {{0, "CUDA_SUCCESS", "success"},
                      {1, "CUDA_ERROR_INVALID_VALUE", "arguments"},
                      {2, "CUDA_ERROR_OUT_OF_MEMORY", "other"},
                      {3, "CUDA_ERROR_NOT_INITIALIZED", "state"},
                      {4, "CUDA_ERROR_DEINITIALIZED", "state"},
                      {34, "CUDA_ERROR_STUB_LIBRARY", "state"},
                      {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "unsupported"},
                      {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "state"},
                      {100, "CUDA_ERROR_NO_DEVICE", "state"},
                      {101, "CUDA_ERROR_INVALID_DEVICE", "state"},
                      {201, "CUDA_ERROR_INVALID_CONTEXT", "state"},
                      {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "other"},
                      {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "sticky"},
                      {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "sticky"},
                      {400, "CUDA_ERROR_INVALID_HANDLE", "other"},
                      {500, "CUDA_ERROR_NOT_FOUND", "other"},
                      {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "sticky"},
                      {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "other"},
                      {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "sticky"},
                      {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "state"},
                      {710, "CUDA_ERROR_ASSERT", "sticky"},
                      {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "sticky"},
                      {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "sticky"},
                      {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "sticky"},
                      {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "sticky"},
                      {718, "CUDA_ERROR_INVALID_PC", "sticky"},
                      {719, "CUDA_ERROR_LAUNCH_FAILED", "sticky"},
                      {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "sticky"},
                      {800, "CUDA_ERROR_NOT_PERMITTED", "other"},
                      {801, "CUDA_ERROR_NOT_SUPPORTED", "unsupported"},
                      {802, "CUDA_ERROR_SYSTEM_NOT_READY", "state"},
                      {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "state"},
                      {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "unsupported"},
                      {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "other"},
                      {999, "CUDA_ERROR_UNKNOWN", "sticky"}};
  const char* kinds[] = {"success", "arguments", "state", "unsupported", "sticky", "other"};
  REQUIRE(cuda_results().size() == std::size(rows));
  for (const Row& e : rows) {
    CAPTURE(e.code);
    const CudaResultRow* row = find_cuda_result(e.code);
    REQUIRE(row != nullptr);
    CHECK(full_name(*row) == e.name);
    CHECK(std::string(kinds[static_cast<int>(row->kind)]) == e.kind);
  }
}

TEST_CASE("tensor map data types: the driver's number, PTX's number, bits in both memories, NaN, sm_90") {
  struct Row {
    const char *name, *short_name;
    int code, replace, gmem, smem;  // code -1: never seen
    bool floats, on_sm_90;
  };
  const Row rows[] = {{"UINT8", "u8", 0, 0, 8, 8, false, true},
                      {"UINT16", "u16", 1, 1, 16, 16, false, true},
                      {"UINT32", "u32", 2, 2, 32, 32, false, true},
                      {"INT32", "s32", 3, 3, 32, 32, false, true},
                      {"UINT64", "u64", 4, 4, 64, 64, false, true},
                      {"INT64", "s64", 5, 5, 64, 64, false, true},
                      {"FLOAT16", "f16", 6, 6, 16, 16, true, true},
                      {"FLOAT32", "f32", 7, 7, 32, 32, true, true},
                      {"FLOAT64", "f64", 9, 9, 64, 64, true, true},
                      {"BFLOAT16", "bf16", 10, 10, 16, 16, true, true},
                      {"FLOAT32_FTZ", "f32.ftz", 8, 8, 32, 32, true, true},
                      {"TFLOAT32", "tf32", 7, 11, 32, 32, true, true},
                      {"TFLOAT32_FTZ", "tf32.ftz", 8, 12, 32, 32, true, true},
                      {"16U4_ALIGN8B", "b4x16", -1, 13, 4, 4, false, false},
                      {"16U4_ALIGN16B", "b4x16_p64", -1, 14, 4, 8, false, false},
                      {"16U6_ALIGN16B", "b6x16_p32", -1, 15, 6, 8, false, false}};
  REQUIRE(tensor_map_data_types().size() == std::size(rows));
  for (int i = 0; i < static_cast<int>(std::size(rows)); ++i) {
    const Row& e = rows[i];
    CAPTURE(e.name);
    const TensorMapDataType value{i};
    const TensorMapDataTypeRow& row = *find_row(value);
    CHECK(row.name == e.name);
    CHECK(short_name(value) == e.short_name);
    CHECK(driver_name(value) == std::string("CU_TENSOR_MAP_DATA_TYPE_") + e.name);
    CHECK(row.code.value_or(-1) == e.code);
    CHECK(row.replace_code == e.replace);
    CHECK(row.gmem_bits == e.gmem);
    CHECK(row.smem_bits == e.smem);
    CHECK(row.is_floating == e.floats);
    CHECK(row.is_on_sm_90 == e.on_sm_90);
    CHECK(row.rounds_to_tf32 == (i == 11 || i == 12));
    CHECK(row.is_packed() == (i >= 13));
    CHECK(row.is_padded() == (i >= 14));
  }
}

TEST_CASE("tensor map swizzles: codes, the widest row, the XOR") {
  struct Row {
    const char* name;
    int code;
    std::int64_t span;
    int bits, base, shift;
    bool flips, on_sm_90;
  };
  const Row rows[] = {{"NONE", 0, 0, 0, 4, 3, false, true},
                      {"32B", 1, 32, 1, 4, 3, false, true},
                      {"64B", 2, 64, 2, 4, 3, false, true},
                      {"128B", 3, 128, 3, 4, 3, false, true},
                      {"128B_ATOM_32B", -1, 128, 2, 5, 2, false, false},
                      {"128B_ATOM_32B_FLIP_8B", -1, 128, 2, 5, 2, true, false},
                      {"128B_ATOM_64B", -1, 128, 1, 6, 1, false, false}};
  REQUIRE(tensor_map_swizzles().size() == std::size(rows));
  for (int i = 0; i < static_cast<int>(std::size(rows)); ++i) {
    const Row& e = rows[i];
    CAPTURE(e.name);
    const TensorMapSwizzleRow& row = *find_row(TensorMapSwizzle{i});
    CHECK(row.name == e.name);
    CHECK(driver_name(TensorMapSwizzle{i}) == std::string("CU_TENSOR_MAP_SWIZZLE_") + e.name);
    CHECK(short_name(TensorMapSwizzle{i}) == (i == 0 ? "none" : e.name));
    CHECK(row.code.value_or(-1) == e.code);
    CHECK(row.span == Bytes{e.span});
    CHECK(row.bits == e.bits);
    CHECK(row.base == e.base);
    CHECK(row.shift == e.shift);
    CHECK(row.flips_halves == e.flips);
    CHECK(row.is_on_sm_90 == e.on_sm_90);
    CHECK(row.pattern() == Bytes{i == 0 ? 16 : 8 * e.span / (1 << (e.base - 4))});
  }
  // 64-byte atoms of two lines: the halves of a 128-byte line change places in every second line.
  const TensorMapSwizzleRow& atom_64 = *find_row(TensorMapSwizzle::b128_atom_64);
  CHECK(atom_64.byte(0) == 0);
  CHECK(atom_64.byte(63) == 63);
  CHECK(atom_64.byte(128) == 192);
  CHECK(atom_64.byte(192) == 128);
  CHECK(atom_64.byte(256) == 256);
}

TEST_CASE("interleave, L2 promotion and OOB fill: names") {
  CHECK(short_name(TensorMapInterleave::none) == "none");
  CHECK(short_name(TensorMapInterleave::bytes_32) == "32B");
  CHECK(short_name(TensorMapL2Promotion::b256) == "256B");
  CHECK(short_name(TensorMapOobFill::nan) == "nan");
  CHECK(driver_name(TensorMapInterleave::bytes_16) == "CU_TENSOR_MAP_INTERLEAVE_16B");
  CHECK(driver_name(TensorMapL2Promotion::b64) == "CU_TENSOR_MAP_L2_PROMOTION_L2_64B");
  CHECK(driver_name(TensorMapOobFill::nan) == "CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA");
}

TEST_CASE("a number that names no enumerator stays a number, of up to nine digits") {
  CHECK(short_name(TensorMapDataType{16}) == "16");
  CHECK(short_name(TensorMapSwizzle{7}) == "7");
  CHECK(short_name(TensorMapInterleave{3}) == "3");
  CHECK(short_name(TensorMapL2Promotion{4}) == "4");
  CHECK(short_name(TensorMapOobFill{2}) == "2");
  CHECK(driver_name(TensorMapDataType{16}) == "16");
  CHECK(driver_name(TensorMapSwizzle{99}) == "99");
  CHECK(driver_name(TensorMapInterleave{3}) == "3");
  CHECK(require_tensor_map_interleave("0") == TensorMapInterleave::none);
  CHECK(require_tensor_map_interleave("90") == TensorMapInterleave{90});
  CHECK(require_tensor_map_interleave("123456789") == TensorMapInterleave{123456789});
  for (const char* wrong : {"1234567890", "1/", "1:", "-1", ""})
    CHECK_THROWS_AS(require_tensor_map_interleave(wrong), Error);
}

TEST_CASE("an unknown swizzle mode names the nearest and all of them") {
  try {
    require_swizzle_mode("12B8");
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.message() == "'12B8' is not a swizzle mode");
    CHECK(e.hint == "did you mean '128B'? swizzle modes: none, 32B, 64B, 128B and 128B_32B");
  }
  CHECK(find_swizzle_mode(std::string(64, '1')) == nullptr);
}
