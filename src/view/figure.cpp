#include "view/figure.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace swz {

void require_drawable(std::int64_t squares, std::string_view what, std::string_view way_out) {
  if (squares > drawable_squares)
    throw Error(fmt::format("{} has {} cells; at most {} are drawn", what, squares, drawable_squares),
                std::string(way_out));
}

}  // namespace swz
