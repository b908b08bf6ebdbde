// SPDX-License-Identifier: Apache-2.0
// Stepped evaluation: an expression over layouts, operation by operation, each with its steps (layout/steps.hpp).
//
//   evaluate_in_steps("coalesce(complement(4:2, 24))")     the steps of complement(4:2, 24), then those of coalesce((2,3):(1,8))
//
// An operation without steps of its own is one step, its answer; one that answers a number has none.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "expr/evaluate.hpp"
#include "layout/steps.hpp"

namespace swz {

struct SteppedEvaluation {
  std::vector<LayoutStep> steps;         // innermost operation first
  std::optional<Evaluation> evaluation;  // nothing where an operation is refused
  std::optional<Error> refusal = {};     // then this says why; the last step belongs to it
};

// Throws Error for a text that is no expression, and for an expression of more than limits::explained_steps.
SteppedEvaluation evaluate_in_steps(std::string_view text);

}  // namespace swz
