// SPDX-License-Identifier: Apache-2.0
#include "view/cluster/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "view/cluster/cluster_figure.hpp"
#include "view/document/figure.hpp"
#include "view/document/headline.hpp"

namespace swz {

namespace {

constexpr Source masks_source{"CUTLASS 4.7, create_tma_multicast_mask and the pipelines", Evidence::header};
constexpr Source address_source{"H100 and H200; ptxas 13.0.88; PTX ISA 9.3, 5.1.7", Evidence::measured};

std::string title_of(const ClusterView& v) {
  std::string tile;
  if (v.tile)
    tile = fmt::format(", {}{} {}x{}x{}", v.kind.empty() ? "" : fmt::format("kind::{} ", v.kind),
                       v.a->tile.dtype().name, v.tile->m, v.tile->n, v.tile->k);
  return fmt::format("cluster {}, cta_group::{}{}, on {}", to_string(v.mma.shape), v.mma.cta_group, tile,
                     v.target->name);
}

// "1/4 of A", "all of its A"; of a pair "its half of A", "1/2 of its half of A".
std::string share_text(const char* operand, int sharers, int cta_group) {
  const std::string part = sharers == 1 ? "" : fmt::format("1/{} of ", sharers);
  if (cta_group == 2) return fmt::format("{}its half of {}", part, operand);
  return sharers == 1 ? fmt::format("all of its {}", operand) : part + operand;
}

// "each CTA loads 1/4 of A and 1/2 of B; a barrier waits for 32768 B"; of a pair without multicast "each CTA loads its
// half of A and of B; the leader waits for 49152 B"
std::string verdict(const ClusterView& v) {
  if (const Finding* refused = v.refusal()) return refused->message;
  const int of_a = v.mma.sharers_of_a(), of_b = v.mma.sharers_of_b(), group = v.mma.cta_group;
  const std::string text = fmt::format("each CTA loads {} and {}", share_text("A", of_a, group),
                                       group == 2 && of_a == of_b ? "of B" : share_text("B", of_b, group));
  if (!v.tile) return text;
  const BarrierBytes bytes = barrier_bytes(v.mma, *v.a, *v.b, v.scales);
  return text + fmt::format("; {} waits for {} B", group == 2 ? "the leader" : "a barrier", bytes.total().count);
}

Json mask_json(ClusterMask mask) { return mask_text(mask); }

// In a picture always, in a text only with --full.
void add_figure(Document& d, std::function<Figure()> figure) {
  const auto drawn = [figure](Medium medium, bool is_in_text) {
    Document shown;
    if ((medium == Medium::page) == is_in_text) return shown;
    Figure made = figure();
    made.title = "";
    return shown.add(std::move(made));
  };
  d.add(Drawing{[drawn](Medium medium) { return drawn(medium, false); }});
  d.add(in_full(Drawing{[drawn](Medium medium) { return drawn(medium, true); }}));
}

// ---- the CTAs

struct CtaRow {
  const ClusterView* view;
  int rank;

