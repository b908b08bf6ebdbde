// SVG: a Scene as a file that browsers, editors and pages show.
//
//   svg_text(scene)   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"40\" …"
//
// Text stays text, tooltips are <title> elements, colours are classes that follow a light or dark page by
// themselves. Same scene, same bytes; valid XML whatever the texts hold.
#pragma once

#include <string>

#include "render/scene.hpp"

namespace swz {

std::string svg_text(const Scene& scene);

}  // namespace swz
