// SPDX-License-Identifier: Apache-2.0
#include "view/mma/scale_factor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "arch/mma_choice.hpp"
#include "arch/narrow.hpp"
#include "arch/tensor_memory.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"
#include "view/mma/mma_figure.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
std::string bits_text(std::int64_t first, int count) { return fmt::format("{}:{}", first + count - 1, first); }

Json place_json(Bits first, int bits) {
  return {{"byte", first.count / 8}, {"bits", bits_text(first.count % 8, bits)}};
}

std::string place_text(Bits first, int bits) {
  return fmt::format("byte {}, bits {}", first.count / 8, bits_text(first.count % 8, bits));
}

std::string copies_text(const ScalePlacement& p) {
  return p.in_128_lanes ? "a row in each lane, once"
                        : fmt::format("{} quarters of the lanes hold the same", p.copies());
}

std::string k_text(const ScalePlacement& p) {
  return fmt::format("{}{}", p.sparse ? ", sparse" : "",
                     p.kind->k == KSize::usual ? "" : fmt::format(", K {}", p.mma_k()));
}

namespace {

constexpr std::string_view in_both = "the factors of all of N lie in both";

// The place of a factor; returns the factor as its CTA counts it.
ScaleCoordinate add_scale_place(Document& d, const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  d.answers = {"ctas", "lanes", "column", "byte", "address_column", "sf_id"};
  require_index("row", view.at->row, p.all_rows());
  if (view.at->kb < 0) throw usage_error("the factor of a row is not below 0", "it counts from the tile's first k");
  const ScaleCoordinate at{view.at->row % p.rows(), view.at->kb};
  const ScalePlace place = scale_place(p, at, view.column);
  if (place.column >= tmem_columns)
    throw usage_error(
        fmt::format("factor {} would lie in column {}; there are {}", view.at->kb, place.column, tmem_columns),
        fmt::format("from column {} on a row has {} factors", view.column,
                    (tmem_columns - view.column) / p.columns_per_word() * 4));
  const std::int64_t first = view.at->kb * p.block();
  d.field("row", "factor", view.at->row,
          fmt::format("{} of row {}, k {}", view.at->kb, view.at->row, range_text(first, p.block())));
  d.json("kb", view.at->kb).json("k", Json{first, first + p.block() - 1});
  add_ctas(d, p.ctas(view.at->row), p.cta_group, p.is_in_both() ? in_both : "");
  d.field("lanes", "lanes", place.lanes, fmt::format("{}", fmt::join(place.lanes, ", ")));
  d.field("column", "column", place.column).field("byte", "byte", place.byte);
  d.field("mma", "MMA", place.mma, fmt::format("{} of the tile", place.mma));
  d.field("address_column", "address", place.address_column,
          fmt::format("column {} and sf_id {} in the instruction descriptor", place.address_column, place.sf_id));
  d.json("sf_id", place.sf_id);
  return at;
}

// The factor in a place.
ScaleCoordinate add_scale_of_cell(Document& d, const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  d.answers = {"row", "kb"};
  const auto at = scale_at(p, view.cell->lane, view.cell->column, view.cell->inside, view.column);
  if (!at)
    throw usage_error(fmt::format("no factor lies in lane {}, column {}", view.cell->lane, view.cell->column),
                      fmt::format("factors begin at column {}, a row in each lane of a quarter; rows are 0 to {}",
                                  view.column, p.rows() - 1));
  const ScalePlace place = scale_place(p, *at, view.column);
  const std::int64_t row = p.is_in_both() ? at->row : view.cta * p.rows() + at->row;
  add_ctas(d, p.ctas(row), p.cta_group, p.is_in_both() ? in_both : "");
  d.field("row", "row", row).field("kb", "factor", at->kb);
  d.field("mma", "MMA", place.mma, fmt::format("{} of the tile", place.mma)).json("sf_id", place.sf_id);
  d.json("address_column", place.address_column);
  return *at;
}

void add_scale_summary(Document& d, const ScalePlacement& p) {
  d.answers = {"factors_per_mma", "columns_per_word", "copies"};
  d.field("factors_per_mma", "factors", p.kind->factors, fmt::format("{} of each row and MMA", p.kind->factors));
  d.field("columns_per_word", "columns", p.columns_per_word(),
          fmt::format("{} for every four factors", p.columns_per_word()));
  d.field("copies", "copies", p.copies(), copies_text(p));
  if (p.cta_group > 1)
    d.line("CTAs", p.is_in_both() ? std::string(in_both)
                                  : fmt::format("0 has rows {}, 1 rows {}", range_text(0, p.rows()),
                                                range_text(p.rows(), p.rows())));
}

// What one MMA reads: "MMA j reads byte j % 4 of 4 columns: one factor of each row".
std::string reading_text(const ScalePlacement& p) {
  const std::string columns = plural(p.columns_per_word(), "column"), factors = plural(p.kind->factors, "factor");
  if (p.kind->factors == 1) return fmt::format("MMA j reads byte j % 4 of {}: one factor of each row", columns);
  if (4 % p.kind->factors == 0)
    return fmt::format("an MMA reads {} of {}: {} of each row", plural(p.kind->factors, "byte"), columns, factors);
  return fmt::format("an MMA reads {} of each row, 4 in {}", factors, columns);
}

// [lane, column, byte] of each factor of a row, row by row.
Json scale_place_map(const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  Json map = Json::array();
  for (int row = 0; row < p.rows(); ++row)
    for (int kb = 0; kb < std::max(4, p.kind->factors); ++kb) {
      const ScalePlace place = scale_place(p, {row, kb}, view.column);
      map.push_back({place.lanes.front(), place.column, place.byte});
    }
  return map;
}

}  // namespace

