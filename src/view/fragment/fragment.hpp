// SPDX-License-Identifier: Apache-2.0
// View of register fragments: what `swz frag` answers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arch/target.hpp"
#include "fragment/fragment.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"
#include "view/document/point.hpp"

namespace swz {

enum class FragmentColors { thread, value, reg, column };

struct FragmentDrawing {
  FragmentColors colors = FragmentColors::thread;
  Highlight highlight = {};
  PointQuery query = {};  // if not empty, the answer is who holds these elements
  // corner: of a large matrix the first rows and columns, to be read on a terminal; a picture shows the whole.
  enum class Extent { corner, whole } extent = Extent::whole;
  // For one operand. few_registers: the registers of a thread are shown beside the matrix if they are a small table.
  enum class Panels { few_registers, both, matrix, registers } panels = Panels::both;
  bool names_operand = false;    // in the tips of its cells
  bool joins_registers = false;  // a cell of the matrix is a register (register_cells.hpp)
  // For a window of tensor memory: the element of D that a cell holds. Empty: D is not known.
  std::function<std::optional<Coordinate>(Coordinate)> element_of_d = {};
};

// What may be highlighted in these fragments: rows, columns, lanes, threads, values and registers; for tensor memory,
// lanes are the rows of the fragment.
std::vector<HighlightKind> highlight_kinds(const std::vector<Fragment>& fragments);

// One fragment. JSON: name, operand, dtype, bits, rows, columns, threads, values, mmas, registers, register_bits,
// kept, block, read_if, row, column, tv_layout, tile_index, inverse_layout, coordinates ([row, column] of thread 0 value 0, thread 0
// value 1, ...), slots ([register, first bit] of each value), address_lanes (for each row the lane that supplies
// its address; null), availability, targets, evidence, source, notes, lints.
//
// Several fragments of one instruction: name, operands (an array of the above), lints.
//
// For a query: points, notes, lints.
//
// target null: none was asked for, so no lint about a missing instruction.
Document view_fragments(const std::vector<Fragment>& fragments, const Target* target, const FragmentDrawing& drawing);

// "A (M x K)"
std::string operand_title(const Fragment& fragment);
// The picture: in text a corner of a large matrix.
Drawing fragment_drawing(const std::vector<Fragment>& fragments, const FragmentDrawing& drawing);

// The point of a holder of the element: if the MMAs of a warp share the element, several threads hold it.
Point point_of(const Fragment& fragment, Holder holder, const FragmentDrawing& drawing);
// The threads that a selector makes the instruction read: "thread / 2 % 2 == 1".
std::string part_rule(const Fragment& fragment);
// Everyone who holds it. Throws Error if it is in the gap of the fragment.
std::vector<Holder> require_holders(const Fragment& fragment, Coordinate at);
// The values that the query names, for each fragment that has them. Throws Error for values that no fragment has.
std::vector<std::vector<Holder>> asked_values(const PointQuery& query, const std::vector<Fragment>& fragments);
std::vector<Point> asked_points(const FragmentDrawing& drawing, const std::vector<Fragment>& fragments);

// Adds the fields of one fragment, without pictures, notes and lints.
void add_facts(Document& d, const Fragment& fragment);
Notes fragment_lints(const Fragment& fragment, const Target* target);
// Whether the target has no such instruction.
bool lacks(const Target* target, const Fragment& fragment);

// Every name of a family, or of all: fragments [{name, family, operands, dtypes, accumulators, n, bits,
// availability, evidence, source}].
Document view_fragment_list(std::string_view family);

}  // namespace swz
