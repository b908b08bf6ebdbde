// SPDX-License-Identifier: Apache-2.0
// A layout as it was written, in the notation of any project: CuTe's is read at once, all others when the whole request
// is known, because their texts do not give the shape of the array or its element type.
//
//   '(8,64):(64,1)'                                                CuTe, read at once
//   '#ttg.swizzled_shared<{vec = 8, …}>' with --shape 128x32       Triton, recognised, read by read_given
//   'bases: …', 'cute: …'                                          a notation by its name: nothing is recognised
//
// Invariant: what only CuTe reads is read as if there were no other notation, with the same messages.
#pragma once

#include "command.hpp"
#include "descriptor/staged_layout.hpp"
#include "dialect/dialect.hpp"
#include "expr/evaluate.hpp"
#include "layout_request.hpp"

namespace swz {

// A text with its dialect: that of its prefix "NAME:", that of --from, or the one that recognises it.
struct DialectText {
  const Dialect* from = nullptr;  // null: only CuTe may read it
  std::string text;               // without the prefix

  bool is_cute() const { return from == nullptr || from->name == "cute"; }
};
// Throws Error if several dialects have such texts.
DialectText dialect_text(const std::string& text, const Dialect* from = nullptr);

// A layout in shared memory.
struct LayoutText {
  std::string text;
  const Dialect* from = nullptr;  // null for CuTe
  ComposedLayout layout{Layout()};
  ElementWidth element = {};                // for another dialect: from its text, and from what was given
  std::vector<Finding> notes = {};          // of its reader
  std::int64_t smem_address = 0;            // of the pointer in a text of CuTe; 0 if not given
  std::int64_t buffers = 1;                 // of this layout, in sequence
  std::optional<StagedLayout> staged = {};  // by cut_stages: then `layout` is the tile of one stage
  int stage_bits = 0;                       // of an element of `staged`
};
void read_value(const std::string& text, LayoutText& to);
// Reads the layout of another dialect when all is known. Throws Error for registers, and for layouts that CuTe cannot
// write.
void read_given(LayoutText& layout, const Given& given);
// Separates the stages, and reassembles what is divided into MMAs. `dtype`: that of the operand. Throws Error for
// stages that overlap.
void cut_stages(LayoutText& layout, const DType& dtype);
LayoutText layout_text(const std::string& text, const Given& given);  // both in one

// The value of a CuTe expression, or the layout of any dialect; for registers (thread, value) -> column-major index.
Evaluation evaluate_given(const std::string& text, const GivenRequest& given);

// "read as Triton (MLIR): 128x32 of bf16 in shared memory"
Finding reading_note(const Dialect& from, const LayoutForm& form);
// The layout of shared memory. Throws Error for registers and for layouts that CuTe cannot write.
ComposedLayout require_composed(const LayoutForm& form);

// The document with the stages of the layout, in JSON; in text they are in its note.
Document with_stages(Document d, const LayoutText& layout);
// A reading whose layout was divided into MMAs, as the array that it is.
Reading without_partition(Reading reading, const Given& given);

// The document with these notes, after those that it has.
Document with_notes(Document d, std::vector<Finding> notes);

}  // namespace swz
