// SPDX-License-Identifier: Apache-2.0
// Explain: every mistake planted in correct words and tiles, over all legal operands, is found under its name.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "descriptor/explain.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "smem/mma_operand.hpp"
#include "sweep.hpp"

namespace swz {
namespace {

struct Tally {
  std::map<std::string, long> planted;
  long correct = 0;
};

const std::set<std::string> specific{"strides-exchanged", "fields-in-bytes", "fields-shifted-twice",
                                     "strides-in-elements"};
const std::set<std::string> general{"start-address", "lbo", "sbo"};

bool is_found(const Comparison& comparison, const std::string& rule) {
  return std::any_of(comparison.explanations.begin(), comparison.explanations.end(), [&](const Explanation& e) {
    return e.rule == rule || (general.contains(rule) && specific.contains(std::string(e.rule)));
  });
}

// One step of a tile, and the ways to spoil it.
struct Plant {
  const SmemTile& tile;
  const StoredOperand& stored;
  const TileDescriptors& descriptors;
  const MmaStep& step;
  Tally& tally;

  TileCoordinate block() const { return {step.m_block * descriptors.mma.mn, step.k_step * descriptors.mma.k}; }
  OperandMap map(const SmemDescriptor& word, Major major) const {
    return operand_map(word, descriptors.mma, tile.element_bits(), major);
  }

  // The spoilt word, read with `major`, against `where`.
  void plant(const std::string& rule, const SmemDescriptor& word, const StoredOperand& where, Major major,
             TileCoordinate at) const {
    if (major == Major::K && word.swizzle()->family == SwizzleFamily::chunk_32) return;
    const OperandMap read = map(word, major);
    const Comparison comparison = compare(word, read, where, at);
    INFO(rule << ": " << to_string(where) << ", word " << word.word() << ", row " << at.row << ", k " << at.k);
    REQUIRE(comparison.differing == std::count(comparison.differs.begin(), comparison.differs.end(), true));
    if (comparison.is_same()) {  // the mistake touched what no element depends on
      REQUIRE(comparison.explanations.empty());
      return;
    }
    ++tally.planted[rule];
    if (word.start_address() == step.descriptor.start_address() && &where == &stored && at == block()) {
      // A base offset may make the word read another block exactly: then it is that block's.
      const Comparison chosen = compare(word, read, where);
      REQUIRE((chosen.block == at || chosen.is_same()));
    }
    REQUIRE(is_found(comparison, rule));
    for (const Explanation& explanation : comparison.explanations) {
      REQUIRE_FALSE(explanation.message.empty());
      if (!explanation.word) continue;
      const OperandMap right = map(SmemDescriptor(*explanation.word, word.target()), major);
      long wrong = 0;
      for (std::int64_t row = 0; row < right.extents.mn; ++row)
        for (std::int64_t k = 0; k < right.extents.k; ++k)
          wrong += right.byte(row, k) != where.place(at.row + row, at.k + k) / 8;
      REQUIRE(wrong == 0);
    }
  }
  void plant(const std::string& rule, const SmemDescriptor& word) const {
    plant(rule, word, stored, tile.major(), block());
  }

