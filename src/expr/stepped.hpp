// SPDX-License-Identifier: Apache-2.0
// Stepped evaluation: an expression over layouts, operation by operation, each with its steps (layout/steps.hpp).
//
//   evaluate_in_steps("coalesce(complement(4:2, 24))")     the steps of complement(4:2, 24), then those of coalesce((2,3):(1,8))
//
// An operation without steps is one step, its answer; one that gives a number has none.
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
  std::optional<Evaluation> evaluation;  // nothing if an operation is refused
  std::optional<Error> refusal = {};     // the reason of that refusal, to which the last step belongs
};

// Throws Error for a text that is not an expression, and for one with more than limits::explained_steps.
SteppedEvaluation evaluate_in_steps(std::string_view text);

}  // namespace swz
