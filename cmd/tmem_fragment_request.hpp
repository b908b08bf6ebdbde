// SPDX-License-Identifier: Apache-2.0
// What `swz frag` asks of tcgen05.ld and st besides what it asks of every instruction.
//
//   --thread 13 --register 11    --lane 11 --column 19    --split-offset 100    --map
//   --of 'm 64 n 256 warp 1 at 64 dtype f16'
//
// The words of --of are the options of `swz tmem d` (m, n, cta-group, ws, sparse, dtype), then where the access begins,
// relative to the address of D: cta C, warp W, lane 0 or 16 of the warp's quarter, at COLUMN. PTX's spelling is also
// accepted: cta_group::2, .ws. The default of each is as in `swz tmem d`, or 0.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "option.hpp"
#include "view/tmem/tmem_fragment.hpp"

namespace swz {

struct AccumulatorText {
  AccumulatorAccess access;
  const DType* dtype = nullptr;
};

struct TmemFragmentRequest {
  std::optional<int> thread, reg, lane, column, split_offset;
  std::optional<AccumulatorText> of;
  bool has_map = false;

  bool empty() const { return !thread && !lane && !split_offset && !of && !has_map; }
};

Options tmem_fragment_options(TmemFragmentRequest& r);
// Requires a name that begins with tcgen05.
TmemFragmentView tmem_fragment_view(const std::string& name, const TmemFragmentRequest& r);

}  // namespace swz
