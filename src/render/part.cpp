// SPDX-License-Identifier: Apache-2.0
#include "render/part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "render/drawn_lines.hpp"

namespace swz {
namespace {

// To leave out fewer than these saves too little.
constexpr std::size_t fewest_rows = 8, fewest_left_out = 8, fewest_left_out_if_short = 4;

// "T32 R0" is the skeleton "T# R#" and the numbers 32, 0; "0x400" is "$" and 1024. If the colour is that of a step, the
// step grows.
struct Look {
  Tint tint;
  bool collides = false;
  double outside = 0;
  std::string skeleton;
  std::vector<std::int64_t> numbers;
};

Look look_of(const std::string& text) {
  Look look;
  const char *at = text.data(), *const end = at + text.size();
  while (at < end) {
    const bool is_hex = std::string_view(at, end).starts_with("0x");
    std::int64_t number = 0;
    const auto [next, code] = std::from_chars(at + (is_hex ? 2 : 0), end, number, is_hex ? 16 : 10);
    if (*at == '-' || code != std::errc{}) {
      look.skeleton += *at++;
      continue;
    }
    look.skeleton += is_hex ? '$' : '#';
    look.numbers.push_back(number);
    at = next;
  }
  return look;
}

// Between the text of a square and the step of its colour, which is no text of it.
constexpr char before_step = '\x1f';

Look look_of(const Grid::Square& square, const std::string& step_name) {
  Look look = look_of(square.text);
  look.collides = square.mark == Mark::colliding;
  look.outside = square.outside;
  if (square.step < 0) {
    look.tint = square.tint;
  } else {
    look.skeleton += before_step + step_name + " #";
    look.numbers.push_back(square.step);
  }
  return look;
}

// "copy" for "copy 0", "copy 1", …; "step" for steps that are not numbered like that.
std::string step_name_of(const std::vector<std::string>& steps) {
  if (steps.size() < 2) return "step";
  const std::string& second = steps[1];
  const std::size_t end = second.find(" 1");
  const bool is_number = end != std::string::npos && (end + 2 == second.size() || second[end + 2] == ':');
  return is_number ? second.substr(0, end) : "step";
}

// How a grid looks, square by square and label by label.
class Looks {
 public:
  Looks(const Grid& grid, const std::string& step_name) {
    for (const auto& row : grid.squares) {
      is_rectangle_ &= row.size() == length(grid, Axis::columns);
      std::vector<Look>& looks = rows_.emplace_back();
      for (const Grid::Square& square : row) looks.push_back(look_of(square, step_name));
    }
    for (const std::string& label : grid.row_labels) row_labels_.push_back(look_of(label));
    for (const std::string& label : grid.column_labels) column_labels_.push_back(look_of(label));
  }

  // By how much the numbers of each skeleton grow from one period to the next; none if the grid does not repeat. Only
  // the first `length` rows or columns are looked at. Their labels must grow as evenly, because a reader continues
  // them.
  using Steps = std::map<std::string, std::vector<std::int64_t>>;
  // By how much all shades grow, once it is known.
  using ShadeStep = std::optional<int>;
  std::optional<Steps> steps(Axis axis, std::size_t period, std::size_t length) const {
    const bool down = axis == Axis::rows;
    if (!is_rectangle_ || !grow(down ? row_labels_ : column_labels_, period, length)) return {};
    Steps steps;
    ShadeStep shade;
    const std::size_t rows = down ? length - period : rows_.size();
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t columns = down ? rows_[r].size() : length - period;
      for (std::size_t c = 0; c < columns; ++c)
        if (!grows(rows_[r][c], down ? rows_[r + period][c] : rows_[r][c + period], steps, shade)) return {};
    }
    return steps;
  }

 private:
  static bool grow(const std::vector<Look>& labels, std::size_t period, std::size_t length) {
    Steps steps;
    ShadeStep shade;
    for (std::size_t i = 0; i + period < std::min(length, labels.size()); ++i)
      if (!grows(labels[i], labels[i + period], steps, shade)) return false;
    return true;
  }

