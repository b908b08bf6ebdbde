// The options by which tma check names the arguments of cuTensorMapEncodeIm2col and cuTensorMapEncodeIm2colWide
// that cuTensorMapEncodeTiled does not have.
//
//   --im2col --lower -1,-1 --upper -1,-1 --channels 64 --pixels 128
//   --im2col --wide w128 --lower -1 --upper -1 --channels 64
#pragma once

#include <string>

#include "command.hpp"
#include "tensor_map_options.hpp"
#include "tma/im2col_rules.hpp"

namespace swz {

struct Im2colOptions {
  bool is_im2col = false;
  std::string lower, upper, channels, pixels, wide;
};

void add_im2col_options(CLI::App& app, Im2colOptions& options);
// For a command that answers for tiled maps alone: --im2col is refused in one sentence.
void add_im2col_refusal(CLI::App& app);

// Throws Error for im2col options without --im2col.
void require_im2col(const Im2colOptions& options);
// With --im2col. Throws Error for what cannot be read, what is missing, and for lists that do not fit together.
Im2colMap im2col_map_of(const Im2colOptions& options, const TensorMapOptions& tensor);

}  // namespace swz
