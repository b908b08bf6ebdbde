// SPDX-License-Identifier: Apache-2.0
// View of a CTA pair: what `swz pair` answers.
#include <fmt/format.h>

#include "arch/mma_choice.hpp"
#include "base/text.hpp"
#include "tmem/plan_lints.hpp"
#include "view/document/figure.hpp"
#include "view/mma/mma_figure.hpp"
#include "view/mma/scale_factor.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
namespace {

Document view_element(const PairView& view, const DataPath& path) {
  const int rows = view.m / 2, half = view.n / 2;
  require_index("row", view.at->row, view.m);
  require_index("column", view.at->column, view.n);
  Document d(fmt::format("D[{}][{}] of a pair, M {}, N {}", view.at->row, view.at->column, view.m, view.n));
  d.answers = {"cta", "row", "b_cta", "col"};
  d.field("cta", "CTA of A and D", view.at->row / rows,
          fmt::format("{}, its row {}", view.at->row / rows, view.at->row % rows));
  d.json("row", view.at->row % rows);
  d.field("b_cta", "CTA of B", view.at->column / half,
          fmt::format("{}, its column {}", view.at->column / half, view.at->column % half));
  d.json("col", view.at->column % half);
  return add_evidence(d, path.source);
}

// Adds what the CTA has of one stage in shared memory, and what its mbarrier counts.
void add_stage(Document& d, const TmemRequest& stage, const PairView& view) {
  require_shape(stage);
  const StageBytes bytes = stage_bytes(stage, view.dtype_b);
  const std::int64_t rest = bytes.scales() + bytes.metadata, smem = bytes.padded_a + bytes.padded_b + rest;
  const auto part = [](std::string_view name, std::int64_t count) {
    return count == 0 ? std::string() : fmt::format(", {} {} B", name, count);
  };
  d.field("stage", "stage",
          {{"k", stage.k},
           {"a", bytes.padded_a},
           {"b", bytes.padded_b},
           {"sfa", bytes.sfa},
           {"sfb", bytes.sfb},
           {"metadata", bytes.metadata},
           {"smem", smem}},
          fmt::format("K {}: A {} B, B {} B{}{}{}: {} B of shared memory in each CTA", stage.k, bytes.padded_a,
                      bytes.padded_b, part("scales of A", bytes.sfa), part("scales of B", bytes.sfb),
                      part("metadata", bytes.metadata), smem));
  d.field("stage.tx", "expect_tx", bytes.sum(),
          fmt::format("{} B for what one CTA loads, {} B for both on one barrier", bytes.sum(), 2 * bytes.sum()));
  d.json("stage.tx_pair", 2 * bytes.sum());
}

}  // namespace

Document view_pair(const PairView& view) {
  require_mma({.m = view.m, .n = view.n, .cta_group = 2, .sparse = view.sparse});
  const DataPath& path = require_data_path({view.m, 2, false, view.sparse});
  const int rows = view.m / 2, half = view.n / 2, v = view.cta;
  if (view.at) return view_element(view, path);
  const auto range = [](int first, int count) { return Json{first, first + count - 1}; };
  Document d(fmt::format("CTA {} of a pair, M {}, N {}", v, view.m, view.n));
  d.answers = {"a_rows", "b_cols", "d_rows", "sfb_cols"};
  d.json("cta", v);
  const auto add = [&](const char* key, const char* label, int first, int count, std::string_view what) {
    d.field(key, label, range(first, count), fmt::format("{} {}", range_text(first, count), what));
  };
  add("a_rows", "A", v * rows, rows, "of M, all of K; its shared or tensor memory");
  add("b_cols", "B", v * half, half, "of N, all of K; its shared memory, which both CTAs read");
  add("d_rows", "D", v * rows, rows, fmt::format("of M, all of N; its tensor memory, data path {}", path.name));
  add("sfb_cols", "scales of B", 0, view.n, "of N: all, in both CTAs");
  add("sfa_rows", "scales of A", v * rows, rows, "of M");
  d.headline = fmt::format("CTA {} holds rows {} of A and D and columns {} of B", v, range_text(v * rows, rows),
                           range_text(v * half, half));
  if (view.stage) add_stage(d, *view.stage, view);
  else d.json("stage", nullptr);
  d.add(pair_drawing(view));
  return add_evidence(d, path.source);
}

}  // namespace swz
