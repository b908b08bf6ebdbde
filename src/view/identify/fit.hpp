// SPDX-License-Identifier: Apache-2.0
// View of a fit: the layout of given offsets, the offsets that it does not match, and which offsets would decide.
#pragma once

#include "identify/fit.hpp"
#include "view/document/document.hpp"
#include "view/layout/layout.hpp"

namespace swz {

// JSON: layout (CuTe's text, or bases; null: none has half of the offsets), swizzle (its text, or null), size (of the
// shape), exact, exceptions [{coordinate, expected, found}], candidates [{layout, swizzle}], notes. `options` are those
// of the layout's table.
Document view_fit(const KnownOffsets& known, const Fit& fit, const LayoutViewOptions& options);

}  // namespace swz
