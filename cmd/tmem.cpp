// SPDX-License-Identifier: Apache-2.0
// swz tmem d, a and cp: where the accumulator and A are in tensor memory, and what a copy brings there.
#include "arch/mma_choice.hpp"
#include "highlight.hpp"
#include "on_target.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"
#include "view/tmem/tmem_copy.hpp"
#include "view/tmem/tmem_figure.hpp"

namespace swz {

namespace {

MmaChoice choice_of(const DataPathQuery& query, unsigned kinds, int n = 0) {
  return {.kinds = kinds, .m = query.m, .n = n, .cta_group = query.cta_group, .ws = query.ws, .sparse = query.sparse};
}

Option n_option(int& n) { return number("--n", "N", n, 1, 256, "columns of D").by_default("256"); }

// ---- tmem d

struct AccumulatorRequest {
  DataPathQuery shape;
  int n = 256;
  const DType* dtype = nullptr;
  const MmaKindRow* kind = nullptr;
  std::optional<TwoNumbers> at;
  std::optional<int> lane, column;
  int cta = 0;
  bool map = false;
  AccumulatorCells cells = AccumulatorCells::block;
  std::string highlight;
};

Option cells_option(AccumulatorCells& cells) {
  return one_of<AccumulatorCells>("--cells", "CELLS", cells,
                                  {{"block", AccumulatorCells::block}, {"lane", AccumulatorCells::lane}},
                                  "what a cell of the picture is: a block of lanes, or 16 columns of a lane")
      .by_default("block");
}

Options accumulator_options(AccumulatorRequest& r) {
  return data_path_options(r.shape) +
         Options{
             n_option(r.n),
             dtype_option(r.dtype, "element type of D, which does not change the columns"),
             kind_option(r.kind, "kind of the MMA, which limits M and N").by_default_note("any"),
             option("--at", "ROW,COL", r.at, "where this element lies").excluding({"--lane"}),
             number("--lane", "LANE", r.lane, 0, tmem_lanes - 1, "which element lies in this lane and --column"),
             number("--column", "COLUMN", r.column, 0, tmem_columns - 1, "column of --lane, from the address of D")
                 .needing({"--lane"})
                 .by_default_note("0"),
             number("--cta", "CTA", r.cta, 0, 1, "CTA of --lane").needing({"--lane"}).by_default_note("0"),
             cells_option(r.cells),
             option("--highlight", "WHAT", r.highlight, "mark elements: 'rows 0-15; cols 0-7' (also lanes, columns)"),
             flag("--map", r.map, "in JSON also the place of every element, row by row")};
}

Answer accumulator_answer(const AccumulatorRequest& r, const Context& context) {
  const unsigned of_type = r.dtype != nullptr ? kinds_with_d(*r.dtype) : every_kind;
  const unsigned kinds = r.kind != nullptr ? kind_set({r.kind->kind}) : of_type;
  if ((kinds & of_type) == 0)
    throw usage_error(fmt::format("kind {} has no D of {}", r.kind->name, r.dtype->name),
                      "swz arch kinds lists the types of each kind");
  require_mma(choice_of(r.shape, kinds, r.n));
  const Accumulator d(require_data_path(r.shape), r.n);
  AccumulatorView view{.dtype = r.dtype,
                       .has_map = r.map,
                       .cells = r.cells,
                       .highlight = parse_highlight(r.highlight, highlight_kinds(d))};
  if (r.at) view.at = r.at->coordinate();
  if (r.lane) view.cell = TmemCell{r.cta, *r.lane, r.column.value_or(0)};
  Answer answer{view_accumulator(d, view)};
  if (r.kind != nullptr) return on_target(std::move(answer), context, *r.kind, r.shape.sparse);
  return on_target(std::move(answer), context, "tcgen05.mma", available::tensor_memory);
}

// ---- tmem a

struct OperandARequest {
  DataPathQuery shape;
  OperandAView view;
  const MmaKindRow* kind = nullptr;
  std::optional<TwoNumbers> at;
};

Option cell_option(std::optional<TmemPoint>& cell, const std::string& value, std::string help) {
  return option("--cell", value, cell, std::move(help));
}

Options operand_a_options(OperandARequest& r) {
  return data_path_options(r.shape) +
         Options{
             dtype_option(r.view.dtype).required(),
             kind_option(r.kind, "kind of the MMA").by_default_note("the first that takes the type"),
             number("--column", "COLUMN", r.view.column, 0, tmem_columns - 1, "column of A's address").by_default("0"),
             option("--at", "ROW,K", r.at, "where this element lies; K continues over the MMAs of a tile"),
             cell_option(r.view.cell, "LANE,COLUMN,BIT", "which element has this bit").excluding({"--at"}),
             number("--cta", "CTA", r.view.cta, 0, 1, "CTA of --cell").needing({"--cell"}).by_default_note("0"),
             flag("--map", r.view.has_map, "in JSON also the place of every element of one MMA, row by row")};
}

Answer operand_a_answer(const OperandARequest& r, const Context& context) {
  const MmaKindRow& kind = r.kind != nullptr ? *r.kind : first_kind(*r.view.dtype);
  require_mma(choice_of(r.shape, kind_set({kind.kind})));
  OperandAView view = r.view;
  view.path = &require_data_path(r.shape);
  view.kind = kind.kind;
  if (r.at) view.at = r.at->coordinate();
  return on_target({view_operand_a(view)}, context, kind, r.shape.sparse);
}

// ---- tmem cp

struct CopyRequest {
  std::string name;
  std::optional<WordText> word;
  TmemCopyView view;
};

Options copy_options(CopyRequest& r) {
  return {argument("SHAPE", r.name, "64x128b.warpx2::01_23, 128x256b.b8x16.b4x16_p64, …").required(),
          number("--row", "ROW", r.view.row, 0, 127, "where this row of the source goes"),
          number("--element", "E", r.view.element, 0, 31, "where this element of --row goes, with decompression")
              .needing({"--row"}),
          cell_option(r.view.cell, "LANE,COLUMN", "which row of the source lies there").excluding({"--row", "--byte"}),
          option("--word", "WORD", r.word, "descriptor of the source: which bytes of shared memory it names")
              .excluding({"--base"}),
          option("--byte", "ADDRESS", r.view.byte, "where this byte of shared memory goes, by --word")
              .needing({"--word"})
              .excluding({"--row"}),
          base_option(r.view.base, "shared-memory address of the source of the descriptors"),
          number("--cta-group", "1|2", r.view.cta_group, 1, 2, "each CTA copies from its own shared memory")
              .by_default("1"),
          flag("--map", r.view.has_map, "in JSON also the lanes of every row")};
}

// Removes the format of decompression, which may follow the shape, from the name and returns it.
Decompression taken_format(std::string& name) {
  constexpr std::pair<std::string_view, Decompression> formats[] = {{".b8x16.b4x16_p64", Decompression::fp4},
                                                                    {".b8x16.b6x16_p32", Decompression::fp6}};
  for (const auto& [suffix, format] : formats)
    if (name.ends_with(suffix)) {
      name.resize(name.size() - suffix.size());
      return format;
    }
  return Decompression::none;
}

Answer copy_answer(const CopyRequest& r, const Context& context) {
  TmemCopyView view = r.view;
  std::string name = r.name.starts_with("tcgen05.cp.") ? r.name.substr(11) : r.name;
  view.decompression = taken_format(name);
  view.copy = &require_tmem_copy(name);
  if (r.word) view.word = r.word->word;
  if (view.base.count % 16 != 0)
    throw usage_error(fmt::format("--base {:#x} is not a multiple of 16 B", view.base.count),
                      "a descriptor can only name such addresses");
  const Tcgen05Operation& copy = tcgen05_operation("cp");
  return on_target({view_tmem_copy(view)}, context, "tcgen05.cp", copy.availability, copy.source.where);
}

}  // namespace

Commands tmem_commands() {
  return {{.name = "tmem d",
           .summary = "where tcgen05.mma puts the accumulator D in tensor memory",
           .details = R"(The data path (PTX's layouts A to G), the lane and column of an element, the
element of a lane and column, and what each warp of a warpgroup reads. Lanes and
columns count from the address that the MMA is given.)",
           .examples = {{"swz tmem d --m 128 --n 256 --cta-group 2 --at 100,200", "the lane and column of an element"},
                        {"swz tmem d --m 64 --n 128", "which rows each warp reads"}},
           .next = {{"Does it fit beside the rest?", "tmem plan {--m,--n,--cta-group,--ws,--sparse}"},
                    {"What does each CTA of a pair hold?", "pair {--m,--n,--cta}"},
                    {"Which instruction descriptor is it?",
                     "encode idesc --kind f16 --a-type bf16 --b-type bf16 --d-type f32 {--m,--n}"}},
           .prepare = [] { return prepare(accumulator_options, accumulator_answer); }},
          {.name = "tmem a",
           .summary = "where A lies in tensor memory",
           .details = R"(The lanes, the column and the bits of an element of A, and the element of a lane
and column. Where sources disagree, the answer is CUTLASS's; the others are
named.)",
           .examples = {{"swz tmem a --m 128 --dtype f16 --column 128 --at 40,11", "one element"}},
           .next = {{"Where does D lie?", "tmem d {--m,--cta-group,--ws}"},
                    {"Does it fit beside the rest?", "tmem plan {--m,--cta-group,--ws} --a-in tmem"}},
           .prepare = [] { return prepare(operand_a_options, operand_a_answer); }},
          {.name = "tmem cp",
           .summary = "where tcgen05.cp puts the rows of shared memory",
           .details = R"(The lanes and columns of a source row, for every shape and multicast; with
decompression the byte and bits of an element; the descriptors of a compact
source. With --word, the descriptor that the copy is given, the bytes of shared
memory that it reads and where each goes.)",
           .examples = {{"swz tmem cp 64x128b.warpx2::01_23 --row 40", "the lanes of a row"},
                        {"swz tmem cp 128x256b.b8x16.b4x16_p64 --row 3 --element 22", "an fp4 element"},
                        {"swz tmem cp 32x128b.warpx4 --word 0x0000400800010040 --byte 0x4c8", "the way of one byte"}},
           .next = {{"What do the fields of the word say?", "decode {=--word}"},
                    {"How does a scale factor get there?", "sf way --kind mxf8f6f4 {--cta-group}"}},
           .prepare = [] { return prepare(copy_options, copy_answer); }}};
}

}  // namespace swz
