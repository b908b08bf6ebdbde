// SPDX-License-Identifier: Apache-2.0
#include "view/pipeline/stage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/stage_tmem.hpp"
#include "view/document/bar_labels.hpp"
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

constexpr double bar_height = 34, bar_title = 20;

// A bar of parts, to scale, under its title: what a part has no room for is above it.
struct StageBar {
  std::string title;
  std::vector<Sketch::Box> parts = {};  // y and height are those of the bar
  std::vector<std::string> texts = {};  // of each part
};

// Draws it from `y` on, and returns where it ends.
double draw_bar(Sketch::Shapes& shapes, StageBar bar, double y, double width) {
  BarLabels above;
  for (std::size_t i = 0; i < bar.parts.size(); ++i) {
    Sketch::Box& part = bar.parts[i];
    const bool has_room = sketch_letter * static_cast<double>(bar.texts[i].size()) + 6 <= part.width;
    if (has_room) part.text = bar.texts[i];
    else above.add(bar.texts[i], part.x + part.width / 2, width);
  }
  shapes.texts.push_back({0, y + 12, bar.title, Tone::faint});
  const double top = y + bar_title + above.height();
  above.draw(shapes, top);
  for (Sketch::Box& part : bar.parts) {
    part.y = top;
    part.height = bar_height;
    shapes.boxes.push_back(std::move(part));
  }
  return top + bar_height;
}

StageBar stage_bar(const Stage& stage, double width) {
  const double scale = width / static_cast<double>(stage.bytes);
  StageBar bar{fmt::format("one stage, {} B", stage.bytes)};
  for (const StageBuffer& buffer : stage.buffers) {
    Sketch::Box& part = bar.parts.emplace_back();
    part.x = static_cast<double>(buffer.offset) * scale;
    part.width = static_cast<double>(buffer.bytes) * scale;
    part.tint = {static_cast<int>(buffer.part)};
    part.tip =
        fmt::format("{}: {} B at {}, {} counted", to_string(buffer.part), buffer.bytes, buffer.offset, buffer.tx_bytes);
    bar.texts.push_back(fmt::format("{} {}", to_string(buffer.part), buffer.bytes));
  }
  return bar;
}

StageBar memory_bar(const StageQuestion& q, const Stage& stage, double width) {
  const double scale = width / static_cast<double>(q.target->max_smem_per_cta.count);
  StageBar bar{fmt::format("shared memory of a CTA, {} B", q.target->max_smem_per_cta.count)};
  double x = 0;
  const auto add = [&](std::int64_t bytes, std::string text, Tint tint, std::string tip) -> Sketch::Box& {
    Sketch::Box& part = bar.parts.emplace_back();
    part.x = x;
    part.width = static_cast<double>(bytes) * scale;
    part.tint = tint;
    part.tip = std::move(tip);
    bar.texts.push_back(std::move(text));
    x += part.width;
    return part;
  };
  constexpr int hue_of_stages = 7, few = 8;
  for (std::int64_t i = 0; i < stage.count; ++i)
    add(stage.bytes + barrier_bytes_of_stage, stage.count <= few ? fmt::format("stage {}", i) : std::to_string(i),
        {hue_of_stages, static_cast<int>(i % 2) * 2}, fmt::format("stage {} and its barriers", i));
  const auto rest = [&](std::int64_t bytes, std::string_view what, bool is_free) {
    if (bytes == 0) return;
    Sketch::Box& part = add(bytes, fmt::format("{} {}", what, bytes), {}, fmt::format("{}: {} B", what, bytes));
    part.mark = Mark::faint;
    part.is_dashed = is_free;
  };
  rest(q.epilogue, "epilogue", false);
  rest(stage.left, "free", true);
  return bar;
}

Sketch::Shapes shapes_of(const StageQuestion& q, const Stage& stage, double width) {
  constexpr double gap = 12;
  Sketch::Shapes shapes;
  const double first = draw_bar(shapes, stage_bar(stage, width), 0, width);
  shapes.height = draw_bar(shapes, memory_bar(q, stage, width), first + gap, width);
  shapes.width = width;
  return shapes;
}

std::string caption_of(const StageQuestion& q, const Stage& stage) {
  std::string text = "To scale, with 16 B of barriers for each stage. ";
  for (const StageBuffer& buffer : stage.buffers)
    text +=
        fmt::format("{}{} {}", &buffer == &stage.buffers.front() ? "" : " + ", to_string(buffer.part), buffer.bytes);
  text += fmt::format(" = {} B in a stage", stage.bytes);
  text += q.cta_group == 2 ? fmt::format("; the barrier of the leader expects 2 CTAs x {} = {} B.", stage.tx_bytes / 2,
                                         stage.tx_bytes)
                           : ".";
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
