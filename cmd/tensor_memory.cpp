// swz tmem, swz sf, swz narrow, swz sparse, swz pair: the memory of Blackwell beside the operands in shared memory.
#include "base/text.hpp"
#include "operand_request.hpp"
#include "view/scale_factor.hpp"
#include "view/tmem.hpp"
#include "view/tmem_figure.hpp"

namespace swz {

// "100,200"
struct TwoNumbers {
  std::int64_t first = 0, second = 0;
};

static void read_value(const std::string& text, TwoNumbers& to) {
  const Words words = pieces_of(text, ",() ");
  if (words.size() != 2)
    throw usage_error(fmt::format("{} is not two numbers", quoted(text)), "for example 100,200");
  to = {read_number(words[0], 0, INT32_MAX), read_number(words[1], 0, INT32_MAX)};
}

namespace {

Coordinate coordinate_of(const TwoNumbers& at) { return {static_cast<int>(at.first), static_cast<int>(at.second)}; }

// ---- the shape of an MMA

struct ShapeRequest {
  DataPathQuery query;
  int n = 256;
};

Options shape_options(ShapeRequest& r) {
  return {number("--m", "M", r.query.m, 1, 256, "rows of D, of the whole MMA").by_default("128"),
          number("--cta-group", "1|2", r.query.cta_group, 1, 2, "how many CTAs execute it").by_default("1"),
          flag("--ws", r.query.ws, "tcgen05.mma.ws"), flag("--sparse", r.query.sparse, "a sparse A")};
}

Option n_option(int& n) { return number("--n", "N", n, 1, 256, "columns of D").by_default("256"); }

// ---- tmem d

struct AccumulatorRequest {
  ShapeRequest shape;
  const DType* dtype = nullptr;
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
  return shape_options(r.shape) +
         Options{
             n_option(r.shape.n),
             dtype_option(r.dtype, "element type of D, which does not change the columns"),
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

Answer accumulator_answer(const AccumulatorRequest& r, const Context&) {
  const Accumulator d(require_data_path(r.shape.query), r.shape.n);
  AccumulatorView view{
      .has_map = r.map, .cells = r.cells, .highlight = parse_highlight(r.highlight, highlight_kinds(d))};
  if (r.at) view.at = coordinate_of(*r.at);
  if (r.lane) view.cell = TmemCell{r.cta, *r.lane, r.column.value_or(0)};
  return {view_accumulator(d, view)};
}

// ---- tmem a

struct OperandARequest {
  ShapeRequest shape;
  OperandAView view;
  const MmaKindRow* kind = nullptr;
  std::optional<TwoNumbers> at;
};

// The first kind that takes the type.
MmaKind kind_of(const DType& dtype) {
  for (const MmaKindRow& row : mma_kinds())
    if (takes_type(row, dtype.name)) return row.kind;
  throw usage_error(fmt::format("tcgen05.mma does not take {}", dtype.name),
                    "swz arch kinds lists the types of each kind");
}

Options operand_a_options(OperandARequest& r) {
  return shape_options(r.shape) +
         Options{dtype_option(r.view.dtype).required(),
                 kind_option(r.kind, "kind of the MMA").by_default_note("the first that takes the type"),
                 number("--column", "COLUMN", r.view.column, 0, tmem_columns - 1, "column of A's address")
                     .by_default("0"),
                 option("--at", "ROW,K", r.at, "where this element lies; K counts on over the MMAs of a tile")};
}

Answer operand_a_answer(const OperandARequest& r, const Context&) {
  OperandAView view = r.view;
  view.path = &require_data_path(r.shape.query);
  view.kind = r.kind != nullptr ? r.kind->kind : kind_of(*view.dtype);
  if (r.at) view.at = coordinate_of(*r.at);
  return {view_operand_a(view)};
}

// ---- tmem cp

struct CopyRequest {
  std::string name;
  TmemCopyView view;
};

Options copy_options(CopyRequest& r) {
  return {argument("SHAPE", r.name, "64x128b.warpx2::01_23, 128x256b.b8x16.b4x16_p64, …").required(),
          number("--row", "ROW", r.view.row, 0, 127, "where this row of the source goes"),
          number("--element", "E", r.view.element, 0, 31, "where this element of --row goes, with decompression")
              .needing({"--row"}),
          number("--cta-group", "1|2", r.view.cta_group, 1, 2, "each CTA copies from its own shared memory")
              .by_default("1"),
          flag("--map", r.view.has_map, "in JSON also the lanes of every row")};
}

// The formats of decompression may stand behind the shape.
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

Answer copy_answer(const CopyRequest& r, const Context&) {
  TmemCopyView view = r.view;
  std::string name = r.name.starts_with("tcgen05.cp.") ? r.name.substr(11) : r.name;
  view.decompression = taken_format(name);
  view.copy = &require_tmem_copy(name);
  return {view_tmem_copy(view)};
}

// ---- sf

Option vec_option(int& vec) { return number("--vec", "16|32", vec, 16, 32, "elements of K that share a factor"); }

struct ScaleLayoutRequest {
  ScaleLayoutView view;
  std::optional<TileExtents> shape;
  std::optional<TwoNumbers> at;
};

Options scale_layout_options(ScaleLayoutRequest& r) {
  return {one_of<ScaleLayoutName>("--layout", "LAYOUT", r.view.name,
                                  {{"128x4", ScaleLayoutName::tile_128x4},
                                   {"8x4", ScaleLayoutName::tile_8x4},
                                   {"linear", ScaleLayoutName::linear},
                                   {"deepgemm", ScaleLayoutName::deepgemm}},
                                  "128x4 (cuBLAS, CUTLASS), 8x4 (FlashInfer), linear, deepgemm")
              .by_default("128x4"),
          vec_option(r.view.vec).by_default("32"),
          option("--shape", "ROWSxK", r.shape, "rows and K of the operand, in elements").required(),
          option("--at", "ROW,K", r.at, "where the factor of this element lies"),
          one_of<ScaleMemory>("--memory", "MEMORY", r.view.memory,
                              {{"gmem", ScaleMemory::gmem}, {"smem", ScaleMemory::smem}},
                              "smem: the stage of one CTA, whose rows are --shape's")
              .by_default("gmem"),
          flag("--map", r.view.has_map, "in JSON also the offset of every factor, row by row")};
}

Answer scale_layout_answer(const ScaleLayoutRequest& r, const Context&) {
  ScaleLayoutView view = r.view;
  view.rows = r.shape->mn;
  view.k = r.shape->k;
  if (r.at) view.at = ScaleCoordinate{r.at->first, r.at->second};
  return {view_scale_layout(view)};
}

struct ScalePlaceRequest {
  const MmaKindRow* kind = nullptr;
  int vec = 0;
  ScalePlaceView view;
  std::optional<std::int64_t> row;
  std::int64_t kb = 0;
  bool k96 = false;
};

Options scale_place_options(ScalePlaceRequest& r) {
  ScalePlacement& p = r.view.placement;
  return {kind_option(r.kind, "kind of the MMA").required(),
          vec_option(r.vec).by_default_note("32"),
          one_of<ScaleOperand>("--operand", "OPERAND", p.operand, {{"a", ScaleOperand::a}, {"b", ScaleOperand::b}},
                               "whose factors")
              .by_default("a"),
          number("--m", "M", p.m, 128, 256, "of the whole MMA").by_default("128"),
          number("--n", "N", p.n, 8, 256, "of the whole MMA").by_default("128"),
          number("--cta-group", "1|2", p.cta_group, 1, 2, "how many CTAs execute it").by_default("1"),
          flag("--k96", r.k96, "MMAs of K 96 (sm_103a)"),
          number("--row", "ROW", r.row, 0, 255, "where the factor of this row lies"),
          number("--kb", "KB", r.kb, 0, 4095, "which factor of the row, from the tile's first k")
              .needing({"--row"})
              .by_default_note("0"),
          number("--column", "COLUMN", r.view.column, 0, tmem_columns - 1, "column of the scale address")
              .by_default("0")};
}

Answer scale_place_answer(const ScalePlaceRequest& r, const Context&) {
  ScalePlaceView view = r.view;
  ScalePlacement& p = view.placement;
  p.kind = &require_scale_kind(r.kind->kind, r.vec == 0 ? 32 : r.vec, r.k96);
  require_data_path({p.m, p.cta_group});
  if (r.row) view.at = ScaleCoordinate{*r.row, r.kb};
  return {view_scale_place(view)};
}

// ---- narrow, sparse, pair

struct NarrowRequest {
  const MmaKindRow* kind = nullptr;
  const DType* dtype = nullptr;
  std::int64_t k = 0;
};

Options narrow_options(NarrowRequest& r) {
  return {kind_option(r.kind, "kind of the MMA").required(), dtype_option(r.dtype).required(),
          number("--k", "K", r.k, 0, INT32_MAX, "which element along the contiguous dimension").by_default("0")};
}

Answer narrow_answer(const NarrowRequest& r, const Context&) { return {view_narrow(r.kind->kind, *r.dtype, r.k)}; }

struct SparseRequest {
  const MmaKindRow* kind = nullptr;
  std::optional<TwoNumbers> at;
  int mma = 0;
  std::optional<std::uint64_t> word;
};

Options sparse_options(SparseRequest& r) {
  return {kind_option(r.kind, "kind of the MMA").required(),
          option("--at", "ROW,K", r.at, "row of the CTA, logical k of the MMA").excluding({"--metadata"}),
          number("--mma", "J", r.mma, 0, 255, "which MMA of the tile").by_default("0"),
          option("--metadata", "WORD", r.word, "which elements a word of metadata keeps")};
}

Answer sparse_answer(const SparseRequest& r, const Context&) {
  if (r.word) {
    if (*r.word > UINT32_MAX) throw usage_error("a word of metadata has 32 bits", "for example 0x44444444");
    Document document = view_metadata_word(r.kind->kind, static_cast<std::uint32_t>(*r.word));
    const bool has = has_lints(document);
    return {std::move(document), 0, has};
  }
  if (!r.at) throw usage_error("--at or --metadata is missing", "--at 13,20, or --metadata 0x44444444");
  return {view_metadata({r.kind->kind, coordinate_of(*r.at), r.mma})};
}

Options pair_options(PairView& r) {
  return {number("--m", "M", r.m, 128, 256, "rows of D, of both CTAs").by_default("256"),
          number("--n", "N", r.n, 1, 256, "columns of D").by_default("256"),
          number("--cta", "0|1", r.cta, 0, 1, "which CTA of the pair").by_default("0"),
          flag("--sparse", r.sparse, "a sparse A")};
}

Answer pair_answer(const PairView& r, const Context&) { return {view_pair(r)}; }

}  // namespace

Commands tensor_memory_commands() {
  return {
      {.name = "tmem d",
       .summary = "where tcgen05.mma puts the accumulator D in tensor memory",
       .details = R"(The data path (PTX's layouts A to G), the lane and column of an element, the
element of a lane and column, and what each warp of a warpgroup reads.)",
       .examples = {{"swz tmem d --m 128 --n 256 --cta-group 2 --at 100,200", "the lane and column of an element"},
                    {"swz tmem d --m 64 --n 128", "which rows each warp reads"}},
       .prepare = [] { return prepare(accumulator_options, accumulator_answer); }},
      {.name = "tmem a",
       .summary = "where A lies in tensor memory",
       .details = R"(The lanes, the column and the bits of an element of A. Where sources disagree, the
answer is CUTLASS's and the others are named.)",
       .examples = {{"swz tmem a --m 128 --dtype f16 --column 128 --at 40,11", "one element"}},
       .prepare = [] { return prepare(operand_a_options, operand_a_answer); }},
      {.name = "tmem cp",
       .summary = "where tcgen05.cp puts the rows of shared memory",
       .details = R"(The lanes and columns of a source row, for every shape and multicast; with
decompression the byte and bits of an element.)",
       .examples = {{"swz tmem cp 64x128b.warpx2::01_23 --row 40", "the lanes of a row"},
                    {"swz tmem cp 128x256b.b8x16.b4x16_p64 --row 3 --element 22", "an fp4 element"}},
       .prepare = [] { return prepare(copy_options, copy_answer); }},
      {.name = "sf place",
       .summary = "where a scale factor lies in global or shared memory",
       .details = R"(The offset of the factor of an element, and the bytes of all of them with the
padding: 128x4 tiles as cuBLAS and CUTLASS have them, 8x4, linear, DeepGEMM's.)",
       .examples = {{"swz sf place --vec 16 --shape 256x1024 --at 200,1000", "NVFP4"}},
       .prepare = [] { return prepare(scale_layout_options, scale_layout_answer); }},
      {.name = "sf tmem",
       .summary = "where the MMA takes a scale factor from in tensor memory",
       .details = R"(The lanes, column and byte of a factor, the MMA of the tile that takes it, and the
address column and sf_id that name it.)",
       .examples = {{"swz sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --row 200 --kb 6 --column 80",
                     "a factor of B"}},
       .prepare = [] { return prepare(scale_place_options, scale_place_answer); }},
      {.name = "narrow",
       .summary = "where an element of 4, 6 or 8 bits lies in global, shared and tensor memory",
       .details = R"(Byte and bits of an element along the contiguous dimension, the bytes that an
mbarrier counts, and the data type of the tensor map.)",
       .examples = {{"swz narrow --kind mxf8f6f4 --dtype e2m1 --k 37", "fp4 beside gaps"}},
       .prepare = [] { return prepare(narrow_options, narrow_answer); }},
      {.name = "sparse",
       .summary = "where the metadata of a sparse MMA lies in tensor memory, and what a word of it says",
       .details = R"(The lane, column and bits of the nibble of a chunk, the address column and the
sparsity selector that name it. --metadata reads a word nibble by nibble.)",
       .examples = {{"swz sparse --kind f16 --at 13,20 --mma 3", "a chunk"},
                    {"swz sparse --kind f16 --metadata 0x44e49c84", "a word"}},
       .prepare = [] { return prepare(sparse_options, sparse_answer); }},
      {.name = "pair",
       .summary = "what each CTA of a pair holds of A, B, D and the scale factors",
       .details = R"(With cta_group::2 the rows of A and D and the columns of B are split over two
CTAs; the scale factors of B are not.)",
       .examples = {{"swz pair --m 256 --n 192 --cta 1", "the second CTA"}},
       .prepare = [] { return prepare(pair_options, pair_answer); }}};
}

}  // namespace swz
