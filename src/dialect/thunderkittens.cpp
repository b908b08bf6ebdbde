// ThunderKittens: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_thunderkittens(std::string_view) { return false; }
Reading read_thunderkittens(std::string_view, const Given&) { throw usage_error("ThunderKittens: not read yet"); }
Written write_thunderkittens(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect thunderkittens_dialect() {
  return {.name = "thunderkittens",
          .title = "ThunderKittens",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_thunderkittens,
          .read = read_thunderkittens,
          .write = write_thunderkittens};
}

}  // namespace swz