Document view_scale_place(const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  ScalePlaceView shown = view;
  const std::string_view kind = row_of(p.kind->kind).name;
  Document d(fmt::format("scale factors of {} in tensor memory, kind {}{}, one for {} elements",
                         p.operand == ScaleOperand::a ? "A" : "B", kind, k_text(p), p.block()));
  std::vector<std::string_view> open;
  if (p.operand == ScaleOperand::a && p.m / p.cta_group < 128) open.push_back("sfa-m128-pair");
  if (p.is_split()) open.push_back("sfb-m128-pair");
  if (p.kind->k == KSize::k96) open.push_back("k96-ids");
  if (p.operand == ScaleOperand::b && p.n % 32 != 0) open.push_back("sfb-part-of-tile");
  if (view.at) shown.at = add_scale_place(d, view);
  else if (view.cell) shown.at = add_scale_of_cell(d, view);
  else add_scale_summary(d, p);
  d.headline = view.at || view.cell
                   ? short_sentence("factor " + headline_of(d, {"factor", "lanes", "lane", "column", "byte"}))
                   : reading_text(p);
  d.json("map", view.has_map ? scale_place_map(view) : Json());
  d.add(scale_place_drawing(shown));
  add_open(d, open);
  return add_evidence(d, p.kind->source);
}

