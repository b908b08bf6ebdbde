// Highlight: the text of --highlight.
//
//   parse_highlight("rows 0-7; ks 0-15")        the rectangle of 8 rows and 16 k
//   parse_highlight("chunks 0,2,4; lanes 0-7")  three chunks, and what eight lanes of ldmatrix read
#pragma once

#include <string>

#include "smem/selection.hpp"

namespace swz {

// Throws Error with a span in `text`.
Selection parse_highlight(const std::string& text);

}  // namespace swz
