// SPDX-License-Identifier: Apache-2.0
// swz sf way: the whole way of a scale factor, from global memory to the id by which an MMA names it.
#include "view/mma/scale_way.hpp"

#include "arch/block_scaled_mma.hpp"
#include "base/checked.hpp"
#include "on_target.hpp"
#include "operand_request.hpp"
#include "tmem/plan.hpp"
#include "tmem_request.hpp"
#include "view/mma/blockwise_way.hpp"
#include "view/mma/warp_way.hpp"

namespace swz {
namespace {

struct ScaleWayRequest {
  const MmaKindRow* kind = nullptr;
  const DType *dtype = nullptr, *dtype_b = nullptr, *scale_type = nullptr;
  int vec = 0;
  ScaledK scaled;
  std::optional<int> k;
  ScaleWayView view;
  std::optional<OperandExtents> shape, origin;
  std::optional<TwoNumbers> at;
  std::optional<int> cta;
  std::optional<std::int64_t> row;
  std::int64_t kb = 0;
  TwoNumbers warps{4, 2};
  int rows_of_factor = 0;
  const ScaleLayoutRow* layout = nullptr;
};

Options way_options(ScaleWayRequest& r) {
  ScalePlacement& p = r.view.placement;
  const auto type = [](std::string name, const DType*& to, std::string help) {
    return option(std::move(name), "TYPE", to, std::move(help)).offering(names_of(dtypes()));
  };
  Options rows = {
      kind_option(r.kind, "kind of the MMA").by_default_note("none: fp32 factors of wgmma (--vec 128)"),
      factor_option(r.at),
      one_of<int>("--vec", "16|32|128", r.vec, {{"16", 16}, {"32", 32}, {"128", 128}},
                  "elements of K that share a factor")
          .by_default_note("32; without --kind 128"),
      one_of<int>("--rows-of-factor", "1|128", r.rows_of_factor, {{"1", 1}, {"128", 128}},
                  "of --vec 128: rows that share a factor")
          .by_default_note("1 of A, 128 of B"),
      scale_layout_option("--layout", r.layout, "of --vec 128: where the factors are in global memory")
          .by_default_note("mn_major_tma_f32 of A, linear_f32 of B"),
      one_of<ScaleOperand>("--operand", "OPERAND", p.operand, {{"a", ScaleOperand::a}, {"b", ScaleOperand::b}},
                           "whose factors")
          .by_default("a"),
      number("--m", "M", p.m, 128, 256, "M of the whole MMA").by_default("128"),
      number("--n", "N", p.n, 8, 256, "N of the whole MMA").by_default("128"),
      number("--k", "K", r.k, 1, 4096, "K of a tile").in("elements").by_default_note("four MMAs"),
      number("--cta-group", "1|2", p.cta_group, 1, 2, "how many CTAs execute it").by_default("1"),
      number("--cta", "0|1", r.cta, 0, 1, "which CTA of a pair; --row is then a row of it")
          .by_default_note("that of --row, otherwise 0"),
      option("--shape", "ROWSxK", r.shape, "rows and K of the whole operand in global memory")
          .in("elements")
          .by_default_note("those of the tile"),
      option("--origin", "ROWxK", r.origin, "first row and k of the tile in it").in("elements").needing({"--shape"}),
      number("--column", "COLUMN", r.view.tile.column, 0, tmem_columns - 1, "column of the scale address")
          .by_default("0"),
      base_option(r.view.base, "shared-memory address of the stage"),
      option("--warps", "WM,WN", r.warps, "warps along M and N, of mma.sync (--arch sm_120a)").by_default("4,2"),
      number("--row", "ROW", r.row, 0, 255, "the way of one factor of this row of the tile, of both CTAs"),
      number("--kb", "KB", r.kb, 0, 4095, "which factor of the row, from the tile's first k")
          .needing({"--row"})
          .by_default_note("0"),
      dtype_option(r.dtype, "element type of A").by_default_note("the first of the kind"),
      type("--dtype-b", r.dtype_b, "element type of B").by_default_note("that of A"),
      type("--scale-type", r.scale_type, "type of the factors")
          .by_default_note("ue4m3 for 16 elements, otherwise ue8m0")};
  return std::move(rows) + scaled_k_options(r.scaled);
}

// The type, which the kind must accept in this role; if null, the first of the kind.
std::string type_of(const MmaKindRow& kind, TypeRole role, const DType* given) {
  for (const TypeCode& code : type_codes())
    if (code.role == role && contains(code.kinds, kind.kind) && (given == nullptr || code.dtype == given->name))
      return std::string(code.dtype);
  throw usage_error(fmt::format("kind {} does not take {}", kind.name, given->name), legal_type_codes(kind.kind, role));
}

// Takes a row of the whole tile, or with --cta of that CTA; the view counts in the CTA.
void take_row(ScaleWayView& view, const ScaleWayRequest& r) {
  const ScalePlacement& p = view.placement;
  const std::int64_t of_cta = *r.row % p.rows(), cta = *r.row / p.rows();
  if (*r.row >= p.all_rows())
    throw usage_error(fmt::format("there is no row {}", *r.row), fmt::format("row is 0 to {}", p.all_rows() - 1));
  if (r.cta && cta != 0 && cta != *r.cta)
    throw usage_error(fmt::format("row {} is held by CTA {}, not by --cta {}", *r.row, cta, *r.cta), "leave --cta out");
  view.at = ScaleCoordinate{of_cta, r.kb};
  if (!r.cta) view.tile.cta = static_cast<int>(cta);
}

// The block-scaled mma.sync of a target without tensor memory.
Answer warp_way_answer(const ScaleWayRequest& r) {
  const ScalePlacement& p = r.view.placement;
  const int vec = r.vec == 0 ? 32 : r.vec;
  WarpScaleTile tile{.operand = p.operand,
                     .rows = p.operand == ScaleOperand::a ? p.m : p.n,
                     .k = r.k.value_or(r.scaled.sparse ? 256 : 128),
                     .warps_m = static_cast<int>(r.warps.first),
                     .warps_n = static_cast<int>(r.warps.second)};
  const std::string_view type = r.scale_type == nullptr ? std::string_view() : r.scale_type->name;
  if (r.scaled.size() != KSize::usual)
    throw usage_error(fmt::format("mma.sync of kind {} has one K: --k96 and --k128 are of tcgen05.mma", r.kind->name),
                      "leave it out");
  const int block = r.scaled.sparse ? 2 * vec : vec;
  const BlockScaledQuery asked{.kind = r.kind->kind, .is_sparse = r.scaled.sparse, .scale_type = type};
  for (const BlockScaledMma* form : find_block_scaled(asked))
    if (tile.form == nullptr && form->block() == block) tile.form = form;
  if (tile.form == nullptr)
    throw usage_error(fmt::format("mma.sync of kind {} has no scale factors of {} elements", r.kind->name, vec),
                      "swz frag --list mma shows the forms; --vec is 16 or 32");
  if (tile.warps_m < 1 || tile.warps_n < 1 || tile.warps_m * tile.warps_n > 32)
    throw usage_error("--warps is not a tiling of at most 32 warps", "for example 4,2 or 2,2");
  if (r.shape) tile.whole = {r.shape->mn, ceil_div(r.shape->k, block)};
  if (r.origin) tile.origin = {r.origin->mn, r.origin->k / block};
  WarpScaleWayView view{.tile = tile, .base = r.view.base};
  if (r.row) view.at = ScaleCoordinate{*r.row, r.kb};
  return {view_warp_scale_way(view)};
}

// fp32 factors, by which a kernel of wgmma multiplies its accumulators.
Answer blockwise_answer(const ScaleWayRequest& r, const Context& context) {
  const ScalePlacement& p = r.view.placement;
  if (r.scaled.size() != KSize::usual || r.scaled.sparse || p.cta_group != 1)
    throw usage_error("--k96, --k128, --sparse and --cta-group are of tcgen05.mma",
                      "name its --kind, or leave them out");
  const bool is_a = p.operand == ScaleOperand::a;
  BlockwiseWayView view{
      .tile = {.operand = p.operand,
               .layout =
                   r.layout != nullptr ? r.layout : &require_scale_layout(is_a ? "mn_major_tma_f32" : "linear_f32"),
               .rows_of_factor = r.rows_of_factor != 0 ? r.rows_of_factor
                                 : is_a                ? 1
                                                       : blockwise_k,
               .m = p.m,
               .n = p.n,
               .k = r.k.value_or(blockwise_k)},
      .base = r.view.base};
  if (r.shape) view.tile.whole_rows = r.shape->mn, view.tile.whole_k = r.shape->k;
  if (r.origin) view.tile.first_row = r.origin->mn, view.tile.first_k = r.origin->k;
  if (r.at) view.at = BlockwiseWayView::Element{r.at->first, r.at->second};
  else if (r.row) view.at = BlockwiseWayView::Element{*r.row, r.kb * blockwise_k};
  constexpr Availability hopper{0, {"sm_90a"}};
  return on_target({view_blockwise_way(view)}, context, "wgmma", hopper, "PTX ISA 9.1, 9.7.15; ptxas 13.5.37");
}

// Where the tile begins, in factors.
ScaleCoordinate origin_of(const ScaleWayRequest& r, int block) {
  if (!r.origin) return {};
  if (r.origin->k % block != 0)
    throw usage_error(fmt::format("--origin: k {} is inside a factor of {} elements", r.origin->k, block),
                      fmt::format("a multiple of {}", 4 * block));
  return {r.origin->mn, r.origin->k / block};
}

Answer tmem_way_answer(const ScaleWayRequest& r, const Context& context) {
  ScaleWayView view = r.view;
  ScalePlacement& p = view.placement;
  const int vec = r.vec == 0 ? 32 : r.vec;
  p.kind = &require_scale_kind(r.kind->kind, vec, r.scaled.size());
  p.sparse = r.scaled.sparse;
  view.target = &r.scaled.target(*r.kind, context.arch);
  TmemRequest tile{.target = view.target,
                   .kind = r.kind->kind,
                   .shape = {.m = p.m, .cta_group = p.cta_group, .sparse = p.sparse},
                   .n = p.n,
                   .scales = p.kind};
  view.tile.k = tile.k = r.k.value_or(4 * mma_k(tile));
  require_shape(tile);
  if (view.base.count % 16 != 0)
    throw usage_error(fmt::format("--base {:#x} is not a multiple of 16 B", view.base.count),
                      "tcgen05.cp reads from such addresses; tiles begin at multiples of 128 B");
  if (r.cta.value_or(0) >= p.cta_group) throw usage_error("--cta 1 is for --cta-group 2", "leave it out");
  view.tile.cta = r.cta.value_or(0);
  if (r.shape) view.tile.whole = {r.shape->mn, ceil_div(r.shape->k, p.block())};
  view.tile.origin = origin_of(r, p.block());
  if (r.row) take_row(view, r);
  view.dtype_a = type_of(*r.kind, TypeRole::a_b, r.dtype);
  view.dtype_b = r.dtype_b != nullptr ? type_of(*r.kind, TypeRole::a_b, r.dtype_b) : view.dtype_a;
  view.scale_type =
      type_of(*r.kind, TypeRole::scale, r.scale_type == nullptr && vec == 32 ? &require_dtype("ue8m0") : r.scale_type);
  return on_target({view_scale_way(view)}, context, r.scaled.name(*r.kind), r.scaled.availability(*r.kind));
}

Answer way_answer(const ScaleWayRequest& asked, const Context& context) {
  const bool is_blockwise = asked.vec == blockwise_k || (asked.kind == nullptr && asked.vec == 0);
  if (is_blockwise && asked.kind != nullptr)
    throw usage_error("a factor for 128 elements is of no block-scaled MMA",
                      "leave --kind out: the kernel multiplies the accumulators of wgmma");
  if (is_blockwise) return blockwise_answer(asked, context);
  if (asked.kind == nullptr)
    throw usage_error("--kind is missing", "mxf8f6f4, mxf4 or mxf4nvf4; without it the factors are fp32 (--vec 128)");
  if (asked.layout != nullptr || asked.rows_of_factor != 0)
    throw usage_error("--layout and --rows-of-factor are of fp32 factors", "with --kind the layout is 128x4");
  const ScaleWayRequest r = with_factor(asked);
  const bool is_warp = context.arch != nullptr && runs_on(block_scaled_mmas().front().availability, *context.arch);
  return is_warp ? warp_way_answer(r) : tmem_way_answer(r, context);
}

}  // namespace

Commands scale_way_commands() {
  return {
      {.name = "sf way",
       .summary = "the way of scale factors, from global memory to their sf_id",
       .details = R"(The tiles of a CTA's stage, the copy that brings each to tensor memory with its
descriptor, and for each MMA of the tile the address column, the sf_id and the
instruction descriptor. With --at the whole way of one factor. With --arch
sm_120a the way to mma.sync: the stage, the lanes that load a factor, and the
byte of the register that the MMA takes.

Without --kind the factors are fp32, for 1 x 128 elements of A or 128 x 128 of
B: the byte in global memory, and the threads and registers of wgmma's
accumulators that the kernel multiplies by it.)",
       .examples = {{"swz sf way --kind mxf4nvf4 --vec 16 --operand b --n 256 --k 256 --at 200,96", "one factor of B"},
                    {"swz sf way --kind mxf8f6f4 --m 256 --cta-group 2", "the stage of A"},
                    {"swz sf way --arch sm_120a --kind mxf4nvf4 --vec 16 --at 73,64", "to mma.sync"},
                    {"swz sf way --vec 128 --shape 4096x7168 --origin 256x512 --k 256 --at 70,130",
                     "to wgmma's accumulators"}},
       .next = {{"Where does it lie in tensor memory?", "sf tmem {--kind,--vec,--operand,--m,--n,--cta-group,--at}"},
                {"What does the instruction descriptor say?", "decode --as idesc {--kind} {idesc}"},
                {"Does it fit beside the rest?", "tmem plan {--kind,--vec,--m,--n,--cta-group}"},
                {"Which layouts are there?", "sf list {--shape} {--vec}"}},
       .prepare = [] { return prepare(way_options, way_answer); }}};
}

}  // namespace swz
