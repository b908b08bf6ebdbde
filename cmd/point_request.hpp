// The options that ask for single elements: --at, --at-byte, --at-thread.
//
//   --at 37,20   --at '((1,2),3)'   --at '0,0; 0,8'   --at-byte 0x1234   --at-thread 5,1
//
// Whether there is such an element is for the view to say, which knows the extents (view/point.hpp).
#pragma once

#include "option.hpp"
#include "view/point.hpp"

namespace swz {

// `coordinate` is how an element is named: "ROW,K". The other ways exclude what marks other cells.
Options point_options(PointQuery& query, const std::string& coordinate);
Option point_of_thread_option(PointQuery& query);

}  // namespace swz
