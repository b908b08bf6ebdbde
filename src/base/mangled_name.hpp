// SPDX-License-Identifier: Apache-2.0
// The path of a mangled C++ name: the names of its scopes, without types, arguments and the return type.
//
//   name_path("_ZN7cutlass4smemE")                      "cutlass::smem"
//   name_path("_ZZ4gemmIfEvPKT_E1s")                    "gemm::s", the variable s of gemm<float>
//   with_name_paths("_ZZ4gemmIfEvPKT_E1s + 16*%r1")     "gemm::s + 16*%r1"
//
// The C++ runtime's demangler is not used: it writes a type again wherever the name refers to it, so that 300 letters
// can ask for gigabytes. Here arguments are skipped. What is not understood (operators, expressions) stays mangled.
//
// Invariants (tested): the time is linear in the length; a text without mangled names stays as it is.
// Source: Itanium C++ ABI, 5.1.
#pragma once

#include <string>
#include <string_view>

namespace swz {

std::string name_path(std::string_view name);
// Replaces each mangled name by its path, also in "NAME_param_0", a parameter of a kernel.
std::string with_name_paths(std::string_view text);

}  // namespace swz
