#include "view/scale_factor.hpp"

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
#include "view/figure.hpp"
#include "view/scale_figure.hpp"
#include "view/tmem.hpp"

namespace swz {
namespace {

// "7:4"; bits of an element that crosses a byte count on from its first byte: "11:6".
std::string bits_text(std::int64_t first, int count) { return fmt::format("{}:{}", first + count - 1, first); }

Json place_json(Bits first, int bits) {
  return {{"byte", first.count / 8}, {"bits", bits_text(first.count % 8, bits)}};
}
std::string place_text(Bits first, int bits) {
  return fmt::format("byte {}, bits {}", first.count / 8, bits_text(first.count % 8, bits));
}

}  // namespace

Document view_scale_layout(const ScaleLayoutView& view) {
  const ScaleExtents extents{view.rows, ceil_div(view.k, view.vec)};
  const ScaleLayout layout(view.name, extents, view.memory);
  ScaleLayoutView shown = view;  // with the point, also where the byte was asked for
  Document d(fmt::format("scale factors of {} x {}, one for {} elements, layout {}{}", view.rows, view.k, view.vec,
                         to_string(view.name), view.memory == ScaleMemory::smem ? " in shared memory" : ""));
  if (view.at) {
    require_index("row", view.at->row, view.rows);
    require_index("k", view.at->kb, view.k);
    const std::int64_t kb = view.at->kb / view.vec;
    d.field("row", "element", view.at->row, fmt::format("row {}, k {}", view.at->row, view.at->kb));
    d.json("k", view.at->kb);
    d.field("kb", "factor", kb, fmt::format("{} of its row, k {}-{}", kb, kb * view.vec, (kb + 1) * view.vec - 1));
    const Bytes offset = layout.offset({view.at->row, kb});
    d.field("offset", "offset", offset.count, fmt::format("{} B", offset.count));
    d.answers = {"kb", "offset"};
  } else if (view.offset) {
    require_index("byte", view.offset->count, layout.size().count);
    const ScaleCoordinate at = layout.at(*view.offset);
    shown.at = ScaleCoordinate{at.row, at.kb * view.vec};
    const bool is_padding = at.row >= extents.rows || at.kb >= extents.factors;
    d.field("row", "row", at.row).field("kb", "factor", at.kb, fmt::format("{} of its row", at.kb));
    d.field("k", "k", Json{at.kb * view.vec, (at.kb + 1) * view.vec - 1}, range_text(at.kb * view.vec, view.vec));
    d.json("offset", view.offset->count);
    d.field("padding", "padding", is_padding, is_padding ? "yes: no element has this factor" : "no");
    d.answers = {"row", "kb", "padding"};
  } else {
    for (const char* key : {"row", "k", "kb", "offset"}) d.json(key, nullptr);
    d.answers = {"bytes"};
  }
  d.field("bytes", "size", layout.size().count,
          fmt::format("{} B, of which {} are factors", layout.size().count, extents.rows * extents.factors));
  Json map;
  if (view.has_map) {
    require_within(limits::listed_factors, extents.rows * extents.factors);
    map = Json::array();
    for (std::int64_t row = 0; row < extents.rows; ++row)
      for (std::int64_t kb = 0; kb < extents.factors; ++kb) map.push_back(layout.offset({row, kb}).count);
  }
  d.add(scale_layout_drawing(shown));
  d.json("map", std::move(map));
  return add_evidence(d, source_of(view.name));
}

Document view_scale_place(const ScalePlaceView& view) {
  const ScalePlacement& p = view.placement;
  ScalePlaceView shown = view;
  const std::string_view kind = row_of(p.kind->kind).name;
  Document d(fmt::format("scale factors of {} in tensor memory, kind {}, one for {} elements",
                         p.operand == ScaleOperand::a ? "A" : "B", kind, p.kind->vec));
  std::vector<std::string_view> open;
  if (p.operand == ScaleOperand::a && p.m / p.cta_group < 128) open.push_back("sfa-m128-pair");
  if (p.kind->k96) open.push_back("k96-ids");
  if (p.operand == ScaleOperand::b && p.n % 32 != 0) open.push_back("sfb-part-of-tile");
  if (view.at) {
    d.answers = {"lanes", "column", "byte", "address_column", "sf_id"};
    require_index("row", view.at->row, p.rows());
    if (view.at->kb < 0)
      throw usage_error("the factor of a row is not below 0", "it counts from the tile's first k");
    const ScalePlace place = scale_place(p, *view.at, view.column);
    if (place.column >= tmem_columns)
      throw usage_error(
          fmt::format("factor {} would lie in column {}; there are {}", view.at->kb, place.column, tmem_columns),
          fmt::format("from column {} on a row has {} factors", view.column,
                      (tmem_columns - view.column) / p.columns_per_word() * 4));
    const std::int64_t first = view.at->kb * p.kind->vec;
    d.field("row", "factor", view.at->row,
            fmt::format("{} of row {}, k {}", view.at->kb, view.at->row, range_text(first, p.kind->vec)));
    d.json("kb", view.at->kb).json("k", Json{first, first + p.kind->vec - 1});
    d.field("lanes", "lanes", place.lanes, fmt::format("{}", fmt::join(place.lanes, ", ")));
    d.field("column", "column", place.column).field("byte", "byte", place.byte);
    d.field("mma", "MMA", place.mma, fmt::format("{} of the tile", place.mma));
    d.field("address_column", "address", place.address_column,
            fmt::format("column {} and sf_id {} in the instruction descriptor", place.address_column, place.sf_id));
    d.json("sf_id", place.sf_id);
  } else if (view.cell) {
    d.answers = {"row", "kb"};
    const auto at = scale_at(p, view.cell->lane, view.cell->column, view.cell->inside, view.column);
    if (!at)
      throw usage_error(fmt::format("no factor lies in lane {}, column {}", view.cell->lane, view.cell->column),
                        fmt::format("factors begin at column {}, a row in each lane of a quarter; rows are 0 to {}",
                                    view.column, p.rows() - 1));
    shown.at = at;
    const ScalePlace place = scale_place(p, *at, view.column);
    d.field("row", "row", at->row).field("kb", "factor", at->kb);
    d.field("mma", "MMA", place.mma, fmt::format("{} of the tile", place.mma)).json("sf_id", place.sf_id);
    d.json("address_column", place.address_column);
  } else {
    d.answers = {"factors_per_mma", "columns_per_word", "copies"};
    d.field("factors_per_mma", "factors", p.kind->factors, fmt::format("{} of each row and MMA", p.kind->factors));
    d.field("columns_per_word", "columns", p.columns_per_word(),
            fmt::format("{} for every four factors", p.columns_per_word()));
    d.field("copies", "copies", p.copies(), fmt::format("{} quarters of the lanes hold the same", p.copies()));
  }
  Json map;
  if (view.has_map) {
    map = Json::array();
    for (int row = 0; row < p.rows(); ++row)
      for (int kb = 0; kb < std::max(4, p.kind->factors); ++kb) {
        const ScalePlace place = scale_place(p, {row, kb}, view.column);
        map.push_back({place.lanes.front(), place.column, place.byte});
      }
  }
  d.json("map", std::move(map));
  d.add(scale_place_drawing(shown));
  add_open(d, open);
  return add_evidence(d, p.kind->source);
}

namespace {

Document narrow_elements(const NarrowView& view, const NarrowForm& form) {
  const auto [memory, first, bits] = view.gmem ? std::tuple(NarrowMemory::gmem, *view.gmem * 8, 8)
                                     : view.smem
                                         ? std::tuple(NarrowMemory::smem, *view.smem * 8, 8)
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
  d.field(
      "elements", "elements", elements,
      elements.empty() ? "none: a gap, which TMA leaves as it is" : fmt::format("{}", fmt::join(elements, ", ")));
  return add_evidence(d, form.source);
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
  d.field("smem", "shared memory", place_json(form.smem(k), form.bits),
          place_text(form.smem(k), form.bits) + (form.has_gaps ? "; 16 elements in every 16 bytes" : ""));
  const std::int64_t bit = form.tmem(k).count;
  d.field("tmem", "tensor memory", Json{{"column", bit / 32}, {"bits", {bit % 32, bit % 32 + form.bits - 1}}},
          fmt::format("column {}, bits {}", bit / 32, range_text(bit % 32, form.bits)));
  const std::int64_t in_register = form.in_register(k).count;
  d.field("register", "register", Json{{"bits", {in_register, in_register + form.bits - 1}}},
          fmt::format("bits {} of the one of mma.sync that holds it{}", range_text(in_register, form.bits),
                      dtype.name == "e2m1" && form.has_gaps ? "; ldmatrix brings it two bits lower" : ""));
  d.field("tx_bytes_per_128", "expect_tx", form.transaction_bytes().count,
          fmt::format("{} B for every 128 elements{}", form.transaction_bytes().count,
                      form.has_gaps ? ", without the gaps" : ""));
  d.field("tensor_map_type", "data type", fmt::format("CU_TENSOR_MAP_DATA_TYPE_{}", form.tensor_map_type));
  std::vector<std::string_view> open;
  if (form.has_gaps) open.push_back("tx-bytes");
  if (dtype.name == "e2m3") open.push_back("fp6-container");
  d.add(narrow_drawing(form, k));
  Json map;
  for (int i = 0; i < 128 && view.has_map; ++i)
    map.push_back({form.gmem(i).count, form.smem(i).count, form.tmem(i).count});
  d.json("map", std::move(map));
  add_open(d, open);
  return add_evidence(d, form.source);
}

Document view_metadata(const MetadataView& view) {
  const SparseForm& form = require_sparse_form(view.kind);
  if (view.path->is_scattered)
    throw usage_error(
        fmt::format("no source says where the metadata of data path {} lies in tensor memory", view.path->name),
        "an open question: 'swz arch open'; take M 128, or .ws");
  std::int64_t row = 0;
  int k = 0, mma = view.mma;
  if (view.cell) {
    const MetadataChunk found =
        metadata_chunk(form, view.cell->lane % view.path->rows(), view.cell->column, view.cell->inside);
    row = found.row, k = found.k, mma = found.mma;
  } else if (view.at) {
    require_index("row", view.at->row, view.rows);
    require_index("k", view.at->kb, form.k);
    row = view.at->row, k = static_cast<int>(view.at->kb);
  }
  const int lane_row = static_cast<int>(row % view.path->rows()), first = k / form.chunk * form.chunk;
  const MetadataPlace p = metadata_place(form, lane_row, k, mma);
  Document d(fmt::format("metadata of row {}, k {}-{} of MMA {}, kind {}", row, first, first + form.chunk - 1, mma,
                         row_of(view.kind).name));
  d.answers = {"lane", "column", "bits", "address_column", "selector"};
  if (view.cell) {
    d.answers = {"row", "k", "mma"};
    d.field("row", "row", row).field("k", "k", Json{first, first + form.chunk - 1}, range_text(first, form.chunk));
    d.field("mma", "MMA", mma, fmt::format("{} of the tile", mma));
  }
  const std::vector<int> lanes = metadata_lanes(*view.path, p);
  d.field("lane", lanes.size() == 1 ? "lane" : "lanes", p.lane, fmt::format("{}", fmt::join(lanes, ", ")));
  d.json("lanes", lanes).field("column", "column", p.column);
  d.field("bits", "bits", Json{p.first_bit, p.first_bit + 3}, range_text(p.first_bit, 4));
  d.field("address_column", "address", p.address_column,
          fmt::format("column {}, sparsity selector {}", p.address_column, p.selector));
  d.json("selector", p.selector);
  const Bits gmem = metadata_gmem(form, view.rows, row, k, mma);
  d.field("gmem", "global memory", place_json(gmem, 4), place_text(gmem, 4) + " of CUTLASS's TensorE");
  const MetadataRegister r = metadata_register(form, lane_row % 64, k, view.selector);
  d.field("register", "register",
          Json{{"thread", r.thread}, {"bits", {r.first_bit, r.first_bit + 3}}, {"selector", view.selector}},
          fmt::format("thread {}, bits {} with selector {}, of wgmma.sp and mma.sp; rows modulo 64", r.thread,
                      range_text(r.first_bit, 4), view.selector));
  Json map;
  for (int i = 0; i < view.path->rows() && view.has_map; ++i)
    for (int of_chunk = 0; of_chunk < form.k; of_chunk += form.chunk) {
      const MetadataPlace at = metadata_place(form, i, of_chunk, mma);
      map.push_back({at.lane, at.column, at.first_bit});
    }
  d.json("map", std::move(map));
  d.add(metadata_drawing(view.kind, mma, {lane_row, k}, view.path->rows()));
  add_open(d, form.halves ? std::vector<std::string_view>{"selector-columns"} : std::vector<std::string_view>{});
  return add_evidence(d, form.source);
}

Document view_metadata_word(MmaKind kind, std::uint32_t word) {
  const SparseForm& form = require_sparse_form(kind);
  struct Nibble {
    int number;
    unsigned bits;
    std::optional<Kept> kept;
  };
  std::vector<Nibble> nibbles;
  Notes lints{"lints"};
  for (int i = 0; i < 8; ++i) {
    const unsigned bits = word >> (4 * i) & 0xf;
    nibbles.push_back({i, bits, kept_by(form, bits)});
    if (!nibbles.back().kept)
      lints.lint("invalid-nibble",
                 fmt::format("bits {}: {:#06b} keeps nothing that the MMA defines", range_text(4 * i, 4), bits),
                 form.chunk == 2 ? "1:2 has 0b0100 and 0b1110" : "the first index is below the second",
                 "PTX ISA 9.1, 9.7.16.10.8 (documented)");
  }
  Document d(fmt::format("metadata {}, kind {}", hex32(word), row_of(kind).name));
  d.answers = {"chunks.kept"};
  d.json("word", hex32(word));
  d.add(metadata_word(kind, word));
  d.add(table_of<Nibble>(
      "chunks", "", nibbles,
      {{"chunk", "chunk", &Nibble::number, Column::Align::right},
       {"nibble", "nibble", [](const Nibble& n) { return Cell(n.bits, fmt::format("{:04b}", n.bits)); }},
       {"kept", "elements kept", [&](const Nibble& n) {
          if (!n.kept) return Cell(nullptr, "invalid", Tone::bad);
          Json list = Json::array();
          std::string text;
          for (int i = 0; i < n.kept->count; ++i) {
            list.push_back(n.kept->elements[static_cast<std::size_t>(i)]);
            text += fmt::format("{}{}", i > 0 ? ", " : "", n.kept->elements[static_cast<std::size_t>(i)]);
          }
          return Cell(list, text);
        }}}));
  return d.add(std::move(lints));
}

Document view_pair(const PairView& view) {
  require_mma({.m = view.m, .n = view.n, .cta_group = 2, .sparse = view.sparse});
  const DataPath& path = require_data_path({view.m, 2, false, view.sparse});
  const int rows = view.m / 2, half = view.n / 2, v = view.cta;
  if (view.at) {
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
  const auto range = [](int first, int count) { return Json{first, first + count - 1}; };
  Document d(fmt::format("CTA {} of a pair, M {}, N {}", v, view.m, view.n));
  d.answers = {"a_rows", "b_cols", "d_rows", "sfb_cols"};
  const auto add = [&](const char* key, const char* label, int first, int count, std::string_view what) {
    d.field(key, label, range(first, count), fmt::format("{} {}", range_text(first, count), what));
  };
  add("a_rows", "A", v * rows, rows, "of M, all of K; its shared or tensor memory");
  add("b_cols", "B", v * half, half, "of N, all of K; its shared memory, which both CTAs read");
  add("d_rows", "D", v * rows, rows, fmt::format("of M, all of N; its tensor memory, data path {}", path.name));
  add("sfb_cols", "scales of B", 0, view.n, "of N: all, in both CTAs");
  add("sfa_rows", "scales of A", v * rows, rows, "of M");
  d.add(pair_drawing(view));
  return add_evidence(d, path.source);
}

}  // namespace swz
