// SPDX-License-Identifier: Apache-2.0
// How the fields of descriptors look: each has one colour in every format and picture, and words for what it says.
//
//   tint_of(stride_byte_offset) == Tint{2, 0}    on sm_90a as on sm_100a
//   said_in_picture(SBO of 0x4000004000010042)   "SBO = 0x40 × 16 = 1024 B"
//   said_in_picture(transpose_a of 0x08200490)   "A K-major"
//   field_of_rule("stride-overlap") == stride_byte_offset
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "descriptor/descriptor_word.hpp"
#include "view/document/document.hpp"

namespace swz {

// Fields of one operand share a hue: A and M sky, B and N mint.
Tint tint_of(FieldId field);

// The label of the field in a picture; empty: its name and value.
std::string said_in_picture(const DecodedField& field, const FieldRow& row);

// The field that a lint is about, if it is one.
std::optional<FieldId> field_of_rule(std::string_view rule);

}  // namespace swz
