// SPDX-License-Identifier: Apache-2.0
#include "view/cluster/cluster_figure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/document/figure.hpp"

namespace swz {

namespace {

// One panel: the CTAs of the plane z of the rank, x to the right and y down.
struct SharingPanel {
  const ClusterView& view;
  OperandRole role;

  const ClusterMma& mma() const { return view.mma; }
  bool is_a() const { return role == OperandRole::a; }
  MaskKind kind() const { return is_a() ? MaskKind::a : MaskKind::b; }
  int sharers() const { return is_a() ? mma().sharers_of_a() : mma().sharers_of_b(); }
  int slice(int rank) const { return is_a() ? mma().slice_of_a(rank) : mma().slice_of_b(rank); }
  const SharedOperand* operand() const {
    const std::optional<SharedOperand>& of = is_a() ? view.a : view.b;
    return of ? &*of : nullptr;
  }
  ClusterMask mask(int rank) const { return mask_of(mma(), rank, kind()); }
  // The lowest rank that has the mask: CTAs of one group have one colour.
  int group(int rank) const {
    if (is_a()) return mma().at(rank).x;
    return mma().tile_n(rank) * mma().cta_group + mma().half(rank);
  }
  int plane() const { return view.rank ? mma().at(*view.rank).z : 0; }
};

std::string place_text(const SharingPanel& p, int rank) {
  const SharedOperand* operand = p.operand();
  if (operand == nullptr || operand->sliced() == nullptr) return "";
  const TileCopy first = operand->sliced()->copies_of(p.slice(rank)).front();
  return fmt::format("\noffset {:+} B, coordinate {}", first.smem_offset.count,
                     tuple_text(first_of(first.coordinate, operand->sliced()->map.dim_count())));
}

Grid::Square square_of(const SharingPanel& p, int rank) {
  Grid::Square square;
  square.text =
      p.sharers() == 1 ? fmt::format("rank {}\nalone", rank) : fmt::format("rank {}\nslice {}", rank, p.slice(rank));
  if (p.view.rank == rank) square.text = fmt::format("{} issues\nslice {}", rank, p.slice(rank));
  square.tint = {p.group(rank) % 8, p.slice(rank) % 4};
  square.tip = fmt::format("rank {} at {}\nslice {} of {}, mask {}{}", rank, to_string(p.mma().at(rank)), p.slice(rank),
                           p.sharers(), mask_text(p.mask(rank)), place_text(p, rank));
  if (p.view.rank && (p.mask(*p.view.rank) >> rank & 1U) != 0) square.mark = Mark::highlighted;
  return square;
}

// "rank 5 issues slice 2 of A, which ranks 1, 3, 5 and 7 get"
std::string call_out(const SharingPanel& p, int rank) {
  const char* of = p.is_a() ? "A" : "B";
  std::vector<std::string> to;
  for (const int other : ranks_in(p.mask(rank))) to.push_back(std::to_string(other));
  if (to.size() == 1) return fmt::format("rank {} loads {} for itself", rank, of);
  const bool are_all = static_cast<int>(to.size()) == p.mma().shape.size();
  return fmt::format("rank {} issues slice {} of {} for {}", rank, p.slice(rank), of,
                     are_all ? "all ranks" : "ranks " + join_and(to));
}

Grid panel_of(const SharingPanel& p) {
  const ClusterShape& shape = p.mma().shape;
  const int plane = p.plane();
  Grid grid = grid_of(p.is_a() ? "A: one colour loads the same rows of M" : "B: one colour loads the same rows of N",
                      "y\\x", number_labels(shape.y), number_labels(shape.x), [&](std::int64_t y, std::int64_t x) {
                        return square_of(p, shape.rank({static_cast<int>(x), static_cast<int>(y), plane}));
                      });
  if (p.mma().cta_group == 2) grid.column_group = 2;
  if (p.view.rank) grid.below = call_out(p, *p.view.rank);
  return grid;
}

// A mask as a row of bits, bit 0 at the right.
struct MaskRow {
  std::string name;
  ClusterMask mask;
};

Grid bits_of(const std::vector<MaskRow>& rows, int bits) {
  std::vector<std::string> labels;
  for (const MaskRow& row : rows) labels.push_back(fmt::format("{} {}", row.name, mask_text(row.mask)));
  return grid_of("masks: bit i is rank i", "bit", labels,
                 labels_of(bits, 1, [&](std::int64_t i) { return std::to_string(bits - 1 - i); }),
                 [&](std::int64_t row, std::int64_t column) {
                   const auto bit = static_cast<int>(bits - 1 - column);
                   const bool is_set = (rows[static_cast<std::size_t>(row)].mask >> bit & 1U) != 0;
                   Grid::Square square;
                   square.text = is_set ? "1" : "0";
                   if (is_set) square.tint = {static_cast<int>(row), 0};
                   else square.mark = Mark::faint;
                   square.tip = fmt::format("rank {} {}", bit, is_set ? "receives" : "does not receive");
                   return square;
                 });
}

}  // namespace

Figure cluster_figure(const ClusterView& view) {
  const SharingPanel a{view, OperandRole::a}, b{view, OperandRole::b};
  Figure figure{fmt::format("cluster {}, cta_group::{}", to_string(view.mma.shape), view.mma.cta_group), {}, {}};
  // The line under a panel needs the room of the other one.
  if (view.rank) figure.panels = {{panel_of(a)}, {panel_of(b)}};
  else figure.panels = {{panel_of(a), panel_of(b)}};
  figure.caption =
      view.mma.cta_group == 2
          ? "The slice that a CTA loads goes to every CTA of its colour. A pair is two neighbours along x; "
            "the even one leads."
          : "The slice that a CTA loads goes to every CTA of its colour.";
  if (view.rank) {
    const auto mask = [&](MaskKind kind) { return mask_of(view.mma, *view.rank, kind); };
    std::vector<MaskRow> rows{{"A", mask(MaskKind::a)}, {"B", mask(MaskKind::b)}, {"release", mask(MaskKind::row_col)}};
    if (view.mma.cta_group == 2) rows.push_back({"pair", mask(MaskKind::peer)});
    figure.panels.push_back({bits_of(rows, cluster_limit(*view.target).mask_bits)});
  }
  return figure;
}

Figure mask_figure(const ClusterMaskView& view) {
  const ClusterShape& shape = *view.shape;
  Grid grid = grid_of("CTAs that receive", "y\\x", number_labels(shape.y * shape.z), number_labels(shape.x),
                      [&](std::int64_t y, std::int64_t x) {
                        const int rank = static_cast<int>(y * shape.x + x);
                        const bool is_set = (view.mask >> rank & 1U) != 0;
                        Grid::Square square;
                        square.text = fmt::format("rank {}", rank);
                        if (is_set) square.tint = {0, 0};
                        else square.mark = Mark::faint;
                        square.tip = fmt::format("rank {} at {}", rank, to_string(shape.at(rank)));
                        return square;
                      });
  Figure figure{fmt::format("multicast mask {}", mask_text(view.mask)), {{std::move(grid)}}, {}};
  figure.panels.push_back({bits_of({{"mask", view.mask}}, view.mask >> 16 != 0 ? 32 : 16)});
  return figure;
}

}  // namespace swz
