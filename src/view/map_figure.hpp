// The figure of an operand map: the operand as rows x k chunks beside the lines of shared memory it is read from.
#pragma once

#include "view/map.hpp"

namespace swz {

Figure map_figure(const MapAnswer& answer);

}  // namespace swz
