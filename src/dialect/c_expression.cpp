// C expression: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_c(std::string_view) { return false; }
Reading read_c(std::string_view, const Given&) { throw usage_error("C expression: not read yet"); }
Written write_c(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect c_dialect() {
  return {.name = "c",
          .title = "C expression",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_c,
          .read = read_c,
          .write = write_c};
}

}  // namespace swz
