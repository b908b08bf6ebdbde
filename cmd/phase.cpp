// swz phase: what a tile means that does not begin where its swizzle pattern does.
#include "view/phase.hpp"

#include <memory>

#include "command.hpp"
#include "tile_options.hpp"

namespace swz {

Action define_phase(CLI::App& app, const Common& common) {
  auto options = std::make_shared<TileOptions>();
  add_tile_options(app, *options);
  return [options, &common] {
    std::optional<SmemTile> tile;
    if (!options->tile.empty()) tile = tile_of(*options, target_of(common));
    const Phase p = tile ? phase(tile->swizzle(), tile->base(), tile->bytes())
                         : phase(require_swizzle_mode(options->swizzle), parse_base(options->base));
    return Outcome{view_phase(p, tile, common.format != "json")};
  };
}

}  // namespace swz
