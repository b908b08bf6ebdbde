// nvFuser: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_nvfuser(std::string_view) { return false; }
Reading read_nvfuser(std::string_view, const Given&) { throw usage_error("nvFuser: not read yet"); }
Written write_nvfuser(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect nvfuser_dialect() {
  return {.name = "nvfuser",
          .title = "nvFuser",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_nvfuser,
          .read = read_nvfuser,
          .write = write_nvfuser};
}

}  // namespace swz
