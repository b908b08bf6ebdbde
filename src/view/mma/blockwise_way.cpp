// SPDX-License-Identifier: Apache-2.0
#include "view/mma/blockwise_way.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"

namespace swz {
namespace {

constexpr Source of_wgmma{
    "D of wgmma as measured on an H200; CUTLASS 4.7 detail/blockwise_scale_layout.hpp and DeepGEMM smxx_layout.hpp for "
    "the factors",
    Evidence::header};

// "0, 1, 4, 5, … 61"
std::string list_text(const std::vector<int>& numbers) {
  constexpr std::size_t shown = 6;
  if (numbers.size() <= shown + 1) return fmt::format("{}", fmt::join(numbers, ", "));
  return fmt::format("{}, … {}", fmt::join(numbers.begin(), numbers.begin() + shown, ", "), numbers.back());
}

std::string warps_text(const std::vector<int>& threads) {
  std::string lanes;
  const int warp = threads.front() / 32;
  const bool is_one = threads.back() / 32 == warp;
  if (is_one) return fmt::format("lanes {} of warp {}", range_text(threads.front() % 32, std::ssize(threads)), warp);
  return fmt::format("every warp, lanes with lane % 4 = {}", threads.front() % 4);
}

Document& with_source(Document& d) {
  add_headline(d);
  d.field("evidence", "evidence", to_string(of_wgmma.evidence), to_string(of_wgmma));
  return d.json("source", of_wgmma.where);
}

void add_stop(Document& d, const BlockwiseWay& way, const BlockwiseWayView& view) {
  const BlockwiseWay::Stop stop = way.stop(view.at->row, view.at->k);
  const bool is_a = way.tile().operand == ScaleOperand::a;
  d.answers = {"gmem", "smem", "threads", "registers", "mmas"};
  d.field("row", "factor", stop.factor.row,
          fmt::format("row {}, factor {} of the whole; for {}{} {} of the tile", stop.factor.row, stop.factor.kb,
                      is_a ? "row" : "column", stop.first_row == stop.last_row ? "" : "s",
                      range_text(stop.first_row, stop.last_row - stop.first_row + 1)));
  d.json("kb", stop.factor.kb).json("rows", Json{stop.first_row, stop.last_row});
  d.field("gmem", "global memory", stop.gmem.count, fmt::format("byte {:#x}", stop.gmem.count));
  d.field("smem", "shared memory", stop.smem ? Json(stop.smem->count) : Json(),
          stop.smem ? fmt::format("byte {:#x} of the stage of this factor's k, address {:#x}", stop.smem->count,
                                  view.base.count + stop.smem->count)
                    : "not staged: a tile has few, which every thread can load");
  d.field("mmas", "MMAs", Json{stop.first_mma, stop.last_mma},
          fmt::format("{} of the tile along K, of {} k each; then the accumulators are multiplied and added",
                      range_text(stop.first_mma, stop.last_mma - stop.first_mma + 1), wgmma_byte_k));
  d.field("warpgroups", "warpgroups", stop.warpgroups, fmt::format("{}", fmt::join(stop.warpgroups, ", ")));
  d.field("threads", "threads", stop.threads,
          fmt::format("{}: they have {} {}", warps_text(stop.threads), is_a ? "row" : "column", view.at->row));
  d.field("registers", "registers", stop.registers, fmt::format("{} of D", list_text(stop.registers)));
}

}  // namespace

Document view_blockwise_way(const BlockwiseWayView& view) {
  const BlockwiseWay way(view.tile);
  const BlockwiseTile& t = way.tile();
  const bool is_a = t.operand == ScaleOperand::a;
  Document d(fmt::format("the way of the fp32 scale factors of {}, one for {} x {}, to wgmma: M {}, N {}, K {}",
                         is_a ? "A" : "B", t.rows_of_factor, blockwise_k, t.m, t.n, t.k));
  d.json("layout", t.layout->name);
  if (view.at) {
    add_stop(d, way, view);
    return with_source(d);
  }
  d.answers = {"formula", "row_formula"};
  d.field("bytes", "layout", way.gmem().size().count,
          fmt::format("{} of {} x {} factors, {} B", t.layout->name, way.gmem().extents().rows,
                      way.gmem().extents().factors, way.gmem().size().count));
  d.field("formula", "offset", way.gmem().formula());
  const std::string row = is_a ? "64 * warpgroup + 16 * warp + lane / 4 + 8 * (register / 2 % 2)"
                               : "2 * (lane % 4) + register % 2 + 8 * (register / 4)";
  d.field("row_formula", is_a ? "row" : "column", row, row + "   of the tile, of an accumulator");
  const std::string kb = fmt::format("({} + 32 * MMA) / {}", t.first_k, blockwise_k);
  d.field("kb_formula", "factor", kb, kb + "   of an MMA along K");
  return with_source(d);
}

}  // namespace swz
