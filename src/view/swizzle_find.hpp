// View of a search for a swizzle: what `swz swizzle find` says.
#pragma once

#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/target.hpp"
#include "smem/swizzle_find.hpp"
#include "view/document.hpp"

namespace swz {

struct SwizzleFindReport {
  std::string operand;             // "f16 64x64 K-major, rows of 128 B"
  std::vector<std::string> kinds;  // "reads" or "writes", of each walk
  SwizzleFind find;
  const Target* target = &default_target();  // says how far the wavefront rule was measured
  const DType* dtype = nullptr;              // of the operand, with the bits of an element in shared memory
  int element_bits = 0;
};

// JSON: see docs/json.md.
Document view_swizzle_find(const SwizzleFindReport& report);
// An expression in C that `swz swizzle lint` reads; of a swizzle as view/swizzle.hpp writes it.
std::string c_expression(const LinearMap& byte_map);
// The first `lines` lines of 128 bytes of the worst group of lanes, before and after. Nothing when no group conflicts before.
void add_find_figure(Document& d, const SwizzleFind& find, std::size_t lines);

}  // namespace swz
