// SPDX-License-Identifier: Apache-2.0
#include "view/identify/register_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "identify/register_identify.hpp"
#include "view/document/figure.hpp"

namespace swz {
namespace {

constexpr int drawn_threads = 8, most_registers = 8;

// The values of a register: several of less than 32 bits, or one of which the register has a part.
struct RegisterValues {
  const RegisterReport& report;
  HeldValues held;
  std::map<std::uint64_t, Coordinate> places = {};  // of each value that the tile has once

  explicit RegisterValues(const RegisterReport& of)
      : report(of), held(of.registers, of.expected, *of.found.map, of.found.first_register) {
    std::map<std::uint64_t, int> times;
    const TileExtents all = of.expected.extents;
    for (std::int64_t row = 0; row < all.mn; ++row)
      for (std::int64_t k = 0; k < all.k; ++k) {
        const std::uint64_t value = of.expected.value({row, k});
        places[value] = {static_cast<int>(row), static_cast<int>(k)};
        ++times[value];
      }
    std::erase_if(places, [&](const auto& place) { return times[place.first] > 1; });
  }

  int each() const { return std::max(1, 32 / held.map().slot_bits); }
  int count() const { return (held.values() + each() - 1) / each(); }

  // The register that should hold the element; -1 for none of this thread.
  int register_of(int thread, Coordinate at) const {
    for (int value = 0; value < held.values(); ++value)
      if (held.map().at(thread, value) == at) return value / each();
    return -1;
  }
  bool is_wrong(int thread, int reg) const {
    for (int value = reg * each(); value < std::min((reg + 1) * each(), held.values()); ++value)
      if (held.found(thread, value) != held.expected(thread, value)) return true;
    return false;
  }
  bool is_wrong(int thread) const {
    if (!held.holds(thread)) return false;
    for (int reg = 0; reg < count(); ++reg)
      if (is_wrong(thread, reg)) return true;
    return false;
  }

  Grid::Square square(int thread, int reg, bool is_expected) const {
    Grid::Square square;
    if (!held.holds(thread)) return square;
    for (int value = reg * each(); value < std::min((reg + 1) * each(), held.values()); ++value) {
      const Coordinate meant = held.map().at(thread, value);
      const auto place = places.find(held.found(thread, value));
      const bool is_known =
          is_expected || held.found(thread, value) == held.expected(thread, value) || place != places.end();
      const Coordinate at =
          is_expected || held.found(thread, value) == held.expected(thread, value) || !is_known ? meant : place->second;
      square.text += square.text.empty() ? "" : " ";
      square.text +=
          is_known ? fmt::format("{},{}", at.row, at.column) : fmt::format("{:#x}", held.found(thread, value));
      if (value == reg * each() && is_known) square.tint = {(is_expected ? reg : register_of(thread, at)) % 8, 0};
    }
    square.tip = fmt::format("thread {}, register {}: {}", report.first_thread + thread, reg, square.text);
    if (!is_expected && is_wrong(thread, reg)) square.mark = Mark::colliding;
    return square;
  }
};

// The first registers, or those from the first wrong one on if it is behind them.
int first_drawn(const RegisterValues& values, int thread) {
  for (int reg = 0; reg < values.count(); ++reg)
    if (values.is_wrong(thread, reg)) return reg < most_registers ? 0 : reg / most_registers * most_registers;
  return 0;
}

}  // namespace

Figure register_figure(const RegisterReport& report) {
  const RegisterValues values(report);
  const int threads = values.held.threads();
  int first_thread = 0;
  while (first_thread + 1 < threads && !values.is_wrong(first_thread)) ++first_thread;
  if (!values.is_wrong(first_thread)) first_thread = 0;
  first_thread = first_thread / drawn_threads * drawn_threads;
  const int first = first_drawn(values, first_thread);
  const int rows = std::min(drawn_threads, threads - first_thread),
            columns = std::min(most_registers, values.count() - first);
  const auto panel = [&](std::string title, bool is_expected) {
    Grid grid = grid_of(
        std::move(title), "thread",
        labels_of(rows, 1, [&](std::int64_t t) { return fmt::format("T{}", report.first_thread + first_thread + t); }),
        labels_of(columns, 1,
                  [&](std::int64_t r) { return fmt::format("r{}", report.found.first_register + first + r); }),
        [&](std::int64_t t, std::int64_t r) {
          return values.square(first_thread + static_cast<int>(t), first + static_cast<int>(r), is_expected);
        });
    return grid;
  };
  Figure figure;
  figure.panels = {{panel("expected: " + report.found.map->names.front().title, true)}};
  std::int64_t wrong = 0;
  for (int thread = 0; thread < threads; ++thread) wrong += values.is_wrong(thread) ? 1 : 0;
  const std::string drawn = fmt::format(" Drawn: {} of {}.", plural(rows, "thread"), threads);
  figure.caption = "A cell has the row,k of the elements in a register, its low bits first";
  if (wrong == 0) {
    figure.caption += "." + drawn;
    return figure;
  }
  figure.panels.front().push_back(panel("the dump", false));
  figure.legend = {{"other elements than expected", {}, Mark::colliding}};
  figure.caption = fmt::format("{} of {} threads differ. {}.{}", wrong, threads, figure.caption, drawn);
  figure.about_shades = " Colour: the register that should hold them.";
  return figure;
}

}  // namespace swz
