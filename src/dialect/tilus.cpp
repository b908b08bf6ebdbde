// Tilus: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_tilus(std::string_view) { return false; }
Reading read_tilus(std::string_view, const Given&) { throw usage_error("Tilus: not read yet"); }
Written write_tilus(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect tilus_dialect() {
  return {.name = "tilus",
          .title = "Tilus",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_tilus,
          .read = read_tilus,
          .write = write_tilus};
}

}  // namespace swz
