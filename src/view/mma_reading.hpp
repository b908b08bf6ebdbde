// What views say of the MMAs that read an operand, and of an MmaReading: one line, and where no descriptor
// reads the bytes, why and what would be read.
#pragma once

#include "tma/mma_reading.hpp"
#include "view/document.hpp"

namespace swz {

// "64x16, the default for A (M 64)"; "64x16" when the MMA was named.
std::string mma_text(const TileDescriptors& words);
// "a", "b" or null: the operand whose default the MMA is.
Json default_of_json(const TileDescriptors& words);

// JSON: mma {read, mode, lbo, sbo, mma [MN, K], default_of, reason, instead [{swizzle, order, box, copies,
// request_bytes}]}. is_tma_none: it is copies without a swizzle that make what is read.
void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none);

}  // namespace swz
