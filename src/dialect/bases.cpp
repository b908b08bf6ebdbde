// bases over GF(2): to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_bases(std::string_view) { return false; }
Reading read_bases(std::string_view, const Given&) { throw usage_error("bases over GF(2): not read yet"); }
Written write_bases(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect bases_dialect() {
  return {.name = "bases",
          .title = "bases over GF(2)",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_bases,
          .read = read_bases,
          .write = write_bases};
}

}  // namespace swz
