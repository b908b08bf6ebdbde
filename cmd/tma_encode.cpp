// swz tma encode: the 128 bytes of a tensor map, as the driver writes them.
#include <memory>

#include "command.hpp"
#include "tensor_map_options.hpp"
#include "tile_options.hpp"
#include "tma/tensor_map_rules.hpp"
#include "view/tensor_map.hpp"

namespace swz {

Action define_tma_encode(CLI::App& app, const Common& common) {
  auto options = std::make_shared<TensorMapOptions>();
  add_tensor_map_options(app, *options);
  return [options, &common] {
    const TensorMap map = tensor_map_of(*options);
    require_accepted(map, target_of(common));
    return Outcome{view_encoded(map, encode(map))};
  };
}

}  // namespace swz
