// JAX Mosaic: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_mosaic(std::string_view) { return false; }
Reading read_mosaic(std::string_view, const Given&) { throw usage_error("JAX Mosaic: not read yet"); }
Written write_mosaic(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect mosaic_dialect() {
  return {.name = "mosaic",
          .title = "JAX Mosaic",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_mosaic,
          .read = read_mosaic,
          .write = write_mosaic};
}

}  // namespace swz
