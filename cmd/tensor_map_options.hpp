// The options by which the tma commands name the arguments of cuTensorMapEncodeTiled.
//
//   --dtype f16 --dims 4096,8192 --strides 8192 --box 64,128 --swizzle 128B
//
// Lists stand innermost first, as the driver takes them: "64,128", "(64,128)", "[64, 128]", "{64, 128}" or
// "64x128". A negative number is taken as the 64 bits that the driver would get.
#pragma once

#include <string>

#include "command.hpp"
#include "tma/tensor_map.hpp"

namespace swz {

struct TensorMapOptions {
  std::string dtype = "f16", dims, strides, box, element_strides;
  std::string interleave = "none", swizzle = "none", l2 = "none", oob = "zero";
  std::string address = "0";
};

void add_tensor_map_options(CLI::App& app, TensorMapOptions& options);

// The arguments but for the box. The rank is the number of dims. Throws Error for what cannot be read, and for
// lists that do not fit together.
TensorMap tensor_of(const TensorMapOptions& options);
// With the box.
TensorMap tensor_map_of(const TensorMapOptions& options);

// The options that give the map again, but for --address: every one, so that no default of another version
// changes it.
std::string option_line(const TensorMap& map);

// Throws Error unless the option has as many numbers as it should; the hint says what they are.
void require_count(std::string_view option, std::size_t found, std::size_t wanted, std::string_view hint);

// "64,128" and the like. Throws Error naming the option.
std::vector<std::uint64_t> parse_numbers(const std::string& text, std::string_view option);

}  // namespace swz
