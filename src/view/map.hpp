// View of the bytes that an MMA reads of one operand: what `swz map` says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "descriptor/explain.hpp"
#include "descriptor/k_loop.hpp"
#include "descriptor/operand_map.hpp"
#include "smem/mma_operand.hpp"
#include "view/document.hpp"

namespace swz {

struct MapAnswer {
  OperandReport report;
  const DType* dtype = nullptr;
  std::optional<OperandRole> role;  // none: not said
  std::vector<Finding> remarks;     // on how the question was read
  // With --against: what was stored, and how it compares.
  std::optional<StoredOperand> stored;
  std::optional<Comparison> comparison;
  std::string read_as = {};  // how the word's text was read, where it is not a plain number
};

// Several words, the k steps of one operand.
struct MapLoopAnswer {
  std::vector<MapAnswer> steps;
  KLoop loop;
};

// "bf16 64x16 K-major, operand a on sm_90a"
std::string operand_text(const MapAnswer& answer);

// The operand and the lines of shared memory that are read, chunk by chunk; of several words each is a step.
Figure map_figure(const MapAnswer& answer);
Figure map_loop_figure(const MapLoopAnswer& answer);

// JSON: read_as (where the word's text has two readings), word, kind, arch, dtype, operand, major, rows, cols, swizzle, start_address, base_offset,
// leading_byte_offset, leading, stride_byte_offset, stride, bytes, lowest, highest, inside, repeated, against,
// addresses, chunks, notes, lints (docs/json.md).
Document view_map(const MapAnswer& answer);
// JSON: kind, arch, dtype, operand, major, rows, cols, loop, steps, lints (docs/json.md).
Document view_map_loop(const MapLoopAnswer& answer);

bool has_lints(const MapAnswer& answer);
bool has_lints(const MapLoopAnswer& answer);

}  // namespace swz
