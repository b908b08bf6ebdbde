// CuTe DSL (Python): to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_cute_dsl(std::string_view) { return false; }
Reading read_cute_dsl(std::string_view, const Given&) { throw usage_error("CuTe DSL (Python): not read yet"); }
Written write_cute_dsl(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect cute_dsl_dialect() {
  return {.name = "cute_dsl",
          .title = "CuTe DSL (Python)",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_cute_dsl,
          .read = read_cute_dsl,
          .write = write_cute_dsl};
}

}  // namespace swz
