// Walks by a thread-value layout.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "smem/walk_pieces.hpp"

namespace swz {

namespace {

constexpr std::int64_t most_values = std::int64_t{1} << 20;  // threads times values

// The coordinates of the tile that a thread-value layout names, thread by thread.
struct Values {
  std::int64_t threads = 0, values = 0;
  std::vector<TileCoordinate> at;  // [thread * values + value]

  TileCoordinate operator()(std::int64_t thread, std::int64_t value) const {
    return at[static_cast<std::size_t>(thread * values + value)];
  }
};

Values values_of(const ThreadValueLayout& tv) {
  const Layout& l = tv.layout;
  if (rank(l) != 2)
    throw Error(
        fmt::format("a thread-value layout has two modes, threads and values; {} has {}", to_string(l), rank(l)),
        "for example ((4,8),(2,2)):((32,1),(16,8))");
  if (l.size() > most_values)
    throw Error(fmt::format("a thread-value layout of {} values; at most {} are walked", l.size(), most_values),
                "take a smaller tile and let it repeat");
  Values out{size(mode(l, 0)), size(mode(l, 1)), {}};
  out.at.reserve(static_cast<std::size_t>(l.size()));
  for (std::int64_t thread = 0; thread < out.threads; ++thread)
    for (std::int64_t value = 0; value < out.values; ++value) {
      const std::int64_t index = l(thread + value * out.threads);
      if (index < 0 || index >= tv.tile.mn * tv.tile.k)
        throw Error(fmt::format("{} at thread {}, value {} is {}: beyond a tile of {}", to_string(l), thread, value,
                                index, to_string(tv.tile)),
                    "an index is row + k * rows of the tile");
      out.at.push_back({index % tv.tile.mn, index / tv.tile.mn});
    }
  return out;
}

// Values value, value + 1, … of every thread lie together, `count` at a time, wherever the tile is.
bool hold(const Placement& p, const ThreadValueLayout& tv, const Values& values, std::int64_t count, int bytes) {
  for (std::int64_t k0 = 0; k0 < p.extents().k; k0 += tv.tile.k)
    for (std::int64_t row0 = 0; row0 < p.extents().mn; row0 += tv.tile.mn)
      for (std::int64_t thread = 0; thread < values.threads; ++thread)
        for (std::int64_t value = 0; value < values.values; ++value) {
          const TileCoordinate first = values(thread, value - value % count), at = values(thread, value);
          const std::int64_t begin = p.bit(row0 + first.row, k0 + first.k).count;
          const std::int64_t here = p.bit(row0 + at.row, k0 + at.k).count;
          if (begin % (bytes * 8) != 0 || here != begin + value % count * p.element_bits()) return false;
        }
  return true;
}

// How many values one access of `bytes` takes; 0: they do not hold.
std::int64_t values_per_access(const Placement& p, const ThreadValueLayout& tv, const Values& values, int bytes) {
  if (bytes * 8 % p.element_bits() != 0) return 0;
  const std::int64_t count = bytes * 8 / p.element_bits();
  return values.values % count == 0 && hold(p, tv, values, count, bytes) ? count : 0;
}

std::int64_t choose_access(const Placement& p, const ThreadValueLayout& tv, const Values& values, Access& access) {
  int widest = 0;
  for (int bytes = 16; bytes >= 1 && widest == 0; bytes /= 2)
    if (find_access(access.op, bytes) != nullptr && values_per_access(p, tv, values, bytes) != 0) widest = bytes;
  if (access.instruction == nullptr && widest != 0) access.instruction = find_access(access.op, widest);
  if (access.instruction != nullptr)
    if (const std::int64_t count = values_per_access(p, tv, values, access.instruction->bytes); count != 0)
      return count;
  throw Error(fmt::format("the values of a thread do not lie together {} B at a time, at multiples of it",
                          access.instruction == nullptr ? 1 : access.instruction->bytes),
              widest == 0 ? "no access of 1 to 16 bytes takes them"
                          : fmt::format("the widest that fits is {}", find_access(access.op, widest)->name));
}

}  // namespace

void walk_thread_values(const Placement& placement, const ThreadValueLayout& tv, Walk& out) {
  const TileExtents whole = placement.extents();
  if (tv.tile.mn < 1 || tv.tile.k < 1 || whole.mn % tv.tile.mn != 0 || whole.k % tv.tile.k != 0)
    throw Error(fmt::format("a thread-value tile of {} does not divide {}", to_string(tv.tile), to_string(whole)),
                "the tile is repeated over the operand");
  const Values values = values_of(tv);
  const std::int64_t tiles = whole.mn / tv.tile.mn * (whole.k / tv.tile.k);
  if (tiles * values.threads * values.values > 2 * most_values)
    throw Error(fmt::format("{} thread-value tiles of {} values; at most {} values are walked", tiles,
                            values.threads * values.values, 2 * most_values),
                "take a part of the operand");
  const std::int64_t count = choose_access(placement, tv, values, out.access);
  WarpSteps steps(placement, *out.access.instruction, out.steps);
  for (std::int64_t k0 = 0; k0 < whole.k; k0 += tv.tile.k)
    for (std::int64_t row0 = 0; row0 < whole.mn; row0 += tv.tile.mn)
      for (std::int64_t warp = 0; warp < values.threads; warp += warp_lanes)
        for (std::int64_t value = 0; value < values.values; value += count) {
          const std::int64_t last = std::min<std::int64_t>(warp + warp_lanes, values.threads);
          for (std::int64_t thread = warp; thread < last; ++thread) {
            const TileCoordinate at = values(thread, value);
            steps.add({row0 + at.row, k0 + at.k});
          }
          steps.finish();
        }
}

}  // namespace swz
