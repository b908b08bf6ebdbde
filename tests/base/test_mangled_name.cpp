// SPDX-License-Identifier: Apache-2.0
// The names that GCC, clang and nvcc mangle, by their paths. The mangled names here are those that g++ 12 wrote.
#include <doctest/doctest.h>

#include "base/mangled_name.hpp"

namespace swz {
namespace {

TEST_CASE("mangled name: the path of variables, functions and what they hold") {
  CHECK(name_path("_ZN7cutlass4smemE") == "cutlass::smem");
  CHECK(name_path("_Z3fooPf") == "foo");
  CHECK(name_path("_ZZ22unpadded_transpositionE1s") == "unpadded_transposition::s");
  CHECK(name_path("_ZZ4gemmIfEvPKT_E1s") == "gemm::s");
  CHECK(name_path("_ZZ4gemmIfEvPKT_E1s_0") == "gemm::s");
  CHECK(name_path("_ZN12_GLOBAL__N_16kernelEv") == "kernel");
  CHECK(name_path("_ZSt4sortIPiEvT_S1_") == "std::sort");
  // A literal's number is not the length of a name.
  CHECK(name_path("_ZZ11gemm_deviceIN4cute5tupleIJNS0_1CILi128EEEEEELb1EEvT_E5smemB") == "gemm_device::smemB");
  CHECK(name_path("_ZN1a1bINS_1cILNS_4ModeE2EEENS_1dILS2_3EEEEEvT_T0_") == "a::b");
}

TEST_CASE("mangled name: what is not mangled, not whole or not understood stays") {
  for (const char* name : {"", "_", "_Z", "gemm", "_Z0", "_Z4gem", "_Z99999999999999999999a", "_ZN1a", "_ZN1aI",
                           "_ZplRK1aS1_", "_ZZ1fE", "_ZN1aD1Ev", "_ZN1aILi3"})
    CHECK(name_path(name) == name);
  CHECK(name_path("_Z" + std::string(100'000, 'Z')) == "_Z" + std::string(100'000, 'Z'));
  CHECK(name_path("_Z1aI" + std::string(100'000, 'I')) == "_Z1aI" + std::string(100'000, 'I'));
}

TEST_CASE("mangled name: in a text") {
  CHECK(with_name_paths("_ZN7cutlass4smemE + 16384*%r312 + 384") == "cutlass::smem + 16384*%r312 + 384");
  CHECK(with_name_paths("lanes differ by a multiple of _Z3fooPf_param_0") ==
        "lanes differ by a multiple of foo_param_0");
  const char* plain = "global_smem + 2048*%r80, a multiple of 1024 B; %tid.x _ $L__BB0_1";
  CHECK(with_name_paths(plain) == plain);
}

}  // namespace
}  // namespace swz
