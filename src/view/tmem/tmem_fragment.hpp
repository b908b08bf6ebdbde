// SPDX-License-Identifier: Apache-2.0
// View of tcgen05.ld and st: what `swz frag tcgen05.…` answers besides what it answers for every fragment.
#pragma once

#include <optional>

#include "fragment/tmem_access.hpp"
#include "tmem/accumulator_access.hpp"
#include "view/document/document.hpp"
#include "view/fragment/fragment.hpp"

namespace swz {

struct TmemFragmentView {
  TmemForm form;
  std::optional<AccumulatorAccess> of = {};  // the accumulator that is there
  const DType* dtype = nullptr;              // of its elements; null if not given
  // What is asked: a register, or a cell of the window; neither: everything.
  struct Register {
    int thread = 0, index = 0;
  };
  std::optional<Register> reg = {};
  std::optional<Coordinate> cell = {};
  bool has_map = false;
};

// JSON of everything: that of every fragment (view/fragment/fragment.hpp), and split_offset, reduction, of, map, elements, open.
// For a register: name, thread, register, lane and column, or low and high [lane, column]; registers, columns, and with
// an accumulator row, col and elements. For a cell: thread, register, first_bit, holders. A query of `drawing` is
// answered as for every fragment. Throws Error for a register or cell that does not exist, and for a window that does
// not fit.
Document view_tmem_fragment(const TmemFragmentView& view, const Target* target, const FragmentDrawing& drawing);

}  // namespace swz
