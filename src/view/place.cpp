#include "view/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/figure.hpp"

namespace swz {

namespace {

using Label = PlaceOptions::Label;
using Color = PlaceOptions::Color;

std::string_view label_text(Label label) {
  switch (label) {
    case Label::number: return "the number of its chunk in GMEM order";
    case Label::bank: return "its bank";
    case Label::byte: return "its shared-memory address";
    case Label::coordinate: return "its row and k";
    case Label::offset: return "its offset from the base in elements";
    case Label::atom: return "the number of its atom";
  }
  return "";
}

std::string color_text(const PlaceScene& scene) {
  const bool k_major = scene.first->major() == Major::K;
  const std::string_view lines = k_major ? "rows" : "k";
  switch (scene.options->color) {
    case Color::position: return "16-byte column of banks";
    case Color::bank: return "bank; the shade tells the four of a hue apart";
    case Color::column: return "16-byte column of the operand";
    case Color::subtile:
      return scene.first->lines() <= scene.group_lines
                 ? "16-byte column of the operand"
                 : fmt::format("16-byte column of the operand; groups of {} {} are dark and light in turn",
                               scene.group_lines, lines);
  }
  return "";
}

std::string reading_text(const PlacedOperand& operand, const Reading& reading) {
  return fmt::format("{}: {} highlighted, eight lanes at a time: {}{}.\n", operand.name,
                     plural(reading.chunks, "chunk"), plural(reading.wavefronts, "wavefront"),
                     reading.ways > 1
                         ? fmt::format(" where {} would do, {}-way bank conflict", reading.phases, reading.ways)
                         : ", no bank conflict");
}

void require_drawable_options(const PlaceReport& report, const PlaceOptions& options) {
  const bool chunks_wanted = !options.elements || options.label == Label::number;
  for (const PlacedOperand& o : report.operands) {
    if (chunks_wanted && !o.placement.has_chunks())
      throw Error(fmt::format("{} does not keep the 16-byte chunks of {} elements together", o.name,
                              o.placement.chunk_elements()),
                  "draw elements: --cells element --label coordinate");
    if (options.label == Label::atom && !o.tile)
      throw Error(fmt::format("{} is not built from swizzle atoms", o.name), "take another --label");
  }
}

// Panels of the first operand, then those of the others in shared memory (or as the first, when it has one panel).
Figure place_figure(const PlaceReport& report, const PlaceOptions& options,
                    const std::vector<std::vector<std::int64_t>>& phases) {
  const Placement& first = report.operands.front().placement;
  const PlacedOperand& front = report.operands.front();
  PlaceScene scene{&options, &first, front.tile ? front.tile->swizzle().lines : 8, {}};

  std::int64_t squares = 0;
  for (const PlacedOperand& o : report.operands) {
    if (options.logical && (&o == &front || !options.smem)) squares += logical_squares(scene, o.placement);
    if (options.smem) squares += smem_squares(scene, o.placement);
  }
  require_drawable(squares, fmt::format("the figure of {} {}", to_string(first.extents()), report.dtype->name),
                   options.elements ? "draw chunks (--cells chunk), a part of the operand, or take -f json"
                                    : "draw a part of the operand, or take -f json");

  if (!report.selection.empty()) scene.selected = selected_elements(report.selection, first);
  Figure figure;
  std::vector<Grid>& panels = figure.panels.emplace_back();
  bool any_collides = false;
  std::string readings;
  for (const PlacedOperand& o : report.operands) {
    std::vector<bool> colliding;
    if (!phases.empty() && o.placement.has_chunks()) {
      const Reading reading = read(phases, o.placement);
      colliding = reading.colliding;
      any_collides = any_collides || reading.ways > 1;
      readings += reading_text(o, reading);
    }
    const bool several = report.operands.size() > 1;
    if (options.logical && (&o == &front || !options.smem)) {
      // The same place in GMEM for all; which cells collide is a matter of shared memory.
      Grid grid = logical_grid(scene, o, several && options.smem ? std::vector<bool>{} : colliding);
      grid.title = !options.smem && several ? o.name : "logical";
      panels.push_back(std::move(grid));
    }
    if (options.smem) {
      Grid grid = smem_grid(scene, o, colliding);
      grid.title = several ? fmt::format("shared memory, {}", o.name) : "shared memory";
      panels.push_back(std::move(grid));
    }
  }
  figure.legend = place_legend(scene, front);
  if (!scene.selected.empty()) figure.legend.push_back({"highlighted", {}, Mark::highlighted});
  if (any_collides) figure.legend.push_back({"collides with another of its eight", {}, Mark::colliding});
  figure.caption = fmt::format(
      "{}A cell is {} and shows {}. Colour: {}.", readings,
      options.elements ? "an element" : fmt::format("16 bytes ({})", plural(first.chunk_elements(), "element")),
      label_text(options.label), color_text(scene));
  return figure;
}

// JSON only; null where the 16-byte pieces do not hold together.
void add_chunks(Document& d, const Placement& p) {
  if (!p.has_chunks()) {
    d.json("chunks", nullptr);
    std::vector<std::int64_t> addresses;
    for (std::int64_t row = 0; row < p.extents().mn; ++row)
      for (std::int64_t k = 0; k < p.extents().k; ++k) addresses.push_back(p.byte(row, k).count);
    d.json("addresses", addresses);
    return;
  }
  Table table{"chunks", "", {{"row", ""}, {"k", ""}, {"byte", ""}, {"bank", ""}}, {}};
  table.rows.reserve(static_cast<std::size_t>(p.chunk_count()));
  for (std::int64_t i = 0; i < p.chunk_count(); ++i) {
    const Chunk c = p.chunk_at(i);
    table.rows.push_back({c.row, c.k, c.byte, c.bank});
  }
  d.add(std::move(table));
  d.json("addresses", nullptr);
}

// JSON only.
void add_reading(Document& d, const std::vector<std::vector<std::int64_t>>& phases, const Placement& p) {
  if (phases.empty() || !p.has_chunks()) {
    d.json("reading", nullptr);
    return;
  }
  const Reading reading = read(phases, p);
  d.json("reading", {{"chunks", reading.chunks},
                     {"phases", reading.phases},
                     {"wavefronts", reading.wavefronts},
                     {"ways", reading.ways}});
}

void add_operand(Document& d, const PlacedOperand& o) {
  d.json("name", o.name).json("swizzle", o.tile ? Json(o.tile->swizzle().name) : Json());
  d.json("order", o.tile ? Json(to_string(o.tile->order())) : Json());
  d.field("layout", "layout", to_string(o.layout));
  d.json("begin", o.placement.begin().count).json("end", o.placement.end().count);
}

Notes place_notes(const PlaceReport& report) {
  Notes notes{"notes"};
  const PlacedOperand& front = report.operands.front();
  if (report.unreadable)
    notes.add(note(report.unreadable->rule, report.unreadable->message + ": no descriptor for this tile",
                   report.unreadable->hint));
  if (front.tile && !front.tile->is_pattern_aligned())
    notes.add(phase_note(front.base, front.tile->swizzle().pattern(),
                         fmt::format("mode {}", front.tile->swizzle().name)));
  for (const PlacedOperand& o : report.operands) {
    if (const std::int64_t shared = shared_elements(o.placement); shared > 0)
      notes.add(note("shared-bytes",
                     fmt::format("{}: {} elements lie where another one does; shared memory shows the first",
                                 o.name, shared)));
    if (!o.placement.has_chunks())
      notes.add(note("no-chunks", fmt::format("{}: its elements do not lie together in 16-byte chunks along {}",
                                              o.name, o.placement.major() == Major::K ? "K" : "MN")));
  }
  return notes;
}

}  // namespace

std::string placement_title(const DType& dtype, const PlacedOperand& o, const std::string& name) {
  const Placement& p = o.placement;
  std::string title = fmt::format("{} {} {}, {}", dtype.name, to_string(p.extents()), to_string(p.major()), name);
  if (o.tile && o.tile->atoms() != TileExtents{1, 1}) title += fmt::format(", {}", to_string(o.tile->order()));
  if (o.base.count != 0) title += fmt::format(", at {:#x}", o.base.count);
  return title;
}

Finding phase_note(Bytes base, Bytes pattern, std::string_view swizzle) {
  return note(
      "pattern-phase",
      fmt::format("{:#x} is not a multiple of {} B, after which {} repeats: the swizzle follows the address",
                  base.count, pattern.count, swizzle),
      "swz phase shows what a reader that counts from the tile gets wrong");
}

Document view_place(const PlaceReport& report, const PlaceOptions& options) {
  const PlacedOperand& front = report.operands.front();
  const Placement& p = front.placement;
  require_drawable_options(report, options);
  if (!report.selection.empty()) selected_elements(report.selection, p);  // throws beyond the operand
  const auto phases = phases_of(report.selection, p);

  std::vector<std::string> names;
  for (const PlacedOperand& operand : report.operands) names.push_back(operand.name);
  Document d(placement_title(*report.dtype, front, join_and(names)));
  d.json("dtype", report.dtype->name).json("element_bits", p.element_bits());
  d.json("major", to_string(p.major())).json("mn", p.extents().mn).json("k", p.extents().k);
  d.json("base", front.base.count);
  add_operand(d, front);
  d.json("chunk_bytes", chunk.count);
  const std::int64_t first = p.begin().count, last = p.end().count - 1;
  d.line("bytes", fmt::format("{:#x} to {:#x}: {} B on {} of 128 B", first, last, last + 1 - first,
                              plural(last / bank_row.count - first / bank_row.count + 1, "line")));
  d.add(Drawing{[report, options, phases](Medium medium) {
    PlaceOptions drawn = options;
    drawn.tips = medium == Medium::page;
    return Document().add(place_figure(report, drawn, phases));
  }});
  add_chunks(d, p);
  add_reading(d, phases, p);
  Group beside{"beside", {}, false};
  for (const PlacedOperand& o : std::span(report.operands).subspan(1)) {
    Document& other = beside.members.emplace_back();
    add_operand(other, o);
    add_chunks(other, o.placement);
    add_reading(other, phases, o.placement);
  }
  return d.add(std::move(beside)).add(place_notes(report));
}

}  // namespace swz
