#include "view/tile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "descriptor/tile_descriptor.hpp"

namespace swz {

namespace {

using enum Column::Align;

// ---- the swizzle mode to take

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

// JSON only, because the table says the same.
Json boxes_of(const std::optional<TmaBoxes>& boxes) {
  if (!boxes) return nullptr;
  return {{"mn", boxes->box.mn}, {"k", boxes->box.k}, {"count", boxes->count}};
}

Notes choice_notes(const ChooseReport& report, const ModeVerdict& taken, std::int64_t mma_k) {
  Notes notes{"notes"};
  const std::int64_t k = report.shape.k;
  if (const auto& refused = report.choice.unreadable)
    notes.note(refused->rule, refused->message + ": chosen by what fits alone");
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
  return {"first_wrong",
          "first",
          {{"offset", m.offset.count}, {"lies_at", m.lies_at.count}, {"looked_for", m.looked_for.count}},
          fmt::format("offset {}{}: lies at {:#x}, looked for at {:#x}", m.offset.count,
                      at ? fmt::format(", element ({}, {})", at->row, at->k) : "", m.lies_at.count,
                      m.looked_for.count)};
}

void add_base_offsets(Document& d, const Phase& p) {
  d.json("base_offsets", {{"absolute", p.absolute_base_offsets},
                          {"relative", p.relative_base_offsets},
                          {"documented", p.documented_base_offset}});
  d.add(Paragraph{"base offset of the descriptor (bits 49-51)", Tone::strong});
  d.line("absolute data", numbers_text(p.absolute_base_offsets));
  const std::string relative = numbers_text(p.relative_base_offsets);
  if (relative.empty())
    d.line("tile-relative data",
           "none: the base is not a multiple of 128 B, and the base offset counts lines of 128 B", Tone::bad);
  else
    d.line("tile-relative data", p.mode->bits == 0 ? relative + ": it has no effect"
                                                   : fmt::format("{}; PTX: ({:#x} >> 7) & 7 = {}", relative,
                                                                 p.base.count, p.documented_base_offset));
}

Notes phase_notes(const Phase& p) {
  Notes notes{"notes"};
  const SwizzleMode& mode = *p.mode;
  if (!p.is_aligned())
    notes.note(
        "move-the-tile",
        fmt::format("at {:#x} or {:#x} absolute and tile-relative are the same", p.below.count, p.above.count),
        fmt::format("align the buffer to {0} B: extern __shared__ __align__({0})", mode.pattern().count));
  if (!p.stays_inside())
    notes.note("spills",
               fmt::format("the XOR moves chunks inside aligned lines of {} B: {} B at {:#x} occupy {:#x} to {:#x}",
                           mode.span.count, p.size.count, p.base.count, p.lowest.count, p.end.count - 1),
               fmt::format("a multiple of {} B keeps the bytes inside", mode.span.count));
  if (mode.bits != 0 && !p.base.is_multiple_of(bank_row))
    notes.note("tma-alignment", "TMA cannot write here: its shared-memory address is a multiple of 128 B", "",
               "PTX ISA 9.1, 9.7.9.27 (documented)");
  if (mode.family == SwizzleFamily::chunk_32)
    notes.note("not-run",
               "base offset in mode 128B_32B: neither documented nor measured, taken as in the other modes");
  return notes;
}

// A chunk of the tile with where it lies and where a tile-relative reader looks for it.
struct PhaseChunk {
  Bytes offset, lies, looked;
  bool is_wrong() const { return lies != looked; }

