// Pieces: the runs of an operand that one lane accesses at once, and the warps that take them.
//
//   Placement(bf16 8x64, mode 128B), 16 bytes:  pieces of 8 elements along K, (0,0), (0,8), …
//
// A piece holds together: its elements follow each other in shared memory, and its first byte is a multiple of its
// size.
#pragma once

#include <cstdint>
#include <optional>

#include "smem/walk.hpp"

namespace swz {

struct Pieces {
  Major along = Major::K;
  std::int64_t elements = 1;
};

// Pieces of so many bytes, along the contiguous dimension of the placement if both hold. None: they do not hold.
std::optional<Pieces> pieces_of(const Placement& placement, int bytes);
// As pieces_of; throws Error that names the first element that breaks a piece.
Pieces require_pieces(const Placement& placement, const AccessInstruction& instruction);

// Deals addresses to the lanes of one warp after the other.
class WarpSteps {
 public:
  WarpSteps(const Placement& placement, const AccessInstruction& instruction, std::vector<WalkStep>& out)
      : placement_(placement), instruction_(instruction), out_(out) {}

  // The next lane accesses the piece that begins here.
  void add(TileCoordinate first);
  // The next lanes begin a new instruction; those that are left of this one are inactive.
  void finish() { next_ = instruction_.addresses; }

 private:
  const Placement& placement_;
  const AccessInstruction& instruction_;
  std::vector<WalkStep>& out_;
  int next_ = instruction_.addresses;  // lane
};

// Fills steps and, when the access has none, the instruction. Throws Error when the layout has not two modes or
// leaves its tile, the tile does not divide the operand, or the values of a thread do not lie together.
void walk_thread_values(const Placement& placement, const ThreadValueLayout& tv, Walk& out);

}  // namespace swz
