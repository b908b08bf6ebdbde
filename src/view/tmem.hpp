// View of tensor memory: what `swz tmem d`, `tmem a` and `tmem cp` say.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tmem/accumulator.hpp"
#include "tmem/operand_a.hpp"
#include "view/document.hpp"
#include "view/figure.hpp"

namespace swz {

// {"question": …, "answers": […], "probe": …} of each name in arch/open_question.hpp.
Json open_json(const std::vector<std::string_view>& names);

// What a cell of the picture stands for: a block of lanes, or 16 columns of one lane.
enum class AccumulatorCells { block, lane };

// Where D lies, and what each warp reads; of an element or a cell that alone; with `map`, every element row by row.
struct AccumulatorView {
  std::optional<Coordinate> at = {};
  std::optional<TmemCell> cell = {};
  bool has_map = false;
  AccumulatorCells cells = AccumulatorCells::block;
  Highlight highlight = {};
};
// Throws Error for an element or cell that does not exist.
Document view_accumulator(const Accumulator& d, const AccumulatorView& view);

struct OperandAView {
  const DataPath* path = nullptr;
  MmaKind kind = MmaKind::f16;
  const DType* dtype = nullptr;
  int column = 0;
  std::optional<Coordinate> at = {};  // row and k
};
Document view_operand_a(const OperandAView& view);

enum class Decompression { none, fp4, fp6 };

struct TmemCopyView {
  const TmemCopy* copy = nullptr;
  Decompression decompression = Decompression::none;
  int cta_group = 1;
  std::optional<int> row = {}, element = {};
  bool has_map = false;
};
Document view_tmem_copy(const TmemCopyView& view);

}  // namespace swz
