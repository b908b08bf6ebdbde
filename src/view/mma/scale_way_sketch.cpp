// SPDX-License-Identifier: Apache-2.0
#include "view/mma/scale_way_sketch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "view/document/figure.hpp"

namespace swz {

namespace {

constexpr double drawn_height = 128, line_height = 15, tick_height = 16, title_height = 20, narrow_page = 600;
constexpr Tint of_tile{0, 2}, of_step{1, 0}, of_factor{5, 0};  // of_step: the copy and the MMA that take the factor

// One stage of the way: what it is called, its drawing, and what to read below it.
struct Station {
  std::string title;
  std::vector<std::string> lines;
  std::string arrow;               // what brings the factor to the next one
  std::vector<Sketch::Box> boxes;  // in a square of side 1
  struct Word {
    double x = 0;
    std::string text;
    Sketch::Text::Anchor anchor = Sketch::Text::Anchor::middle;
    double y = 0;  // of its middle, in the square
  };
  std::vector<Word> ticks = {};   // under the square
  std::vector<Word> labels = {};  // in it
  double low_height = 80;         // where stations are below each other
};

// The ends of an axis, the first with what it counts, "column 0", and the place that is followed where it has room.
std::vector<Station::Word> axis_of(const char* name, std::int64_t first, std::int64_t at, std::int64_t end) {
  const double x = (static_cast<double>(at - first) + 0.5) / static_cast<double>(end - first);
  std::vector<Station::Word> ticks{{0, fmt::format("{} {}", name, first), Sketch::Text::Anchor::start},
                                   {1, std::to_string(end - 1), Sketch::Text::Anchor::end}};
  constexpr double least = 0.35;
  if (x > least && x < 0.85) ticks.push_back({x, std::to_string(at)});
  return ticks;
}

Sketch::Box part(double x, double y, double width, double height, Tint tint, Mark mark = Mark::none) {
  return {x, y, width, height, "", tint, mark};
}

// Adds the factors of the operand, cut into what is together in memory, each part with its first byte at the side that
// row `followed` leaves free.
void add_tiles(Station& s, const ScaleLayout& layout, std::int64_t followed) {
  constexpr std::int64_t most_tiles = 32, most_named = 4;
  constexpr double inset = 0.12;
  const ScaleExtents all = layout.extents(), tile = layout.block().extents;
  const std::int64_t rows = (all.rows + tile.rows - 1) / tile.rows,
                     columns = (all.factors + tile.factors - 1) / tile.factors;
  if (rows * columns > most_tiles) return s.boxes.push_back(part(0, 0, 1, 1, of_tile));
  const bool is_in_upper_half = 2 * (followed % tile.rows) < tile.rows;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const double x = static_cast<double>(c * tile.factors) / static_cast<double>(all.factors),
                   y = static_cast<double>(r * tile.rows) / static_cast<double>(all.rows);
      const double width = std::min(1 - x, static_cast<double>(tile.factors) / static_cast<double>(all.factors)),
                   height = std::min(1 - y, static_cast<double>(tile.rows) / static_cast<double>(all.rows));
      s.boxes.push_back(part(x, y, width, height, of_tile));
      if (columns <= most_named && rows <= most_named)
        s.labels.push_back({x + width / 2, fmt::format("{:#x}", layout.offset({r * tile.rows, c * tile.factors}).count),
                            Sketch::Text::Anchor::middle, is_in_upper_half ? y + height - inset : y + inset});
    }
}

// All factors of the operand, with the one that is followed. A mark has a least size, so that it can be seen.
Station global_memory(const ScaleWay& way, const FollowedFactor& f) {
  const ScaleExtents all = way.gmem().extents();
  constexpr double least = 0.06;
  const double width = std::max(least, 1.0 / static_cast<double>(all.factors)),
               height = std::max(least, 1.0 / static_cast<double>(all.rows));
  const double x = static_cast<double>(f.kb) / static_cast<double>(all.factors),
               y = static_cast<double>(f.row) / static_cast<double>(all.rows);
  Station s{
      "1. global memory",
      {fmt::format("{} x {} factors", all.rows, all.factors), fmt::format("in tiles of {}", way.gmem().row().name),
       fmt::format("row {}, factor {}", f.row, f.kb), fmt::format("byte {:#x}", f.stop.gmem.count)},
      "load",
      {},
      axis_of("factor", 0, f.kb, all.factors)};
  add_tiles(s, way.gmem(), f.row);
  s.boxes.push_back(part(std::min(x, 1 - width), std::min(y, 1 - height), width, height, of_factor, Mark::highlighted));
  return s;
}

// The stage, cut into what each copy takes.
Station shared_memory(const ScaleWay& way, const FollowedFactor& f) {
  const std::vector<ScaleWay::Copy> copies = way.copies();
  Station s{"2. shared memory",
            {fmt::format("stage of {:#x} B", way.stage().size().count),
             fmt::format("byte {:#x} of it", f.stop.smem.count), fmt::format("address {:#x}", f.address)},
            fmt::format("cp {}", f.stop.copy),
            {}};
  const double size = 1.0 / static_cast<double>(copies.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const bool is_followed = static_cast<int>(i) == f.stop.copy;
    s.boxes.push_back(part(0, size * static_cast<double>(i), 1, size, is_followed ? of_step : of_tile));
    s.boxes.back().tip = fmt::format("copy {}: from byte {:#x} to columns {}", i, copies[i].smem.count,
                                     range_text(copies[i].column, way.copy().columns()));
  }
  // The factor in the bytes of its copy; the copies' first bytes are at the side that it leaves free.
  const std::int64_t first = copies[static_cast<std::size_t>(f.stop.copy)].smem.count,
                     bytes = way.stage().size().count / std::ssize(copies);
  constexpr double width = 0.05;
  const double x = static_cast<double>(f.stop.smem.count - first) / static_cast<double>(bytes);
  const double y = size * f.stop.copy;
  constexpr std::size_t most_labels = 8;
  constexpr double inset = 0.03;
  if (copies.size() > most_labels / 2) s.low_height = drawn_height;
  for (std::size_t i = 0; i < copies.size() && copies.size() <= most_labels; ++i)
    s.labels.push_back({x > 0.5 ? inset : 1 - inset, fmt::format("cp {}: {:#x}", i, copies[i].smem.count),
                        x > 0.5 ? Sketch::Text::Anchor::start : Sketch::Text::Anchor::end,
                        size * (static_cast<double>(i) + 0.5)});
  s.boxes.push_back(
      part(std::clamp(x, 0.0, 1 - width), y + size / 8, width, size * 3 / 4, of_factor, Mark::highlighted));
  return s;
}

// The columns of all copies, each 128 lanes deep, with the lanes that have the factor.
Station tensor_memory(const ScaleWay& way, const FollowedFactor& f) {
  const ScalePlace& place = f.stop.place;
  std::string lanes;
  for (const int lane : place.lanes) lanes += fmt::format("{}{}", lanes.empty() ? "" : ", ", lane);
  Station s{"3. tensor memory",
            {fmt::format("columns {}", range_text(way.tile().column, way.columns())),
             fmt::format("column {}, byte {}", place.column, place.byte),
             fmt::format("lane{} {}", place.lanes.size() == 1 ? "" : "s", lanes)},
            fmt::format("sf_id {}", place.sf_id),
            {},
            axis_of("column", way.tile().column, place.column, way.tile().column + way.columns())};
  constexpr int quarter = 32, quarters = 4;
  for (int q = 0; q < quarters; ++q) s.boxes.push_back(part(0, q / 4.0, 1, 0.25, of_tile));
  const double width = std::max(0.05, 1.0 / way.columns());
  const double x = static_cast<double>(place.column - way.tile().column) / way.columns();
  // At the side that the factor leaves free.
  constexpr double inset = 0.03;
  for (int q = 0; q < quarters; ++q)
    s.labels.push_back({x > 0.5 ? inset : 1 - inset,
                        fmt::format("{}{}", q == 0 ? "lanes " : "", range_text(q * quarter, quarter)),
                        x > 0.5 ? Sketch::Text::Anchor::start : Sketch::Text::Anchor::end, (q + 0.5) / quarters});
  for (const int lane : place.lanes)
    s.boxes.push_back(
        part(std::min(x, 1 - width), (lane - 0.5) / (quarter * quarters), width, 0.045, of_factor, Mark::highlighted));
  return s;
}

Station reader(const ScaleWay& way, const FollowedFactor& f) {
  const ScalePlace& place = f.stop.place;
  Station s{fmt::format("4. MMA {}", place.mma),
            {fmt::format("address column {}", place.address_column), fmt::format("sf_id {}", place.sf_id),
             fmt::format("idesc {}", f.word)},
            "",
            {}};
  const std::vector<ScaleWay::Step> steps = way.steps();
  const double size = 1.0 / static_cast<double>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    s.boxes.push_back(part(size * static_cast<double>(i), 0, size, 1, steps[i].mma == place.mma ? of_step : of_tile));
    s.boxes.back().tip =
        fmt::format("MMA {}: k {}", steps[i].mma, range_text(steps[i].first_k, steps[i].last_k - steps[i].first_k + 1));
    if (steps.size() <= 8) s.boxes.back().text = fmt::format("{}", steps[i].mma);
  }
  s.low_height = 56;
  s.ticks = {{0, fmt::format("k {}", steps.front().first_k), Sketch::Text::Anchor::start},
             {1, std::to_string(steps.back().last_k), Sketch::Text::Anchor::end}};
  return s;
}

