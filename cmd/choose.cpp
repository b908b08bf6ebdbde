// swz choose: the swizzle mode to take for a tile.
#include "view/choose.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "command.hpp"
#include "tile_options.hpp"

namespace swz {
namespace {

std::string option_text(const TileOptions& options, const TileShape& shape) {
  return fmt::format("--dtype {} --tile {} --major {}{}", shape.dtype->name, to_string(shape.extents),
                     shape.major == Major::K ? "k" : "mn", options.slots ? " --slots" : "");
}

}  // namespace

Action define_choose(CLI::App& app, const Common& common) {
  auto options = std::make_shared<TileOptions>();
  add_tile_shape_options(app, *options);
  return [options, &common] {
    const TileShape shape = tile_shape_of(*options);
    const Target& target = target_of(common);
    return Outcome{
        view_choose({shape, &target, choose_readable_swizzle(shape, target), option_text(*options, shape)})};
  };
}

}  // namespace swz