  // Shades that alternate are 2 apart: dark and light.
  static bool shades_grow(Tint from, Tint to, ShadeStep& shade) {
    if (from.hue < 0) return true;
    const int step = (to.shade - from.shade) & 3;
    if (!shade) shade = step;
    return *shade == step && (step == 0 || step == 2);
  }

  static bool grows(const Look& from, const Look& to, Steps& steps, ShadeStep& shade) {
    if (from.tint.hue != to.tint.hue || from.collides != to.collides || from.outside != to.outside ||
        from.skeleton != to.skeleton || !shades_grow(from.tint, to.tint, shade))
      return false;
    if (from.numbers.empty()) return true;
    auto found = steps.find(from.skeleton);
    const bool is_new = found == steps.end();
    if (is_new) found = steps.emplace(from.skeleton, from.numbers).first;
    for (std::size_t i = 0; i < from.numbers.size(); ++i) {
      const std::int64_t step = to.numbers[i] - from.numbers[i];
      if (is_new) found->second[i] = step;
      else if (found->second[i] != step) return false;
    }
    return true;
  }

  bool is_rectangle_ = true;
  std::vector<std::vector<Look>> rows_;
  std::vector<Look> row_labels_, column_labels_;
};

// "T + 32, R + 4": what grows, by the letters before it; for bare numbers "+ 512", for several "+ (16, 0)".
std::string text_of(const Looks::Steps& steps) {
  std::string text;
  const auto add = [&text](const std::string& said) {
    if (text.find(said) == std::string::npos) text += (text.empty() ? "" : ", ") + said;
  };
  const auto is_number = [](char c) { return c == '#' || c == '$'; };
  const auto is_letter = [&](char c) { return !is_number(c) && c != ',' && c != ' ' && c != '\n' && c != before_step; };
  for (const auto& [look, growth] : steps) {
    if (std::ranges::all_of(growth, [](std::int64_t step) { return step == 0; })) continue;
    std::string_view skeleton = look;
    std::span<const std::int64_t> by = growth;
    if (const std::size_t end = skeleton.find(before_step); end != std::string_view::npos && by.back() == 0) {
      skeleton = skeleton.substr(0, end);
      by = by.first(by.size() - 1);
    }
    if (by.size() > 1 && std::ranges::none_of(skeleton, is_letter)) {
      add(fmt::format("+ ({})", fmt::join(by, ", ")));
      continue;
    }
    std::string name;
    std::size_t index = 0;
    for (const char c : skeleton) {
      if (is_letter(c)) name += c;
      if (!is_number(c)) continue;
      const std::int64_t step = by[index++];
      const std::int64_t size = step < 0 ? -step : step;
      if (step != 0)
        add(fmt::format("{}{}{} {}", name, name.empty() ? "" : " ", step < 0 ? "-" : "+",
                        c == '$' ? fmt::format("{:#x}", size) : fmt::format("{}", size)));
      name.clear();
    }
  }
  return text;
}

// The highlighted rows or columns; none if no square is.
std::optional<DrawnRange> highlighted(const Grid& grid, Axis axis) {
  std::optional<DrawnRange> range;
  for (std::size_t r = 0; r < grid.squares.size(); ++r)
    for (std::size_t c = 0; c < grid.squares[r].size(); ++c) {
      if (grid.squares[r][c].mark != Mark::highlighted) continue;
      const auto at = static_cast<std::int64_t>(axis == Axis::rows ? r : c);
      if (!range) range = DrawnRange{at, at + 1};
      range = DrawnRange{std::min(range->begin, at), std::max(range->end, at + 1)};
    }
  return range;
}

// The key rows; of more than `most`, 0 for any, the first group of 8, the ends of arrows, the last, and then the next
// after the first. The first group and the ends of arrows are always drawn: they are what a swizzle and a distance are
// about.
std::set<std::size_t> key_rows_of(const Grid& grid, std::size_t most) {
  const std::set<std::size_t> all(grid.key_rows.begin(), grid.key_rows.end());
  if (most == 0 || all.size() <= most) return all;
  std::set<std::size_t> rows{*all.begin()};
  for (auto next = all.begin(); rows.size() < fewest_rows && next != all.end(); ++next)
    if (*next < *all.begin() + fewest_rows) rows.insert(*next);
  // An extent ends after the last row.
  for (const Grid::Arrow& arrow : grid.arrows)
    for (const Grid::Place& end : {arrow.from, arrow.to})
      if (end.row < std::ssize(grid.squares)) rows.insert(static_cast<std::size_t>(end.row));
  if (rows.size() < most) rows.insert(*all.rbegin());
  for (auto next = all.begin(); rows.size() < most && next != all.end(); ++next) rows.insert(*next);
  return rows;
}

// "…" saves little where it represents only one row or two: these are drawn.
void fill_short_gaps(std::set<std::size_t>& rows, std::size_t count) {
  constexpr std::size_t fewest = 3;
  std::size_t next = 0;
  const std::set<std::size_t> drawn = rows;
  const auto fill = [&](std::size_t end) {
    for (; end - next < fewest && next < end; ++next) rows.insert(next);
  };
  for (const std::size_t row : drawn) {
    fill(row);
    next = row + 1;
  }
  fill(count);
}

// Keeps the key rows or columns, and those that are highlighted.
void keep_keys(Grid& grid, Axis axis, std::size_t most_rows) {
  std::set<std::size_t> keys = axis == Axis::rows
                                   ? key_rows_of(grid, most_rows)
                                   : std::set<std::size_t>(grid.key_columns.begin(), grid.key_columns.end());
  for (std::size_t row = 0; row < grid.squares.size(); ++row)
    for (std::size_t column = 0; column < grid.squares[row].size(); ++column)
      if (grid.squares[row][column].mark == Mark::highlighted) keys.insert(axis == Axis::rows ? row : column);
  if (axis == Axis::rows) fill_short_gaps(keys, grid.squares.size());
  keep_lines(grid, axis, keys);
}

void negate(Looks::Steps& steps) {
  for (auto& [skeleton, by] : steps)
    for (std::int64_t& step : by) step = -step;
}

// The labels of rows or columns from one to another as one range: "8-15", "0x400-0x780", "T32-T63", "64-127" of "64-71"
// to "120-127".
std::string range_of(const std::vector<std::string>& labels, std::size_t first, std::size_t last) {
  if (first >= labels.size() || last >= labels.size()) return "";
  const std::string &begin = labels[first], &end = labels[last];
  const std::string from = begin.substr(0, begin.find('-')), to = end.substr(end.rfind('-') + 1);
  return from == to ? from : from + "-" + to;
}

std::string last_of(const std::vector<std::string>& labels) {
  return labels.empty() ? "" : labels.back().substr(labels.back().rfind('-') + 1);
}

using Panels = std::vector<Grid*>;

// Whether all rows look the same, whatever their labels are.
bool are_equal_rows(const std::vector<Looks>& looks, std::size_t length) {
  return std::ranges::all_of(looks, [&](const Looks& l) {
    const std::optional<Looks::Steps> steps = l.steps(Axis::rows, 1, length);
    return steps && !steps->empty() && text_of(*steps).empty();
  });
}

// The smallest period, from `fewest` on, of the first `length` rows or columns of all panels; 0 if they do not repeat.
std::size_t common_period(const std::vector<Looks>& looks, Axis axis, std::size_t length, std::size_t fewest) {
  for (std::size_t period = fewest; 2 * period <= length; ++period) {
    const auto repeats = [&](const Looks& l) { return l.steps(axis, period, length).has_value(); };
    if (length % period == 0 && std::ranges::all_of(looks, repeats)) return period;
  }
  return 0;
}

// 128 rows that repeat after 64, of which the first 64 repeat after 16: {64, 16}. A period that is only there two or
// three times is drawn as often: the 16 rows of a warp are two times 8, and belong together. One of equal rows represents
// all.
std::vector<std::size_t> periods_of(const std::vector<Looks>& looks, Axis axis, std::size_t length, std::size_t fewest,
                                    bool is_short) {
  if (axis == Axis::rows && are_equal_rows(looks, length)) return {1};
  const std::size_t fewest_inside = is_short ? 2 : 4;
  std::vector<std::size_t> periods;
  for (std::size_t period = common_period(looks, axis, length, fewest); period > 0;) {
    periods.push_back(period);
    const std::size_t inner = common_period(looks, axis, period, fewest);
    period = inner > 0 && period / inner >= fewest_inside ? inner : 0;
  }
  return periods;
}

// Keeps of panels of one length the period that is shown, and the first line of the next.
void keep_period(const Panels& panels, Axis axis, const DrawnPart& part, const std::string& step_name) {
  const std::size_t whole = length(*panels.front(), axis);
  const std::size_t left_out = part.is_short ? fewest_left_out_if_short : fewest_left_out;
  const std::size_t fewest = axis == Axis::rows ? fewest_rows : part.fewest_columns;
  if (whole < 1 + left_out) return;
  std::vector<Looks> looks;
  for (const Grid* grid : panels) looks.emplace_back(*grid, step_name);
  const std::vector<std::size_t> periods = periods_of(looks, axis, whole, fewest, part.is_short);
  if (periods.empty()) return;
  const std::size_t period = periods.back();
  std::size_t first = whole, last = 0;
  for (const Grid* grid : panels)
    if (const auto range = highlighted(*grid, axis)) {
      first = std::min(first, static_cast<std::size_t>(range->begin) / period * period);
      last = std::max(last, (static_cast<std::size_t>(range->end) + period - 1) / period * period);
    }
  if (first >= last) first = 0, last = period;
  // Columns with a highlight in the second of two periods are drawn from the first on, if there is room.
  const bool is_second_of_two = axis == Axis::columns && first == period && whole == 2 * period;
  if (last - first + 1 + left_out > whole || (is_second_of_two && !part.is_short)) return;
  const bool is_one = last - first == period;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    Grid& grid = *panels[i];
    Grid::Repeat& repeat = axis == Axis::rows ? grid.row_repeat : grid.column_repeat;
    repeat.period = period;
    // A single row is not high enough for the words beside it.
    repeat.is_below = axis == Axis::rows && (part.has_times_below || period == 1);
    (axis == Axis::rows ? grid.rows_before : grid.columns_before) = first;
    const std::vector<std::string>& labels = axis == Axis::rows ? grid.row_labels : grid.column_labels;
    for (std::size_t level = periods.size(); level > 0; --level) {
      const std::size_t unit = periods[level - 1], all = level > 1 ? periods[level - 2] : whole;
      Looks::Steps steps = *looks[i].steps(axis, unit, all);
      const std::size_t times = all / unit, drawn = is_one ? first % all / unit : 0;
      // Of two the second: what is said is where the first is.
      const bool is_second = times == 2 && drawn == 1;
      if (is_second) negate(steps);
      repeat.levels.push_back(
          {static_cast<std::int64_t>(times), text_of(steps), static_cast<std::int64_t>(drawn),
           is_second ? range_of(labels, first - unit, first - 1) : range_of(labels, unit, 2 * unit - 1),
           is_second ? "" : last_of(labels), static_cast<std::int64_t>(unit)});
    }
    keep_range(grid, axis, first, std::min(last + 1, whole));
  }
}

