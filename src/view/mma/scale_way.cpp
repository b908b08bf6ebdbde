// SPDX-License-Identifier: Apache-2.0
#include "view/mma/scale_way.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "descriptor/fields.hpp"
#include "view/document/figure.hpp"
#include "view/mma/scale_factor.hpp"
#include "view/mma/scale_way_sketch.hpp"
#include "view/tmem/tmem_copy.hpp"

namespace swz {
namespace {

constexpr Source cutlass{
    "cuBLAS 3.1.4.4.2; PTX ISA 9.1, 9.7.16.9.2; CUTLASS 4.7 sm100_blockscaled_layout.hpp, tmem_sf_frg",
    Evidence::header};
constexpr Source halves{
    "JAX test_mma_block_scaled_collective_m128, D equal to numpy's on a Blackwell; NVIDIA's CuTe-DSL example "
    "2cta_mma_blockscale_m128",
    Evidence::reported};

std::string title_of(const ScalePlacement& p, const ScaleTile& tile) {
  const std::string ctas = p.cta_group == 1 ? std::string()
                           : p.is_in_both() ? ", CTAs 0 and 1 alike"
                                            : fmt::format(", CTA {}", tile.cta);
  return fmt::format("scale factors of {}, kind {}{}, one for {} elements: M {}, N {}, K {}, cta_group::{}{}",
                     p.operand == ScaleOperand::a ? "A" : "B", row_of(p.kind->kind).name, k_text(p), p.block(), p.m,
                     p.n, tile.k, p.cta_group, ctas);
}

// The row in the tile of the whole operand.
std::int64_t whole_row(const ScaleWay& way, std::int64_t row) {
  const ScalePlacement& p = way.placement();
  return p.is_in_both() ? row : way.tile().cta * p.rows() + row;
}

std::string instruction_word(const ScaleWayView& view, int sf_id) {
  const ScalePlacement& p = view.placement;
  std::vector<FieldSetting> settings{{FieldId::a_type, view.dtype_a},
                                     {FieldId::b_type, view.dtype_b},
                                     {FieldId::scale_type, view.scale_type},
                                     {FieldId::m, std::to_string(p.m)},
                                     {FieldId::n, std::to_string(p.n)},
                                     {FieldId::scale_a_id, std::to_string(sf_id)},
                                     {FieldId::scale_b_id, std::to_string(sf_id)}};
  if (p.sparse) settings.push_back({FieldId::sparse, "", 1});
  if (p.kind->k == KSize::k96) settings.push_back({FieldId::k_size, "", 1});
  if (p.kind->k == KSize::twice) settings.push_back({FieldId::k_twice, "", 1});
  return hex32(static_cast<std::uint32_t>(encode_idesc(settings, p.kind->kind, *view.target).word()));
}

std::string gmem_text(const std::vector<std::optional<Bytes>>& tiles) {
  std::string text;
  for (const auto& tile : tiles)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", tile ? fmt::format("{:#x}", tile->count) : "-");
  return text;
}

Table copy_table(const ScaleWay& way, Bytes base) {
  using Row = ScaleWay::Copy;
  const auto right = Column::Align::right;
  const int columns = way.copy().columns();
  int number = 0;
  return table_of<Row>(
      "", fmt::format("copies: tcgen05.cp.{}", full_name(way.copy())), way.copies(),
      {{"", "copy", [&](const Row&) { return Cell(number++); }, right},
       {"", "tile at GMEM byte", [](const Row& c) { return Cell(nullptr, gmem_text(c.gmem)); }, right},
       {"", "SMEM byte", [](const Row& c) { return Cell(nullptr, fmt::format("{:#x}", c.smem.count)); }, right},
       {"", "descriptor",
        [&](const Row& c) { return Cell(hex64(copy_descriptor(way.copy(), {base.count + c.smem.count}).word())); }},
       {"", "columns", [&](const Row& c) { return Cell(nullptr, range_text(c.column, columns)); }, right}});
}

Table step_table(const ScaleWay& way, const ScaleWayView& view) {
  using Row = ScaleWay::Step;
  const auto right = Column::Align::right;
  return table_of<Row>(
      "mmas", "MMAs of the tile", way.steps(),
      {{"mma", "MMA", &Row::mma, right},
       {"k", "k",
        [](const Row& s) {
          return Cell(Json{s.first_k, s.last_k}, range_text(s.first_k, s.last_k - s.first_k + 1));
        },
        right},
       {"address_column", "address column", &Row::address_column, right},
       {"sf_id", "sf_id", &Row::sf_id, right},
       {"idesc", "instruction descriptor", [&](const Row& s) { return Cell(instruction_word(view, s.sf_id)); }}});
}

void add_stop(Document& d, const ScaleWay& way, const ScaleWayView& view) {
  const ScaleWay::Stop stop = way.stop(*view.at);
  const ScalePlace& place = stop.place;
  const std::int64_t row = whole_row(way, view.at->row);
  d.field("row", "factor", row,
          fmt::format("row {}{}, factor {}", row,
                      row == view.at->row ? "" : fmt::format(" (row {} of CTA {})", view.at->row, way.tile().cta),
                      view.at->kb));
  d.json("kb", view.at->kb);
  d.field("gmem", "global memory", stop.gmem.count, fmt::format("byte {:#x}", stop.gmem.count));
  d.field("smem", "shared memory", stop.smem.count,
          fmt::format("byte {:#x} of the stage, address {:#x}", stop.smem.count, view.base.count + stop.smem.count));
  const ScaleWay::Copy copy = way.copies()[static_cast<std::size_t>(stop.copy)];
  d.field("copy", "copy", stop.copy,
          fmt::format("{}: from byte {:#x} to columns {}", stop.copy, copy.smem.count,
                      range_text(copy.column, way.copy().columns())));
  d.field("lanes", "tensor memory", place.lanes,
          fmt::format("lanes {}, column {}, byte {}", fmt::join(place.lanes, ", "), place.column, place.byte));
  d.json("column", place.column).json("byte", place.byte);
  const std::string word = instruction_word(view, place.sf_id);
  d.field("mma", "MMA", place.mma,
          fmt::format("{}: address column {}, sf_id {}, instruction descriptor {}", place.mma, place.address_column,
                      place.sf_id, word));
  d.headline = fmt::format("factor {} of row {}: GMEM {:#x}, SMEM {:#x}, TMEM column {}, MMA {}", view.at->kb, row,
                           stop.gmem.count, view.base.count + stop.smem.count, place.column, place.mma);
  d.add(scale_way_sketch(way, {stop, row, view.at->kb, view.base.count + stop.smem.count, word}));
  d.json("address_column", place.address_column).json("sf_id", place.sf_id).json("idesc", word);
}

std::vector<std::string_view> open_of(const ScalePlacement& p) {
  std::vector<std::string_view> open{"scale-columns"};
  if (p.operand == ScaleOperand::a && p.rows() < 128) open.emplace_back("sfa-m128-pair");
  if (p.is_split()) open.emplace_back("sfb-m128-pair");
  if (p.kind->k == KSize::k96) open.emplace_back("k96-ids");
  return open;
}

}  // namespace

Document view_scale_way(const ScaleWayView& view) {
  const ScaleWay way(view.placement, view.tile);
  Document d(title_of(view.placement, view.tile));
  const std::string descriptor = hex64(copy_descriptor(way.copy(), view.base).word());
  const ScalePlacement& p = view.placement;
  d.json("ctas", p.ctas(whole_row(way, 0)));
  if (view.at) {
    d.answers = {"ctas", "gmem", "smem", "copy", "lanes", "column", "byte", "mma", "address_column", "sf_id"};
    add_stop(d, way, view);
  } else {
    d.answers = {"descriptor", "copies"};
    const auto& whole = way.gmem().extents();
    d.field("bytes", "stage", way.stage().size().count,
            fmt::format("{} B of shared memory in each CTA; of {} x {} factors", way.stage().size().count, whole.rows,
                        whole.factors));
    if (way.has_own_tiles())
      d.line("halves", fmt::format("each {} of N have a tile of their own in shared memory, padded to 128 rows: in "
                                   "global memory they lie together, so they must be repacked",
                                   p.half()));
    d.field("columns", "columns", Json{view.tile.column, view.tile.column + way.columns() - 1},
            range_text(view.tile.column, way.columns()));
    d.field("copy_shape", "tcgen05.cp", full_name(way.copy()));
    d.field("descriptor", "descriptor", descriptor,
            fmt::format("{}  of the first copy: no swizzle, SBO 128 B", descriptor));
    d.json("copies", json_list(way.copies(), [](const ScaleWay::Copy& c) { return Json{c.smem.count, c.column}; }));
    d.json("tiles", json_list(way.copies(), [](const ScaleWay::Copy& c) {
             return json_list(c.gmem, [](const std::optional<Bytes>& g) { return g ? Json(g->count) : Json(); });
           }));
    d.add(copy_table(way, view.base));
    d.add(step_table(way, view));
  }
  add_open(d, open_of(view.placement));
  add_evidence(d, view.placement.is_split() ? halves : cutlass);
  return d;
}

}  // namespace swz
