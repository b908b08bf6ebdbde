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
  // CTAs of one group get the same: they have one hue, which those of the other operand do not have.
  int group(int rank) const {
    if (is_a()) return mma().at(rank).x;
    return mma().tile_n(rank) * mma().cta_group + mma().half(rank);
  }
  int hue(int rank) const { return (group(rank) + (is_a() ? 0 : mma().shape.x)) % 8; }
  int plane() const { return view.rank ? mma().at(*view.rank).z : 0; }
};

std::string place_text(const SharingPanel& p, int rank) {
  const SharedOperand* operand = p.operand();
  if (operand == nullptr || operand->sliced() == nullptr) return "";
  const TileCopy first = operand->sliced()->copies_of(p.slice(rank)).front();
  return fmt::format("\noffset {:+} B, coordinate {}", first.smem_offset.count,
                     tuple_text(first_of(first.coordinate, operand->sliced()->map.dim_count())));
}

// "slice 2"; what is not shared as its rows, "rows 128-255".
std::string part_text(const SharingPanel& p, int rank) {
  if (p.sharers() > 1) return fmt::format("slice {}", p.slice(rank));
  return own_rows_text(p.mma(), p.operand(), rank);
}

// "\nSFB 0-255": the rows whose scale factors the CTA holds, in a pair all of B, of which it loads a half.
std::string scales_text(const SharingPanel& p, int rank) {
  const SharedOperand* operand = p.operand();
  if (!p.view.scales || !p.view.tile || operand == nullptr || operand->sliced() == nullptr) return "";
  const std::int64_t row = load_of(p.mma(), *operand, rank).row;
  if (p.is_a()) return "\nSFA " + range_text(row, p.view.tile->m / p.mma().cta_group);
  return "\nSFB " + range_text(row / p.view.tile->n * p.view.tile->n, p.view.tile->n);
}

Grid::Square square_of(const SharingPanel& p, int rank) {
  Grid::Square square;
  // Few columns have room for one line, which is farther from the frame of a low cell than two are.
  const std::string scales = p.sharers() == 1 ? scales_text(p, rank) : "";
  square.text = fmt::format("{} {}{}{}{}", p.view.rank == rank ? "issuer" : "rank", rank,
                            scales.empty() && p.mma().shape.x <= 2 ? ": " : "\n", part_text(p, rank), scales);
  square.tint = {p.hue(rank), p.slice(rank) % 4};
  square.tip = fmt::format("rank {} at {}\nslice {} of {}, mask {}{}", rank, to_string(p.mma().at(rank)), p.slice(rank),
                           p.sharers(), mask_text(p.mask(rank)), place_text(p, rank));
  if (p.view.rank && (p.mask(*p.view.rank) >> rank & 1U) != 0) square.mark = Mark::highlighted;
  return square;
}

// "issues slice 2 of A for ranks 1, 3, 5 and 7"
std::string call_out(const SharingPanel& p, int rank) {
  const char* of = p.is_a() ? "A" : "B";
  std::vector<std::string> to;
  for (const int other : ranks_in(p.mask(rank))) to.push_back(std::to_string(other));
  if (to.size() == 1) return fmt::format("loads {} for itself", of);
  const bool are_all = static_cast<int>(to.size()) == p.mma().shape.size();
  return fmt::format("issues slice {} of {} for {}", p.slice(rank), of,
                     are_all ? "all ranks" : "ranks " + join_and(to));
}

// "Rank 5 issues slice 2 of A to mask A and slice 1 of B to mask B.": the drawing has the ranks that get them.
std::string issued_text(const SharingPanel& a, const SharingPanel& b, int rank) {
  if (a.sharers() > 1 && b.sharers() > 1)
    return fmt::format("Rank {} issues slice {} of A to mask A and slice {} of B to mask B.", rank, a.slice(rank),
                       b.slice(rank));
  return fmt::format("Rank {} {}, and {}. Masks A and B: the CTAs that get it.", rank, call_out(a, rank),
                     call_out(b, rank));
}

