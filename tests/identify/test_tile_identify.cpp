// SPDX-License-Identifier: Apache-2.0
// Dump to tile: every canonical tile comes back, every planted mistake is named, and nothing is claimed of what is right.
//
// What plants a mistake writes its bytes by loops of its own: nothing of src/smem computes an address there.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "arch/target.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "identify/tile_identify.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

using Bytes8 = std::vector<std::byte>;

LogicalTile random_tile(const ElementType& type, TileExtents extents, Random& random) {
  LogicalTile tile = iota_tile(type, extents);
  const int bits = type.value_bits();
  for (std::uint64_t& value : tile.values) value = bits >= 64 ? random() : random() & ((std::uint64_t{1} << bits) - 1);
  return tile;
}

Bytes8 random_bytes(std::int64_t count, Random& random) {
  Bytes8 bytes(static_cast<std::size_t>(count));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

// ---- correct tiles

// The dump of a tile, with random bytes around it.
Bytes8 dump_of(const SmemTile& tile, const LogicalTile& values, std::int64_t before, std::int64_t size,
               Random& random) {
  Bytes8 dump = random_bytes(size * values.passes, random);
  const int bits = values.type.value_bits();
  for (int pass = 0; pass < values.passes; ++pass)
    for (std::int64_t row = 0; row < values.extents.mn; ++row)
      for (std::int64_t k = 0; k < values.extents.k; ++k)
        put_bits(std::span(dump).subspan(static_cast<std::size_t>(pass * size)), tile.bit(row, k).count - before * 8,
                 bits, values.value({row, k}) >> (pass * bits % 64));
  return dump;
}

bool same_function(const SmemTile& a, const SmemTile& b) {
  for (std::int64_t row = 0; row < a.extents().mn; ++row)
    for (std::int64_t k = 0; k < a.extents().k; ++k)
      if (a.bit(row, k) != b.bit(row, k)) return false;
  return true;
}

bool is_found(const TileIdentification& answer, const SmemTile& tile) {
  if (!answer.is_exact || answer.mistake) return false;
  if (answer.candidates.empty() || same_function(*answer.tile, tile)) return same_function(*answer.tile, tile);
  for (const SmemTile& candidate : answer.candidates)
    if (candidate.major() == tile.major() && same_function(candidate, tile)) return true;
  return answer.is_cut;
}

TEST_CASE("every canonical tile is found, or among the candidates") {
  Random random(16);
  std::int64_t tiles = 0, decided = 0;
  Sweep every{5};
  for (const DType& dtype : dtypes())
    for (const Packing packing : {Packing::packed, Packing::slots}) {
      if (packing == Packing::slots && (dtype.container_bits == 0 || dtype.container_bits == dtype.memory_bits))
        continue;
      for (const SwizzleMode& mode : swizzle_modes())
        for (const Major major : {Major::K, Major::MN})
          for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
            if (major == Major::K && mode.family == SwizzleFamily::chunk_32) continue;
            const TileExtents atom = atom_extents(major, mode, dtype, packing);
            const TileExtents most{std::max<std::int64_t>(1, 256 / atom.mn), std::max<std::int64_t>(1, 256 / atom.k)};
            for (int i = 0; i < 4; ++i) {
              const TileExtents extents{atom.mn * (i == 0 ? 1 : 1 + random.below(most.mn)),
                                        atom.k * (i == 0 ? 1 : 1 + random.below(most.k))};
              const ElementType type{dtype, packing};
              const std::int64_t bytes = extents.mn * extents.k * type.slot_bits() / 8;
              if (bytes > 64 * 1024 && !random.one_in(8)) continue;
              if (bytes > 220 * 1024 || !every.takes()) continue;
              const std::int64_t base = 1024 + 16 * random.below(64) + 128 * random.below(4);
              const SmemTile tile({.dtype = dtype,
                                   .packing = packing,
                                   .major = major,
                                   .mn = extents.mn,
                                   .k = extents.k,
                                   .swizzle = mode,
                                   .order = order,
                                   .base = Bytes{base}});
              const LogicalTile values = random.one_in(3)   ? iota_tile(type, extents)
                                         : random.one_in(2) ? code_tile(type, extents)
                                                            : random_tile(type, extents, random);
              const Bytes8 dump = dump_of(tile, values, 0, base + bytes + 1024, random);
              const TileIdentification answer = identify_tile(SharedDump(dump, Bytes{0}, values.passes), values);
              INFO(dtype.name, " ", to_string(extents), " ", mode.name, " ", to_string(major), " ", to_string(order),
                   " ", base);
              CAPTURE(answer.is_exact);
              CAPTURE(answer.candidates.size());
              CAPTURE(answer.is_cut);
              CAPTURE(values.passes);
              CHECK(is_found(answer, tile));
              ++tiles;
              decided += answer.candidates.empty() ? 1 : 0;
            }
          }
    }
  CHECK(tiles > at_least(500, 5));
  CHECK(decided * 2 > tiles);
}

