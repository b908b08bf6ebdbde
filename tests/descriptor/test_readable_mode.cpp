// SPDX-License-Identifier: Apache-2.0
// The mode in which an array is read: canonical tiles of every mode and major come back, whichever dimension is K.
#include <doctest/doctest.h>

#include <algorithm>

#include "descriptor/readable_mode.hpp"
#include "expr/evaluate.hpp"

using namespace swz;

namespace {

std::vector<std::string> names_of_modes(const std::vector<ReadableMode>& modes) {
  std::vector<std::string> names;
  for (const ReadableMode& m : modes) names.emplace_back(m.mode->name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> modes_of_text(const char* text, const char* dtype) {
  return names_of_modes(readable_modes(parse_layout(text), require_dtype(dtype)));
}

}  // namespace

TEST_CASE("every canonical tile is read in its own mode, as it is and transposed") {
  int tiles = 0;
  for (const char* type : {"bf16", "e4m3", "tf32"}) {
    const DType& dtype = require_dtype(type);
    for (const Major major : {Major::K, Major::MN}) {
      for (const SwizzleMode& mode : swizzle_modes()) {
        if (!is_legal({&require_target("sm_100a"), &dtype, Packing::packed, major, &mode})) continue;
        for (const StackingOrder order : {StackingOrder::mn_first, StackingOrder::k_first}) {
          const SmemTile tile({.dtype = dtype, .major = major, .mn = 128, .k = 128, .swizzle = mode, .order = order});
          const ComposedLayout as_is = tile.layout().plain();
          const Layout& l = as_is.layout();
          const Layout exchanged = make_layout(std::vector<Layout>{swz::mode(l, 1), swz::mode(l, 0)});
          for (const ComposedLayout& array : {as_is, as_is.with(exchanged)}) {
            CAPTURE(to_string(array));
            const auto modes = readable_modes(array, dtype);
            const bool is_exchanged = array.layout() == exchanged;
            CHECK(std::ranges::any_of(modes, [&](const ReadableMode& m) {
              return m.mode == &mode && m.major == major && m.is_transposed == is_exchanged;
            }));
            CHECK(names_of_modes(modes) == std::vector<std::string>{std::string(mode.name)});
            ++tiles;
          }
        }
      }
    }
  }
  CHECK(tiles > 60);
}

TEST_CASE("what no MMA reads has no mode") {
  using Names = std::vector<std::string>;
  CHECK(modes_of_text("(64,64):(64,1)", "bf16") == Names{});                        // plain rows of 128 B
  CHECK(modes_of_text("Sw<2,3,2> o 0 o (128,32):(32,1)", "bf16") == Names{});       // phases wrap at the row
  CHECK(modes_of_text("Sw<3,4,3> o 0 o (8,64):(64,1)", "bf16") == Names{});         // bytes taken for elements
  CHECK(modes_of_text("(64,64):(72,1)", "bf16") == Names{});                        // padding
  CHECK(modes_of_text("(2,64,64):(4096,64,1)", "bf16") == Names{});                 // three dimensions
  CHECK(modes_of_text("Sw<2,3,3> o 0 o (128,32):(32,1)", "bf16") == Names{"64B"});  // and these have
  CHECK(modes_of_text("Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))", "bf16") == Names{"128B"});
  CHECK(modes_of_text("Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,1024),(1,512))", "bf16") == Names{"128B"});
  CHECK(modes_of_text("(64,(8,8)):(8,(1,512))", "bf16") == Names{"none"});  // core matrices
}
