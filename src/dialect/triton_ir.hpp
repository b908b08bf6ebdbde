// SPDX-License-Identifier: Apache-2.0
// Triton IR: every encoding in a file, the arrays that have it, and where they stand.
//
//   #shared = #ttg.nvmma_shared<{…}>                                                  line 1
//   %a = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xbf16, #shared, #smem, mutable>  line 9
//     encoding "#shared", used once: line 9, ttg.local_alloc, 3x128x64 of bf16
//
// An encoding is an alias, or what is written inside a type. An array is what a type says of it: shape and element type,
// each once. Types are found as the printer writes them, also the short `<64x64xbf16, #shared, #smem>`.
//
// Invariants (tested): uses and lines count every type that has an encoding; a file of 1 MB takes less than 0.2 s.
// Source: triton 3.9.0 printer (run).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/dialect.hpp"

namespace swz {

// A type that stands in an operation.
struct TritonIrUse {
  std::int64_t line = 0;  // from 1
  std::string operation;  // ttg.local_alloc
  std::string type;       // as written
};

// What has the encoding: translated, or why Triton would refuse it.
struct TritonIrArray {
  std::string type;  // 3x128x64xbf16
  std::int64_t uses = 0;
  std::int64_t line = 0;  // of the first
  std::optional<Translation> translation = {};
  std::string why = {};
};

struct TritonIrEncoding {
  std::string alias;  // "#shared"; empty: written inside types
  std::string text;   // without aliases
  std::int64_t line = 0;
  std::int64_t use_count = 0, array_count = 0;
  std::vector<TritonIrUse> uses = {};      // the first limits::triton_uses
  std::vector<TritonIrArray> arrays = {};  // the first limits::triton_arrays
};

struct TritonIr {
  std::int64_t lines = 0;
  std::vector<TritonIrEncoding> encodings;  // in the order of the file
};

// A text of several lines in which operations stand, not one layout.
bool is_triton_ir(std::string_view text);

// Throws Error for an alias that cannot be read.
TritonIr read_triton_ir(std::string_view text);

}  // namespace swz
