// SPDX-License-Identifier: Apache-2.0
// Who holds single elements of a matrix, and which elements a register holds.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "view/fragment/fragment.hpp"

namespace swz {

Point point_of(const Fragment& f, Holder holder, const FragmentDrawing& drawing) {
  const Coordinate at = f.at(holder.thread, holder.value);
  const RegisterSlot slot = f.value_slot(holder.value);
  Point point{.at = {{row_word(f.operand), at.row}, {"column", at.column}}};
  if (drawing.names_operand) point.of = to_string(f.operand);
  point.slot = Point::Slot{holder.thread, holder.value, slot.index, slot.first_bit, f.value_width()};
  if (f.operand == Operand::memory) point.address_lane = at.row;
  if (f.kept > 0) {
    const Fragment::KRange k = f.k_of(at);
    point.k = Point::Axis{"k", k.first, k.count};
  }
  if (drawing.element_of_d)
    if (const auto element = drawing.element_of_d(at)) {
      point.d_row = element->row;
      point.d_column = element->column;
    }
  return point;
}

std::string part_rule(const Fragment& f) {
  const int together = 4 / f.parts;
  return together == 1 ? fmt::format("thread % 4 == {}", f.part)
                       : fmt::format("thread / {} % {} == {}", together, f.parts, f.part);
}

namespace {

// Calls `visit` with each fragment. At least one must have what is asked for; otherwise the last Error is thrown.
template <class Visit>
void visit_some(const std::vector<Fragment>& fragments, Visit visit) {
  std::optional<Error> refusal;
  bool found = false;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    try {
      visit(i);
      found = true;
    } catch (const Error& error) {
      refusal = error;
    }
  }
  if (!found) throw *refusal;
}

// Where the scale factor of an element of A or B is, if its scale factors are among the fragments.
std::optional<Point::Slot> scale_of(const Fragment& f, Coordinate at, const std::vector<Fragment>& fragments) {
  if (f.block == 0) return std::nullopt;
  const bool is_a = f.operand == Operand::a;
  const auto scales = std::ranges::find(fragments, is_a ? Operand::sfa : Operand::sfb, &Fragment::operand);
  if (scales == fragments.end()) return std::nullopt;
  const int block = f.k_of(at).first / f.block;
  const Holder holder = FragmentInverse(*scales)(is_a ? Coordinate{at.row, block} : Coordinate{block, at.column});
  const RegisterSlot slot = scales->slot(holder.value);
  return Point::Slot{holder.thread, holder.value, slot.index, slot.first_bit, scales->bits};
}

std::vector<Holder> holders_in(const Fragment& f, const PointQuery::Register& asked) {
  const bool has_register = !asked.index || *asked.index < f.registers();
  if (asked.thread >= f.threads() || !has_register)
    throw usage_error(
        fmt::format("--at T{}{}: there is no such {}", asked.thread,
                    asked.index ? fmt::format(",R{}", *asked.index) : "", asked.index ? "register" : "thread"),
        fmt::format("thread 0 to {}, register 0 to {}; for example --at T{},R{}", f.threads() - 1, f.registers() - 1,
                    std::min(5, f.threads() - 1), f.registers() - 1));
  if (!f.is_read(static_cast<int>(asked.thread)))
    throw usage_error(
        fmt::format("--at T{}: the register of {} in this thread is not read", asked.thread, to_string(f.operand)),
        fmt::format("read are threads with {}", part_rule(f)));
  std::vector<Holder> out;
  for (int value = 0; value < f.values(); ++value)
    if (!asked.index || f.slot(value).index == *asked.index) out.push_back({static_cast<int>(asked.thread), value});
  return out;
}

}  // namespace

std::vector<Holder> require_holders(const Fragment& f, Coordinate at) {
  std::vector<Holder> holders = holders_of(f, at);
  if (!holders.empty()) return holders;
  const int run = without_gap(f).columns / 2;
  throw usage_error(fmt::format("no thread holds {} {}, column {}", row_word(f.operand), at.row, at.column),
                    fmt::format("threads 0-15 hold columns {}, threads 16-31 columns {}", range_text(0, run),
                                range_text(f.columns - run, run)));
}

std::vector<std::vector<Holder>> asked_values(const PointQuery& query, const std::vector<Fragment>& fragments) {
  std::vector<std::vector<Holder>> asked(fragments.size());
  for (const IntTuple& coordinate : query.coordinates)
    visit_some(fragments, [&](std::size_t i) {
      const Fragment& f = fragments[i];
      const auto at = require_coordinate(coordinate, {{row_word(f.operand), 0, f.rows}, {"column", 0, f.columns}});
      const auto holders = require_holders(f, {static_cast<int>(at[0]), static_cast<int>(at[1])});
      asked[i].insert(asked[i].end(), holders.begin(), holders.end());
    });
  for (const PointQuery::Register& reg : query.registers)
    visit_some(fragments, [&](std::size_t i) {
      const std::vector<Holder> held = holders_in(fragments[i], reg);
      asked[i].insert(asked[i].end(), held.begin(), held.end());
    });
  return asked;
}

std::vector<Point> asked_points(const FragmentDrawing& asked_of, const std::vector<Fragment>& fragments) {
  FragmentDrawing drawing = asked_of;
  drawing.names_operand = fragments.size() > 1;
  std::vector<Point> points;
  const std::vector<std::vector<Holder>> asked = asked_values(drawing.query, fragments);
  for (std::size_t i = 0; i < fragments.size(); ++i)
    for (const Holder holder : asked[i]) {
      points.push_back(point_of(fragments[i], holder, drawing));
      points.back().scale = scale_of(fragments[i], fragments[i].at(holder.thread, holder.value), fragments);
    }
  return points;
}

}  // namespace swz
