// SPDX-License-Identifier: Apache-2.0
// The table of CUresult codes, and how a code, a name or a text finds its row.
#include <doctest/doctest.h>

#include <set>

#include "arch/cuda_result.hpp"

using namespace swz;

TEST_CASE("codes rise, names and texts are unique, each finds its own row") {
  int last = -1;
  std::set<std::string_view> names, texts;
  for (const CudaResultRow& row : cuda_results()) {
    CAPTURE(row.name);
    CHECK(row.code > last);
    last = row.code;
    CHECK(names.insert(row.name).second);
    CHECK(texts.insert(row.text).second);
    CHECK(find_cuda_result(row.code) == &row);
    CHECK(find_cuda_result(row.name) == &row);
    CHECK(find_cuda_result(full_name(row)) == &row);
    CHECK(find_cuda_result(row.text) == &row);
    CHECK(find_cuda_result(std::string(row.text) + "\nShape: 1") == &row);
  }
  CHECK(find_cuda_result(12345) == nullptr);
  CHECK(find_cuda_result("") == nullptr);
  CHECK(find_cuda_result("CUDA_ERROR_") == nullptr);
  CHECK(find_cuda_result("illegal_instruction")->code == 715);
}

TEST_CASE("only 1 is about the arguments; the errors of crashed kernels are sticky") {
  for (const CudaResultRow& row : cuda_results()) {
    CAPTURE(row.code);
    CHECK((row.kind == CudaResultKind::arguments) == (row.code == 1));
    CHECK((row.kind == CudaResultKind::success) == (row.code == 0));
  }
  for (const int code : {700, 710, 715, 716, 719, 999}) {
    CAPTURE(code);
    CHECK(find_cuda_result(code)->kind == CudaResultKind::sticky);
  }
  // cuda.h of CUDA 13.0 lists these five under cuTensorMapEncodeTiled.
  std::set<int> documented;
  for (const CudaResultRow& row : cuda_results())
    if (row.is_documented) documented.insert(row.code);
  CHECK(documented == std::set<int>{0, 1, 3, 4, 201});
}
