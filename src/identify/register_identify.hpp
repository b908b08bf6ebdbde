// SPDX-License-Identifier: Apache-2.0
// RegisterIdentification: which fragment of a tile the registers of threads hold; if none as it should be, which is nearest
// and which single mistake explains all that differs.
//
//   16x16 bf16 iota in 32 threads x 4 registers
//     thread 5: 0x00130012 0x00930092 0x001b001a 0x009b009a      (1,2) (1,3), (9,2) (9,3), (1,10) …: A of mma.m16n8k16
//   the same with registers 1 and 2 exchanged                    B of mma.m16n8k16 twice, the tile being N x K
//   the same, A being meant                                      not exact: "register-order", 1 and 2 are exchanged
//   random registers                                             no fragment, no mistake
//
//   mistake           what the registers hold
//   transposed        the fragment of the tile whose rows and columns are exchanged; or each 8 x 8 matrix turned in its place
//   register-order    the registers of every thread in another order
//   element-order     the elements of every register in the other order
//   warp-order        each warp what another should hold
//   other-fragment    exactly another fragment than the one that was meant
//   wrong-lane        all that differs is in one thread, or in two that are exchanged
//   wrong-warp        all that differs is in one warp
//   stale             all that differs are registers that hold the same in every thread
//
// Invariants (tested): exact only if every value is the tile's element there; no mistake is reported for an exact fragment; a
// mistake explains every value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "identify/logical_tile.hpp"
#include "identify/register_dump.hpp"
#include "identify/register_map.hpp"
#include "layout/composed_layout.hpp"

namespace swz {

// What --of names.
struct RegisterMeaning {
  bool is_tensor_memory = false;
  std::string name, operand;  // of the fragment that is meant: "mma.m16n8k16", "a"; empty: any
};

struct DifferentRegister {
  int thread = 0, reg = 0, first_bit = 0;  // of the element in its register
  Coordinate at;
  std::uint64_t expected = 0, found = 0;
};

struct RegisterMistake {
  std::string_view name;
  std::string text;
};

struct RegisterIdentification {
  bool is_exact = false;
  std::optional<RegisterMap> map;  // found, meant, or nearest; none: nothing is like a fragment
  int first_register = 0;          // where it begins, in a dump of columns
  std::int64_t elements = 0, matching = 0;
  std::optional<DifferentRegister> first_difference;
  std::optional<RegisterMistake> mistake;
  std::vector<RegisterMap> candidates;  // where the data leave more than one, all of them
  bool is_cut = false;                  // there are more of them
  bool is_constant = false;             // every register is the same
  // (thread, value) -> row + rows * column, from the values alone: where no map is found and no value repeats.
  std::optional<ComposedLayout> held;
};

// Those that fill the tile, the threads and the registers. Throws Error when there are none, or none that is meant.
std::vector<RegisterMap> maps_of_registers(const RegisterDump& dump, const ElementType& type, TileExtents extents,
                                           const RegisterMeaning& meaning);

RegisterIdentification identify_registers(const RegisterDump& dump, const LogicalTile& tile,
                                          const RegisterMeaning& meaning, const std::vector<RegisterMap>& maps,
                                          Effort effort = Effort::with_mistakes);
RegisterIdentification identify_registers(const RegisterDump& dump, const LogicalTile& tile,
                                          const RegisterMeaning& meaning);

// The element as registers hold it: e2m3 in a byte. Throws Error for a type wider than 64 bits.
ElementType register_element(const DType& dtype);

// ---- between the files

// One map beside the dump: the element that a value should be, and the one that it is.
class HeldValues {
 public:
  HeldValues(const RegisterDump& dump, const LogicalTile& tile, const RegisterMap& map, int first_register = 0)
      : dump_(&dump),
        tile_(&tile),
        map_(&map),
        first_bit_(32 * first_register + map.first_bit),
        bits_(tile.type.slot_bits()) {}

  const RegisterMap& map() const { return *map_; }
  int threads() const { return static_cast<int>(map_->thread_at.size()); }
  int values() const { return map_->values(); }
  bool holds(int thread) const { return map_->thread_at[static_cast<std::size_t>(thread)].has_value(); }

  int first_holder() const {
    int thread = 0;
    while (!holds(thread)) ++thread;
    return thread;
  }

  std::uint64_t found(int thread, int value) const {
    return dump_->value(thread, first_bit_ + value * map_->slot_bits, bits_);
  }
  std::uint64_t expected(Coordinate at) const { return tile_->value({at.row, at.column}); }
  std::uint64_t expected(int thread, int value) const { return expected(map_->at(thread, value)); }

  // Whether values [begin, end) of every thread are what `expected_at(thread, value)` says.
  template <class Expected>
  bool has_all(const Expected& expected_at, int begin, int end) const {
    // The last ones first: of values that repeat, the edges of the tile are what differs.
    for (int thread = threads() - 1; thread >= 0; --thread)
      for (int value = end - 1; holds(thread) && value >= begin; --value)
        if (found(thread, value) != expected_at(thread, value)) return false;
    return true;
  }
  template <class Expected>
  bool has_all(const Expected& expected_at) const {
    return has_all(expected_at, 0, values());
  }
  bool has_all() const {
    return has_all([&](int thread, int value) { return expected(thread, value); });
  }
  // Whether a thread holds what another one should.
  bool has_all_of(int thread, int other) const;
  std::int64_t matching() const;

 private:
  const RegisterDump* dump_;
  const LogicalTile* tile_;
  const RegisterMap* map_;
  int first_bit_, bits_;
};

struct FoundMistake {
  RegisterMistake mistake;
  const RegisterMap* map = nullptr;  // in which it was made
};
// Of every map; `transposed` are those of the exchanged tile.
std::optional<FoundMistake> find_register_mistake(const RegisterDump& dump, const LogicalTile& tile,
                                                  const std::vector<RegisterMap>& maps,
                                                  const std::vector<RegisterMap>& transposed);
// Of the nearest: what differs is in one place.
std::optional<RegisterMistake> find_wrong_place(const HeldValues& nearest);

}  // namespace swz
