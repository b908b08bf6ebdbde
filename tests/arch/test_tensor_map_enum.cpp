// SPDX-License-Identifier: Apache-2.0
// The enums and the bit positions of a tensor map, as tables.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/tensor_map_enum.hpp"
#include "base/error.hpp"

using namespace swz;

TEST_CASE("a row is at the value of its enumerator, and names are unique") {
  std::set<std::string> names;
  int expected = 0;
  for (const TensorMapDataTypeRow& row : tensor_map_data_types()) {
    CHECK(static_cast<int>(row.value) == expected++);
    CHECK(find_row(row.value) == &row);
    CHECK(names.insert(std::string(row.name)).second);
    CHECK(names.insert(std::string(row.short_name)).second);
  }
  CHECK(expected == 16);
  expected = 0;
  for (const TensorMapSwizzleRow& row : tensor_map_swizzles()) CHECK(static_cast<int>(row.value) == expected++);
  CHECK(expected == 7);
  for (int i = 0; i < 3; ++i) CHECK(find_row(TensorMapInterleave{i})->value == i);
  for (int i = 0; i < 4; ++i) CHECK(find_row(TensorMapL2Promotion{i})->value == i);
  for (int i = 0; i < 2; ++i) CHECK(find_row(TensorMapOobFill{i})->value == i);
  CHECK(find_row(TensorMapDataType{16}) == nullptr);
  CHECK(find_row(TensorMapDataType{-1}) == nullptr);
  CHECK(find_row(TensorMapSwizzle{7}) == nullptr);
  CHECK(find_row(TensorMapSwizzle::b96) == &swizzle_96());
  CHECK(find_row(TensorMapInterleave{3}) == nullptr);
  CHECK(find_row(TensorMapL2Promotion{4}) == nullptr);
  CHECK(find_row(TensorMapOobFill{2}) == nullptr);
}

// Typed in here once more: driver value, code, PTX code.
TEST_CASE("the three numbers of a data type") {
  struct Line {
    const char* name;
    int driver, code, tf32, replace, bytes;
  };
  const Line lines[] = {
      {"UINT8", 0, 0, 0, 0, 1},         {"UINT16", 1, 1, 0, 1, 2},       {"UINT32", 2, 2, 0, 2, 4},
      {"INT32", 3, 3, 0, 3, 4},         {"UINT64", 4, 4, 0, 4, 8},       {"INT64", 5, 5, 0, 5, 8},
      {"FLOAT16", 6, 6, 0, 6, 2},       {"FLOAT32", 7, 7, 0, 7, 4},      {"FLOAT64", 8, 9, 0, 9, 8},
      {"BFLOAT16", 9, 10, 0, 10, 2},    {"FLOAT32_FTZ", 10, 8, 0, 8, 4}, {"TFLOAT32", 11, 7, 1, 11, 4},
      {"TFLOAT32_FTZ", 12, 8, 1, 12, 4}};
  for (const Line& line : lines) {
    INFO(line.name);
    const TensorMapDataTypeRow* row = find_row(require_tensor_map_data_type(line.name));
    REQUIRE(row != nullptr);
    CHECK(static_cast<int>(row->value) == line.driver);
    CHECK(row->code == line.code);
    CHECK(row->rounds_to_tf32 == (line.tf32 == 1));
    CHECK(row->replace_code == line.replace);
    CHECK(row->gmem_bits == 8 * line.bytes);
    CHECK(row->smem_bits == 8 * line.bytes);
    CHECK(row->is_on_sm_90);
  }
}

