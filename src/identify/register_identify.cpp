// SPDX-License-Identifier: Apache-2.0
#include "identify/register_identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "identify/fit.hpp"

namespace swz {
namespace {

constexpr std::size_t most_candidates = 64;

[[noreturn]] void throw_no_fragment(const RegisterDump& dump, const ElementType& type, TileExtents tile,
                                    bool is_tensor_memory) {
  const std::int64_t bits = type.slot_bits(), held = std::int64_t{32} * dump.threads * dump.registers / bits;
  const std::string holds = fmt::format("{} threads x {} of 32 bits", dump.threads, plural(dump.registers, "register"));
  const std::string extents = to_string(tile);
  if (held < tile.mn * tile.k && !is_tensor_memory)
    throw Error(fmt::format("{} hold {} elements of {} bits; a tile of {} has {}", holds, held, bits, extents,
                            tile.mn * tile.k),
                "the dump is truncated, or --dtype or --tile is another one");
  if (is_tensor_memory)
    throw Error(fmt::format("no D and no A of {} {} lies in {}", extents, type.dtype->name, holds),
                "128 threads or lanes, or 256 of a CTA pair; D has M 32, 64, 128 or 256 rows: 'swz tmem d' lists its "
                "data paths");
  throw Error(fmt::format("no fragment of {} {} fills {}", extents, type.dtype->name, holds),
              "--tile is what the threads hold together; 'swz frag --list' shows the fragments");
}

bool is_meant(const RegisterName& name, const RegisterMeaning& meaning) {
  return name.name == meaning.name && (meaning.operand.empty() || name.operand == meaning.operand);
}
bool is_meant(const RegisterMap& map, const RegisterMeaning& meaning) {
  const auto is_it = [&](const RegisterName& name) { return is_meant(name, meaning); };
  return std::ranges::any_of(map.names, is_it) || std::ranges::any_of(map.more_names, is_it);
}

// Its name that is meant comes first.
RegisterMap as_meant(RegisterMap map, const RegisterMeaning& meaning) {
  const auto is_it = [&](const RegisterName& name) { return is_meant(name, meaning); };
  if (meaning.name.empty() || std::ranges::any_of(map.names, is_it)) return map;
  if (const auto more = std::ranges::find_if(map.more_names, is_it); more != map.more_names.end())
    map.names.insert(map.names.begin(), *more);
  return map;
}

RegisterTile tile_of_registers(const RegisterDump& dump, const ElementType& type, TileExtents extents,
                               const RegisterMeaning& meaning) {
  return {type.slot_bits(), type.dtype->name, static_cast<int>(extents.mn), static_cast<int>(extents.k), dump.threads,
          dump.registers,   meaning.name};
}

// The first register at which the dump has every value of the map.
std::optional<int> exact_at(const RegisterDump& dump, const LogicalTile& tile, const RegisterMap& map) {
  const int last = map.slides ? dump.registers - map.registers() : 0;
  for (int first = 0; first <= last; ++first)
    if (HeldValues(dump, tile, map, first).has_all()) return first;
  return std::nullopt;
}

std::optional<DifferentRegister> first_difference(const HeldValues& held, int first_register) {
  const RegisterMap& map = held.map();
  for (int thread = 0; thread < held.threads(); ++thread)
    for (int value = 0; held.holds(thread) && value < held.values(); ++value) {
      if (held.found(thread, value) == held.expected(thread, value)) continue;
      const int bit = map.first_bit + value * map.slot_bits;
      return DifferentRegister{thread,
                               first_register + bit / 32,
                               bit % 32,
                               map.at(thread, value),
                               held.expected(thread, value),
                               held.found(thread, value)};
    }
  return std::nullopt;
}

// (thread, value) -> row + rows * column of the values themselves. None: one repeats, or is not one of the tile's.
std::optional<ComposedLayout> held_layout(const RegisterDump& dump, const LogicalTile& tile) {
  std::unordered_map<std::uint64_t, std::int64_t> place;
  for (std::int64_t row = 0; row < tile.extents.mn; ++row)
    for (std::int64_t column = 0; column < tile.extents.k; ++column)
      if (!place.emplace(tile.value({row, column}), row + tile.extents.mn * column).second) return std::nullopt;
  const int bits = tile.type.slot_bits(), values = dump.registers * 32 / bits;
  KnownOffsets known{{dump.threads, values}, {}};
  for (int value = 0; value < values; ++value)
    for (int thread = 0; thread < dump.threads; ++thread) {
      const auto at = place.find(dump.value(thread, value * bits, bits));
      if (at == place.end()) return std::nullopt;
      known.points.push_back({std::ssize(known.points), at->second});
    }
  return fit_exactly(known).layout;
}

// By chance a value of b bits is right once in 2^b.
bool is_near(std::int64_t matching, std::int64_t elements, int bits) {
  return bits == 1 ? matching * 4 >= elements * 3 : matching * 2 >= elements;
}

// The maps whose values are all in the dump.
struct ExactMaps {
  std::vector<RegisterMap> meant;    // every map, if nothing is meant
  std::optional<RegisterMap> other;  // the first that is not meant
  int first_register = 0;            // of the first that is meant
  bool is_cut = false;
};
ExactMaps exact_maps(const RegisterDump& dump, const LogicalTile& tile, const RegisterMeaning& meaning,
                     const std::vector<RegisterMap>& maps) {
  ExactMaps exact;
  for (const RegisterMap& map : maps) {
    const auto first = exact_at(dump, tile, map);
    if (!first) continue;
    if (!meaning.name.empty() && !is_meant(map, meaning)) {
      if (!exact.other) exact.other = map;
      continue;
    }
    if (exact.meant.empty()) exact.first_register = *first;
    if (exact.meant.size() < most_candidates) exact.meant.push_back(as_meant(map, meaning));
    else exact.is_cut = true;
  }
  return exact;
}

// The map that a mistake was made in, or the nearest map if it is near.
void find_nearest(const RegisterDump& dump, const LogicalTile& tile, const std::vector<RegisterMap>& maps,
                  const std::vector<RegisterMap>& transposed, RegisterIdentification& out) {
  if (auto made = find_register_mistake(dump, tile, maps, transposed)) {
    out.mistake = std::move(made->mistake);
    // Of a square tile the fragment as it should be, otherwise that of the exchanged tile.
    const auto is_same = [&](const RegisterMap& map) { return map.names[0].title == made->map->names[0].title; };
    const auto meant = std::ranges::find_if(maps, is_same);
    out.map = meant != maps.end() ? *meant : *made->map;
    return;
  }
  const RegisterMap* nearest = &maps.front();
  std::int64_t most = 0;
  for (const RegisterMap& map : maps) {
    const std::int64_t matching = HeldValues(dump, tile, map).matching();
    if (matching <= most) continue;
    most = matching;
    nearest = &map;
  }
  if (!is_near(most, nearest->elements(), tile.type.slot_bits())) return;
  out.map = *nearest;
  out.mistake = find_wrong_place(HeldValues(dump, tile, *out.map));
}

}  // namespace

ElementType register_element(const DType& dtype) {
  constexpr std::pair<int, std::string_view> widths[] = {{1, "b1"},   {4, "u4"},   {8, "u8"},
                                                         {16, "u16"}, {32, "u32"}, {64, "u64"}};
  if (dtype.memory_bits > 64)
    throw Error(fmt::format("no fragment has elements of {}", dtype.name), "elements of at most 64 bits");
  for (const auto& [bits, name] : widths)
    if (bits == dtype.memory_bits && dtype.value_bits != bits) return {require_dtype(name)};
  return {dtype};
}

bool HeldValues::has_all_of(int thread, int other) const {
  if (!holds(thread) || !holds(other)) return false;
  for (int value = 0; value < values(); ++value)
    if (found(thread, value) != expected(other, value)) return false;
  return true;
}

std::int64_t HeldValues::matching() const {
  std::int64_t count = 0;
  for (int thread = 0; thread < threads(); ++thread)
    for (int value = 0; holds(thread) && value < values(); ++value)
      count += found(thread, value) == expected(thread, value) ? 1 : 0;
  return count;
}

std::vector<RegisterMap> maps_of_registers(const RegisterDump& dump, const ElementType& type, TileExtents extents,
                                           const RegisterMeaning& meaning) {
  const RegisterTile asked = tile_of_registers(dump, type, extents, meaning);
  std::vector<RegisterMap> maps = meaning.is_tensor_memory ? tensor_memory_maps(asked) : fragment_maps(asked);
  if (maps.empty()) throw_no_fragment(dump, type, extents, meaning.is_tensor_memory);
  if (!meaning.name.empty() &&
      std::ranges::none_of(maps, [&](const RegisterMap& map) { return is_meant(map, meaning); }))
    throw Error(fmt::format("{}{} does not fill a tile of {} in {} threads x {}",
                            meaning.operand.empty() ? "" : meaning.operand + " of ", meaning.name, to_string(extents),
                            dump.threads, plural(dump.registers, "register")),
                "--of fragment looks for those that do");
  return maps;
}

RegisterIdentification identify_registers(const RegisterDump& dump, const LogicalTile& tile,
                                          const RegisterMeaning& meaning) {
  return identify_registers(dump, tile, meaning, maps_of_registers(dump, tile.type, tile.extents, meaning));
}

RegisterIdentification identify_registers(const RegisterDump& dump, const LogicalTile& tile,
                                          const RegisterMeaning& meaning, const std::vector<RegisterMap>& all_maps,
                                          Effort effort) {
  RegisterIdentification out;
  out.is_constant = std::ranges::all_of(dump.words, [&](std::uint32_t word) { return word == dump.words.front(); });
  ExactMaps exact = exact_maps(dump, tile, meaning, all_maps);
  if (!exact.meant.empty()) {
    out.is_exact = true;
    out.is_cut = exact.is_cut;
    out.first_register = exact.first_register;
    out.map = exact.meant.front();
    out.elements = out.matching = out.map->elements();
    if (exact.meant.size() > 1) out.candidates = std::move(exact.meant);
    return out;
  }
  if (effort == Effort::exact_only) return out;
  const auto is_not_meant = [&](const RegisterMap& map) { return !meaning.name.empty() && !is_meant(map, meaning); };
  std::vector<RegisterMap> maps, transposed;
  for (const RegisterMap& map : all_maps)
    if (!is_not_meant(map)) maps.push_back(as_meant(map, meaning));
  if (!meaning.is_tensor_memory)
    transposed = transposed_fragment_maps(tile_of_registers(dump, tile.type, tile.extents, meaning));
  std::erase_if(transposed, is_not_meant);
  find_nearest(dump, tile, maps, transposed, out);
  if (exact.other) {
    const std::string& title = exact.other->names.front().title;
    if (out.mistake) out.mistake->text += fmt::format("; as they are now, they hold {}", title);
    else out.mistake = RegisterMistake{"other-fragment", fmt::format("the registers hold {}", title)};
    if (!out.map) out.map = maps.front();
  }
  if (!out.map) {
    out.elements = tile.elements();
    out.held = held_layout(dump, tile);
    return out;
  }
  const HeldValues held(dump, tile, *out.map);
  out.elements = out.map->elements();
  out.matching = held.matching();
  out.first_difference = first_difference(held, 0);
  return out;
}

}  // namespace swz
