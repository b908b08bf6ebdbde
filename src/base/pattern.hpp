// SPDX-License-Identifier: Apache-2.0
// Patterns for names: * is any text, ? any letter.
//
//   matches_pattern("flash_fwd_128", "flash*128") == true      matches_pattern("gemm", "g?m") == false
//
// The time is at most the product of both lengths.
#pragma once

#include <string_view>

namespace swz {

bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace swz
