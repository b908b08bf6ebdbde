// SPDX-License-Identifier: Apache-2.0
// swz narrow, sparse and pair: narrow elements, the metadata of a sparse A, and what each CTA of a pair holds.
#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "on_target.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"
#include "view/mma/scale_factor.hpp"

namespace swz {

// The digits give the number of bits of a word: 0x9e4d has 16, 0x9e 8; a decimal number 32.
static void read_value(const std::string& text, MetadataWord& to) {
  std::uint64_t value = 0;
  read_value(text, value);
  if (value > UINT32_MAX) throw usage_error("a word of metadata has at most 32 bits", "for example 0x44444444");
  to = {static_cast<std::uint32_t>(value), 32};
  const std::string lower = lower_case(text);
  const bool is_hex = lower.starts_with("0x");
  if (!is_hex && !lower.starts_with("0b")) return;
  const auto digits = std::count_if(lower.begin() + 2, lower.end(),
                                    [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; });
  const std::int64_t bits = digits * (is_hex ? 4 : 1);
  to.bits = bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
}

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
  return {kind_option(r.kind, "kind of the MMA").required(),
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
  std::optional<std::int64_t> rows;
  std::optional<MetadataWord> word;
  std::optional<int> version;
};

Options sparse_options(SparseRequest& r) {
  return {
      kind_option(r.kind, "kind of the MMA").required(),
      option("--at", "ROW,K", r.at, "row of A, of both CTAs; logical k of the MMA").excluding({"--metadata", "--cell"}),
      option("--cell", "LANE,COLUMN,BIT", r.view.cell, "which chunk has this bit").excluding({"--metadata"}),
      number("--m", "M", r.shape.m, 1, 256, "rows of D, of the whole MMA").by_default("128"),
      number("--cta-group", "1|2", r.shape.cta_group, 1, 2, "how many CTAs execute it").by_default("1"),
      flag("--ws", r.shape.ws, "tcgen05.mma.ws: a copy for each part of N"),
      number("--cta", "CTA", r.view.cta, 0, 1, "CTA of --cell").needing({"--cell"}).by_default_note("0"),
      number("--mma", "J", r.view.mma, 0, 255, "which MMA of the tile").by_default("0"),
      number("--rows", "M", r.rows, 1, limits::tile_extent.most, "rows of the whole A in global memory")
          .by_default_note("those of the MMA, at least 128"),
      one_of<int>("--selector", "0|1", r.view.selector, {{"0", 0}, {"1", 1}},
                  "sparsity selector of wgmma.sp and mma.sp, of 16 and 32 bits")
          .by_default("0"),
      one_of<int>("--sparsity-version", "0|1", r.version, {{"0", 0}, {"1", 1}},
                  "of fp4: a nibble is for 8 elements (0) or for 4 (1)")
          .by_default_note("1 with --arch sm_107a, otherwise 0"),
      flag("--map", r.view.has_map, "in JSON also lane, column and first bit of every chunk of one MMA"),
      option("--metadata", "WORD", r.word,
             "which elements a word keeps; the number of its digits shows whether it has 32, 16 or 8 bits")};
}

// sm_107a reads metadata of fp4 in version 1, the targets before it in version 0.
int version_of(const SparseRequest& r, const Context& context) {
  const SparseForm* newer = find_sparse_form(r.kind->kind, 1);
  return r.version.value_or(context.arch != nullptr && newer != nullptr &&
                            runs_on(availability_of(*newer), *context.arch));
}

Answer with_version(Answer answer, const Context& context, const SparseRequest& r, const SparseForm& form) {
  const bool lacks_kind = context.arch != nullptr && !runs_on(availability_of(*r.kind, true), *context.arch);
  if (lacks_kind || find_sparse_form(r.kind->kind, 1) == nullptr)
    return on_target(std::move(answer), context, *r.kind, true);
  return on_target(std::move(answer), context,
                   fmt::format("tcgen05.mma.sp kind::{} with metadata of version {}", r.kind->name, form.version),
                   availability_of(form), "PTX ISA 9.4, table 53");
}

Answer sparse_answer(const SparseRequest& r, const Context& context) {
  const SparseForm& form = require_sparse_form(r.kind->kind, version_of(r, context));
  if (r.word) {
    Document document = view_metadata_word(r.kind->kind, form.version, *r.word);
    const bool has = has_lints(document);
    return with_version({std::move(document), 0, has}, context, r, form);
  }
  if (!r.at && !r.view.cell && !r.view.has_map)
    throw usage_error("--at, --cell, --map or --metadata is missing", "--at 13,20, or --metadata 0x44444444");
  MetadataView view = r.view;
  view.kind = r.kind->kind;
  view.version = form.version;
  view.path = &require_data_path(r.shape);
  view.rows = r.rows.value_or(std::max(tmem_lanes, r.shape.m));
  if (r.at) view.at = ScaleCoordinate{r.at->first, r.at->second};
  return with_version({view_metadata(view)}, context, r, form);
}

struct PairRequest {
  PairView view;
  std::optional<TwoNumbers> at;
  std::optional<int> k;
  int vec = 32;
  const DType *dtype = nullptr, *dtype_b = nullptr;
  const MmaKindRow* kind = nullptr;