  const ClusterMma& mma() const { return view->mma; }
  ClusterCoordinate at() const { return mma().at(rank); }
  ClusterMask mask(MaskKind kind) const { return mask_of(mma(), rank, kind); }
  const SharedOperand* operand(OperandRole role) const {
    if (!view->tile) return nullptr;
    return role == OperandRole::a ? &*view->a : &*view->b;
  }
  int slice(OperandRole role) const { return role == OperandRole::a ? mma().slice_of_a(rank) : mma().slice_of_b(rank); }
};

// The rows of the cluster's operand that the slice begins at, and the offset of the first copy.
Json slice_json(const CtaRow& row, OperandRole role) {
  const SharedOperand* operand = row.operand(role);
  if (operand == nullptr || operand->sliced() == nullptr)
    return {{"slice", row.slice(role)}, {"row", nullptr}, {"copies", Json::array()}};
  const RankLoad load = load_of(row.mma(), *operand, row.rank);
  const std::vector<TileCopy> copies = operand->sliced()->copies_of(load.index);
  return {{"slice", load.index},
          {"row", load.row},
          {"copies", json_list(copies, [&](const TileCopy& copy) {
             return Json{{"offset", copy.smem_offset.count},
                         {"coordinate", first_of(copy.coordinate, operand->sliced()->map.dim_count())}};
           })}};
}

std::string slice_text(const CtaRow& row, OperandRole role) {
  const int of = role == OperandRole::a ? row.mma().sharers_of_a() : row.mma().sharers_of_b();
  if (of > 1) return fmt::format("{} of {}", row.slice(role), of);
  return row.view->tile ? own_rows_text(row.mma(), row.operand(role), row.rank) : "all";
}

std::string offset_text(const CtaRow& row, OperandRole role) {
  const SharedOperand* operand = row.operand(role);
  if (operand == nullptr || operand->sliced() == nullptr) return "-";
  return fmt::format("{:+}", operand->sliced()->copies_of(row.slice(role)).front().smem_offset.count);
}

Table cta_table(const ClusterView& v) {
  std::vector<CtaRow> rows;
  for (int rank = 0; rank < v.mma.shape.size(); ++rank) rows.push_back({&v, rank});
  const auto right = Column::Align::right;
  const auto mask = [](const char* key, const char* label, MaskKind kind) {
    return ColumnOf<CtaRow>{key, label,
                            [kind](const CtaRow& r) { return Cell(mask_json(r.mask(kind)), mask_text(r.mask(kind))); },
                            Column::Align::right};
  };
  const auto slice = [&](const char* key, OperandRole role) {
    const bool is_a = role == OperandRole::a;
    const bool is_shared = (is_a ? v.mma.sharers_of_a() : v.mma.sharers_of_b()) > 1;
    return ColumnOf<CtaRow>{key, fmt::format("{}{}", is_a ? "A" : "B", is_shared ? ": slice" : ""),
                            [role](const CtaRow& r) { return Cell(slice_json(r, role), slice_text(r, role)); }};
  };
  const auto at = [](const char* label, OperandRole role) {
    return ColumnOf<CtaRow>{"", label, [role](const CtaRow& r) { return Cell(Json(), offset_text(r, role)); },
                            Column::Align::right};
  };
  const bool has_tile = v.tile.has_value(), is_pair = v.mma.cta_group == 2;
  return table_of<CtaRow>(
      "ctas", "CTAs", rows,
      {{"rank", "rank", &CtaRow::rank, right},
       {"at", is_pair ? "(x, y)" : "(x, y)",
        [](const CtaRow& r) {
          return Cell(Json{r.at().x, r.at().y, r.at().z}, to_string(r.at()));
        }},
       {"leader", is_pair ? "leader" : "", [](const CtaRow& r) { return Cell(r.mma().leader(r.rank)); }, right},
       slice("a", OperandRole::a),
       at(has_tile ? "at" : "", OperandRole::a),
       mask("a_mask", "mask", MaskKind::a),
       slice("b", OperandRole::b),
       at(has_tile ? "at" : "", OperandRole::b),
       mask("b_mask", "mask", MaskKind::b),
       mask("release", "release", MaskKind::row_col),
       mask("release_row", "", MaskKind::row),
       mask("release_col", "", MaskKind::col),
       mask("peer_mask", "", MaskKind::peer)});
}

// ---- operands, barriers, limits

std::string box_text(const TensorMap& map) {
  return fmt::format("({})", fmt::join(map.box.begin(), map.box.begin() + map.dim_count(), ", "));
}

std::string boxes_text(std::ptrdiff_t count) { return count == 1 ? "a box" : fmt::format("{} boxes", count); }

std::string operand_text(const ClusterView& v, const SharedOperand& operand) {
  const SmemTile& tile = operand.tile;
  std::string text = fmt::format("{} {}, {}, {} B", to_string(tile.extents()), to_string(tile.major()),
                                 tile.swizzle().name, tile.bytes().count);
  const int sharers = operand.role == OperandRole::a ? v.mma.sharers_of_a() : v.mma.sharers_of_b();
  const SlicedPlan* sliced = operand.sliced();
  if (sliced == nullptr) return text + fmt::format("; {} CTAs cannot share it", sharers);
  text += fmt::format("; a CTA loads {} {} of {} B", boxes_text(std::ssize(sliced->whole.copies)),
                      box_text(sliced->map), sliced->slice().count);
  if (sharers > 1 && !sliced->keeps_atoms())
    text += ",\na part of a swizzle atom: right, because TMA swizzles by the address";
  return text;
}

Json operand_json(const ClusterView& v, const SharedOperand& operand) {
  const SmemTile& tile = operand.tile;
  const SlicedPlan* sliced = operand.sliced();
  const int sharers = operand.role == OperandRole::a ? v.mma.sharers_of_a() : v.mma.sharers_of_b();
  return {{"tile", {tile.extents().mn, tile.extents().k}},
          {"major", to_string(tile.major())},
          {"swizzle", tile.swizzle().name},
          {"bytes", operand.bytes().count},
          {"sharers", sharers},
          {"whole_box", first_of(operand.whole.map.box, operand.whole.map.dim_count())},
          {"copies", std::ssize(operand.whole.copies)},
          {"box", sliced == nullptr ? Json() : first_of(sliced->map.box, sliced->map.dim_count())},
          {"slice_bytes", sliced == nullptr ? Json() : Json(sliced->slice().count)},
          {"keeps_atoms", sliced == nullptr ? Json() : Json(sliced->keeps_atoms())},
          {"legal_sharers", legal_sharers(operand.whole, 16)}};
}

// "2048 B in tiles of 128x4; a CTA loads 1024 B"
std::string scales_text(Bytes bytes, int sharers, const std::optional<Bytes>& slice) {
  const std::string text = fmt::format("{} B in tiles of 128x4", bytes.count);
  if (!slice) return text + fmt::format("; {} CTAs cannot share it in slices of 128 B", sharers);
  return slice->count == bytes.count ? text : text + fmt::format("; a CTA loads {} B", slice->count);
}

void add_scales(Document& d, const SharedScales& s) {
  const auto json = [](Bytes bytes, const std::optional<Bytes>& slice) -> Json {
    return {{"bytes", bytes.count}, {"slice_bytes", slice ? Json(slice->count) : Json()}};
  };
  d.field("operands.sfa", "SFA", json(s.a, s.slice_a()), scales_text(s.a, s.sharers_a, s.slice_a()));
  d.field("operands.sfb", "SFB", json(s.b, s.slice_b()), scales_text(s.b, s.sharers_b, s.slice_b()));
}

void add_barrier(Document& d, const ClusterView& v, const BarrierBytes& bytes) {
  const bool is_pair = bytes.waits == 2;
  std::string parts = fmt::format("A {} and B {}", bytes.a.count, bytes.b.count);
  Json json = {{"a", bytes.a.count},
               {"b", bytes.b.count},
               {"ctas", bytes.waits},
               {"at", is_pair ? "leader" : "every CTA"},
               {"bytes", bytes.total().count}};
  if (v.scales) {
    json["sfa"] = bytes.sfa.count;
    json["sfb"] = bytes.sfb.count;
    parts =
        fmt::format("A {}, B {}, SFA {} and SFB {}", bytes.a.count, bytes.b.count, bytes.sfa.count, bytes.sfb.count);
  }
  d.field("barrier", "barrier", json,
          is_pair ? fmt::format("{} B at the leader's alone: {} of both CTAs", bytes.total().count, parts)
                  : fmt::format("{} B at every CTA's: {}, whoever issues the loads", bytes.total().count, parts));
}

void add_operands(Document& d, const ClusterView& v) {
  if (!v.tile) return;
  d.field("operands.a", "A", operand_json(v, *v.a), operand_text(v, *v.a));
  d.field("operands.b", "B", operand_json(v, *v.b), operand_text(v, *v.b));
  if (v.scales) add_scales(d, *v.scales);
  add_barrier(d, v, barrier_bytes(v.mma, *v.a, *v.b, v.scales));
}

void add_pipelines(Document& d, const ClusterView& v) {
  const std::vector<PipelineArrivals> all = pipeline_arrivals(v.mma, v.threads);
  const bool is_hopper = v.target->descriptor == SmemDescriptorKind::wgmma;
  for (const PipelineArrivals& p : all)
    if (p.counts_bytes && (p.target == "sm_90") == is_hopper) {
      d.line("arrivals",
             fmt::format("{}: full 1 and the bytes, empty {}{}", p.pipeline, p.empty,
                         is_hopper ? fmt::format(" ({} consumer threads a CTA)", v.threads.consumers) : ""));
      break;
    }
  Table table = table_of<PipelineArrivals>(
      "pipelines", "arrival counts of CUTLASS", all,
      {{"pipeline", "pipeline", &PipelineArrivals::pipeline},
       {"target", "of", &PipelineArrivals::target},
       {"full", "full", &PipelineArrivals::full, Column::Align::right},
       {"counts_bytes", "and bytes",
        [](const PipelineArrivals& p) { return Cell(p.counts_bytes, p.counts_bytes ? "yes" : "no"); }},
       {"empty", "empty", &PipelineArrivals::empty, Column::Align::right},
       {"empties", "from", &PipelineArrivals::empties}});
  d.add(in_full(std::move(table)));
}

void add_limit(Document& d, const ClusterView& v) {
  const ClusterLimit& limit = cluster_limit(*v.target);
  const int size = v.mma.shape.size();
  const bool is_portable = size <= limit.portable;
  d.field("limit", "limit",
          {{"size", size},
           {"portable", limit.portable},
           {"most", limit.most},
           {"is_portable", is_portable},
           {"mask_bits", limit.mask_bits},
           {"remark", limit.remark},
           {"evidence", to_string(limit.source.evidence)},
           {"source", limit.source.where}},
          fmt::format("{} of at most {} CTAs; {}", size, limit.most,
                      limit.source.evidence == Evidence::claimed ? std::string(limit.remark)
                      : is_portable                              ? fmt::format("{} are portable", limit.portable)
                                    : fmt::format("above {} the kernel has to opt in", limit.portable)));
}

// ---- one rank

std::string load_text(const ClusterView& v, const SharedOperand& operand, int rank) {
  const RankLoad load = load_of(v.mma, operand, rank);
  const SlicedPlan& sliced = *operand.sliced();
  const TileCopy first = sliced.copies_of(load.index).front();
  const std::size_t copies = sliced.whole.copies.size();
  const std::string text = fmt::format("box {} at {}, tile at row {}, to {:+} B, mask {}", box_text(sliced.map),
                                       tuple_text(first_of(first.coordinate, sliced.map.dim_count())), load.row,
                                       first.smem_offset.count, mask_text(load.mask));
  return copies == 1 ? text : text + fmt::format(";\nthe first of {}, {} B apart", copies, sliced.instruction.count);
}

void add_rank(Document& d, const ClusterView& v) {
  if (!v.rank) {
    d.json("rank", Json());
    return;
  }
  const int rank = *v.rank;
  const ClusterMma& mma = v.mma;
  std::string text = fmt::format("{} at {}", rank, to_string(mma.at(rank)));
  if (mma.cta_group == 2)
    text += mma.half(rank) == 0 ? fmt::format(", leads {}", rank + 1) : fmt::format(", led by {}", rank - 1);
  text += fmt::format("; its shared memory is {:#010x} + offset", rank << 24);
  d.field("rank", "rank", rank, text, Tone::accent);
  for (const SharedOperand* operand : {v.a ? &*v.a : nullptr, v.b ? &*v.b : nullptr})
    if (operand != nullptr && operand->sliced() != nullptr)
      d.line(operand->role == OperandRole::a ? "loads A" : "loads B", load_text(v, *operand, rank));
}

}  // namespace

std::string own_rows_text(const ClusterMma& mma, const SharedOperand* operand, int rank) {
  if (operand == nullptr || operand->sliced() == nullptr) return "its own";
  return "rows " + range_text(load_of(mma, *operand, rank).row, operand->tile.extents().mn);
}

const Finding* ClusterView::refusal() const {
  for (const auto* operand : {&a, &b})
    if (*operand)
      if (const auto* found = std::get_if<Finding>(&(*operand)->slices)) return found;
  return nullptr;
}

Document view_cluster(const ClusterView& v) {
  Document d(title_of(v));
  d.answers = {"loads", "barrier.bytes"};
  const Finding* refused = v.refusal();
  d.headline = short_sentence(verdict(v));
  d.field("loads", refused == nullptr ? "loads" : "no", refused == nullptr, verdict(v),
          refused == nullptr ? Tone::good : Tone::bad);
  add_operands(d, v);
  add_pipelines(d, v);
  add_limit(d, v);
  add_rank(d, v);
  d.json("cta_group", v.mma.cta_group);
  d.json("shape", Json{v.mma.shape.x, v.mma.shape.y, v.mma.shape.z});
  d.json("arch", v.target->name);
  d.add(cta_table(v));
  std::vector<Finding> findings;
  for (const auto* operand : {&v.a, &v.b})
    if (*operand)
      if (const auto* found = std::get_if<Finding>(&(*operand)->slices)) findings.push_back(*found);
  d.findings(findings);
  d.json("source", to_string(masks_source));
  add_figure(d, [v] { return cluster_figure(v); });
  return d;
}

// ---- a mask

namespace {

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "));
}

std::string meaning_text(const MaskMeaning& m) {
  return fmt::format("{} of {}, cta_group::{}", what_is(m.kind), ranks_text(m.ranks), m.cta_group);
}

}  // namespace