void add_boxes(Sketch::Shapes& shapes, const Station& station, double x, double y, double width, double height) {
  for (Sketch::Box box : station.boxes) {
    const Sketch::Box share = box;
    box.x = x + share.x * width;
    box.y = y + share.y * height;
    box.width = share.width * width;
    box.height = share.height * height;
    constexpr double letter = 6.6;
    std::size_t longest = 0, line = 0, lines = 1;
    for (const char c : box.text) {
      line = c == '\n' ? 0 : line + 1;
      lines += c == '\n' ? 1 : 0;
      longest = std::max(longest, line);
    }
    if (static_cast<double>(longest) * letter + 4 > box.width ||
        static_cast<double>(lines) * line_height > box.height + 2)
      box.text.clear();
    shapes.boxes.push_back(std::move(box));
  }
}

// Under the square, and in it.
void add_words(Sketch::Shapes& shapes, const Station& station, double x, double y, double width, double height) {
  for (const Station::Word& tick : station.ticks)
    shapes.texts.push_back({x + tick.x * width, y + height + 13, tick.text, Tone::faint, tick.anchor});
  for (const Station::Word& label : station.labels)
    shapes.texts.push_back({x + label.x * width, y + label.y * height + 4, label.text, Tone::plain, label.anchor});
}

Sketch::Shapes beside(const std::vector<Station>& stations, double width) {
  constexpr double gap = 62;
  const auto count = static_cast<double>(stations.size());
  const double each = (width - gap * (count - 1)) / count, foot = title_height + drawn_height + tick_height;
  Sketch::Shapes shapes;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    const Station& s = stations[i];
    const double x = (each + gap) * static_cast<double>(i), middle = title_height + drawn_height / 2;
    shapes.texts.push_back({x, 12, s.title, Tone::strong});
    add_boxes(shapes, s, x, title_height, each, drawn_height);
    add_words(shapes, s, x, title_height, each, drawn_height);
    for (std::size_t l = 0; l < s.lines.size(); ++l)
      shapes.texts.push_back({x, foot + line_height * static_cast<double>(l + 1), s.lines[l]});
    if (i + 1 == stations.size()) continue;
    shapes.lines.push_back({x + each + 5, middle, x + each + gap - 5, middle, Tone::accent, true});
    shapes.texts.push_back({x + each + gap / 2, middle - 6, s.arrow, Tone::accent, Sketch::Text::Anchor::middle});
  }
  shapes.width = width;
  std::size_t lines = 0;
  for (const Station& s : stations) lines = std::max(lines, s.lines.size());
  shapes.height = foot + line_height * static_cast<double>(lines) + 4;
  return shapes;
}

