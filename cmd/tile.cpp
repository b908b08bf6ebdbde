// SPDX-License-Identifier: Apache-2.0
// swz choose, swz phase, swz tiles: which swizzle mode to use for a tile, what an unaligned base does to it, and how a
// CTA tile is divided into MMAs.
#include "view/tile/tile.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "highlight.hpp"
#include "mma_on_target.hpp"
#include "operand_request.hpp"

namespace swz {
namespace {

// --- choose

std::string option_text(const TileRequest& r) {
  std::string form;
  if (r.kind != nullptr) form = fmt::format(" --kind {}", r.kind->name);
  else if (r.packing() == Packing::slots) form = " --slots";
  return fmt::format("--dtype {} --tile {} --major {}{}{}", r.dtype->name, to_string(*r.extents), major_word(r.major),
                     form, r.cta_group == 2 ? " --cta-group 2" : "");
}

Answer choose_answer(const TileRequest& r, const Context& context) {
  const SmemTileValues shape = shape_of(r);
  const Target& target = target_of(r, context);
  return {with_form(view_choose({shape, &target, choose_readable_swizzle(shape, target), option_text(r)}), r, *r.dtype,
                    context, true)};
}

Options choose_options(TileRequest& r) { return tile_shape_options(r) + pair_options(r); }

// --- phase

Options phase_options(TileRequest& tile) { return tile_options(tile); }

Answer phase_answer(const TileRequest& r, const Context& context) {
  if (!r.extents && r.swizzle == nullptr)
    throw usage_error("--swizzle auto needs --tile", "give the tile, or name a swizzle mode");
  std::optional<SmemTile> tile;
  if (r.extents) tile = tile_of(r, target_of(r, context));
  const Target& target = target_of(r, context);
  const Phase p = tile ? phase(tile->swizzle(), tile->base(), tile->bytes(), &target)
                       : phase(*r.swizzle, r.base, std::nullopt, &target);
  return {view_phase(p, tile)};
}

// --- tiles

struct TilingRequest {
  MmaExtents tile;
  std::optional<MmaShapeText> mma;
  TileRequest operand;    // its type
  std::string highlight;  // what may be named depends on the tiling
};

Options tiling_options(TilingRequest& r) {
  return {option("--tile", "MxNxK", r.tile, "CTA tile in elements: 256x256x64").in("elements").required(),
          option("--mma", "SHAPE", r.mma, "shape of one MMA, m128n256k16 or 128x256x16, or its name")
              .in("elements")
              .required(),
          dtype_option(r.operand.dtype, "element type of A and B").by_default("f16").noting(r.operand.has_dtype),
          option("--highlight", "WHAT", r.highlight, "mark MMA tiles: 'm-block 0; n-blocks 0,1; k-steps 0-2'")};
}

Answer tiling_answer(const TilingRequest& r, const Context& context) {
  if (!r.mma->instruction)
    throw usage_error(fmt::format("cannot read {} as M, N and K", swz::quoted(r.mma->text)),
                      "three extents in elements: m64n256k16 or 64x256x16");
  TileRequest operand = r.operand;
  if (r.mma->named) take_type(*r.mma->named, OperandRole::a, operand);
  const MmaExtents mma = *r.mma->instruction;
  const Target& target = context.target();
  std::vector<MmaForm> forms = mma_forms_on(target, mma, *operand.dtype);
  const MmaTilingReport report{MmaTiling(r.tile, mma), operand.dtype, &target, std::move(forms)};
  return {view_mma_tiling(report, parse_highlight(r.highlight, highlight_kinds(report.tiling)))};
}

}  // namespace

Commands choose_commands() {
  return {{.name = "choose",
           .summary = "the swizzle mode to take for a tile, and why not a larger one",
           .details = R"(Chooses the largest swizzle mode that the target can read and whose atom divides
the tile; one line of the atom is what one GMEM request can fetch. For every
mode it shows whether it fits, the bytes of one request, and how many copies a
2-D tensor map needs when the atoms follow each other along MN (mn-first) or K
(k-first).

A TMA box is one atom wide and at most 256 lines high, and its lines follow
each other in shared memory without a gap.)",
           .examples = {{"swz choose --dtype bf16 --tile 64x32 --major k", "64B: a row has 64 bytes"},
                        {"swz choose --kind mxf8f6f4 --dtype e2m1 --tile 128x128", "fp4 with gaps"},
                        {"swz choose --dtype tf32 --tile 128x32 --major mn --arch sm_100a",
                         "tcgen05 reads this with one mode only"}},
           .next = {{"Which TMA boxes fill the tile?", "tma plan {operand} --swizzle {swizzle}"},
                    {"How does the tile get to its MMA?", "story {operand} --swizzle {swizzle}"}},
           .prepare = [] { return prepare(choose_options, choose_answer); }}};
}

Commands phase_commands() {
  return {
      {.name = "phase",
       .summary = "the effect of a tile base that is not aligned to its swizzle pattern",
       .details = R"(The hardware swizzles absolute addresses. If the base of a tile is not a
multiple of its swizzle pattern, TMA and an MMA with base offset 0 still agree,
but code that computes offsets from the beginning of the tile accesses other
bytes. swz shows how many, which base offset of the descriptor corrects data
that was written that way, and the nearest aligned addresses.)",
       .examples = {{"swz phase --swizzle 64B --base 0x680", "a tile 128 B after the beginning of its pattern"},
                    {"swz phase --swizzle 128B --base 0x480 --dtype bf16 --tile 64x64", "the wrong bytes of a tile"}},
       .next = {{"And from the boundary below?",
                 "phase {--dtype,--tile,--major,--slots,--kind,--swizzle,--order} --base {below}"},
                {"Where does each chunk lie?", "place {?tile} {operand}"},
                {"Which words does an MMA need?", "desc {?tile} {operand}"}},
       .prepare = [] { return prepare(phase_options, phase_answer); }}};
}

Commands tiles_commands() {
  return {
      {.name = "tiles",
       .summary = "how a CTA tile is cut into MMAs",
       .details = R"(Cuts the tile M x N x K of a CTA into the MMA tiles that one MMA reads and
writes: how many MMAs there are, the bytes of A and B, how many such stages fit
in shared memory, and a figure to scale of A, B and C. MMA tiles of A and B with
the same k-step have the same colour; an MMA adds one of A times one of B to one
of C.

The shape must be one that the target has for the element type (default
target: sm_90a): mma.sync, wgmma or tcgen05.mma.)",
       .examples = {{"swz tiles --tile 256x256x64 --mma m128n256k16 --arch sm_100a", "8 MMAs"},
                    {"swz tiles --tile 128x128x64 --mma m64n128k16 --highlight 'm-block 0; k-step 2'",
                     "the MMAs of one step"}},
       .next = {{"Which words does A need?", "desc --arch {arch} --dtype {dtype} --tile {tile.m}x{tile.k} {--mma}"},
                {"How does A get to its MMAs?", "story --arch {arch} --dtype {dtype} --tile {tile.m}x{tile.k} {--mma}"},
                {"Does D fit in tensor memory?",
                 "tmem plan {?instructions.0.groups} --arch {arch} --m {mma.m} --n {mma.n}"}},
       .prepare = [] { return prepare(tiling_options, tiling_answer); }}};
}

}  // namespace swz
