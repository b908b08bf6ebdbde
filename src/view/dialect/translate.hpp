// SPDX-License-Identifier: Apache-2.0
// View of a translation: what `swz translate` answers, and the table of dialects.
//
//   Triton (MLIR): 128x32 of bf16 in shared memory
//
//   swizzle mode  64B: TMA's CU_TENSOR_MAP_SWIZZLE_64B
//   read by       wgmma and tcgen05, K-major, with rows as M or N: LBO 16 B, SBO 512 B
//   words         0x8000002000010000 on sm_90a, 0x8000402000010000 on sm_100a, at address 0
//
//   cute      Sw<2,3,3> o 0 o (128,32):(32,1)
//   triton    …                                     one line per dialect, never broken, so that it can be copied
//
//   no text in
//   deepgemm  the reason, and the nearest text
#pragma once

#include "dialect/dialect.hpp"
#include "view/document/document.hpp"

namespace swz {

struct TranslateOptions {
  const Dialect* to = nullptr;  // null for all
  bool has_map = false;
};

// JSON: from, kind, shape, dtype, the keys of view/dialect/operand_verdict.hpp, readings of a text with several meanings, forms
// {dialect: text or null}, refused {dialect: why}, notes; map with has_map. Throws Error if the map is larger than
// limits::listed_coordinates.
Document view_translation(const Translation& translation, const TranslateOptions& options);
// Whether every dialect that was asked for has a text; true if all dialects were asked for.
bool has_asked_text(const Translation& translation, const TranslateOptions& options);

// JSON: dialects [{name, title, unit, needs, example, rules, source}], mode_names, swizzle_spellings.
Document view_dialects();

// ---- what other views share with it

// "shared memory", "registers", "tensor memory"
std::string_view place_of(const LayoutForm& form);
// "128x32 of bf16 in shared memory"
std::string form_text(const LayoutForm& form);
// In translate_figure.cpp. The array: in shared memory with the offset of each element, coloured by bank; in registers
// with the thread and the value of each. Throws Error for an array that is too large to draw.
Figure form_figure(const LayoutForm& form, std::string title);

}  // namespace swz