  SmemDescriptor with(FieldId id, std::uint64_t raw) const {
    const SmemDescriptor& d = step.descriptor;
    return SmemDescriptor(with_field(d.word(), d.format(), id, raw & d.format().find(id)->bits.max()), d.target());
  }
  SmemDescriptor with_strides(const std::function<std::uint64_t(std::uint64_t)>& write) const {
    const SmemDescriptor one = with(FieldId::leading_byte_offset,
                                    write(static_cast<std::uint64_t>(step.descriptor.leading_byte_offset().count)));
    const std::uint64_t raw = write(static_cast<std::uint64_t>(step.descriptor.stride_byte_offset().count)) &
                              one.format().find(FieldId::stride_byte_offset)->bits.max();
    return SmemDescriptor(with_field(one.word(), one.format(), FieldId::stride_byte_offset, raw), one.target());
  }
};

void plant_in_fields(const Plant& p) {
  const SmemDescriptor& d = p.step.descriptor;
  const std::uint64_t lbo = d.raw(FieldId::leading_byte_offset), sbo = d.raw(FieldId::stride_byte_offset);
  const std::uint64_t bits = static_cast<std::uint64_t>(p.tile.element_bits());
  const SmemDescriptor one = p.with(FieldId::leading_byte_offset, sbo);
  p.plant("strides-exchanged",
          SmemDescriptor(with_field(one.word(), one.format(), FieldId::stride_byte_offset, lbo), one.target()));
  p.plant("fields-in-bytes", p.with_strides([](std::uint64_t bytes) { return bytes; }));
  p.plant("fields-in-bytes", p.with(FieldId::start_address, static_cast<std::uint64_t>(d.start_address().count)));
  p.plant("fields-shifted-twice", p.with_strides([](std::uint64_t bytes) { return bytes >> 8; }));
  if (bits != 8) {
    p.plant("strides-in-elements", p.with_strides([=](std::uint64_t bytes) { return bytes * 8 / bits; }));
    p.plant("strides-in-elements", p.with_strides([=](std::uint64_t bytes) { return bytes * 8 / bits >> 4; }));
  }
  p.plant("lbo", p.with(FieldId::leading_byte_offset, lbo + 5));
  p.plant("sbo", p.with(FieldId::stride_byte_offset, sbo + 24));
  for (const std::uint64_t chunks : {1, 3, 8, 100})
    p.plant("start-address", p.with(FieldId::start_address, d.raw(FieldId::start_address) + chunks));
  for (std::uint64_t base_offset = 1; base_offset < 8; ++base_offset)
    p.plant("base-offset", p.with(FieldId::base_offset, base_offset));
  for (const SwizzleMode& mode : swizzle_modes())
    if (const auto code = mode.code(d.kind()); code && mode.name != p.tile.swizzle().name)
      p.plant("other-mode", p.with(FieldId::swizzle, static_cast<std::uint64_t>(*code)));
}

// The word of the same step of another tile.
void plant_word_of(const Plant& p, const std::string& rule, const SmemTileValues& values) {
  try {
    const SmemTile other(values);
    if (!is_legal(operand_choice(other, p.step.descriptor.target()))) return;
    const TileDescriptors d = tile_descriptors(other, p.step.descriptor.target(), p.descriptors.mma);
    const auto index = static_cast<std::size_t>(p.step.k_step * d.m_blocks + p.step.m_block);
    p.plant(rule, d.steps[index].descriptor, p.stored, other.major(), p.block());
  } catch (const Error&) {  // the other tile does not exist, or has no such blocks
  }
}

void plant_in_tile(const Plant& p) {
  SmemTileValues values = p.tile.values();
  values.order = p.tile.order() == StackingOrder::mn_first ? StackingOrder::k_first : StackingOrder::mn_first;
  plant_word_of(p, "stacking-order", values);
  values = p.tile.values();
  values.major = p.tile.major() == Major::K ? Major::MN : Major::K;
  plant_word_of(p, "tile-major", values);
  p.plant("major", p.step.descriptor, p.stored, values.major, p.block());
  for (const SwizzleMode& mode : swizzle_modes()) {
    values = p.tile.values();
    values.swizzle = mode.name;
    if (mode.name != p.tile.swizzle().name) plant_word_of(p, "other-mode", values);
  }
  const MmaStep& last = p.descriptors.steps.back();
  p.plant("other-block", last.descriptor);

  // The layout that CuTe would print, with its swizzle left out or in the wrong unit.
  if (p.tile.swizzle().bits == 0 || !p.tile.is_pattern_aligned()) return;
  const int bits = p.tile.element_bits();
  const ComposedLayout layout = p.tile.layout();
  const StoredOperand plain = stored_operand(ComposedLayout(layout.layout()), bits, p.tile.base());
  p.plant("other-swizzle", p.step.descriptor, plain, p.tile.major(), p.block());
  const StoredOperand same = stored_operand(layout, bits, p.tile.base());
  REQUIRE(same.places == p.stored.places);
  if (bits == 8) return;
  const ComposedLayout in_elements(layout.swizzle(), 0, layout.layout());
  p.plant("element-unit-swizzle", p.step.descriptor, stored_operand(in_elements, bits, p.tile.base()), p.tile.major(),
          p.block());
}

// The pattern counted from the tile: with the base offset that repairs it.
void plant_relative(const Plant& p) {
  if (p.tile.swizzle().bits == 0 || p.tile.is_pattern_aligned()) return;
  const std::uint64_t base_offset = static_cast<std::uint64_t>(p.tile.base().count >> 7 & 7);
  p.plant("tile-relative-swizzle", p.with(FieldId::base_offset, base_offset));
}

// Small tiles with every kind of neighbour: 2 atoms or more both ways where an MMA fits.
template <class Do>
void for_each_tile(Do&& act) {
  for (const char* target : {"sm_90a", "sm_100a"}) {
    for (const DType& dtype : dtypes()) {
      for (const Packing packing : {Packing::packed, Packing::slots}) {
        if (packing == Packing::slots && dtype.container_bits == 0) continue;
        for (const Major major : {Major::K, Major::MN}) {
          for (const SwizzleMode& mode : swizzle_modes()) {
            if (!is_legal({&require_target(target), &dtype, packing, major, &mode})) continue;
            const TileExtents atom = atom_extents(major, mode, dtype, packing);
            const std::int64_t k = std::max(2 * atom.k, 2 * dense_mma_k(element_bits(dtype, packing)));
            for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first})
              for (const std::int64_t base : {0x400, 0x480})
                act(SmemTile({.dtype = dtype.name,
                              .packing = packing,
                              .major = major,
                              .mn = std::max<std::int64_t>(32, 2 * atom.mn),
                              .k = k,
                              .swizzle = mode.name,
                              .order = order,
                              .base = Bytes{base}}),
                    require_target(target));
          }
        }
      }
    }
  }
}

