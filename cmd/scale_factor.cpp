// swz sf, narrow, sparse and pair: scale factors, narrow elements, metadata, and what each CTA of a pair holds.
#include "view/scale_factor.hpp"

#include "command.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"

namespace swz {
namespace {

Coordinate coordinate_of(const TwoNumbers& at) { return {static_cast<int>(at.first), static_cast<int>(at.second)}; }

// ---- sf

Option vec_option(int& vec) {
  return one_of<int>("--vec", "16|32", vec, {{"16", 16}, {"32", 32}}, "elements of K that share a factor");
}

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
          option("--offset", "BYTE", r.view.offset, "which factor lies in this byte").excluding({"--at"}),
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
          option("--cell", "LANE,COLUMN,BYTE", r.view.cell, "which factor lies there").excluding({"--row"}),
          number("--column", "COLUMN", r.view.column, 0, tmem_columns - 1, "column of the scale address")
              .by_default("0"),
          flag("--map", r.view.has_map,
               "in JSON also lane, column and byte of every factor of the first MMA, at least four of a row")};
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
  NarrowView view;
};

Options narrow_options(NarrowRequest& r) {
  constexpr const char* alone[] = {"--k", "--gmem", "--smem", "--tmem"};
  const auto others = [&](std::string_view name) {
    Words words;
    for (const char* other : alone)
      if (other != name) words.emplace_back(other);
    return words;
  };
  return {
      kind_option(r.kind, "kind of the MMA").required(),
      dtype_option(r.view.dtype).required(),
      number("--k", "K", r.view.k, 0, INT32_MAX, "which element along the contiguous dimension").by_default("0"),
      number("--gmem", "BYTE", r.view.gmem, 0, INT32_MAX, "which elements lie in this byte of global memory")
          .excluding(others("--gmem")),
      number("--smem", "BYTE", r.view.smem, 0, INT32_MAX, "which elements lie in this byte of shared memory")
          .excluding(others("--smem")),
      number("--tmem", "COLUMN", r.view.tmem, 0, tmem_columns - 1, "which elements lie in this column of A")
          .excluding(others("--tmem")),
      flag("--map", r.view.has_map, "in JSON also the first bits of 128 elements")};
}

Answer narrow_answer(const NarrowRequest& r, const Context&) {
  NarrowView view = r.view;
  view.kind = r.kind->kind;
  return {view_narrow(view)};
}

struct SparseRequest {
  const MmaKindRow* kind = nullptr;
  DataPathQuery shape{.sparse = true};
  std::optional<TwoNumbers> at;
  MetadataView view;
  std::optional<std::uint64_t> word;
};

Options sparse_options(SparseRequest& r) {
  return {
      kind_option(r.kind, "kind of the MMA").required(),
      option("--at", "ROW,K", r.at, "row of A, logical k of the MMA").excluding({"--metadata", "--cell"}),
      option("--cell", "LANE,COLUMN,BIT", r.view.cell, "which chunk this bit is about").excluding({"--metadata"}),
      number("--m", "M", r.shape.m, 1, 256, "rows of D, of the whole MMA").by_default("128"),
      number("--cta-group", "1|2", r.shape.cta_group, 1, 2, "how many CTAs execute it").by_default("1"),
      flag("--ws", r.shape.ws, "tcgen05.mma.ws: a copy for each part of N"),
      number("--mma", "J", r.view.mma, 0, 255, "which MMA of the tile").by_default("0"),
      number("--rows", "M", r.view.rows, 1, limits::tile_extent.most, "rows of the whole A in global memory")
          .by_default("128"),
      one_of<int>("--selector", "0|1", r.view.selector, {{"0", 0}, {"1", 1}}, "sparsity selector of wgmma.sp")
          .by_default("0"),
      flag("--map", r.view.has_map, "in JSON also lane, column and first bit of every chunk of one MMA"),
      option("--metadata", "WORD", r.word, "which elements a word of metadata keeps")};
}

Answer sparse_answer(const SparseRequest& r, const Context&) {
  if (r.word) {
    if (*r.word > UINT32_MAX) throw usage_error("a word of metadata has 32 bits", "for example 0x44444444");
    Document document = view_metadata_word(r.kind->kind, static_cast<std::uint32_t>(*r.word));
    const bool has = has_lints(document);
    return {std::move(document), 0, has};
  }
  if (!r.at && !r.view.cell && !r.view.has_map)
    throw usage_error("--at, --cell, --map or --metadata is missing", "--at 13,20, or --metadata 0x44444444");
  MetadataView view = r.view;
  view.kind = r.kind->kind;
  view.path = &require_data_path(r.shape);
  if (r.at) view.at = ScaleCoordinate{r.at->first, r.at->second};
  return {view_metadata(view)};
}

struct PairRequest {
  PairView view;
  std::optional<TwoNumbers> at;
};

Options pair_options(PairRequest& request) {
  PairView& r = request.view;
  return {number("--m", "M", r.m, 128, 256, "rows of D, of both CTAs").by_default("256"),
          number("--n", "N", r.n, 1, 256, "columns of D").by_default("256"),
          number("--cta", "0|1", r.cta, 0, 1, "which CTA of the pair").by_default("0"),
          flag("--sparse", r.sparse, "a sparse A"),
          option("--at", "M,N", request.at, "which CTA computes this element of D, and which has its B")
              .excluding({"--cta"})};
}

Answer pair_answer(const PairRequest& r, const Context&) {
  PairView view = r.view;
  if (r.at) view.at = coordinate_of(*r.at);
  return {view_pair(view)};
}

}  // namespace

Commands scale_factor_commands() {
  return {{.name = "sf place",
           .summary = "where a scale factor lies in global or shared memory",
           .details = R"(The offset of the factor of an element, and the bytes of all of them with the
padding: 128x4 tiles as cuBLAS and CUTLASS have them, 8x4, linear, DeepGEMM's.)",
           .examples = {{"swz sf place --vec 16 --shape 256x1024 --at 200,1000", "NVFP4"}},
           .prepare = [] { return prepare(scale_layout_options, scale_layout_answer); }},
          {.name = "sf tmem",
           .summary = "where the MMA takes a scale factor from in tensor memory",
           .details = R"(The lanes, column and byte of a factor, the MMA of the tile that takes it, and
the address column and sf_id that name it.)",
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
           .summary = "where the metadata of a sparse MMA lies, and what a word of it says",
           .details = R"(The lane, column and bits of the nibble of a chunk in tensor memory, the address
column and the sparsity selector that name it; its place in global memory and in
the registers of wgmma.sp and mma.sp. --metadata reads a word nibble by nibble.)",
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
