// SPDX-License-Identifier: Apache-2.0
// View of tensor memory: what `swz tmem d` and `tmem a` answer; `tmem cp` is in view/tmem/tmem_copy.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tmem/accumulator.hpp"
#include "tmem/operand_a.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"

namespace swz {

// Throws Error "there is no row 128", "row is 0 to 127" unless the index is below `count`.
void require_index(std::string_view name, std::int64_t index, std::int64_t count);

// {"question": …, "answers": […], "probe": …, "evidence": …, "source": …} for each name in arch/open_question.hpp.
Json open_json(const std::vector<std::string_view>& names);
// Adds the same under "open", and in text one line each.
void add_open(Document& d, const std::vector<std::string_view>& names);
// How far an answer can be trusted: its evidence, its source, and that no Blackwell GPU was asked.
std::string evidence_text(const Source& source);
Document& add_evidence(Document& d, const Source& source);

// Adds which CTA: in JSON, and in text if there are two: "CTA  1". Every text of a pair names its CTA (tested).
void add_cta(Document& d, int cta_group, int cta);
// Adds that something is in both CTAs, or done by both: "ctas", in text "0 and 1, the same in each".
void add_ctas(Document& d, const std::vector<int>& ctas, int cta_group, std::string_view what);

// What a cell of the picture is: a block of lanes, or 16 columns of one lane.
enum class AccumulatorCells { block, lane };

// Where D is, and what each warp reads; for an element or a cell only that; with `map`, every element row by row.
struct AccumulatorView {
  const DType* dtype = nullptr;  // null: f32
  std::optional<Coordinate> at = {};
  std::optional<TmemCell> cell = {};
  bool has_map = false;
  AccumulatorCells cells = AccumulatorCells::block;
  Highlight highlight = {};
};
// Throws Error for an element or cell that does not exist.
Document view_accumulator(const Accumulator& d, const AccumulatorView& view);

// Lane, column and the byte (for scale factors) or bit (for A and metadata) in it.
struct TmemPoint {
  int lane = 0, column = 0, inside = 0;
};

struct OperandAView {
  const DataPath* path = nullptr;
  MmaKind kind = MmaKind::f16;
  const DType* dtype = nullptr;
  int column = 0;
  std::optional<Coordinate> at = {};   // row and k
  std::optional<TmemPoint> cell = {};  // or which element is there
  int cta = 0;                         // of the cell
  bool has_map = false;                // of the elements of one MMA
};
Document view_operand_a(const OperandAView& view);

}  // namespace swz