TEST_CASE("a layout from the dump's first byte, base included, is where the elements lie") {
  const ElementType type{"bf16"};
  const LogicalTile values = iota_tile(type, {128, 64});
  const SmemTile tile({.dtype = "bf16", .mn = 128, .k = 64, .swizzle = "64B", .base = Bytes{0x480}});
  const ComposedLayout layout = *dump_layout(tile, Bytes{0});
  for (std::int64_t row = 0; row < 128; ++row)
    for (std::int64_t k = 0; k < 64; ++k) CHECK(layout(row + 128 * k) * 2 == tile.byte(row, k).count);
  CHECK(!dump_layout(tile, Bytes{0x80}));
  CHECK(dump_layout(tile, Bytes{0x400}).has_value());
}

// ---- mistakes, written by loops of their own

struct Mode {
  const char* name;
  std::int64_t span, lines, mask, shift;  // byte ^ ((byte >> 7 & mask) << shift)
  std::int64_t of(std::int64_t byte) const { return byte ^ ((byte >> 7 & mask) << shift); }
};
constexpr Mode modes[] = {{"none", 16, 8, 0, 4}, {"32B", 32, 8, 1, 4}, {"64B", 64, 8, 3, 4}, {"128B", 128, 8, 7, 4}};

// A tile as its writer thinks of it: `lines` lines of `along` elements.
struct Written {
  int bits;
  bool k_major;
  std::int64_t lines, along, base;
  Mode mode;
  bool lines_first;  // atoms follow each other across lines first

  std::int64_t width() const { return mode.span * 8 / bits; }
  std::int64_t line_step() const { return lines_first ? 8 * mode.span : 8 * mode.span * (along / width()); }
  std::int64_t block_step() const { return lines_first ? 8 * mode.span * (lines / 8) : 8 * mode.span; }
  std::int64_t linear(std::int64_t l, std::int64_t i, std::int64_t line_step_, std::int64_t block_step_) const {
    return l / 8 * line_step_ + i / width() * block_step_ + l % 8 * mode.span + i % width() * bits / 8;
  }
  std::int64_t linear(std::int64_t l, std::int64_t i) const { return linear(l, i, line_step(), block_step()); }
  TileExtents extents() const { return k_major ? TileExtents{lines, along} : TileExtents{along, lines}; }
  std::uint64_t value(const LogicalTile& tile, std::int64_t l, std::int64_t i) const {
    return k_major ? tile.value({l, i}) : tile.value({i, l});
  }
  std::int64_t bytes() const { return lines * along * bits / 8; }
};

struct Planted {
  Bytes8 dump;
  bool is_planted = false;
};

template <class Place>
void write(const Written& w, const LogicalTile& tile, Bytes8& dump, const Place& place) {
  for (std::int64_t l = 0; l < w.lines; ++l)
    for (std::int64_t i = 0; i < w.along; ++i) {
      const std::int64_t at = place(l, i);
      std::uint64_t value = w.value(tile, l, i);
      for (int b = 0; b < w.bits / 8; ++b, value >>= 8)
        dump[static_cast<std::size_t>(at + b)] = static_cast<std::byte>(value & 0xff);
    }
}

Written random_written(Random& random) {
  Written w{};
  w.bits = random.of(std::vector<int>{8, 16, 32});
  w.k_major = random.one_in(2);
  w.mode = modes[random.below(4)];
  w.lines = 16 * (1 + random.below(4));
  w.along = w.width() * (1 + random.below(4));
  w.base = 1024 * (1 + random.below(3));
  w.lines_first = random.one_in(2);
  return w;
}