Grid panel_of(const SharingPanel& p) {
  const ClusterShape& shape = p.mma().shape;
  const bool is_pair = p.mma().cta_group == 2;
  const int plane = p.plane();
  const std::string of = p.is_a() ? "A" : "B", rows = p.is_a() ? "M" : "N";
  const std::string title = p.sharers() == 1 ? fmt::format("{}: the rows of {} that each loads", of, rows)
                                             : fmt::format("{}: one hue gets the same rows of {}", of, rows);
  Grid grid =
      grid_of(title, "y\\x", number_labels(shape.y),
              labels_of(shape.x, 1,
                        [&](std::int64_t x) { return std::to_string(x) + (is_pair && x % 2 == 0 ? ", leader" : ""); }),
              [&](std::int64_t y, std::int64_t x) {
                return square_of(p, shape.rank({static_cast<int>(x), static_cast<int>(y), plane}));
              });
  if (is_pair) grid.column_group = 2;
  return grid;
}

// The bytes of one CTA that its barrier counts, or that of the leader of its pair.
Grid bytes_of(const ClusterView& view) {
  const BarrierBytes bytes = barrier_bytes(view.mma, *view.a, *view.b, view.scales);
  const SharingPanel a{view, OperandRole::a}, b{view, OperandRole::b};
  struct Part {
    std::string name;
    std::int64_t bytes;
    const SharingPanel* panel;  // null: of both
  };
  std::vector<Part> parts{{"A", bytes.a.count, &a}, {"B", bytes.b.count, &b}};
  if (view.scales) {
    parts.push_back({"SFA", bytes.sfa.count, &a});
    parts.push_back({"SFB", bytes.sfb.count, &b});
  }
  parts.push_back({"all", bytes.total().count / bytes.waits, nullptr});
  std::vector<std::string> names;
  for (const Part& part : parts) names.push_back(part.name);
  const bool is_pair = bytes.waits == 2;
  const std::string title =
      is_pair ? fmt::format("bytes at the leader's barrier: 2 x {} = {}", parts.back().bytes, bytes.total().count)
              : "bytes at the barrier of each CTA";
  const int first = view.rank ? view.mma.leader(*view.rank) : 0;
  std::vector<std::string> ranks{is_pair ? fmt::format("rank {}", first) : "each CTA"};
  if (is_pair) ranks.push_back(fmt::format("rank {}", first + 1));
  return grid_of(title, "", std::move(ranks), std::move(names), [&](std::int64_t row, std::int64_t column) {
    const Part& part = parts[static_cast<std::size_t>(column)];
    Grid::Square square{std::to_string(part.bytes)};
    if (part.panel != nullptr && is_pair) square.tint = {part.panel->hue(first + static_cast<int>(row)), 0};
    return square;
  });
}

// Which rows the scale factors are of: of the CTA's own rows of A, but of all of B, whose other half the MMA reads from
// the other CTA's shared memory.
std::string scale_rows_text(const ClusterView& view) {
  const std::int64_t rows_a = view.tile->m / view.mma.cta_group, rows_b = view.tile->n;
  std::string text = fmt::format(
      "SFA has the factors of the {} rows of A of this CTA; SFB has those of all {} rows of B", rows_a, rows_b);
  if (view.mma.cta_group == 2) text += ", as each CTA of the pair multiplies by all of B";
  return text + ".";
}

// A mask as a row of bits, bit 0 at the right.
struct MaskRow {
  std::string name;
  ClusterMask mask;
  Tint tint = {};
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
                   if (is_set) square.tint = rows[static_cast<std::size_t>(row)].tint;
                   else square.mark = Mark::faint;
                   square.tip = fmt::format("rank {} {}", bit, is_set ? "receives" : "does not receive");
                   return square;
                 });
}

