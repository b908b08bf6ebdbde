// View of tensor memory: what `swz tmem d`, `tmem a` and `tmem cp` say.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "descriptor/smem_descriptor.hpp"
#include "tmem/accumulator.hpp"
#include "tmem/operand_a.hpp"
#include "view/document.hpp"
#include "view/figure.hpp"

namespace swz {

// Throws Error "there is no row 128", "row is 0 to 127".
void require_index(std::string_view name, std::int64_t index, std::int64_t count);

// {"question": …, "answers": […], "probe": …} of each name in arch/open_question.hpp.
Json open_json(const std::vector<std::string_view>& names);
// How far an answer can be trusted: its class, where it comes from, and that no Blackwell was asked.
Document& add_evidence(Document& d, const Source& source);
// The same under "open", in text a line of each.
void add_open(Document& d, const std::vector<std::string_view>& names);

// The descriptor of what tcgen05.cp reads, compact from `start`: core matrices of 8 rows x 16 bytes, those of a row
// first. LBO is used where a row has two; 4x256b never uses SBO.
SmemDescriptor copy_descriptor(const TmemCopy& copy, Bytes start = {});

// What a cell of the picture stands for: a block of lanes, or 16 columns of one lane.
enum class AccumulatorCells { block, lane };

// Where D lies, and what each warp reads; of an element or a cell that alone; with `map`, every element row by row.
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

// Lane, column and the byte (of scale factors) or bit (of A and metadata) in it.
struct TmemPoint {
  int lane = 0, column = 0, inside = 0;
};

struct OperandAView {
  const DataPath* path = nullptr;
  MmaKind kind = MmaKind::f16;
  const DType* dtype = nullptr;
  int column = 0;
  std::optional<Coordinate> at = {};   // row and k
  std::optional<TmemPoint> cell = {};  // or which element lies there
  int cta = 0;                         // of the cell
  bool has_map = false;                // of the elements of one MMA
};
Document view_operand_a(const OperandAView& view);

enum class Decompression { none, fp4, fp6 };

struct TmemCopyView {
  const TmemCopy* copy = nullptr;
  Decompression decompression = Decompression::none;
  int cta_group = 1;
  std::optional<int> row = {}, element = {};
  std::optional<TmemPoint> cell = {};  // or which row and byte of the source lies there
  bool has_map = false;
};
Document view_tmem_copy(const TmemCopyView& view);

}  // namespace swz
