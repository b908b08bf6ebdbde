// SPDX-License-Identifier: Apache-2.0
// View of a register layout in any notation: what `swz frag` answers for a text that names no instruction.
#pragma once

#include "dialect/dialect.hpp"
#include "dialect/fragment_match.hpp"
#include "view/document/document.hpp"

namespace swz {

// JSON: from, shape, dtype, threads, values, layout, fragments [{name, operand, threads, values}], notes.
Document view_register_layout(const Dialect& from, const RegisterForm& form, std::vector<Finding> notes);

}  // namespace swz