TEST_CASE("data types and swizzles agree with the other tables of arch") {
  for (const DType& dtype : dtypes()) {
    if (dtype.tensor_map_type.empty()) continue;
    INFO(std::string(dtype.name));
    const TensorMapDataType type = require_tensor_map_data_type(dtype.tensor_map_type);
    CHECK(require_tensor_map_data_type(dtype.name) == type);
    CHECK(find_row(type)->gmem_bits == (dtype.value_bits == 6 ? 6 : dtype.memory_bits));
  }
  int shared = 0;
  for (const SwizzleMode& mode : swizzle_modes()) {
    if (!mode.tma_code) continue;
    INFO(std::string(mode.name));
    const TensorMapSwizzleRow* row = find_row(TensorMapSwizzle{*mode.tma_code});
    REQUIRE(row != nullptr);
    CHECK(row->name == mode.tma_name);
    CHECK(row->pattern() == mode.pattern());
    if (row->span.count != 0) CHECK(row->span == mode.span);
    for (std::int64_t lin = 0; lin < 4096; lin += 8) CHECK(row->byte(lin) == mode.byte(lin));
    CHECK(require_tensor_map_swizzle(mode.name) == row->value);
    ++shared;
  }
  CHECK(shared == 5);
}

TEST_CASE("names: the driver's, short ones, numbers, wrong ones") {
  CHECK(require_tensor_map_data_type("CU_TENSOR_MAP_DATA_TYPE_BFLOAT16") == TensorMapDataType::bfloat16);
  CHECK(require_tensor_map_data_type("half") == TensorMapDataType::float16);
  CHECK(require_tensor_map_data_type("e4m3") == TensorMapDataType::uint8);
  CHECK(require_tensor_map_data_type("6") == TensorMapDataType::float16);
  CHECK(require_tensor_map_data_type("99") == TensorMapDataType{99});
  CHECK(require_tensor_map_swizzle("cu_tensor_map_swizzle_64b") == TensorMapSwizzle::b64);
  CHECK(require_tensor_map_swizzle("SW128") == TensorMapSwizzle::b128);
  CHECK(require_tensor_map_interleave("16B") == TensorMapInterleave::bytes_16);
  CHECK(require_tensor_map_l2_promotion("CU_TENSOR_MAP_L2_PROMOTION_L2_256B") == TensorMapL2Promotion::b256);
  CHECK(require_tensor_map_l2_promotion("128B") == TensorMapL2Promotion::b128);
  CHECK(require_tensor_map_oob_fill("nan") == TensorMapOobFill::nan);
  CHECK(require_tensor_map_oob_fill("CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE") == TensorMapOobFill::zero);

  const auto refused = [](auto require, const char* name) -> std::string {
    try {
      require(name);
    } catch (const Error& error) {
      return error.message() + "; " + error.hint;
    }
    return "accepted";
  };
  CHECK(refused(require_tensor_map_swizzle, "12B8") ==
        "'12B8' is not a tensor map swizzle; did you mean '128B'? one of 0 NONE (none), 1 32B, 2 64B, 3 128B, "
        "4 128B_ATOM_32B, 5 128B_ATOM_32B_FLIP_8B and 6 128B_ATOM_64B");
  CHECK(refused(require_tensor_map_oob_fill, "") ==
        "'' is not a tensor map OOB fill; one of 0 NONE (zero) and 1 NAN_REQUEST_ZERO_FMA (nan)");
  CHECK(refused(require_tensor_map_data_type, "s16").find("another type of the same size copies the same bytes") !=
        std::string::npos);
  CHECK(refused(require_tensor_map_data_type, std::string(100000, 'x').c_str()) != "accepted");
}

TEST_CASE("fields and reserved ranges cover each of the 1024 bits once") {
  std::map<std::pair<int, int>, int> times;
  const auto cover = [&](int word, BitField bits) {
    for (int bit = bits.low; bit <= bits.high(); ++bit) ++times[{word, bit}];
  };
  for (const TensorMapFieldRow& row : tensor_map_fields()) cover(row.word, row.bits);
  for (const TensorMapReservedRow& row : tensor_map_reserved()) cover(row.word, row.bits);
  CHECK(times.size() == 1024);
  for (const auto& [bit, count] : times) {
    CHECK(count == 1);
    CHECK(bit.first < tensor_map_words);
    CHECK(bit.second < 64);
  }
}
