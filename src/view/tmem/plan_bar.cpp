// SPDX-License-Identifier: Apache-2.0
#include "view/tmem/plan_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "view/document/bar_labels.hpp"
#include "view/document/figure.hpp"

namespace swz {

namespace {

// The stages of a region that have the column: their first, and their names.
TmemPiece stages_at(const TmemRegion& r, int column) {
  if (r.stages == 1 || r.columns == 0) return {&r, 0, 0, r.name, 0};
  const int slots = std::max(1, r.count / r.columns), slot = (column - r.first) * slots / r.count;
  const int side_by_side = (r.stages + slots - 1) / slots;
  TmemPiece piece{&r, 0, 0, "", slot * side_by_side};
  for (int stage = piece.stage; stage < std::min(r.stages, piece.stage + side_by_side); ++stage)
    piece.name += fmt::format("{}{}{}", piece.name.empty() ? "" : " ", r.name, stage);
  return piece;
}

int allocated_in(const TmemPlan& plan) { return plan.allocation.value_or(tmem_columns); }

// Columns at which something begins or ends, in order.
std::set<int> cuts_of(const TmemPlan& plan) {
  std::set<int> cuts{0, allocated_in(plan)};
  for (const TmemRegion& r : plan.regions) {
    const int slots = r.columns == 0 ? 1 : std::max(1, r.count / r.columns);
    for (int slot = 0; slot <= slots; ++slot) cuts.insert(r.first + r.count * slot / slots);
  }
  return cuts;
}

struct ColumnRange {
  int first = 0, end = 0;
};

std::vector<ColumnRange> ranges_between(const std::set<int>& cuts) {
  std::vector<ColumnRange> ranges;
  for (const int cut : cuts) {
    if (!ranges.empty()) ranges.back().end = cut;
    ranges.push_back({cut, cut});
  }
  if (!ranges.empty()) ranges.pop_back();
  return ranges;
}

Tint tint_of(const TmemPlan& plan, const TmemPiece& piece) {
  return {static_cast<int>(piece.region - plan.regions.data()) % 8, piece.stage % 2 * 2};
}

// ---- the picture

constexpr double quarter_height = 30, plan_height = 4 * quarter_height, left_edge = 62, letter = sketch_letter,
                 tier_height = label_tier;

struct Bar {
  double width = 0;
  int columns = 0;
  double x(int column) const { return left_edge + column * (width - left_edge) / columns; }
};

// Regions that share cells over all lanes are one rectangle, drawn with the first of them in the colour of the last, so
// that each region has its colour somewhere: "S and P".
bool are_one(const TmemPiece& piece) {
  return !piece.stacked.empty() &&
         std::ranges::all_of(piece.stacked, [](const TmemRegion* r) { return r->lanes == tmem_quarter; });
}

std::string joined_name(const TmemPiece& piece) {
  std::vector<std::string> names;
  for (const TmemRegion* region : piece.stacked) names.push_back(region == piece.region ? piece.name : region->name);
  return join_and(names);
}

// The places of a piece: one rectangle, or for half of each quarter four; of those that share only some of their lanes
// each its part.
std::vector<Sketch::Box> boxes_of(const TmemPlan& plan, const TmemPiece& piece, const Bar& bar) {
  const bool is_beyond = piece.first >= allocated_in(plan);
  Sketch::Box box{bar.x(piece.first), 0,  bar.x(piece.end()) - bar.x(piece.first),
                  plan_height,        "", tint_of(plan, piece)};
  box.tip = fmt::format("{}\ncolumns {}{}", piece.name, range_text(piece.first, piece.count),
                        is_beyond ? "\nbeyond the allocation" : "");
  for (const TmemRegion* other : piece.shared_with) box.tip += fmt::format("\nshared with {}", other->name);
  if (is_beyond || !piece.shared_with.empty()) box.mark = Mark::colliding;
  if (are_one(piece)) {
    box.tint = {static_cast<int>(piece.stacked.back() - plan.regions.data()) % 8, 0};
    return {box};
  }
  if (!piece.stacked.empty()) {
    const auto place = std::ranges::find(piece.stacked, piece.region) - piece.stacked.begin();
    box.height = plan_height / static_cast<double>(piece.stacked.size());
    box.y = box.height * static_cast<double>(place);
    return {box};
  }
  if (piece.region->lanes == tmem_quarter) return {box};
  std::vector<Sketch::Box> boxes;
  for (int quarter = 0; quarter < 4; ++quarter) {
    box.y = quarter_height * (quarter + static_cast<double>(piece.region->lane) / tmem_quarter);
    box.height = quarter_height * piece.region->lanes / tmem_quarter;
    boxes.push_back(box);
  }
  return boxes;
}

// The text of a box: its name with its columns, or below each other, or only the name; empty if there is no room.
std::string fitting_text(const TmemPiece& piece, const Sketch::Box& box) {
  const std::string columns = range_text(piece.first, piece.count);
  const auto fits = [&](std::size_t letters) { return static_cast<double>(letters) * letter + 6 <= box.width; };
  if (fits(piece.name.size() + 1 + columns.size())) return piece.name + " " + columns;
  const double below = static_cast<double>(std::max(piece.name.size(), columns.size())) * letter + 2;
  if (below <= box.width && box.height >= 30) return piece.name + "\n" + columns;
  return fits(piece.name.size()) ? piece.name : "";
}

void add_pieces(Sketch::Shapes& shapes, BarLabels& above, const TmemPlan& plan, const Bar& bar) {
  std::map<std::string, int> widest;
  const std::vector<TmemPiece> pieces = tmem_pieces(plan);
  for (const TmemPiece& piece : pieces) widest[piece.name] = std::max(widest[piece.name], piece.count);
  for (TmemPiece piece : pieces) {
    if (are_one(piece) && piece.region != piece.stacked.front()) continue;
    if (are_one(piece)) piece.name = joined_name(piece), widest[piece.name] = piece.count;
    std::vector<Sketch::Box> boxes = boxes_of(plan, piece, bar);
    boxes.front().text = fitting_text(piece, boxes.front());
    // A name without its columns is no answer: both are above.
    if (boxes.front().text == piece.name) boxes.front().text.clear();
    if (boxes.front().text.empty() && piece.count == widest[piece.name])
      above.add(piece.name + " " + range_text(piece.first, piece.count), boxes.front().x + boxes.front().width / 2,
                bar.width, boxes.front().mark == Mark::colliding ? Tone::bad : Tone::plain);
    shapes.boxes.insert(shapes.boxes.end(), boxes.begin(), boxes.end());
  }
}

// What no region takes: allocated and free, or not allocated.
void add_free(Sketch::Shapes& shapes, const TmemPlan& plan, const Bar& bar) {
  std::set<int> cuts = cuts_of(plan);
  cuts.insert(bar.columns);
  for (const ColumnRange& range : ranges_between(cuts)) {
    const int first = range.first, end = range.end;
    const bool is_free =
        std::ranges::none_of(plan.regions, [&](const TmemRegion& r) { return r.first < end && r.end() > first; });
    if (!is_free) continue;
    const bool is_allocated = first < allocated_in(plan);
    Sketch::Box box{bar.x(first), 0, bar.x(end) - bar.x(first), plan_height, ""};
    box.mark = Mark::faint;
    box.is_dashed = !is_allocated;
    const std::string what = is_allocated ? "free" : "not allocated", columns = range_text(first, end - first);
    box.tip = fmt::format("columns {}: {}", columns, what);
    if (static_cast<double>(std::max(what.size(), columns.size())) * letter + 6 <= box.width)
      box.text = what + "\n" + columns;
    else if (static_cast<double>(what.size()) * letter + 6 <= box.width) box.text = what;
    shapes.boxes.push_back(box);
  }
}

// The columns at which something begins or ends, below the bar, as far as they have room.
void add_columns(Sketch::Shapes& shapes, const TmemPlan& plan, const Bar& bar, double foot) {
  std::set<int> cuts = cuts_of(plan);
  cuts.insert(bar.columns);
  double used = left_edge - 100;
  for (const int column : cuts) {
    const std::string text = std::to_string(column);
    const double width = static_cast<double>(text.size()) * letter;
    const double from = std::min(bar.x(column) - width / 2, bar.width - width);
    if (from < used + 4) continue;
    used = from + width;
    shapes.texts.push_back({from, foot + 14, text, Tone::faint});
    shapes.lines.push_back({bar.x(column), foot, bar.x(column), foot + 3});
  }
  shapes.texts.push_back({0, foot + 14, "column", Tone::faint});
}

Sketch::Shapes bar_shapes(const TmemPlan& plan, int most, double width) {
  const int allocated = allocated_in(plan);
  const Bar bar{width, std::max({most, plan.columns, allocated})};
  Sketch::Shapes shapes;
  BarLabels above;
  add_free(shapes, plan, bar);
  add_pieces(shapes, above, plan, bar);
  const double top = above.height() + (plan.columns > allocated ? tier_height : 0);
  for (Sketch::Box& box : shapes.boxes) box.y += top;
  above.draw(shapes, top);
  for (int quarter = 0; quarter < 4; ++quarter)
    shapes.texts.push_back({left_edge - 6, top + quarter_height * (quarter + 0.5) + 4,
                            quarter == 0 ? "lane 0-31" : range_text(quarter * tmem_quarter, tmem_quarter), Tone::faint,
                            Sketch::Text::Anchor::end});
  if (plan.columns > allocated) {
    const double x = bar.x(allocated);
    shapes.lines.push_back({x, top - 4, x, top + plan_height + 4, Tone::bad});
    shapes.texts.push_back(
        {x - 4, 11, fmt::format("{} of {} columns", plan.columns, allocated), Tone::bad, Sketch::Text::Anchor::end});
  }
  add_columns(shapes, plan, bar, top + plan_height);
  shapes.width = width;
  shapes.height = top + plan_height + 20;
  return shapes;
}

}  // namespace

std::vector<TmemPiece> tmem_pieces(const TmemPlan& plan) {
  const std::set<int> cuts = cuts_of(plan);
  std::vector<TmemPiece> pieces;
  for (const ColumnRange& range : ranges_between(cuts)) {
    const int first = range.first, end = range.end;
    std::vector<const TmemRegion*> there;
    for (const TmemRegion& r : plan.regions)
      if (r.first < end && r.end() > first) there.push_back(&r);
    const bool any_share = std::ranges::any_of(there, [&](const TmemRegion* a) {
      return std::ranges::any_of(there, [&](const TmemRegion* b) { return a < b && share_cells(*a, *b); });
    });
    for (const TmemRegion* region : there) {
      const TmemRegion& r = *region;
      TmemPiece piece = stages_at(r, first);
      for (const TmemRegion* other : there)
        if (other != &r && share_cells(r, *other)) piece.shared_with.push_back(other);
      if (any_share) piece.stacked = there;
      // What looks like the piece before it and follows it is the same piece.
      const auto before = std::ranges::find_if(pieces, [&](const TmemPiece& p) {
        return p.end() == first && p.region == &r && p.name == piece.name && p.shared_with == piece.shared_with &&
               p.stacked == piece.stacked && (p.first < allocated_in(plan)) == (first < allocated_in(plan));
      });
      if (before != pieces.end()) {
        before->count += end - first;
        continue;
      }
      piece.first = first;
      piece.count = end - first;
      pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

std::string tmem_bar_text(const TmemPlan& plan, int width) {
  const int allocated = allocated_in(plan), columns = std::max(allocated, plan.columns);
  const std::vector<TmemPiece> pieces = tmem_pieces(plan);
  std::set<int> cuts{0, allocated};
  for (const TmemPiece& piece : pieces) cuts.insert({piece.first, piece.end()});
  const int letters = width - 5 * static_cast<int>(cuts.size());
  std::string text = "0";
  for (const ColumnRange& range : ranges_between(cuts)) {
    const int first = range.first, end = range.end;
    std::string name;
    bool is_shared = false;
    for (const TmemPiece& piece : pieces) {
      if (piece.first >= end || piece.end() <= first) continue;
      name += (name.empty() ? "" : " ") + piece.name;
      is_shared = is_shared || !piece.shared_with.empty();
    }
    const std::string_view fill = name.empty() ? "·" : "─";
    if (is_shared) name += '!';
    text += first == allocated ? "│" : " ";
    text += name;
    const int used = static_cast<int>(name.size());
    for (int i = used; i < std::max(used + 1, letters * (end - first) / columns); ++i) text += fill;
    text += std::to_string(end);
  }
  return text;
}

Sketch tmem_bar(const TmemPlan& plan, int most) {
  Sketch sketch;
  sketch.shapes = [plan, most](double width) { return bar_shapes(plan, most, width); };
  sketch.caption = "A column has 128 lanes; each warp of a warpgroup reads 32 of them.";
  if (std::ranges::any_of(tmem_pieces(plan), [](const TmemPiece& p) { return !p.shared_with.empty(); }))
    sketch.caption += " Hatched in red: regions that share cells.";
  if (plan.columns > allocated_in(plan)) sketch.caption += " Hatched beyond the edge: there are no such columns.";
  return sketch;
}

}  // namespace swz
