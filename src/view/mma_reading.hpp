// What views say of an MmaReading: one line, and where no descriptor reads the bytes, why and what would be read.
#pragma once

#include "tma/mma_reading.hpp"
#include "view/document.hpp"

namespace swz {

// JSON: mma {read, mode, lbo, sbo, reason, instead [{swizzle, order, box, copies, request_bytes}]}.
// is_tma_none: it is copies without a swizzle that make what is read.
void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none);

}  // namespace swz
