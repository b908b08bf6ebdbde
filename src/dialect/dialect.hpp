// SPDX-License-Identifier: Apache-2.0
// Dialect: a notation for layouts, with its reader and its writer. Each dialect has one file and one row of the table.
//
//   translate("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>", {.shape = {128, 32}})
//     from "triton", SharedForm; forms: cute "Sw<2,3,3> o 0 o (128,32):(32,1)", …
//
// text --read--> LayoutForm --write--> text, or the reason why this dialect has no text, and the nearest alternative.
//
// Invariants (tested for every dialect): read(write(x)) is the same function as x; a layout that a dialect cannot
// express is refused, never approximated; a text that the project itself refuses is an Error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/finding.hpp"
#include "dialect/layout_form.hpp"

namespace swz {

// What was given in addition to the text.
struct Given {
  ArrayShape shape = {};         // empty if not given
  const DType* dtype = nullptr;  // null if not given
};
// For a text that does not contain the shape or the type. They throw an Error that asks for it, with `example` as the
// hint.
const ArrayShape& required_shape(const Given& given);
const DType& required_dtype(const Given& given);
// For a text that gives the width of its elements: the type of `given`, which must have this width, otherwise the
// width.
ElementWidth element_width(const Given& given, int bits);
// The type of `given`, if it has one.
ElementWidth element_width(const Given& given);

// Another meaning of the same text.
struct OtherReading {
  std::string_view meaning;
  LayoutForm form;
};

struct Reading {
  LayoutForm form;
  std::vector<Finding> notes = {};
  std::int64_t buffers = 1;       // number of buffers of this form, one after another
  std::string_view meaning = {};  // meaning of `form`, if the text has several
  std::vector<OtherReading> others = {};
};

struct Written {
  std::string text;                 // empty if this dialect has no text for the layout
  std::string why = {};             // the reason for that, and the nearest alternative
  std::vector<Finding> notes = {};  // for the person who translates to this dialect
};
inline Written refused(std::string why) { return {"", std::move(why), {}}; }

struct Dialect {
  std::string_view name;     // as --from and --to accept it: "triton"
  std::string_view title;    // "Triton (MLIR)"
  std::string_view unit;     // what its numbers count: "elements"
  std::string_view needs;    // what its texts do not contain: "shape", "shape and type", or empty
  std::string_view example;  // a text that it reads, with what it needs: for 64x64 bf16 in mode 128B
  std::string_view rules;    // for docs/dialects.md: what it can express, its formula, its traps
  std::string_view source;   // "triton 3.9.0, parser and to_linear_layout (run)"
  bool (*recognises)(std::string_view text);
  Reading (*read)(std::string_view text, const Given& given);  // throws Error, with a span into `text`
  Written (*write)(const LayoutForm& form);
};

// The dialects in the order of docs/dialects.md.
std::span<const Dialect> dialects();
const Dialect* find_dialect(std::string_view name);
// Throws Error with the nearest name and the list.
const Dialect& require_dialect(std::string_view name);

// The dialect of the text. Throws Error if no dialect recognises it, or several do: --from then decides.
const Dialect& recognised_dialect(std::string_view text);

struct Form {
  const Dialect* dialect = nullptr;
  Written written;
};

struct Translation {
  const Dialect* from = nullptr;
  LayoutForm form;
  std::vector<Form> forms;  // one per dialect, in the order of the table
  std::vector<Finding> notes;
  std::int64_t buffers = 1;
  std::string_view meaning = {};
  std::vector<OtherReading> others = {};
};

// Translates a text. If `from` is null, the dialect is recognised.
Translation translate(std::string_view text, const Given& given, const Dialect* from = nullptr);
// Writes a reading in every dialect. `text` is its text in `from`, which is used if the writer of `from` has none.
Translation translation_of(const Dialect& from, Reading reading, std::string_view text = {});
// Reads a text without writing it.
Reading read_layout(std::string_view text, const Given& given, const Dialect* from = nullptr);

// ---- what several dialects cannot express

// Why a SharedForm is not one swizzle after one layout; empty if it is.
std::string why_not_composed(const SharedForm& form);
// Why it is not a linear map on the bits of the coordinates; empty if it is.
std::string why_not_linear(const SharedForm& form);
// "extents 48x64: 48 is not a power of two"; empty if all are.
std::string why_not_powers_of_two(const ArrayShape& shape);

}  // namespace swz