Sketch::Shapes below(const std::vector<Station>& stations, double width) {
  constexpr double gap = 22 + tick_height, text_gap = 14;
  const double each = std::min(166.0, width * 0.52);
  Sketch::Shapes shapes;
  double y = 0;
  for (const Station& s : stations) {
    const double foot = y + s.low_height;
    add_boxes(shapes, s, 0, y, each, s.low_height);
    add_words(shapes, s, 0, y, each, s.low_height);
    shapes.texts.push_back({each + text_gap, y + 14, s.title, Tone::strong});
    for (std::size_t l = 0; l < s.lines.size(); ++l)
      shapes.texts.push_back({each + text_gap, y + 14 + line_height * static_cast<double>(l + 1) + 2, s.lines[l]});
    y = foot + gap;
    if (&s == &stations.back()) continue;
    shapes.lines.push_back({each / 2, foot + tick_height + 2, each / 2, y - 4, Tone::accent, true});
    shapes.texts.push_back({each / 2 + 8, y - 8, s.arrow, Tone::accent});
  }
  shapes.width = width;
  shapes.height = y - gap + tick_height;
  return shapes;
}

}  // namespace

Sketch scale_way_sketch(const ScaleWay& way, const FollowedFactor& factor) {
  const std::vector<Station> stations{global_memory(way, factor), shared_memory(way, factor),
                                      tensor_memory(way, factor), reader(way, factor)};
  Sketch sketch;
  sketch.shapes = [stations](double width) {
    return width < narrow_page ? below(stations, width) : beside(stations, width);
  };
  const bool has_tiles = !stations.front().labels.empty();
  sketch.caption = fmt::format(
      "Framed: the factor; filled: the copy and the MMA that take it. {}cp (tcgen05.cp.{}) {} first byte. Not to "
      "scale.",
      has_tiles ? "A tile and a " : "A ", full_name(way.copy()), has_tiles ? "show their" : "shows its");
  return sketch;
}

}  // namespace swz
