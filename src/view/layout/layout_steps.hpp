// SPDX-License-Identifier: Apache-2.0
// The view of `swz layout --explain`: the steps of each operation, then the answer.
#pragma once

#include "expr/stepped.hpp"
#include "view/layout/layout.hpp"

namespace swz {

// JSON: steps [{operation, rule, message, layout}] before the keys of view_layout; if an operation is refused, refused
// {message, hint} in place of those keys. The layout of a step may be a swizzle or a value, or null for none. As a
// picture: the steps one below the other, short ones beside each other, at most limits::drawn_steps.
Document view_explanation(const SteppedEvaluation& explanation, const LayoutViewOptions& options);

}  // namespace swz
