// SPDX-License-Identifier: Apache-2.0
// View of the stages of a pipeline: what `swz stage` answers.
#pragma once

#include <optional>

#include "pipeline/stage.hpp"
#include "view/document/document.hpp"

namespace swz {

// expected: what a kernel's barrier expects, if it is to be judged. JSON: docs/json.md, stage.
Document view_stage(const StageQuestion& question, std::optional<std::int64_t> expected);

}  // namespace swz
