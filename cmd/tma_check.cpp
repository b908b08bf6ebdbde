// swz tma check: whether cuTensorMapEncodeTiled accepts the arguments, and every reason why not.
#include <memory>

#include "command.hpp"
#include "tensor_map_options.hpp"
#include "tile_options.hpp"
#include "view/tensor_map.hpp"

namespace swz {
namespace {

// Nobody asked about the address who gave none.
std::vector<TensorMapViolation> without_address(std::vector<TensorMapViolation> remarks, bool has_address) {
  if (!has_address) std::erase_if(remarks, [](const TensorMapViolation& r) { return r.argument == "address"; });
  return remarks;
}

}  // namespace

Action define_tma_check(CLI::App& app, const Common& common) {
  auto options = std::make_shared<TensorMapOptions>();
  add_tensor_map_options(app, *options);
  return [options, &common, &app] {
    const TensorMap map = tensor_map_of(*options);
    const Target& target = target_of(common);
    const TensorMapVerdict verdict{map, &target, violations(map, target),
                                   without_address(remarks(map, target), app.count("--address") > 0)};
    return Outcome{view_verdict(verdict), verdict.violations.empty() ? 0 : 1, !verdict.remarks.empty()};
  };
}

}  // namespace swz
