// SPDX-License-Identifier: Apache-2.0
#include "view/tile/tile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/tile_descriptor.hpp"

namespace swz {

namespace {

using enum Column::Align;

// ---- the swizzle mode to choose

Cell copies_cell(const std::optional<TmaBoxes>& boxes) {
  if (!boxes) return {nullptr};
  return {boxes->count, fmt::format("{} x {}", boxes->count, to_string(boxes->box))};
}

Table mode_table(const SwizzleChoice& choice) {
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

// JSON only, because the table shows the same.
Json boxes_of(const std::optional<TmaBoxes>& boxes) {
  if (!boxes) return nullptr;
  return {{"mn", boxes->box.mn}, {"k", boxes->box.k}, {"count", boxes->count}};
}

Notes choice_notes(const ChooseReport& report, const ModeVerdict& taken, std::int64_t mma_k) {
  Notes notes{"notes"};
  const std::int64_t k = report.shape.k;
  if (const auto& refused = report.choice.unreadable)
    notes.note(refused->rule, refused->message + ": chosen only by what fits");
  else if (k % mma_k != 0)
    notes.note("k-of-mma", fmt::format("no MMA reads it by descriptor: K {} is not a multiple of {}", k, mma_k),
               fmt::format("an MMA reads 32 B of every row: take K {}", (k / mma_k + 1) * mma_k));
  if (taken.request != taken.mode->span)
    notes.note("gmem-bytes", fmt::format("a line of {} B in shared memory is {} B in GMEM, which holds {} packed",
                                         taken.mode->span.count, taken.request.count, report.shape.dtype->name));
  if (!taken.why_no_boxes.empty()) notes.note("no-tma", taken.why_no_boxes + ": no TMA copies are counted");
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

// ---- the phase of its base

std::string numbers_text(const std::vector<int>& values) {
  std::vector<std::string> names;
  for (const int value : values) names.push_back(std::to_string(value));
  return join_and(names);
}

bool refuses_tma(const Phase& p) { return p.mode->bits != 0 && !p.base.is_multiple_of(bank_row); }

void add_position(Document& d, const Phase& p) {
  const SwizzleMode& mode = *p.mode;
  d.field("swizzle", "mode", mode.name,
          mode.bits == 0 ? "none  no pattern: every base has phase 0"
                         : fmt::format("{}  {} on byte addresses, repeats every {} B", mode.name,
                                       to_string(mode.byte_swizzle()), mode.pattern().count));
  d.field("base", "base", p.base.count,
          fmt::format("{:#x} = {}, line {}", p.base.count, p.base.count, p.base.count / bank_row.count));
  d.json("pattern_bytes", mode.pattern().count);
  const std::int64_t rest = p.bytes.count % bank_row.count;
  d.field("phase_bytes", "phase", p.bytes.count,
          p.is_aligned() ? "0  the pattern begins at the base"
                         : fmt::format("{} B after the beginning of the pattern: {} of 128 B{}", p.bytes.count,
                                       plural(p.lines(), "line"), rest == 0 ? "" : fmt::format(" and {} B", rest)),
          p.is_aligned() ? Tone::good : Tone::accent);
  d.json("phase_lines", p.lines()).json("aligned", p.is_aligned());
  d.field("below", p.is_aligned() ? "" : "aligned at", p.below.count,
          fmt::format("{:#x} and {:#x}", p.below.count, p.above.count));
  d.json("above", p.above.count);
}

Field count_field(std::string key, std::string label, const std::optional<PhaseCount>& count) {
  if (!count) return {std::move(key), "", nullptr};
  const std::int64_t wrong = count->wrong.count, all = count->of.count;
  return {std::move(key),
          std::move(label),
          {{"wrong", wrong}, {"bytes", all}},
          fmt::format("{}{} of {} B",
                      wrong == all ? "all: "
                      : wrong == 0 ? "none: "
                                   : "",
                      wrong, all),
          wrong == 0 ? Tone::good : Tone::bad};
}

Field first_wrong_field(const Phase& p, const std::optional<SmemTile>& tile) {
  if (!p.first_wrong) return {"first_wrong", "", nullptr};
  const MisplacedChunk& m = *p.first_wrong;
  const auto at = tile ? tile->at(m.lies_at) : std::nullopt;
  return {
      "first_wrong",
      "first",
      {{"offset", m.offset.count}, {"lies_at", m.lies_at.count}, {"looked_for", m.looked_for.count}},
      fmt::format("offset {}{}: lies at {:#x}, looked for at {:#x}", m.offset.count,
                  at ? fmt::format(", element ({}, {})", at->row, at->k) : "", m.lies_at.count, m.looked_for.count)};
}

void add_base_offsets(Document& d, const Phase& p) {
  const std::string relative = numbers_text(p.relative_base_offsets);
  d.add(Paragraph{"base offset of the descriptor (bits 49-51)", Tone::strong});
  d.field("base_offsets.absolute", "absolute data", p.absolute_base_offsets, numbers_text(p.absolute_base_offsets));
  d.field("base_offsets.relative", "tile-relative data", p.relative_base_offsets,
          relative.empty() ? "none: the base is not a multiple of 128 B, and the base offset counts lines of 128 B"
          : p.mode->bits == 0
              ? relative + ": it has no effect"
              : fmt::format("{}; PTX: ({:#x} >> 7) & 7 = {}", relative, p.base.count, p.documented_base_offset),
          relative.empty() ? Tone::bad : Tone::plain);
  d.json("base_offsets.documented", p.documented_base_offset);
}

Notes phase_notes(const Phase& p) {
  Notes notes{"notes"};
  const SwizzleMode& mode = *p.mode;
  if (!p.is_aligned())
    notes.note("move-the-tile",
               fmt::format("at {:#x} or {:#x} absolute and tile-relative are the same", p.below.count, p.above.count),
               fmt::format("align the buffer to {0} B: extern __shared__ __align__({0})", mode.pattern().count));
  if (!p.stays_inside())
    notes.note("spills",
               fmt::format("the XOR moves chunks inside aligned lines of {} B: {} B at {:#x} occupy {:#x} to {:#x}",
                           mode.span.count, p.size.count, p.base.count, p.lowest.count, p.end.count - 1),
               fmt::format("a multiple of {} B keeps the bytes inside", mode.span.count));
  if (refuses_tma(p))
    notes.note("tma-alignment", "TMA cannot write here: the shared-memory address must be a multiple of 128 B", "",
               "PTX ISA 9.1, 9.7.9.27 (documented)");
  if (mode.family == SwizzleFamily::chunk_32)
    notes.note("not-run", "base offset in mode 128B_32B: neither documented nor measured, taken as in the other modes");
  return notes;
}

// A chunk of the tile with its place and the place where a tile-relative reader looks for it.
struct PhaseChunk {
  Bytes offset, lies, looked;
  bool is_wrong() const { return lies != looked; }

  // "2.5": chunk 5 of line 2 of the tile. A chunk whose two places agree is plain.
  Grid::Square square(Mark mark = Mark::none) const {
    const std::int64_t in_line = offset.count % bank_row.count / chunk.count;
    return {fmt::format("{}.{}", offset.count / bank_row.count, in_line),
            {is_wrong() ? static_cast<int>(in_line) : -1, 0},
            is_wrong() ? mark : Mark::none,
            fmt::format("offset {}\nlies at {:#x}\nlooked for at {:#x}", offset.count, lies.count, looked.count)};
  }
};

std::int64_t column_of(Bytes address) { return address.count % bank_row.count / chunk.count; }
std::int64_t line_of(Bytes address) { return address.count / bank_row.count; }

Document phase_figures(const Phase& p) {
  const SwizzleMode& mode = *p.mode;
  std::vector<PhaseChunk> chunks;
  for (std::int64_t i = 0; i < pattern_shown(mode).count; i += chunk.count)
    chunks.push_back({Bytes{i}, absolute_byte(mode, p.base, Bytes{i}), relative_byte(mode, p.base, Bytes{i})});
  // An XOR inside lines keeps the bytes in these. The lines before the base show where the pattern begins.
  const std::int64_t first = line_of(p.below);
  const std::int64_t count = (p.base.count + pattern_shown(mode).count - 1) / bank_row.count - first + 1;
  Grid lies = smem_lines("where the chunks lie", "byte\\bank", first, count);
  Grid looked =
      smem_lines(fmt::format("where code that counts from {:#x} looks", p.base.count), "byte\\bank", first, count);
  for (std::int64_t line = 0; line < count; ++line) {
    const std::int64_t address = (first + line) * bank_row.count;
    if (mode.bits > 0)
      lies.row_labels[static_cast<std::size_t>(line)] +=
          fmt::format(" XOR {}", column_of(absolute_byte(mode, Bytes{address}, Bytes{0})));
    if (mode.bits > 0 && address >= p.base.count && p.base.count % bank_row.count == 0)
      looked.row_labels[static_cast<std::size_t>(line)] +=
          fmt::format(" XOR {}", column_of(relative_byte(mode, p.base, Bytes{address - p.base.count})));
    if (address + bank_row.count > p.base.count) continue;
    for (Grid* grid : {&lies, &looked})
      for (Grid::Square& square : grid->squares[static_cast<std::size_t>(line)]) square = {"", {}, Mark::faint};
  }
  for (const PhaseChunk& c : chunks) {
    lies.at(line_of(c.lies) - first, column_of(c.lies)) = c.square();
    looked.at(line_of(c.looked) - first, column_of(c.looked)) = c.square(Mark::colliding);
  }
  Figure grids;
  grids.panels = {{std::move(lies), std::move(looked)}};
  grids.caption = "2.5 is chunk 5 of line 2 of the tile.";
  if (!p.is_aligned() && mode.bits > 0)
    grids.caption += fmt::format(
        " XOR 1: the chunk numbers of this line are XORed with 1. The pattern begins at {:#x}.", p.below.count);
  Document d;
  if (std::ranges::none_of(chunks, &PhaseChunk::is_wrong)) {
    grids.caption += " Both find every chunk in the same place.";
    return d.add(std::move(grids));
  }
  grids.legend = {{"another chunk lies there", {}, Mark::colliding}};
  return d.add(std::move(grids));
}

}  // namespace

Document view_choose(const ChooseReport& report) {
  const SwizzleChoice& choice = report.choice;
  const SmemTileValues& shape = report.shape;
  const ModeVerdict& taken = *std::ranges::find(choice.verdicts, choice.mode, &ModeVerdict::mode);
  const std::int64_t mma_k = dense_mma_k(element_bits(*shape.dtype, shape.packing));
  Document d(fmt::format("{} {} {} on {}", shape.dtype->name, to_string(shape.extents()), to_string(shape.major),
                         report.target->name));
  d.field("swizzle", "take", choice.mode->name, summary(taken), Tone::good);
  d.headline = fmt::format("take mode {}: GMEM requests of {} B{}", taken.mode->name, taken.request.count,
                           taken.mn_first ? fmt::format(", {}", plural(taken.mn_first->count, "TMA copy")) : "");
  d.answers = {"swizzle"};
  d.json("dtype", shape.dtype->name).json("major", to_string(shape.major)).json("mn", shape.mn);
  d.json("k", shape.k).json("arch", report.target->name).json("request_bytes", taken.request.count);
  d.json("box_mn_first", boxes_of(taken.mn_first)).json("box_k_first", boxes_of(taken.k_first));
  d.add(mode_table(choice)).add(choice_notes(report, taken, mma_k));
  d.add(Drawing{
      [report](Medium medium) { return medium == Medium::page ? Document().add(choose_figure(report)) : Document(); }});
  const std::string options = fmt::format("{} --swizzle {}", report.tile_options, choice.mode->name);
  std::string commands = "go on: swz place " + options;
  if (!choice.unreadable && shape.k % mma_k == 0)
    commands += fmt::format("\n       swz desc --arch {} {}", report.target->name, options);
  return d.add(Paragraph{commands, Tone::faint, true});
}

namespace {

std::string verdict_of(const Phase& p) {
  if (p.is_aligned())
    return fmt::format("{:#x} is aligned: TMA, MMAs and code that counts from it agree", p.base.count);
  const PhaseCount& all = p.over_pattern;
  const std::int64_t wrong = all.wrong.count / chunk.count, of = all.of.count / chunk.count;
  if (refuses_tma(p))
    return fmt::format("TMA cannot write to {:#x}; lines counted from it miss {} of {} chunks", p.base.count, wrong,
                       of);
  return fmt::format("counting lines from {:#x} instead of {:#x} misses {} of {} chunks", p.base.count, p.below.count,
                     wrong, of);
}

}  // namespace

Document view_phase(const Phase& p, const std::optional<SmemTile>& tile) {
  Document d(tile ? fmt::format("{} {} {} at {:#x}, mode {}", tile->dtype().name, to_string(tile->extents()),
                                to_string(tile->major()), p.base.count, p.mode->name)
                  : fmt::format("a tile at {:#x}, mode {}", p.base.count, p.mode->name));
  d.answers = {"aligned", "phase_bytes", "below", "above"};
  d.headline = verdict_of(p);
  d.line("verdict", d.headline, p.is_aligned() ? Tone::good : Tone::bad);
  add_position(d, p);
  d.line("absolute", "an MMA with base offset 0, and what is written by absolute address: they agree at every base",
         Tone::good);
  d.add(Paragraph{"a reader or writer that counts from the tile's own beginning", Tone::strong});
  d.add(count_field("pattern", "wrong in one pattern", p.over_pattern));
  d.add(count_field("tile", "wrong in the tile", p.over_tile)).add(first_wrong_field(p, tile));
  add_base_offsets(d, p);
  d.json("lowest", p.lowest.count).json("highest", p.end.count - 1);
  return d.add(Drawing{[p](Medium) { return phase_figures(p); }}).add(phase_notes(p));
}

}  // namespace swz