namespace {

Document narrow_elements(const NarrowView& view, const NarrowForm& form) {
  const auto [memory, first, bits] = view.gmem   ? std::tuple(NarrowMemory::gmem, *view.gmem * 8, 8)
                                     : view.smem ? std::tuple(NarrowMemory::smem, *view.smem * 8, 8)
                                                 : std::tuple(NarrowMemory::tmem, std::int64_t{*view.tmem} * 32, 32);
  const std::string place = view.gmem   ? fmt::format("byte {} of global memory", *view.gmem)
                            : view.smem ? fmt::format("byte {} of shared memory", *view.smem)
                                        : fmt::format("column {} of tensor memory", *view.tmem);
  Document d(fmt::format("{} under kind {}: {} of a row", view.dtype->name, row_of(view.kind).name, place));
  d.answers = {"elements"};
  d.json("kind", row_of(view.kind).name).json("dtype", view.dtype->name);
  d.json("memory", view.gmem ? "gmem" : view.smem ? "smem" : "tmem");
  d.json("place", view.gmem ? *view.gmem : view.smem ? *view.smem : std::int64_t{*view.tmem});
  const std::vector<std::int64_t> elements = elements_in(form, memory, {first}, bits);
  d.field("elements", "elements", elements,
          elements.empty() ? "none: a gap, which TMA leaves as it is" : fmt::format("{}", fmt::join(elements, ", ")));
  return add_evidence(d, form.source);
}

// A row of global memory may be longer than what a CTA holds of it.
void add_on_chip(Document& d, const NarrowForm& form, std::int64_t k) {
  const Bits smem = form.smem(k), tmem = form.tmem(k);
  const std::int64_t column = tmem.count / 32, window = sm_100a().smem_window().count;
  if ((smem.count + form.bits + 7) / 8 <= window)
    d.field("smem", "shared memory", place_json(smem, form.bits),
            place_text(smem, form.bits) + (form.has_gaps ? "; 16 elements in every 16 bytes" : ""));
  else
    d.field(
        "smem", "shared memory", nullptr,
        fmt::format("not there: byte {} is beyond its {} B; k counts from the tile's first", smem.count / 8, window));
  if (column < tmem_columns)
    d.field("tmem", "tensor memory",
            Json{{"column", column}, {"bits", {tmem.count % 32, tmem.count % 32 + form.bits - 1}}},
            fmt::format("column {}, bits {}", column, range_text(tmem.count % 32, form.bits)));
  else
    d.field("tmem", "tensor memory", nullptr,
            fmt::format("not there: a row of A has at most {} columns, k up to {}", tmem_columns,
                        tmem_columns * 32 / form.tmem_bits - 1));
}

}  // namespace

Document view_narrow(const NarrowView& view) {
  const DType& dtype = *view.dtype;
  const std::int64_t k = view.k;
  const NarrowForm& form = require_narrow_form(view.kind, dtype.name);
  if (view.gmem || view.smem || view.tmem) return narrow_elements(view, form);
  Document d(fmt::format("element {} of {} under kind {}", k, dtype.name, row_of(view.kind).name));
  d.answers = {"gmem.byte", "gmem.bits", "smem.byte", "smem.bits", "tmem.column", "tmem.bits", "tx_bytes_per_128"};
  d.json("kind", row_of(view.kind).name).json("dtype", dtype.name).json("k", k);
  d.field("gmem", "global memory", place_json(form.gmem(k), form.bits), place_text(form.gmem(k), form.bits));
  add_on_chip(d, form, k);
  d.headline = fmt::format("element {} is in GMEM byte {}, SMEM byte {} and TMEM column {}", k, form.gmem(k).count / 8,
                           form.smem(k).count / 8, form.tmem(k).count / 32);
  const std::int64_t in_register = form.in_register(k).count;
  d.field("register", "register", Json{{"bits", {in_register, in_register + form.bits - 1}}},
          fmt::format("bits {} of the mma.sync register that holds it{}", range_text(in_register, form.bits),
                      dtype.name == "e2m1" && form.has_gaps ? "; ldmatrix brings it two bits lower" : ""));
  d.field("tx_bytes_per_128", "expect_tx", form.transaction_bytes().count,
          fmt::format("{} B for every 128 elements{}", form.transaction_bytes().count,
                      form.has_gaps ? ", without the gaps" : ""));
  d.field("tensor_map_type", "data type", fmt::format("CU_TENSOR_MAP_DATA_TYPE_{}", form.tensor_map_type));
  std::vector<std::string_view> open;
  if (form.has_gaps) open.push_back("tx-bytes");
  if (form.bits == 6) open.push_back("fp6-container");
  d.add(narrow_drawing(form, k));
  Json map;
  for (int i = 0; i < 128 && view.has_map; ++i)
    map.push_back({form.gmem(i).count, form.smem(i).count, form.tmem(i).count});
  d.json("map", std::move(map));
  add_open(d, open);
  return add_evidence(d, form.source);
}

}  // namespace swz
