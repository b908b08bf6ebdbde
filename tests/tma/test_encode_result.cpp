// SPDX-License-Identifier: Apache-2.0
// What a code says beside the verdict: 1 is about the arguments, the others do not.
#include <doctest/doctest.h>

#include "arch/cuda_result.hpp"
#include "base/error.hpp"
#include "tma/tensor_map_rules.hpp"

using namespace swz;

TEST_CASE("every code has a message for accepted and for refused arguments, and only 0 and 1 can agree") {
  const TensorMap map{.rank = 1, .global_address = 256};
  for (int code = 0; code < 1000; ++code)
    for (const bool accepted : {false, true}) {
      CAPTURE(code);
      const EncodeResult result = explain_result(code, map, accepted);
      CHECK(result.code == code);
      CHECK(!result.message.empty());
      CHECK(result.agrees == (code == (accepted ? 0 : 1)));
      const bool is_verdict = code == 0 || code == 1;
      CHECK((result.message.find("says nothing about these arguments") == std::string::npos) == is_verdict);
      CHECK(result.name.empty() == (find_cuda_result(code) == nullptr));
    }
}

TEST_CASE("whole messages") {
  TensorMap map{.rank = 1, .global_address = 256};
  const EncodeResult sticky = explain_result(715, map, true);
  CHECK(sticky.name == "CUDA_ERROR_ILLEGAL_INSTRUCTION");
  CHECK(sticky.message ==
        "an earlier kernel crashed and every later call returns its error: the code says nothing about these "
        "arguments; "
        "they are legal");
  CHECK(explain_result(700, map, false).message.ends_with("yet they are refused as well"));
  const EncodeResult odd = explain_result(1, map, true);
  CHECK(odd.message == "the driver refused arguments that break no rule known for this target");
  CHECK(odd.hint.find("arguments other than these") != std::string::npos);
  CHECK(odd.hint.find("NULL") == std::string::npos);
  map.global_address = 0;
  CHECK(explain_result(1, map, true).hint.find("NULL") != std::string::npos);
}

TEST_CASE("a code as people give it") {
  CHECK(require_cuda_result("715") == 715);
  CHECK(require_cuda_result("0x2cb") == 715);
  CHECK(require_cuda_result("12345") == 12345);
  CHECK(require_cuda_result("CUDA_ERROR_INVALID_VALUE") == 1);
  CHECK(require_cuda_result("launch_failed") == 719);
  CHECK_THROWS_WITH_AS(require_cuda_result("-1"), "'-1' is not a CUresult", Error);
  CHECK_THROWS_WITH_AS(require_cuda_result("7x"), "'7x' is not a decimal number: 'x' is not a decimal digit", Error);
  CHECK_THROWS_WITH_AS(require_cuda_result(""), "'' is not a CUresult", Error);
  CHECK_THROWS_WITH_AS(require_cuda_result("4294967296"), "'4294967296' does not fit in 31 bits", Error);
}
