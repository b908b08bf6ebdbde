// Access: one instruction of a warp that reads or writes shared memory, and the address each lane gives it.
//
//   require_access("ld.shared.b128")    16 bytes a lane, groups of 8 lanes; a load, so lanes may pair
//   require_access("ldmatrix.x4")       16 bytes a row, lanes 0-31 give the addresses of 32 rows
//   require_access("ldmatrix.x2")       lanes 0-15 give addresses; those of the others are ignored
//
// A group is the lanes that the hardware serves together: bank conflicts exist inside a group only.
//
// Invariants (tested): names are unique; group_lanes divides addresses; a group asks for at most 128 bytes.
// Source: each row; lane groups and pairing were measured on H200, by the profiler (2,750 of 2,750 patterns) and,
// of all that sm_90a has but cp.async, by time (swz verify).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/instruction.hpp"
#include "arch/target.hpp"

namespace swz {

enum class AccessOp { load, store, ldmatrix, stmatrix, cp_async };

inline constexpr int warp_lanes = 32;

struct AccessInstruction {
  std::string_view name;  // as PTX writes it, without what does not change the addresses
  AccessOp op = AccessOp::load;
  int bytes = 4;         // at each address
  int addresses = 32;    // lanes that give one, from lane 0
  int group_lanes = 32;  // before pairing
  bool may_pair = false;
  int matrix_rows = 0;  // ldmatrix, stmatrix: addresses of one matrix
  Availability availability;
  Source source;  // on sm_90a

  constexpr int matrices() const { return matrix_rows == 0 ? 0 : addresses / matrix_rows; }
  constexpr bool is_matrix() const { return matrix_rows != 0; }
  // Bits of the elements that .trans transposes: those of m16n16 and m16n8 have 8. 0: nothing is transposed.
  constexpr int transposed_bits() const {
    if (!name.ends_with(".trans")) return 0;
    return name.find(".m16") != std::string_view::npos ? 8 : 16;
  }
};

std::span<const AccessInstruction> access_instructions();

// By the table's name, by all that PTX writes (ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16, ld.shared.v4.f32),
// or by SASS's LDS.128 and STS.64; in any case. Null: unknown.
const AccessInstruction* find_access(std::string_view name);
// As find_access; throws Error with the nearest name.
const AccessInstruction& require_access(std::string_view name);
// The row of a plain load, store or cp.async with this many bytes a lane. Null: there is none.
const AccessInstruction* find_access(AccessOp op, int bytes);

// Who says that the rule holds for this instruction on this target.
Source wavefront_source(const AccessInstruction& instruction, const Target& target);

// Addresses are those of the shared window, as __cvta_generic_to_shared gives them. instruction is not null.
struct AccessPattern {
  const AccessInstruction* instruction = nullptr;
  std::uint32_t active = 0xffffffff;  // bit l: lane l executes it
  std::array<std::uint32_t, warp_lanes> address = {};

  // The lanes whose addresses count.
  constexpr std::uint32_t lanes() const {
    const int n = instruction->addresses;
    return n == warp_lanes ? active : active & ((std::uint32_t{1} << n) - 1);
  }
};

// Throws Error when a lane that counts would fault: an address that is not a multiple of the width, or beyond the
// target's window of shared memory.
void require_no_fault(const AccessPattern& pattern, const Target& target);

// The pattern of a list of addresses, lane 0 first; lanes without one must not be active. Throws Error as
// require_no_fault, for more than 32 addresses, and for an active lane without an address.
AccessPattern access_pattern(const AccessInstruction& instruction, std::span<const std::int64_t> addresses,
                             std::uint32_t active, const Target& target);

}  // namespace swz