// The panels that share an axis, by their length along it: those of one row share rows, those of one column columns.
std::vector<std::map<std::size_t, Panels>> sharing(Figure& figure, Axis axis) {
  std::vector<std::map<std::size_t, Panels>> lines;
  for (std::size_t r = 0; r < figure.panels.size(); ++r)
    for (std::size_t c = 0; c < figure.panels[r].size(); ++c) {
      const std::size_t line = axis == Axis::rows ? r : c;
      lines.resize(std::max(lines.size(), line + 1));
      Grid& grid = figure.panels[r][c];
      if (!grid.key_rows.empty() || (axis == Axis::columns && !grid.key_columns.empty())) continue;
      lines[line][length(grid, axis)].push_back(&grid);
    }
  return lines;
}

// Keeps the first rows of panels of one length, those with a highlight or an end of an arrow in one of them, and the
// last. A period, and a group of 8 rows, is never cut.
void keep_ends(const Panels& panels, std::size_t most) {
  const std::size_t whole = panels.front()->squares.size();
  for (const Grid* grid : panels)
    most = std::max(most, std::max(grid->row_repeat.period, std::min(whole, fewest_rows)) + 1);
  if (whole <= most + 1 || most < 2) return;
  std::set<std::size_t> rows{whole - 1};
  for (std::size_t row = 0; row + 1 < most; ++row) rows.insert(row);
  for (const Grid* grid : panels)
    for (const Grid::Arrow& arrow : grid->arrows)
      for (const Grid::Place& end : {arrow.from, arrow.to})
        if (end.row < static_cast<std::int64_t>(whole)) rows.insert(static_cast<std::size_t>(end.row));
  for (Grid* grid : panels)
    for (std::size_t row = 0; row < whole; ++row)
      if (std::ranges::any_of(grid->squares[row], [](const auto& s) { return s.mark == Mark::highlighted; }))
        rows.insert(row);
  for (Grid* grid : panels) {
    Grid::Repeat repeat = grid->row_repeat;
    const bool has_next = whole > repeat.period;
    grid->key_rows.assign(rows.begin(), rows.end());
    keep_keys(*grid, Axis::rows, 0);
    // What is left goes on as often as the whole.
    if (repeat.period > 0) repeat.period = grid->squares.size() - (has_next ? 1 : 0);
    grid->row_repeat = std::move(repeat);
  }
}

