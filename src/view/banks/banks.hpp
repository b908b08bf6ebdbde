// SPDX-License-Identifier: Apache-2.0
// View of wavefronts: what `swz banks` answers. The totals of a walk over an operand, its worst instruction lane by
// lane, the banks in which lanes collide, and the counters with which Nsight Compute shows these numbers.
//
//   bf16 8x16 K-major, linear, ldmatrix.x1:    2 instructions, 4 wavefronts, ideal 2, excess 2
//     lane 0  row 0  k 0  byte 0x0   banks 0-3  pass 0  collides with lane 4
//     lane 4  row 4  k 0  byte 0x80  banks 0-3  pass 1  collides with lane 0
#pragma once

#include <string>
#include <vector>

#include "arch/dtype.hpp"
#include "smem/walk.hpp"
#include "view/document/document.hpp"
#include "view/document/highlight.hpp"
#include "view/tile/place.hpp"

namespace swz {

// An operand and the walks over it; all variants of a report have the same walks.
struct WalkedOperand {
  PlacedOperand operand;
  std::vector<Walk> walks;
};

struct BanksReport {
  const Target* target = nullptr;
  const DType* dtype = nullptr;
  std::vector<WalkedOperand> variants;   // the first is what was asked for; the others are compared with it
  std::vector<Finding> impossible = {};  // why other variants cannot be compared
  // For a tile in mode none, whose core matrices are not what is usually meant by "no swizzle": the same accesses line
  // after line.
  std::optional<WavefrontTotal> linear = {};
  bool asks_counters = false;  // whether a short text has them
};

// One instruction with the addresses of its lanes. given: how many lanes have an address.
struct RawBanksReport {
  const Target* target = nullptr;
  WavefrontReport report;
  int given = 0;
  bool asks_counters = false;
  std::string asked = {};  // the instruction as it was asked for, of those that one row of the table has
};

// What can be highlighted in the instructions that are drawn: lanes, wavefronts, banks.
std::vector<HighlightKind> highlight_kinds(const BanksReport& report);
std::vector<HighlightKind> highlight_kinds(const RawBanksReport& report);

// JSON: see docs/json.md. The highlight affects only the picture.
Document view_banks(const BanksReport& report, const Highlight& highlight);
Document view_banks(const RawBanksReport& report, const Highlight& highlight);

// What accesses an operand: "32 st.shared.b32 rows and 32 ld.shared.b32 columns".
std::string accesses_text(const std::vector<Walk>& walks);

// The table of access instructions.
Document view_access_list();

// ---- what both have in common, lane by lane (banks_lanes.cpp)
//
//   WavefrontTotal{1024, 128}    "1024 where 128 would do: 896 too many"
//
//   line\bank   0-3  4-7  8-11 …       a cell is as wide as the access, and at least a word
//   0x0         0    1    2            the numbers are lanes, the colour is the wavefront that serves them; crossed
//   0x80        8!   9!   10!          out: a lane of the same group needs another word of these banks
//   words       2    2    2            how many words each bank serves; red if one group needs several
//
// An atomic serves the lanes of one word one at a time: the line has a row for each turn, and the last row counts
// passes, red where a bank takes more than the lanes of one word need. Many banks that no lane touches are one column.
// Panels that are compared have their wavefronts in their titles, and not the row of words.

// The instruction that is shown lane by lane.
struct ShownInstruction {
  std::string access;
  std::size_t index = 0, count = 1;  // of how many
  WavefrontReport report;
  std::string panel;                             // the title of its panel
  std::vector<TileCoordinate> coordinates = {};  // of each lane; empty for raw addresses
  std::string asked = {};                        // the access in the words of the question, if they are others
  std::string placement = {};                    // the name of the operand's placement
  bool is_even = false;                          // all of them take as many wavefronts

  // "16 x 32 wavefronts": the sum over all of them, where they are alike.
  std::string wavefronts_text() const;
};

// The counts of a whole access.
struct CountedAccess {
  std::string name;
  const AccessInstruction* instruction = nullptr;
  std::int64_t instructions = 1;
  WavefrontTotal sums;
  int ways = 0;       // of the worst instruction
  std::string where;  // where that instruction is: " at (0,64)"
  int pairing = 0;    // how many instructions pair
  // For an atomic: the most lanes of one word, and the wavefronts if the warp combines them first (WavefrontCount).
  int sharing = 0;
  std::int64_t combined = 0;

  bool has_contention() const { return sharing > 1; }
};

// JSON: groups, worst.
void add_instruction(Document& d, const ShownInstruction& shown);
// JSON: counters. are_asked: also in a short text.
void add_counters(Document& d, const std::vector<CountedAccess>& accesses, bool are_asked);

std::string lanes_text(std::uint32_t lanes);  // "0-3,8": the lanes of a mask
std::string instruction_title(const ShownInstruction& shown);
// One panel for each instruction; its wavefronts are the steps. is_short: few lines and no caption, for a short text.
// is_beside: the panels share the page, only the banks and lines that are touched are drawn.
Figure banks_figure(const std::vector<ShownInstruction>& instructions, const Highlight& highlight,
                    bool is_short = false, bool is_beside = false);

void add_target_lint(Notes& lints, const AccessInstruction& instruction, const Target& target);
// Adds a lint if the instruction gives threads parts of elements.
void add_element_lint(Notes& lints, const AccessInstruction& instruction, const DType& dtype, int element_bits);
// Adds a note if the rule was not measured for the instruction on the target.
void add_evidence_note(Notes& notes, const AccessInstruction& instruction, const Target& target);

}  // namespace swz
