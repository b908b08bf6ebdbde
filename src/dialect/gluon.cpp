// Gluon: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_gluon(std::string_view) { return false; }
Reading read_gluon(std::string_view, const Given&) { throw usage_error("Gluon: not read yet"); }
Written write_gluon(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect gluon_dialect() {
  return {.name = "gluon",
          .title = "Gluon",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_gluon,
          .read = read_gluon,
          .write = write_gluon};
}

}  // namespace swz
