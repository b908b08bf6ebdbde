// SPDX-License-Identifier: Apache-2.0
#include "view/mma/warp_way.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "fragment/block_scaled.hpp"
#include "view/document/figure.hpp"
#include "view/tmem/tmem.hpp"

namespace swz {
namespace {

constexpr Source collective{
    "CUTLASS 4.7 sm120_blockscaled_mma_tma.hpp, sm100_blockscaled_layout.hpp; PTX ISA 9.3, 9.7.15.3", Evidence::header};

void add_stop(Document& d, const WarpScaleWay& way, const WarpScaleWayView& view) {
  const WarpScaleTile& tile = way.tile();
  const WarpScaleWay::Stop stop = way.stop(*view.at);
  const std::int64_t first = view.at->kb * tile.form->block();
  d.field("row", "factor", view.at->row,
          fmt::format("{} of {} {}, k {}", view.at->kb, tile.operand == ScaleOperand::a ? "row" : "column",
                      view.at->row, range_text(first, tile.form->block())));
  d.json("kb", view.at->kb);
  d.field("gmem", "global memory", stop.gmem.count, fmt::format("byte {:#x}", stop.gmem.count));
  d.field("smem", "shared memory", stop.smem.count,
          fmt::format("byte {:#x} of the stage, address {:#x}", stop.smem.count, view.base.count + stop.smem.count));
  d.field("warps", "warps", stop.warps,
          fmt::format("{}, atom {} of their {}", fmt::join(stop.warps, ", "), stop.atom, way.atoms()));
  d.json("atom", stop.atom);
  d.field("lanes", "lanes", stop.lanes,
          fmt::format("{}: each loads {} from byte {:#x} of the stage on; the MMA takes lane {}'s",
                      fmt::join(stop.lanes, ", "), plural(stop.load_bytes, "byte"),
                      stop.smem.count - stop.register_byte, stop.lanes.front()));
  d.field("load_bytes", "", stop.load_bytes);
  d.field("fragment_byte", "register", stop.fragment_byte,
          fmt::format("byte {} of the lane's factors, which is byte {} of the MMA's register", stop.fragment_byte,
                      stop.register_byte));
  d.json("register_byte", stop.register_byte);
  d.field("mma", "MMA", stop.mma,
          fmt::format("{} of the tile's {}, k {}, byte-id 0 and thread-id 0", stop.mma, way.mmas(),
                      range_text(std::int64_t{stop.mma} * tile.form->k, tile.form->k)));
}

}  // namespace

Document view_warp_scale_way(const WarpScaleWayView& view) {
  const WarpScaleWay way(view.tile);
  const WarpScaleTile& tile = way.tile();
  const bool is_a = tile.operand == ScaleOperand::a;
  Document d(fmt::format("the way of the scale factors of {}, {}: {} {}, K {}, warps {} x {}", is_a ? "A" : "B",
                         block_scaled_name(*tile.form), is_a ? "M" : "N", tile.rows, tile.k, tile.warps_m,
                         tile.warps_n));
  if (view.at) {
    d.answers = {"gmem", "smem", "warps", "lanes", "fragment_byte", "register_byte", "mma"};
    add_stop(d, way, view);
    return add_evidence(d, collective);
  }
  d.answers = {"bytes", "atoms", "mmas"};
  d.field("bytes", "stage", way.stage().size().count,
          fmt::format("{} B of shared memory, layout 128x4_stage", way.stage().size().count));
  d.field("atoms", "atoms", way.atoms(),
          fmt::format("{} of a warp, {} {} each", way.atoms(), is_a ? 16 : 8, is_a ? "rows" : "columns"));
  d.field("mmas", "MMAs", way.mmas(),
          fmt::format("{} along K, each with {}", way.mmas(), plural(tile.form->scale_vec, "factor") + " of a row"));
  const std::string rows =
      is_a ? fmt::format("16 * (warp % {0}) + {1} * atom + lane / 4 + 8 * (lane % 2)", tile.warps_m, 16 * tile.warps_m)
           : fmt::format("16 * (warp / {0}) + 8 * (atom % 2) + {1} * (atom / 2) + lane / 4", tile.warps_m,
                         16 * tile.warps_n);
  d.field("row_formula", is_a ? "row" : "column", rows, rows + "   of what a lane loads");
  const std::string byte = fmt::format("4 * atom + kb % 4 + {} * (kb / 4)", 4 * way.atoms());
  d.field("byte_formula", "byte", byte, byte + "   of the lane's factors");
  return add_evidence(d, collective);
}

}  // namespace swz
