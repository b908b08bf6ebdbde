// Mojo: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_mojo(std::string_view) { return false; }
Reading read_mojo(std::string_view, const Given&) { throw usage_error("Mojo: not read yet"); }
Written write_mojo(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect mojo_dialect() {
  return {.name = "mojo",
          .title = "Mojo",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_mojo,
          .read = read_mojo,
          .write = write_mojo};
}

}  // namespace swz
