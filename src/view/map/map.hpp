// SPDX-License-Identifier: Apache-2.0
// View of the bytes that an MMA reads of one operand: what `swz map` answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "descriptor/explain.hpp"
#include "descriptor/k_loop.hpp"
#include "descriptor/operand_map.hpp"
#include "smem/mma_operand.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"
#include "view/document/point.hpp"
#include "view/tile/place.hpp"

namespace swz {

struct MapAnswer {
  OperandReport report;
  const DType* dtype = nullptr;
  std::optional<OperandRole> role;  // none if not given
  std::vector<Finding> remarks;     // on how the question was read
  // With --against: what was stored, and how it compares.
  std::optional<StoredOperand> stored;
  std::optional<Comparison> comparison;
  PointQuery query = {};     // if not empty, the answer is where these elements are read
  Highlight highlight = {};  // what the picture marks
  std::string read_as = {};  // how the word's text was read, if it is not a plain number
};

// Several words, the k steps of one operand.
struct MapLoopAnswer {
  std::vector<MapAnswer> steps;
  KLoop loop;
};

// What may be highlighted: rows, ks, chunks, bytes.
std::vector<HighlightKind> highlight_kinds(const OperandReport& report);

// "bf16 64x16 K-major, operand a on sm_90a"
std::string operand_text(const MapAnswer& answer);

// The operand and the lines of shared memory that are read, chunk by chunk; with several words, each is a step.
Figure map_figure(const MapAnswer& answer);
// Of words that overlap, the first `most_rows` rows.
Figure map_loop_figure(const MapLoopAnswer& answer, std::int64_t most_rows = 16);

// JSON of a query: points, notes, lints. Otherwise read_as (if the word's text has two readings), word, kind, arch,
// dtype, operand, major, rows, cols, swizzle, start_address, base_offset, leading_byte_offset, leading,
// stride_byte_offset, stride, bytes, lowest, highest, inside, repeated, against, addresses, chunks, notes, lints
// (docs/json.md).
Document view_map(const MapAnswer& answer);
// JSON: kind, arch, dtype, operand, major, rows, cols, loop, steps, lints (docs/json.md).
Document view_map_loop(const MapLoopAnswer& answer);

// The parts of view_map in map_points.cpp: the elements of a cell of the picture, or one; those that the query names;
// the mark of each chunk: those that are asked for, otherwise those that are read more than once or from a byte other
// than the one where they were stored.
Point point_of(const MapAnswer& answer, TileCoordinate at, TileExtents cell = {1, 1});
AskedElements asked_elements(const MapAnswer& answer);
std::vector<Mark> marks_of(const MapAnswer& answer);
TileExtents chunk_extents(const OperandMap& map);  // rows and k of a 16-byte chunk

bool has_lints(const MapAnswer& answer);
// Whether all elements, or those of the query, are read where they were stored.
bool is_elsewhere(const MapAnswer& answer);
bool has_lints(const MapLoopAnswer& answer);

}  // namespace swz
