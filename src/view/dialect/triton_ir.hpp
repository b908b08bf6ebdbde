// SPDX-License-Identifier: Apache-2.0
// View of a file of Triton IR: what `swz translate @FILE` answers.
#pragma once

#include "dialect/triton_ir.hpp"
#include "view/dialect/translate.hpp"

namespace swz {

// JSON: from, lines, encodings [{alias, text, line, use_count, uses [{line, operation, type}], arrays [{type, line,
// uses, and the keys of view_translation or error}]}].
Document view_triton_ir(const TritonIr& ir, const TranslateOptions& options);

}  // namespace swz
