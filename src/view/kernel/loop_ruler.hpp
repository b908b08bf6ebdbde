// SPDX-License-Identifier: Apache-2.0
// A wrong k loop of a swizzled K-major operand beside the right one, on one ruler of bytes; see loop_ruler.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "descriptor/k_loop.hpp"
#include "descriptor/operand_map.hpp"
#include "smem/mma_operand.hpp"
#include "view/document/document.hpp"

namespace swz {

struct LoopWords {
  OperandRole role = OperandRole::a;
  TileExtents extents;  // what one MMA reads
  int element_bits = 0;
  std::vector<SmemDescriptor> words;
  std::vector<std::uint32_t> lines;  // of their MMAs
  std::vector<bool> is_wrong;        // a step that does not take its k
};

// None if no right loop is known.
std::optional<Figure> loop_ruler_figure(const LoopWords& loop);

}  // namespace swz
