// SPDX-License-Identifier: Apache-2.0
// The options by which the tma commands name the arguments of cuTensorMapEncodeTiled, and the additional ones of cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide.
//
//   --dtype f16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B
//   --im2col --lower -1,-1 --upper -1,-1 --channels 64 --pixels 128
//   --im2col --wide w128 --lower -1 --upper -1 --channels 64
//
// Lists are innermost first, as the driver expects them: "64,128", "(64,128)", "[64, 128]", "{64, 128}" or
// "64x128". A negative number is read as the 64 bits that the driver would get.
#pragma once

#include <string>

#include "command.hpp"
#include "tma/tensor_map_rules.hpp"

namespace swz {

// 64-bit numbers as the driver would get them.
using NumberList = std::vector<std::uint64_t>;
Option number_list(std::string names, std::string value, NumberList& to, std::string help);

// The data type, and the name by which it was given: e4m3 is UINT8 for the driver, but not for an MMA.
struct TensorTypeText {
  std::string text;
  TensorMapDataType type = TensorMapDataType{};
};
void read_value(const std::string& text, TensorTypeText& to);

struct TensorMapRequest {
  TensorTypeText dtype;
  NumberList dims, strides, box, element_strides;
  TensorMap map;                               // its other arguments
  bool has_dims = false, has_address = false;  // were given
};
Options tensor_map_options(TensorMapRequest& map);
// The arguments except the box. The rank is the number of dims. Throws Error for lists that do not fit together.
TensorMap tensor_of(const TensorMapRequest& request);
// The same with the box.
TensorMap tensor_map_of(const TensorMapRequest& request);

struct Im2colRequest {
  bool is_im2col = false;
  NumberList lower, upper, channels, pixels;
  std::optional<Im2colWideMode> wide;
};
Options im2col_options(Im2colRequest& im2col);

// The map of --im2col. Throws Error for missing arguments, and for lists that do not fit together.
Im2colMap im2col_map_of(const Im2colRequest& im2col, const TensorMapRequest& tensor);

// The options that give the map again, except --address: every option, so that no default of another version changes
// it.
std::string option_line(const TensorMap& map);
std::string option_line(const Im2colMap& map);

}  // namespace swz
