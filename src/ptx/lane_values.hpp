// What a value is in each lane of a warp, as far as lanes differ.
//
//   addr = smem + 4 * tid + 512 * i        smem is a shared array on 16 B, i counts the passes of a loop
//
//   warp 1:  lanes 128, 132, 136, … plus an unknown number that all lanes share, a multiple of 16: `shifted`
//
// Banks do not see what all lanes share: adding it moves every address by the same distance, XOR with it permutes words and
// banks. What remains is the same for every execution, so that wavefronts can be counted.
//
// Invariant (tested by running): for every execution there is one number u for all lanes that are there, such that lane l
// holds value[l] (exact), value[l] + u (shifted) or value[l] ^ u (flipped) modulo 2^bits; of `relabelled`, two lanes hold the same
// word of 2^zeros bytes if and only if value says so, and of different words the same bank if and only if value says so.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "ptx/values.hpp"
#include "smem/access.hpp"

namespace swz {

enum class LaneKind : std::uint8_t { exact, shifted, flipped, relabelled, uniform, unknown };

struct LaneValue {
  LaneKind kind = LaneKind::unknown;
  std::array<std::uint64_t, warp_lanes> value = {};
  std::uint64_t flips = 0;  // bits of u that may be 1, of flipped
  int zeros = 64;           // u is a multiple of 2^zeros
  int bits = 64;
  bool is_sampled = false;  // of the first pass of a loop, or of the thread that elect names
  ValueId why = no_value;   // what made it unknown
};

// The lanes that are in a block.
struct ActiveLanes {
  std::uint32_t lanes = 0;
  bool is_sampled = false;
  ValueId why = no_value;  // not known, because of this
};

class WarpValues {
 public:
  enum class Passes { all, first };  // of loops: what holds in every one, or in the first one (then it is sampled)

  // The warp's threads are 32 * warp and on, in the order x, y, z.
  WarpValues(const PtxValues& values, std::array<std::int64_t, 3> threads, std::int64_t warp, Passes passes = Passes::all);

  const LaneValue& of(ValueId value) { return at(value, 0); }
  // That have a thread.
  std::uint32_t lanes() const { return exist_; }
  // On the way to a block for the first time.
  ActiveLanes in_block(std::uint32_t block);
  // Of those, the ones that the instruction's guard lets execute it.
  ActiveLanes at_instruction(std::uint32_t instruction);

 private:
  const LaneValue& at(ValueId value, int depth);
  LaneValue evaluated(ValueId id, int depth);
  LaneValue of_special(const PtxValue& value) const;
  LaneValue of_phi(ValueId id, int depth);
  LaneValue joined(ValueId id, int depth);
  LaneValue of_pair(const PtxValue& value, ValueId id, int depth);
  LaneValue of_choice(const PtxValue& value, const LaneValue& p, ValueId id, int depth);
  LaneValue of_shared_choice(const PtxValue& value, ValueId id, int depth);
  LaneValue aligned(LaneValue sum, ValueId id, int depth);
  ActiveLanes narrowed(const ActiveLanes& lanes, ValueId condition, bool is_negated);

  const PtxValues& v_;
  std::array<std::int64_t, 3> threads_;
  std::int64_t warp_;
  Passes passes_;
  std::uint32_t exist_ = 0;
  int nested_ = 0;
  std::unordered_map<ValueId, LaneValue> known_;
  std::unordered_map<std::uint32_t, ActiveLanes> blocks_;
};

}  // namespace swz