void keep_asked(Figure& figure, Axis axis, const DrawnRange& range) {
  const auto first = static_cast<std::size_t>(range.begin), last = static_cast<std::size_t>(range.end);
  std::size_t longest = 0;
  for (auto& row : figure.panels)
    for (Grid& grid : row) {
      const std::size_t whole = length(grid, axis);
      longest = std::max(longest, whole);
      if (first < whole) keep_range(grid, axis, first, last);
    }
  if (first >= longest)
    throw usage_error(fmt::format("the picture has no {} {}", axis == Axis::rows ? "row" : "column", first),
                      longest == 0 ? "leave the range out" : fmt::format("they are 0 to {}", longest - 1));
}

// Removes steps to which no drawn square belongs, and renumbers the squares by those that stay.
void keep_drawn_steps(Figure& figure) {
  std::vector<int> drawn(figure.steps.size(), -1);
  const auto each_step = [&](const auto& of) {
    for (auto& panels : figure.panels)
      for (Grid& grid : panels)
        for (auto& row : grid.squares)
          for (Grid::Square& square : row)
            if (square.step >= 0) of(square.step);
  };
  each_step([&](int step) { drawn.at(static_cast<std::size_t>(step)) = 0; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] < 0) continue;
    drawn[i] = static_cast<int>(names.size());
    names.push_back(figure.steps[i]);
  }
  each_step([&](int& step) { step = drawn[static_cast<std::size_t>(step)]; });
  figure.steps = std::move(names);
}

}  // namespace

Figure part_of(Figure figure, const DrawnPart& part) {
  if (part.is_whole) return figure;
  const std::string step_name = step_name_of(figure.steps);
  for (const Axis axis : {Axis::rows, Axis::columns}) {
    const auto& asked = axis == Axis::rows ? part.rows : part.columns;
    if (asked) {
      keep_asked(figure, axis, *asked);
      continue;
    }
    for (auto& row : figure.panels)
      for (Grid& grid : row)
        if (!(axis == Axis::rows ? grid.key_rows : grid.key_columns).empty()) keep_keys(grid, axis, part.most_rows);
    for (const auto& line : sharing(figure, axis))
      for (const auto& [whole, panels] : line) keep_period(panels, axis, part, step_name);
  }
  // Last, because the columns of a grid with a row "…" are not seen to repeat.
  if (part.most_rows > 0 && !part.rows)
    for (const auto& line : sharing(figure, Axis::rows))
      for (const auto& [whole, panels] : line) keep_ends(panels, part.most_rows);
  if (!figure.steps.empty()) keep_drawn_steps(figure);
  return figure;
}

}  // namespace swz
