// SPDX-License-Identifier: Apache-2.0
// swz sf tmem: where scale factors are in tensor memory.
#include "arch/mma_choice.hpp"
#include "base/text.hpp"
#include "on_target.hpp"
#include "operand_request.hpp"
#include "tmem_request.hpp"
#include "view/mma/scale_factor.hpp"

namespace swz {

namespace {

Option vec_option(int& vec) {
  return one_of<int>("--vec", "16|32", vec, {{"16", 16}, {"32", 32}}, "elements of K that share a factor");
}

struct ScalePlaceRequest {
  const MmaKindRow* kind = nullptr;
  int vec = 0;
  ScalePlaceView view;
  std::optional<TwoNumbers> at;
  std::optional<std::int64_t> row;
  std::int64_t kb = 0;
  ScaledK scaled;
};

Options scale_place_options(ScalePlaceRequest& r) {
  ScalePlacement& p = r.view.placement;
  Options rows = {
      kind_option(r.kind, "kind of the MMA").required(),
      vec_option(r.vec).by_default_note("32"),
      factor_option(r.at),
      one_of<ScaleOperand>("--operand", "OPERAND", p.operand, {{"a", ScaleOperand::a}, {"b", ScaleOperand::b}},
                           "whose factors")
          .by_default("a"),
      number("--m", "M", p.m, 1, 256, "M of the whole MMA").by_default("128"),
      number("--n", "N", p.n, 1, 256, "N of the whole MMA").by_default("128"),
      number("--cta-group", "1|2", p.cta_group, 1, 2, "how many CTAs execute it").by_default("1"),
      sfa_layout_option(p.in_128_lanes),
      number("--row", "ROW", r.row, 0, 255, "where the factor of this row of the operand lies, of both CTAs"),
      number("--kb", "KB", r.kb, 0, 4095, "which factor of the row, from the tile's first k")
          .needing({"--row"})
          .by_default_note("0"),
      option("--cell", "LANE,COLUMN,BYTE", r.view.cell, "which factor lies there").excluding({"--at", "--row"}),
      number("--cta", "CTA", r.view.cta, 0, 1, "CTA of --cell").needing({"--cell"}).by_default_note("0"),
      number("--column", "COLUMN", r.view.column, 0, tmem_columns - 1, "column of the scale address").by_default("0"),
      flag("--map", r.view.has_map,
           "in JSON also lane, column and byte of every factor of the first MMA, at least four of a row")};
  return std::move(rows) + scaled_k_options(r.scaled);
}

Answer scale_place_answer(const ScalePlaceRequest& asked, const Context& context) {
  const ScalePlaceRequest r = with_factor(asked);
  ScalePlaceView view = r.view;
  ScalePlacement& p = view.placement;
  p.kind = &require_scale_kind(r.kind->kind, r.vec == 0 ? 32 : r.vec, r.scaled.size());
  p.sparse = r.scaled.sparse;
  if (p.in_128_lanes && p.operand == ScaleOperand::b)
    throw usage_error("--sfa-layout is of A", "the factors of B are in 32 lanes, four times");
  require_mma({.kinds = kind_set({r.kind->kind}),
               .m = p.m,
               .n = p.n,
               .cta_group = p.cta_group,
               .sparse = p.sparse,
               .k = p.kind->k,
               .vec = p.kind->vec});
  if (view.cta >= p.cta_group) throw usage_error("--cta 1 is for --cta-group 2", "leave it out");
  if (r.row) view.at = ScaleCoordinate{*r.row, r.kb};
  Answer answer{view_scale_place(view)};
  if (p.in_128_lanes)
    return on_target(std::move(answer), context, "scale factors of A in 128 lanes", available::rubin,
                     "PTX ISA 9.4, tables 52 and 53");
  return on_target(std::move(answer), context, r.scaled.name(*r.kind), r.scaled.availability(*r.kind));
}

}  // namespace

Commands scale_tmem_commands() {
  return {{.name = "sf tmem",
           .summary = "where the MMA takes a scale factor from in tensor memory",
           .details = R"(The lanes, column and byte of a factor, the MMA of the tile that takes it, and
the address column and sf_id that name it.)",
           .examples = {{"swz sf tmem --kind mxf4nvf4 --vec 16 --operand b --n 256 --at 200,96 --column 80",
                         "a factor of B"}},
           .next = {{"How does it get there?", "sf way {--kind,--vec,--operand,--m,--n,--cta-group,--at}"},
                    {"Does it fit beside the rest?", "tmem plan {--kind,--vec,--m,--n,--cta-group}"}},
           .prepare = [] { return prepare(scale_place_options, scale_place_answer); }}};
}

}  // namespace swz
