// SPDX-License-Identifier: Apache-2.0
#include "view/pipeline/cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/bar_labels.hpp"
#include "view/tile/tile.hpp"

namespace swz {

namespace {

// Of cycles, which are not negative.
std::int64_t whole(double value) { return static_cast<std::int64_t>(value + 0.5); }

constexpr std::string_view part_labels[] = {"tensor core", "shared memory", "from L2", "from DRAM"};

std::string_view label_of(CostPart part) { return part_labels[static_cast<std::size_t>(part)]; }

// "the tensor core", "copies from L2"
std::string_view bound_name(CostPart part) {
  constexpr std::string_view names[] = {"the tensor core", "reading shared memory", "copies from L2",
                                        "copies from DRAM"};
  return names[static_cast<std::size_t>(part)];
}

std::string instruction_of(const CostQuestion& q) {
  return fmt::format("{}{} {}", to_string(q.family), q.sparse ? ".sp" : "", to_string(q.mma));
}

// "with A in registers, of a pair of CTAs"
std::string form_text(const CostQuestion& q) {
  std::string text;
  if (q.a == OperandSource::registers) text += ", A in registers";
  if (q.a == OperandSource::tmem) text += ", A in tensor memory";
  if (!q.is_a_copied) text += " and made by the kernel";
  if (q.cta_group == 2) text += ", of a pair of CTAs";
  return text;
}

std::string bound_text(const Cost& cost) {
  const CostTerm& bound = cost.bound();
  std::string text = fmt::format("{}, {} cycles", bound_name(bound.part), whole(bound.cycles));
  if (cost.term(CostPart::tensor_core) == nullptr) return text + "; the rate of the tensor core is not known";
  if (const CostTerm* next = cost.next())
    text += fmt::format("; then {}, {} ({:.0f} %)", bound_name(next->part), whole(next->cycles),
                        100 * next->cycles / bound.cycles);
  return text;
}

Table terms_table(const Cost& cost) {
  return table_of<CostTerm>(
      "terms", "", cost.terms,
      {{"part", "part", [](const CostTerm& t) { return Cell(to_string(t.part), label_of(t.part)); }},
       {"cycles", "cycles", [](const CostTerm& t) { return Cell(whole(t.cycles)); }, Column::Align::right},
       {"how", "how", [](const CostTerm& t) { return Cell(t.how); }},
       {"evidence", "", [](const CostTerm& t) { return Cell(to_string(t.source.evidence)); }},
       {"source", "source",
        [](const CostTerm& t) {
          return Cell(t.source.where,
                      fmt::format("{}{}", to_string(t.source), t.is_extrapolated ? ", extrapolated" : ""));
        }},
       {"extrapolated", "", [](const CostTerm& t) { return Cell(t.is_extrapolated); }}});
}

Table changes_table(const std::vector<CostChange>& changes) {
  return table_of<CostChange>(
      "changes", "what would be faster, per multiply-add", changes,
      {{"change", "change", [](const CostChange& c) { return Cell(c.what); }},
       {"tile", "", [](const CostChange& c) { return Cell(json_of(c.question.tile)); }},
       {"mma", "", [](const CostChange& c) { return Cell(json_of(c.question.mma)); }},
       {"a_in", "", [](const CostChange& c) { return Cell(to_string(c.question.a)); }},
       {"cta_group", "", [](const CostChange& c) { return Cell(c.question.cta_group); }},
       {"cycles", "cycles", [](const CostChange& c) { return Cell(whole(c.cost.bound().cycles)); },
        Column::Align::right},
       {"bound", "bound by",
        [](const CostChange& c) { return Cell(to_string(c.cost.bound().part), bound_name(c.cost.bound().part)); }},
       {"faster_percent", "faster by",
        [](const CostChange& c) {
          const std::int64_t percent = whole(100 * (c.faster - 1));
          return Cell(percent, fmt::format("{} %", percent));
        },
        Column::Align::right}});
}

// ---- the picture

constexpr double bar_height = 26, bar_gap = 10, label_width = 104, cost_line = 14, narrow_cost = 520;

double width_of(const std::string& text) { return sketch_letter * static_cast<double>(text.size()); }

// The words of a text in lines of this width.
std::vector<std::string> lines_of(const std::string& text, double width) {
  std::vector<std::string> lines(1);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!lines.back().empty() && width_of(lines.back() + " " + word) > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

// What DRAM takes may be many times as long: a bar longer than this is torn off there.
double longest_drawn(const Cost& cost) { return 3 * cost.bound().cycles; }

// The bar of one part, to scale, from (x, y) on: how it is computed is in it, beside it or below it. Returns its end.
double draw_term(Sketch::Shapes& shapes, const CostTerm& term, const Cost& cost, Sketch::Box box, double right) {
  const bool is_bound = &term == &cost.bound();
  const Tone tone = is_bound ? Tone::strong : Tone::plain;
  box.tint = {static_cast<int>(term.part)};
  box.tip =
      fmt::format("{}: {} cycles\n{}\n{}", label_of(term.part), whole(term.cycles), term.how, to_string(term.source));
  if (is_bound) box.mark = Mark::highlighted;
  box.is_dashed = term.part == CostPart::dram;
  box.is_broken = term.cycles > longest_drawn(cost);
  const double baseline = box.y + box.height / 2 + 4, beside = box.x + box.width + 8;
  const std::string cycles = fmt::format("{} cycles", whole(term.cycles));
  const std::string sum = cycles + " = " + term.how;
  double bottom = box.y + box.height;
  if (width_of(term.how) + 12 <= box.width) {
    box.text = term.how;
    shapes.texts.push_back({beside, baseline, cycles, tone});
  } else if (beside + width_of(sum) <= right) {
    shapes.texts.push_back({beside, baseline, sum, tone});
  } else {
    shapes.texts.push_back({beside, baseline, cycles, tone});
    for (const std::string& line : lines_of("= " + term.how, right - box.x)) {
      bottom += cost_line;
      shapes.texts.push_back({box.x, bottom - 2, line, Tone::faint});
    }
  }
  shapes.boxes.push_back(std::move(box));
  return bottom;
}

// The names of the parts are beside the bars, in a narrow picture above them.
Sketch::Shapes bars(const Cost& cost, double width) {
  const bool is_narrow = width < narrow_cost;
  const double left = is_narrow ? 0 : label_width;
  double most = 0, numbers = 0;
  for (const CostTerm& term : cost.terms) {
    most = std::max(most, std::min(term.cycles, longest_drawn(cost)));
    numbers = std::max(numbers, width_of(fmt::format("{} cycles", whole(term.cycles))));
  }
  const double scale = (width - left - numbers - 12) / most;
  Sketch::Shapes shapes;
  double y = 0;
  for (const CostTerm& term : cost.terms) {
    const Tone tone = &term == &cost.bound() ? Tone::strong : Tone::plain;
    Sketch::Box box{left, y, std::max(1.0, std::min(term.cycles, longest_drawn(cost)) * scale), bar_height};
    if (is_narrow) {
      box.y += cost_line + 2;
      box.height = 18;
      shapes.texts.push_back({0, y + cost_line - 3, std::string(label_of(term.part)), tone});
    } else {
      shapes.texts.push_back(
          {left - 8, y + bar_height / 2 + 4, std::string(label_of(term.part)), tone, Sketch::Text::Anchor::end});
    }
    y = draw_term(shapes, term, cost, std::move(box), width) + bar_gap;
  }
  shapes.width = width;
  shapes.height = y - bar_gap;
  return shapes;
}

std::string caption_of(const CostQuestion& q, const Cost& cost) {
  const bool has_dram = cost.term(CostPart::dram) != nullptr;
  const bool is_torn =
      std::ranges::any_of(cost.terms, [&](const CostTerm& t) { return t.cycles > longest_drawn(cost); });
  return fmt::format(
      "Cycles of one k block of K {} in one SM, to scale; the outlined bar is the bound.{}{} An estimate: all parts "
      "run "
      "at the same time.",
      q.tile.k, has_dram ? " Dashed: if no other SM has brought the data to L2." : "",
      is_torn ? " Torn off at three times the bound: longer than it is drawn." : "");
}

// ---- notes

void add_notes(const CostQuestion& q, const Cost& cost, Notes& notes) {
  if (std::ranges::any_of(cost.terms, &CostTerm::is_extrapolated))
    notes.note("extrapolated",
               "no source has measured such an MMA: N below 64, sparse, or another K than 32 bytes a row", "",
               "SemiAnalysis microbench-blackwell 9a068d8 (reported)");
  if (q.family == MmaFamily::tcgen05 && q.target->name != "sm_100a" && q.target->name != "sm_100f")
    notes.note("other-chip", fmt::format("the intervals are those of a B200 (sm_100a); those of {} are not published",
                                         q.target->name));
  if (q.family == MmaFamily::tcgen05 && q.mma.m == 64 && q.cta_group == 1)
    notes.note("half-rate", "an MMA of M 64 takes as long as one of M 128: half of the tensor core is idle",
               "use M 128", "SemiAnalysis microbench-blackwell 9a068d8, B200 (reported)");
  if (q.family == MmaFamily::wgmma && q.sparse && q.a == OperandSource::smem)
    notes.note("sparse-reads-b",
               "a sparse wgmma reads 64 bytes of each row of B: with A in shared memory it never reaches the tensor "
               "core's rate",
               "take A from registers", "H100, every N (measured)");
  if (q.family == MmaFamily::wgmma && q.tile.m > q.mma.m)
    notes.note("b-is-read-again",
               fmt::format("each of the {} MMAs along M reads B again: two warpgroups do not share a read",
                           q.tile.m / q.mma.m),
               "", "H100, one and two warpgroups (measured)");
  if (q.family == MmaFamily::mma_sync && !q.warp_tile)
    notes.note("warp-tile", "how much the warps read depends on their tiles", "give --warp-tile, for example 64x64");
  if (q.gpu == nullptr || q.gpu->l2_bytes == 0)
    notes.note("copies", "no source has what the copies of this GPU bring per cycle: they are not in the answer");
}

}  // namespace

Document view_cost(const CostQuestion& q) {
  const Cost cost = cost_of(q);
  const bool has_tensor_core = cost.term(CostPart::tensor_core) != nullptr;
  if (cost.terms.empty())
    throw Error(fmt::format("no source has a rate of {} with mma.sync on {}", q.dtype->name,
                            q.gpu == nullptr ? q.target->name : q.gpu->name),
                "give --warp-tile for what reading shared memory takes; 'swz help cost' lists the GPUs");
  const CostTerm &bound = cost.bound(), *next = cost.next();
  Document d(fmt::format("{} x {} x {} of {} as {}{} on {}", q.tile.m, q.tile.n, q.tile.k, q.dtype->name,
                         instruction_of(q), form_text(q), q.target->name));
  d.headline = fmt::format("{} {} the k block: {} cycles{}", bound_name(bound.part),
                           bound.part == CostPart::l2 ? "bound" : "bounds", whole(bound.cycles),
                           has_tensor_core ? "" : ", without the tensor core");
  d.headline[0] = static_cast<char>(d.headline[0] - 'a' + 'A');
  d.json("arch", q.target->name).json("dtype", q.dtype->name).json("instruction", instruction_of(q));
  d.json("tile", json_of(q.tile))
      .json("mma", json_of(q.mma))
      .json("cta_group", q.cta_group)
      .json("a_in", to_string(q.a));
  d.field("bound", "bound", to_string(bound.part), bound_text(cost), Tone::strong);
  d.answers = {"bound"};
  d.json("cycles", whole(bound.cycles)).json("next", next == nullptr ? Json() : Json(to_string(next->part)));
  if (cost.peak)
    d.field("macs_per_cycle", "rate", whole(cost.macs_per_cycle()),
            fmt::format("{} multiply-adds per cycle, {:.0f} % of the {} of the tensor core",
                        whole(cost.macs_per_cycle()), 100 * cost.macs_per_cycle() / *cost.peak, whole(*cost.peak)));
  else
    d.field("macs_per_cycle", "rate", whole(cost.macs_per_cycle()),
            fmt::format("{} multiply-adds per cycle", whole(cost.macs_per_cycle())));
  d.json("peak", cost.peak ? Json(whole(*cost.peak)) : Json())
      .json("mmas", cost.mmas)
      .json("stage_bytes", cost.stage_bytes);
  d.known("stages", "stages", cost.stages ? Json(*cost.stages) : Json(),
          cost.stages ? fmt::format("{} hide the {} cycles from a copy to its data", *cost.stages, q.gpu->copy_latency)
                      : "");
  d.known("gpu", "gpu", q.gpu == nullptr ? Json() : Json(q.gpu->name),
          q.gpu == nullptr ? "" : fmt::format("{}, {} SMs", q.gpu->name, q.gpu->sms));
  d.add(terms_table(cost));
  d.add(changes_table(faster_changes(q)));
  d.add(Drawing{[q, cost](Medium medium) {
    if (medium == Medium::terminal) return Document();
    return Document().add(Sketch{"", [cost](double width) { return bars(cost, width); }, caption_of(q, cost)});
  }});
  Notes notes{"notes"};
  notes.note("estimate", "the parts run at the same time; a kernel that waits between them takes longer");
  add_notes(q, cost, notes);
  return d.add(std::move(notes));
}

}  // namespace swz
