// swz narrow, sparse and pair: narrow elements, the metadata of a sparse A, and what each CTA of a pair holds.
#include "on_target.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"
#include "view/scale_factor.hpp"

namespace swz {
namespace {

struct NarrowRequest {
  const MmaKindRow* kind = nullptr;
  NarrowView view;
};

Options narrow_options(NarrowRequest& r) {
  constexpr const char* alone[] = {"--at", "--k", "--gmem", "--smem", "--tmem"};
  const auto others = [&](std::string_view name) {
    Words words;
    for (const char* other : alone)
      if (other != name) words.emplace_back(other);
    return words;
  };
  return {
      kind_option(r.kind, "kind of the MMA").required(),
      dtype_option(r.view.dtype).required(),
      number("--at", "K", r.view.k, 0, INT32_MAX, "which element along the contiguous dimension")
          .excluding(others("--at"))
          .by_default_note("0"),
      number("--k", "K", r.view.k, 0, INT32_MAX, "the same as --at"),
      number("--gmem", "BYTE", r.view.gmem, 0, INT32_MAX, "which elements lie in this byte of global memory")
          .excluding(others("--gmem")),
      number("--smem", "BYTE", r.view.smem, 0, INT32_MAX, "which elements lie in this byte of shared memory")
          .excluding(others("--smem")),
      number("--tmem", "COLUMN", r.view.tmem, 0, tmem_columns - 1, "which elements lie in this column of A")
          .excluding(others("--tmem")),
      flag("--map", r.view.has_map, "in JSON also the first bits of 128 elements")};
}

Answer narrow_answer(const NarrowRequest& r, const Context& context) {
  NarrowView view = r.view;
  view.kind = r.kind->kind;
  return on_target({view_narrow(view)}, context, *r.kind);
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

Answer sparse_answer(const SparseRequest& r, const Context& context) {
  if (r.word) {
    if (*r.word > UINT32_MAX) throw usage_error("a word of metadata has 32 bits", "for example 0x44444444");
    Document document = view_metadata_word(r.kind->kind, static_cast<std::uint32_t>(*r.word));
    const bool has = has_lints(document);
    return on_target({std::move(document), 0, has}, context, *r.kind, true);
  }
  if (!r.at && !r.view.cell && !r.view.has_map)
    throw usage_error("--at, --cell, --map or --metadata is missing", "--at 13,20, or --metadata 0x44444444");
  MetadataView view = r.view;
  view.kind = r.kind->kind;
  view.path = &require_data_path(r.shape);
  if (r.at) view.at = ScaleCoordinate{r.at->first, r.at->second};
  return on_target({view_metadata(view)}, context, *r.kind, true);
}

struct PairRequest {
  PairView view;
  std::optional<TwoNumbers> at;
};

Options pair_options(PairRequest& request) {
  PairView& r = request.view;
  return {number("--m", "M", r.m, 1, 256, "rows of D, of both CTAs").by_default("256"),
          number("--n", "N", r.n, 1, 256, "columns of D").by_default("256"),
          number("--cta", "0|1", r.cta, 0, 1, "which CTA of the pair").by_default("0"),
          flag("--sparse", r.sparse, "a sparse A"),
          option("--at", "M,N", request.at, "which CTA computes this element of D, and which has its B")
              .excluding({"--cta"})};
}

Answer pair_answer(const PairRequest& r, const Context& context) {
  PairView view = r.view;
  if (r.at) view.at = r.at->coordinate();
  return on_target({view_pair(view)}, context, "tcgen05.mma", available::tensor_memory);
}

}  // namespace

Commands narrow_commands() {
  return {{.name = "narrow",
           .summary = "where an element of 4, 6 or 8 bits lies in global, shared and tensor memory",
           .details = R"(Byte and bits of an element along the contiguous dimension, the bytes that an
mbarrier counts, and the data type of the tensor map.)",
           .examples = {{"swz narrow --kind mxf8f6f4 --dtype e2m1 --at 37", "fp4 beside gaps"}},
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
