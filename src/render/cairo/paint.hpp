// SPDX-License-Identifier: Apache-2.0
// PNG and PDF: the Scene painted by cairo.
//
//   std::string png = paint_scene(scene, PaintedFormat::png);   a whole file, 2 pixels for each pixel of the scene
//
// libcairo is opened when the first picture is asked for, so that other commands do not wait for it and the program
// runs without it. A picture that follows its page is painted as on a light one. The same scene and fonts give the same
// bytes.
//
// Throws Error if libcairo is missing or fails, and if a picture is larger than cairo can paint.
#pragma once

#include <string>

#include "render/scene.hpp"

namespace swz {

enum class PaintedFormat { png, pdf };

std::string paint_scene(const Scene& scene, PaintedFormat format);

}  // namespace swz