std::string receivers_text(const ClusterMaskView& v) {
  const std::vector<int> ranks = ranks_in(v.mask);
  if (!v.shape) return ranks_text(ranks);
  std::vector<std::string> at;
  for (const int rank : ranks) at.push_back(fmt::format("{} {}", rank, to_string(v.shape->at(rank))));
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", fmt::join(at, ", "));
}

std::string mask_verdict(const std::vector<MaskMeaning>& found) {
  if (found.front().differing == 0) return meaning_text(found.front());
  return fmt::format("no mask of this cluster; {} differs in {}: {}", mask_text(found.front().mask),
                     plural(std::ssize(ranks_in(found.front().differing)), "bit"), meaning_text(found.front()));
}

namespace {

Table meaning_table(const std::vector<MaskMeaning>& found) {
  return table_of<MaskMeaning>(
      "meanings", found.front().differing == 0 ? "is" : "would be", found,
      {{"kind", "mask", [](const MaskMeaning& m) { return Cell(to_string(m.kind), what_is(m.kind)); }},
       {"cta_group", "cta_group", &MaskMeaning::cta_group, Column::Align::right},
       {"ranks", "of ranks",
        [](const MaskMeaning& m) { return Cell(Json(m.ranks), fmt::format("{}", fmt::join(m.ranks, " "))); }},
       {"mask", "value", [](const MaskMeaning& m) { return Cell(mask_text(m.mask)); }, Column::Align::right},
       {"differs", found.front().differing == 0 ? "" : "differs in ranks", [](const MaskMeaning& m) {
          const std::vector<int> ranks = ranks_in(m.differing);
          return Cell(Json(ranks), fmt::format("{}", fmt::join(ranks, " ")));
        }}});
}

void add_shapes(Document& d, ClusterMask mask) {
  const std::vector<ShapeOfMask> shapes = shapes_of(mask);
  Table table = table_of<ShapeOfMask>(
      "shapes", shapes.empty() ? "" : "is a mask of these clusters", shapes,
      {{"shape", "cluster",
        [](const ShapeOfMask& s) {
          return Cell(Json{s.mma.shape.x, s.mma.shape.y}, to_string(s.mma.shape));
        }},
       {"cta_group", "cta_group", [](const ShapeOfMask& s) { return Cell(s.mma.cta_group); }, Column::Align::right},
       {"kind", "mask", [](const ShapeOfMask& s) { return Cell(to_string(s.kind), what_is(s.kind)); }},
       {"ranks", "of ranks",
        [](const ShapeOfMask& s) { return Cell(Json(s.ranks), fmt::format("{}", fmt::join(s.ranks, " "))); }}});
  constexpr std::size_t shown = 12;
  if (table.rows.size() > shown)
    table.fold = {table.rows.size() - shown, fmt::format("… {} more; --shape names one", table.rows.size() - shown)};
  d.add(std::move(table));
}

}  // namespace

