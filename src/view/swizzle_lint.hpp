// View of a lint of a C expression: what `swz swizzle lint` says.
#pragma once

#include "expr/swizzle_lint.hpp"
#include "view/document.hpp"

namespace swz {

// With a figure of where the first lines of 128 bytes go, beside the nearest mode. JSON: see docs/json.md.
Document view_swizzle_lint(const SwizzleLint& lint);

}  // namespace swz
