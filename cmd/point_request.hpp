// SPDX-License-Identifier: Apache-2.0
// The options that ask for single elements: --at, --at-byte, --at-thread.
//
//   --at 37,20   --at '((1,2),3)'   --at '0,0; 0,8'   --at-byte 0x1234
//   --at T5,R1   --at T5             for a fragment: a register of a thread, or all that the thread holds
//   --at-thread 5,1                  the same as --at T5,R1
//
// Whether there is such an element is decided by the view, which knows the extents (view/document/point.hpp).
#pragma once

#include "option.hpp"
#include "view/document/point.hpp"

namespace swz {

// `coordinate` is how an element is named: "ROW,K". Each of these options excludes those that mark other cells.
Option at_option(PointQuery& query, const std::string& coordinate);
// --at and --at-thread of a fragment.
Options fragment_point_options(PointQuery& query);
// --at and --at-byte.
Options point_options(PointQuery& query, const std::string& coordinate);

}  // namespace swz
