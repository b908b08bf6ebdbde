// SPDX-License-Identifier: Apache-2.0
// View of two layouts of an array that are compared, in any notation: what `swz diff` answers for them.
#pragma once

#include <string>
#include <vector>

#include "dialect/form_difference.hpp"
#include "view/document/document.hpp"

namespace swz {

struct ComparedForm {
  std::string text;        // as it was written, without the name of its dialect
  std::string_view title;  // of its dialect: "Triton (MLIR)"
  LayoutForm form;
};

// JSON as view_difference; for registers `coordinate_a` is (thread,value), and a and b are row-major indices of
// elements.
Document view_form_difference(const ComparedForm& a, const ComparedForm& b, const FormDifference& difference,
                              std::vector<Finding> notes);

}  // namespace swz
