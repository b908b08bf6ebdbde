// SPDX-License-Identifier: Apache-2.0
// Traps: notes that a translation must have because of the layout itself, whatever its dialect.
//
//   not-injective       two elements share an offset
//   swizzle-in-bytes    a swizzle on elements with the numbers of a hardware mode on bytes: Sw<3,4,3> of 16-bit elements
//   two-swizzles        a map over GF(2) that is not one swizzle after strides
//   padding-in-swizzle  padding after an XOR: neither strides nor a map over GF(2)
//   rotation            neither strides nor an XOR
//   power-of-two        an extent that is not a power of two: Triton and bases have none
//   base-alignment      written for a dialect that XORs addresses: true only if the base is aligned to the period
//   cta-bases           elements of several CTAs: CuTe can express them only with a separate mode
//
// nvmma-zero-is-plain comes from the readers of the dialects that have it, and number-without-dialect is an Error
// (recognised_dialect). A rule for which a reader already has a note is not added again.
#pragma once

#include "dialect/dialect.hpp"

namespace swz {

// Adds to t.notes, after its forms are written.
void add_traps(Translation& t);

}  // namespace swz
