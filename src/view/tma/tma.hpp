// SPDX-License-Identifier: Apache-2.0
// Views of TMA: what `swz tma check` and `swz tma encode` answer for a tensor map, and `swz decode` for 128 bytes;
// `swz tma place` for a box in shared memory, and `swz tma plan` for a tile.
//
//   bf16, box (16, 4), 64B, at 0x400: rows of 32 B at a pitch of 64 B: allocate 256 B, expect 128 B on the mbarrier
//
// The figure of a box: the box with its chunks numbered, and the lines of shared memory where the copy puts them. The
// figure of a plan: the tile in global memory beside the lines of shared memory, each chunk in the colour of the copy
// that brings it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arch/dtype.hpp"
#include "arch/target.hpp"
#include "tma/failure_text.hpp"
#include "tma/im2col_bits.hpp"
#include "tma/placement.hpp"
#include "tma/plan.hpp"
#include "tma/tensor_map.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"
#include "view/document/point.hpp"
#include "view/tile/place.hpp"

namespace swz {

// ---- tensor maps

template <class Map>
struct MapVerdict {
  Map map;
  const Target* target = nullptr;
  std::vector<TensorMapViolation> violations, remarks;
  std::optional<PastedMap> pasted = {};     // if the arguments were printed by a program
  std::optional<EncodeResult> result = {};  // what the call returned
};
using TensorMapVerdict = MapVerdict<TensorMap>;
using Im2colVerdict = MapVerdict<Im2colMap>;

// JSON: accepted, arch, dtype, rank, address, dims, strides, box, element_strides, interleave, swizzle, l2, oob,
// violations [{rule, argument, value, bound, documented, observed, message, fix, source}], remarks (the same),
// code {value, name, message, hint} and paste {program, blocks, notes}, or null for each.
Document view_verdict(const TensorMapVerdict& verdict);

// JSON: as above with lower, upper, channels and pixels in place of box; kind "im2col", "im2col_w" or
// "im2col_w128"; measured: false for the wide call.
Document view_verdict(const Im2colVerdict& verdict);

// JSON: tensor_map (256 digits) and words, or null for each if the codes are not known, and the arguments as
// above; source if there is one.
Document view_encoded(const TensorMap& map, const std::optional<EncodedTensorMap>& encoded, const std::string& source);
// The same of an im2col map: lower, upper, channels and pixels, and a box that is null.
Document view_encoded(const Im2colMap& map, const EncodedTensorMap& encoded, const std::string& source);

// JSON: the arguments as above, or null for each; problems [{word, bits, message}]; remarks as above. The verdict on the
// map itself is left to swz tma check.
Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedTensorMap& decoded,
                          const std::vector<TensorMapViolation>& remarks);
Document view_decoded_map(const EncodedTensorMap& encoded, const DecodedIm2colMap& decoded,
                          const std::vector<TensorMapViolation>& remarks);

// The 128 bytes of a map by field.
Figure word_figure(const EncodedTensorMap& encoded, const TensorMap& map);
Figure word_figure(const EncodedTensorMap& encoded, const Im2colMap& map);
// The same as text: a row per word with what its fields say.
Table word_table(const EncodedTensorMap& encoded, const TensorMap& map);
Table word_table(const EncodedTensorMap& encoded, const Im2colMap& map);
// The tensor with the first box and, if the map is refused, what is refused in red, the rules and the ways out.
Sketch tensor_sketch(const TensorMapVerdict& verdict);

// ---- copies

// Adds what an MMA reads of the copied bytes. JSON: mma {read, mode, lbo, sbo, mma [MN, K], default_of, reason, instead
// [{swizzle, order, box, copies, request_bytes}]}. is_tma_none: the operand that is read is made by copies without a
// swizzle.
void add_mma_reading(Document& d, const MmaReading& reading, bool is_tma_none);

struct BoxPlaceReport {
  BoxPlacement box;
  TensorCoordinate start = {};  // the coordinates of the copy
  // The contiguous dimension of the box as an operand. None if no MMA has the type of the map.
  Major major = Major::K;
  std::optional<MmaReading> mma;
  PointQuery query = {};     // coordinates in the box; if not empty, the answer is where these elements are
  Highlight highlight = {};  // what the picture marks
};

// What may be highlighted: rows, columns, chunks, bytes.
std::vector<HighlightKind> highlight_kinds(const BoxPlaceReport& report);

// Entry `column` of dimension 0 in a row of the box; rows count the entries of the other dimensions, 1 fastest.
struct BoxElement {
  std::int64_t row = 0, column = 0;
};
// The parts of view_box_place in tma_points.cpp: the entries that the query names; where `count` entries are; whether
// one of them is asked for or highlighted; the number of an element's chunk in the tensor, none outside.
Asked<BoxElement> asked_elements(const BoxPlaceReport& report);
Point point_of(const BoxPlaceReport& report, std::int64_t row, std::int64_t column, std::int64_t count = 1);
bool is_marked(const BoxPlaceReport& report, const std::vector<BoxElement>& asked, std::int64_t row,
               std::int64_t column, std::int64_t count);
std::optional<std::int64_t> chunk_number(const BoxPlaceReport& report, const TensorCoordinate& element);

// A box as an operand of (rows, entries of dimension 0), or its transpose if MN-major, with its own element type.
SmemDestination box_destination(const BoxPlacement& box, const DType& dtype, Major major);

// JSON: dtype, box, swizzle, base, start, pitch, rows, row_bytes, allocate, expect_bytes, alignment, pattern,
// addresses (of every element, dimension 0 fastest), filled (how many are outside of the tensor), mma, notes.
// For a query: points, notes, lints. Throws Error for a start that faults, and for a highlight that is not in the box.
Document view_box_place(const BoxPlaceReport& report);

// The figure of the box at the beginning of its tensor, under this title. Nothing on a terminal, where it would
// displace what was asked, and if it is not known where the bytes go.
Drawing box_drawing(const TensorMap& map, std::string title);

// first: of the rank that was asked for; folded: of any rank, if it needs fewer copies.
struct TilePlanReport {
  PlacedOperand placed;  // the operand that is planned for
  const DType* dtype = nullptr;
  GmemOperand operand;
  std::variant<TilePlan, Finding> first;
  std::optional<TilePlan> folded;
  MmaReading mma;
  bool has_stage = false;  // what one CTA of a pair fills is shown, too
};

// JSON: rank, dtype, dims, strides, box, swizzle, copies [{coordinate, smem_offset}], request_bytes, copy_bytes,
// limit, folded (the same keys, or null), refusal ({rule, message, hint} or null; then the others are null), mma.
Document view_tile_plan(const TilePlanReport& report);

}  // namespace swz
