// SPDX-License-Identifier: Apache-2.0
// The parts of TileLang: tilelang.cpp has the row of the table and CuTe's text in bytes, tilelang_named.cpp the layouts
// that are made by name, tilelang_transform.cpp those that are functions of the coordinates.
#pragma once

#include <string>
#include <string_view>

#include "dialect/dialect.hpp"
#include "dialect/literal.hpp"

namespace swz {

constexpr std::size_t most_tilelang_dimensions = 6;

// ---- by name: make_full_bank_swizzled_layout(buf)

bool is_tilelang_name(std::string_view name);
// Also reads T.annotate_layout({A_shared: …}). Throws Error if TileLang refuses the buffer.
Reading read_tilelang_named(const Literal& call, const Given& given);
// The name of a layout; empty if it has none.
std::string tilelang_name_of(const SharedForm& form);

// ---- functions: Layout([64, 64], lambda i, j: …), T.Fragment([16, 8], forward_thread_fn=…, forward_index_fn=…)

// Recognises both forms: as they are written and as they print.
bool is_tilelang_transform(std::string_view text);
Reading read_tilelang_transform(std::string_view text, const Given& given);
Written write_tilelang_transform(const SharedForm& form);
Written write_tilelang_transform(const RegisterForm& form);

}  // namespace swz