const char* type_name(int bits) { return bits == 8 ? "u8" : bits == 16 ? "bf16" : "f32"; }

// What the name means, done to the tile. None planted: it makes no difference there.
Planted plant(std::string_view name, Written w, const LogicalTile& tile, Random& random) {
  Planted out{random_bytes(64 * 1024, random), true};
  Bytes8& dump = out.dump;
  const auto right = [&](std::int64_t l, std::int64_t i) { return w.mode.of(w.base + w.linear(l, i)); };
  if (name == "tile-relative-swizzle") {
    w.base += 128 * (1 + random.below(w.mode.mask > 0 ? w.mode.mask : 1));
    write(w, tile, dump, [&](auto l, auto i) { return w.base + w.mode.of(w.linear(l, i)); });
    // Of fewer bytes than a pattern nothing but the phase may differ; without an XOR nothing does.
    out.is_planted = w.mode.mask != 0;
  } else if (name == "other-mode") {
    Mode other = modes[random.below(4)];
    out.is_planted = other.mask != w.mode.mask && w.mode.mask != 0;
    write(w, tile, dump, [&](auto l, auto i) { return other.of(w.base + w.linear(l, i)); });
  } else if (name == "element-unit-swizzle") {
    const std::int64_t unit = w.bits / 8;
    out.is_planted = unit > 1 && w.mode.mask > 1 && w.bytes() / unit >= 1024;
    write(w, tile, dump, [&](auto l, auto i) {
      const std::int64_t element = w.linear(l, i) / unit;
      return w.base + w.mode.of(element) * unit + w.linear(l, i) % unit;
    });
  } else if (name == "strides-exchanged") {
    out.is_planted = w.lines / 8 != w.along / w.width() && w.along / w.width() > 1;
    // Atoms must not meet: the smaller count has the larger step.
    const std::int64_t fast = w.lines_first ? w.lines / 8 : w.along / w.width(),
                       slow = w.lines_first ? w.along / w.width() : w.lines / 8;
    out.is_planted = out.is_planted && slow < fast;
    if (!out.is_planted) return out;
    write(w, tile, dump,
          [&](auto l, auto i) { return w.mode.of(w.base + w.linear(l, i, w.block_step(), w.line_step())); });
  } else if (name == "pitch") {
    const std::int64_t line = w.along * w.bits / 8;
    const std::int64_t step = line + 16 * (1 + random.below(4));
    out.is_planted = true;
    const bool swizzles = random.one_in(3) && w.mode.mask != 0 && line % w.mode.span == 0;
    write(w, tile, dump, [&](auto l, auto i) {
      const std::int64_t at = w.base + l * step + i * w.bits / 8;
      return swizzles ? w.mode.of(at) : at;
    });
  } else if (name == "chunk-order") {
    const std::int64_t chunks = w.mode.span / 16;
    std::vector<std::int64_t> order;
    for (std::int64_t c = 0; c < chunks; ++c) order.push_back(c);
    random.shuffle(order);
    out.is_planted = chunks > 2 && !std::ranges::is_sorted(order);
    write(w, tile, dump, [&](auto l, auto i) {
      const std::int64_t at = w.linear(l, i), in = at % w.mode.span;
      return w.base + at - in + order[static_cast<std::size_t>(in / 16)] * 16 + in % 16;
    });
  } else if (name == "transposed") {
    // Atoms of 8 x 8 elements or fewer, turned, are atoms of the other major: a tile as it should be.
    out.is_planted = w.width() > 8 && w.along % 8 == 0;
    if (!out.is_planted) return out;
    LogicalTile turned = tile;
    const TileExtents e = w.extents();
    for (std::int64_t r = 0; r < e.mn; ++r)
      for (std::int64_t k = 0; k < e.k; ++k)
        turned.values[static_cast<std::size_t>(r * e.k + k)] = tile.value({r - r % 8 + k % 8, k - k % 8 + r % 8});
    write(w, turned, dump, right);
  } else if (name == "byte-order") {
    out.is_planted = w.bits > 8;
    LogicalTile other = tile;
    for (std::uint64_t& value : other.values)
      value = w.bits == 16 ? __builtin_bswap16(static_cast<std::uint16_t>(value))
                           : __builtin_bswap32(static_cast<std::uint32_t>(value));
    write(w, other, dump, right);
  } else if (name == "stale") {
    // All atoms of one block of lines.
    const std::int64_t blocks = w.along / w.width(), missing = random.below(blocks);
    out.is_planted = blocks > 1;
    const Bytes8 before = dump;
    write(w, tile, dump, right);
    for (std::int64_t l = 0; l < w.lines; ++l)
      for (std::int64_t i = missing * w.width(); i < (missing + 1) * w.width(); ++i)
        for (int b = 0; b < w.bits / 8; ++b) {
          const auto at = static_cast<std::size_t>(right(l, i) + b);
          dump[at] = before[at];
        }
  } else {  // wrong-lane: one piece goes to the place of another, and its own place keeps what was there
    const Bytes8 before = dump;
    write(w, tile, dump, right);
    const std::int64_t per = 128 / w.bits, l = random.below(w.lines), i = random.below(w.along / per) * per;
    const std::int64_t l2 = random.below(w.lines), i2 = random.below(w.along / per) * per;
    out.is_planted = l != l2 || i != i2;
    const auto from = static_cast<std::size_t>(right(l, i)), to = static_cast<std::size_t>(right(l2, i2));
    for (std::size_t b = 0; out.is_planted && b < 16; ++b) dump[to + b] = dump[from + b];
    for (std::size_t b = 0; out.is_planted && b < 16; ++b) dump[from + b] = before[from + b];
  }
  return out;
}

