// In place of paint.cpp where swz was built without cairo's headers.
#include "base/error.hpp"
#include "render/cairo/paint.hpp"

namespace swz {

std::string paint_scene(const Scene&, PaintedFormat) {
  throw Error("this swz was built without cairo, which paints PNG and PDF",
              "take -f svg, or build again with cairo's headers (Debian, Ubuntu: libcairo2-dev)");
}

}  // namespace swz
