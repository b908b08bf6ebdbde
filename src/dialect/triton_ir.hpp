// SPDX-License-Identifier: Apache-2.0
// Triton IR: every encoding in a file, the arrays that have it, and the places of both.
//
//   #shared = #ttg.nvmma_shared<{…}>                                                  line 1
//   %a = ttg.local_alloc : () -> !ttg.memdesc<3x128x64xbf16, #shared, #smem, mutable>  line 9
//     encoding "#shared", used once: line 9, ttg.local_alloc, 3x128x64 of bf16
//
// An encoding is an alias, or is written inside a type. An array is the shape and element type that a type gives, each
// listed once. Types are recognised as the printer writes them, including the short `<64x64xbf16, #shared, #smem>`.
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

// A type that occurs in an operation.
struct TritonIrUse {
  std::int64_t line = 0;  // from 1
  std::string operation;  // ttg.local_alloc
  std::string type;       // as written
};

// An array with the encoding: its translation, or why Triton would refuse it.
struct TritonIrArray {
  std::string type;  // 3x128x64xbf16
  std::int64_t uses = 0;
  std::int64_t line = 0;  // line of the first use
  std::optional<Translation> translation = {};
  std::string why = {};
};

struct TritonIrEncoding {
  std::string alias;  // "#shared"; empty if it is written inside types
  std::string text;   // with aliases replaced
  std::int64_t line = 0;
  std::int64_t use_count = 0, array_count = 0;
  std::vector<TritonIrUse> uses = {};      // the first limits::triton_uses of them
  std::vector<TritonIrArray> arrays = {};  // the first limits::triton_arrays of them
};

struct TritonIr {
  std::int64_t lines = 0;
  std::vector<TritonIrEncoding> encodings;  // in file order
};

// Whether the text has several lines with operations, and is not one layout.
bool is_triton_ir(std::string_view text);

// Throws Error for an alias that cannot be read.
TritonIr read_triton_ir(std::string_view text);

}  // namespace swz
