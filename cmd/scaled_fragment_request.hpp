// SPDX-License-Identifier: Apache-2.0
// What `swz frag` asks of a block-scaled or sparse MMA besides what it asks of every instruction.
//
//   --kind mxf4nvf4 --scale-vec 4X --scale-type ue4m3    as far as the name does not give them
//   --sfa-ids 2,1                                        {byte-id, thread-id} as in PTX: "{2, 1}"
//   --selector 1                                         the sparsity selector
#pragma once

#include <optional>

#include "fragment/fragment.hpp"
#include "fragment/instruction_text.hpp"
#include "option.hpp"

namespace swz {

struct ScaledFragmentRequest {
  const MmaKindRow* kind = nullptr;
  std::optional<int> scale_vec, selector;
  const DType* scale_type = nullptr;
  std::optional<ScaleIds> sfa_ids, sfb_ids;

  // Adds what no option gave.
  void take(const ScaleOperands& pasted);
  void give_to(FragmentRequest& request) const;
};

Options scaled_fragment_options(ScaledFragmentRequest& r);

}  // namespace swz
