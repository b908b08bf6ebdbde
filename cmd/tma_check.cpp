// swz tma check: whether cuTensorMapEncodeTiled accepts the arguments, and every reason why not.
#include <memory>

#include "command.hpp"
#include "im2col_options.hpp"
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

Outcome check_im2col(const Im2colMap& map, const Target& target) {
  const Im2colVerdict verdict{map, &target, violations(map, target), remarks(map, target)};
  return {view_verdict(verdict), verdict.violations.empty() ? 0 : 1, !verdict.remarks.empty()};
}

}  // namespace

Action define_tma_check(CLI::App& app, const Common& common) {
  auto options = std::make_shared<TensorMapOptions>();
  add_tensor_map_options(app, *options);
  auto im2col = std::make_shared<Im2colOptions>();
  add_im2col_options(app, *im2col);
  return [options, im2col, &common, &app] {
    require_im2col(*im2col);
    if (im2col->is_im2col) return check_im2col(im2col_map_of(*im2col, *options), target_of(common));
    const TensorMap map = tensor_map_of(*options);
    const Target& target = target_of(common);
    const TensorMapVerdict verdict{map, &target, violations(map, target),
                                   without_address(remarks(map, target), app.count("--address") > 0)};
    return Outcome{view_verdict(verdict), verdict.violations.empty() ? 0 : 1, !verdict.remarks.empty()};
  };
}

}  // namespace swz
