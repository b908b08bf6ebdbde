// SPDX-License-Identifier: Apache-2.0
// Dialect: a notation for layouts, with its reader and its writer. One file a dialect, one row of the table.
//
//   translate("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>", {.shape = {128, 32}})
//     from "triton", SharedForm; forms: cute "Sw<2,3,3> o 0 o (128,32):(32,1)", …
//
// text --read--> LayoutForm --write--> text, or the reason why this dialect has none and what comes nearest.
//
// Invariants (tested for every dialect): read(write(x)) is the same function as x; what a dialect cannot express is
// refused, never approximated; a text that the project itself refuses is an Error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/finding.hpp"
#include "dialect/layout_form.hpp"

namespace swz {

// What was said beside the text.
struct Given {
  ArrayShape shape = {};         // empty: not said
  const DType* dtype = nullptr;  // null: not said
};
// What a text that does not say it needs; throws Error that asks for it, with `example` as the way out.
const ArrayShape& required_shape(const Given& given);
const DType& required_dtype(const Given& given);
// The type of a text that says the width of its elements: that of `given`, which must be as wide, otherwise the width.
ElementWidth element_width(const Given& given, int bits);
// That of `given`, or not said.
ElementWidth element_width(const Given& given);

// Another meaning of the same text.
struct OtherReading {
  std::string_view meaning;
  LayoutForm form;
};

struct Reading {
  LayoutForm form;
  std::vector<Finding> notes = {};
  std::int64_t buffers = 1;       // of this form, one after the other
  std::string_view meaning = {};  // of `form`, where the text has several
  std::vector<OtherReading> others = {};
};

struct Written {
  std::string text;                 // empty: this dialect has no text for the layout
  std::string why = {};             // then the reason, and what comes nearest
  std::vector<Finding> notes = {};  // for who translates to this dialect
};
inline Written refused(std::string why) { return {"", std::move(why), {}}; }

struct Dialect {
  std::string_view name;     // as --from and --to take it: "triton"
  std::string_view title;    // "Triton (MLIR)"
  std::string_view unit;     // what its numbers count: "elements"
  std::string_view needs;    // what a text does not say: "shape", "shape and type", or empty
  std::string_view example;  // a text that it reads, with what it needs: of 64x64 bf16 in mode 128B
  std::string_view rules;    // for docs/dialects.md: what it can express, its formula, its traps
  std::string_view source;   // "triton 3.9.0, parser and to_linear_layout (run)"
  bool (*recognises)(std::string_view text);
  Reading (*read)(std::string_view text, const Given& given);  // throws Error, with a span into `text`
  Written (*write)(const LayoutForm& form);
};

// In the order of docs/dialects.md.
std::span<const Dialect> dialects();
const Dialect* find_dialect(std::string_view name);
// Throws Error with the nearest name and the list.
const Dialect& require_dialect(std::string_view name);

// The one dialect that the text is of. Throws Error when none is, or when several are: then --from says which.
const Dialect& recognised_dialect(std::string_view text);

struct Form {
  const Dialect* dialect = nullptr;
  Written written;
};

struct Translation {
  const Dialect* from = nullptr;
  LayoutForm form;
  std::vector<Form> forms;  // one a dialect, in the order of the table
  std::vector<Finding> notes;
  std::int64_t buffers = 1;
  std::string_view meaning = {};
  std::vector<OtherReading> others = {};
};

// from null: recognised.
Translation translate(std::string_view text, const Given& given, const Dialect* from = nullptr);
// What was read, in every dialect; `text` is that of `from`, where its writer has no shorter one.
Translation translation_of(const Dialect& from, Reading reading, std::string_view text = {});
// Without writing it.
Reading read_layout(std::string_view text, const Given& given, const Dialect* from = nullptr);

// ---- what several dialects cannot express

// Why a SharedForm is not one swizzle after one layout; empty when it is.
std::string why_not_composed(const SharedForm& form);
// Why it is not a linear map on the bits of the coordinates; empty when it is.
std::string why_not_linear(const SharedForm& form);
// "extents 48x64: 48 is not a power of two"; empty when all are.
std::string why_not_powers_of_two(const ArrayShape& shape);

}  // namespace swz
