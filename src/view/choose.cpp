#include "view/choose.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "descriptor/tile_descriptor.hpp"

namespace swz {

namespace {

Json name_of(const SwizzleMode& mode) { return std::string(mode.name); }

Cell copies_cell(const std::optional<TmaBoxes>& boxes) {
  if (!boxes) return {nullptr};
  return {boxes->count, fmt::format("{} x {}", boxes->count, to_string(boxes->box))};
}

Table mode_table(const SwizzleChoice& choice) {
  using enum Column::Align;
  Table table{"modes",
              "",
              {{"mode", "mode"},
               {"fits", "fits"},
               {"allowed", ""},
               {"request_bytes", "GMEM request", right},
               {"copies_mn_first", "TMA mn-first", right},
               {"copies_k_first", "TMA k-first", right},
               {"why_not", "why not"}},
              {}};
  for (const ModeVerdict& v : choice.verdicts) {
    const bool taken = v.mode == choice.mode;
    const Tone tone = taken ? Tone::good : v.fits && v.allowed ? Tone::plain : Tone::faint;
    table.rows.push_back({{name_of(*v.mode), "", tone},
                          {v.fits, v.fits ? "yes" : "no", tone},
                          {v.allowed},
                          {v.request.count, fmt::format("{} B", v.request.count), tone},
                          copies_cell(v.mn_first),
                          copies_cell(v.k_first),
                          taken ? Cell{nullptr, "the one to take", Tone::good} : Cell{v.why_not}});
  }
  return table;
}

// One row for each order; JSON only, for the table says the same.
Json boxes_of(const std::optional<TmaBoxes>& boxes) {
  if (!boxes) return nullptr;
  return Json{{"mn", boxes->box.mn}, {"k", boxes->box.k}, {"count", boxes->count}};
}

std::int64_t mma_k(const TileShape& shape) { return dense_mma_k(element_bits(*shape.dtype, shape.packing)); }
bool is_whole_mmas(const ChooseReport& report) { return report.shape.extents.k % mma_k(report.shape) == 0; }

Notes notes_of(const ChooseReport& report, const ModeVerdict& taken) {
  Notes notes{"notes"};
  if (const auto& refused = report.choice.unreadable)
    notes.add(note(refused->rule, refused->message + ": chosen by what fits alone"));
  else if (!is_whole_mmas(report))
    notes.add(note("k-of-mma",
                   fmt::format("no MMA reads it by descriptor: K {} is not a multiple of {}",
                               report.shape.extents.k, mma_k(report.shape)),
                   fmt::format("an MMA reads 32 B of every row: take K {}",
                               (report.shape.extents.k / mma_k(report.shape) + 1) * mma_k(report.shape))));
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
  const TileShape& shape = report.shape;
  const ModeVerdict* taken = nullptr;
  for (const ModeVerdict& v : choice.verdicts)
    if (v.mode == choice.mode) taken = &v;

  Document d(fmt::format("{} {} {} on {}", shape.dtype->name, to_string(shape.extents), to_string(shape.major),
                         report.target->name));
  d.add(Field{"swizzle", "take", name_of(*choice.mode), summary(*taken), Tone::good});
  d.add(Field{"dtype", "", std::string(shape.dtype->name)});
  d.add(Field{"major", "", std::string(to_string(shape.major))});
  d.add(Field{"mn", "", shape.extents.mn});
  d.add(Field{"k", "", shape.extents.k});
  d.add(Field{"arch", "", std::string(report.target->name)});
  d.add(Field{"request_bytes", "", taken->request.count});
  d.add(Field{"box_mn_first", "", boxes_of(taken->mn_first)});
  d.add(Field{"box_k_first", "", boxes_of(taken->k_first)});
  d.add(mode_table(choice));
  d.add(notes_of(report, *taken));
  const std::string options = fmt::format("{} --swizzle {}", report.tile_options, choice.mode->name);
  const bool has_descriptor = !choice.unreadable && is_whole_mmas(report);
  d.add(Paragraph{
      fmt::format("go on: swz place {}{}", options,
                  has_descriptor ? fmt::format("\n       swz desc --arch {} {}", report.target->name, options)
                                 : std::string()),
      Tone::faint, true});
  return d;
}

}  // namespace swz
