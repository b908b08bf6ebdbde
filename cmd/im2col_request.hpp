// The options by which tma check names the arguments of cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide
// that cuTensorMapEncodeTiled does not have.
//
//   --im2col --lower -1,-1 --upper -1,-1 --channels 64 --pixels 128
//   --im2col --wide w128 --lower -1 --upper -1 --channels 64
#pragma once

#include "tensor_map_request.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

struct Im2colRequest {
  bool is_im2col = false;
  NumberList lower, upper, channels, pixels;
  std::optional<Im2colWideMode> wide;
};
Options im2col_options(Im2colRequest& im2col);

// With --im2col. Throws Error for what is missing, and for lists that do not fit together.
Im2colMap im2col_map_of(const Im2colRequest& im2col, const TensorMapRequest& tensor);

}  // namespace swz
