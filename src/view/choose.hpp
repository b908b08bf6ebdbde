// View of a choice of swizzle mode: what `swz choose` says.
#pragma once

#include <string>

#include "smem/choose.hpp"
#include "view/document.hpp"

namespace swz {

struct ChooseReport {
  TileShape shape;
  const Target* target = nullptr;
  SwizzleChoice choice;
  std::string tile_options;  // "--dtype bf16 --tile 64x32 --major k", for the commands to go on with
};

// JSON: see docs/json.md.
Document view_choose(const ChooseReport& report);

}  // namespace swz
