// SPDX-License-Identifier: Apache-2.0
#include "view/pipeline/stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/stage_tmem.hpp"
#include "view/tile/tile.hpp"

namespace swz {

namespace {

std::string types_text(const StageQuestion& q) {
  const std::string types = q.a == q.b ? std::string(q.a->name) : fmt::format("{} x {}", q.a->name, q.b->name);
  return q.kind == nullptr ? types : fmt::format("{}, kind {}", types, q.kind->name);
}

std::string shape_text(const StageQuestion& q) {
  std::string text;
  if (q.cta_group == 2) text += ", of a pair of CTAs";
  if (q.cluster_x * q.cluster_y > 1) text += fmt::format(", cluster {}x{}", q.cluster_x, q.cluster_y);
  return text;
}

std::string stages_text(const StageQuestion& q, const Stage& stage) {
  std::string text = fmt::format("{} of {} B", stage.count, stage.bytes);
  if (q.epilogue > 0) text += fmt::format(" beside {} B", q.epilogue);
  return text + fmt::format(" in the {} B of a CTA; {} B are left", q.target->max_smem_per_cta.count, stage.left);
}

std::string expect_text(const StageQuestion& q, const Stage& stage) {
  if (q.cta_group == 1) return fmt::format("{} B", stage.tx_bytes);
  return fmt::format("{} B at the barrier of the leader, 2 CTAs * {}", stage.tx_bytes, stage.tx_bytes / 2);
}

Json tmem_json(const StageTmem& tmem) {
  return {{"accumulators", tmem.accumulators},
          {"accumulator_columns", tmem.columns},
          {"mma", {tmem.mma_m, tmem.mma_n}},
          {"mmas", {tmem.mmas_m, tmem.mmas_n}},
          {"beside", json_list(tmem.beside,
                               [](const TmemNeed& need) -> Json {
                                 return {{"object", to_string(need.object)}, {"columns", need.total()}};
                               })},
          {"used_columns", tmem.used},
          {"columns", tmem.of}};
}

// "2 accumulators of 192 columns beside SFA 16 and SFB 24: 424 of 512 columns"
std::string tmem_text(const StageTmem& tmem) {
  std::string text = tmem.accumulators == 0
                         ? fmt::format("no accumulator of {} columns fits", tmem.columns)
                         : fmt::format("{} of {} columns", plural(tmem.accumulators, "accumulator"), tmem.columns);
  if (tmem.mmas_m * tmem.mmas_n > 1)
    text += fmt::format(" ({}x{} MMAs of M {}, N {})", tmem.mmas_m, tmem.mmas_n, tmem.mma_m, tmem.mma_n);
  std::string_view before = " beside ";
  for (const TmemNeed& need : tmem.beside) {
    text += fmt::format("{}{} {}", before, to_string(need.object), need.total());
    before = ", ";
  }
  return text + fmt::format(": {} of {} columns", tmem.used, tmem.of);
}

Table buffers_table(const Stage& stage) {
  constexpr auto right = Column::Align::right;
  return table_of<StageBuffer>(
      "buffers", "", stage.buffers,
      {{"part", "buffer", [](const StageBuffer& b) { return Cell(to_string(b.part)); }},
       {"offset", "at", [](const StageBuffer& b) { return Cell(b.offset); }, right},
       {"bytes", "bytes", [](const StageBuffer& b) { return Cell(b.bytes); }, right},
       {"tx_bytes", "counted", [](const StageBuffer& b) { return Cell(b.tx_bytes); }, right},
       {"slice_bytes", "this CTA copies", [](const StageBuffer& b) { return Cell(b.slice); }, right},
       {"alignment", "aligned to", [](const StageBuffer& b) { return Cell(b.alignment); }, right}});
}

Table wrong_table(const StageQuestion& q, const Stage& stage) {
  return table_of<WrongTotal>(
      "wrong_totals", "not to be expected", wrong_totals(q, stage),
      {{"name", "mistake", [](const WrongTotal& w) { return Cell(w.name); }},
       {"bytes", "bytes", [](const WrongTotal& w) { return Cell(w.bytes); }, Column::Align::right},
       {"why", "why it is wrong", [](const WrongTotal& w) { return Cell(w.why); }}});
}

// ---- the picture: one stage, and all of shared memory below it

constexpr double bar_height = 34, letter = 6.6;

std::string fitting(const std::string& wide, const std::string& narrow, double width) {
  for (const std::string& text : {wide, narrow})
    if (letter * static_cast<double>(text.size()) + 6 <= width) return text;
  return "";
}

Sketch::Shapes shapes_of(const StageQuestion& q, const Stage& stage, double width) {
  Sketch::Shapes shapes;
  const double of_stage = width / static_cast<double>(stage.bytes);
  shapes.texts.push_back({0, 12, fmt::format("one stage, {} B", stage.bytes), Tone::faint});
  for (const StageBuffer& buffer : stage.buffers) {
    Sketch::Box box{static_cast<double>(buffer.offset) * of_stage,
                    20,
                    static_cast<double>(buffer.bytes) * of_stage,
                    bar_height,
                    "",
                    {static_cast<int>(buffer.part)}};
    box.tip =
        fmt::format("{}: {} B at {}, {} counted", to_string(buffer.part), buffer.bytes, buffer.offset, buffer.tx_bytes);
    box.text = fitting(fmt::format("{} {}", to_string(buffer.part), buffer.bytes), std::string(to_string(buffer.part)),
                       box.width);
    shapes.boxes.push_back(std::move(box));
  }
  const double all = static_cast<double>(q.target->max_smem_per_cta.count), of_all = width / all,
               top = 20 + bar_height + 26;
  shapes.texts.push_back(
      {0, top - 6, fmt::format("shared memory of a CTA, {} B", q.target->max_smem_per_cta.count), Tone::faint});
  const double step = static_cast<double>(stage.bytes + barrier_bytes_of_stage) * of_all;
  for (std::int64_t i = 0; i < stage.count; ++i)
    shapes.boxes.push_back({static_cast<double>(i) * step,
                            top,
                            step,
                            bar_height,
                            fitting(fmt::format("stage {}", i), std::to_string(i), step),
                            {5, static_cast<int>(i % 2) * 2},
                            Mark::none,
                            fmt::format("stage {} and its barriers", i)});
  double x = static_cast<double>(stage.count) * step;
  const auto rest = [&](std::int64_t bytes, std::string_view what, bool is_free) {
    if (bytes == 0) return;
    const double wide = static_cast<double>(bytes) * of_all;
    Sketch::Box box{x, top, wide, bar_height, fitting(fmt::format("{} {}", what, bytes), std::string(what), wide)};
    box.mark = Mark::faint;
    box.is_dashed = is_free;
    box.tip = fmt::format("{}: {} B", what, bytes);
    shapes.boxes.push_back(std::move(box));
    x += wide;
  };
  rest(q.epilogue, "epilogue", false);
  rest(stage.left, "free", true);
  shapes.width = width;
  shapes.height = top + bar_height;
  return shapes;
}

std::string caption_of(const StageQuestion& q, const Stage& stage) {
  std::string text = "To scale, with 16 B of barriers for each stage. ";
  for (const StageBuffer& buffer : stage.buffers)
    text +=
        fmt::format("{}{} {}", &buffer == &stage.buffers.front() ? "" : " + ", to_string(buffer.part), buffer.bytes);
  text += fmt::format(" = {} B in a stage", stage.bytes);
  text += q.cta_group == 2 ? fmt::format("; the barrier of the leader counts both CTAs, {} B.", stage.tx_bytes) : ".";
  if (q.epilogue > 0) text += fmt::format(" White: {} B of the epilogue.", q.epilogue);
  if (stage.left > 0) text += fmt::format(" Dashed: {} B are free.", stage.left);
  return text;
}

}  // namespace

Document view_stage(const StageQuestion& q, std::optional<std::int64_t> expected) {
  const Stage stage = stage_of(q);
  Document d(fmt::format("{} x {} x {} of {}{} on {}", q.tile.m, q.tile.n, q.tile.k, types_text(q), shape_text(q),
                         q.target->name));
  const bool has_tma = q.target->has_tma;
  d.headline = fmt::format("{} of {} B fit", plural(stage.count, "stage"), stage.bytes);
  if (has_tma) d.headline += fmt::format("; the barrier expects {} B", stage.tx_bytes);
  d.json("arch", q.target->name).json("family", to_string(q.family)).json("tile", json_of(q.tile));
  d.json("dtype_a", q.a->name).json("dtype_b", q.b->name).json("kind", q.kind == nullptr ? Json() : Json(q.kind->name));
  d.json("cta_group", q.cta_group).json("cluster", {q.cluster_x, q.cluster_y}).json("epilogue_bytes", q.epilogue);
  d.field("stages", "stages", stage.count, stages_text(q, stage), Tone::strong);
  d.known("expect_tx", "expect_tx", has_tma ? Json(stage.tx_bytes) : Json(), has_tma ? expect_text(q, stage) : "",
          Tone::strong);
  d.answers = {"stages"};
  d.known("arrivals", "mbarrier.init",
          has_tma ? Json({{"full", stage.full_arrivals}, {"empty", stage.empty_arrivals}}) : Json(),
          fmt::format("full {}, empty {}", stage.full_arrivals, stage.empty_arrivals));
  const std::optional<StageTmem> tmem = tmem_of(q);
  d.known("tmem", "tensor memory", tmem ? tmem_json(*tmem) : Json(), tmem ? tmem_text(*tmem) : "");
  d.json("stage_bytes", stage.bytes).json("wasted_bytes", stage.wasted).json("left_bytes", stage.left);
  d.known("cutlass_stages", "CUTLASS", stage.cutlass_count ? Json(*stage.cutlass_count) : Json(),
          stage.cutlass_count ? fmt::format("StageCountAutoCarveout<{}> is {}", q.epilogue, *stage.cutlass_count) : "");
  const std::vector<StagesOnTarget> on_targets = stages_by_target(q);
  std::vector<std::string> counts;
  for (const StagesOnTarget& one : on_targets) counts.push_back(fmt::format("{} {}", one.target->name, one.count));
  d.field("targets", "on",
          json_list(on_targets,
                    [](const StagesOnTarget& one) -> Json {
                      return {{"arch", one.target->name}, {"stages", one.count}};
                    }),
          fmt::format("{}", fmt::join(counts, ", ")));
  d.add(buffers_table(stage));
  if (has_tma) d.add(in_full(wrong_table(q, stage)));
  else d.json("wrong_totals", Json::array());
  d.add(Drawing{[q, stage](Medium medium) {
    if (medium == Medium::terminal) return Document();
    return Document().add(
        Sketch{"", [q, stage](double width) { return shapes_of(q, stage, width); }, caption_of(q, stage)});
  }});
  Notes notes{"notes"};
  if (stage.tx_bytes > most_tx_bytes)
    notes.lint("expect-tx-limit", fmt::format("one phase of a barrier expects at most {} B", most_tx_bytes),
               "two barriers for a stage, or a smaller K", "PTX ISA 9.3, 9.7.13.15 (documented)");
  if (std::ranges::any_of(stage.buffers, [](const StageBuffer& b) { return b.bytes != b.tx_bytes; }))
    notes.note("slots", "the barrier counts the values of 4- and 6-bit types, not their 8-bit slots", "",
               "CUTLASS 4.7 TmaTransactionBytes (header)");
  if (expected)
    if (const auto finding = lint_of_expected(q, stage, *expected)) notes.add(*finding);
  d.findings(notes.findings);
  return d;
}

}  // namespace swz
