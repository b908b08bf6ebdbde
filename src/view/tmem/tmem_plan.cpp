// SPDX-License-Identifier: Apache-2.0
#include "view/tmem/tmem_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "arch/narrow.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"
#include "view/tmem/plan_bar.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
namespace {

constexpr Source document{"PTX ISA 9.1, 9.7.16.7.1 and 9.7.16.10; CUTLASS 4.7 tmem_frg"};
constexpr Source header{"PTX ISA 9.1, 9.7.16.7.1 and 9.7.16.10; CUTLASS 4.7 tmem_frg, tmem_sf_frg, tmem_e_frg",
                        Evidence::header};

constexpr int line_columns = 32, square_columns = 4;
constexpr int drawn_lines = 32;  // twice the size of tensor memory: a plan that does not fit shows by how much

std::string title_of(const TmemRequest& r) {
  const std::string each = r.scales != nullptr && r.scales->k != KSize::usual
                               ? fmt::format(" in {} of K {}", plural(mmas(r), "MMA"), mma_k(r))
                               : "";
  return fmt::format("tensor memory of kind {}, M {}, N {}, K {}{}, {}{}{}", row_of(r.kind).name, r.shape.m, r.n, r.k,
                     each, r.shape.ws ? ".ws" : fmt::format("cta_group::{}", r.shape.cta_group),
                     r.shape.sparse ? ", sparse" : "",
                     r.shape.cta_group > 1 ? "; CTAs 0 and 1 have the same columns" : "");
}

Json lanes_of(const TmemRegion& region) { return {region.lane, region.lane + region.lanes - 1}; }

Table region_table(const TmemPlan& plan) {
  using Row = TmemRegion;
  const bool has_half = std::ranges::any_of(plan.regions, [](const Row& r) { return r.lanes != tmem_quarter; });
  const bool has_formula = std::ranges::any_of(plan.regions, [](const Row& r) { return !r.formula.empty(); });
  const auto right = Column::Align::right;
  return table_of<Row>("regions", "columns", plan.regions,
                       {{"name", "what", &Row::name},
                        {"stages", "stages", &Row::stages, right},
                        {"columns", "columns each", &Row::columns, right},
                        {"first", "first", &Row::first, right},
                        {"last", "last", [](const Row& r) { return Cell(r.end() - 1); }, right},
                        {"lanes", has_half ? "lanes of a quarter" : "",
                         [](const Row& r) { return Cell(lanes_of(r), range_text(r.lane, r.lanes)); }},
                        {"bytes", "bytes", [](const Row& r) { return Cell(r.bytes()); }, right},
                        {"formula", has_formula ? "columns of a stage" : "", [](const Row& r) {
                           return Cell(or_null(r.formula), r.formula.empty() ? "as the kernel has it" : r.formula);
                         }}});
}

// For two options a number is a name.
Json value_of(std::string_view option, int value) {
  if (option == "--a-in") return value == 1 ? "tmem" : "smem";
  if (option == "--stacking") return value == 1 ? "interleaved" : "apart";
  if (option == "--exclusive") return value == 1 ? "alloc.exclusive" : "alloc";
  return value;
}

std::string change_text(const TmemChange& change) {
  const auto text = [&](int value) {
    const Json json = value_of(change.option, value);
    return json.is_string() ? json.get<std::string>() : json.dump();
  };
  return fmt::format("{} {} instead of {}", change.option, text(change.to), text(change.from));
}

void add_nearest(Document& d, const std::vector<TmemAlternative>& alternatives) {
  d.json("nearest", json_list(alternatives, [](const TmemAlternative& a) -> Json {
           return {{"changes", json_list(a.changes,
                                         [](const TmemChange& c) -> Json {
                                           return {{"option", c.option},
                                                   {"from", value_of(c.option, c.from)},
                                                   {"to", value_of(c.option, c.to)}};
                                         })},
                   {"columns", a.plan.columns},
                   {"allocation", *a.plan.allocation}};
         }));
  for (const TmemAlternative& a : alternatives) {
    std::vector<std::string> changes;
    for (const TmemChange& change : a.changes) changes.push_back(change_text(change));
    d.line("would fit", fmt::format("{}: {} columns", join_and(changes), a.plan.columns), Tone::accent);
  }
}

// In which of the columns a region lies, counted once each.
int used_columns(const TmemPlan& plan) {
  std::vector<bool> is_used(static_cast<std::size_t>(plan.columns), false);
  for (const TmemRegion& region : plan.regions)
    std::fill(is_used.begin() + region.first, is_used.begin() + region.end(), true);
  return static_cast<int>(std::ranges::count(is_used, true));
}

// "268 of 512 columns are used"; with gaps between regions "256 of 512 columns are used, the last is 383".
std::string used_text(const TmemPlan& plan, int allocated) {
  const int used = used_columns(plan);
  return fmt::format("{} of {} columns are used{}", used, allocated,
                     used == plan.columns ? "" : fmt::format(", the last is {}", plan.columns - 1));
}

// What is left after the last region, and in all if there are gaps before it.
std::string free_text(const TmemPlan& plan) {
  const int after = *plan.allocation - plan.columns, all = *plan.allocation - used_columns(plan);
  return after == all ? std::to_string(all) : fmt::format("{}, {} of them after the last region", all, after);
}

std::string verdict(const TmemPlan& plan, const TmemRequest& r) {
  const std::string used = plural(plan.columns, "column");
  if (plan.fits) return "yes: " + used_text(plan, *plan.allocation);
  if (!plan.allocation) return fmt::format("no: {}, {} more than there are", used, plan.columns - most_columns(r));
  if (plan.columns > *plan.allocation) return fmt::format("no: {}, {} are allocated", used, *plan.allocation);
  if (r.exclusive && r.ctas_per_sm > 1)
    return fmt::format("no: alloc.exclusive in {} CTAs; an SM has one such allocation", r.ctas_per_sm);
  if (r.ctas_per_sm == 1) return fmt::format("no: {} allocated, {} there are", *plan.allocation, most_columns(r));
  return fmt::format("no: {} times {} columns; there are {}", r.ctas_per_sm, *plan.allocation, most_columns(r));
}

// The verdict, and the first thing that is wrong with a plan that fits.
std::string headline_of(const TmemPlan& plan, const TmemRequest& r, const std::vector<Finding>& lints) {
  for (const Finding& finding : lints)
    if (plan.fits && finding.severity != Severity::note)
      return short_sentence(
          fmt::format("{}; {} of {} columns are used", finding.message, used_columns(plan), *plan.allocation));
  const std::string text = verdict(plan, r);
  return short_sentence((plan.fits ? "fits: " : "does not fit: ") + text.substr(text.find(": ") + 2));
}

std::vector<std::string_view> open_of(const TmemPlanView& view, const std::vector<Finding>& findings) {
  const TmemRequest& r = view.request;
  const DataPath& path = require_data_path(r.shape);
  std::vector<std::string_view> open;
  if (path.name == "C") open.push_back("sparse-m128-pair");
  if (r.a_in_tmem && path.name == "F") open.push_back("a-m64-lanes");
  if (r.a_in_tmem && path.name == "G") open.push_back("a-layout-g");
  if (r.scales != nullptr) open.push_back("scale-columns");
  if (r.scales != nullptr && r.shape.m == 128 && r.shape.cta_group == 2)
    open.insert(open.end(), {"sfa-m128-pair", "sfb-m128-pair"});
  if (r.shape.sparse && path.name == "F") open.push_back("metadata-m64");
  if (view.claims.expect_tx && row_of(r.kind).has_8bit_slots) {
    const auto has_gaps = [&](std::string_view dtype) {
      return !dtype.empty() && r.kind != MmaKind::i8 && require_narrow_form(r.kind, dtype).has_gaps;
    };
    if (has_gaps(r.dtype) || has_gaps(view.claims.dtype_b)) open.push_back("tx-bytes");
  }
  if (std::ranges::any_of(findings, [](const Finding& f) { return f.rule == "warp-lanes"; }))
    open.push_back("warp-lane-bits");
  return open;
}

std::vector<Finding> notes_of(const TmemRequest& r) {
  std::vector<Finding> notes;
  if (is_interleaved(r) && r.stages % 2 == 1 && r.stages > 1)
    notes.push_back(note("odd-interleaved",
                         fmt::format("CuTe's Interleaved does not compile with {} accumulators", r.stages),
                         "take an even number, or --stacking apart"));
  if (is_interleaved(r) && r.stages > 1 && (r.a_in_tmem || r.shape.sparse))
    notes.push_back(note("lane-base",
                         "A, D and metadata of one MMA must have the same lanes: those of the second accumulator "
                         "lie 16 lanes further",
                         "--stacking apart keeps all of them at lane 0 of each quarter"));
  return notes;
}

// ---- the picture

// The first of the stages that have the column, and all of them: "D0", for a single stage "D"; for a half-used data
// path two.
struct StagesAt {
  int first = 0;
  std::string text;
};

StagesAt stages_at(const TmemRegion& r, int column) {
  if (r.stages == 1 || r.columns == 0) return {0, r.name};
  const int slots = std::max(1, r.count / r.columns), slot = (column - r.first) * slots / r.count;
  const int side_by_side = (r.stages + slots - 1) / slots;
  std::string text;
  for (int stage = slot * side_by_side; stage < std::min(r.stages, (slot + 1) * side_by_side); ++stage)
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", r.name, stage);
  return {slot * side_by_side, text};
}

Grid::Square square_of(const TmemPlan& plan, int first, int allocated) {
  Grid::Square square;
  const int end = first + square_columns;
  const TmemRegion* before = nullptr;
  int covered = first;
  for (const TmemRegion& r : plan.regions) {
    if (r.first >= end || r.end() <= first) continue;
    const auto [stage, name] = stages_at(r, std::max(first, r.first));
    square.text += (square.text.empty() ? "" : " ") + name;
    const int hue = static_cast<int>(&r - plan.regions.data()) % 8;
    if (before == nullptr) square.tint = {hue, stage % 4};
    if (before != nullptr && share_cells(*before, r)) square.mark = Mark::colliding;
    covered = std::max(covered, std::min(end, r.end()));
    before = &r;
  }
  if (before != nullptr) square.outside = static_cast<double>(end - covered) / square_columns;
  if (first >= allocated) square.mark = before == nullptr ? Mark::faint : Mark::colliding;
  square.tip = fmt::format("columns {}: {}", range_text(first, square_columns),
                           before != nullptr   ? square.text
                           : first < allocated ? "allocated, free"
                                               : "not allocated");
  return square;
}

// Among lines of text, the document already has the title.
Figure plan_figure(const TmemPlan& plan, std::string title) {
  const int allocated = plan.allocation.value_or(tmem_columns);
  const int lines = std::min(drawn_lines, (std::max(plan.columns, allocated) + line_columns - 1) / line_columns);
  Grid grid = grid_of(
      "", "column", labels_of(lines * line_columns, line_columns, [](std::int64_t c) { return std::to_string(c); }),
      labels_of(line_columns, square_columns, [](std::int64_t c) { return fmt::format("+{}", c); }),
      [&](std::int64_t line, std::int64_t square) {
        return square_of(plan, static_cast<int>(line * line_columns + square * square_columns), allocated);
      });
  for (std::size_t line = 0; line < grid.squares.size(); ++line) grid.key_rows.push_back(line);
  std::vector<LegendEntry> legend;
  for (const TmemRegion& r : plan.regions)
    legend.push_back({fmt::format("{} {}", r.name, range_text(r.first, r.count)),
                      {static_cast<int>(&r - plan.regions.data()) % 8, 0}});
  const auto collides = [](const Grid::Square& square) { return square.mark == Mark::colliding; };
  const auto any = [&](const std::vector<Grid::Square>& line) { return std::ranges::any_of(line, collides); };
  if (std::ranges::any_of(grid.squares, any))
    legend.push_back({"shared, or beyond the allocation", {}, Mark::colliding});
  Figure figure{std::move(title), {{std::move(grid)}}, std::move(legend)};
  figure.caption = fmt::format("{}; a square is {} columns of 128 lanes", used_text(plan, allocated), square_columns);
  return figure;
}

}  // namespace

