// tensor map (TMA): to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_tensor_map(std::string_view) { return false; }
Reading read_tensor_map(std::string_view, const Given&) { throw usage_error("tensor map (TMA): not read yet"); }
Written write_tensor_map(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect tensor_map_dialect() {
  return {.name = "tma",
          .title = "tensor map (TMA)",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_tensor_map,
          .read = read_tensor_map,
          .write = write_tensor_map};
}

}  // namespace swz
