// SPDX-License-Identifier: Apache-2.0
// Mistakes in filling or storing the registers of a fragment.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "arch/mistake.hpp"
#include "base/text.hpp"
#include "identify/register_identify.hpp"

namespace swz {
namespace {

// Where each 8 x 8 matrix of 16-bit units is when it is transposed in place: the line, and the place along it in
// elements. 8-bit elements move in pairs, as ldmatrix.trans moves them.
struct MatrixTurn {
  int bits = 16;
  bool is_along_rows = true;

  bool applies(const LogicalTile& tile) const {
    const std::int64_t along = is_along_rows ? tile.extents.k : tile.extents.mn,
                       lines = is_along_rows ? tile.extents.mn : tile.extents.k;
    return bits <= 16 && lines % 8 == 0 && along % (128 / bits) == 0;
  }
  Coordinate operator()(Coordinate at) const {
    const int unit = 16 / bits, width = 8 * unit;
    const int line = is_along_rows ? at.row : at.column, along = is_along_rows ? at.column : at.row;
    const int new_line = line / 8 * 8 + along % width / unit,
              new_along = along / width * width + line % 8 * unit + along % unit;
    return is_along_rows ? Coordinate{new_line, new_along} : Coordinate{new_along, new_line};
  }
};

// The order in which unit j of the dump is what unit order[j] should be; units that may stay do. Empty if there is
// none.
template <class Holds>
std::vector<int> order_of_units(int count, const Holds& holds) {
  std::vector<int> order(static_cast<std::size_t>(count), -1);
  std::vector<bool> is_taken(static_cast<std::size_t>(count), false);
  const auto take = [&](int unit, int of) {
    order[static_cast<std::size_t>(unit)] = of;
    is_taken[static_cast<std::size_t>(of)] = true;
  };
  for (int unit = 0; unit < count; ++unit)
    if (holds(unit, unit)) take(unit, unit);
  for (int unit = 0; unit < count; ++unit) {
    for (int of = 0; of < count && order[static_cast<std::size_t>(unit)] < 0; ++of)
      if (!is_taken[static_cast<std::size_t>(of)] && holds(unit, of)) take(unit, of);
    if (order[static_cast<std::size_t>(unit)] < 0) return {};
  }
  return order;
}

std::vector<int> moved_units(const std::vector<int>& order) {
  std::vector<int> moved;
  for (int i = 0; i < std::ssize(order); ++i)
    if (order[static_cast<std::size_t>(i)] != i) moved.push_back(i);
  return moved;
}

std::string order_text(std::string_view units, const std::vector<int>& order) {
  const std::vector<int> moved = moved_units(order);
  if (moved.size() == 2) return fmt::format("{} {} and {} are exchanged", units, moved[0], moved[1]);
  constexpr std::ptrdiff_t most_shown = 16;
  const auto shown = std::span(order).first(static_cast<std::size_t>(std::min(most_shown, std::ssize(order))));
  return fmt::format("{} 0, 1, … hold what {}{} should", units, fmt::join(shown, ", "),
                     std::ssize(order) > most_shown ? ", …" : "");
}

// The order with the fewest moved units, of all maps.
struct FoundOrder {
  std::vector<int> order;
  const RegisterMap* map = nullptr;

