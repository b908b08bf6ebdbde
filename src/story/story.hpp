// SPDX-License-Identifier: Apache-2.0
// Story: the way of one operand tile from global memory through the copies and shared memory to the MMAs that read it and
// the place of their result; and whether each stage reads what the one before it writes.
//
//   bf16 A 128x128 of 8192x4096, mode 128B, sm_100a, m128n256k16
//     copies     2 boxes, 32768 B
//     words      8: +0 +32 +64 +96 +16384 +16416 +16448 +16480
//     result     row r of A is row r of D: lane r of tensor memory
//     element (37, 84): byte 303272 of the operand, box 1 entry (20, 37), byte 0x52f8 of shared memory, k step 5
//
//   the same, read as a tile of mode 64B
//     break between shared memory and MMA: other-mode, 12288 of 16384 elements are read from another place
//
// What a kernel does differently from what the tile needs is given beside the tile: other boxes, the bytes that the
// barrier expects, the tile for which the reader was made, its words, its instruction descriptor.
//
// tcgen05 and wgmma read by descriptors; other targets by ldmatrix, from the addresses of the tile, into the fragment of
// an mma.sync.
//
// Invariants (tested, for random legal tiles of each generation): without anything given beside the tile there is no
// break; every place is that of the room that owns it; a way leads from every place back to its element; each break that
// is planted is found.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor/instruction_descriptor.hpp"
#include "descriptor/tile_descriptor.hpp"
#include "fragment/fragment.hpp"
#include "smem/access.hpp"
#include "smem/placement.hpp"
#include "story/tile_copies.hpp"
#include "tmem/accumulator.hpp"

namespace swz {

struct StoryAsk {
  SmemTile tile;  // what the copies write, of one CTA
  const Target* target = nullptr;
  OperandRole role = OperandRole::a;
  MmaFilter filter = {};  // kind; cta_group 2: the tile is half of a pair's operand
  int cta = 0;            // of the pair
  MmaExtents mma = {};    // story_mma() chooses
  GmemOperand from = {};

  // What the kernel does, if it is not what the tile needs.
  std::optional<TileExtents> box = {};
  std::optional<Bytes> expect = {};
  std::optional<SmemTile> read_as = {};
  // Of the k steps of the first block of rows, or of all MMAs with k outermost; one: the first, which the others follow.
  std::vector<std::uint64_t> words = {};
  std::optional<std::uint32_t> instruction = {};
};

// The MMA that a tile is read by if none is given: the rows of default_mma, and 128 on the other side. Also the operand,
// if the rows suit only the other one.
struct StoryMma {
  MmaExtents extents;
  OperandRole role;
};
StoryMma story_mma(const SmemTile& tile, const Target& target, OperandRole role, const MmaFilter& filter);

enum class StoryReader { tcgen05, wgmma, ldmatrix };
StoryReader reader_of(const Target& target);

enum class StoryLink { global_to_copy, copy_to_barrier, copy_to_shared, shared_to_mma, instruction };
std::string_view to_string(StoryLink link);

// Where what one stage does is not what the next one needs.
struct StoryBreak : Finding {
  StoryLink link = StoryLink::shared_to_mma;
  std::int64_t wrong = 0, of = 0;  // elements; 0 of 0 if elements are not concerned
  std::optional<TileCoordinate> first = {};
  std::optional<std::uint64_t> word = {};  // the right one
};

struct Story {
  StoryAsk ask;
  StoryReader reader = StoryReader::tcgen05;
  TileCopies copies;
  TileExtents step;                // rows and K of one MMA
  TileDescriptors words;           // those of the reader; no steps for ldmatrix
  std::vector<std::int64_t> read;  // the bit from which each element is read, row by row
  // Wavefronts of one read of 8 lines x 16 B, as an MMA and ldmatrix take them: of the tile, and of the same lines without
  // the exclusive or of the mode, each as wide as the mode: 8 for 128B, 4 for 64B, 2 for 32B, 1 for none.
  std::int64_t wavefronts = 0, linear_wavefronts = 0;
  std::optional<WavefrontTotal> matrices;            // of ldmatrix over the whole tile
  std::optional<InstructionDescriptor> instruction;  // of k step 0: the others have other ids of scale factors
  std::optional<Accumulator> tensor_memory;          // D of tcgen05
  std::optional<Fragment> registers, operand;        // D of the others; the operand of mma.sync
  std::vector<StoryBreak> breaks;                    // in the order of the way

  const SmemTile& tile() const { return ask.tile; }
  TileExtents blocks() const { return {tile().extents().mn / step.mn, tile().extents().k / step.k}; }
  // The word of an MMA; null for ldmatrix.
  const SmemDescriptor* word(std::int64_t m_block, std::int64_t k_step) const;
};

// Throws Error if the target has no such MMA, the MMA does not divide the tile, or the number of words is another than
// those above.
Story story_of(StoryAsk ask);

// The word of an MMA (m block, k step) that reads what the copies are meant to write; nothing for ldmatrix.
std::optional<SmemDescriptor> right_word(const Story& story, TileCoordinate mma);

// ---- one element

// The part of D that an element of the operand contributes to: a row for A, a column for B.
struct ResultPlace {
  std::int64_t index = 0;  // of the row or column, in one MMA
  // Of tensor memory, or of the threads of a warp or warpgroup. Of A one or two lanes and all columns.
  IndexRange lanes = {}, columns = {};
  int warp = 0;                  // the first of them
  std::vector<int> values = {};  // registers: the values of D in each of these threads
};

struct StoryWay {
  TileCoordinate at;      // in the tile
  TileCoordinate tensor;  // in the operand in global memory
  Bits global;            // from the first element of the operand
  std::optional<BoxEntry> entry;
  Bits written, read;  // its own bits in shared memory, not the slot of a padded type; written -1: by no copy
  TileCoordinate mma;  // m block and k step
  TileCoordinate in_mma;
  std::optional<Holder> holder;  // of an operand in registers
  ResultPlace result;
  bool is_right() const { return written == read; }
};
// The element that is followed if none is asked for. Where the tile has such a one: not of the first group of 8 rows, nor
// of the first line of its group, nor of the first k step, and of the last atom along K. (37, 84) of the tile above.
TileCoordinate telling_element(const Story& story);

// Throws Error for an element outside of the tile.
StoryWay story_way(const Story& story, TileCoordinate at);

// From the places of a way back to the element, each by itself.
struct StoryWayBack {
  std::optional<TileCoordinate> from_global, from_copy, from_shared, from_mma, from_register;
};
StoryWayBack story_way_back(const Story& story, const StoryWay& way);

}  // namespace swz
