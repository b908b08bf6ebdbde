// SPDX-License-Identifier: Apache-2.0
#include "view/tile/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/error.hpp"
#include "base/text.hpp"
#include "view/document/headline.hpp"
#include "view/tile/column_banks.hpp"

namespace swz {

namespace {

void require_drawable_options(const PlaceReport& report, const PlaceOptions& options) {
  const bool chunks_wanted = !options.elements || options.label == PlaceOptions::Label::number;
  for (const PlacedOperand& o : report.operands) {
    if (chunks_wanted && !o.placement.has_chunks())
      throw Error(fmt::format("{} does not keep the 16-byte chunks of {} elements together", o.name,
                              o.placement.chunk_elements()),
                  "draw elements: --cells element --label coordinate");
    if (options.label == PlaceOptions::Label::atom && !o.tile)
      throw Error(fmt::format("{} is not built from swizzle atoms", o.name), "take another --label");
  }
}

Json reading_json(const PhaseReading& reading) {
  return {{"chunks", reading.chunks},
          {"phases", reading.phases},
          {"wavefronts", reading.wavefronts},
          {"ways", reading.ways}};
}

// JSON only. chunks: null if the 16-byte pieces do not stay together; then addresses has the elements.
void add_places(Document& d, const PlacedOperand& o, const std::vector<std::vector<std::int64_t>>& phases) {
  const Placement& p = o.placement;
  if (p.has_chunks()) {
    Table table{"chunks", "", {{"row", ""}, {"k", ""}, {"byte", ""}, {"bank", ""}}, {}};
    table.rows.reserve(static_cast<std::size_t>(p.chunk_count()));
    for (std::int64_t i = 0; i < p.chunk_count(); ++i) {
      const Chunk c = p.chunk_at(i);
      table.rows.push_back({c.row, c.k, c.byte, c.bank});
    }
    d.add(std::move(table)).json("addresses", nullptr);
  } else {
    const auto byte = [&](std::int64_t bit) { return value_bit(p.form(), Bits{bit}).in_bytes().count; };
    d.json("chunks", nullptr).json("addresses", json_list(p.bits(), byte));
  }
  d.json("reading", phases.empty() || !p.has_chunks() ? Json() : reading_json(read(phases, p)));
}

void add_operand(Document& d, const PlacedOperand& o) {
  d.json("name", o.name).json("swizzle", o.tile ? Json(o.tile->swizzle().name) : Json());
  d.json("order", o.tile ? Json(to_string(o.tile->order())) : Json());
  d.field("layout", "layout", to_string(o.layout));
  d.json("begin", o.placement.begin().count).json("end", o.placement.end().count);
}

// The number of elements that are at the address of an earlier one.
std::int64_t shared_elements(const Placement& placement) {
  std::vector<std::int64_t> bits = placement.bits();
  std::ranges::sort(bits);
  return bits.end() - std::unique(bits.begin(), bits.end());
}

Notes place_notes(const PlaceReport& report) {
  Notes notes{"notes"};
  const PlacedOperand& front = report.operands.front();
  if (report.unreadable)
    notes.note(report.unreadable->rule, report.unreadable->message + ": no descriptor for this tile",
               report.unreadable->hint);
  if (front.tile && !front.tile->is_pattern_aligned())
    notes.add(
        phase_note(front.base, front.tile->swizzle().pattern(), fmt::format("mode {}", front.tile->swizzle().name)));
  for (const PlacedOperand& o : report.operands) {
    if (const std::int64_t shared = shared_elements(o.placement); shared > 0)
      notes.note(
          "shared-bytes",
          fmt::format("{}: {} elements lie where another one does; shared memory shows the first", o.name, shared));
    if (!o.placement.has_chunks())
      notes.note("no-chunks", fmt::format("{}: its elements do not lie together in 16-byte chunks along {}", o.name,
                                          direction_name(o.placement.major())));
  }
  return notes;
}

// ---- the answer as a sentence

// How eight lines of one 16-byte column are read: "8 rows of a 16-byte column lie in 8 bank groups".
struct ColumnReading {
  std::int64_t lines = 0, groups = 0, ways = 1;

  std::string conflict() const { return ways == 1 ? "no conflict" : fmt::format("{}-way conflict", ways); }
};

ColumnReading read_column(const Placement& p) {
  constexpr std::int64_t lines_at_once = 8, groups = 8;
  ColumnReading reading{std::min(lines_at_once, p.lines())};
  std::array<std::int64_t, groups> lines_of_group{};
  for (std::int64_t line = 0; line < reading.lines; ++line) {
    const TileCoordinate c = TileCoordinate::of(p.major(), line, 0);
    ++lines_of_group[static_cast<std::size_t>(p.byte(c.row, c.k).count / chunk.count % groups)];
  }
  reading.groups = std::ranges::count_if(lines_of_group, [](std::int64_t n) { return n > 0; });
  reading.ways = std::ranges::max(lines_of_group);
  return reading;
}

std::string headline_of(const PlaceReport& report, const PlaceOptions& options,
                        const std::vector<std::vector<std::int64_t>>& phases) {
  const PlacedOperand& front = report.operands.front();
  if (!front.placement.has_chunks() || (options.elements && phases.empty()))
    return column_banks(front.placement).text();
  const bool is_reading = !phases.empty();
  std::vector<std::string> others;
  for (const PlacedOperand& o : report.operands) {
    if (!o.placement.has_chunks()) continue;
    const std::int64_t wavefronts = is_reading ? read(phases, o.placement).wavefronts : 0;
    // The word is said once: "1 wavefront with mode 32B and 2 with linear".
    others.push_back((!is_reading      ? read_column(o.placement).conflict()
                      : others.empty() ? plural(wavefronts, "wavefront")
                                       : std::to_string(wavefronts)) +
                     " with " + o.name);
  }
  const ColumnReading own = read_column(front.placement);
  const std::string column =
      fmt::format("{} {} of a 16-byte column", own.lines, front.placement.major() == Major::K ? "rows" : "k");
  if (is_reading) return short_sentence(fmt::format("the marked cells take {}", join_and(others)));
  if (others.size() > 1) return short_sentence(column + ": " + join_and(others));
  return fmt::format("{} lie in {}: {}", column, plural(own.groups, "group") + " of 4 banks", own.conflict());
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
  return note("pattern-phase",
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
  if (report.query.empty()) d.headline = headline_of(report, options, phases);
  const Drawing picture{[report, options, phases](Medium medium) {
    PlaceOptions drawn = options;
    drawn.tips = medium == Medium::page;
    return Document().add(place_figure(report, drawn, phases));
  }};
  if (!report.query.empty()) return view_points(std::move(d), report, picture);
  d.json("dtype", report.dtype->name).json("element_bits", p.element_bits());
  d.json("major", to_string(p.major())).json("mn", p.extents().mn).json("k", p.extents().k);
  d.json("base", front.base.count);
  d.line("verdict", d.headline);
  add_operand(d, front);
  d.json("chunk_bytes", chunk.count);
  d.answers = {"layout", "begin", "end"};
  d.line("bytes", fmt::format("{:#x} to {:#x}: {} B on {} of 128 B", p.begin().count, p.end().count - 1,
                              p.end().count - p.begin().count, plural(line_count(p), "line")));
  d.add(picture);
  add_places(d, front, phases);
  Group beside{"beside", {}, false};
  for (const PlacedOperand& o : std::span(report.operands).subspan(1)) {
    Document& other = beside.members.emplace_back();
    add_operand(other, o);
    add_places(other, o, phases);
  }
  return d.add(std::move(beside)).add(place_notes(report));
}

}  // namespace swz