TmemPlanAnswer view_tmem_plan(const TmemPlanView& view) {
  const TmemRequest& r = view.request;
  require_shape(r);
  const bool is_given = !view.claims.regions.empty();
  const TmemPlan plan = is_given ? plan_tmem(r, view.claims.regions) : plan_tmem(r);
  const std::vector<Finding> lints = lint(PlannedKernel{r, view.claims, plan});
  Document d(title_of(r));
  d.answers = {"fits", "columns", "allocation"};
  d.headline = headline_of(plan, r, lints);
  if (plan.fits && has_lints(lints)) d.line("verdict", d.headline, Tone::bad);
  d.field("fits", "fits", plan.fits, verdict(plan, r), plan.fits ? Tone::good : Tone::bad);
  d.json("columns", plan.columns);
  d.field("allocation", "allocation", plan.allocation ? Json(*plan.allocation) : Json(),
          plan.allocation ? fmt::format("{} columns, {}", *plan.allocation,
                                        !view.claims.allocations.empty() ? "as the kernel has it"
                                        : r.exclusive ? "the least multiple of 32 that holds them: alloc.exclusive"
                                                      : "the least power of two that holds them")
                          : "none holds them");
  if (plan.fits) d.field("free", "free", *plan.allocation - plan.columns, free_text(plan));
  else d.json("free", nullptr);
  constexpr int bar_width = 78;
  d.add(Paragraph{tmem_bar_text(plan, bar_width), Tone::plain, true});
  d.add(tmem_bar(plan, most_columns(r)));
  d.add(region_table(plan));
  add_nearest(d, is_given ? std::vector<TmemAlternative>() : nearest_plans(r));
  const StageBytes bytes = stage_bytes(r, view.claims.dtype_b);
  d.field("tx_bytes", view.claims.expect_tx ? "expect_tx" : "",
          {{"a", bytes.a},
           {"b", bytes.b},
           {"sfa", bytes.sfa},
           {"sfb", bytes.sfb},
           {"metadata", bytes.metadata},
           {"sum", bytes.sum()}},
          fmt::format("{} B {}", bytes.sum(), to_string(bytes)));
  std::vector<Finding> findings = notes_of(r);
  findings.insert(findings.end(), lints.begin(), lints.end());
  d.findings(findings);
  Document grounds;
  add_open(grounds, open_of(view, lints));
  add_evidence(grounds, r.scales != nullptr || r.shape.sparse ? header : document);
  for (Block& block : grounds.blocks) d.add(in_full(std::move(block)));
  d.add(in_full(Drawing{[plan, title = d.title](Medium medium) {
    return Document().add(plan_figure(plan, medium == Medium::page ? title : ""));
  }}));
  return {std::move(d), plan.fits};
}

}  // namespace swz