  bool has_stage() const { return k || dtype != nullptr || dtype_b != nullptr || kind != nullptr; }
};

Options pair_options(PairRequest& request) {
  PairView& r = request.view;
  return {number("--m", "M", r.m, 1, 256, "rows of D, of both CTAs").by_default("256"),
          number("--n", "N", r.n, 1, 256, "columns of D").by_default("256"),
          number("--k", "K", request.k, 1, 4096, "K of a stage, to show the bytes of the stage")
              .in("elements")
              .by_default_note("four MMAs, if a type is given"),
          dtype_option(request.dtype, "element type of A and B of the stage").by_default_note("f16, with --k"),
          option("--dtype-b", "TYPE", request.dtype_b, "element type of B")
              .offering(names_of(dtypes()))
              .by_default_note("that of A"),
          kind_option(request.kind, "kind of the MMA").by_default_note("the first that takes the type"),
          number("--vec", "16|32", request.vec, 16, 32, "elements of K that share a scale factor").by_default("32"),
          number("--cta", "0|1", r.cta, 0, 1, "which CTA of the pair").by_default("0"),
          flag("--sparse", r.sparse, "a sparse A"),
          option("--at", "M,N", request.at, "which CTA computes this element of D, and which has its B")
              .excluding({"--cta", "--k", "--dtype", "--dtype-b", "--kind"})};
}

TmemRequest stage_of(const PairRequest& r) {
  const DType& given = r.dtype != nullptr ? *r.dtype : require_dtype("f16");
  const MmaKindRow& kind = r.kind != nullptr ? *r.kind : first_kind(given);
  const bool takes_first = r.dtype == nullptr && r.kind != nullptr;
  TmemRequest stage{.kind = kind.kind,
                    .shape = {.m = r.view.m, .cta_group = 2, .sparse = r.view.sparse},
                    .n = r.view.n,
                    .dtype = takes_first ? first_type(kind.kind, TypeRole::a_b) : given.name,
                    .scales = kind.block_scaled ? &require_scale_kind(kind.kind, r.vec) : nullptr};
  stage.k = r.k.value_or(4 * mma_k(stage));
  return stage;
}

Answer pair_answer(const PairRequest& r, const Context& context) {
  PairView view = r.view;
  if (r.at) view.at = r.at->coordinate();
  if (!r.has_stage()) return on_target({view_pair(view)}, context, "tcgen05.mma", available::tensor_memory);
  view.stage = stage_of(r);
  if (r.dtype_b != nullptr) view.dtype_b = r.dtype_b->name;
  return on_target({view_pair(view)}, context, row_of(view.stage->kind), r.view.sparse);
}

}  // namespace

Commands narrow_commands() {
  return {{.name = "narrow",
           .summary = "where an element of 4, 6 or 8 bits lies in global, shared and tensor memory",
           .details = R"(Byte and bits of an element along the contiguous dimension, the bytes that an
mbarrier counts, and the data type of the tensor map.)",
           .examples = {{"swz narrow --kind mxf8f6f4 --dtype e2m1 --at 37", "fp4 beside gaps"}},
           .next = {{"Where does a tile of it lie?", "place {--kind,--dtype} --tile 8x128"},
                    {"Which words does an MMA need?", "desc {--kind,--dtype} --tile 128x128"},
                    {"Which TMA boxes fill a tile?", "tma plan {--kind,--dtype} --tile 128x128"}},
           .prepare = [] { return prepare(narrow_options, narrow_answer); }},
          {.name = "sparse",
           .summary = "where the metadata of a sparse MMA lies, and what a word of it says",
           .details = R"(The lane, column and bits of the nibble of a chunk in tensor memory, the address
column and the sparsity selector that name it; its place in global memory and in
the registers of wgmma.sp and mma.sp. Rows are those of the whole A, also of a
pair. --metadata reads a word of 32, 16 or 8 bits nibble by nibble.)",
           .examples = {{"swz sparse --kind f16 --at 13,20 --mma 3", "a chunk"},
                        {"swz sparse --kind f16 --metadata 0x44e49c84", "a word"}},
           .next = {{"Does it fit beside the rest?", "tmem plan --sparse {--kind,--m,--cta-group}"}},
           .prepare = [] { return prepare(sparse_options, sparse_answer); }},
          {.name = "pair",
           .summary = "what each CTA of a pair holds of A, B, D and the scale factors",
           .details = R"(With cta_group::2 the rows of A and D and the columns of B are split over two
CTAs; the scale factors of B are not. With --k or a type also the bytes of a
stage in shared memory, and what an mbarrier counts.)",
           .examples = {{"swz pair --m 256 --n 192 --cta 1", "the second CTA"},
                        {"swz pair --m 256 --n 192 --k 64 --dtype bf16", "the bytes of a stage"}},
           .next = {{"Where does D lie?", "tmem d --cta-group 2 {--m,--n,--cta}"},
                    {"Does it fit in tensor memory?", "tmem plan --cta-group 2 {--m,--n,--kind}"},
                    {"Which words does A need?", "desc --arch sm_100a --cta-group 2 {--cta,--dtype} --tile {=--m}x64"}},
           .prepare = [] { return prepare(pair_options, pair_answer); }}};
}

}  // namespace swz
