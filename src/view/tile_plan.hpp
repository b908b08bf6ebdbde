// View of a plan: what `swz tma plan` says.
#pragma once

#include <optional>
#include <variant>

#include "tma/mma_reading.hpp"
#include "tma/plan.hpp"
#include "view/document.hpp"
#include "view/place.hpp"

namespace swz {

// first: of the rank that was asked for; folded: of any rank, when it takes fewer copies.
struct TilePlanReport {
  PlacedOperand placed;  // what is planned for
  const DType* dtype = nullptr;
  GmemOperand operand;
  std::variant<TilePlan, Finding> first;
  std::optional<TilePlan> folded;
  MmaReading mma;
};

// JSON: rank, dtype, dims, strides, box, swizzle, copies [{coordinate, smem_offset}], request_bytes, copy_bytes,
// limit, folded (the same keys, or null), refusal ({rule, message, hint} or null; then the others are null), mma
// (view/mma_reading.hpp).
Document view_tile_plan(const TilePlanReport& report);

}  // namespace swz
