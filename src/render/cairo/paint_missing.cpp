// SPDX-License-Identifier: Apache-2.0
// Replaces paint.cpp and outline.cpp if swz is built without cairo's headers.
#include <fmt/format.h>

#include "base/error.hpp"
#include "render/cairo/outline.hpp"
#include "render/cairo/paint.hpp"

namespace swz {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(
      fmt::format("this swz was built without cairo, which {}", what),
      "take -f svg without --outline-fonts, or build again with cairo's headers (Debian, Ubuntu: libcairo2-dev)");
}

}  // namespace

std::string paint_scene(const Scene&, PaintedFormat) { fail("paints PNG and PDF"); }

Outliner font_outlines() { fail("knows the shapes of letters"); }

}  // namespace swz
