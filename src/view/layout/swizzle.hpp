// SPDX-License-Identifier: Apache-2.0
// Views of swizzles: what `swz swizzle explain`, `swz swizzle find` and `swz swizzle lint` answer.
#pragma once

#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "arch/target.hpp"
#include "expr/swizzle_lint.hpp"
#include "identify/fit.hpp"
#include "layout/swizzle.hpp"
#include "smem/swizzle_find.hpp"
#include "view/document/document.hpp"

namespace swz {

// The mode with this swizzle on bytes; none for the identity. Null if no hardware has it.
const SwizzleMode* hardware_mode(const Swizzle& byte_swizzle);
// "addr ^ ((addr & 0x380) >> 3)"
std::string c_expression(const Swizzle& swizzle);
// An expression in C that `swz swizzle lint` reads; for a swizzle the one above.
std::string c_expression(const LinearMap& byte_map);

// byte_swizzle acts on byte addresses; dtype adds the form on its elements (may be null).
// JSON: swizzle, bits, base, shift, reads and writes ([low, high] bits), period_bytes, atomicity_bytes,
// element_form, chunk_form, c_expression, mode (the hardware mode of the same name, or null), chunks (rows of
// granule positions).
Document view_swizzle(const Swizzle& byte_swizzle, const DType* dtype);

struct SwizzleFindReport {
  std::string operand;             // "f16 64x64 K-major, rows of 128 B"
  std::vector<std::string> kinds;  // "reads" or "writes", for each walk
  SwizzleFind find;
  const Target* target = &default_target();  // determines how far the wavefront rule was measured
  const DType* dtype = nullptr;              // of the operand, with the bits of an element in shared memory
  int element_bits = 0;
};

// JSON: see docs/json.md.
Document view_swizzle_find(const SwizzleFindReport& report);

// With a figure of where the first lines of 128 bytes go, beside the nearest mode. JSON: see docs/json.md.
// fit: the layout of the values; null if there are too many.
Document view_swizzle_lint(const SwizzleLint& lint, const Fit* fit);

}  // namespace swz