  void consider(std::vector<int> other, const RegisterMap& of) {
    if (other.empty() || (map != nullptr && moved_units(other).size() >= moved_units(order).size())) return;
    order = std::move(other);
    map = &of;
  }
};

// The order of registers that contain one value: 64 bits for elements of 64 bits.
std::vector<int> register_order(const HeldValues& held) {
  const int each = std::max(1, 32 / held.map().slot_bits);
  return order_of_units(held.values() / each, [&](int unit, int of) {
    return held.has_all([&](int thread, int value) { return held.expected(thread, of * each + value % each); },
                        unit * each, (unit + 1) * each);
  });
}

std::vector<int> warp_order(const HeldValues& held) {
  return order_of_units(held.threads() / 32, [&](int warp, int of) {
    for (int lane = 0; lane < 32; ++lane)
      if (held.holds(32 * warp + lane) && !held.has_all_of(32 * warp + lane, 32 * of + lane)) return false;
    return true;
  });
}

std::optional<FoundMistake> find_transposed(const RegisterDump& dump, const LogicalTile& tile,
                                            const std::vector<RegisterMap>& maps,
                                            const std::vector<RegisterMap>& transposed) {
  for (const RegisterMap& map : transposed)
    if (HeldValues(dump, tile, map).has_all())
      return FoundMistake{
          {mistake::transposed,
           fmt::format("rows and columns of the tile are exchanged: {} of the transposed tile", map.names[0].title)},
          &map};
  for (const RegisterMap& map : maps)
    for (const bool is_along_rows : {true, false}) {
      const MatrixTurn turn{tile.type.slot_bits(), is_along_rows};
      const HeldValues held(dump, tile, map);
      if (!turn.applies(tile) ||
          !held.has_all([&](int thread, int value) { return held.expected(turn(map.at(thread, value))); }))
        continue;
      return FoundMistake{
          {mistake::transposed,
           "each matrix of 8 rows x 16 bytes is transposed in its place: ldmatrix without .trans where it "
           "belongs, or with .trans where it does not"},
          &map};
    }
  return std::nullopt;
}

// Describes registers that are the same in every thread, if all others are right. Empty if they are not.
std::string stale_text(const HeldValues& held) {
  const int each = std::max(1, 32 / held.map().slot_bits);
  std::vector<int> wrong;
  const auto is_right = [&](int thread, int value) { return held.expected(thread, value); };
  for (int unit = 0; unit < held.values() / each; ++unit) {
    if (held.has_all(is_right, unit * each, (unit + 1) * each)) continue;
    const auto same = [&](int, int value) { return held.found(held.first_holder(), value); };
    if (!held.has_all(same, unit * each, (unit + 1) * each)) return "";
    wrong.push_back(unit);
  }
  if (wrong.empty()) return "";
  return fmt::format("every difference is in register{} {}, the same in every thread: not written",
                     wrong.size() == 1 ? "" : "s", fmt::join(wrong, ", "));
}

}  // namespace

std::optional<FoundMistake> find_register_mistake(const RegisterDump& dump, const LogicalTile& tile,
                                                  const std::vector<RegisterMap>& maps,
                                                  const std::vector<RegisterMap>& transposed) {
  if (auto found = find_transposed(dump, tile, maps, transposed)) return found;
  FoundOrder registers, warps;
  for (const RegisterMap& map : maps) {
    const HeldValues held(dump, tile, map);
    registers.consider(register_order(held), map);
    if (held.threads() > 32) warps.consider(warp_order(held), map);
  }
  if (registers.map != nullptr)
    return FoundMistake{{"register-order", fmt::format("in every thread {}", order_text("registers", registers.order))},
                        registers.map};
  if (warps.map != nullptr) return FoundMistake{{"warp-order", order_text("warps", warps.order)}, warps.map};
  for (const RegisterMap& map : maps) {
    const HeldValues held(dump, tile, map);
    const int each = 32 / map.slot_bits;
    if (each > 1 && held.values() % each == 0 && held.has_all([&](int thread, int value) {
          return held.expected(thread, value / each * each + each - 1 - value % each);
        }))
      return FoundMistake{
          {"element-order",
           fmt::format("the {} elements of every register lie in the other order: the first belongs in the low bits",
                       each)},
          &map};
  }
  return std::nullopt;
}

std::optional<RegisterMistake> find_wrong_place(const HeldValues& held) {
  std::vector<int> wrong_threads, wrong_warps;
  for (int thread = 0; thread < held.threads(); ++thread) {
    if (!held.holds(thread) || held.has_all_of(thread, thread)) continue;
    wrong_threads.push_back(thread);
    if (wrong_warps.empty() || wrong_warps.back() != thread / 32) wrong_warps.push_back(thread / 32);
  }
  if (std::string text = stale_text(held); !text.empty()) return RegisterMistake{mistake::stale, std::move(text)};
  const auto owner = [&](int thread) {
    for (int other = 0; other < held.threads(); ++other)
      if (held.has_all_of(thread, other)) return fmt::format("holds what thread {} should", other);
    return std::string("holds what no thread should");
  };
  if (wrong_threads.size() == 1)
    return RegisterMistake{mistake::wrong_lane, fmt::format("every difference is in thread {}, which {}",
                                                            wrong_threads[0], owner(wrong_threads[0]))};
  if (wrong_threads.size() == 2 && held.has_all_of(wrong_threads[0], wrong_threads[1]) &&
      held.has_all_of(wrong_threads[1], wrong_threads[0]))
    return RegisterMistake{mistake::wrong_lane,
                           fmt::format("threads {} and {} are exchanged", wrong_threads[0], wrong_threads[1])};
  if (wrong_warps.size() == 1 && held.threads() > 32) {
    const int warp = wrong_warps[0];
    std::string holds = "which holds what no warp should";
    for (int other = 0; other < held.threads() / 32; ++other) {
      int lane = 0;
      while (lane < 32 && (!held.holds(32 * warp + lane) || held.has_all_of(32 * warp + lane, 32 * other + lane)))
        ++lane;
      if (lane == 32) holds = fmt::format("which holds what warp {} should", other);
    }
    return RegisterMistake{"wrong-warp", fmt::format("every difference is in warp {}, {}", warp, holds)};
  }
  return std::nullopt;
}

}  // namespace swz
