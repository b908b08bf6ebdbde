// The options that ask for single elements: --at, --at-byte, --at-thread.
//
//   --at 37,20   --at '((1,2),3)'   --at '0,0; 0,8'   --at-byte 0x1234   --at-thread 5,1
//
// Whether there is such an element is for the view to say, which knows the extents (view/point.hpp).
#pragma once

#include "option.hpp"
#include "view/point.hpp"

namespace swz {

// `coordinate` is how an element is named: "ROW,K". All of them exclude what marks other cells.
Option at_option(PointQuery& query, const std::string& coordinate);
Option at_thread_option(PointQuery& query);
// --at and --at-byte.
Options point_options(PointQuery& query, const std::string& coordinate);

}  // namespace swz