  // "2.5": chunk 5 of line 2 of the tile. What both find in the same place is plain.
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

// One line of shared memory, with an arrow for each chunk from where it lies to where the reader looks for it.
Grid move_panel(const std::vector<PhaseChunk>& chunks, std::int64_t line) {
  Grid grid = smem_lines(
      fmt::format("line {:#x}: from where a chunk lies to where it is looked for", line * bank_row.count), "bank",
      0, 1);
  grid.row_labels = {"lies", "", "looked for"};
  grid.squares.resize(3);
  grid.squares[1].clear();
  grid.squares[2].resize(grid.squares[0].size());
  for (const PhaseChunk& c : chunks) {
    if (line_of(c.lies) == line) grid.at(0, column_of(c.lies)) = c.square();
    if (line_of(c.looked) == line) grid.at(2, column_of(c.looked)) = c.square();
    if (line_of(c.lies) == line && line_of(c.looked) == line)
      grid.arrows.push_back({Grid::Arrow::Kind::move, {0, column_of(c.lies)}, {2, column_of(c.looked)}});
  }
  return grid;
}

Document phase_figures(const Phase& p, Medium medium) {
  const SwizzleMode& mode = *p.mode;
  std::vector<PhaseChunk> chunks;
  for (std::int64_t i = 0; i < pattern_shown(mode).count; i += chunk.count)
    chunks.push_back({Bytes{i}, absolute_byte(mode, p.base, Bytes{i}), relative_byte(mode, p.base, Bytes{i})});
  // An XOR inside lines keeps the bytes in these.
  const std::int64_t first = line_of(p.base);
  const std::int64_t count = (p.base.count + pattern_shown(mode).count - 1) / bank_row.count - first + 1;
  Grid lies = smem_lines("where the chunks lie: XOR of the address", "line\\bank", first, count);
  Grid looked = smem_lines("where a tile-relative reader looks", "line\\bank", first, count);
  for (const PhaseChunk& c : chunks) {
    lies.at(line_of(c.lies) - first, column_of(c.lies)) = c.square();
    // A terminal may have no colours.
    looked.at(line_of(c.looked) - first, column_of(c.looked)) =
        c.square(medium == Medium::terminal ? Mark::colliding : Mark::none);
  }
  Figure grids;
  grids.panels = {{std::move(lies), std::move(looked)}};
  grids.caption = "2.5 is chunk 5 of line 2, counted from the base before the XOR.";
  const auto wrong = std::ranges::find_if(chunks, &PhaseChunk::is_wrong);
  Document d;
  if (wrong == chunks.end()) {
    grids.caption += " Both find every chunk in the same place.";
    return d.add(std::move(grids));
  }
  if (medium == Medium::terminal) {
    grids.legend = {{"another chunk lies there", {}, Mark::colliding}};
  } else {
    grids.caption +=
        fmt::format(" {} of {} chunks are coloured: a reader who counts from the base looks for them elsewhere.",
                    std::ranges::count_if(chunks, &PhaseChunk::is_wrong), chunks.size());
    Figure moves;
    moves.panels = {{move_panel(chunks, line_of(wrong->lies))}};
    d.add(std::move(moves));
  }
  return d.add(std::move(grids));
}

// ---- its MMAs

// Along one dimension of the tile: how many blocks, of how many elements, and what a block is called.
struct Axis {
  char letter;
  std::string_view plural;
  std::int64_t blocks, step;
};

std::string span(const Axis& axis, std::int64_t block) {
  return fmt::format("{} {}-{}", axis.letter, block * axis.step, (block + 1) * axis.step - 1);
}

using TintOf = std::function<Tint(std::int64_t row, std::int64_t column)>;

// MMA tiles of A and B that meet have the k-step, so they share its hue (0 to 3) and C has hues of its own (4 to
// 7).
Tint tint_of_step(std::int64_t step, std::int64_t block) {
  return {static_cast<int>(step & 3), static_cast<int>(block & 3)};
}
Tint tint_of_block(std::int64_t block) {
  return {static_cast<int>(4 + (block & 3)), static_cast<int>(block >> 2 & 3)};
}

Grid panel(std::string_view matrix, const Axis& rows, const Axis& columns, const TintOf& tint,
           const Highlight& highlight) {
  const auto square = [&](std::int64_t row, std::int64_t column) {
    const bool named =
        !highlight.empty() && highlight.contains(rows.plural, row) && highlight.contains(columns.plural, column);
    return Grid::Square{fmt::format("{}{} {}{}", rows.letter, row, columns.letter, column), tint(row, column),
                        named ? Mark::highlighted : Mark::none,
                        fmt::format("{}: {}, {}", matrix, span(rows, row), span(columns, column))};
  };
  Grid grid = grid_of(
      fmt::format("{}: {} x {} MMA tiles of {} x {}", matrix, rows.blocks, columns.blocks, rows.step, columns.step),
      fmt::format("{}\\{}", rows.letter, columns.letter), number_labels(rows.blocks * rows.step, rows.step),
      number_labels(columns.blocks * columns.step, columns.step), square);
  grid.cell_rows = static_cast<int>(rows.step);
  grid.cell_columns = static_cast<int>(columns.step);
  return grid;
}

Figure tiling_figure(const MmaTiling& t, const Highlight& highlight) {
  const MmaExtents blocks = t.blocks(), mma = t.mma();
  const Axis m{'m', "m-blocks", blocks.m, mma.m}, n{'n', "n-blocks", blocks.n, mma.n},
      k{'k', "k-steps", blocks.k, mma.k};
  const auto of_a = [](std::int64_t row, std::int64_t step) { return tint_of_step(step, row); };
  const auto of_c = [&](std::int64_t row, std::int64_t column) { return tint_of_block(row + column * blocks.m); };
  Figure figure;
  figure.panels = {{Grid{}, panel("B (K x N)", k, n, tint_of_step, highlight)},
                   {panel("A (M x K)", m, k, of_a, highlight), panel("C (M x N)", m, n, of_c, highlight)}};
  for (std::int64_t step = 0; step < std::min<std::int64_t>(blocks.k, 4); ++step)
    figure.legend.push_back(
        {fmt::format("A, B: k-step {}{}", step, blocks.k > 4 ? fmt::format(", {}, ...", step + 4) : ""),
         tint_of_step(step, 0)});
  const std::int64_t results = blocks.m * blocks.n;
  for (std::int64_t i = 0; i < results && results <= 4; ++i)
    figure.legend.push_back({fmt::format("C: m{} n{}", i % blocks.m, i / blocks.m), tint_of_block(i)});
  if (!highlight.empty()) figure.legend.push_back({"highlighted", {}, Mark::highlighted});
  figure.caption =
      "an MMA adds A(m, k) times B(k, n) to C(m, n); labels are the first row and column of each MMA tile";
  return figure;
}

Json json_of(const MmaExtents& e) { return {{"m", e.m}, {"n", e.n}, {"k", e.k}}; }

// k outermost, m innermost: the order of the descriptors of swz desc.
Json mmas_of(const MmaTiling& t) {
  Json list = Json::array();
  const MmaExtents blocks = t.blocks(), mma = t.mma();
  for (std::int64_t k = 0; k < blocks.k; ++k)
    for (std::int64_t n = 0; n < blocks.n; ++n)
      for (std::int64_t m = 0; m < blocks.m; ++m)
        list.push_back({{"m", m},
                        {"n", n},
                        {"k", k},
                        {"a", {m * mma.m, k * mma.k}},
                        {"b", {k * mma.k, n * mma.n}},
                        {"c", {m * mma.m, n * mma.n}}});
  return list;
}

Table instruction_table(const std::vector<MmaForm>& forms) {
  return table_of<MmaForm>("instructions", "", forms,
                           {{"instruction", "instruction", &MmaForm::instruction},
                            {"groups", "with", [](const MmaForm& form) { return or_null(form.groups); }},
                            {"evidence", "", [](const MmaForm& form) { return to_string(form.source.evidence); }},
                            {"source", "source", [](const MmaForm& form) { return form.source.where; }}});
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
  d.json("dtype", shape.dtype->name).json("major", to_string(shape.major)).json("mn", shape.mn);
  d.json("k", shape.k).json("arch", report.target->name).json("request_bytes", taken.request.count);
  d.json("box_mn_first", boxes_of(taken.mn_first)).json("box_k_first", boxes_of(taken.k_first));
  d.add(mode_table(choice)).add(choice_notes(report, taken, mma_k));
  const std::string options = fmt::format("{} --swizzle {}", report.tile_options, choice.mode->name);
  std::string commands = "go on: swz place " + options;
  if (!choice.unreadable && shape.k % mma_k == 0)
    commands += fmt::format("\n       swz desc --arch {} {}", report.target->name, options);
  return d.add(Paragraph{commands, Tone::faint, true});
}

Document view_phase(const Phase& p, const std::optional<SmemTile>& tile) {
  Document d(tile ? fmt::format("{} {} {} at {:#x}, mode {}", tile->dtype().name, to_string(tile->extents()),
                                to_string(tile->major()), p.base.count, p.mode->name)
                  : fmt::format("a tile at {:#x}, mode {}", p.base.count, p.mode->name));
  add_position(d, p);
  d.line("absolute", "TMA, and an MMA with base offset 0: they agree at every base", Tone::good);
  d.add(Paragraph{"a reader or writer that counts from the tile's own beginning", Tone::strong});
  d.add(count_field("pattern", "wrong in one pattern", p.over_pattern));
  d.add(count_field("tile", "wrong in the tile", p.over_tile)).add(first_wrong_field(p, tile));
  add_base_offsets(d, p);
  d.json("lowest", p.lowest.count).json("highest", p.end.count - 1);
  return d.add(Drawing{[p](Medium medium) { return phase_figures(p, medium); }}).add(phase_notes(p));
}

std::vector<HighlightKind> highlight_kinds(const MmaTiling& tiling) {
  const MmaExtents blocks = tiling.blocks();
  return {{"m-blocks", blocks.m}, {"n-blocks", blocks.n}, {"k-steps", blocks.k}};
}

Document view_mma_tiling(const MmaTilingReport& report, const Highlight& highlight) {
  const MmaTiling& t = report.tiling;
  const MmaExtents tile = t.tile(), blocks = t.blocks();
  require_within(limits::listed_mmas, t.count());
  require_drawable(blocks.m * blocks.n + blocks.n * blocks.k + blocks.m * blocks.k, "the figure of the tile",
                   limits::listed_mmas.way_out);
  Document d(fmt::format("{} x {} x {} of {} as {} on {}", tile.m, tile.n, tile.k, report.dtype->name,
                         to_string(t.mma()), report.target->name));
  d.json("arch", report.target->name).json("dtype", report.dtype->name).json("tile", json_of(tile));
  d.json("mma", json_of(t.mma()));
  d.field("blocks", "blocks", json_of(blocks),
          fmt::format("{} along M, {} along N, {} along K", blocks.m, blocks.n, blocks.k));
  d.field("total", "MMAs", t.count(), {}, Tone::strong);
  d.add(instruction_table(report.forms)).json("mmas", mmas_of(t));
  d.add(drawing([t, highlight] { return tiling_figure(t, highlight); }));
  Notes notes{"notes"};
  if (std::ranges::all_of(report.forms, [](const MmaForm& form) { return form.groups == "cta_group::2"; }))
    notes.note("cta-pair",
               "the shape needs cta_group::2: the tile spans two CTAs; each holds half of the rows of A and half "
               "of the columns of B",
               "", "PTX ISA 9.1, 9.7.16 (documented)");
  return d.add(std::move(notes));
}

}  // namespace swz