Document view_cluster_mask(const ClusterMaskView& v) {
  const std::vector<int> ranks = ranks_in(v.mask);
  Document d(v.shape ? fmt::format("multicast mask {} in a cluster of {}", mask_text(v.mask), to_string(*v.shape))
                     : fmt::format("multicast mask {}", mask_text(v.mask)));
  d.answers = {"receivers", "meanings.kind"};
  if (!v.shape) {
    d.headline = short_sentence(fmt::format("{} receive", receivers_text(v)));
    d.field("receivers", "receive", ranks, receivers_text(v), Tone::good);
    d.json("mask", mask_text(v.mask));
    add_shapes(d, v.mask);
    if (shapes_of(v.mask).empty()) d.line("is", "no mask of A or B in a cluster of at most 16 CTAs", Tone::bad);
    return d;
  }
  const std::vector<MaskMeaning> found = meanings(v.mask, *v.shape, v.cta_group);
  const bool is_known = found.front().differing == 0;
  d.headline = short_sentence(mask_verdict(found));
  d.field("is_known", is_known ? "is" : "no", is_known, mask_verdict(found), is_known ? Tone::good : Tone::bad);
  d.json("mask", mask_text(v.mask));
  d.json("shape", Json{v.shape->x, v.shape->y, v.shape->z});
  d.field("receivers", "receive", ranks, receivers_text(v));
  d.add(meaning_table(found));
  add_figure(d, [v] { return mask_figure(v); });
  return d;
}

