// SPDX-License-Identifier: Apache-2.0
// Probe of a tile, end to end: elements go to shared memory where SmemTile or a plan of TMA boxes puts them, wgmmas
// read them with the words of tile_descriptors, and every element must be the right one.
//
//   plan: bf16 128x64 K-major, 128B, MN first, at 0x400, via TMA
//     the tensor has position codes, element (row, k) has the number row * 64 + k; 1 copy of a box (64, 128)
//     8 wgmmas (2 blocks of 64 rows x 4 steps of K) read it as their operand B; A is the identity
//
// Via store the codes are put into the image of shared memory by SmemTile::byte, and TMA is not used.
//
// Values of the observation: for each element of the tile, row by row, the number of the element that the MMA got.
#pragma once

#include "descriptor/tile_descriptor.hpp"
#include "probe/wgmma_probe.hpp"
#include "smem/tile.hpp"
#include "tma/plan.hpp"

namespace swz {

enum class TileWay { store, tma };

constexpr std::string_view to_string(TileWay way) { return way == TileWay::store ? "store" : "tma"; }

struct TileProbePlan {
  SmemTile tile;
  TileWay way = TileWay::store;
};

// Throws Error with a hint if wgmma does not read such a tile, no probe supports the type, the tile reaches into the
// place of the identity, or (via TMA) no tensor map makes it.
void require_plan(const TileProbePlan& plan);

// The wgmma and the words that read the tile. This and the following functions need a plan that passes require_plan.
WgmmaInstruction instruction_of(const TileProbePlan& plan);
TileDescriptors words_of(const TileProbePlan& plan);
// The number of the element that a step reads as its element i, row by row.
std::int64_t number_read(const TileProbePlan& plan, const TileDescriptors& words, const MmaStep& step, std::int64_t i);
// The TMA copies that make the tile, as few as possible. None via store.
std::optional<TilePlan> boxes_of(const TileProbePlan& plan);

// Draws any legal tile: type, major, mode, extents, order, base, store or TMA.
TileProbePlan draw_tile(Random& random);

Kernel kernel_of(const TileProbePlan& plan);
// Requires that all plans have one kernel.
Launch launch_of(std::span<const TileProbePlan> plans, Hypothesis hypothesis = Hypothesis::none);
Observations decode(std::span<const TileProbePlan> plans, const ByteBuffer& output, Hypothesis = Hypothesis::none);
Observation expected(const TileProbePlan& plan, Hypothesis hypothesis = Hypothesis::none);

std::string subject(const TileProbePlan& plan);
std::string element_name(const TileProbePlan& plan, std::int64_t index);
std::string value_name(const TileProbePlan& plan, std::int64_t value);
Json to_json(const TileProbePlan& plan);
TileProbePlan tile_probe_plan(const Json& json);

}  // namespace swz
