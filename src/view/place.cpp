#include "view/place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/figure.hpp"
#include "view/place_grids.hpp"

namespace swz {

namespace {

using Label = PlaceOptions::Label;
using Color = PlaceOptions::Color;

std::string title_of(const PlaceReport& report) {
  const PlacedOperand& o = report.operands.front();
  const Placement& p = o.placement;
  std::vector<std::string> names;
  for (const PlacedOperand& operand : report.operands) names.push_back(operand.name);
  std::string title = fmt::format("{} {} {}, {}", report.dtype->name, to_string(p.extents()), to_string(p.major()),
                                  join_and(names));
  if (o.tile && o.tile->atoms() != TileExtents{1, 1}) title += fmt::format(", {}", to_string(o.tile->order()));
  if (o.base.count != 0) title += fmt::format(", at {:#x}", o.base.count);
  return title;
}

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

void check_options(const PlaceReport& report, const PlaceOptions& options) {
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
Figure figure_of(const PlaceReport& report, const PlaceOptions& options,
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
    d.add(Field{"chunks", "", nullptr});
    Json addresses = Json::array();
    for (std::int64_t row = 0; row < p.extents().mn; ++row)
      for (std::int64_t k = 0; k < p.extents().k; ++k) addresses.push_back(p.byte(row, k).count);
    d.add(Field{"addresses", "", std::move(addresses)});
    return;
  }
  Table table{"chunks", "", {{"row", ""}, {"k", ""}, {"byte", ""}, {"bank", ""}}, {}};
  table.rows.reserve(static_cast<std::size_t>(p.chunk_count()));
  for (std::int64_t i = 0; i < p.chunk_count(); ++i) {
    const Chunk c = p.chunk_at(i);
    table.rows.push_back({{c.row}, {c.k}, {c.byte.count}, {c.bank}});
  }
  d.add(std::move(table));
  d.add(Field{"addresses", "", nullptr});
}

// JSON only.
void add_reading(Document& d, const std::vector<std::vector<std::int64_t>>& phases, const Placement& p) {
  if (phases.empty() || !p.has_chunks()) {
    d.add(Field{"reading", "", nullptr});
    return;
  }
  const Reading reading = read(phases, p);
  d.add(Field{"reading", "",
              Json{{"chunks", reading.chunks},
                   {"phases", reading.phases},
                   {"wavefronts", reading.wavefronts},
                   {"ways", reading.ways}}});
}

void add_operand(Document& d, const PlacedOperand& o) {
  d.add(Field{"name", "", o.name});
  d.add(Field{"swizzle", "", o.tile ? Json(std::string(o.tile->swizzle().name)) : Json()});
  d.add(Field{"order", "", o.tile ? Json(std::string(to_string(o.tile->order()))) : Json()});
  d.add(Field{"layout", "layout", to_string(o.layout)});
  d.add(Field{"begin", "", o.placement.begin().count});
  d.add(Field{"end", "", o.placement.end().count});
}

Notes notes_of(const PlaceReport& report) {
  Notes notes{"notes"};
  const PlacedOperand& front = report.operands.front();
  if (report.unreadable)
    notes.add(note(report.unreadable->rule, report.unreadable->message + ": no descriptor for this tile",
                   report.unreadable->hint));
  if (front.tile && !front.tile->is_pattern_aligned())
    notes.add(note(
        "pattern-phase",
        fmt::format("{:#x} is not a multiple of {} B, after which mode {} repeats: the swizzle follows the address",
                    front.base.count, front.tile->swizzle().pattern().count, front.tile->swizzle().name),
        "swz phase shows what a reader that counts from the tile gets wrong"));
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

Document view_place(const PlaceReport& report, const PlaceOptions& options) {
  const PlacedOperand& front = report.operands.front();
  const Placement& p = front.placement;
  check_options(report, options);
  if (!report.selection.empty()) selected_elements(report.selection, p);  // throws beyond the operand
  const auto phases = phases_of(report.selection, p);

  Document d(title_of(report));
  d.add(Field{"dtype", "", std::string(report.dtype->name)});
  d.add(Field{"element_bits", "", p.element_bits()});
  d.add(Field{"major", "", std::string(to_string(p.major()))});
  d.add(Field{"mn", "", p.extents().mn});
  d.add(Field{"k", "", p.extents().k});
  d.add(Field{"base", "", front.base.count});
  add_operand(d, front);
  d.add(Field{"chunk_bytes", "", chunk.count});
  const std::int64_t lines = (p.end().count - 1) / bank_row.count - p.begin().count / bank_row.count + 1;
  d.add(Field{"", "bytes", nullptr,
              fmt::format("{:#x} to {:#x}: {} B on {} of 128 B", p.begin().count, p.end().count - 1,
                          p.end().count - p.begin().count, plural(lines, "line"))});
  d.add(Drawing{[report, options, phases](Medium medium) {
    PlaceOptions drawn = options;
    drawn.tips = medium == Medium::page;
    return Document().add(figure_of(report, drawn, phases));
  }});
  add_chunks(d, p);
  add_reading(d, phases, p);
  Group beside{"beside", {}, false};
  for (std::size_t i = 1; i < report.operands.size(); ++i) {
    Document& other = beside.members.emplace_back();
    add_operand(other, report.operands[i]);
    add_chunks(other, report.operands[i].placement);
    add_reading(other, phases, report.operands[i].placement);
  }
  d.add(std::move(beside));
  d.add(notes_of(report));
  return d;
}

}  // namespace swz
