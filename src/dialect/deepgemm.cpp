// DeepGEMM: to be written.
#include "dialect/all.hpp"

namespace swz {
namespace {

bool recognises_deepgemm(std::string_view) { return false; }
Reading read_deepgemm(std::string_view, const Given&) { throw usage_error("DeepGEMM: not read yet"); }
Written write_deepgemm(const LayoutForm&) { return refused("not written yet"); }

}  // namespace

Dialect deepgemm_dialect() {
  return {.name = "deepgemm",
          .title = "DeepGEMM",
          .unit = "elements",
          .needs = "",
          .example = "",
          .rules = "",
          .source = "",
          .recognises = recognises_deepgemm,
          .read = read_deepgemm,
          .write = write_deepgemm};
}

}  // namespace swz
