// View of one swizzle: what `swz swizzle explain` says.
#pragma once

#include <string>

#include "arch/dtype.hpp"
#include "arch/swizzle_mode.hpp"
#include "layout/swizzle.hpp"
#include "view/document.hpp"

namespace swz {

// The mode with this swizzle on bytes; none for the identity. Null: no hardware has it.
const SwizzleMode* hardware_mode(const Swizzle& byte_swizzle);
// "addr ^ ((addr & 0x380) >> 3)"
std::string c_expression(const Swizzle& swizzle);

// byte_swizzle acts on byte addresses; dtype adds the form on its elements (may be null).
// JSON: swizzle, bits, base, shift, reads and writes ([low, high] bits), period_bytes, atomicity_bytes,
// element_form, chunk_form, c_expression, mode (the hardware mode of the same name, or null), chunks (rows of
// granule positions).
Document view_swizzle(const Swizzle& byte_swizzle, const DType* dtype);

}  // namespace swz