TEST_CASE("planted mistakes are found by name, correct words explain nothing") {
  Tally tally;
  long tiles = 0;
  std::set<std::string> seen;
  Sweep every{29, 3};
  for_each_tile([&](const SmemTile& tile, const Target& target) {
    // Types of one size are placed alike; the second one would show nothing new.
    const std::string kind = std::to_string(tile.element_bits()) +
                             to_string(stored_operand(tile)).substr(tile.dtype().name.size()) +
                             std::string(target.name);
    if (!seen.insert(kind).second) return;
    ++tiles;
    if (!every.takes()) return;
    const StoredOperand stored = stored_operand(tile);
    const std::int64_t all = tile.extents().mn;
    for (const std::int64_t mn : {all / 2, all}) {
      const TileDescriptors d = tile_descriptors(tile, target, {mn, dense_mma_k(tile.element_bits())});
      for (const std::size_t i : std::set<std::size_t>{0, 1, d.steps.size() - 1}) {
        if (i >= d.steps.size()) continue;
        const Plant p{tile, stored, d, d.steps[i], tally};
        const OperandMap map = p.map(p.step.descriptor, tile.major());
        for (const Comparison& right :
             {compare(p.step.descriptor, map, stored), compare(p.step.descriptor, map, stored, p.block())}) {
          REQUIRE(right.is_same());
          REQUIRE(right.block == p.block());
          REQUIRE(right.explanations.empty());
          REQUIRE_FALSE(right.first);
          ++tally.correct;
        }
        plant_in_fields(p);
        plant_in_tile(p);
        plant_relative(p);
      }
    }
  });
  CHECK(tiles > 100);
  CHECK(tally.correct > at_least(1000, 29, 3));
  for (const std::string_view name : mistake_names()) {
    INFO(name);
    CHECK(tally.planted[std::string(name)] > at_least(20, 29, 3));
  }
  for (const auto& planted : tally.planted) MESSAGE(planted.first, ": ", planted.second);
}

}  // namespace
}  // namespace swz