// 10,000 with SWZ_WHOLE_SWEEPS=1.
TEST_CASE("each mistake that is planted is named, thousands in all") {
  Random random(1616);
  std::map<std::string, int> planted, missed;
  for (int total = 0; total < 10000 / step_of(20, 2);)
    for (const std::string_view name : writer_mistake_names()) {
      const Written w = random_written(random);
      const LogicalTile tile = random_tile({type_name(w.bits)}, w.extents(), random);
      const Planted p = plant(name, w, tile, random);
      if (!p.is_planted) continue;
      const TileIdentification answer = identify_tile(SharedDump(p.dump, Bytes{0}, 1), tile);
      ++total;
      ++planted[std::string(name)];
      const std::string told = answer.is_exact ? "exact" : answer.mistake ? std::string(answer.mistake->name) : "none";
      if (told == name) continue;
      const int count = ++missed[std::string(name) + " -> " + told];
      if (count <= 2)
        MESSAGE(name, " reported as ", told, ": ", w.bits, " bits, ", w.k_major ? "K " : "MN ", w.lines, " lines of ",
                w.along, ", mode ", w.mode.name, ", at ", w.base, w.lines_first ? ", lines first" : ", blocks first");
    }
  for (const auto& [what, count] : missed) FAIL_CHECK(what, ": ", count);
  CHECK(planted.size() == writer_mistake_names().size());
  for (const auto& one : planted) {
    CAPTURE(one.first);
    CHECK(one.second > at_least(300, 20, 2));
  }
}

TEST_CASE("random bytes are random") {
  Random random(99);
  for (int i = 0; i < 300; ++i) {
    const Written w = random_written(random);
    const LogicalTile tile = random_tile({type_name(w.bits)}, w.extents(), random);
    const TileIdentification answer =
        identify_tile(SharedDump(random_bytes(w.bytes() + 1024, random), Bytes{0}, 1), tile);
    CHECK(!answer.is_exact);
    CHECK(!answer.mistake);
    CHECK(!answer.tile);
  }
}

TEST_CASE("what no tile can be in is said") {
  const Bytes8 dump(4096);
  const auto message = [&](const char* type, TileExtents extents) {
    try {
      identify_tile(SharedDump(dump, Bytes{0}, 1), iota_tile({type}, extents));
    } catch (const Error& e) {
      return e.message() + "; " + e.hint;
    }
    return std::string();
  };
  CHECK(message("bf16", {128, 64}) ==
        "a tile of 128x64 bf16 takes 16384 B; the dump has 4096 B; the dump is truncated, or --dtype or --tile is "
        "another one");
  CHECK(message("bf16", {7, 5}) ==
        "no canonical tile of bf16 has 7x5 elements; its lines hold whole chunks of 16 B, 8 elements, and it has "
        "groups of 8 lines");
}

}  // namespace
}  // namespace swz
