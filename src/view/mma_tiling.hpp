// View of a CTA tile cut into MMAs: what `swz tiles` says.
#pragma once

#include <string>
#include <vector>

#include "arch/mma_form.hpp"
#include "smem/mma_operand.hpp"
#include "view/document.hpp"
#include "view/highlight.hpp"

namespace swz {

struct MmaTilingReport {
  MmaTiling tiling;
  const DType* dtype = nullptr;
  const Target* target = nullptr;
  std::vector<MmaForm> forms;  // those that run on the target, at least one
};

// m-blocks, n-blocks and k-steps.
std::vector<HighlightKind> highlight_kinds(const MmaTiling& tiling);

// JSON: arch, dtype, instructions [{instruction, groups, evidence, source}], tile, mma and blocks (each with m, n,
// k), total, mmas [{m, n, k, a, b, c}] (block indices; a, b and c are where the MMA tile of the matrix begins,
// [row, column] in elements of A (M x K), B (K x N) and C (M x N)), notes.
// Throws Error when there are more MMAs than anyone draws.
Document view_mma_tiling(const MmaTilingReport& report, const Highlight& highlight);

}  // namespace swz
