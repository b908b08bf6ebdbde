#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "view/tile.hpp"

namespace swz {

namespace {

Cell copies_cell(const std::optional<TmaBoxes>& boxes) {
  if (!boxes) return {nullptr};
  return {boxes->count, fmt::format("{} x {}", boxes->count, to_string(boxes->box))};
}

Table mode_table(const SwizzleChoice& choice) {
  using enum Column::Align;
  using Verdict = ModeVerdict;
  const auto is_taken = [&](const Verdict& v) { return v.mode == choice.mode; };
  const auto tone = [&](const Verdict& v) {
    return is_taken(v) ? Tone::good : v.fits && v.allowed ? Tone::plain : Tone::faint;
  };
  const auto request = [&](const Verdict& v) {
    return Cell(v.request.count, fmt::format("{} B", v.request.count), tone(v));
  };
  const auto why_not = [&](const Verdict& v) {
    return is_taken(v) ? Cell(nullptr, "the one to take", Tone::good) : Cell(v.why_not);
  };
  return table_of<Verdict>(
      "modes", "", choice.verdicts,
      {{"mode", "mode", [&](const Verdict& v) { return Cell(v.mode->name, "", tone(v)); }},
       {"fits", "fits", [&](const Verdict& v) { return Cell(v.fits, "", tone(v)); }},
       {"allowed", "", &Verdict::allowed},
       {"request_bytes", "GMEM request", request, right},
       {"copies_mn_first", "TMA mn-first", [](const Verdict& v) { return copies_cell(v.mn_first); }, right},
       {"copies_k_first", "TMA k-first", [](const Verdict& v) { return copies_cell(v.k_first); }, right},
       {"why_not", "why not", why_not}});
}

// JSON only, because the table says the same.
Json boxes_of(const std::optional<TmaBoxes>& boxes) {
  if (!boxes) return nullptr;
  return {{"mn", boxes->box.mn}, {"k", boxes->box.k}, {"count", boxes->count}};
}

std::int64_t mma_k(const SmemTileValues& shape) { return dense_mma_k(element_bits(*shape.dtype, shape.packing)); }
bool is_whole_mmas(const ChooseReport& report) { return report.shape.k % mma_k(report.shape) == 0; }

Notes choice_notes(const ChooseReport& report, const ModeVerdict& taken) {
  Notes notes{"notes"};
  if (const auto& refused = report.choice.unreadable)
    notes.add(note(refused->rule, refused->message + ": chosen by what fits alone"));
  else if (!is_whole_mmas(report))
    notes.add(note("k-of-mma",
                   fmt::format("no MMA reads it by descriptor: K {} is not a multiple of {}", report.shape.k,
                               mma_k(report.shape)),
                   fmt::format("an MMA reads 32 B of every row: take K {}",
                               (report.shape.k / mma_k(report.shape) + 1) * mma_k(report.shape))));
  if (taken.request != taken.mode->span)
    notes.add(
        note("gmem-bytes", fmt::format("a line of {} B in shared memory is {} B in GMEM, which holds {} packed",
                                       taken.mode->span.count, taken.request.count, report.shape.dtype->name)));
  if (!taken.why_no_boxes.empty()) notes.add(note("no-tma", taken.why_no_boxes + ": no TMA copies are counted"));
  return notes;
}

std::string summary(const ModeVerdict& taken) {
  std::string text = fmt::format("{}: GMEM requests of {} B", taken.mode->name, taken.request.count);
  if (taken.mn_first && taken.mn_first->count == taken.k_first->count)
    text += fmt::format(", {} of {} in either order", plural(taken.mn_first->count, "TMA copy"),
                        to_string(taken.mn_first->box));
  else if (taken.mn_first)
    text += fmt::format(", TMA copies: {} mn-first, {} k-first", taken.mn_first->count, taken.k_first->count);
  return text;
}

}  // namespace

Document view_choose(const ChooseReport& report) {
  const SwizzleChoice& choice = report.choice;
  const SmemTileValues& shape = report.shape;
  const ModeVerdict& taken = *std::ranges::find(choice.verdicts, choice.mode, &ModeVerdict::mode);
  Document d(fmt::format("{} {} {} on {}", shape.dtype->name, to_string(shape.extents()), to_string(shape.major),
                         report.target->name));
  d.field("swizzle", "take", choice.mode->name, summary(taken), Tone::good);
  d.json("dtype", shape.dtype->name).json("major", to_string(shape.major)).json("mn", shape.mn);
  d.json("k", shape.k).json("arch", report.target->name).json("request_bytes", taken.request.count);
  d.json("box_mn_first", boxes_of(taken.mn_first)).json("box_k_first", boxes_of(taken.k_first));
  d.add(mode_table(choice));
  d.add(choice_notes(report, taken));
  const std::string options = fmt::format("{} --swizzle {}", report.tile_options, choice.mode->name);
  std::string commands = "go on: swz place " + options;
  if (!choice.unreadable && is_whole_mmas(report))
    commands += fmt::format("\n       swz desc --arch {} {}", report.target->name, options);
  return d.add(Paragraph{commands, Tone::faint, true});
}

}  // namespace swz
