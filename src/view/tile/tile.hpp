// SPDX-License-Identifier: Apache-2.0
// Views of a tile: the swizzle mode to choose (`swz choose`), the phase of its base (`swz phase`), and the MMAs that it
// is divided into (`swz tiles`).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "arch/instruction.hpp"
#include "smem/choose.hpp"
#include "smem/mma_operand.hpp"
#include "smem/tile.hpp"
#include "view/document/document.hpp"
#include "view/document/figure.hpp"
#include "view/document/highlight.hpp"

namespace swz {

struct ChooseReport {
  SmemTileValues shape;
  const Target* target = nullptr;
  SwizzleChoice choice;
  std::string tile_options;  // "--dtype bf16 --tile 64x32 --major k", for the commands to continue with
};

// JSON: see docs/json.md.
Document view_choose(const ChooseReport& report);
// In choose_figure.cpp: the first lines of the tile under each mode.
Figure choose_figure(const ChooseReport& report);

// JSON: swizzle, base, pattern_bytes, phase_bytes, phase_lines, aligned, below, above, pattern, tile, first_wrong,
// base_offsets, lowest, highest, notes (docs/json.md). tile: that of the phase, if one was given.
Document view_phase(const Phase& phase, const std::optional<SmemTile>& tile);

// {"m": 128, "n": 256, "k": 64}
Json json_of(const MmaExtents& extents);

struct MmaTilingReport {
  MmaTiling tiling;
  const DType* dtype = nullptr;
  const Target* target = nullptr;
  std::vector<MmaForm> forms;  // those that run on the target, at least one
};

// What may be highlighted: m-blocks, n-blocks and k-steps.
std::vector<HighlightKind> highlight_kinds(const MmaTiling& tiling);

// JSON: arch, dtype, instructions [{instruction, groups, evidence, source}], tile, mma and blocks (each with m, n,
// k), total, mmas [{m, n, k, a, b, c}] (block indices; a, b and c are where the MMA tile of the matrix begins,
// [row, column] in elements of A (M x K), B (K x N) and C (M x N)), notes. Throws Error for too many MMAs to draw.
Document view_mma_tiling(const MmaTilingReport& report, const Highlight& highlight);

}  // namespace swz