// The shades of the operand that more CTAs share.
std::vector<LegendEntry> legend_of_slices(const SharingPanel& a, const SharingPanel& b) {
  const SharingPanel& most = a.sharers() >= b.sharers() ? a : b;
  constexpr int shades = 4;
  std::vector<LegendEntry> legend;
  for (int i = 0; i < std::min(shades, most.sharers()) && most.sharers() > 1; ++i) {
    std::string text = fmt::format("slice {}", i);
    for (int same = i + shades; same < most.sharers(); same += shades) text += fmt::format(", {}", same);
    legend.push_back({text, {most.hue(0), i}});
  }
  return legend;
}

Grid masks_of(const ClusterView& view, const SharingPanel& a, const SharingPanel& b) {
  const int rank = *view.rank;
  const auto mask = [&](MaskKind kind) { return mask_of(view.mma, rank, kind); };
  constexpr Tint of_both{7, 0};
  std::vector<MaskRow> rows{{"A", mask(MaskKind::a), {a.hue(rank), 0}},
                            {"B", mask(MaskKind::b), {b.hue(rank), 0}},
                            {"release", mask(MaskKind::row_col), of_both}};
  if (view.mma.cta_group == 2) rows.push_back({"pair", mask(MaskKind::peer), of_both});
  // The bits above the ranks are 0.
  return bits_of(rows, std::max(view.mma.shape.size(), 4));
}

// Why a CTA signals others: they load into its stages.
std::string masks_caption(const ClusterView& view) {
  const int rank = *view.rank;
  std::string text =
      fmt::format("Release{}: the CTAs to which rank {} signals that it has read a stage, as they load into it.",
                  view.mma.cta_group == 1 ? " (A or B)" : "", rank);
  if (const std::optional<int> peer = view.mma.peer(rank))
    text += fmt::format(" Pair: rank {} and rank {}, which execute one MMA.", rank, *peer);
  return text;
}

// " Each barrier waits for 16384 B of A and 16384 B of B."
std::string bytes_sentence(const ClusterView& view) {
  const BarrierBytes bytes = barrier_bytes(view.mma, *view.a, *view.b, view.scales);
  return fmt::format(" Each barrier waits for {} B of A and {} B of B.", bytes.a.count, bytes.b.count);
}

// The CTAs that get what the rank issues.
std::vector<LegendEntry> cluster_legend(const ClusterView& view, const SharingPanel& a, const SharingPanel& b) {
  std::vector<LegendEntry> legend = legend_of_slices(a, b);
  if (view.rank && (a.sharers() > 1 || b.sharers() > 1))
    legend.push_back({fmt::format("gets what rank {} issues", *view.rank), {}, Mark::highlighted});
  return legend;
}

}  // namespace

Figure cluster_figure(const ClusterView& view) {
  const SharingPanel a{view, OperandRole::a}, b{view, OperandRole::b};
  Figure figure{"", {{panel_of(a), panel_of(b)}}, cluster_legend(view, a, b)};
  figure.legend_title = "shade:";
  const bool is_shared = a.sharers() > 1 || b.sharers() > 1;
  figure.caption = view.rank   ? issued_text(a, b, *view.rank)
                   : is_shared ? "The slice that a CTA loads goes to every CTA of its hue."
                               : "No CTA gets what another one loads.";
  if (view.mma.cta_group == 2) figure.caption += " A pair is two neighbours along x.";
  if (view.tile && view.refusal() == nullptr) {
    // Without a pair and scale factors there are only two numbers.
    if (view.mma.cta_group == 1 && !view.scales) figure.caption += bytes_sentence(view);
    else figure.panels.front().push_back(bytes_of(view));
    if (view.scales) figure.caption += " " + scale_rows_text(view);
  }
  if (view.rank) {
    figure.panels.front().push_back(masks_of(view, a, b));
    figure.caption += " " + masks_caption(view);
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
  figure.panels.push_back({bits_of({{"mask", view.mask, {0, 0}}}, view.mask >> 16 != 0 ? 32 : 16)});
  return figure;
}

}  // namespace swz
