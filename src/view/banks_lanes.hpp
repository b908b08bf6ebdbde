// What the views of `swz banks` have in common: sums, one instruction lane by lane, its figure, counters, notes, lints.
//
//   WavefrontTotal{1024, 128}    "1024 where 128 would do: 896 too many"
//
//   line\bank   0-3  4-7  8-11 …       a cell is as wide as the access, a word at least
//   0x0         0    1    2            the numbers are lanes; crossed out: a lane of the same group needs another
//   0x80        8    9    10           word of these banks
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "smem/tile.hpp"
#include "smem/access.hpp"
#include "view/document.hpp"

namespace swz {

// The instruction that is shown lane by lane.
struct ShownInstruction {
  std::string access;
  std::size_t index = 0, count = 1;  // of how many
  WavefrontReport report;
  std::vector<TileCoordinate> coordinates;  // of each lane; empty: raw addresses
};

struct CountedAccess {
  const AccessInstruction* instruction = nullptr;
  std::int64_t instructions = 1;
  WavefrontTotal sums;
};

// JSON: arch, wavefronts, ideal, excess.
void add_sums(Document& d, const Target& target, WavefrontTotal sums);
// JSON: groups, worst.
void add_instruction(Document& d, const ShownInstruction& shown);
// JSON: counters.
void add_counters(Document& d, const std::vector<CountedAccess>& accesses);

// One panel for each instruction.
struct BanksPanel {
  std::string title;
  WavefrontReport report;
};
Figure banks_figure(const std::vector<BanksPanel>& panels);

// Conflicts of an access as a whole: `ways` of its worst instruction, which is `where`.
struct Conflict {
  std::string access;
  WavefrontTotal sums;
  int ways = 0;
  std::string where, hint;
  Source source;
};
Finding conflict_lint(const Conflict& conflict);
void add_target_lint(Notes& lints, const AccessInstruction& instruction, const Target& target);
// When the instruction gives threads parts of elements.
void add_element_lint(Notes& lints, const AccessInstruction& instruction, const DType& dtype, int element_bits);
// A note when the rule was not measured for the instruction on the target.
void add_evidence_note(Notes& notes, const AccessInstruction& instruction, const Target& target);
void add_counter_notes(Notes& notes);

}  // namespace swz
