// SPDX-License-Identifier: Apache-2.0
#include "view/tmem/tmem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/open_question.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"
#include "view/tmem/tmem_figure.hpp"

namespace swz {
namespace {

std::string form_text(const DataPath& path) {
  return fmt::format("M {}, cta_group::{}{}{}", path.m, path.cta_group, path.ws == WarpSpecialized::yes ? ", .ws" : "",
                     path.sparsity == Sparsity::sparse ? ", sparse" : "");
}

std::string lanes_text(const std::vector<int>& lanes) { return fmt::format("{}", fmt::join(lanes, ", ")); }

// The part of D that one warp of a warpgroup reads: its rows and columns of the MMA.
struct WarpRead {
  int cta = 0, warp = 0;
  int first_row = 0, last_row = 0, first_n = 0, last_n = 0;
};

std::vector<WarpRead> warp_reads(const Accumulator& d) {
  std::vector<WarpRead> reads;
  for (int cta = 0; cta < d.path().cta_group; ++cta)
    for (int warp = 0; warp < 4; ++warp) {
      const int lane = warp * tmem_quarter, last = lane + (d.path().is_scattered ? 15 : tmem_quarter - 1);
      const auto first_element = d.element({cta, lane, 0}), last_element = d.element({cta, last, d.columns() - 1});
      if (first_element && last_element)
        reads.push_back(
            {cta, warp, first_element->row, last_element->row, first_element->column, last_element->column});
    }
  return reads;
}

Table warp_table(const Accumulator& d) {
  const auto range = [](int first, int last) { return Cell(Json{first, last}, range_text(first, last - first + 1)); };
  const std::vector<ColumnOf<WarpRead>> columns{
      {"cta", d.path().cta_group > 1 ? "CTA" : "", &WarpRead::cta},
      {"warp", "warp", &WarpRead::warp},
      {"lanes", "lanes",
       [&](const WarpRead& w) {
         const int lane = w.warp * tmem_quarter;
         return range(lane, lane + (d.path().is_scattered ? 15 : tmem_quarter - 1));
       }},
      {"rows", "rows of D", [&](const WarpRead& w) { return range(w.first_row, w.last_row); }},
      {"cols", "columns of D", [&](const WarpRead& w) { return range(w.first_n, w.last_n); }}};
  return table_of<WarpRead>("warps", "what each warp of a warpgroup reads", warp_reads(d), columns);
}

void add_place(Document& d, const Accumulator& accumulator, const TmemCell& cell, Coordinate at) {
  d.field("row", "element", at.row, fmt::format("D[{}][{}]", at.row, at.column)).json("col", at.column);
  d.json("layout", accumulator.path().name).json("cta", cell.cta);
  d.field("lane", "lies at", cell.lane,
          fmt::format("{}lane {}, column {}", accumulator.path().cta_group > 1 ? fmt::format("CTA {}, ", cell.cta) : "",
                      cell.lane, cell.column));
  d.json("column", cell.column);
  const std::string address = hex32(tmem_address(cell.lane, cell.column));
  d.field("address", "address", address, address + "  relative to that of D");
  d.field("columns", "columns", accumulator.columns());
}

std::vector<std::string_view> open_of_d(const DataPath& path) {
  if (path.name == "C") return {"sparse-m128-pair"};
  return {};
}

std::vector<std::string_view> open_of_a(const DataPath& path, const Container& container) {
  std::vector<std::string_view> open;
  if (path.name == "F") open.push_back("a-m64-lanes");
  if (path.name == "G") open.push_back("a-layout-g");
  if (container.value_bits == 6) open.push_back("fp6-container");
  if (container.value_bits < container.bits) open.push_back("narrow-a-place");
  return open;
}

}  // namespace

void require_index(std::string_view name, std::int64_t index, std::int64_t count) {
  if (index < 0 || index >= count)
    throw usage_error(fmt::format("there is no {} {}", name, index), fmt::format("{} is 0 to {}", name, count - 1));
}

Json open_json(const std::vector<std::string_view>& names) {
  return json_list(names, [](std::string_view name) -> Json {
    const OpenQuestion& q = open_question(name);
    Json answers = Json::array();
    for (const std::string_view answer : q.answers)
      if (!answer.empty()) answers.push_back(answer);
    return {{"question", q.question},
            {"answers", answers},
            {"probe", q.probe},
            {"evidence", to_string(q.source.evidence)},
            {"source", q.source.where}};
  });
}

void add_open(Document& d, const std::vector<std::string_view>& names) {
  d.json("open", open_json(names));
  for (const std::string_view name : names) {
    const OpenQuestion& q = open_question(name);
    std::string others;
    for (const std::string_view answer : q.answers)
      if (!answer.empty() && answer != q.answers[0])
        others += fmt::format("{}{}", others.empty() ? "" : "; or ", answer);
    const std::string reporter =
        q.source.evidence == Evidence::reported
            ? fmt::format(". Reported: {}; open until 'swz verify' has measured it", q.source.where)
            : std::string();
    const auto line = [](std::string text) { return Field{"", "open", nullptr, std::move(text), Tone::accent}; };
    d.add(in_full(line(fmt::format("{}: here {}; or {}{}", q.question, q.answers[0], others, reporter))));
    d.add(in_short(line(fmt::format("{}: here {}", q.question, q.answers[0]))));
  }
}

std::string evidence_text(const Source& source) {
  const std::string_view by = source.evidence == Evidence::reported ? " by swz" : "";
  return fmt::format("{}; not measured{}: no Blackwell GPU was available", to_string(source), by);
}

Document& add_evidence(Document& d, const Source& source) {
  add_headline(d);
  d.json("evidence", to_string(source.evidence));
  const auto line = [](std::string text) { return Field{"", "evidence", nullptr, std::move(text)}; };
  d.add(in_full(line(evidence_text(source))));
  d.add(in_short(line(fmt::format("{}, not measured; where: --full", to_string(source.evidence)))));
  return d.json("source", source.where);
}

void add_cta(Document& d, int cta_group, int cta) { d.field("cta", cta_group > 1 ? "CTA" : "", cta); }

void add_ctas(Document& d, const std::vector<int>& ctas, int cta_group, std::string_view what) {
  d.field("ctas",
          cta_group == 1    ? ""
          : ctas.size() > 1 ? "CTAs"
                            : "CTA",
          ctas, fmt::format("{}{}{}", fmt::join(ctas, " and "), what.empty() ? "" : ": ", what));
}

Document view_accumulator(const Accumulator& accumulator, const AccumulatorView& view) {
  const DataPath& path = accumulator.path();
  const int bits = view.dtype != nullptr ? view.dtype->value_bits : 32;
  Document d(fmt::format("D in data path {}: {}, N {}", path.name, form_text(path), accumulator.n()));
  if (view.cell) {
    const auto at = accumulator.element(*view.cell);
    if (!at)
      throw usage_error(fmt::format("no element of D lies in CTA {}, lane {}, column {}", view.cell->cta,
                                    view.cell->lane, view.cell->column),
                        path.is_scattered ? "D takes lanes 0-15 of each quarter of 32"
                                          : fmt::format("D takes {} columns of 128 lanes", accumulator.columns()));
    d.answers = {"row", "col"};
    add_place(d, accumulator, *view.cell, *at);
  } else if (view.at) {
    require_index("row", view.at->row, path.m);
    require_index("column", view.at->column, accumulator.n());
    d.answers = {"cta", "lane", "column", "address"};
    add_place(d, accumulator, accumulator.place(*view.at), *view.at);
  } else {
    d.answers = {"layout", "columns"};
    d.field("layout", "data path", path.name);
    d.field("columns", "columns", accumulator.columns(),
            fmt::format("{} of {} in each CTA", accumulator.columns(), tmem_columns));
    d.json("rows", path.rows());
    d.field("cute", "layout", to_string(accumulator.layout()),
            fmt::format("{}  (row of the CTA, n) -> address", to_string(accumulator.layout())));
    if (path.is_scattered)
      d.line("beside it", "lanes 16-31 of each quarter are free: a second D fits there, its address at lane 16");
    d.add(warp_table(accumulator));
  }
  d.headline = view.cell || view.at ? headline_of(d, {"element", "lies at"})
                                    : fmt::format("D takes {} of {} columns{}", accumulator.columns(), tmem_columns,
                                                  path.cta_group > 1 ? " in each CTA" : "");
  d.field("bits", bits < 32 ? "bits" : "", Json{0, bits - 1},
          fmt::format("0-15 of each column; D is never packed, and bits 16-31 are written with 0. {}",
                      to_string(cell_of_16_bits)));
  d.add(accumulator_drawing(accumulator, view));
  Json map;
  if (view.has_map) {
    map = Json::array();
    for (int row = 0; row < path.m; ++row)
      for (int n = 0; n < accumulator.n(); ++n) {
        const TmemCell cell = accumulator.place({row, n});
        map.push_back({cell.cta, cell.lane, cell.column});
      }
  }
  d.json("map", std::move(map));
  add_open(d, open_of_d(path));
  add_evidence(d, path.source);
  return d;
}

namespace {

void add_a_place(Document& d, const OperandAView& view, const Container& container, const MmaKindRow& kind) {
  require_index("row", view.at->row, view.path->m);
  if (view.at->column < 0) throw usage_error("k is not below 0", "k continues over the MMAs of a tile");
  const TmemElement e = operand_a_place(*view.path, container, view.at->row, view.at->column, view.column);
  if (e.column >= tmem_columns)
    throw usage_error(fmt::format("k {} would lie in column {}; there are {}", view.at->column, e.column, tmem_columns),
                      fmt::format("from column {} on k is at most {}", view.column,
                                  (tmem_columns - view.column) * 32 / container.bits - 1));
  d.answers = {"cta", "lanes", "column", "bits"};
  d.field("row", "element", view.at->row, fmt::format("A[{}][{}]", view.at->row, view.at->column))
      .json("k", view.at->column);
  add_cta(d, view.path->cta_group, e.cta);
  d.field("lanes", e.lanes.size() == 1 ? "lane" : "lanes", e.lanes, lanes_text(e.lanes));
  d.field("column", "column", e.column);
  d.field("bits", "bits", Json{e.first_bit, e.first_bit + e.bits - 1}, range_text(e.first_bit, e.bits));
  d.json("mma", view.at->column / kind.k_dense);
}

// The element in a place.
Coordinate add_a_of_cell(Document& d, const OperandAView& view, const Container& container, const MmaKindRow& kind) {
  const auto e = operand_a_element(*view.path, container, view.cta, view.cell->lane, view.cell->column,
                                   view.cell->inside, view.column);
  if (!e)
    throw usage_error(
        fmt::format("no element of A lies in CTA {}, lane {}, column {}, bit {}", view.cta, view.cell->lane,
                    view.cell->column, view.cell->inside),
        view.path->is_scattered
            ? "A takes lanes 0-15 of each quarter of 32"
            : fmt::format("A begins in column {}; a container of {} bits has its value in bits {}", view.column,
                          container.bits, range_text(container.first_bit, container.value_bits)));
  d.answers = {"row", "k"};
  d.field("row", "element", e->row, fmt::format("A[{}][{}]", e->row, e->k)).json("k", e->k);
  d.json("mma", e->k / kind.k_dense);
  add_cta(d, view.path->cta_group, view.cta);
  return {e->row, static_cast<int>(e->k)};
}

void add_a_summary(Document& d, const OperandAView& view, const Container& container, const MmaKindRow& kind) {
  operand_a_place(*view.path, container, 0, 0, 0);  // throws if there is no answer
  d.answers = {"container_bits", "columns_per_mma", "copies"};
  d.field("container_bits", "container", container.bits, fmt::format("{} bits for each element", container.bits));
  d.field("columns_per_mma", "columns", kind.k_dense * container.bits / 32,
          fmt::format("{} for each MMA of K {}", kind.k_dense * container.bits / 32, kind.k_dense));
  d.field("copies", "copies", view.path->parts,
          view.path->parts == 1
              ? "1"
              : fmt::format("{}, {} lanes apart: one for each part of N", view.path->parts, view.path->rows()));
  if (view.path->cta_group > 1)
    d.line("CTAs", fmt::format("0 has rows {}, 1 rows {}", range_text(0, view.path->rows()),
                               range_text(view.path->rows(), view.path->rows())));
}

}  // namespace

Document view_operand_a(const OperandAView& view) {
  OperandAView shown = view;  // with the point, also if the cell was asked for
  const Container container = container_of(view.kind, view.dtype->name);
  const MmaKindRow& kind = row_of(view.kind);
  Document d(fmt::format("A of {} in tensor memory, {}, kind {}", view.dtype->name, form_text(*view.path), kind.name));
  if (view.at) add_a_place(d, view, container, kind);
  else if (view.cell) shown.at = add_a_of_cell(d, view, container, kind);
  else add_a_summary(d, view, container, kind);
  d.headline = view.at || view.cell ? headline_of(d, {"element", "CTA", "lane", "lanes", "column", "bits"})
                                    : fmt::format("an MMA reads {} columns of A: K {} of {} bits",
                                                  kind.k_dense * container.bits / 32, kind.k_dense, container.bits);
  d.add(operand_a_drawing(shown));
  Json map;
  for (int row = 0; row < view.path->m && view.has_map; ++row)
    for (int k = 0; k < kind.k_dense; ++k) {
      const TmemElement e = operand_a_place(*view.path, container, row, k, view.column);
      map.push_back({e.cta, e.lanes.front(), e.column, e.first_bit});
    }
  d.json("map", std::move(map));
  add_open(d, open_of_a(*view.path, container));
  add_evidence(d, operand_a_source(*view.path, view.kind, view.dtype->name));
  return d;
}

}  // namespace swz
