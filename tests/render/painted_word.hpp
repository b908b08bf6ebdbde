// SPDX-License-Identifier: Apache-2.0
// A word painted into a scene of its own size.
#pragma once

#include "render/picture.hpp"

namespace swz {

inline Scene painted(const BitRow& word, double width) {
  Scene scene;
  const Extent extent = paint_word(scene, word, 0, 0, {width, 8, false});
  scene.width = extent.width;
  scene.height = extent.height;
  return scene;
}

}  // namespace swz