// ---- an address, a response

Document view_cluster_address(const ClusterAddressView& v) {
  const ClusterAddress a = v.address;
  Document d(fmt::format("shared::cluster address {:#010x}", a.word));
  d.answers = {"rank", "offset"};
  const std::int64_t reserved = v.target->reserved_smem.count, end = v.target->smem_window().count;
  const bool is_reserved = a.offset().count < reserved, is_beyond = a.offset().count >= end;
  const std::string owner = v.shape ? fmt::format("rank {} {}", a.rank(), to_string(v.shape->at(a.rank())))
                                    : fmt::format("rank {}", a.rank());
  const std::string place = fmt::format("offset {:#x} in the shared memory of {}", a.offset().count, owner);
  d.headline = fmt::format("{:#010x} is {}", a.word, place);
  d.field("rank", "owner", a.rank(), place, Tone::good);
  d.field("offset", "offset", a.offset().count,
          is_reserved ? fmt::format("{} B: of the system, kernels begin at {:#x}", a.offset().count, reserved)
          : is_beyond
              ? fmt::format("{} B: beyond the window of {}, {:#x}", a.offset().count, v.target->name, end)
              : fmt::format("{} B, {} B into what the kernel has", a.offset().count, a.offset().count - reserved),
          is_reserved || is_beyond ? Tone::bad : Tone::plain);
  const auto word = [](ClusterAddress of) { return fmt::format("{:#010x}", of.word); };
  d.field("even", "even CTA", word(even_of(a)), word(even_of(a)) + ": & 0xfeffffff, the leader's barrier of a pair");
  d.field("peer", "peer", word(mapa(a, a.rank() ^ 1)),
          word(mapa(a, a.rank() ^ 1)) + fmt::format(": rank {}", a.rank() ^ 1));
  d.known("mapped", "mapa", v.to ? Json(word(mapa(a, *v.to))) : Json(),
          v.to ? fmt::format("{}: the same offset in rank {}", word(mapa(a, *v.to)), *v.to) : "");
  d.line("rule", "bits 31-24 rank, bits 23-0 offset; mapa replaces the rank");
  d.field("evidence", "evidence", to_string(address_source.evidence), to_string(address_source));
  d.json("source", address_source.where);
  return d;
}

Document view_launch_control(const LaunchControlResponse& r) {
  Document d(fmt::format("response of cluster launch control {:#018x} {:#018x}", r.low, r.high));
  d.answers = {"is_canceled", "ctaid"};
  const auto [x, y, z] = r.ctaid();
  d.headline = r.is_canceled()
                   ? fmt::format("the cluster of CTA ({}, {}, {}) was cancelled: its work is yours", x, y, z)
                   : std::string("no cluster was left to cancel");
  d.field("is_canceled", r.is_canceled() ? "yes" : "no", r.is_canceled(), d.headline,
          r.is_canceled() ? Tone::good : Tone::plain);
  d.field("ctaid", "ctaid", r.is_canceled() ? Json{x, y, z} : Json(),
          r.is_canceled() ? fmt::format("x {}, y {}, z {} of the first CTA; each adds its own %cluster_ctaid", x, y, z)
                          : "not valid; to ask again is undefined");
  d.line("bits", "31-0 ctaid.x, 47-32 ctaid.y, 63-48 ctaid.z, 64 is_canceled");
  return d;
}

}  // namespace swz
